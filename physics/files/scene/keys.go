package scene

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/setting"
	"hapco/physics/frame"
	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/fem"
)

// Fields are the tables of keys: the scene's own, without those that every scene has,
// and a body's.
func Fields() ([]setting.Field[Scene], []setting.Field[Body]) { return ownFields, bodyFields }

var criterionWords = []string{"relative", "physical", "natural", "scaled", "status"}
var criterionValues = []contact.Criterion{contact.RelativeChange, contact.Physical, contact.NaturalMap, contact.Scaled, contact.SameStatus}

// toleranceUnit brings the tolerance that a file writes to what Contact holds.
func toleranceUnit(c contact.Criterion, u setting.Units) float64 {
	if c == contact.Physical {
		return u.ToSI(setting.Length)
	}
	return 1
}

var toolWords = []string{"probe", "ball", "scoop", "sphere", "capsule", "cylinder", "box"}
var toolValues = []ToolKind{ProbeTool, BallTool, ScoopTool, SphereTool, CapsuleTool, CylinderTool, BoxTool}

var sceneFields = slices.Concat(
	setting.Lift(setting.HeadFields, (*Scene).setting), ownFields,
	setting.Lift(setting.TailFields, (*Scene).setting))

func (s *Scene) setting() *setting.Setting { return &s.Setting }

