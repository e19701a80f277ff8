package haply

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"github.com/go-gl/mathgl/mgl64"

	"hapco/haptics"
	"hapco/physics/frame"
	"hapco/physics/machinery/failsafe"
	"hapco/physics/machinery/latest"
)

// Home is the middle of the workspace in the service's axes, m, the base plate being at the origin.
var Home = mgl64.Vec3{0, -0.12, 0.15}

// defaultURL is where the service listens.
const defaultURL = "ws://localhost:10001"

// URLVariable names the environment variable that says where the service is.
const URLVariable = "HAPLY_URL"

// Options of Open. The zero value opens the first Inverse3 of the local service.
type Options struct {
	URL      string        // of the service; "": HAPLY_URL, else defaultURL
	DeviceID string        // as the service names it; "": the first
	RateHz   int           // 0: 1000
	MaxForce float64       // N, an own limit below nine tenths of the device's; 0: none
	Retry    time.Duration // between attempts to get a lost device back; 0: 1 s
	Notify   func(line string)

	// Axes turns the service's axes into the world's, Home is the world's origin in them, m. The zero Axes stands for
	// an operator who looks along the service's +y, with its z up, and Home for the variable of that name.
	Axes mgl64.Mat3
	Home mgl64.Vec3
}

// Numbers of the Inverse3 as toolkits that support it use them; its maker gives no continuous force in public, so that
// is a careful choice.
const (
	maxForce        = 10.0 // N
	continuousForce = 2.0  // N
	stiffness       = 1000 // N/m
	damping         = 6    // N s/m
	reach           = 0.15 // m, radius of the workspace
	margin          = 0.9
)

const (
	patience  = 500 * time.Millisecond // for one answer
	slow      = 5 * time.Millisecond   // mean answer time above which the operator is told
	fadeAfter = 20 * time.Millisecond  // age of a command
	zeroAfter = 100 * time.Millisecond
	rampTime  = 500 * time.Millisecond
	badRow    = 100 // unreadable answers in a row that end a connection
)

// Device is an open Inverse3. It implements haptics.Device, haptics.Limited and haptics.StatusReporter.
type Device struct {
	opt      Options
	axes     mgl64.Mat3 // world from service
	axesT    mgl64.Mat3
	axesQuat mgl64.Quat

	states *latest.Box[haptics.State]
	forces *latest.Box[mgl64.Vec3]
	status atomic.Pointer[haptics.DeviceStatus]
	id     atomic.Pointer[string]
	grip   atomic.Bool
	off    atomic.Bool   // no force any more: the program is ending
	isOff  atomic.Bool   // and the service has been told
	bad    atomic.Uint64 // commands dropped, not finite
	junk   atomic.Uint64 // answers that could not be read

	cancel context.CancelFunc
	done   chan struct{}
	closed atomic.Bool
	once   sync.Once

	// of the one goroutine
	state   haptics.State
	buf     []byte
	in      []byte
	wish    mgl64.Vec3
	wishAge time.Time
}

var (
	_ haptics.Device         = (*Device)(nil)
	_ haptics.Limited        = (*Device)(nil)
	_ haptics.StatusReporter = (*Device)(nil)
)

// Open connects to the service and starts the exchange. It fails with one line that says what is missing and what
// helps.
func Open(opt Options) (*Device, error) {
	opt.URL = address(opt.URL)
	opt.RateHz = cmp.Or(opt.RateHz, 1000)
	if opt.RateHz < 100 || opt.RateHz > 4000 {
		return nil, fmt.Errorf("haply: rate %d Hz: choose 100 to 4000", opt.RateHz)
	}
	if !(opt.MaxForce >= 0) || math.IsInf(opt.MaxForce, 1) {
		return nil, fmt.Errorf("haply: largest force %g N: it must be a finite number, 0 for the device's own", opt.MaxForce)
	}
	if opt.Retry <= 0 {
		opt.Retry = time.Second
	}
	if opt.Axes == (mgl64.Mat3{}) {
		// columns: the service's x, y, z in the world: right, away from the operator, up
		opt.Axes = mgl64.Mat3{1, 0, 0, 0, 0, -1, 0, 1, 0}
		if opt.Home == (mgl64.Vec3{}) {
			opt.Home = Home
		}
	}
	if err := checkRotation(opt.Axes); err != nil {
		return nil, err
	}
	d := &Device{
		opt: opt, axes: opt.Axes, axesT: opt.Axes.Transpose(), axesQuat: mgl64.Mat4ToQuat(opt.Axes.Mat4()).Normalize(),
		states: newStates(),
		forces: newForces(),
		done:   make(chan struct{}),
	}
	d.state = haptics.State{Pose: frame.Identity(), Lost: true}
	ctx, cancel := context.WithCancel(context.Background())
	d.cancel = cancel
	conn, first, err := d.dial(ctx)
	if err != nil {
		cancel()
		return nil, err
	}
	d.take(first, first.calibrated == nil || *first.calibrated) // the first Read shall see it
	failsafe.Go(func() { d.own(ctx, conn, first) })
	return d, nil
}

