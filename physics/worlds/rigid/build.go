package rigid

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/mesh"
	"hapco/physics/files/setting"
	"hapco/physics/numerics/fem"
	"hapco/physics/numerics/modes"
)

// prepare makes forms, masses and modes: what lasts as long as the scene.
func (l *live) prepare(ctx context.Context) error {
	s := &l.scene
	l.made, l.parts = make([]made, len(s.Bodies)), nil
	for i := range s.Bodies {
		b := &s.Bodies[i]
		m := &l.made[i]
		if err := m.make(ctx, b, cmp.Or(b.Unit, s.Units.Length)); err != nil {
			return fmt.Errorf("rigid: body %q: %w", b.Name, err)
		}
		b.each(func(name string, offset mgl64.Vec3, turn float64) {
			n := len(l.parts)
			shade := 1.0
			if b.count() > 1 { // neighbours differ a little, the same way each time
				shade = 0.82 + 0.36*math.Mod(float64(n)*math.Phi, 1)
			}
			p := part{spec: i, name: name, start: b.Position.Add(offset), turn: mgl64.QuatRotate(turn, mgl64.Vec3{0, 1, 0}).Mul(b.Rotation), compare: -1}
			if t := m.form.tip; t != nil { // a top is placed by its tip
				p.start = p.start.Add(mgl64.Vec3{0, t.Radius, 0}).Sub(rotate(p.turn, t.At))
			}
			for k := range 3 {
				p.color[k] = min(1, shade*b.Color[k])
			}
			if !math.IsNaN(b.Trail[0]) {
				p.trail = make([]mgl64.Vec3, 0, trailPoints)
			}
			l.parts = append(l.parts, p)
		})
	}
	return nil
}

// make makes it; unit is that of a file's lengths.
func (m *made) make(ctx context.Context, b *bodySpec, unit string) (err error) {
	switch m.form = simpleForm(b.Form, b.Size, b.Radius, b.Length); {
	case m.form != nil:
	case b.Form == "top":
		tip := cmp.Or(b.Tip, b.Radius/10)
		v, t := topTurned(b.Radius, b.Length, tip)
		if err = m.enclose(v, t, b.Density); err == nil {
			m.form.tip = &Tip{At: vec3{0, tip, 0}.Sub(m.offset), Radius: tip}
		}
	case b.Form == "mesh" && b.Modes == 0:
		t, bad := setting.ReadSurface(b.File, unit)
		if bad != nil {
			return bad
		}
		if n := len(t.Triangles); n > maxTriangles {
			return fmt.Errorf("the surface of %s has %d triangles (cure: a coarser one, of %d at most)", b.File, n, maxTriangles)
		}
		err = m.enclose(t.Nodes, t.Triangles, b.Density)
	default:
		err = m.ring(ctx, b, unit)
	}
	if err != nil {
		return err
	}
	if err := m.form.prepare(); err != nil {
		return err
	}
	if m.mass == 0 {
		m.mass, m.inertia = m.form.Solid(b.Density)
	}
	if b.Mass > 0 {
		m.inertia = m.inertia.Mul(b.Mass / m.mass)
		m.mass = b.Mass
	}
	if b.Inertia != (mgl64.Vec3{}) {
		r := matrixOf(b.InertiaTurn)
		m.inertia = r.Mul3(mgl64.Diag3(b.Inertia)).Mul3(r.Transpose())
	}
	m.shape = m.form.shape()
	return nil
}

// enclose makes it what a closed surface encloses.
func (m *made) enclose(vertices []vec3, triangles [][3]int32, density float64) (err error) {
	m.form, m.offset, m.mass, m.inertia, err = Mesh(vertices, triangles)
	m.mass, m.inertia = m.mass*density, m.inertia.Mul(density)
	return err
}

// maxTriangles is the largest surface of a body: contacts are looked for at its vertices and edges.
const maxTriangles = 20_000

// coarseMesh is how many nodes a mesh has at most to get nodes in the middle of its edges: a finer one bends well
// without, and its modes are to be there within seconds.
const coarseMesh = 4000

