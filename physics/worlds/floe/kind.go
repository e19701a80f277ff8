package floe

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/frame"
	"hapco/physics/local"
)

// Floes as a kind of world: the sea as a model on a table, and a tool on the stylus, a disc or a ship, that pushes ice.
// Everything below goes through the seam (package physics); the engine itself knows nothing of it.
//
// The plane of the sea is the scene's y = 0: x to the right, the plane's y away from the eye, -z. The height of the
// stylus counts only from tool.lift on: there the tool is off the water.

// live is a world of floes behind the seam.
type live struct {
	scene SceneFile // as it was opened
	now   SceneFile // with the live parameters
	info  *physics.Info
	world *World

	stylus frame.Pose // that was asked for last
	pulled frame.Pose // the stylus in the last window: what is felt is of this pose
	target Vec2       // the same at sea, m
	held   Vec2       // where the tool is pulled to: after target, at tool.speed at most, m
	speed  Vec2       // of held, m/s
	course float64    // that the ship is steered, rad
	yaw    float64    // of the stylus, rad
	steps  uint64
	grasp  uint32     // number of the last
	end    mgl64.Vec3 // of its spring, in the stylus's frame, m

	look look
}

// open builds the engine's world anew.
func (l *live) open() (notes []string, err error) {
	c, notes, err := l.now.config()
	if err != nil {
		return nil, err
	}
	c.Threads = 1 + len(c.Floes)/fewFloes // the window and the hand want processors, too
	w, err := New(c)
	if err != nil {
		return nil, err
	}
	for i := range w.bodies {
		if r := w.bodies[i].repair; r != 0 {
			notes = append(notes, fmt.Sprintf("floe %d: %s", w.number[i], r))
		}
	}
	l.world = w
	t := &l.now.Tool
	l.stylus = frame.At(l.onTable(t.Position, 0))
	l.pulled = l.stylus
	l.target, l.held, l.speed, l.course, l.yaw = t.Position, t.Position, Vec2{}, 0, 0
	l.look.begin(l)
	return notes, nil
}

// onTable is a point at sea in the scene; height is in m of the scene.
func (l *live) onTable(p Vec2, height float64) mgl64.Vec3 {
	return mgl64.Vec3{p[0] / l.now.Scale, height, -p[1] / l.now.Scale}
}

// atSea is a point of the scene at sea.
func (l *live) atSea(x mgl64.Vec3) Vec2 { return Vec2{x[0], -x[2]}.Mul(l.now.Scale) }

// newtons is how many newtons of ice are one newton in the hand.
func (l *live) newtons() float64 { return l.now.Tool.Stiffness * l.now.Scale / l.now.Tool.Hand }

// The numbers of a frame, in the order of numbers.
const (
	numTime = iota
	numForce
	numFloes
	numContacts
	numClusters
	numSplits
	numLargest
	numSpeed
	numHit
	numKinetic // the energies, in the order in which they are drawn
	numImpact
	numFriction
	numDrag
	numFracture
	numWind
	numTool
	numCount
)

