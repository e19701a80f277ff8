package rigid

import (
	"math"

	"hapco/collision"
)

// touch is a point where two bodies are near each other.
type touch struct {
	at      vec3 // between the surfaces, over the place of the first body that touches, world
	slip    vec3 // from there to over that of the second, along the surface: where bodies have yet to meet, m
	normal  vec3 // from the second body to the first
	gap     float64
	id      uint32     // of its pair, from 1 on; stays the same from step to step
	spots   [2]vec3    // at, in the axes of the two bodies
	impulse [3]float64 // from which the next step starts, N s
	age     int32      // steps that it served already
	heir    int32      // the touch of the next step that it goes on as, or -1
	away    float64    // from that one, squared, m^2
	fresh   bool       // the search before did not find it
	far     float64    // from those that are kept, squared, m^2: see thin
	left    float64    // of the gap after the step, m: see thin
}

// posed is a form at a place.
type posed struct {
	form *Form
	x    vec3
	r    mat3
	step vec3 // by which it moves in a step, if nothing is in its way
	turn vec3 // and turns, rad
}

// moves is how a point of the body moves in a step.
func (p *posed) moves(at vec3) vec3 { return p.step.Add(p.turn.Cross(at.Sub(p.x))) }

func (p *posed) point(b vec3) vec3  { return p.x.Add(p.r.Mul3x1(b)) }
func (p *posed) axis(k int) xyz     { return xyz{p.r[3*k], p.r[3*k+1], p.r[3*k+2]} }
func (p *posed) vector(b vec3) vec3 { return p.r.Mul3x1(b) }
func (p *posed) local(w xyz) xyz {
	d := w.minus(of(p.x))
	return xyz{p.axis(0).dot(d), p.axis(1).dot(d), p.axis(2).dot(d)}
}

// convex is the form in the world, for what package collision knows of convex bodies.
func (p *posed) convex() (c collision.Convex) {
	f := p.form
	c.Centre = p.x
	switch f.Kind {
	case FormBox:
		c.Count = 3
		for k := range 3 {
			c.Segments[k] = p.axis(k).times(f.Half[k]).vec()
		}
	case FormEllipsoid:
		c.Axes = 3
		for k := range 3 {
			c.Oval[k] = p.axis(k).times(f.Half[k]).vec()
		}
	case FormCylinder:
		c.Axes, c.Oval[0], c.Oval[1] = 2, p.axis(2).times(f.Radius).vec(), p.axis(0).times(f.Radius).vec()
		c.Count, c.Segments[0] = 1, p.axis(1).times(f.Half[1]).vec()
	case FormCapsule:
		c.Count, c.Segments[0], c.Round = 1, p.axis(1).times(f.Half[1]).vec(), f.Radius
	case FormBall:
		c.Round = f.Radius
	}
	return c
}

// near lists where two bodies are closer than reach. It appends to dst.
func (s *search) near(dst []touch, a, b *posed, reach float64) []touch {
	from := len(dst)
	first, second := a.form.Kind, b.form.Kind
	switch {
	case first == FormPlane:
		return turnRound(nearPlane(s, dst, b, a, reach), from)
	case second == FormPlane:
		return nearPlane(s, dst, a, b, reach)
	case first == FormMesh || second == FormMesh:
		return s.meshes(dst, a, b, reach)
	case b.step.Sub(a.step).Len() > swift*min(a.form.reach, b.form.reach):
	case first == FormBox && second == FormBox:
		return boxes(dst, a, b, reach, s.turn+nearly)
	case first == FormBall:
		return probe(dst, a.x, a.form.Radius, b, reach)
	case second == FormBall:
		return turnRound(probe(dst, b.x, b.form.Radius, a, reach), from)
	}
	p, q := a.convex(), b.convex()
	return s.meet(dst, &p, &q, b.step.Sub(a.step), reach)
}

// turnRound exchanges the two bodies of the touches from an index on.
func turnRound(dst []touch, from int) []touch {
	for i := from; i < len(dst); i++ {
		t := &dst[i]
		t.normal, t.at, t.slip = t.normal.Mul(-1), t.at.Add(t.slip), t.slip.Mul(-1)
	}
	return dst
}

