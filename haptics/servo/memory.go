package servo

// #include "servo.h"
import "C"

import (
	"sync/atomic"
	"unsafe"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/haptics"
	"hapco/physics/frame"
	"hapco/physics/local"
)

// publish and get are the two halves of a latest-value box in C memory.

func publish(b *C.hapco_box) {
	b.write = C.uint32_t(atomic.SwapUint32((*uint32)(unsafe.Pointer(&b.state)), uint32(b.write)|C.HAPCO_FRESH) &^ C.HAPCO_FRESH)
}

func get(b *C.hapco_box) (slot int, fresh bool) {
	if atomic.LoadUint32((*uint32)(unsafe.Pointer(&b.state)))&C.HAPCO_FRESH == 0 {
		return int(b.read), false
	}
	b.read = C.uint32_t(atomic.SwapUint32((*uint32)(unsafe.Pointer(&b.state)), uint32(b.read)) &^ C.HAPCO_FRESH)
	return int(b.read), true
}

// models is the box of contact models: their large arrays are C's, seen by Go as slices; what only Go needs (frames,
// arms) is Go's.
type models struct {
	c    *C.hapco_servo
	slot [3]local.Model
}

func (b *models) init(c *C.hapco_servo) {
	b.c = c
	for i := range b.slot {
		b.slot[i] = viewModel(&c.model[i], local.Capacity)
	}
}

// viewModel is a model whose numbers are c's.
func viewModel(c *C.hapco_model, capacity int) local.Model {
	part := func(p *C.double, n int) []float64 { return unsafe.Slice((*float64)(unsafe.Pointer(p)), n)[:0] }
	return local.Model{
		Rotation: mgl64.QuatIdent(),
		Free:     part(c.free, 3*capacity),
		W:        part(c.w, 9*capacity*capacity),
		J:        part(c.j, 18*capacity),
		Mu:       part(c.mu, capacity),
		R:        part(c.r, 3*capacity),
		Frame:    make([][3]mgl64.Vec3, 0, capacity),
		Arm:      make([]mgl64.Vec3, 0, capacity),
	}
}

// Back is the model to fill.
func (b *models) Back() *local.Model { return &b.slot[b.c.models.write] }

// Publish hands it to the servo.
func (b *models) Publish() {
	i := b.c.models.write
	setModel(&b.c.model[i], &b.slot[i])
	publish(&b.c.models)
}

// setModel copies what lies outside the shared arrays.
func setModel(c *C.hapco_model, m *local.Model) {
	c.n = C.int64_t(m.N)
	c.sequence = C.uint64_t(m.Sequence)
	c.period = C.int64_t(m.Period)
	setVec(&c.origin, m.Origin)
	setQuat(&c.rotation, m.Rotation)
	c.field = C.int64_t(bit(m.Field.On))
	if m.Field.On {
		for i, x := range m.Field.Force {
			c.force[i] = C.double(x)
		}
		for i, x := range m.Field.K {
			c.k[i] = C.double(x)
		}
	}
}

func setState(c *C.hapco_state, s *haptics.State) {
	setVec(&c.position, s.Pose.Position)
	setQuat(&c.rotation, s.Pose.Rotation)
	setVec(&c.velocity, s.Velocity)
	c.buttons = C.uint32_t(s.Buttons)
	c.clutched, c.lost = bit(s.Clutched), bit(s.Lost)
}

func setParams(c *C.hapco_params, p *haptics.Params) {
	*c = C.hapco_params{
		max_force: C.double(p.MaxForce), reducer: C.double(p.Reducer),
		stiffness: C.double(p.Stiffness), damping: C.double(p.Damping),
		angle_stiffness: C.double(p.AngleStiffness), angle_damping: C.double(p.AngleDamping),
		passivity_max: C.double(p.PassivityMax), passivity_credit: C.double(p.PassivityCredit),
		tolerance: C.double(p.Tolerance), max_torque: C.double(p.MaxTorque),
		continuous: C.double(p.Continuous), thermal: C.double(p.Thermal.Seconds()),
		slew: C.double(p.Slew), ramp: C.double(p.Ramp.Seconds()),
		stale: C.double(p.Stale.Seconds()), fade: C.double(p.Fade.Seconds()),
		slow_speed: C.double(p.SlowSpeed), fast_speed: C.double(p.FastSpeed),
		budget: C.int64_t(p.Budget), sweeps: C.int32_t(p.Sweeps),
		coupling: C.uint32_t(p.Coupling), dead_man: C.uint32_t(p.DeadMan),
		enabled: bit(p.Enabled), passivity: bit(p.Passivity),
	}
}

func bit(b bool) C.uint8_t {
	if b {
		return 1
	}
	return 0
}

func setVec(c *[3]C.double, v mgl64.Vec3) {
	for i := range c {
		c[i] = C.double(v[i])
	}
}

func setQuat(c *[4]C.double, q mgl64.Quat) {
	c[0], c[1], c[2], c[3] = C.double(q.V[0]), C.double(q.V[1]), C.double(q.V[2]), C.double(q.W)
}

func vec(c *[3]C.double) mgl64.Vec3 {
	return mgl64.Vec3{float64(c[0]), float64(c[1]), float64(c[2])}
}

func pose(p *[3]C.double, q *[4]C.double) frame.Pose {
	return frame.Pose{Position: vec(p), Rotation: mgl64.Quat{W: float64(q[3]), V: mgl64.Vec3{float64(q[0]), float64(q[1]), float64(q[2])}}}
}

// Kernel is the C kernel alone, without loop or device: for tests and for simulations that set the clock themselves.
type Kernel struct {
	c     *C.hapco_servo
	in    C.hapco_input
	p     C.hapco_params
	model local.Model
}

// NewKernel makes one for a rate in Hz and models of up to capacity contacts. Free it with Close.
func NewKernel(rate float64, capacity int) *Kernel {
	if capacity <= 0 {
		capacity = local.Capacity
	}
	c := C.hapco_servo_new(C.double(1/rate), C.double(haptics.VelocityFilter(rate)), C.int64_t(capacity), 1)
	if c == nil {
		panic("servo: no memory for a kernel")
	}
	k := &Kernel{c: c}
	k.model = viewModel(&c.model[0], capacity)
	return k
}

// Close frees the kernel.
func (k *Kernel) Close() { C.hapco_servo_free(k.c); k.c = nil }

// Tick is one tick, the same as that of twin_kernel_test.go. A fresh model is copied into C memory.
func (k *Kernel) Tick(in *haptics.Input, m *local.Model, fresh bool, p *haptics.Params, rec *haptics.Record) {
	if fresh {
		m.CopyTo(&k.model)
		setModel(&k.c.model[0], &k.model)
	}
	setState(&k.in.state, &in.State)
	k.in.time = C.int64_t(in.Time)
	k.in.release = C.int32_t(bit(in.Release))
	setParams(&k.p, p)
	C.hapco_tick(&k.c.kernel, &k.in, &k.c.model[0], C.int(bit(fresh)), &k.p, (*C.hapco_record)(unsafe.Pointer(rec)))
}

// Tool is where the stylus stands for the device pose p of the last tick.
func (k *Kernel) Tool(p frame.Pose) frame.Pose {
	var s C.hapco_state
	setVec(&s.position, p.Position)
	setQuat(&s.rotation, p.Rotation)
	var pos [3]C.double
	var rot [4]C.double
	C.hapco_tool(&k.c.kernel, &s, &pos[0], &rot[0])
	return pose(&pos, &rot)
}

// starve makes the nth allocation from now on find no memory, for tests.
func starve(nth int) { C.hapco_servo_starves = C.int(nth) }
