package tissue

import (
	"context"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/files/scene"
	"hapco/physics/local"
)

// liveBench is a bench behind the seam.
func liveBench(t *testing.T, set ...string) *Live {
	t.Helper()
	s, err := scene.Load("bench-a-16")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range set {
		if err := scene.Set(s, a); err != nil {
			t.Fatal(err)
		}
	}
	w, _, err := New(context.Background(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return NewLive(w)
}

// Steps, models and frames allocate nothing once they are warm.
func TestLiveAllocatesNothing(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector allocates")
	}
	l := liveBench(t)
	var m local.Model
	local.Make(&m, 0)
	f := physics.Frame{Want: physics.Want{Series: true}}
	i := 0
	step := func() {
		i++
		in := physics.Input{Target: l.Info().Start}
		in.Target.Position = in.Target.Position.Add(mgl64.Vec3{0, -1e-3 - 1e-4*float64(i%5), 0})
		l.Step(in)
		l.Local(&m)
		l.Draw(&f)
	}
	for range 50 {
		step()
	}
	if n := testing.AllocsPerRun(100, step); n != 0 {
		t.Errorf("%g allocations a step", n)
	}
	if len(f.Contacts) != 16 || f.Force.Len() == 0 || len(f.Series[0].Values) == 0 {
		t.Errorf("%d contacts, force %v, curve of %d", len(f.Contacts), f.Force, len(f.Series[0].Values))
	}
}

// Every key that can be set takes effect, and says what it is.
func TestKeysSetParams(t *testing.T) {
	l := liveBench(t)
	keys := l.Keys()
	for i := range keys {
		k := &keys[i]
		if k.Section != "" && (k.Label == "" || k.Help == "") {
			t.Errorf("%s has no label or no explanation", k.Name)
		}
		if !k.Settable() {
			continue
		}
		x := k.Get()
		if x != k.Default {
			t.Errorf("%s is %g at the start, by default %g", k.Name, x, k.Default)
		}
		y := x * 0.5
		switch {
		case k.Switch:
			y = 1 - x
		case len(k.Choices) > 0:
			y = float64((int(x) + 1) % len(k.Choices))
		case x == 0:
			y = k.Max / 2
		}
		if err := k.Set(y); err != nil || k.Get() != y {
			t.Errorf("%s: %v, %g after %g was set", k.Name, err, k.Get(), y)
		}
	}
	p := l.Params()
	if p.Friction != 0.15 || p.Solver == "auto" || p.Shadow == "" || !p.RhoImposed || p.Bodies[0].Young != 0.5*l.DefaultParams().Bodies[0].Young {
		t.Errorf("parameters %+v", p)
	}
	if err := keys[physics.Place(keys, "contact.solver")].Set(1e6); err == nil {
		t.Error("a solver that does not exist was taken")
	}
}

// What a person chooses takes along what depends on it.
func TestKeysFollowEachOther(t *testing.T) {
	keys := liveBench(t).Keys()
	at := func(name string) int { return physics.Place(keys, name) }
	word := func(v []float64, name string) string { return keys[at(name)].Word(v[at(name)]) }
	choose := func(v []float64, name, value string) {
		for i, c := range keys[at(name)].Choices {
			if c.Name == value {
				physics.Choose(keys, v, at(name), float64(i), nil)
				return
			}
		}
		t.Fatalf("%s has no %s", name, value)
	}
	v := physics.Defaults(keys)
	choose(v, "formulation", "bi-potential")
	if s := word(v, "contact.solver"); s != "uzawa-star-consistent" || word(v, "rho_mode") != "Per contact" {
		t.Errorf("solver %s, rho %s", s, word(v, "rho_mode"))
	}
	choose(v, "rho_mode", "Calculated")
	if s := word(v, "contact.solver"); s != "uzawa" {
		t.Errorf("solver %s", s)
	}
	tolerance := v[at("contact.tolerance")]
	choose(v, "contact.criterion", "scaled")
	if x := v[at("contact.tolerance")]; x != 1e-6 {
		t.Errorf("tolerance %g of another criterion", x)
	}
	choose(v, "contact.criterion", keys[at("contact.criterion")].Word(keys[at("contact.criterion")].Default))
	if x := v[at("contact.tolerance")]; x != tolerance {
		t.Errorf("tolerance %g, it was %g", x, tolerance)
	}
	choose(v, "rho_mode", "Imposed")
	if v[at("rho_imposed")] != 1 || !(v[at("contact.rho")] > 0) {
		t.Errorf("imposed rho %g", v[at("contact.rho")])
	}
}

// A closed world frees its factor, which is not in Go's memory, and has no other made.
func TestCloseFreesTheFactor(t *testing.T) {
	l := liveBench(t)
	i := slices.IndexFunc(l.bodies, func(b *body) bool { return b.flexibility.elastic() })
	lazy, u := l.bodies[i].flexibility.factor, make([]float64, 3*len(l.bodies[i].mesh.Nodes))
	if !lazy.solveNow(u, u) {
		t.Fatal("no factor of an open world")
	}
	factor := lazy.factor
	if err := l.Close(); err != nil || factor.Bytes() != 0 || lazy.ready() || lazy.solve(u, u) || lazy.solveNow(u, u) {
		t.Error(err, factor.Bytes(), "bytes of a closed world")
	}
}
