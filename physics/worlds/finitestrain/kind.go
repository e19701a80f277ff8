package finitestrain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"hapco/physics"
	"hapco/physics/files/scene"
	"hapco/physics/files/setting"
	"hapco/physics/local"
	"hapco/physics/numerics/fem/equilibrium"
	"hapco/physics/numerics/fem/solid"
)

// Bodies at large strains as a kind of world: organs, held somewhere, and a rigid tool on the stylus. Everything below
// puts Live behind the seam (package physics); the organs themselves are in organ.go.

// contacts is room for all nodes in the engine's reach: where some are left out, they take turns and no equilibrium is
// found.
const contacts = 96

// SceneFile is the scene file of a world of finite strain. Bodies and tools are read as in tissue worlds.
type SceneFile struct {
	setting.Setting
	Organ               // the first
	Organs      []Organ // more of them
	Parts       []Part
	Pairs       []scene.Pair
	Tool        scene.Body
	Friction    float64 // mu, -
	Tolerance   float64 // residual of a state that is shown, over the sum of the contact forces
	Tries       int     // no effect
	Corrections int     // of the equilibrium, at most a step
	Deadline    float64 // of a step, s; 0: none
	Lag         int     // see LiveOptions
	Grip        GripScene
	Gravity     float64 // downwards, m/s^2
	Motion      MotionScene
}

// MotionScene is how the bodies move in time.
type MotionScene struct {
	Scheme      string  // a word of schemes
	Step        float64 // h, s
	Alpha, Beta float64 // of Rayleigh's damping, 1/s and s
}

// schemes of motion; the first is none.
var schemes = []string{"none", "implicit-euler", "newmark"}

// moves tells whether the bodies move in time.
func (m *MotionScene) moves() bool { return m.Scheme != schemes[0] }

// motion is the engine's, without masses.
func (m *MotionScene) motion() Motion {
	if !m.moves() {
		return Motion{}
	}
	motion := Motion{Step: m.Step, Alpha: m.Alpha, Beta: m.Beta, Heavier: 1}
	if m.Scheme == schemes[2] {
		motion.Scheme = equilibrium.AverageAcceleration
	}
	return motion
}

// GripScene is the grip of the tool: a grasper's or a suction cup's.
type GripScene struct {
	Closed   bool
	Strength float64 // above which it lets go, N
	Reach    float64 // nodes nearer than that are gripped, m
}

func common(s *SceneFile) *setting.Setting { return &s.Setting }

var fields = slices.Concat(setting.Lift(setting.HeadFields, common), ownFields, setting.Lift(setting.TailFields, common))

