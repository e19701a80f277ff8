package app

import (
	"math"
	"sort"
	"sync/atomic"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/haptics"
	"hapco/physics/frame"
	"hapco/ui"
)

// ReplayDevice is a hand that does what it did when it was recorded; it feels nothing. After the last tick it rests, or
// begins again. The window may move it in time.
type ReplayDevice struct {
	Ticks []haptics.Record
	Clock func() time.Time // the machine's
	at    int              // of Ticks
	read  time.Time        // when Read was called last
	now   float64          // since the first tick, ns

	// Handed over between the window and the loop, which waits for neither.
	place          atomic.Uint64 // now, as the window sees it: bits of a float64
	sought         atomic.Int64  // where the window wants it, ns; below 0: nowhere
	speed          atomic.Uint64 // bits of a float64
	resting, loops atomic.Bool
	rounds         atomic.Int64
}

var (
	_ haptics.Device  = (*ReplayDevice)(nil)
	_ haptics.Limited = (*ReplayDevice)(nil)
	_ ui.Player       = (*ReplayDevice)(nil)
)

// NewReplayDevice begins with the first tick, at the speed of then.
func NewReplayDevice(ticks []haptics.Record) *ReplayDevice {
	d := &ReplayDevice{Ticks: ticks, Clock: time.Now}
	d.sought.Store(-1)
	d.SetSpeed(1)
	return d
}

func (d *ReplayDevice) Name() string { return "recorded hand" }

// Limits are generous: nothing is driven.
func (d *ReplayDevice) Limits() haptics.DeviceLimits {
	l := haptics.DefaultLimits()
	l.MaxForce, l.ContinuousForce, l.SlewRate, l.MaxSpeed = 40, 40, 5000, 10
	return l
}

// length is the time from the first tick to the last, ns.
func (d *ReplayDevice) length() float64 {
	return float64(d.Ticks[len(d.Ticks)-1].Time - d.Ticks[0].Time)
}

// Read is where the hand was at this time of the recording.
func (d *ReplayDevice) Read() haptics.State {
	clock := d.Clock()
	if d.read.IsZero() {
		d.read = clock
	}
	passed := float64(clock.Sub(d.read))
	d.read = clock
	if s := d.sought.Swap(-1); s >= 0 {
		d.now, passed = float64(s), 0
	}
	speed := math.Float64frombits(d.speed.Load())
	if d.resting.Load() {
		speed = 0
	}
	d.now += speed * passed
	if end := d.length(); d.now > end {
		if d.now = end; d.loops.Load() {
			d.now = 0
			d.rounds.Add(1)
		}
	}
	d.place.Store(math.Float64bits(d.now))
	s := d.State(time.Duration(d.now))
	s.Velocity = mgl64.Vec3(s.Velocity).Mul(speed)
	return s
}

// State is that of the last tick up to a time since the first.
func (d *ReplayDevice) State(t time.Duration) haptics.State {
	now := d.Ticks[0].Time + t.Nanoseconds()
	if now < d.Ticks[d.at].Time {
		d.at = max(0, sort.Search(len(d.Ticks), func(i int) bool { return d.Ticks[i].Time > now })-1)
	}
	for d.at+1 < len(d.Ticks) && d.Ticks[d.at+1].Time <= now {
		d.at++
	}
	r := &d.Ticks[d.at]
	s := haptics.State{
		Pose:     frame.Pose{Position: r.Position, Rotation: mgl64.Quat{V: mgl64.Vec3{r.Rotation[0], r.Rotation[1], r.Rotation[2]}, W: r.Rotation[3]}},
		Velocity: r.Velocity, Buttons: r.Buttons,
		Clutched: r.Flags&haptics.Clutched != 0, Lost: r.Flags&(haptics.DeviceLost|haptics.BadInput) != 0,
	}
	if d.at+1 == len(d.Ticks) {
		s.Velocity = mgl64.Vec3{}
	}
	return s
}

// Write does nothing: the hand is gone.
func (d *ReplayDevice) Write(mgl64.Vec3) error { return nil }
func (d *ReplayDevice) Close() error           { return nil }

// Playback tells where the hand is in time, s. Any goroutine, as all that follows.
func (d *ReplayDevice) Playback() ui.Playback {
	p := ui.Playback{At: math.Float64frombits(d.place.Load()) * 1e-9, Length: d.length() * 1e-9, Speed: math.Float64frombits(d.speed.Load()),
		Playing: !d.resting.Load(), Loop: d.loops.Load(), Rounds: int(d.rounds.Load())}
	p.Playing = p.Playing && (p.Loop || p.At < p.Length)
	return p
}

// Seek moves the hand to a time since the first tick, s.
func (d *ReplayDevice) Seek(t float64) {
	at := min(max(t*1e9, 0), d.length())
	d.place.Store(math.Float64bits(at)) // shown at once; the loop says it again
	d.sought.Store(int64(at))
}

// Play lets the hand move or rest.
func (d *ReplayDevice) Play(on bool) { d.resting.Store(!on) }

// SetSpeed is how many times faster than it was the hand moves.
func (d *ReplayDevice) SetSpeed(factor float64) { d.speed.Store(math.Float64bits(factor)) }

// SetLoop says whether the hand begins again after the last tick.
func (d *ReplayDevice) SetLoop(on bool) { d.loops.Store(on) }
