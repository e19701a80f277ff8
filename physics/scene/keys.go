package scene

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/contact"
	"hapco/physics/fem"
	"hapco/physics/frame"
	"hapco/physics/mesh"
)

// Key describes one word of the scene format.
type Key struct {
	Name string // as in Set; those of a body start with "BODY."
	Unit string // "units.length" and "units.pressure" stand for the file's own
	Help string
}

// Keys lists every key that Set knows, in the order of the documentation.
func Keys() []Key {
	var keys []Key
	for i := range sceneFields {
		f := &sceneFields[i]
		keys = append(keys, Key{f.name, f.unit.unit(), f.help})
	}
	for i := range bodyFields {
		f := &bodyFields[i]
		keys = append(keys, Key{"BODY." + f.name, f.unit.unit(), f.help})
	}
	return keys
}

// field is one key of a T: the single place that knows its name, unit, help and
// how to read it. Reading a file, Set and Keys all go through these tables.
type field[T any] struct {
	name string
	unit quantity
	help string
	set  func(t *T, v any, u Units) *Error
}

func numberField[T any](name string, unit quantity, help string, at func(*T) *float64) field[T] {
	return field[T]{name, unit, help, func(t *T, v any, u Units) *Error {
		x, err := measured(v, unit, u)
		if err == nil {
			*at(t) = x
		}
		return err
	}}
}

func integerField[T any](name, help string, at func(*T) *int) field[T] {
	return field[T]{name, pure, help, func(t *T, v any, _ Units) *Error {
		x, err := integer(v)
		if err == nil {
			*at(t) = x
		}
		return err
	}}
}

func boolField[T any](name, help string, at func(*T) *bool) field[T] {
	return field[T]{name, pure, help, func(t *T, v any, _ Units) *Error {
		x, err := boolean(v)
		if err == nil {
			*at(t) = x
		}
		return err
	}}
}

func textField[T any](name, help string, at func(*T) *string) field[T] {
	return field[T]{name, pure, help, func(t *T, v any, _ Units) *Error {
		x, err := text(v)
		if err == nil {
			*at(t) = x
		}
		return err
	}}
}

func vectorField[T any](name string, unit quantity, help string, at func(*T) *mgl64.Vec3) field[T] {
	return field[T]{name, unit, help, func(t *T, v any, u Units) *Error {
		x, err := vector(v, u.toSI(unit))
		if err == nil {
			*at(t) = x
		}
		return err
	}}
}

func wordField[T, V any](name, help string, words []string, values []V, at func(*T) *V) field[T] {
	return field[T]{name, pure, help + ": " + strings.Join(words, ", "), func(t *T, v any, _ Units) *Error {
		x, err := word(v, words, values)
		if err == nil {
			*at(t) = x
		}
		return err
	}}
}

func directionField[T any](name, help string, at func(*T) *mgl64.Vec3) field[T] {
	return field[T]{name, pure, help, func(t *T, v any, _ Units) *Error {
		x, err := vector(v, 1)
		if err != nil {
			return err
		}
		n := x.Len()
		if !(n > 0) || math.IsInf(n, 0) {
			return fault("", "give a direction such as [0, -1, 0]", "a direction cannot be %v", x)
		}
		*at(t) = x.Mul(1 / n)
		return nil
	}}
}

var couplingWords = []string{"virtual", "direct"}

var criterionWords = []string{"relative", "physical", "natural", "scaled", "status"}
var criterionValues = []contact.Criterion{contact.RelativeChange, contact.Physical, contact.NaturalMap, contact.Scaled, contact.SameStatus}

// toleranceUnit brings the tolerance that a file writes to what Contact holds.
func toleranceUnit(c contact.Criterion, u Units) float64 {
	if c == contact.Physical {
		return u.toSI(length)
	}
	return 1
}

var toolWords = []string{"probe", "ball", "sphere", "capsule", "cylinder", "box"}
var toolValues = []ToolKind{ProbeTool, BallTool, SphereTool, CapsuleTool, CylinderTool, BoxTool}

