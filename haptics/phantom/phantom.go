package phantom

/*
#include <stdlib.h>
#include "hd.h"
*/
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
	"hapco/haptics/mapping"
	"hapco/physics/frame"
	"hapco/physics/machinery/failsafe"
)

// Options of Open. The zero value opens the default device.
type Options struct {
	Name     string        // as the vendor's set-up program knows the device; "": the default one
	Library  string        // path of libHD; "": searched (see LoadLibrary)
	RateHz   int           // servo rate; 0: 1000. The library takes 500, 1000, 1600 and some more
	MaxForce float64       // N, an own limit below nine tenths of the device's; 0: none
	Retry    time.Duration // between attempts to get a lost device back; 0: 1 s

	// Notify receives one line whenever something changes that the operator should know. Called from the driver's
	// goroutine; it must not call back into the device. May be nil.
	Notify func(line string)
}

// margin keeps what is sent below the device's own limit, where its motors would be switched off.
const margin = 0.9

// silence is how long the servo may be quiet before the device counts as lost. Tests that step the servo by hand make
// it longer.
var silence = 500 * time.Millisecond

// Device is an open Phantom. It implements haptics.Device, haptics.TorqueDevice, haptics.Limited and
// haptics.StatusReporter.
type Device struct {
	lib *Library
	opt Options
	c   *C.hapco_hd // lives as long as the Device, through reconnections

	reading C.hapco_hd_reading // Read's
	wrench  [6]C.double        // Write's

	about atomic.Pointer[about]
	link  atomic.Pointer[link]

	quit     chan struct{}
	quitOnce sync.Once
	done     chan struct{}
	closeErr error // of the owner, valid once done is closed

	tally map[Code]*tally // owner's

	mapLock sync.Mutex
	mapping mapping.Mapping
	cmap    C.hapco_hd_map
}

// link tells whether the device answers, and why not. State and reason are one value, so that no one sees the one
// without the other.
type link struct {
	up  bool
	err error // what Write returns
	why error // what Status says
}

var (
	linkUp     = &link{up: true}
	linkClosed = &link{err: errClosed, why: errClosed}
)

type tally struct {
	count int
	told  time.Time
}

var (
	_ haptics.Device         = (*Device)(nil)
	_ haptics.TorqueDevice   = (*Device)(nil)
	_ haptics.Limited        = (*Device)(nil)
	_ haptics.StatusReporter = (*Device)(nil)
	_ mapping.Mapper         = (*Device)(nil)
)

// busy is set while a Device is open: the library's scheduler is one for the whole process, and must stand still while
// a device is opened.
var busy atomic.Pointer[Device]

// errBusy is returned by Open and Probe while another Device is open.
var errBusy = errors.New("phantom: a Phantom is already open in this program: close it first")

// Open finds libHD, opens the device and starts its servo. It fails with one line that says what is missing and what
// helps.
func Open(opt Options) (*Device, error) {
	opt.RateHz = cmp.Or(opt.RateHz, 1000)
	if opt.RateHz < 1 || opt.RateHz > 8000 {
		return nil, fmt.Errorf("phantom: servo rate %d Hz: choose 500, 1000 or 1600", opt.RateHz)
	}
	if !(opt.MaxForce >= 0) || math.IsInf(opt.MaxForce, 1) {
		return nil, fmt.Errorf("phantom: largest force %g N: it must be a finite number, 0 for the device's own", opt.MaxForce)
	}
	if opt.Retry <= 0 {
		opt.Retry = time.Second
	}
	lib, err := LoadLibrary(opt.Library)
	if err != nil {
		return nil, err
	}
	d := &Device{lib: lib, opt: opt, quit: make(chan struct{}), done: make(chan struct{}), tally: map[Code]*tally{}}
	if !busy.CompareAndSwap(nil, d) {
		return nil, errBusy
	}
	if d.c = C.hapco_hd_new(lib.c); d.c == nil {
		busy.Store(nil)
		return nil, errors.New("phantom: out of memory")
	}
	if err := d.SetMapping(mapping.Identity()); err != nil {
		panic(err) // the identity is valid
	}
	d.link.Store(&link{err: errLost, why: errLost})
	opened := make(chan error)
	failsafe.Go(func() { d.own(opened) })
	if err := <-opened; err != nil {
		<-d.done
		C.hapco_hd_free(d.c)
		return nil, err
	}
	runtime.AddCleanup(d, func(c *C.hapco_hd) { C.hapco_hd_free(c) }, d.c)
	return d, nil
}

