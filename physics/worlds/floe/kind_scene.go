package floe

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/files/setting"
	"hapco/physics/machinery/budget"
	"hapco/physics/numerics/num"
)

// SceneFile is the scene file of a world of floes. The sea lies as a model on the table: camera, device and paths are
// in metres of the table, everything else is at sea.
type SceneFile struct {
	setting.Setting
	Scale   float64 // metres at sea in a metre on the table
	Pace    float64 // seconds at sea in a second
	Lo, Hi  Vec2    // corners of the water that is shown, m
	Wind    Blow
	Current Blow

	Coriolis    float64 // 1/s
	Friction    float64
	Restitution float64
	Law         string
	Repairs     Repairs
	Breaks      bool
	Fracture    Fracture
	Collision   float64 // m
	Window      float64 // s
	MaxStep     float64 // s

	Field Field
	Tool  ToolFile
	View  ViewFile

	Floes []FloeFile
	Banks []BankFile
}

// Blow is a wind or a current. It may turn to and fro.
type Blow struct {
	Speed     float64 // m/s
	Direction float64 // that it goes to, rad from +x
	Gust      float64 // largest speed across that, m/s
	Period    float64 // of the gusts, s
}

func (b *Blow) flow(density, drag float64) Flow {
	sin, cos := math.Sincos(b.Direction)
	f := Flow{Density: density, Drag: drag, Velocity: Vec2{cos, sin}.Mul(b.Speed), Swing: Vec2{-sin, cos}.Mul(b.Gust)}
	if b.Period > 0 {
		f.Rate = 2 * math.Pi / b.Period
	}
	return f
}

// ToolFile is what the hand holds.
type ToolFile struct {
	Shape     string // "disc" or "ship"
	Length    float64
	Width     float64 // of a ship; a disc is as wide as long, m
	Position  Vec2    // m
	Mass      float64 // kg
	Stiffness float64 // of the spring that pulls it after the hand, N/m
	Hand      float64 // stiffness that the hand feels of that spring, N/m
	Speed     float64 // at which it is pulled at most, m/s
	Lift      float64 // height of the stylus from which on it is off the water, m of the scene
	Color     mgl64.Vec3
}

// ViewFile is how the ice is shown.
type ViewFile struct {
	Relief   float64 // heights are this many times those of the model
	Color    string
	Impulses bool
	Cracks   bool
}

// The words of view.color.
const (
	byThickness = "ice"
	bySpeed     = "speed"
	byLoad      = "load"
)

// FloeFile is a [[floe]]: one floe, or some in a row.
type FloeFile struct {
	Floe
	Radius  float64
	Size    Vec2
	File    string // GeoJSON
	Copies  int
	Spacing Vec2
}

// BankFile is a [[bank]]: four walls round a rectangle.
type BankFile struct {
	Lo, Hi    Vec2
	Thickness float64
}

func common(s *SceneFile) *setting.Setting { return &s.Setting }

// pairOf is two numbers with a unit.
func pairOf[T any](name string, unit setting.Quantity, help string, at func(*T) *Vec2) setting.Field[T] {
	return setting.Custom(name, unit, help+", [x, y]", func(t *T, v any, u setting.Units) (err *setting.Error) {
		*at(t), err = readPair(v, unit, u)
		return err
	})
}

func readPair(v any, unit setting.Quantity, u setting.Units) (x Vec2, err *setting.Error) {
	l, err := setting.ReadList(v, 2, "two numbers, [x, y]")
	if err != nil {
		return x, err
	}
	for k := range x {
		if x[k], err = setting.ReadNumber(l[k]); err != nil {
			return x, err
		}
		x[k] = setting.Times(x[k], u.ToSI(unit))
	}
	if !num.AllFinite(x[0], x[1]) {
		return x, setting.Fault("", "give two finite numbers", "a number of %v is infinite", l)
	}
	return x, nil
}

