package thesis

import (
	"fmt"
	"math"

	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/contact/lcp"
	"hapco/physics/numerics/num"
)

// maxPivotSize is the largest problem, in unknowns of the LCP, that is solved as a whole: the pivots cost about the
// cube. Larger ones are swept contact by contact.
const maxPivotSize = 700

// faceted is the formulation with a faceted cone (2.27 to 2.29): r_t is a sum of beta_k >= 0 along h directions d_k of
// the tangent plane, sum beta_k <= mu r_n, and the laws become a linear complementarity problem in (r_n, beta, lambda)
// of size N (h + 2),
//
//	x_n                        >= 0  compl.  r_n    >= 0
//	lambda + d_k'x_t           >= 0  compl.  beta_k >= 0
//	mu r_n - sum_k beta_k      >= 0  compl.  lambda >= 0
//
// solved by Lemke's pivots: as a whole up to 700 unknowns, and else, under a budget, or where the pivots end in a ray,
// by Gauss-Seidel over the contacts with one such problem each. Iterations counts pivots or sweeps.
//
// The cone is inscribed in Coulomb's, so forces are admissible; sliding goes along a facet's corner and is off by up to
// pi/h.
type faceted struct {
	facets int
	d      [][2]float64 // directions d_k (2.27)

	ws      lcp.Workspace
	m, q, z []float64 // the LCP, in units of its own
	sweeps  contact.Sweeps
}

func init() {
	for _, h := range []int{4, 8, 16, 32} {
		contact.Register(contact.Description{
			Name:   fmt.Sprintf("facets-%d", h),
			Title:  fmt.Sprintf("Faceted cone, %d facets", h),
			Note:   "approximate: linear complementarity problem (2.29) by Lemke's pivots; sliding directions are off by up to " + fmt.Sprintf("%.1f degrees", 180/float64(h)),
			Traits: contact.Traits{Family: contact.FamilyApproximate, Formulation: contact.FormulationFacets},
		}, func() contact.Solver { return newFaceted(h) })
	}
}

// newFaceted makes a solver with h facets; fewer than 3 span no plane and panic.
func newFaceted(h int) *faceted {
	if h < 3 {
		panic("contact: a faceted cone needs at least 3 facets")
	}
	s := &faceted{facets: h}
	for k := range h {
		sin, cos := math.Sincos(2 * math.Pi * float64(k) / float64(h))
		s.d = append(s.d, [2]float64{cos, sin})
	}
	return s
}

func (s *faceted) Solve(p *contact.Problem, r []float64, opt *contact.Options) contact.Result {
	s.sweeps.Start(opt)
	contact.CheckSizes(p, r)
	contact.Admit(r, p.Mu)
	res := contact.Result{RhoMin: p.RhoMin()}
	if opt.Watch != nil {
		s.ws.Stop = func() bool { opt.Watch.Count(); return s.sweeps.Clock.Expired() }
	}
	solved := opt.Budget == 0 && p.N*(s.facets+2) <= maxPivotSize && s.pivot(p, r, &res)
	s.ws.Stop = nil // a sweep looks by itself
	if solved {
		s.sweeps.Bind(s, p)
		s.sweeps.Finish(p, r, opt, &res, true)
		return res
	}
	return s.sweeps.Run(s, p, r, opt, res.RhoMin)
}

// pivot solves the problem of all contacts at once.
func (s *faceted) pivot(p *contact.Problem, r []float64, res *contact.Result) bool {
	length := 0.0
	for _, v := range p.Q {
		length = math.Max(length, math.Abs(v))
	}
	if length == 0 {
		clear(r)
		return true
	}
	for _, soft := range softening {
		out := s.lemke(p.N, p.W, p.Q, p.Mu, length, 1/p.MeanWeight(), soft, r)
		res.Iterations += out.Pivots
		if out.Status == lcp.Solved {
			return true
		}
	}
	res.Iterations = 0
	return false
}

// softening is added to the diagonal of W, as a share of its mean, until the pivots succeed: on a rank-deficient W
// roundoff can make them end in a ray where exact arithmetic finds a solution.
var softening = [...]float64{0, 1e-10, 1e-8}

