package thesis

import (
	"fmt"
	"iter"
	"math"
	"strings"

	"hapco/physics/measure/bench"
)

// Verdict says whether a finding of the thesis holds for our measurements.
type Verdict string

// The verdicts. A finding is checked on several cases where it speaks of several; it holds in part where some of them
// pass.
const (
	Holds   Verdict = "holds"
	InPart  Verdict = "holds in part"
	Fails   Verdict = "does not hold"
	Unknown Verdict = "not measured"
)

// Finding is a statement of the thesis and what became of it.
type Finding struct {
	ID       string             `json:"id"`
	Where    string             `json:"section"`
	Claim    string             `json:"claim"`
	Verdict  Verdict            `json:"verdict"`
	Passed   int                `json:"checks_passed"`
	Checks   int                `json:"checks"`
	Measured string             `json:"measured"`
	Numbers  map[string]float64 `json:"numbers"` // what the verdict rests on

	parts []string // of Measured, after what that begins with
}

// check counts one case that supports the claim, or does not.
func (f *Finding) check(ok bool) {
	f.Checks++
	if ok {
		f.Passed++
	}
}

// number keeps a measured value; one that was not measured is left out.
func (f *Finding) number(name string, x float64) float64 {
	if !math.IsNaN(x - x) {
		if f.Numbers == nil {
			f.Numbers = map[string]float64{}
		}
		f.Numbers[name] = x
	}
	return x
}

// say adds a part to what was measured.
func (f *Finding) say(format string, args ...any) {
	f.parts = append(f.parts, fmt.Sprintf(format, args...))
}

// settle gives the verdict from the checks.
func (f *Finding) settle() {
	f.Measured += strings.Join(f.parts, "; ")
	switch {
	case f.Checks == 0:
		f.Verdict, f.Measured = Unknown, ""
	case f.Passed == f.Checks:
		f.Verdict = Holds
	case f.Passed == 0:
		f.Verdict = Fails
	default:
		f.Verdict = InPart
	}
}

// claim is a conclusion of the thesis, and what judges it.
type claim struct {
	id, where, text string
	judge           func(r *Results, f *Finding)
}

