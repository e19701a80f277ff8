package spacenav

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/haptics"
	"hapco/physics/frame"
	"hapco/physics/machinery/failsafe"
)

// Options of Open; DefaultOptions fills them.
type Options struct {
	Socket string  // of spacenavd; "": SPNAV_SOCKET or the usual places. The kernel's device is tried after it
	Speed  float64 // m/s at full deflection
	Turn   float64 // rad/s at full deflection; 0: the stylus keeps its direction
	Dead   float64 // part of the deflection that does nothing, 0..0.5
	Full   float64 // counts at full deflection
	Reach  float64 // m, half the edge of the box that the stylus stays in
	Spring float64 // N/m, that ties the stylus to the hand
	Push   float64 // N at full deflection against a wall

	// Axes turns the device's axes into the world's: x right, y up, z towards the operator on both sides is the
	// identity, which spacenavd gives unless it is configured otherwise.
	Axes   mgl64.Mat3
	Start  frame.Pose
	Retry  time.Duration // between attempts to get a lost device back
	Notify func(line string)

	root string                         // of the file system, for tests
	open func(string) (*os.File, error) // for tests
}

// DefaultOptions suit a scene of some ten centimetres.
func DefaultOptions() Options {
	return Options{
		Speed: 0.1, Turn: 1, Dead: 0.07, Full: 350, Reach: 0.1, Spring: 200, Push: 3,
		Axes: mgl64.Ident3(), Start: frame.Identity(), Retry: time.Second, root: "/",
	}
}

// Validate names the first field out of range.
func (o *Options) Validate() error {
	if r := haptics.OutOfRange([]haptics.Ranged{
		{"Speed", o.Speed, 1e-4, 10}, {"Turn", o.Turn, 0, 20}, {"Dead", o.Dead, 0, 0.5}, {"Full", o.Full, 1, 1e5},
		{"Reach", o.Reach, 1e-3, 10}, {"Spring", o.Spring, 1, 1e5}, {"Push", o.Push, 0.01, 100},
	}); r != nil {
		return fmt.Errorf("spacenav: %s = %g: choose %g to %g", r.Name, r.Value, r.Low, r.High)
	}
	if !frame.Orthogonal(o.Axes) {
		return errors.New("spacenav: the axes are not orthogonal: use each axis once")
	}
	return nil
}

// Device is an open SpaceMouse. It implements haptics.Sprung, haptics.Limited and haptics.StatusReporter.
type Device struct {
	opt Options

	// from the reading goroutine
	axes    [6]atomic.Int32
	moved   atomic.Int64 // time of the last motion, ns
	fades   atomic.Bool  // the source is silent at rest: old motion means none
	buttons atomic.Uint32
	gone    atomic.Pointer[string] // why the source does not answer; nil while it does
	closed  atomic.Bool
	name    atomic.Pointer[string]

	// of the servo
	pose frame.Pose
	last int64
	push mgl64.Vec3 // the force on the stylus, N

	mu   sync.Mutex
	line io.Closer
	quit chan struct{}
	once sync.Once
	done chan struct{}
	now  func() int64
}

var (
	_ haptics.Sprung         = (*Device)(nil)
	_ haptics.Limited        = (*Device)(nil)
	_ haptics.StatusReporter = (*Device)(nil)
)

// silent is how long a source that repeats itself while deflected may be quiet before the cap counts as released.
const silent = 150 * time.Millisecond

// Open connects to the daemon, or else to the kernel's device.
func Open(opt Options) (*Device, error) {
	opt.root = cmp.Or(opt.root, "/")
	if opt.Retry <= 0 {
		opt.Retry = time.Second
	}
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	began := time.Now()
	d := &Device{
		opt: opt, pose: opt.Start, quit: make(chan struct{}), done: make(chan struct{}),
		now: func() int64 { return int64(time.Since(began)) },
	}
	src, err := connect(opt)
	if err != nil {
		return nil, err
	}
	d.attach(src)
	failsafe.Go(func() { d.own(src) })
	return d, nil
}

// source is an open line to the device.
type source struct {
	io.ReadCloser
	name   string
	events bool // the kernel's format
}

