// Package app is what the subcommands share: opening scenes and worlds, a session with its loops, device and recorder,
// a scripted hand, and writing files.
package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/haptics"
	"hapco/haptics/devices"
	"hapco/haptics/pointer"
	"hapco/haptics/record"
	"hapco/haptics/virtual"
	"hapco/physics"
	"hapco/physics/files/atomicfile"
	"hapco/physics/files/setting"
	"hapco/physics/frame"
	"hapco/physics/machinery/failsafe"
	"hapco/telemetry"
	"hapco/ui"
)

// DeviceFlags choose what holds the stylus, and what is recorded of it.
type DeviceFlags struct {
	Device       string  `help:"What holds the stylus: auto, mouse, phantom, haply, spacenav, virtual; haply:NAME of two." default:"auto"`
	SecondDevice string  `help:"What holds the second tool; without it the mouse (key M)." placeholder:"DEVICE"`
	RateHz       float64 `name:"rate-hz" help:"Ticks of the haptic loop per second, 500 to 4000." default:"1000" in:"500..4000"`
	Record       string  `help:"Record every tick of the haptic loop to this MCAP file." type:"path"`

	Server *telemetry.Server `kong:"-"` // that the session's messages go to; nil: none

	Own        haptics.Device    `kong:"-"` // instead of the flag's
	Hand       []haptics.Record  `kong:"-"` // a recorded hand instead of a device
	SecondHand []haptics.Record  `kong:"-"` // and a second one
	Later      bool              `kong:"-"` // a scene was open before: what fails now is told, and the mouse will do
	Notes      map[string]string `kong:"-"` // of the scene, kept in recordings
}

// Running is a world that a runner steps, as a window sees it.
type Running struct {
	*physics.Runner
	of      *setting.Setting // of the scene
	info    *physics.Info
	keys    []physics.Key // for the window; the runner has its own
	started bool          // a frame has been seen
}

// NewRunning is a world that writes its models for the hand to models.
func NewRunning(of *setting.Setting, world physics.World, models physics.ModelWriter, poses physics.PoseSource) Running {
	return Running{physics.NewRunner(world, models, poses), of, world.Info(), world.Keys(), false}
}

// Session is one opened scene with its physics and haptic loops running. It is what the window shows, and what a
// headless run drives.
type Session struct {
	Running
	hand
	second *hand // nil: the scene has one tool
	held   int   // of the hands, the one that the window is about; main thread
	taping
	notices chan notice // of the flight recorder, for the window

	cancel context.CancelFunc
	loops  failsafe.Group
	once   sync.Once
	closed atomic.Bool
	ending error // of Close
}

var _ ui.Session = (*Session)(nil)

// EndsItself tells that the command has something to end well after a signal: a hand that is held and its recording, or
// a table of what there was.
var EndsItself atomic.Bool

// OpenSession starts the loops of a world with the device that the flags name. They close the world in the end; where
// they cannot start it is closed at once.
func OpenSession(of *setting.Setting, world physics.World, flags *DeviceFlags) (s *Session, err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, world.Close())
		}
	}()
	EndsItself.Store(true)
	s = &Session{Running: Running{of: of, info: world.Info(), keys: world.Keys()}, notices: make(chan notice, 16)}
	start := s.info.Start
	dev, err := s.openDevice(flags, start, "holds the stylus")
	if err != nil {
		return nil, err
	}
	if err := s.begin(dev, s, flags.RateHz); err != nil {
		return nil, err
	}
	opened := s // a return of nil leaves nothing to stop
	defer func() {
		if err != nil {
			for _, h := range opened.hands() {
				err = errors.Join(err, h.servo.Stop())
			}
		}
	}()
	s.openFlight(flags, &s.hand, s.watched(dev))
	s.Runner = physics.NewRunner(world, s.servo.Models(), s.poses(start, func(c physics.Coupling) { s.SetCoupling(c) }))
	s.Runner.Strengthen(cmp.Or(of.Device.ForceScale, 1))
	other, err := s.beginSecond(flags, world)
	if err != nil {
		return nil, err
	}
	if s.second != nil {
		s.openFlight(flags, s.second, s.second.watched(other))
		s.Runner.SecondHand(s.second.servo.Models(), s.second.poses(*s.info.Second, func(physics.Coupling) {}))
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	s.prepareTape(ctx, flags.Server)
	if err := s.recordFrom(flags); err != nil {
		cancel()
		return nil, err
	}
	s.loops.Go(func() { s.Runner.Run(ctx) })
	s.loops.Go(func() { s.tell(ctx) })
	for _, h := range s.hands() {
		h.run(ctx, s)
	}
	return s, nil
}