var lawWords, laws = []string{LawLCP, LawSweeps, "cone"}, []string{LawLCP, LawSweeps, "nsgs"}

func blow(name, what string, at func(*SceneFile) *Blow, most float64) []setting.Field[SceneFile] {
	return []setting.Field[SceneFile]{
		setting.Number(name+".speed", setting.Speed, "of the "+what, func(s *SceneFile) *float64 { return &at(s).Speed }).Lives(setting.Live{
			Label: physics.Label(what), Range: setting.Range{Max: most, Step: most / 100, Ceil: 10 * most}}),
		setting.Number(name+".direction", setting.Angle, "that the "+what+" goes to, from +x to the left", func(s *SceneFile) *float64 { return &at(s).Direction }).Lives(setting.Live{
			Label: physics.Label(what) + " to", Range: setting.Range{Min: -math.Pi, Max: math.Pi, Step: math.Pi / 36}}),
		setting.Number(name+".gust", setting.Speed, "largest speed across that direction: the "+what+" turns to and fro", func(s *SceneFile) *float64 { return &at(s).Gust }),
		setting.Number(name+".period", setting.Seconds, "of turning to and fro", func(s *SceneFile) *float64 { return &at(s).Period }),
	}
}

var ownFields = slices.Concat([]setting.Field[SceneFile]{
	setting.Number("scale", setting.Pure, "metres at sea in a metre of the scene", func(s *SceneFile) *float64 { return &s.Scale }),
	setting.Number("pace", setting.Pure, "seconds at sea in a second", func(s *SceneFile) *float64 { return &s.Pace }).Lives(setting.Live{
		About: "Seconds at sea in one of yours. Where the machine cannot keep up, the sea goes slower.",
		Range: setting.Range{Min: 0.1, Max: 20, Log: true, Ceil: 100}}),
	pairOf("sea.low", setting.Length, "corner of the water that is shown", func(s *SceneFile) *Vec2 { return &s.Lo }),
	pairOf("sea.high", setting.Length, "the opposite corner", func(s *SceneFile) *Vec2 { return &s.Hi }),
},
	blow("wind", "wind", func(s *SceneFile) *Blow { return &s.Wind }, 40),
	blow("current", "current", func(s *SceneFile) *Blow { return &s.Current }, 2),
	[]setting.Field[SceneFile]{
		setting.Number("coriolis", setting.PerSecond, "Coriolis parameter", func(s *SceneFile) *float64 { return &s.Coriolis }).Lives(setting.Live{
			Label: "Coriolis", Symbol: "f", About: "Coriolis parameter, 1/s: 1.4e-4 near the North Pole. Above 0 it turns what drifts to the right.",
			Range: setting.Range{Min: -0.05, Max: 0.05, Step: 1e-4, Floor: -1, Ceil: 1}}),
		setting.Number("friction", setting.Pure, "Coulomb's coefficient between floes", func(s *SceneFile) *float64 { return &s.Friction }).Lives(setting.Live{
			Symbol: "μ", About: "Between floes: what lets ice jam and arch.", Range: setting.Range{Max: 1.5, Step: 0.01, Ceil: 10}}),
		setting.Number("restitution", setting.Pure, "share of the speed of approach that a collision gives back", func(s *SceneFile) *float64 { return &s.Restitution }).Lives(setting.Live{
			Symbol: "ε", About: "Share of the speed of approach that a collision gives back: 1 bounces, 0 does not.", Range: setting.Range{Max: 1, Step: 0.01}}),
		setting.Word("law", "how contacts are solved", lawWords, laws, func(s *SceneFile) *string { return &s.Law }).Lives(setting.Live{Label: "Contact law",
			About: "lcp: the linear complementarity problem by Lemke's pivots; sweeps: Gauss-Seidel over the contacts; cone: Coulomb's exact cone, by a contact solver. In the plane all have the same solutions."}),
		setting.Switch("repairs.forces_first", "forces act before the collision: restitution does not multiply them", func(s *SceneFile) *bool { return &s.Repairs.ForcesFirst }).Lives(setting.Live{Label: "Forces before impact"}),
		setting.Switch("repairs.close_again", "contacts that the first impact closed may have one more", func(s *SceneFile) *bool { return &s.Repairs.CloseAgain }).Lives(setting.Live{Label: "Second impact"}),
		setting.Switch("repairs.rest", "slow contacts do not bounce: floes come to rest", func(s *SceneFile) *bool { return &s.Repairs.Rest }).Lives(setting.Live{Label: "Resting contacts"}),
		setting.Switch("repairs.sequential", "a shock runs through floes that touch, pair by pair", func(s *SceneFile) *bool { return &s.Repairs.Sequential }).Lives(setting.Live{Label: "Sequential impacts"}),
		setting.Switch("fracture.on", "floes break", func(s *SceneFile) *bool { return &s.Breaks }).Lives(setting.Live{Label: "Floes break"}),
		setting.Number("fracture.strength", setting.Pressure, "tension at which ice breaks", func(s *SceneFile) *float64 { return &s.Fracture.Strength }).Lives(setting.Live{Label: "Tensile strength",
			About: "Tension at which ice breaks.", Range: setting.Range{Min: 1e4, Max: 1e7, Log: true, Ceil: 1e12}}),
		setting.Number("fracture.duration", setting.Seconds, "of an impact: its impulse over this is the force", func(s *SceneFile) *float64 { return &s.Fracture.Duration }).Lives(setting.Live{Label: "Impact duration",
			About: "Duration of an impact: its impulse over this is the force that loads the floe.", Range: setting.Range{Min: 1e-3, Max: 1, Log: true, Ceil: 100}}),
		setting.Number("fracture.young", setting.Pressure, "Young's modulus of ice", func(s *SceneFile) *float64 { return &s.Fracture.Young }),
		setting.Number("fracture.poisson", setting.Pure, "Poisson's ratio of ice", func(s *SceneFile) *float64 { return &s.Fracture.Poisson }),
		setting.Number("fracture.smallest", setting.Area, "area of a fragment at least", func(s *SceneFile) *float64 { return &s.Fracture.Smallest }),
		setting.Integer("fracture.triangles", "of the mesh on which a floe's stresses are computed, about", func(s *SceneFile) *int { return &s.Fracture.Triangles }),
		setting.Number("collision", setting.Length, "distance at which floes touch; 0: 1e-4 of the median radius", func(s *SceneFile) *float64 { return &s.Collision }),
		setting.Number("window", setting.Seconds, "length of a step; 0: from event to event", func(s *SceneFile) *float64 { return &s.Window }),
		setting.Number("max_step", setting.Seconds, "longest step from event to event; 0: as long as forces allow", func(s *SceneFile) *float64 { return &s.MaxStep }),

		setting.Integer("field.number", "of floes in a random field; 0: none", func(s *SceneFile) *int { return &s.Field.Floes }),
		pairOf("field.low", setting.Length, "corner of the field", func(s *SceneFile) *Vec2 { return &s.Field.Lo }),
		pairOf("field.high", setting.Length, "the opposite corner", func(s *SceneFile) *Vec2 { return &s.Field.Hi }),
		setting.Number("field.cover", setting.Pure, "share of the field that floes cover, to 0.98", func(s *SceneFile) *float64 { return &s.Field.Cover }),
		setting.Number("field.exponent", setting.Pure, "the number of floes of a radius above r falls like r to minus this; 0: all alike", func(s *SceneFile) *float64 { return &s.Field.Exponent }),
		setting.Number("field.spread", setting.Pure, "largest radius over the smallest", func(s *SceneFile) *float64 { return &s.Field.Spread }),
		setting.Number("field.thin", setting.Length, "least thickness", func(s *SceneFile) *float64 { return &s.Field.Thick[0] }),
		setting.Number("field.thick", setting.Length, "largest thickness", func(s *SceneFile) *float64 { return &s.Field.Thick[1] }),
		setting.Number("field.density", setting.Density, "of ice", func(s *SceneFile) *float64 { return &s.Field.Density }),
		setting.Custom("field.seed", setting.Pure, "of the random numbers: the same one gives the same floes", func(s *SceneFile, v any, _ setting.Units) *setting.Error {
			n, err := setting.ReadInteger(v)
			s.Field.Seed = uint64(n)
			return err
		}),

		setting.Word("tool.shape", "what the hand holds", []string{"disc", "ship"}, []string{"disc", "ship"}, func(s *SceneFile) *string { return &s.Tool.Shape }),
		setting.Number("tool.length", setting.Length, "of the ship, or across the disc", func(s *SceneFile) *float64 { return &s.Tool.Length }),
		setting.Number("tool.width", setting.Length, "of the ship", func(s *SceneFile) *float64 { return &s.Tool.Width }),
		pairOf("tool.position", setting.Length, "of its middle at the start", func(s *SceneFile) *Vec2 { return &s.Tool.Position }),
		setting.Number("tool.mass", setting.Mass, "of the tool", func(s *SceneFile) *float64 { return &s.Tool.Mass }),
		setting.Number("tool.stiffness", setting.Stiffness, "of the spring that pulls the tool after the hand, at sea", func(s *SceneFile) *float64 { return &s.Tool.Stiffness }),
		setting.Number("tool.hand", setting.Stiffness, "what the hand feels that spring as", func(s *SceneFile) *float64 { return &s.Tool.Hand }).Lives(setting.Live{Label: "Stiffness in the hand",
			About: "Stiffness of the spring between hand and tool as the hand feels it. It sets how many newtons of ice are one newton in the hand.",
			Range: setting.Range{Min: 5, Max: 2000, Log: true, Ceil: 1e4}}),
		setting.Number("tool.speed", setting.Speed, "at which the tool is pulled at most", func(s *SceneFile) *float64 { return &s.Tool.Speed }).Lives(setting.Live{Label: "Tool speed limit",
			About: "The tool is pulled through the water no faster than this, however fast the hand is.", Range: setting.Range{Min: 0.1, Max: 50, Log: true, Ceil: 1000}}),
		setting.Number("tool.lift", setting.Pure, "height of the stylus from which on the tool is off the water, m of the scene", func(s *SceneFile) *float64 { return &s.Tool.Lift }).Lives(setting.Live{Label: "Lift height",
			About: "Height of the stylus, in metres of the scene, from which on the tool is off the water and touches nothing. Over floes it stays up: they bear it.",
			Range: setting.Range{Min: 0.005, Max: 0.1, Step: 0.005, Ceil: 10}}),
		setting.Color("tool.color", "of the tool", func(s *SceneFile) *mgl64.Vec3 { return &s.Tool.Color }),

		setting.Number("view.relief", setting.Pure, "heights are shown this many times larger", func(s *SceneFile) *float64 { return &s.View.Relief }).Lives(setting.Live{Label: "Relief",
			About: "Ice is thin: its thickness is shown this many times larger.", Range: setting.Range{Min: 0.5, Max: 20, Log: true, Ceil: 100}}),
		setting.Word("view.color", "what colours mean", colorWords, colorWords, func(s *SceneFile) *string { return &s.View.Color }).Lives(setting.Live{Label: "Colours",
			About: "ice: the thicker, the whiter. speed: from blue, at rest, to yellow, the mostBlow. load: the sum of the impulses on a floe."}),
		setting.Switch("view.impulses", "arrows of impulse at contacts", func(s *SceneFile) *bool { return &s.View.Impulses }).Lives(setting.Live{Label: "Impulses"}),
		setting.Switch("view.cracks", "gaps along edges that a crack made", func(s *SceneFile) *bool { return &s.View.Cracks }).Lives(setting.Live{Label: "Cracks"}),
	})

