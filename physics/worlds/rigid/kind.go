package rigid

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/files/setting"
	"hapco/physics/machinery/team"
	"hapco/physics/numerics/fem"
	"hapco/physics/numerics/num"
)

// Rigid bodies as a kind of world: bodies and joints from a scene file, a tool on the stylus that pushes them, and a
// hand that catches the nearest one and throws it.

// sceneFile is the scene file of a world of rigid bodies.
type sceneFile struct {
	setting.Setting
	Params
	Tool    toolSpec
	Floor   bool
	FieldE0 float64 // of a charged wall at y = 0: a charge c has the energy c (E0 y + K/y)
	FieldK  float64
	Bodies  []bodySpec
	Joints  []jointSpec
	Charges []chargeSpec
}

// Params may change while the world runs.
type Params struct {
	Integrator  int // place in integratorWords; of bodies that turn by themselves
	Step        float64
	Gravity     float64 // downwards, m/s^2
	Friction    float64 // of bodies that have none of their own
	Restitution float64
	Damping     float64 // of the ways of all bodies, 1/s
	TurnDamping float64 // of their turns
	Tether      float64 // at which bodies are drawn back to where they started, 1/s
	TetherTurn  float64 // and turned back
	Sweeps      int     // at most, in a step
	Tolerance   float64
	Catch       bool
	Reach       float64 // of the catch, m
	Contacts    int     // place in contactWords
	Momentum    bool    // arrows
	Velocity    bool
	Record      bool    // write the sound
	Mute        bool    // play none
	Exaggerate  float64 // vibrations are drawn so many times as large
	Slow        float64 // and so many times as slow
}

var (
	integratorWords = []string{"contact", "C1", "C1-average", "C1-energy", "NMB", "C2", "C2-average"}
	integratorIs    = [...]struct {
		Algorithm
		TorqueRule
	}{{}, {C1, HalfRotation}, {C1, EndAverage}, {C1, EnergyConserving}, {NMB, End}, {C2, HalfRotation}, {C2, EndAverage}}
	contactWords = []string{"all", "tool", "none"}
	places       = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
)

type toolSpec struct {
	Form     string
	Size     mgl64.Vec3
	Radius   float64
	Length   float64
	Position mgl64.Vec3
	Second   mgl64.Vec3 // where the second tool starts; NaN: there is none
	Rotation mgl64.Quat
	Color    mgl64.Vec3
}

// bodySpec is one [[body]], or a block of equal ones.
type bodySpec struct {
	Name                           string
	Form                           string
	Size                           mgl64.Vec3 // m: edges
	Radius, Length, Thickness, Tip float64
	Density, Mass                  float64
	Inertia                        mgl64.Vec3 // principal moments; 0: those of the form, filled
	InertiaTurn                    mgl64.Quat // of their axes in the body
	Position, Velocity, Spin       mgl64.Vec3 // spin in the body's axes, 1/s
	Rotation                       mgl64.Quat
	Fixed, Ghost                   bool
	Friction, Restitution          float64 // NaN: those of the scene
	Color                          mgl64.Vec3
	Material                       string // for the eye
	Integrator                     int    // place in ownWords
	Modes                          int
	ModalDamping                   float64
	Young, Poisson                 float64
	Repeat                         [3]int
	Apart                          mgl64.Vec3
	Bend                           float64 // rad, from one body of a row to the next, to the left
	Bond                           bool
	Trail                          mgl64.Vec3 // point that leaves a trail; NaN: none
	File, Unit                     string     // of a mesh, and the unit of its lengths
}

// ownWords are the integrators that a body may name: none, that of the scene, or one.
var ownWords = append([]string{"none", "scene"}, integratorWords[1:]...)

type jointSpec struct {
	Kind     JointKind
	A, B     string
	At, To   mgl64.Vec3
	Axis     mgl64.Vec3
	Friction float64
}

type chargeSpec struct {
	Body   string
	At     mgl64.Vec3
	Charge float64
}

func common(s *sceneFile) *setting.Setting { return &s.Setting }

var fields = slices.Concat(setting.Lift(setting.HeadFields, common), ownFields, setting.Lift(setting.TailFields, common))

// toolForms and bodyForms are the words for shapes.
var (
	toolForms = []string{"ball", "capsule", "box"}
	bodyForms = []string{"ball", "box", "capsule", "cylinder", "ellipsoid", "mesh", "top", "fork", "bell", "bar"}
)

