package contact

// Family groups the solvers by what their answers are worth.
type Family uint8

// The families.
const (
	FamilyExact       Family = iota // Signorini's and Coulomb's laws, by methods beyond the thesis
	FamilyThesis                    // the same laws, by the thesis's methods
	FamilyApproximate               // laws that only approximate them
)

// Formulation is the form in which a solver states the contact laws.
type Formulation uint8

// The formulations.
const (
	FormulationLaw         Formulation = iota // the laws themselves, solved exactly at each contact or all at once
	FormulationBipotential                    // 2.45
	FormulationPseudo                         // pseudo-potentials, 2.43 and 2.44
	FormulationPenalty                        // springs, 2.19 to 2.22
	FormulationMultipliers                    // blocked contacts, 2.23 to 2.26
	FormulationFacets                         // faceted cone, 2.29
)

// RhoUse tells which stiffness a solver takes its steps with.
type RhoUse uint8

// The uses.
const (
	RhoUnused     RhoUse = iota // none; rho_min scales the physical criterion only
	RhoLeast                    // rho_min for all contacts (3.1)
	RhoPerContact               // rho_n and rho_t of each contact (3.2)
)

// Traits place a solver among the others.
type Traits struct {
	Family      Family
	Formulation Formulation
	Rho         RhoUse
}

// Subset tells whether contacts that stay open may be left out of the problem: the answer
// is then that of the whole one. For the exact family that holds. The others' steps
// and stopping hang on all contacts, through rho_min and |r_k - r_{k-1}|, and
// approximate laws let open contacts push.
func (t Traits) Subset() bool { return t.Family == FamilyExact }

// TraitsOf are the traits of a solver. A solver that states none solves the
// laws themselves.
func TraitsOf(s Solver) Traits {
	if t, ok := s.(interface{ traits() Traits }); ok {
		return t.traits()
	}
	return Traits{}
}

func (s *Uzawa) traits() Traits {
	return Traits{FamilyThesis, FormulationBipotential, RhoLeast}
}

func (s *thesisSolver) traits() Traits {
	t := Traits{FamilyThesis, FormulationBipotential, RhoLeast}
	switch s.rule {
	case rulePseudo, rulePrinted, ruleNewtonPseudo:
		t.Formulation = FormulationPseudo
	}
	if s.star {
		t.Rho = RhoPerContact
	}
	return t
}

func (s *lawSolver) traits() Traits {
	t := Traits{FamilyApproximate, FormulationPenalty, RhoPerContact}
	if s.law == lawAdhesion || s.law == lawSliding {
		t.Formulation, t.Rho = FormulationMultipliers, RhoUnused
	}
	return t
}

func (s *Faceted) traits() Traits { return Traits{FamilyApproximate, FormulationFacets, RhoUnused} }

// Recorded tells what s writes to Options.History when it solves with opt: the
// measure, and the value at which the solver is content (0: where the measure
// counts contacts). Most solvers record the criterion itself. Exact records the
// residual that a sweep met, in the units of e_s, because its tolerance is on
// the errors whatever the criterion. rho is the rho_min of the solve, N/m, and
// rnorm |r| of its answer, N.
func Recorded(s Solver, opt *Options, rho, rnorm float64) (measure Criterion, goal float64) {
	if _, ok := s.(*Exact); ok {
		_, goal = opt.goals(rho, rnorm)
		return Scaled, goal
	}
	if opt.Criterion == SameStatus {
		return SameStatus, 0
	}
	return opt.Criterion, opt.Tolerance
}
