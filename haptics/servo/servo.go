package servo

// /* ISO C mode keeps the compiler from fusing multiplications and additions,
// so that the kernel agrees with its twin in Go. */
//
// #cgo CFLAGS: -std=c11 -D_GNU_SOURCE -O3 -Wall -Wextra
// #cgo LDFLAGS: -lm -lpthread
// #include <stdlib.h>
// #include "servo.h"
//
// static void *callback_address(void) { return (void *)hapco_servo_callback; }
import "C"

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/haptics"
	"hapco/physics/local"
	"hapco/physics/machinery/failsafe"
)

// ringSeconds of records wait for a reader.
const ringSeconds = 4

// Priority is the real-time priority that Run asks for: above everything of a desktop, below the kernel's own interrupt
// threads at 99.
const Priority = 80

// Servo is the loop in C. It keeps the promises of haptics.Servo.
type Servo struct {
	c      *C.hapco_servo
	dev    haptics.Device
	limits haptics.DeviceLimits
	rate   float64
	models models

	mail    *C.hapco_mailbox // for a device written in Go
	bridged chan struct{}    // closed when the bridge has ended
	heard   time.Time        // the bridge's: when the servo last said something
	now     func() time.Time // the bridge's clock
	foreign *Foreign         // for a device with a scheduler of its own
	message atomic.Pointer[string]
	note    atomic.Pointer[string]
	fails   atomic.Uint64
	gain    atomic.Pointer[haptics.Gains]

	state  atomic.Int32 // idle, running ...
	zero   atomic.Bool  // the bridge has written the zero force that was asked for
	drop   func()       // of the guard
	quit   chan struct{}
	done   chan struct{}
	once   sync.Once
	closed error
}

// The states of a Servo.
const (
	idle    int32 = iota // Run has not begun
	running              //
	ended                // Run has returned
	unused               // Stop came first: Run does nothing
)

var _ haptics.Servo = (*Servo)(nil)

// Table is a device as C functions. They are called from the servo's thread, must not block and must stay valid until
// Stop has returned.
//
//	int read(void *self, hapco_state *out)
//	int write(void *self, const double force[3], const double torque[3])
//	void release(void *self)
type Table struct {
	Self, Read, Write, Release unsafe.Pointer
}

// Native is a device that the servo calls without passing through Go.
type Native interface {
	haptics.Device
	ServoTable() Table
}

// Foreign is a device whose own scheduler runs the tick, such as a Phantom.
//
//	int read(void *self, double position[3], double rotation_wxyz[4], double velocity[3], uint32_t *buttons)
//	int write(void *self, const double force[3], const double torque[3])
//
// SetTick lets the scheduler call void tick(void *context); nil ends that and returns after the last call.
type Foreign struct {
	Self, Read, Write unsafe.Pointer
	SetTick           func(tick, context unsafe.Pointer)
}

var errNoMemory = errors.New("servo: no memory (cure: close other programs)")

// New makes the servo for a device at a rate in Hz (0: 1000). It starts with haptics.DefaultParams. The servo owns the
// device from here on: Stop closes it.
func New(dev haptics.Device, rate float64) (*Servo, error) {
	s, err := newServo(dev, rate)
	if err != nil {
		return nil, err
	}
	if n, ok := dev.(Native); ok {
		t := n.ServoTable()
		s.c.device.self = t.Self
		*(*unsafe.Pointer)(unsafe.Pointer(&s.c.device.read)) = t.Read
		*(*unsafe.Pointer)(unsafe.Pointer(&s.c.device.write)) = t.Write
		*(*unsafe.Pointer)(unsafe.Pointer(&s.c.device.release)) = t.Release
		return s, nil
	}
	s.mail = C.hapco_mailbox_new()
	if s.mail == nil {
		s.drop()
		return nil, errNoMemory
	}
	runtime.AddCleanup(s, func(m *C.hapco_mailbox) { C.hapco_mailbox_free(m) }, s.mail)
	s.c.device = C.hapco_mailbox_device(s.mail)
	return s, nil
}

