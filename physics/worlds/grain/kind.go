package grain

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"strconv"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/files/setting"
	"hapco/physics/frame"
	"hapco/physics/numerics/num"
)

// Grains as a kind of world: a scene file with a container, obstacles, a source, and a tool on the stylus that stirs
// the heap and feels what it does (live.go, seen.go). Everything below goes through the seam (package physics); the
// engine itself knows nothing of it.

// SceneFile is the scene file of a grain world.
type SceneFile struct {
	setting.Setting
	Radius, Spread  float64 // of the grains, m; share by which radii differ
	Density         float64 // kg/m^3
	Sigma           float64 // of the interaction, m; 0: twice the radius
	Epsilon         float64 // J
	Number          int     // of grains at the start
	Fluid           Fluid
	Model           Model
	Gravity         float64    // downwards, m/s^2
	Container       Container  //
	FillLow, FillUp mgl64.Vec3 // corners of the box that the grains start in, m
	Source          Source     //
	KeepLow, KeepUp mgl64.Vec3 // corners of the box that grains vanish outside of, m
	Obstacles       []Obstacle //
	Tool            form       //
	ToolAt          mgl64.Vec3 // at the start, m
	GrainColor      mgl64.Vec3 // sRGB
	GrainMaterial   string     // for the eye: one of grainMaterials
	ToolColor       mgl64.Vec3 // sRGB
	Paint           Paint
	Step            float64 // s; 0: Config.StableStep
	Substeps        int     // parts that Step is done in
}

// Model is what the scene chooses beyond the document's model.
type Model struct {
	Buoyancy, Shifted bool
	Drag              Drag
	Core              Core
}

// Source is where grains come from.
type Source struct {
	Low, Up mgl64.Vec3 // corners of a box, m
	Rate    float64    // grains a second
	Speed   float64    // that they come with, downwards, m/s
	Most    int        // grains in the world, beyond which none come
}

// Paint says what a grain's colour shows.
type Paint uint8

// The paints.
const (
	PaintPlain   Paint = iota // each grain's own
	PaintSpeed                // up to three times the mean
	PaintForce                // how hard neighbours and obstacles press, up to three times the mean
	PaintPacking              // how many neighbours are closer than 1.3 sigma, up to 12
)

// Container is what holds the grains: an open box, or two funnels in one, mouth on mouth.
type Container struct {
	Shape string     // "box", "hourglass" or "none"
	Size  mgl64.Vec3 // outside measures, about the origin, its floor at y = 0, m
	Neck  float64    // width of an hourglass's neck, m
}

var grainMaterials = []string{"balls", "sand", "snow", "water"}

var fields = append(append(setting.Lift(setting.HeadFields, common), ownFields...), setting.Lift(setting.TailFields, common)...)

func common(s *SceneFile) *setting.Setting { return &s.Setting }