// own is the one goroutine that calls the library, on one thread from the first call to the last.
func (d *Device) own(opened chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(d.done)
	defer busy.CompareAndSwap(d, nil)

	err := d.connect(false)
	opened <- err
	if err != nil {
		return
	}
	defer failsafe.Hold(releaseAll, d.released)()
	for {
		err := d.watch()
		clean := C.hapco_hd_stop(d.c) == 0
		if err == nil { // Close
			d.link.Store(linkClosed)
			if !clean {
				d.closeErr = errors.New("phantom: the servo had stopped before the device was closed; its motors are off by its own watchdog")
			}
			return
		}
		d.link.Store(&link{err: errLost, why: err})
		d.say(err.Error())
		if !d.reconnect() {
			d.link.Store(linkClosed)
			return
		}
	}
}

// reconnect tries until the device answers; false when Close came first.
func (d *Device) reconnect() bool {
	retry := time.NewTicker(d.opt.Retry)
	defer retry.Stop()
	for {
		select {
		case <-d.quit:
			return false
		case <-retry.C:
			if d.connect(false) == nil {
				d.say("phantom: " + d.Name() + " is back")
				return true
			}
		}
	}
}

func (d *Device) say(line string) {
	if d.opt.Notify != nil {
		d.opt.Notify(line)
	}
}

// connect opens, asks, prepares and starts. Owner only.
func (d *Device) connect(recalibrate bool) error {
	name, err := initAny(d.c, d.opt.Name)
	if err != nil {
		return err
	}
	a, caps, err := query(d.c, d.lib, name)
	if err != nil {
		C.hapco_hd_release(d.c)
		return err
	}
	maxForce := margin * a.limits.MaxForce
	if d.opt.MaxForce > 0 {
		maxForce = min(maxForce, d.opt.MaxForce)
	}
	a.limits.RateHz = float64(d.opt.RateHz)
	config := C.hapco_hd_config{
		max_force:        C.double(maxForce),
		max_torque:       C.double(margin * a.limits.MaxTorque),
		continuous_force: C.double(a.limits.ContinuousForce),
		fade_after_s:     0.02,
		zero_after_s:     0.1,
		rate_hz:          C.uint(d.opt.RateHz),
	}
	if recalibrate {
		config.recalibrate = 1
	}
	if code := C.hapco_hd_prepare(d.c, &config, &caps); code != 0 {
		C.hapco_hd_release(d.c)
		return &Error{Code: Code(code), Device: name, Doing: "prepare"}
	}
	d.about.Store(a)
	if code := C.hapco_hd_start(d.c); code != 0 {
		C.hapco_hd_stop(d.c)
		return &Error{Code: Code(code), Device: name, Doing: "start the servo of"}
	}
	d.link.Store(linkUp)
	return nil
}

// watch looks after the servo until the device is lost (an error) or Close is called. Owner only.
func (d *Device) watch() error {
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	var r C.hapco_hd_reading
	var lastTick C.uint64_t
	lastAlive := time.Now()
	var toldFlags C.uint32_t
	for {
		select {
		case <-d.quit:
			d.tellEvents()
			return nil
		case <-look.C:
		}
		d.tellEvents()
		C.hapco_hd_latest(d.c, &r) // torn: the last one stays, and counts as silence
		if r.flags&C.HAPCO_HD_LOST != 0 {
			return d.lostBy(&r)
		}
		if r.tick != lastTick {
			lastTick, lastAlive = r.tick, time.Now()
		} else if time.Since(lastAlive) > silence {
			return &Error{Code: silent, Device: d.opt.Name, Doing: "servo of"}
		}
		if line := advice(uint32(r.flags), d.about.Load().info); r.tick > C.uint64_t(d.opt.RateHz/10) && r.flags&adviceFlags != toldFlags {
			toldFlags = r.flags & adviceFlags
			if line != "" {
				d.say(line)
			}
		}
	}
}

// lostBy is the error for which the servo gave the device up.
func (d *Device) lostBy(r *C.hapco_hd_reading) error {
	return &Error{Code: Code(r.lost_code), Device: d.opt.Name, Doing: "servo of"}
}

const adviceFlags = C.HAPCO_HD_CALIBRATED | C.HAPCO_HD_NEEDS_DOCK | C.HAPCO_HD_WARM | C.HAPCO_HD_FAULT

// advice says what the operator should do about a reading's flags.
func advice(flags uint32, info Info) string {
	switch {
	case flags&C.HAPCO_HD_NEEDS_DOCK != 0:
		return "phantom: not calibrated: put the stylus into its inkwell and hold it there for a second"
	case flags&C.HAPCO_HD_CALIBRATED == 0 && info.Calibration == "inkwell":
		return "phantom: not calibrated: put the stylus into its inkwell"
	case flags&C.HAPCO_HD_CALIBRATED == 0 && info.Calibration == "reset position":
		return "phantom: not calibrated: hold the arm in its reset position (upper arm level, forearm upright, stylus level) and start again"
	case flags&C.HAPCO_HD_CALIBRATED == 0:
		return "phantom: not calibrated: move the stylus slowly through its whole range"
	case flags&C.HAPCO_HD_WARM != 0:
		return "phantom: the motors are too warm: no force until they have cooled"
	case flags&C.HAPCO_HD_FAULT != 0:
		return "phantom: the device reports a fault: no force until it ends"
	}
	return ""
}

