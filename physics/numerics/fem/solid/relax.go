package solid

import "math"

// Relaxing lets a body relax as time goes on, whose stresses are S_vol + S_iso - sum (g_i S_iso - H_i) with the H_i of
// Memory. What has relaxed stands still while an equilibrium is looked for, and follows with the time: so an
// equilibrium is that of a hyperelastic law with a stress that stays, and a step between two costs a share of the
// elements. One goroutine may use it, which is the one that asks for forces.
type Relaxing struct {
	body  *Body
	laws  []Law // of what relaxes, by block
	prony []Prony
	mem   [][]Memory  // by block and point
	at    [][]float64 // by block and element: when it was looked at, s
	time  float64     // s
	every float64     // in which time all elements are looked at, s
	next  [2]int      // block and element that are looked at next
	all   int         // elements that relax
	w     work
}

// oftenRelaxed is how often all elements are looked at within the shortest time of relaxation: what the stress misses of
// its relaxation is a part of that.
const oftenRelaxed = 20

// Relax makes the body relax, by its blocks; nil: none of them does. Its twins' tangents have to be Momentary.
func (b *Body) Relax(prony []Prony) *Relaxing {
	r := &Relaxing{body: b, prony: prony, every: math.Inf(1), laws: make([]Law, len(prony)), mem: make([][]Memory, len(prony)), at: make([][]float64, len(prony))}
	for i, p := range prony {
		blk := b.blocks[i]
		if len(p.G) == 0 || blk.len() == 0 {
			continue
		}
		for _, tau := range p.Tau {
			r.every = min(r.every, tau/oftenRelaxed)
		}
		blk.stays = make([]Mat3, len(blk.weight))
		r.mem[i], r.at[i] = make([]Memory, len(blk.weight)), make([]float64, blk.len())
		all := make([]Mat3, len(blk.weight)*len(p.G))
		for q := range r.mem[i] {
			r.mem[i][q].H = all[q*len(p.G) : (q+1)*len(p.G) : (q+1)*len(p.G)]
		}
		r.all += blk.len()
		b.cells.runs[i].stay(blk)
		r.take(i)
	}
	if r.all == 0 {
		return nil
	}
	return r
}

// take takes over the law of a block.
func (r *Relaxing) take(block int) {
	if r.laws[block] = r.body.blocks[block].law; !r.prony[block].All {
		r.laws[block] = isochoric(r.laws[block])
	}
}

// isochoric is what of a law goes with its shear modulus: a law without isochoric part is that of its mu at a bulk modulus
// of 0.
func isochoric(law Law) Law {
	switch l := law.(type) {
	case Barrier:
		return isochoric(l.Law)
	case NeoHookeanLog:
		return NeoHookeanLog{Lambda: -2 * l.Mu / 3, Mu: l.Mu}
	case Corotational:
		return Corotational{Lambda: -2 * l.Mu / 3, Mu: l.Mu}
	case StVenantKirchhoff:
		return StVenantKirchhoff{Lambda: -2 * l.Mu / 3, Mu: l.Mu}
	case Fibre:
		l.Matrix = isochoric(l.Matrix)
		return l
	}
	return law.Scaled(1, 0)
}

// Harden takes over a block's law, which has become times as stiff: what it remembers is of that law, too.
func (r *Relaxing) Harden(block int, times float64) {
	if r == nil || block >= len(r.mem) || r.mem[block] == nil {
		return // a membrane does not relax
	}
	r.take(block)
	for q := range r.mem[block] {
		m := &r.mem[block][q]
		m.last = scaled(&m.last, times)
		for i := range m.H {
			m.H[i] = scaled(&m.H[i], times)
		}
		s := &r.body.blocks[block].stays[q]
		*s = scaled(s, times)
	}
	r.body.cells.runs[block].stay(r.body.blocks[block])
}

// Pass lets h seconds pass with the nodes at x.
func (r *Relaxing) Pass(h float64, x []float64) {
	r.time += h
	for n := int(min(float64(r.all), math.Ceil(float64(r.all)*h/r.every))); n > 0; {
		block, e := r.next[0], r.next[1]
		if e >= len(r.at[block]) {
			r.next = [2]int{(block + 1) % len(r.at), 0}
			continue
		}
		r.look(block, e, x)
		r.next[1]++
		n--
	}
}

// look lets an element's points take the stress that they have.
func (r *Relaxing) look(block, e int, x []float64) {
	b, p := r.body.blocks[block], r.prony[block]
	h := r.time - r.at[block][e]
	r.at[block][e] = r.time
	if !(h > 0) {
		return
	}
	if !r.strain(b, e, x) {
		return
	}
	for q := range b.points {
		at := e*b.points + q
		m := &r.mem[block][at]
		s := second(r.laws[block], &r.w.f[q], &r.w.p)
		m.Take(p, h, &s)
		b.stays[at] = m.relaxed(p)
	}
	r.body.cells.runs[block].stayOne(b, e, e)
}

// strain finds F at the points of an element, Fbar with mean dilatation; false where one is turned over.
func (r *Relaxing) strain(b *block, e int, x []float64) bool {
	r.w.gather(b, e, x, nil)
	if !(b.least(&r.w) > 0) {
		return false
	}
	b.turnBar(e, &r.w)
	return true
}

// Energy is what is stored at the places x, J: that of the body less that of the springs of Maxwell's elements that have
// relaxed, each of which is drawn out by as much as its H_i is of g_i S_iso.
func (r *Relaxing) Energy(x []float64) float64 {
	stored := r.body.Energy(x)
	for i, p := range r.prony {
		b := r.body.blocks[i]
		for e := range len(r.at[i]) {
			if !r.strain(b, e, x) {
				continue
			}
			for q := range b.points {
				at := e*b.points + q
				m, f := &r.mem[i][at], &r.w.f[q]
				strain, _ := green(f)
				gone := 0.0
				for k, g := range p.G {
					if all := g * m.last.Dot(&m.last); all > 0 {
						part := m.H[k].Dot(&m.last) / all
						gone += g * (1 - part*part)
					}
				}
				stored -= b.weight[at] * (b.stays[at].Dot(&strain) + gone*r.laws[i].Energy(f))
			}
		}
	}
	return stored
}

// relaxed is sum (H_i - g_i S_iso).
func (m *Memory) relaxed(p Prony) (q Mat3) {
	for i, g := range p.G {
		for k := range q {
			q[k] += m.H[i][k] - g*m.last[k]
		}
	}
	return q
}

// Stays adds what has relaxed to the stress P of a block's point, Pa.
func (r *Relaxing) Stays(block, point int, p, f *Mat3) {
	if r == nil || r.mem[block] == nil {
		return
	}
	fs := f.Mul(&r.body.blocks[block].stays[point])
	for k := range p {
		p[k] += fs[k]
	}
}

// Forget lets the body be as one that has never been strained.
func (r *Relaxing) Forget() {
	if r == nil {
		return
	}
	r.time, r.next = 0, [2]int{}
	for i := range r.mem {
		clear(r.at[i])
		for q := range r.mem[i] {
			clear(r.mem[i][q].H)
			r.mem[i][q].last = Mat3{}
		}
		if b := r.body.blocks[i]; r.mem[i] != nil {
			clear(b.stays)
			r.body.cells.runs[i].stay(b)
		}
	}
}