// NewForeign is New for a device whose own scheduler runs the ticks at rate.
func NewForeign(dev haptics.Device, f Foreign, rate float64) (*Servo, error) {
	if f.SetTick == nil || f.Read == nil || f.Write == nil {
		return nil, errors.New("servo: a device with a scheduler of its own must give read, write and a way to set the tick")
	}
	s, err := newServo(dev, rate)
	if err != nil {
		return nil, err
	}
	c := C.hapco_foreign_new(f.Self, f.Read, f.Write)
	if c == nil {
		s.drop()
		return nil, errNoMemory
	}
	runtime.AddCleanup(s, func(c *C.hapco_foreign) { C.free(unsafe.Pointer(c)) }, c)
	s.c.device = C.hapco_foreign_device(c)
	s.foreign = &f
	return s, nil
}

func newServo(dev haptics.Device, rate float64) (*Servo, error) {
	rate = cmp.Or(rate, 1000)
	if !(rate >= haptics.MinRate && rate <= haptics.MaxRate) {
		return nil, fmt.Errorf("servo: rate %g Hz (cure: a rate from %d to %d Hz)", rate, haptics.MinRate, haptics.MaxRate)
	}
	s := &Servo{
		now: time.Now,
		dev: dev, limits: haptics.LimitsOf(dev), rate: rate,
		quit: make(chan struct{}), done: make(chan struct{}),
	}
	s.c = C.hapco_servo_new(C.double(1/rate), C.double(haptics.VelocityFilter(rate)), local.Capacity, C.int64_t(ringSeconds*rate))
	if s.c == nil {
		return nil, errNoMemory
	}
	s.models.init(s.c)
	p := haptics.DefaultParams(s.limits, rate)
	if _, ok := dev.(haptics.Sprung); ok {
		p.Passivity = false // no motors, no energy
	}
	for i := range s.c.param {
		setParams(&s.c.param[i], &p)
	}
	s.keepGains(&p)
	s.drop = failsafe.Hold(s.abandon, s.abandoned)
	runtime.AddCleanup(s, func(c *C.hapco_servo) { C.hapco_servo_free(c) }, s.c)
	return s, nil
}

// Limits are the device's, as the servo uses them.
func (s *Servo) Limits() haptics.DeviceLimits { return s.limits }

// Models is where physics puts contact models. Their large arrays lie in C memory: keep no slice of them after Publish.
func (s *Servo) Models() haptics.ModelWriter { return &s.models }

// Sample is the newest pose for physics.
func (s *Servo) Sample() (haptics.Sample, bool) {
	i, fresh := get(&s.c.samples)
	a := &s.c.sample[i]
	return haptics.Sample{
		Tick:     uint64(a.tick),
		Stylus:   pose(&a.stylus_position, &a.stylus_rotation),
		Hand:     pose(&a.hand_position, &a.hand_rotation),
		Velocity: vec(&a.velocity),
		Buttons:  uint32(a.buttons),

		Stiffness: float64(a.stiffness), AngleStiffness: float64(a.angle_stiffness), MaxForce: float64(a.max_force),
	}, fresh
}

// SetParams replaces the live parameters. Values that do not Validate are ignored: the last good ones stay.
func (s *Servo) SetParams(p haptics.Params) {
	if p.Validate() != nil {
		return
	}
	setParams(&s.c.param[s.c.params.write], &p)
	publish(&s.c.params)
	s.keepGains(&p)
}

func (s *Servo) keepGains(p *haptics.Params) {
	g := haptics.Gains{Stiffness: p.Stiffness, Damping: p.Damping, AngleStiffness: p.AngleStiffness, AngleDamping: p.AngleDamping}
	g.Check(s.limits, s.rate)
	s.gain.Store(&g)
}

