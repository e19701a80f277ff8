package haply

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/go-gl/mathgl/mgl64"

	"hapco/haptics"
	"hapco/physics/machinery/testkit"
)

// double is a service with one Inverse3: a point of 0.2 kg held by a hand of
// 300 N/m, moved by the force it is told.
type double struct {
	*httptest.Server
	mu       sync.Mutex
	session  bool   // speaks like 3.5
	key      string // word under which it takes a force
	absent   bool
	junk     bool
	silent   bool
	delay    time.Duration
	gone     bool   // answers, but without the device
	status   string // JSON of the status object
	target   [3]float64
	grip     string
	x, v, f  [3]float64
	messages int
	hellos   int
	peak     float64
	last     string
	heard    func() // after each message; nil: nothing
	conns    map[*websocket.Conn]bool
}

func start(t *testing.T) *double {
	s := &double{session: true, key: keyVector, status: `{"calibrated":true,"power_supply":true,"ready":true}`, conns: map[*websocket.Conn]bool{}}
	s.target = [3]float64{0, -0.12, 0.15}
	s.x = s.target
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *double) url() string { return "ws" + strings.TrimPrefix(s.URL, "http") }

func (s *double) set(f func()) {
	s.mu.Lock()
	f()
	s.mu.Unlock()
}

func (s *double) hangUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		c.CloseNow()
	}
}

func (s *double) serve(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer conn.CloseNow()
	s.set(func() { s.conns[conn] = true })
	defer s.set(func() { delete(s.conns, conn) })
	ctx := context.Background()
	s.mu.Lock()
	first := s.message(true)
	s.mu.Unlock()
	if conn.Write(ctx, websocket.MessageText, []byte(first)) != nil {
		return
	}
	for {
		_, data, err := conn.Read(ctx)
		if err != nil {
			s.set(func() { s.f = [3]float64{} }) // a device that hears nothing idles
			return
		}
		s.mu.Lock()
		s.step(data)
		answer, delay, silent := s.message(false), s.delay, s.silent
		s.mu.Unlock()
		time.Sleep(delay)
		if silent {
			continue
		}
		if conn.Write(ctx, websocket.MessageText, []byte(answer)) != nil {
			return
		}
	}
}

func (s *double) step(data []byte) {
	s.messages++
	s.last = string(data)
	var m struct {
		Session  *json.RawMessage
		Inverse3 []struct {
			DeviceID string `json:"device_id"`
			Commands map[string]map[string]struct{ X, Y, Z float64 }
		}
	}
	if err := json.Unmarshal(data, &m); err != nil || len(m.Inverse3) != 1 || m.Inverse3[0].DeviceID != "049D" {
		panic(fmt.Sprintf("the client sent %s: %v", data, err))
	}
	if m.Session != nil {
		s.hellos++
	}
	s.f = [3]float64{}
	if f, ok := m.Inverse3[0].Commands["set_cursor_force"][s.key]; ok {
		s.f = [3]float64{f.X, f.Y, f.Z}
	}
	s.peak = max(s.peak, mgl64.Vec3(s.f).Len())
	if s.heard != nil {
		s.heard()
	}
	const dt, mass, k, b = 1e-3, 0.2, 300, 8
	for i := range 3 {
		a := (s.f[i] + k*(s.target[i]-s.x[i]) - b*s.v[i]) / mass
		s.v[i] += dt * a
		s.x[i] += dt * s.v[i]
	}
}

func vec(v [3]float64) string { return fmt.Sprintf(`{"x":%v,"y":%v,"z":%v}`, v[0], v[1], v[2]) }

func (s *double) message(first bool) string {
	if s.junk && !first {
		return `{"inverse3": [{"device_id": "049D", "state": {`
	}
	if s.absent || (s.gone && !first) {
		return `{"inverse3":[],"wireless_verse_grip":[]}`
	}
	head := ""
	if first && s.session {
		head = `"session_id":7,`
	}
	if first {
		head += `"unknown_future":{"a":[1,2]},`
	}
	return fmt.Sprintf(`{%s"inverse3":[{"device_id":"049D","state":{"cursor_position":%s,"cursor_velocity":%s,"current_cursor_force":%s},"status":%s}]%s}`,
		head, vec(s.x), vec(s.v), vec(s.f), s.status, s.grip)
}

