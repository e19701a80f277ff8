package collision

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// Meeting is a place at which two bodies are near each other.
type Meeting struct {
	At     mgl64.Vec3 // in the middle between the surfaces
	Normal mgl64.Vec3 // from the first body to the second, unit
	Gap    float64    // between the surfaces along Normal, below 0 where they are in each other
}

// Meet appends to dst where two bodies are no farther than reach from each other: on faces the corners of what they
// have in common, where two straight lines run along each other the ends of that, else the points closest to each
// other. The deepest place is always there.
func Meet(dst []Meeting, a, b *Convex, reach float64) []Meeting {
	var sep Separation
	if !Separate(a, b, reach, &sep) {
		return dst
	}
	from := len(dst)
	switch {
	case sep.flatA == 2 && (sep.flatB < 2 || a.Count == 3 || b.Count != 3):
		f := a.face(sep.Normal, &sep.onA)
		dst = f.Meet(dst, b, reach)
	case sep.flatB == 2:
		f := b.face(sep.Normal.Mul(-1), &sep.onB)
		dst = f.Meet(dst, a, reach)
		for i := from; i < len(dst); i++ {
			dst[i].Normal = dst[i].Normal.Mul(-1)
		}
	default:
		dst = lengthwise(dst, a, b, &sep, reach)
	}
	size := min(a.Radius(), b.Radius())
	if size == 0 {
		return append(dst[:from], sep.point())
	}
	return deepest(Distinct(dst, from, size), from, &sep, upright*size)
}

// Distinct drops places that are where one before is and with the same normal, from an index on; of the two the deeper
// one stays. size is that of the smaller body.
func Distinct(places []Meeting, from int, size float64) []Meeting {
	kept := from
next:
	for _, m := range places[from:] {
		for k := from; k < kept; k++ {
			if o := &places[k]; o.At.Sub(m.At).Len() < apart*size && o.Normal.Dot(m.Normal) > 1-apart {
				if m.Gap < o.Gap {
					*o = m
				}
				continue next
			}
		}
		places[kept] = m
		kept++
	}
	return places[:kept]
}

// deepest adds the closest points, unless one of the places from an index on is as close.
func deepest(dst []Meeting, from int, sep *Separation, slack float64) []Meeting {
	for i := from; i < len(dst); i++ {
		if dst[i].Gap <= sep.Gap+slack {
			return dst
		}
	}
	return append(dst, sep.point())
}

// point is the place where the bodies are closest.
func (s *Separation) point() Meeting {
	return Meeting{At: s.A.Add(s.B).Mul(0.5), Normal: s.Normal, Gap: s.Gap}
}

// Face is a flat part of a surface: a polygon, a disc, or a plane without an end.
type Face struct {
	Origin mgl64.Vec3
	Normal mgl64.Vec3 // outwards, unit
	U, V   mgl64.Vec3 // unit, along the face

	corners [4][2]float64 // of a polygon, counter-clockwise, from Origin along U and V
	count   int
	radius  float64 // of a disc about Origin
}

// Plane is a face without an end.
func Plane(origin, normal mgl64.Vec3) Face {
	k := 0
	for i := range 3 {
		if math.Abs(normal[i]) < math.Abs(normal[k]) {
			k = i
		}
	}
	var e mgl64.Vec3
	e[k] = 1
	u := e.Sub(normal.Mul(normal[k])).Normalize()
	return Face{Origin: origin, Normal: normal, U: u, V: normal.Cross(u)}
}

// Triangle is a face, seen from where its corners run counter-clockwise; its normal is given.
func Triangle(a, b, c, normal mgl64.Vec3) Face {
	u := b.Sub(a).Normalize()
	f := Face{Origin: a, Normal: normal, U: u, V: normal.Cross(u), count: 3}
	for k, p := range [3]mgl64.Vec3{a, b, c} {
		f.corners[k] = f.on(p)
	}
	return f
}

// face is that of a body which looks along n; across are its segments in it.
func (c *Convex) face(n mgl64.Vec3, across *[3]bool) Face {
	f := Face{Origin: c.Centre.Add(n.Mul(c.Round)), Normal: n}
	var h [2]float64
	for k, s := range c.Segments[:c.Count] {
		if across[k] {
			if f.count == 0 {
				h[0] = s.Len()
				f.U = s.Mul(1 / h[0])
			} else {
				h[1] = s.Len()
			}
			f.count++
		} else if s.Dot(n) < 0 {
			f.Origin = f.Origin.Sub(s)
		} else {
			f.Origin = f.Origin.Add(s)
		}
	}
	if f.count < 2 { // the end of a cylinder
		f.count, f.radius = 0, c.Oval[0].Len()
		f.U = c.Oval[0].Mul(1 / f.radius)
	} else {
		f.corners, f.count = [4][2]float64{{h[0], h[1]}, {-h[0], h[1]}, {-h[0], -h[1]}, {h[0], -h[1]}}, 4
	}
	f.V = n.Cross(f.U)
	return f
}

