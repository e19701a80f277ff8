package exact

import (
	"math"

	"hapco/physics/numerics/num"
)

// interior is a primal-dual interior-point method with Nesterov-Todd scaling and Mehrotra's predictor and corrector. In
// the variables
//
//	rho = (mu r_n, r_t),   v = (uhat_n/mu, u_t)
//
// both cones are Lorentz's L = {|a_t| <= a_n}, and the problem reads
//
//	v = W~ rho + q~ + |v_t| e,   rho and v in L,   rho.v = 0
//
// with W~ and q~ scaled by 1/mu in the normal components and e the normal. It follows rho o v = sigma e down to sigma =
// 0 (o is the Jordan product of L). The term |v_t| is linearised with the rest, which changes only the diagonal blocks
// of the matrix:
//
//	(W~ + (I - e tau') P^2) drho = (I - e tau') P c - residual,   tau = v_t/|v_t|
//
// P being the scaling: P rho = P^-1 v = lambda. The matrix is regular however degenerate W is.
type interior struct {
	rho, v, dRho, dV []float64 // 3N
	res              []float64 // W~ rho + q~ + |v_t| e - v
	aff              []float64 // second-order term of the corrector, in scaled variables
	force, x         []float64 // r and W r + q of rho
	scale            []scaling // N
	rhs              []float64
	lu               tiles
	base             []float64 // its tiles with W~ alone
	inPlace          []int32   // place of each contact in the order of elimination
	theta            float64   // share of the derivative of |v_t| that is taken
}

// scaling is P = beta (2 u u' - J) of one contact, J = diag(1, -1, -1), and lambda.
type scaling struct {
	beta   float64
	u      [3]float64
	lambda [3]float64
	mu     float64 // not below leastMu
}

const (
	leastMu      = 1e-6 // smaller friction is replaced by this; the proximal loop takes the rest
	interiorStep = 0.99 // share of the way to the boundary
	interiorMax  = 40
	interiorEnd  = 1e-6 // e_s at which the proximal loop takes over
	interiorWait = 4    // iterations in which e_s must fall by stallProgress
)

// interior is the stage of that method. It starts anew and leaves its best forces in r.
func (s *Exact) interior() outcome {
	e, in := &s.e, &s.e.inner
	if !s.fits() {
		return stalled
	}
	in.bind(e)
	in.lu.clock = e.deadline()
	mark, since, best := math.Inf(1), 0, math.Inf(1)
	for range interiorMax {
		if s.spent() {
			return stopped
		}
		_, gap := in.residual(e)
		copy(s.r, in.force)
		excess := s.test()
		s.keep()
		if s.res.Errors.Scaled < best { // its own best; that of the sweeps may be better and lead nowhere
			best = s.res.Errors.Scaled
			copy(e.anchor, s.r)
		}
		s.opt.Note(s.res.Errors.Scaled)
		if excess <= 1 {
			return done
		}
		if s.res.Errors.Scaled < stallProgress*mark {
			mark, since = s.res.Errors.Scaled, 0
		} else if since++; since >= interiorWait {
			break
		}
		s.res.Iterations++
		if s.res.Errors.Scaled <= interiorEnd || !s.fits() || !in.step(e, gap) {
			break
		}
		e.newt.count++
	}
	if e.clock.Expired() {
		return stopped
	}
	if best < math.Inf(1) {
		copy(s.r, e.anchor)
		s.known = false
	}
	return stalled
}

// times is P a, or P^-1 a = J V J a / beta.
func (s *scaling) times(a [3]float64) [3]float64 {
	d := 2 * (s.u[0]*a[0] + s.u[1]*a[1] + s.u[2]*a[2])
	return [3]float64{s.beta * (d*s.u[0] - a[0]), s.beta * (d*s.u[1] + a[1]), s.beta * (d*s.u[2] + a[2])}
}

