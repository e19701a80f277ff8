package setting

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/frame"
	"hapco/physics/numerics/num"
)

// Setting is what every kind of scene file says: what it is called, how the stylus is coupled to it, where the camera
// stands, and along which paths the stylus can be driven. It is plain data in SI units.
type Setting struct {
	Name  string   // an embedded scene's name, or the file it was read from
	Title string   // shown in menus
	About string   // one sentence on what to look for
	Tags  []string // words by which the gallery finds it, too
	Group string   // heading in the gallery, such as "ice"
	Kind  string   // kind of world; tissue where the file names none

	Controls []string // live parameters that the panel shows first, by key
	Question Question
	Changes  []string // KEY=VALUE, made once the file is read: a saved scene is another with these
	Units    Units    // of the file; only text in and out uses them
	Device   Device
	Camera   Camera
	Paths    []Path // by name, ascending
}

// Common is the part that every scene file has, of those that hold it.
func (s *Setting) Common() *Setting { return s }

// Default is a setting before its keys are read.
func Default() Setting {
	return Setting{
		Kind:  DefaultKind,
		Units: Units{Length: "m", Pressure: "Pa"},
		Device: Device{
			Scale:      1,
			Workspace:  mgl64.Vec3{0.16, 0.12, 0.12}, // that of a Phantom Omni, m
			MaxForce:   3.3,                          // of the same, N (4.4.3)
			Reducer:    1,
			ForceScale: 1,
			Stiffness:  200,
			Coupling:   couplingWords[0],
			Passivity:  true,
		},
		Camera: Camera{
			Eye:         mgl64.Vec3{0.15, 0.15, 0.3},
			Up:          mgl64.Vec3{0, 1, 0},
			FieldOfView: 40 * math.Pi / 180,
		},
	}
}

// DefaultKind is the kind of a scene file that names none.
const DefaultKind = "tissue"

// Check is what is wrong with a setting, or nil.
func (s *Setting) Check() *Error {
	return cmp.Or(s.checkDevice(), s.checkCamera(), s.checkPaths(), s.checkQuestion())
}

// Device says how the stylus is coupled to the scene.
type Device struct {
	Scale      float64    // scene metres per metre of the device, -
	Workspace  mgl64.Vec3 // size of the box that the stylus may reach, about the driven body's start, m
	MaxForce   float64    // largest force sent to the device, N
	Reducer    float64    // factor on the force sent to the device, 0..1
	ForceScale float64    // newtons in the hand for one of the scene
	Stiffness  float64    // of the spring between hand and tool, N/m

	// Between device and stylus, for devices with motors (section 4.5). A zero leaves the gain to the device's limits
	// and the rate.
	Coupling          string  // "virtual": a spring and damper; "direct": none
	CouplingStiffness float64 // N/m
	CouplingDamping   float64 // N s/m
	Passivity         bool    // time-domain passivity controller
	DeadMan           int     // button that must be held for force, from 1; 0: none
}

// Question is what the window asks while the scene is felt. It notes each answer.
type Question struct {
	Ask     string   // such as "Which block is stiffer?"; "": nothing is asked
	Answers []string // to choose from
	Right   string   // the right one; with Keys it is another each time
	// Keys are live parameters, one for each answer. Before each question one of them, drawn by lot, becomes Ratio
	// times as large as the scene has it; that answer is right. The ratio approaches 1 after two right answers and
	// moves away after a wrong one.
	Keys  []string
	Ratio float64
}

// Camera is the first view.
type Camera struct {
	Eye, Target mgl64.Vec3 // world, m
	Up          mgl64.Vec3 // unit
	FieldOfView float64    // vertical, rad
}

// Path is a scripted motion of the stylus.
type Path struct {
	Name  string
	Moves []Move // one after the other, from the driven body's start
}

// Move is a straight run of equal steps.
type Move struct {
	Direction mgl64.Vec3 // unit, world
	Steps     int
	Step      float64 // m
}

// Units are the units that a file's numbers are written in.
type Units struct {
	Length   string // "m", "cm", "mm"
	Pressure string // "Pa", "kPa", "MPa", "GPa"
}

