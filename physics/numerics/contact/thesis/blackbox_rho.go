package thesis

import (
	"cmp"
	"math"

	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/num"
)

// powerSteps is the number of steps of the power method; they find W's largest eigenvalue to some percent, from below.
const powerSteps = 12

// powerMargin makes up for what the power method misses.
const powerMargin = 0.9

// stiffness finds rho (N/m) and the weights w_c.
//
// The bodies of a contact act in series: 1/rho = 1/rho_1 + 1/rho_2 with their estimates, the least of which over the
// contacts is taken. (The thesis takes Inf(rho_1, rho_2), up to twice as much.) Where a body has no estimate the
// contacts are tried with unit forces, which gives rho_min of (3.1) itself.
func (g *Generic) stiffness(opt *contact.Options) float64 {
	rho := opt.Rho
	switch {
	case rho > 0:
		g.uniform(1 / rho)
	case g.estimated(&rho):
		g.uniform(1 / rho)
	default:
		rho = g.probe()
	}
	if opt.Rho > 0 {
		return rho
	}
	if g.Jacobi {
		if most := g.eigenvalue(); most > 0 {
			rho = powerMargin / most
		}
	}
	return opt.Factor() * rho
}

func (g *Generic) uniform(w float64) {
	for c := range g.weight {
		g.weight[c] = w
	}
}

// estimated combines the bodies' own estimates; ok is false where one is missing.
func (g *Generic) estimated(rho *float64) (ok bool) {
	least := math.Inf(1)
	for c := range g.joints {
		a, b := g.bodies[g.joints[c].A].Stiffness(), g.bodies[g.joints[c].B].Stiffness()
		if !(a > 0) || !(b > 0) {
			return false
		}
		least = math.Min(least, 1/(1/a+1/b))
	}
	if math.IsInf(least, 1) {
		least = 1 // no contact
	}
	*rho = least
	return true
}

// probe tries each contact with unit forces along its frame: the diagonal of W. The forces are scaled so that the
// answer stands out of the rounding of positions whatever the stiffness.
func (g *Generic) probe() float64 {
	most := 0.0
	for c := range g.joints {
		trace := 0.0
		for i := range 3 {
			w := g.response(c, i)
			trace += w
			most = math.Max(most, w)
		}
		g.weight[c] = trace / 3
	}
	most = cmp.Or(most, 1)
	for c := range g.weight {
		if !(g.weight[c] > 0) {
			g.weight[c] = most
		}
	}
	return 1 / most
}

// response is W_ii of component i of contact c, m/N.
func (g *Generic) response(c, i int) float64 {
	size := 1.0
	for range 2 {
		var e [3]float64
		e[i] = size
		g.push(c, e[0], e[1], e[2])
		var x [3]float64
		x[0], x[1], x[2] = g.one(c)
		g.load(nil)
		w := (x[i] - g.q[3*c+i]) / size
		if !(w > 0) || size != 1 {
			return math.Max(w, 0)
		}
		size = probeLength / w // the second try moves the contact by this much
	}
	return 0
}

// probeLength is how far, m, a probing force is meant to move its contact.
const probeLength = 1e-3

// eigenvalue is the largest one of W, by the power method on the bodies.
func (g *Generic) eigenvalue() float64 {
	v := g.prev
	for c := range g.joints {
		// normal and tangential together, none orthogonal to the sought vector
		v[3*c], v[3*c+1], v[3*c+2] = 1, 0.5, 0.25
	}
	most, size := 0.0, 1.0
	scale := size / (num.Norm(v) + math.SmallestNonzeroFloat64)
	for range powerSteps {
		for i := range v {
			v[i] *= scale
		}
		g.load(v) // a vector of norm size, N
		g.all(g.x)
		for i := range v {
			v[i] = g.x[i] - g.q[i]
		}
		moved := num.Norm(v)
		if !(moved > 0) {
			break
		}
		most = moved / size
		size = probeLength / most
		scale = size / moved
	}
	g.load(nil)
	return most
}
