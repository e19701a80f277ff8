package pointer

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/haptics"
	"hapco/physics/frame"
)

// The hand's manners.
const (
	smoothing = 0.012 // s, turns the mouse's steps (8 to 16 ms apart) into motion
	settle    = 0.010 // s, in which a stretched spring relaxes in free space: damping / stiffness
	longest   = 0.05  // s, the longest time between two readings that counts
)

// Device is the mouse's hand. One goroutine (the window's) sets it, one (the servo's) reads it; Stiffness may be set
// from anywhere.
type Device struct {
	// set by the window: a sequence lock, odd while it writes
	seq    atomic.Uint32
	want   [7]atomic.Uint64 // position, quaternion x y z w
	open   atomic.Bool
	spring atomic.Uint64

	// the window's own
	mouse  mgl64.Vec3 // where it last said the hand is
	offset mgl64.Vec3 // of the hand against that, from clutching
	frozen mgl64.Vec3 // hand while the clutch is open
	turn   mgl64.Quat

	// the servo's own
	hand  mgl64.Vec3 // smoothed, speed-limited
	rot   mgl64.Quat
	last  time.Time
	now   func() time.Time
	speed float64
	felt  [3]atomic.Uint64
}

var (
	_ haptics.Sprung  = (*Device)(nil)
	_ haptics.Limited = (*Device)(nil)
)

// New is a hand at start, tied to the stylus by a spring of the given stiffness, N/m, that moves at most at speed,
// m/s (0: 0.5).
func New(start frame.Pose, stiffness, speed float64) *Device {
	if !(speed > 0) {
		speed = 0.5
	}
	d := &Device{
		mouse: start.Position, turn: start.Rotation,
		hand: start.Position, rot: start.Rotation,
		now: time.Now, speed: speed,
	}
	d.SetStiffness(stiffness)
	d.publish()
	return d
}

func (d *Device) Name() string { return "mouse" }

// Limits are those of a spring between hand and stylus: no motors, so no long-term limit, and force may rise as fast as
// it likes.
func (d *Device) Limits() haptics.DeviceLimits {
	return haptics.DeviceLimits{
		MaxForce: 20, ContinuousForce: 20, Stiffness: 1e5, Damping: 1e3,
		MaxSpeed: 10, SlewRate: 5000, RateHz: 1000, SensedAxes: 3, DrivenAxes: 0,
	}
}

// SetHand says where the hand is, world, m. A point that is not finite is ignored.
func (d *Device) SetHand(p mgl64.Vec3) {
	for _, x := range p {
		if !(math.Abs(x) <= 1e3) {
			return
		}
	}
	d.mouse = p
	d.publish()
}

// SetRotation turns the stylus, world. A quaternion that is not one is ignored.
func (d *Device) SetRotation(q mgl64.Quat) {
	if n := q.Dot(q); !(n > 1e-6 && n < 1e6) {
		return
	}
	d.turn = q.Normalize()
	d.publish()
}

// Rotation is how the stylus was last turned, world. For the window's goroutine.
func (d *Device) Rotation() mgl64.Quat { return d.turn }

// Hand is where the hand is, clutch considered, world, m. For the window's goroutine.
func (d *Device) Hand() mgl64.Vec3 {
	if d.open.Load() {
		return d.frozen
	}
	return d.mouse.Add(d.offset)
}

// SetClutch opens or closes the clutch. While it is open the stylus stays; when it closes the hand goes on from there
// without a jump.
func (d *Device) SetClutch(open bool) {
	if open == d.open.Load() {
		return
	}
	if open {
		d.frozen = d.Hand()
	} else {
		d.offset = d.frozen.Sub(d.mouse)
	}
	d.open.Store(open)
	d.publish()
}

// Stiffness of the spring between hand and stylus, N/m.
func (d *Device) Stiffness() float64 { return math.Float64frombits(d.spring.Load()) }

// SetStiffness changes it, N/m; it is kept from 1 to 1e5.
func (d *Device) SetStiffness(stiffness float64) {
	if !(stiffness >= 1) {
		stiffness = 1
	}
	d.spring.Store(math.Float64bits(math.Min(stiffness, 1e5)))
}

// Spring is what the servo ties the stylus with.
func (d *Device) Spring() (stiffness, damping float64) {
	k := d.Stiffness()
	return k, k * settle
}

// publish hands the hand's pose to the servo, whole.
func (d *Device) publish() {
	p := d.Hand()
	d.seq.Add(1)
	for i := range 3 {
		d.want[i].Store(math.Float64bits(p[i]))
		d.want[3+i].Store(math.Float64bits(d.turn.V[i]))
	}
	d.want[6].Store(math.Float64bits(d.turn.W))
	d.seq.Add(1)
}

// target is the newest whole pose; ok is false when the window was writing.
func (d *Device) target() (p mgl64.Vec3, q mgl64.Quat, ok bool) {
	s := d.seq.Load()
	for i := range 3 {
		p[i] = math.Float64frombits(d.want[i].Load())
		q.V[i] = math.Float64frombits(d.want[3+i].Load())
	}
	q.W = math.Float64frombits(d.want[6].Load())
	return p, q, s&1 == 0 && d.seq.Load() == s
}

// Read moves the hand towards where the mouse wants it and tells where it is.
func (d *Device) Read() haptics.State {
	now := d.now()
	dt := 0.0
	if !d.last.IsZero() {
		dt = min(now.Sub(d.last).Seconds(), longest)
	}
	d.last = now
	return d.advance(dt)
}

// advance is Read with time as an argument, s.
func (d *Device) advance(dt float64) haptics.State {
	s := haptics.State{Clutched: d.open.Load()}
	if p, q, ok := d.target(); ok && dt > 0 {
		way := p.Sub(d.hand).Mul(dt / (dt + smoothing))
		if l, most := way.Len(), d.speed*dt; l > most {
			way = way.Mul(most / l)
		}
		d.hand = d.hand.Add(way)
		s.Velocity = way.Mul(1 / dt)
		if d.rot.Dot(q) < 0 {
			q = q.Scale(-1)
		}
		d.rot = mgl64.QuatNlerp(d.rot, q, dt/(dt+smoothing))
	}
	// No motors, so no surprise: the mouse need not be lifted off the tissue, as a device must, before it is given a
	// force.
	s.Buttons = 1
	s.Pose = frame.Pose{Position: d.hand, Rotation: d.rot}
	return s
}

// Write notes the force that the hand would feel.
func (d *Device) Write(force mgl64.Vec3) error {
	for i := range 3 {
		d.felt[i].Store(math.Float64bits(force[i]))
	}
	return nil
}

// Force is the last force written, world, N.
func (d *Device) Force() mgl64.Vec3 {
	var f mgl64.Vec3
	for i := range 3 {
		f[i] = math.Float64frombits(d.felt[i].Load())
	}
	return f
}

func (d *Device) Close() error { return d.Write(mgl64.Vec3{}) }