// tellEvents passes the library's errors on, each number at most every two seconds: a library may repeat one a thousand
// times a second.
func (d *Device) tellEvents() {
	var e C.hapco_hd_event
	for C.hapco_hd_next_event(d.c, &e) != 0 {
		code := Code(e.code)
		t := d.tally[code]
		if t == nil {
			t = &tally{}
			d.tally[code] = t
		}
		t.count++
		if now := time.Now(); now.Sub(t.told) > 2*time.Second {
			t.told = now
			err := &Error{Code: code, Internal: int32(e.internal), Device: d.opt.Name, Doing: "servo of"}
			d.say(fmt.Sprintf("%v (at tick %d, %d so far)", err, uint64(e.tick), t.count))
		}
	}
}

// Name is the model's name.
func (d *Device) Name() string {
	if a := d.about.Load(); a != nil && a.info.Model != "" {
		return a.info.Model
	}
	return "Phantom"
}

// Read returns the newest state, world axes, m. While the device is lost or not calibrated, Lost is set and it repeats
// the last good pose, at rest. One goroutine at a time.
func (d *Device) Read() haptics.State {
	C.hapco_hd_latest(d.c, &d.reading) // torn: the last whole one stays
	r := &d.reading
	s := haptics.State{
		Pose: frame.Pose{
			Position: vec(&r.position),
			Rotation: mgl64.Quat{W: float64(r.rotation[0]), V: mgl64.Vec3{float64(r.rotation[1]), float64(r.rotation[2]), float64(r.rotation[3])}},
		},
		Clutched: r.flags&C.HAPCO_HD_CLUTCHED != 0,
	}
	const ready = C.HAPCO_HD_VALID | C.HAPCO_HD_CALIBRATED
	s.Lost = !d.link.Load().up || r.flags&C.HAPCO_HD_LOST != 0 || r.flags&ready != ready
	if !s.Lost {
		s.Velocity = vec(&r.velocity)
		s.Buttons = uint32(r.buttons)
	}
	return s
}

func vec(a *[3]C.double) mgl64.Vec3 {
	return mgl64.Vec3{float64(a[0]), float64(a[1]), float64(a[2])}
}

// errLost is returned by Write while the device does not answer. It may come back; Status says how things stand.
var errLost = errors.New("phantom: the device does not answer: check its cable and power")

// errClosed is returned by Write after Close.
var errClosed = errors.New("phantom: the device is closed")

// Write hands a force, N, to the servo, which holds it until the next one or until it is 100 ms old. Without effect
// while a tick function is set. One goroutine at a time.
func (d *Device) Write(force mgl64.Vec3) error { return d.WriteWrench(force, mgl64.Vec3{}) }

// WriteWrench is Write with a torque, N m; arms with three motors ignore it.
func (d *Device) WriteWrench(force, torque mgl64.Vec3) error {
	for i := range 3 {
		d.wrench[i], d.wrench[i+3] = C.double(force[i]), C.double(torque[i])
	}
	ended := C.hapco_hd_command(d.c, &d.wrench[0], &d.wrench[3]) != 0
	if l := d.link.Load(); !l.up {
		return l.err
	}
	if ended { // the owner has not looked yet
		return errLost
	}
	return nil
}

// Close sends zero force, stops the servo and releases the device. Later calls wait for the first and return its
// result.
func (d *Device) Close() error {
	d.quitOnce.Do(func() { close(d.quit) })
	select {
	case <-d.done:
		return d.closeErr
	case <-time.After(3 * time.Second):
		return errors.New("phantom: libHD does not let the device go: unplug it and end the program")
	}
}

// Limits are the device's own numbers where it tells them, else the model's, as the scene meets them through the
// mapping.
func (d *Device) Limits() haptics.DeviceLimits {
	l := d.about.Load().limits
	d.mapLock.Lock()
	defer d.mapLock.Unlock()
	return d.mapping.Limits(l)
}