var ownFields = []setting.Field[Scene]{
	setting.Number("friction", setting.Pure, "Coulomb's friction coefficient mu, for pairs without a value of their own", func(s *Scene) *float64 { return &s.Friction }).Lives(setting.Live{Symbol: "µ",
		About:  "Coulomb's friction coefficient: a contact slides once its tangential force reaches µ times the normal one. Pairs of bodies with a coefficient of their own keep it.",
		Source: "Thesis: «Friction Coefficient», µ, (2.16)",
		Range:  setting.Range{Min: 0, Max: 1, Step: 0.01, Ceil: 10}}),
	setting.Vector("gravity", setting.Acceleration, "acts on bodies with a density", func(s *Scene) *mgl64.Vec3 { return &s.Gravity }),

	setting.Text("contact.solver", "name of the contact solver; hapco solve --list names them", func(s *Scene) *string { return &s.Contact.Solver }).Lives(setting.Live{
		About:  "The method that finds the contact forces. It may be changed while you press.",
		Source: "Thesis: 2.7, 2.8, 3.6"}),
	setting.Text("contact.shadow",
		"name of a second solver that works on the same problems beside the steps, to be compared; none: no second solver",
		func(s *Scene) *string { return &s.Contact.Shadow }).Then(func(s, _ *Scene, _ setting.Units) {
		if s.Contact.Shadow == "none" {
			s.Contact.Shadow = ""
		}
	}).Lives(setting.Live{
		About: "A second solver that works on the same contact problems on a processor of its own, from its own last forces. It moves nothing and delays nothing: problems that come while it is busy are left out. The plots show both."}),
	setting.Custom("contact.criterion", setting.Pure, "what the Gauss-Seidel tolerance bounds: "+strings.Join(criterionWords, ", "), func(s *Scene, v any, u setting.Units) *setting.Error {
		c, err := setting.ReadWord(v, criterionWords, criterionValues)
		if err != nil {
			return err
		}
		// The number that the user wrote stays the same number, so that the
		// order in which criterion and tolerance are given does not matter.
		s.Contact.Tolerance *= toleranceUnit(c, u) / toleranceUnit(s.Contact.Criterion, u)
		s.Contact.Criterion = c
		return nil
	}).Lives(setting.Live{
		About:  "Which number the solver compares with the tolerance before it stops: a relative error of the forces, a physical one in metres, or another.",
		Source: "Thesis: «Physical Error/Relative Error», ε_Globale, 4.4.2"}),
	setting.Custom("contact.tolerance", setting.Tolerance, "Gauss-Seidel error; a length for the criterion physical, else a pure number", func(s *Scene, v any, u setting.Units) *setting.Error {
		unit := setting.Pure
		if s.Contact.Criterion == contact.Physical {
			unit = setting.Length
		}
		x, err := setting.Measured(v, unit, u)
		if err == nil {
			s.Contact.Tolerance = x
		}
		return err
	}).Lives(setting.Live{Symbol: "ε_GS",
		About:  "Gauss-Seidel error: the solver stops when the number that the criterion names falls below it. Smaller is more exact and slower.",
		Source: "Thesis: «Gauss-Seidel Error», ε_Gauss-Seidel, (2.72)",
		Range:  setting.Range{Min: 1e-12, Max: 1e-1, Log: true, Floor: 1e-16, Ceil: 1}}),
	setting.Integer("contact.max_iterations", "of the contact solver", func(s *Scene) *int { return &s.Contact.MaxIterations }).Lives(setting.Live{
		About: "The solver gives up after this many sweeps and uses what it has; the contact count in the status line then says so.",
		Range: setting.Range{Min: 1, Max: 1e5, Log: true, Step: 1, Ceil: 1e7}}),
	setting.Number("contact.rho", setting.Stiffness, "imposed rho_min; 0: calculated from the Delassus operator (3.1)", func(s *Scene) *float64 { return &s.Contact.Rho }).Lives(setting.Live{Symbol: "ρ_min",
		About:  "Step length of the Uzawa iterations, a stiffness. Far below the calculated value convergence is slow, far above it becomes unstable.",
		Source: "Thesis: «ρ_min», (3.1)",
		Range:  setting.Range{Min: 1e-2, Max: 1e8, Log: true, Floor: 1e-9, Ceil: 1e15, Auto: true}}),
	setting.Number("contact.rho_factor", setting.Pure, "multiplies the calculated rho_min, or rho_n and rho_t", func(s *Scene) *float64 { return &s.Contact.RhoFactor }).Lives(setting.Live{Symbol: "× ρ",
		About:  "Multiplies the calculated ρ. The thesis tries 1.5, 2 and 2.2: up to a limit that depends on the problem larger means fewer iterations, beyond it the solver diverges.",
		Source: "Thesis: «Recherche d'un ρ optimal», 3.5",
		Range:  setting.Range{Min: 0.1, Max: 10, Log: true, Floor: 1e-6, Ceil: 1e6}}),
	setting.Number("contact.uzawa_error", setting.Pure, "error of the local Uzawa loop (3.6, 3.7), times contact.length", func(s *Scene) *float64 { return &s.Contact.UzawaError }).Lives(setting.Live{Symbol: "ε_U",
		About:  "Error at which the loop inside one contact stops, as a fraction of the scene's characteristic length. Only the local Uzawa solvers use it.",
		Source: "Thesis: «Uzawa Error», ε_Uzawa, (3.6), (3.7)",
		Range:  setting.Range{Min: 1e-10, Max: 1e-1, Log: true, Floor: 1e-16, Ceil: 1}}),
	setting.Integer("contact.uzawa_iterations", "of the local Uzawa loop, at most", func(s *Scene) *int { return &s.Contact.UzawaIterations }),
	setting.Number("contact.length", setting.Length, "characteristic length L of the scene", func(s *Scene) *float64 { return &s.Contact.Length }),
	setting.Number("contact.newton_tolerance", setting.Length, "no effect, read so that older files load: bodies are linear, one solve finds their equilibrium (2.59)", func(s *Scene) *float64 { return &s.Contact.NewtonTolerance }),
	setting.Number("contact.ddc_tolerance", setting.Length, "DDC tolerance: distance below which nodes become contacts; inf takes all", func(s *Scene) *float64 { return &s.Contact.DDCTolerance }).Lives(setting.Live{Label: "DDC tolerance",
		About:  "Largest distance between a node of the tool and the tissue at which the two become a possible contact. Larger finds contacts earlier and costs more.",
		Source: "Thesis: «DDC Tolerance», 4.4.2",
		Range:  setting.Range{Min: 1e-5, Max: 1e-1, Log: true, Floor: 1e-9, Ceil: math.Inf(1), Off: math.Inf(1)}}),
	setting.Number("contact.reduction", setting.Length, "where many contacts are loaded, some are left out as long as they stay inside the other body by no more than this; 0: none is left out", func(s *Scene) *float64 { return &s.Contact.Reduction }).Lives(setting.Live{
		About: "Where many contacts are loaded, some are left out of the problem as long as they stay inside the other body by no more than this. The leftmost position leaves none out.",
		Range: setting.Range{Min: 1e-7, Max: 1e-3, Log: true, Zero: true, ZeroWord: "none", Floor: 1e-12, Ceil: 1}}),
	setting.Number("contact.deadline", setting.Seconds, "of a step: after that its solve ends with the forces it has, and is not repeated; with a tolerance above 1e-10; 0: none, and 0.0015 in the window", func(s *Scene) *float64 { return &s.Contact.Deadline }).Lives(setting.Live{
		Clock: true,
		About: "Time that the solves of a step may take: then they end with the forces they have, which obey the laws, and the next step goes on from them. The leftmost position sets none.",
		Range: setting.Range{Min: 1e-4, Max: 1, Log: true, Zero: true, ZeroWord: "none", Floor: 1e-9, Ceil: 3600}}),
	setting.Number("contact.strain_limit", setting.Pure, "largest compression of a soft body's surface, 0..1: beyond it the surface stiffens, and slips before; 0: none", func(s *Scene) *float64 { return &s.Contact.StrainLimit }),
	setting.Switch("contact.drop_overhang", "no contact for nodes that project over an open edge of the contact surface", func(s *Scene) *bool { return &s.Contact.DropOverhang }),
	setting.Switch("contact.anchored", "a sticking contact remembers the material point that it stuck to", func(s *Scene) *bool { return &s.Contact.Anchored }),
	setting.Word("contact.normals", "normals of the contact frames", []string{"face", "smooth"}, []Normals{FaceNormals, SmoothNormals}, func(s *Scene) *Normals { return &s.Contact.Normals }),
}