func (s *scaling) inverse(a [3]float64) [3]float64 {
	d := 2 * (s.u[0]*a[0] - s.u[1]*a[1] - s.u[2]*a[2])
	b := 1 / s.beta
	return [3]float64{b * (d*s.u[0] - a[0]), b * (a[1] - d*s.u[1]), b * (a[2] - d*s.u[2])}
}

// square is P^2 = beta^2 (2 w w' - J).
func (s *scaling) square() (p [3][3]float64) {
	for i := range 3 {
		var e [3]float64
		e[i] = 1
		c := s.times(s.times(e))
		for j := range 3 {
			p[j][i] = c[j]
		}
	}
	return p
}

// det is a_n^2 - |a_t|^2, computed as a product that does not cancel.
func det(a []float64) float64 {
	t := math.Sqrt(a[1]*a[1] + a[2]*a[2])
	return (a[0] - t) * (a[0] + t)
}

// set finds the scaling of rho and v, both inside L.
func (s *scaling) set(rho, v []float64) bool {
	dr, dv := det(rho), det(v)
	if !(dr > 0) || !(dv > 0) {
		return false
	}
	nr, nv := 1/math.Sqrt(dr), 1/math.Sqrt(dv)
	g := 0.0
	for i := range 3 {
		g += rho[i] * v[i]
	}
	g = math.Sqrt((1 + g*nr*nv) / 2)
	w := [3]float64{(v[0]*nv + rho[0]*nr) / (2 * g), (v[1]*nv - rho[1]*nr) / (2 * g), (v[2]*nv - rho[2]*nr) / (2 * g)}
	k := 1 / math.Sqrt(2*(w[0]+1))
	s.u = [3]float64{(w[0] + 1) * k, w[1] * k, w[2] * k}
	s.beta = math.Sqrt(math.Sqrt(dv / dr))
	s.lambda = s.times([3]float64{rho[0], rho[1], rho[2]})
	return s.beta > 0 && num.Finite(s.beta)
}

// divide is the a of lambda o a = b.
func divide(l, b [3]float64) [3]float64 {
	d := det(l[:])
	a0 := (l[0]*b[0] - l[1]*b[1] - l[2]*b[2]) / d
	return [3]float64{a0, (b[1] - l[1]*a0) / l[0], (b[2] - l[2]*a0) / l[0]}
}

// product is a o b.
func product(a, b [3]float64) [3]float64 {
	return [3]float64{a[0]*b[0] + a[1]*b[1] + a[2]*b[2], a[0]*b[1] + b[0]*a[1], a[0]*b[2] + b[0]*a[2]}
}

// reach is the largest step up to 1 along d that keeps a in L.
func reach(a, d []float64) float64 {
	// det(a + t d) = C + 2 B t + A t^2; a is inside, so the first root counts.
	qa := d[0]*d[0] - d[1]*d[1] - d[2]*d[2]
	qb := a[0]*d[0] - a[1]*d[1] - a[2]*d[2]
	qc := det(a)
	t := 1.0
	if disc := qb*qb - qa*qc; disc >= 0 {
		s := math.Sqrt(disc)
		for _, root := range [2]float64{qc / (-qb + s), qc / (-qb - s)} {
			if root > 0 && root < t {
				t = root
			}
		}
	}
	if d[0] < 0 && a[0]+t*d[0] < 0 {
		t = min(t, -a[0]/d[0])
	}
	return t
}