// claims are all of them, in the thesis's order.
var claims = []claim{
	{"star-faster", "3.4", "Uzawa global* is faster than Uzawa global (aluminium on soft tissue, 1e-8)", (*Results).starFaster},
	{"hard-end", "3.4", "At the end of the penetration Uzawa global has trouble converging (1239 sweeps, 350 on average), global* has not (233)", (*Results).hardEnd},
	{"pseudo-fails", "3.4", "The pseudo-potential does not converge: 10 000 sweeps at every increment pressing, 7264 on average sliding", (*Results).pseudoFails},
	{"pseudo-coupling", "3.4, 3.10", "The bi-potential is more robust, since the pseudo-potential misses the coupling of normal and tangential force", (*Results).pseudoCoupling},
	{"star-near-global", "3.4", "Uzawa global deviates from global* by less than 6.7 % (16 contacts, pressing) and 5 % (36, sliding)", (*Results).starNear},
	{"star-reference", "3.4", "Uzawa global* at 1e-8 is a precise reference solution", (*Results).starReference},
	{"same-sliding", "3.4, 3.5", "Global and global* find the same number of sliding contacts pressing, the pseudo-potential does not", (*Results).sameSliding},
	{"norm-linear", "3.4", "The norm of the forces grows almost linearly with the depth", (*Results).normLinear},
	{"norm-falls", "3.4", "Sliding from the held end to the free one, rho_min falls from 25 to 11 (N/m) and the forces with it", (*Results).normFalls},
	{"rho-min-values", "3.4 to 3.7", "Values of rho_min (its \"N/cm\" read as MN/m)", (*Results).rhoMinValues},
	{"rho-half", "3.5", "Half of rho doubles time and sweeps, in Uzawa global and global*", (*Results).rhoHalf},
	{"rho-twice", "3.5", "Twice rho_min halves time and sweeps of Uzawa global, which then beats global*", (*Results).rhoTwice},
	{"rho-limits", "3.5", "rho_min × 2.2 and rho* × 1.5 are the limits: they converge, more is unstable (rho* × 2; rho_min × 3)", (*Results).rhoLimits},
	{"rho-same-forces", "3.5", "The factor does not change the forces (global* × 0.5 deviates by 1e-40 %), no contact sticks; global × 2 is 5.07 % from global*", (*Results).rhoSameForces},
	{"star-rho-faster", "3.7.1", "Aluminium on soft tissue: (rho_n, rho_t) converges faster than rho_min, global or local", (*Results).starRhoFaster},
	{"local-no-gain", "3.7, 3.10", "The local approach brings no gain of time over the global one", (*Results).localNoGain},
	{"signorini-no-gain", "3.7.1", "Nor does the local criterion on the penetration alone (3.7)", (*Results).signoriniNoGain},
	{"deviation-by-rho", "3.7", "What matters for the deviation from global* is rho, not local or global: with (rho_n, rho_t) 0.24 to 0.71 %, with rho_min 0.8 to 5.36 %", (*Results).deviationByRho},
	{"rubber-global", "3.7.2", "Aluminium on rubber: (rho_n, rho_t) no longer pays, Uzawa global is the fastest", (*Results).rubberGlobal},
	{"tissue-diverges", "3.7.3", "Soft tissue on soft tissue: solvers with (rho_n, rho_t) diverge, those with rho_min converge", (*Results).tissueDiverges},
	{"tissue-deviation", "3.7.3", "Soft tissue on soft tissue: the methods still deviate by 2.28 % (pressing) and 1.7 % (sliding) on average only", (*Results).tissueDeviation},
	{"fastest-solvers", "3.8", "The fastest solver: global* on aluminium/soft tissue, global or global* on aluminium/rubber, global on soft tissue/soft tissue", (*Results).fastestSolvers},
	{"divergences", "3.8", "Which solvers diverge where (3.36 to 3.41, 144 cells)", (*Results).divergences},
	{"friction-slows", "3.8", "Times grow with the friction coefficient", (*Results).frictionSlows},
	{"friction-norm", "3.8", "The norm of the forces grows with the friction coefficient", (*Results).frictionNorm},
	order("A", "uzawa-star"), order("A", "uzawa"), order("B", "uzawa-star"), order("B", "uzawa"),
	{"rho-not-always", "3.10", "Raising rho speeds up in some cases only; it depends on the stiffnesses of the pair", (*Results).rhoNotAlways},
	{"global-robust", "3.10", "Uzawa global with rho_min is the most robust: it converges in all cases", (*Results).globalRobust},
	{"same-without-delassus", "4.2.2", "With and without Delassus: the same forces, sweeps and statuses", (*Results).sameWithout},
	{"without-slower", "4.2.2", "Without Delassus the contact forces take three times as long; the displacements take the same", (*Results).withoutSlower},
}

// Findings judges the thesis's conclusions by the measurements.
func Findings(r *Results) []Finding {
	all := make([]Finding, len(claims))
	for i, c := range claims {
		all[i] = Finding{ID: c.id, Where: c.where, Claim: c.text}
		c.judge(r, &all[i])
		all[i].settle()
	}
	return all
}

// have says whether all runs were made.
func have(runs ...*Run) bool {
	for _, r := range runs {
		if r == nil || len(r.Answers) == 0 {
			return false
		}
	}
	return true
}

// having are the cases on which all methods were tried, and their runs.
func (r *Results) having(cases []bench.Case, methods ...Method) iter.Seq2[bench.Case, []*Run] {
	return func(yield func(bench.Case, []*Run) bool) {
		for _, c := range cases {
			runs := make([]*Run, len(methods))
			for i, m := range methods {
				runs[i] = r.run(c, m)
			}
			if have(runs...) && !yield(c, runs) {
				return
			}
		}
	}
}

// ratio of the mean times of two runs, and of their sweeps.
func ratio(a, b *Run) (ms, count float64) {
	return a.meanMS() / b.meanMS(), a.meanSweeps() / b.meanSweeps()
}