var bodyFields = []setting.Field[Body]{
	setting.Text("name", "first word of the body's keys", func(b *Body) *string { return &b.Name }),
	setting.Word("role", "driven by the stylus, or fixed", []string{"driven", "fixed"}, []Role{Driven, Fixed}, func(b *Body) *Role { return &b.Role }),

	fileField("mesh", "shape: a volume mesh file; asset:NAME for one that the program carries", MeshShape),
	fileField("object", "shape: an object file with its own E, nu and supports", ObjectShape),
	setting.LengthUnit("file_unit", "unit of length of the mesh or object file; default units.length", func(b *Body) *string { return &b.Shape.Unit }),
	shapeField(setting.Vector("box.origin", setting.Length, "shape: corner with the least coordinates", func(b *Body) *mgl64.Vec3 { return &b.Shape.Box.Origin }), BoxShape),
	shapeField(setting.Vector("box.size", setting.Length, "edges along x, y, z", func(b *Body) *mgl64.Vec3 { return &b.Shape.Box.Size }), BoxShape),
	setting.Custom("box.elements", setting.Pure, "number of hexahedra along x, y, z", func(b *Body, v any, _ setting.Units) *setting.Error {
		l, err := setting.ReadList(v, 3, "three whole numbers, [nx, ny, nz]")
		if err != nil {
			return err
		}
		for i := range l {
			if b.Shape.Box.Elements[i], err = setting.ReadInteger(l[i]); err != nil {
				return err
			}
		}
		b.Shape.Kind = BoxShape
		return nil
	}),
	shapeField(setting.Word("tool.kind", "shape: a rigid tool", toolWords, toolValues, func(b *Body) *ToolKind { return &b.Shape.Tool.Kind }), ToolShape),
	shapeField(setting.Number("tool.radius", setting.Length, "of the tool's round tip; of a scoop's bowl, half its width; of the edges of a box, which may be 0", func(b *Body) *float64 { return &b.Shape.Tool.Radius }), ToolShape),
	shapeField(setting.Number("tool.length", setting.Length, "of the tool's shaft, from the tip's centre; of a capsule between the centres of its ends; of a cylinder", func(b *Body) *float64 { return &b.Shape.Tool.Length }), ToolShape),
	shapeField(setting.Vector("tool.size", setting.Length, "of a box tool along x, y, z", func(b *Body) *mgl64.Vec3 { return &b.Shape.Tool.Size }), ToolShape),
	shapeField(setting.Number("tool.spacing", setting.Length, "between the nodes of the tip, or of the picture of a tool in closed form; 0 chooses", func(b *Body) *float64 { return &b.Shape.Tool.Spacing }), ToolShape),

	setting.Custom("material", setting.Pure, "preset of E, nu and density: "+strings.Join(materialNames(), ", "), func(b *Body, v any, _ setting.Units) *setting.Error {
		name, err := setting.ReadText(v)
		if err != nil {
			return err
		}
		m, bad := fem.Preset(name)
		if bad != nil {
			return setting.Fault("", strings.Join(materialNames(), ", ")+", or give E and nu", "unknown material %q", name)
		}
		b.Material, b.Preset, b.Young, b.Poisson, b.Density = name, name, m.Young, m.Poisson, m.Density
		return nil
	}),
	customField(setting.Number("E", setting.Pressure, "Young's modulus", func(b *Body) *float64 { return &b.Young }).Lives(setting.Live{
		About:  "Young's modulus: stress per strain. It takes effect at the next step. A drag over the slider's whole width is a factor of ten; the middle is the scene's own value.",
		Source: "Thesis: module de Young, E, 1.5",
		Range:  setting.Range{Min: 1e2, Max: 1e11, Log: true, Decade: true, Floor: 1e-3, Ceil: 1e15}})),
	customField(setting.Number("nu", setting.Pure, "Poisson's ratio, above -1 and below 0.5", func(b *Body) *float64 { return &b.Poisson }).Lives(setting.Live{Symbol: "ν",
		About:  "Poisson's ratio: how much a stretched piece narrows. 0.5 would be incompressible. The flexibility is computed anew in the background; the old value holds until that is done.",
		Source: "Thesis: coefficient de Poisson, ν, 1.5",
		Range:  setting.Range{Min: 0, Max: 0.49, Step: 0.01, Floor: -0.99, Ceil: 0.4999}})),
	setting.Number("density", setting.Density, "for gravity; 0: weightless", func(b *Body) *float64 { return &b.Density }),
	setting.Switch("rigid", "no elastic displacements", func(b *Body) *bool { return &b.Rigid }),
	setting.Word("rigid_contact", "how others find a rigid body's surface", []string{"mesh", "distance"}, []Touch{TouchMesh, TouchDistance}, func(b *Body) *Touch { return &b.Touch }),

	selectorField("clamp", "nodes without displacement in the body's frame", func(b *Body) *Selector { return &b.Clamp }),
	selectorField("contact_surface", "nodes that may touch", func(b *Body) *Selector { return &b.Surface }),
	setting.Typed("color", setting.Pure, `[r, g, b] with 0 to 1, or "#rrggbb"`,
		func(v any, _ setting.Units) (mgl64.Vec3, *setting.Error) { return setting.ReadColor(v) },
		func(b *Body) *mgl64.Vec3 { return &b.Color }),
	setting.Vector("position", setting.Length, "of the body's frame in the world at the start", func(b *Body) *mgl64.Vec3 { return &b.Pose.Position }),
	setting.Rotation("rotation", setting.Angle, "of the body's frame at the start, about the fixed axes x, then y, then z",
		func(b *Body) *mgl64.Quat { return &b.Pose.Rotation }),
}

