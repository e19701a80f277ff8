package exact

import (
	"math"

	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/contact/internal/kernel"
	"hapco/physics/numerics/num"
)

// few solves some contacts from a cold start, without what larger problems need: sweeps until Newton's method is near
// enough, then steps of it as in active, with factors of its own. A step is not judged by its errors but by how far
// those who stick and slide changed, the square of which the next step leaves.
type few struct {
	a    [3 * fewContacts][3*fewContacts + 1]float64 // matrix and right-hand side
	cols [fewContacts]fewColumn
}

// fewColumn is what a contact's force is sought as: b times its unknowns.
type fewColumn struct {
	kind       kind
	pos        int
	d1, d2     float64
	m1, m2     float64 // mu d
	beta, rest float64
}

// Limits of the stage.
const (
	fewSweeps = 3    // before Newton's method
	fewMost   = 12   // where sweeps alone ...
	fewFast   = 0.2  // ... let the residual fall by this factor each
	fewSteps  = 7    // of it: from three sweeps on nearly all take fewer, the rest is left to the other stages
	fewNear   = 2e-2 // change from which on the next step may be the last
)

// few is that stage. When it fails r holds anything.
func (s *Exact) few() outcome {
	e := &s.e
	p, loc, r, x := e.p, e.loc, s.r, e.x
	n := 3 * p.N
	alone := true // no contact with a force moves another one so far; then one sweep is the answer
	s.res.Route = contact.RouteSweeps
	before := 0.0
	copy(x, p.Q)
	for sweep := range fewMost {
		if s.spent() {
			return stopped
		}
		size := 0.0
		for c := range loc {
			l, f := &loc[c], r[3*c:3*c+3:3*c+3]
			x0, x1, x2 := x[3*c], x[3*c+1], x[3*c+2]
			eps := e.eps
			if alone && x0 == p.Q[3*c] && x1 == p.Q[3*c+1] && x2 == p.Q[3*c+2] {
				eps = exactRoot
			}
			r0, r1, r2 := l.Solve(x0, x1, x2, f[0], f[1], f[2], eps)
			alone = alone && (eps == exactRoot || r0 == 0)
			d0, d1, d2 := r0-f[0], r1-f[1], r2-f[2]
			f[0], f[1], f[2] = r0, r1, r2
			if d0 != 0 || d1 != 0 || d2 != 0 {
				kernel.Combine(x, p.W[3*c*n:(3*c+3)*n], []float64{-d0, -d1, -d2}) // W is taken to be symmetric
			}
			size += l.scale * (d0*d0 + d1*d1 + d2*d2)
		}
		s.res.Iterations++
		if alone {
			s.opt.Note(0)
			if s.fewTest(n) {
				return done
			}
			alone = false
			continue
		}
		rel := kernel.Share(size, e.qq)
		s.opt.Note(rel)
		if rel < s.tolS || sweep > 1 && rel*rel < before*s.tolS {
			if s.fewTest(n) {
				return done
			}
		}
		if e.eps = max(1e-14, 1e-2*rel); sweep >= fewSweeps-1 && rel > fewFast*before {
			break
		}
		before = rel
	}
	f := &e.small
	f.cols = [fewContacts]fewColumn{}
	s.res.Route = contact.RouteNewton
	for range fewSteps {
		if s.spent() {
			return stopped
		}
		for c := range loc {
			x[3*c], x[3*c+1], x[3*c+2] = moved(p, n, c, r)
		}
		change := f.choose(e, r, x)
		if !f.step(e, r, newtonDamping*change*change) {
			return stalled
		}
		s.res.Iterations++
		s.opt.Note(change)
		e.newt.count++
		if change < fewNear && s.fewTest(n) {
			return done
		}
	}
	return stalled
}