// on is a point's place along the face.
func (f *Face) on(p mgl64.Vec3) [2]float64 {
	d := p.Sub(f.Origin)
	return [2]float64{d.Dot(f.U), d.Dot(f.V)}
}

// beyond is how far a place is outside of edge k of a polygon, below 0 inside.
func (f *Face) beyond(k int, p [2]float64) float64 {
	a, b := f.corners[k], f.corners[(k+1)%f.count]
	x, y := b[0]-a[0], b[1]-a[1]
	return ((p[0]-a[0])*y - (p[1]-a[1])*x) / math.Hypot(x, y)
}

// size of the face; that of a plane is infinite.
func (f *Face) size() float64 {
	switch {
	case f.radius > 0:
		return f.radius
	case f.count > 0:
		d := 0.0
		for _, c := range f.corners[1:f.count] {
			d = max(d, math.Abs(c[0]-f.corners[0][0])+math.Abs(c[1]-f.corners[0][1]))
		}
		return d
	}
	return math.Inf(1)
}

// Holds tells whether a point lies over the face.
func (f *Face) Holds(p mgl64.Vec3) bool { return f.holds(f.on(p)) }

func (f *Face) holds(p [2]float64) bool {
	slack := edgeSlack * f.size()
	if f.radius > 0 {
		return math.Hypot(p[0], p[1]) <= f.radius+slack
	}
	for k := range f.count {
		if f.beyond(k, p) > slack {
			return false
		}
	}
	return true
}

// cut gives the part of a straight way from p to q that lies over the face, as shares of it.
func (f *Face) cut(p, q [2]float64) (lo, hi float64, ok bool) {
	lo, hi = 0, 1
	slack := edgeSlack * f.size()
	if f.radius > 0 {
		return across(p, q, [2]float64{}, f.radius+slack)
	}
	for k := range f.count {
		a, b := f.beyond(k, p)-slack, f.beyond(k, q)-slack
		switch {
		case a > 0 && b > 0:
			return 0, 0, false
		case a > 0:
			lo = max(lo, a/(a-b))
		case b > 0:
			hi = min(hi, a/(a-b))
		}
	}
	return lo, hi, lo <= hi
}

// across gives the part of a way from p to q inside a circle.
func across(p, q, centre [2]float64, radius float64) (lo, hi float64, ok bool) {
	x, y := p[0]-centre[0], p[1]-centre[1]
	dx, dy := q[0]-p[0], q[1]-p[1]
	a, b, c := dx*dx+dy*dy, x*dx+y*dy, x*x+y*y-radius*radius
	if a == 0 {
		return 0, 1, c <= 0
	}
	det := b*b - a*c
	if !(det >= 0) {
		return 0, 0, false
	}
	det = math.Sqrt(det)
	lo, hi = max(0, (-b-det)/a), min(1, (-b+det)/a)
	return lo, hi, lo <= hi
}

// Meet appends to dst the places where a body in front of the face is near it: where its lowest points, lines and flats
// are over the face, no farther than reach. The normals are the face's. There may be none.
func (f *Face) Meet(dst []Meeting, c *Convex, reach float64) []Meeting {
	add := func(p mgl64.Vec3) {
		if gap := p.Sub(f.Origin).Dot(f.Normal); gap <= reach {
			dst = append(dst, Meeting{At: p.Sub(f.Normal.Mul(gap / 2)), Normal: f.Normal, Gap: gap})
		}
	}
	down := f.Normal.Mul(-1)
	switch c.Count {
	case 0:
		if p := c.Support(down); f.Holds(p) {
			add(p)
		}
	case 1:
		s := c.Segments[0]
		rim := c.rim(down)
		base := c.Centre.Add(down.Mul(c.Round))
		steep := s.Dot(f.Normal) / s.Len()
		if steep > 0 {
			s = s.Mul(-1) // to the lower end
		}
		stands := false
		if c.Axes == 2 && math.Abs(steep) > endOn {
			stands = f.meetDisc(&dst, base.Add(s), c.Oval[:2], reach)
		}
		p, q := base.Add(rim).Add(s), base.Add(rim).Sub(s)
		if lo, hi, ok := f.cut(f.on(p), f.on(q)); ok {
			if !(stands && lo == 0) {
				add(p.Add(q.Sub(p).Mul(lo)))
			}
			if hi > lo {
				add(p.Add(q.Sub(p).Mul(hi)))
			}
		}
	case 3:
		f.meetRectangle(&dst, c, reach)
	}
	return dst
}

// plane is one over a face: its height at a place.
type plane struct {
	at     [2]float64
	height float64
	slope  [2]float64
}

