package exact

import (
	"math"
	"slices"

	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/num"
)

// kind says which equations a contact has in a Newton step.
type kind uint8

const (
	kindOpen  kind = iota // r = 0
	kindStick             // x = 0
	kindSlip              // x_n = 0, r_t along d with |r_t| = mu r_n
)

// newton is the semismooth Newton method of Alart and Curnier. With y = r - x/w a contact is open for y_n <= 0, sticks
// for |y_t| <= mu y_n and slides along d = y_t/|y_t| otherwise. A sliding contact's force is written r_t = mu r_n d +
// tau t, t orthogonal to d, which satisfies the linearised cone exactly; it brings two unknowns, r_n and tau, a
// sticking contact three. The linearised law is then
//
//	x_n = 0,   t.x_t + (1-beta)/(beta rho) tau = 0,   beta = mu y_n/|y_t|
//
// in which friction only adds a positive diagonal: the matrix is C' W B + D with B = C but for mu d.
type newton struct {
	kind    []kind
	laid    []kind    // those whose pattern lu has
	pos     []int32   // first unknown of each contact
	dir     []float64 // 2N, d of sliding contacts
	beta    []float64
	act     []int32 // active contacts in elimination order
	order   []int32
	ordered bool
	sort    ordering
	lu      tiles
	rhs     []float64
	dr      []float64
	count   int // factorisations
}

// step computes the Newton direction dr at r with displacements x; alpha is added to the diagonal of W. It reports
// false if the matrix is not finite or the deadline passed.
func (e *engine) newtonStep(r, x []float64, alpha float64) bool {
	nw := &e.newt
	n := e.p.N
	nw.kind = num.Grow(nw.kind, n)
	nw.pos = num.Grow(nw.pos, n)
	nw.dir = num.Grow(nw.dir, 2*n)
	nw.beta = num.Grow(nw.beta, n)
	nw.act = num.Grow(nw.act, n)[:0]
	nw.dr = num.Grow(nw.dr, 3*n)
	nw.arrange(e.p)
	size := int32(0)
	for _, c := range nw.order {
		size += nw.classify(e, int(c), size, r, x)
	}

	// dr so far is the step onto the linearised law; xTry the displacements there.
	rt := e.rTry
	for i, f := range r {
		rt[i] = f + nw.dr[i]
	}
	e.displacements(e.xTry, rt)
	nw.lu.clock = e.deadline()
	if !nw.assemble(e, int(size), r, x, alpha) {
		return false
	}
	nw.count++
	if !nw.lu.factorise() {
		return false
	}
	nw.lu.solve(nw.rhs)
	for _, a := range nw.act {
		c := int(a)
		z := nw.rhs[nw.pos[c]:]
		d := nw.dr[3*c : 3*c+3 : 3*c+3]
		if nw.kind[c] == kindStick {
			d[0] += z[0]
			d[1] += z[1]
			d[2] += z[2]
			continue
		}
		d1, d2, mu := nw.dir[2*c], nw.dir[2*c+1], e.loc[c].mu
		d[0] += z[0]
		d[1] += mu*d1*z[0] - d2*z[1]
		d[2] += mu*d2*z[0] + d1*z[1]
	}
	return true
}

// arrange chooses the elimination order, once a problem.
func (nw *newton) arrange(p *contact.Problem) {
	if nw.ordered {
		return
	}
	nw.ordered = true
	nw.laid = nw.laid[:0]
	nw.order = num.Grow(nw.order, p.N)
	if p.Blocks != nil {
		nw.sort.order(nw.order, p.Blocks, p.N)
		return
	}
	for c := range nw.order {
		nw.order[c] = int32(c)
	}
}

// Usual costs.
const (
	visitCost = 60.0 // ns: local solve of a contact and the rest
	blockCost = 1.5  // ns: a block of a sweep
	fusedCost = 0.06 // ns: a multiply-add of a factorisation
)

// sweepsPerStep estimates how many sweeps a Newton step costs, from counts of multiply-adds and the usual rates, so
// that decisions built on it repeat.
func (e *engine) sweepsPerStep() float64 {
	nw, p := &e.newt, e.p
	const entry = 2.5 // ns: assembling one entry
	n := float64(p.N)
	if p.Blocks == nil {
		u := 2.5 * n // a sliding contact has two unknowns, a sticking one three
		return (u*u*u/3*fusedCost + u*u*entry) / (n * e.visitCost())
	}
	nw.arrange(p)
	madds, blocks := 0.0, float64(len(p.Blocks.Col))
	for c := range p.N {
		d := float64(nw.sort.count(c) + 2) // tiles are filled by neighbours, too
		madds += 27 * d * d
	}
	return (madds*fusedCost*2 + 9*blocks*entry) / (n*visitCost + blocks*blockCost)
}

// classify decides on contact c, whose unknowns would start at pos, and sets its part of dr that does not need the
// solution. It returns how many unknowns the contact brings.
func (nw *newton) classify(e *engine, c int, pos int32, r, x []float64) int32 {
	l := &e.loc[c]
	rc, xc := r[3*c:3*c+3:3*c+3], x[3*c:3*c+3:3*c+3]
	dr := nw.dr[3*c : 3*c+3 : 3*c+3]
	dr[0], dr[1], dr[2] = 0, 0, 0
	yn := rc[0] - l.inv*xc[0]
	if !(yn > 0) || l.wn == 0 {
		nw.kind[c] = kindOpen
		dr[0], dr[1], dr[2] = -rc[0], -rc[1], -rc[2]
		return 0
	}
	nw.pos[c] = pos
	nw.act = append(nw.act, int32(c))
	y1, y2 := rc[1]-l.inv*xc[1], rc[2]-l.inv*xc[2]
	y := math.Sqrt(y1*y1 + y2*y2)
	if y <= l.mu*yn {
		nw.kind[c] = kindStick
		return 3
	}
	nw.kind[c] = kindSlip
	d1, d2 := y1/y, y2/y
	nw.dir[2*c], nw.dir[2*c+1] = d1, d2
	nw.beta[c] = l.mu * yn / y
	k := l.mu*rc[0] - (rc[1]*d1 + rc[2]*d2)
	dr[1], dr[2] = k*d1, k*d2
	return 2
}