// openDevice opens a device, or the mouse in its place where a scene was open before.
func (s *Session) openDevice(flags *DeviceFlags, start frame.Pose, does string) (haptics.Device, error) {
	dev, err := openDevice(flags, s.of, start)
	if err == nil || !flags.Later {
		return dev, err
	}
	s.note(notice{err.Error() + "; the mouse " + does + " until the next scene", true})
	mouse := *flags
	mouse.Device = "mouse"
	return openDevice(&mouse, s.of, start)
}

// openDevice opens the device that drives the stylus.
func openDevice(flags *DeviceFlags, s *setting.Setting, start frame.Pose) (haptics.Device, error) {
	if !(flags.RateHz >= haptics.MinRate && flags.RateHz <= haptics.MaxRate) {
		return nil, BadInput(fmt.Errorf("--rate-hz %g (cure: %d to %d)", flags.RateHz, haptics.MinRate, haptics.MaxRate))
	}
	switch {
	case flags.Own != nil:
		return flags.Own, nil
	case flags.Hand != nil:
		return NewReplayDevice(flags.Hand), nil
	}
	half := s.Device.Workspace.Mul(0.5)
	kind, name, _ := strings.Cut(flags.Device, ":")
	opt := devices.Options{
		Name: name, Start: start, RateHz: int(flags.RateHz), Spring: s.Device.Stiffness,
		Low: start.Position.Sub(half), High: start.Position.Add(half), Scale: s.Device.Scale,
		Virtual: virtual.Config{Limits: virtual.Devices["touch"], Hand: StrollingHand(s, start), Seed: 1},
		Notify:  func(line string) { fmt.Fprintln(os.Stderr, "hapco: "+line) },
	}
	dev, message, err := devices.Open(kind, opt)
	if err != nil {
		return nil, BadInput(err)
	}
	if _, mouse := dev.(*pointer.Device); !mouse {
		fmt.Fprintln(os.Stderr, "hapco: device: "+message)
	}
	return dev, nil
}

// strollSpeed is that of the simulated hand, m/s.
const strollSpeed = 0.01

// StrollingHand walks the scene's sliding path, or its first, and back, for ever.
func StrollingHand(s *setting.Setting, start frame.Pose) virtual.Hand {
	h := virtual.Hands["grip"]
	h.Loop, h.Tremor = true, 20e-6
	p, err := s.ChoosePath("", "sliding")
	if err != nil {
		return h // it rests where it is
	}
	corners := []mgl64.Vec3{start.Position}
	for _, m := range p.Moves {
		corners = append(corners, corners[len(corners)-1].Add(m.Direction.Mul(float64(m.Steps)*m.Step)))
	}
	corners = append(corners, start.Position.Add(corners[len(corners)-1].Sub(corners[1]))) // lift
	corners = append(corners, start.Position)
	t := 1.0
	h.Path = []virtual.Point{{Time: t, Position: corners[0]}}
	for i := 1; i < len(corners); i++ {
		t += max(0.1, corners[i].Sub(corners[i-1]).Len()/strollSpeed)
		h.Path = append(h.Path, virtual.Point{Time: t, Position: corners[i]})
	}
	return h
}

// openFlight starts the flight recorder. It keeps the last minute of any device; files that nobody asked for are for
// real devices with motors only.
func (s *Session) openFlight(flags *DeviceFlags, h *hand, unasked bool) {
	rate := h.servo.Stats().Target
	opt := record.Options{Rate: rate, Notes: map[string]string{
		"scene": s.of.Name, "device": h.servo.Stats().Device, "rate_hz": strconv.FormatFloat(rate, 'g', -1, 64)}}
	if flags.Notes[noteScene] == s.of.Name { // another may have been opened since
		maps.Copy(opt.Notes, flags.Notes)
	}
	maps.Copy(opt.Notes, h.couplingNotes())
	opt.Notes[NoteScale] = strconv.FormatFloat(s.of.Device.ForceScale, 'g', -1, 64)
	if cache, err := os.UserCacheDir(); err == nil {
		opt.Dir = filepath.Join(cache, "hapco", "flights")
		if err := os.MkdirAll(opt.Dir, 0o755); err != nil {
			opt.Dir = "" // the working directory will do
		} else {
			PruneFlights(opt.Dir)
		}
	}
	opt.Asked = !unasked
	h.flight = record.NewFlight(h.servo, opt)
}