// over is the plane through a point across n.
func (f *Face) over(p, n mgl64.Vec3) plane {
	z := n.Dot(f.Normal)
	return plane{f.on(p), p.Sub(f.Origin).Dot(f.Normal), [2]float64{-n.Dot(f.U) / z, -n.Dot(f.V) / z}}
}

func (l *plane) gap(p [2]float64) float64 {
	return l.height + l.slope[0]*(p[0]-l.at[0]) + l.slope[1]*(p[1]-l.at[1])
}

// place adds one over the face.
func (f *Face) place(dst *[]Meeting, l *plane, p [2]float64, reach float64) {
	if gap := l.gap(p); gap <= reach {
		at := f.Origin.Add(f.U.Mul(p[0])).Add(f.V.Mul(p[1])).Add(f.Normal.Mul(gap / 2))
		*dst = append(*dst, Meeting{At: at, Normal: f.Normal, Gap: gap})
	}
}

// meetDisc adds places of a disc that lies or leans on the face: four points of its rim, which stay where they are on
// the body, where the rims cross, and corners of the face under the disc. It tells whether the disc is level, so that
// its lowest point is none of its own.
func (f *Face) meetDisc(dst *[]Meeting, centre mgl64.Vec3, axes []mgl64.Vec3, reach float64) bool {
	n := axes[0].Cross(axes[1])
	n = n.Mul(1 / n.Len())
	l := f.over(centre, n)
	radius := axes[0].Len()
	for _, a := range axes {
		for _, side := range [2]float64{1, -1} {
			if p := f.on(centre.Add(a.Mul(side))); f.holds(p) {
				f.place(dst, &l, p, reach)
			}
		}
	}
	// A place over the face as one on the disc, from its centre.
	u, v := axes[0].Mul(1/radius), axes[1].Mul(1/radius)
	eu, ev := f.U.Add(f.Normal.Mul(l.slope[0])), f.V.Add(f.Normal.Mul(l.slope[1]))
	onDisc := func(p [2]float64) [2]float64 {
		d := eu.Mul(p[0] - l.at[0]).Add(ev.Mul(p[1] - l.at[1]))
		return [2]float64{d.Dot(u), d.Dot(v)}
	}
	inDisc := func(p [2]float64) bool {
		p = onDisc(p)
		return math.Hypot(p[0], p[1]) <= radius*(1+edgeSlack)
	}
	for k := range f.count {
		p, q := f.corners[k], f.corners[(k+1)%f.count]
		if inDisc(p) {
			f.place(dst, &l, p, reach)
		}
		if lo, hi, ok := across(onDisc(p), onDisc(q), [2]float64{}, radius); ok {
			if lo > 0 {
				f.place(dst, &l, mix(p, q, lo), reach)
			}
			if hi < 1 {
				f.place(dst, &l, mix(p, q, hi), reach)
			}
		}
	}
	if f.radius > 0 {
		for _, p := range f.marks() {
			if inDisc(p) {
				f.place(dst, &l, p, reach)
			}
		}
		// Where the rims cross: as if the disc were level, and then by Newton's method.
		d := math.Hypot(l.at[0], l.at[1])
		if x := (d*d + f.radius*f.radius - radius*radius) / (2 * d); d > edgeSlack*radius && math.Abs(x) < f.radius {
			y := math.Sqrt(f.radius*f.radius - x*x)
			cu, cv := l.at[0]/d, l.at[1]/d
			for _, side := range [2]float64{y, -y} {
				p := onDisc([2]float64{x*cu - side*cv, x*cv + side*cu})
				if q := f.on(centre.Add(f.crossing(math.Atan2(p[1], p[0]), centre, axes))); math.Abs(math.Hypot(q[0], q[1])-f.radius) < edgeSlack*f.radius {
					f.place(dst, &l, q, reach)
				}
			}
		}
	}
	return math.Hypot(l.slope[0], l.slope[1]) < upright
}

// marks are four places on the rim of a disc.
func (f *Face) marks() [4][2]float64 {
	return [4][2]float64{{f.radius, 0}, {-f.radius, 0}, {0, f.radius}, {0, -f.radius}}
}

// crossing is the point of another disc's rim, from its centre, over the rim of this one, near an angle on it.
func (f *Face) crossing(angle float64, centre mgl64.Vec3, axes []mgl64.Vec3) (p mgl64.Vec3) {
	for range 5 {
		s, c := math.Sincos(angle)
		p = axes[0].Mul(c).Add(axes[1].Mul(s))
		q, t := f.on(centre.Add(p)), f.flat(axes[1].Mul(c).Sub(axes[0].Mul(s)))
		angle -= (q[0]*q[0] + q[1]*q[1] - f.radius*f.radius) / (2 * (q[0]*t[0] + q[1]*t[1]))
	}
	return p
}