var numbers = [numCount]physics.Number{
	numTime:     {Name: "time_s", Unit: "s", Section: "Haptics", Label: "Time at sea", About: "Time that has passed at sea."},
	numForce:    {Name: "tool_ice_N", Unit: "N", Section: "Haptics", Label: "Force of the ice", About: "On the tool at sea. The hand feels it divided by a constant; see Stiffness in the hand."},
	numFloes:    {Name: "floes", Format: physics.Count, Section: "Haptics", Label: "Floes", About: "Without shores, walls and the tool."},
	numContacts: {Name: "touching", Format: physics.Count, Section: "Haptics", Label: "Contacts", About: "Between floes that touch, or may within the step."},
	numClusters: {Name: "clusters", Format: physics.Count, Section: "Haptics", Label: "Clusters", About: "Groups of floes that touch: each is a problem of its own."},
	numSplits:   {Name: "splits", Format: physics.Count, Section: "Haptics", Label: "Cracks", About: "Floes that have broken in two."},
	numLargest:  {Name: "largest", Format: physics.Count, Section: "Haptics", Label: "Largest cluster", About: "Contacts of the largest cluster so far."},
	numSpeed:    {Name: "fastest_m_s", Unit: "m/s", Section: "Haptics", Label: "Fastest floe", About: "Speed of the fastest floe."},
	numHit:      {Name: "largest_impulse_Ns", Unit: "N s", Section: "Haptics", Label: "Largest impulse", About: "Between two floes in the last step: that of the longest orange arrow."},
	numKinetic:  {Name: "kinetic_J", Unit: "J", About: "Of all floes."},
	numImpact:   {Name: "impact_J", Unit: "J", About: "Lost in collisions, along the normals."},
	numFriction: {Name: "friction_J", Unit: "J", About: "Lost in collisions, along the tangents."},
	numDrag:     {Name: "drag_J", Unit: "J", About: "Taken by the water."},
	numFracture: {Name: "fracture_J", Unit: "J", About: "Lost to cracks: next to nothing in this model, fragments go on with the velocities that they had."},
	numWind:     {Name: "wind_J", Unit: "J", About: "Given by the wind."},
	numTool:     {Name: "hand_J", Unit: "J", About: "Given by the hand."},
}

func (l *live) describe() {
	l.info = &physics.Info{
		Start: l.stylus, Advances: true, Level: true, Every: drawEvery, Numbers: numbers[:], Surfaces: l.look.tool,
		Pages: []physics.Page{
			{Name: "Ice", About: "Energy by part, and what touches, over the last seconds (C).", Plots: []physics.Plot{
				{Title: "Energy", Unit: "J", Log: true, About: "Of the floes, and what they have lost since the start.", Curves: []physics.Curve{
					{Name: "kinetic", Number: "kinetic_J"}, {Name: "impact", Number: "impact_J"}, {Name: "friction", Number: "friction_J"},
					{Name: "drag", Number: "drag_J"}, {Name: "fracture", Number: "fracture_J"}}},
				{Title: "Work", Unit: "J", Log: true, About: "What drives the floes.", Curves: []physics.Curve{{Name: "wind", Number: "wind_J"}, {Name: "hand", Number: "hand_J"}}},
				{Title: "Contacts", Integer: true, Top: 10, About: "Contacts, and clusters of floes that touch.", Curves: []physics.Curve{
					{Name: "contacts", Number: "touching"}, {Name: "clusters", Number: "clusters"}, {Name: "cracks", Number: "splits"}}},
			}},
		},
	}
}

func (l *live) Info() *physics.Info { return l.info }

// wrapped is an angle between -pi and pi.
func wrapped(a float64) float64 { return math.Remainder(a, 2*math.Pi) }

// steer moves what the tool is pulled to after the hand, for dt seconds at sea, and
// turns a ship into its way; it goes astern where that is farther back than abeam.
func (l *live) steer(dt float64) {
	t := &l.now.Tool
	way := l.target.Sub(l.held)
	if most := t.Speed * dt; way.Len() > most {
		way = way.Mul(most / way.Len())
	}
	l.held = l.held.Add(way)
	l.speed = l.speed.Add(way.Mul(1 / dt).Sub(l.speed).Mul(1 - math.Exp(-dt/l.now.Pace/smoothing)))
	if t.Shape != "ship" {
		return
	}
	if fast := l.speed.Len(); fast > steers*t.Speed {
		off := wrapped(math.Atan2(l.speed[1], l.speed[0]) - l.course)
		if math.Abs(off) > backwards {
			off = wrapped(off + math.Pi)
		}
		l.course += off * min(1, comesRound*fast*dt/t.Length)
	}
}

// grain is how long the tool is pulled one way, s at sea.
func (l *live) grain() float64 { return cmp.Or(l.now.Window, ownStep) }

// OwnStep is that in the hand's time, s.
func (l *live) OwnStep() float64 { return l.grain() / l.now.Pace }

