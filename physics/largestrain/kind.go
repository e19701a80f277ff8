package largestrain

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/fem/solid"
	"hapco/physics/local"
	"hapco/physics/mesh"
	"hapco/physics/scene"
	"hapco/physics/setting"
)

// A body at large strains as a kind of world: one organ, held somewhere, and a rigid
// tool on the stylus. Everything below puts Live behind the seam
// (package physics).

// contacts is room for all nodes in the engine's reach: where some are left out, they take
// turns and no equilibrium is found.
const contacts = 96

// SceneFile is the scene file of a nonlinear world. Bodies and tools are read as in
// tissue worlds.
type SceneFile struct {
	setting.Setting
	Body, Tool  scene.Body
	Law         string  // a name of laws
	Material    string  // a preset of package solid in the place of Law, or custom
	preset      float64 // E where that of the material is taken, Pa
	Exponent    float64 // of Ogden's law
	Ratio       float64 // c01/c10 of Mooney's and Rivlin's
	Fibre       fibres
	Friction    float64 // mu, -
	Tolerance   float64 // residual of a state that is shown, over the sum of the contact forces
	Tries       int     // steps after which a state that is none is given up
	Corrections int     // of the equilibrium, at most a step
	Deadline    float64 // of a step, s; 0: none
	Grip        GripScene
}

// GripScene is the grip of the tool: a grasper's or a suction cup's.
type GripScene struct {
	Closed   bool
	Strength float64 // above which it lets go, N
	Reach    float64 // nodes nearer than that are gripped, m
}

// fibres are those of a transversely isotropic body; see solid.Fibre.
type fibres struct {
	Direction mgl64.Vec3
	K1        float64 // Pa
	K2        float64
}

// The first two laws have a fast form, the others are some ten times as slow.
var laws = []string{"corotational", "neo-hookean", "mooney-rivlin", "ogden", "saint-venant-kirchhoff", "fibres"}

const custom = "custom"

func materials() []string {
	names := []string{custom}
	for _, p := range solid.Presets() {
		names = append(names, p.Name)
	}
	return names
}

func common(s *SceneFile) *setting.Setting { return &s.Setting }

var fields = slices.Concat(setting.Lift(setting.HeadFields, common), ownFields, setting.Lift(setting.TailFields, common))

