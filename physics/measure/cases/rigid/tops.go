package rigid

import (
	"fmt"
	"math"

	"hapco/physics/frame"
	"hapco/physics/numerics/num"
)

// topScalars are closed forms of a free top, or of a symmetric one under its weight about a fixed point; nil where
// there are none.
func topScalars(b *member, p *placed, g vec3) record {
	if b.pivot == nil {
		return freeTop(b, p)
	}
	j1, j3 := b.j.At(0, 0), b.j.At(2, 2)
	diagonal := mat3{j1, 0, 0, 0, j1, 0, 0, 0, j3}
	if b.j != diagonal || b.arm[0] != 0 || b.arm[1] != 0 || g[0] != 0 || g[1] != 0 || b.arm[2] == 0 || g[2] == 0 {
		return nil
	}
	return heavyTop(b, p, j1, j3, -b.mass*g[2]*b.arm[2])
}

// freeTop: where two principal moments about the axes of the frame are equal, the rates of precession; where they
// differ, the elliptic functions' parameter.
func freeTop(b *member, p *placed) record {
	j := [3]float64{b.j.At(0, 0), b.j.At(1, 1), b.j.At(2, 2)}
	if b.j != (mat3{j[0], 0, 0, 0, j[1], 0, 0, 0, j[2]}) {
		return nil
	}
	l := b.spin(p).Len()
	if l == 0 {
		return nil
	}
	for k := range 3 {
		a, c := j[(k+1)%3], j[(k+2)%3]
		if a == c && a != j[k] {
			return record{"body_rate_of_transverse_rate_vector_rad_s": (j[k] - a) / a * p.w[k],
				"precession_rate_about_L_rad_s": l / a, fmt.Sprintf("W%d", k+1): p.w[k]}
		}
	}
	w2 := [3]float64{p.w[0] * p.w[0], p.w[1] * p.w[1], p.w[2] * p.w[2]}
	for a := range 3 { // ascending moments
		for c := a + 1; c < 3; c++ {
			if j[c] < j[a] {
				j[a], j[c], w2[a], w2[c] = j[c], j[a], w2[c], w2[a]
			}
		}
	}
	if j[0] == j[2] {
		return nil
	}
	// L^2 - 2 T J_i, written without cancellation.
	from := func(i int) (s float64) {
		for k := range 3 {
			s += j[k] * (j[k] - j[i]) * w2[k]
		}
		return s
	}
	if from(1) < 0 { // the turn is about the axis of the least moment
		j[0], j[2], w2[0], w2[2] = j[2], j[0], w2[2], w2[0]
	}
	n := math.Sqrt((j[2] - j[1]) * from(0) / (j[0] * j[1] * j[2]))
	m := (j[1] - j[0]) * -from(2) / ((j[2] - j[1]) * from(0))
	if !(m < 1) {
		return nil // the separatrix has no period
	}
	return record{"parameter_m": m, "rate_n_1_s": n, "period_of_body_angular_velocity_s": 4 * ellipticK(m) / n}
}

// heavyTop: u = cos(theta) swings between two roots of the cubic
//
//	(1 - u^2)(alpha - beta u) - (b - a u)^2
//
// with a = L3/J1, b = Lz/J1, beta = 2 mgl/J1 and alpha = (2 E - L3^2/J3)/J1.
func heavyTop(body *member, p *placed, j1, j3, mgl float64) record {
	l3 := j3 * p.w[2]
	lz := body.spin(p)[2]
	u0 := frame.Rotate(p.q, vec3{0, 0, 1})[2]
	// About u0, where the cubic is the known rate of u squared: with d = u - u0, f(d) = c0 + c1 d + c2 d^2 + beta d^3.
	// A top that hangs is an upright one of the opposite axis: side is -1.
	side := 1.0
	if mgl < 0 {
		side = -1
	}
	mgl, u0 = side*mgl, side*u0
	a, b, beta := side*l3/j1, lz/j1, 2*mgl/j1
	transverse := p.w[0]*p.w[0] + p.w[1]*p.w[1] // alpha - beta u0
	s := 1 - u0*u0
	k := b - a*u0
	e3 := frame.Rotate(p.q, vec3{0, 0, 1})
	rate := side * p.omega().Cross(e3)[2] // du/dt
	c0, c1, c2 := rate*rate, -2*u0*transverse-beta*s+2*a*k, -transverse+2*beta*u0-a*a
	f := func(d float64) float64 { return c0 + d*(c1+d*(c2+d*beta)) }
	// f is positive between the two lower roots.
	top := -c2 / (3 * beta)
	width := math.Sqrt(max(0, c2*c2-3*beta*c1)) / (3 * beta)
	upper, mid := top+width, top-width // extrema: f is largest at mid
	third := upper + 1
	for f(third) < 0 {
		third += third - upper
	}
	d3 := num.Bisect(f, upper, third)
	var d1, d2 float64
	if c0 == 0 || math.Abs(rate) < 1e-12*math.Sqrt(transverse+1e-300) { // u0 is a root
		// f = d (c1 + c2 d + beta d^2)
		disc := math.Sqrt(max(0, c2*c2-4*beta*c1))
		other := 2 * c1 / (-c2 + disc)
		d1, d2 = min(0, other), max(0, other)
	} else {
		d1, d2 = num.Bisect(f, -1-u0, mid), num.Bisect(f, mid, upper)
	}
	low, high := side*(u0+d1), side*(u0+d2)
	out := record{"cos_theta_min": min(low, high), "cos_theta_max": max(low, high), "third_root": side * (u0 + d3),
		"nutation_period_s":               4 * ellipticK((d2-d1)/(d3-d1)) / math.Sqrt(beta*(d3-d1)),
		"angular_momentum_along_vertical": lz, "angular_momentum_along_body_axis": l3}
	if d2-d1 < 1e-6 {
		// Steady precession: J1 u W^2 - L3 W + mgl = 0, the root that the top follows.
		now := k / s
		q := math.Sqrt(max(0, l3*l3-4*j1*u0*mgl))
		w1, w2 := (side*l3-q)/(2*j1*u0), (side*l3+q)/(2*j1*u0)
		if math.Abs(w2-now) < math.Abs(w1-now) {
			w1 = w2
		}
		out["steady_precession_rate_rad_s"], out["theta_rad"] = w1, math.Acos(side*u0)
	}
	return out
}

// ellipticK is the complete elliptic integral of the first kind of the parameter m < 1, by the arithmetic-geometric
// mean.
func ellipticK(m float64) float64 {
	a, b := 1.0, math.Sqrt(1-m)
	for math.Abs(a-b) > 1e-15*a {
		a, b = (a+b)/2, math.Sqrt(a*b)
	}
	return math.Pi / (a + b)
}