// fewTest is test, without a measure of what is missing.
func (s *Exact) fewTest(n int) bool {
	e, r := &s.e, s.r
	contact.Admit(r, e.p.Mu)
	var sums contact.ErrorSums
	for c := range e.loc {
		l, x := &e.loc[c], e.x[3*c:3*c+3:3*c+3]
		x[0], x[1], x[2] = moved(e.p, n, c, r)
		sums.Add(l.mu, l.scale, r[3*c:3*c+3], x, e.p.Q[3*c:3*c+3])
	}
	err := &s.res.Errors
	sums.Put(err)
	s.known = true
	s.aim(r)
	return err.Natural <= s.tolE && err.Scaled <= s.tolS
}

// moved is x of contact c under the first forces.
func moved(p *contact.Problem, n, c int, r []float64) (x0, x1, x2 float64) {
	q := p.Q[3*c : 3*c+3 : 3*c+3]
	x0, x1, x2 = q[0], q[1], q[2]
	c *= 3 * n
	if len(r) > 9 {
		y0, y1, y2 := kernel.Dot3(p.W[c:c+3*n], n, r)
		return x0 + y0, x1 + y1, x2 + y2
	}
	u, v, w := p.W[c:c+n], p.W[c+n:c+2*n], p.W[c+2*n:c+3*n]
	u, v, w = u[:len(r)], v[:len(r)], w[:len(r)]
	for j, f := range r {
		x0 += u[j] * f
		x1 += v[j] * f
		x2 += w[j] * f
	}
	return x0, x1, x2
}

// choose sorts the contacts by y = r - x/w and returns how far that is from the last choice.
func (f *few) choose(e *engine, r, x []float64) (change float64) {
	for c := range e.loc {
		l, k := &e.loc[c], &f.cols[c]
		inv := l.inv * (1 / rawWeight)
		r, x := r[3*c:3*c+3:3*c+3], x[3*c:3*c+3:3*c+3]
		was := *k
		k.kind = kindOpen
		if yn := r[0] - inv*x[0]; yn > 0 && l.wn > 0 {
			y1, y2 := r[1]-inv*x[1], r[2]-inv*x[2]
			y := math.Sqrt(y1*y1 + y2*y2)
			if y <= l.mu*yn {
				k.kind = kindStick
			} else {
				k.kind = kindSlip
				s := 1 / y
				k.d1, k.d2 = y1*s, y2*s
				k.m1, k.m2 = l.mu*k.d1, l.mu*k.d2
				k.beta = l.mu * yn * s
				k.rest = (1 - k.beta) * l.scale * rawWeight
			}
		}
		if k.kind != was.kind {
			change = 1
		} else if k.kind == kindSlip {
			change = max(change, math.Abs(k.d1-was.d1)+math.Abs(k.d2-was.d2), math.Abs(k.beta-was.beta))
		}
	}
	return change
}

// along is a row's part for the unknowns of a sliding contact.
func (k *fewColumn) along(n, t1, t2 float64) (float64, float64) {
	return n + k.m1*t1 + k.m2*t2, k.d1*t2 - k.d2*t1
}