var ownFields = slices.Concat([]setting.Field[SceneFile]{
	setting.Number("friction", setting.Pure, "Coulomb's friction coefficient mu between tool and body", func(s *SceneFile) *float64 { return &s.Friction }).Lives(setting.Live{Symbol: "µ",
		About: "Coulomb's friction coefficient: a contact slides once its tangential force reaches µ times the normal one.",
		Range: setting.Range{Min: 0, Max: 1, Step: 0.01, Ceil: 10}}),
	setting.Number("equilibrium.tolerance", setting.Pure, "what is missing to equilibrium, over the sum of the contact forces, in a state that is shown", func(s *SceneFile) *float64 { return &s.Tolerance }).Lives(setting.Live{
		About: "A state is shown and felt once what is missing to its equilibrium is less than this share of the contact forces. Smaller is more exact; then the tool waits more often.",
		Range: setting.Range{Min: 1e-4, Max: 0.1, Log: true, Floor: 1e-6, Ceil: 0.5}}),
	setting.Integer("equilibrium.tries", "steps after which a state that does not come to equilibrium is given up, and the tool tries a shorter way", func(s *SceneFile) *int { return &s.Tries }).Lives(setting.Live{
		Range: setting.Range{Min: 1, Max: 50, Step: 1, Ceil: 1000}}),
	setting.Integer("equilibrium.corrections", "of the equilibrium in a step, at most", func(s *SceneFile) *int { return &s.Corrections }).Lives(setting.Live{
		About: "Each correction is one solve with the newest factor. More make a step longer and settle it more often.",
		Range: setting.Range{Min: 1, Max: 30, Step: 1, Ceil: 1000}}),
	setting.Number("equilibrium.deadline", setting.Seconds, "of a step: after its first correction, none is made that would end later; 0: none", func(s *SceneFile) *float64 { return &s.Deadline }).Lives(setting.Live{
		Clock: true,
		About: "Keeps steps short by making fewer corrections. The tool then waits for the equilibrium, and the residual that is left over is told. 0: none.",
		Range: setting.Range{Min: 0, Max: 0.05, Step: 0.001, Ceil: 10}}),
	setting.Switch("grip.closed", "the tool grips what it touches, and pulls it along", func(s *SceneFile) *bool { return &s.Grip.Closed }).Lives(setting.Live{
		Label: "Grip", About: "The tool holds what it touches, as a grasper or a suction cup does, until it is pulled harder than its strength; then open it and close it again. The second button of the stylus does the same."}),
	setting.Number("grip.strength", setting.Force, "pull above which the grip lets go", func(s *SceneFile) *float64 { return &s.Grip.Strength }).Lives(setting.Live{Label: "Grip strength",
		About: "Pull above which the grip lets go, shared by the nodes that it holds: at an edge it lets go sooner, and then peels off.",
		Range: setting.Range{Min: 0.05, Max: 50, Log: true, Floor: 1e-6, Ceil: 1e6}}),
	setting.Number("grip.reach", setting.Length, "nodes of the body nearer than that are gripped, besides those that touch", func(s *SceneFile) *float64 { return &s.Grip.Reach }),
	setting.Word("body.law", "how the body resists", laws, laws, func(s *SceneFile) *string { return &s.Law }),
	setting.Word("body.material", "a tissue with published numbers: its law in the place of body.law, and its E where body.E is not given", materials(), materials(), func(s *SceneFile) *string { return &s.Material }),
	setting.Number("body.exponent", setting.Pure, "alpha of the law ogden", func(s *SceneFile) *float64 { return &s.Exponent }),
	setting.Number("body.ratio", setting.Pure, "c01/c10 of the law mooney-rivlin", func(s *SceneFile) *float64 { return &s.Ratio }),
	setting.Direction("body.fibre", "along the fibres at rest, of the law fibres", func(s *SceneFile) *mgl64.Vec3 { return &s.Fibre.Direction }),
	setting.Number("body.fibre_stiffness", setting.Pressure, "k1 of the fibres", func(s *SceneFile) *float64 { return &s.Fibre.K1 }),
	setting.Number("body.fibre_stiffening", setting.Pure, "k2 of the fibres: how fast they stiffen", func(s *SceneFile) *float64 { return &s.Fibre.K2 }),
},
	part("body.", func(s *SceneFile) *scene.Body { return &s.Body }, "mesh", "file_unit", "E", "nu", "clamp", "contact_surface", "color"),
	part("tool.", func(s *SceneFile) *scene.Body { return &s.Tool }, "tool.kind", "tool.radius", "tool.length", "tool.size", "tool.spacing", "mesh", "file_unit", "position", "rotation", "color"))

// part takes some keys of a tissue world's body, under a prefix.
func part(prefix string, of func(*SceneFile) *scene.Body, names ...string) []setting.Field[SceneFile] {
	_, all := scene.Fields()
	var some []setting.Field[scene.Body]
	for _, name := range names {
		f := *setting.Find(all, name)
		f.Name = prefix + strings.TrimPrefix(name, prefix)
		if name != "E" { // nu changes the elements
			f.Live = nil
		}
		some = append(some, f)
	}
	return setting.Lift(some, of)
}