// shapeField makes the body take the kind of shape that the key belongs to.
func shapeField(f setting.Field[Body], kind ShapeKind) setting.Field[Body] {
	return f.Then(func(b, _ *Body, _ setting.Units) {
		b.Shape.Kind = kind
		b.Rigid = b.Rigid || kind == ToolShape
	})
}

func fileField(name, help string, kind ShapeKind) setting.Field[Body] {
	return setting.Custom(name, setting.Pure, help, func(b *Body, v any, u setting.Units) *setting.Error {
		file, err := setting.ReadText(v)
		if err != nil {
			return err
		}
		if file == "" {
			return setting.Fault("", "give a file's name", "the name is empty")
		}
		b.Shape.Kind, b.Shape.File = kind, file
		b.Shape.Unit = cmp.Or(b.Shape.Unit, u.Length)
		if kind == ObjectShape && b.Clamp.Kind == SelectNone {
			b.Clamp.Kind = SelectDefault
		}
		return nil
	})
}

// customField makes the material a custom one when the constant differs from the preset's.
func customField(f setting.Field[Body]) setting.Field[Body] {
	return f.Then(func(b, before *Body, _ setting.Units) {
		if b.Young != before.Young || b.Poisson != before.Poisson {
			b.Material = Custom
		}
	})
}