var ownFields = []setting.Field[SceneFile]{
	setting.Number("grain.radius", setting.Length, "of the grains", func(s *SceneFile) *float64 { return &s.Radius }),
	setting.Number("grain.spread", setting.Pure, "share by which the radii differ, 0 to 0.5", func(s *SceneFile) *float64 { return &s.Spread }),
	setting.Number("grain.density", setting.Density, "of the grains", func(s *SceneFile) *float64 { return &s.Density }),
	setting.Number("grain.sigma", setting.Length, "distance at which grains begin to repel each other; 0: twice the radius", func(s *SceneFile) *float64 { return &s.Sigma }),
	setting.Number("grain.epsilon", setting.Energy, "depth of the attraction between two grains", func(s *SceneFile) *float64 { return &s.Epsilon }).Lives(setting.Live{Label: "Cohesion", Symbol: "ε",
		About: "How strongly grains hold together; they repel each other as much more, too.",
		Range: setting.Range{Log: true, Decade: true, Min: 1e-12, Max: 1, Ceil: 1e3}}),
	setting.Integer("grain.number", "how many grains there are at the start", func(s *SceneFile) *int { return &s.Number }),
	setting.Color("grain.color", "of the grains", func(s *SceneFile) *mgl64.Vec3 { return &s.GrainColor }),
	setting.Word("grain.material", "what plain grains look like", grainMaterials, grainMaterials, func(s *SceneFile) *string { return &s.GrainMaterial }),
	setting.Number("fluid.density", setting.Density, "of the fluid between the grains", func(s *SceneFile) *float64 { return &s.Fluid.Density }).Lives(setting.Live{Label: "Fluid density",
		Range: setting.Range{Min: 0.1, Max: 1e4, Log: true, Zero: true, ZeroWord: "none", Floor: 1e-9, Ceil: 1e5}}),
	setting.Number("fluid.viscosity", setting.Viscosity, "of the fluid between the grains", func(s *SceneFile) *float64 { return &s.Fluid.Viscosity }).Lives(setting.Live{
		About: "Dynamic viscosity of the fluid: what slows small grains down.",
		Range: setting.Range{Min: 1e-6, Max: 10, Log: true, Zero: true, ZeroWord: "none", Floor: 1e-12, Ceil: 1e3}}),
	setting.Number("gravity", setting.Acceleration, "downwards", func(s *SceneFile) *float64 { return &s.Gravity }).Lives(setting.Live{
		About: "Weight pulls the grains down; below 0 it pulls them up.",
		Range: setting.Range{Min: -20, Max: 20, Step: 0.1, Floor: -1000, Ceil: 1000}}),
	setting.Word("container.shape", "what holds the grains", []string{"box", "hourglass", "none"}, []string{"box", "hourglass", "none"}, func(s *SceneFile) *string { return &s.Container.Shape }),
	setting.Vector("container.size", setting.Length, "of the container; its floor is at y = 0, its middle above the origin", func(s *SceneFile) *mgl64.Vec3 { return &s.Container.Size }),
	setting.Number("container.neck", setting.Length, "width of an hourglass's neck", func(s *SceneFile) *float64 { return &s.Container.Neck }),
	setting.Vector("fill.low", setting.Length, "lower corner of the box that the grains start in", func(s *SceneFile) *mgl64.Vec3 { return &s.FillLow }),
	setting.Vector("fill.up", setting.Length, "its upper corner", func(s *SceneFile) *mgl64.Vec3 { return &s.FillUp }),
	setting.Vector("source.low", setting.Length, "lower corner of the box that grains come from", func(s *SceneFile) *mgl64.Vec3 { return &s.Source.Low }),
	setting.Vector("source.up", setting.Length, "its upper corner", func(s *SceneFile) *mgl64.Vec3 { return &s.Source.Up }),
	setting.Number("source.rate", setting.PerSecond, "grains that come; those that find no room are not made", func(s *SceneFile) *float64 { return &s.Source.Rate }).Lives(setting.Live{Label: "Grains per second",
		About: "How many grains the source makes in a second of simulated time.", Range: setting.Range{Min: 0, Max: 2000, Step: 10, Ceil: 1e6}}),
	setting.Number("source.speed", setting.Speed, "that grains come with, downwards", func(s *SceneFile) *float64 { return &s.Source.Speed }),
	setting.Integer("source.most", "grains in the world, beyond which none come", func(s *SceneFile) *int { return &s.Source.Most }),
	setting.Vector("keep.low", setting.Length, "lower corner of the box that grains vanish outside of", func(s *SceneFile) *mgl64.Vec3 { return &s.KeepLow }),
	setting.Vector("keep.up", setting.Length, "its upper corner", func(s *SceneFile) *mgl64.Vec3 { return &s.KeepUp }),
	setting.Word("tool.shape", "what is on the stylus: a ball, a bowl that is open below, a scoop, open above and towards -z, or a mesh", toolForms, []string{"ball", "cap", "scoop", "mesh"}, func(s *SceneFile) *string { return &s.Tool.Kind }),
	setting.Number("tool.radius", setting.Length, "of a ball or bowl on the stylus", func(s *SceneFile) *float64 { return &s.Tool.Radius }),
	setting.Vector("tool.size", setting.Length, "of a scoop on the stylus", func(s *SceneFile) *mgl64.Vec3 { return &s.Tool.Size }),
	setting.Text("tool.mesh", "of a mesh on the stylus: its file, a closed surface or a volume mesh; asset:NAME for one that the program carries", func(s *SceneFile) *string { return &s.Tool.File }),
	setting.Text("tool.file_unit", "unit of length of that file; default units.length", func(s *SceneFile) *string { return &s.Tool.Unit }),
	setting.Vector("tool.position", setting.Length, "of its centre at the start", func(s *SceneFile) *mgl64.Vec3 { return &s.ToolAt }),
	setting.Color("tool.color", "of the tool", func(s *SceneFile) *mgl64.Vec3 { return &s.ToolColor }),
	setting.Number("step", setting.Seconds, "time step; 0 chooses one that is stable", func(s *SceneFile) *float64 { return &s.Step }).Lives(setting.Live{Label: "Time step",
		About: "Of the integration. 0 follows the stiffest pair and the strongest drag; much more flings grains about.",
		Range: setting.Range{Min: 1e-6, Max: 1e-2, Log: true, Zero: true, ZeroWord: "stable", Floor: leastStep, Ceil: 0.1}}),
	setting.Integer("substeps", "parts that a time step is done in", func(s *SceneFile) *int { return &s.Substeps }).Lives(setting.Live{
		About: "Divides the time step: finer and slower.", Range: setting.Range{Min: 1, Max: 16, Step: 1, Floor: 1, Ceil: 1000}}),
	setting.Switch("model.buoyancy", "the displaced fluid lifts a grain", func(s *SceneFile) *bool { return &s.Model.Buoyancy }).Lives(setting.Live{
		About: "The fluid that a grain displaces lifts it: ice floats in water."}),
	setting.Word("model.drag", "law of the fluid's resistance", []string{"stokes-newton", "schiller-naumann"}, []Drag{StokesNewton, SchillerNaumann}, func(s *SceneFile) *Drag { return &s.Model.Drag }).Lives(setting.Live{Label: "Drag law",
		About: "stokes-newton is slow, then quadratic flow; schiller-naumann what is measured for spheres."}),
	setting.Switch("model.shifted", "the force between grains ends without a jump", func(s *SceneFile) *bool { return &s.Model.Shifted }).Lives(setting.Live{Label: "Shifted cut-off",
		About: "The force at the cut-off is taken from all of it, so that it ends without a jump."}),
	setting.Word("model.core", "what grains do that are closer than sigma", []string{"bounded", "hard"}, []Core{BoundedCore, HardCore}, func(s *SceneFile) *Core { return &s.Model.Core }).Lives(setting.Live{
		About: "A bounded core lets grains through each other at 24 times the cohesion; a hard one at 100 times and more: as far down as its smaller steps can follow."}),
	setting.Word("show.color", "what the colour of a grain shows", []string{"plain", "speed", "force", "packing"}, []Paint{PaintPlain, PaintSpeed, PaintForce, PaintPacking}, func(s *SceneFile) *Paint { return &s.Paint }).Lives(setting.Live{Label: "Colour shows",
		About: "speed and force: yellow is three times the mean; packing: yellow is 12 close neighbours."}),
}