// Path returns the path with this name, or nil.
func (s *Setting) Path(name string) *Path {
	for i := range s.Paths {
		if s.Paths[i].Name == name {
			return &s.Paths[i]
		}
	}
	return nil
}

// ChoosePath returns the path with this name. Where the name is "" it is the usual one, or the scene's first where that
// has none of that name.
func (s *Setting) ChoosePath(name, usual string) (*Path, error) {
	if len(s.Paths) == 0 {
		return nil, fmt.Errorf("scene %s has no path (cure: add one to its file: [[path.%s]])", s.Name, usual)
	}
	if p := s.Path(cmp.Or(name, usual)); p != nil {
		return p, nil
	}
	if name == "" {
		return &s.Paths[0], nil
	}
	var names []string
	for _, p := range s.Paths {
		names = append(names, p.Name)
	}
	return nil, fmt.Errorf("scene %s has no path %q (cure: one of %s)", s.Name, name, strings.Join(names, ", "))
}

// Offsets returns the displacement of the stylus from its start after each step, m. Steps are multiples, not sums of
// sums, so that the tenth of ten 1 mm steps is 10 mm to the last bit.
func (p *Path) Offsets() []mgl64.Vec3 {
	var out []mgl64.Vec3
	var start mgl64.Vec3
	for _, m := range p.Moves {
		for i := 1; i <= m.Steps; i++ {
			out = append(out, start.Add(m.Direction.Mul(float64(i)*m.Step)))
		}
		start = start.Add(m.Direction.Mul(float64(m.Steps) * m.Step))
	}
	return out
}

// Way is a path as a line of corners, to be walked evenly.
type Way struct {
	corners []mgl64.Vec3 // from the start, m
	lengths []float64    // from the start to each corner, m
}

// Way is the path's line.
func (p *Path) Way() Way {
	w := Way{corners: []mgl64.Vec3{{}}, lengths: []float64{0}}
	total := 0.0
	for _, m := range p.Moves {
		d := m.Direction.Mul(float64(m.Steps) * m.Step)
		total += d.Len()
		w.corners = append(w.corners, w.corners[len(w.corners)-1].Add(d))
		w.lengths = append(w.lengths, total)
	}
	return w
}

// At is how far from the start one is after a share of the way, 0 to 1, m.
func (w *Way) At(share float64) mgl64.Vec3 {
	last := len(w.corners) - 1
	if last < 0 {
		return mgl64.Vec3{}
	}
	at := w.lengths[last] * min(1, max(0, share))
	for i := 1; i <= last; i++ {
		if at <= w.lengths[i] && w.lengths[i] > w.lengths[i-1] {
			s := (at - w.lengths[i-1]) / (w.lengths[i] - w.lengths[i-1])
			return w.corners[i-1].Mul(1 - s).Add(w.corners[i].Mul(s))
		}
	}
	return w.corners[last]
}

var couplingWords = []string{"virtual", "direct"}

// HeadFields and TailFields are the keys of every scene file, those that the documentation shows first and last.
var HeadFields = []Field[Setting]{
	Text("kind", "kind of world: what the file describes", func(s *Setting) *string { return &s.Kind }),
	Text("title", "shown in menus", func(s *Setting) *string { return &s.Title }),
	Text("about", "one sentence on what to look for", func(s *Setting) *string { return &s.About }),
	Text("group", "heading under which the gallery shows it", func(s *Setting) *string { return &s.Group }),
	texts("tags", "words by which the gallery finds it, besides those above", func(s *Setting) *[]string { return &s.Tags }),
	texts("changes", "changes of the file's own values, KEY=VALUE as for --set: what was saved from the window", func(s *Setting) *[]string { return &s.Changes }),
	texts("controls", "live parameters that the panel shows first, by key", func(s *Setting) *[]string { return &s.Controls }),
	LengthUnit("units.length", "of every length in the file: m, cm, mm, um, in", func(s *Setting) *string { return &s.Units.Length }),
	Typed("units.pressure", Pure, "of every E in the file: Pa, kPa, MPa, GPa", unitOf("pressure", "Pa, kPa, MPa or GPa", func(unit string) bool { return Pressures[unit] > 0 }),
		func(s *Setting) *string { return &s.Units.Pressure }),
}

