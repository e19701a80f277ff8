package largestrain

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/contact"
	"hapco/physics/fem/solid"
	"hapco/physics/frame"
	"hapco/physics/local"
	"hapco/physics/mesh"
)

// axes turn those of an engine's row into a contact's: the engine's normal and forces are
// those of the body, a contact's are those of the tool. Three stay right-handed.
var axes = [3]float64{-1, 1, -1}

// world is a live body behind the seam.
//
// The engine works with the scene's E. Without weight, equilibrium does not depend on
// a common factor of all E: all forces are proportional to it. So another E of the first
// body scales what leaves the engine, and the E of the others are those over that factor.
type world struct {
	scene    SceneFile // as it was opened
	now      SceneFile // with the live parameters
	info     *physics.Info
	engine   *Live
	surfaces []*mesh.Surface // of the bodies
	blocks   []int           // of the mesh, by body, -1: rigid
	inner    []inside        // of the bodies; nil before they are asked for
	shape    []mgl64.Vec3    // of the tool's surface, in its frame, m

	tool   *moving    // on its way
	meets  Obstacle   // what the body meets of it
	free   bool       // the engine takes a new way
	hung   float64    // tries that were given up, see mostHung
	pose   frame.Pose // of the tool in the state that is shown
	shown  LiveReport // of that state
	last   LiveReport // of the last step
	left   float64    // largest residual that deadlines have left since that state, N
	gaveUp float64    // and before it, on the way there
	part   float64    // of the last steps that came to a new equilibrium
	steps  uint64

	model         local.Model // of the contacts in the state that is shown, at the scene's E
	itself        condense    // what the body does to itself in it
	rows          []int       // of the engine that the model's contacts are
	spots         []spot      // theirs
	gaps          []float64   // theirs, m
	holds         []float64   // what the grip adds to their normal forces, N, at the scene's E
	status        []contact.Status
	force, torque mgl64.Vec3 // on the tool, at the scene's E

	gradients []solid.Mat3
	share     []float64 // of a node: how many elements
	beyond    int       // elements beyond fem.LinearLimit
	scalar    []float64
	laws      []solid.Law // by block, at the scene's E of the first body
	young     []float64   // theirs, Pa
	piola     solid.Mat3
}

// Info implements physics.World.
func (w *world) Info() *physics.Info { return w.info }

// stiffer is E over the engine's.
func (w *world) stiffer() float64 { return w.now.Body.Young / w.scene.Body.Young }

// Step lets the tool go towards the target, no farther than the engine can follow.
func (w *world) Step(in physics.Input) (r physics.Report) {
	begin := time.Now()
	target := in.Target
	if n := target.Rotation.Len(); finite(target.Position.Len()) && finite(n) && n > 0 {
		if math.Abs(n-1) > 1e-9 {
			target.Rotation = target.Rotation.Scale(1 / n)
		}
	} else {
		target = w.pose
	}
	if w.free {
		w.tool.aim(w.pose, w.aside(target))
		if far, most := w.tool.far(), w.engine.Options.Reach/2; far > most {
			w.tool.aim(w.pose, w.tool.pose(most/far))
		}
	}
	w.last = w.engine.Step(w.meets)
	w.steps++
	w.free = w.last.Settled || w.last.Back
	switch {
	case w.last.Crushed || w.last.Back && w.engine.limit < 0.3 && w.engine.hard(): // the second in a row
		if w.hung++; w.hung > mostHung {
			w.hung = 0
		}
	case w.last.Settled:
		w.hung = max(w.hung-0.1, 0)
	}
	const smoothing = 0.02
	w.part -= smoothing * w.part
	w.left = max(w.left, w.last.givenUp())
	if w.last.Settled {
		w.gaveUp, w.left = w.left, 0
		w.part += smoothing
		w.shown, w.pose = w.last, w.tool.pose(w.last.Share)
		w.touch()
	}
	r.Reached = w.last.Settled && w.pose == target
	k := w.stiffer()
	r.Force, r.Torque, r.Total = w.force.Mul(k), w.torque.Mul(k), time.Since(begin)
	return r
}

// aside is where the tool goes: to the target, but where it presses harder than tissue bears, or
// hard and without equilibrium, not on against the force that it meets: along it, and after more
// such tries away from it.
func (w *world) aside(target frame.Pose) frame.Pose {
	f := w.shown.Force // on the body
	if w.hung == 0 || f == (mgl64.Vec3{}) {
		return target
	}
	f = f.Normalize()
	way := target.Position.Sub(w.pose.Position)
	if on := way.Dot(f); on > 0 {
		along, away := way.Sub(f.Mul(on)), max(0, w.hung-1)/(mostHung-1)
		target.Position = w.pose.Position.Add(along.Mul(1 - away)).Sub(f.Mul(along.Len() * away))
	}
	return target
}

// mostHung is after how many tries the tool leaves straight against the force that it meets: in a
// wedge any way along presses harder. After one more it goes to the target again: where the force
// is that of friction alone, there may be nothing in that way. Ten steps that settle take a try
// back. A probe dragged 37 mm deep into the clamped end of organs crept out of it by 0.1 mm a
// settled step, where each took one back and only tries that crush counted: with 8 of 8 lags of
// the tangent it had not come out after 9 s; 1 of 8 so, which needs 0.4 s more. Tries count only
// where the tool presses hard: where they all did, a wedge that snaps from cell to cell on its
// way went back and forth.
const mostHung = 5

