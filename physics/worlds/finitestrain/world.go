package finitestrain

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/files/mesh"
	"hapco/physics/frame"
	"hapco/physics/local"
	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/fem/solid"
)

// axes turn those of an engine's row into a contact's: the engine's normal and forces are
// those of the body, a contact's are those of the tool. Three stay right-handed.
var axes = [3]float64{-1, 1, -1}

// world is a live body behind the seam.
//
// The engine works with the scene's E. Equilibrium and motion do not depend on a common
// factor of all E, weights and masses: all forces are proportional to it. So another E of the
// first body scales what leaves the engine, and the E of the others, weights and masses are
// those over that factor.
type world struct {
	scene  SceneFile // as it was opened
	now    SceneFile // with the live parameters
	info   *physics.Info
	engine *Live
	grasp  grasp

	// bodies, and where they are in the engine's mesh.
	bodies struct {
		surfaces []*mesh.Surface
		blocks   []int     // first block of each, those of its parts follow; -1: rigid
		sheets   []int     // block of its skin, -1: none
		skin     []float64 // E of that in the engine, Pa
		inner    []inside
	}

	// material of the blocks and nodes.
	material struct {
		laws    []solid.Law // by block, at the scene's E of the first body
		young   []float64   // theirs, Pa
		mass    []float64   // of each node, kg
		softest float64     // shear modulus of the softest body, at the engine's E, Pa
	}

	// tool, as it is made.
	tool struct {
		shape   []mgl64.Vec3 // its surface, in its frame, m
		section float64      // the area of its largest shadow along an axis, m2
	}

	// shown is the last state that is shown.
	shown struct {
		tool   frame.Pose
		report LiveReport
		broken float64 // BrokenShare of the last equilibrium

		measured        bool // what follows
		leastJ, elastic float64
		inverted        int
	}

	// steps there were.
	steps struct {
		count   uint64
		time    float64    // simulated, s
		last    LiveReport // of the last one
		settled float64    // share of the last ones that came to a new equilibrium
		left    float64    // largest residual that deadlines have left since the state that is shown, N
		gaveUp  float64    // and before it, on the way there
	}

	// felt are the tool's contacts in the state that is shown, at the scene's E.
	felt struct {
		model         local.Model
		self          condense       // what the body does to itself
		rows          []int          // of the engine that the model's contacts are
		spots         []surfacePoint // theirs
		gaps          []float64      // theirs, m
		holds         []float64      // what the grip adds to their normal forces, N
		status        []contact.Status
		force, torque mgl64.Vec3 // on the tool
	}

	// strain of the elements, for who asks.
	strain struct {
		gradients []solid.Mat3
		share     []float64 // of a node: how many elements
		scalar    []float64
		beyond    int // elements beyond fem.LinearLimit
		piola     solid.Mat3
	}
}

// Info implements physics.World.
func (w *world) Info() *physics.Info { return w.info }

// stiffer is E over the engine's.
func (w *world) stiffer() float64 { return w.now.Body.Young / w.scene.Body.Young }

// OwnStep is that of the motion, s, or in which bodies relax that do not move in time.
func (w *world) OwnStep() float64 {
	if h := w.engine.Options.Motion.Step; h > 0 || w.engine.relaxing == nil {
		return h
	}
	return relaxStep
}

// Step lets the tool go to the target, or hang on the hand. Bodies
// that move in time take a step for each of theirs that there is time for; one that does not
// come to a new state advances nothing.
func (w *world) Step(in physics.Input) (r physics.Report) {
	begin := time.Now()
	in.Deadline.Within(time.Duration(w.now.Deadline * 1e9))
	w.engine.Deadline = in.Deadline
	target := in.Target
	if in.Coupling.Stiffness > 0 {
		target = in.Hand
	}
	if target.Proper() {
		n := target.Rotation.Len()
		if math.Abs(n-1) > 1e-9 {
			target.Rotation = target.Rotation.Scale(1 / n)
		}
	} else {
		target = w.shown.tool
	}
	if in.Placed {
		w.shown.tool = target
		w.engine.Put(target)
	}
	w.hold(&in.Grasp)
	h, n := w.OwnStep(), 0.0
	if h > 0 && in.Dt > 0 && !math.IsInf(in.Dt, 0) {
		n = math.Floor(in.Dt/h + 1e-9)
	}
	switch {
	case !w.engine.Options.Motion.moves():
		w.step(target, in.Coupling)
		r.Advanced = n * h
		w.steps.time += r.Advanced
		w.engine.Relax(r.Advanced)
	default:
		for ; n > 0; n-- {
			if w.step(target, in.Coupling); w.steps.last.Settled {
				r.Advanced += h
				w.engine.Relax(h)
			}
			if in.Deadline.Late(0) {
				break
			}
		}
	}
	w.steps.last.Late = in.Deadline.Late(0) || w.steps.last.Late // also where all is done
	r.Reached = w.steps.last.Reached && w.engine.frictionLag() == 0
	r.Stylus = w.shown.tool
	k := w.stiffer()
	force, torque := w.grasp.Reaction(w.shown.tool)
	r.Force, r.Torque, r.Total = w.felt.force.Mul(k).Add(force), w.felt.torque.Mul(k).Add(torque), time.Since(begin)
	return r
}