var TailFields = []Field[Setting]{
	Number("device.scale", Pure, "motion in the scene per motion of the device", func(s *Setting) *float64 { return &s.Device.Scale }),
	Vector("device.workspace", Length, "size of the box that the stylus may reach, about its start", func(s *Setting) *mgl64.Vec3 { return &s.Device.Workspace }),
	Number("device.max_force", Force, "largest force sent to the device", func(s *Setting) *float64 { return &s.Device.MaxForce }),
	Number("device.reducer", Pure, "factor on the force sent to the device, 0 to 1", func(s *Setting) *float64 { return &s.Device.Reducer }),
	Number("hand.force_scale", Pure, "newtons that the hand feels for one of the scene: where a firm gesture gives less than a hand can tell, or more than it bears", func(s *Setting) *float64 { return &s.Device.ForceScale }),
	Number("device.stiffness", Stiffness, "of the spring between hand and tool", func(s *Setting) *float64 { return &s.Device.Stiffness }),
	Word("device.coupling", "between a device with motors and the stylus", couplingWords, couplingWords, func(s *Setting) *string { return &s.Device.Coupling }),
	Number("device.coupling_stiffness", Stiffness, "of the virtual coupling; 0: half of what is stable", func(s *Setting) *float64 { return &s.Device.CouplingStiffness }),
	Number("device.coupling_damping", Damping, "of the virtual coupling; 0: by the device", func(s *Setting) *float64 { return &s.Device.CouplingDamping }),
	Switch("device.passivity", "takes out the energy that the loop would generate", func(s *Setting) *bool { return &s.Device.Passivity }),
	Integer("device.dead_man", "button that must be held for force, from 1; 0: none", func(s *Setting) *int { return &s.Device.DeadMan }),

	Vector("camera.eye", Length, "where the camera stands", func(s *Setting) *mgl64.Vec3 { return &s.Camera.Eye }),
	Vector("camera.target", Length, "what it looks at", func(s *Setting) *mgl64.Vec3 { return &s.Camera.Target }),
	Direction("camera.up", "upwards in the picture", func(s *Setting) *mgl64.Vec3 { return &s.Camera.Up }),
	Number("camera.fov", Angle, "vertical angle of view", func(s *Setting) *float64 { return &s.Camera.FieldOfView }),

	Text("question.ask", "what the window asks while the scene is felt; each answer is noted", func(s *Setting) *string { return &s.Question.Ask }),
	texts("question.answers", "answers to choose from", func(s *Setting) *[]string { return &s.Question.Answers }),
	Text("question.right", "the right answer, where it is always the same", func(s *Setting) *string { return &s.Question.Right }),
	texts("question.keys", "live parameters, one for each answer: one of them, drawn by lot, is made question.ratio times as large", func(s *Setting) *[]string { return &s.Question.Keys }),
	Number("question.ratio", Pure, "of the first question; it approaches 1 with right answers", func(s *Setting) *float64 { return &s.Question.Ratio }),
}

var moveFields = []Field[Move]{
	Direction("direction", "of the move", func(m *Move) *mgl64.Vec3 { return &m.Direction }),
	Integer("steps", "how many", func(m *Move) *int { return &m.Steps }),
	Number("step", Length, "length of one", func(m *Move) *float64 { return &m.Step }),
}

func (s *Setting) checkDevice() *Error {
	d := &s.Device
	return First(
		Need(Positive(d.Scale), "device.scale", d.Scale, "above 0"),
		Need(Positive(d.Workspace[:]...), "device.workspace", d.Workspace, "three lengths above 0"),
		Need(Positive(d.MaxForce), "device.max_force", d.MaxForce, "above 0 N"),
		Need(d.Reducer >= 0 && d.Reducer <= 1, "device.reducer", d.Reducer, "from 0 to 1"),
		Need(d.ForceScale >= 1e-9 && d.ForceScale <= 1e9, "hand.force_scale", d.ForceScale, "from 1e-9 to 1e9"),
		Need(Positive(d.Stiffness), "device.stiffness", d.Stiffness, "above 0 N/m"),
		Need(slices.Contains(couplingWords, d.Coupling), "device.coupling", d.Coupling, strings.Join(couplingWords, " or ")),
		Need(d.CouplingStiffness >= 0 && d.CouplingStiffness <= 1e7, "device.coupling_stiffness", d.CouplingStiffness, "from 0 to 1e7 N/m"),
		Need(d.CouplingDamping >= 0 && d.CouplingDamping <= 1e4, "device.coupling_damping", d.CouplingDamping, "from 0 to 1e4 N s/m"),
		Need(d.DeadMan >= 0 && d.DeadMan <= 4, "device.dead_man", d.DeadMan, "a button from 1 to 4, or 0 for none"),
	)
}

