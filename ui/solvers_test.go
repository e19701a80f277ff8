package ui

import (
	"math"
	"testing"

	"hapco/physics"
	"hapco/physics/machinery/testkit"
	"hapco/physics/numerics/contact"
	"hapco/physics/worlds/tissue"
)

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
		c.name("auto", "uzawa", &physics.Frame{Series: []physics.Series{{Values: curve(test.first), Goal: 1e-8}, {Values: curve(test.second), Goal: 1e-8}}})
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
	fake := newFake("x")
	page := newPages(fake.info, fake.keys)[1]
	plot := func(title string) *history {
		for _, p := range page.plots {
			if p.title == title {
				return p.hist
			}
		}
		t.Fatalf("no plot %s", title)
		return nil
	}
	var status HapticsStatus
	show := func(s *tissue.Snapshot, contacts int) {
		s.When++
		s.Resize(fake.info)
		s.Contacts = s.Contacts[:contacts]
		s.Show(&fake.params)
		page.record(&s.Frame, &status)
	}
	s := &tissue.Snapshot{Frame: physics.Frame{Contacts: make([]physics.Contact, 2)}}
	s.Stats.Solve.Iterations = 3
	show(s, 0)
	if v := plot("Iterations"); !math.IsNaN(v.last(0)) || !math.IsNaN(v.last(1)) || plot("Force").last(0) != 0 || !math.IsNaN(plot("Force").last(1)) {
		t.Error("iterations without contacts, or a force without a second solver")
	}
	s.Shadow = tissue.Shadow{Solver: "uzawa", Step: 7, Contacts: 2, Statuses: [3]int{contact.Slip: 2}}
	s.Shadow.Result.Iterations = 40
	show(s, 2)
	if v := plot("Iterations"); v.last(0) != 3 || v.last(1) != 40 || plot("Status").last(3+int(contact.Slip)) != 2 {
		t.Error("the second solver's channels are wrong")
	}
	if testkit.Race {
		return // the race detector allocates
	}
	if n := testing.AllocsPerRun(100, func() { show(s, 2) }); n != 0 {
		t.Errorf("%g allocations a sample", n)
	}
}