// Read reads a scene file: it is the kind's opener.
func Read(name string, text []byte) (physics.Scene, error) {
	o := DefaultLiveOptions(1)
	s := &SceneFile{Setting: setting.Default(), Body: scene.DefaultBody(scene.Fixed), Tool: scene.DefaultBody(scene.Driven),
		Law: laws[1], Friction: o.Friction, Tolerance: o.Accept, Tries: o.Tries, Corrections: o.Corrections, Deadline: 0.01, Grip: GripScene{Strength: 2},
		Material: custom, Exponent: -4, Ratio: 0.25, Fibre: fibres{Direction: mgl64.Vec3{1, 0, 0}, K2: 1}}
	s.Body.Name, s.Body.Clamp.Kind = "organ", scene.SelectDefault
	s.Tool.Name, s.Tool.Rigid, s.Tool.Shape.Kind, s.Tool.Shape.Tool.Kind = "tool", true, scene.ToolShape, scene.SphereTool
	if err := setting.Read(name, text, s, fields, &s.Setting, nil, nil, s.check); err != nil {
		return nil, err
	}
	for _, b := range []*scene.Body{&s.Body, &s.Tool} {
		b.Shape.File = setting.Beside(name, b.Shape.File)
	}
	return s, nil
}

// Files are the meshes that the body and the tool are made from.
func (s *SceneFile) Files() []string {
	t := s.tissue()
	return t.Files()
}

// tissue is the scene as a tissue world's, whose readers and checks serve here, too.
func (s *SceneFile) tissue() scene.Scene {
	t := scene.Default()
	t.Setting, t.Friction, t.Bodies = s.Setting, s.Friction, []scene.Body{s.Tool, s.Body}
	return t
}

func (s *SceneFile) check() *setting.Error {
	if s.Tool.Shape.File != "" {
		s.Tool.Shape.Kind = scene.MeshShape
	}
	if p, err := solid.FindPreset(s.Material); err == nil && (s.Body.Young == 0 || s.Body.Young == s.preset) {
		s.preset = 2 * p.Shear() * (1 + s.Body.Poisson)
		s.Body.Young = s.preset
	}
	if err := setting.First(
		setting.Need(s.Body.Shape.File != "", "body.mesh", `""`, `mesh = "FILE" in [body], a volume mesh`),
		setting.Need(s.Body.Young > 0, "body.E", s.Body.Young, "above 0; this is in Pa"),
		setting.Need(math.Abs(s.Exponent) >= 0.1 && math.Abs(s.Exponent) <= 60, "body.exponent", s.Exponent, "a number whose size is 0.1 to 60"),
		setting.Need(s.Ratio >= 0 && s.Ratio <= 100, "body.ratio", s.Ratio, "0 to 100"),
		setting.Need(s.Fibre.K1 >= 0 && !math.IsInf(s.Fibre.K1, 0), "body.fibre_stiffness", s.Fibre.K1, "0 or more; this is in Pa"),
		setting.Need(s.Fibre.K2 >= 0 && s.Fibre.K2 <= 1e4, "body.fibre_stiffening", s.Fibre.K2, "0 to 10000"),
		setting.Need(s.Tolerance > 0 && s.Tolerance <= 0.5, "equilibrium.tolerance", s.Tolerance, "above 0, at most 0.5"),
		setting.Need(s.Tries >= 1, "equilibrium.tries", s.Tries, "1 or more"),
		setting.Need(s.Deadline >= 0 && s.Deadline <= 3600, "equilibrium.deadline", s.Deadline, "0 to 3600"),
		setting.Need(s.Grip.Strength > 0 && !math.IsInf(s.Grip.Strength, 0), "grip.strength", s.Grip.Strength, "above 0; this is in N"),
		setting.Need(s.Grip.Reach >= 0 && !math.IsInf(s.Grip.Reach, 0), "grip.reach", s.Grip.Reach, "0 or more"),
		setting.Need(s.Corrections >= 1, "equilibrium.corrections", s.Corrections, "1 or more"),
	); err != nil {
		return err
	}
	t := s.tissue()
	var err *setting.Error
	if errors.As(t.Validate(), &err) {
		if rest, ok := strings.CutPrefix(err.Key, "body.0."); ok {
			err.Key = "tool." + strings.TrimPrefix(rest, "tool.")
		} else if rest, ok := strings.CutPrefix(err.Key, "body.1."); ok {
			err.Key = "body." + rest
		}
	}
	return err
}