func (s *Setting) checkCamera() *Error {
	c := &s.Camera
	degrees := c.FieldOfView * 180 / math.Pi
	view := c.Target.Sub(c.Eye)
	return First(
		Need(num.FiniteVec(c.Eye), "camera.eye", c.Eye, "three finite lengths"),
		Need(num.FiniteVec(c.Target), "camera.target", c.Target, "three finite lengths"),
		Need(math.Abs(c.Up.Len()-1) < 1e-9, "camera.up", c.Up, "a direction"),
		Need(degrees >= 1 && degrees <= 170, "camera.fov", degrees, "from 1 to 170 degrees"),
		Unless(view.Len() > 0, "camera.eye", "move the eye or the target", "the camera stands in what it looks at"),
		Unless(view.Normalize().Cross(c.Up).Len() > 1e-6, "camera.up", "turn up away from the line of sight", "the camera looks along its own up"),
	)
}

func (s *Setting) checkQuestion() *Error {
	q := &s.Question
	if q.Ask == "" {
		return First(
			Need(len(q.Answers) == 0, "question.answers", q.Answers, `[question] with ask = "..."`),
			Need(len(q.Keys) == 0, "question.keys", q.Keys, `[question] with ask = "..."`),
		)
	}
	return First(
		Need(len(q.Answers) >= 2 && len(q.Answers) <= 9, "question.answers", q.Answers, "two to nine answers"),
		Need(len(q.Keys) > 0 || slices.Contains(q.Answers, q.Right), "question.right", q.Right, "one of question.answers, or question.keys"),
		Need(len(q.Keys) == 0 || len(q.Keys) == len(q.Answers), "question.keys", q.Keys, "one for each of question.answers"),
		Need(len(q.Keys) == 0 || q.Ratio > 1 && q.Ratio <= 100, "question.ratio", q.Ratio, "above 1, at most 100"),
	)
}

func (s *Setting) checkPaths() *Error {
	for i := range s.Paths {
		p := &s.Paths[i]
		base := Join("path", p.Name)
		if len(p.Moves) == 0 {
			return Fault(base, "add [["+base+"]] with direction, steps and step", "the path %q has no move", p.Name)
		}
		total, length := 0, 0.0
		for j, m := range p.Moves {
			length += float64(m.Steps) * m.Step
			key := Join(base, strconv.Itoa(j))
			if err := First(
				Need(math.Abs(m.Direction.Len()-1) < 1e-9, Join(key, "direction"), m.Direction, "a direction"),
				Need(m.Steps >= 1 && m.Steps <= maxPathSteps, Join(key, "steps"), m.Steps, "at least 1, at most ten million"),
				Need(Positive(m.Step) && length <= frame.Farthest, Join(key, "step"), m.Step, fmt.Sprintf("above 0, the path at most %g m long; this is in m", frame.Farthest)),
			); err != nil {
				return err
			}
			if total += m.Steps; total > maxPathSteps {
				return Fault(Join(key, "steps"), "at most ten million", "the path %q has too many steps", p.Name)
			}
		}
	}
	return nil
}

func (s *Setting) readPaths(r *Reader, tree map[string]any) {
	for _, name := range r.Keys(tree, "path") {
		p := Path{Name: name}
		base := Join("path", name)
		for i, t := range r.Tables(tree["path"].(map[string]any), name, "[[path."+name+"]]") {
			var m Move
			path := Join(base, strconv.Itoa(i))
			Fill(r, &m, moveFields, t, path, s, nil)
			r.Require(t, path, "direction", "steps", "step")
			p.Moves = append(p.Moves, m)
		}
		s.Paths = append(s.Paths, p)
	}
}

const maxPathSteps = 10_000_000 // more is a slip of the keyboard