var sceneFields = []field[Scene]{
	textField("title", "shown in menus", func(s *Scene) *string { return &s.Title }),
	textField("about", "one sentence on what to look for", func(s *Scene) *string { return &s.About }),
	{"units.length", pure, "of every length in the file: m, cm, mm, um, in", func(s *Scene, v any, _ Units) *Error {
		name, err := text(v)
		if err != nil {
			return err
		}
		if _, bad := mesh.LengthUnit(name); bad != nil {
			return fault("", "m, cm, mm, um or in", "unknown unit of length %q", name)
		}
		s.Units.Length = name
		return nil
	}},
	{"units.pressure", pure, "of every E in the file: Pa, kPa, MPa, GPa", func(s *Scene, v any, _ Units) *Error {
		name, err := text(v)
		if err != nil {
			return err
		}
		if _, ok := pressures[name]; !ok {
			return fault("", "Pa, kPa, MPa or GPa", "unknown unit of pressure %q", name)
		}
		s.Units.Pressure = name
		return nil
	}},
	numberField("friction", pure, "Coulomb's friction coefficient mu, for pairs without a value of their own", func(s *Scene) *float64 { return &s.Friction }),
	vectorField("gravity", acceleration, "acts on bodies with a density", func(s *Scene) *mgl64.Vec3 { return &s.Gravity }),

	textField("contact.solver", "name of the contact solver; hapco solve --list names them", func(s *Scene) *string { return &s.Contact.Solver }),
	{"contact.shadow", pure, "name of a second solver that works on the same problems beside the steps, to be compared; none: no second solver", func(s *Scene, v any, _ Units) *Error {
		name, err := text(v)
		if err != nil {
			return err
		}
		if name == "none" {
			name = ""
		}
		s.Contact.Shadow = name
		return nil
	}},
	{"contact.criterion", pure, "what the Gauss-Seidel tolerance bounds: " + strings.Join(criterionWords, ", "), func(s *Scene, v any, u Units) *Error {
		c, err := word(v, criterionWords, criterionValues)
		if err != nil {
			return err
		}
		// The number that the user wrote stays the same number, so that the
		// order in which criterion and tolerance are given does not matter.
		s.Contact.Tolerance *= toleranceUnit(c, u) / toleranceUnit(s.Contact.Criterion, u)
		s.Contact.Criterion = c
		return nil
	}},
	{"contact.tolerance", tolerance, "Gauss-Seidel error; a length for the criterion physical, else a pure number", func(s *Scene, v any, u Units) *Error {
		unit := pure
		if s.Contact.Criterion == contact.Physical {
			unit = length
		}
		x, err := measured(v, unit, u)
		if err == nil {
			s.Contact.Tolerance = x
		}
		return err
	}},
	integerField("contact.max_iterations", "of the contact solver", func(s *Scene) *int { return &s.Contact.MaxIterations }),
	numberField("contact.rho", stiffness, "imposed rho_min; 0: calculated from the Delassus operator (3.1)", func(s *Scene) *float64 { return &s.Contact.Rho }),
	numberField("contact.rho_factor", pure, "multiplies the calculated rho_min, or rho_n and rho_t", func(s *Scene) *float64 { return &s.Contact.RhoFactor }),
	numberField("contact.uzawa_error", pure, "error of the local Uzawa loop (3.6, 3.7), times contact.length", func(s *Scene) *float64 { return &s.Contact.UzawaError }),
	integerField("contact.uzawa_iterations", "of the local Uzawa loop, at most", func(s *Scene) *int { return &s.Contact.UzawaIterations }),
	numberField("contact.length", length, "characteristic length L of the scene", func(s *Scene) *float64 { return &s.Contact.Length }),
	numberField("contact.newton_tolerance", length, "no effect, read so that older files load: bodies are linear, one solve finds their equilibrium (2.59)", func(s *Scene) *float64 { return &s.Contact.NewtonTolerance }),
	numberField("contact.ddc_tolerance", length, "DDC tolerance: distance below which nodes become contacts; inf takes all", func(s *Scene) *float64 { return &s.Contact.DDCTolerance }),
	numberField("contact.reduction", length, "where many contacts are loaded, some are left out as long as they stay inside the other body by no more than this; 0: none is left out", func(s *Scene) *float64 { return &s.Contact.Reduction }),
	numberField("contact.deadline", seconds, "of the solves of a step: after that they end with the forces they have; with a tolerance above 1e-10; 0: none", func(s *Scene) *float64 { return &s.Contact.Deadline }),
	numberField("contact.strain_limit", pure, "largest compression of a soft body's surface, 0..1: beyond it the surface stiffens, and slips before; 0: none", func(s *Scene) *float64 { return &s.Contact.StrainLimit }),
	boolField("contact.drop_overhang", "no contact for nodes that project over an open edge of the contact surface", func(s *Scene) *bool { return &s.Contact.DropOverhang }),
	boolField("contact.anchored", "a sticking contact remembers the material point that it stuck to", func(s *Scene) *bool { return &s.Contact.Anchored }),
	wordField("contact.normals", "normals of the contact frames", []string{"face", "smooth"}, []Normals{FaceNormals, SmoothNormals}, func(s *Scene) *Normals { return &s.Contact.Normals }),

	numberField("device.scale", pure, "motion in the scene per motion of the device", func(s *Scene) *float64 { return &s.Device.Scale }),
	vectorField("device.workspace", length, "size of the box that the stylus may reach, about its start", func(s *Scene) *mgl64.Vec3 { return &s.Device.Workspace }),
	numberField("device.max_force", force, "largest force sent to the device", func(s *Scene) *float64 { return &s.Device.MaxForce }),
	numberField("device.reducer", pure, "factor on the force sent to the device, 0 to 1", func(s *Scene) *float64 { return &s.Device.Reducer }),
	numberField("device.stiffness", stiffness, "of the spring between hand and tool", func(s *Scene) *float64 { return &s.Device.Stiffness }),
	wordField("device.coupling", "between a device with motors and the stylus", couplingWords, couplingWords, func(s *Scene) *string { return &s.Device.Coupling }),
	numberField("device.coupling_stiffness", stiffness, "of the virtual coupling; 0: half of what is stable", func(s *Scene) *float64 { return &s.Device.CouplingStiffness }),
	numberField("device.coupling_damping", damping, "of the virtual coupling; 0: by the device", func(s *Scene) *float64 { return &s.Device.CouplingDamping }),
	boolField("device.passivity", "takes out the energy that the loop would generate", func(s *Scene) *bool { return &s.Device.Passivity }),
	integerField("device.dead_man", "button that must be held for force, from 1; 0: none", func(s *Scene) *int { return &s.Device.DeadMan }),

	vectorField("camera.eye", length, "where the camera stands", func(s *Scene) *mgl64.Vec3 { return &s.Camera.Eye }),
	vectorField("camera.target", length, "what it looks at", func(s *Scene) *mgl64.Vec3 { return &s.Camera.Target }),
	directionField("camera.up", "upwards in the picture", func(s *Scene) *mgl64.Vec3 { return &s.Camera.Up }),
	numberField("camera.fov", angle, "vertical angle of view", func(s *Scene) *float64 { return &s.Camera.FieldOfView }),
}

