package largestrain

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/contact"
	"hapco/physics/fem/solid"
	"hapco/physics/frame"
	"hapco/physics/local"
	"hapco/physics/mesh"
	"hapco/physics/scene"
	"hapco/physics/setting"
)

// A body at large strains as a kind of world: one organ, held somewhere, and a rigid
// tool of closed form on the stylus. Everything below puts Live behind the seam
// (package physics).

// drawEvery is how often a frame is made: its energy and J take a pass over all elements.
const drawEvery = 10 * time.Millisecond

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
	[]setting.Field[SceneFile]{setting.Word("tool.kind", "a ball, or all within a radius of a line", []string{"sphere", "capsule"}, []scene.ToolKind{scene.SphereTool, scene.CapsuleTool},
		func(s *SceneFile) *scene.ToolKind { return &s.Tool.Shape.Tool.Kind })},
	part("tool.", func(s *SceneFile) *scene.Body { return &s.Tool }, "tool.radius", "tool.length", "tool.spacing", "position", "rotation", "color"))

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

// Keys lists the words of a scene file of this kind.
func Keys() []setting.Key { return setting.Doc(fields, "") }

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
	return s, nil
}

// tissue is the scene as a tissue world's, whose readers and checks serve here, too.
func (s *SceneFile) tissue() scene.Scene {
	t := scene.Default()
	t.Setting, t.Friction, t.Bodies = s.Setting, s.Friction, []scene.Body{s.Tool, s.Body}
	return t
}

