package finitestrain

import (
	"fmt"
	"strings"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/files/scene"
	"hapco/physics/frame"
	"hapco/physics/numerics/contact"
)

// drawEvery is how often a frame is made: its energy and J take a pass over all elements.
const drawEvery = 10 * time.Millisecond

// numbers of a frame, and how they follow from what is shown; the last ones are of bodies in motion.
var numbers = []struct {
	physics.Number
	of func(w *world, f *physics.Frame) float64
}{
	{physics.Number{Name: "tool_force_N", Unit: "N", Label: "Force on the tool", About: "Of the body, in the equilibrium that is shown."},
		func(_ *world, f *physics.Frame) float64 { return f.Force.Len() }},
	{physics.Number{Name: "residual_N", Unit: "N", Label: "Residual", About: "Norm of the out-of-balance forces of all nodes after the last step. A state is shown once that is a small share of the contact forces."},
		func(w *world, _ *physics.Frame) float64 { return w.stiffer() * w.steps.last.Residual }},
	{physics.Number{Name: "corrections", Format: physics.Count, Label: "Newton iterations", About: "In the last step."},
		func(w *world, _ *physics.Frame) float64 { return float64(w.steps.last.Corrections) }},
	{physics.Number{Name: "least_J", Label: "Smallest J", About: "Volume of the most compressed element over that at rest."},
		func(w *world, _ *physics.Frame) float64 { return w.shown.leastJ }},
	{physics.Number{Name: "inverted_elements", Format: physics.Count, Label: "Inverted elements", About: "Elements that are turned over. There should never be any.", Warn: 1},
		func(w *world, _ *physics.Frame) float64 { return float64(w.shown.inverted) }},
	{physics.Number{Name: "energy_J", Unit: "J", Label: "Elastic energy", About: "That the body stores in the state that is shown."},
		func(w *world, _ *physics.Frame) float64 { return w.stiffer() * w.shown.elastic }},
	{physics.Number{Name: "settled", Format: physics.Share, Label: "Converged steps", About: "Share of the last hundred steps or so that came to a new equilibrium."},
		func(w *world, _ *physics.Frame) float64 { return w.steps.settled }},
	{physics.Number{Name: "factor_age", Format: physics.Count, Label: "Age of the tangent", About: "Steps since the stiffness in use was factorised by the second thread."},
		func(w *world, _ *physics.Frame) float64 { return float64(w.steps.last.Age) }},
	{physics.Number{Name: "gripped", Format: physics.Count, Label: "Gripped nodes", About: "Nodes that the tool's grip holds."},
		func(w *world, _ *physics.Frame) float64 { return float64(w.engine.grip.held) }},
	{physics.Number{Name: "beyond_linear", Format: physics.Count, Label: "Beyond small strain", About: "Elements of which a line is stretched or shortened by more than a tenth: a linear body would be wrong there. Counted while the organ is coloured by anything but its displacement."},
		func(w *world, _ *physics.Frame) float64 { return float64(w.strain.beyond) }},
	{physics.Number{Name: "given_up_N", Unit: "N", Label: "Unconverged residual", About: "Residual of a step that its deadline ended before it was in equilibrium; 0 where it was not. The tool waits meanwhile."},
		func(w *world, _ *physics.Frame) float64 { return w.stiffer() * w.steps.last.givenUp() }},
	{physics.Number{Name: "invalid_states", Format: physics.Count, Label: "Invalid states", About: "Times that the hand held still and what it held broke a law: an element turned over, surfaces through each other, a force outside its cone or that pulls. There should never be any.", Warn: 1},
		func(w *world, _ *physics.Frame) float64 { return float64(w.engine.rest.invalid) }},
	{physics.Number{Name: "kinetic_J", Unit: "J", Label: "Kinetic energy", About: "Of the bodies in the state that is shown."},
		func(w *world, _ *physics.Frame) float64 { return w.engine.Kinetic() }},
	{physics.Number{Name: "time_s", Unit: "s", Label: "Simulated time", About: "Time that has passed in the simulation. It runs slower than the clock where a step takes longer than it advances."},
		func(w *world, _ *physics.Frame) float64 { return w.steps.time }},
}

// inMotion is how many of them are of bodies in motion alone.
const inMotion = 2

func (w *world) describe(all *gathered, tool *scene.Solid) *physics.Info {
	s := &w.scene
	surfaces := []physics.SurfaceInfo{{Name: "tool", Material: "steel", Driven: true, Rigid: true, Triangles: tool.Surface.Triangles, Color: s.Tool.Color,
		About: fmt.Sprintf("tool: %d triangles.", len(tool.Surface.Triangles))}}
	for i, o := range s.organs() {
		surface := physics.SurfaceInfo{Name: o.Body.Name, Material: o.madeOf(), Rigid: o.Body.Rigid, Triangles: w.bodies.surfaces[i].Triangles, Fixed: all.held[i], Color: o.Body.Color,
			About: fmt.Sprintf("%s: %d triangles, rigid.", o.Body.Name, len(w.bodies.surfaces[i].Triangles))}
		if m := w.bodies.inner[i].mesh; m != nil {
			surface.About = strings.TrimSpace(fmt.Sprintf("%s: %d nodes, %d %s, %s. %s", o.Body.Name, len(m.Nodes), m.Elements(), strings.Replace(m.Blocks[0].Type.String(), "hedron", "hedra", 1), o.madeOf(), all.about[i]))
		}
		surfaces = append(surfaces, surface)
	}
	shown, energies := numbers[:len(numbers)-inMotion], []physics.Curve{{Name: "elastic", Number: "energy_J"}}
	if s.Motion.moves() {
		shown = numbers
		energies = append(energies, physics.Curve{Name: "kinetic", Number: "kinetic_J"})
	}
	info := &physics.Info{
		Start: s.Tool.Pose, Lever: frame.Reach(w.tool.shape), Advances: s.Motion.moves() || s.relaxes(), Every: drawEvery, Fields: shownFields,
		Surfaces: surfaces,
		Pages: []physics.Page{{Name: "Overview", About: "Force, residual and compression over the last seconds.", Plots: []physics.Plot{
			{Title: "Residual", Unit: "N", Log: true, About: "Norm of the out-of-balance forces.", Curves: []physics.Curve{{Name: "residual", Number: "residual_N"}}},
			{Title: "Energy", Unit: "J", About: "Elastic energy that the body stores, and that of its motion where it moves in time.", Curves: energies},
			{Title: "Smallest J", Top: 1, About: "Volume of the most compressed element over that at rest.", Curves: []physics.Curve{{Name: "J", Number: "least_J"}}},
		}}},
	}
	for i := range shown {
		info.Numbers = append(info.Numbers, shown[i].Number)
		info.Numbers[i].Section = "Haptics"
	}
	return info
}