var ownFields = []setting.Field[sceneFile]{
	setting.Number("step", setting.Seconds, "time step h", func(s *sceneFile) *float64 { return &s.Step }).Lives(setting.Live{Symbol: "h", Label: "Step",
		About: "Time step. An integrator's error grows with its square; from a turn of 0.1 rad in a step on the panel warns.",
		Range: setting.Range{Min: 1e-4, Max: 0.1, Log: true, Floor: 2e-5}}),
	setting.Word("integrator", "how a body turns that is left to itself", integratorWords, places[:len(integratorWords)], func(s *sceneFile) *int { return &s.Integrator }).Lives(setting.Live{
		About: "Of bodies whose integrator is \"scene\". contact: C1 with contacts and joints inside. The others turn a body that touches nothing, and hangs by a ball joint at most: C1 (implicit; three rules for the moment in the middle of the step), NMB, C2 (explicit, the least accurate)."}),
	setting.Number("gravity", setting.Acceleration, "downwards", func(s *sceneFile) *float64 { return &s.Gravity }).Lives(setting.Live{
		About: "Weight pulls bodies down; below 0 it pulls them up.", Range: setting.Range{Min: -20, Max: 20, Step: 0.1, Floor: -100, Ceil: 100}}),
	setting.Number("friction", setting.Pure, "coefficient, of bodies that have none of their own, of the floor and of the tool", func(s *sceneFile) *float64 { return &s.Friction }).Lives(setting.Live{Symbol: "µ",
		Range: setting.Range{Min: 0, Max: 1.5, Step: 0.01, Ceil: 10}}),
	setting.Number("restitution", setting.Pure, "share of the closing speed with which bodies rebound, 0 to 1", func(s *sceneFile) *float64 { return &s.Restitution }).Lives(setting.Live{Symbol: "e",
		Range: setting.Range{Min: 0, Max: 1, Step: 0.01}}),
	setting.Number("damping", setting.PerSecond, "rate at which velocities fade", func(s *sceneFile) *float64 { return &s.Damping }).Lives(setting.Live{
		About: "Rate at which velocities fade, in 1/s, as if in air.", Range: setting.Range{Min: 0, Max: 10, Step: 0.05}}),
	setting.Number("turn_damping", setting.PerSecond, "rate at which turns fade", func(s *sceneFile) *float64 { return &s.TurnDamping }).Lives(setting.Live{Label: "Angular damping",
		About: "Rate at which turns fade, in 1/s.", Range: setting.Range{Min: 0, Max: 10, Step: 0.05}}),
	setting.Number("tether.way", setting.PerSecond, "frequency of damped springs that draw bodies back to where they started, rad/s; 0: none", func(s *sceneFile) *float64 { return &s.Tether }),
	setting.Number("tether.turn", setting.PerSecond, "the same for their attitudes", func(s *sceneFile) *float64 { return &s.TetherTurn }),
	setting.Integer("solver.sweeps", "most sweeps over the contacts in a step", func(s *sceneFile) *int { return &s.Sweeps }).Lives(setting.Live{
		About: "Most sweeps over contacts and joints in a step. Fewer let large stacks keep up with the clock; they are softer then.", Range: setting.Range{Min: 1, Max: 1000, Log: true, Step: 1}}),
	setting.Number("solver.tolerance", setting.Pure, "error of the contact laws at which sweeps end", func(s *sceneFile) *float64 { return &s.Tolerance }).Lives(setting.Live{
		About: "Error of the contact laws, relative, at which sweeps end.", Range: setting.Range{Min: 1e-12, Max: 1e-2, Log: true}}),
	setting.Switch("hand.catch", "the stylus holds the nearest body by a damped spring", func(s *sceneFile) *bool { return &s.Catch }).Lives(setting.Live{Label: "Hold body",
		About: "The nearest body within reach hangs on the stylus by a damped spring; off lets it fly. Key X."}),
	setting.Number("hand.reach", setting.Length, "how near a body must be to be caught", func(s *sceneFile) *float64 { return &s.Reach }),
	setting.Word("show.contacts", "which contacts are shown", contactWords, places[:len(contactWords)], func(s *sceneFile) *int { return &s.Contacts }).Lives(setting.Live{
		About: "All contacts, those of the tool, or none."}),
	setting.Switch("show.momentum", "arrows of angular momentum", func(s *sceneFile) *bool { return &s.Momentum }).Lives(setting.Live{
		About: "Angular momentum of each body about its centre (yellow). In free flight it stays, whatever the body does."}),
	setting.Switch("show.velocity", "arrows of velocity, and of angular velocity", func(s *sceneFile) *bool { return &s.Velocity }).Lives(setting.Live{
		About: "Velocity (blue) and angular velocity (pink) of each body."}),
	setting.Number("show.exaggeration", setting.Pure, "how many times as large vibrations are drawn", func(s *sceneFile) *float64 { return &s.Exaggerate }).Lives(setting.Live{
		About: "Vibrations are drawn so many times as large.", Range: setting.Range{Min: 1, Max: 1e5, Log: true}}),
	setting.Number("show.slowing", setting.Pure, "how many times as slow vibrations are drawn; 1: as they are", func(s *sceneFile) *float64 { return &s.Slow }).Lives(setting.Live{Label: "Stroboscope",
		About: "A stroboscope: each mode is drawn with its own amplitude, but so many times as slow. 1 draws it as it is.", Range: setting.Range{Min: 1, Max: 1e5, Log: true}}),
	setting.Switch("sound.write", "write the sound of the last seconds to a WAV file, once", func(s *sceneFile) *bool { return &s.Record }).Lives(setting.Live{Label: "Write sound", Act: true,
		About: "Each change writes the sound of the last three seconds to SCENE-1.wav, SCENE-2.wav, ... in the folder that the program was started in. Key W."}),
	setting.Switch("sound.mute", "play no sound", func(s *sceneFile) *bool { return &s.Mute }).Lives(setting.Live{Label: "Mute",
		About: "What rings is heard on the system's sound device, where there is one: the loudest so far at less than half of what that can. Where the scene runs slower than the clock there are gaps."}),
	setting.Switch("floor", "a floor at y = 0", func(s *sceneFile) *bool { return &s.Floor }),
	setting.Number("wall.E0", setting.Force, "a charged wall at y = 0 pulls each charge down with so much force", func(s *sceneFile) *float64 { return &s.FieldE0 }),
	setting.Number("wall.K", setting.Rigidity, "and repels it with K/y^2, K in N m^2", func(s *sceneFile) *float64 { return &s.FieldK }),
	setting.Word("tool.form", "of the tool on the stylus", toolForms, toolForms, func(s *sceneFile) *string { return &s.Tool.Form }),
	setting.Number("tool.radius", setting.Length, "of a ball or capsule", func(s *sceneFile) *float64 { return &s.Tool.Radius }),
	setting.Number("tool.length", setting.Length, "of a capsule, along its y axis without its caps", func(s *sceneFile) *float64 { return &s.Tool.Length }),
	setting.Vector("tool.size", setting.Length, "edges of a box", func(s *sceneFile) *mgl64.Vec3 { return &s.Tool.Size }),
	setting.Vector("tool.position", setting.Length, "of its centre at the start", func(s *sceneFile) *mgl64.Vec3 { return &s.Tool.Position }),
	setting.Vector("tool.second", setting.Length, "centre, at the start, of a second tool of the same form, for a second hand; without it there is one tool", func(s *sceneFile) *mgl64.Vec3 { return &s.Tool.Second }),
	turn("tool.rotation", "at the start", func(s *sceneFile) *mgl64.Quat { return &s.Tool.Rotation }),
	setting.Color("tool.color", "of the tool", func(s *sceneFile) *mgl64.Vec3 { return &s.Tool.Color }),
}

