package contact

import (
	"math"
	"testing"
)

// Every solver that iterates records its way to the goal it names, and what it
// calls converged has reached that goal.
func TestRecordedGoals(t *testing.T) {
	p := thesisProblems(t)[0].p
	for _, d := range Descriptions() {
		for _, criterion := range []Criterion{RelativeChange, Physical, NaturalMap, Scaled, SameStatus} {
			s, err := New(d.Name)
			if err != nil {
				t.Fatal(err)
			}
			opt := DefaultOptions()
			opt.Criterion = criterion
			if criterion == Physical {
				opt.Tolerance = 1e-9
			}
			var history []float64
			opt.History = &history
			r := make([]float64, 3*p.N)
			res := s.Solve(p, r, &opt)
			measure, goal := d.Recorded(&opt, res.RhoMin, norm2(r))
			if !res.Converged || len(history) == 0 {
				continue
			}
			last := history[len(history)-1]
			if !(last <= goal*(1+1e-9)) && measure != Scaled || math.IsNaN(last) {
				t.Errorf("%s, criterion %d: converged at %g, the goal is %g", d.Name, criterion, last, goal)
			}
			// a residual that a sweep met may be above the error that it left
			if measure == Scaled && !(res.ScaledError <= 1.01*goal) {
				t.Errorf("%s, criterion %d: e_s %g, the goal is %g", d.Name, criterion, res.ScaledError, goal)
			}
		}
	}
}

func TestTraits(t *testing.T) {
	for name, want := range map[string]Traits{
		"auto":                  {FamilyExact, FormulationLaw, RhoUnused, true},
		"nsgs":                  {FamilyExact, FormulationLaw, RhoUnused, false},
		"uzawa":                 {FamilyThesis, FormulationBipotential, RhoLeast, false},
		"uzawa-star-consistent": {FamilyThesis, FormulationBipotential, RhoPerContact, false},
		"pseudo":                {FamilyThesis, FormulationPseudo, RhoPerContact, false},
		"newton-local":          {FamilyThesis, FormulationBipotential, RhoLeast, false},
		"newton-local-pseudo":   {FamilyThesis, FormulationPseudo, RhoPerContact, false},
		"penalty-explicit":      {FamilyApproximate, FormulationPenalty, RhoPerContact, false},
		"adhesion":              {FamilyApproximate, FormulationMultipliers, RhoUnused, false},
		"facets-8":              {FamilyApproximate, FormulationFacets, RhoUnused, false},
	} {
		if got := Describe(name).Traits; got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