// bind prepares for the problem of e.
func (in *interior) bind(e *engine) {
	p := e.p
	n := 3 * p.N
	for _, v := range []*[]float64{&in.rho, &in.v, &in.dRho, &in.dV, &in.res, &in.aff, &in.force, &in.x} {
		*v = num.Grow(*v, n)
	}
	in.scale = num.Grow(in.scale, p.N)
	in.inPlace = num.Grow(in.inPlace, p.N)
	e.newt.arrange(p)
	for k, c := range e.newt.order {
		in.inPlace[c] = int32(k)
	}
	in.theta = 1
	// Start in the middle: forces and displacements of the size of the data.
	for c := range p.N {
		in.scale[c].mu = max(p.Mu[c], leastMu)
		l := &e.loc[c]
		size := math.Sqrt(e.qq/float64(p.N)*l.scale) + 1e-300
		k := 3 * c
		in.rho[k], in.rho[k+1], in.rho[k+2] = in.scale[c].mu*size*l.inv, 0, 0
		in.v[k], in.v[k+1], in.v[k+2] = size/in.scale[c].mu, 0, 0
	}
	in.assemble(e)
}

// residual evaluates the equations, and returns their weighted size and the mean complementarity rho.v/N.
func (in *interior) residual(e *engine) (size, gap float64) {
	p := e.p
	for c := range p.N {
		k := 3 * c
		in.force[k], in.force[k+1], in.force[k+2] = in.rho[k]/in.scale[c].mu, in.rho[k+1], in.rho[k+2]
	}
	p.Displacements(in.x, in.force)
	for c := range p.N {
		k := 3 * c
		x, v := in.x[k:k+3:k+3], in.v[k:k+3:k+3]
		t := math.Sqrt(v[1]*v[1] + v[2]*v[2])
		in.res[k] = x[0]/in.scale[c].mu + t - v[0]
		in.res[k+1], in.res[k+2] = x[1]-v[1], x[2]-v[2]
		a := in.res[k] * in.scale[c].mu
		size += (a*a + in.res[k+1]*in.res[k+1] + in.res[k+2]*in.res[k+2]) * e.loc[c].inv
		gap += in.rho[k]*v[0] + in.rho[k+1]*v[1] + in.rho[k+2]*v[2]
	}
	return math.Sqrt(size), gap / float64(p.N)
}

// assemble lays out the tiles and puts W~ there.
func (in *interior) assemble(e *engine) {
	p, lu := e.p, &in.lu
	lu.reset(3 * p.N)
	if b := p.Blocks; b != nil {
		for c := range p.N {
			i := 3 * int(in.inPlace[c])
			for _, d := range b.Col[b.Row[c]:b.Row[c+1]] {
				j := 3 * int(in.inPlace[d])
				lu.mark(i, i+2, j, j+2)
			}
		}
	} else {
		lu.markAll()
	}
	lu.fill()
	var w [9]float64
	for c := range p.N {
		if b := p.Blocks; b != nil {
			for k := b.Row[c]; k < b.Row[c+1]; k++ {
				storedBlock(&w, b, k)
				in.put(c, int(b.Col[k]), &w)
			}
			continue
		}
		for d := range p.N {
			blockOf(&w, p, c, d)
			in.put(c, d, &w)
		}
	}
	in.base = num.Grow(in.base, len(lu.val))
	copy(in.base, lu.val)
}

// put stores block (c, d) of W, its normal components scaled by 1/mu.
func (in *interior) put(c, d int, w *[9]float64) {
	i, j := 3*int(in.inPlace[c]), 3*int(in.inPlace[d])
	a, b := 1/in.scale[c].mu, 1/in.scale[d].mu
	w[0], w[1], w[2] = w[0]*a*b, w[1]*a, w[2]*a
	w[3], w[6] = w[3]*b, w[6]*b
	in.lu.block(i, j, 3, 3, w)
}

// factorise adds the diagonal blocks and factorises the matrix.
func (in *interior) factorise(e *engine) bool {
	lu := &in.lu
	copy(lu.val, in.base)
	for c := range e.p.N {
		sq := in.scale[c].square()
		t1, t2 := in.direction(c)
		for j := range 3 {
			sq[0][j] -= t1*sq[1][j] + t2*sq[2][j]
		}
		i := 3 * int(in.inPlace[c])
		for a := range 3 {
			for b := range 3 {
				lu.val[lu.place(i+a, i+b)] += sq[a][b]
			}
		}
	}
	return lu.factorise()
}

