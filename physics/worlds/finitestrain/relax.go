package finitestrain

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/numerics/fem/equilibrium"
	"hapco/physics/numerics/fem/solid"
	"hapco/physics/numerics/num"
)

const (
	passes = 2   // of Newton's method
	rounds = 12  // of conjugate gradients in each
	enough = 0.3 // of what the nodes around a patch miss: less of its own hardly shows
)

// After a correction with an older tangent, what is missing to equilibrium lies around the contacts, where the tissue
// is bent most. A patch is the nodes there, some hundreds, as many as it takes for the others to miss little. It is
// relaxed by Newton's method on its own present tangent, by conjugate gradients, while the nodes around it stand still,
// until its own part of what is missing hardly shows, and at a small part of the cost of a correction of all nodes. A
// node that touches keeps to the tool as the contact problem has found it: one that sticks stands still, one that
// slides moves in its plane. The force that this takes becomes the contact's, as far as the laws of contact allow. A
// tool that hangs on the hand is part of the patch, and its contacts are the springs of their layers.
type patch struct {
	first, of []int32 // elements of each node
	number    []int32 // of a node in the patch, -1
	seen      []bool  // of an element
	nodes     []int32 // those that move, then those around them
	move      int
	elements  []int32
	part      solid.Part

	bound               []bound   // 1 a node that moves
	inertia             []float64 // of a node that moves, N/m: what its inertia and damping resist more if it goes on; 0 without motion
	blocks              []float64 // the same with what the layers resist
	inverse             []float64 // of the diagonal blocks of an older tangent, 9 a node
	x, trial, outside   []float64 // 3 a node
	force, rest         []float64 // of the part at x, and before
	old, g, d, p, kp, z []float64
	least               float64 // det F
}

// bound says how a node may move.
type bound struct {
	held, slides bool
	normal       mgl64.Vec3
}

func (p *patch) prepare(l *Live) {
	nodes := len(l.body.Mesh.Nodes)
	conn := l.cells
	p.first = make([]int32, nodes+1)
	for e := range conn.Len() {
		for _, n := range conn.Element(e) {
			p.first[n+1]++
		}
	}
	for n := range nodes {
		p.first[n+1] += p.first[n]
	}
	p.of = make([]int32, p.first[nodes])
	at := make([]int32, nodes)
	for e := range conn.Len() {
		for _, n := range conn.Element(e) {
			p.of[p.first[n]+at[n]] = int32(e)
			at[n]++
		}
	}
	p.number = make([]int32, nodes)
	for i := range p.number {
		p.number[i] = -1
	}
	p.seen = make([]bool, conn.Len())
}

// choose takes the nodes that are fewest edges away from the contacts that press, or where none does from what is least
// in equilibrium, until the others miss little.
func (p *patch) choose(l *Live, most int) {
	for _, n := range p.nodes {
		p.number[n] = -1
	}
	for _, e := range p.elements {
		p.seen[e] = false
	}
	p.nodes, p.elements = p.nodes[:0], p.elements[:0]
	left, small := equilibrium.Inner(l.residual, l.residual), 0.5*l.Options.Tolerance*l.report.Pressed
	add := func(n int32) {
		if p.number[n] < 0 && l.k.Index[n] >= 0 {
			left -= mgl64.Vec3(l.residual[3*l.k.Index[n]:]).LenSqr()
			p.number[n] = int32(len(p.nodes))
			p.nodes = append(p.nodes, n)
		}
	}
	for i := range l.rows {
		if l.r[3*i]+l.rows[i].hold > 0 {
			for _, n := range l.rows[i].nodes {
				if n >= 0 {
					add(n)
				}
			}
		}
	}
	if len(p.nodes) == 0 {
		worst, at := 0.0, 0
		for i, v := range l.residual {
			if math.Abs(v) > worst {
				worst, at = math.Abs(v), i
			}
		}
		add(l.k.FreeNode[at/3])
	}
	conn := l.cells
	for i := 0; i < len(p.nodes) && len(p.nodes) < most && left > small*small; i++ {
		n := p.nodes[i]
		for _, e := range p.of[p.first[n]:p.first[n+1]] {
			for _, other := range conn.Element(int(e)) {
				add(other)
			}
		}
	}
	p.move = len(p.nodes)
	for _, n := range p.nodes[:p.move] {
		for _, e := range p.of[p.first[n]:p.first[n+1]] {
			if p.seen[e] {
				continue
			}
			p.seen[e] = true
			p.elements = append(p.elements, e)
			for _, other := range conn.Element(int(e)) {
				if p.number[other] < 0 {
					p.number[other] = int32(len(p.nodes))
					p.nodes = append(p.nodes, other)
				}
			}
		}
	}
	p.part.Take(l.cells, p.elements, p.number)
	n := 3 * len(p.nodes)
	for _, v := range []*[]float64{&p.x, &p.trial, &p.outside, &p.force, &p.rest, &p.old, &p.g, &p.d, &p.p, &p.kp, &p.z} {
		*v = num.Grow(*v, n)
	}
	p.inverse, p.inertia = num.Grow(p.inverse, 9*p.move), num.Grow(p.inertia, p.move)
	l.inertia(p.inertia, p.nodes[:p.move])
	for i, n := range p.nodes[:p.move] {
		// the upper triangle of the node's block stands at the end of its three columns
		col := 3 * l.k.Index[n]
		a, b, c := l.k.ColPtr[col+1], l.k.ColPtr[col+2], l.k.ColPtr[col+3]
		v := l.now.values
		m := solid.Mat3{v[a-1], v[b-2], v[c-3], v[b-2], v[b-1], v[c-2], v[c-3], v[c-2], v[c-1]}
		cof := m.Cofactor()
		det := m.Det()
		for k := range 9 {
			p.inverse[9*i+k] = cof[k] / det
		}
	}
	if cap(p.bound) < p.move {
		p.bound = make([]bound, p.move, p.move+p.move/2)
	}
	p.bound = p.bound[:p.move]
}

