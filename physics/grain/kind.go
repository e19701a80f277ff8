package grain

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/frame"
	"hapco/physics/local"
	"hapco/physics/setting"
)

// Grains as a kind of world: a heap in a container, and a round tool on the stylus that
// stirs it and feels what it does. Everything below goes through the seam (package
// physics); the engine itself knows nothing of it.

// drawEvery is how often a frame is made: one of many grains is much to copy.
const drawEvery = 10 * time.Millisecond

// SceneFile is the scene file of a grain world.
type SceneFile struct {
	setting.Setting
	Radius, Spread  float64 // of the grains, m; share by which radii differ
	Density         float64 // kg/m^3
	Sigma           float64 // of the interaction, m; 0: twice the radius
	Epsilon         float64 // J
	Number          int     // of grains
	Fluid           Fluid
	Gravity         float64    // downwards, m/s^2
	Container       Container  //
	FillLow, FillUp mgl64.Vec3 // corners of the box that the grains start in, m
	ToolRadius      float64    // m
	ToolAt          mgl64.Vec3 // at the start, m
	GrainColor      mgl64.Vec3 // sRGB
	ToolColor       mgl64.Vec3 // sRGB
	Step            float64    // s; 0: Config.StableStep
}

// Container is what holds the grains: an open box, or two funnels in one, mouth on mouth.
type Container struct {
	Shape string     // "box" or "hourglass"
	Size  mgl64.Vec3 // outside measures, about the origin, its floor at y = 0, m
	Neck  float64    // width of an hourglass's neck, m
}

var fields = append(append(setting.Lift(setting.HeadFields, common), ownFields...), setting.Lift(setting.TailFields, common)...)

func common(s *SceneFile) *setting.Setting { return &s.Setting }

var ownFields = []setting.Field[SceneFile]{
	setting.Number("grain.radius", setting.Length, "of the grains", func(s *SceneFile) *float64 { return &s.Radius }),
	setting.Number("grain.spread", setting.Pure, "share by which the radii differ, 0 to 0.5", func(s *SceneFile) *float64 { return &s.Spread }),
	setting.Number("grain.density", setting.Density, "of the grains", func(s *SceneFile) *float64 { return &s.Density }),
	setting.Number("grain.sigma", setting.Length, "distance at which grains begin to repel each other; 0: twice the radius", func(s *SceneFile) *float64 { return &s.Sigma }),
	setting.Number("grain.epsilon", setting.Energy, "depth of the attraction between two grains", func(s *SceneFile) *float64 { return &s.Epsilon }),
	setting.Integer("grain.number", "how many grains there are", func(s *SceneFile) *int { return &s.Number }),
	setting.Color("grain.color", "of the grains", func(s *SceneFile) *mgl64.Vec3 { return &s.GrainColor }),
	setting.Number("fluid.density", setting.Density, "of the fluid between the grains", func(s *SceneFile) *float64 { return &s.Fluid.Density }).Lives(setting.Live{Label: "Fluid density",
		Range: setting.Range{Min: 0.1, Max: 1e4, Log: true, Zero: true, ZeroWord: "none", Ceil: 1e5}}),
	setting.Number("fluid.viscosity", setting.Viscosity, "of the fluid between the grains", func(s *SceneFile) *float64 { return &s.Fluid.Viscosity }).Lives(setting.Live{
		About: "Dynamic viscosity of the fluid: what slows small grains down.",
		Range: setting.Range{Min: 1e-6, Max: 10, Log: true, Zero: true, ZeroWord: "none", Ceil: 1e3}}),
	setting.Number("gravity", setting.Acceleration, "downwards", func(s *SceneFile) *float64 { return &s.Gravity }).Lives(setting.Live{
		About: "Weight pulls the grains down; below 0 it pulls them up.",
		Range: setting.Range{Min: -20, Max: 20, Step: 0.1, Floor: -1000, Ceil: 1000}}),
	setting.Word("container.shape", "what holds the grains", []string{"box", "hourglass"}, []string{"box", "hourglass"}, func(s *SceneFile) *string { return &s.Container.Shape }),
	setting.Vector("container.size", setting.Length, "of the container; its floor is at y = 0, its middle above the origin", func(s *SceneFile) *mgl64.Vec3 { return &s.Container.Size }),
	setting.Number("container.neck", setting.Length, "width of an hourglass's neck", func(s *SceneFile) *float64 { return &s.Container.Neck }),
	setting.Vector("fill.low", setting.Length, "lower corner of the box that the grains start in", func(s *SceneFile) *mgl64.Vec3 { return &s.FillLow }),
	setting.Vector("fill.up", setting.Length, "its upper corner", func(s *SceneFile) *mgl64.Vec3 { return &s.FillUp }),
	setting.Number("tool.radius", setting.Length, "of the ball on the stylus", func(s *SceneFile) *float64 { return &s.ToolRadius }),
	setting.Vector("tool.position", setting.Length, "of its centre at the start", func(s *SceneFile) *mgl64.Vec3 { return &s.ToolAt }),
	setting.Color("tool.color", "of the ball", func(s *SceneFile) *mgl64.Vec3 { return &s.ToolColor }),
	setting.Number("step", setting.Seconds, "time step; 0 chooses one that is stable", func(s *SceneFile) *float64 { return &s.Step }),
}