// step is one of the engine's. The tool presses no harder than tissue bears.
func (w *world) step(target frame.Pose, spring physics.Coupling) {
	k, most := w.stiffer(), bears*w.tool.section*w.engine.touches(w.material.softest)
	spring = physics.Coupling{Stiffness: spring.Stiffness / k, Angle: spring.Angle / k, Limit: spring.Limit / k}
	if spring.Limit == 0 || spring.Limit > most {
		spring.Limit = most
	}
	w.pull(w.engine.tool.at)
	w.steps.last = w.engine.Step(target, spring)
	w.steps.count++
	const smoothing = 0.02
	w.steps.settled -= smoothing * w.steps.settled
	w.steps.left = max(w.steps.left, w.steps.last.givenUp())
	if w.steps.last.Settled {
		w.steps.gaveUp, w.steps.left, w.shown.broken = w.steps.left, 0, w.steps.last.BrokenShare
		w.steps.settled += smoothing
		w.steps.time += w.engine.Options.Motion.Step
	}
	if w.steps.last.Shows {
		w.shown.measured = false
		w.shown.tool, w.shown.report = w.steps.last.Tool, w.steps.last
		w.pulled()
		w.touch()
	}
}

// touch keeps the contact problem of the state that is shown.
func (w *world) touch() {
	l, m := w.engine, &w.felt.model
	// A hand that presses does not come farther before the next step; one that comes down may. Where
	// that found no contact in its model the motors put out 1.65 mJ more than the hand had put in,
	// with 50 steps a second on block-neo-hookean; 0.1 mJ so.
	if w.feel(l.Options.Reach / 8); len(w.felt.rows) == 0 {
		w.feel(l.Options.Reach)
	}
	n, all := len(w.felt.rows), len(l.constraints)
	m.SetN(n)
	m.Origin, m.Rotation = w.shown.tool.Position, w.shown.tool.Rotation
	m.Field.On, m.Field.Force = false, [6]float64{}
	w.felt.holds = w.felt.holds[:0]
	for i, from := range w.felt.rows {
		row := &l.constraints[from]
		m.Mu[i], m.Arm[i] = row.mu, row.of(l.Shown.X).Sub(w.shown.tool.Position)
		hold := row.hold
		w.felt.holds = append(w.felt.holds, hold)
		if hold > 0 { // the model's force is that of a contact: what the grip adds to it is a field's
			pull := row.frame[0].Mul(hold)
			turn := m.Arm[i].Cross(pull)
			m.Field.On = true
			for d := range 3 {
				m.Field.Force[d] += pull[d]
				m.Field.Force[3+d] += turn[d]
			}
		}
		for d := range 3 {
			m.Frame[i][d] = row.frame[d].Mul(axes[d])
			m.R[3*i+d] = -axes[d] * l.problem.r[3*from+d]
			if d == 0 {
				m.R[3*i] += hold
			}
			for j, other := range w.felt.rows {
				for e := range 3 {
					m.W[(3*i+d)*3*n+3*j+e] = axes[d] * axes[e] * l.problem.compliance[(3*from+d)*3*all+3*other+e]
				}
			}
		}
	}
	w.felt.self.apply(l, m.W, w.felt.rows)
	for i := range 3 * n { // x = W r + free: x is the gap, and nothing slips at the pose itself
		m.Free[i] = 0
		if i%3 == 0 {
			m.Free[i] = w.felt.gaps[i/3]
		}
		for j, r := range m.R {
			m.Free[i] -= m.W[i*3*n+j] * r
		}
	}
	m.FillRigid()
	w.felt.force, w.felt.torque = m.Resultant(m.R)
	if cap(w.felt.status) < n {
		w.felt.status = make([]contact.Status, n, m.Capacity())
	}
	w.felt.status = w.felt.status[:n]
	contact.Statuses(w.felt.status, m.R, m.Mu)
}