// Read reads a scene file: it is the kind's opener.
func Read(name string, text []byte) (physics.Scene, error) {
	s := &SceneFile{
		Setting: setting.Default(), Radius: 2e-3, Density: 2500, Epsilon: 2e-5, Number: 1000, Fluid: Water, Gravity: 9.81,
		Container: Container{Shape: "box", Size: mgl64.Vec3{0.1, 0.1, 0.1}, Neck: 0.02}, Tool: form{Kind: "ball", Radius: 8e-3}, Substeps: 1,
		KeepLow: mgl64.Vec3{-far, -far, -far}, KeepUp: mgl64.Vec3{far, far, far}, ToolAt: mgl64.Vec3{0, 0.12, 0},
		GrainColor: mgl64.Vec3{0.86, 0.72, 0.45}, GrainMaterial: grainMaterials[0], ToolColor: mgl64.Vec3{0.75, 0.77, 0.80},
	}
	obstacles := func(r *setting.Reader, tree map[string]any) {
		s.Obstacles = setting.Rows(r, tree, "obstacle", obstacleFields, &s.Setting, func(int) Obstacle {
			return Obstacle{form: form{Kind: "sphere"}, Pose: frame.At(mgl64.Vec3{}), Color: mgl64.Vec3{0.55, 0.57, 0.60},
				Material: physics.ShapeMaterials[0]}
		})
		for i := range s.Obstacles {
			o := &s.Obstacles[i].form
			if err := o.check(setting.Join("obstacle", strconv.Itoa(i))); err != nil {
				r.Fail(err)
			}
			o.File = setting.Beside(name, o.File)
		}
	}
	if err := setting.Read(name, text, s, fields, &s.Setting, []string{"obstacle"}, obstacles, s.check); err != nil {
		return nil, err
	}
	s.Tool.File = setting.Beside(name, s.Tool.File)
	return s, nil
}

