// Package lastforce is for tests: it kills a child process while a servo presses a hand, and looks at the last force
// that the device was told. No program imports it.
package lastforce

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/haptics"
	"hapco/haptics/bench"
	"hapco/haptics/servo"
	"hapco/physics/frame"
	"hapco/physics/machinery/failsafe"
	"hapco/physics/machinery/testkit"
)

// variable names the log of commands for the child process.
const variable = "HAPCO_LASTFORCE"

const (
	depth     = 0.006 // m, how deep the device double is pressed
	stiffness = 500   // N/m, of what it is pressed into
	enough    = 1.0   // N, the least that counts as pressing
)

// InChild tells that this process is the one that is to die.
func InChild() bool { return os.Getenv(variable) != "" }

// Check runs the calling test once more in a child process, in which die is called while a servo presses the device
// double. The child must die of a panic whose stack names the function at, and the last command must be zero.
func Check(t *testing.T, at string, die func(d *Double)) {
	t.Helper()
	if log := os.Getenv(variable); log != "" {
		press(t, log, die)
	}
	log := filepath.Join(t.TempDir(), "commands")
	words := Die(t, variable+"="+log)
	if !strings.Contains(words, "goroutine ") || !strings.Contains(words, at) {
		t.Errorf("the panic's stack does not name %s:\n%s", at, words)
	}
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	most, last, n := 0.0, math.NaN(), len(data)/8
	for i := range n {
		last = math.Float64frombits(binary.NativeEndian.Uint64(data[8*i:]))
		most = max(most, last)
	}
	t.Logf("%d commands, up to %.3f N, the last %g N", n, most, last)
	if most < enough || last != 0 {
		t.Errorf("the last of %d commands is %g N after up to %g N", n, last, most)
	}
}

// Die runs the calling test once more with another variable in its environment, wants it to die of a panic, and returns
// its last words.
func Die(t *testing.T, variable string) string {
	t.Helper()
	var run []string
	for _, part := range strings.Split(t.Name(), "/") {
		run = append(run, "^"+part+"$")
	}
	cmd := exec.Command(os.Args[0], "-test.run="+strings.Join(run, "/"), "-test.timeout="+(2*testkit.Hang).String())
	cmd.Env = append(os.Environ(), variable, "TMPDIR="+t.TempDir()) // what it leaves behind goes with this test
	var words bytes.Buffer
	cmd.Stdout, cmd.Stderr = &words, &words
	err := cmd.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 2 || !strings.Contains(words.String(), "panic: ") {
		t.Fatalf("the child process ended with %v, not by a panic:\n%s", err, words.String())
	}
	return words.String()
}

// press is the child's life: it ends by what die does.
func press(t *testing.T, log string, die func(*Double)) {
	file, err := os.OpenFile(log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	dev := &Double{log: file}
	dev.place(0.01)
	s, err := servo.New(dev, 1000)
	if err != nil {
		t.Fatal(err)
	}
	p := haptics.DefaultParams(haptics.LimitsOf(dev), 1000)
	p.Ramp, p.Stale, p.Fade = 10*time.Millisecond, time.Second, time.Second // the machine may be busy
	p.SlowSpeed, p.FastSpeed, p.Continuous = 900, 1000, 0
	s.SetParams(p)
	failsafe.Go(func() { _ = s.Run() })
	failsafe.Go(func() { answer(s) })
	testkit.Eventually(t, "the ramp", func() bool { st := s.Stats(); return st.Ticks > 50 && st.Last.Flags&haptics.Ramping == 0 })
	dev.place(-depth)
	testkit.Eventually(t, "the force", func() bool { return dev.Force() > enough })
	time.Sleep(20 * time.Millisecond)
	die(dev)
	time.Sleep(testkit.Hang)
	t.Fatal("nothing died")
}

// answer is physics: a floor at the height 0.
func answer(s *servo.Servo) {
	floor := &bench.Wall{Stiffness: stiffness, Mu: 0.3, Reach: 0.005}
	for ; ; time.Sleep(2 * time.Millisecond) {
		sample, newer := s.Sample()
		if !newer {
			continue
		}
		m := s.Models().Back()
		m.Period = 3 * time.Millisecond
		m.Sequence++
		floor.Step(sample.Stylus, sample.Hand, m)
		s.Models().Publish()
	}
}

// Double is a device that keeps every command in a file: what is written there outlives the process.
type Double struct {
	log    *os.File
	height atomic.Uint64
	force  atomic.Uint64
	broken atomic.Bool
}

// Break makes the next Read panic.
func (d *Double) Break() { d.broken.Store(true) }

func (d *Double) place(y float64) { d.height.Store(math.Float64bits(y)) }

// Force is the last command, N.
func (d *Double) Force() float64 { return math.Float64frombits(d.force.Load()) }

func (d *Double) Name() string { return "double" }

func (d *Double) Read() haptics.State {
	if d.broken.Load() {
		panic("the driver is broken")
	}
	return haptics.State{Pose: frame.At(mgl64.Vec3{0, math.Float64frombits(d.height.Load()), 0})}
}

func (d *Double) Write(force mgl64.Vec3) error {
	d.force.Store(math.Float64bits(force.Len()))
	var b [8]byte
	binary.NativeEndian.PutUint64(b[:], math.Float64bits(force.Len()))
	_, err := d.log.Write(b[:])
	return err
}

func (d *Double) Close() error { return d.Write(mgl64.Vec3{}) }
