package finitestrain

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/numerics/fem/equilibrium"
)

// spring relaxes the patch and the tool, down to what end says is missing, N: each contact is the spring of its layer,
// along its normal where it slides and every way where it sticks, and nothing is held.
func (l *Live) spring(end float64) {
	p, h := &l.patch, &l.hung
	from, was := h.at, h.at
	for i := range l.rows {
		r := &l.rows[i]
		r.slides = math.Hypot(l.r[3*i+1], l.r[3*i+2]) > 0.999*r.mu*(l.r[3*i]+r.hold)
		r.give = 0
		for d := 3 * i; d < 3*i+3; d++ {
			r.give += l.compliance[d*3*len(l.rows)+d] / 3
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
			if j > math.Min(l.Options.LeastJ, leastShare*l.least) {
				l.lawful(p.x, h.between(was, h.at))
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
			l.lawful(p.x, h.between(was, h.at))
			break
		}
	}
}

// lawful lets the rows bear what their layers do when the patch has moved to the places x, and the tool by way, and
// Coulomb's law allows.
func (l *Live) lawful(x []float64, way six) {
	p := &l.patch
	for i := range l.rows {
		r := &l.rows[i]
		u, s := p.motion(r, x).Sub(p.motion(r, p.old)), l.saved[i]
		gap := r.gap + r.of(l.X).Sub(r.from).Add(u).Dot(r.frame[0]) // above the layer
		if !r.own {
			gap -= l.hung.goes(r.arm, l.hung.between(l.hung.seen, l.hung.at)).Dot(r.frame[0])
			u = u.Sub(l.hung.goes(r.arm, way))
		}
		n := math.Max(0, r.hold-gap/r.soft)
		t1, t2 := s[1], s[2]
		if !r.slides {
			t1, t2 = t1-u.Dot(r.frame[1])/r.soft, t2-u.Dot(r.frame[2])/r.soft
		}
		if size := math.Hypot(t1, t2); size > r.mu*n || r.slides && size > 0 {
			t1, t2 = t1*r.mu*n/size, t2*r.mu*n/size
		}
		l.r[3*i], l.r[3*i+1], l.r[3*i+2] = n-r.hold, t1, t2
		r.force = r.world(l.r[3*i : 3*i+3])
	}
}

// motion is that of a row's spot, of the nodes that move.
func (p *patch) motion(r *liveRow, v []float64) (u mgl64.Vec3) {
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
func (p *patch) push(r *liveRow, v []float64, f mgl64.Vec3) {
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

// resists is what a row's layer does to a motion of its spot, as far as it bears something.
func (r *liveRow) resists(u mgl64.Vec3) mgl64.Vec3 {
	if r.slides {
		u = r.frame[0].Mul(u.Dot(r.frame[0]))
	}
	return u.Mul(1 / r.soft)
}

// solveSprings is solve with the rows that bear something as springs and the tool among the unknowns: it gives the
// tool's way.
func (p *patch) solveSprings(l *Live, end float64) (way six) {
	h := &l.hung
	clear(p.d)
	p.part.Tangent(p.x)
	stiff, _ := h.pull()
	turns := 3
	if h.turns() {
		turns = 6
	}
	for c := range turns {
		stiff[c] += h.drag
	}
	led := stiff // of the tool with what it leads
	p.blocks = append(p.blocks[:0], p.inverse...)
	for i := range l.rows {
		r := &l.rows[i]
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
	g := l.misses()
	precondition := func(z six) six {
		for i := range p.move {
			m, g := p.blocks[9*i:9*i+9], p.g[3*i:3*i+3]
			p.z[3*i] = m[0]*g[0] + m[1]*g[1] + m[2]*g[2]
			p.z[3*i+1] = m[3]*g[0] + m[4]*g[1] + m[5]*g[2]
			p.z[3*i+2] = m[6]*g[0] + m[7]*g[1] + m[8]*g[2]
		}
		clear(p.z[3*p.move:])
		for c := range turns {
			z[c] = g[c] / led[c]
		}
		return z
	}
	z := precondition(six{})
	copy(p.p, p.z)
	dir := z
	gz := equilibrium.Inner(p.g, p.z) + g.dot(z)
	for range rounds {
		p.part.Times(p.kp, p.p)
		for i, c := range p.inertia {
			for k := 3 * i; k < 3*i+3; k++ {
				p.kp[k] += c * p.p[k]
			}
		}
		var kt six
		for c := range turns {
			kt[c] = stiff[c] * dir[c]
		}
		for i := range l.rows {
			r := &l.rows[i]
			if !r.bears {
				continue
			}
			u := p.motion(r, p.p)
			if !r.own {
				u = u.Sub(h.goes(r.arm, dir))
			}
			f := r.resists(u)
			p.push(r, p.kp, f)
			if !r.own {
				kt = kt.add(h.lead(r.arm, f), -1)
			}
		}
		clear(p.kp[3*p.move:])
		curve := equilibrium.Inner(p.p, p.kp) + dir.dot(kt)
		if !(curve > 0) || !(gz > 0) {
			return way
		}
		alpha := gz / curve
		for i, v := range p.p {
			p.d[i] += alpha * v
			p.g[i] -= alpha * p.kp[i]
		}
		way, g = way.add(dir, alpha), g.add(kt, -alpha)
		if math.Hypot(equilibrium.Norm(p.g), g.size()) < end {
			return way
		}
		z = precondition(six{})
		next := equilibrium.Inner(p.g, p.z) + g.dot(z)
		beta := next / gz
		gz = next
		for i, v := range p.z {
			p.p[i] = v + beta*p.p[i]
		}
		dir = z.add(dir, beta)
	}
	return way
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
