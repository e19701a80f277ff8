package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hapco/cmd/hapco/internal/app"
	"hapco/haptics"
	"hapco/haptics/pointer"
	"hapco/haptics/record"
	"hapco/haptics/virtual"
	"hapco/physics/files/setting"
	"hapco/physics/frame"
)

// stroke is a made-up recording at 500 Hz: half a second without contact, half
// a second at 2 N, a tick that was lost on the way and two deadlines missed.
func stroke(t *testing.T) *flight {
	t.Helper()
	var recs []haptics.Record
	at := int64(7e9)
	for k := range 500 {
		r := haptics.Record{Tick: uint64(k + 1), Time: at, Rotation: [4]float64{0, 0, 0, 1}, Position: [3]float64{0, -1e-4 * float64(k), 0}}
		if k >= 250 {
			r.Raw, r.Force, r.Flags, r.Energy = [3]float64{0, 3, 0}, [3]float64{0, 2, 0}, haptics.Saturated, -1e-4
		}
		switch k {
		case 100: // not recorded
		default:
			recs = append(recs, r)
		}
		at += 2e6
		if k == 300 {
			at += 4e6
		}
	}
	recs[10].Late, recs[20].Work = 5e5, 4e4
	file := filepath.Join(t.TempDir(), "stroke.mcap")
	w, err := record.Create(file, 0, map[string]string{"scene": "liver"})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(recs); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := readFlight(file)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFlightSums(t *testing.T) {
	f := stroke(t)
	s := f.sums()
	if f.rate < 499.9 || f.rate > 500.1 || s.missed != 2 || s.unrecorded != 1 {
		t.Errorf("rate %g, %d missed, %d not recorded; want 500, 2, 1", f.rate, s.missed, s.unrecorded)
	}
	if s.sent != 2 || s.meanSent != 2 || s.raw != 3 || s.jump != 2 || s.lowest != -1e-4 || s.worstLate != 5e-4 || s.work != 4e-5 {
		t.Errorf("sums %+v", s)
	}
	const saturated = 5
	if haptics.Saturated != 1<<saturated || s.began[saturated] != 1 || s.lasted[saturated] != 250 {
		t.Errorf("interventions began %v, lasted %v", s.began, s.lasted)
	}
	var out bytes.Buffer
	if err := f.writeSummary(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"liver", "2.000 N", "max force", "1 times", "missed deadlines"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the summary lacks %q:\n%s", want, out.String())
		}
	}
}

// The recorded hand is where it was, at its time, and rests at the end.
func TestReplayDevice(t *testing.T) {
	d := app.NewReplayDevice(stroke(t).ticks)
	for _, c := range []struct {
		t time.Duration
		y float64
	}{{0, 0}, {99 * time.Millisecond, -49e-4}, {100 * time.Millisecond, -50e-4}, {time.Hour, -499e-4}} {
		if s := d.State(c.t); s.Pose.Position[1] != c.y || s.Lost || s.Pose.Rotation.W != 1 {
			t.Errorf("after %v the hand is at %v, want y = %g", c.t, s.Pose, c.y)
		}
	}
}

// It can be moved in time: back and on, rest, another speed, and round and round.
func TestReplayDeviceIsMoved(t *testing.T) {
	d := app.NewReplayDevice(stroke(t).ticks)
	clock := time.Now()
	d.Clock = func() time.Time { return clock }
	length := d.Playback().Length
	height := func() float64 { return d.Read().Pose.Position[1] }
	if height() != 0 || math.Abs(length-1.002) > 1e-9 {
		t.Fatalf("%g s long", length)
	}
	d.Play(false)
	for _, at := range []float64{0.9, 0.1, 0.5, 0} { // 500 ticks a second, 0.1 mm each; 4 ms were lost after tick 300
		d.Seek(at)
		want := -1e-4 * math.Floor(500*at+1e-9)
		if at > 0.6 {
			want += 2e-4
		}
		for range 3 {
			clock = clock.Add(5 * time.Millisecond)
			if y := height(); math.Abs(y-want) > 1e-9 {
				t.Errorf("at %g s the hand is at %g, want %g", at, y, want)
			}
		}
		if p := d.Playback(); p.Playing || p.At != at {
			t.Errorf("it should rest at %g s: %+v", at, p)
		}
	}
	d.SetSpeed(10)
	d.Seek(0.2)
	height()
	d.Play(true)
	height()
	clock = clock.Add(20 * time.Millisecond)
	s := d.Read()
	if passed := d.Playback().At - 0.2; math.Abs(passed-0.2) > 1e-9 || s.Pose.Position[1] > -1.7e-2 {
		t.Errorf("at ten times the speed %g s have passed, want 0.2", passed)
	}
	d.SetLoop(true)
	for range 11 { // 20 ms and a tenth of a second are a round
		clock = clock.Add(20 * time.Millisecond)
		height()
	}
	d.SetLoop(false)
	d.Seek(99)
	height()
	if p := d.Playback(); p.Playing || p.At != length || p.Rounds < 2 {
		t.Errorf("at its end: %+v", p)
	}
}