// Keys lists the words of a scene file of this kind.
func Keys() []setting.Key { return setting.Doc(fields, "") }

// Read reads a scene file: it is the kind's opener.
func Read(name string, text []byte) (physics.Scene, error) {
	s := &SceneFile{
		Setting: setting.Default(), Radius: 2e-3, Density: 2500, Epsilon: 2e-5, Number: 1000, Fluid: Water, Gravity: 9.81,
		Container: Container{Shape: "box", Size: mgl64.Vec3{0.1, 0.1, 0.1}, Neck: 0.02}, ToolRadius: 8e-3, ToolAt: mgl64.Vec3{0, 0.12, 0},
		GrainColor: mgl64.Vec3{0.86, 0.72, 0.45}, ToolColor: mgl64.Vec3{0.75, 0.77, 0.80},
	}
	if err := setting.Read(name, text, s, fields, &s.Setting, nil, nil, s.check); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *SceneFile) check() *setting.Error {
	above := func(x float64) bool { return x > 0 && !math.IsInf(x, 0) }
	at := func(key string, ok bool, value any, cure string) *setting.Error {
		return setting.Need(ok, key, value, cure)
	}
	room := s.FillUp.Sub(s.FillLow)
	if err := setting.First(
		at("grain.radius", above(s.Radius), s.Radius, "above 0; this is in m"),
		at("grain.spread", s.Spread >= 0 && s.Spread <= 0.5, s.Spread, "0 to 0.5"),
		at("grain.density", above(s.Density), s.Density, "above 0 kg/m^3"),
		at("grain.sigma", s.Sigma >= 0 && !math.IsInf(s.Sigma, 0), s.Sigma, "above 0, or 0 to have it chosen"),
		at("grain.epsilon", above(s.Epsilon), s.Epsilon, "above 0 J"),
		at("grain.number", s.Number >= 1 && s.Number <= MaxGrains, s.Number, fmt.Sprintf("1 to %d", MaxGrains)),
		at("fluid.density", s.Fluid.Density >= 0 && !math.IsInf(s.Fluid.Density, 0), s.Fluid.Density, "0 or more"),
		at("fluid.viscosity", s.Fluid.Viscosity >= 0 && !math.IsInf(s.Fluid.Viscosity, 0), s.Fluid.Viscosity, "0 or more"),
		at("gravity", setting.Finite(s.Gravity), s.Gravity, "a finite number"),
		at("container.size", above(s.Container.Size[0]) && above(s.Container.Size[1]) && above(s.Container.Size[2]), s.Container.Size, "three lengths above 0"),
		at("container.neck", above(s.Container.Neck) && s.Container.Neck < min(s.Container.Size[0], s.Container.Size[2]), s.Container.Neck, "above 0 and less than the container's width"),
		at("fill.up", room[0] > 0 && room[1] > 0 && room[2] > 0 && setting.FiniteVector(room), s.FillUp, "farther along x, y and z than fill.low"),
		at("tool.radius", above(s.ToolRadius), s.ToolRadius, "above 0; this is in m"),
		at("tool.position", setting.FiniteVector(s.ToolAt), s.ToolAt, "three finite lengths"),
		at("step", s.Step >= 0 && !math.IsInf(s.Step, 0), s.Step, "above 0 s, or 0 to have it chosen"),
	); err != nil {
		return err
	}
	if n := len(s.places()); n < s.Number {
		return setting.Fault("grain.number", "fewer grains, or a larger box from fill.low to fill.up", "%d grains do not fit, %d do", s.Number, n)
	}
	return nil
}