// assemble builds the matrix and the right-hand side -(equations at rTry). It reports false if the deadline passed.
func (nw *newton) assemble(e *engine, size int, r, x []float64, alpha float64) bool {
	p, lu := e.p, &nw.lu
	if p.Blocks != nil && slices.Equal(nw.laid, nw.kind) {
		lu.empty()
	} else {
		lu.reset(size)
		if p.Blocks == nil {
			lu.markAll()
		} else {
			nw.markBlocks(p.Blocks)
		}
		lu.fill()
		nw.laid = append(nw.laid[:0], nw.kind...)
	}
	nw.rhs = num.Grow(nw.rhs, lu.padded())
	clear(nw.rhs[size:])
	var w [9]float64
	for _, a := range nw.act {
		c := int(a)
		if e.clock.Expired() {
			return false
		}
		nw.right(e, c, r, x)
		if b := p.Blocks; b != nil {
			for k := b.Row[c]; k < b.Row[c+1]; k++ {
				storedBlock(&w, b, k)
				nw.block(e, c, int(b.Col[k]), &w)
			}
		} else {
			for _, b := range nw.act {
				blockOf(&w, p, c, int(b))
				nw.block(e, c, int(b), &w)
			}
		}
		nw.diagonal(e, c, alpha)
	}
	return true
}

// blockOf writes W_ab to w by rows, and storedBlock the k-th of the block storage.
func blockOf(w *[9]float64, p *contact.Problem, a, b int) {
	n := 3 * p.N
	d := 3*a*n + 3*b
	u, v := p.W[d:d+3:d+3], p.W[d+n:d+n+3:d+n+3]
	w[0], w[1], w[2] = u[0], u[1], u[2]
	w[3], w[4], w[5] = v[0], v[1], v[2]
	u = p.W[d+2*n : d+2*n+3 : d+2*n+3]
	w[6], w[7], w[8] = u[0], u[1], u[2]
}

func storedBlock(w *[9]float64, b *contact.Blocks, k int32) {
	v := b.Val[12*k : 12*k+12 : 12*k+12]
	w[0], w[1], w[2] = v[0], v[4], v[8]
	w[3], w[4], w[5] = v[1], v[5], v[9]
	w[6], w[7], w[8] = v[2], v[6], v[10]
}

func (nw *newton) markBlocks(b *contact.Blocks) {
	for _, a := range nw.act {
		i := int(nw.pos[a])
		ni := i + 1
		if nw.kind[a] == kindStick {
			ni++
		}
		for k := b.Row[a]; k < b.Row[a+1]; k++ {
			d := b.Col[k]
			if nw.kind[d] == kindOpen {
				continue
			}
			j := int(nw.pos[d])
			nj := j + 1
			if nw.kind[d] == kindStick {
				nj++
			}
			nw.lu.mark(i, ni, j, nj)
		}
	}
}

// right sets the right-hand side of contact c.
func (nw *newton) right(e *engine, c int, r, x []float64) {
	z := nw.rhs[nw.pos[c]:]
	xt := e.xTry[3*c : 3*c+3 : 3*c+3]
	z[0] = -xt[0]
	if nw.kind[c] == kindStick {
		z[1], z[2] = -xt[1], -xt[2]
		return
	}
	d1, d2, beta := nw.dir[2*c], nw.dir[2*c+1], nw.beta[c]
	tau := -d2*r[3*c+1] + d1*r[3*c+2]
	z[1] = -tau*e.loc[c].scale - beta*(-d2*(xt[1]-x[3*c+1])+d1*(xt[2]-x[3*c+2]))
}

// block adds W_ab to the matrix.
func (nw *newton) block(e *engine, a, b int, w *[9]float64) {
	kb := nw.kind[b]
	if kb == kindOpen {
		return
	}
	nb := 3
	if kb == kindSlip {
		nb = 2
		mu, d1, d2 := e.loc[b].mu, nw.dir[2*b], nw.dir[2*b+1]
		for i := 0; i < 9; i += 3 {
			w[i], w[i+1] = w[i]+mu*(d1*w[i+1]+d2*w[i+2]), d1*w[i+2]-d2*w[i+1]
		}
	}
	na := 3
	if nw.kind[a] == kindSlip {
		na = 2
		d1, d2, beta := nw.dir[2*a], nw.dir[2*a+1], nw.beta[a]
		for j := range nb {
			w[3+j] = beta * (d1*w[6+j] - d2*w[3+j])
		}
	}
	nw.lu.block(int(nw.pos[a]), int(nw.pos[b]), na, nb, w)
}

// diagonal adds alpha, and the resistance (1-beta) w of a sliding contact.
func (nw *newton) diagonal(e *engine, c int, alpha float64) {
	i := int(nw.pos[c])
	lu := &nw.lu
	lu.add(i, alpha)
	if nw.kind[c] == kindStick {
		lu.add(i+1, alpha)
		lu.add(i+2, alpha)
		return
	}
	lu.add(i+1, alpha+(1-nw.beta[c])*e.loc[c].scale)
}
