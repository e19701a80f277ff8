package probing

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"hapco/physics"
	"hapco/physics/files/mesh"
	"hapco/physics/files/scene"
	"hapco/physics/frame"
	"hapco/physics/local"
	"hapco/physics/numerics/contact"
	"hapco/physics/worlds/tissue"
)

// ground is a world that gestures are made in.
type ground interface {
	simulation
	Bodies() []physics.SurfaceInfo
	StartPose() frame.Pose            // where the last gesture began, or the scene does
	Model(m *local.Model)             // the hand's own model of the last step
	begin(a *Arena, g *Gesture) error // puts the world into the state in which a trace of the gesture starts
	hangs() bool                      // it does
	pulls() float64                   // what that spring bears in the last step, N; +Inf where nothing hangs or has come to rest on it
	hang(d Device)                    // the tool hangs on the hand by a device's spring, where the world knows such; nil: of an ordinary one
	young() float64                   // of the tissue, the largest, Pa
	patience() int                    // increments that a row of a gesture gets
	swings() int                      // increments in which a body that is let go comes to rest
	offCone() string                  // what of the world's account breaks Coulomb's law; "": nothing
	// setDeadline sets that of the world's steps, s, and tells what it was; 0: none. Steps ask d; nil: they have none.
	setDeadline(seconds float64, d *physics.Deadline) (before float64, err error)
}

// tissueGround is a world of kind tissue.
type tissueGround struct{ *tissue.World }

func (w tissueGround) begin(a *Arena, g *Gesture) error {
	s := w.Scene()
	s.Bodies[a.driven].Pose = a.pose
	for _, set := range a.Settings(g) {
		if err := scene.Set(s, set); err != nil {
			return err
		}
	}
	p := w.Params()
	p.Bodies = append([]tissue.BodyParams(nil), p.Bodies...)
	p.Friction, p.Solver = g.Friction, g.Solver
	if err := w.SetParams(p); err != nil {
		return err
	}
	w.Reset()
	return nil
}

func (w tissueGround) hang(d Device) { w.Hang(spring(d, w.Lever())) }

func (w tissueGround) hangs() bool { return w.Hung().Stiffness > 0 }

func (w tissueGround) pulls() float64 {
	if stretch, rests := w.Stretch(); rests {
		return min(w.Hung().Limit, w.Hung().Stiffness*stretch)
	}
	return math.Inf(1)
}

func (w tissueGround) young() (e float64) {
	p := w.Params()
	for i, b := range w.Bodies() {
		if !b.Rigid {
			e = max(e, p.Bodies[i].Young)
		}
	}
	return e
}

func (w tissueGround) offCone() string { return offConeBy(w.Coulomb()) }

func (tissueGround) patience() int { return mostIncrements }

func (tissueGround) swings() int { return 0 }

func (w tissueGround) setDeadline(seconds float64, d *physics.Deadline) (before float64, err error) {
	w.Deadline(d)
	p := w.Params()
	p.Bodies = append([]tissue.BodyParams(nil), p.Bodies...)
	before, p.Deadline = p.Deadline, seconds
	return before, w.SetParams(p)
}

// anyGround is a world of any kind with one tool and soft surfaces, seen through its
// frames. Its gestures begin where the tool goes by itself, high over the tissue.
type anyGround struct {
	w     physics.World
	start frame.Pose
	frame physics.Frame
	last  physics.Report
	owed  physics.Owed
	clock *physics.Deadline
	hung  physics.Coupling
	hand  vec
}