// Files are the mesh files that the tool and the obstacles are made from.
func (s *SceneFile) Files() (files []string) {
	for f := range s.forms() {
		if f.Kind == "mesh" && !setting.Carried(f.File) {
			files = append(files, f.File)
		}
	}
	return files
}

// forms are the tool and the obstacles, and their words in the scene file.
func (s *SceneFile) forms() iter.Seq2[*form, string] {
	return func(yield func(*form, string) bool) {
		if !yield(&s.Tool, "tool") {
			return
		}
		for i := range s.Obstacles {
			if !yield(&s.Obstacles[i].form, fmt.Sprintf("obstacle.%d", i)) {
				return
			}
		}
	}
}

func (s *SceneFile) check() *setting.Error {
	need, above := setting.Need, setting.Positive
	room := s.FillUp.Sub(s.FillLow)
	source, keep := s.Source.Up.Sub(s.Source.Low), s.KeepUp.Sub(s.KeepLow)
	unit := s.FillUp == s.FillLow && s.Number == 0
	if err := setting.First(
		need(above(s.Radius), "grain.radius", s.Radius, "above 0; this is in m"),
		need(s.Spread >= 0 && s.Spread <= 0.5, "grain.spread", s.Spread, "0 to 0.5"),
		need(above(s.Density), "grain.density", s.Density, "above 0 kg/m^3"),
		need(s.Sigma >= 0 && !math.IsInf(s.Sigma, 0), "grain.sigma", s.Sigma, "above 0, or 0 to have it chosen"),
		need(above(s.Epsilon), "grain.epsilon", s.Epsilon, "above 0 J"),
		need(s.Number >= 0 && s.Number <= MaxGrains, "grain.number", s.Number, fmt.Sprintf("0 to %d", MaxGrains)),
		need(s.Fluid.Density >= 0 && !math.IsInf(s.Fluid.Density, 0), "fluid.density", s.Fluid.Density, "0 or more"),
		need(s.Fluid.Viscosity >= 0 && !math.IsInf(s.Fluid.Viscosity, 0), "fluid.viscosity", s.Fluid.Viscosity, "0 or more"),
		need(num.Finite(s.Gravity), "gravity", s.Gravity, "a finite number"),
		need(above(s.Container.Size[:]...), "container.size", s.Container.Size, "three lengths above 0"),
		need(above(s.Container.Neck) && s.Container.Neck < min(s.Container.Size[0], s.Container.Size[2]), "container.neck", s.Container.Neck, "above 0 and less than the container's width"),
		need(unit || room[0] > 0 && room[1] > 0 && room[2] > 0 && num.FiniteVec(room), "fill.up", s.FillUp, "farther along x, y and z than fill.low"),
		need(s.Source.Rate >= 0 && !math.IsInf(s.Source.Rate, 0), "source.rate", s.Source.Rate, "0 or more"),
		need(num.Finite(s.Source.Speed), "source.speed", s.Source.Speed, "a finite number"),
		need(s.Source.Most >= 0 && s.Source.Most <= MaxGrains, "source.most", s.Source.Most, fmt.Sprintf("0 to %d", MaxGrains)),
		need(source[0] >= 0 && source[1] >= 0 && source[2] >= 0 && num.FiniteVec(source), "source.up", s.Source.Up, "as far along x, y and z as source.low, or farther"),
		need(keep[0] > 0 && keep[1] > 0 && keep[2] > 0 && num.FiniteVec(keep), "keep.up", s.KeepUp, "farther along x, y and z than keep.low"),
		s.Tool.check("tool"),
		need(s.Substeps >= 1, "substeps", s.Substeps, "1 or more"),
		need(num.FiniteVec(s.ToolAt), "tool.position", s.ToolAt, "three finite lengths"),
		need(s.Step >= 0 && !math.IsInf(s.Step, 0), "step", s.Step, "above 0 s, or 0 to have it chosen"),
	); err != nil {
		return err
	}
	if dt := s.config().Step; dt > 0 && dt < leastStep {
		return setting.Fault("grain.epsilon", "less cohesion or viscosity, larger or heavier grains, a longer step, fewer substeps", "the grains need steps of %.2g s, and %g s is the least", dt, leastStep)
	}
	if s.Number+s.Source.Most == 0 {
		return setting.Fault("grain.number", "a number of grains, or source.most", "there are no grains, and none come")
	}
	if n, _ := s.lattice(); float64(n[0])*float64(n[1])*float64(n[2]) < float64(s.Number) {
		return setting.Fault("grain.number", "fewer grains, or a larger box from fill.low to fill.up", "%d grains do not fit, %d do", s.Number, n[0]*n[1]*n[2])
	}
	return nil
}