// volumeMesh reads the elements that vibrate.
func volumeMesh(file, unit string) (*mesh.Mesh, error) {
	data, err := setting.OpenFile(file)
	if err != nil {
		return nil, err
	}
	m, err := mesh.Decode(file, data)
	if err != nil {
		return nil, err
	}
	metres, err := mesh.LengthUnit(unit)
	if err != nil {
		return nil, err
	}
	m.Scale(metres)
	return m, nil
}

// ring makes a fork, bell, bar or mesh of finite elements, and its modes.
func (m *made) ring(ctx context.Context, b *bodySpec, unit string) error {
	var grid *mesh.Mesh
	var err error
	switch b.Form {
	case "mesh":
		grid, err = volumeMesh(b.File, unit)
	case "fork":
		grid, err = forkMesh(b.Length)
	case "bell":
		grid, err = bellMesh(b.Radius, b.Thickness)
	default:
		grid, err = barMesh(b.Size)
	}
	if err != nil {
		return err
	}
	faces := surfaceOf(grid)
	if err := m.enclose(grid.Nodes, faces, b.Density); err != nil || b.Modes == 0 {
		return err
	}
	place := slices.Repeat([]int32{-1}, len(grid.Nodes))
	for _, f := range faces {
		for k, n := range f {
			if place[n] < 0 {
				place[n] = int32(len(m.nodes))
				m.nodes = append(m.nodes, n)
			}
			f[k] = place[n]
		}
		m.faces = append(m.faces, f)
	}
	m.modes, err = modes.Solve(ctx, grid, fem.Material{Name: "custom", Young: b.Young, Poisson: b.Poisson, Density: b.Density},
		modes.Options{Count: b.Modes, Linear: len(grid.Nodes) > coarseMesh})
	return err
}

// build makes the engine's world anew, from the scene's start or where bodies are now.
func (l *live) build(states []placed) error {
	s := &l.now
	c := DefaultConfig()
	c.Step, c.Gravity, c.Sweeps, c.Tolerance = s.Step, mgl64.Vec3{0, -s.Gravity, 0}, s.Sweeps, s.Tolerance
	w, err := NewWorld(c)
	if err != nil {
		return err
	}
	w.Team = l.team
	l.floor = nil
	if s.Floor {
		l.floor = &Body{Name: "floor", Form: Plane(vec3{0, 1, 0}), Fixed: true}
		if err := w.Add(l.floor); err != nil {
			return err
		}
	}
	byName := make(map[string]*Body, len(l.parts))
	for i := range l.parts {
		var at *placed
		if states != nil {
			at = &states[i]
		}
		if err := l.addPart(w, &l.parts[i], at); err != nil {
			return err
		}
		byName[l.parts[i].name] = l.parts[i].body
	}
	if err := l.addJoints(w, byName); err != nil {
		return err
	}
	if err := l.addCharges(w); err != nil {
		return err
	}
	w.addLaw(&air{l})
	again := l.world != nil && states != nil
	for k, at := range s.Tool.starts() {
		tool := &Body{Name: fmt.Sprint("tool ", k+1), Form: s.Tool.form(), X: at, Q: s.Tool.Rotation}
		if again {
			old := l.world.hands[k].Tool
			tool.X, tool.Q = old.X, old.Q
		}
		g, err := w.addTool(tool)
		if err != nil {
			return err
		}
		if again {
			g.goOn(l.world.hands[k])
		}
	}
	if again {
		w.time, w.steps = l.world.time, l.world.steps
	}
	w.listen()
	l.world = w
	l.surfaces()
	l.since()
	return nil
}

// addPart adds a part's body to a world, at its start or where it is.
func (l *live) addPart(w *World, p *part, at *placed) (err error) {
	s := &l.now
	spec, m := &s.Bodies[p.spec], &l.made[p.spec]
	b := &Body{Name: p.name, Form: m.form, Mass: m.mass, Inertia: m.inertia, Fixed: spec.Fixed, X: p.start, Q: p.turn, V: spec.Velocity, W: spec.Spin}
	if spec.Ghost {
		b.Form = &Form{}
	}
	if at != nil {
		b.put(at)
	}
	which := spec.Integrator - 1 // "scene" is 0, and then as in integratorWords
	if which == 0 {
		which = s.Integrator
	}
	if which > 0 {
		k := integratorIs[which]
		b.Solo = &Solo{Algorithm: k.Algorithm, Rule: k.TorqueRule}
		if pivot, _ := s.pivot(p.name); pivot != nil {
			x := *pivot
			b.Solo.Pivot, b.Solo.Arm = &x, unrotate(b.Q, b.X.Sub(x))
		}
	}
	if err := w.Add(b); err != nil {
		return err
	}
	old := p.vib
	p.body, p.vib = b, nil
	if m.modes == nil || spec.Fixed {
		return nil
	}
	if p.vib, err = w.vibrate(b, m.modes, m.offset, spec.ModalDamping); err != nil {
		return err
	}
	if at != nil && old != nil { // they ring on
		for k, q := range old.osc.Q {
			p.vib.osc.Q[k] = q
			p.vib.osc.Last[k] = q - (q-old.osc.Last[k])*p.vib.osc.h/old.osc.h
		}
	}
	return nil
}

