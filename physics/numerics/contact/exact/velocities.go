package exact

import (
	"math"

	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/contact/internal/kernel"
	"hapco/physics/numerics/num"
)

// velocities is Newton's method for contacts of rigid bodies, whose W = G G^T is known: it seeks the velocities v = G^T r,
// six unknowns a body, of a proximal problem, W + a I and q - a r_k in place of W and q. Its law gives each force by
// itself, and needs no r:
//
//	r(v) = the force next to y = r_k - (G v + q)/a with r_n >= 0, then |r_t| <= mu r_n
//	F(v) = v - G^T r(v) = 0,   F' = I + G^T C G,   C = -dr/dx
//
// F' is a sparse matrix over the graph of the bodies, however many contacts there are and however many are redundant.
// But for friction, whose bound grows with r_n, F is the gradient of a convex function, so a step is as long as F falls
// along it.
type velocities struct {
	p       *contact.Problem
	m       *contact.Motions
	joined  []uint64       // a bit a pair of bodies
	graph   contact.Blocks // of the bodies, without values
	sort    ordering
	order   []int32
	at      []int32 // first unknown of a body
	lu      tiles
	v, try  []float64
	f, step []float64
	y, r    []float64 // 3N
	x       []float64 // 3N, G v + q
	a       float64
	anchor  []float64 // r_k
}

// bind prepares for p, unless it has.
func (u *velocities) bind(p *contact.Problem) {
	if u.p == p {
		return
	}
	u.p, u.m = p, p.Motions
	n, words := u.m.Bodies, (u.m.Bodies+63)/64
	u.joined = num.Grow(u.joined, n*words)
	clear(u.joined)
	for c, a := range u.m.A {
		u.join(int(a), int(a), words)
		u.join(int(a), int(u.m.B[c]), words)
		u.join(int(u.m.B[c]), int(u.m.B[c]), words)
	}
	g := &u.graph
	g.Row, g.Col = append(g.Row[:0], 0), g.Col[:0]
	for a := range n {
		for b := range n {
			if u.joined[a*words+b>>6]>>(b&63)&1 != 0 {
				g.Col = append(g.Col, int32(b))
			}
		}
		g.Row = append(g.Row, int32(len(g.Col)))
	}
	u.order, u.at = num.Grow(u.order, n), num.Grow(u.at, n)
	u.sort.order(u.order, g, n)
	for k, b := range u.order {
		u.at[b] = int32(6 * k)
	}
	u.lu.reset(6 * n)
	for a := range n {
		i := int(u.at[a])
		for _, b := range g.Col[g.Row[a]:g.Row[a+1]] {
			j := int(u.at[b])
			u.lu.mark(i, i+5, j, j+5)
		}
	}
	u.lu.fill()
	for _, s := range []*[]float64{&u.v, &u.try, &u.f, &u.step} {
		*s = num.Grow(*s, u.lu.padded())
	}
	for _, s := range []*[]float64{&u.y, &u.r, &u.x, &u.anchor} {
		*s = num.Grow(*s, 3*p.N)
	}
}

func (u *velocities) join(a, b, words int) {
	if a >= 0 && b >= 0 {
		u.joined[a*words+b>>6] |= 1 << (b & 63)
		u.joined[b*words+a>>6] |= 1 << (a & 63)
	}
}

// ends are the first unknowns of the bodies of contact c; -1: none.
func (u *velocities) ends(c int) (e [2]int) {
	for k, b := range [2]int32{u.m.A[c], u.m.B[c]} {
		if e[k] = -1; b >= 0 {
			e[k] = int(u.at[b])
		}
	}
	return e
}

// of writes v = G^T r.
func (u *velocities) of(v, r []float64) {
	clear(v)
	for c := range u.p.N {
		f := r[3*c : 3*c+3 : 3*c+3]
		if f[0] == 0 { // and no friction
			continue
		}
		for k, i := range u.ends(c) {
			if i < 0 {
				continue
			}
			g, d := u.m.G[36*c+18*k:36*c+18*k+18:36*c+18*k+18], v[i:i+6:i+6]
			for j := range d {
				d[j] += g[j]*f[0] + g[6+j]*f[1] + g[12+j]*f[2]
			}
		}
	}
}