// allowed takes from v what the nodes may not do.
func (p *patch) allowed(v []float64) {
	for i := range p.bound {
		b := &p.bound[i]
		switch at := v[3*i : 3*i+3]; {
		case b.held:
			clear(at)
		case b.slides:
			dot := at[0]*b.normal[0] + at[1]*b.normal[1] + at[2]*b.normal[2]
			for c := range 3 {
				at[c] -= dot * b.normal[c]
			}
		}
	}
	clear(v[3*p.move:])
}

// missing fills g with what the nodes that move still miss to equilibrium, where they may move.
func (p *patch) missing(l *Live) float64 {
	for i, f := range p.force {
		p.g[i] = p.outside[i] - f
	}
	for i, c := range p.inertia {
		for k := 3 * i; k < 3*i+3; k++ {
			p.g[k] -= c * (p.x[k] - p.old[k])
		}
	}
	for i := range l.rows {
		r := &l.rows[i]
		for m, n := range r.nodes {
			if n < 0 {
				break
			}
			if k := p.number[n]; k >= 0 && int(k) < p.move {
				for c := range 3 {
					p.g[3*int(k)+c] += r.share[m] * r.force[c]
				}
			}
		}
	}
	if l.hung.on {
		clear(p.g[3*p.move:])
		return math.Hypot(equilibrium.Norm(p.g), l.misses().size())
	}
	p.allowed(p.g)
	return equilibrium.Norm(p.g)
}

// around is what the nodes that do not move miss, of what all do.
func (p *patch) around(l *Live, all float64) float64 {
	sum := all * all
	for _, n := range p.nodes[:p.move] {
		g := mgl64.Vec3(l.residual[3*l.k.Index[n]:])
		sum -= g.LenSqr()
	}
	return math.Sqrt(math.Max(sum, 0))
}

func (p *patch) precondition() {
	for i := range p.move {
		m, g := p.inverse[9*i:9*i+9], p.g[3*i:3*i+3]
		p.z[3*i] = m[0]*g[0] + m[1]*g[1] + m[2]*g[2]
		p.z[3*i+1] = m[3]*g[0] + m[4]*g[1] + m[5]*g[2]
		p.z[3*i+2] = m[6]*g[0] + m[7]*g[1] + m[8]*g[2]
	}
	p.allowed(p.z)
}

// solve finds d with K d = g by conjugate gradients, as far as the rounds allow or down to end. It ends where K gives
// way.
func (p *patch) solve(end float64) {
	clear(p.d)
	p.part.Tangent(p.x)
	p.precondition()
	copy(p.p, p.z)
	gz := equilibrium.Inner(p.g, p.z)
	for range rounds {
		p.part.Times(p.kp, p.p)
		for i, c := range p.inertia {
			for k := 3 * i; k < 3*i+3; k++ {
				p.kp[k] += c * p.p[k]
			}
		}
		p.allowed(p.kp)
		curve := equilibrium.Inner(p.p, p.kp)
		if !(curve > 0) || !(gz > 0) {
			return
		}
		alpha := gz / curve
		for i, v := range p.p {
			p.d[i] += alpha * v
			p.g[i] -= alpha * p.kp[i]
		}
		if equilibrium.Norm(p.g) < end {
			return
		}
		p.precondition()
		next := equilibrium.Inner(p.g, p.z)
		beta := next / gz
		gz = next
		for i, v := range p.z {
			p.p[i] = v + beta*p.p[i]
		}
	}
}

