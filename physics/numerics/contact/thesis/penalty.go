package thesis

import (
	"math"

	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/contact/exact"
	"hapco/physics/numerics/num"
)

// law names a formulation of section 2.4 that only approximates Signorini's and Coulomb's laws.
type law uint8

const (
	lawImplicit law = iota // penalty on the constrained displacements (2.19, 2.20)
	lawExplicit            // penalty on the free displacements (2.21, 2.22)
	lawAdhesion            // multipliers that block the contact (2.23, 2.24)
	lawSliding             // multipliers that block its normal direction (2.25, 2.26)
)

// penaltyFactor is how much stiffer the springs of the implicit penalty are than the bodies, rho_n and rho_t of (3.2),
// at RhoFactor 1. Their answer misses the exact one by about its inverse; Options.Rho imposes a stiffness instead.
const penaltyFactor = 100

// lawSolver finds the forces of an approximate law, by Gauss-Seidel over the contacts where the law couples them. The
// errors it reports are those of the exact laws, so it says "converged" only where the approximation happens to be as
// good as the tolerance asks.
type lawSolver struct {
	law    law
	loc    []exact.Local // implicit: each contact with its springs in series
	spring []float64     // 2N: stiffness along n and along t1, t2, N/m
	sweeps contact.Sweeps
}

func init() {
	add := func(name, title, note string, l law) {
		t := contact.Traits{Family: contact.FamilyApproximate, Formulation: contact.FormulationPenalty, Rho: contact.RhoPerContact}
		if l == lawAdhesion || l == lawSliding {
			t.Formulation, t.Rho = contact.FormulationMultipliers, contact.RhoUnused
		}
		contact.Register(contact.Description{Name: name, Title: title, Note: note, Traits: t}, func() contact.Solver { return &lawSolver{law: l} })
	}
	add("penalty-implicit", "Penalty, implicit",
		"approximate: springs at the contacts (2.19, 2.20), 100 x RhoFactor stiffer than the bodies; penetrates and creeps a little", lawImplicit)
	add("penalty-explicit", "Penalty, explicit",
		"approximate: springs on the free displacements (2.21, 2.22), blind to the coupling of contacts", lawExplicit)
	add("adhesion", "Multipliers, adhesion",
		"approximate: each contact blocked, then projected (2.23, 2.24); exact where all stick", lawAdhesion)
	add("sliding", "Multipliers, frictionless sliding",
		"approximate: blocked along n only, friction against the free sliding (2.25, 2.26); never sticks", lawSliding)
}

func (s *lawSolver) Solve(p *contact.Problem, r []float64, opt *contact.Options) contact.Result {
	s.sweeps.Start(opt)
	contact.CheckSizes(p, r)
	rho := s.prepare(p, opt)
	if s.law == lawExplicit {
		s.explicit(p, r)
		res := contact.Result{RhoMin: rho, Iterations: 1}
		s.sweeps.Bind(s, p)
		s.sweeps.Finish(p, r, opt, &res, true)
		return res
	}
	return s.sweeps.Run(s, p, r, opt, rho)
}

// relaxation is the share of an exact local step that is taken: all of it at first, half of it where that has not
// settled, because exact steps can cycle.
func relaxation(sweeps int) float64 {
	if sweeps < 200 {
		return 1
	}
	return 0.5
}

// prepare sets the springs and returns rho_min, N/m.
func (s *lawSolver) prepare(p *contact.Problem, opt *contact.Options) float64 {
	times := opt.Factor()
	if s.law == lawImplicit {
		times *= penaltyFactor
	}
	s.spring = num.Grow(s.spring, 2*p.N)
	lowest := stiffnesses(s.spring, p, opt, times, true)
	if s.law != lawImplicit {
		return lowest
	}
	s.loc = num.Grow(s.loc, p.N)
	mean := p.MeanWeight()
	for c := range p.N {
		n, t := s.spring[2*c], s.spring[2*c+1]
		b := p.Block(c, c)
		w := [9]float64{b[0][0] + 1/n, b[0][1], b[0][2], b[1][0], b[1][1] + 1/t, b[1][2], b[2][0], b[2][1], b[2][2] + 1/t}
		s.loc[c].Prepare(&w, p.Mu[c], mean, 0)
	}
	return lowest
}

func (s *lawSolver) explicit(p *contact.Problem, r []float64) {
	for c := range p.N {
		n, t := s.spring[2*c], s.spring[2*c+1]
		r[3*c] = math.Max(-n*p.Q[3*c], 0)
		r[3*c+1], r[3*c+2] = projectDisk(p.Mu[c]*r[3*c], -t*p.Q[3*c+1], -t*p.Q[3*c+2], false)
	}
}

func (s *lawSolver) Sweep(p *contact.Problem, r []float64, before int, clock *contact.Clock) bool {
	omega := relaxation(before)
	for c := range p.N {
		xn, x1, x2 := p.DisplacementsAt(c, r)
		f := r[3*c : 3*c+3 : 3*c+3]
		var g [3]float64
		switch s.law {
		case lawImplicit:
			// r = Proj(-k x) says that x + r/k and r obey the exact laws: a contact with springs in series, W_cc + 1/k
			// in place of W_cc.
			kn, kt := s.spring[2*c], s.spring[2*c+1]
			g[0], g[1], g[2] = s.loc[c].Solve(xn+f[0]/kn, x1+f[1]/kt, x2+f[2]/kt, f[0], f[1], f[2], 1e-12)
		case lawAdhesion:
			g = adhesion(p.Block(c, c), p.Mu[c], [3]float64{xn, x1, x2}, f)
		default:
			g = sliding(p.Block(c, c), p.Mu[c], [3]float64{xn, x1, x2}, f)
		}
		for i := range 3 {
			f[i] += omega * (g[i] - f[i])
		}
		if clock.Cuts(c, p.N) {
			return false
		}
	}
	return true
}

// adhesion is (2.23) and (2.24) for one contact: lambda brings x to 0, and is then projected, its normal part on R+,
// its tangential part on the disk.
func adhesion(w [3][3]float64, mu float64, x [3]float64, r []float64) (g [3]float64) {
	tr := w[0][0] + w[1][1] + w[2][2]
	if !(tr > 0) {
		return g
	}
	m, y := w, x
	for i := range 3 {
		y[i] /= tr
		for j := range 3 {
			m[i][j] /= tr
		}
	}
	d, ok := solve3(m, y)
	if !ok { // a direction that no force moves: each component for itself
		for i := range 3 {
			if m[i][i] > 0 {
				d[i] = y[i] / m[i][i]
			}
		}
	}
	g[0] = math.Max(r[0]-d[0], 0)
	g[1], g[2] = projectDisk(mu*g[0], r[1]-d[1], r[2]-d[2], false)
	return g
}

// sliding is (2.25) and (2.26) for one contact: lambda_n brings x_n to 0 without friction, and friction opposes the
// free sliding that this leaves.
func sliding(w [3][3]float64, mu float64, x [3]float64, r []float64) (g [3]float64) {
	if !(w[0][0] > 0) {
		return g
	}
	var free [3]float64 // without this contact's force
	for i := range 3 {
		free[i] = x[i] - w[i][0]*r[0] - w[i][1]*r[1] - w[i][2]*r[2]
	}
	g[0] = math.Max(-free[0]/w[0][0], 0)
	t1, t2 := free[1]+w[1][0]*g[0], free[2]+w[2][0]*g[0]
	if t := math.Sqrt(t1*t1 + t2*t2); t > 0 {
		g[1], g[2] = -mu*g[0]*t1/t, -mu*g[0]*t2/t
	}
	return g
}