var bodyFields = []field[Body]{
	textField("name", "first word of the body's keys", func(b *Body) *string { return &b.Name }),
	wordField("role", "driven by the stylus, or fixed", []string{"driven", "fixed"}, []Role{Driven, Fixed}, func(b *Body) *Role { return &b.Role }),

	fileField("mesh", "shape: a volume mesh file; asset:NAME for one that the program carries", MeshShape),
	fileField("object", "shape: an object file with its own E, nu and supports", ObjectShape),
	{"file_unit", pure, "unit of length of the mesh or object file; default units.length", func(b *Body, v any, _ Units) *Error {
		name, err := text(v)
		if err != nil {
			return err
		}
		if _, bad := mesh.LengthUnit(name); bad != nil {
			return fault("", "m, cm, mm, um or in", "unknown unit of length %q", name)
		}
		b.Shape.Unit = name
		return nil
	}},
	shapeField(vectorField("box.origin", length, "shape: corner with the least coordinates", func(b *Body) *mgl64.Vec3 { return &b.Shape.Box.Origin }), BoxShape),
	shapeField(vectorField("box.size", length, "edges along x, y, z", func(b *Body) *mgl64.Vec3 { return &b.Shape.Box.Size }), BoxShape),
	{"box.elements", pure, "number of hexahedra along x, y, z", func(b *Body, v any, _ Units) *Error {
		l, err := list(v, 3, "three whole numbers, [nx, ny, nz]")
		if err != nil {
			return err
		}
		for i := range l {
			if b.Shape.Box.Elements[i], err = integer(l[i]); err != nil {
				return err
			}
		}
		b.Shape.Kind = BoxShape
		return nil
	}},
	shapeField(wordField("tool.kind", "shape: a rigid tool", toolWords, toolValues, func(b *Body) *ToolKind { return &b.Shape.Tool.Kind }), ToolShape),
	shapeField(numberField("tool.radius", length, "of the tool's round tip; of the edges of a box, which may be 0", func(b *Body) *float64 { return &b.Shape.Tool.Radius }), ToolShape),
	shapeField(numberField("tool.length", length, "of the tool's shaft, from the tip's centre; of a capsule between the centres of its ends; of a cylinder", func(b *Body) *float64 { return &b.Shape.Tool.Length }), ToolShape),
	shapeField(vectorField("tool.size", length, "of a box tool along x, y, z", func(b *Body) *mgl64.Vec3 { return &b.Shape.Tool.Size }), ToolShape),
	shapeField(numberField("tool.spacing", length, "between the nodes of the tip, or of the picture of a tool in closed form; 0 chooses", func(b *Body) *float64 { return &b.Shape.Tool.Spacing }), ToolShape),

	{"material", pure, "preset of E, nu and density: " + strings.Join(materialNames(), ", "), func(b *Body, v any, _ Units) *Error {
		name, err := text(v)
		if err != nil {
			return err
		}
		m, bad := fem.Preset(name)
		if bad != nil {
			return fault("", strings.Join(materialNames(), ", ")+", or give E and nu", "unknown material %q", name)
		}
		b.Material, b.Young, b.Poisson, b.Density = name, m.Young, m.Poisson, m.Density
		return nil
	}},
	customField(numberField("E", pressure, "Young's modulus", func(b *Body) *float64 { return &b.Young })),
	customField(numberField("nu", pure, "Poisson's ratio, above -1 and below 0.5", func(b *Body) *float64 { return &b.Poisson })),
	numberField("density", density, "for gravity; 0: weightless", func(b *Body) *float64 { return &b.Density }),
	boolField("rigid", "no elastic displacements", func(b *Body) *bool { return &b.Rigid }),
	wordField("rigid_contact", "how others find a rigid body's surface", []string{"mesh", "distance"}, []Touch{TouchMesh, TouchDistance}, func(b *Body) *Touch { return &b.Touch }),

	selectorField("clamp", "nodes without displacement in the body's frame", func(b *Body) *Selector { return &b.Clamp }),
	selectorField("contact_surface", "nodes that may touch", func(b *Body) *Selector { return &b.Surface }),
	{"color", pure, `[r, g, b] with 0 to 1, or "#rrggbb"`, func(b *Body, v any, _ Units) *Error {
		c, err := color(v)
		if err == nil {
			b.Color = c
		}
		return err
	}},
	vectorField("position", length, "of the body's frame in the world at the start", func(b *Body) *mgl64.Vec3 { return &b.Pose.Position }),
	{"rotation", angle, "of the body's frame at the start, about the fixed axes x, then y, then z", func(b *Body, v any, _ Units) *Error {
		q, err := rotation(v)
		if err == nil {
			b.Pose.Rotation = q
		}
		return err
	}},
}