func connect(opt Options) (source, error) {
	paths := []string{opt.Socket}
	if opt.Socket == "" {
		if env := os.Getenv(SocketVariable); env != "" {
			paths = []string{env}
		} else {
			paths = Sockets
		}
	}
	var daemon error
	for _, p := range paths {
		c, err := net.DialTimeout("unix", p, time.Second)
		if err == nil {
			return source{c, "SpaceMouse (spacenavd)", false}, nil
		}
		if daemon == nil || errors.Is(daemon, fs.ErrNotExist) {
			daemon = err
		}
	}
	f, node, err := openNode(opt.root, opt.open)
	if err == nil {
		return source{f, "SpaceMouse (" + node.Name + ")", true}, nil
	}
	if errors.Is(err, fs.ErrPermission) {
		return source{}, fmt.Errorf("spacenav: %w", err)
	}
	if errors.Is(daemon, fs.ErrPermission) {
		return source{}, fmt.Errorf("spacenav: the socket of spacenavd may not be used (%w): give your user the right to it", daemon)
	}
	return source{}, fmt.Errorf("spacenav: no spacenavd (%w) and %w: plug the SpaceMouse in, or install and start spacenavd", daemon, err)
}

func (d *Device) attach(s source) {
	d.mu.Lock()
	d.line = s
	d.mu.Unlock()
	d.name.Store(&s.name)
	d.fades.Store(s.events)
	d.gone.Store(nil)
}

// rest drops every deflection.
func (d *Device) rest() {
	for i := range d.axes {
		d.axes[i].Store(0)
	}
	d.buttons.Store(0)
}

// own reads until Close, and looks for the device again when it is gone.
func (d *Device) own(s source) {
	defer close(d.done)
	defer func() {
		closed := errClosed.Error()
		d.gone.Store(&closed)
	}()
	for {
		var err error
		if s.events {
			err = readEvents(s, d.take)
		} else {
			err = readRecords(s, d.take)
		}
		s.Close()
		d.rest()
		if d.closed.Load() {
			return
		}
		line := fmt.Sprintf("spacenav: the SpaceMouse is gone (%v): plug it in or start spacenavd; it is found again by itself", err)
		d.gone.Store(&line)
		if d.opt.Notify != nil {
			d.opt.Notify(line)
		}
		for {
			select {
			case <-d.quit:
				return
			case <-time.After(d.opt.Retry):
			}
			if s, err = connect(d.opt); err == nil {
				break
			}
		}
		d.attach(s)
		if d.closed.Load() { // Close may have missed the new line
			s.Close()
			return
		}
		if d.opt.Notify != nil {
			d.opt.Notify("spacenav: the SpaceMouse is back")
		}
	}
}

func (d *Device) take(e event) {
	switch e.kind {
	case motion:
		for i := range d.axes {
			if e.which>>i&1 != 0 {
				d.axes[i].Store(e.axes[i])
			}
		}
		d.moved.Store(d.now())
	case press:
		if e.button >= 0 && e.button < 32 {
			d.buttons.Or(1 << e.button)
		}
	case release:
		if e.button >= 0 && e.button < 32 {
			d.buttons.And(^(uint32(1) << e.button))
		}
	}
}

// rate shapes a deflection in counts into a velocity of length up to most: nothing in the dead zone, then quadratic, so
// that small motions are fine. The direction is kept.
func rate(u mgl64.Vec3, full, dead, most float64) mgl64.Vec3 {
	n := u.Len() / full
	if !(n > dead) {
		return mgl64.Vec3{}
	}
	t := (math.Min(n, 1) - dead) / (1 - dead)
	return u.Mul(most * t * t / (n * full))
}

// Name says how the device is reached.
func (d *Device) Name() string { return *d.name.Load() }

// Read moves the hand by the time since the last Read and tells where it is. One goroutine at a time, the same as
// Write's.
func (d *Device) Read() haptics.State {
	now := d.now()
	dt := 0.0
	if d.last != 0 {
		dt = math.Min(float64(now-d.last)*1e-9, 0.05) // a pause is no reason to leap
	}
	d.last = now
	return d.advance(dt, now)
}