// probe adds the touch of a ball of body a with body b.
func probe(dst []touch, centre vec3, radius float64, b *posed, reach float64) []touch {
	q := b.local(of(centre)).vec()
	if b.form.solid.AtLeast(q)-radius > reach {
		return dst
	}
	on, n, d := b.form.solid.Closest(q)
	if gap := d - radius; gap <= reach {
		normal := b.vector(n)
		dst = append(dst, touch{at: b.point(on).Add(normal.Mul(gap / 2)), normal: normal, gap: gap})
	}
	return dst
}

// meshes adds the touches of two bodies, one of them a mesh at least. Where they are swift, that is where they will
// meet: the way is gone in strides, up to what will be met first or else by a share of the smaller body, so that
// nothing is passed over.
func (s *search) meshes(dst []touch, a, b *posed, reach float64) []touch {
	from := len(dst)
	size, step := min(a.form.reach, b.form.reach), b.step.Sub(a.step)
	way := step.Len()
	moved, share := *b, 0.0
	for {
		dst = s.meshesNow(dst[:from], a, &moved, reach)
		if way <= swift*size || share == 1 {
			break
		}
		least, soonest := reach, math.Inf(1)
		for i := from; i < len(dst); i++ {
			t := &dst[i]
			least = min(least, t.gap)
			if fall := step.Dot(t.normal); fall > 0 {
				soonest = min(soonest, t.gap/fall)
			}
		}
		if least <= within*size {
			break
		}
		share = min(share+max(least, min(soonest*way, stride*size))/way, 1)
		moved.x = b.x.Add(step.Mul(share))
	}
	if share == 0 {
		return dst
	}
	kept := from
	for _, t := range dst[from:] {
		if t.back(step.Mul(share)) {
			dst[kept] = t
			kept++
		}
	}
	return dst[:kept]
}

// meshesNow adds the touches of such bodies where they are: of two meshes vertices of each against the distance of the
// other, and edges against edges.
func (s *search) meshesNow(dst []touch, a, b *posed, reach float64) []touch {
	from := len(dst)
	switch {
	case a.form.Kind != FormMesh:
		return s.onMesh(dst, a, b, reach)
	case b.form.Kind != FormMesh:
		return turnRound(s.onMesh(dst, b, a, reach), from)
	}
	dst = crossings(dst, a, b, reach, s)
	dst = features(dst, a, b, reach)
	from = len(dst)
	return turnRound(features(dst, b, a, reach), from)
}

// features adds the touches of the vertices of a mesh with b.
func features(dst []touch, a, b *posed, reach float64) []touch {
	from := len(dst)
	for _, v := range a.form.Vertices {
		dst = probe(dst, a.point(v), 0, b, reach)
	}
	return thin(dst, from, min(a.form.reach, b.form.reach), a, b)
}

// thin keeps, of the touches from an index on, the one that closes first and those farthest from all that are kept, the
// sooner one closes the rather.
func thin(dst []touch, from int, size float64, a, b *posed) []touch {
	all := dst[from:]
	if len(all) <= fewTouches {
		return dst
	}
	first := 0
	for i := range all {
		t := &all[i]
		t.far, t.left = math.Inf(1), t.gap+min(t.normal.Dot(a.moves(t.at).Sub(b.moves(t.at))), 0)
		if t.left < all[first].left-tie*size {
			first = i
		}
	}
	next := first
	for kept := range fewTouches {
		all[kept], all[next] = all[next], all[kept]
		best := math.Inf(-1)
		for i := kept + 1; i < len(all); i++ {
			t := &all[i]
			d := t.at.Sub(all[kept].at)
			t.far = min(t.far, d.Dot(d))
			// A place that hangs high counts for little, however far it is.
			if score := math.Sqrt(t.far) - steep*max(t.left-all[0].left, 0); score > best+tie*size {
				best, next = score, i
			}
		}
	}
	return dst[:from+fewTouches]
}