// shapeField makes the body take the kind of shape that the key belongs to.
func shapeField(f field[Body], kind ShapeKind) field[Body] {
	set := f.set
	f.set = func(b *Body, v any, u Units) *Error {
		err := set(b, v, u)
		if err == nil {
			b.Shape.Kind = kind
			b.Rigid = b.Rigid || kind == ToolShape
		}
		return err
	}
	return f
}

func fileField(name, help string, kind ShapeKind) field[Body] {
	return field[Body]{name, pure, help, func(b *Body, v any, u Units) *Error {
		file, err := text(v)
		if err != nil {
			return err
		}
		if file == "" {
			return fault("", "give a file's name", "the name is empty")
		}
		b.Shape.Kind, b.Shape.File = kind, file
		if b.Shape.Unit == "" {
			b.Shape.Unit = u.Length
		}
		if kind == ObjectShape && b.Clamp.Kind == SelectNone {
			b.Clamp.Kind = SelectDefault
		}
		return nil
	}}
}

// customField makes the material a custom one when the constant differs from the preset's.
func customField(f field[Body]) field[Body] {
	set := f.set
	f.set = func(b *Body, v any, u Units) *Error {
		young, poisson := b.Young, b.Poisson
		err := set(b, v, u)
		if err == nil && (b.Young != young || b.Poisson != poisson) {
			b.Material = Custom
		}
		return err
	}
	return f
}

func selectorField(name, help string, at func(*Body) *Selector) field[Body] {
	return field[Body]{name, pure, help + `: a side, "default", "all", a node set's name, or a box`, func(b *Body, v any, u Units) *Error {
		s, err := selector(v, u)
		if err == nil {
			*at(b) = s
		}
		return err
	}}
}