// Set changes one value.
func (s *SceneFile) Set(assignment string) error {
	return setting.AssignTo(s, fields, assignment, (*SceneFile).check)
}

// Echo tells the unit of an assignment that names none.
func (s *SceneFile) Echo(assignment string) string {
	return setting.EchoOf(fields, s.Units, assignment)
}

func (s *SceneFile) sigma() float64 {
	return cmp.Or(s.Sigma, 2*s.Radius)
}

// lattice is how many grains fit along x, y and z of the box that they start in, and how wide apart they are: as grains
// rest from each other.
func (s *SceneFile) lattice() (n [3]int, apart float64) {
	a := Interaction{Sigma: s.sigma(), Epsilon: s.Epsilon}
	apart = a.Equilibrium()
	room := s.FillUp.Sub(s.FillLow)
	for k := range n {
		n[k] = 1 + int(min(room[k]/apart, MaxGrains))
	}
	return n, apart
}

// places are where the grains start, from below; Number of them.
func (s *SceneFile) places() (at []mgl64.Vec3) {
	n, apart := s.lattice()
	for i := range s.Number {
		k := mgl64.Vec3{float64(i % n[0]), float64(i / n[0] / n[2]), float64(i / n[0] % n[2])}
		at = append(at, s.FillLow.Add(k.Mul(apart)))
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

// walls are the container's. Those of an hourglass are as steep as its size says; their rectangles reach past each
// other at the corners.
func (c *Container) walls() (walls []wall) {
	x, h, z := c.Size[0]/2, c.Size[1], c.Size[2]/2
	if c.Shape == "none" {
		return nil
	}
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