// Step lets the floes move for a time, and pulls the tool after its target.
func (l *live) Step(in physics.Input) (r physics.Report) {
	w := l.world
	if in.Target.Proper() {
		l.stylus, l.target = in.Target, l.atSea(in.Target.Position)
		x := in.Target.Rotation.Rotate(mgl64.Vec3{1, 0, 0})
		l.yaw = math.Atan2(-x[2], x[0])
	}
	l.steps++
	l.take(&in.Grasp)
	grain, left := l.grain(), in.Dt*l.now.Pace
	for left >= grain*(1-1e-9) && !math.IsInf(left, 0) && w.err == nil && (r.Advanced == 0 || !in.Deadline.Late(0)) {
		l.steer(grain)
		l.pulled = l.stylus        // what is felt is of this pose: the tool comes off the water with it, not before
		if w.follow(); w.grip.on { // the tool is out of its way
			w.grip.to = l.atSea(l.pulled.Point(l.end))
			w.lift(true)
		} else if y := l.pulled.Position[1]; y > l.now.Tool.Lift {
			w.lift(true)
		} else if y < l.onIce() {
			w.lift(false)
		}
		w.Hold(State{Position: l.held, Angle: l.course + l.yaw, Velocity: l.speed})
		done := 0.0
		if l.now.Window > 0 {
			done = w.Step(grain)
		} else {
			done = w.Advance(grain, mostSteps)
		}
		if !(done > 0) {
			break
		}
		left -= done
		r.Advanced += done / l.now.Pace
	}
	r.Force, r.Torque = l.felt()
	r.Reached, r.Stopped = true, w.err
	return r
}

// onIce is the height at which a lifted tool lies on floes: they bear it, m.
func (l *live) onIce() float64 { return lies * l.now.Tool.Lift }

// toolHeight is how far the tool is over the water, m of the scene.
func (l *live) toolHeight() float64 {
	if !l.world.hand.up {
		return 0
	}
	return max(l.pulled.Position[1], l.onIce())
}

// felt is what the ice does to the hand, N and N m: the spring, stretched from where the tool is without ice, to where
// ice lets it be. So its inertia is not felt. Where the world stands still nothing is.
func (l *live) felt() (force, torque mgl64.Vec3) {
	w := l.world
	h := w.hand
	if w.err != nil {
		return
	}
	if w.grip.on {
		return l.reaction()
	}
	if h.up { // it may lie on floes; a hand below the water gets no more force
		return mgl64.Vec3{0, l.now.Tool.Hand * min(l.toolHeight()-l.pulled.Position[1], l.onIce()), 0}, torque
	}
	if h.loose {
		return
	}
	b := &w.bodies[h.index]
	f := b.g.Sub(h.twin.Position).Mul(h.stiffness[0] / l.newtons())
	m := wrapped(b.angle-h.twin.Angle) * h.stiffness[1] / (l.newtons() * l.now.Scale)
	return mgl64.Vec3{f[0], 0, -f[1]}, mgl64.Vec3{0, m, 0}
}

// Local is the spring between hand and tool, as stiff as tool.hand says: the stiffest
// thing that the hand can meet, whatever the ice does. Between two windows it stays as it
// is: a force of then about a pose of now would give way to the hand, and come back.
func (l *live) Local(m *local.Model) {
	m.SetN(0)
	m.Origin, m.Rotation = l.pulled.Position, l.pulled.Rotation
	m.Field = local.Field{}
	w := l.world
	h := w.hand
	if w.grip.on && w.err == nil {
		l.feelGrasp(m)
		return
	}
	lies := h.up && l.pulled.Position[1] < l.onIce()
	if w.err != nil || !lies && (h.up || h.loose) { // a tool off the water is held by nothing
		return
	}
	m.Length = h.size / l.now.Scale
	force, torque := l.felt()
	m.Field.On = true
	copy(m.Field.Force[:3], force[:])
	copy(m.Field.Force[3:], torque[:])
	k := l.now.Tool.Hand
	if lies {
		if l.pulled.Position[1] > 0 {
			m.Field.K[7] = k
		}
		return
	}
	m.Field.K[0], m.Field.K[14] = k, k
	m.Field.K[28] = h.stiffness[1] / (l.newtons() * l.now.Scale)
}