func open(t *testing.T, s *double, opt Options) (*Device, func(part string) bool) {
	t.Helper()
	var mu sync.Mutex
	var told []string
	opt.URL = s.url()
	opt.Retry = 20 * time.Millisecond
	opt.Notify = func(l string) { mu.Lock(); told = append(told, l); mu.Unlock() }
	d, err := Open(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d, func(part string) bool {
		mu.Lock()
		defer mu.Unlock()
		return strings.Contains(strings.Join(told, "\n"), part)
	}
}

// press keeps a floor under the device and runs until cond.
func press(t *testing.T, d *Device, what string, cond func() bool) {
	t.Helper()
	testkit.Eventually(t, what, func() bool {
		s := d.Read()
		var f mgl64.Vec3
		if depth := -s.Pose.Position[1]; depth > 0 && !s.Lost {
			f[1] = 200 * depth
		}
		d.Write(f)
		return cond()
	})
}

func (s *double) force() [3]float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.f
}

// The hand pulls the tip 20 mm down: at rest 200 d = 300 (0.02 - d), so 2.4 N
// up, which is the service's +z.
func TestPress(t *testing.T) {
	for _, c := range []struct {
		name    string
		session bool
		key     string
	}{{"3.5", true, keyVector}, {"3.4", false, keyValues}, {"a 3.5 that kept the old word", true, keyValues}, {"a 3.4 with the new word", false, keyVector}} {
		t.Run(c.name, func(t *testing.T) {
			s := start(t)
			s.session, s.key = c.session, c.key
			d, _ := open(t, s, Options{})
			s.set(func() { s.target[2] -= 0.02 })
			press(t, d, "2.4 N at rest", func() bool {
				p := d.Read()
				return math.Abs(s.force()[2]-2.4) < 0.05 && !p.Lost && math.Abs(p.Pose.Position[1]+0.012) < 0.3e-3 && p.Velocity.Len() < 0.01
			})
			t.Logf("%.0f exchanges a second", d.Status().RateHz)
			if st := d.Status(); !st.Connected || !st.Ready || !st.ForceOn {
				t.Errorf("status %+v", st)
			}
			if c.session != (s.hellos == 1) {
				t.Errorf("%d greetings", s.hellos)
			}
			d.Close()
			if s.force() != [3]float64{} {
				t.Errorf("force %v is left after Close", s.force())
			}
			if err := d.Write(mgl64.Vec3{}); !errors.Is(err, errClosed) {
				t.Errorf("Write after Close: %v", err)
			}
		})
	}
}

// A circle of axes: what goes in by one axis comes out by it.
func TestAxes(t *testing.T) {
	s := start(t)
	s.target = [3]float64{0.01, -0.10, 0.18}
	s.x = s.target
	s.grip = `,"wireless_verse_grip":[{"state":{"orientation":{"w":0.7071067811865476,"x":0,"y":0,"z":0.7071067811865476},"buttons":{"a":true,"c":true}}}]`
	d, _ := open(t, s, Options{})
	r := d.Read()
	want := mgl64.Vec3{0.01, 0.03, -0.02} // right, up, away from the operator
	if r.Pose.Position.Sub(want).Len() > 1e-12 {
		t.Errorf("position %v, want %v", r.Pose.Position, want)
	}
	// a quarter turn about the service's z is one about the world's y
	if q := mgl64.QuatRotate(math.Pi/2, mgl64.Vec3{0, 1, 0}); !r.Pose.Rotation.OrientationEqualThreshold(q, 1e-9) {
		t.Errorf("rotation %v, want %v", r.Pose.Rotation, q)
	}
	if r.Buttons != 5 || d.Limits().SensedAxes != 6 {
		t.Errorf("buttons %b, %d axes", r.Buttons, d.Limits().SensedAxes)
	}
	testkit.Eventually(t, "the force in the service's axes", func() bool {
		d.Write(mgl64.Vec3{0.1, 0.2, 0.3})
		f := s.force()
		return math.Abs(f[0]-0.1) < 1e-6 && math.Abs(f[1]+0.3) < 1e-6 && math.Abs(f[2]-0.2) < 1e-6
	})
	if _, err := Open(Options{Axes: mgl64.Mat3{1, 0, 0, 1, 0, 0, 0, 0, 1}}); err == nil {
		t.Error("axes that are no rotation were taken")
	}
	if _, err := Open(Options{Axes: mgl64.Mat3{-1, 0, 0, 0, 1, 0, 0, 0, 1}}); err == nil {
		t.Error("mirrored axes were taken")
	}
}

func TestForceIsBoundedAndFades(t *testing.T) {
	s := start(t)
	d, _ := open(t, s, Options{MaxForce: 2})
	hostile := []mgl64.Vec3{{math.NaN(), 0, 0}, {math.Inf(1), 0, 0}, {1e300, -1e300, 0}, {50, 0, 0}, {0, -7, 3}}
	told, peak := 0, 0.0
	testkit.Eventually(t, "2 N", func() bool {
		d.Write(hostile[told%len(hostile)])
		told++
		s.set(func() { peak = s.peak })
		return told >= 400 && peak >= 1.9
	})
	if !(peak <= 2*(1+1e-8)) {
		t.Errorf("peak force %v N, want up to 2", peak)
	}
	testkit.Eventually(t, "the end of a command that is not renewed", func() bool { return s.force() == [3]float64{} })
	if d.bad.Load() == 0 {
		t.Error("commands that are not finite were not counted")
	}
}