// NewArenaOf opens a scene of another kind than tissue. Close ends its world. Its steps
// have no deadline, so that what is found does not depend on how busy the machine is.
func NewArenaOf(ctx context.Context, s physics.Scene) (*Arena, error) {
	unit, err := mesh.LengthUnit(s.Common().Units.Length)
	if err != nil {
		return nil, err
	}
	w, _, err := physics.OpenScene(ctx, s, physics.Options{})
	if err != nil {
		return nil, err
	}
	g := &anyGround{w: w, start: w.Info().Start}
	a := &Arena{ground: g, seen: g, unit: unit, scale: 1, Close: w.Close}
	friction := 0.3
	for _, k := range w.Keys() {
		switch k.Name {
		case "friction":
			friction = k.Get()
		case "grip.closed": // what it holds obeys other laws than what is judged here
			if a.grips = k.Get() != 0; a.grips {
				err = k.Set(0)
			}
		}
	}
	if err != nil {
		w.Close()
		return nil, err
	}
	if err := a.prepare(s.Common().Name, 0, friction, ""); err != nil {
		w.Close()
		return nil, err
	}
	return a, nil
}

func (g *anyGround) Bodies() []physics.SurfaceInfo {
	all := slices.Clone(g.w.Info().Surfaces)
	for i := range all {
		if len(all[i].Fixed) == 0 {
			g.w.Draw(&g.frame)
			all[i].Fixed = make([]bool, len(g.frame.Surfaces[i].Vertices))
		}
	}
	return all
}

// hang has the spring of a device of 3.3 N at most where there is none.
func (g *anyGround) hang(d Device) {
	g.hung = spring(d, g.w.Info().Lever)
}

// spring is that of a device, or of an ordinary one, by which a tool of some reach, m, hangs on the hand.
func spring(d Device, lever float64) physics.Coupling {
	if d != nil {
		return d.Couple(lever)
	}
	return physics.Coupling{Stiffness: 400, Angle: 400 * lever * lever, Limit: 3.465}
}

func (g *anyGround) hangs() bool { return g.hung.Stiffness > 0 }

func (g *anyGround) pulls() float64 {
	if !g.hangs() || !g.last.Reached {
		return math.Inf(1)
	}
	if g.w.Info().Advances { // the last step may be of an older hand
		return g.hung.Limit
	}
	return min(g.hung.Limit, g.hung.Stiffness*g.hand.Sub(g.last.Stylus.Position).Len())
}

func (g *anyGround) StartPose() frame.Pose { return g.start }

func (g *anyGround) begin(a *Arena, gesture *Gesture) error {
	keys := g.w.Keys()
	friction := slices.IndexFunc(keys, func(k physics.Key) bool { return k.Name == "friction" })
	if friction < 0 {
		return errors.New("probing: the world has no friction to set")
	}
	if err := keys[friction].Set(gesture.Friction); err != nil {
		return err
	}
	g.w.Reset()
	g.start = frame.Pose{Position: gesture.At, Rotation: turned(gesture.Rotation)}
	over := a.high[1] + a.room + max(a.radius, frame.Reach(a.shape))
	from := g.w.Info().Start
	up := func(p frame.Pose) frame.Pose { p.Position[1] = max(p.Position[1], over); return p }
	beside := a.beside(g.start) // the way to a start under tissue
	for _, p := range []frame.Pose{up(from), up(beside), beside, g.start} {
		reached := false
		for n := 0; n < 10*mostIncrements && !reached; n++ {
			reached = g.Step(p)
		}
		if !reached {
			return &unreached{p.Position}
		}
	}
	return nil
}

// beside is the nearest pose at the same height in which the tool has no tissue above or below it, by the tissue's box;
// the pose itself where the tool is higher than that.
func (a *Arena) beside(p frame.Pose) frame.Pose {
	reach := frame.Reach(a.shape)
	if p.Position[1]-reach >= a.high[1] {
		return p
	}
	way, axis := math.Inf(1), 0
	for _, k := range []int{0, 2} {
		up, down := a.high[k]+reach-p.Position[k], a.low[k]-reach-p.Position[k]
		if up <= 0 || down >= 0 {
			return p
		}
		if up < math.Abs(way) {
			way, axis = up, k
		}
		if -down < math.Abs(way) {
			way, axis = down, k
		}
	}
	p.Position[axis] += way
	return p
}

