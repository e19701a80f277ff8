package thesis

import (
	"context"
	"testing"

	"hapco/physics/measure/bench"
)

// On bench A16 the reference is wrong and its consistent form right, the printed
// pseudo-potential diverges and is left out after the patience is spent.
func TestWalk(t *testing.T) {
	run, err := bench.New(bench16)
	if err != nil {
		t.Fatal(err)
	}
	w := walk{c: bench16}
	w.add(formulations()...)
	var res Results
	e := effort{repeats: 0, patience: 2, stride: 3, limit: 10000}
	res.walk(context.Background(), run, w, e)
	star, consistent := res.run(bench16, reference), res.run(bench16, fine("uzawa-star-consistent", 1))
	if !have(star, consistent) || len(star.Answers) != 5 || star.Answers[1].Increment != 6 {
		t.Fatalf("reference: %+v", star)
	}
	for i := range star.Answers {
		if d := star.Answers[i].Deviation; d != 0 {
			t.Errorf("the reference is %g %% from itself", d)
		}
	}
	if x := star.most(errorOf); !(x > 0.1) {
		t.Errorf("global* is %g %% from the exact solution: its flaw does not show", x)
	}
	if x := consistent.most(errorOf); !(x < 1e-3) {
		t.Errorf("the consistent form is %g %% from the exact solution", x)
	}
	printed := res.run(bench16, fine("pseudo-printed", 1))
	if printed.total() != 5 || printed.diverged() < 3 || printed.Left == 0 {
		t.Errorf("the printed pseudo-potential: %d increments, %d diverged, %d left out", printed.total(), printed.diverged(), printed.Left)
	}
	if p := res.path(bench16); len(p.Norm) != 5 || p.Contacts[0] != 16 {
		t.Errorf("path: %+v", p)
	}
}

func TestCouple(t *testing.T) {
	c := coupledCase("C16", "tissue-tissue", "pen")
	run, err := bench.New(c)
	if err != nil {
		t.Fatal(err)
	}
	var res Results
	res.couple(context.Background(), run, effort{stride: 2})
	x := res.coupled(c)
	if x == nil || len(x.With) != 2 || len(x.Without) != 2 {
		t.Fatalf("%+v", x)
	}
	for k := range x.With {
		a, b := &x.With[k], &x.Without[k]
		if a.Sweeps != b.Sweeps || !(b.Deviation < 1e-8) || a.Sliding != b.Sliding || !(a.R > 0) || !(b.R > 0) || !(a.U > 0) {
			t.Errorf("with %+v, without %+v", a, b)
		}
	}
}

func TestMeasureIsInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := Measure(ctx, true, func(int, int, string) {}); err == nil {
		t.Error("goes on after the interruption")
	}
}
