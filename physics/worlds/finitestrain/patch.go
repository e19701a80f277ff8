package finitestrain

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/numerics/fem/equilibrium"
	"hapco/physics/numerics/fem/solid"
	"hapco/physics/numerics/num"
)

// After a correction with an older tangent, what is missing to equilibrium lies around the contacts, where the tissue
// is bent most. A patch is the nodes there, some hundreds, as many as it takes for the others to miss little. It is
// relaxed by Newton's method on its own present tangent, by GMRES, while the nodes around it stand still,
// until its own part of what is missing hardly shows, and at a small part of the cost of a correction of all nodes. The tool
// is part of the patch, and its contacts are the springs of their layers.
type patch struct {
	first, of []int32 // elements of each node
	number    []int32 // of a node in the patch, -1
	seen      []bool  // of an element
	nodes     []int32 // those that move, then those around them
	move      int
	elements  []int32
	part      solid.Part

	inertia           []float64 // of a node that moves, N/m: what its inertia and damping resist more if it goes on; 0 without motion
	blocks            []float64 // the same with what the layers resist
	inverse           []float64 // of the diagonal blocks of an older tangent, 9 a node
	x, trial, outside []float64 // 3 a node
	force, rest       []float64 // of the part at x, and before
	old, g, d, kp     []float64
	missed, far       []float64 // of the nodes that move, and of the tool
	space             equilibrium.Krylov
	least             float64 // det F
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
// in equilibrium, until the others miss little: what they do it tells, N.
func (p *patch) choose(l *Live) (around float64) {
	for _, n := range p.nodes {
		p.number[n] = -1
	}
	for _, e := range p.elements {
		p.seen[e] = false
	}
	p.nodes, p.elements = p.nodes[:0], p.elements[:0]
	left, small := equilibrium.Inner(l.correction.residual, l.correction.residual), l.enough()/2
	add := func(n int32) {
		if p.number[n] < 0 && l.k.Index[n] >= 0 {
			left -= mgl64.Vec3(l.correction.residual[3*l.k.Index[n]:]).LenSqr()
			p.number[n] = int32(len(p.nodes))
			p.nodes = append(p.nodes, n)
		}
	}
	for i := range l.constraints {
		if l.problem.r[3*i]+l.constraints[i].hold > 0 {
			for _, n := range l.constraints[i].nodes {
				if n >= 0 {
					add(n)
				}
			}
		}
	}
	if len(p.nodes) == 0 {
		worst, at := 0.0, 0
		for i, v := range l.correction.residual {
			if math.Abs(v) > worst {
				worst, at = math.Abs(v), i
			}
		}
		add(l.k.FreeNode[at/3])
	}
	conn := l.cells
	for i := 0; i < len(p.nodes) && len(p.nodes) < l.Options.Patch && left > small*small; i++ {
		n := p.nodes[i]
		for _, e := range p.of[p.first[n]:p.first[n+1]] {
			for _, other := range conn.Element(int(e)) {
				add(other)
			}
		}
	}
	p.move = len(p.nodes)
	return math.Sqrt(math.Max(left, 0))
}

// build makes the patch of the nodes that were chosen.
func (p *patch) build(l *Live) {
	conn := l.cells
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
	for _, v := range []*[]float64{&p.x, &p.trial, &p.outside, &p.force, &p.rest, &p.old, &p.g, &p.d, &p.kp} {
		*v = num.Grow(*v, n)
	}
	p.inverse, p.inertia = num.Grow(p.inverse, 9*p.move), num.Grow(p.inertia, p.move)
	l.inertia(p.inertia, p.nodes[:p.move])
	for i, n := range p.nodes[:p.move] {
		// the upper triangle of the node's block stands at the end of its three columns
		col := 3 * l.k.Index[n]
		a, b, c := l.k.ColPtr[col+1], l.k.ColPtr[col+2], l.k.ColPtr[col+3]
		v := l.tangents.now.values
		m := solid.Mat3{v[a-1], v[b-2], v[c-3], v[b-2], v[b-1], v[c-2], v[c-3], v[c-2], v[c-1]}
		cof := m.Cofactor()
		det := m.Det()
		for k := range 9 {
			p.inverse[9*i+k] = cof[k] / det
		}
	}
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
	for i := range l.constraints {
		p.push(&l.constraints[i], p.g, l.constraints[i].force)
	}
	clear(p.g[3*p.move:])
	return math.Hypot(equilibrium.Norm(p.g), l.misses().size())
}

// relax brings the nodes around the contacts nearer to equilibrium. It is false, and nothing has changed, where that
// did not help.
func (l *Live) relax() bool {
	p := &l.patch
	before := l.report.Residual
	around := p.choose(l)
	if around > within*before {
		return false
	}
	p.build(l)
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
	for i := range l.constraints {
		l.saved = append(l.saved, mgl64.Vec3(l.problem.r[3*i:3*i+3]))
	}
	at := l.tool.at
	l.spring(enough * math.Max(around, l.Options.Tolerance*l.report.Pressed))
	l.within(at)
	l.place(p.x, p.force, p.rest)
	l.report.Relaxed++
	after := l.balance(l.force)
	if !(after < before) {
		l.place(p.old, p.rest, p.force)
		for i, f := range l.saved {
			copy(l.problem.r[3*i:], f[:])
			l.constraints[i].force = l.constraints[i].world(f[:])
		}
		l.tool.at = at
		l.balance(l.force)
		return false
	}
	l.report.Residual = after
	l.least = math.Min(leastBefore, p.least)
	l.report.LeastJ = l.least
	l.measure()
	return true
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

// spring relaxes the patch and the tool, down to what end says is missing, N: each contact is the spring of its layer,
// along its normal where it slides and every way where it sticks, and nothing is held.
func (l *Live) spring(end float64) {
	p, h := &l.patch, &l.tool
	from, was := h.at, h.at
	for i := range l.constraints {
		r := &l.constraints[i]
		r.slides = math.Hypot(l.problem.r[3*i+1], l.problem.r[3*i+2]) > 0.999*r.mu*(l.problem.r[3*i]+r.hold)
		r.give = 0
		for d := 3 * i; d < 3*i+3; d++ {
			r.give += l.problem.compliance[d*3*len(l.constraints)+d] / 3
		}
	}
	l.lawful(p.x, six{})
	for range passes {
		missed := p.missing(l)
		if missed <= end {
			break
		}
		way := p.solveSprings(l, math.Max(0.1*missed, end/2))
		length, taken := 1.0, false
		for range 3 {
			for i, v := range p.d {
				p.trial[i] = p.x[i] + length*v
			}
			h.at = h.moved(from, way.add(way, length-1))
			j := p.part.Forces(p.kp, p.trial)
			p.x, p.trial, p.force, p.kp = p.trial, p.x, p.kp, p.force
			if j > leastShare*l.least {
				l.lawful(p.x, h.from(was))
				if p.missing(l) < missed {
					taken, p.least, from = true, j, h.at
					break
				}
			}
			p.x, p.trial, p.force, p.kp = p.trial, p.x, p.kp, p.force
			length /= 3
		}
		if !taken {
			h.at = from
			l.lawful(p.x, h.from(was))
			break
		}
	}
}

// lawful lets the rows bear what their layers do when the patch has moved to the places x, and the tool by way, and
// Coulomb's law allows.
func (l *Live) lawful(x []float64, way six) {
	p := &l.patch
	for i := range l.constraints {
		r := &l.constraints[i]
		u, s := p.motion(r, x).Sub(p.motion(r, p.old)), l.saved[i]
		gap := r.gap + r.of(l.X).Sub(r.from).Add(u).Dot(r.frame[0]) // above the layer
		if !r.own {
			gap -= l.tool.goes(r.arm, l.tool.from(l.tool.seen)).Dot(r.frame[0])
			u = u.Sub(l.tool.goes(r.arm, way))
		}
		n := math.Max(0, r.hold-gap/r.soft)
		t1, t2 := s[1], s[2]
		if !r.slides {
			t1, t2 = t1-u.Dot(r.frame[1])/r.soft, t2-u.Dot(r.frame[2])/r.soft
		}
		if size := math.Hypot(t1, t2); size > r.mu*n || r.slides && size > 0 {
			t1, t2 = t1*r.mu*n/size, t2*r.mu*n/size
		}
		l.problem.r[3*i], l.problem.r[3*i+1], l.problem.r[3*i+2] = n-r.hold, t1, t2
		r.force = r.world(l.problem.r[3*i : 3*i+3])
	}
}

// motion is that of a row's spot, of the nodes that move.
func (p *patch) motion(r *contactConstraint, v []float64) (u mgl64.Vec3) {
	for m, n := range r.nodes {
		if n < 0 {
			break
		}
		if k := int(p.number[n]); k >= 0 && k < p.move {
			for c := range 3 {
				u[c] += r.share[m] * v[3*k+c]
			}
		}
	}
	return u
}

// push adds a force at a row's spot to those of the nodes that move.
func (p *patch) push(r *contactConstraint, v []float64, f mgl64.Vec3) {
	for m, n := range r.nodes {
		if n < 0 {
			break
		}
		if k := int(p.number[n]); k >= 0 && k < p.move {
			for c := range 3 {
				v[3*k+c] += r.share[m] * f[c]
			}
		}
	}
}

// resists is what a row's layer does to a motion of its spot, as far as it bears something: along a slide, friction goes
// with the normal force.
func (r *contactConstraint) resists(u mgl64.Vec3) mgl64.Vec3 {
	if !r.slides {
		return u.Mul(1 / r.soft)
	}
	_, t := r.pressing()
	along := r.frame[0]
	if t > 0 {
		along = along.Add(r.force.Sub(along.Mul(r.force.Dot(along))).Mul(r.mu / t))
	}
	return along.Mul(u.Dot(r.frame[0]) / r.soft)
}

// solveSprings finds how far the nodes go, p.d, and the tool, which it gives, on the tangent at p.x, with the rows that
// bear something as springs: with friction it is not symmetric. It ends where end is missing, N, or where a direction is
// not resisted.
func (p *patch) solveSprings(l *Live, end float64) six {
	p.part.Tangent(p.x)
	h := &l.tool
	stiff, _ := h.pull(l.Options.Reach)
	for part := range 2 {
		stiff.along[part] += h.drag
		stiff.across[part] += h.drag
	}
	led := stiff.diagonal() // of the tool with what it leads
	p.blocks = append(p.blocks[:0], p.inverse...)
	for i := range l.constraints {
		r := &l.constraints[i]
		if r.bears = r.force != (mgl64.Vec3{}); !r.bears {
			continue
		}
		for d, f := range r.frame {
			if d > 0 && r.slides {
				break
			}
			if !r.own {
				for c, x := range h.lead(r.arm, f) {
					led[c] += x * x / (r.soft + r.give)
				}
			}
			for m, n := range r.nodes {
				if n >= 0 && p.number[n] >= 0 && int(p.number[n]) < p.move {
					stiffenBlock(p.blocks[9*p.number[n]:9*p.number[n]+9], f, r.share[m]*r.share[m]/r.soft)
				}
			}
		}
	}
	precondition := func(z, v []float64) (way six) {
		for i := range p.move {
			m, g := p.blocks[9*i:9*i+9], v[3*i:3*i+3]
			z[3*i] = m[0]*g[0] + m[1]*g[1] + m[2]*g[2]
			z[3*i+1] = m[3]*g[0] + m[4]*g[1] + m[5]*g[2]
			z[3*i+2] = m[6]*g[0] + m[7]*g[1] + m[8]*g[2]
		}
		for c := range way {
			way[c] = v[3*p.move+c] / led[c]
		}
		h.mask(&way)
		return way
	}
	moves := 3 * p.move
	p.missed, p.far = num.Grow(p.missed, moves+6), num.Grow(p.far, moves+6)
	copy(p.missed, p.g[:moves])
	missed := l.misses()
	copy(p.missed[moves:], missed[:])
	clear(p.d[moves:])
	p.space.Solve(p.far, p.missed, rounds, end, func(dst, v []float64) bool {
		way := precondition(p.d, v)
		p.part.Times(p.kp, p.d)
		for i, c := range p.inertia {
			for k := 3 * i; k < 3*i+3; k++ {
				p.kp[k] += c * p.d[k]
			}
		}
		kt := stiff.times(way)
		for i := range l.constraints {
			r := &l.constraints[i]
			if !r.bears {
				continue
			}
			u := p.motion(r, p.d)
			if !r.own {
				u = u.Sub(h.goes(r.arm, way))
			}
			f := r.resists(u)
			p.push(r, p.kp, f)
			if !r.own {
				kt = kt.add(h.lead(r.arm, f), -1)
			}
		}
		h.mask(&kt)
		copy(dst, p.kp[:moves])
		copy(dst[moves:], kt[:])
		return equilibrium.Inner(p.d[:moves], p.kp[:moves])+way.dot(kt) > 0
	})
	return precondition(p.d, p.far)
}

// stiffenBlock adds a spring of stiffness k along f to a node's inverse block, by Sherman and Morrison.
func stiffenBlock(b []float64, f mgl64.Vec3, k float64) {
	u := mgl64.Vec3{b[0]*f[0] + b[1]*f[1] + b[2]*f[2], b[3]*f[0] + b[4]*f[1] + b[5]*f[2], b[6]*f[0] + b[7]*f[1] + b[8]*f[2]}
	s := k / (1 + k*f.Dot(u))
	for x := range 3 {
		for y := range 3 {
			b[3*x+y] -= s * u[x] * u[y]
		}
	}
}