// Sweep solves each contact's own problem once.
func (s *faceted) Sweep(p *contact.Problem, r []float64, before int, clock *contact.Clock) bool {
	omega := relaxation(before)
	for c := range p.N {
		f := r[3*c : 3*c+3 : 3*c+3]
		xn, x1, x2 := p.DisplacementsAt(c, r)
		b := p.Block(c, c)
		free := [3]float64{xn, x1, x2}
		var w [9]float64
		length, trace := 0.0, b[0][0]+b[1][1]+b[2][2]
		for i := range 3 {
			free[i] -= b[i][0]*f[0] + b[i][1]*f[1] + b[i][2]*f[2]
			length = math.Max(length, math.Abs(free[i]))
			copy(w[3*i:], b[i][:])
		}
		var g [3]float64
		if trace > 0 && free[0] < 0 { // else it is open: r = 0 solves it
			out := s.lemke(1, w[:], free[:], p.Mu[c:c+1], length, 3/trace, 0, g[:])
			if out.Status != lcp.Solved {
				g = [3]float64{f[0], f[1], f[2]}
			}
		}
		for i := range 3 {
			f[i] += omega * (g[i] - f[i])
		}
		if clock.Expired() {
			return false
		}
	}
	return true
}

// lemke states (2.29) for n contacts with lengths in units of length (m) and forces in units of length*stiffness (N),
// so that its entries are of order 1, and writes the forces to r (3n) where it finds a solution. soft is added to the
// scaled diagonal of W. The unknowns are r_n, then beta contact by contact, then lambda.
func (s *faceted) lemke(n int, w, q, mu []float64, length, stiffness, soft float64, r []float64) lcp.Result {
	h := s.facets
	size := n * (h + 2)
	s.m, s.q, s.z = num.Grow(s.m, size*size), num.Grow(s.q, size), num.Grow(s.z, size)
	clear(s.m)
	for a := range n {
		s.q[a] = q[3*a] / length
		for k, d := range s.d {
			s.q[n+a*h+k] = (d[0]*q[3*a+1] + d[1]*q[3*a+2]) / length
		}
		s.q[n+n*h+a] = 0
		for b := range n {
			s.couple(n, a, b, w, stiffness, soft)
		}
		for k := range h {
			s.m[(n+a*h+k)*size+n+n*h+a] = 1
			s.m[(n+n*h+a)*size+n+a*h+k] = -1
		}
		s.m[(n+n*h+a)*size+a] = mu[a]
	}
	out := s.ws.Lemke(s.m, s.q, s.z, 0)
	if out.Status != lcp.Solved {
		return out
	}
	force := length * stiffness
	for a := range n {
		t1, t2 := 0.0, 0.0
		for k, d := range s.d {
			t1 += s.z[n+a*h+k] * d[0]
			t2 += s.z[n+a*h+k] * d[1]
		}
		r[3*a], r[3*a+1], r[3*a+2] = force*s.z[a], force*t1, force*t2
	}
	return out
}

// couple fills the rows of contact a and the columns of contact b.
func (s *faceted) couple(n, a, b int, w []float64, stiffness, soft float64) {
	h := s.facets
	size := n * (h + 2)
	var m [3][3]float64
	for i := range 3 {
		for j := range 3 {
			m[i][j] = w[(3*a+i)*3*n+3*b+j] * stiffness
		}
		if a == b {
			m[i][i] += soft
		}
	}
	s.m[a*size+b] = m[0][0]
	for l, e := range s.d {
		s.m[a*size+n+b*h+l] = m[0][1]*e[0] + m[0][2]*e[1]
	}
	for k, d := range s.d {
		row := s.m[(n+a*h+k)*size : (n+a*h+k+1)*size]
		row[b] = d[0]*m[1][0] + d[1]*m[2][0]
		u, v := d[0]*m[1][1]+d[1]*m[2][1], d[0]*m[1][2]+d[1]*m[2][2]
		for l, e := range s.d {
			row[n+b*h+l] = u*e[0] + v*e[1]
		}
	}
}