var pairFields = []field[Pair]{
	{"bodies", pure, "names of the two bodies; twice the same lets a body touch itself", func(p *Pair, v any, _ Units) *Error {
		const want = `the names of two bodies, ["a", "b"]`
		l, err := list(v, 2, want)
		if err != nil {
			return err
		}
		if p.A, err = text(l[0]); err != nil {
			return err
		}
		p.B, err = text(l[1])
		return err
	}},
	numberField("friction", pure, "the pair's friction coefficient; the scene's where none is given", func(p *Pair) *float64 { return &p.Friction }),
	wordField("contact", "how they touch (one: nodes of the first, triangles of the second; both: either way; full: edges on edges, too)",
		[]string{"default", "none", "one", "both", "full"}, []PairContact{ContactDefault, ContactNone, ContactOne, ContactBoth, ContactFull},
		func(p *Pair) *PairContact { return &p.Contact }),
}

var probeFields = []field[Probe]{
	textField("body", "the body whose nearest node is watched", func(p *Probe) *string { return &p.Body }),
	vectorField("at", length, "a point in that body's frame", func(p *Probe) *mgl64.Vec3 { return &p.Point }),
}

var moveFields = []field[Move]{
	directionField("direction", "of the move", func(m *Move) *mgl64.Vec3 { return &m.Direction }),
	integerField("steps", "how many", func(m *Move) *int { return &m.Steps }),
	numberField("step", length, "length of one", func(m *Move) *float64 { return &m.Step }),
}

// names lists the keys of a table of fields.
func names[T any](fields []field[T]) []string {
	out := make([]string, len(fields))
	for i := range fields {
		out[i] = fields[i].name
	}
	return out
}

// DefaultSolver solves scenes that name no contact solver.
const DefaultSolver = "auto"

// Default is a scene without bodies: the parameters that a file does not give.
func Default() Scene {
	o := contact.DefaultOptions()
	return Scene{
		Units:    Units{Length: "m", Pressure: "Pa"},
		Friction: 0.3, // algorithm 4.2
		Contact: Contact{
			Solver:          DefaultSolver,
			Criterion:       contact.RelativeChange,
			Tolerance:       o.Tolerance,
			MaxIterations:   o.MaxIterations,
			RhoFactor:       1,
			UzawaError:      1e-4,
			UzawaIterations: o.LocalMax,
			Length:          0.1,
			NewtonTolerance: 1,
			DDCTolerance:    5e-3,
			Reduction:       5e-5,
			StrainLimit:     0.8,
			DropOverhang:    true,
			Anchored:        true,
			Normals:         SmoothNormals,
		},
		Device: Device{
			Scale:     1,
			Workspace: mgl64.Vec3{0.16, 0.12, 0.12}, // that of a Phantom Omni, m
			MaxForce:  3.3,                          // of the same, N (4.4.3)
			Reducer:   1,
			Stiffness: 200,
			Coupling:  couplingWords[0],
			Passivity: true,
		},
		Camera: Camera{
			Eye:         mgl64.Vec3{0.15, 0.15, 0.3},
			Up:          mgl64.Vec3{0, 1, 0},
			FieldOfView: 40 * math.Pi / 180,
		},
	}
}

// DefaultBody is a body before its keys are read.
func DefaultBody(role Role) Body {
	b := Body{
		Role:     role,
		Material: Custom,
		Surface:  Selector{Kind: SelectAll},
		Color:    mgl64.Vec3{0.80, 0.25, 0.22}, // the thesis's red obstacle
		Pose:     frame.Identity(),
	}
	if role == Driven {
		b.Color = mgl64.Vec3{0.30, 0.70, 0.35} // and green impactor
	}
	return b
}

// Set changes one value, written as on the command line: "friction=0.3",
// "contact.tolerance=1e-12", "impactor.material=aluminium". Keys and units are
// those of the scene file, where the value does not name its own, as in
// "liver.E=6 kPa"; a body's keys start with its name. The scene is not changed
// when an error is returned.
func Set(s *Scene, assignment string) error {
	fail := func(err *Error) error {
		err.At = "--set " + assignment
		return err
	}
	key, value, ok := strings.Cut(assignment, "=")
	key = strings.TrimSpace(key)
	if !ok || key == "" {
		return fail(fault("", "write KEY=VALUE, such as friction=0.3", "no value is given"))
	}
	if strings.HasPrefix(key, "units.") {
		return fail(fault(key, "write it in the scene file", "a file's units cannot be changed from outside"))
	}
	v := commandLineValue(strings.TrimSpace(value))
	next := s.clone()
	if err := assign(&next, key, v); err != nil {
		return fail(err)
	}
	if err := next.validate(); err != nil {
		return fail(err)
	}
	*s = next
	return nil
}