var ownFields = slices.Concat([]setting.Field[SceneFile]{
	setting.Number("friction", setting.Pure, "Coulomb's friction coefficient mu, of pairs without a value of their own", func(s *SceneFile) *float64 { return &s.Friction }).Lives(setting.Live{Symbol: "µ",
		About: "Coulomb's friction coefficient: a contact slides once its tangential force reaches µ times the normal one.",
		Range: setting.Range{Min: 0, Max: 1, Step: 0.01, Ceil: 10}}),
	setting.Number("equilibrium.tolerance", setting.Pure, "residual of a state that is shown, over the sum of the contact forces", func(s *SceneFile) *float64 { return &s.Tolerance }).Lives(setting.Live{Label: "Residual tolerance",
		About: "A state is shown and felt once its residual is less than this share of the contact forces. Smaller is more exact; then the tool waits more often.",
		Range: setting.Range{Min: 1e-4, Max: 0.1, Log: true, Floor: 1e-6, Ceil: 0.5}}),
	setting.Integer("equilibrium.tries", "no effect, read so that older files load: every step is shown", func(s *SceneFile) *int { return &s.Tries }),
	setting.Integer("equilibrium.corrections", "Newton iterations of a step, at most", func(s *SceneFile) *int { return &s.Corrections }).Lives(setting.Live{Label: "Newton iterations",
		About: "Each iteration is one solve with the newest factor. More make a step longer and settle it more often.",
		Range: setting.Range{Min: 1, Max: 30, Step: 1, Ceil: 1000}}),
	setting.Number("equilibrium.deadline", setting.Seconds, "of a step: after its first Newton iteration, none is made that would end later; 0: none", func(s *SceneFile) *float64 { return &s.Deadline }).Lives(setting.Live{
		Clock: true,
		About: "Keeps steps short by making fewer Newton iterations. The tool then waits for the equilibrium, and the residual that is left over is told. 0: none.",
		Range: setting.Range{Min: 0, Max: 0.05, Step: 0.001, Ceil: 10}}),
	setting.Integer("equilibrium.lag", "a new tangent comes into use so many steps after it was begun, and is waited for; 0: as soon as it is there, and after one step in a batch", func(s *SceneFile) *int { return &s.Lag }).Lives(setting.Live{Label: "Tangent lag",
		Range: setting.Range{Min: 0, Max: 20, Step: 1, Ceil: 1000}}),
	setting.Switch("grip.closed", "the tool grips what it touches, and pulls it along", func(s *SceneFile) *bool { return &s.Grip.Closed }).Lives(setting.Live{
		Label: "Grip", About: "The tool holds what it touches, as a grasper or a suction cup does, until it is pulled harder than its strength; then open it and close it again. The second button of the stylus does the same."}),
	setting.Number("grip.strength", setting.Force, "pull above which the grip lets go", func(s *SceneFile) *float64 { return &s.Grip.Strength }).Lives(setting.Live{Label: "Grip strength",
		About: "Pull above which the grip lets go, shared by the nodes that it holds: at an edge it lets go sooner, and then peels off.",
		Range: setting.Range{Min: 0.05, Max: 50, Log: true, Floor: 1e-6, Ceil: 1e6}}),
	setting.Number("grip.reach", setting.Length, "nodes of the body nearer than that are gripped, besides those that touch", func(s *SceneFile) *float64 { return &s.Grip.Reach }),
	setting.Number("gravity", setting.Acceleration, "downwards", func(s *SceneFile) *float64 { return &s.Gravity }).Lives(setting.Live{
		About: "Weight of the bodies, downwards. Where it is set in the scene they start as they hang; a new value lets them sag.",
		Range: setting.Range{Min: 0, Max: 20, Step: 0.1, Floor: -1000, Ceil: 1000}}),
	setting.Word("motion.scheme", "how the bodies move in time; none: they are always in equilibrium", schemes, schemes, func(s *SceneFile) *string { return &s.Motion.Scheme }),
	setting.Number("motion.step", setting.Seconds, "time step h", func(s *SceneFile) *float64 { return &s.Motion.Step }),
	setting.Number("motion.alpha", setting.PerSecond, "Rayleigh's damping alpha, of the mass", func(s *SceneFile) *float64 { return &s.Motion.Alpha }).Lives(setting.Live{Symbol: "α",
		About: "Damping by the mass: a velocity fades by this share in a second. It acts on slow motions most.",
		Range: setting.Range{Min: 0, Max: 50, Step: 0.1, Ceil: 1e6}}),
	setting.Number("motion.beta", setting.Seconds, "Rayleigh's damping beta, of the stiffness at rest", func(s *SceneFile) *float64 { return &s.Motion.Beta }).Lives(setting.Live{Symbol: "β",
		About: "Damping by the stiffness: it acts on fast motions most.",
		Range: setting.Range{Min: 0, Max: 0.1, Step: 0.001, Ceil: 1e3}}),
},
	under("body.", slices.Concat(bodyFields, organFields), func(s *SceneFile) *Organ { return &s.Organ }),
	under("tool.", some("tool.kind", "tool.radius", "tool.length", "tool.size", "tool.spacing", "mesh", "file_unit", "position", "rotation", "color"), func(s *SceneFile) *scene.Body { return &s.Tool }))

