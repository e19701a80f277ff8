package rigid

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/frame"
)

// describe says what does not change about the world.
func (l *live) describe() {
	s := &l.scene
	tool := s.Tool.form().shape()
	l.tool = tool.Vertices
	info := &physics.Info{
		Start: frame.Pose{Position: s.Tool.Position, Rotation: s.Tool.Rotation}, Advances: true,
		Fields: []physics.Field{
			{Name: "von Mises stress", Unit: "Pa", About: "Of the vibration, as it is: without the exaggeration of the picture."},
			{Name: "displacement", Unit: "m", About: "Of the vibration, as it is: without the exaggeration of the picture."},
		},
	}
	names := []string{"tool"}
	if s.Tool.two() {
		names = []string{"first tool", "second tool"}
		info.Second = &frame.Pose{Position: s.Tool.Second, Rotation: s.Tool.Rotation}
	}
	for k, name := range names {
		info.Surfaces = append(info.Surfaces, physics.SurfaceInfo{Name: name, Material: "steel", Driven: true, Second: k == 1, Rigid: true, Triangles: tool.Triangles, Color: s.Tool.Color,
			About: fmt.Sprintf("%s: a %s on a stylus, among %d bodies.", name, s.Tool.Form, len(l.parts))})
	}
	for i := range l.made {
		info.Shapes = append(info.Shapes, l.made[i].shape)
		info.Shapes[i].Ghost, info.Shapes[i].Material = s.Bodies[i].Ghost, s.Bodies[i].Material
	}
	size := 0
	for i := range l.parts {
		p := &l.parts[i]
		p.surface = -1
		m := &l.made[p.spec]
		if p.vib == nil {
			continue
		}
		p.surface = len(info.Surfaces)
		info.Surfaces = append(info.Surfaces, physics.SurfaceInfo{Name: p.name, Material: "steel", Triangles: m.faces, Color: p.color,
			About: fmt.Sprintf("%s: %.3g g, %d modes from %.4g to %.4g Hz.", p.name, 1e3*m.mass, len(m.modes.Omega), m.modes.Omega[0]/2/math.Pi, m.modes.Omega[len(m.modes.Omega)-1]/2/math.Pi)})
		l.moments = make([]float64, max(len(l.moments), len(m.modes.Omega)))
		size = max(size, len(m.modes.Mesh.Nodes))
	}
	l.field = make([]float64, 3*size)
	// Drifts are relative where there is something that they are relative to.
	energyUnit, spinUnit := "", ""
	if l.kinetic, _ = l.world.energy(); l.kinetic == 0 {
		energyUnit = "J"
	}
	_, spin := l.world.momentum()
	if l.spin = spin.Len(); l.spin == 0 {
		spinUnit = "kg m^2/s"
	}
	name := func(of, unit string) string { return strings.TrimSuffix(of+", "+unit, ", ") }
	info.Numbers = []physics.Number{
		{Name: "time_s", Unit: "s", Section: "Haptics", Label: "Simulated time", About: "Time that has passed in the simulation. It runs slower than the clock where a step takes longer than it advances."},
		{Name: "tool_force_N", Unit: "N", Section: "Haptics", Label: "Force on the tool", About: "Of contacts and of what is caught, mean over the last step."},
		{Name: "second_force_N", Unit: "N", Section: "Haptics", Label: "Force on second tool", Rare: true, About: "The same of the second tool."},
		{Name: "held", Format: physics.Count, Section: "Haptics", Label: "Held bodies", About: "Bodies that hang on a stylus."},
		{Name: "energy_J", Unit: "J", Section: "Haptics", Label: "Energy", About: "Kinetic and potential energy of all bodies."},
		{Name: "kinetic_J", Unit: "J"},
		{Name: "potential_J", Unit: "J"},
		{Name: "momentum", Unit: "kg m^2/s", Section: "Haptics", Label: "Angular momentum", About: "Of all bodies about the origin. In free flight it stays."},
		{Name: "momentum_y", Unit: "kg m^2/s"},
		{Name: "energy_change_J", Unit: "J", Section: "Haptics", Label: "Energy change", About: "Since the hand last touched. Friction and impacts lower it; above 0 an integrator errs."},
		{Name: "energy_error", Unit: energyUnit},
		{Name: "momentum_drift", Unit: spinUnit},
		{Name: "turn_rad", Unit: "rad", Section: "Haptics", Label: "Rotation per step", Warn: cautionAngle, About: "Largest |W| h: from 0.1 rad on integrators err, C2 most. A smaller step cures it."},
		{Name: "contacts", Format: physics.Count, Section: "Haptics", Label: "Contacts", About: "Points where bodies touch, or will within a step."},
		{Name: "loaded", Format: physics.Count},
		{Name: "sweeps", Format: physics.Count},
		{Name: "error", Section: "Haptics", Label: "Contact error", Warn: 1e-3, About: "How far impulses are from the laws of contact, relative. 0: there is no contact."},
		{Name: "deepest_m", Unit: "m", Section: "Haptics", Label: "Penetration", Rare: true, Warn: 1e-3, About: "How deep two bodies are in each other."},
		{Name: "restitution_share", Section: "Haptics", Label: "Restitution achieved", Rare: true, About: "Least share of its restitution that a contact got in the last step: with the whole of it the blow would have given energy, by friction."},
		{Name: "vibration_J", Unit: "J", Section: "Haptics", Label: "Vibration", Rare: true, About: "Energy of the modes of vibration."},
	}
	page := physics.Page{Name: "Overview", About: "Energy and angular momentum, and how far both have drifted (C).", Plots: []physics.Plot{
		{Title: "Energy", Unit: "J", About: "Kinetic and potential energy of all bodies, and their sum.", Corner: "energy_J",
			Curves: []physics.Curve{{Name: "sum", Number: "energy_J"}, {Name: "kinetic", Number: "kinetic_J"}, {Name: "potential", Number: "potential_J"}}},
		{Title: "Spin", About: "Angular momentum about the origin: its norm, and its vertical part, kg m^2/s.",
			Curves: []physics.Curve{{Name: "norm", Number: "momentum"}, {Name: "vertical", Number: "momentum_y"}}},
		{Title: "Drift", Log: true, About: "Change of energy and angular momentum since the hand last touched. Relative, energy to the largest kinetic one since; with a unit where nothing moves at the start.",
			Curves: []physics.Curve{{Name: name("energy", energyUnit), Number: "energy_error"}, {Name: name("momentum", spinUnit), Number: "momentum_drift"}}},
	}}
	compared := physics.Plot{Title: "Integrators", About: "Change of the energy of each body that turns by an integrator of its own, relative."}
	for i := range l.parts {
		p := &l.parts[i]
		if s.Bodies[p.spec].Integrator < 2 {
			continue
		}
		p.compare = len(info.Numbers)
		name := "drift " + p.name
		info.Numbers = append(info.Numbers, physics.Number{Name: name, Section: "Haptics", Label: "Drift of " + p.name, About: "Change of its energy since the hand last touched, relative."})
		compared.Curves = append(compared.Curves, physics.Curve{Name: p.name, Number: name})
	}
	if len(compared.Curves) > 0 {
		page.Plots[1] = compared
	} else if len(s.Bodies) > 0 && (s.Floor || len(l.parts) > 8) {
		page.Plots[1] = physics.Plot{Title: "Contacts", Integer: true, Top: 10, About: "Points where bodies touch, and those that bear a force.",
			Curves: []physics.Curve{{Name: "all", Number: "contacts"}, {Name: "loaded", Number: "loaded"}}}
	}
	info.Pages = []physics.Page{page}
	if s.Floor || s.FieldK > 0 {
		info.Ground = new(float64)
	}
	l.info = info
}

