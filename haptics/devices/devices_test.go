package devices

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/haptics"
	"hapco/haptics/haply"
	"hapco/haptics/mapping"
	"hapco/haptics/phantom"
	"hapco/haptics/spacenav"
	"hapco/physics/frame"
	"hapco/physics/machinery/testkit"
)

var double string // of libHD

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "devices")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	double = filepath.Join(dir, "libHD.so")
	source := filepath.Join("..", "phantom", "internal", "fakehd", "lib", "fakehd.c")
	out, err := exec.Command("gcc", "-shared", "-fPIC", "-O1", "-Wl,-soname,libHD.so.3.4", source, "-o", double, "-lm", "-lpthread").CombinedOutput()
	if err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
		return 1
	}
	// nothing of this machine's own devices takes part
	os.Setenv(phantom.LibraryVariable, filepath.Join(dir, "none.so"))
	os.Setenv(haply.URLVariable, "ws://127.0.0.1:1")
	os.Setenv(spacenav.SocketVariable, filepath.Join(dir, "none.sock"))
	os.Setenv("FAKEHD_HAND", "2") // presses 20 mm down; read when the double is loaded
	return m.Run()
}

func TestMouseAndVirtual(t *testing.T) {
	start := frame.At(mgl64.Vec3{0.1, 0.2, 0.3})
	for _, kind := range []string{"mouse", "virtual"} {
		dev, message, err := Open(kind, Options{Start: start})
		if err != nil || message == "" {
			t.Fatalf("%s: %q, %v", kind, message, err)
		}
		if p := dev.Read().Pose.Position; p.Sub(start.Position).Len() > 1e-3 {
			t.Errorf("%s starts at %v", kind, p)
		}
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestAutoFallsBackAndSaysWhy(t *testing.T) {
	dev, message, err := Open("auto", Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	if dev.Name() != "mouse" || !strings.Contains(message, "libHD") || !strings.Contains(message, "haply") || strings.Contains(message, "\n") {
		t.Errorf("%s: %q", dev.Name(), message)
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		kind string
		opt  Options
		part string
	}{
		{"novelty", Options{}, "choose auto"}, {"phantom", Options{}, "OpenHaptics"}, {"haply", Options{}, "start it"},
		{"spacenav", Options{}, "spacenavd"}, {"mouse", Options{Axes: "x,y"}, "name three"}, {"mouse", Options{Scale: -1}, "scale"},
		{"mouse", Options{Gravity: math.NaN()}, "gravity"},
	} {
		_, _, err := Open(c.kind, c.opt)
		if err == nil || !strings.Contains(err.Error(), c.part) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", c.kind, err)
		}
	}
}

func TestList(t *testing.T) {
	list := List()
	var b bytes.Buffer
	if err := Print(&b, list); err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{"mouse": true, "virtual": true}
	for _, e := range list {
		if e.Present != there[e.Kind] || e.Detail == "" || !strings.Contains(b.String(), e.Detail) {
			t.Errorf("%+v", e)
		}
	}
	if n := strings.Count(b.String(), "\n"); n != 6 {
		t.Errorf("%d lines:\n%s", n, b.String())
	}
	t.Setenv(phantom.LibraryVariable, double)
	for _, e := range List() {
		if e.Kind == "phantom" && (!e.Present || !strings.Contains(e.Detail, "Touch") || !strings.Contains(e.Detail, "3.3 N")) {
			t.Errorf("%+v", e)
		}
	}
}

// The whole way: the double of libHD through the registry, mapped into a scene,
// under the servo in C that its scheduler calls, against a floor that physics
// publishes as a contact model.
func TestPhantomUnderTheServo(t *testing.T) {
	t.Setenv(phantom.LibraryVariable, double)
	low, high := mgl64.Vec3{1, 0, 0}, mgl64.Vec3{1.16, 0.12, 0.07} // the double's own box, moved: scale 1
	dev, message, err := Open("auto", Options{Low: low, High: high})
	if err != nil || message != "Touch" {
		t.Fatalf("%q, %v", message, err)
	}
	l := dev.(haptics.Limited).Limits()
	if l.Min.Sub(low).Len() > 1e-12 || l.Max.Sub(high).Len() > 1e-12 {
		t.Fatalf("workspace %v to %v", l.Min, l.Max)
	}
	s, err := Servo(dev, 1000)
	if err != nil {
		t.Fatal(err)
	}
	p := haptics.DefaultParams(l, 1000)
	s.SetParams(p)
	ran := make(chan error, 1)
	go func() { ran <- s.Run() }()

	// The floor stands in the middle of the box, compliant by 1/200 m/N; the hand
	// goes from 20 mm above it to 20 mm below.
	const floor, stiffness = 0.06, 200.0
	var seq uint64
	publish := func() {
		sample, fresh := s.Sample()
		if !fresh {
			return
		}
		m := s.Models().Back()
		seq++
		m.Origin, m.Rotation, m.Length = sample.Stylus.Position, sample.Stylus.Rotation, 0.01
		m.Sequence, m.Tick, m.Period = seq, sample.Tick, 5*time.Millisecond
		gap := sample.Stylus.Position.Y() - floor
		if gap > 0.01 {
			m.SetN(0)
			s.Models().Publish()
			return
		}
		m.SetN(1)
		m.Arm[0] = mgl64.Vec3{}
		m.Frame[0] = [3]mgl64.Vec3{{0, 1, 0}, {1, 0, 0}, {0, 0, 1}}
		m.Mu[0] = 0.3
		clear(m.W)
		for i := range 3 {
			m.W[4*i] = 1 / stiffness
		}
		clear(m.Free)
		clear(m.R)
		m.Free[0] = gap
		m.R[0] = math.Max(0, -gap*stiffness)
		m.FillRigid()
		s.Models().Publish()
	}
	var st haptics.Stats
	testkit.Eventually(t, "the floor", func() bool { publish(); st = s.Stats(); return st.Force.Y() > 1.5 })
	if f := st.Force.Len(); f > p.MaxForce*(1+1e-9) {
		t.Errorf("force %v over the limit %v", f, p.MaxForce)
	}
	if force := dev.(*phantom.Device).Extra().Force.Y(); !(force > 0) {
		t.Errorf("the servo says %v N, the driver sent %v", st.Force, force)
	}
	if x := st.Last.Position; math.Abs(x[0]-1.08) > 0.01 || math.Abs(x[1]-floor) > 0.03 {
		t.Errorf("the stylus is at %v", x)
	}
	dev.(mapping.Mapper).SetClutch(true)
	sent := func() mgl64.Vec3 { return dev.(*phantom.Device).Extra().Force }
	testkit.Eventually(t, "no force with the clutch open", func() bool { return sent().Len() == 0 })
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
	if err := <-ran; err != nil {
		t.Error(err)
	}
	if d := dev.(haptics.StatusReporter).Status(); d.Connected {
		t.Errorf("Stop leaves the device open: %+v", d)
	}
}