// Echo tells in which unit Set takes the number of an assignment that names none,
// such as "liver.E = 6 MPa"; "" where there is nothing to tell.
func Echo(s *Scene, assignment string) string {
	key, value, _ := strings.Cut(assignment, "=")
	key = strings.TrimSpace(key)
	q := pure
	if f := find(sceneFields, key); f != nil {
		q = f.unit
	} else if first, rest, _ := strings.Cut(key, "."); first != "" {
		if b, _ := s.Body(first); b != nil {
			if f := find(bodyFields, rest); f != nil {
				q = f.unit
			}
		}
	}
	v := commandLineValue(strings.TrimSpace(value))
	if x, err := number(v); err == nil && math.IsInf(x, 0) {
		return ""
	}
	unit := s.Units.name(q)
	if _, named := v.(string); named || unit == "" || q == tolerance && s.Contact.Criterion != contact.Physical {
		return ""
	}
	return fmt.Sprintf("%s = %s %s", key, strings.TrimSpace(value), unit)
}

func assign(s *Scene, key string, v any) *Error {
	first, rest, dotted := strings.Cut(key, ".")
	if b, _ := s.Body(first); dotted && b != nil {
		f := find(bodyFields, rest)
		if f == nil {
			return fault(key, suggest(rest, names(bodyFields), first+"."), "unknown key %q", key)
		}
		err := f.set(b, v, s.Units)
		if err == nil && f.name == "name" {
			err = fault(key, "write it in the scene file", "a body cannot be renamed from outside")
		}
		return err
	}
	f := find(sceneFields, key)
	if f != nil {
		return f.set(s, v, s.Units)
	}
	if slices.Contains(arrayTables, first) {
		return fault(key, "write it in the scene file", "%q cannot be set from outside", key)
	}
	known := names(sceneFields)
	for i := range s.Bodies {
		for _, n := range names(bodyFields) {
			known = append(known, s.Bodies[i].Name+"."+n)
		}
	}
	return fault(key, suggest(key, known, ""), "unknown key %q", key)
}

// clone copies what Set may change.
func (s *Scene) clone() Scene {
	c := *s
	c.Bodies = slices.Clone(s.Bodies)
	return c
}

func find[T any](fields []field[T], name string) *field[T] {
	for i := range fields {
		if fields[i].name == name {
			return &fields[i]
		}
	}
	return nil
}

// suggest is the cure for an unknown word: the nearest known ones, or all of a short list.
func suggest(name string, known []string, prefix string) string {
	if len(name) > 60 {
		return "see docs/scene-format.md"
	}
	type candidate struct {
		word     string
		distance int
	}
	var near []candidate
	for _, k := range known {
		d := distance(strings.ToLower(name), strings.ToLower(k))
		if i := strings.LastIndexByte(k, '.'); i >= 0 {
			d = min(d, 2+distance(strings.ToLower(name[strings.LastIndexByte(name, '.')+1:]), strings.ToLower(k[i+1:])))
		}
		if d <= max(2, len(name)/3) {
			near = append(near, candidate{k, d})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return a.distance - b.distance })
	if len(near) > 3 {
		near = near[:3]
	}
	if len(near) == 0 && len(known) > 20 {
		return "see docs/scene-format.md"
	}
	if len(near) == 0 {
		return "known are " + strings.Join(known, ", ")
	}
	var words []string
	for _, c := range near {
		words = append(words, prefix+c.word)
	}
	return "did you mean " + strings.Join(words, " or ") + "?"
}

// distance is the number of letters to change, add, drop or swap with a neighbour.
func distance(a, b string) int {
	before, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, prev, cur = prev, cur, before
	}
	return prev[len(b)]
}

// String shows a key as one line of help.
func (k Key) String() string {
	if k.Unit == "" {
		return fmt.Sprintf("%-28s %s", k.Name, k.Help)
	}
	return fmt.Sprintf("%-28s %s [%s]", k.Name, k.Help, k.Unit)
}
