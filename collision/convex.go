package collision

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// Convex is a convex body that is symmetric about its centre: the sum of segments, an ellipse or ellipsoid, and a ball,
// each of which may be missing. A box is three segments, a cylinder a segment and a disc across it, a capsule a segment
// and a ball.
//
// The body's support function, the farthest that it reaches along a direction n, is
//
//	h(n) = Centre.n + sum |Segments.n| + |Oval^T n| + Round |n|
//
// in closed form, and smooth but for kinks where a segment is across n, or n is the axis of a disc.
type Convex struct {
	Centre   mgl64.Vec3
	Segments [3]mgl64.Vec3 // half of each, across each other
	Count    int           // of the segments
	Oval     [3]mgl64.Vec3 // half axes, across each other
	Axes     int           // of the oval: 0, 2 or 3
	Round    float64       // radius of the ball
}

// Support is the point of the body that is farthest along a unit direction.
func (c *Convex) Support(n mgl64.Vec3) mgl64.Vec3 {
	p := c.Centre.Add(n.Mul(c.Round))
	for _, s := range c.Segments[:c.Count] {
		if s.Dot(n) < 0 {
			p = p.Sub(s)
		} else {
			p = p.Add(s)
		}
	}
	return p.Add(c.rim(n))
}

// rim is the point of the oval, from its centre, that is farthest along n; 0 along the axis of a disc.
func (c *Convex) rim(n mgl64.Vec3) mgl64.Vec3 {
	p, _ := rim(c.Oval[:c.Axes], n)
	return p
}

// rim is the gradient of |M^T n| and its value, M being some axes.
func rim(axes []mgl64.Vec3, n mgl64.Vec3) (p mgl64.Vec3, l float64) {
	for _, a := range axes {
		x := a.Dot(n)
		p, l = p.Add(a.Mul(x)), l+x*x
	}
	if l == 0 {
		return mgl64.Vec3{}, 0
	}
	l = math.Sqrt(l)
	return p.Mul(1 / l), l
}

// Extent of the body from its centre along a direction.
func (c *Convex) Extent(n mgl64.Vec3) float64 {
	h := c.Round
	for _, s := range c.Segments[:c.Count] {
		h += math.Abs(s.Dot(n))
	}
	return h + span(c.Oval[:c.Axes], n)
}

// span is |M^T n|, M being some axes.
func span(axes []mgl64.Vec3, n mgl64.Vec3) float64 {
	l := 0.0
	for _, a := range axes {
		x := a.Dot(n)
		l += x * x
	}
	return math.Sqrt(l)
}

// Radius is that of a ball about the centre which the body does not leave.
func (c *Convex) Radius() float64 {
	d := 0.0
	for _, s := range c.Segments[:c.Count] {
		d += s.Dot(s)
	}
	most := 0.0
	for _, a := range c.Oval[:c.Axes] {
		most = max(most, a.Dot(a))
	}
	if c.Count == 0 || c.Axes == 0 { // a segment along a disc's axis is across it
		return math.Sqrt(d) + math.Sqrt(most) + c.Round
	}
	return math.Sqrt(d+most) + c.Round
}

// Separation says how far apart two convex bodies a and b are.
type Separation struct {
	Normal mgl64.Vec3 // from a to b, unit
	// Gap is the width of the widest slab between the two, which lies across Normal: their distance where they are
	// apart, and where they are in each other minus the least way along which they come apart.
	Gap  float64
	A, B mgl64.Vec3 // points of a and b that touch, once they are shifted by Gap

	flatA, flatB int     // dimension of the flat of each that lies across Normal: 0, 1 or 2
	onA, onB     [3]bool // segments of a and b across Normal
}

// The difference of two bodies is one of this kind, too: its segments and ovals are those of both. How wide a slab
// across n fits between the two is then
//
//	s(n) = c.n - sum l_i |e_i.n| - sum |M_k^T n| - Round
//
// with c from centre to centre. The gap is its maximum over all unit n. It goes smoothly through 0, so that bodies
// which touch are like any others. Without n's length s is concave: where the bodies are apart there is one maximum. It
// lies where two kinks cross (a face, or an edge of each), on one kink, or on none; climb finds it by Newton's method
// on the smooth parts and by steps from kink to kink.
type difference struct {
	c     mgl64.Vec3
	e     [7]mgl64.Vec3 // unit
	l     [7]float64
	which [7]int8 // segment of a, or 3 more than that of b
	n     int
	m     [2][3]mgl64.Vec3
	axes  [2]int
	most  [2]float64    // half the longest axis of each oval
	tip   [2]mgl64.Vec3 // axis of each disc
	ovals int
	round float64
	size  float64 // of all, for tolerances
	on    [7]int8 // kinks that the direction last looked at is on
	count int
	atTip [2]bool
}