// feel takes the contacts that the hand feels: those that press, and those nearer than far, m.
func (w *world) feel(far float64) {
	l := w.engine
	w.felt.rows, w.felt.spots, w.felt.gaps = w.felt.rows[:0], w.felt.spots[:0], w.felt.gaps[:0]
	for i := range l.constraints {
		row := &l.constraints[i]
		if row.own {
			continue
		}
		gap := row.gap
		if l.problem.r[3*i]+row.hold > 0 { // what is left of its gap is an error of the equilibrium
			gap = 0
		} else if gap > far {
			continue
		}
		w.felt.rows, w.felt.spots, w.felt.gaps = append(w.felt.rows, i), append(w.felt.spots, row.surfacePoint), append(w.felt.gaps, math.Max(gap, 0))
	}
}

// Local is the contact problem of the state that is shown, on the tangent in use.
func (w *world) Local(m *local.Model) {
	w.felt.model.CopyTo(m)
	k := w.stiffer()
	for i := range m.Field.Force {
		m.Field.Force[i] *= k
	}
	for i := range m.W {
		m.W[i] /= k
	}
	for i := range m.R {
		m.R[i] *= k
	}
	w.grasp.Feel(m, w.shown.tool)
}

// Keys are the fields that live.
func (w *world) Keys() []physics.Key {
	applies := func(string) error { w.apply(); return nil }
	keys := physics.KeysOf(ownFields, &w.now, "", "Equilibrium", applies)
	keys[physics.Place(keys, "grip.closed")].Press = "X"
	for i := range keys {
		switch k := &keys[i]; k.Name {
		case "gravity":
			k.Section = "Motion"
		case "equilibrium.lag": // for files and programs that want runs to repeat
			k.Hidden = func([]float64) bool { return true }
		case "motion.alpha", "motion.beta":
			k.Section = "Motion"
			k.Hidden = func([]float64) bool { return !w.scene.Motion.moves() }
		case "body.skin_E":
			k.Hidden = func([]float64) bool { return w.now.Skin.Thickness == 0 }
		}
	}
	for i := range w.now.Organs {
		o := &w.now.Organs[i]
		if i == 0 {
			keys[physics.Place(keys, "body.E")].Body = w.now.Body.Name
		}
		if o.Body.Rigid {
			continue
		}
		for _, k := range physics.KeysOf(moreFields, o, o.Body.Name+".", "Bodies", applies) {
			k.Body = o.Body.Name
			if k.Name == o.Body.Name+".skin_E" {
				k.Hidden = func([]float64) bool { return o.Skin.Thickness == 0 }
			}
			keys = append(keys, k)
		}
	}
	for i := range w.now.Parts {
		p := &w.now.Parts[i]
		keys = append(keys, physics.KeysOf(partFields, p, p.Name+".", "Bodies", applies)...)
	}
	return keys
}

// apply hands the engine what may have changed.
func (w *world) apply() {
	w.engine.Wake()
	w.shown.measured = false
	o := &w.engine.Options
	o.Friction, o.Accept, o.Tolerance = w.now.Friction, w.now.Tolerance, w.now.Tolerance/2
	o.Corrections, o.Lag = w.now.Corrections, w.now.Lag
	for i := range w.now.Organs {
		if block := w.bodies.blocks[1+i]; block >= 0 {
			w.harden(block, w.now.Organs[i].Body.Young, &w.scene.Organs[i])
		}
	}
	for i, o := range w.now.organs() {
		if i >= len(w.bodies.skin) {
			w.bodies.skin = append(w.bodies.skin, w.scene.organs()[i].Skin.Young)
		}
		if young := o.Skin.Young / w.stiffer(); w.bodies.sheets[i] >= 0 && young != w.bodies.skin[i] {
			w.bodies.skin[i] = young
			w.engine.SetLaw(w.bodies.sheets[i], o.Skin.law(young))
		}
	}
	for i, o := range w.scene.organs() {
		block := w.bodies.blocks[i]
		for n := range w.now.Parts {
			if w.now.Parts[n].Body == o.Body.Name && w.bodies.blocks[i] >= 0 {
				block++
				w.harden(block, w.now.Parts[n].Young, w.scene.Parts[n].inside(o))
			}
		}
	}
	w.engine.Damp(w.now.Motion.Alpha, w.now.Motion.Beta, 1/w.stiffer())
	for n, m := range w.material.mass {
		w.engine.Load[3*n+1] = -m * w.now.Gravity / w.stiffer()
	}
	w.load()
	if g := &w.now.Grip; g.Closed {
		w.engine.Grip(g.Strength/w.stiffer(), g.Reach)
	} else {
		w.engine.Release()
	}
	w.rub()
}