func mix(p, q [2]float64, s float64) [2]float64 {
	return [2]float64{p[0] + s*(q[0]-p[0]), p[1] + s*(q[1]-p[1])}
}

// meetRectangle adds places of the face of a box that looks most at this one.
func (f *Face) meetRectangle(dst *[]Meeting, c *Convex, reach float64) {
	k, most := 0, 0.0
	for i, s := range c.Segments {
		if x := math.Abs(s.Dot(f.Normal)) / s.Len(); x > most+tied {
			k, most = i, x
		}
	}
	s := c.Segments[k]
	if s.Dot(f.Normal) > 0 {
		s = s.Mul(-1)
	}
	u, v := c.Segments[(k+1)%3], c.Segments[(k+2)%3]
	middle := c.Centre.Add(s).Sub(f.Normal.Mul(c.Round))
	l := f.over(middle, s)
	var corners [4][2]float64
	for i, sign := range [4][2]float64{{1, 1}, {-1, 1}, {-1, -1}, {1, -1}} {
		corners[i] = f.on(middle.Add(u.Mul(sign[0])).Add(v.Mul(sign[1])))
	}
	for i, p := range corners {
		q := corners[(i+1)%4]
		// Corners of the rectangle, and where its edges cross the face's.
		if lo, hi, ok := f.cut(p, q); ok {
			f.place(dst, &l, mix(p, q, lo), reach)
			if hi < 1 && hi > lo {
				f.place(dst, &l, mix(p, q, hi), reach)
			}
		}
	}
	// What of the face lies under the rectangle.
	eu, ev := f.flat(u), f.flat(v)
	det := eu[0]*ev[1] - eu[1]*ev[0]
	under := func(p [2]float64) bool {
		x, y := p[0]-l.at[0], p[1]-l.at[1]
		return math.Abs(x*ev[1]-y*ev[0]) < math.Abs(det) && math.Abs(x*eu[1]-y*eu[0]) < math.Abs(det)
	}
	for _, p := range f.corners[:f.count] {
		if under(p) {
			f.place(dst, &l, p, reach)
		}
	}
	if f.radius > 0 {
		for _, p := range f.marks() {
			if under(p) {
				f.place(dst, &l, p, reach)
			}
		}
	}
}

func (f *Face) flat(v mgl64.Vec3) [2]float64 { return [2]float64{v.Dot(f.U), v.Dot(f.V)} }

// line is a straight line on a body's surface, or the axis of a round one.
type line struct {
	at, along mgl64.Vec3 // middle, unit
	half      float64
	radius    float64
}

// lines lists the lines of a body that are nearly across n, where it touches at a point.
func (c *Convex) lines(n, point mgl64.Vec3, dst *[3]line) int {
	count := 0
	if c.Axes == 3 {
		return 0
	}
	for _, s := range c.Segments[:c.Count] {
		h := s.Len()
		l := line{at: c.Centre, along: s.Mul(1 / h), half: h, radius: c.Round}
		if math.Abs(l.along.Dot(n)) > alike {
			continue
		}
		if c.Axes == 2 {
			l.radius += c.Oval[0].Len()
		}
		if c.Count == 3 {
			l.at = point.Sub(l.along.Mul(point.Sub(c.Centre).Dot(l.along)))
		}
		dst[count] = l
		count++
	}
	return count
}

// lengthwise adds the ends of what two lines that run along each other have in common.
func lengthwise(dst []Meeting, a, b *Convex, sep *Separation, reach float64) []Meeting {
	var first, second [3]line
	n := sep.Normal
	na, nb := a.lines(n, sep.A, &first), b.lines(n, sep.B, &second)
	for i := range na {
		for j := range nb {
			p, q := &first[i], &second[j]
			along := p.along.Dot(q.along)
			if p.along.Cross(q.along).Len() > alike || !(p.radius+q.radius > 0) {
				continue
			}
			// both, seen from the middle of the first, along it
			x := q.at.Sub(p.at).Dot(p.along)
			h := q.half * math.Abs(along)
			lo, hi := max(-p.half, x-h), min(p.half, x+h)
			if lo > hi {
				continue
			}
			for end := range 2 {
				y := lo
				if end == 1 {
					y = hi
				}
				on := p.at.Add(p.along.Mul(y))
				other := q.at.Add(q.along.Mul((y - x) / along))
				d := other.Sub(on)
				out := n
				gap := d.Dot(n)
				if l := d.Len(); d.Dot(n) > facing*l {
					out, gap = d.Mul(1/l), l
				}
				gap -= p.radius + q.radius
				if gap <= reach {
					dst = append(dst, Meeting{At: on.Add(out.Mul(p.radius + gap/2)), Normal: out, Gap: gap})
				}
			}
		}
	}
	return dst
}