func turn[T any](name, help string, at func(*T) *mgl64.Quat) setting.Field[T] {
	return setting.Rotation(name, setting.Pure, help+", in degrees about the fixed axes x, then y, then z", at)
}

var bodyFields = []setting.Field[bodySpec]{
	setting.Text("name", "of the body, unique", func(b *bodySpec) *string { return &b.Name }),
	setting.Word("form", "its shape; capsules, cylinders and tops stand along y", bodyForms, bodyForms, func(b *bodySpec) *string { return &b.Form }),
	setting.Vector("size", setting.Length, "edges of a box or bar, diameters of an ellipsoid", func(b *bodySpec) *mgl64.Vec3 { return &b.Size }),
	setting.Text("mesh", "of a mesh: its file, a closed surface or a volume mesh; asset:NAME for one that the program carries", func(b *bodySpec) *string { return &b.File }),
	setting.Text("file_unit", "unit of length of that file; default units.length", func(b *bodySpec) *string { return &b.Unit }),
	setting.Number("radius", setting.Length, "of a ball, capsule, cylinder, top or bell", func(b *bodySpec) *float64 { return &b.Radius }),
	setting.Number("length", setting.Length, "of a capsule (without its caps), cylinder, top, or a fork's prongs", func(b *bodySpec) *float64 { return &b.Length }),
	setting.Number("thickness", setting.Length, "of a bell", func(b *bodySpec) *float64 { return &b.Thickness }),
	setting.Number("tip", setting.Length, "radius of the tip that a top stands on", func(b *bodySpec) *float64 { return &b.Tip }),
	setting.Number("density", setting.Density, "of what fills the form", func(b *bodySpec) *float64 { return &b.Density }),
	setting.Number("mass", setting.Mass, "in place of the density", func(b *bodySpec) *float64 { return &b.Mass }),
	setting.Vector("inertia", setting.Inertia, "principal moments about the centre of mass, kg m^2, in place of those of the form", func(b *bodySpec) *mgl64.Vec3 { return &b.Inertia }),
	turn("inertia_rotation", "of the principal axes in the body", func(b *bodySpec) *mgl64.Quat { return &b.InertiaTurn }),
	setting.Vector("position", setting.Length, "of the centre of mass; of a top, of its tip; of a block, of its first body", func(b *bodySpec) *mgl64.Vec3 { return &b.Position }),
	turn("rotation", "at the start", func(b *bodySpec) *mgl64.Quat { return &b.Rotation }),
	setting.Vector("velocity", setting.Speed, "at the start", func(b *bodySpec) *mgl64.Vec3 { return &b.Velocity }),
	setting.Vector("spin", setting.PerSecond, "angular velocity at the start in the body's own axes, rad/s", func(b *bodySpec) *mgl64.Vec3 { return &b.Spin }),
	setting.Switch("fixed", "it never moves", func(b *bodySpec) *bool { return &b.Fixed }),
	setting.Switch("ghost", "it is seen, but touches nothing", func(b *bodySpec) *bool { return &b.Ghost }),
	setting.Number("friction", setting.Pure, "in place of the scene's; two bodies touch with the root of the product of theirs", func(b *bodySpec) *float64 { return &b.Friction }),
	setting.Number("restitution", setting.Pure, "in place of the scene's; two bodies rebound with the larger of theirs", func(b *bodySpec) *float64 { return &b.Restitution }),
	setting.Color("color", "of the body", func(b *bodySpec) *mgl64.Vec3 { return &b.Color }),
	setting.Word("material", "for the eye only", physics.ShapeMaterials, physics.ShapeMaterials, func(b *bodySpec) *string { return &b.Material }),
	setting.Word("integrator", "none: it touches others; else it turns by itself, as the scene says or by one of its own", ownWords, places[:len(ownWords)], func(b *bodySpec) *int { return &b.Integrator }),
	setting.Integer("modes", "of vibration, of a fork, bell, bar or volume mesh; 0: it is rigid", func(b *bodySpec) *int { return &b.Modes }),
	setting.Number("modal_damping", setting.Pure, "damping ratio of the modes", func(b *bodySpec) *float64 { return &b.ModalDamping }),
	setting.Number("E", setting.Pressure, "Young's modulus of what vibrates", func(b *bodySpec) *float64 { return &b.Young }),
	setting.Number("nu", setting.Pure, "Poisson's ratio", func(b *bodySpec) *float64 { return &b.Poisson }),
	setting.Custom("repeat", setting.Pure, "a block of so many bodies along x, y and z; their names end in a number", func(b *bodySpec, v any, _ setting.Units) *setting.Error {
		x, err := setting.ReadVector(v, 1)
		if err != nil {
			return err
		}
		for k := range 3 {
			if x[k] < 1 || x[k] > maxBodies || x[k] != math.Trunc(x[k]) {
				return setting.Fault("", "three whole numbers from 1 on", "a block of %v bodies", x)
			}
			b.Repeat[k] = int(x[k])
		}
		return nil
	}),
	setting.Vector("apart", setting.Length, "from one body of a block to the next", func(b *bodySpec) *mgl64.Vec3 { return &b.Apart }),
	setting.Number("bend", setting.Angle, "by which a row turns from one body to the next, about y", func(b *bodySpec) *float64 { return &b.Bend }),
	setting.Switch("bond", "every other row of a block is shifted by half a body, and one shorter", func(b *bodySpec) *bool { return &b.Bond }),
	setting.Vector("trail", setting.Length, "a point of the body that leaves a trail", func(b *bodySpec) *mgl64.Vec3 { return &b.Trail }),
}