// Common is what every scene file says, of this one.
func (s *Running) Common() *setting.Setting { return s.of }

func (s *Running) Title() string         { return s.of.Title }
func (s *Running) Info() *physics.Info   { return s.info }
func (s *Running) View() ui.View         { return ui.View(s.of.Camera) }
func (s *Running) Keys() []physics.Key   { return s.keys }
func (s *Running) SetValues(v []float64) { s.Runner.SetValues(slices.Clone(v)) }
func (s *Running) ResetObjects()         { s.Runner.Reset() }

// Seen is the newest frame; nil before the first step.
func (s *Running) Seen() (*physics.Frame, bool) {
	f, newer := s.Runner.Frames().Get()
	s.started = s.started || newer
	if !s.started {
		return nil, false
	}
	return f, newer
}

// Pointer is nil unless the mouse drives the stylus.
func (s *Session) Pointer() ui.Pointer {
	p := s.chosen().pointer
	if p == nil {
		return nil // not a nil *pointer.Device in an interface
	}
	return p
}

// Player is the recorded hand; nil where there is none.
func (s *Session) Player() ui.Player {
	if s.replay == nil {
		return nil // not a nil *ReplayDevice in an interface
	}
	return s.replay
}

// Close stops the loops and releases the device. Further calls do nothing.
func (s *Session) Close() error {
	s.once.Do(func() {
		s.closed.Store(true)
		for _, h := range s.hands() { // the hands first
			s.ending = errors.Join(s.ending, h.servo.Stop())
		}
		s.endTape()
		s.cancel()
		s.loops.Wait()
		for _, h := range s.hands() {
			s.ending = errors.Join(s.ending, h.failure)
		}
		s.report()
	})
	return s.ending
}

// Closed tells whether Close was called. Any goroutine.
func (s *Session) Closed() bool { return s.closed.Load() }

// Hand moves the mouse's hand in the place of a person; without one it does nothing.
func (s *Session) Hand(at mgl64.Vec3) {
	if p := s.Pointer(); p != nil {
		p.SetHand(at)
	}
}

// walkEvery is how often the scripted hand of a walk moves, and notes what is felt.
const walkEvery = 10 * time.Millisecond

// Walk lets a scripted hand feel the scene for so many seconds. see is told of each new frame.
func (s *Session) Walk(ctx context.Context, script *Script, seconds float64, see func(float64, *physics.Frame)) error {
	script.Start = s.info.Start.Position
	tick := time.NewTicker(walkEvery)
	defer tick.Stop()
	for t, begin := 0.0, time.Now(); t < seconds; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		t = time.Since(begin).Seconds()
		s.Hand(script.Hand(t))
		if f, newer := s.Seen(); newer {
			see(t, f)
		}
	}
	return nil
}

// Names of the notes that tell what tied hand and stylus.
const (
	NoteCoupling  = "coupling"
	NoteStiffness = "coupling_stiffness_N_per_m"
	NoteDamping   = "coupling_damping_Ns_per_m"
	NoteAngle     = "coupling_angle_Nm_per_rad" // missing: 0
	NoteScale     = "hand_force_scale"          // newtons in the hand for one of the scene
)

// couplingNotes are kept in a recording.
func (h *hand) couplingNotes() map[string]string {
	p := h.tuning.Home
	stiffness, damping, angle := p.Stiffness, p.Damping, p.AngleStiffness
	if h.pointer != nil {
		stiffness, damping = h.pointer.Spring()
		angle *= stiffness / max(p.Stiffness, 1e-9)
	}
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	return map[string]string{NoteCoupling: p.Coupling.String(), NoteStiffness: number(stiffness), NoteDamping: number(damping), NoteAngle: number(angle)}
}

