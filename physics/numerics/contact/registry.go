package contact

import (
	"fmt"
	"slices"
	"strings"
)

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

// Route names a method among those that `auto` chooses from.
type Route uint8

// The routes, in the order in which auto tries them.
const (
	RouteNone     Route = iota // nothing was needed, or the solver is not auto
	RouteSweeps                // Gauss-Seidel
	RouteNewton                // semismooth Newton on the active contacts
	RouteAnderson              // accelerated Gauss-Seidel
	RouteInterior              // interior points, Newton at their end
	RouteProximal              // proximal outer loop
)

// String is the word that tables show.
func (r Route) String() string {
	return word(int(r), "none", "sweeps", "newton", "anderson", "interior", "proximal")
}

// Description presents a solver in lists, panels and tables.
type Description struct {
	Name  string // the word of the command line and of scene files
	Title string // a few words
	Note  string // what to know before trusting or choosing it; may be empty
	Traits
}

type registered struct {
	Description
	make func() Solver
}

// registry is written by the init functions of this package only, so it needs no lock.
var registry []registered

// Register adds a solver under d.Name. It is called from init functions; a name given twice is a bug and panics.
func Register(d Description, make func() Solver) {
	if d.Name == "" || make == nil {
		panic("contact: a solver needs a name and a constructor")
	}
	if find(d.Name) != nil {
		panic("contact: solver " + d.Name + " is registered twice")
	}
	registry = append(registry, registered{d, make})
}

// find is a solver by its name, nil where there is none.
func find(name string) *registered {
	for i := range registry {
		if registry[i].Name == name {
			return &registry[i]
		}
	}
	return nil
}

// New makes a solver of the registered kind.
func New(name string) (Solver, error) {
	if s := find(name); s != nil {
		return s.make(), nil
	}
	return nil, fmt.Errorf("contact: no solver %q; choose one of %s", name, strings.Join(Names(), ", "))
}

// Describe is the description of a solver; of an unknown name it has the name alone.
func Describe(name string) Description {
	if s := find(name); s != nil {
		return s.Description
	}
	return Description{Name: name, Title: name}
}

// Descriptions lists every solver, by name.
func Descriptions() []Description {
	ds := make([]Description, len(registry))
	for i := range registry {
		ds[i] = registry[i].Description
	}
	slices.SortFunc(ds, func(a, b Description) int { return strings.Compare(a.Name, b.Name) })
	return ds
}

// Names lists the names of every solver, sorted.
func Names() []string {
	ds := Descriptions()
	names := make([]string, len(ds))
	for i := range ds {
		names[i] = ds[i].Name
	}
	return names
}
