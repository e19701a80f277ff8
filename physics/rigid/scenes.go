package rigid

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/fem"
	"hapco/physics/mesh"
	"hapco/physics/modes"
)

// Scene is a world that comes with the program.
type Scene struct {
	Name  string
	Title string
	Note  string // what to look for
	Build func() (*World, error)
}

// Scenes lists the scenes by name.
func Scenes() []Scene { return slices.Clone(scenes) }

// FindScene finds a scene by its name.
func FindScene(name string) (Scene, error) {
	names := make([]string, 0, len(scenes))
	for _, s := range scenes {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return Scene{}, fmt.Errorf("rigid: no scene %q (cure: one of %v)", name, names)
}

var scenes = []Scene{
	{"bell", "A bell on its rim", "strike it: its lowest modes come in pairs, and ring on", func() (*World, error) { return Bell(0.06, 0.004) }},
	{"book-toss", "Book in free flight", "turns about the middle axis flip over again and again", func() (*World, error) { return BookToss(8, 0.02) }},
	{"dominoes", "A hundred dominoes", "push the first", func() (*World, error) { return Dominoes(100, 0.035) }},
	{"double-pendulum", "Double pendulum with shocks", "its lower end strikes a wall", func() (*World, error) { return DoublePendulum(1, 1.6, 0.3, 0.6) }},
	{"free-top", "Free top", "angular momentum stays, the axis wanders around it", func() (*World, error) { return FreeTop(vec3{0.6, 0.8, 1}) }},
	{"gyroscope", "Gyroscope in the hand", "catch its frame and turn it: it yields across", func() (*World, error) { return Gyroscope(200) }},
	{"heavy-top", "Heavy top about a fixed point", "precession and nutation", func() (*World, error) { return HeavyTop(50, 0.3) }},
	{"integrators", "Three integrators side by side", "C2 gains energy, C1 keeps it, NMB stays near", func() (*World, error) { return Integrators(0.05) }},
	{"newton-rods", "Five balls on rods", "as many leave as arrive", func() (*World, error) { return NewtonRods(5, 1) }},
	{"rattleback", "Rattleback", "spun the wrong way it rattles and turns back", func() (*World, error) { return Rattleback(-4) }},
	{"sliding-pendulum", "Pendulum on a sliding support", "dry friction stops the support before the pendulum", func() (*World, error) { return SlidingPendulum(1.2, 0.15) }},
	{"soft-wall", "Charged body above a charged wall", "attracted from afar, repelled from near", func() (*World, error) { return SoftWall(2, 0.8) }},
	{"spinning-beam", "Spinning beam", "it stretches under its own rotation", func() (*World, error) { return SpinningBeam(20) }},
	{"top", "Top on a rough plane", "friction at the tip raises it", func() (*World, error) { return Top(180, 0.25, 0.3) }},
	{"tuning-fork", "Tuning fork", "strike a prong: it rings at its lowest mode", func() (*World, error) { return TuningFork(0.08) }},
	{"wall", "A wall of 200 bricks", "push it over", func() (*World, error) { return Wall(20, 10, 0.6) }},
}

// building gathers the first error of a scene.
type building struct {
	w   *World
	err error
}

func build(change func(c *Config)) *building {
	c := DefaultConfig()
	if change != nil {
		change(&c)
	}
	b := &building{}
	b.w, b.err = NewWorld(c)
	return b
}

// add takes a body in, of steel-like density where it has no mass.
func (s *building) add(b *Body) *Body {
	if s.err == nil && b.Mass == 0 && !b.Fixed {
		b.Mass, b.Inertia = b.Form.Solid(2000)
	}
	if s.err == nil {
		s.err = s.w.Add(b)
	}
	return b
}

func (s *building) join(j *Joint) *Joint {
	if s.err == nil {
		s.err = s.w.AddJoint(j)
	}
	return j
}

func (s *building) floor(mu, e float64) {
	s.add(&Body{Name: "floor", Form: Plane(vec3{0, 1, 0}), Fixed: true, Friction: mu, Restitution: e})
}

func (s *building) done() (*World, error) { return s.w, s.err }

func weightless(c *Config) { c.Gravity = vec3{} }

// FreeTop is a weightless brick with that angular velocity, 1/s.
func FreeTop(w vec3) (*World, error) {
	s := build(weightless)
	s.add(&Body{Name: "top", Form: Box(0.3, 0.22, 0.12), Friction: 0.5, X: vec3{0, 1, 0}, W: w.Mul(5)})
	return s.done()
}

// BookToss is a weightless book turning about its middle axis, and a little about
// another, 1/s.
func BookToss(rate, disturbance float64) (*World, error) {
	s := build(weightless)
	s.add(&Body{Name: "book", Form: Box(0.16, 0.03, 0.24), Friction: 0.5, X: vec3{0, 1, 0}, W: vec3{rate, disturbance, 0}})
	return s.done()
}

// Charges is a law of forces on points of a body above the plane y = 0: each has the
// potential charge (E0 y + K/y).
type Charges struct {
	Body   *Body
	Points []vec3
	Charge []float64
	E0, K  float64 // N and N m^2 per charge
}

// Apply adds the forces.
func (c *Charges) Apply(*World) {
	for i, p := range c.Points {
		at := c.Body.Point(p)
		c.Body.Push(vec3{0, c.Charge[i] * (c.K/(at[1]*at[1]) - c.E0), 0}, at)
	}
}

// Energy of the charges, J.
func (c *Charges) Energy(*World) (e float64) {
	for i, p := range c.Points {
		y := c.Body.Point(p)[1]
		e += c.Charge[i] * (c.E0*y + c.K/y)
	}
	return e
}

// SoftWall is a weightless body with three charges above a charged wall.
func SoftWall(e0, k float64) (*World, error) {
	s := build(weightless)
	b := s.add(&Body{Name: "body", Form: Box(0.5, 0.3, 0.5), Mass: 1, Inertia: mat3{0.08, 0, 0, 0, 0.11, 0, 0, 0, 0.15}, X: vec3{0, 1.6, 0}, W: vec3{0.5, 1.5, 0.2}, V: vec3{0.2, 0, 0}})
	s.w.AddLaw(&Charges{Body: b, E0: e0, K: k, Points: []vec3{{0.3, -0.2, 0}, {-0.2, -0.1, 0.25}, {-0.1, 0.25, -0.25}}, Charge: []float64{1, 0.7, 1.3}})
	return s.done()
}

// Top spins on its round tip on a rough plane; rate in 1/s, tilt in rad.
func Top(rate, tilt, mu float64) (*World, error) {
	s := build(nil)
	s.floor(mu, 0)
	// The tip is a ball of 4 mm, its centre 5 cm below the centre of mass.
	const low, tip = 0.05, 0.004
	q := expQuat(vec3{tilt, 0, 0})
	v, t := topSurface(low, tip)
	form := &Form{Kind: FormMesh, Vertices: v, Triangles: t, tip: &Tip{At: vec3{0, -low, 0}, Radius: tip}}
	s.add(&Body{Name: "top", Form: form, Mass: 0.5, Inertia: mat3{6e-4, 0, 0, 0, 4e-4, 0, 0, 0, 6e-4},
		X: rotate(q, vec3{0, low, 0}).Add(vec3{0, tip, 0}), Q: q, W: vec3{0, rate, 0}, Friction: mu})
	return s.done()
}

// topSurface is a double cone on a tip, for the eye and for the stylus.
func topSurface(low, tip float64) (v []vec3, t [][3]int32) {
	const n = 24
	v = append(v, vec3{0, -low, 0}, vec3{0, 0.05, 0}) // the tip reaches below the first
	for k := range n {
		s, c := math.Sincos(2 * math.Pi * float64(k) / n)
		v = append(v, vec3{0.04 * c, 0.01, 0.04 * s})
	}
	for k := range int32(n) {
		a, b := 2+k, 2+(k+1)%n
		t = append(t, [3]int32{0, a, b}, [3]int32{1, b, a})
	}
	return v, t
}

// HeavyTop turns about a fixed point by C1 with the energy-conserving rule; rate in
// 1/s, tilt in rad.
func HeavyTop(rate, tilt float64) (*World, error) {
	s := build(nil)
	b := &Body{Name: "top", Form: Cylinder(0.5, 0.2), Mass: 2, Inertia: mat3{3, 0, 0, 0, 1, 0, 0, 0, 3}, Q: expQuat(vec3{tilt, 0, 0}), W: vec3{0, rate, 0}}
	b.Solo = &Solo{Algorithm: C1, Rule: EnergyConserving, Pivot: &vec3{0, 1, 0}, Arm: vec3{0, 1, 0}}
	s.add(b)
	return s.done()
}

// Gyroscope is a disc that spins in a frame, which a hand may hold; rate in 1/s.
func Gyroscope(rate float64) (*World, error) {
	s := build(weightless)
	frame := s.add(&Body{Name: "frame", Form: Box(0.2, 0.02, 0.2), Mass: 0.2, Inertia: mat3{7e-4, 0, 0, 0, 1.4e-3, 0, 0, 0, 7e-4}, X: vec3{0, 1, 0}, Friction: 0.5})
	disc := s.add(&Body{Name: "disc", Form: Cylinder(0.07, 0.015), X: vec3{0, 1, 0}, W: vec3{0, rate, 0}})
	s.join(&Joint{Kind: HingeJoint, A: disc, B: frame, Axis: vec3{0, 1, 0}})
	return s.done()
}

// Integrators are three free bodies by C1, NMB and C2 with a step h, s.
func Integrators(h float64) (*World, error) {
	s := build(func(c *Config) { c.Gravity, c.Step = vec3{}, h })
	for i, a := range []Algorithm{C1, NMB, C2} {
		rule := [3]TorqueRule{HalfRotation, End, EndAverage}[i]
		s.add(&Body{Name: a.String(), Form: Box(0.3, 0.22, 0.12), Mass: 1, Inertia: mat3{2, 0, 0, 0, 3, 0, 0, 0, 4.5}, X: vec3{0.5 * float64(i-1), 1, 0},
			W: vec3{0.6, 0.8, 1}, Solo: &Solo{Algorithm: a, Rule: rule}})
	}
	return s.done()
}

// NewtonRods are balls on hinged rods, side by side, the first one raised.
func NewtonRods(count int, angle float64) (*World, error) {
	s := build(nil)
	const r, l = 0.03, 0.4
	for i := range count {
		top := vec3{(2*r + 2e-4) * (float64(i) - float64(count-1)/2), 1, 0}
		q := mgl64.QuatIdent()
		if i == 0 {
			q = expQuat(vec3{0, 0, -angle})
		}
		b := s.add(&Body{Name: fmt.Sprintf("ball %d", i+1), Form: Ball(r), X: top.Add(rotate(q, vec3{0, -l, 0})), Q: q, Restitution: 0.98})
		s.join(&Joint{Kind: HingeJoint, A: b, PA: vec3{0, l, 0}, PB: top, Axis: vec3{0, 0, 1}})
	}
	return s.done()
}

// Rattleback is a slim ellipsoid whose principal axes of inertia are turned against
// those of its surface: spun one way (rate below 0) it rattles and turns back.
func Rattleback(rate float64) (*World, error) {
	s := build(nil)
	s.floor(0.9, 0)
	r := matrixOf(expQuat(vec3{0, 0.15, 0}))
	j := r.Mul3(mat3{1.2e-4, 0, 0, 0, 1.1e-3, 0, 0, 0, 1.05e-3}).Mul3(r.Transpose())
	form := Ellipsoid(0.1, 0.015, 0.022)
	q := expQuat(vec3{0.01, 0, 0.02})
	up, height := unrotate(q, vec3{0, 1, 0}), 0.0
	for k := range 3 {
		height += form.Half[k] * form.Half[k] * up[k] * up[k]
	}
	s.add(&Body{Name: "rattleback", Form: form, Mass: 0.4, Inertia: j, X: vec3{0, math.Sqrt(height), 0}, Q: q, W: vec3{0, rate, 0}, Friction: 0.9})
	return s.done()
}

// SlidingPendulum hangs on a support that slides along X with dry friction; angle in
// rad.
func SlidingPendulum(angle, mu float64) (*World, error) {
	s := build(nil)
	at := vec3{0, 1, 0}
	slider := s.add(&Body{Name: "support", Form: Box(0.2, 0.1, 0.1), Mass: 2, Inertia: mat3{0.0034, 0, 0, 0, 0.0083, 0, 0, 0, 0.0083}, X: at})
	s.join(&Joint{Kind: SliderJoint, A: slider, PB: at, Axis: vec3{1, 0, 0}, Friction: mu})
	q := expQuat(vec3{0, 0, angle})
	arm := s.add(&Body{Name: "pendulum", Form: Capsule(0.03, 0.7), Mass: 1, Inertia: mat3{0.05, 0, 0, 0, 0.0025, 0, 0, 0, 0.05}, Q: q, X: at.Sub(rotate(q, vec3{0, 0.4, 0}))})
	s.join(&Joint{Kind: HingeJoint, A: arm, B: slider, PA: vec3{0, 0.4, 0}, Axis: vec3{0, 0, 1}})
	return s.done()
}

// DoublePendulum swings from angles in rad; its end strikes a wall at x in m with a
// restitution e.
func DoublePendulum(first, second, x, e float64) (*World, error) {
	s := build(nil)
	s.add(&Body{Name: "wall", Form: Plane(vec3{-1, 0, 0}), Fixed: true, X: vec3{x, 0, 0}, Restitution: e, Friction: 0.2})
	at := vec3{0, 2, 0}
	var last *Body
	end := vec3{}
	for i, l := range []float64{1, 0.7} {
		q := expQuat(vec3{0, 0, -[2]float64{first, second}[i]})
		b := &Body{Name: fmt.Sprintf("rod %d", i+1), Form: Capsule(0.02, l), Q: q, X: at.Sub(rotate(q, vec3{0, l / 2, 0})), Restitution: e, Friction: 0.2}
		s.add(b)
		j := &Joint{Kind: HingeJoint, A: b, B: last, PA: vec3{0, l / 2, 0}, PB: end, Axis: vec3{0, 0, 1}}
		if last == nil {
			j.PB = at
			if s.err == nil {
				s.w.Ignore(b, s.w.bodies[0]) // the wall is for the end of the second
			}
		}
		s.join(j)
		last, end = b, vec3{0, -l / 2, 0}
		at = b.Point(end)
	}
	return s.done()
}

// Dominoes stand in a row, so far apart in m; the first one leans and falls.
func Dominoes(count int, apart float64) (*World, error) {
	s := build(nil)
	s.floor(0.6, 0)
	for i := range count {
		b := &Body{Name: fmt.Sprintf("domino %d", i+1), Form: Box(0.01, 0.06, 0.03), X: vec3{apart * float64(i), 0.03, 0}, Friction: 0.4}
		if i == 0 { // beyond the angle at which it would fall back
			b.Q = expQuat(vec3{0, 0, -0.2})
			b.X = vec3{0.005, 0, 0}.Add(rotate(b.Q, vec3{-0.005, 0.03, 0}))
		}
		s.add(b)
	}
	return s.done()
}

// Wall is a wall of bricks in running bond.
func Wall(columns, rows int, mu float64) (*World, error) {
	s := build(nil)
	s.floor(mu, 0)
	count := 0
	for r := range rows {
		n := columns + 1 - r%2
		for c := range n {
			if count == columns*rows {
				break // the last row is short
			}
			count++
			s.add(&Body{Name: fmt.Sprintf("brick %d", count), Form: Box(0.2, 0.1, 0.1), Friction: mu, X: vec3{0.2 * (float64(c) - float64(n-1)/2), 0.05 + 0.1*float64(r), 0}})
		}
	}
	return s.done()
}

// Steel is the material of what rings.
var Steel = fem.Material{Name: "steel", Young: 210e9, Poisson: 0.3, Density: 7800}

// TuningFork has prongs of a length, m; it floats, and rings when struck.
func TuningFork(prong float64) (*World, error) {
	m, err := forkMesh(prong)
	return ringing("fork", m, err, 8, 5e-4, vec3{0, 1, 0}, vec3{})
}

// forkMesh has cells of 5 mm: two prongs of 5 mm with 10 mm between them, a yoke, a stem.
func forkMesh(prong float64) (*mesh.Mesh, error) {
	cell := 0.005
	n := int(prong/cell + 0.5)
	return cells([3]int{4, n + 8, 1}, cell, func(i, j, _ int) bool {
		return j >= 8 && (i == 0 || i == 3) || j == 7 || j < 7 && (i == 1 || i == 2)
	})
}

// Bell has a radius and a thickness, m; it floats, and rings when struck.
func Bell(radius, thick float64) (*World, error) {
	m, err := bellMesh(radius, thick)
	return ringing("bell", m, err, 10, 5e-4, vec3{0, 1, 0}, vec3{})
}

func bellMesh(radius, thick float64) (*mesh.Mesh, error) {
	if !(radius > 0 && thick > 0 && thick < radius/2) {
		return nil, fmt.Errorf("rigid: a bell of radius %g m and thickness %g m (cure: above 0, thin)", radius, thick)
	}
	const around, along = 24, 8
	m := &mesh.Mesh{}
	for j := range along + 1 {
		s := float64(j) / along
		r := radius * (0.35 + 0.65*s*s) // narrow above, wide at the rim
		y := 1.2 * radius * (0.5 - s)
		for k := range 2 {
			for i := range around {
				sin, cos := math.Sincos(2 * math.Pi * float64(i) / around)
				m.Nodes = append(m.Nodes, vec3{(r + thick*float64(k)) * cos, y, (r + thick*float64(k)) * sin})
			}
		}
	}
	node := func(i, j, k int) int32 { return int32((j*2+k)*around + i%around) }
	b := mesh.Block{Type: mesh.Hex8}
	for j := range along {
		for i := range around {
			b.Nodes = append(b.Nodes, node(i, j+1, 0), node(i, j+1, 1), node(i, j, 1), node(i, j, 0), node(i+1, j+1, 0), node(i+1, j+1, 1), node(i+1, j, 1), node(i+1, j, 0))
		}
	}
	m.Blocks = []mesh.Block{b}
	if m.Volume() < 0 {
		return nil, fmt.Errorf("rigid: the bell's elements are inverted")
	}
	return m, nil
}

// SpinningBeam is a steel bar that turns across its length, 1/s.
func SpinningBeam(rate float64) (*World, error) {
	m, err := barMesh(vec3{0.5, 0.01, 0.015})
	return ringing("beam", m, err, 18, 5e-3, vec3{0, 1, 0}, vec3{0, rate, 0})
}

// barMesh is a bar along x with edges, m.
func barMesh(size vec3) (*mesh.Mesh, error) {
	return mesh.Box(size.Mul(-0.5), size, [3]int{24, 2, 2})
}

// cells is the mesh of those cubes of a grid that keep names.
func cells(n [3]int, size float64, keep func(i, j, k int) bool) (*mesh.Mesh, error) {
	full, err := mesh.Box(vec3{}, vec3{float64(n[0]), float64(n[1]), float64(n[2])}.Mul(size), n)
	if err != nil {
		return nil, err
	}
	m := &mesh.Mesh{}
	number := map[int32]int32{}
	b := mesh.Block{Type: mesh.Hex8}
	for e := range full.Blocks[0].Len() {
		if !keep(e%n[0], e/n[0]%n[1], e/n[0]/n[1]) {
			continue
		}
		for _, node := range full.Blocks[0].Element(e) {
			id, ok := number[node]
			if !ok {
				id = int32(len(m.Nodes))
				number[node] = id
				m.Nodes = append(m.Nodes, full.Nodes[node])
			}
			b.Nodes = append(b.Nodes, id)
		}
	}
	m.Blocks = []mesh.Block{b}
	return m, nil
}

// ringing is a weightless steel body with its modes.
func ringing(name string, m *mesh.Mesh, err error, count int, zeta float64, x, w vec3) (*World, error) {
	if err != nil {
		return nil, err
	}
	s := build(weightless)
	if s.err != nil {
		return nil, s.err
	}
	found, err := modes.Solve(context.Background(), m, Steel, modes.Options{Count: count})
	if err != nil {
		return nil, err
	}
	vertices, triangles := m.Nodes, surfaceOf(m)
	form, offset, mass, inertia, err := Mesh(vertices, triangles)
	if err != nil {
		return nil, err
	}
	b := &Body{Name: name, Form: form, Mass: mass * Steel.Density, Inertia: inertia.Mul(Steel.Density), X: x, W: w, Friction: 0.3, Restitution: 0.5}
	s.add(b)
	if s.err == nil {
		_, s.err = s.w.Vibrate(b, found, offset, zeta)
	}
	return s.done()
}

// surfaceOf is the boundary of a mesh of linear elements, triangles outwards.
func surfaceOf(m *mesh.Mesh) (triangles [][3]int32) {
	type face struct {
		nodes [4]int32
		count int
	}
	seen := map[[4]int32]*face{}
	var order [][4]int32
	for i := range m.Blocks {
		b := &m.Blocks[i]
		for e := range b.Len() {
			nodes := b.Element(e)
			for _, f := range b.Type.Faces() {
				var on, key [4]int32
				on[3] = -1
				for k, c := range f {
					on[k] = nodes[c]
				}
				key = on
				slices.Sort(key[:])
				if s := seen[key]; s != nil {
					s.count++
					continue
				}
				seen[key] = &face{on, 1}
				order = append(order, key)
			}
		}
	}
	for _, key := range order {
		f := seen[key]
		if f.count > 1 {
			continue
		}
		n := f.nodes
		triangles = append(triangles, [3]int32{n[0], n[1], n[2]})
		if n[3] >= 0 {
			triangles = append(triangles, [3]int32{n[0], n[2], n[3]})
		}
	}
	return triangles
}