func (d *difference) take(a, b *Convex) {
	d.c, d.round = b.Centre.Sub(a.Centre), a.Round+b.Round
	d.n, d.ovals, d.count = 0, 0, 0
	d.size = d.round
	for side, c := range [2]*Convex{a, b} {
		for k, s := range c.Segments[:c.Count] {
			l := s.Len()
			d.size += l
			if l > 0 {
				d.e[d.n], d.l[d.n], d.which[d.n] = s.Mul(1/l), l, int8(3*side+k)
				d.n++
			}
		}
		if c.Axes > 0 {
			k := d.ovals
			d.m[k], d.axes[k], d.most[k] = c.Oval, c.Axes, 0
			for _, x := range c.Oval[:c.Axes] {
				d.most[k] = max(d.most[k], x.Len())
			}
			if c.Axes == 2 {
				t := c.Oval[0].Cross(c.Oval[1])
				d.tip[k] = t.Mul(1 / t.Len())
			}
			d.size += d.most[k]
			d.ovals++
		}
	}
}

// width of the slab across a unit direction.
func (d *difference) width(n mgl64.Vec3) float64 {
	s := d.c.Dot(n) - d.round
	for i := range d.n {
		s -= d.l[i] * math.Abs(d.e[i].Dot(n))
	}
	for k := range d.ovals {
		s -= span(d.m[k][:d.axes[k]], n)
	}
	return s
}

// look finds the kinks that n is on, and the gradient of the rest, which is not projected.
func (d *difference) look(n mgl64.Vec3) (g mgl64.Vec3) {
	g = d.c
	d.count = 0
	for i := range d.n {
		x := d.e[i].Dot(n)
		switch {
		case math.Abs(x) <= kink:
			d.on[d.count] = int8(i)
			d.count++
		case x > 0:
			g = g.Sub(d.e[i].Mul(d.l[i]))
		default:
			g = g.Add(d.e[i].Mul(d.l[i]))
		}
	}
	for k := range d.ovals {
		p, l := d.rim(k, n)
		if d.atTip[k] = d.axes[k] == 2 && l <= kink*d.most[k]; !d.atTip[k] {
			g = g.Sub(p)
		}
	}
	return g
}

// rim is that of the difference's oval k.
func (d *difference) rim(k int, n mgl64.Vec3) (p mgl64.Vec3, l float64) {
	return rim(d.m[k][:d.axes[k]], n)
}

// steepest is the direction in which s grows the fastest from n on, given the gradient of its smooth part across n, and
// how fast: 0 or less in a maximum. on is a mask of the kinks that it follows.
func (d *difference) steepest(n, g mgl64.Vec3) (best mgl64.Vec3, slope float64, on int, smooth mgl64.Vec3) {
	tips := 0.0
	for k := range d.ovals {
		if d.atTip[k] { // the disc across n
			tips += d.most[k]
		}
	}
	l := g.Len()
	if d.count == 0 {
		if l == 0 {
			return g, -tips, 0, g
		}
		return g.Mul(1 / l), l - tips, 0, g
	}
	// Concave again: on a piece between two kinks the best is along the gradient there, or it is on a kink.
	slope = math.Inf(-1)
	try := func(t, of mgl64.Vec3) {
		s, mask := t.Dot(g)-tips, 0
		for _, i := range d.on[:d.count] {
			x := d.e[i].Dot(t)
			if math.Abs(x) <= kink {
				mask |= 1 << i
			}
			s -= d.l[i] * math.Abs(x)
		}
		if s > slope {
			slope, best, on, smooth = s, t, mask, of
		}
	}
	for _, i := range d.on[:d.count] {
		along := n.Cross(d.e[i])
		along = along.Mul(1 / along.Len())
		for _, side := range [2]float64{1, -1} {
			t := along.Mul(side)
			try(t, g)
			for _, half := range [2]float64{1, -1} {
				piece := g
				for _, j := range d.on[:d.count] {
					x := d.e[j].Dot(t)
					if math.Abs(x) <= kink {
						x = half * d.e[j].Dot(d.e[i])
					}
					piece = piece.Sub(d.e[j].Mul(math.Copysign(d.l[j], x)))
				}
				if l := piece.Len(); l > 0 {
					try(piece.Mul(1/l), piece)
				}
			}
		}
	}
	return best, slope, on, smooth
}