var jointFields = []setting.Field[jointSpec]{
	setting.Word("kind", "what it holds", []string{"ball", "hinge", "slider", "rod"}, []JointKind{BallJoint, HingeJoint, SliderJoint, RodJoint}, func(j *jointSpec) *JointKind { return &j.Kind }),
	setting.Text("a", "the body that hangs on it", func(j *jointSpec) *string { return &j.A }),
	setting.Text("b", "the other one; without it the ground", func(j *jointSpec) *string { return &j.B }),
	setting.Vector("at", setting.Length, "where it is at the start", func(j *jointSpec) *mgl64.Vec3 { return &j.At }),
	setting.Vector("to", setting.Length, "the other end of a rod", func(j *jointSpec) *mgl64.Vec3 { return &j.To }),
	setting.Direction("axis", "of a hinge or slider", func(j *jointSpec) *mgl64.Vec3 { return &j.Axis }),
	setting.Number("friction", setting.Pure, "coefficient of a slider", func(j *jointSpec) *float64 { return &j.Friction }),
}

var chargeFields = []setting.Field[chargeSpec]{
	setting.Text("body", "that bears it", func(c *chargeSpec) *string { return &c.Body }),
	setting.Vector("at", setting.Length, "where, in the body's own axes", func(c *chargeSpec) *mgl64.Vec3 { return &c.At }),
	setting.Number("charge", setting.Pure, "of the point", func(c *chargeSpec) *float64 { return &c.Charge }),
}