func TestServiceIsKilledAndComesBack(t *testing.T) {
	s := start(t)
	d, told := open(t, s, Options{})
	s.set(func() { s.target[2] -= 0.02 })
	press(t, d, "force", func() bool { return s.force()[2] > 2 })
	s.set(func() { s.absent = true })
	s.hangUp()
	press(t, d, "lost", func() bool { return d.Read().Lost && !d.Status().Connected })
	if v := d.Read(); v.Velocity != (mgl64.Vec3{}) || v.Pose.Position[1] > 0 || v.Pose.Position[1] < -0.025 || v != d.Read() { // where it was, whether the force held it or not
		t.Errorf("read %+v while lost", v)
	}
	press(t, d, "no force", func() bool { return s.force() == [3]float64{} })
	if !strings.Contains(d.Status().Message, "closed the connection") || !errors.Is(d.Write(mgl64.Vec3{}), errLost) {
		t.Errorf("status %+v", d.Status())
	}
	s.set(func() { s.absent = false; s.peak = 0 })
	press(t, d, "back", func() bool { return !d.Read().Lost && s.force()[2] > 2 })
	if !told("is back") {
		t.Error("the operator was not told")
	}
}

func TestDeviceIsUnplugged(t *testing.T) {
	s := start(t)
	d, told := open(t, s, Options{})
	s.set(func() { s.target[2] -= 0.02 })
	press(t, d, "force", func() bool { return s.force()[2] > 2 })
	s.set(func() { s.gone, s.absent = true, true })
	press(t, d, "lost", func() bool { return d.Read().Lost && !d.Status().Connected })
	press(t, d, "told", func() bool { return told("no longer sees the Inverse3") })
	s.set(func() { s.gone, s.absent = false, false })
	press(t, d, "back", func() bool { return !d.Read().Lost && s.force()[2] > 2 })
}

func TestMalformedAnswers(t *testing.T) {
	s := start(t)
	d, told := open(t, s, Options{})
	s.set(func() { s.junk = true })
	testkit.Eventually(t, "junk", func() bool { return d.Unreadable() > 0 })
	s.set(func() { s.junk = false })
	press(t, d, "goes on", func() bool { return !d.Read().Lost && d.Unreadable() > 0 })
	s.set(func() { s.junk = true })
	press(t, d, "gives up", func() bool { return told("cannot be read") })
	s.set(func() { s.junk = false })
	press(t, d, "back", func() bool { return !d.Read().Lost })
}

func TestSlowService(t *testing.T) {
	s := start(t)
	s.delay = 12 * time.Millisecond
	d, told := open(t, s, Options{})
	press(t, d, "told", func() bool { return told("slowly") && strings.Contains(d.Status().Message, "ms") })
	s.set(func() { s.silent = true })
	press(t, d, "lost", func() bool { return d.Read().Lost && told("has not answered") })
	s.set(func() { s.silent = false; s.delay = 0 })
	press(t, d, "back", func() bool { return !d.Read().Lost })
}

func TestStatusWords(t *testing.T) {
	s := start(t)
	s.status = `{"calibrated":true,"power_supply":false}`
	d, _ := open(t, s, Options{})
	says := func(part string) {
		t.Helper()
		testkit.Eventually(t, part, func() bool {
			d.Write(mgl64.Vec3{1, 0, 0})
			return strings.Contains(d.Status().Message, part) && (part == "") == d.Status().ForceOn
		})
		if part != "" && s.force() != [3]float64{} {
			t.Errorf("force %v with %q", s.force(), part)
		}
	}
	says("power supply")
	s.set(func() { s.status = `{"calibrated":false,"power_supply":true}` })
	says("not calibrated")
	if !d.Read().Lost {
		t.Error("the pose of a device that is not calibrated is trusted")
	}
	s.set(func() { s.status = `{"calibrated":true,"ready":false}` })
	says("not ready")
	s.set(func() { s.status = `{"ready":true}` })
	says("")
	testkit.Eventually(t, "force", func() bool { d.Write(mgl64.Vec3{1, 0, 0}); return s.force()[0] > 0.99 })
}

