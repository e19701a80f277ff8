package grain

import (
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/collision"
	"hapco/physics/frame"
	"hapco/physics/numerics/num"
)

// Shape is what an obstacle looks like to a grain.
type Shape interface {
	// Closest is the point of the surface nearest to p. ok is false where there is none, as for the centre of a sphere;
	// the grain then feels nothing.
	Closest(p mgl64.Vec3) (k mgl64.Vec3, ok bool)
}

// Plane is infinite; both of its sides repel.
type Plane struct {
	Origin, Normal mgl64.Vec3 // the normal a unit vector
}

// Closest is the projection on the plane.
func (s *Plane) Closest(p mgl64.Vec3) (mgl64.Vec3, bool) {
	return p.Add(s.Normal.Mul(s.Origin.Sub(p).Dot(s.Normal))), true
}

// Rectangle starts at a corner and extends by Length along Along and by Width along Normal x Along. Both of its sides
// repel.
type Rectangle struct {
	Origin, Normal, Along mgl64.Vec3 // unit vectors at right angles
	Length, Width         float64    // m
}

// Closest is the projection on the plane, or the nearest point of an edge where that lies outside.
func (s *Rectangle) Closest(p mgl64.Vec3) (mgl64.Vec3, bool) {
	// Every grain near a wall asks in every step: in components this takes a third of the time.
	n, u, o := &s.Normal, &s.Along, &s.Origin
	v0, v1, v2 := n[1]*u[2]-n[2]*u[1], n[2]*u[0]-n[0]*u[2], n[0]*u[1]-n[1]*u[0]
	d0, d1, d2 := p[0]-o[0], p[1]-o[1], p[2]-o[2]
	a, b := within(d0*u[0]+d1*u[1]+d2*u[2], s.Length), within(d0*v0+d1*v1+d2*v2, s.Width)
	return mgl64.Vec3{o[0] + a*u[0] + b*v0, o[1] + a*u[1] + b*v1, o[2] + a*u[2] + b*v2}, true
}

// within is the number from 0 to most that is nearest to x.
func within(x, most float64) float64 {
	if x < 0 {
		return 0
	}
	if x > most {
		return most
	}
	return x
}

// Brick is a box. Its corner Origin lies on the face with outward normal Normal; the box lies behind that face:
// Origin + a Along + b (Normal x Along) - c Normal, with a up to Length, b to Width, c to Height.
type Brick struct {
	Origin, Normal, Along mgl64.Vec3 // unit vectors at right angles
	Length, Width, Height float64    // m
}

// Closest is the nearest of the closest points of the six faces, from inside too.
func (s *Brick) Closest(p mgl64.Vec3) (mgl64.Vec3, bool) {
	across := s.Normal.Cross(s.Along)
	d := p.Sub(s.Origin)
	size := [3]float64{s.Length, s.Width, s.Height}
	axes := [3]mgl64.Vec3{s.Along, across, s.Normal.Mul(-1)}
	at := [3]float64{d.Dot(axes[0]), d.Dot(axes[1]), d.Dot(axes[2])}
	k := p
	inside := true
	for i, x := range at {
		c := min(max(x, 0), size[i])
		inside = inside && c == x
		k = k.Sub(axes[i].Mul(x - c))
	}
	if !inside {
		return k, true
	}
	nearest, to, axis := math.Inf(1), 0.0, 0
	for i, x := range at {
		for _, face := range [2]float64{0, size[i]} {
			if e := math.Abs(x - face); e < nearest {
				nearest, to, axis = e, face, i
			}
		}
	}
	return p.Sub(axes[axis].Mul(at[axis] - to)), true
}

// Ball is a sphere. From inside, too, its surface repels: it can hold grains.
type Ball struct {
	Center mgl64.Vec3
	Radius float64 // m
}

// Closest is the point of the surface in the direction of p.
func (s *Ball) Closest(p mgl64.Vec3) (mgl64.Vec3, bool) {
	e := p.Sub(s.Center)
	d := e.Len()
	if d == 0 {
		return mgl64.Vec3{}, false
	}
	return s.Center.Add(e.Mul(s.Radius / d)), true
}

// Cylinder has flat ends; Center is in its middle. The closest point is that of a grain outside; from inside, the side
// is taken even where an end is nearer.
type Cylinder struct {
	Center, Axis   mgl64.Vec3 // the axis a unit vector
	Radius, Length float64    // m
}

// Closest is a point of the side between the ends, else of an end.
func (s *Cylinder) Closest(p mgl64.Vec3) (mgl64.Vec3, bool) {
	e := p.Sub(s.Center)
	h := e.Dot(s.Axis)
	radial := e.Sub(s.Axis.Mul(h))
	d := radial.Len()
	if math.Abs(h) <= s.Length/2 {
		if d == 0 {
			return mgl64.Vec3{}, false
		}
		return s.Center.Add(s.Axis.Mul(h)).Add(radial.Mul(s.Radius / d)), true
	}
	k := s.Center.Add(s.Axis.Mul(math.Copysign(s.Length/2, h)))
	if d > 0 {
		k = k.Add(radial.Mul(min(s.Radius, d) / d))
	}
	return k, true
}

// Bowl is half a sphere without a lid: the half that Opening points away from. Both of its sides repel.
type Bowl struct {
	Center, Opening mgl64.Vec3 // Opening a unit vector
	Radius          float64    // m
}

// Closest is a point of the half sphere, or of its rim.
func (s *Bowl) Closest(p mgl64.Vec3) (mgl64.Vec3, bool) {
	e := p.Sub(s.Center)
	if up := e.Dot(s.Opening); up > 0 {
		e = e.Sub(s.Opening.Mul(up))
	}
	d := e.Len()
	if d == 0 {
		return mgl64.Vec3{}, false
	}
	return s.Center.Add(e.Mul(s.Radius / d)), true
}