// maxBodies is how many a scene may have.
const maxBodies = 2000

// Read reads a scene file: it is the kind's opener.
func Read(name string, text []byte) (physics.Scene, error) {
	s := &sceneFile{
		Setting: setting.Default(),
		Params:  Params{Step: 1e-3, Gravity: 9.81, Friction: 0.5, Sweeps: 200, Tolerance: 1e-8, Reach: 0.05, Exaggerate: 500, Slow: 500},
		Tool: toolSpec{Form: "ball", Size: mgl64.Vec3{0.02, 0.02, 0.02}, Radius: 8e-3, Length: 0.03, Position: mgl64.Vec3{0, 0.15, 0}, Second: mgl64.Vec3{math.NaN()},
			Rotation: mgl64.QuatIdent(), Color: mgl64.Vec3{0.75, 0.77, 0.80}},
	}
	if err := setting.Read(name, text, s, fields, &s.Setting, []string{"body", "joint", "charge"}, s.readTables, s.check); err != nil {
		return nil, err
	}
	for i := range s.Bodies {
		s.Bodies[i].File = setting.Beside(name, s.Bodies[i].File)
	}
	return s, nil
}

// Files are the mesh files that bodies are made from.
func (s *sceneFile) Files() (files []string) {
	for i := range s.Bodies {
		if b := &s.Bodies[i]; b.Form == "mesh" && !setting.Carried(b.File) {
			files = append(files, b.File)
		}
	}
	return files
}

func (s *sceneFile) readTables(r *setting.Reader, tree map[string]any) {
	nan := math.NaN()
	body := func(i int) bodySpec {
		return bodySpec{Form: "box", Density: 1000, Mass: nan, Rotation: mgl64.QuatIdent(), InertiaTurn: mgl64.QuatIdent(),
			Friction: nan, Restitution: nan, Color: palette[i%len(palette)], Material: physics.ShapeMaterials[0],
			ModalDamping: 1e-3, Young: steel.Young, Poisson: steel.Poisson, Repeat: [3]int{1, 1, 1}, Trail: mgl64.Vec3{nan}}
	}
	joint := func(int) jointSpec { return jointSpec{To: mgl64.Vec3{nan}} }
	charge := func(int) chargeSpec { return chargeSpec{} }
	s.Bodies = setting.Rows(r, tree, "body", bodyFields, &s.Setting, body, "name", "form", "position")
	s.Joints = setting.Rows(r, tree, "joint", jointFields, &s.Setting, joint, "kind", "a", "at")
	s.Charges = setting.Rows(r, tree, "charge", chargeFields, &s.Setting, charge, "body", "at", "charge")
}