// What a picture shows of a constant, of a spike of one tick, and of nothing.
func TestFlightCurve(t *testing.T) {
	f := &flight{ticks: make([]haptics.Record, 100000)}
	f.ticks[54321].Force[0] = 7
	e := f.curve(func(r *haptics.Record) float64 { return r.Force[0] })
	if _, _, _, top := e.DataRange(); top != 7 || len(e.at) > plotColumns {
		t.Errorf("a curve of %d columns up to %g", len(e.at), top)
	}
	if err := f.draw(filepath.Join(t.TempDir(), "empty.png")); err != nil {
		t.Error(err)
	}
}

// Device and scene together make the servo's parameters; neither may ask for
// more than the device gives.
func TestTuning(t *testing.T) {
	dev, err := virtual.New(virtual.Config{Limits: virtual.Devices["touch"]})
	if err != nil {
		t.Fatal(err)
	}
	home := app.NewTuning(dev, 1000, &setting.Device{MaxForce: 3.3, Reducer: 1, Coupling: "virtual", Passivity: true}, 0)
	if want := haptics.DefaultParams(haptics.LimitsOf(dev), 1000); home.Home != want {
		t.Errorf("a scene that asks for nothing gets %+v, want %+v", home.Home, want)
	}
	g := app.NewTuning(dev, 1000, &setting.Device{MaxForce: 3.3, Reducer: 1, Coupling: "direct", CouplingStiffness: 1e6, CouplingDamping: 1, DeadMan: 2}, 0).Home
	if g.Coupling != haptics.Direct || g.Stiffness != dev.Limits().Stiffness || g.Damping != 1 || g.Passivity || g.DeadMan != 2 {
		t.Errorf("tuned to %+v", g)
	}
	soft := app.NewTuning(dev, 1000, &setting.Device{MaxForce: 3.3, Reducer: 1, Coupling: "virtual", CouplingDamping: 0.01}, 0).Home
	if long := app.NewTuning(dev, 1000, &setting.Device{MaxForce: 3.3, Reducer: 1, CouplingStiffness: 100}, 0.2).Home; math.Abs(long.AngleStiffness-4) > 1e-12 || long.Validate() != nil {
		t.Errorf("a tool of 200 mm on 100 N/m turns by %g N m/rad, want 4", long.AngleStiffness)
	}
	mouse := pointer.New(frame.Identity(), 300, 1)
	if p := app.NewTuning(mouse, 1000, &setting.Device{MaxForce: 3.3, Reducer: 1, CouplingStiffness: 100}, 0.2).Home; math.Abs(p.AngleStiffness-12) > 1e-9 || p.Stiffness != 300 {
		t.Errorf("the spring of a mouse has %g N/m and turns by %g N m/rad, want 300 and 12", p.Stiffness, p.AngleStiffness)
	}
	if limit := (dev.Limits().Viscous + 0.01) / 0.0005; soft.Stiffness > 0.5*limit*(1+1e-12) {
		t.Errorf("with hardly any damping the coupling has %g N/m, the edge is at %g", soft.Stiffness, limit)
	}
}

// Old flights make room, new ones stay.
func TestPruneFlights(t *testing.T) {
	dir := t.TempDir()
	for i := range app.KeptFlights + 5 {
		name := "flight-20260101-0000" + string(rune('a'+i)) + "-x.mcap"
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	app.PruneFlights(dir)
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != app.KeptFlights || files[0].Name() != "flight-20260101-0000f-x.mcap" {
		t.Errorf("%d files are left, the first %v", len(files), files[0])
	}
}
