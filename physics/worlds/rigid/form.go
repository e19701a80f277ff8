package rigid

import (
	"errors"
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/collision"
	"hapco/physics/frame"
	"hapco/physics/numerics/num"
)

// FormKind is what a form is.
type FormKind uint8

// The forms. Their centre is the body's centre of mass; capsules and cylinders lie along Y.
const (
	FormNone      FormKind = iota // touches nothing
	FormBall                      //
	FormBox                       //
	FormCapsule                   //
	FormCylinder                  //
	FormPlane                     // the half-space below a plane: static bodies only
	FormMesh                      // a closed triangle surface
	FormEllipsoid                 //
)

// Form is the shape of a body, in its frame.
type Form struct {
	Kind   FormKind
	Radius float64 // m: of a ball, capsule or cylinder
	Half   vec3    // m: half the edges of a box; Half[1] half the axis of a capsule, without its caps, or of a cylinder
	Normal vec3    // of a plane, unit

	Vertices  []vec3 // of a mesh, m
	Triangles [][3]int32

	tip   *Tip
	solid collision.Shape // signed distance
	reach float64         // of the farthest point from the origin, m
	edges []edge          // of a mesh or box
	skin  *skin           // of a mesh
}

// Tip is a ball at a point of a mesh, by which it stands on planes: a corner would be a point.
type Tip struct {
	At     vec3    // centre, m
	Radius float64 // m
}

// Ball of a radius, m.
func Ball(radius float64) *Form { return &Form{Kind: FormBall, Radius: radius} }

// Box with edges, m.
func Box(x, y, z float64) *Form { return &Form{Kind: FormBox, Half: vec3{x / 2, y / 2, z / 2}} }

// Capsule of a radius around a segment of a length along Y, m.
func Capsule(radius, length float64) *Form {
	return &Form{Kind: FormCapsule, Radius: radius, Half: vec3{0, length / 2, 0}}
}

// Cylinder of a radius and a length along Y, m.
func Cylinder(radius, length float64) *Form {
	return &Form{Kind: FormCylinder, Radius: radius, Half: vec3{0, length / 2, 0}}
}

// Ellipsoid with semi-axes, m.
func Ellipsoid(x, y, z float64) *Form { return &Form{Kind: FormEllipsoid, Half: vec3{x, y, z}} }

// Plane through the body's origin with its normal outwards.
func Plane(normal vec3) *Form { return &Form{Kind: FormPlane, Normal: normal} }

// Mesh of a closed surface, triangles counter-clockwise seen from outside. The body's frame is moved to its centre of
// mass; offset is where that was, and inertia about it and mass are those at density 1 kg/m^3.
func Mesh(vertices []vec3, triangles [][3]int32) (form *Form, offset vec3, mass float64, inertia mat3, err error) {
	mass, offset, inertia = meshInertia(vertices, triangles)
	if !(mass > 0) {
		return nil, offset, 0, inertia, errors.New("rigid: the surface encloses no volume (cure: a closed surface, triangles counter-clockwise from outside)")
	}
	moved := make([]vec3, len(vertices))
	for i, v := range vertices {
		moved[i] = v.Sub(offset)
	}
	form = &Form{Kind: FormMesh, Vertices: moved, Triangles: triangles}
	return form, offset, mass, inertia, form.prepare()
}

// prepare checks the sizes and makes what collision needs.
func (f *Form) prepare() error {
	var sizes []float64 // m
	switch f.Kind {
	case FormNone:
	case FormBall:
		sizes, f.solid, f.reach = []float64{f.Radius}, collision.Sphere(f.Radius), f.Radius
	case FormBox:
		sizes, f.solid, f.reach = f.Half[:], &collision.Solid{Core: collision.BoxCore, Half: f.Half}, f.Half.Len()
		f.edges = boxEdges(f.Half)
	case FormCapsule:
		sizes, f.reach = []float64{f.Radius, f.Half[1]}, f.Half[1]+f.Radius
		f.solid = &collision.Solid{Core: collision.SegmentCore, Half: f.Half, Round: f.Radius}
	case FormCylinder:
		sizes, f.reach = []float64{f.Radius, f.Half[1]}, math.Hypot(f.Radius, f.Half[1])
		f.solid = &collision.Solid{Core: collision.CylinderCore, Half: vec3{f.Radius, f.Half[1], f.Radius}}
	case FormEllipsoid:
		sizes, f.solid, f.reach = f.Half[:], ellipsoid(f.Half), max(f.Half[0], f.Half[1], f.Half[2])
	case FormPlane:
		if l := f.Normal.Len(); !(math.Abs(l-1) < 1e-6) {
			return fmt.Errorf("rigid: a plane's normal has length %g (cure: 1)", l)
		}
		f.reach = math.Inf(1)
	case FormMesh:
		f.reach = frame.Reach(f.Vertices)
		if f.solid != nil {
			return nil
		}
		field, err := collision.NewField(f.Triangles, f.Vertices)
		if err != nil {
			return err
		}
		f.solid = field
		f.edges, f.skin = convexEdges(f)
	default:
		return fmt.Errorf("rigid: form %d is unknown", f.Kind)
	}
	for _, x := range sizes {
		if !num.Positive(x) {
			return fmt.Errorf("rigid: a form's size is %g m (cure: above 0)", x)
		}
	}
	return nil
}