// advance is Read with time as an argument, s and ns.
func (d *Device) advance(dt float64, now int64) haptics.State {
	s := haptics.State{Buttons: d.buttons.Load(), Lost: d.gone.Load() != nil}
	var u, w mgl64.Vec3
	if !s.Lost && !(d.fades.Load() && now-d.moved.Load() > int64(silent)) {
		for i := range 3 {
			u[i], w[i] = float64(d.axes[i].Load()), float64(d.axes[3+i].Load())
		}
	}
	v := d.opt.Axes.Mul3x1(rate(u, d.opt.Full, d.opt.Dead, d.opt.Speed))
	// Resistance: Push newtons undo full speed. Only the force's own direction is braked, so sliding along a wall stays
	// free.
	back := d.push.Mul(d.opt.Speed / d.opt.Push)
	if n := back.Len(); n > d.opt.Speed {
		back = back.Mul(d.opt.Speed / n)
	}
	v = v.Add(back)
	if !s.Lost {
		for i := range 3 {
			x := d.pose.Position[i] + dt*v[i]
			low, high := d.opt.Start.Position[i]-d.opt.Reach, d.opt.Start.Position[i]+d.opt.Reach
			if x < low || x > high {
				x = math.Max(low, math.Min(high, x))
				v[i] = 0
			}
			d.pose.Position[i] = x
		}
		s.Velocity = v
		if omega := d.opt.Axes.Mul3x1(rate(w, d.opt.Full, d.opt.Dead, d.opt.Turn)); dt > 0 {
			if n := omega.Len(); n > 0 {
				d.pose.Rotation = mgl64.QuatRotate(n*dt, omega.Mul(1/n)).Mul(d.pose.Rotation).Normalize()
			}
		}
	}
	s.Pose = d.pose
	return s
}

// errClosed is returned by Write after Close.
var errClosed = errors.New("spacenav: the device is closed")

// Write takes the force that the hand would feel, N; it slows the motion down. A force that is not finite counts as
// none.
func (d *Device) Write(force mgl64.Vec3) error {
	if n := force.Len(); !(n <= math.MaxFloat64) {
		force = mgl64.Vec3{}
	}
	d.push = force
	if d.closed.Load() {
		return errClosed
	}
	return nil
}

// Spring is what the servo ties the stylus with.
func (d *Device) Spring() (stiffness, damping float64) { return d.opt.Spring, 0.01 * d.opt.Spring }

// Close ends the reading.
func (d *Device) Close() error {
	d.once.Do(func() {
		d.closed.Store(true)
		close(d.quit)
	})
	d.mu.Lock()
	if d.line != nil {
		d.line.Close()
	}
	d.mu.Unlock()
	select {
	case <-d.done:
		return nil
	case <-time.After(3 * time.Second):
		return errors.New("spacenav: the kernel's device does not let go: unplug it")
	}
}

// Status may be asked from any goroutine.
func (d *Device) Status() haptics.DeviceStatus {
	gone := d.gone.Load()
	s := haptics.DeviceStatus{Temperature: -1, Connected: gone == nil, Ready: gone == nil}
	if gone != nil {
		s.Message = *gone
	}
	return s
}

// Limits: no motors.
func (d *Device) Limits() haptics.DeviceLimits {
	r := mgl64.Vec3{d.opt.Reach, d.opt.Reach, d.opt.Reach}
	return haptics.DeviceLimits{
		MaxForce: 3 * d.opt.Push, ContinuousForce: 3 * d.opt.Push, Stiffness: 1e5, Damping: 1e3,
		MaxSpeed: 10, SlewRate: 5000, RateHz: 1000, SensedAxes: 6, DrivenAxes: 0, Min: r.Mul(-1), Max: r,
	}
}

// Probe says how a SpaceMouse would be reached, or why not.
func Probe(opt Options) (string, error) {
	opt.root = cmp.Or(opt.root, "/")
	s, err := connect(opt)
	if err != nil {
		return "", err
	}
	s.Close()
	return s.name, nil
}