// Read reads a scene file: it is the kind's opener.
func Read(name string, text []byte) (physics.Scene, error) {
	o := DefaultLiveOptions(1)
	s := &SceneFile{Setting: setting.Default(), Organ: defaultOrgan(), Tool: scene.DefaultBody(scene.Driven),
		Friction: o.Friction, Tolerance: o.Accept, Tries: 6, Corrections: o.Corrections, Deadline: 0.01, Grip: GripScene{Strength: 2}, Motion: MotionScene{Scheme: schemes[0], Step: 0.005, Alpha: 1}}
	s.Body.Name = "organ"
	s.Tool.Name, s.Tool.Rigid, s.Tool.Shape.Kind, s.Tool.Shape.Tool.Kind = "tool", true, scene.ToolShape, scene.SphereTool
	if err := setting.Read(name, text, s, fields, &s.Setting, tables, s.readTables, s.check); err != nil {
		return nil, err
	}
	s.Tool.Shape.File = setting.Beside(name, s.Tool.Shape.File)
	for _, o := range s.organs() {
		o.Body.Shape.File = setting.Beside(name, o.Body.Shape.File)
	}
	return s, nil
}

// Tools are rigid tools about as large as the scene's own.
func (s *SceneFile) Tools() []physics.Tool {
	return append(scene.Tools(&s.Tool, "tool.", s.Units), scene.OwnTool("tool.mesh"))
}

// Files are the meshes that the bodies and the tool are made from.
func (s *SceneFile) Files() []string {
	t := s.tissue()
	return t.Files()
}

// tissue is the scene as a tissue world's, whose readers and checks serve here, too.
func (s *SceneFile) tissue() scene.Scene {
	t := scene.Default()
	t.Setting, t.Friction, t.Pairs, t.Bodies = s.Setting, s.Friction, s.Pairs, []scene.Body{s.Tool}
	for _, o := range s.organs() {
		b := o.Body
		b.Shape.Element = elementTypes[o.Element]
		t.Bodies = append(t.Bodies, b)
	}
	return t
}

func (s *SceneFile) check() *setting.Error {
	if s.Tool.Shape.File != "" {
		s.Tool.Shape.Kind = scene.MeshShape
	}
	if err := s.checkOrgans(); err != nil {
		return err
	}
	if err := s.checkParts(); err != nil {
		return err
	}
	if err := setting.First(
		setting.Need(s.Tolerance > 0 && s.Tolerance <= 0.5, "equilibrium.tolerance", s.Tolerance, "above 0, at most 0.5"),
		setting.Need(s.Tries >= 1, "equilibrium.tries", s.Tries, "1 or more"),
		setting.Need(s.Deadline >= 0 && s.Deadline <= 3600, "equilibrium.deadline", s.Deadline, "0 to 3600"),
		setting.Need(s.Lag >= 0 && s.Lag <= 1000, "equilibrium.lag", s.Lag, "0 to 1000"),
		setting.Need(s.Grip.Strength > 0 && !math.IsInf(s.Grip.Strength, 0), "grip.strength", s.Grip.Strength, "above 0; this is in N"),
		setting.Need(s.Grip.Reach >= 0 && !math.IsInf(s.Grip.Reach, 0), "grip.reach", s.Grip.Reach, "0 or more"),
		setting.Need(s.Corrections >= 1, "equilibrium.corrections", s.Corrections, "1 or more"),
		setting.Need(math.Abs(s.Gravity) <= 1000, "gravity", s.Gravity, "at most 1000 m/s^2"),
		setting.Need(s.Motion.Step >= 1e-4 && s.Motion.Step <= 0.1, "motion.step", s.Motion.Step, "0.0001 to 0.1; this is in s"),
		setting.Need(s.Motion.Alpha >= 0 && s.Motion.Alpha <= 1e6, "motion.alpha", s.Motion.Alpha, "0 to 1000000; this is in 1/s"),
		setting.Need(s.Motion.Beta >= 0 && s.Motion.Beta <= 1e3, "motion.beta", s.Motion.Beta, "0 to 1000; this is in s"),
	); err != nil {
		return err
	}
	t := s.tissue()
	var err *setting.Error
	if errors.As(t.Validate(), &err) {
		err.Key = keyOf(err.Key)
	}
	return err
}

