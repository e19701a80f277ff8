package solvers

import (
	"math"
	"testing"

	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/contact/internal/contacttest"
	"hapco/physics/numerics/num"
)

// Every solver that iterates records its way to the goal it names, and what it
// calls converged has reached that goal.
func TestRecordedGoals(t *testing.T) {
	p := contacttest.Thesis(t)[0].P
	for _, d := range contact.Descriptions() {
		for _, criterion := range []contact.Criterion{contact.RelativeChange, contact.Physical, contact.NaturalMap, contact.Scaled, contact.SameStatus} {
			s, err := contact.New(d.Name)
			if err != nil {
				t.Fatal(err)
			}
			opt := contact.DefaultOptions()
			opt.Criterion = criterion
			if criterion == contact.Physical {
				opt.Tolerance = 1e-9
			}
			var history []float64
			opt.History = &history
			r := make([]float64, 3*p.N)
			res := s.Solve(p, r, &opt)
			measure, goal := d.Recorded(&opt, res.RhoMin, num.Norm(r))
			if !res.Converged || len(history) == 0 {
				continue
			}
			last := history[len(history)-1]
			if !(last <= goal*(1+1e-9)) && measure != contact.Scaled || math.IsNaN(last) {
				t.Errorf("%s, criterion %d: converged at %g, the goal is %g", d.Name, criterion, last, goal)
			}
			// a residual that a sweep met may be above the error that it left
			if measure == contact.Scaled && !(res.ScaledError <= 1.01*goal) {
				t.Errorf("%s, criterion %d: e_s %g, the goal is %g", d.Name, criterion, res.ScaledError, goal)
			}
		}
	}
}

func TestTraits(t *testing.T) {
	for name, want := range map[string]contact.Traits{
		"auto":                  {Family: contact.FamilyExact, Formulation: contact.FormulationLaw, Rho: contact.RhoUnused, OnErrors: true},
		"nsgs":                  {Family: contact.FamilyExact, Formulation: contact.FormulationLaw, Rho: contact.RhoUnused},
		"uzawa":                 {Family: contact.FamilyThesis, Formulation: contact.FormulationBipotential, Rho: contact.RhoLeast},
		"uzawa-star-consistent": {Family: contact.FamilyThesis, Formulation: contact.FormulationBipotential, Rho: contact.RhoPerContact},
		"pseudo":                {Family: contact.FamilyThesis, Formulation: contact.FormulationPseudo, Rho: contact.RhoPerContact},
		"newton-local":          {Family: contact.FamilyThesis, Formulation: contact.FormulationBipotential, Rho: contact.RhoLeast},
		"newton-local-pseudo":   {Family: contact.FamilyThesis, Formulation: contact.FormulationPseudo, Rho: contact.RhoPerContact},
		"penalty-explicit":      {Family: contact.FamilyApproximate, Formulation: contact.FormulationPenalty, Rho: contact.RhoPerContact},
		"adhesion":              {Family: contact.FamilyApproximate, Formulation: contact.FormulationMultipliers, Rho: contact.RhoUnused},
		"facets-8":              {Family: contact.FamilyApproximate, Formulation: contact.FormulationFacets, Rho: contact.RhoUnused},
	} {
		if got := contact.Describe(name).Traits; got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