func corner(half vec3, k int) vec3 {
	for i := range 3 {
		if k>>i&1 == 0 {
			half[i] = -half[i]
		}
	}
	return half
}

// nearPlane adds the touches of a with the plane b.
func nearPlane(s *search, dst []touch, a, b *posed, reach float64) []touch {
	n := b.vector(b.form.Normal)
	add := func(dst []touch, p vec3, radius float64) []touch {
		if gap := p.Sub(b.x).Dot(n) - radius; gap <= reach {
			dst = append(dst, touch{at: p.Sub(n.Mul(radius + gap/2)), normal: n, gap: gap})
		}
		return dst
	}
	if a.x.Sub(b.x).Dot(n)-a.form.reach > reach {
		return dst
	}
	f := a.form
	switch f.Kind {
	case FormBall:
		dst = add(dst, a.x, f.Radius)
	case FormEllipsoid:
		// The lowest point: where the gradient points down.
		down := a.r.Transpose().Mul3x1(n).Mul(-1)
		p := vec3{f.Half[0] * f.Half[0] * down[0], f.Half[1] * f.Half[1] * down[1], f.Half[2] * f.Half[2] * down[2]}
		l := math.Sqrt(p.Dot(down))
		dst = add(dst, a.point(p.Mul(1/l)), 0)
	case FormCapsule:
		dst = add(dst, a.point(f.Half), f.Radius)
		dst = add(dst, a.point(f.Half.Mul(-1)), f.Radius)
	case FormBox:
		for k := range 8 {
			dst = add(dst, a.point(corner(f.Half, k)), 0)
		}
	case FormMesh:
		if t := f.tip; t != nil {
			dst = add(dst, a.point(t.At), t.Radius)
		}
		from := len(dst)
		for _, v := range f.Vertices {
			dst = add(dst, a.point(v), 0)
		}
		dst = thin(dst, from, f.reach, a, b)
	case FormCylinder:
		plane, c := collision.Plane(b.x, n), a.convex()
		s.meetings = plane.Meet(s.meetings[:0], &c, reach)
		for _, m := range s.meetings {
			dst = append(dst, touch{at: m.At, normal: n, gap: m.Gap})
		}
	}
	return dst
}

// boxes adds the touches of two boxes: of the directions in which they may be apart (faces and pairs of edges) the one
// with the largest gap; on faces the other box's face is cut to size, and of its corners the deepest and the four that
// span most are kept. An edge that leans on a face by less than turn, rad, may lie on it by the next kick: that is
// looked at as a face, too, so that both its ends are touches.
func boxes(dst []touch, a, b *posed, reach, turn float64) []touch {
	// The axes of b and the way to it in those of a: Gottschalk, Lin, Manocha, OBBTree, 1996.
	var axes [2][3]xyz
	for k := range 3 {
		axes[0][k], axes[1][k] = a.axis(k), b.axis(k)
	}
	d := of(b.x).minus(of(a.x))
	ha, hb := &a.form.Half, &b.form.Half
	var r, size [3][3]float64
	var t, u [3]float64
	for i := range 3 {
		t[i], u[i] = axes[0][i].dot(d), axes[1][i].dot(d)
		for j := range 3 {
			r[i][j] = axes[0][i].dot(axes[1][j])
			size[i][j] = math.Abs(r[i][j])
		}
	}
	best, which, side := math.Inf(-1), -1, 0.0
	try := func(s, extent, bias float64, id int) bool {
		gap := math.Abs(s) - extent
		if gap > reach {
			return false
		}
		if gap-bias > best {
			best, which, side = gap-bias, id, s
		}
		return true
	}
	// Faces come before edges, and the first body's before the second's, by a margin that keeps the choice from
	// changing with rounding.
	margin := 1e-6 * (a.form.reach + b.form.reach)
	for k := range 3 {
		if !try(t[k], ha[k]+hb[0]*size[k][0]+hb[1]*size[k][1]+hb[2]*size[k][2], 0, k) {
			return dst
		}
	}
	for k := range 3 {
		if !try(u[k], hb[k]+ha[0]*size[0][k]+ha[1]*size[1][k]+ha[2]*size[2][k], margin, 3+k) {
			return dst
		}
	}
	for i := range 3 {
		i1, i2 := (i+1)%3, (i+2)%3
		for j := range 3 {
			square := r[i1][j]*r[i1][j] + r[i2][j]*r[i2][j]
			if square < 1e-6 {
				continue // parallel edges: a face says the same
			}
			j1, j2 := (j+1)%3, (j+2)%3
			l := 1 / math.Sqrt(square)
			extent := ha[i1]*size[i2][j] + ha[i2]*size[i1][j] + hb[j1]*size[i][j2] + hb[j2]*size[i][j1]
			if !try((t[i2]*r[i1][j]-t[i1]*r[i2][j])*l, extent*l, 2*margin, 6+3*i+j) {
				return dst
			}
		}
	}
	var normal xyz // from a to b
	if which < 6 {
		normal = axes[which/3][which%3]
	} else {
		normal = axes[0][(which-6)/3].cross(axes[1][(which-6)%3])
		normal = normal.times(1 / normal.length())
	}
	if side < 0 {
		normal = normal.times(-1)
	}
	if which < 6 {
		return facing(dst, a, b, which, normal, reach)
	}
	from, i, j := len(dst), (which-6)/3, (which-6)%3
	most, face := math.Sqrt(max(1-turn*turn, 0)), xyz{}
	for k := range 6 {
		of := axes[k/3][k%3]
		if c := normal.dot(of); math.Abs(c) > most {
			which, most, face = k, math.Abs(c), of.times(math.Copysign(1, c))
		}
	}
	if which < 6 {
		dst = facing(dst, a, b, which, face, reach)
	}
	if len(dst) == from {
		dst = edges(dst, a, b, normal.vec(), i, j, reach)
	}
	return dst
}

