package main

import (
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/cmd/hapco/internal/app"
	"hapco/haptics/record"
	"hapco/physics"
	"hapco/physics/machinery/testkit"
	"hapco/telemetry"
)

// opensTwo opens the scene for two hands.
func opensTwo(t *testing.T, device, second string) *app.Session {
	t.Helper()
	s, err := (&app.SceneFlags{Scene: "two-hands"}).Read()
	if err != nil {
		t.Fatal(err)
	}
	world, _, err := s.Open(t.Context(), physics.Options{})
	if err != nil {
		t.Fatal(err)
	}
	session, err := app.OpenSession(s.Common(), world, &app.DeviceFlags{Device: device, SecondDevice: second, RateHz: 1000})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// seen waits for a frame that is as it should be.
func seen(t *testing.T, s *app.Session, what string, is func(f *physics.Frame) bool) {
	t.Helper()
	testkit.Eventually(t, what, func() bool { f, _ := s.Seen(); return f != nil && is(f) })
}

// One mouse takes a box with one tool and then with the other: each keeps pressing where it
// was left, what the session tells is of the one in hand, and a recording has both, so that
// its steps made again are the same to the last bit.
func TestTwoHandsOneMouse(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HAPCO_RECORDINGS", t.TempDir())
	s := opensTwo(t, "mouse", "")
	if n := s.Hands(); len(n) != 2 || s.InHand() != 0 || s.Pointer() == nil {
		t.Fatalf("hands %v, in hand %d", n, s.InHand())
	}
	first := s.Pointer()
	if err := s.Record(); err != nil {
		t.Fatal(err)
	}
	start := s.Info().Start.Position
	to := func(at mgl64.Vec3) {
		from := s.Pointer().Hand()
		for i := range 40 {
			s.Hand(from.Add(at.Sub(from).Mul(float64(i+1) / 40)))
			time.Sleep(5 * time.Millisecond)
		}
	}
	to(start.Add(mgl64.Vec3{0.045, 0, 0}))
	seen(t, s, "the first tool is at the box", func(f *physics.Frame) bool { return f.Stylus.Position[0] > -0.065 })
	s.TakeHand(1)
	if s.InHand() != 1 || s.Pointer() == first {
		t.Error("the mouse did not change hands")
	}
	to(s.Info().Second.Position.Sub(mgl64.Vec3{0.06, 0, 0}))
	seen(t, s, "the second tool pushes back", func(f *physics.Frame) bool {
		return f.Turned && f.Force[0] > 0.3 && f.Second.Force[0] < -0.3 && f.Stylus.Position[0] > 0 && f.Second.Stylus.Position[0] < 0
	})
	if h := s.Haptics(); !(h.Raw[0] > 0.1) {
		t.Errorf("the second hand feels %v", h.Raw)
	}
	s.TakeHand(7) // nobody's
	s.TakeHand(0)
	if h := s.Haptics(); s.Pointer() != first || !(h.Raw[0] < -0.1) {
		t.Errorf("back in the first hand: %v", h.Raw)
	}
	s.Servo().Release() // lets go of both
	for k := range 2 {
		s.TakeHand(k)
		testkit.Eventually(t, "release", func() bool { h := s.Haptics(); return h.Released && h.Force.Len() == 0 })
	}
	name := s.StopRecording()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	m, err := telemetry.ReadMotion(name)
	if err != nil {
		t.Fatal(err)
	}
	far := 0.0
	for i := range m.Steps {
		far = math.Max(far, s.Info().Second.Position.Sub(m.Steps[i].Input.Second.Position).Len())
	}
	ticks, err := record.ReadSecond(name)
	if err != nil || len(ticks) == 0 || far < 0.01 {
		t.Fatalf("%d ticks of the second hand, %v; its stylus went %g m", len(ticks), err, far)
	}
	status, out, stderr := hapco(t, "replay", name, "--headless", "--exact")
	if status != 0 {
		t.Fatalf("exit status %d, %s%s", status, out, stderr)
	}
	n := cells(t, out, "steps")[0]
	if same := cells(t, out, "the recorded force, bit for bit"); same[1] != n+" of "+n {
		t.Errorf("%s", out)
	}
}

// Two devices, each with a loop and limits of its own: a simulated hand and the mouse. In a
// scene with one tool a second device is refused.
func TestTwoDevices(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	s := opensTwo(t, "mouse", "virtual")
	n := s.Hands()
	if len(n) != 2 || n[0] == n[1] || !s.Exclusive() {
		t.Fatalf("hands %v", n)
	}
	if h := s.Haptics(); h.Motors || !h.Driven {
		t.Errorf("the mouse: %+v", h)
	}
	p := s.Servo().Params()
	s.TakeHand(1)
	if h := s.Haptics(); !h.Motors || s.Pointer() != nil {
		t.Errorf("the simulated device: %+v", h)
	}
	if q := s.Servo().Params(); q == p {
		t.Error("both loops have the same parameters")
	}
	start := s.Info().Second.Position
	seen(t, s, "the simulated hand moves the second tool", func(f *physics.Frame) bool { return f.Stylus.Position.Sub(start).Len() > 2e-3 })

	status, _, stderr := hapco(t, "run", "bench-a-16", "--headless", "--seconds", "1", "--second-device", "mouse")
	if status != 2 || strings.Count(strings.TrimSpace(stderr), "\n") != 0 || !strings.Contains(stderr, "has one tool (cure: ") {
		t.Errorf("exit status %d: %s", status, stderr)
	}
	file := filepath.Join(t.TempDir(), "none.mcap")
	if status, _, stderr = hapco(t, "run", "two-hands", "--headless", "--seconds", "1", "--second-device", "glove", "--record", file); status != 2 || !strings.Contains(stderr, "glove") {
		t.Errorf("exit status %d: %s", status, stderr)
	}
}
