package phantom

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/haptics"
	"hapco/haptics/mapping"
	"hapco/haptics/phantom/internal/fakehd"
	"hapco/physics/machinery/testkit"
)

var (
	builds  string // where TestMain put the doubles
	libPath string
	fake    *fakehd.Fake
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	if _, err := exec.LookPath("gcc"); err != nil {
		fmt.Fprintln(os.Stderr, "phantom: tests need gcc for the double of libHD")
		return 1
	}
	dir, err := os.MkdirTemp("", "fakehd")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	builds = dir
	if libPath, err = fakehd.Build(dir, "libHD.so"); err == nil {
		fake, err = fakehd.Open(libPath)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// lines collects what a device tells the operator.
type lines struct {
	sync.Mutex
	all []string
}

func (l *lines) add(s string) {
	l.Lock()
	l.all = append(l.all, s)
	l.Unlock()
}

func (l *lines) has(part string) bool {
	l.Lock()
	defer l.Unlock()
	for _, s := range l.all {
		if strings.Contains(s, part) {
			return true
		}
	}
	return false
}

// fresh resets the double and turns knobs given as name, value, name, value.
func fresh(t *testing.T, knobs ...any) {
	t.Helper()
	fake.Reset()
	for i := 0; i < len(knobs); i += 2 {
		switch v := knobs[i+1].(type) {
		case int:
			fake.Set(knobs[i].(string), float64(v))
		case float64:
			fake.Set(knobs[i].(string), v)
		}
	}
}

// open opens the double and closes it with the test, checking that the library
// was only ever called where its rules allow it and that no force is left.
func open(t *testing.T, opt Options) (*Device, *lines) {
	t.Helper()
	told := &lines{}
	opt.Library = libPath
	opt.Notify = told.add
	if opt.Retry == 0 {
		opt.Retry = 30 * time.Millisecond
	}
	d, err := Open(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { shut(t, d) })
	return d, told
}

func shut(t *testing.T, d *Device) {
	t.Helper()
	if fake.Get("step") != 0 { // the last tick must come from somewhere
		end := make(chan struct{})
		go func() { d.Close(); close(end) }()
		for {
			select {
			case <-end:
				goto closed
			default:
				fake.Step(1)
				time.Sleep(time.Millisecond)
			}
		}
	}
closed:
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	for _, m := range []string{"foreign", "open", "running", "callbacks", "fx", "fy", "fz", "nan_seen"} {
		if v := fake.Get(m); v != 0 {
			t.Errorf("after Close: %s = %g, want 0", m, v)
		}
	}
}

// stepping puts the double's clock in the test's hand.
func stepping(t *testing.T) {
	t.Helper()
	fake.Set("step", 1)
	silence = time.Hour
	t.Cleanup(func() { silence = 500 * time.Millisecond })
}

func attach(t *testing.T, d *Device, height, k, b, mu float64) *fakehd.Floor {
	t.Helper()
	table := d.Table()
	f := fakehd.NewFloor(table.Self, table.Read, table.Write, height, k, b, mu)
	d.SetTick(f.Tick())
	t.Cleanup(func() {
		d.SetTick(nil, nil)
		f.Free()
	})
	return f
}

func force() mgl64.Vec3 { return mgl64.Vec3{fake.Get("fx"), fake.Get("fy"), fake.Get("fz")} }

// The hand's spring is 300 N/m and pulls to 20 mm below the floor of 200 N/m:
// at rest 200 d = 300 (0.02 - d), d = 12 mm, 2.4 N, but for the arm's dry
// friction, which may hold up to 0.26 N of difference.
func TestPressAndSlideAtOneKilohertz(t *testing.T) {
	fresh(t, "hand", 3)
	d, _ := open(t, Options{})
	floor := attach(t, d, 0, 200, 1, 0.5)
	testkit.Eventually(t, "press", func() bool { return fake.Get("fy") > 2.1 })
	testkit.Eventually(t, "slide", func() bool { _, _, slips := floor.Counts(); return slips > 100 })
	ticks := fake.Get("ticks")
	testkit.Eventually(t, "rest", func() bool { return fake.Get("ticks") > ticks+300 })
	f := force()
	if math.Abs(f[1]-2.4) > 0.3 {
		t.Errorf("normal force %.2f N, want 2.4", f[1])
	}
	if lateral := math.Hypot(f[0], f[2]); lateral > 0.5*f[1]*1.01 || lateral < 0.2*f[1] {
		t.Errorf("lateral force %.2f N against a cone of %.2f", lateral, 0.5*f[1])
	}
	s := d.Read()
	want := mgl64.Vec3{fake.Get("x"), fake.Get("y"), fake.Get("z")}
	if s.Lost || s.Pose.Position.Sub(want).Len() > 3e-3 {
		t.Errorf("read %v (lost %v), the arm is at %v", s.Pose.Position, s.Lost, want)
	}
	if n := s.Pose.Rotation.Len(); math.Abs(n-1) > 1e-12 {
		t.Errorf("rotation has length %v", n)
	}
	if st := d.Status(); !st.Connected || !st.Ready || !st.ForceOn || st.Message != "" {
		t.Errorf("status %+v", st)
	}
	if fake.Get("limits") != 31 {
		t.Errorf("a safety of the library is off: bits %v", fake.Get("limits"))
	}
}

// Rotation about z by angle must come out as the quaternion of that angle, in
// spite of the drift that the double puts on the matrix.
func TestPoseIsConverted(t *testing.T) {
	fresh(t, "hand", 1, "buttons", 3)
	stepping(t)
	d, _ := open(t, Options{})
	for range 200 {
		fake.Step(1)
		s := d.Read()
		angle := s.Pose.Position[0] * 1e3 * 0.01
		want := mgl64.QuatRotate(angle, mgl64.Vec3{0, 0, 1})
		if !s.Pose.Rotation.ApproxEqualThreshold(want, 1e-9) {
			t.Fatalf("rotation %v, want %v", s.Pose.Rotation, want)
		}
	}
	s := d.Read()
	if x := fake.Get("x"); math.Abs(s.Pose.Position[0]-x) > 0.0555e-3 {
		t.Errorf("x %v m, the arm is at %v m", s.Pose.Position[0], x)
	}
	if s.Buttons != 3 {
		t.Errorf("buttons %b", s.Buttons)
	}
	if g := d.Extra().Gimbal; g != (mgl64.Vec3{0.3, -0.2, 0.1}) {
		t.Errorf("gimbal %v", g)
	}
}

func TestLimitsPerModel(t *testing.T) {
	for i, want := range []struct {
		name              string
		force, continuous float64
		torque            float64
		driven            int
		stiffness         float64
		calibration       string
	}{
		{"Touch", 3.3, 0.88, 0, 3, 400, "inkwell"},
		{"PHANTOM Omni", 3.3, 0.88, 0, 3, 500, "inkwell"},
		{"Touch X", 7.9, 1.75, 0, 3, 1000, "automatic"},
		{"PHANTOM Desktop", 7.9, 1.75, 0, 3, 1000, "reset position"},
		{"PHANTOM Premium 1.5 6DOF", 8.5, 1.4, 0.188, 6, 800, "reset position"},
		{"PHANTOM Premium 3.0 6DOF", 22, 3.0, 0.188, 6, 1000, "reset position"},
	} {
		fresh(t, "model", i)
		info, l, err := Probe(Options{Library: libPath})
		if err != nil {
			t.Fatal(err)
		}
		if info.Model != want.name || !info.Known || info.Calibration != want.calibration {
			t.Errorf("%s: info %+v", want.name, info)
		}
		if l.MaxForce != want.force || l.ContinuousForce != want.continuous || math.Abs(l.MaxTorque-want.torque) > 1e-12 ||
			l.DrivenAxes != want.driven || math.Abs(l.Stiffness-want.stiffness) > 1e-9 {
			t.Errorf("%s: limits %+v", want.name, l)
		}
		if fake.Get("open") != 0 || fake.Get("running") != 0 {
			t.Errorf("%s: Probe left the device open", want.name)
		}
	}
	if l, known := lookup("Novelty 9"); known || l.MaxForce != 3.3 {
		t.Errorf("an unknown model must get the weakest limits, got %+v", l)
	}
}

// Every force stays below nine tenths of the nominal maximum, whatever is asked.
func TestForceIsBounded(t *testing.T) {
	fresh(t, "temp", 0.1)
	stepping(t)
	d, _ := open(t, Options{})
	fake.Step(1500) // settle, and let both ramps pass
	hostile := []mgl64.Vec3{
		{math.NaN(), 0, 0}, {0, math.Inf(1), 0}, {0, 0, math.Inf(-1)}, {1e300, 1e300, 0}, {math.MaxFloat64, 0, 0},
		{100, 0, 0}, {0, -50, 7}, {5e-324, 0, 0}, {1e-200, math.NaN(), 1e200}, {3, 3, 3},
	}
	for round := range 50 {
		for _, f := range hostile {
			d.Write(f)
			fake.Step(1)
			got := force()
			if n := got.Len(); !(n <= 0.9*3.3*(1+1e-12)) {
				t.Fatalf("round %d: %v N asked, %v N sent", round, f, got)
			}
		}
	}
	c := d.counters()
	if c.NotFinite == 0 || c.Clamped == 0 {
		t.Errorf("counters %+v", c)
	}
	if fake.Get("nan_seen") != 0 {
		t.Error("a NaN reached the library")
	}
	// the jumps above broke the library's impulse limit: the ramps start again
	for range 1500 {
		d.Write(mgl64.Vec3{0, 0, 10})
		fake.Step(1)
	}
	if n := force().Len(); math.Abs(n-0.9*3.3) > 1e-9 {
		t.Errorf("10 N asked: %v N sent, want the limit", n)
	}
}

func TestOwnForceLimit(t *testing.T) {
	fresh(t)
	stepping(t)
	d, _ := open(t, Options{MaxForce: 1})
	for range 1500 {
		d.Write(mgl64.Vec3{10, 0, 0})
		fake.Step(1)
	}
	if n := force().Len(); math.Abs(n-1) > 1e-9 {
		t.Errorf("%v N sent, want 1", n)
	}
}

func TestKernelForceThatIsNotFinite(t *testing.T) {
	fresh(t, "hand", 2)
	stepping(t)
	d, _ := open(t, Options{})
	floor := attach(t, d, 0, 200, 1, 0.5)
	fake.Step(3000)
	for _, how := range []float64{1, -1} {
		floor.Spoil(how)
		fake.Step(100)
		if n := force().Len(); n != 0 {
			t.Errorf("spoiled %g: %v N sent, want none", how, n)
		}
	}
	floor.Spoil(0)
	fake.Step(1500)
	if f := force(); math.Abs(f[1]-2.4) > 0.3 {
		t.Errorf("force %v N did not come back", f)
	}
}

// A library that shows a broken pose gets no force until it shows a good one.
func TestBrokenPose(t *testing.T) {
	fresh(t)
	stepping(t)
	d, _ := open(t, Options{})
	push := pusher(d, mgl64.Vec3{1, 0, 0})
	push(1500)
	before := d.Read().Pose
	fake.Set("nan", 1)
	push(50)
	s := d.Read()
	if force().Len() != 0 || !s.Lost || s.Pose != before {
		t.Errorf("force %v, read %+v", force(), s)
	}
	fake.Set("nan", 0)
	push(1000)
	if math.Abs(force()[0]-1) > 1e-9 || d.Read().Lost {
		t.Errorf("force %v N did not come back", force())
	}
}

// A command that is not renewed fades from 20 ms on and is gone at 100 ms.
func TestStaleCommandFades(t *testing.T) {
	fresh(t)
	stepping(t)
	d, _ := open(t, Options{})
	for range 1500 {
		d.Write(mgl64.Vec3{1, 0, 0})
		fake.Step(1)
	}
	last := force()[0]
	for i := 1; i <= 150; i++ {
		fake.Step(1)
		f := force()[0]
		if f > last+1e-12 {
			t.Fatalf("tick %d: force rose to %v", i, f)
		}
		if i <= 19 && math.Abs(f-1) > 1e-9 {
			t.Fatalf("tick %d: force %v faded too early", i, f)
		}
		if i == 60 && math.Abs(f-math.Exp(-40.0/50)) > 0.02 {
			t.Errorf("tick 60: force %v, want %v", f, math.Exp(-0.8))
		}
		if i > 101 && f != 0 {
			t.Fatalf("tick %d: force %v is still there", i, f)
		}
		last = f
	}
}

// The mapping in C must be that of package mapping: the same device, placed by
// the driver and by the wrapper.
func TestMappingAgreesWithTheWrapper(t *testing.T) {
	fresh(t, "model", 4, "hand", 1)
	stepping(t)
	m := mapping.Mapping{
		Axes:   mgl64.QuatRotate(0.7, mgl64.Vec3{1, 2, -1}.Normalize()).Mat4().Mat3(),
		Device: mgl64.Vec3{0.01, -0.02, 0.03}, World: mgl64.Vec3{0.3, 0.2, 0.1}, Scale: 2.5, ForceScale: 0.4, Gravity: 0.3,
	}
	d, _ := open(t, Options{})
	plain := &recorder{limits: d.Limits()}
	want, err := mapping.Wrap(plain, m)
	if err != nil {
		t.Fatal(err)
	}
	f, moment := mgl64.Vec3{1, -0.5, 2}, mgl64.Vec3{0.01, 0.02, -0.03}
	compare := func(when string) {
		t.Helper()
		// what the arm itself says comes out of the identity
		if err := d.SetMapping(mapping.Identity()); err != nil {
			t.Fatal(err)
		}
		fake.Step(1)
		fake.Set("hand", 0)
		for range 1500 { // until it rests
			fake.Step(1)
		}
		plain.state = d.Read()
		if err := d.SetMapping(m); err != nil {
			t.Fatal(err)
		}
		for range 700 {
			d.WriteWrench(f, moment)
			fake.Step(1)
		}
		got, expect := d.Read(), want.Read()
		moved := got.Pose.Position.Sub(expect.Pose.Position).Len() // the force moves the arm by a little
		if moved > 0.03 || !got.Pose.Rotation.OrientationEqualThreshold(expect.Pose.Rotation, 0.1) {
			t.Errorf("%s: %v, wrapper %v", when, got.Pose, expect.Pose)
		}
		want.(haptics.TorqueDevice).WriteWrench(f, moment)
		if d := force().Sub(plain.force).Len(); d > 1e-9 {
			t.Errorf("%s: force %v, wrapper %v", when, force(), plain.force)
		}
		tau := mgl64.Vec3{fake.Get("tx"), fake.Get("ty"), fake.Get("tz")}.Mul(1e-3)
		if d := tau.Sub(plain.moment).Len(); d > 1e-9 {
			t.Errorf("%s: torque %v, wrapper %v", when, tau, plain.moment)
		}
	}
	compare("at rest")
	if l, w := d.Limits(), want.(haptics.Limited).Limits(); l != w {
		t.Errorf("limits %+v, wrapper %+v", l, w)
	}
	bad := m
	bad.Scale = math.Inf(1)
	if d.SetMapping(bad) == nil {
		t.Error("an infinite scale was taken")
	}

	// the clutch: the pose stays, the force goes, and comes back where it stayed
	before := d.Read().Pose
	d.SetClutch(true)
	for range 200 {
		d.WriteWrench(f, moment)
		fake.Step(1)
	}
	s := d.Read()
	if !s.Clutched || s.Pose != before || s.Velocity != (mgl64.Vec3{}) {
		t.Errorf("open: %+v, want %+v", s, before)
	}
	if n := force().Len(); math.Abs(n-0.3) > 1e-9 {
		t.Errorf("open: %v N, want the weight alone", n)
	}
	d.SetClutch(false)
	fake.Step(1)
	if s = d.Read(); s.Clutched || s.Pose.Position.Sub(before.Position).Len() > 1e-12 {
		t.Errorf("closed: %v, want it where it stayed, %v", s.Pose.Position, before.Position)
	}
	if n := force().Len(); n > 0.35 {
		t.Errorf("closed: %v N at once", n)
	}
}

// recorder is a device that says what it is told to.
type recorder struct {
	state         haptics.State
	force, moment mgl64.Vec3
	limits        haptics.DeviceLimits
}

func (r *recorder) Name() string                 { return "recorder" }
func (r *recorder) Read() haptics.State          { return r.state }
func (r *recorder) Write(f mgl64.Vec3) error     { r.force = f; return nil }
func (r *recorder) Close() error                 { return nil }
func (r *recorder) Limits() haptics.DeviceLimits { return r.limits }
func (r *recorder) WriteWrench(f, m mgl64.Vec3) error {
	r.force, r.moment = f, m
	return nil
}

func TestTorqueOnSixAxes(t *testing.T) {
	fresh(t, "model", 4)
	stepping(t)
	d, _ := open(t, Options{})
	for range 1500 {
		d.WriteWrench(mgl64.Vec3{1, 0, 0}, mgl64.Vec3{0, 0.05, 0})
		fake.Step(1)
	}
	if m := fake.Get("ty"); math.Abs(m-50) > 1e-9 { // mN m
		t.Errorf("torque %v mN m, want 50", m)
	}
	for range 10 {
		d.WriteWrench(mgl64.Vec3{}, mgl64.Vec3{0, 0, 3})
		fake.Step(1)
	}
	if m := fake.Get("tz"); math.Abs(m-0.9*188) > 1e-9 {
		t.Errorf("torque %v mN m, want the limit", m)
	}
}

// pusher writes a force over n ticks.
func pusher(d *Device, force mgl64.Vec3) func(n int) {
	return func(n int) {
		for range n {
			d.Write(force)
			fake.Step(1)
		}
	}
}

// releaseAll is for the way out: off at the next tick, and staying off.
func TestReleaseAll(t *testing.T) {
	fresh(t)
	stepping(t)
	d, _ := open(t, Options{})
	push := pusher(d, mgl64.Vec3{0, 1, 0})
	push(1500)
	if d.released() {
		t.Error("off before it was asked for")
	}
	releaseAll()
	defer unpanic()
	push(1)
	if force().Len() != 0 || fake.Get("enabled") != 0 || !d.released() {
		t.Errorf("force %v, output %v, released %v", force(), fake.Get("enabled"), d.released())
	}
	push(2000)
	if force().Len() != 0 {
		t.Error("force came back")
	}
}

// Everything at once, for the race detector.
func TestFromManyGoroutines(t *testing.T) {
	fresh(t, "hand", 1)
	d, _ := open(t, Options{})
	var wg sync.WaitGroup
	stop := make(chan struct{})
	loop := func(f func()) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				select {
				case <-stop:
					return
				default:
					f()
					time.Sleep(200 * time.Microsecond)
				}
			}
		}()
	}
	loop(func() { d.Read() })
	loop(func() { d.Write(mgl64.Vec3{0.5, 0, 0}) })
	loop(func() { d.Status(); d.counters(); d.Extra() })
	loop(func() { d.Name(); d.Limits() })
	testkit.Eventually(t, "force", func() bool { return d.Status().ForceOn })
	fake.Set("unplugged", 1)
	testkit.Eventually(t, "the loss", func() bool { return !d.Status().Connected })
	fake.Set("unplugged", 0)
	testkit.Eventually(t, "back", func() bool { return d.Status().ForceOn })
	close(stop)
	wg.Wait()
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if err := d.Write(mgl64.Vec3{}); !errors.Is(err, errClosed) {
		t.Errorf("Write after Close: %v", err)
	}
	if m := d.Status().Message; m != errClosed.Error() {
		t.Errorf("status after Close: %q", m)
	}
}

func TestServoPathDoesNotAllocate(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector allocates")
	}
	fresh(t)
	d, _ := open(t, Options{})
	var dev haptics.Device = d
	var s haptics.State
	f := mgl64.Vec3{0.1, 0, 0}
	if n := testing.AllocsPerRun(1000, func() { s = dev.Read(); dev.Write(f) }); n != 0 {
		t.Errorf("%v allocations a tick", n)
	}
	_ = s
}

func BenchmarkReadWrite(b *testing.B) {
	fake.Reset()
	d, err := Open(Options{Library: libPath})
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	f := mgl64.Vec3{0.1, 0, 0}
	for b.Loop() {
		d.Read()
		d.Write(f)
	}
}
