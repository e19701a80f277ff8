package spacenav

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/haptics"
	"hapco/physics/machinery/testkit"
)

// daemon is a double of spacenavd.
type daemon struct {
	path string
	l    net.Listener
	mu   sync.Mutex
	c    []net.Conn
}

func startDaemon(t *testing.T, path string) *daemon {
	t.Helper()
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	d := &daemon{path: path, l: l}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			d.mu.Lock()
			d.c = append(d.c, c)
			d.mu.Unlock()
		}
	}()
	t.Cleanup(d.stop)
	return d
}

func (d *daemon) stop() {
	d.l.Close()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.c {
		c.Close()
	}
	d.c = nil
}

func record(w ...int32) []byte {
	var b bytes.Buffer
	for i := range 8 {
		v := int32(0)
		if i < len(w) {
			v = w[i]
		}
		binary.Write(&b, binary.NativeEndian, v)
	}
	return b.Bytes()
}

func (d *daemon) send(t *testing.T, b []byte) {
	t.Helper()
	testkit.Eventually(t, "a client", func() bool { d.mu.Lock(); defer d.mu.Unlock(); return len(d.c) > 0 })
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, err := d.c[len(d.c)-1].Write(b); err != nil {
		t.Fatal(err)
	}
}

// options point at an empty file system of the test's own.
func options(t *testing.T) (Options, func(string) bool) {
	t.Helper()
	var mu sync.Mutex
	var told []string
	o := DefaultOptions()
	o.root = t.TempDir()
	o.Socket = filepath.Join(o.root, "spnav.sock")
	o.Retry = 10 * time.Millisecond
	o.Notify = func(l string) { mu.Lock(); told = append(told, l); mu.Unlock() }
	return o, func(part string) bool {
		mu.Lock()
		defer mu.Unlock()
		return strings.Contains(strings.Join(told, "\n"), part)
	}
}