// leaves tells whether two directions leave all kinks to the same sides.
func (d *difference) leaves(t, u mgl64.Vec3) bool {
	for _, i := range d.on[:d.count] {
		if !(d.e[i].Dot(t)*d.e[i].Dot(u) > 0) {
			return false
		}
	}
	return true
}

// curvature is how fast the gradient changes from n on along u, in the direction v.
func (d *difference) curvature(n, u, v mgl64.Vec3) (c float64) {
	for k := range d.ovals {
		p, l := d.rim(k, n)
		if l <= kink*d.most[k] {
			continue
		}
		x := 0.0
		for _, a := range d.m[k][:d.axes[k]] {
			x += a.Dot(u) * a.Dot(v)
		}
		c += (x - p.Dot(u)*p.Dot(v)) / l
	}
	return c
}

// climb goes from n to a maximum of s near it.
func (d *difference) climb(n mgl64.Vec3) mgl64.Vec3 {
	scale := d.size + d.c.Len()
	for range climbs {
		g := d.look(n)
		out := g.Dot(n) // of the smooth part, whose value that is
		g = g.Sub(n.Mul(out))
		g = g.Sub(n.Mul(g.Dot(n))) // near a maximum little is left, and that is across n, too
		dir, slope, on, smooth := d.steepest(n, g)
		if !(slope > level*scale) {
			return n
		}
		first := math.Inf(1)
		switch {
		case on != 0:
			if c := d.curvature(n, dir, dir) + out; c > 0 {
				first = slope / c
			}
		case !d.atTip[0] && !d.atTip[1]:
			// Newton's direction where s is concave on the sphere, else the steepest
			u := dir
			v := n.Cross(u)
			uu, uv, vv := d.curvature(n, u, u)+out, d.curvature(n, u, v), d.curvature(n, v, v)+out
			if det := uu*vv - uv*uv; uu > 0 && det > flatTop*uu*vv {
				gu, gv := smooth.Dot(u), smooth.Dot(v)
				x, y := (vv*gu-uv*gv)/det, (uu*gv-uv*gu)/det
				l := math.Hypot(x, y)
				if t := u.Mul(x / l).Add(v.Mul(y / l)); d.leaves(t, dir) {
					first, dir, slope = l, t, smooth.Dot(t)
				} else {
					first = slope / uu
				}
			} else if uu > 0 {
				first = slope / uu
			}
		}
		if first < noStep {
			return n
		}
		x, crossed := d.along(n, dir, first, slope)
		if x == 0 {
			return n
		}
		n = n.Add(dir.Mul(x))
		n = n.Mul(1 / n.Len())
		for range 2 { // exactly on all kinks that it is on
			for i := range d.n {
				if on>>i&1 != 0 || crossed == i {
					n = n.Sub(d.e[i].Mul(d.e[i].Dot(n)))
				}
			}
			n = n.Mul(1 / n.Len())
		}
		// Towards a maximum on a disc's axis Newton's method creeps.
		for k := range d.ovals {
			if d.axes[k] == 2 && d.tip[k].Dot(n)*d.tip[k].Dot(n) > nearAxis {
				t := d.tip[k].Mul(math.Copysign(1, d.tip[k].Dot(n)))
				if d.isTop(t) && d.width(t) > d.width(n) {
					return t
				}
			}
		}
	}
	return n
}

// isTop tells whether n is a maximum.
func (d *difference) isTop(n mgl64.Vec3) bool {
	g := d.look(n)
	_, slope, _, _ := d.steepest(n, g.Sub(n.Mul(g.Dot(n))))
	return !(slope > level*d.size)
}

