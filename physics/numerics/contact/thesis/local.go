package thesis

import (
	"math"

	"hapco/physics/numerics/contact"
)

// localProblem is (2.73), one contact with the others' forces frozen: x = W_aa r + free.
type localProblem struct {
	mu   float64
	w    [3][3]float64 // W_aa, m/N
	free [3]float64    // x^(alpha beta), m
	rho  [3]float64    // rho_n, rho_t, rho_t, N/m
}

// localMax is the limit on local steps; 0 stands for the default, so that Options filled by hand need not name it.
func localMax(opt *contact.Options) int {
	if opt.LocalMax <= 0 {
		return 300
	}
	return opt.LocalMax
}

func (l *localProblem) displacement(r [3]float64) (x [3]float64) {
	for i := range 3 {
		x[i] = l.w[i][0]*r[0] + l.w[i][1]*r[1] + l.w[i][2]*r[2] + l.free[i]
	}
	return x
}

// uzawa is the local loop of 2.8.2, bi-potential, started at r = 0. It stops by (3.6), read as |(dr_i / rho_i)| <=
// LocalLength with each component divided by its own rho, or with signorini by (3.7), x_n >= -LocalLength.
func (l *localProblem) uzawa(opt *contact.Options, signorini bool) (r [3]float64) {
	x := l.free
	for range localMax(opt) {
		t := math.Sqrt(x[1]*x[1] + x[2]*x[2])
		var next [3]float64
		next[0], next[1], next[2] = contact.ProjectCone(l.mu,
			r[0]-l.rho[0]*(x[0]+l.mu*t), r[1]-l.rho[1]*x[1], r[2]-l.rho[2]*x[2])
		step := 0.0
		for i := range 3 {
			d := (next[i] - r[i]) / l.rho[i]
			step += d * d
		}
		r = next
		x = l.displacement(r)
		if signorini && x[0] >= -opt.LocalLength || !signorini && math.Sqrt(step) <= opt.LocalLength {
			break
		}
	}
	return r
}

// newtonShare is the local stop of 2.8.1, |d chi| / |chi|, as a share of the tolerance of the sweep.
const newtonShare = 1e-2

// newton is the local loop of 2.8.1 with the condensed tangent, started at r = 0: with Z(r, x) = 0 the law, A = dZ/dr
// and B = dZ/dx, and x = W_aa r + free kept throughout,
//
//	(A + B W_aa) dr = -Z.
//
// (The remark at the end of 2.8.1 has -Z + B x on the right: that solves for r and x anew instead of for steps, and
// fits only where Z is linear.) It is not safeguarded. Where the tangent is singular an Uzawa step replaces Newton's.
func (l *localProblem) newton(opt *contact.Options, pseudo bool) (r [3]float64) {
	x := l.free
	for range localMax(opt) {
		z, m, open := l.tangent(r, x, pseudo)
		if open {
			return [3]float64{}
		}
		d, ok := solve3(m, z)
		if !ok {
			d = z // r - Z is the projection of the augmented force
		}
		size, move := 0.0, 0.0
		for i := range 3 {
			r[i] -= d[i]
		}
		next := l.displacement(r)
		for i := range 3 {
			dx := l.rho[i] * (next[i] - x[i])
			move += d[i]*d[i] + dx*dx
			size += r[i]*r[i] + l.rho[i]*l.rho[i]*next[i]*next[i]
		}
		x = next
		if lim := newtonShare * opt.Tolerance; !(move > lim*lim*size) {
			break
		}
	}
	r[0], r[1], r[2] = contact.ProjectCone(l.mu, r[0], r[1], r[2])
	return r
}

// tangent gives Z = r - P(r*), its tangent A + B W, and whether the augmented force says open. P projects on the cone,
// and r* = r - rho (x + mu |x_t| n); of the pseudo-potentials (2.43, 2.44) P projects on the disk whose radius the
// augmented normal force gives, and r* has no part in mu.
func (l *localProblem) tangent(r, x [3]float64, pseudo bool) (z [3]float64, m [3][3]float64, open bool) {
	lift, t := l.mu, math.Sqrt(x[1]*x[1]+x[2]*x[2])
	if pseudo {
		lift = 0
	}
	s := [3]float64{r[0] - l.rho[0]*(x[0]+lift*t), r[1] - l.rho[1]*x[1], r[2] - l.rho[2]*x[2]}
	st := math.Sqrt(s[1]*s[1] + s[2]*s[2])
	if lift*st <= -s[0] {
		return z, m, true
	}
	// ds = dr - G W dr with G = rho (I + mu n x_t'/|x_t|)
	var ds [3][3]float64
	for j := range 3 {
		g := [3]float64{l.w[0][j], l.w[1][j], l.w[2][j]}
		if t > 0 {
			g[0] += lift * (x[1]*g[1] + x[2]*g[2]) / t
		}
		for i := range 3 {
			ds[i][j] = -l.rho[i] * g[i]
		}
		ds[j][j]++
	}
	proj, dp := s, ds
	if mu := l.mu; st > mu*s[0] { // sliding: P is on the border
		e := [2]float64{s[1] / st, s[2] / st}
		if pseudo {
			proj[1], proj[2] = mu*s[0]*e[0], mu*s[0]*e[1]
		} else {
			proj[0], proj[1], proj[2] = contact.ProjectCone(mu, s[0], s[1], s[2])
		}
		for j := range 3 {
			along := e[0]*ds[1][j] + e[1]*ds[2][j]
			if !pseudo {
				dp[0][j] = (ds[0][j] + mu*along) / (1 + mu*mu)
			}
			for i := range 2 {
				dp[1+i][j] = mu*e[i]*dp[0][j] + mu*proj[0]/st*(ds[1+i][j]-e[i]*along)
			}
		}
	}
	for i := range 3 {
		z[i] = r[i] - proj[i]
		for j := range 3 {
			m[i][j] = -dp[i][j]
		}
		m[i][i]++
	}
	return z, m, false
}

// solve3 solves m d = z by elimination with partial pivoting; ok is false where m is singular.
func solve3(m [3][3]float64, z [3]float64) (d [3]float64, ok bool) {
	for c := range 3 {
		p := c
		for i := c + 1; i < 3; i++ {
			if math.Abs(m[i][c]) > math.Abs(m[p][c]) {
				p = i
			}
		}
		m[c], m[p] = m[p], m[c]
		z[c], z[p] = z[p], z[c]
		if !(math.Abs(m[c][c]) > 1e-13) { // the tangent's entries are of order 1
			return d, false
		}
		for i := c + 1; i < 3; i++ {
			f := m[i][c] / m[c][c]
			for j := c; j < 3; j++ {
				m[i][j] -= f * m[c][j]
			}
			z[i] -= f * z[c]
		}
	}
	for i := 2; i >= 0; i-- {
		s := z[i]
		for j := i + 1; j < 3; j++ {
			s -= m[i][j] * d[j]
		}
		d[i] = s / m[i][i]
	}
	return d, true
}