// unreached is a place where a gesture begins and to which the tool does not come.
type unreached struct{ at vec }

func (e *unreached) Error() string {
	return fmt.Sprintf("probing: the tool does not come to where a gesture begins, %v m", e.at)
}

func (g *anyGround) offCone() string {
	if a, ok := g.w.(physics.Accountant); ok {
		return offCone(a)
	}
	return ""
}

func (g *anyGround) young() float64 {
	g.w.Draw(&g.frame)
	return g.frame.Softest
}

func (g *anyGround) setDeadline(seconds float64, d *physics.Deadline) (before float64, err error) {
	g.clock = d
	for _, k := range g.w.Keys() {
		if k.Clock {
			before = k.Get()
			if err := k.Set(seconds); err != nil {
				return before, err
			}
		}
	}
	return before, nil
}

// patience is little: a hand does not wait, it makes a row a millisecond.
func (g *anyGround) patience() int { return 3 }

// swings is 30 s where there is motion.
func (g *anyGround) swings() int {
	if g.w.Info().Advances {
		return 30000
	}
	return 0
}

func (g *anyGround) Step(target frame.Pose) bool {
	g.hand = target.Position
	g.last = g.owed.Step(g.w, physics.Input{Target: target, Hand: target, Coupling: g.hung, Dt: 1e-3, Deadline: g.clock})
	return g.last.Reached
}

func (g *anyGround) Model(m *local.Model) { g.w.Local(m) }

func (g *anyGround) Force() (force, torque vec) { return g.last.Force, g.last.Torque }

// Stats tells of the contacts of the state that is shown. A step that does not come to a new one is late.
func (g *anyGround) Stats() tissue.Stats {
	var s tissue.Stats
	s.Solve.Converged = true
	for i := range g.frame.Contacts {
		switch g.frame.Contacts[i].Status {
		case contact.Open:
			s.Open++
		case contact.Stick:
			s.Stick++
		default:
			s.Slip++
		}
	}
	return s
}

func (g *anyGround) Snapshot(s *tissue.Snapshot) {
	f := &g.frame
	g.w.Draw(f)
	if len(s.Surfaces) != len(f.Surfaces) {
		s.Surfaces = make([]physics.Surface, len(f.Surfaces))
	}
	for i := range f.Surfaces {
		s.Surfaces[i].Vertices = append(s.Surfaces[i].Vertices[:0], f.Surfaces[i].Vertices...)
	}
	s.Stylus, s.Force, s.Torque, s.Contacts = f.Stylus, g.last.Force, g.last.Torque, append(s.Contacts[:0], f.Contacts...)
	s.Inverted = 0
	for i, n := range g.w.Info().Numbers {
		if n.Name == "inverted_elements" && !math.IsNaN(f.Numbers[i]) {
			s.Inverted = int(f.Numbers[i])
		}
	}
}

// offCone tells what of a world's own account breaks Coulomb's law, "" where nothing does. It reads what
// physics.Accountant promises of any kind.
func offCone(w physics.Accountant) string {
	var x [3]float64
	for _, e := range w.Account(false) {
		for i, name := range [3]string{"cone_violation", "friction_lag", "coulomb_error"} {
			if v, ok := e.Value.(float64); ok && e.Name == name {
				x[i] = v
			}
		}
	}
	return offConeBy(x[0], x[1], x[2])
}

// offConeBy is the same of these numbers: a contact of the state that is shown may not leave its cone by more than
// rounding, nor obey another mu than the one that is set. One that slides with less friction than that is inside its
// cone: what tells is the error of the laws, over what the world's own tolerance allows.
func offConeBy(violation, lag, off float64) string {
	const rounding = 1e-9
	if violation <= rounding && lag == 0 && off <= 1+rounding {
		return ""
	}
	return fmt.Sprintf("a force leaves the cone by %.3g of its size, mu is %.3g from what is set, and the laws are broken by %.3g of what the tolerance allows", violation, lag, off)
}