func TestNobodyThere(t *testing.T) {
	s := start(t)
	url := s.url()
	s.absent = true
	_, err := Open(Options{URL: url})
	oneLine(t, err, "USB cable")
	s.absent = false
	_, err = Open(Options{URL: url, DeviceID: "FFFF"})
	oneLine(t, err, `"FFFF"`)
	if id, err := Probe(Options{URL: url}); err != nil || id != "049D" {
		t.Errorf("Probe: %q, %v", id, err)
	}
	s.Close()
	_, err = Open(Options{URL: url})
	oneLine(t, err, "start it")
	_, err = Probe(Options{URL: url})
	oneLine(t, err, "start it")
	_, err = Open(Options{URL: url, RateHz: 9})
	oneLine(t, err, "100 to 4000")
	_, err = Open(Options{URL: url, MaxForce: math.Inf(1)})
	oneLine(t, err, "finite")

	mute := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, err := websocket.Accept(w, r, nil); err == nil {
			c.Write(context.Background(), websocket.MessageText, []byte("hello"))
			c.CloseNow()
		}
	}))
	defer mute.Close()
	_, err = Open(Options{URL: "ws" + strings.TrimPrefix(mute.URL, "http")})
	oneLine(t, err, "3.1 or later")
}

func oneLine(t *testing.T, err error, part string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), part) || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v, want one line with %q", err, part)
	}
}

func TestServoPathDoesNotAllocate(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector allocates")
	}
	// Only Read and Write: the exchange has a goroutine of its own. AllocsPerRun
	// counts the whole program, so the device here has none.
	d := &Device{states: newStates(), forces: newForces()}
	var dev haptics.Device = d
	var st haptics.State
	if n := testing.AllocsPerRun(1000, func() { st = dev.Read(); dev.Write(mgl64.Vec3{1, 0, 0}) }); n != 0 {
		t.Errorf("%v allocations a tick", n)
	}
	_ = st
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ in, err string }{
		{``, "not a message"},
		{`[]`, "not a message"},
		{`{}`, "no Inverse3"},
		{`{"inverse3":[{"device_id":"B"}]}`, "no Inverse3"},
		{`{"inverse3":[{"device_id":"A","state":{"cursor_position":{"x":1}}}]}`, "lacks"},
		{`{"inverse3":[{"device_id":"A","state":{"cursor_position":{"x":1e9,"y":0,"z":0}}}]}`, "bounds"},
		{`{"inverse3":[{"device_id":"A","state":{"cursor_position":{"x":1e999,"y":0,"z":0}}}]}`, "not a message"},
		{`{"inverse3":[{"device_id":"A","state":{"cursor_position":{"x":"1","y":0,"z":0}}}]}`, "not a message"},
		{`{"inverse3":[{"device_id":"A"}]}`, ""},
		{`{"inverse3":[{"device_id":"B"},{"device_id":"A","state":null,"status":null,"config":null}],"verse_grip":[{"state":{"button":true}}]}`, ""},
	} {
		r, err := parse([]byte(c.in), "A")
		if (err == nil) != (c.err == "") || (err != nil && !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s: %v", c.in, err)
		}
		if err == nil && r.device != "A" {
			t.Errorf("%s: device %q", c.in, r.device)
		}
	}
}

func FuzzParse(f *testing.F) {
	s := &double{session: true, status: `{"calibrated":true}`}
	f.Add([]byte(s.message(true)), "049D")
	s.grip = `,"verse_grip":[{"state":{"button":true,"orientation":{"w":1,"x":0,"y":0,"z":0}}}]`
	f.Add([]byte(s.message(false)), "")
	f.Add([]byte(`{"inverse3":[{"device_id":"A","state":{"cursor_position":{"x":1,"y":2,"z":3}}}]}`), "A")
	f.Fuzz(func(t *testing.T, data []byte, want string) {
		r, err := parse(data, want)
		if err != nil {
			return
		}
		if r.device == "" || (want != "" && r.device != want) {
			t.Fatalf("device %q for %q", r.device, want)
		}
		for i := range 3 {
			if !(math.Abs(r.position[i]) <= furthest) || !(math.Abs(r.velocity[i]) <= furthest) {
				t.Fatalf("out of bounds: %+v", r)
			}
		}
		if q := r.orientation; r.hasGrip && math.Abs(q[0]*q[0]+q[1]*q[1]+q[2]*q[2]+q[3]*q[3]-1) > 1e-9 {
			t.Fatalf("orientation %v", q)
		}
		id, _ := json.Marshal(r.device)
		if out := appendForce(nil, id, keyVector, [3]float64{1, -2.5e-9, 3}, true); !json.Valid(out) {
			t.Fatalf("command %s", out)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	s := &double{status: `{"calibrated":true}`, grip: `,"wireless_verse_grip":[{"state":{"orientation":{"w":1,"x":0,"y":0,"z":0},"buttons":{"a":true,"c":true}}}]`}
	msg := []byte(s.message(false))
	for b.Loop() {
		if _, err := parse(msg, "049D"); err != nil {
			b.Fatal(err)
		}
	}
}
