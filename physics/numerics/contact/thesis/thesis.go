package thesis

import (
	"math"

	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/num"
)

// thesisRule is how a thesis solver updates the force of one contact.
type thesisRule uint8

const (
	ruleBipotential  thesisRule = iota // 2.45: r <- P_K(r - rho (x + mu |x_t| n))
	ruleConsistent                     // the same with rho_n and rho_t where they belong
	rulePseudo                         // 2.43, 2.44: r_n on R+, then r_t on the disk
	rulePrinted                        // the same with the minus that 2.44 prints
	ruleLocal36                        // Uzawa local until (3.6)
	ruleLocal37                        // Uzawa local until (3.7)
	ruleNewton                         // Newton local (2.8.1), bi-potential
	ruleNewtonPseudo                   // Newton local, pseudo-potential
)

// thesisSolver is Gauss-Seidel over the contacts (2.7) with one of the local rules of sections 2.8 and 3.4 to 3.6, to
// the letter: contacts in ascending order, x of a contact computed from the present forces just before its update. As
// everywhere in this package r is projected, errors are true, and an answer whose errors miss the tolerance is not
// called converged, whatever the rule.
type thesisSolver struct {
	rule thesisRule
	star bool // (rho_n, rho_t) of each contact (3.2); else rho_min (3.1)

	rho    []float64        // 2N: rho_n, rho_t of each contact, N/m
	opt    *contact.Options // of the solve
	sweeps contact.Sweeps
}

func init() {
	thesis := func(name, title, note string, rule thesisRule, star bool) {
		t := contact.Traits{Family: contact.FamilyThesis, Formulation: contact.FormulationBipotential, Rho: contact.RhoLeast}
		switch rule {
		case rulePseudo, rulePrinted, ruleNewtonPseudo:
			t.Formulation = contact.FormulationPseudo
		}
		if star {
			t.Rho = contact.RhoPerContact
		}
		contact.Register(contact.Description{Name: name, Title: title, Note: note, Traits: t}, func() contact.Solver { return &thesisSolver{rule: rule, star: star} })
	}
	thesis("uzawa", "Uzawa global, bi-potential, rho_min",
		"the thesis's most robust solver (2.8.2, 3.1); slow where stiffnesses differ much", ruleBipotential, false)
	thesis("uzawa-star", "Uzawa global*",
		"the thesis's form (3.4): inconsistent where rho_n and rho_t differ, sliding contacts penetrate; use uzawa-star-consistent", ruleBipotential, true)
	thesis("uzawa-star-consistent", "Uzawa global*, consistent",
		"rho_n and rho_t of each contact where they belong: as fast as uzawa-star, and right", ruleConsistent, true)
	thesis("pseudo", "Uzawa global, pseudo-potential",
		"2.43 and 2.44 with the right sign of the sliding projection", rulePseudo, true)
	thesis("pseudo-printed", "Uzawa global, pseudo-potential as printed",
		"2.44 to the letter: its sliding projection has the wrong sign and rarely converges; use pseudo", rulePrinted, true)
	thesis("uzawa-local", "Uzawa local",
		"local loop until the steps fall below a length (3.6), rho_min", ruleLocal36, false)
	thesis("uzawa-local-star", "Uzawa local*",
		"local loop until (3.6), rho_n and rho_t in the thesis's form: inconsistent where they differ", ruleLocal36, true)
	thesis("uzawa-local-signorini", "Uzawa local Signorini",
		"local loop until the penetration falls below a length (3.7), rho_min: leaves that penetration", ruleLocal37, false)
	thesis("uzawa-local-signorini-star", "Uzawa local Signorini*",
		"local loop until (3.7), rho_n and rho_t in the thesis's form: inconsistent where they differ", ruleLocal37, true)
	thesis("newton-local", "Newton local",
		"condensed local Newton (2.8.1) on the bi-potential, not safeguarded: may cycle", ruleNewton, false)
	thesis("newton-local-pseudo", "Newton local, pseudo-potential",
		"condensed local Newton (2.8.1) on the pseudo-potentials, not safeguarded: may cycle", ruleNewtonPseudo, true)
}