func address(url string) string { return cmp.Or(url, os.Getenv(URLVariable), defaultURL) }

func newStates() *latest.Box[haptics.State] {
	return latest.New(func(s *haptics.State) { *s = haptics.State{Pose: frame.Identity(), Lost: true} })
}

func newForces() *latest.Box[mgl64.Vec3] { return latest.New[mgl64.Vec3](nil) }

func checkRotation(m mgl64.Mat3) error {
	if !frame.Orthogonal(m) || !(m.Det() > 0) {
		return errors.New("haply: the axes are not a rotation: use three different axes that form a right-handed frame")
	}
	return nil
}

// dial connects and reads the service's first message.
func (d *Device) dial(ctx context.Context) (*websocket.Conn, reading, error) {
	var r reading
	dctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	conn, _, err := websocket.Dial(dctx, d.opt.URL, &websocket.DialOptions{CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		return nil, r, fmt.Errorf("haply: no service at %s (%w): install the Haply Inverse Service and start it (systemctl start haply-inverse-service)", d.opt.URL, cause(err))
	}
	conn.SetReadLimit(1 << 20)
	_, data, err := conn.Read(dctx)
	if err == nil {
		r, err = parse(data, d.opt.DeviceID)
	}
	if err != nil {
		conn.CloseNow()
		if errors.Is(err, errNoDevice) {
			which := "an Inverse3"
			if d.opt.DeviceID != "" {
				which = fmt.Sprintf("the Inverse3 %q", d.opt.DeviceID)
			}
			return nil, r, fmt.Errorf("haply: the service at %s runs but does not see %s: plug in its USB cable and power supply", d.opt.URL, which)
		}
		return nil, r, fmt.Errorf("haply: the service at %s does not start as expected (%w): update it to 3.1 or later", d.opt.URL, cause(err))
	}
	d.id.Store(&r.device)
	return conn, r, nil
}

// cause is the innermost error: the library's wrapping runs over several lines.
func cause(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return errors.New("no answer within a second")
	}
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

// own exchanges messages until Close, and connects again when the line breaks.
func (d *Device) own(ctx context.Context, conn *websocket.Conn, first reading) {
	defer close(d.done)
	defer failsafe.Hold(func() { d.off.Store(true) }, d.released)()
	for {
		err := d.exchange(ctx, conn, first)
		conn.CloseNow()
		if ctx.Err() != nil {
			d.lose(err)
			return
		}
		for told := ""; err != nil; {
			if ctx.Err() != nil {
				return
			}
			if why := err.Error(); why != told { // the service may come back before the device does
				d.lose(err)
				d.say(why)
				told = why
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(d.opt.Retry):
			}
			conn, first, err = d.dial(ctx)
		}
		d.say("haply: the Inverse3 is back")
	}
}

func (d *Device) say(line string) {
	if d.opt.Notify != nil {
		d.opt.Notify(line)
	}
}

// lose publishes that there is no device: the last pose, at rest.
func (d *Device) lose(err error) {
	s := haptics.DeviceStatus{Temperature: -1}
	if err != nil {
		s.Message = err.Error()
	}
	d.status.Store(&s)
	d.state.Lost = true
	d.state.Velocity = mgl64.Vec3{}
	d.state.Buttons = 0
	d.publish()
}

// publish hands the state to Read.
func (d *Device) publish() {
	*d.states.Back() = d.state
	d.states.Publish()
}

// talk is what is known over one connection.
type talk struct {
	id                         string
	quoted                     []byte // id, as JSON
	key                        string // under which the service takes forces
	tried                      bool   // whether the other one takes them
	hello                      bool   // the first message says how the session goes
	limit                      float64
	calibrated, powered, ready bool
	bad, unheard               int       // answers in a row that cannot be read, or that know no force
	answer                     float64   // mean time to an answer, s
	clean                      time.Time // since when force may ramp in
	could                      bool      // take force, at the last tick
	deadAir                    time.Time // since when the answers do not name the device
	sent                       [3]float64
	ticks                      int
	rateFrom, told             time.Time
	rate                       float64 // Hz
	message                    string
}

// or is what p points to, or what was.
func or(p *bool, was bool) bool {
	if p != nil {
		return *p
	}
	return was
}

// exchange is the loop over one connection. It returns why the connection is no longer any good; a last zero force is
// sent when it ends in order, or in a panic.
func (d *Device) exchange(ctx context.Context, conn *websocket.Conn, first reading) (ending error) {
	period := time.Second / time.Duration(d.opt.RateHz)
	quoted, err := json.Marshal(first.device)
	if err != nil {
		return fmt.Errorf("haply: device id %q: %w", first.device, err)
	}
	next := time.Now()
	t := &talk{id: first.device, quoted: quoted, key: keyValues, hello: first.session, limit: margin * maxForce,
		calibrated: or(first.calibrated, true), powered: or(first.power, true), ready: or(first.ready, true),
		answer: period.Seconds(), clean: next, rateFrom: next}
	if first.session {
		t.key = keyVector
	}
	if d.opt.MaxForce > 0 {
		t.limit = min(t.limit, d.opt.MaxForce)
	}
	ending = errPanic // until a return says another
	defer func() {
		if ending == errPanic {
			d.isOff.Store(d.sendLast(conn, appendForce(d.buf[:0], quoted, t.key, [3]float64{}, false), failsafe.Patience) == nil)
		}
	}()
	d.take(first, t.calibrated)
	// A wish from before the connection is not this connection's.
	d.forces.Get()
	d.wish = mgl64.Vec3{}
	// One timer for every answer: a context of its own for each would cost an
	// allocation and a goroutine a tick.
	// It does not end with ctx: Close lets the answer come, then sends zero.
	line, hangUp := context.WithCancel(context.Background())
	defer hangUp()
	watchdog := time.AfterFunc(patience, hangUp)
	defer watchdog.Stop()

	for {
		now := time.Now()
		off, ends := d.off.Load(), ctx.Err() != nil
		d.ask(t, now, off || ends)
		watchdog.Reset(patience)
		if ends {
			d.sendLast(conn, d.buf, 100*time.Millisecond)
			conn.Close(websocket.StatusNormalClosure, "")
			return nil
		}
		err := conn.Write(line, websocket.MessageText, d.buf)
		if err == nil {
			d.isOff.Store(off)
			err = d.receive(line, conn)
		}
		if err != nil {
			if line.Err() != nil {
				return fmt.Errorf("haply: the service has not answered for %v: restart it (systemctl restart haply-inverse-service)", patience)
			}
			return fmt.Errorf("haply: the service closed the connection (%w): it is tried again", cause(err))
		}
		watchdog.Stop() // its time is the answer's, not the pause's
		t.answer += 0.02 * (time.Since(now).Seconds() - t.answer)
		if err := d.hear(t, now); err != nil {
			return err
		}
		d.tell(t, now)

		next = next.Add(period)
		if now = time.Now(); next.Before(now) {
			next = now // late: the missed ones are not made up
		}
		// Not a sleep in the kernel: a thread that blocks there a thousand times a second keeps its share of Go's
		// scheduler, and the rest of the program stumbles by tens of milliseconds. The poller's own timer is good
		// enough.
		time.Sleep(next.Sub(now))
	}
}

// ask puts the next message together: the force, ramped in since the device could take one.
func (d *Device) ask(t *talk, now time.Time, off bool) {
	can := t.can()
	if can && !t.could {
		t.clean = now
	}
	t.could = can
	f := d.command(now, t.limit)
	if x := now.Sub(t.clean).Seconds() / rampTime.Seconds(); x < 1 {
		f = f.Mul(x * x)
	}
	if !can || off {
		f = mgl64.Vec3{}
	}
	t.sent = d.axesT.Mul3x1(f)
	d.buf = appendForce(d.buf[:0], t.quoted, t.key, t.sent, t.hello)
	t.hello = false
}

// can tells whether the device takes force.
func (t *talk) can() bool { return t.calibrated && t.powered && t.ready && t.deadAir.IsZero() }

// hear reads an answer. The error is why the connection is no longer any good.
func (d *Device) hear(t *talk, now time.Time) error {
	r, err := parse(d.in, t.id)
	switch {
	case errors.Is(err, errNoDevice):
		t.bad = 0
		if t.deadAir.IsZero() {
			t.deadAir = now
			d.state.Lost, d.state.Velocity = true, mgl64.Vec3{}
			d.publish()
		}
		if now.Sub(t.deadAir) > 100*time.Millisecond {
			return errors.New("haply: the service no longer sees the Inverse3: check its USB cable and power supply")
		}
		return nil
	case err != nil:
		d.junk.Add(1)
		if t.bad++; t.bad >= badRow {
			return fmt.Errorf("haply: the service sends what cannot be read (%w): update it to 3.1 or later", err)
		}
		return nil
	}
	t.bad, t.deadAir = 0, time.Time{}
	t.calibrated, t.powered, t.ready = or(r.calibrated, t.calibrated), or(r.power, t.powered), or(r.ready, t.ready)
	d.take(r, t.calibrated)
	// Is the force heard? Half a newton for 50 answers must show.
	if mgl64.Vec3(t.sent).Len() > 0.5 && r.hasApplied {
		if t.unheard++; r.applied != [3]float64{} {
			t.unheard = 0
		}
		if t.unheard == 50 && !t.tried {
			t.tried, t.unheard, t.clean = true, 0, now // and ramp in again
			if t.key == keyVector {
				t.key = keyValues
			} else {
				t.key = keyVector
			}
		}
	}
	return nil
}

// tell publishes the status now and then.
func (d *Device) tell(t *talk, now time.Time) {
	t.ticks++
	if dt := now.Sub(t.rateFrom).Seconds(); dt > 0.25 {
		t.rate, t.ticks, t.rateFrom = float64(t.ticks)/dt, 0, now
	}
	if now.Sub(t.told) <= 50*time.Millisecond {
		return
	}
	t.told = now
	s := haptics.DeviceStatus{Connected: true, Ready: t.calibrated && t.deadAir.IsZero(), ForceOn: t.could, Temperature: -1, RateHz: t.rate}
	switch {
	case !t.powered:
		s.Message = "haply: no power supply: plug it in, the motors have none from USB"
	case !t.calibrated:
		s.Message = "haply: not calibrated: follow the lights on the device, or calibrate it in the Haply Hub"
	case !t.ready:
		s.Message = "haply: the device is not ready: lift the stylus from its rest"
	case t.unheard >= 50:
		s.Message = "haply: the service takes no force from this program: update it"
	case t.answer > slow.Seconds():
		s.Message = fmt.Sprintf("haply: the service answers slowly (%.1f ms): the force feels soft; close other programs", 1e3*t.answer)
	}
	d.status.Store(&s)
	if s.Message != "" && s.Message != t.message && (t.message == "" || t.answer <= slow.Seconds()) {
		d.say(s.Message)
	}
	t.message = s.Message
}

// errPanic stands for the result of an exchange that has not returned.
var errPanic = errors.New("haply: panic")

// sendLast sends a last message.
func (d *Device) sendLast(conn *websocket.Conn, message []byte, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return conn.Write(ctx, websocket.MessageText, message)
}

// released tells whether the service knows of the end of the force.
func (d *Device) released() bool {
	s := d.status.Load()
	return d.isOff.Load() || s != nil && !s.Connected
}

// receive reads one message into d.in.
func (d *Device) receive(ctx context.Context, conn *websocket.Conn) error {
	_, r, err := conn.Reader(ctx)
	if err != nil {
		return err
	}
	d.in = d.in[:0]
	for {
		if len(d.in) == cap(d.in) {
			d.in = append(d.in, 0)[:len(d.in)]
		}
		n, err := r.Read(d.in[len(d.in):cap(d.in)])
		d.in = d.in[:len(d.in)+n]
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// command is the force to send now, world axes: finite, within the limit, and fading when it has not been renewed.
func (d *Device) command(now time.Time, limit float64) mgl64.Vec3 {
	if f, newer := d.forces.Get(); newer {
		d.wish, d.wishAge = *f, now
	}
	f := d.wish
	n := f.Len()
	if math.IsNaN(n) || math.IsInf(n, 0) {
		d.bad.Add(1)
		d.wish = mgl64.Vec3{}
		return mgl64.Vec3{}
	}
	if !(n <= limit) {
		f = f.Mul(limit / n)
	}
	switch age := now.Sub(d.wishAge); {
	case age > zeroAfter:
		return mgl64.Vec3{}
	case age > fadeAfter:
		return f.Mul(math.Exp(-(age - fadeAfter).Seconds() / 0.05))
	}
	return f
}

// take publishes a reading.
func (d *Device) take(r reading, calibrated bool) {
	s := &d.state
	if r.hasPosition {
		p := mgl64.Vec3(r.position).Sub(d.opt.Home)
		s.Pose.Position = d.axes.Mul3x1(p)
		s.Velocity = d.axes.Mul3x1(mgl64.Vec3(r.velocity))
	}
	if r.hasGrip {
		d.grip.Store(true)
		q := mgl64.Quat{W: r.orientation[0], V: mgl64.Vec3{r.orientation[1], r.orientation[2], r.orientation[3]}}
		s.Pose.Rotation = d.axesQuat.Mul(q).Mul(d.axesQuat.Conjugate()).Normalize()
	}
	if r.hasButtons {
		s.Buttons = r.buttons
	}
	s.Lost = !calibrated
	if s.Lost {
		s.Velocity = mgl64.Vec3{}
	}
	d.publish()
}

// Name is the model and its id.
func (d *Device) Name() string { return "Inverse3 " + *d.id.Load() }

// Read returns the newest state in world axes. One goroutine at a time.
func (d *Device) Read() haptics.State {
	s, _ := d.states.Get()
	return *s
}

// errClosed is returned by Write after Close.
var errClosed = errors.New("haply: the device is closed")

// errLost is returned by Write while the device does not answer.
var errLost = errors.New("haply: the device does not answer: check its cable, its power supply and its service")

// Write hands over a force, N; it holds until the next or until it is 100 ms old. One goroutine at a time.
func (d *Device) Write(force mgl64.Vec3) error {
	*d.forces.Back() = force
	d.forces.Publish()
	if d.closed.Load() {
		return errClosed
	}
	if s := d.status.Load(); s != nil && !s.Connected {
		return errLost
	}
	return nil
}

// Close sends zero force and leaves the service.
func (d *Device) Close() error {
	d.once.Do(func() {
		d.closed.Store(true)
		d.cancel()
	})
	select {
	case <-d.done:
		return nil
	case <-time.After(3 * time.Second):
		return errors.New("haply: the connection to the service does not close: the device idles by itself")
	}
}

// Status may be asked from any goroutine.
func (d *Device) Status() haptics.DeviceStatus {
	if d.closed.Load() {
		return haptics.DeviceStatus{Temperature: -1, Message: errClosed.Error()}
	}
	if s := d.status.Load(); s != nil {
		return *s
	}
	return haptics.DeviceStatus{Connected: true, Temperature: -1} // just opened
}

// Limits are the Inverse3's as far as they are known.
func (d *Device) Limits() haptics.DeviceLimits {
	l := haptics.DeviceLimits{
		MaxForce: maxForce, ContinuousForce: continuousForce, Stiffness: stiffness, Damping: damping, MaxSpeed: 1,
		RateHz: float64(d.opt.RateHz), Delay: 2 / float64(d.opt.RateHz), SlewRate: 400, SensedAxes: 3, DrivenAxes: 3,
	}
	// the box in the sphere of its reach
	h := reach / math.Sqrt(3)
	l.Min, l.Max = mgl64.Vec3{-h, -h, -h}, mgl64.Vec3{h, h, h}
	if d.grip.Load() {
		l.SensedAxes = 6
	}
	return l
}

// Probe asks the service for an Inverse3 and returns its id.
func Probe(opt Options) (id string, err error) {
	opt.URL = address(opt.URL)
	d := &Device{opt: opt}
	conn, r, err := d.dial(context.Background())
	if err != nil {
		return "", err
	}
	conn.Close(websocket.StatusNormalClosure, "")
	return r.device, nil
}