var colorWords = []string{byThickness, bySpeed, byLoad}

var fields = slices.Concat(setting.Lift(setting.HeadFields, common), ownFields, setting.Lift(setting.TailFields, common))

var floeFields = []setting.Field[FloeFile]{
	setting.Custom("outline", setting.Length, "corners, [[x, y], ...]", func(f *FloeFile, v any, u setting.Units) *setting.Error {
		l, err := setting.ReadList(v, -1, "corners, [[x, y], ...]")
		if err != nil {
			return err
		}
		for _, e := range l {
			p, err := readPair(e, setting.Length, u)
			if err != nil {
				return err
			}
			f.Outline = append(f.Outline, p)
		}
		return nil
	}),
	setting.Number("radius", setting.Length, "of a round floe", func(f *FloeFile) *float64 { return &f.Radius }),
	pairOf("size", setting.Length, "of a rectangle", func(f *FloeFile) *Vec2 { return &f.Size }),
	setting.Text("file", "GeoJSON file whose polygons are floes", func(f *FloeFile) *string { return &f.File }),
	pairOf("position", setting.Length, "of the centroid; of an outline, what is added to its corners", func(f *FloeFile) *Vec2 { return &f.Position }),
	setting.Number("angle", setting.Angle, "that it is turned by to the left", func(f *FloeFile) *float64 { return &f.Angle }),
	pairOf("velocity", setting.Speed, "at the start", func(f *FloeFile) *Vec2 { return &f.Velocity }),
	setting.Number("rate", setting.PerSecond, "of rotation at the start", func(f *FloeFile) *float64 { return &f.Rate }),
	setting.Number("thickness", setting.Length, "of the ice", func(f *FloeFile) *float64 { return &f.Thickness }),
	setting.Number("density", setting.Density, "of the ice", func(f *FloeFile) *float64 { return &f.Density }),
	setting.Switch("fixed", "an obstacle that does not move", func(f *FloeFile) *bool { return &f.Fixed }),
	setting.Integer("copies", "how many there are, in a row", func(f *FloeFile) *int { return &f.Copies }),
	pairOf("spacing", setting.Length, "from one copy to the next", func(f *FloeFile) *Vec2 { return &f.Spacing }),
}