// Common is the part that every scene file has.
func (s *SceneFile) Common() *setting.Setting { return &s.Setting }

// Set changes one value.
func (s *SceneFile) Set(assignment string) error {
	return setting.AssignTo(s, fields, s.Units, assignment, func(next *SceneFile) *setting.Error {
		if err := next.Setting.Check(); err != nil {
			return err
		}
		return next.check()
	})
}

// Echo tells the unit of an assignment that names none.
func (s *SceneFile) Echo(assignment string) string {
	return setting.Echo(assignment, func(key string) setting.Quantity {
		if f := setting.Find(fields, key); f != nil {
			return f.Unit
		}
		return setting.Pure
	}, s.Units)
}

func (s *SceneFile) sigma() float64 {
	if s.Sigma > 0 {
		return s.Sigma
	}
	return 2 * s.Radius
}

// places are where the grains start: a lattice, as wide as grains rest from each other,
// from below; at most Number of them.
func (s *SceneFile) places() (at []mgl64.Vec3) {
	a := Interaction{Sigma: s.sigma(), Epsilon: s.Epsilon}
	d := 1.001 * a.Equilibrium()
	room := s.FillUp.Sub(s.FillLow)
	var n [3]int
	for k := range n {
		n[k] = 1 + int(min(room[k]/d, MaxGrains))
	}
	for j := range n[1] {
		for k := range n[2] {
			for i := range n[0] {
				if len(at) == s.Number {
					return at
				}
				at = append(at, s.FillLow.Add(mgl64.Vec3{float64(i), float64(j), float64(k)}.Mul(d)))
			}
		}
	}
	return at
}

// wall is a rectangle of a container, given by a corner and two sides.
type wall struct{ corner, a, b mgl64.Vec3 }

func (q wall) shape() Shape {
	along, length := q.a.Normalize(), q.a.Len()
	normal := q.a.Cross(q.b).Normalize() // across = normal x along is then along b
	return &Rectangle{Origin: q.corner, Normal: normal, Along: along, Length: length, Width: q.b.Len()}
}

// walls are the container's. Those of an hourglass are as steep as its size says; their
// rectangles reach past each other at the corners.
func (c *Container) walls() (walls []wall) {
	x, h, z := c.Size[0]/2, c.Size[1], c.Size[2]/2
	walls = []wall{
		{mgl64.Vec3{-x, 0, -z}, mgl64.Vec3{0, 0, 2 * z}, mgl64.Vec3{2 * x, 0, 0}}, // the floor
		{mgl64.Vec3{-x, 0, -z}, mgl64.Vec3{2 * x, 0, 0}, mgl64.Vec3{0, h, 0}},
		{mgl64.Vec3{-x, 0, z}, mgl64.Vec3{2 * x, 0, 0}, mgl64.Vec3{0, h, 0}},
		{mgl64.Vec3{-x, 0, -z}, mgl64.Vec3{0, 0, 2 * z}, mgl64.Vec3{0, h, 0}},
		{mgl64.Vec3{x, 0, -z}, mgl64.Vec3{0, 0, 2 * z}, mgl64.Vec3{0, h, 0}},
	}
	if c.Shape == "hourglass" {
		n := c.Neck / 2
		for _, side := range []float64{-1, 1} {
			walls = append(walls,
				wall{mgl64.Vec3{side * x, 0.8 * h, -z}, mgl64.Vec3{0, 0, 2 * z}, mgl64.Vec3{side * (n - x), -0.35 * h, 0}},
				wall{mgl64.Vec3{-x, 0.8 * h, side * z}, mgl64.Vec3{2 * x, 0, 0}, mgl64.Vec3{0, -0.35 * h, side * (n - z)}})
		}
	}
	return walls
}

