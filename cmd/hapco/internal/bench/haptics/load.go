package haptics

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"sync/atomic"
	"time"

	"hapco/cmd/hapco/internal/app"
	"hapco/haptics"
	"hapco/haptics/bench"
	"hapco/haptics/servo"
	"hapco/haptics/virtual"
	"hapco/physics"
	"hapco/physics/files/setting"
	"hapco/physics/frame"
	"hapco/physics/local"
	"hapco/physics/machinery/failsafe"
	"hapco/physics/machinery/latest"
	"hapco/physics/machinery/refusal"
	"hapco/render/xvfb"
	"hapco/ui"
)

// TimingPair is the servo beside cyclictest under one load.
type TimingPair struct {
	Load       string        `json:"load"`
	LoadAvg    string        `json:"load_average"` // of the machine before and after, other programs included
	Servo      bench.Timing  `json:"servo"`
	Cyclictest *bench.Timing `json:"cyclictest"` // null where it is not installed
	Note       string        `json:"note,omitempty"`
}

// TimingReport is the punctuality of the servo.
type TimingReport struct {
	Seconds float64    `json:"seconds"`
	RateHz  float64    `json:"rate_hz"`
	Idle    TimingPair `json:"idle"`
	Loaded  TimingPair `json:"loaded"`
}

const (
	loadWidth, loadHeight = 1280, 800
	loadWarmUp            = 2 * time.Second
	loadWalk              = 8.0 // of the stylus along the path, s
)

// stretch is about how long servo and cyclictest run before both start anew, so that their wake-ups fall differently
// against each other, s.
const stretch = 10.0

// measurePair measures the servo and cyclictest side by side while a load goes on: what other programs and the
// hypervisor of a virtual machine do changes from second to second, and is to hit both. Each needs a core for a few
// hundredths of the time.
func measurePair(ctx context.Context, load string, seconds float64, relay *modelRelay, sc *setting.Setting, start frame.Pose) TimingPair {
	out := TimingPair{Load: load, LoadAvg: loadAverage()}
	turns := max(2, int(math.Round(seconds/stretch)))
	d := time.Duration(seconds / float64(turns) * float64(time.Second))
	var ground bench.Timing
	for range turns {
		var beside bench.Timing
		var none error
		var group failsafe.Group
		group.Go(func() { beside, none = bench.Cyclictest(ctx, matrixRate, d, servo.Priority) })
		t, err := refusal.Caught(func() bench.Timing { return measureServo(ctx, d, relay, sc, start) })
		group.Wait()
		refusal.Need(err)
		out.Servo.Merge(&t)
		if none != nil { // a yardstick, not a part of the program
			out.Note = none.Error()
			continue
		}
		ground.Merge(&beside)
	}
	if out.Note == "" {
		out.Cyclictest = &ground
	}
	out.LoadAvg += " -> " + loadAverage()
	return out
}

// measureServo runs a servo with a simulated hand that strolls over the scene.
func measureServo(ctx context.Context, d time.Duration, relay *modelRelay, sc *setting.Setting, start frame.Pose) bench.Timing {
	dev := refusal.Must(virtual.New(virtual.Config{
		Limits: virtual.Devices[matrixDevice], Hand: app.StrollingHand(sc, start), Start: start, Seed: 1,
	}))
	s := refusal.Must(servo.New(dev, matrixRate))
	relay.servo.Store(s)
	defer relay.servo.Store(nil)
	return refusal.Must(bench.Punctuality(ctx, s, matrixRate, d))
}

// loadAverage of the machine over one minute.
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "?"
	}
	var one string
	_, _ = fmt.Sscan(string(text), &one)
	return one
}

// measureTiming measures with nothing else running, then under the load of a scene.
func measureTiming(ctx context.Context, seconds float64, scene string) TimingReport {
	out := TimingReport{Seconds: seconds, RateHz: matrixRate}
	sc := refusal.Must(physics.Load(scene))
	world := refusal.Must(app.BuildWorld(ctx, sc, physics.Options{NoCache: true}))
	of, start := sc.Common(), world.Info().Start
	out.Idle = measurePair(ctx, "nothing else in this program", seconds, newModelRelay(), of, start)
	out.Loaded = refusal.Must(measureLoaded(ctx, of, world, seconds))
	return out
}

// measureLoaded measures while the real window draws, physics steps and another goroutine makes garbage. The load is
// the same for the servo and for cyclictest; only while the servo is measured do models and poses pass between it and
// physics.
func measureLoaded(ctx context.Context, of *setting.Setting, world physics.World, seconds float64) (TimingPair, error) {
	load := openLoad(of, world)
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	var (
		pair     TimingPair
		measured error
		begun    bool // this goroutine's: the window is drawn on it
		done     = make(chan struct{})
	)
	begin := func(window string) {
		if begun {
			return
		}
		begun = true
		what := fmt.Sprintf("physics of %s at up to 1 kHz, garbage, %s", of.Name, window)
		failsafe.Go(func() {
			defer close(done)
			select {
			case <-inner.Done():
			case <-time.After(loadWarmUp):
			}
			pair, measured = refusal.Caught(func() TimingPair {
				return measurePair(inner, what, seconds, load.relay, of, world.Info().Start)
			})
		})
	}
	err := drawLoad(ctx, load, func() { begin("the window drawing") }, done)
	switch {
	case errors.Is(err, ui.ErrNoDisplay), errors.Is(err, ui.ErrNoOpenGL), errors.Is(err, xvfb.ErrMissing):
		begin("no window: " + err.Error())
		<-done
	case begun:
		select {
		case <-done:
		default: // the window went first
			cancel()
			<-done
			if err == nil && ctx.Err() == nil {
				err = app.BadInput(errors.New("bench haptics: the window was closed before the measurement was done (cure: leave it open)"))
			}
		}
		measured = errors.Join(err, measured)
	default:
		measured = errors.Join(err, ctx.Err())
		if measured == nil {
			measured = app.BadInput(errors.New("bench haptics: the window was closed before the measurement began (cure: leave it open)"))
		}
	}
	return pair, errors.Join(measured, load.Close())
}