// along finds the first maximum of s from n on towards the tangent t, as the tangent x of the angle, and the kink on
// which it lies, or -1. first is a guess, slope how fast s grows at n.
func (d *difference) along(n, t mgl64.Vec3, first, slope float64) (x float64, crossed int) {
	// The sign of each segment's part in the piece under way, and where it changes.
	var sign, at [7]float64
	for i := range d.n {
		p, q := d.e[i].Dot(n), d.e[i].Dot(t)
		at[i] = math.Inf(1)
		switch {
		case math.Abs(p) <= kink && math.Abs(q) <= kink: // along the kink
		case math.Abs(p) <= kink:
			sign[i] = math.Copysign(1, q)
		default:
			sign[i] = math.Copysign(1, p)
			if x := -p / q; x > 0 {
				at[i] = x
			}
		}
	}
	// rise has the sign of s's derivative at x.
	rise := func(x float64) float64 {
		m, across := n.Add(t.Mul(x)), t.Sub(n.Mul(x))
		r := d.c.Dot(across)
		for i := range d.n {
			r -= sign[i] * d.l[i] * d.e[i].Dot(across)
		}
		for k := range d.ovals {
			p, _ := d.rim(k, m)
			r -= p.Dot(across)
		}
		return r
	}
	lo, rlo, goal := 0.0, slope, risen*slope
	for {
		next := -1
		hi := farthest
		for i := range d.n {
			if at[i] < hi {
				next, hi = i, at[i]
			}
		}
		if first > lo && first < hi {
			r := rise(first)
			if math.Abs(r) <= goal {
				return first, -1
			}
			if r < 0 {
				return root(rise, lo, first, rlo, r, goal), -1
			}
			lo, rlo = first, r
		}
		if r := rise(hi); r < 0 {
			return root(rise, lo, hi, rlo, r, goal), -1
		}
		if next < 0 {
			return hi, -1
		}
		// over the kink, if s rises beyond
		for i := range d.n {
			if at[i] <= hi*(1+1e-15) {
				sign[i], at[i] = -sign[i], math.Inf(1)
			}
		}
		lo, rlo = hi, rise(hi)
		if !(rlo > 0) {
			return hi, next
		}
	}
}

// root of f between lo and hi, where it is positive and negative, to a value within goal: the Illinois variant of false
// position.
func root(f func(float64) float64, lo, hi, flo, fhi, goal float64) float64 {
	x, side := lo, 0
	for range 60 {
		x = (lo*fhi - hi*flo) / (fhi - flo)
		if !(x > lo && x < hi) {
			x = lo + (hi-lo)/2
		}
		fx := f(x)
		if math.Abs(fx) <= goal || !(x > lo && x < hi) {
			return x
		}
		if fx > 0 {
			lo, flo = x, fx
			if side == 1 {
				fhi /= 2
			}
			side = 1
		} else {
			hi, fhi = x, fx
			if side == -1 {
				flo /= 2
			}
			side = -1
		}
	}
	return x
}

// around are directions all around, but for their opposites.
var around = [13]mgl64.Vec3{
	{1, 0, 0}, {0, 1, 0}, {0, 0, 1},
	{1, 1, 0}, {1, -1, 0}, {0, 1, 1}, {0, 1, -1}, {1, 0, 1}, {-1, 0, 1},
	{1, 1, 1}, {-1, 1, 1}, {1, -1, 1}, {1, 1, -1},
}