func selectorField(name, help string, at func(*Body) *Selector) setting.Field[Body] {
	return setting.Typed(name, setting.Pure, help+`: a side, "default", "all", a node set's name, or a box`, selector, at)
}

var pairFields = []setting.Field[Pair]{
	setting.Custom("bodies", setting.Pure, "names of the two bodies; twice the same lets a body touch itself", func(p *Pair, v any, _ setting.Units) *setting.Error {
		const want = `the names of two bodies, ["a", "b"]`
		l, err := setting.ReadList(v, 2, want)
		if err != nil {
			return err
		}
		if p.A, err = setting.ReadText(l[0]); err != nil {
			return err
		}
		p.B, err = setting.ReadText(l[1])
		return err
	}),
	setting.Number("friction", setting.Pure, "the pair's friction coefficient; the scene's where none is given", func(p *Pair) *float64 { return &p.Friction }),
	setting.Word("contact", "how they touch (one: nodes of the first, triangles of the second; both: either way; full: edges on edges, too)",
		[]string{"default", "none", "one", "both", "full"}, []PairContact{ContactDefault, ContactNone, ContactOne, ContactBoth, ContactFull},
		func(p *Pair) *PairContact { return &p.Contact }),
}

var probeFields = []setting.Field[Probe]{
	setting.Text("body", "the body whose nearest node is watched", func(p *Probe) *string { return &p.Body }),
	setting.Vector("at", setting.Length, "a point in that body's frame", func(p *Probe) *mgl64.Vec3 { return &p.Point }),
}

// defaultSolver solves scenes that name no contact solver.
const defaultSolver = "auto"

// Default is a scene without bodies: the parameters that a file does not give.
func Default() Scene {
	o := contact.DefaultOptions()
	return Scene{
		Setting:  setting.Default(),
		Friction: 0.3, // algorithm 4.2
		Contact: Contact{
			Solver:          defaultSolver,
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
	return setting.Assign(assignment, func(key string, v any) *setting.Error {
		next := s.clone()
		if err := assign(&next, key, v); err != nil {
			return err
		}
		if err := next.validate(); err != nil {
			return err
		}
		*s = next
		return nil
	})
}

// Echo tells in which unit Set takes the number of an assignment that names none,
// such as "liver.E = 6 MPa"; "" where there is nothing to tell.
func Echo(s *Scene, assignment string) string {
	return setting.Echo(assignment, func(key string) setting.Quantity {
		q := setting.Pure
		if f := setting.Find(sceneFields, key); f != nil {
			q = f.Unit
		} else if first, rest, _ := strings.Cut(key, "."); first != "" {
			if b, _ := s.Body(first); b != nil {
				if f := setting.Find(bodyFields, rest); f != nil {
					q = f.Unit
				}
			}
		}
		if q == setting.Tolerance && s.Contact.Criterion != contact.Physical {
			q = setting.Pure
		}
		return q
	}, s.Units)
}

func assign(s *Scene, key string, v any) *setting.Error {
	first, rest, dotted := strings.Cut(key, ".")
	if b, _ := s.Body(first); dotted && b != nil {
		f := setting.Find(bodyFields, rest)
		if f == nil {
			return setting.Fault(key, setting.Suggest(rest, setting.Names(bodyFields), first+"."), "unknown key %q", key)
		}
		err := f.Set(b, v, s.Units)
		if err == nil && f.Name == "name" {
			err = setting.Fault(key, "write it in the scene file", "a body cannot be renamed from outside")
		}
		return err
	}
	f := setting.Find(sceneFields, key)
	if f != nil {
		return f.Set(s, v, s.Units)
	}
	if first == "path" || slices.Contains(arrayTables, first) {
		return setting.Fault(key, "write it in the scene file", "%q cannot be set from outside", key)
	}
	known := setting.Names(sceneFields)
	for i := range s.Bodies {
		for _, n := range setting.Names(bodyFields) {
			known = append(known, s.Bodies[i].Name+"."+n)
		}
	}
	return setting.Fault(key, setting.Suggest(key, known, ""), "unknown key %q", key)
}

// clone copies what Set may change.
func (s *Scene) clone() Scene {
	c := *s
	c.Bodies = slices.Clone(s.Bodies)
	return c
}