func (l *live) Keys() []physics.Key {
	return physics.KeysOf(ownFields, &l.now, "", "Ice", func(string) error {
		s, w, c := &l.now, l.world, &l.world.config
		if err := s.check(); err != nil {
			return errors.New(err.Error())
		}
		if s.Law != c.Law {
			for i := range w.jobs.solvers {
				w.jobs.solvers[i].cone = nil
				if err := w.jobs.solvers[i].init(s.Law); err != nil {
					return err
				}
			}
			c.Law = s.Law
		}
		c.Environment, c.Friction, c.Restitution, c.Repairs = s.environment(), s.Friction, s.Restitution, s.Repairs
		if c.Fracture = nil; s.Breaks {
			f := s.Fracture
			c.Fracture = &f
		}
		return nil
	})
}

// Sample is the state of the floes.
func (l *live) Sample() []physics.Entry {
	w := l.world
	tool, _ := w.tool()
	e, r := w.Energy(), w.Report()
	ice, _ := w.handForce()
	linear, angular := w.momentum()
	places := make([][3]float64, w.count())
	for i := range places {
		s := w.State(i)
		places[i] = [3]float64{s.Position[0], s.Position[1], s.Angle}
	}
	return []physics.Entry{
		{Name: "sea_s", Value: w.Time(), Short: "sea s", Format: "%.2f"},
		{Name: "tool_m", Value: tool.Position},
		{Name: "tool_rad", Value: tool.Angle},
		{Name: "ice_N", Value: ice},
		{Name: "ice", Value: ice.Len(), Short: "ice N", Format: "%.4g"},
		{Name: "kinetic_J", Value: e.Kinetic, Short: "kinetic J", Format: "%.4g"},
		{Name: "impact_J", Value: e.Impact, Short: "impact J", Format: "%.4g"},
		{Name: "friction_J", Value: e.Friction, Short: "friction J", Format: "%.4g"},
		{Name: "drag_J", Value: 0 - e.Water, Short: "drag J", Format: "%.4g"},
		{Name: "fracture_J", Value: e.Fracture},
		{Name: "wind_J", Value: e.Wind},
		{Name: "coriolis_J", Value: e.Coriolis},
		{Name: "hand_J", Value: e.Tool},
		{Name: "momentum_kg_m_s", Value: linear},
		{Name: "angular_momentum_kg_m2_s", Value: angular},
		{Name: "step_bound_s", Value: w.euler.bound},
		{Name: "touching", Value: r.Contacts, Short: "contacts"},
		{Name: "clusters", Value: r.Clusters, Short: "clusters"},
		{Name: "splits", Value: r.Cracks, Short: "cracks"},
		{Name: "floes", Value: places},
	}
}

// Account is what tells whether the laws hold: the energy that none of its parts explains, or
// that collisions have given instead of taken.
func (l *live) Account(bool) []physics.Entry {
	w := l.world
	e := w.Energy()
	left := e.Kinetic - (e.Start + e.Wind + e.Water + e.Body + e.Coriolis + e.Tool - e.Impact - e.Friction - e.Fracture)
	moved := e.Kinetic + e.Start
	for _, x := range []float64{e.Wind, e.Water, e.Body, e.Coriolis, e.Tool, e.Impact, e.Friction, e.Fracture} {
		moved += math.Abs(x)
	}
	return []physics.Entry{
		{Name: physics.EnergyUnexplained, Value: max(math.Abs(left), -e.Impact-e.Friction)},
		{Name: physics.EnergyMoved, Value: moved},
	}
}

func (l *live) WriteGeoJSON(out io.Writer) error { return l.world.WriteGeoJSON(out) }

// Reset puts every floe back to where it started; parameters stay.
func (l *live) Reset() {
	old := l.world
	if _, err := l.open(); err != nil {
		panic("floe: a scene that was opened cannot be opened again: " + err.Error())
	}
	old.Close()
}

// Close ends the engine's goroutines.
func (l *live) Close() error {
	l.world.Close()
	return nil
}