// Draw shows the last equilibrium.
func (w *world) Draw(f *physics.Frame) {
	f.Resize(w.info)
	l, k := w.engine, w.stiffer()
	f.Step, f.Time, f.Stylus, f.Force, f.Torque = w.steps.count, w.steps.time, w.shown.tool, w.felt.force.Mul(k), w.felt.torque.Mul(k)
	force, torque := w.grasp.Reaction(w.shown.tool)
	f.Force, f.Torque = f.Force.Add(force), f.Torque.Add(torque)
	w.grasp.Draw(f)
	f.Softest = w.now.softest()
	f.Surfaces[0].Place(w.tool.shape, w.shown.tool)
	for i, s := range w.bodies.surfaces {
		v := f.Surfaces[1+i].Vertices[:0]
		for _, n := range s.Nodes {
			v = append(v, mgl64.Vec3(l.Shown.X[3*n:3*n+3]))
		}
		f.Surfaces[1+i].Vertices = v
	}
	w.drawField(f)
	for i := range w.felt.spots {
		axes := &w.felt.model.Frame[i]
		at := &w.felt.spots[i]
		q := at.of(l.Shown.X)
		c := physics.Contact{ID: at.id(), Node: -1, P: q.Add(axes[0].Mul(w.felt.gaps[i])), Q: q, N: axes[0], T1: axes[1], T2: axes[2],
			X: [3]float64{w.felt.gaps[i]}, Mu: w.felt.model.Mu[i], Hold: k * w.felt.holds[i], Status: w.felt.status[i]}
		for d := range 3 {
			c.R[d] = k * w.felt.model.R[3*i+d]
			if d == 0 {
				c.R[0] -= k * w.felt.holds[i]
			}
			c.Force = c.Force.Add(axes[d].Mul(c.R[d]))
		}
		f.Contacts = append(f.Contacts, c)
	}
	if !w.shown.measured || l.relaxing != nil {
		if w.shown.leastJ, w.shown.inverted = w.shown.report.LeastJ, 0; !(w.shown.leastJ > 0) { // not known yet, or an element is turned over
			w.shown.leastJ, w.shown.inverted = l.body.MinJ(l.Shown.X)
		}
		w.shown.elastic, w.shown.measured = l.Energy(), true
	}
	for i := range f.Numbers {
		f.Numbers[i] = numbers[i].of(w, f)
	}
	if gripped, lost := l.Gripped(); lost > 0 && gripped == 0 {
		f.Status = "the grip has let go: open and close it"
	}
	if !w.steps.last.Settled {
		f.Status = "finding equilibrium"
	}
	if l.Err() != nil {
		f.Status = l.Err().Error()
	}
}

// Account is a step's row in a table.
func (w *world) Account(bool) []physics.Entry {
	l, k := w.engine, w.stiffer()
	least, inverted := l.body.MinJ(l.Shown.X)
	gripped, _ := l.Gripped()
	strain := w.strains()
	var statuses [3]int
	for _, s := range w.felt.status {
		statuses[s]++
	}
	return []physics.Entry{
		{Name: "torque_Nm", Value: w.felt.torque.Mul(k)},
		{Name: "sticking", Value: statuses[contact.Stick], Column: "sticking", Short: "stick"},
		{Name: "sliding", Value: statuses[contact.Slip], Column: "sliding", Short: "slip"},
		{Name: "residual_N", Value: k * w.shown.report.Residual, Column: "residual_N", Short: "residual N", Format: "%.1e"},
		{Name: "given_up_N", Value: k * w.steps.gaveUp},
		{Name: "pressed_N", Value: k * w.shown.report.Pressed},
		{Name: "cone_violation", Value: l.coneViolation()},
		{Name: "friction_lag", Value: l.frictionLag()},
		{Name: "contact_error_N", Value: k * w.shown.report.Broken},
		{Name: "coulomb_error", Value: w.shown.broken},
		{Name: "corrections", Value: w.shown.report.Corrections, Column: "corrections", Short: "corrections"},
		{Name: "least_J", Value: least, Column: "least_J", Short: "least J", Format: "%.3f"},
		{Name: "inverted_elements", Value: inverted},
		{Name: "gripped", Value: gripped},
		{Name: "beyond_linear", Value: w.strain.beyond},
		{Name: "largest_strain", Value: strain, Column: "largest_strain", Short: "strain", Format: "%.3f"},
		{Name: "energy_J", Value: k * l.Energy(), Column: "energy_J"},
	}
}