// Stats is how the loop is doing.
func (s *Servo) Stats() haptics.Stats {
	i, _ := get(&s.c.statuses)
	c := &s.c.status[i]
	st := haptics.Stats{
		Device: s.dev.Name(), Ticks: uint64(c.ticks), Rate: float64(c.rate), Target: s.rate,
		Missed: uint64(c.missed), Dropped: uint64(c.dropped), Errors: uint64(c.errors) + s.fails.Load(),
		Late: time.Duration(c.late), Work: time.Duration(c.work), Peak: float64(c.peak),
		Last: *(*haptics.Record)(unsafe.Pointer(&c.last)), Gains: *s.gain.Load(),
	}
	st.Force, st.Raw = st.Last.Force, st.Last.Raw
	for k := range st.Counts {
		st.Counts[k] = uint64(c.counts[k])
	}
	if n := s.note.Load(); n != nil {
		st.RealTime = *n
	}
	reason := ""
	if m := s.message.Load(); m != nil {
		reason = *m
	}
	if r, ok := s.dev.(haptics.StatusReporter); ok && reason == "" {
		reason = r.Status().Message
	}
	if c.device_error != 0 && reason == "" {
		reason = fmt.Sprintf("the device reports error %d: force off until it is gone", int(c.device_error))
	}
	st.Message = haptics.Message(&st.Last, reason)
	return st
}

// Drain moves the oldest records to dst.
func (s *Servo) Drain(dst []haptics.Record) int {
	head := atomic.LoadUint64((*uint64)(unsafe.Pointer(&s.c.head)))
	tail := uint64(s.c.tail)
	n := min(uint64(len(dst)), head-tail)
	ring := unsafe.Slice((*haptics.Record)(unsafe.Pointer(s.c.ring)), uint64(s.c.mask)+1)
	for i := range n {
		dst[i] = ring[(tail+i)&uint64(s.c.mask)]
	}
	atomic.StoreUint64((*uint64)(unsafe.Pointer(&s.c.tail)), tail+n)
	return int(n)
}

