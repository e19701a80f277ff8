// Package bead is the smallest kind of world: a bead on a spring, which the stylus draws by a second one. It is the
// example of docs/adding.md; copy it to begin a kind.
package bead

import (
	"context"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/files/setting"
	"hapco/physics/frame"
	"hapco/physics/local"
)

// scene is what a scene file says. Reading it, --set, the panel and the documentation all come from the table below.
type scene struct {
	setting.Setting
	Mass, Stiffness, Damping, Grip float64 // kg, N/m, N s/m, N/m
}

var own = []setting.Field[scene]{
	setting.Number("mass", setting.Mass, "of the bead", func(s *scene) *float64 { return &s.Mass }),
	setting.Number("stiffness", setting.Stiffness, "of the spring that holds the bead", func(s *scene) *float64 { return &s.Stiffness }).Lives(setting.Live{Symbol: "k",
		Range: setting.Range{Min: 1, Max: 1e4, Log: true}}),
	setting.Number("damping", setting.Damping, "of the bead's motion", func(s *scene) *float64 { return &s.Damping }).Lives(setting.Live{
		Range: setting.Range{Min: 0, Max: 10, Step: 0.1}}),
	setting.Number("grip", setting.Stiffness, "of the spring between stylus and bead", func(s *scene) *float64 { return &s.Grip }),
}

func common(s *scene) *setting.Setting { return &s.Setting }

var fields = append(append(setting.Lift(setting.HeadFields, common), own...), setting.Lift(setting.TailFields, common)...)

// Read reads a scene file: pass it to physics.Register.
func Read(name string, text []byte) (physics.Scene, error) {
	s := &scene{Setting: setting.Default(), Mass: 0.05, Stiffness: 50, Damping: 0.5, Grip: 200}
	return s, setting.Read(name, text, s, fields, &s.Setting, nil, nil, s.check)
}

func (s *scene) check() *setting.Error {
	return setting.First(
		setting.Need(s.Mass > 0, "mass", s.Mass, "above 0 kg"),
		setting.Need(s.Stiffness > 0 && s.Grip > 0 && s.Damping >= 0, "stiffness", s.Stiffness, "stiffness and grip above 0, damping 0 or more"))
}

// Set, Echo and Open make the scene a physics.Scene. Set changes one value.
func (s *scene) Set(assignment string) error {
	return setting.AssignTo(s, fields, assignment, (*scene).check)
}

// Echo tells the unit of a number that names none.
func (s *scene) Echo(assignment string) string {
	return setting.EchoOf(fields, s.Units, assignment)
}

// Open makes the world.
func (s *scene) Open(context.Context, physics.Options) (physics.World, []string, error) {
	return &world{scene: *s, stylus: frame.Identity(), info: &physics.Info{Start: frame.Identity(), Advances: true,
		Numbers: []physics.Number{{Name: "speed", Unit: "m/s", Label: "Speed", Section: "Haptics", About: "Of the bead."}}}}, nil, nil
}

type world struct {
	scene  scene
	info   *physics.Info
	stylus frame.Pose
	x, v   mgl64.Vec3 // of the bead, m, m/s
	time   float64
	steps  uint64
}

func (w *world) Info() *physics.Info { return w.info }

// pull is the force of the grip on the stylus, N.
func (w *world) pull() mgl64.Vec3 { return w.x.Sub(w.stylus.Position).Mul(w.scene.Grip) }

// OwnStep is a small part of the time in which the bead swings, and no more than the hand would feel, s.
func (w *world) OwnStep() float64 {
	return min(1e-3, 0.1*math.Sqrt(w.scene.Mass/(w.scene.Stiffness+w.scene.Grip)))
}

// Step is m dv/dt = -k x - c v - pull, x' = v, by the scheme of Euler and Cromer: as many of its own steps as there is
// time for.
func (w *world) Step(in physics.Input) (r physics.Report) {
	if in.Target.Proper() {
		w.stylus = in.Target
	}
	s, h := &w.scene, w.OwnStep()
	for in.Dt-r.Advanced >= h*(1-1e-9) && !math.IsInf(in.Dt, 1) && !in.Deadline.Late(0) {
		f := w.x.Mul(-s.Stiffness).Sub(w.v.Mul(s.Damping)).Sub(w.pull())
		w.v = w.v.Add(f.Mul(h / s.Mass))
		w.x = w.x.Add(w.v.Mul(h))
		r.Advanced += h
	}
	w.time, w.steps = w.time+r.Advanced, w.steps+1
	r.Reached, r.Force = true, w.pull()
	return r
}

// Local is the grip's spring: the hand feels it at its own rate.
func (w *world) Local(m *local.Model) {
	m.SetN(0)
	m.Origin, m.Rotation, m.Field = w.stylus.Position, w.stylus.Rotation, local.Field{On: true}
	f := w.pull()
	for k := range 3 {
		m.Field.Force[k], m.Field.K[7*k] = f[k], w.scene.Grip
	}
}

// Draw shows the bead, both springs, and the force on the stylus.
func (w *world) Draw(f *physics.Frame) {
	f.Resize(w.info)
	f.Step, f.Time, f.Stylus, f.Force = w.steps, w.time, w.stylus, w.pull()
	bead := physics.Point{Position: physics.Single(w.x), Radius: 4e-3, Color: [3]float32{0.85, 0.35, 0.25}}
	f.Points = append(f.Points, bead)
	f.Lines = append(f.Lines, physics.Line{B: w.x, Color: mgl64.Vec3{0.7, 0.7, 0.7}}, physics.Line{A: w.x, B: w.stylus.Position, Color: mgl64.Vec3{0.4, 0.7, 0.9}})
	f.Numbers[0] = w.v.Len()
}

func (w *world) Keys() []physics.Key { return physics.KeysOf(own, &w.scene, "", "Bead", nil) }
func (w *world) Reset()              { w.x, w.v, w.time = mgl64.Vec3{}, mgl64.Vec3{}, 0 }
func (w *world) Close() error        { return nil }

// Sample is what `hapco trace --seconds` prints.
func (w *world) Sample() []physics.Entry {
	return []physics.Entry{{Name: "bead_m", Value: w.x, Short: "bead m"}, {Name: "speed_m_s", Value: w.v.Len()}}
}