// Separate tells how far apart two bodies are, unless that is more than reach: then ok is false. In each other they are
// not to have the same centre.
func Separate(a, b *Convex, reach float64, sep *Separation) (ok bool) {
	var d difference
	d.take(a, b)
	best, s := mgl64.Vec3{}, math.Inf(-1)
	try := func(n mgl64.Vec3) bool {
		if d.c.Dot(n) < 0 {
			n = n.Mul(-1)
		}
		w := d.width(n)
		if w > s+tied*d.size {
			s, best = w, n
		}
		return !(w > reach)
	}
	// Faces first, then pairs of edges, then from centre to centre.
	for k := range d.ovals {
		if d.axes[k] == 2 && !try(d.tip[k]) {
			return false
		}
	}
	for i := range d.n {
		for j := range i {
			n := d.e[i].Cross(d.e[j])
			if l := n.Len(); l > parallels && !try(n.Mul(1/l)) {
				return false
			}
		}
	}
	l := d.c.Len()
	if l > 0 && !try(d.c.Mul(1/l)) {
		return false
	}
	if math.IsInf(s, -1) { // balls, or the like, at one place
		try(mgl64.Vec3{0, 1, 0})
	}
	best = d.climb(best)
	s = d.width(best)
	if s > reach {
		return false
	}
	if s < -shallow*d.size && d.ovals > 0 {
		// In each other s has several maxima: from all around, the highest.
		from := func(n mgl64.Vec3) {
			if d.c.Dot(n) < 0 {
				n = n.Mul(-1)
			}
			n = d.climb(n)
			if w := d.width(n); w > s+tied*d.size {
				s, best = w, n
			}
		}
		if l > 0 {
			from(d.c.Mul(1 / l))
		}
		for k := range d.ovals {
			u, v := d.m[k][0].Normalize(), d.m[k][1].Normalize()
			w := u.Cross(v)
			for _, x := range around {
				from(u.Mul(x[0]).Add(v.Mul(x[1])).Add(w.Mul(x[2])).Normalize())
			}
		}
		for i := range d.n {
			from(d.e[i])
			for j := range i {
				if n := d.e[i].Cross(d.e[j]); n.Len() > parallels {
					from(n.Mul(1 / n.Len()))
				}
			}
		}
	}
	d.settle(a, b, best, s, sep)
	return true
}

// settle tells what touches across n.
func (d *difference) settle(a, b *Convex, n mgl64.Vec3, s float64, sep *Separation) {
	g := d.look(n)
	*sep = Separation{Normal: n, Gap: s}
	sep.A, sep.B = a.Centre.Add(n.Mul(a.Round)), b.Centre.Sub(n.Mul(b.Round))
	var across [7]bool
	for _, i := range d.on[:d.count] {
		across[i] = true
		if w := d.which[i]; w < 3 {
			sep.onA[w] = true
			sep.flatA++
		} else {
			sep.onB[w-3] = true
			sep.flatB++
		}
	}
	t, disc := d.shares(g.Sub(n.Mul(g.Dot(n))))
	k := 0
	if a.Axes > 0 {
		if d.atTip[k] {
			sep.flatA = 2
			sep.A = sep.A.Add(disc[k])
		} else {
			sep.A = sep.A.Add(a.rim(n))
		}
		k++
	}
	if b.Axes > 0 {
		if d.atTip[k] {
			sep.flatB = 2
			sep.B = sep.B.Sub(disc[k])
		} else {
			sep.B = sep.B.Sub(b.rim(n))
		}
	}
	for i := range d.n {
		x := t[i]
		if !across[i] {
			x = math.Copysign(d.l[i], d.e[i].Dot(n))
		}
		if d.which[i] < 3 {
			sep.A = sep.A.Add(d.e[i].Mul(x))
		} else {
			sep.B = sep.B.Sub(d.e[i].Mul(x))
		}
	}
}

// shares is where the segments and discs across the direction last looked at touch: what is left of the gradient is the
// sum of their parts.
func (d *difference) shares(left mgl64.Vec3) (t [7]float64, disc [2]mgl64.Vec3) {
	for j, second := range d.on[:d.count] {
		for _, first := range d.on[:j] {
			e, f := d.e[first], d.e[second]
			n := e.Cross(f)
			det := n.Dot(n)
			if det < parallels*parallels {
				continue
			}
			x, y := left.Cross(f).Dot(n)/det, e.Cross(left).Dot(n)/det
			if math.Abs(x) <= d.l[first]*(1+tied) && math.Abs(y) <= d.l[second]*(1+tied) {
				t[first], t[second] = x, y
				return t, disc
			}
		}
	}
	// One after the other, until nothing changes.
	for range settles {
		change := 0.0
		for _, i := range d.on[:d.count] {
			was := t[i]
			t[i] = clamp(was+left.Dot(d.e[i]), d.l[i])
			left = left.Sub(d.e[i].Mul(t[i] - was))
			change = max(change, math.Abs(t[i]-was))
		}
		for k := range d.ovals {
			if !d.atTip[k] {
				continue
			}
			was := disc[k]
			disc[k] = was.Add(left)
			if l := disc[k].Len(); l > d.most[k] {
				disc[k] = disc[k].Mul(d.most[k] / l)
			}
			left = left.Sub(disc[k].Sub(was))
			change = max(change, disc[k].Sub(was).Len())
		}
		if change <= 1e-15*d.size {
			break
		}
	}
	return t, disc
}
