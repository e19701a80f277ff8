package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hapco/haptics"
	"hapco/haptics/devices"
	"hapco/haptics/pointer"
	"hapco/haptics/record"
	"hapco/haptics/remote"
	"hapco/haptics/virtual"
	"hapco/physics"
	"hapco/physics/frame"
	"hapco/ui"
)

// hand is what one hand acts through: the loop of its device, and what keeps that safe.
type hand struct {
	servo   haptics.Servo
	tuning  tuning
	easing  easing
	pointer *pointer.Device // nil: it has no mouse
	replay  *ReplayDevice   // nil: it is no recorded one
	flight  *record.Flight
	pulse   pulse
	last    haptics.Sample
	failure error // of the haptic loop, set before the session's loops are done
}

// begin gives the hand its device and its loop. Where that fails the device is closed.
func (h *hand) begin(dev haptics.Device, s *Session, rate float64) (err error) {
	h.pointer, _ = dev.(*pointer.Device)
	h.replay, _ = dev.(*ReplayDevice)
	if h.servo, err = devices.Servo(dev, rate); err != nil {
		return BadInput(errors.Join(err, dev.Close()))
	}
	h.tuning = NewTuning(dev, h.servo.Stats().Target, &s.of.Device, s.info.Lever)
	h.servo.SetParams(h.tuning.live)
	return nil
}

// watched tells whether files that nobody asked for are written of the hand's ticks: of real devices with motors.
func (h *hand) watched(dev haptics.Device) bool {
	switch dev.(type) {
	case *virtual.Device, *ReplayDevice, *remote.Device:
		return false
	}
	return h.tuning.motors
}

// poses is where physics finds the hand, which begins at start; couple is told by what spring the tool hangs on it.
func (h *hand) poses(start frame.Pose, couple func(physics.Coupling)) physics.PoseSource {
	return func() (stylus, hand frame.Pose, tick uint64) {
		if sample, newer := h.servo.Sample(); newer {
			h.last = sample
			couple(CouplingOf(&sample))
		}
		if h.last.Tick == 0 {
			return start, start, 0
		}
		return h.last.Stylus, h.last.Hand, h.last.Tick
	}
}

// CouplingOf is the servo's spring as a step of physics meets it. It saturates a little above the largest force, which
// the servo so reaches in every direction.
func CouplingOf(s *haptics.Sample) (c physics.Coupling) {
	const above = 1.05
	if s.Stiffness > 0 {
		c = physics.Coupling{Stiffness: s.Stiffness, Angle: s.AngleStiffness, Limit: above * s.MaxForce}
	}
	return c
}

// run runs the hand's loops on the session's goroutines.
func (h *hand) run(ctx context.Context, s *Session) {
	s.loops.Go(func() { h.flight.Run(ctx) })
	s.loops.Go(func() { h.failure = h.servo.Run() })
}

// beginSecond opens the device of a second hand in a scene that has a tool for it. Without a flag it is a mouse: one
// mouse moves either tool then.
func (s *Session) beginSecond(flags *DeviceFlags, world physics.World) (haptics.Device, error) {
	start := s.info.Second
	if start == nil && flags.SecondDevice != "" && !flags.Later {
		return nil, BadInput(fmt.Errorf("--second-device %s: scene %q has one tool (cure: a scene with two, such as two-hands; one of rigid bodies has them with --set tool.second=[x,y,z])",
			flags.SecondDevice, s.of.Name))
	}
	if start == nil {
		return nil, nil
	}
	if _, ok := world.(physics.TwoHanded); !ok {
		panic("app: a world with a second stylus that is not physics.TwoHanded")
	}
	second := *flags
	second.Device, second.Hand = cmp.Or(flags.SecondDevice, "mouse"), flags.SecondHand
	if flags.Hand != nil && flags.SecondHand == nil {
		second.Hand = []haptics.Record{resting(*start)} // a recording of one hand
	}
	dev, err := s.openDevice(&second, *start, "has the second tool")
	if err != nil {
		return nil, err
	}
	h := &hand{}
	if err := h.begin(dev, s, flags.RateHz); err != nil {
		return nil, err
	}
	s.second = h
	return dev, nil
}

// resting is a tick of a hand that stays where it is.
func resting(at frame.Pose) (r haptics.Record) {
	q := at.Rotation
	r.Position, r.Rotation = at.Position, [4]float64{q.V[0], q.V[1], q.V[2], q.W}
	return r
}

// together has the ticks of the second hand in the recordings of the first, and told to who listens.
func (s *Session) together() {
	var text []byte
	s.second.flight.Listen(func(start int64, recs []haptics.Record) {
		if file, _ := s.flight.Streaming(); file == "" && s.server == nil {
			return
		}
		for i := range recs {
			text = record.AppendTick(text[:0], &recs[i])
			s.flight.Also(&record.SecondTicks, start+recs[i].Time, text)
			if s.server != nil {
				s.server.Publish(&record.SecondTicks, start+recs[i].Time, text)
			}
		}
	})
}

// hands are the session's.
func (s *Session) hands() []*hand {
	if s.second == nil {
		return []*hand{&s.hand}
	}
	return []*hand{&s.hand, s.second}
}

// chosen is the hand that the window is about.
func (s *Session) chosen() *hand { return s.hands()[s.held] }

var _ ui.TwoHanded = (*Session)(nil)

// Hands are the devices of the hands.
func (s *Session) Hands() (names []string) {
	for _, h := range s.hands() {
		names = append(names, strings.TrimSpace(h.servo.Stats().Device))
	}
	return names
}

// TakeHand makes the window about one of the hands. The other stays where it is.
func (s *Session) TakeHand(i int) {
	if i < 0 || i >= len(s.hands()) {
		return
	}
	if p := s.chosen().pointer; p != nil {
		p.SetClutch(false)
	}
	s.held = i
}

// InHand is the hand that the window is about.
func (s *Session) InHand() int { return s.held }

// SetGrasp says what the chosen hand holds.
func (s *Session) SetGrasp(g physics.Grasp) {
	g.Hand = uint8(s.InHand())
	s.Running.SetGrasp(g)
}

// Seen is the newest frame as the chosen hand sees it: its stylus is the frame's.
func (s *Session) Seen() (*physics.Frame, bool) {
	f, newer := s.Running.Seen()
	if newer {
		f.Turned = false
	}
	if other := s.held == 1; f != nil && other != f.Turned {
		f.Turned = other
		d := &f.Second
		f.Stylus, d.Stylus = d.Stylus, f.Stylus
		f.Target, d.Target = d.Target, f.Target
		f.Force, d.Force = d.Force, f.Force
		f.Torque, d.Torque = d.Torque, f.Torque
	}
	return f, newer
}

// Exclusive tells whether a hand's device serves one session at a time: all but the mouse.
func (s *Session) Exclusive() bool {
	return slices.ContainsFunc(s.hands(), func(h *hand) bool { return h.pointer == nil })
}