// facing adds the touches of two boxes of which one lies on the other along that one's axis, of the first's three and
// the second's; normal is along it, from a to b.
func facing(dst []touch, a, b *posed, axis int, normal xyz, reach float64) []touch {
	if axis < 3 {
		return faces(dst, a, b, axis, normal, false, reach)
	}
	return faces(dst, b, a, axis-3, normal.times(-1), true, reach)
}

// edges adds the touch of two crossing edges, along axes i of a and j of b.
func edges(dst []touch, a, b *posed, n vec3, i, j int, reach float64) []touch {
	on := func(p *posed, k int, n vec3) (lo, hi vec3) {
		c := p.x
		for m := range 3 {
			if m == k {
				continue
			}
			h := p.form.Half[m]
			if p.axis(m).dot(of(n)) < 0 {
				h = -h
			}
			c = c.Add(p.axis(m).times(h).vec())
		}
		e := p.axis(k).times(p.form.Half[k]).vec()
		return c.Sub(e), c.Add(e)
	}
	p0, p1 := on(a, i, n)
	q0, q1 := on(b, j, n.Mul(-1))
	s, t, _ := collision.ClosestSegments(p0, p1, q0, q1)
	p, q := p0.Add(p1.Sub(p0).Mul(s)), q0.Add(q1.Sub(q0).Mul(t))
	if gap := q.Sub(p).Dot(n); gap <= reach {
		dst = append(dst, touch{at: p.Add(q).Mul(0.5), normal: n.Mul(-1), gap: gap})
	}
	return dst
}

// clipped is a corner of a face being cut, in the plane of the reference face.
type clipped struct{ u, v, gap float64 }

