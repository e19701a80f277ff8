package tissue

import (
	"cmp"
	"slices"

	"hapco/physics/numerics/contact"
)

// families are the headings of the list of solvers, by contact.Family.
var families = [...]string{
	contact.FamilyExact:       "Exact: the contact laws themselves, beyond the thesis",
	contact.FamilyThesis:      "Thesis: its methods for the same laws",
	contact.FamilyApproximate: "Approximate: other laws in their place",
}

// formulations are named as in section 2.4, by contact.Formulation. Each has a solver that stands for it.
var formulations = [...]struct{ name, about, solver string }{
	contact.FormulationLaw:         {"contact laws", "Signorini's and Coulomb's laws themselves (2.15, 2.18), solved exactly at each contact or for all at once.", "auto"},
	contact.FormulationBipotential: {"bi-potential", "One projection on Coulomb's cone for normal and tangential force together (2.45).", "uzawa-star-consistent"},
	contact.FormulationPseudo:      {"pseudo-potential", "Normal force first, then the tangential one on the disk of radius µ r_n (2.43, 2.44).", "pseudo"},
	contact.FormulationPenalty:     {"penalty", "Springs at the contacts in place of the laws (2.19 to 2.22): they let bodies interpenetrate and creep.", "penalty-implicit"},
	contact.FormulationMultipliers: {"multipliers", "Contacts blocked as a whole or along n, then projected (2.23 to 2.26).", "adhesion"},
	contact.FormulationFacets:      {"faceted cone", "A pyramid in place of Coulomb's cone: a linear complementarity problem (2.29).", "facets-8"},
}

// solverList is every solver, by family; within one "auto" comes first.
func solverList() []contact.Description {
	list := contact.Descriptions()
	slices.SortStableFunc(list, func(a, b contact.Description) int {
		if c := cmp.Compare(a.Family, b.Family); c != 0 || a.Name == b.Name {
			return c
		}
		switch "auto" {
		case a.Name:
			return -1
		case b.Name:
			return 1
		}
		return 0
	})
	return list
}

// rhoTwins are solvers that differ only in taking one rho for all contacts (3.1) or two of each contact (3.2).
var rhoTwins = [...][2]string{
	{"uzawa", "uzawa-star-consistent"},
	{"uzawa", "uzawa-star"},
	{"uzawa-local", "uzawa-local-star"},
	{"uzawa-local-signorini", "uzawa-local-signorini-star"},
}

// rhoTwin is the solver that differs from name in its use of rho only.
func rhoTwin(name string, use contact.RhoUse) (twin string, ok bool) {
	for _, t := range rhoTwins {
		switch {
		case use == contact.RhoPerContact && name == t[0]:
			return t[1], true
		case use == contact.RhoLeast && name == t[1]:
			return t[0], true
		}
	}
	return "", false
}

// reformulated is the solver nearest to name that has another formulation.
func reformulated(name string, f contact.Formulation) string {
	switch {
	case contact.Describe(name).Formulation == f:
		return name
	case name == "newton-local" && f == contact.FormulationPseudo:
		return "newton-local-pseudo"
	case name == "newton-local-pseudo" && f == contact.FormulationBipotential:
		return "newton-local"
	}
	return formulations[f].solver
}

// rhoModes are the ways to come by rho: their word, what the button says, and what they do.
var rhoModes = [...]struct{ word, shown, about string }{
	{"Calculated", "ρ_min", "Calculated from the Delassus operator W of the contacts present, one for all: ρ_min = min 1/W_ii (3.1)."},
	{"Per contact", "ρ_n, ρ_t", "Calculated from W for each contact by itself: ρ_n = 1/W_nn, ρ_t = λ_min/λ_max² of W_tt (3.2). Chooses the solver that differs from this one in that alone, where there is one."},
	{"Imposed", "imposed", "The value of the slider Rho, for all contacts."},
}

const (
	rhoCalculated = iota
	rhoPerContact
	rhoImposed
)