// harden gives a block of a body's material another E, Pa.
func (w *world) harden(block int, young float64, o *Organ) {
	if young /= w.stiffer(); young != w.material.young[block] {
		w.material.young[block], w.material.laws[block] = young, o.law(young)
		w.engine.SetLaw(block, w.material.laws[block])
	}
}

// rub lets the contacts of the state that is shown obey the friction that is set now, where their
// forces do. Where they do not, a new equilibrium is due, and Step has not reached anything before.
func (w *world) rub() {
	w.engine.adopt()
	for i, row := range w.felt.rows {
		w.felt.model.Mu[i] = w.engine.Shown.constraints[row].mu
	}
	contact.Statuses(w.felt.status, w.felt.model.R, w.felt.model.Mu)
}

// Reset puts the body back to rest, and the tool to its start.
func (w *world) Reset() {
	w.letGo()
	w.engine.Reset()
	w.engine.Put(w.info.Start)
	w.shown.tool, w.steps.settled, w.steps.count, w.steps.left, w.steps.gaveUp, w.steps.time = w.info.Start, 1, 0, 0, 0, 0
	w.shown.report, w.steps.last, w.shown.broken, w.shown.measured = LiveReport{}, LiveReport{}, 0, false
	w.touch()
	w.apply()
}

// potential is the energy of the weight, J, from where the bodies are without strain.
func (w *world) potential() (e float64) {
	for n, m := range w.material.mass {
		e += m * w.now.Gravity * (w.engine.Shown.X[3*n+1] - w.engine.body.Mesh.Nodes[n][1])
	}
	return e
}

// Sample is the state of bodies that move in time.
func (w *world) Sample() []physics.Entry {
	l, k := w.engine, w.stiffer()
	kinetic, elastic, weight := l.Kinetic(), k*l.Energy(), w.potential()
	least, _ := l.body.MinJ(l.Shown.X)
	gripped, _ := l.Gripped()
	entries := []physics.Entry{
		{Name: "tool_m", Value: w.shown.tool.Position},
		{Name: "tool_force_N", Value: w.felt.force.Mul(k)},
		{Name: "force_N", Value: k * w.felt.force.Len(), Short: "force N", Format: "%.4g"},
		{Name: "simulated_s", Value: w.steps.time},
		{Name: "kinetic_J", Value: kinetic, Short: "kinetic J", Format: "%.4g"},
		{Name: "elastic_J", Value: elastic, Short: "elastic J", Format: "%.4g"},
		{Name: "weight_J", Value: weight, Short: "of the weight J", Format: "%.4g"},
		{Name: "energy_J", Value: kinetic + elastic + weight, Short: "energy J", Format: "%.6g"},
		{Name: "residual_N", Value: k * w.shown.report.Residual},
		{Name: "least_J", Value: least, Short: "least J", Format: "%.3f"},
		{Name: "gripped", Value: gripped, Short: "gripped"},
	}
	for i, o := range w.scene.organs() {
		if w.bodies.blocks[i] >= 0 {
			entries = append(entries, physics.Entry{Name: o.Body.Name + "_centre_m", Value: w.centre(i)})
		}
	}
	return entries
}

// centre of mass of a body, m.
func (w *world) centre(body int) (at mgl64.Vec3) {
	sum := 0.0
	for _, n := range w.bodies.inner[body].nodes {
		at, sum = at.Add(mgl64.Vec3(w.engine.Shown.X[3*n:3*n+3]).Mul(w.material.mass[n])), sum+w.material.mass[n]
	}
	return at.Mul(1 / sum)
}

// Close ends the second thread.
func (w *world) Close() error {
	w.engine.Close()
	return nil
}