// bounds of the form at a pose, world axes, with a margin.
func (f *Form) bounds(x vec3, r *mat3, margin float64) (lo, hi vec3) {
	var h, c vec3
	switch f.Kind {
	case FormBall:
		h = vec3{f.Radius, f.Radius, f.Radius}
	case FormNone:
	default:
		var low, high vec3
		if f.solid != nil {
			low, high = f.solid.Bounds()
		}
		half := high.Sub(low).Mul(0.5)
		c = r.Mul3x1(high.Add(low).Mul(0.5))
		for k := range 3 {
			h[k] = math.Abs(r[k])*half[0] + math.Abs(r[3+k])*half[1] + math.Abs(r[6+k])*half[2]
		}
	}
	m := vec3{margin, margin, margin}
	return x.Add(c).Sub(h).Sub(m), x.Add(c).Add(h).Add(m)
}

// Solid gives mass and inertia of a closed form, filled with a density in kg/m^3.
func (f *Form) Solid(density float64) (mass float64, inertia mat3) {
	diagonal := func(x, y, z float64) mat3 { return mat3{x, 0, 0, 0, y, 0, 0, 0, z} }
	r, h := f.Radius, 2*f.Half[1]
	switch f.Kind {
	case FormBall:
		mass = density * 4 / 3 * math.Pi * r * r * r
		j := 0.4 * mass * r * r
		return mass, diagonal(j, j, j)
	case FormBox:
		e := f.Half.Mul(2)
		mass = density * e[0] * e[1] * e[2]
		return mass, diagonal(mass/12*(e[1]*e[1]+e[2]*e[2]), mass/12*(e[0]*e[0]+e[2]*e[2]), mass/12*(e[0]*e[0]+e[1]*e[1]))
	case FormEllipsoid:
		a, b, c := f.Half[0]*f.Half[0], f.Half[1]*f.Half[1], f.Half[2]*f.Half[2]
		mass = density * 4 / 3 * math.Pi * f.Half[0] * f.Half[1] * f.Half[2]
		return mass, diagonal(mass/5*(b+c), mass/5*(a+c), mass/5*(a+b))
	case FormCylinder:
		mass = density * math.Pi * r * r * h
		j := mass * (3*r*r + h*h) / 12
		return mass, diagonal(j, mass*r*r/2, j)
	case FormCapsule:
		tube, caps := density*math.Pi*r*r*h, density*4/3*math.Pi*r*r*r
		// A half ball's centre is 3r/8 from its disc; about that its inertia is 83/320 m r^2.
		d := h/2 + 3*r/8
		j := tube*(3*r*r+h*h)/12 + caps*(83.0/320*r*r+d*d)
		return tube + caps, diagonal(j, tube*r*r/2+caps*0.4*r*r, j)
	case FormMesh:
		mass, _, inertia = meshInertia(f.Vertices, f.Triangles)
		return mass * density, inertia.Mul(density)
	}
	return 0, mat3{}
}

// meshInertia integrates over the inside of a closed surface: its volume, its centre, and the inertia about that at
// density 1, as sums over the tetrahedra that the triangles make with the origin.
func meshInertia(vertices []vec3, triangles [][3]int32) (volume float64, centre vec3, inertia mat3) {
	if len(vertices) == 0 {
		return 0, centre, inertia
	}
	origin := vertices[0] // near the body, against cancellation
	var second mat3       // integral of x x^T
	for _, t := range triangles {
		a, b, c := vertices[t[0]].Sub(origin), vertices[t[1]].Sub(origin), vertices[t[2]].Sub(origin)
		v := a.Dot(b.Cross(c)) / 6
		volume += v
		s := a.Add(b).Add(c)
		centre = centre.Add(s.Mul(v / 4))
		for _, p := range [4]vec3{a, b, c, s} {
			second = second.Add(p.OuterProd3(p).Mul(v / 20))
		}
	}
	if !(volume > 0) {
		return volume, centre, inertia
	}
	centre = centre.Mul(1 / volume)
	second = second.Sub(centre.OuterProd3(centre).Mul(volume))
	inertia = mgl64.Ident3().Mul(second.Trace()).Sub(second)
	return volume, centre.Add(origin), inertia
}

// ellipsoid with semi-axes is a collision.Shape.
type ellipsoid vec3

// Closest point: q_i = a_i^2 p_i/(a_i^2 + t), with the root t of |q_i/a_i| = 1.
func (e ellipsoid) Closest(p vec3) (q, n vec3, d float64) {
	least := min(e[0], e[1], e[2])
	f := func(t float64) (s float64) {
		for k := range 3 {
			x := e[k] * p[k] / (e[k]*e[k] + t)
			s += x * x
		}
		return 1 - s
	}
	lo, hi := -least*least*(1-1e-12), vec3(e).Len()*p.Len()
	t := lo
	if f(lo) < 0 {
		t = num.Bisect(f, lo, hi)
	}
	thin, inside := 0, 1.0
	for k := range 3 {
		q[k] = e[k] * e[k] * p[k] / (e[k]*e[k] + t)
		if inside -= q[k] * q[k] / (e[k] * e[k]); e[k] < e[thin] {
			thin = k
		}
	}
	// Near the middle of the plane across the shortest axis the closest points are two, on either side of it.
	if t == lo && inside > 0 {
		q[thin] = e[thin] * math.Sqrt(inside+q[thin]*q[thin]/(e[thin]*e[thin]))
	}
	var grad vec3
	for k := range 3 {
		grad[k] = q[k] / (e[k] * e[k])
	}
	n = grad.Mul(1 / grad.Len())
	return q, n, p.Sub(q).Dot(n)
}

// AtLeast is a bound: the distance to the ball around the ellipsoid.
func (e ellipsoid) AtLeast(p vec3) float64 { return p.Len() - max(e[0], e[1], e[2]) }

// Bounds is the box around it.
func (e ellipsoid) Bounds() (lo, hi vec3) { return vec3(e).Mul(-1), vec3(e) }