// name is what the body is made of.
func (s *SceneFile) name() string {
	if s.Material != custom {
		return s.Material
	}
	return s.Law
}

// Set changes one value.
func (s *SceneFile) Set(assignment string) error {
	return setting.AssignTo(s, fields, assignment, (*SceneFile).check)
}

// Echo tells the unit of an assignment that names none.
func (s *SceneFile) Echo(assignment string) string {
	return setting.EchoOf(fields, s.Units, assignment)
}

// law is the body's, with a barrier that keeps elements from turning over.
func (s *SceneFile) law() solid.Law {
	lambda, mu := solid.Lame(s.Body.Young, s.Body.Poisson)
	kappa := lambda + 2*mu/3
	var law solid.Law = solid.NeoHookeanLog{Lambda: lambda, Mu: mu}
	if p, err := solid.FindPreset(s.Material); err == nil {
		terms := make([]float64, len(p.Mu))
		for i, m := range p.Mu { // of the scene's E
			terms[i] = m * mu / p.Shear()
		}
		if len(terms) > 1 || p.Alpha[0] != 2 {
			law = solid.Ogden{Mu: terms, Alpha: p.Alpha, Kappa: kappa}
		}
		return solid.Barrier{Law: law, Stiffness: 2 * mu}
	}
	switch s.Law {
	case "corotational":
		law = solid.Corotational{Lambda: lambda, Mu: mu}
	case "mooney-rivlin": // mu = 2 (c10 + c01)
		c10 := mu / 2 / (1 + s.Ratio)
		law = solid.MooneyRivlin{C10: c10, C01: s.Ratio * c10, Kappa: kappa}
	case "ogden":
		law = solid.Ogden{Mu: []float64{mu}, Alpha: []float64{s.Exponent}, Kappa: kappa}
	case "saint-venant-kirchhoff":
		law = solid.StVenantKirchhoff{Lambda: lambda, Mu: mu}
	case "fibres":
		law = solid.Fibre{Matrix: law, K1: s.Fibre.K1, K2: s.Fibre.K2, Direction: s.Fibre.Direction}
	}
	return solid.Barrier{Law: law, Stiffness: 2 * mu}
}

// Open makes the world.
func (s *SceneFile) Open(ctx context.Context, o physics.Options) (physics.World, []string, error) {
	if o.Progress != nil {
		o.Progress(0, "factor of "+s.Body.Shape.File)
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
	from, err := t.Solid(1)
	if err != nil {
		return nil, nil, err
	}
	tool, err := t.Solid(0)
	if err != nil {
		return nil, nil, err
	}
	m := *from.Mesh
	m.Blocks = []mesh.Block{{Type: mesh.Tet4}}
	for _, b := range from.Mesh.Blocks {
		if b.Type != mesh.Tet4 {
			return nil, nil, fmt.Errorf("scene: %s: body.mesh: %s has elements that are no tetrahedra of four nodes (cure: mesh the body with linear tetrahedra)", s.Name, s.Body.Shape.File)
		}
		m.Blocks[0].Nodes = append(m.Blocks[0].Nodes, b.Nodes...)
	}
	body, err := solid.New(&m, solid.Full, s.law())
	if err != nil {
		return nil, nil, err
	}
	low, high := m.Bounds()
	size := high.Sub(low)
	options := DefaultLiveOptions(max(size[0], size[1], size[2]))
	options.Contacts = contacts
	engine, err := NewLive(body, from.Fixed, from.Region, options)
	if err != nil {
		return nil, nil, err
	}
	w := &world{scene: *s, now: *s, engine: engine, surface: from.Surface, law: s.law()}
	if w.tool, w.meets, err = newTool(&s.Tool, tool, 6*options.Reach); err != nil {
		engine.Close()
		return nil, nil, fmt.Errorf("scene: %s: %w", s.Name, err)
	}
	w.shape, w.info = w.describe(from, tool)
	local.Make(&w.model, options.Contacts)
	w.apply()
	w.Reset()
	return w, from.Notes, nil
}
