package contact

import (
	"time"

	"hapco/physics/numerics/contact/internal/kernel"
	"hapco/physics/numerics/num"
)

// Status is what the law says of a contact: fig. 2.5 of the thesis.
type Status uint8

// The three statuses.
const (
	Open  Status = iota // r = 0, x_n >= 0
	Stick               // r inside the cone, x = 0
	Slip                // r on the cone, x_t against r_t
)

// String is the word that panels and tables show.
func (s Status) String() string { return word(int(s), "open", "stick", "slip") }

func word(i int, words ...string) string {
	if i < len(words) {
		return words[i]
	}
	return "unknown"
}

// Problem is one frictional contact problem, x = W r + q (2.61), with Signorini's and Coulomb's laws (2.15, 2.18) at
// each of its N contacts. Components are ordered n, t1, t2 per contact; r is the force on the impactor.
type Problem struct {
	N  int       // contacts
	W  []float64 // (3N)x(3N) row-major Delassus operator, m/N, symmetric positive semidefinite
	Q  []float64 // 3N, free relative displacements x_free, m
	Mu []float64 // N, friction coefficients

	// ID are persistent identities, N of them or none: a contact that was there in an earlier problem has the one it
	// had. None is 0.
	ID []uint64

	// Blocks is a second storage of the same W, its non-zero blocks only; nil: none. Compress makes it. Whoever changes
	// W afterwards sets it to nil.
	Blocks *Blocks

	// Motions is a factor of the same W where that is of rigid bodies; nil: none is known. Whoever changes W afterwards
	// sets it to nil.
	Motions *Motions
}

// Resize makes room for n contacts, reusing memory. The contents are undefined, and other storages of W are dropped. There
// are identities afterwards if there were any before.
func (p *Problem) Resize(n int) {
	p.N = n
	p.Blocks, p.Motions = nil, nil
	p.W = num.Grow(p.W, 9*n*n)
	p.Q = num.Grow(p.Q, 3*n)
	p.Mu = num.Grow(p.Mu, n)
	if p.ID != nil {
		p.ID = num.Grow(p.ID, n)
	}
}

// AddProducts adds to W the sum of d_c j_c j_c^T, j having a row of 3N numbers for each d_c. Other storages of W are
// dropped.
func (p *Problem) AddProducts(j, d []float64) {
	p.Blocks, p.Motions = nil, nil
	n := 3 * p.N
	var room [8]float64
	minus := append(room[:0], d...)
	for i := range n {
		for c, x := range d {
			minus[c] = -x * j[c*n+i]
		}
		kernel.Combine(p.W[i*n:(i+1)*n], j, minus)
	}
}

// Criterion says which number has to fall below Options.Tolerance.
type Criterion uint8

// The stop criteria.
const (
	RelativeChange Criterion = iota // |r_k - r_{k-1}| / |r_k| (2.72)
	Physical                        // |r_k - r_{k-1}| / rho_min, m (section 4.4.2)
	NaturalMap                      // natural-map error e, normal and tangential
	Scaled                          // its unit-free form e_s
	SameStatus                      // no contact changed status in a sweep
)

// Options tune one solve. DefaultOptions fills them.
type Options struct {
	Tolerance     float64       // on the number that Criterion names
	MaxIterations int           // sweeps or outer iterations
	Criterion     Criterion     //
	Rho           float64       // imposed rho_min, N/m; 0: computed from W (3.1)
	RhoFactor     float64       // multiplies the computed rho; 1 is the thesis's
	LocalLength   float64       // eps_Uzawa * L of (3.6), (3.7), m
	LocalMax      int           // local iterations at most
	UnitFree      bool          // e_s alone says whether an answer is one, unless Criterion is e: that compares newtons with metres
	Budget        time.Duration // deadline mode; 0: none
	Timed         bool          // Result.Elapsed is wanted: two looks at the clock take as long as one contact
	History       *[]float64    // where given, the criterion's value after each iteration is appended
	Watch         *Watch        // where given, tells how far the solve is, and may end it
}

// DefaultOptions are the thesis's usual values (algorithm 4.2).
func DefaultOptions() Options {
	return Options{Tolerance: 1e-4, MaxIterations: 5000, RhoFactor: 1, LocalLength: 1e-5, LocalMax: 300}
}

// Stiffness is the rho_min of a solve, N/m: the imposed one, else the one computed from W times RhoFactor, of which 0
// stands for 1, so that Options filled by hand need not name it.
func (opt *Options) Stiffness(computed float64) float64 {
	if opt.Rho > 0 {
		return opt.Rho
	}
	return computed * opt.Factor()
}

// Factor multiplies a computed stiffness; see Stiffness.
func (opt *Options) Factor() float64 {
	if opt.RhoFactor == 0 {
		return 1
	}
	return opt.RhoFactor
}

// Result tells how a solve went. A solver that stops at its limit has not converged, and one whose answer fails the
// natural-map test has not either.
type Result struct {
	Iterations int
	Converged  bool
	// RelativeChange is that of the last iteration (2.72). The solvers that mix methods (auto, nsgs-newton) have none:
	// for them it is e_s, the relative size of the projected step that is left to make.
	RelativeChange float64
	NaturalError   float64       // natural_map_error e of the forces returned, = Errors.Natural
	ScaledError    float64       // scaled_error e_s of the forces returned, = Errors.Scaled
	RhoMin         float64       // the rho_min used or computed, N/m
	Elapsed        time.Duration // of a solve that is Timed, or has a Budget

	// Errors are both errors with their normal and tangential parts. They are NaN where a budget left no time to
	// evaluate them.
	Errors Errors

	// Newton counts the factorisations of a Newton method, Route names the last method that auto used.
	Newton int
	Route  Route
}

// Solver finds the contact forces. An instance keeps its workspace between calls and allocates nothing once it has seen
// the largest problem; it serves one goroutine.
type Solver interface {
	// Solve improves r (3N, N), which holds the starting guess, and reports.
	Solve(p *Problem, r []float64, opt *Options) Result
}