func open(t *testing.T, o Options) *Device {
	t.Helper()
	d, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func TestDaemon(t *testing.T) {
	o, _ := options(t)
	s := startDaemon(t, o.Socket)
	d := open(t, o)
	var dev haptics.Device = d
	dev.Read()
	s.send(t, record(0, 350, 0, 0, 0, 0, 0, 8))
	testkit.Eventually(t, "moves right", func() bool { return dev.Read().Pose.Position[0] > 0.01 })
	if v := dev.Read().Velocity; math.Abs(v[0]-0.1) > 1e-12 || v[1] != 0 || v[2] != 0 {
		t.Errorf("velocity %v at full deflection, want 0.1 to the right", v)
	}
	s.send(t, record(1, 0))
	s.send(t, record(1, 5))
	s.send(t, record(4, 1, 2, 3)) // a record of a newer protocol
	s.send(t, record(1, 77))      // a button that no mask holds
	testkit.Eventually(t, "buttons", func() bool { return dev.Read().Buttons == 1|1<<5 })
	s.send(t, record(2, 0))
	testkit.Eventually(t, "button let go", func() bool { return dev.Read().Buttons == 1<<5 })
	s.send(t, record(0))
	testkit.Eventually(t, "rests", func() bool { return dev.Read().Velocity == mgl64.Vec3{} })
	at := dev.Read().Pose.Position
	for range 100 {
		if now := dev.Read().Pose.Position; now != at {
			t.Fatalf("drifts from %v to %v at rest", at, now)
		}
	}
	if st := d.Status(); !st.Connected || st.Message != "" || !strings.Contains(dev.Name(), "spacenavd") {
		t.Errorf("status %+v of %s", st, dev.Name())
	}
}

func TestDaemonDiesAndComesBack(t *testing.T) {
	o, told := options(t)
	s := startDaemon(t, o.Socket)
	d := open(t, o)
	s.send(t, record(0, 0, 350))
	s.send(t, record(1, 1))
	testkit.Eventually(t, "moves up", func() bool { r := d.Read(); return r.Pose.Position[1] > 0.005 && r.Buttons == 2 })
	s.send(t, record(0, 0, 350)[:13]) // dies in the middle of a record
	s.stop()
	testkit.Eventually(t, "lost", func() bool { return d.Read().Lost })
	r := d.Read()
	if r.Velocity != (mgl64.Vec3{}) || r.Buttons != 0 || d.Status().Connected || !strings.Contains(d.Status().Message, "is gone") {
		t.Errorf("lost, but %+v, %+v", r, d.Status())
	}
	os.Remove(o.Socket)
	s = startDaemon(t, o.Socket)
	testkit.Eventually(t, "back", func() bool { return !d.Read().Lost && told("is back") })
	if v := d.Read().Velocity; v != (mgl64.Vec3{}) {
		t.Errorf("moves at %v after coming back", v)
	}
	s.send(t, record(0, 0, -350))
	testkit.Eventually(t, "moves down", func() bool { return d.Read().Velocity[1] < -0.09 })
}

// A wall of 2000 N/m at the start: full deflection must settle at Push newtons,
// and letting go must bring the force back to nothing.
func TestPushAgainstAWall(t *testing.T) {
	o := DefaultOptions()
	d := still(o)
	for _, c := range []struct {
		counts int32
		force  float64
	}{{-350, 3}, {-175, 3 * math.Pow((0.5-0.07)/0.93, 2)}, {0, 0}} {
		d.axes[1].Store(c.counts)
		var f float64
		for range 4000 {
			s := d.advance(1e-3, 0)
			// the spring against a stylus that the wall holds
			f = math.Max(0, -o.Spring*s.Pose.Position[1])
			d.Write(mgl64.Vec3{0, f, 0})
		}
		if math.Abs(f-c.force) > 1e-3 {
			t.Errorf("%d counts: %v N, want %v", c.counts, f, c.force)
		}
	}
	d.Write(mgl64.Vec3{math.NaN(), 0, 0})
	if s := d.advance(1e-3, 0); math.IsNaN(s.Pose.Position[0]) {
		t.Error("a NaN force moves the hand")
	}
	d.Write(mgl64.Vec3{1e300, 1e300, 0})
	if s := d.advance(1e-3, 0); !(s.Velocity.Len() <= o.Speed*(1+1e-9)) {
		t.Errorf("a huge force moves the hand at %v", s.Velocity)
	}
}

// still is a device without a line, for tests that bring their own time.
func still(o Options) *Device {
	return &Device{opt: o, pose: o.Start}
}

func TestRate(t *testing.T) {
	const full, dead, most = 350, 0.07, 0.1
	if v := rate(mgl64.Vec3{0.06 * full, 0, 0}, full, dead, most); v != (mgl64.Vec3{}) {
		t.Errorf("moves in the dead zone: %v", v)
	}
	last := 0.0
	for u := 0.0; u < 2; u += 0.01 {
		dir := mgl64.Vec3{1, 2, -2}.Mul(1.0 / 3)
		v := rate(dir.Mul(u*full), full, dead, most)
		if v.Len() < last-1e-15 || v.Len() > most*(1+1e-12) {
			t.Fatalf("at %v: speed %v after %v", u, v.Len(), last)
		}
		if v.Len() > 0 && v.Normalize().Sub(dir).Len() > 1e-9 {
			t.Fatalf("direction %v", v)
		}
		last = v.Len()
	}
	if last != most && math.Abs(last-most) > 1e-12 {
		t.Errorf("full speed %v", last)
	}
}

func TestTurnsAndStaysInItsBox(t *testing.T) {
	o := DefaultOptions()
	d := still(o)
	d.axes[4].Store(350) // about y, one rad/s
	d.axes[0].Store(350)
	var s haptics.State
	for range 3000 {
		s = d.advance(1e-3, 0)
	}
	if want := mgl64.QuatRotate(3, mgl64.Vec3{0, 1, 0}); !s.Pose.Rotation.OrientationEqualThreshold(want, 1e-6) {
		t.Errorf("rotation %v, want %v", s.Pose.Rotation, want)
	}
	if s.Pose.Position != (mgl64.Vec3{0.1, 0, 0}) || s.Velocity[0] != 0 {
		t.Errorf("at %v with %v, want the edge of the box", s.Pose.Position, s.Velocity)
	}
}

func input(kind, code uint16, value int32) []byte {
	b := make([]byte, inputEventSize)
	binary.NativeEndian.PutUint16(b[16:], kind)
	binary.NativeEndian.PutUint16(b[18:], code)
	binary.NativeEndian.PutUint32(b[20:], uint32(value))
	return b
}

// kernel makes a file system with one SpaceMouse, whose event device is a pipe.
func kernel(t *testing.T, root string) string {
	t.Helper()
	for path, text := range map[string]string{
		"sys/class/input/event0/device/id/vendor":  "046d\n",
		"sys/class/input/event0/device/id/product": "c52b\n", // a mouse
		"sys/class/input/event7/device/id/vendor":  "256f\n",
		"sys/class/input/event7/device/id/product": "c635\n",
		"sys/class/input/event7/device/name":       "3Dconnexion SpaceMouse Compact\n",
		"sys/class/input/event9/device/name":       "no numbers\n",
	} {
		p := filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	node := filepath.Join(root, "dev/input/event7")
	if err := os.MkdirAll(filepath.Dir(node), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(node, 0o644); err != nil {
		t.Fatal(err)
	}
	return node
}

func TestKernelDevice(t *testing.T) {
	o, told := options(t)
	node := kernel(t, o.root)
	w, err := os.OpenFile(node, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	d := open(t, o)
	if n := d.Name(); !strings.Contains(n, "SpaceMouse Compact") {
		t.Errorf("name %q", n)
	}
	d.Read()
	// the kernel's +z is down: pushed down goes to the world's -y
	keep := func(cond func() bool, what string) {
		t.Helper()
		testkit.Eventually(t, what, func() bool {
			w.Write(bytes.Join([][]byte{input(evRel, 2, 350), input(evSyn, 0, 0)}, nil))
			return cond()
		})
	}
	keep(func() bool { return d.Read().Velocity[1] < -0.09 }, "moves down")
	w.Write(input(evKey, firstButton+1, 1))
	keep(func() bool { return d.Read().Buttons == 2 }, "button")
	// relative axes say nothing at rest
	testkit.Eventually(t, "rests", func() bool { return d.Read().Velocity == mgl64.Vec3{} })
	// unplugged: the node goes, and its reader sees the end
	os.Remove(node)
	w.Close()
	testkit.Eventually(t, "lost", func() bool { return d.Read().Lost && told("is gone") })
	if err := syscall.Mkfifo(node, 0o644); err != nil {
		t.Fatal(err)
	}
	if w, err = os.OpenFile(node, os.O_RDWR, 0); err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	testkit.Eventually(t, "back", func() bool { return !d.Read().Lost })
}

func TestKernelAxes(t *testing.T) {
	e := fromKernel(event{kind: motion, axes: [6]int32{1, 2, 3, 4, 5, 6}, which: allAxes})
	if e.axes != [6]int32{1, -3, 2, 4, -6, 5} || e.which != allAxes {
		t.Errorf("%+v", e)
	}
	e = fromKernel(event{kind: motion, axes: [6]int32{0, 0, 9, 0, 0, 0}, which: 1 << 2})
	if e.axes[1] != -9 || e.which != 1<<1 {
		t.Errorf("%+v", e)
	}
}

func TestNothingThere(t *testing.T) {
	o, _ := options(t)
	_, err := Open(o)
	oneLine(t, err, "no spacenavd", "start spacenavd")
	_, err = Probe(o)
	oneLine(t, err, "no SpaceMouse")
	kernel(t, o.root)
	o.open = func(p string) (*os.File, error) {
		return nil, &fs.PathError{Op: "open", Path: p, Err: fs.ErrPermission}
	}
	_, err = Open(o)
	oneLine(t, err, "uaccess", "event7")
	if !errors.Is(err, fs.ErrPermission) {
		t.Errorf("%v does not say that it is about rights", err)
	}
	o.Speed = math.NaN()
	_, err = Open(o)
	oneLine(t, err, "Speed")
	o = DefaultOptions()
	o.Axes = mgl64.Mat3{1, 0, 0, 1, 0, 0, 0, 0, 1}
	_, err = Open(o)
	oneLine(t, err, "axes")
}

func oneLine(t *testing.T, err error, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if err == nil || !strings.Contains(err.Error(), p) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want one line with %q", err, p)
		}
	}
}

func TestCloseAndAfter(t *testing.T) {
	o, _ := options(t)
	startDaemon(t, o.Socket)
	d := open(t, o)
	if name, err := Probe(o); err != nil || !strings.Contains(name, "spacenavd") {
		t.Errorf("Probe: %q, %v", name, err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if err := d.Write(mgl64.Vec3{}); !errors.Is(err, errClosed) {
		t.Errorf("Write after Close: %v", err)
	}
	if !d.Read().Lost || d.Status().Connected {
		t.Error("closed, but connected")
	}
}

func TestReadDoesNotAllocate(t *testing.T) {
	d := still(DefaultOptions())
	d.now = func() int64 { return 1 }
	d.axes[0].Store(200)
	d.axes[4].Store(200)
	if n := testing.AllocsPerRun(1000, func() { d.advance(1e-3, 0); d.Read(); d.Write(mgl64.Vec3{1, 0, 0}) }); n != 0 && !testkit.Race {
		t.Errorf("%v allocations a tick", n)
	}
}

func FuzzStreams(f *testing.F) {
	f.Add(record(0, 1, 2, 3, 4, 5, 6, 8))
	f.Add(append(record(1, -3), record(2, math.MaxInt32)...))
	f.Add(bytes.Join([][]byte{input(evAbs, 0, -350), input(evKey, 0x11f, 1), input(evSyn, 0, 0)}, nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, read := range []func(*bytes.Reader, *Device) error{
			func(r *bytes.Reader, d *Device) error { return readRecords(r, d.take) },
			func(r *bytes.Reader, d *Device) error { return readEvents(r, d.take) },
		} {
			d := still(DefaultOptions())
			d.now = func() int64 { return 1 }
			if read(bytes.NewReader(data), d) == nil {
				t.Fatal("an end without an error")
			}
			for range 5 {
				s := d.advance(1e-2, 1)
				if !(s.Pose.Position.Len() <= 1) || !(s.Velocity.Len() <= 0.1001) || math.Abs(s.Pose.Rotation.Len()-1) > 1e-9 {
					t.Fatal(fmt.Sprint(s))
				}
			}
		}
	})
}