// SetMapping places the device in the scene, for Read, Write and the tick function alike. From any goroutine.
func (d *Device) SetMapping(m mapping.Mapping) error {
	if err := m.Validate(); err != nil {
		return err
	}
	d.mapLock.Lock()
	defer d.mapLock.Unlock()
	d.mapping = m
	c := &d.cmap
	turn := mgl64.Mat4ToQuat(m.Axes.Mat4()).Normalize()
	lift := m.Axes.Transpose().Mul3x1(mgl64.Vec3{0, m.Gravity, 0})
	c.turn[0] = C.double(turn.W)
	for i := range 9 {
		c.axes[i] = C.double(m.Axes[i])
	}
	for i := range 3 {
		c.turn[i+1] = C.double(turn.V[i])
		c.device[i], c.world[i], c.lift[i] = C.double(m.Device[i]), C.double(m.World[i]), C.double(lift[i])
	}
	c.scale, c.force_scale = C.double(m.Scale), C.double(m.ForceScale)
	c.number++
	C.hapco_hd_set_map(d.c, c)
	return nil
}

// SetClutch opens or closes the clutch, for Read, Write and the tick function alike. From any goroutine.
func (d *Device) SetClutch(open bool) {
	d.mapLock.Lock()
	defer d.mapLock.Unlock()
	d.cmap.clutch = 0
	if open {
		d.cmap.clutch = 1
	}
	C.hapco_hd_set_map(d.c, &d.cmap)
}

// newest is what the servo has told last. Where it has lost the processor in the middle of telling, it is waited for.
func (d *Device) newest(r *C.hapco_hd_reading) {
	for C.hapco_hd_latest(d.c, r) != 0 && d.link.Load().up {
		time.Sleep(100 * time.Microsecond)
	}
}

// Status may be asked from any goroutine.
func (d *Device) Status() haptics.DeviceStatus {
	var r C.hapco_hd_reading
	s := haptics.DeviceStatus{Temperature: -1}
	if link := d.link.Load(); !link.up {
		s.Message = link.why.Error()
		return s
	}
	d.newest(&r)
	flags := uint32(r.flags)
	if flags&C.HAPCO_HD_LOST != 0 {
		s.Message = d.lostBy(&r).Error()
		return s
	}
	s.Connected = true
	const ready = C.HAPCO_HD_VALID | C.HAPCO_HD_CALIBRATED
	s.Ready = flags&ready == ready
	s.ForceOn = flags&C.HAPCO_HD_FORCE != 0
	s.Temperature = float64(r.temperature)
	s.RateHz = float64(r.rate_hz)
	if r.tick > C.uint64_t(d.opt.RateHz/10) {
		s.Message = advice(flags, d.about.Load().info)
	}
	return s
}

// counters are what the driver's last stop did, since Open.
type counters struct {
	NotFinite uint64 // commands dropped, NaN or infinite
	Clamped   uint64 // commands cut to the largest force or torque
}

// counters may be asked from any goroutine.
func (d *Device) counters() counters {
	var r C.hapco_hd_reading
	d.newest(&r)
	return counters{NotFinite: uint64(r.not_finite), Clamped: uint64(r.clamped)}
}

// Extra is what a Phantom senses beyond a haptics.State.
type Extra struct {
	Gimbal  mgl64.Vec3 // rad: turn right +, tilt up -, roll clockwise +
	Force   mgl64.Vec3 // N, what was sent, device axes
	Inkwell bool       // the stylus is docked
}

// Extra may be asked from any goroutine.
func (d *Device) Extra() Extra {
	var r C.hapco_hd_reading
	d.newest(&r)
	return Extra{Gimbal: vec(&r.gimbal), Force: vec(&r.force), Inkwell: r.flags&C.HAPCO_HD_INKWELL != 0}
}

// Table is the device as a C kernel calls it inside the servo callback:
//
//	int read(void *self, double position[3], double rotation_wxyz[4], double velocity[3], uint32_t *buttons);
//	int write(void *self, const double force[3], const double torque[3]);
//
// read is 0 when the pose can be trusted; write is 0 when the force reaches the motors. All pointers are to C and stay
// valid until the Device is collected.
type Table struct {
	Self, Read, Write unsafe.Pointer
}

// Table returns the C functions.
func (d *Device) Table() Table {
	return Table{
		Self: unsafe.Pointer(d.c), Read: unsafe.Pointer(C.hapco_hd_read), Write: unsafe.Pointer(C.hapco_hd_write),
	}
}

// SetTick lets the servo call void tick(void *context) once a tick, between reading the stylus and sending the force.
// Both are C pointers; nil ends it, and SetTick then returns once the last call is over. It stays set over a
// reconnection; while the device is lost no tick comes. Not from inside tick.
func (d *Device) SetTick(tick, context unsafe.Pointer) {
	C.hapco_hd_set_tick(d.c, (*[0]byte)(tick), context)
}

// releaseAll switches the motors of every device off at the next servo tick, for good. For the way out of a panic or a
// signal; safe from anywhere.
func releaseAll() { C.hapco_hd_panic() }

// released tells whether that tick has gone out.
func (d *Device) released() bool {
	return !d.link.Load().up || C.hapco_hd_is_off(d.c) != 0
}