// Draw shows bodies, joints, contacts and arrows.
func (l *live) Draw(f *physics.Frame) {
	f.Resize(l.info)
	w := l.world
	if said := l.said.Swap(nil); said != nil {
		l.word = *said
	}
	if l.speaker != nil {
		l.word = cmp.Or(l.speaker.Word(), l.word)
	}
	f.Step, f.Time, f.Status = l.steps, w.time, l.word
	if w.stats.Late && l.word == "" {
		f.Status = "forces cut short"
	}
	f.Stylus, f.Force, f.Torque = w.hands[0].Tool.pose(), l.driven[0].force, l.driven[0].torque
	if len(w.hands) > 1 {
		f.Second = physics.Driven{Stylus: w.hands[1].Tool.pose(), Force: l.driven[1].force, Torque: l.driven[1].torque}
	}
	for k, g := range w.hands {
		f.Surfaces[k].Place(l.tool, g.Tool.pose())
	}
	for i := range l.parts {
		p := &l.parts[i]
		if p.surface >= 0 {
			l.drawRinging(f, p)
		} else {
			f.Instances = append(f.Instances, physics.Instance{Shape: int32(p.spec), Pose: p.body.pose(), Color: p.color})
		}
		l.drawTrail(f, p)
	}
	l.drawJoints(f)
	l.drawArrows(f)
	l.drawHeld(f)
	if l.now.Contacts != 2 {
		l.drawContacts(f, l.now.Contacts == 1)
	}
	l.count(f)
}