// step replaces r by the solution of the linearised laws.
func (f *few) step(e *engine, r []float64, damp float64) bool {
	p := e.p
	n := 3 * p.N
	size := 0
	for c := range e.loc {
		k := &f.cols[c]
		k.pos = size
		switch k.kind {
		case kindStick:
			size += 3
		case kindSlip:
			size += 2
		}
	}
	alpha := e.mean * damp
	for c := range e.loc {
		k := &f.cols[c]
		if k.kind == kindOpen {
			continue
		}
		at := 3 * c
		u, v, w := p.W[at*n:at*n+n], p.W[at*n+n:at*n+2*n], p.W[at*n+2*n:at*n+3*n]
		q := p.Q[at : at+3 : at+3]
		rc := r[at : at+3 : at+3]
		a0, a1, a2 := &f.a[k.pos], &f.a[(k.pos+1)%len(f.a)], &f.a[(k.pos+2)%len(f.a)]
		s1, s2 := -k.beta*k.d2, k.beta*k.d1
		for b := range e.loc {
			m := &f.cols[b]
			i := 3 * b
			j := m.pos
			switch {
			case m.kind == kindOpen:
			case m.kind == kindStick && k.kind == kindStick:
				a0[j], a0[j+1], a0[j+2] = u[i], u[i+1], u[i+2]
				a1[j], a1[j+1], a1[j+2] = v[i], v[i+1], v[i+2]
				a2[j], a2[j+1], a2[j+2] = w[i], w[i+1], w[i+2]
			case m.kind == kindStick:
				a0[j], a0[j+1], a0[j+2] = u[i], u[i+1], u[i+2]
				a1[j], a1[j+1], a1[j+2] = s1*v[i]+s2*w[i], s1*v[i+1]+s2*w[i+1], s1*v[i+2]+s2*w[i+2]
			default:
				a0[j], a0[j+1] = m.along(u[i], u[i+1], u[i+2])
				if k.kind == kindStick {
					a1[j], a1[j+1] = m.along(v[i], v[i+1], v[i+2])
					a2[j], a2[j+1] = m.along(w[i], w[i+1], w[i+2])
				} else {
					a1[j], a1[j+1] = m.along(s1*v[i]+s2*w[i], s1*v[i+1]+s2*w[i+1], s1*v[i+2]+s2*w[i+2])
				}
			}
		}
		a0[k.pos] += alpha
		a0[size] = alpha*rc[0] - q[0]
		if k.kind == kindStick {
			a1[k.pos+1] += alpha
			a2[k.pos+2] += alpha
			a1[size], a2[size] = alpha*rc[1]-q[1], alpha*rc[2]-q[2]
		} else {
			a1[k.pos+1] += alpha + k.rest
			a1[size] = alpha*(k.d1*rc[2]-k.d2*rc[1]) - (s1*q[1] + s2*q[2])
		}
	}
	// Elimination without exchanges: positive definite but for friction, and damped.
	// Two pivots at a time, so that a row below is gone through half as often.
	for k := 0; k < size; k += 2 {
		ak, bk := f.a[k][k:size+1], f.a[(k+1)%len(f.a)][k:size+1]
		bk = bk[:len(ak)]
		if !(math.Abs(ak[0]) > tiny*e.mean) {
			return false
		}
		inv := 1 / ak[0]
		if ak[0] = inv; k+1 == size {
			break
		}
		g := bk[0] * inv
		for j := 1; j < len(ak); j++ {
			bk[j] -= g * ak[j]
		}
		if !(math.Abs(bk[1]) > tiny*e.mean) {
			return false
		}
		next := 1 / bk[1]
		bk[1] = next
		for i := k + 2; i < size; i++ {
			ai := f.a[i][k : size+1]
			ai = ai[:len(ak)]
			g := ai[0] * inv
			h := (ai[1] - g*ak[1]) * next
			for j := 2; j < len(ak); j++ {
				ai[j] -= g*ak[j] + h*bk[j]
			}
		}
	}
	for i := size - 1; i >= 0; i-- {
		z := f.a[i][size] * f.a[i][i]
		f.a[i][size] = z
		for j := range i {
			f.a[j][size] -= f.a[j][i] * z
		}
	}
	for c := range e.loc {
		k := &f.cols[c]
		rc := r[3*c : 3*c+3 : 3*c+3]
		switch k.kind {
		case kindOpen:
			rc[0], rc[1], rc[2] = 0, 0, 0
		case kindStick:
			rc[0], rc[1], rc[2] = f.a[k.pos][size], f.a[k.pos+1][size], f.a[k.pos+2][size]
		default:
			z0, z1 := f.a[k.pos][size], f.a[k.pos+1][size]
			rc[0], rc[1], rc[2] = z0, k.m1*z0-k.d2*z1, k.m2*z0+k.d1*z1
		}
	}
	return num.Finite(r[0])
}