// check finds what is wrong with sizes and names. What only the engine knows, as that an inertia is none of a body,
// Open says.
func (s *sceneFile) check() *setting.Error {
	need, above := setting.Need, setting.Positive
	if err := setting.First(
		need(s.Step >= 2e-5 && s.Step <= 0.1, "step", s.Step, "from 20 us to 0.1 s"),
		need(math.Abs(s.Gravity) <= 1000, "gravity", s.Gravity, "at most 1000 m/s^2"),
		need(atLeast0(s.Friction), "friction", s.Friction, "0 or more"),
		need(s.Restitution >= 0 && s.Restitution <= 1, "restitution", s.Restitution, "0 to 1"),
		need(s.Damping >= 0 && s.Damping <= 10, "damping", s.Damping, "0 to 10 1/s"),
		need(s.TurnDamping >= 0 && s.TurnDamping <= 10, "turn_damping", s.TurnDamping, "0 to 10 1/s"),
		need(s.Tether >= 0 && s.Tether <= 100, "tether.way", s.Tether, "0 to 100 rad/s"),
		need(s.TetherTurn >= 0 && s.TetherTurn <= 100, "tether.turn", s.TetherTurn, "0 to 100 rad/s"),
		need(s.Sweeps >= 1 && s.Sweeps <= 10000, "solver.sweeps", s.Sweeps, "1 to 10000"),
		need(s.Tolerance >= 1e-14 && s.Tolerance <= 0.1, "solver.tolerance", s.Tolerance, "1e-14 to 0.1"),
		need(above(s.Reach), "hand.reach", s.Reach, "above 0; this is in m"),
		need(above(s.Exaggerate), "show.exaggeration", s.Exaggerate, "above 0"),
		need(s.Slow >= 1 && s.Slow <= 1e6, "show.slowing", s.Slow, "1 to 1e6"),
		need(num.Finite(s.FieldE0), "wall.E0", s.FieldE0, "a finite number"),
		need(atLeast0(s.FieldK), "wall.K", s.FieldK, "0 or more"),
		need(above(s.Tool.Radius), "tool.radius", s.Tool.Radius, "above 0; this is in m"),
		need(above(s.Tool.Length), "tool.length", s.Tool.Length, "above 0; this is in m"),
		need(above(s.Tool.Size[:]...), "tool.size", s.Tool.Size, "three lengths above 0"),
		need(num.FiniteVec(s.Tool.Position), "tool.position", s.Tool.Position, "three finite lengths"),
		need(!s.Tool.two() || num.FiniteVec(s.Tool.Second), "tool.second", s.Tool.Second, "three finite lengths"),
	); err != nil {
		return err
	}
	names, err := s.checkBodies()
	if err != nil {
		return err
	}
	return s.checkJoints(names)
}

// atLeast0 tells that x is a number of 0 or more.
func atLeast0(x float64) bool { return x >= 0 && !math.IsInf(x, 0) }

// checkBodies finds what is wrong with bodies: their names, their number, and each of them.
func (s *sceneFile) checkBodies() (names map[string]bool, err *setting.Error) {
	names, count := map[string]bool{}, 0
	for i := range s.Bodies {
		b := &s.Bodies[i]
		at := func(key string) string { return setting.Join(setting.Join("body", strconv.Itoa(i)), key) }
		b.each(func(name string, _ mgl64.Vec3, _ float64) {
			if names[name] {
				count = math.MinInt32
			}
			names[name] = true
			count++
		})
		if count < 0 || b.Name == "" {
			return nil, setting.Fault(at("name"), "a name that no other body has", "two bodies are called %q", b.Name)
		}
		if err := b.check(at); err != nil {
			return nil, err
		}
		if count > maxBodies {
			return nil, setting.Fault(at("repeat"), fmt.Sprintf("at most %d", maxBodies), "%d bodies", count)
		}
	}
	for i := range s.Bodies {
		if b := &s.Bodies[i]; b.Integrator > 0 {
			if _, ok := s.pivot(b.Name); !ok || b.count() > 1 || b.Modes > 0 || b.Fixed {
				return nil, setting.Fault(setting.Join(setting.Join("body", strconv.Itoa(i)), "integrator"), "leave integrator out",
					"body %q cannot turn by itself: it hangs on more than one ball joint to the ground, vibrates, is fixed, or is a block", b.Name)
			}
		}
	}
	return names, nil
}