var bankFields = []setting.Field[BankFile]{
	pairOf("low", setting.Length, "corner of the water inside", func(b *BankFile) *Vec2 { return &b.Lo }),
	pairOf("high", setting.Length, "the opposite corner", func(b *BankFile) *Vec2 { return &b.Hi }),
	setting.Number("thickness", setting.Length, "of the walls", func(b *BankFile) *float64 { return &b.Thickness }),
}

// Read reads a scene file: it is the kind's opener.
func Read(name string, text []byte) (physics.Scene, error) {
	s := &SceneFile{
		Setting: setting.Default(), Scale: 500, Pace: 1, Lo: Vec2{-50, -30}, Hi: Vec2{50, 30}, Coriolis: 1.4e-4,
		Friction: 0.3, Restitution: 0.2, Law: LawLCP, Repairs: Recommended, Fracture: ice,
		Field: Field{Cover: 0.7, Exponent: 1.5, Spread: 3, Thick: [2]float64{0.5, 1}, Density: iceDensity, Seed: 1},
		Tool:  ToolFile{Shape: "disc", Length: 4, Width: 9, Mass: 2e4, Stiffness: 2e5, Hand: 200, Speed: 8, Lift: 0.03, Color: mgl64.Vec3{0.78, 0.22, 0.16}},
		View:  ViewFile{Relief: 2, Color: byThickness, Impulses: true, Cracks: true},
	}
	s.Fracture.Triangles, s.Fracture.Hurried = 150, 1 // a step that takes long is felt
	s.Units.Length = "m"
	err := setting.Read(name, text, s, fields, &s.Setting, []string{"floe", "bank"}, func(r *setting.Reader, tree map[string]any) {
		for i, t := range r.Tables(tree, "floe", "[[floe]]") {
			f := FloeFile{Floe: Floe{Thickness: 1, Density: iceDensity}, Copies: 1}
			path := setting.Join("floe", strconv.Itoa(i))
			setting.Fill(r, &f, floeFields, t, path, &s.Setting, nil)
			shapes := 0
			for _, key := range []string{"outline", "radius", "size", "file"} {
				if _, ok := t[key]; ok {
					shapes++
				}
			}
			if shapes != 1 {
				r.Fail(setting.Fault(path, "one of outline, radius, size and file", "a floe of %d shapes", shapes))
			}
			if f.Copies < 1 || f.Copies > maxFloes {
				r.Fail(setting.Fault(setting.Join(path, "copies"), "1 or more", "%d copies", f.Copies))
				continue
			}
			f.File = setting.Beside(name, f.File)
			s.Floes = append(s.Floes, f)
		}
		bank := func(int) BankFile { return BankFile{Thickness: 5} }
		s.Banks = setting.Rows(r, tree, "bank", bankFields, &s.Setting, bank, "low", "high")
	}, s.check)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// What a scene's step follows: faster, or quicker, and it would never come to an end.
const (
	mostBlow  = 1000.0 // m/s, of wind and current
	leastGust = 0.1    // s, of gusts
)

func (s *SceneFile) check() *setting.Error {
	above := func(key string, x float64) *setting.Error {
		return setting.Need(setting.Positive(x), key, x, "above 0")
	}
	blows := func(key string, b *Blow) *setting.Error {
		return setting.First(setting.Need(num.AllFinite(b.Direction), key+".direction", b.Direction, "finite numbers"),
			setting.Need(math.Abs(b.Speed) <= mostBlow, key+".speed", b.Speed, "at most 1000 m/s"),
			setting.Need(math.Abs(b.Gust) <= mostBlow, key+".gust", b.Gust, "at most 1000 m/s"),
			setting.Need(b.Period >= leastGust || b.Period == 0 && b.Gust == 0, key+".period", b.Period, "0.1 s or more where there are gusts"))
	}
	if err := setting.First(
		above("scale", s.Scale), above("pace", s.Pace),
		setting.Need(s.Hi[0] > s.Lo[0] && s.Hi[1] > s.Lo[1] && num.AllFinite(s.Lo[0], s.Lo[1], s.Hi[0], s.Hi[1]), "sea.high", s.Hi, "farther along x and y than sea.low"),
		blows("wind", &s.Wind), blows("current", &s.Current),
		setting.Need(s.Window == 0 || s.Window >= 1e-4 && s.Window <= 100, "window", s.Window, "from 0.1 ms to 100 s, or 0 for steps from event to event"),
		setting.Need(s.Field.Floes >= 0 && s.Field.Floes <= maxFloes, "field.number", s.Field.Floes, fmt.Sprintf("0 to %d", maxFloes)),
		above("tool.length", s.Tool.Length), above("tool.width", s.Tool.Width), above("tool.mass", s.Tool.Mass), above("tool.stiffness", s.Tool.Stiffness),
		above("tool.hand", s.Tool.Hand), above("tool.speed", s.Tool.Speed), above("tool.lift", s.Tool.Lift), above("view.relief", s.View.Relief),
		setting.Need(num.AllFinite(s.Tool.Position[0], s.Tool.Position[1]), "tool.position", s.Tool.Position, "finite numbers"),
		setting.Need(s.Fracture.Triangles >= 10 && s.Fracture.Triangles <= 20000, "fracture.triangles",
			s.Fracture.Triangles, "10 to 20000"),
	); err != nil {
		return err
	}
	c := s.laws()
	if err := c.check(); err != nil {
		return &setting.Error{What: err.Error()}
	}
	if err := s.Fracture.Check(); err != nil {
		return &setting.Error{Key: "fracture.strength", What: err.Error()}
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

// environment is what drives the floes.
func (s *SceneFile) environment() Environment {
	e := Sea(Vec2{}, Vec2{})
	return Environment{Air: s.Wind.flow(e.Air.Density, e.Air.Drag), Water: s.Current.flow(e.Water.Density, e.Water.Drag), Coriolis: s.Coriolis}
}

// laws is the configuration without floes.
func (s *SceneFile) laws() Config {
	return Config{Environment: s.environment(), Friction: s.Friction, Restitution: s.Restitution, Collision: s.Collision,
		Repairs: s.Repairs, Law: s.Law, Window: s.Window, MaxStep: s.MaxStep}
}

// outline is that of the tool.
func (t *ToolFile) outline() []Vec2 {
	if t.Shape == "ship" {
		return shipOutline(t.Length, t.Width)
	}
	return discOutline(t.Length / 2)
}

// Files are those that floes are loaded from.
func (s *SceneFile) Files() (files []string) {
	for i := range s.Floes {
		if f := s.Floes[i].File; f != "" {
			files = append(files, f)
		}
	}
	return files
}

// config is that of the world, with notes on what was mended.
func (s *SceneFile) config() (c Config, notes []string, err error) {
	c = s.laws()
	c.Tool = &Tool{Outline: s.Tool.outline(), Position: s.Tool.Position, Mass: s.Tool.Mass, Stiffness: s.Tool.Stiffness}
	if s.Breaks {
		f := s.Fracture
		c.Fracture = &f
	}
	for i := range s.Floes {
		f := &s.Floes[i]
		if f.File != "" {
			loaded, err := f.load()
			if err != nil {
				return c, nil, fmt.Errorf("floe %d: %w", i, err)
			}
			c.Floes, notes = append(c.Floes, loaded.Floes...), append(notes, loaded.Notes...)
			continue
		}
		one, at := f.Floe, f.Position
		switch {
		case f.Radius > 0:
			one.Outline = discOutline(f.Radius)
		case len(f.Outline) > 0: // about its centroid, which lies where the corners say
			g := SectionOf(f.Outline).Centroid
			one.Outline = slices.Clone(f.Outline)
			centre(one.Outline, g)
			at = at.Add(g)
		default:
			one.Outline = rectangle(f.Size.Mul(0.5))
		}
		for k := range f.Copies {
			one.Position = at.Add(f.Spacing.Mul(float64(k)))
			c.Floes = append(c.Floes, one)
		}
	}
	if s.Field.Floes > 0 {
		floes, err := s.Field.Make()
		if err != nil {
			return c, nil, err
		}
		c.Floes = append(c.Floes, floes...)
	}
	for i := range s.Banks {
		b := &s.Banks[i]
		c.Floes = append(c.Floes, Banks(b.Lo, b.Hi, b.Thickness, 0)...)
	}
	return c, notes, nil
}

// load reads the floes of a file.
func (f *FloeFile) load() (*Loaded, error) {
	data, err := budget.Case.Text(f.File)
	if err != nil {
		return nil, fmt.Errorf("%w (cure: a GeoJSON file that can be read)", err)
	}
	loaded, err := ReadGeoJSON(bytes.NewReader(data), GeoOptions{Thickness: f.Thickness, Density: f.Density})
	if err != nil {
		return nil, err
	}
	turn := rotation(f.Angle)
	for i := range loaded.Floes {
		l := &loaded.Floes[i]
		l.Position, l.Angle = f.Position.Add(turn.Mul2x1(l.Position)), l.Angle+f.Angle
	}
	return loaded, nil
}

// Open makes the world.
func (s *SceneFile) Open(ctx context.Context, _ physics.Options) (physics.World, []string, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	l := &live{scene: *s, now: *s}
	notes, err := l.open()
	if err != nil {
		return nil, nil, err
	}
	l.describe()
	return l, notes, nil
}