// Set changes one value.
func (s *SceneFile) Set(assignment string) error {
	return setting.AssignTo(s, s.fields(), assignment, (*SceneFile).check)
}

// Echo tells the unit of an assignment that names none.
func (s *SceneFile) Echo(assignment string) string {
	return setting.EchoOf(s.fields(), s.Units, assignment)
}

// Open makes the world.
func (s *SceneFile) Open(ctx context.Context, o physics.Options) (physics.World, []string, error) {
	if o.Progress != nil {
		o.Progress(0, "factor of "+cmp.Or(s.Body.Shape.File, s.Body.Name))
	}
	w, notes, err := s.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	return w, notes, nil
}

func (s *SceneFile) open(ctx context.Context) (*world, []string, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	t := s.tissue()
	all, err := s.gather(&t)
	if err != nil {
		return nil, nil, err
	}
	tool, err := t.Solid(0)
	if err != nil {
		return nil, nil, err
	}
	body, err := solid.NewOf(all.mesh, solid.Best, all.laws)
	if err != nil {
		return nil, nil, err
	}
	sheets := make([]int, len(all.blocks))
	for i, o := range s.organs() {
		sheets[i] = -1
		if o.Skin.Thickness > 0 && !o.Body.Rigid {
			if sheets[i], err = body.AddMembrane(all.skins[i].Triangles, o.Skin.Thickness, o.Skin.law(o.Skin.Young)); err != nil {
				return nil, nil, err
			}
		}
	}
	options := DefaultLiveOptions(all.extent)
	options.Lag = s.Lag
	options.Contacts = contacts
	options.Motion = s.Motion.motion()
	mass := body.LumpedMass(all.density...)
	options.Motion.Mass, options.Prony = mass, all.prony
	shape, err := newTool(&s.Tool, tool)
	if err != nil {
		return nil, nil, fmt.Errorf("scene: %s: %w", s.Name, err)
	}
	engine, err := NewLiveOf(body, all.skins, all.met, all.fixed, all.region, shape, options)
	if err != nil {
		return nil, nil, err
	}
	w := &world{scene: *s, now: *s, engine: engine}
	w.bodies.surfaces, w.bodies.blocks, w.bodies.inner, w.bodies.sheets = all.surfaces, all.blocks, all.inner, sheets
	w.material.laws, w.material.young, w.material.mass = all.laws, all.young, mass
	w.scene.Organs, w.now.Organs = slices.Clone(s.Organs), slices.Clone(s.Organs)
	w.now.Parts = slices.Clone(s.Parts)
	w.tool.shape = tool.Surface.Places(tool.Mesh)
	w.info = w.describe(all, tool)
	w.tool.section, w.material.softest = shadow(w.tool.shape, w.info.Surfaces[0].Triangles), math.Inf(1)
	for i := range all.mesh.Blocks {
		w.material.softest = min(w.material.softest, body.Shear(i))
	}
	local.Make(&w.felt.model, 3*options.Contacts) // as many as the engine has rows
	w.apply()
	if s.Gravity != 0 {
		if err := engine.Sag(ctx); err != nil {
			engine.Close()
			if errors.Is(err, equilibrium.ErrNoEquilibrium) {
				err = fmt.Errorf("the bodies give way under their weight (cure: gravity nearer to 0, a larger E or clamp)")
			}
			return nil, nil, fmt.Errorf("scene: %s: gravity: %w", s.Name, err)
		}
	}
	w.Reset()
	return w, all.notes, nil
}