// check finds what is wrong with a body; at is the place of a key of its.
func (b *bodySpec) check(at func(key string) string) *setting.Error {
	need, above := setting.Need, setting.Positive
	positive := func(key string, xs ...float64) *setting.Error {
		if above(xs...) {
			return nil
		}
		return setting.Fault(at(key), "lengths above 0", "body %q: a %s needs %s", b.Name, b.Form, key)
	}
	var err *setting.Error
	switch b.Form {
	case "ball":
		err = positive("radius", b.Radius)
	case "box", "ellipsoid", "bar":
		err = positive("size", b.Size[:]...)
	case "capsule", "cylinder", "top":
		err = cmp.Or(positive("radius", b.Radius), positive("length", b.Length))
	case "fork":
		err = positive("length", b.Length)
	case "mesh":
		err = need(b.File != "", at("mesh"), b.File, "the name of a file")
	case "bell":
		err = cmp.Or(positive("radius", b.Radius), positive("thickness", b.Thickness))
	}
	own := func(x float64) bool { return math.IsNaN(x) || atLeast0(x) }
	vibrates := b.Form == "mesh" || b.Form == "fork" || b.Form == "bell" || b.Form == "bar"
	if err := setting.First(err,
		need(above(b.Density), at("density"), b.Density, "above 0 kg/m^3"),
		need(math.IsNaN(b.Mass) || above(b.Mass), at("mass"), b.Mass, "above 0 kg"),
		need(b.Inertia == mgl64.Vec3{} || above(b.Inertia[:]...), at("inertia"), b.Inertia, "three moments above 0 kg m^2"),
		need(num.FiniteVec(b.Position), at("position"), b.Position, "three finite lengths"),
		need(num.FiniteVec(b.Velocity), at("velocity"), b.Velocity, "three finite speeds"),
		need(num.FiniteVec(b.Spin), at("spin"), b.Spin, "three finite rates"),
		need(num.Finite(b.Bend), at("bend"), b.Bend, "a finite angle"),
		need(num.FiniteVec(b.Apart), at("apart"), b.Apart, "three finite lengths"),
		need(own(b.Friction), at("friction"), b.Friction, "0 or more"),
		need(own(b.Restitution) && !(b.Restitution > 1), at("restitution"), b.Restitution, "0 to 1"),
		need(b.Modes >= 0 && b.Modes <= 60 && (b.Modes == 0 || vibrates), at("modes"), b.Modes, "0 to 60, of a fork, bell, bar or mesh"),
		need(b.ModalDamping >= 0 && b.ModalDamping < 1, at("modal_damping"), b.ModalDamping, "0 or more, below 1"),
		need(b.Tip >= 0 && (b.Tip == 0 || b.Tip < b.Radius), at("tip"), b.Tip, "0 or more, less than the radius"),
		need(b.Modes == 0 || b.count() == 1, at("repeat"), b.Repeat, "1 of a body that vibrates"),
	); err != nil {
		return err
	}
	if err := (fem.Material{Young: b.Young, Poisson: b.Poisson, Density: b.Density}).Validate(); err != nil {
		return setting.Fault(at("E"), "E above 0, nu between -1 and 0.5", "body %q: %v", b.Name, err)
	}
	return nil
}

// checkJoints finds what is wrong with joints and charges of bodies of these names.
func (s *sceneFile) checkJoints(names map[string]bool) *setting.Error {
	need := setting.Need
	known := func(name, key string) *setting.Error {
		if names[name] {
			return nil
		}
		var all []string
		for i := range s.Bodies {
			all = append(all, s.Bodies[i].Name)
		}
		return setting.Fault(key, "one of "+strings.Join(all, ", "), "there is no body %q", name)
	}
	for i := range s.Joints {
		j := &s.Joints[i]
		at := setting.Join("joint", strconv.Itoa(i))
		if err := setting.First(known(j.A, setting.Join(at, "a")), known(cmp.Or(j.B, j.A), setting.Join(at, "b")),
			need(j.A != j.B, setting.Join(at, "b"), j.B, "another body than a"),
			need(num.FiniteVec(j.At), setting.Join(at, "at"), j.At, "three finite lengths"),
			need(j.Kind != RodJoint || num.FiniteVec(j.To), setting.Join(at, "to"), j.To, "the other end of the rod"),
			need(j.Kind != HingeJoint && j.Kind != SliderJoint || j.Axis != mgl64.Vec3{}, setting.Join(at, "axis"), j.Axis, "a direction"),
			need(atLeast0(j.Friction), setting.Join(at, "friction"), j.Friction, "0 or more"),
		); err != nil {
			return err
		}
	}
	for i := range s.Charges {
		c := &s.Charges[i]
		at := setting.Join("charge", strconv.Itoa(i))
		if err := cmp.Or(known(c.Body, setting.Join(at, "body")), need(num.Finite(c.Charge) && num.FiniteVec(c.At), at, c.Charge, "finite numbers")); err != nil {
			return err
		}
	}
	return nil
}