// drawRinging is a vibrating body: each mode at its amplitude, large and slow.
func (l *live) drawRinging(f *physics.Frame, p *part) {
	m, v := &l.made[p.spec], p.vib
	out := &f.Surfaces[p.surface]
	if len(out.Vertices) != len(m.nodes) {
		out.Vertices, out.Scalar = make([]mgl64.Vec3, len(m.nodes)), make([]float64, 0, len(m.nodes))
	}
	q := l.moments[:len(v.osc.Q)]
	for i := range q {
		q[i] = v.osc.Q[i]
		if l.now.Slow > 1 {
			// A stroboscope: the amplitude about the place where the load of the rotation holds the mode, at a phase
			// that runs so many times as slow.
			o := v.Modes.Omega[i]
			rest := v.load[i] / (o * o)
			swing := math.Hypot(v.osc.Q[i]-rest, (v.osc.Q[i]-v.osc.Last[i])/(v.osc.h*o))
			q[i] = rest + swing*math.Cos(math.Mod(o*l.world.time/l.now.Slow, 2*math.Pi))
		}
	}
	for k, n := range m.nodes {
		var u vec3
		for i, phi := range v.Modes.Phi {
			for c := range 3 {
				u[c] += q[i] * phi[3*int(n)+c]
			}
		}
		out.Vertices[k] = p.body.point(v.Modes.Mesh.Nodes[n].Sub(v.offset).Add(u.Mul(l.now.Exaggerate)))
	}
	l.drawField(f, m.nodes, v, out)
}

// drawField is what colours a vibrating body. It allocates, where somebody looks at stresses.
func (l *live) drawField(f *physics.Frame, nodes []int32, v *vibration, out *physics.Surface) {
	if f.Want.Field == 0 {
		return
	}
	f.Field = f.Want.Field
	field := l.field[:3*len(v.Modes.Mesh.Nodes)]
	v.displacements(field)
	if f.Field == 2 {
		for _, n := range nodes {
			out.Scalar = append(out.Scalar, vec3(field[3*n:3*n+3]).Len())
		}
		return
	}
	stress := make([]float64, v.corners)
	v.Modes.VonMises(stress, field)
	for _, n := range nodes {
		out.Scalar = append(out.Scalar, stress[n])
	}
}

var (
	rodColor      = mgl64.Vec3{0.62, 0.66, 0.72}
	momentumColor = mgl64.Vec3{0.97, 0.86, 0.30}
	velocityColor = mgl64.Vec3{0.36, 0.70, 0.98}
	rateColor     = mgl64.Vec3{0.95, 0.50, 0.66}
)

func (l *live) drawTrail(f *physics.Frame, p *part) {
	for k := range len(p.trail) - 1 {
		fade := 1 - float64(k)/trailPoints
		f.Lines = append(f.Lines, physics.Line{A: p.trail[k], B: p.trail[k+1], Color: p.color.Mul(0.35 + 0.65*fade)})
	}
}

// drawJoints: a rod from each body's middle to where it hangs, and a ball there.
func (l *live) drawJoints(f *physics.Frame) {
	joint := func(a *Body, at vec3) {
		if at.Sub(a.X).Len() > 0.3*a.Form.reach {
			f.Lines = append(f.Lines, physics.Line{A: a.X, B: at, Color: rodColor})
		}
		f.Points = append(f.Points, physics.Point{Position: physics.Single(at), Radius: float32(0.06 * a.Form.reach),
			Color: [3]float32{0.75, 0.77, 0.8}})
	}
	for _, j := range l.world.joints {
		switch j.Kind {
		case RodJoint:
			f.Lines = append(f.Lines, physics.Line{A: j.A.point(j.PA), B: j.pointB(), Color: rodColor})
		case SliderJoint:
			at, a := j.pointB(), j.axis().Mul(8*j.A.Form.reach)
			f.Lines = append(f.Lines, physics.Line{A: at.Sub(a), B: at.Add(a), Color: rodColor})
		default:
			joint(j.A, j.A.point(j.PA))
		}
	}
	for _, b := range l.world.moved {
		if b.Solo != nil && b.Solo.Pivot != nil {
			joint(b, *b.Solo.Pivot)
		}
	}
}

