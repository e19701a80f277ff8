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
	OnErrors    bool // its tolerance is on the errors whatever the criterion
}

// Subset tells whether contacts that stay open may be left out of the problem: the answer is then that of the whole
// one. For the exact family that holds. The others' steps and stopping hang on all contacts, through rho_min and |r_k -
// r_{k-1}|, and approximate laws let open contacts push.
func (t Traits) Subset() bool { return t.Family == FamilyExact }

// Recorded tells what such a solver writes to Options.History when it solves with opt: the measure, and the value at
// which it is content (0: where the measure counts contacts). Most record the criterion itself; those OnErrors the
// residual that a sweep met, in the units of e_s. rho is the rho_min of the solve, N/m, and rnorm |r| of its answer, N.
func (t Traits) Recorded(opt *Options, rho, rnorm float64) (measure Criterion, goal float64) {
	if t.OnErrors {
		_, goal = opt.Goals(rho, rnorm)
		return Scaled, goal
	}
	if opt.Criterion == SameStatus {
		return SameStatus, 0
	}
	return opt.Criterion, opt.Tolerance
}
