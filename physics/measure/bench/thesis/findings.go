package thesis

import "math"

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

// settle gives the verdict from the checks.
func (f *Finding) settle() {
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

// Findings judges the thesis's conclusions by the measurements, in its order.
func Findings(r *Results) []Finding {
	all := []Finding{
		r.starFaster(), r.hardEnd(), r.pseudoFails(), r.pseudoCoupling(), r.starNear(), r.starReference(), r.sameSliding(), r.normLinear(), r.normFalls(), r.rhoMinValues(),
		r.rhoHalf(), r.rhoTwice(), r.rhoLimits(), r.rhoSameForces(),
		r.starRhoFaster(), r.localNoGain(), r.signoriniNoGain(), r.deviationByRho(), r.rubberGlobal(), r.tissueDiverges(), r.tissueDeviation(),
		r.fastestSolvers(), r.divergences(), r.frictionSlows(), r.frictionNorm(),
		r.order("A", "uzawa-star"), r.order("A", "uzawa"), r.order("B", "uzawa-star"), r.order("B", "uzawa"),
		r.rhoNotAlways(), r.globalRobust(),
		r.sameWithout(), r.withoutSlower(),
	}
	for i := range all {
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

// ratio of the mean times of two runs, and of their sweeps.
func ratio(a, b *Run) (ms, count float64) {
	return a.meanMS() / b.meanMS(), a.meanSweeps() / b.meanSweeps()
}