// Run ticks until Stop. Call it once, on a goroutine of its own: its thread is the servo's.
func (s *Servo) Run() error {
	if !s.state.CompareAndSwap(idle, running) {
		if s.state.Load() == unused {
			return nil
		}
		return errors.New("servo: it runs already (cure: one Run for each Servo)")
	}
	defer close(s.done)
	defer s.state.Store(ended)
	if s.foreign != nil {
		note := "in the device's own scheduler"
		s.note.Store(&note)
		s.foreign.SetTick(C.callback_address(), unsafe.Pointer(s.c))
		<-s.quit
		atomic.StoreInt32((*int32)(unsafe.Pointer(&s.c.stop)), 1)
		time.Sleep(5 * time.Millisecond) // a tick or two that send zero
		s.foreign.SetTick(nil, nil)
		return nil
	}
	if s.mail != nil {
		s.exchange() // the first pose is there before the first tick
		s.bridged = make(chan struct{})
		failsafe.Go(s.bridge)
		defer func() { <-s.bridged }()
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	note := &s.c.note[0]
	keep := func() {
		text := C.GoString(note)
		s.note.Store(&text)
	}
	noted := make(chan struct{})
	failsafe.Go(func() { // what was obtained is known once the ticks begin
		defer close(noted)
		for !s.stopping() {
			if atomic.LoadInt32((*int32)(unsafe.Pointer(&s.c.running))) != 0 {
				keep()
				return
			}
			time.Sleep(time.Millisecond)
		}
	})
	C.hapco_servo_run(s.c, Priority, 1, note, C.size_t(len(s.c.note)))
	<-noted
	keep()
	return nil
}

// Stop ends Run and closes the device, which lets go first. Before Run it closes the device, and Run then returns at
// once.
func (s *Servo) Stop() error {
	s.once.Do(func() {
		began := !s.state.CompareAndSwap(idle, unused)
		close(s.quit)
		atomic.StoreInt32((*int32)(unsafe.Pointer(&s.c.stop)), 1)
		if began {
			<-s.done
		}
		s.closed = s.dev.Close()
		s.drop()
	})
	return s.closed
}

// stopping tells whether Stop was called.
func (s *Servo) stopping() bool {
	select {
	case <-s.quit:
		return true
	default:
		return false
	}
}

// The servo's thread is silent when nothing came from it for silentAfter; its last force then fades out over
// silentFade.
const (
	silentAfter = 20 * time.Millisecond
	silentFade  = 80 * time.Millisecond
)

// bridge serves a device written in Go: its readings into the mailbox, the servo's forces out of it, once a period. A
// force is passed on once.
func (s *Servo) bridge() {
	defer close(s.bridged)
	defer func() { // also when the driver panics
		if s.write(mgl64.Vec3{}, mgl64.Vec3{}) == nil {
			s.zero.Store(true)
		}
	}()
	t := time.NewTicker(time.Duration(1e9 / s.rate))
	defer t.Stop()
	for !s.stopping() {
		<-t.C
		s.exchange()
	}
}

func (s *Servo) write(force, torque mgl64.Vec3) error {
	if t, ok := s.dev.(haptics.TorqueDevice); ok {
		return t.WriteWrench(force, torque)
	}
	return s.dev.Write(force)
}

func (s *Servo) exchange() {
	if sp, ok := s.dev.(haptics.Sprung); ok {
		k, b := sp.Spring()
		atomic.StoreUint64((*uint64)(unsafe.Pointer(&s.c.spring_damping)), math.Float64bits(b))
		atomic.StoreUint64((*uint64)(unsafe.Pointer(&s.c.spring_stiffness)), math.Float64bits(k))
	}
	st := s.dev.Read()
	setState(&s.mail.state[s.mail.in.write], &st)
	publish(&s.mail.in)
	i, fresh := get(&s.mail.out)
	w := &s.mail.wrench[i]
	f, torque := mgl64.Vec3{float64(w[0]), float64(w[1]), float64(w[2])}, mgl64.Vec3{float64(w[3]), float64(w[4]), float64(w[5])}
	released := s.IsReleased()
	now := s.now()
	switch {
	case released: // no need to wait for the servo's tick
		f, torque = mgl64.Vec3{}, mgl64.Vec3{}
	case fresh:
		s.heard = now
	default: // an old force is not repeated: it would look alive to the driver
		age := now.Sub(s.heard)
		if age <= silentAfter {
			return
		}
		left := max(0, 1-(age-silentAfter).Seconds()/silentFade.Seconds())
		f, torque = f.Mul(left), torque.Mul(left)
	}
	err := s.write(f, torque)
	s.zero.Store(released && err == nil)
	if err != nil {
		s.fails.Add(1)
		m := err.Error()
		s.message.Store(&m)
	} else if s.message.Load() != nil {
		s.message.Store(nil)
	}
}

// Who asked for no force; each takes back only what it asked for.
const (
	byPanel = 1 << iota // until Resume
	byGuard             // the program is ending: for good
)

func (s *Servo) requests() *int32 { return (*int32)(unsafe.Pointer(&s.c.release)) }

// Release drops the force within a tick, until Resume. It calls nothing and waits for nothing.
func (s *Servo) Release() { atomic.OrInt32(s.requests(), byPanel) }

// Resume takes a Release back. Force then comes as at the start: with the ramp, and in contact only once the stylus is
// lifted or its main button is pressed.
func (s *Servo) Resume() { atomic.AndInt32(s.requests(), ^byPanel) }

// IsReleased tells whether there is no force, by Release or because the program is ending.
func (s *Servo) IsReleased() bool { return atomic.LoadInt32(s.requests()) != 0 }

// abandon is Release for good.
func (s *Servo) abandon() { atomic.OrInt32(s.requests(), byGuard) }

// abandoned tells whether the device has got the zero force: by a tick, or by the bridge, which does not wait for one.
func (s *Servo) abandoned() bool {
	switch {
	case s.state.Load() != running:
		return true
	case s.mail != nil:
		return s.zero.Load()
	}
	return atomic.LoadInt32((*int32)(unsafe.Pointer(&s.c.released))) != 0
}
