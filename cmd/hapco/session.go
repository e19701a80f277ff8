package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/haptics"
	"hapco/haptics/pointer"
	"hapco/physics"
	"hapco/physics/frame"
	"hapco/physics/scene"
	"hapco/ui"
)

// session is one opened scene with its physics and haptic loops running. It is
// what the window shows, and what a headless run drives.
type session struct {
	scene    *scene.Scene
	bodies   []physics.BodyInfo
	defaults physics.Params
	params   physics.Params // main thread's copy

	runner  *physics.Runner
	servo   haptics.Servo
	limits  haptics.Params // the servo's parameters, of which the panel sets some
	pointer *pointer.Device
	started bool // a snapshot has been seen

	cancel  context.CancelFunc
	loops   sync.WaitGroup
	failure error // of the haptic loop, set before loops is done
}

var _ ui.Session = (*session)(nil)

// openSession starts the loops of a world with the device of that kind.
func openSession(world *physics.World, device string) (*session, error) {
	s := &session{scene: world.Scene(), bodies: world.Bodies(), defaults: world.DefaultParams()}
	s.params = s.DefaultParams()
	start := world.StartPose()
	dev, err := openDevice(device, s.scene, start)
	if err != nil {
		return nil, err
	}
	s.pointer, _ = dev.(*pointer.Device)
	servo, err := haptics.NewLoop(dev, 0)
	if err != nil {
		return nil, errors.Join(err, dev.Close())
	}
	s.servo = servo
	s.limits = haptics.DefaultParams(haptics.LimitsOf(dev), 1000)
	s.setForce()

	var last haptics.Sample
	s.runner = physics.NewRunner(world, servo.Models(), func() (stylus, hand frame.Pose, tick uint64) {
		if sample, newer := servo.Sample(); newer {
			last = sample
		}
		if last.Tick == 0 {
			return start, start, 0
		}
		return last.Stylus, last.Hand, last.Tick
	})
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	s.loops.Go(func() { s.runner.Run(ctx) })
	s.loops.Go(func() { s.failure = servo.Run() })
	return s, nil
}

// openDevice opens a device by the word of the command line.
func openDevice(kind string, s *scene.Scene, start frame.Pose) (haptics.Device, error) {
	switch kind {
	case "auto", "mouse":
		return pointer.New(start, s.Device.Stiffness, 0), nil
	}
	return nil, badInput(fmt.Errorf("device %q is unknown (cure: --device auto or mouse)", kind))
}

// setForce passes the panel's share of the haptic parameters on.
func (s *session) setForce() {
	s.limits.MaxForce, s.limits.Reducer = s.params.MaxForce, s.params.Reducer
	s.servo.SetParams(s.limits)
}

func (s *session) Title() string                 { return s.scene.Title }
func (s *session) Bodies() []physics.BodyInfo    { return s.bodies }
func (s *session) View() ui.View                 { return ui.View(s.scene.Camera) }
func (s *session) StepOnce()                     { s.runner.StepOnce() }
func (s *session) ResetObjects()                 { s.runner.Reset() }
func (s *session) Params() physics.Params        { return copyParams(s.params) }
func (s *session) DefaultParams() physics.Params { return copyParams(s.defaults) }

// Snapshot is the newest one; nil before the first step.
func (s *session) Snapshot() (*physics.Snapshot, bool) {
	snapshot, newer := s.runner.Snapshots().Get()
	s.started = s.started || newer
	if !s.started {
		return nil, false
	}
	return snapshot, newer
}

// SetParams publishes p to both loops.
func (s *session) SetParams(p physics.Params) {
	s.params = copyParams(p)
	s.runner.SetParams(copyParams(p))
	s.setForce()
}

func copyParams(p physics.Params) physics.Params {
	p.Bodies = append([]physics.BodyParams(nil), p.Bodies...)
	return p
}

// Pointer is nil unless the mouse drives the stylus.
func (s *session) Pointer() ui.Pointer {
	if s.pointer == nil {
		return nil // not a nil *pointer.Device in an interface
	}
	return s.pointer
}

// Haptics is a reading of the haptic loop.
func (s *session) Haptics() ui.HapticsStatus {
	st := s.servo.Stats()
	released := haptics.Released | haptics.Disabled | haptics.DeviceLost | haptics.Waiting
	return ui.HapticsStatus{
		Device: st.Device, RateHz: st.Rate, TargetHz: st.Target,
		Force: st.Force, Raw: st.Raw, Missed: st.Missed,
		Clutched: st.Last.Flags&haptics.Clutched != 0,
		Engaged:  st.Ticks > 0 && st.Last.Flags&released == 0,
		Message:  st.Message,
	}
}

// Close stops the loops and releases the device.
func (s *session) Close() error {
	s.cancel()
	err := s.servo.Stop()
	s.loops.Wait()
	return errors.Join(err, s.failure)
}

// hand moves the mouse's hand in the place of a person; without one it does nothing.
func (s *session) hand(p mgl64.Vec3) {
	if s.pointer != nil {
		s.pointer.SetHand(p)
	}
}