// taping is the part of a session that recordings come from: the ticks of the haptic loop, which the flight recorder
// has, and the steps of physics.
type taping struct {
	tape    *telemetry.Tape
	running context.Context // of the session's loops
	began   time.Time       // of the recording
	server  *telemetry.Server
}

var _ ui.Recorder = (*Session)(nil)

func (s *Session) prepareTape(ctx context.Context, server *telemetry.Server) {
	s.running, s.server = ctx, server
	if s.second != nil {
		s.together()
	}
	if server == nil {
		return
	}
	var text []byte
	s.flight.Listen(func(start int64, recs []haptics.Record) {
		for i := range recs {
			text = record.AppendTick(text[:0], &recs[i])
			server.Publish(&record.Ticks, start+recs[i].Time, text)
		}
	})
	s.watch(false)
}

// watch has the steps of physics told to recordings and listeners. Fresh puts the bodies back first.
func (s *Session) watch(fresh bool) {
	if s.tape == nil {
		s.tape = telemetry.NewTape(s.info, s.keys, func(c *record.Channel, at int64, data []byte) {
			s.flight.Also(c, at, data)
			if s.server != nil {
				s.server.Publish(c, at, data)
			}
		})
		s.loops.Go(func() { s.tape.Run(s.running) })
	}
	s.Runner.Watch(s.tape.Take, fresh)
}

// endTape takes the last steps to the recording.
func (s *Session) endTape() {
	s.Runner.Watch(nil, false)
	if s.tape != nil {
		s.tape.Drain()
	}
}

// recordFrom begins the recording that the flags ask for, from the first step on.
func (s *Session) recordFrom(flags *DeviceFlags) error {
	if flags.Record == "" {
		return nil
	}
	name, err := s.flight.Stream(flags.Record, sceneNotes(s.of.Name))
	if err != nil {
		if cure := atomicfile.Cure(err); cure != err {
			err = fmt.Errorf("--record: %w", cure)
		} else {
			err = fmt.Errorf("--record: %w (cure: a file that may be written)", err)
		}
		if flags.Later {
			lost.Store(true)
			s.note(notice{err.Error(), true})
			return nil
		}
		return BadInput(err)
	}
	if name != flags.Record {
		s.note(notice{text: fmt.Sprintf("recording to %s: %s is there already", name, filepath.Base(flags.Record))})
	}
	s.began = time.Now()
	s.watch(false)
	return nil
}

// Record begins a recording in the folder of recordings, and puts the bodies back first, so that the steps can be made
// again from a known state.
func (s *Session) Record() error {
	dir, err := recordingsFolder()
	if err != nil {
		return err
	}
	scene := strings.TrimSuffix(filepath.Base(s.of.Name), ".toml")
	name := filepath.Join(dir, fmt.Sprintf("%s-%s.mcap", scene, time.Now().Format("20060102-150405")))
	if _, err := s.flight.Stream(name, sceneNotes(s.of.Name)); err != nil {
		return err
	}
	s.began = time.Now()
	s.watch(true)
	return nil
}

// StopRecording ends the recording, and returns its file.
func (s *Session) StopRecording() string {
	name, _ := s.flight.Streaming()
	if s.server == nil {
		s.Runner.Watch(nil, false)
	}
	if s.tape != nil {
		s.tape.Drain()
	}
	s.flight.StopStream()
	return name
}

// Recording is the file that is being written and for how long; "" where there is none.
func (s *Session) Recording() (file string, seconds float64) {
	name, _ := s.flight.Streaming()
	if name == "" {
		return "", 0
	}
	return name, time.Since(s.began).Seconds()
}

// recordingsVariable names another folder of recordings.
const recordingsVariable = "HAPCO_RECORDINGS"

// recordingsFolder is where the window's recordings go; it is made where it is not there yet.
func recordingsFolder() (string, error) {
	dir := os.Getenv(recordingsVariable)
	if dir == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("recordings: %w (cure: set %s to a folder)", err, recordingsVariable)
		}
		dir = filepath.Join(home, "hapco")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("recordings: %w (cure: set %s to a folder that may be written)", err, recordingsVariable)
	}
	return dir, nil
}