// displace writes x = G v + q.
func (u *velocities) displace(v []float64) {
	copy(u.x, u.p.Q)
	for c := range u.p.N {
		x := u.x[3*c : 3*c+3 : 3*c+3]
		for k, i := range u.ends(c) {
			if i < 0 {
				continue
			}
			g := u.m.G[36*c+18*k : 36*c+18*k+18 : 36*c+18*k+18]
			for j, w := range v[i : i+6 : i+6] {
				x[0] += g[j] * w
				x[1] += g[6+j] * w
				x[2] += g[12+j] * w
			}
		}
	}
}

// evaluate computes r(v) and F(v), and returns |F|.
func (u *velocities) evaluate(v []float64) float64 {
	u.displace(v)
	b := 1 / u.a
	for c, mu := range u.p.Mu {
		x, y, r := u.x[3*c:3*c+3:3*c+3], u.y[3*c:3*c+3:3*c+3], u.r[3*c:3*c+3:3*c+3]
		for j := range y {
			y[j] = u.anchor[3*c+j] - b*x[j]
		}
		r[0], r[1], r[2] = max(y[0], 0), y[1], y[2]
		if t := math.Sqrt(y[1]*y[1] + y[2]*y[2]); t > mu*r[0] {
			s := mu * r[0] / t
			r[1], r[2] = s*y[1], s*y[2]
		}
	}
	u.of(u.f, u.r)
	for i, w := range v {
		u.f[i] = w - u.f[i]
	}
	return num.Norm(u.f)
}

// newton finds the step -F'^-1 F from the last evaluation. It reports false if the matrix was not finite or the deadline
// passed.
func (u *velocities) newton() bool {
	lu := &u.lu
	lu.empty()
	for i := range lu.n {
		lu.set(i, i, 1)
	}
	b := 1 / u.a
	for c, mu := range u.p.Mu {
		y := u.y[3*c : 3*c+3 : 3*c+3]
		if !(y[0] > 0) {
			continue
		}
		d := [9]float64{0: b, 4: b, 8: b}
		if t := math.Sqrt(y[1]*y[1] + y[2]*y[2]); t > mu*y[0] {
			d1, d2, s := y[1]/t, y[2]/t, b*mu*y[0]/t
			d = [9]float64{b, 0, 0, mu * b * d1, s * d2 * d2, -s * d1 * d2, mu * b * d2, -s * d1 * d2, s * d1 * d1}
		}
		u.add(c, &d)
	}
	if !lu.factorise() {
		return false
	}
	for i, w := range u.f {
		u.step[i] = -w
	}
	lu.solve(u.step)
	return true
}

// add adds G_c^T d G_c to the matrix.
func (u *velocities) add(c int, d *[9]float64) {
	ends := u.ends(c)
	g := u.m.G[36*c : 36*c+36 : 36*c+36]
	for k, j := range ends {
		if j < 0 {
			continue
		}
		var dg [18]float64
		h := g[18*k : 18*k+18 : 18*k+18]
		for s := range 6 {
			dg[s] = d[0]*h[s] + d[1]*h[6+s] + d[2]*h[12+s]
			dg[6+s] = d[3]*h[s] + d[4]*h[6+s] + d[5]*h[12+s]
			dg[12+s] = d[6]*h[s] + d[7]*h[6+s] + d[8]*h[12+s]
		}
		for l, i := range ends {
			if i < 0 {
				continue
			}
			h := g[18*l : 18*l+18 : 18*l+18]
			for r := range 6 {
				for s := 0; s < 6; {
					v := u.lu.val[u.lu.place(i+r, j+s):]
					v = v[:min(6-s, kernel.TileSize-(j+s)%kernel.TileSize)]
					for k := range v {
						v[k] += h[r]*dg[s] + h[6+r]*dg[6+s] + h[12+r]*dg[12+s]
						s++
					}
				}
			}
		}
	}
}

// Limits of a search along a step: what decides work alone.
const (
	alongLeft  = 0.3 // share of F.step that may be left at its end
	alongTries = 12
	alongEdge  = 0.1 // of the bracket, that a try keeps away from its ends
)