// drawLoad shows the window, on a virtual display where there is none, until done. It calls drawn when the scene is on
// the screen.
func drawLoad(ctx context.Context, load *loadSession, drawn func(), done <-chan struct{}) error {
	if os.Getenv("DISPLAY") == "" {
		d, err := xvfb.Start(loadWidth, loadHeight)
		if err != nil {
			return err
		}
		defer d.Stop()
		defer d.Setenv()()
	}
	return ui.Run(ctx, ui.Options{
		Scenes: []ui.Scene{{Name: load.Common().Name, About: load.Common().About}}, Scene: load.Common().Name,
		Open:  func(context.Context, string, func(float64, string)) (ui.Session, error) { return load, nil },
		Width: loadWidth, Height: loadHeight,
		Script: func(f *ui.Frame) {
			if f.Seen != nil {
				drawn()
			}
			select {
			case <-done:
				f.Close()
			default:
			}
		},
	})
}

// modelRelay stands between physics and the servo under test, which comes and goes.
type modelRelay struct {
	servo atomic.Pointer[servo.Servo]
	idle  *latest.Box[local.Model]
	back  physics.ModelWriter // of the step under way
	last  haptics.Sample
}

func newModelRelay() *modelRelay {
	return &modelRelay{idle: latest.New(func(m *local.Model) { local.Make(m, 0) })}
}

// Back is where the model of this step goes.
func (r *modelRelay) Back() *local.Model {
	r.back = r.idle
	if s := r.servo.Load(); s != nil {
		r.back = s.Models()
	}
	return r.back.Back()
}

// Publish hands it over.
func (r *modelRelay) Publish() { r.back.Publish() }

// sample is the stylus of the servo under test.
func (r *modelRelay) sample() (haptics.Sample, bool) {
	s := r.servo.Load()
	if s == nil {
		r.last = haptics.Sample{}
		return r.last, false
	}
	if v, newer := s.Sample(); newer {
		r.last = v
	}
	return r.last, r.last.Tick > 0
}

// loadSession is a scene in the window whose servo is the one under test, if any; without one the stylus walks by
// itself.
type loadSession struct {
	app.Running
	relay *modelRelay

	cancel context.CancelFunc
	loops  failsafe.Group
	closed atomic.Bool
}

var _ ui.Session = (*loadSession)(nil)

// openLoad starts physics and the garbage producer.
func openLoad(of *setting.Setting, world physics.World) *loadSession {
	s := &loadSession{relay: newModelRelay()}
	walk := refusal.Must(app.NewScript(of, "", loadWalk))
	start, began := world.Info().Start, time.Now()
	walk.Start = start.Position
	s.Running = app.NewRunning(of, world, s.relay, func() (stylus, hand frame.Pose, tick uint64) {
		if v, ok := s.relay.sample(); ok {
			s.SetCoupling(app.CouplingOf(&v))
			return v.Stylus, v.Hand, v.Tick
		}
		p := start
		p.Position = walk.Hand(math.Mod(time.Since(began).Seconds(), loadWalk))
		return p, p, 0
	})
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	s.loops.Go(func() { s.Run(ctx) })
	s.loops.Go(func() { makeGarbage(ctx) })
	return s
}

// litter is what makeGarbage makes, so that it is on the heap.
var litter atomic.Pointer[[][]float64]

// makeGarbage keeps the collector busy: some 30 MB stay alive, 60 MB/s go by.
func makeGarbage(ctx context.Context) {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	heap := make([][]float64, 4096)
	litter.Store(&heap)
	for i := 0; ; {
		select {
		case <-ctx.Done():
			litter.Store(nil)
			return
		case <-tick.C:
		}
		for range 8 {
			heap[i%len(heap)] = make([]float64, 1000)
			i++
		}
	}
}

func (s *loadSession) SetValues([]float64) {} // a measurement is not to be touched
func (s *loadSession) Pause(bool)          {}
func (s *loadSession) StepOnce()           {}
func (s *loadSession) ResetObjects()       {}
func (s *loadSession) Pointer() ui.Pointer { return nil }
func (s *loadSession) Servo() ui.Servo     { return restingServo{} }

// Haptics names what is on the screen; the measured servo's status has one reader already, the measurement.
func (s *loadSession) Haptics() ui.HapticsStatus {
	return ui.HapticsStatus{Stats: haptics.Stats{Device: "bench", Target: matrixRate, Message: "measuring"}}
}

// Close stops the loops. Further calls do nothing.
func (s *loadSession) Close() error {
	s.closed.Store(true)
	s.cancel()
	s.loops.Wait()
	return nil
}

// Closed tells whether Close was called.
func (s *loadSession) Closed() bool { return s.closed.Load() }

// restingServo is a panel's servo that leaves the one under test alone.
type restingServo struct{}

func (restingServo) Params() haptics.Params {
	return haptics.DefaultParams(virtual.Devices[matrixDevice], matrixRate)
}
func (v restingServo) DefaultParams() haptics.Params          { return v.Params() }
func (restingServo) SetParams(haptics.Params)                 {}
func (restingServo) Release()                                 {}
func (restingServo) Resume()                                  {}
func (restingServo) SaveFlight()                              {}
func (restingServo) Periods() (p haptics.Periods)             { return p }
func (restingServo) Notice() (text string, bad bool, ok bool) { return "", false, false }