// direction is tau of contact c.
func (in *interior) direction(c int) (t1, t2 float64) {
	v1, v2 := in.v[3*c+1], in.v[3*c+2]
	t := math.Sqrt(v1*v1 + v2*v2)
	if t == 0 {
		return 0, 0
	}
	return in.theta * v1 / t, in.theta * v2 / t
}

// solve finds drho and dv for the target sigma; corrector says whether the second-order term is in aff.
func (in *interior) solve(e *engine, sigma float64, corrector bool) {
	p := e.p
	in.rhs = num.Grow(in.rhs, in.lu.padded())
	clear(in.rhs)
	for c := range p.N {
		k := 3 * c
		pc := in.complement(c, sigma, corrector)
		t1, t2 := in.direction(c)
		pc[0] -= t1*pc[1] + t2*pc[2]
		i := 3 * int(in.inPlace[c])
		for j := range 3 {
			in.rhs[i+j] = pc[j] - in.res[k+j]
		}
	}
	in.lu.solve(in.rhs)
	for c := range p.N {
		k, i := 3*c, 3*int(in.inPlace[c])
		copy(in.dRho[k:k+3], in.rhs[i:i+3])
		pc := in.complement(c, sigma, corrector)
		s := &in.scale[c]
		d := s.times(s.times([3]float64{in.dRho[k], in.dRho[k+1], in.dRho[k+2]}))
		for j := range 3 {
			in.dV[k+j] = pc[j] - d[j]
		}
	}
}

// complement is P c, with lambda o c = sigma e - lambda o lambda - aff.
func (in *interior) complement(c int, sigma float64, corrector bool) [3]float64 {
	s := &in.scale[c]
	b := product(s.lambda, s.lambda)
	b[0], b[1], b[2] = sigma-b[0], -b[1], -b[2]
	if corrector {
		for j := range 3 {
			b[j] -= in.aff[3*c+j]
		}
	}
	return s.times(divide(s.lambda, b))
}

// reach is the step that both cones allow.
func (in *interior) reach(n int) float64 {
	t := 1.0
	for c := range n {
		k := 3 * c
		t = min(t, reach(in.rho[k:k+3], in.dRho[k:k+3]), reach(in.v[k:k+3], in.dV[k:k+3]))
	}
	return t
}

// step does one iteration; false if numbers fail.
func (in *interior) step(e *engine, gap float64) bool {
	n := e.p.N
	for c := range n {
		if !in.scale[c].set(in.rho[3*c:3*c+3], in.v[3*c:3*c+3]) {
			return false
		}
	}
	if !in.factorise(e) {
		return false
	}
	in.solve(e, 0, false)
	t := in.reach(n)
	after := 0.0
	for c := range n {
		k := 3 * c
		for j := range 3 {
			after += (in.rho[k+j] + t*in.dRho[k+j]) * (in.v[k+j] + t*in.dV[k+j])
		}
		s := &in.scale[c]
		a := product(s.times([3]float64{in.dRho[k], in.dRho[k+1], in.dRho[k+2]}), s.inverse([3]float64{in.dV[k], in.dV[k+1], in.dV[k+2]}))
		copy(in.aff[k:k+3], a[:])
	}
	ratio := after / float64(n) / gap
	sigma := gap * min(1, max(ratio*ratio*ratio, 1e-6))
	in.solve(e, sigma, true)
	t = min(1, interiorStep*in.reach(n))
	if !(t > 1e-10) {
		return false
	}
	// The derivative of |v_t| speeds things up, but may point nowhere.
	switch {
	case t < 0.1:
		in.theta = 0
	case t > 0.5:
		in.theta = min(1, in.theta+0.5)
	}
	for i := range in.rho {
		in.rho[i] += t * in.dRho[i]
		in.v[i] += t * in.dV[i]
	}
	return true
}