// Nearest is several shapes as one: the nearest one acts.
type Nearest []Shape

// Closest is the nearest of their closest points.
func (s Nearest) Closest(p mgl64.Vec3) (k mgl64.Vec3, ok bool) {
	least := math.Inf(1)
	for _, one := range s {
		if q, found := one.Closest(p); found {
			if d := q.Sub(p).LenSqr(); d < least {
				k, least, ok = q, d, true
			}
		}
	}
	return k, ok
}

// Posed is a shape in a pose that may change.
type Posed struct {
	Shape    Shape
	Origin   mgl64.Vec3
	rotation mgl64.Mat3 // columns are the shape's axes in the world
}

func posed(shape Shape, at frame.Pose) *Posed {
	s := &Posed{Shape: shape, Origin: at.Position}
	s.Turn(at.Rotation)
	return s
}

// Turn sets the rotation.
func (s *Posed) Turn(q mgl64.Quat) { s.rotation = q.Normalize().Mat4().Mat3() }

// Closest is that of the shape where it stands.
func (s *Posed) Closest(p mgl64.Vec3) (mgl64.Vec3, bool) {
	k, ok := s.Shape.Closest(s.local(p))
	m, o := &s.rotation, &s.Origin
	return mgl64.Vec3{
		m[0]*k[0] + m[3]*k[1] + m[6]*k[2] + o[0],
		m[1]*k[0] + m[4]*k[1] + m[7]*k[2] + o[1],
		m[2]*k[0] + m[5]*k[1] + m[8]*k[2] + o[2],
	}, ok
}

// local is a point in the shape's axes.
func (s *Posed) local(p mgl64.Vec3) mgl64.Vec3 {
	m, x, y, z := &s.rotation, p[0]-s.Origin[0], p[1]-s.Origin[1], p[2]-s.Origin[2]
	return mgl64.Vec3{m[0]*x + m[1]*y + m[2]*z, m[3]*x + m[4]*y + m[5]*z, m[6]*x + m[7]*y + m[8]*z}
}

// body is a filled shape of package collision: a mesh by its signed distance. A grain inside is pushed out.
type body struct{ collision.Shape }

// Closest is the closest point of the surface; for a grain inside a point just behind it, as seen from the way out.
func (s *body) Closest(p mgl64.Vec3) (mgl64.Vec3, bool) {
	q, n, d := s.Shape.Closest(p)
	if d <= 0 {
		lo, hi := s.Bounds()
		q = p.Sub(n.Mul(justBehind * (hi.Sub(lo).Len() + p.Len())))
	}
	return q, true
}

// atLeast is a distance that p has at least to the closest point that the shape gives it, and that changes no faster
// than p moves. Inside a cylinder, whose ends are overlooked there, and inside a body it is 0.
func atLeast(s Shape, p mgl64.Vec3) float64 {
	switch s := s.(type) {
	case *Posed:
		return atLeast(s.Shape, s.local(p))
	case Nearest:
		least := math.Inf(1)
		for _, one := range s {
			least = min(least, atLeast(one, p))
		}
		return least
	case *Cylinder:
		e := p.Sub(s.Center)
		h := e.Dot(s.Axis)
		return max(0, math.Abs(h)-s.Length/2, e.Sub(s.Axis.Mul(h)).Len()-s.Radius)
	case *Plane, *Rectangle, *Brick, *Ball, *Bowl, *body:
		if k, ok := s.Closest(p); ok {
			return k.Sub(p).Len()
		}
	}
	return 0 // nothing is known of it
}

// CheckShape tells what is wrong with the numbers of a shape of this package.
func CheckShape(s Shape) error {
	switch s := s.(type) {
	case *Plane:
		return checkShape(s.Origin, s.Normal, nil)
	case *Rectangle:
		return checkShape(s.Origin, s.Normal, &s.Along, size{"length", s.Length}, size{"width", s.Width})
	case *Brick:
		return checkShape(s.Origin, s.Normal, &s.Along,
			size{"length", s.Length}, size{"width", s.Width}, size{"height", s.Height})
	case *Ball:
		return checkShape(s.Center, mgl64.Vec3{0, 0, 1}, nil, size{"radius", s.Radius})
	case *Cylinder:
		return checkShape(s.Center, s.Axis, nil, size{"radius", s.Radius}, size{"length", s.Length})
	case *Bowl:
		return checkShape(s.Center, s.Opening, nil, size{"radius", s.Radius})
	case *Posed:
		return CheckShape(s.Shape)
	case Nearest:
		for _, one := range s {
			if err := CheckShape(one); err != nil {
				return err
			}
		}
	}
	return nil
}

type size struct {
	name  string
	value float64
}

// checkShape refuses places that are not finite, directions that are no unit vectors at right angles, and sizes that
// are not above 0.
func checkShape(origin, normal mgl64.Vec3, along *mgl64.Vec3, sizes ...size) error {
	switch {
	case !num.FiniteVec(origin):
		return fmt.Errorf("place %v (cure: finite numbers)", origin)
	case !(math.Abs(normal.Len()-1) <= unitOff):
		return fmt.Errorf("normal or axis %v (cure: a unit vector)", normal)
	case along != nil && !(math.Abs(along.Len()-1) <= unitOff):
		return fmt.Errorf("length direction %v (cure: a unit vector)", *along)
	case along != nil && !(math.Abs(along.Dot(normal)) <= unitOff):
		return fmt.Errorf("length direction %v is not at right angles to the normal %v", *along, normal)
	}
	for _, s := range sizes {
		if !(s.value > 0) || math.IsInf(s.value, 0) {
			return fmt.Errorf("%s %g m (cure: above 0)", s.name, s.value)
		}
	}
	return nil
}