// drawArrows: momenta as long as one and a half times the reach of a body where they are largest.
func (l *live) drawArrows(f *physics.Frame) {
	const few = 40 // of more bodies nobody reads the arrows
	for i := range l.parts {
		b := l.parts[i].body
		if b.invMass == 0 || len(l.parts) > few && b.V.Dot(b.V) < 1e-4 {
			continue
		}
		arrow := func(v vec3, largest *float64, color mgl64.Vec3) {
			if *largest = max(*largest, v.Len()); *largest > 0 {
				f.Arrows = append(f.Arrows, physics.Arrow{At: b.X, Vector: v.Mul(1.5 * b.Form.reach / *largest), Color: color})
			}
		}
		if l.now.Momentum {
			arrow(b.spin(), &l.most, momentumColor)
		}
		if l.now.Velocity {
			arrow(b.omega(), &l.fastest, rateColor)
			f.Arrows = append(f.Arrows, physics.Arrow{At: b.X, Vector: b.V.Mul(0.1), Color: velocityColor})
		}
	}
}

// shownContacts is how many contacts a picture takes.
const shownContacts = 512

func (l *live) drawContacts(f *physics.Frame, toolOnly bool) {
	w := l.world
	h := w.h
	p := &w.system.problem
	for i := range p.contacts {
		a, b := w.bodies[w.system.contacts.pairs[i][0]], w.bodies[w.system.contacts.pairs[i][1]]
		if toolOnly && a.hand == nil && b.hand == nil || len(f.Contacts) == shownContacts {
			continue
		}
		c := &p.contacts[i]
		side := 1.0 // the tool is the impactor where it takes part
		if b.hand != nil {
			side = -1
		}
		at := w.system.contacts.spots[i]
		k := physics.Contact{ID: w.system.contacts.keys[i] | 1<<63, Node: -1, P: at, Q: at, N: c.d[0].Mul(side), T1: c.d[1].Mul(side), T2: c.d[2], Mu: c.mu}
		sign := [3]float64{1, 1, side} // t2 stays, so that n, t1, t2 are right-handed
		dirs := [3]vec3{k.N, k.T1, k.T2}
		for r := range 3 {
			k.R[r], k.X[r] = sign[r]*c.r[r]/h, sign[r]*c.x[r]*w.ahead
			k.Force = k.Force.Add(dirs[r].Mul(k.R[r]))
		}
		k.Q = at.Sub(k.N.Mul(max(w.system.contacts.gaps[i], 0)))
		switch {
		case c.r[0] == 0:
			k.Status = physics.Open
		case math.Hypot(c.r[1], c.r[2]) >= c.mu*c.r[0]*(1-1e-6):
			k.Status = physics.Slip
		default:
			k.Status = physics.Stick
		}
		f.Contacts = append(f.Contacts, k)
	}
}

// count fills the numbers.
func (l *live) count(f *physics.Frame) {
	w := l.world
	k, p := w.energy()
	_, spin := w.momentum()
	change, held, ringing := k+p-l.energy0, 0.0, 0.0
	drift, turned := math.Abs(change), spin.Sub(l.spin0).Len()
	if l.kinetic > 0 {
		l.scale0 = max(l.scale0, k, l.kinetic)
		drift /= l.scale0
	}
	if l.spin > 0 {
		turned /= max(l.spin0.Len(), l.spin)
	}
	for _, g := range w.hands {
		if g.held != nil {
			held++
		}
	}
	for _, v := range w.vibrations {
		ringing += v.energy()
	}
	failure, deep := 0.0, 0.0
	if w.stats.Contacts > 0 {
		failure = max(w.stats.Errors.Natural, w.stats.Errors.Scaled)
	}
	if w.stats.Overlap > 0 {
		deep = -w.stats.Deepest
	}
	const least = 1e-17 // where a logarithm begins
	n := append(f.Numbers[:0], w.time, l.driven[0].force.Len(), l.driven[1].force.Len(), held,
		k+p, k, p, spin.Len(), spin[1], change, max(drift, least), max(turned, least), w.stats.Caution,
		float64(w.stats.Contacts), float64(w.stats.Loaded), float64(w.stats.Sweeps), failure, deep,
		w.stats.Restitution, ringing)
	for i := range l.parts {
		if q := &l.parts[i]; q.compare >= 0 {
			n = append(n, (l.soloEnergy(q)-q.energy0)/max(math.Abs(q.energy0), q.body.kinetic(), math.SmallestNonzeroFloat64))
		}
	}
	f.Numbers = n
}

