package ui

import (
	"math"
	"testing"

	"hapco/physics/contact"
	"hapco/physics/testkit"
	"hapco/physics/tissue"
)

// Every solver is in the list, once, under its family, with words for it.
func TestSolverList(t *testing.T) {
	list := newSolverList()
	seen := map[string]bool{}
	for i, e := range list {
		if seen[e.Name] || e.Title == "" {
			t.Errorf("%+v: twice, or without a title", e)
		}
		seen[e.Name] = true
		if i > 0 && e.Family < list[i-1].Family {
			t.Errorf("%s stands under another family", e.Name)
		}
		for f := range formulations {
			other := list.reformulated(e.Name, contact.Formulation(f))
			if got := list.find(other).Formulation; int(got) != f {
				t.Errorf("%s as %s is %s, which is %s", e.Name, formulations[f].name, other, formulations[got].name)
			}
		}
		for _, use := range []contact.RhoUse{contact.RhoLeast, contact.RhoPerContact} {
			if twin, ok := list.rhoTwin(e.Name, use); ok {
				if got := list.find(twin); got.Rho != use || got.Formulation != e.Formulation || e.Rho == use {
					t.Errorf("%s has the twin %s", e.Name, twin)
				}
			}
		}
	}
	if len(list) != len(contact.Names()) || list[0].Name != "auto" {
		t.Errorf("%d of %d solvers, first %q", len(list), len(contact.Names()), list[0].Name)
	}
	for _, name := range []string{"uzawa", "uzawa-local", "uzawa-local-signorini"} {
		twin, ok := list.rhoTwin(name, contact.RhoPerContact)
		back, found := list.rhoTwin(twin, contact.RhoLeast)
		if !ok || !found || back != name {
			t.Errorf("%s becomes %q and then %q", name, twin, back)
		}
	}
}

func TestConvergenceAxes(t *testing.T) {
	curve := func(n int) []float64 {
		v := make([]float64, n)
		for k := range v {
			v[k] = math.Pow(10, -8*float64(k+1)/float64(n))
		}
		return v
	}
	var c convergence
	for _, test := range []struct {
		first, second int
		log           bool
	}{{12, 0, false}, {1, 1, false}, {12, 40, false}, {12, 3000, true}, {5000, 3, true}, {0, 0, false}} {
		s := &tissue.Snapshot{}
		s.Curve = tissue.Curve{Values: curve(test.first), Goal: 1e-8}
		s.Shadow = tissue.Shadow{Solver: "uzawa", Curve: tissue.Curve{Values: curve(test.second), Goal: 1e-8}}
		c.name("auto", s)
		c.fit()
		most := max(test.first, test.second)
		if c.log != test.log || c.last < most {
			t.Errorf("%d and %d iterations: logarithmic %v, up to %d", test.first, test.second, c.log, c.last)
		}
		last := math.Inf(-1)
		for k := 1; k <= c.last; k++ {
			p := c.place(float64(k))
			if !(p >= 0 && p <= 1) || !(p > last) {
				t.Fatalf("%d and %d iterations: the place of %d is %g", test.first, test.second, k, p)
			}
			last = p
		}
		ticks := c.ticks()
		for i, k := range ticks {
			if k < 1 || k > c.last || i > 0 && k <= ticks[i-1] {
				t.Errorf("ticks %v up to %d", ticks, c.last)
			}
		}
		if len(ticks) < 2 && c.last > 10 || len(ticks) > 12 {
			t.Errorf("%d ticks up to %d", len(ticks), c.last)
		}
		if most > 10 && (math.Pow(10, c.axis.lo) > 1e-8*(1+1e-9) || math.Pow(10, c.axis.hi) < 0.1) {
			t.Errorf("%d and %d iterations: values from 1e%g to 1e%g", test.first, test.second, c.axis.lo, c.axis.hi)
		}
	}
}

func TestComparisonRecordsGapsWithoutContact(t *testing.T) {
	c := newComparison(10)
	s := &tissue.Snapshot{}
	s.Stats.Solve.Iterations = 3
	c.record(0, s)
	if v := c.iterations.hist; !math.IsNaN(v.last(0)) || !math.IsNaN(v.last(1)) || c.force.hist.last(0) != 0 || !math.IsNaN(c.force.hist.last(1)) {
		t.Error("iterations without contacts, or a force without a second solver")
	}
	s.Contacts = make([]tissue.ContactState, 2)
	s.Shadow = tissue.Shadow{Solver: "uzawa", Step: 7, Contacts: 2, Statuses: [3]int{contact.Slip: 2}}
	s.Shadow.Result.Iterations = 40
	c.record(1, s)
	if v := c.iterations.hist; v.last(0) != 3 || v.last(1) != 40 || c.state.hist.last(3+int(contact.Slip)) != 2 {
		t.Error("the second solver's channels are wrong")
	}
	if testkit.Race {
		return // the race detector allocates
	}
	if n := testing.AllocsPerRun(100, func() { s.When++; c.record(float64(s.When), s) }); n != 0 {
		t.Errorf("%g allocations a sample", n)
	}
}
