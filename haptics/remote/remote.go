// Package remote is a hand that another program moves. It is a device like any other: between its pose and its force
// stand the haptic loop with coupling, passivity and safety chain, and its limits are those of the weakest device.
package remote

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/haptics"
	"hapco/physics/frame"
	"hapco/physics/machinery/latest"
)

// Silence is how long the other program may say nothing until it counts as lost: no force then.
const Silence = 250 * time.Millisecond

// still is how long a speed is believed; a hand that is not heard of any more stands.
const still = 50 * time.Millisecond

// Device is the hand. One goroutine moves it (Move, Drop), one (the servo's) reads and writes it.
type Device struct {
	now  func() time.Time
	said *latest.Box[said]
	last said // the mover's own

	felt    [3]atomic.Uint64
	turn    atomic.Uint64 // the newest pose that Read has given away
	answers atomic.Uint64 // forces written
}

// said is what the other program has said last.
type said struct {
	turn     uint64 // counts from 1; 0: nothing
	at       time.Time
	held     bool
	pose     frame.Pose
	velocity mgl64.Vec3
	buttons  uint32
}

var _ haptics.Limited = (*Device)(nil)

// New is a hand at start that nobody holds.
func New(start frame.Pose) *Device {
	d := &Device{now: time.Now, last: said{pose: start}}
	d.said = latest.New(func(s *said) { s.pose = start })
	return d
}

// Move says where the hand is. It returns the turn: Answered tells whether its force is known. A pose that is none must
// not come here.
func (d *Device) Move(p frame.Pose, buttons uint32) (turn uint64) {
	now := d.now()
	s := said{turn: d.last.turn + 1, at: now, held: true, pose: p, buttons: buttons}
	if d.last.held {
		s.velocity = p.Position.Sub(d.last.pose.Position).Mul(1 / max(now.Sub(d.last.at).Seconds(), 1e-4))
	}
	d.say(s)
	return s.turn
}

// Pose is where the hand was said to be last. The mover's.
func (d *Device) Pose() frame.Pose { return d.last.pose }

// Drop says that nobody holds the hand any more: no force from the next tick on.
func (d *Device) Drop() {
	s := d.last
	s.held = false
	d.say(s)
}

func (d *Device) say(s said) {
	d.last = s
	*d.said.Back() = s
	d.said.Publish()
}

// Answered tells whether a turn has been read, and so many forces written since: the loop works on the newest pose one
// period later. mark is kept by the caller from call to call, 0 at first.
func (d *Device) Answered(turn uint64, forces uint64, mark *uint64) bool {
	if d.turn.Load() < turn {
		return false
	}
	n := d.answers.Load()
	if *mark == 0 {
		*mark = n + 1
	}
	return n+1 >= *mark+forces
}

// Force is what was written last, N. Any goroutine.
func (d *Device) Force() (f mgl64.Vec3) {
	for i := range f {
		f[i] = math.Float64frombits(d.felt[i].Load())
	}
	return f
}

func (d *Device) Name() string { return "another program" }

// Limits are those of the weakest device: what hangs on the other program is not known.
func (d *Device) Limits() haptics.DeviceLimits { return haptics.DefaultLimits() }

// Read is where the hand was said to be last.
func (d *Device) Read() haptics.State {
	s, _ := d.said.Get()
	age := d.now().Sub(s.at)
	st := haptics.State{Pose: s.pose, Velocity: s.velocity, Buttons: s.buttons, Lost: !s.held || age > Silence}
	if age > still {
		st.Velocity = mgl64.Vec3{}
	}
	d.turn.Store(s.turn)
	return st
}

// Write keeps the force for Force.
func (d *Device) Write(force mgl64.Vec3) error {
	for i, x := range force {
		d.felt[i].Store(math.Float64bits(x))
	}
	d.answers.Add(1)
	return nil
}

func (d *Device) Close() error { return d.Write(mgl64.Vec3{}) }