// pivot is the place of the one joint that a body may hang on to turn by itself: a ball joint to the ground. at is nil
// where it is free; ok tells that it hangs on no other.
func (s *sceneFile) pivot(name string) (at *mgl64.Vec3, ok bool) {
	for i := range s.Joints {
		j := &s.Joints[i]
		if j.A != name && j.B != name {
			continue
		}
		if at != nil || j.Kind != BallJoint || j.B != "" {
			return nil, false
		}
		at = &j.At
	}
	return at, true
}

func (b *bodySpec) count() int { return b.Repeat[0] * b.Repeat[1] * b.Repeat[2] }

// each calls f for each body of a block with its name, where it stands from the first one, and how far it is turned
// about y, rad.
func (b *bodySpec) each(f func(name string, offset mgl64.Vec3, turn float64)) {
	i := 0
	for z := range b.Repeat[2] {
		for y := range b.Repeat[1] {
			at, turn, n := mgl64.Vec3{0, float64(y) * b.Apart[1], float64(z) * b.Apart[2]}, 0.0, b.Repeat[0]
			if b.Bond && y%2 == 1 {
				at[0], n = b.Apart[0]/2, n-1
			}
			for range n {
				i++
				name := b.Name
				if b.count() > 1 {
					name += " " + strconv.Itoa(i)
				}
				f(name, at, turn)
				// The way to the next one lies between the two headings.
				sin, cos := math.Sincos(turn + b.Bend/2)
				at = at.Add(mgl64.Vec3{cos * b.Apart[0], 0, -sin * b.Apart[0]})
				turn += b.Bend
			}
		}
	}
}

// keys are the fields of the scene and of its bodies. A body's start with its name.
func (s *sceneFile) keys() []setting.Field[sceneFile] {
	all := slices.Clone(fields)
	for i := range s.Bodies {
		own := setting.Lift(bodyFields, func(s *sceneFile) *bodySpec {
			s.Bodies = slices.Clone(s.Bodies) // which a copy of the scene shares
			return &s.Bodies[i]
		})
		for k := range own {
			own[k].Name = s.Bodies[i].Name + "." + own[k].Name
		}
		all = append(all, own...)
	}
	return all
}

// Set changes one value.
func (s *sceneFile) Set(assignment string) error {
	return setting.AssignTo(s, s.keys(), assignment, (*sceneFile).check)
}

// Echo tells the unit of an assignment that names none.
func (s *sceneFile) Echo(assignment string) string {
	return setting.EchoOf(s.keys(), s.Units, assignment)
}

// Open makes the world.
func (s *sceneFile) Open(ctx context.Context, o physics.Options) (physics.World, []string, error) {
	l := &live{scene: *s, now: *s, dump: o.Dump}
	if o.Progress != nil {
		o.Progress(0, "Modes of vibration")
	}
	if err := l.prepare(ctx); err != nil {
		return nil, nil, err
	}
	// Two at most: the window and the hand want processors, too.
	l.team = team.New(min(2, runtime.GOMAXPROCS(0), 1+len(l.parts)/50))
	if err := l.build(nil); err != nil {
		return nil, nil, errors.Join(err, l.Close())
	}
	l.describe()
	if v := l.world.vibrations; o.Speaker != nil && len(v) > 0 {
		l.speaker = o.Speaker(v[0].rate(l.now.Step))
	}
	return l, nil, nil
}

// palette are the colours of bodies that have none, light and dark apart for every kind of colour vision.
var palette = []mgl64.Vec3{
	{0.26, 0.52, 0.78}, {0.90, 0.58, 0.20}, {0.36, 0.66, 0.45}, {0.80, 0.36, 0.36}, {0.58, 0.46, 0.76}, {0.86, 0.76, 0.36}, {0.36, 0.70, 0.76},
}
