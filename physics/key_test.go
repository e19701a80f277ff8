package physics_test

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/files/setting"
	"hapco/physics/frame"
	"hapco/physics/local"
	"hapco/physics/machinery/latest"
	"hapco/physics/machinery/testkit"
	"hapco/physics/worlds/bead"
)

// A live parameter is a row of a table: reading a file, --set, the panel and the
// documentation come from it.
func TestParameterIsARow(t *testing.T) {
	type world struct {
		setting.Setting
		Depth float64
		Law   string
	}
	fields := []setting.Field[world]{
		setting.Number("water.depth", setting.Length, "of the water", func(w *world) *float64 { return &w.Depth }).Lives(setting.Live{Range: setting.Range{Min: 0, Max: 1}}),
		setting.Word("water.law", "how it flows", []string{"still", "waves"}, []string{"still", "waves"}, func(w *world) *string { return &w.Law }).Lives(setting.Live{Label: "Flow"}),
	}
	w := &world{Setting: setting.Default(), Law: "still"}
	all := append(setting.Lift(setting.HeadFields, func(w *world) *setting.Setting { return &w.Setting }), fields...)
	if err := setting.Read("pond.toml", []byte("[units]\nlength = \"cm\"\n[water]\ndepth = 30\n"), w, all, &w.Setting, nil, nil, nil); err != nil {
		t.Fatal(err)
	}
	valid := func(*world) *setting.Error { return nil }
	if err := setting.AssignTo(w, all, "water.law=waves", valid); err != nil {
		t.Fatal(err)
	}
	changes := 0
	keys := physics.KeysOf(fields, w, "", "Water", func(string) error { changes++; return nil })
	if len(keys) != 2 || keys[0].Label != "Depth" || keys[0].Unit != "m" || keys[0].Default != 0.3 || keys[1].Word(keys[1].Get()) != "waves" {
		t.Fatalf("keys %+v", keys)
	}
	if err := keys[0].Set(0.5); err != nil || w.Depth != 0.5 || changes != 1 {
		t.Errorf("%v, depth %g, %d changes", err, w.Depth, changes)
	}
	for _, x := range []float64{math.NaN(), -1, 2} {
		if keys[1].Set(x) == nil || w.Law != "waves" {
			t.Errorf("the law can be %g: %s", x, w.Law)
		}
	}
	if err := setting.AssignTo(w, all, "water.dept=1", valid); err == nil || len(setting.Names(fields)) != 2 {
		t.Error("a key that does not exist was set")
	}
	if w.Device.Scale = -1; setting.AssignTo(w, all, "water.law=still", valid) == nil {
		t.Error("a scale of -1 passes")
	}
}

func beadWorld(t *testing.T) physics.World {
	t.Helper()
	s, err := bead.Read("bead.toml", []byte("kind = \"bead\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	w, _, err := s.Open(context.Background(), physics.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// The runner advances a world in time, takes values, pauses and resets.
func TestRunnerOfAnyWorld(t *testing.T) {
	w := beadWorld(t)
	models := latest.New(func(m *local.Model) { local.Make(m, 0) })
	hand := frame.At(mgl64.Vec3{0.01, 0, 0})
	var asked atomic.Uint64 // for a pose, in each round of the runner
	r := physics.NewRunner(w, models, func() (stylus, hand_ frame.Pose, tick uint64) { return hand, hand, asked.Add(1) })
	keys := w.Keys()
	v := physics.Defaults(keys)
	ctx, cancel := context.WithCancel(context.Background())
	var loop sync.WaitGroup
	loop.Go(func() { r.Run(ctx) })
	defer loop.Wait()
	defer cancel()
	await := func(what string, ok func(f *physics.Frame) bool) *physics.Frame {
		t.Helper()
		var f *physics.Frame
		testkit.Eventually(t, what, func() (seen bool) { f, seen = r.Frames().Get(); return seen && ok(f) })
		return f
	}
	at := func(x float64) func(f *physics.Frame) bool {
		return func(f *physics.Frame) bool {
			return math.Abs(float64(f.Points[0].Position[0])-x) < 2e-4 && f.Numbers[0] < 1e-3
		}
	}
	await("the bead at 8 mm", at(8e-3))
	if m, _ := models.Get(); !m.Field.On || m.Field.Force[0] > -0.3 || m.Sequence == 0 {
		t.Errorf("field %+v, sequence %d", m.Field, m.Sequence)
	}
	v[physics.Place(keys, "stiffness")] = 200
	r.SetValues(v)
	f := await("the bead at 5 mm", at(5e-3))
	if f.Time <= 0 || f.RateHz <= 0 {
		t.Errorf("time %g s, rate %g Hz", f.Time, f.RateHz)
	}
	r.Pause(true)
	from := asked.Load()
	testkit.Eventually(t, "a round in the pause", func() bool { return asked.Load() >= from+4 })
	step := await("anything", func(*physics.Frame) bool { return true }).Step
	r.StepOnce()
	await("one step more", func(f *physics.Frame) bool { return f.Step == step+1 })
	r.Reset()
	await("the start again", func(f *physics.Frame) bool { return f.Points[0].Position[0] == 0 })
}

func TestExampleWorldAllocatesNothing(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector allocates")
	}
	w := beadWorld(t)
	var f physics.Frame
	var m local.Model
	local.Make(&m, 4)
	in := physics.Input{Target: frame.Identity(), Dt: 1e-3}
	step := func() {
		in.Target.Position[0] += 1e-5
		w.Step(in)
		w.Local(&m)
		w.Draw(&f)
	}
	step()
	if n := testing.AllocsPerRun(100, step); n != 0 {
		t.Errorf("%g allocations a step", n)
	}
}

// Who sets keys reads them, too: a key that cannot be read has no value of its own.
func TestKeyWithoutGetIsNotSettable(t *testing.T) {
	put := physics.Puts(func(float64) error { return nil })
	for _, c := range []struct {
		key  physics.Key
		want bool
	}{
		{physics.Key{Put: put}, false}, {physics.Key{Get: func() float64 { return 0 }}, false}, {physics.Key{Put: put, Get: func() float64 { return 0 }}, true},
	} {
		if c.key.Settable() != c.want {
			t.Errorf("get %v: settable %v", c.key.Get != nil, c.key.Settable())
		}
	}
}