// shape is the surface of a form for the eye.
func (f *Form) shape() (s physics.Shape) {
	switch f.Kind {
	case FormMesh:
		return physics.Shape{Vertices: f.Vertices, Triangles: f.Triangles}
	case FormBox:
		for i := range 8 {
			s.Vertices = append(s.Vertices, corner(f.Half, i))
		}
		for _, q := range [6][4]int32{{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}} {
			s.Triangles = append(s.Triangles, [3]int32{q[0], q[1], q[2]}, [3]int32{q[0], q[2], q[3]})
		}
		return s
	case FormEllipsoid:
		s = turnedShape(arc(nil, 0, 1, math.Pi, 0))
		for i, v := range s.Vertices {
			s.Vertices[i] = vec3{v[0] * f.Half[0], v[1] * f.Half[1], v[2] * f.Half[2]}
		}
		return s
	case FormCylinder:
		return turnedShape([][2]float64{{0, -f.Half[1]}, {f.Radius, -f.Half[1]}, {f.Radius, f.Half[1]}, {0, f.Half[1]}})
	}
	// a ball or capsule
	outline := arc(nil, -f.Half[1], f.Radius, math.Pi, math.Pi/2)
	if f.Half[1] == 0 {
		return turnedShape(arc(outline[:len(outline)-1], 0, f.Radius, math.Pi/2, 0))
	}
	return turnedShape(arc(outline, f.Half[1], f.Radius, math.Pi/2, 0))
}

// arc adds points (radius, height) of a circle about (0, y), from one angle to another against the y axis.
func arc(outline [][2]float64, y, radius, from, to float64) [][2]float64 {
	const n = 10
	for i := range n + 1 {
		s, c := math.Sincos(from + (to-from)*float64(i)/n)
		outline = append(outline, [2]float64{radius * s, y + radius*c})
	}
	return outline
}

func turnedShape(outline [][2]float64) (s physics.Shape) {
	s.Vertices, s.Triangles = turnedSurface(outline)
	return s
}

// turnedSurface turns an outline of (radius, height), from below, about y. Its ends are on the axis.
func turnedSurface(outline [][2]float64) (v []vec3, t [][3]int32) {
	const around = 32
	last := len(outline) - 1
	v = append(v, vec3{0, outline[0][1], 0}, vec3{0, outline[last][1], 0})
	for _, p := range outline[1:last] {
		for k := range around {
			s, c := math.Sincos(2 * math.Pi * float64(k) / float64(around))
			v = append(v, vec3{p[0] * c, p[1], p[0] * s})
		}
	}
	at := func(ring, k int) int32 { return int32(2 + ring*around + k%around) }
	for k := range around {
		t = append(t, [3]int32{0, at(0, k), at(0, k+1)}, [3]int32{1, at(last-2, k+1), at(last-2, k)})
		for r := range last - 2 {
			t = append(t, [3]int32{at(r, k), at(r+1, k), at(r+1, k+1)}, [3]int32{at(r, k), at(r+1, k+1), at(r, k+1)})
		}
	}
	return v, t
}

// topTurned is a spinning top that stands on the origin: a tip, a cone, a rim, a stem.
func topTurned(radius, length, tip float64) (v []vec3, t [][3]int32) {
	outline := [][2]float64{{0, 0}}
	for i := 1; i <= 4; i++ {
		s, c := math.Sincos(math.Pi / 2 * float64(i) / 5)
		outline = append(outline, [2]float64{tip * s, tip - tip*c})
	}
	outline = append(outline, [][2]float64{{tip, tip}, {radius * 0.95, 0.42 * length}, {radius, 0.48 * length},
		{radius, 0.54 * length}, {radius * 0.9, 0.60 * length}, {0.14 * radius, 0.68 * length},
		{0.12 * radius, 0.97 * length}, {0.08 * radius, length}, {0, length}}...)
	return turnedSurface(outline)
}