func (s *thesisSolver) Solve(p *contact.Problem, r []float64, opt *contact.Options) contact.Result {
	s.sweeps.Start(opt)
	contact.CheckSizes(p, r)
	s.opt = opt
	s.rho = num.Grow(s.rho, 2*p.N)
	return s.sweeps.Run(s, p, r, opt, stiffnesses(s.rho, p, opt, opt.Factor(), s.star))
}

func (s *thesisSolver) Sweep(p *contact.Problem, r []float64, _ int, clock *contact.Clock) bool {
	for c := range p.N {
		s.update(p, r, c)
		if clock.Cuts(c, p.N) {
			return false
		}
	}
	return true
}

// stiffnesses writes the stiffness along n and along t1, t2 of each contact to dst (2N), N/m: of its own (3.2), so many
// times, or rho_min, which it returns.
func stiffnesses(dst []float64, p *contact.Problem, opt *contact.Options, times float64, own bool) (lowest float64) {
	if lowest = opt.Stiffness(p.RhoMin()); !(lowest > 0) {
		lowest = 1 // W = 0: any stiffness does
	}
	for c := range p.N {
		n, t := lowest, lowest
		if own && !(opt.Rho > 0) {
			n, t = p.LocalStiffness(c)
			n, t = times*n, times*t
			if !(n > 0) {
				n = lowest
			}
			if !(t > 0) {
				t = n
			}
		}
		dst[2*c], dst[2*c+1] = n, t
	}
	return lowest
}

// update sets the force of contact c from the forces of all.
func (s *thesisSolver) update(p *contact.Problem, r []float64, c int) {
	xn, x1, x2 := p.DisplacementsAt(c, r)
	f := r[3*c : 3*c+3 : 3*c+3]
	mu, rhoN, rhoT := p.Mu[c], s.rho[2*c], s.rho[2*c+1]
	switch s.rule {
	case ruleBipotential:
		t := math.Sqrt(x1*x1 + x2*x2)
		f[0], f[1], f[2] = contact.ProjectCone(mu, f[0]-rhoN*(xn+mu*t), f[1]-rhoT*x1, f[2]-rhoT*x2)
	case ruleConsistent:
		t := math.Sqrt(x1*x1 + x2*x2)
		f[0], f[1], f[2] = contact.ProjectCone(mu, f[0]-(rhoN*xn+mu*rhoT*t), f[1]-rhoT*x1, f[2]-rhoT*x2)
	case rulePseudo, rulePrinted:
		f[0] = math.Max(f[0]-rhoN*xn, 0)
		f[1], f[2] = projectDisk(mu*f[0], f[1]-rhoT*x1, f[2]-rhoT*x2, s.rule == rulePrinted)
	default:
		// x without this contact's own force, x^(alpha beta) of (2.71)
		w := p.Block(c, c)
		free := [3]float64{xn, x1, x2}
		for i := range 3 {
			free[i] -= w[i][0]*f[0] + w[i][1]*f[1] + w[i][2]*f[2]
		}
		one := localProblem{mu: mu, w: w, free: free, rho: [3]float64{rhoN, rhoT, rhoT}}
		var g [3]float64
		switch s.rule {
		case ruleLocal36:
			g = one.uzawa(s.opt, false)
		case ruleLocal37:
			g = one.uzawa(s.opt, true)
		case ruleNewton:
			g = one.newton(s.opt, false)
		default:
			g = one.newton(s.opt, true)
		}
		f[0], f[1], f[2] = g[0], g[1], g[2]
	}
}

// projectDisk projects (t1, t2) on the disk of the given radius (2.44). printed puts the minus of the thesis's print
// before a sliding force.
func projectDisk(radius, t1, t2 float64, printed bool) (float64, float64) {
	t := math.Sqrt(t1*t1 + t2*t2)
	if t <= radius || t == 0 {
		return t1, t2
	}
	k := radius / t
	if printed {
		k = -k
	}
	return k * t1, k * t2
}