// along goes as far along the step as F.step falls to a share of what it was, by secants, and returns |F| there. It
// reports false where F rises along the step: friction makes no function fall there.
func (u *velocities) along() (size float64, falls bool) {
	from := num.Dot(u.f, u.step)
	if !(from < 0) {
		return 0, false
	}
	lo, hi, atLo, atHi := 0.0, math.Inf(1), from, 0.0
	t := 1.0
	for range alongTries {
		for i, w := range u.v {
			u.try[i] = w + t*u.step[i]
		}
		size = u.evaluate(u.try)
		at := num.Dot(u.f, u.step)
		if math.Abs(at) <= -alongLeft*from {
			break
		}
		if at > 0 {
			hi, atHi = t, at
		} else if lo, atLo = t, at; math.IsInf(hi, 1) {
			break // falling still
		}
		t = (lo*atHi - hi*atLo) / (atHi - atLo)
		t = min(max(t, lo+alongEdge*(hi-lo)), hi-alongEdge*(hi-lo))
	}
	u.v, u.try = u.try, u.v
	return size, true
}

// sweepsPerStep estimates how many sweeps a Newton step costs, as that of the engine does.
func (u *velocities) sweepsPerStep() float64 {
	const add = 250.0 // ns: the matrix of a contact, and its share of the search
	madds := 0.0
	for b := range u.m.Bodies {
		d := float64(u.sort.count(b) + 1)
		madds += 216 * d * d
	}
	n, blocks := float64(u.p.N), float64(len(u.p.Blocks.Col))
	return (2*madds*fusedCost + n*add) / (n*visitCost + blocks*blockCost)
}

// Limits of the stage, found on falling walls of 1850 to 2258 contacts. They decide work, and whether the hardest are solved:
// no law gives the weight below which friction leaves a proximal problem several solutions.
const (
	moveUsual = 30   // Newton steps that it usually takes
	moveSteps = 40   // Newton steps for a proximal problem
	moveGain  = 1e-2 // of the last error, that it must be solved to
	moveFew   = 6    // after so few ...
	moveLess  = 0.6  // ... the weight falls by this factor
	moveMore  = 3    // factor after none
)

// moves tells whether that is the method for a sparse W.
func (s *Exact) moves() bool {
	return s.e.p.Blocks != nil && s.e.p.Motions != nil && s.off&Velocities == 0
}

// velocities solves a sequence of proximal problems as proximal does, by Newton steps in the bodies' velocities. Where
// one is not solved, its weight was too small: friction leaves it several solutions, or none.
func (s *Exact) velocities() outcome {
	e, u := &s.e, &s.e.move
	if !s.fits() {
		return stalled
	}
	u.bind(e.p)
	u.lu.clock = e.deadline()
	copy(u.anchor, s.start) // sweeps have spread forces that take longer to gather than to find
	a, err, goal, best := proxMost, 0.0, s.tolS, math.Inf(1)
	for since := s.res.Iterations; s.res.Iterations-since < proxIdle; {
		u.a = a * e.mean
		u.of(u.v, u.anchor)
		steps, out := s.moved(max(proxGain*goal, moveGain*err))
		switch {
		case out == stopped:
			return stopped
		case out == stalled:
			a *= moveMore
			continue
		case steps <= moveFew:
			a = max(moveLess*a, proxLeast)
		}
		copy(s.r, u.r)
		copy(u.anchor, u.r)
		excess := s.test()
		if excess <= 1 {
			return done
		}
		s.keep()
		err = s.res.Errors.Scaled
		goal = err / excess
		s.opt.Note(err)
		if err < proxProgress*best {
			best, since = err, s.res.Iterations
		}
	}
	copy(s.r, e.best)
	s.known = false
	return stalled
}

// moved solves one of them until |F| is that share of the free motion.
func (s *Exact) moved(target float64) (steps int, out outcome) {
	e, u := &s.e, &s.e.move
	size := u.evaluate(u.v)
	for steps == 0 || size > target*math.Sqrt(e.qq) {
		if steps == moveSteps {
			return steps, stalled
		}
		if s.spent() {
			return steps, stopped
		}
		s.res.Iterations++
		steps++
		e.newt.count++
		if !u.newton() {
			if e.clock.Expired() {
				return steps, stopped
			}
			return steps, stalled
		}
		var falls bool
		if size, falls = u.along(); !falls {
			return steps, stalled
		}
	}
	return steps, done
}