// relax brings the nodes around the contacts nearer to equilibrium. It is false, and nothing has changed, where that
// did not help.
func (l *Live) relax(tool equilibrium.Obstacle, most int) bool {
	p := &l.patch
	before := l.report.Residual
	l.balance(l.force)
	p.choose(l, most)
	for i, n := range p.nodes {
		copy(p.x[3*i:3*i+3], l.X[3*n:3*n+3])
	}
	leastBefore := l.least
	p.least = p.part.Forces(p.rest, p.x)
	copy(p.force, p.rest)
	copy(p.old, p.x)
	for i, n := range p.nodes {
		for c := range 3 {
			k := 3*int(n) + c
			p.outside[3*i+c] = l.load[k] - (l.force[k] - p.rest[3*i+c])
		}
	}
	l.saved = l.saved[:0]
	for i := range l.rows {
		l.saved = append(l.saved, mgl64.Vec3(l.r[3*i:3*i+3]))
	}
	at := l.hung.at
	if l.hung.on {
		l.spring(enough * math.Max(p.around(l, equilibrium.Norm(l.residual)), l.Options.Tolerance*l.report.Pressed))
		l.within(at)
	} else {
		l.keepTo(tool, enough*math.Max(p.around(l, before), l.Options.Tolerance*l.report.Pressed))
	}
	l.place(p.x, p.force, p.rest)
	l.report.Relaxed++
	after := l.balance(l.force)
	if !(after < before) {
		l.place(p.old, p.rest, p.force)
		for i, f := range l.saved {
			copy(l.r[3*i:], f[:])
			l.rows[i].force = l.rows[i].world(f[:])
		}
		l.hung.at = at
		return false
	}
	l.report.Residual = after
	l.least = math.Min(leastBefore, p.least)
	l.report.LeastJ = l.least
	l.measure(l.aimed(tool))
	return true
}

// keepTo relaxes the patch with the nodes that touch kept to a tool that stands, down to what end says is missing, N.
func (l *Live) keepTo(tool equilibrium.Obstacle, end float64) {
	p := &l.patch
	clear(p.bound)
	copy(p.trial, p.x)
	for i := range l.rows {
		row := &l.rows[i]
		k := p.number[row.nodes[0]]
		if !row.isNode() || !(l.r[3*i]+row.hold > 0) || k < 0 || int(k) >= p.move {
			continue
		}
		at := p.trial[3*k : 3*k+3]
		gap, normal := tool.Gap(mgl64.Vec3(at), l.share)
		if math.Abs(gap) < l.Options.Reach/4 {
			for c := range 3 {
				at[c] -= gap * normal[c]
			}
		}
		b := &p.bound[k]
		b.normal = row.frame[0]
		b.slides = math.Hypot(l.r[3*i+1], l.r[3*i+2]) > 0.999*row.mu*(l.r[3*i]+row.hold)
		b.held = !b.slides
	}
	if j := p.part.Forces(p.kp, p.trial); j > l.Options.LeastJ { // on the tool's surface
		p.x, p.trial = p.trial, p.x
		p.force, p.kp = p.kp, p.force
		p.least = j
	}
	for range passes {
		was := p.missing(l)
		if was <= end {
			break
		}
		p.solve(math.Max(0.1*was, end/2))
		length, taken := 1.0, false
		for range 3 {
			for i, v := range p.d {
				p.trial[i] = p.x[i] + length*v
			}
			j := p.part.Forces(p.kp, p.trial)
			p.force, p.kp = p.kp, p.force
			if j > l.Options.LeastJ {
				if now := p.missing(l); now < was {
					taken, p.least = true, j
					break
				}
			}
			p.force, p.kp = p.kp, p.force
			length /= 3
		}
		if !taken {
			break
		}
		p.x, p.trial = p.trial, p.x
		l.absorb()
	}
	l.absorb()
}

// place puts the patch's places and forces among those of all nodes, where its elements had the forces before.
func (l *Live) place(x, now, before []float64) {
	l.past.resist(l.force, l.X, &l.Options.Motion, l.k, -1)
	for i, n := range l.patch.nodes {
		for c := range 3 {
			l.X[3*int(n)+c] = x[3*i+c]
			l.force[3*int(n)+c] += now[3*i+c] - before[3*i+c]
		}
	}
	l.past.resist(l.force, l.X, &l.Options.Motion, l.k, 1)
}

// absorb makes what the body asks of the nodes that touch the force of their contacts, as far as it pushes and friction
// bears it.
func (l *Live) absorb() {
	p := &l.patch
	for i := range l.rows {
		row := &l.rows[i]
		hold, mu := row.hold, row.mu
		k := p.number[row.nodes[0]]
		if !row.isNode() || k < 0 || int(k) >= p.move {
			continue
		}
		b := &p.bound[k]
		if !b.held && !b.slides {
			continue
		}
		var ask mgl64.Vec3
		for c := range 3 {
			d := 3*int(k) + c
			ask[c] = p.force[d] - p.outside[d] + p.inertia[k]*(p.x[d]-p.old[d])
		}
		r := l.r[3*i : 3*i+3]
		n := math.Max(0, ask.Dot(row.frame[0])+hold)
		t1, t2 := r[1], r[2]
		if b.held {
			t1, t2 = ask.Dot(row.frame[1]), ask.Dot(row.frame[2])
		}
		if t := math.Hypot(t1, t2); b.slides && t > 0 || t > mu*n {
			t1, t2 = t1*mu*n/t, t2*mu*n/t
		}
		r[0], r[1], r[2] = n-hold, t1, t2
		row.force = row.world(r)
	}
}