// Open makes the world.
func (s *SceneFile) Open(ctx context.Context, _ physics.Options) (physics.World, []string, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	l := &live{scene: *s, now: *s}
	if err := l.open(); err != nil {
		return nil, nil, err
	}
	l.describe()
	return l, nil, nil
}

// fewGrains is how many one goroutine moves as fast as two would, which wait for each
// other at every step.
const fewGrains = 8192

// live is a grain world behind the seam.
type live struct {
	scene SceneFile // as it was opened
	now   SceneFile // with the live parameters
	info  *physics.Info
	world *World
	tool  *Ball
	which int // obstacle that the tool is

	pose    frame.Pose
	listed  mgl64.Vec3 // where the tool was when neighbours were listed
	listing int
	owed    float64 // time that is not a whole step yet, s
	steps   uint64
	force   mgl64.Vec3 // of the grains on the tool, mean over the last step, N
	ball    []mgl64.Vec3
	lines   []physics.Line
}

// open builds the engine's world anew.
func (l *live) open() error {
	s := &l.now
	c := Config{
		Step: s.Step, Gravity: mgl64.Vec3{0, -s.Gravity, 0}, Fluid: s.Fluid,
		Interaction: Interaction{Sigma: s.sigma(), Epsilon: s.Epsilon},
		Threads:     1 + s.Number/fewGrains, // the window and the hand want processors, too
	}
	for i, at := range s.places() {
		// radii differ by a fixed sequence without a pattern, so that a scene is the same each time
		vary := 1 + s.Spread*(2*math.Mod(float64(i+1)*math.Phi, 1)-1)
		c.Grains = append(c.Grains, Grain{Radius: s.Radius * vary, Density: s.Density, Position: at})
	}
	l.lines = l.lines[:0]
	for _, q := range s.Container.walls() {
		c.Obstacles = append(c.Obstacles, q.shape())
		corners := [4]mgl64.Vec3{q.corner, q.corner.Add(q.a), q.corner.Add(q.a).Add(q.b), q.corner.Add(q.b)}
		for k := range corners {
			l.lines = append(l.lines, physics.Line{A: corners[k], B: corners[(k+1)%4], Color: mgl64.Vec3{0.55, 0.60, 0.68}})
		}
	}
	l.tool = &Ball{Center: s.ToolAt, Radius: s.ToolRadius}
	l.which = len(c.Obstacles)
	c.Obstacles = append(c.Obstacles, l.tool)
	w, err := New(c)
	if err != nil {
		return err
	}
	if w.Dt() <= 0 {
		return errors.Join(errors.New("grain: there is no stable time step (cure: step = a time in s)"), l.Close())
	}
	l.world = w
	l.pose, l.force, l.owed, l.listing = frame.At(s.ToolAt), mgl64.Vec3{}, 0, 0
	return nil
}

