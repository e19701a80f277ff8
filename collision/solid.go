package collision

import (
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// Shape is a closed rigid shape in a frame of its own.
type Shape interface {
	// Closest finds the point q of the shape's surface closest to p, the unit normal n there, outwards, and the signed
	// distance d of p: below 0 inside. p = q + d n, and n is the gradient of d wherever that has one.
	Closest(p mgl64.Vec3) (q, n mgl64.Vec3, d float64)
	// AtLeast is a lower bound of that signed distance, found faster.
	AtLeast(p mgl64.Vec3) float64
	// Bounds is the box around the shape.
	Bounds() (lo, hi mgl64.Vec3)
}

// Core is what a Solid is made from.
type Core uint8

const (
	PointCore    Core = iota // a sphere, once rounded
	SegmentCore              // a capsule, once rounded
	CylinderCore             // a cylinder about Y
	BoxCore                  // a box along the axes
)

// Solid is a shape in closed form: all points within Round of a core, in which they may lie too. The core is convex, so
// that distances are exact inside and outside: rounding only shifts them.
type Solid struct {
	Core   Core
	Centre mgl64.Vec3 // of the core, m
	Half   mgl64.Vec3 // half the core's extents, m; of a cylinder Half[0] is the radius
	Round  float64    // m
}

// Sphere about the origin. It panics unless radius is above 0, as the other constructors do with sizes that make no
// solid.
func Sphere(radius float64) *Solid {
	needSizes("sphere", radius)
	return &Solid{Core: PointCore, Round: radius}
}

// Capsule around the points within radius of the segment from the origin to (0, length, 0).
func Capsule(radius, length float64) *Solid {
	needSizes("capsule", radius, length)
	return &Solid{Core: SegmentCore, Centre: mgl64.Vec3{0, length / 2, 0}, Half: mgl64.Vec3{0, length / 2, 0}, Round: radius}
}

// Cylinder between the discs about the origin and about (0, length, 0).
func Cylinder(radius, length float64) *Solid {
	needSizes("cylinder", radius, length)
	return &Solid{Core: CylinderCore, Centre: mgl64.Vec3{0, length / 2, 0}, Half: mgl64.Vec3{radius, length / 2, radius}}
}

// Box about the origin, of that size with its edges rounded to a radius from 0 to half the shortest edge.
func Box(size mgl64.Vec3, round float64) *Solid {
	needSizes("box", size[:]...)
	half := size.Mul(0.5)
	if !(round >= 0 && round <= min(half[0], half[1], half[2])) {
		panic(fmt.Sprintf("collision: a box of size %v cannot be rounded to %v", size, round))
	}
	return &Solid{Core: BoxCore, Half: half.Sub(mgl64.Vec3{round, round, round}), Round: round}
}

func needSizes(what string, sizes ...float64) {
	for _, s := range sizes {
		if !(s > 0) || math.IsInf(s, 0) {
			panic(fmt.Sprintf("collision: a %s of size %v", what, s))
		}
	}
}

// Bounds is the box around the solid.
func (s *Solid) Bounds() (lo, hi mgl64.Vec3) {
	h := s.Half.Add(mgl64.Vec3{s.Round, s.Round, s.Round})
	return s.Centre.Sub(h), s.Centre.Add(h)
}

// AtLeast is the signed distance itself.
func (s *Solid) AtLeast(p mgl64.Vec3) float64 {
	_, _, d := s.Closest(p)
	return d
}

// Closest finds the closest point of the surface, also from inside: that of the nearest face. Where several are equally
// near, on an axis or in the middle, it is one of them, always the same: the lowest (-Y) where that is one, else one
// towards +X before +Z.
func (s *Solid) Closest(p mgl64.Vec3) (q, n mgl64.Vec3, d float64) {
	x := p.Sub(s.Centre)
	c, away, inside := s.onCore(x)
	if inside {
		n, d = s.nearestFace(x)
		d -= s.Round
		return p.Sub(n.Mul(d)), n, d
	}
	l := away.Len()
	if l > nowhere {
		n = away.Mul(1 / l)
	} else {
		n, l = s.offCore(x), 0
	}
	return s.Centre.Add(c).Add(n.Mul(s.Round)), n, l - s.Round
}

// onCore is the point of the core closest to x, and the way from there to x. On the surface that is rounding only, but
// still along a normal.
func (s *Solid) onCore(x mgl64.Vec3) (c, away mgl64.Vec3, inside bool) {
	switch s.Core {
	case SegmentCore:
		c[1] = clamp(x[1], s.Half[1])
		return c, x.Sub(c), false
	case BoxCore:
		for k := range c {
			c[k] = clamp(x[k], s.Half[k])
		}
		return c, x.Sub(c), c == x
	case CylinderCore:
		c = x
		c[1] = clamp(x[1], s.Half[1])
		away[1] = x[1] - c[1]
		r := math.Sqrt(x[0]*x[0] + x[2]*x[2])
		if !(r > s.Half[0]) {
			return c, away, away[1] == 0
		}
		c[0], c[2] = x[0]*(s.Half[0]/r), x[2]*(s.Half[0]/r)
		away[0], away[2] = x[0]*((r-s.Half[0])/r), x[2]*((r-s.Half[0])/r)
		return c, away, false
	}
	return c, x, false
}

// nearestFace of a core with an inside, for x in it: the face's normal and the distance, at most 0.
func (s *Solid) nearestFace(x mgl64.Vec3) (n mgl64.Vec3, d float64) {
	d = math.Abs(x[1]) - s.Half[1]
	n[1] = -1
	if x[1] > 0 {
		n[1] = 1
	}
	if s.Core == CylinderCore {
		r := math.Sqrt(x[0]*x[0] + x[2]*x[2])
		if !(r-s.Half[0] > d) {
			return n, d
		}
		if !(r > nowhere) {
			return mgl64.Vec3{1, 0, 0}, -s.Half[0]
		}
		return mgl64.Vec3{x[0] / r, 0, x[2] / r}, r - s.Half[0]
	}
	for _, k := range [2]int{0, 2} {
		if e := math.Abs(x[k]) - s.Half[k]; e > d {
			d, n = e, mgl64.Vec3{}
			n[k] = 1
			if x[k] < 0 {
				n[k] = -1
			}
		}
	}
	return n, d
}

// offCore is a direction away from a core without inside, for x on it.
func (s *Solid) offCore(x mgl64.Vec3) mgl64.Vec3 {
	switch {
	case s.Core == SegmentCore && x[1] >= s.Half[1]:
		return mgl64.Vec3{0, 1, 0}
	case s.Core == SegmentCore && x[1] > -s.Half[1]:
		return mgl64.Vec3{1, 0, 0}
	}
	return mgl64.Vec3{0, -1, 0}
}

func clamp(x, half float64) float64 {
	if x > half {
		return half
	}
	if x < -half {
		return -half
	}
	return x
}

// MeanCurvature of the surface at a point of it: the mean of 1/radius over all directions; 0 where it is flat.
func (s *Solid) MeanCurvature(q mgl64.Vec3) float64 {
	c, _, _ := s.onCore(q.Sub(s.Centre))
	bent := 2 // principal directions that bend with Round
	switch s.Core {
	case SegmentCore:
		if math.Abs(c[1]) < s.Half[1] {
			bent = 1
		}
	case CylinderCore:
		r, level := math.Sqrt(c[0]*c[0]+c[2]*c[2]), math.Abs(c[1]) < s.Half[1]
		switch {
		case level:
			return 1 / (2 * (s.Half[0] + s.Round))
		case r < s.Half[0]*(1-1e-12):
			return 0
		}
		bent = 1 // the wide circle around does little
	case BoxCore:
		for k := range c {
			if math.Abs(c[k]) < s.Half[k] {
				bent--
			}
		}
	}
	return float64(max(bent, 0)) / (2 * s.Round)
}

// Blunt is the solid with edges of at least that radius: normals then turn about them, and do not jump. Faces stay
// where they are.
func (s *Solid) Blunt(radius float64) *Solid {
	b := *s
	more := radius - s.Round
	if s.Core == PointCore || s.Core == SegmentCore || !(more > 0) {
		return &b
	}
	for k := range b.Half {
		more = min(more, b.Half[k])
	}
	b.Half, b.Round = b.Half.Sub(mgl64.Vec3{more, more, more}), b.Round+more
	return &b
}

// OnRidge tells whether a point of the surface lies on a rounded edge or corner of a box or cylinder, and not on a
// face.
func (s *Solid) OnRidge(p mgl64.Vec3) bool {
	const slack = 1e-9 // relative to the rounding
	x := p.Sub(s.Centre)
	beyond := 0
	if s.Core == CylinderCore {
		x[0], x[2] = math.Sqrt(x[0]*x[0]+x[2]*x[2]), 0
	} else if s.Core != BoxCore {
		return false
	}
	for k := range x {
		if math.Abs(x[k]) > s.Half[k]+slack*s.Round {
			beyond++
		}
	}
	return beyond > 1
}
