package thesis

import (
	"math"
	"slices"
	"testing"

	"hapco/physics/measure/bench"
)

// made builds results of the whole plan with three increments a path, each
// answer made by one.
func made(one func(c bench.Case, m Method, a *Answer)) *Results {
	r := &Results{}
	for _, w := range plan() {
		p := &Path{Case: w.c}
		for k := 1; k <= 3; k++ {
			p.Increment = append(p.Increment, k)
			p.Contacts, p.Norm = append(p.Contacts, 36), append(p.Norm, 4/float64(k))
			p.Sliding, p.Sticking = append(p.Sliding, 4), append(p.Sticking, 0)
			p.RhoMin = append(p.RhoMin, rhoAt(w.c, float64(k-1)/2))
		}
		r.Paths = append(r.Paths, p)
		for _, m := range w.methods {
			run := &Run{Case: w.c, Method: m}
			for k := 1; k <= 3; k++ {
				a := Answer{Increment: k, Sweeps: 100, Stopped: true, MS: 1, Norm: float64(k) * (1 + w.c.Mu), Sliding: 4}
				one(w.c, m, &a)
				run.Answers = append(run.Answers, a)
			}
			r.Runs = append(r.Runs, run)
		}
	}
	for _, c := range couplings() {
		x := &Couple{Case: c}
		x.With = append(x.With, Coupling{Increment: 1, Sweeps: 80, R: 1, U: 0.1, Norm: 1})
		x.Without = append(x.Without, Coupling{Increment: 1, Sweeps: 80, R: 3, U: 0.1, Norm: 1})
		r.Couplers = append(r.Couplers, x)
	}
	return r
}

// rhoAt is the thesis's rho_min at a place of the path from 0 to 1.
func rhoAt(c bench.Case, place float64) float64 {
	for _, x := range rhoMins {
		if x.c == c {
			return x.first + place*(x.last-x.first)
		}
	}
	return 1
}

// asPrinted answers what the thesis prints.
func asPrinted(c bench.Case, m Method, a *Answer) {
	star := slices.Contains([]string{"uzawa-star", "uzawa-local-star", "uzawa-local-signorini-star"}, m.Solver)
	a.Deviation = 3
	if star {
		a.Deviation = 0.3
	}
	if m.Tolerance == 1e-8 {
		if m == reference || m.Factor != 1 && m.Solver == "uzawa-star" {
			a.Deviation = 0
		}
		if v, ok := prose34[c.Path][m.Solver]; ok {
			a.MS, a.Sweeps = v[0], int(v[1])
		}
		a.MS, a.Sweeps = a.MS/m.Factor, int(float64(a.Sweeps)/m.Factor)
		switch {
		case m.Solver == "pseudo-printed" || m.Solver == "pseudo":
			a.Stopped, a.Sliding = false, 7
		case m.Factor >= 2.5 || m.Factor == 2 && (star || c.Pair != "alu-tissue"):
			a.Stopped = false
		}
		if m.Solver == "uzawa" && m.Factor == 2 {
			a.MS, a.Sweeps = a.MS*0.7, int(float64(a.Sweeps)*0.7)
		}
		return
	}
	eachTable(func(table *timeTable, k int) {
		for _, row := range table.rows {
			if c == bench36(table.pair, table.path, table.mu[k]) && row.solver == m.Solver {
				a.MS, a.Stopped = row.cells[k].ms, !row.cells[k].diverges
			}
		}
	})
	if c.Bench != "A36" && c.Mu == usual || c.Bench == "A36" && m == coarse("uzawa") && c.Mu < 0 {
		a.MS = math.Pow(float64(map[string]int{"16": 16, "36": 36, "66": 66}[c.Bench[1:]]), orders[c.Bench[:1]][m.Solver])
	}
}

func verdicts(r *Results) map[string]Finding {
	by := map[string]Finding{}
	for _, f := range Findings(r) {
		by[f.ID] = f
	}
	return by
}

// On the thesis's own numbers its findings hold.
func TestFindingsOnTheThesis(t *testing.T) {
	r := made(asPrinted)
	by := verdicts(r)
	for _, id := range []string{"star-faster", "pseudo-fails", "pseudo-coupling", "star-near-global", "star-reference", "same-sliding", "norm-linear", "norm-falls", "rho-min-values",
		"rho-half", "rho-twice", "rho-limits", "rho-not-always", "deviation-by-rho", "rubber-global", "tissue-diverges", "divergences", "friction-norm",
		"global-robust", "same-without-delassus", "without-slower", "order-B-uzawa-star", "order-B-uzawa"} {
		if f, ok := by[id]; !ok || f.Verdict != Holds {
			t.Errorf("%s: %q (%d of %d): %s", id, f.Verdict, f.Passed, f.Checks, f.Measured)
		}
	}
	// where the thesis's tables have exceptions to its text
	for id, want := range map[string]int{"fastest-solvers": 20, "friction-slows": 20} {
		if f := by[id]; f.Verdict == Fails || f.Verdict == Unknown || f.Passed < want {
			t.Errorf("%s: %q (%d of %d): %s", id, f.Verdict, f.Passed, f.Checks, f.Measured)
		}
	}
}

// On numbers that contradict them they do not.
func TestFindingsContradicted(t *testing.T) {
	r := made(func(c bench.Case, m Method, a *Answer) {
		a.Deviation, a.Error = 30, 30
		switch m.Solver {
		case "uzawa":
			a.Sweeps, a.MS, a.Stopped = 50, 0.5, m.Tolerance > 1e-5 && c.Bench == "Z"
		case "uzawa-local", "uzawa-local-star":
			a.MS = 0.1
		}
		a.Norm = 1 / (1 + c.Mu) / float64(a.Increment*a.Increment*a.Increment)
	})
	for _, p := range r.Paths {
		for k := range p.RhoMin {
			p.RhoMin[k], p.Norm[k] = 1e-3*float64(k+1), float64(k+1)
		}
	}
	for _, c := range r.Couplers {
		c.Without[0].R, c.Without[0].Deviation = 50, 1
	}
	by := verdicts(r)
	for _, id := range []string{"star-faster", "pseudo-fails", "pseudo-coupling", "star-near-global", "star-reference", "norm-linear", "norm-falls", "rho-min-values",
		"rho-half", "rho-not-always", "local-no-gain", "deviation-by-rho", "rubber-global", "friction-norm", "global-robust", "same-without-delassus", "without-slower", "order-A-uzawa-star"} {
		if f := by[id]; f.Verdict != Fails {
			t.Errorf("%s: %q (%d of %d): %s", id, f.Verdict, f.Passed, f.Checks, f.Measured)
		}
	}
}

// Without measurements there are no verdicts.
func TestFindingsWithoutMeasurements(t *testing.T) {
	for _, f := range Findings(&Results{}) {
		if f.Verdict != Unknown {
			t.Errorf("%s: %q", f.ID, f.Verdict)
		}
		if f.Claim == "" || f.Where == "" {
			t.Errorf("%s: no claim or section", f.ID)
		}
	}
}

func TestSlopes(t *testing.T) {
	x := []float64{16, 36, 66}
	a, b := make([]float64, 3), make([]float64, 3)
	for i := range x {
		a[i], b[i] = 3*math.Pow(x[i], 2.07), 0.01*math.Pow(x[i], 2.07)
	}
	if order, ok := slopes([][]float64{x, x}, [][]float64{a, b}); !ok || math.Abs(order-2.07) > 1e-12 {
		t.Errorf("exponent %g, 2.07 to find", order)
	}
	if _, ok := slopes(nil, nil); ok {
		t.Error("an exponent from no points")
	}
}