// addJoints adds the joints. Places and axes in the scene file are those at the start.
func (l *live) addJoints(w *World, byName map[string]*Body) error {
	for i := range l.now.Joints {
		j := &l.now.Joints[i]
		a, b := byName[j.A], byName[j.B]
		if a.Solo != nil {
			continue // its pivot
		}
		joint := &Joint{Kind: j.Kind, A: a, B: b, Axis: j.Axis, Friction: j.Friction}
		joint.PA, joint.PB = l.within(a, j.At), l.within(b, j.At)
		if j.Kind == RodJoint {
			joint.PB = l.within(b, j.To)
		}
		if b != nil {
			joint.Axis = l.within(b, j.At.Add(j.Axis)).Sub(joint.PB)
		}
		if err := w.AddJoint(joint); err != nil {
			return err
		}
	}
	return nil
}

// addCharges adds what the wall does to charges.
func (l *live) addCharges(w *World) error {
	s := &l.now
	for i := range l.parts {
		p := &l.parts[i]
		law := &charges{Body: p.body, E0: s.FieldE0, K: s.FieldK}
		for k := range s.Charges {
			if c := &s.Charges[k]; c.Body == p.name {
				if !(p.body.point(c.At)[1] > 0) && s.FieldK > 0 {
					return fmt.Errorf("rigid: a charge of %q starts in the wall (cure: higher than y = 0)", p.name)
				}
				law.Points, law.Charge = append(law.Points, c.At), append(law.Charge, c.Charge)
			}
		}
		if len(law.Points) > 0 {
			w.addLaw(law)
		}
	}
	return nil
}

// form is the shape of the tools.
func (t *toolSpec) form() *Form { return simpleForm(t.Form, t.Size, t.Radius, t.Length) }

// simpleForm is one that a few sizes say; nil: kind is none.
func simpleForm(kind string, size vec3, radius, length float64) *Form {
	switch kind {
	case "ball":
		return Ball(radius)
	case "box":
		return Box(size[0], size[1], size[2])
	case "capsule":
		return Capsule(radius, length)
	case "cylinder":
		return Cylinder(radius, length)
	case "ellipsoid":
		return Ellipsoid(size[0]/2, size[1]/2, size[2]/2)
	}
	return nil
}

// starts are where the tools stand at the start.
func (t *toolSpec) starts() []mgl64.Vec3 {
	if t.two() {
		return []mgl64.Vec3{t.Position, t.Second}
	}
	return []mgl64.Vec3{t.Position}
}

func (t *toolSpec) two() bool { return !math.IsNaN(t.Second[0]) }

// within is a place of the world at the start in a body's axes; nil is the ground.
func (l *live) within(b *Body, at vec3) vec3 {
	for i := range l.parts {
		if p := &l.parts[i]; b != nil && p.body == b {
			return unrotate(p.turn, at.Sub(p.start))
		}
	}
	return at
}

// surfaces gives all bodies the live friction and restitution.
func (l *live) surfaces() {
	s := &l.now
	own := func(x, common float64) float64 {
		if math.IsNaN(x) {
			return common
		}
		return x
	}
	for i := range l.parts {
		spec, b := &s.Bodies[l.parts[i].spec], l.parts[i].body
		b.Friction, b.Restitution = own(spec.Friction, s.Friction), own(spec.Restitution, s.Restitution)
	}
	if l.floor != nil {
		l.floor.Friction = s.Friction
	}
	for _, g := range l.world.hands {
		g.Tool.Friction = s.Friction
	}
}