func (l *live) describe() {
	var triangles [][3]int32
	l.ball, triangles = ballMesh(l.scene.ToolRadius)
	l.info = &physics.Info{
		Start: frame.At(l.scene.ToolAt), Advances: true, Every: drawEvery,
		Surfaces: []physics.SurfaceInfo{{Name: "tool", Material: "steel", Driven: true, Rigid: true, Triangles: triangles, Color: l.scene.ToolColor,
			About: fmt.Sprintf("tool: a ball of radius %.3g mm, among %d grains.", 1e3*l.scene.ToolRadius, l.world.N())}},
		Numbers: []physics.Number{
			{Name: "time_s", Unit: "s", Section: "Haptics", Label: "Simulated time", About: "Time that has passed in the simulation."},
			{Name: "tool_force_N", Unit: "N", Section: "Haptics", Label: "Force on the tool", About: "Of all grains, mean over the last step."},
			{Name: "core", Format: physics.Count, Section: "Haptics", Label: "Pressed grains", About: "Pairs of grains that are closer than sigma."},
			{Name: "lost", Format: physics.Count, Section: "Haptics", Label: "Stopped grains", About: "Grains whose speed was no number any more.", Rare: true, Warn: 1},
		},
		Pages: []physics.Page{{Name: "Overview", About: "Force, pressed grains and step time over the last seconds (C).",
			Plots: []physics.Plot{{Title: "Pressed grains", Integer: true, Top: 10, About: "Pairs of grains that are closer than sigma.", Curves: []physics.Curve{{Name: "pairs", Number: "core"}}}}}},
	}
}

// Info implements physics.World.
func (l *live) Info() *physics.Info { return l.info }

// Step lets the grains move for a time, and the tool go to its target in it.
func (l *live) Step(in physics.Input) (r physics.Report) {
	w := l.world
	if in.Dt > 0 && !math.IsInf(in.Dt, 0) {
		l.owed += in.Dt
	}
	n := int(l.owed / w.Dt())
	l.owed -= float64(n) * w.Dt()
	target := in.Target.Position
	if !finite(target) {
		target = l.pose.Position
	}
	before := w.impulse.obstacle[l.which].value()
	way := target.Sub(l.pose.Position)
	// Grains must not be met by a tool that was not near when they were listed, and
	// none may be passed over: the tool does not go farther than that in a step.
	if most := float64(n) * w.skin / 4; way.Len() > most {
		way = way.Mul(most / way.Len())
	}
	for i := range n {
		l.tool.Center = l.pose.Position.Add(way.Mul(float64(i+1) / float64(n)))
		if w.report.Listings != l.listing {
			l.listing, l.listed = w.report.Listings, l.tool.Center
		}
		if l.tool.Center.Sub(l.listed).Len() > w.skin/4 {
			w.stale = true
		}
		w.Step(1)
	}
	if n > 0 {
		l.pose.Position = l.tool.Center
		l.force = w.impulse.obstacle[l.which].value().Sub(before).Mul(-1 / (float64(n) * w.Dt()))
	}
	l.pose.Rotation = in.Target.Rotation
	l.steps++
	r.Force = l.force
	r.Reached = l.pose.Position == target
	return r
}

// Local is the force field about the tool: the mean force of the last step, and how it
// grows where grains that repel the tool are pressed further.
func (l *live) Local(m *local.Model) {
	m.SetN(0)
	m.Origin, m.Rotation = l.pose.Position, l.pose.Rotation
	m.Field = local.Field{On: true}
	copy(m.Field.Force[:3], l.force[:])
	w := l.world
	a := &w.model
	reach := CutOff * a.Sigma
	for i := range w.N() {
		p := mgl64.Vec3(w.pos[4*i:][:3])
		e := l.tool.Center.Sub(p)
		d := e.Len()
		gap := d - l.tool.Radius
		if !(gap > 0 && gap < reach) {
			continue
		}
		const part = 1e-3 // of sigma, for the slope of the force
		slope := 2 * (a.Force(gap+part*a.Sigma) - a.Force(gap)) / (part * a.Sigma)
		if !(slope > 0) { // pulls the less the farther: no spring
			continue
		}
		n := e.Mul(1 / d)
		for r := range 3 {
			for c := range 3 {
				m.Field.K[6*r+c] += slope * n[r] * n[c]
			}
		}
	}
}