func (s *SceneFile) check() *setting.Error {
	if p, err := solid.FindPreset(s.Material); err == nil && s.Body.Young == 0 {
		s.Body.Young = 2 * p.Shear() * (1 + s.Body.Poisson)
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

// Common is the part that every scene file has.
func (s *SceneFile) Common() *setting.Setting { return &s.Setting }

// Set changes one value.
func (s *SceneFile) Set(assignment string) error {
	return setting.AssignTo(s, fields, s.Units, assignment, (*SceneFile).check)
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
	w.tool.radius, w.tool.length = s.Tool.Shape.Tool.Radius, 0
	if s.Tool.Shape.Tool.Kind == scene.CapsuleTool {
		w.tool.length = s.Tool.Shape.Tool.Length
	}
	w.shape, w.info = w.describe(from)
	local.Make(&w.model, options.Contacts)
	w.apply()
	w.Reset()
	return w, from.Notes, nil
}

// world is a live body behind the seam.
//
// The engine works with the scene's E. Without weight, equilibrium does not depend on
// E: all forces are proportional to it. So another E scales what leaves the engine.
type world struct {
	scene   SceneFile // as it was opened
	now     SceneFile // with the live parameters
	info    *physics.Info
	engine  *Live
	surface *mesh.Surface
	shape   []mgl64.Vec3 // of the tool's surface, in its frame, m

	tool   closed     // on its way
	free   bool       // the engine takes a new way
	pose   frame.Pose // of the tool in the state that is shown
	shown  LiveReport // of that state
	last   LiveReport // of the last step
	left   float64    // largest residual that deadlines have left since that state, N
	gaveUp float64    // and before it, on the way there
	part   float64    // of the last steps that came to a new equilibrium
	steps  uint64

	model         local.Model // of the contacts in the state that is shown, at the scene's E
	rows          []int       // of the engine that the model's contacts are
	nodes         []int32     // theirs
	gaps          []float64   // theirs, m
	holds         []float64   // what the grip adds to their normal forces, N, at the scene's E
	status        []contact.Status
	force, torque mgl64.Vec3 // on the tool, at the scene's E

	gradients []solid.Mat3
	share     []float64 // of a node: how many elements
	beyond    int       // elements beyond linearLimit
	scalar    []float64
	law       solid.Law
	piola     solid.Mat3
}

// closed is a tool of closed form: all within radius of a line from its origin along
// its own y axis. It goes from one pose to another.
type closed struct {
	radius, length float64 // m
	from, to       frame.Pose

	at    frame.Pose // at the share that was asked last
	asked float64
	axis  mgl64.Vec3
}

// pose is where the tool stands at a share of its way.
func (c *closed) pose(share float64) frame.Pose {
	switch share {
	case 0:
		return c.from
	case 1:
		return c.to
	}
	return frame.Pose{
		Position: c.from.Position.Add(c.to.Position.Sub(c.from.Position).Mul(share)),
		Rotation: mgl64.QuatNlerp(c.from.Rotation, c.to.Rotation, share),
	}
}

// aim sets the way.
func (c *closed) aim(from, to frame.Pose) {
	if from.Rotation.Dot(to.Rotation) < 0 { // the shorter way round
		from.Rotation = from.Rotation.Scale(-1)
	}
	c.from, c.to, c.asked = from, to, math.NaN()
}

// far is how far the tool's ends go at most, m.
func (c *closed) far() float64 {
	end := mgl64.Vec3{0, c.length, 0}
	return math.Max(c.to.Position.Sub(c.from.Position).Len(), c.to.Point(end).Sub(c.from.Point(end)).Len())
}

// Gap is the distance from the surface.
func (c *closed) Gap(p mgl64.Vec3, share float64) (float64, mgl64.Vec3) {
	if share != c.asked { // all nodes are asked at one share
		c.asked, c.at = share, c.pose(share)
		c.axis = c.at.Vector(mgl64.Vec3{0, 1, 0})
	}
	d := p.Sub(c.at.Position)
	d = d.Sub(c.axis.Mul(min(max(d.Dot(c.axis), 0), c.length)))
	l := d.Len()
	if l == 0 {
		return -c.radius, c.at.Vector(mgl64.Vec3{0, -1, 0})
	}
	return l - c.radius, d.Mul(1 / l)
}

// Moved is how far the tool's material at p goes.
func (c *closed) Moved(p mgl64.Vec3, from, to float64) mgl64.Vec3 {
	return c.pose(to).Point(c.pose(from).InversePoint(p)).Sub(p)
}

// The numbers of a frame.
const (
	forceNumber = iota
	residualNumber
	correctionsNumber
	leastNumber
	invertedNumber
	energyNumber
	settledNumber
	ageNumber
	grippedNumber
	beyondNumber
	givenUpNumber
	numberCount
)

func (w *world) describe(from *scene.Solid) (shape []mgl64.Vec3, info *physics.Info) {
	s := &w.scene
	shape, triangles := s.Tool.Shape.Tool.Surface()
	m := w.engine.body.Mesh
	fixed := make([]bool, len(from.Surface.Nodes))
	for _, n := range from.Fixed {
		if k := from.Surface.Index[n]; k >= 0 {
			fixed[k] = true
		}
	}
	numbers := make([]physics.Number, numberCount)
	number := func(at int, n physics.Number) {
		n.Section = "Haptics"
		numbers[at] = n
	}
	number(forceNumber, physics.Number{Name: "tool_force_N", Unit: "N", Label: "Force on the tool", About: "Of the body, in the equilibrium that is shown."})
	number(residualNumber, physics.Number{Name: "residual_N", Unit: "N", Label: "Residual", About: "What was missing to equilibrium after the last step, over all nodes. A state is shown once that is a small share of the contact forces."})
	number(correctionsNumber, physics.Number{Name: "corrections", Format: physics.Count, Label: "Corrections", About: "Solves in the last step."})
	number(leastNumber, physics.Number{Name: "least_J", Label: "Smallest J", About: "Volume of the most compressed element over that at rest."})
	number(invertedNumber, physics.Number{Name: "inverted_elements", Format: physics.Count, Label: "Inverted elements", About: "Elements that are turned over. There should never be any.", Warn: 1})
	number(energyNumber, physics.Number{Name: "energy_J", Unit: "J", Label: "Elastic energy", About: "That the body stores in the state that is shown."})
	number(settledNumber, physics.Number{Name: "settled", Format: physics.Share, Label: "Settled steps", About: "Share of the last hundred steps or so that came to a new equilibrium."})
	number(ageNumber, physics.Number{Name: "factor_age", Format: physics.Count, Label: "Age of the factor", About: "Steps since the stiffness in use was factorised by the second thread."})
	number(grippedNumber, physics.Number{Name: "gripped", Format: physics.Count, Label: "Gripped nodes", About: "Nodes that the tool's grip holds."})
	number(beyondNumber, physics.Number{Name: "beyond_linear", Format: physics.Count, Label: "Beyond a linear body", About: "Elements of which a line is stretched or shortened by more than a tenth: a linear body would be wrong there. Counted while the strains are shown."})
	number(givenUpNumber, physics.Number{Name: "given_up_N", Unit: "N", Label: "Given up", About: "Residual of a step that its deadline ended before it was in equilibrium; 0 where it was not. The tool waits meanwhile."})
	return shape, &physics.Info{
		Start: s.Tool.Pose, Every: drawEvery, Numbers: numbers, Fields: shownFields,
		Surfaces: []physics.SurfaceInfo{
			{Name: "tool", Material: "steel", Driven: true, Rigid: true, Triangles: triangles, Color: s.Tool.Color,
				About: fmt.Sprintf("tool: radius %.3g mm.", 1e3*w.tool.radius)},
			{Name: "organ", Material: s.name(), Triangles: from.Surface.Triangles, Fixed: fixed, Color: s.Body.Color,
				About: fmt.Sprintf("organ: %d nodes, %d tetrahedra, %s.", len(m.Nodes), m.Elements(), s.name())},
		},
		Pages: []physics.Page{{Name: "Overview", About: "Force, residual and compression over the last seconds.", Plots: []physics.Plot{
			{Title: "Residual", Unit: "N", Log: true, About: "What is missing to equilibrium.", Curves: []physics.Curve{{Name: "residual", Number: "residual_N"}}},
			{Title: "Energy", Unit: "J", About: "Elastic energy that the body stores.", Curves: []physics.Curve{{Name: "elastic", Number: "energy_J"}}},
			{Title: "Smallest J", Top: 1, About: "Volume of the most compressed element over that at rest.", Curves: []physics.Curve{{Name: "J", Number: "least_J"}}},
		}}},
	}
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
		w.tool.aim(w.pose, target)
		if far, most := w.tool.far(), w.engine.Options.Reach/2; far > most {
			w.tool.aim(w.pose, w.tool.pose(most/far))
		}
	}
	w.last = w.engine.Step(&w.tool)
	w.steps++
	w.free = w.last.Settled || w.last.Back
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

// axes turn those of an engine's row into a contact's: the engine's normal and forces are
// those of the body, a contact's are those of the tool. Three stay right-handed.
var axes = [3]float64{-1, 1, -1}

// touch keeps the contact problem of the state that is shown.
func (w *world) touch() {
	l, m := w.engine, &w.model
	w.rows, w.nodes, w.gaps = w.rows[:0], w.nodes[:0], w.gaps[:0]
	for i := range l.rows {
		node := l.rows[i].node
		gap, _ := w.tool.Gap(mgl64.Vec3(l.Shown[3*node:3*node+3]), w.last.Share)
		if l.r[3*i]+l.grip.hold(node) > 0 { // what is left of its gap is an error of the equilibrium
			gap = 0
		} else if gap > l.Options.Reach/8 { // the hand does not come so far before the next step
			continue
		}
		w.rows, w.nodes, w.gaps = append(w.rows, i), append(w.nodes, node), append(w.gaps, math.Max(gap, 0))
	}
	n, all := len(w.rows), len(l.rows)
	m.SetN(n)
	m.Origin, m.Rotation = w.pose.Position, w.pose.Rotation
	m.Field.On, m.Field.Force = false, [6]float64{}
	w.holds = w.holds[:0]
	for i, from := range w.rows {
		row := &l.rows[from]
		m.Mu[i], m.Arm[i] = l.Options.Friction, mgl64.Vec3(l.Shown[3*row.node:3*row.node+3]).Sub(w.pose.Position)
		hold := l.grip.hold(row.node)
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

// Draw shows the last equilibrium.
func (w *world) Draw(f *physics.Frame) {
	f.Resize(w.info)
	l, k := w.engine, w.stiffer()
	f.Step, f.Time, f.Stylus, f.Force, f.Torque = w.steps, 0, w.pose, w.force.Mul(k), w.torque.Mul(k)
	f.Softest = w.now.Body.Young
	v := f.Surfaces[0].Vertices[:0]
	for _, x := range w.shape {
		v = append(v, w.pose.Point(x))
	}
	f.Surfaces[0].Vertices = v
	v = f.Surfaces[1].Vertices[:0]
	for _, n := range w.surface.Nodes {
		v = append(v, mgl64.Vec3(l.Shown[3*n:3*n+3]))
	}
	f.Surfaces[1].Vertices = v
	w.drawField(f)
	for i, n := range w.nodes {
		axes := &w.model.Frame[i]
		q := mgl64.Vec3(l.Shown[3*n : 3*n+3])
		c := physics.Contact{ID: uint64(n) + 1, Node: -1, P: q.Add(axes[0].Mul(w.gaps[i])), Q: q, N: axes[0], T1: axes[1], T2: axes[2],
			X: [3]float64{w.gaps[i]}, Mu: w.model.Mu[i], Status: w.status[i]}
		for d := range 3 {
			c.R[d] = k * w.model.R[3*i+d]
			if d == 0 {
				c.R[0] -= k * w.holds[i]
			}
			c.Force = c.Force.Add(axes[d].Mul(c.R[d]))
		}
		f.Contacts = append(f.Contacts, c)
	}
	least, inverted := l.body.MinJ(l.Shown)
	x := f.Numbers
	x[forceNumber], x[residualNumber], x[correctionsNumber] = f.Force.Len(), k*w.last.Residual, float64(w.last.Corrections)
	x[leastNumber], x[invertedNumber], x[energyNumber] = least, float64(inverted), k*l.body.Energy(l.Shown)
	gripped, lost := l.Gripped()
	x[settledNumber], x[ageNumber], x[grippedNumber] = w.part, float64(w.last.Age), float64(gripped)
	x[beyondNumber] = float64(w.beyond)
	x[givenUpNumber] = k * w.last.givenUp()
	if lost > 0 && gripped == 0 {
		f.Status = "the grip has let go: open and close it"
	}
	if !w.last.Settled {
		f.Status = "finding equilibrium"
	}
	if l.Err() != nil {
		f.Status = l.Err().Error()
	}
}

// Account is a step's row in a table.
func (w *world) Account(bool) []physics.Entry {
	l, k := w.engine, w.stiffer()
	least, inverted := l.body.MinJ(l.Shown)
	gripped, _ := l.Gripped()
	strain := w.strains()
	var statuses [3]int
	for _, s := range w.status {
		statuses[s]++
	}
	return []physics.Entry{
		{Name: "torque_Nm", Value: w.torque.Mul(k)},
		{Name: "sticking", Value: statuses[contact.Stick], Column: "sticking", Short: "stick"},
		{Name: "sliding", Value: statuses[contact.Slip], Column: "sliding", Short: "slip"},
		{Name: "penetration_m", Value: w.shown.Deepest, Column: "penetration_mm", Scale: 1e3},
		{Name: "residual_N", Value: k * w.shown.Residual, Column: "residual_N", Short: "residual N", Format: "%.1e"},
		{Name: "given_up_N", Value: k * w.gaveUp},
		{Name: "pressed_N", Value: k * w.shown.Pressed},
		{Name: "corrections", Value: w.shown.Corrections, Column: "corrections", Short: "corrections"},
		{Name: "least_J", Value: least, Column: "least_J", Short: "least J", Format: "%.3f"},
		{Name: "inverted_elements", Value: inverted},
		{Name: "gripped", Value: gripped},
		{Name: "beyond_linear", Value: w.beyond},
		{Name: "largest_strain", Value: strain, Column: "largest_strain", Short: "strain", Format: "%.3f"},
		{Name: "energy_J", Value: k * l.body.Energy(l.Shown), Column: "energy_J"},
	}
}

// Keys are the fields that live.
func (w *world) Keys() []physics.Key {
	keys := physics.KeysOf(ownFields, &w.now, "", "Equilibrium", func(string) error { w.apply(); return nil })
	keys[physics.Place(keys, "grip.closed")].Press = "X"
	return keys
}

// apply hands the engine what may have changed.
func (w *world) apply() {
	o := &w.engine.Options
	o.Friction, o.Accept, o.Tolerance = w.now.Friction, w.now.Tolerance, w.now.Tolerance/2
	o.Tries, o.Corrections = w.now.Tries, w.now.Corrections
	o.Deadline = time.Duration(w.now.Deadline * 1e9)
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
	w.shown, w.last = LiveReport{}, LiveReport{}
	w.touch()
}

// Close ends the second thread.
func (w *world) Close() error {
	w.engine.Close()
	return nil
}