// faces cuts the face of inc that looks most at ref's face along axis to that face.
func faces(dst []touch, ref, inc *posed, axis int, n xyz, flip bool, reach float64) []touch {
	u, v := (axis+1)%3, (axis+2)%3
	eu, ev := ref.axis(u), ref.axis(v)
	hu, hv := ref.form.Half[u], ref.form.Half[v]
	// the face of inc against n
	k, s, least := 0, 0.0, math.Inf(1)
	for axis := range 3 {
		for _, side := range [2]float64{1, -1} {
			if d := side * inc.axis(axis).dot(n); d < least-1e-9 {
				least, k, s = d, axis, side
			}
		}
	}
	centre, at := of(inc.x).plus(inc.axis(k).times(s*inc.form.Half[k])), of(ref.x)
	i, j := (k+1)%3, (k+2)%3
	di, dj := inc.axis(i).times(inc.form.Half[i]), inc.axis(j).times(inc.form.Half[j])
	var room [2][16]clipped
	poly, next, count := &room[0], &room[1], 4
	for c, sign := range [4][2]float64{{1, 1}, {-1, 1}, {-1, -1}, {1, -1}} {
		p := centre.plus(di.times(sign[0])).plus(dj.times(sign[1])).minus(at)
		poly[c] = clipped{p.dot(eu), p.dot(ev), p.dot(n) - ref.form.Half[axis]}
	}
	slack := 1e-7 * (hu + hv) // edges that lie on each other are no cuts
	for side := range 4 {
		dist := func(c *clipped) float64 {
			h, x := hu, c.u
			if side >= 2 {
				h, x = hv, c.v
			}
			if side%2 == 0 {
				x = -x
			}
			return h + x + slack
		}
		m, dq := 0, dist(&poly[0])
		for c := range count {
			p, q, dp := &poly[c], &poly[0], dq
			if c+1 < count {
				q = &poly[c+1]
			}
			if dq = dist(q); dp >= 0 {
				next[m] = *p
				m++
			}
			if (dp >= 0) != (dq >= 0) {
				f := dp / (dp - dq)
				next[m] = clipped{p.u + f*(q.u-p.u), p.v + f*(q.v-p.v), p.gap + f*(q.gap-p.gap)}
				m++
			}
			if m > 14 {
				break
			}
		}
		poly, next, count = next, poly, m
	}
	if count > 4 {
		count = spanning(poly, count, tie*min(ref.form.reach, inc.form.reach))
	}
	normal := n.times(-1) // from inc to ref
	if flip {
		normal = n
	}
	for _, p := range poly[:count] {
		if p.gap <= reach {
			dst = append(dst, touch{gap: p.gap})
			t := &dst[len(dst)-1]
			at.plus(eu.times(p.u)).plus(ev.times(p.v)).plus(n.times(ref.form.Half[axis] + p.gap/2)).put(&t.at)
			normal.put(&t.normal)
		}
	}
	return dst
}

// spanning keeps four corners that span the largest area, and the deepest where that is another.
func spanning(poly *[16]clipped, count int, slack float64) int {
	pick := func(score func(c *clipped) float64) clipped {
		best, at := math.Inf(-1), 0
		for c := range count {
			if s := score(&poly[c]); s > best {
				best, at = s, c
			}
		}
		return poly[at]
	}
	// Extremes along two fixed directions: what is chosen hardly changes with rounding.
	a := pick(func(c *clipped) float64 { return c.u + 0.3*c.v })
	b := pick(func(c *clipped) float64 { return math.Hypot(c.u-a.u, c.v-a.v) })
	side := func(c *clipped) float64 { return (b.u-a.u)*(c.v-a.v) - (b.v-a.v)*(c.u-a.u) }
	c := pick(side)
	d := pick(func(c *clipped) float64 { return -side(c) })
	deepest := pick(func(c *clipped) float64 { return -c.gap })
	poly[0], poly[1], poly[2], poly[3], poly[4] = a, c, b, d, deepest
	if deepest.gap < min(a.gap, b.gap, c.gap, d.gap)-slack {
		return 5
	}
	return 4
}

// frameOf completes a normal to a frame, always the same way.
func frameOf(n xyz) (t1, t2 xyz) {
	e, least := xyz{x: 1}, n.x
	if math.Abs(n.y) < math.Abs(least)-1e-3 {
		e, least = xyz{y: 1}, n.y
	}
	if math.Abs(n.z) < math.Abs(least)-1e-3 {
		e, least = xyz{z: 1}, n.z
	}
	t1 = e.minus(n.times(least))
	t1 = t1.times(1 / t1.length())
	return t1, n.cross(t1)
}