// Draw shows grains as balls.
func (l *live) Draw(f *physics.Frame) {
	f.Resize(l.info)
	w := l.world
	f.Step, f.Time, f.Stylus, f.Force, f.Torque = l.steps, w.Time(), l.pose, l.force, mgl64.Vec3{}
	v := f.Surfaces[0].Vertices
	if len(v) != len(l.ball) {
		v = make([]mgl64.Vec3, len(l.ball))
	}
	for i, x := range l.ball {
		v[i] = x.Add(l.pose.Position)
	}
	f.Surfaces[0].Vertices = v
	f.Lines = append(f.Lines, l.lines...)
	color := l.scene.GrainColor
	for id := range w.place {
		i := int(w.place[id])
		shade := float32(0.8 + 0.25*math.Mod(float64(id)*math.Phi, 1)) // neighbours differ a little
		f.Points = append(f.Points, physics.Point{
			Position: [3]float32{float32(w.pos[4*i]), float32(w.pos[4*i+1]), float32(w.pos[4*i+2])}, Radius: float32(w.radius[i]),
			Color: [3]float32{min(1, shade*float32(color[0])), min(1, shade*float32(color[1])), min(1, shade*float32(color[2]))},
		})
	}
	r := w.Report()
	f.Numbers[0], f.Numbers[1], f.Numbers[2], f.Numbers[3] = w.Time(), l.force.Len(), float64(r.Core), float64(r.Lost)
}

// Keys are the fields that live.
func (l *live) Keys() []physics.Key {
	return physics.KeysOf(ownFields, &l.now, "", "Grains", func(string) error {
		w := l.world
		w.fluid, w.gravity = l.now.Fluid, mgl64.Vec3{0, -l.now.Gravity, 0}
		w.setFall()
		return nil
	})
}

// Sample is the state of the grains.
func (l *live) Sample() []physics.Entry {
	w := l.world
	sums := w.Sums()
	positions := make([]mgl64.Vec3, w.N())
	for i := range positions {
		positions[i] = w.Position(i)
	}
	return []physics.Entry{
		{Name: "tool_m", Value: l.pose.Position},
		{Name: "tool_force_N", Value: l.force},
		{Name: "centroid_m", Value: sums.Centroid},
		{Name: "height_m", Value: sums.Centroid[1], Short: "height m", Format: "%.5f"},
		{Name: "momentum_kg_m_s", Value: sums.Momentum},
		{Name: "kinetic_J", Value: sums.Kinetic, Short: "kinetic J", Format: "%.3e"},
		{Name: "core", Value: w.Report().Core, Short: "pressed"},
		{Name: "lost", Value: w.Report().Lost},
		{Name: "positions_m", Value: positions},
	}
}

// Reset puts every grain back to where it started.
func (l *live) Reset() {
	old := l.world
	if err := l.open(); err != nil {
		panic("grain: a scene that was opened cannot be opened again: " + err.Error())
	}
	old.Close()
}

// Close ends the engine's goroutines.
func (l *live) Close() error {
	if l.world != nil {
		l.world.Close()
	}
	return nil
}

// ballMesh is a ball about the origin, of triangles that face outward.
func ballMesh(radius float64) (x []mgl64.Vec3, triangles [][3]int32) {
	const rings, around = 16, 24
	for r := range rings + 1 {
		for j := range around {
			th, ph := math.Pi*float64(r)/rings, 2*math.Pi*float64(j)/around
			x = append(x, mgl64.Vec3{math.Sin(th) * math.Cos(ph), math.Cos(th), math.Sin(th) * math.Sin(ph)}.Mul(radius))
		}
	}
	for r := range rings {
		for j := range around {
			a, b := int32(r*around+j), int32(r*around+(j+1)%around)
			if r < rings-1 {
				triangles = append(triangles, [3]int32{a, b + around, a + around})
			}
			if r > 0 {
				triangles = append(triangles, [3]int32{a, b, b + around})
			}
		}
	}
	return x, triangles
}