// touch keeps the contact problem of the state that is shown.
func (w *world) touch() {
	l, m := w.engine, &w.model
	w.rows, w.spots, w.gaps = w.rows[:0], w.spots[:0], w.gaps[:0]
	for i := range l.rows {
		row := &l.rows[i]
		if row.own {
			continue
		}
		gap, _ := w.tool.Gap(row.of(l.Shown), w.last.Share)
		gap += row.sink
		if l.r[3*i]+l.grip.hold(&row.spot) > 0 { // what is left of its gap is an error of the equilibrium
			gap = 0
		} else if gap > l.Options.Reach/8 { // the hand does not come so far before the next step
			continue
		}
		w.rows, w.spots, w.gaps = append(w.rows, i), append(w.spots, row.spot), append(w.gaps, math.Max(gap, 0))
	}
	n, all := len(w.rows), len(l.rows)
	m.SetN(n)
	m.Origin, m.Rotation = w.pose.Position, w.pose.Rotation
	m.Field.On, m.Field.Force = false, [6]float64{}
	w.holds = w.holds[:0]
	for i, from := range w.rows {
		row := &l.rows[from]
		m.Mu[i], m.Arm[i] = row.mu, row.of(l.Shown).Sub(w.pose.Position)
		hold := l.grip.hold(&row.spot)
		w.holds = append(w.holds, hold)
		if hold > 0 { // the model's force is that of a contact: what the grip adds to it is a field's
			m.Mu[i] = math.Max(m.Mu[i], gripFriction)
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
			m.R[3*i+d] = -axes[d] * l.r[3*from+d]
			if d == 0 {
				m.R[3*i] += hold
			}
			for j, other := range w.rows {
				for e := range 3 {
					m.W[(3*i+d)*3*n+3*j+e] = axes[d] * axes[e] * l.problem.W[(3*from+d)*3*all+3*other+e]
				}
			}
		}
	}
	w.itself.apply(l, m.W, w.rows)
	for i := range 3 * n { // x = W r + free: x is the gap, and nothing slips at the pose itself
		m.Free[i] = 0
		if i%3 == 0 {
			m.Free[i] = w.gaps[i/3]
		}
		for j, r := range m.R {
			m.Free[i] -= m.W[i*3*n+j] * r
		}
	}
	m.FillRigid()
	w.force, w.torque = m.Resultant(m.R)
	if cap(w.status) < n {
		w.status = make([]contact.Status, n, l.Options.Contacts)
	}
	w.status = w.status[:n]
	contact.Statuses(w.status, m.R, m.Mu)
}

// Local is the contact problem of the state that is shown, on the tangent in use.
func (w *world) Local(m *local.Model) {
	w.model.CopyTo(m)
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
}

// Keys are the fields that live.
func (w *world) Keys() []physics.Key {
	keys := physics.KeysOf(ownFields, &w.now, "", "Equilibrium", func(string) error { w.apply(); return nil })
	keys[physics.Place(keys, "grip.closed")].Press = "X"
	for i := range w.now.Organs {
		o := &w.now.Organs[i]
		if i == 0 {
			keys[physics.Place(keys, "body.E")].Body = w.now.Body.Name
		}
		if o.Body.Rigid {
			continue
		}
		for _, k := range physics.KeysOf(moreFields, o, o.Body.Name+".", "Bodies", func(string) error { w.apply(); return nil }) {
			k.Body = o.Body.Name
			keys = append(keys, k)
		}
	}
	return keys
}

// apply hands the engine what may have changed.
func (w *world) apply() {
	o := &w.engine.Options
	o.Friction, o.Accept, o.Tolerance = w.now.Friction, w.now.Tolerance, w.now.Tolerance/2
	o.Tries, o.Corrections = w.now.Tries, w.now.Corrections
	o.Deadline = time.Duration(w.now.Deadline * 1e9)
	for i := range w.now.Organs {
		o, block := w.now.Organs[i], w.blocks[1+i]
		if young := o.Body.Young / w.stiffer(); block >= 0 && young != w.young[block] {
			w.young[block] = young
			w.laws[block] = w.scene.Organs[i].law(young)
			w.engine.SetLaw(block, w.laws[block])
		}
	}
	if g := &w.now.Grip; g.Closed {
		w.engine.Grip(g.Strength/w.stiffer(), g.Reach)
	} else {
		w.engine.Release()
	}
}

// Reset puts the body back to rest, and the tool to its start.
func (w *world) Reset() {
	w.engine.Reset()
	w.apply()
	w.pose, w.free, w.part, w.steps, w.left, w.gaveUp = w.info.Start, true, 1, 0, 0, 0
	w.hung = 0
	w.shown, w.last = LiveReport{}, LiveReport{}
	w.touch()
}

// Close ends the second thread.
func (w *world) Close() error {
	w.engine.Close()
	return nil
}
