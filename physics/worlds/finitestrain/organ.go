package finitestrain

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/mesh"
	"hapco/physics/files/scene"
	"hapco/physics/files/setting"
	"hapco/physics/numerics/fem/solid"
)

// Organ is one of the bodies: its shape and support as in tissue worlds, and its law. A
// rigid one stands still.
type Organ struct {
	Body     scene.Body
	Law      string  // a name of laws
	Material string  // a preset of package solid in the place of Law, or custom
	preset   float64 // E where that of the material is taken, Pa
	Element  string  // a word of elements
	Skin     skin
	Exponent float64 // of Ogden's law
	Ratio    float64 // c01/c10 of Mooney's and Rivlin's
	Fibre    fibres
	Prony    solid.Prony // G is nil where the file names none: that of the material
}

// fibres are those of a transversely isotropic body; see solid.Fibre.
type fibres struct {
	Direction mgl64.Vec3
	K1        float64 // Pa
	K2        float64
}

// skin is a membrane on the surface of a body: a capsule.
type skin struct{ Thickness, Young float64 } // m, Pa; 0: none

// law is that of an incompressible sheet.
func (s skin) law(young float64) solid.Membrane { return solid.Membrane{Mu: young / 3} }

// The first two laws have a fast form, the others are some ten times as slow.
var laws = []string{"corotational", "neo-hookean", "mooney-rivlin", "ogden", "saint-venant-kirchhoff", "fibres"}

const custom = "custom"

// elements are those of a body. All but the first have mean dilatation.
var elements = []string{"tet4", "tet10", "hex8"}

var elementTypes = map[string]mesh.ElementType{elements[0]: mesh.Tet4, elements[1]: mesh.Tet10, elements[2]: mesh.Hex8}

func materials() []string {
	names := []string{custom}
	for _, p := range solid.Presets() {
		names = append(names, p.Name)
	}
	return names
}

func defaultOrgan() Organ {
	o := Organ{Body: scene.DefaultBody(scene.Fixed), Law: laws[1], Material: custom, Element: elements[0], Exponent: -4, Ratio: 0.25, Fibre: fibres{Direction: mgl64.Vec3{1, 0, 0}, K2: 1}}
	o.Body.Clamp.Kind = scene.SelectDefault
	return o
}

// tables are those of a scene file that are not fields.
var tables = []string{"organ", "pair", "part"}

var organFields = []setting.Field[Organ]{
	setting.Word("law", "how the body resists", laws, laws, func(o *Organ) *string { return &o.Law }),
	setting.Word("material", "a tissue with published numbers: its law in the place of law, and its E where E is not given", materials(), materials(), func(o *Organ) *string { return &o.Material }),
	setting.Word("element", "tet4 is too stiff in bending and near nu = 0.5; tet10 has a node in the middle of each edge, too; hex8 takes a box or a mesh of hexahedra", elements, elements, func(o *Organ) *string { return &o.Element }),
	setting.Number("skin_thickness", setting.Length, "of a membrane on the surface: a capsule; 0: none", func(o *Organ) *float64 { return &o.Skin.Thickness }),
	setting.Number("skin_E", setting.Pressure, "Young's modulus of the membrane on the surface", func(o *Organ) *float64 { return &o.Skin.Young }).Lives(setting.Live{Label: "Skin's E",
		About: "Young's modulus of the membrane on the surface. What counts is this times its thickness.", Range: setting.Range{Min: 1e3, Max: 1e8, Log: true, Zero: true, ZeroWord: "none", Ceil: 1e12}}),
	setting.Number("exponent", setting.Pure, "alpha of the law ogden", func(o *Organ) *float64 { return &o.Exponent }),
	setting.Number("ratio", setting.Pure, "c01/c10 of the law mooney-rivlin", func(o *Organ) *float64 { return &o.Ratio }),
	setting.Direction("fibre", "along the fibres at rest, of the law fibres", func(o *Organ) *mgl64.Vec3 { return &o.Fibre.Direction }),
	setting.Number("fibre_stiffness", setting.Pressure, "k1 of the fibres", func(o *Organ) *float64 { return &o.Fibre.K1 }),
	setting.Number("fibre_stiffening", setting.Pure, "k2 of the fibres: how fast they stiffen", func(o *Organ) *float64 { return &o.Fibre.K2 }),
	pronyField,
}

// pronyField reads the terms of a relaxation function.
var pronyField = setting.Custom("prony", setting.Pure, "[[g, tau], ...]: shares of the shear modulus that relax, and their times; E is that of the first moment. Without it that of the material", func(o *Organ, v any, u setting.Units) *setting.Error {
	const want = "pairs, [[share, time], ...]"
	list, err := setting.ReadList(v, -1, want)
	p := solid.Prony{G: make([]float64, len(list)), Tau: make([]float64, len(list))}
	for i := range list {
		var pair []any
		if err == nil {
			pair, err = setting.ReadList(list[i], 2, want)
		}
		if err == nil {
			p.G[i], err = setting.ReadNumber(pair[0])
		}
		if err == nil {
			p.Tau[i], err = setting.Measured(pair[1], setting.Seconds, u)
		}
	}
	if err == nil {
		o.Prony = p
	}
	return err
})

// prony is how the body relaxes.
func (o *Organ) prony() solid.Prony {
	if p, err := solid.FindPreset(o.Material); err == nil && o.Prony.G == nil {
		return p.Prony
	}
	return o.Prony
}

// relaxes tells that a body does.
func (s *SceneFile) relaxes() bool {
	return slices.ContainsFunc(s.organs(), func(o *Organ) bool { return !o.Body.Rigid && len(o.prony().G) > 0 })
}

// bodyFields are those keys of a tissue world's body that an organ has.
var bodyFields = setting.Lift(some("name", "mesh", "file_unit", "box.origin", "box.size", "box.elements", "E", "nu", "density", "clamp", "contact_surface", "position", "rotation", "color"),
	func(o *Organ) *scene.Body { return &o.Body })

// moreFields are the keys of [[organ]].
var moreFields = slices.Concat(bodyFields, setting.Lift(some("rigid"), func(o *Organ) *scene.Body { return &o.Body }), organFields)

// some are keys of a tissue world's body. Of them E alone lives: nu changes the elements.
func some(names ...string) (fields []setting.Field[scene.Body]) {
	_, all := scene.Fields()
	for _, name := range names {
		f := *setting.Find(all, name)
		switch name {
		case "E":
		case "density":
			f.Help = "for gravity and motion in time; 0: that of the material, or 1000 kg/m^3"
			f.Live = nil
		default:
			f.Live = nil
		}
		fields = append(fields, f)
	}
	return fields
}

// under puts keys under a prefix, which those that have it keep.
func under[T, U any](prefix string, fields []setting.Field[U], of func(*T) *U) []setting.Field[T] {
	out := setting.Lift(fields, of)
	for i := range out {
		out[i].Name = prefix + strings.TrimPrefix(out[i].Name, prefix)
	}
	return out
}

func (s *SceneFile) readTables(r *setting.Reader, tree map[string]any) {
	for i, t := range r.Tables(tree, "organ", "[[organ]]") {
		o := defaultOrgan()
		setting.Fill(r, &o, moreFields, t, setting.Join("organ", strconv.Itoa(i)), &s.Setting, nil)
		s.Organs = append(s.Organs, o)
	}
	s.readParts(r, tree)
	s.Pairs = scene.ReadPairs(r, tree, &s.Setting)
}

// organs are all of them, the first one first.
func (s *SceneFile) organs() []*Organ {
	all := []*Organ{&s.Organ}
	for i := range s.Organs {
		all = append(all, &s.Organs[i])
	}
	return all
}

// fields are the keys of the scene, those of [[organ]] under its name.
func (s *SceneFile) fields() []setting.Field[SceneFile] {
	all := fields[:len(fields):len(fields)]
	for i := range s.Organs {
		all = append(all, under(s.Organs[i].Body.Name+".", moreFields, func(s *SceneFile) *Organ {
			s.Organs = slices.Clone(s.Organs) // copies of the scene share it
			return &s.Organs[i]
		})...)
	}
	for i := range s.Parts {
		all = append(all, under(s.Parts[i].Name+".", partFields, func(s *SceneFile) *Part {
			s.Parts = slices.Clone(s.Parts)
			return &s.Parts[i]
		})...)
	}
	return all
}

// keyOf is the file's key of what a tissue world calls by the number of its body: its
// first one is the tool.
func keyOf(key string) string {
	rest, ok := strings.CutPrefix(key, "body.")
	number, rest, _ := strings.Cut(rest, ".")
	n, err := strconv.Atoi(number)
	switch {
	case !ok || err != nil:
		return key
	case n == 0:
		return setting.Join("tool", strings.TrimPrefix(rest, "tool."))
	case n == 1:
		return strings.TrimSuffix(setting.Join("body", rest), ".")
	}
	return strings.TrimSuffix(setting.Join("organ."+strconv.Itoa(n-2), rest), ".")
}

func (s *SceneFile) checkOrgans() *setting.Error {
	for i, o := range s.organs() {
		key, table := "body", "[body]"
		if i > 0 {
			key, table = setting.Join("organ", strconv.Itoa(i-1)), "[[organ]]"
			if name := o.Body.Name; slices.ContainsFunc(fields, func(f setting.Field[SceneFile]) bool { return f.Name == name || strings.HasPrefix(f.Name, name+".") }) {
				return setting.Fault(key+".name", "choose another name", "a body cannot be called %q: that is a key of the scene", name)
			}
		}
		if err := o.check(func(word string) string { return key + "." + word }, table); err != nil {
			return err
		}
	}
	return nil
}

func (o *Organ) check(in func(word string) string, table string) *setting.Error {
	if p, err := solid.FindPreset(o.Material); err == nil && (o.Body.Young == 0 || o.Body.Young == o.preset) {
		o.preset = o.young(&p)
		o.Body.Young = o.preset
	}
	sum := 0.0
	for i, g := range o.Prony.G {
		if sum += g; !(g >= 0 && sum < 1 && o.Prony.Tau[i] >= 1e-3 && o.Prony.Tau[i] <= 1e9) {
			return setting.Fault(in("prony"), "shares of 0 and more, below 1 together, with times of 0.001 to 1e9 s", "a share of %g with a time of %g s", g, o.Prony.Tau[i])
		}
	}
	return setting.First(
		setting.Need(len(o.Prony.G) <= 16, in("prony"), len(o.Prony.G), "16 terms at most"),
		setting.Need(o.Body.Shape.File != "" || o.Body.Shape.Kind == scene.BoxShape, in("mesh"), `""`, `mesh = "FILE" in `+table+", a volume mesh"),
		setting.Need(o.Body.Rigid || o.Body.Young > 0, in("E"), o.Body.Young, "above 0; this is in Pa"),
		setting.Need(o.Skin.Thickness >= 0 && !math.IsInf(o.Skin.Thickness, 0), in("skin_thickness"), o.Skin.Thickness, "0 or more; this is in m"),
		setting.Need(o.Skin.Thickness == 0 || o.Skin.Young > 0, in("skin_E"), o.Skin.Young, "above 0 where there is a skin; this is in Pa"),
		setting.Need(math.Abs(o.Exponent) >= 0.1 && math.Abs(o.Exponent) <= 60, in("exponent"), o.Exponent, "a number whose size is 0.1 to 60"),
		setting.Need(o.Ratio >= 0 && o.Ratio <= 100, in("ratio"), o.Ratio, "0 to 100"),
		setting.Need(o.Fibre.K1 >= 0 && !math.IsInf(o.Fibre.K1, 0), in("fibre_stiffness"), o.Fibre.K1, "0 or more; this is in Pa"),
		setting.Need(o.Fibre.K2 >= 0 && o.Fibre.K2 <= 1e4, in("fibre_stiffening"), o.Fibre.K2, "0 to 10000"),
	)
}

// young is the E of a preset at the body's own Poisson's ratio, Pa: its shear modulus acts.
func (o *Organ) young(p *solid.Preset) float64 { return 2 * p.Shear() * (1 + o.Body.Poisson) }

// left names in one line what of the body's preset does not act; "" where all does, and without one.
// weighs tells that masses act.
func (o *Organ) left(weighs bool) string {
	p, err := solid.FindPreset(o.Material)
	if err != nil {
		return ""
	}
	if o.Body.Rigid {
		return scene.RigidIdle(p.Name)
	}
	var what []string
	if young := o.young(&p); o.Body.Young != young {
		what = append(what, fmt.Sprintf("its E of %.3g kPa, the scene gives %.3g", young/1e3, o.Body.Young/1e3))
	}
	if o.Body.Poisson != p.Poisson {
		what = append(what, fmt.Sprintf("its Poisson's ratio %g, nu is %g", p.Poisson, o.Body.Poisson))
	}
	switch {
	case o.Body.Density > 0 && o.Body.Density != p.Density:
		what = append(what, fmt.Sprintf("its density %g kg/m^3, the scene gives %g", p.Density, o.Body.Density))
	case !weighs:
		what = append(what, fmt.Sprintf("its density %g kg/m^3, without gravity and motion", p.Density))
	}
	return scene.Idle(p.Name, what)
}

// say notes what there is to remark on a body.
func (g *gathered) say(o *Organ, remarks []string) {
	for i := range remarks {
		remarks[i] = o.Body.Name + ": " + remarks[i]
	}
	g.notes, g.about = append(g.notes, remarks...), append(g.about, strings.Join(remarks, ". "))
}

// madeOf is what the body is made of.
func (o *Organ) madeOf() string {
	switch {
	case o.Body.Rigid:
		return "rigid"
	case o.Material != custom:
		return o.Material
	}
	return o.Law
}

// density is the body's, kg/m^3.
func (o *Organ) density() float64 {
	if o.Body.Density > 0 {
		return o.Body.Density
	}
	if p, err := solid.FindPreset(o.Material); err == nil {
		return p.Density
	}
	return 1000
}

// law is the body's at a Young's modulus, Pa, with a barrier that keeps elements from
// turning over.
func (o *Organ) law(young float64) solid.Law {
	lambda, mu := solid.Lame(young, o.Body.Poisson)
	kappa := lambda + 2*mu/3
	var law solid.Law = solid.NeoHookeanLog{Lambda: lambda, Mu: mu}
	if p, err := solid.FindPreset(o.Material); err == nil {
		terms := make([]float64, len(p.Mu))
		for i, m := range p.Mu { // of the scene's E
			terms[i] = m * mu / p.Shear()
		}
		if len(terms) > 1 || p.Alpha[0] != 2 {
			law = solid.Ogden{Mu: terms, Alpha: p.Alpha, Kappa: kappa}
		}
		return solid.Barrier{Law: law, Stiffness: 2 * mu}
	}
	switch o.Law {
	case "corotational":
		law = solid.Corotational{Lambda: lambda, Mu: mu}
	case "mooney-rivlin": // mu = 2 (c10 + c01)
		c10 := mu / 2 / (1 + o.Ratio)
		law = solid.MooneyRivlin{C10: c10, C01: o.Ratio * c10, Kappa: kappa}
	case "ogden":
		law = solid.Ogden{Mu: []float64{mu}, Alpha: []float64{o.Exponent}, Kappa: kappa}
	case "saint-venant-kirchhoff":
		law = solid.StVenantKirchhoff{Lambda: lambda, Mu: mu}
	case "fibres":
		law = solid.Fibre{Matrix: law, K1: o.Fibre.K1 * young / o.Body.Young, K2: o.Fibre.K2, Direction: o.Fibre.Direction}
	}
	return solid.Barrier{Law: law, Stiffness: 2 * mu}
}

// gathered is all bodies in one mesh.
type gathered struct {
	mesh          *mesh.Mesh // a block a body that is not rigid, and one for each part of it
	laws          []solid.Law
	young         []float64       // by block, Pa
	prony         []solid.Prony   // by block
	density       []float64       // by block, kg/m^3
	blocks        []int           // by body: the first, -1: rigid
	inner         []inside        // by body
	surfaces      []*mesh.Surface // by body; Nodes are those of mesh
	held          [][]bool        // by body: the nodes of its surface that are
	skins         []Skin
	met           []Meeting
	fixed, region []int32
	extent        float64 // longest side of the largest body, m
	notes         []string
	about         []string // by body: the notes that are of what it is made of
}

// gather reads the bodies of the scene t, which are those after its tool.
func (s *SceneFile) gather(t *scene.Scene) (*gathered, error) {
	g := &gathered{mesh: &mesh.Mesh{}}
	for i, o := range s.organs() {
		from, err := t.Solid(1 + i)
		if err != nil {
			return nil, err
		}
		touched := s.meets(t, i)
		g.say(o, t.Remarks(&o.Body, from, o.left(s.Gravity != 0 || s.Motion.moves()), !o.Body.Rigid && o.Element == elements[0]))
		if err := g.add(s, o, from, touched); err != nil {
			return nil, fmt.Errorf("scene: %s: %s: %w", s.Name, cmp.Or(o.Body.Shape.File, o.Body.Name), err)
		}
		if p := t.Pair(s.Tool.Name, o.Body.Name); p != nil {
			g.skins[i].Friction = p.Friction
		}
		for j := range i {
			g.pair(t, s.organs()[j], o, j, i)
		}
	}
	return g, nil
}

// meets tells whether the tool meets body i.
func (s *SceneFile) meets(t *scene.Scene, i int) bool {
	o := s.organs()[i]
	p := t.Pair(s.Tool.Name, o.Body.Name)
	return !o.Body.Rigid && (p == nil || p.Contact != scene.ContactNone)
}

// pair says how two bodies meet, the second one being the newer.
func (g *gathered) pair(t *scene.Scene, a, b *Organ, i, j int) {
	how, mu := scene.ContactBoth, math.NaN()
	if p := t.Pair(a.Body.Name, b.Body.Name); p != nil {
		if how, mu = p.Contact, p.Friction; p.A == b.Body.Name {
			i, j = j, i // the first one that the pair names
		}
	}
	if how == scene.ContactNone || a.Body.Rigid && b.Body.Rigid {
		return
	}
	g.met = append(g.met, Meeting{A: i, B: j, Friction: mu})
}

// add puts a body into the mesh; touched tells whether the tool meets it.
func (g *gathered) add(s *SceneFile, o *Organ, from *scene.Solid, touched bool) error {
	first := int32(len(g.mesh.Nodes))
	moved := func(nodes []int32) []int32 {
		out := slices.Clone(nodes)
		for i := range out {
			out[i] += first
		}
		return out
	}
	surface := &mesh.Surface{Triangles: from.Surface.Triangles, Nodes: moved(from.Surface.Nodes)}
	var nodes []int32
	for i, x := range from.Mesh.Nodes {
		g.mesh.Nodes, nodes = append(g.mesh.Nodes, o.Body.Pose.Point(x)), append(nodes, first+int32(i))
	}
	if o.Body.Rigid {
		g.fixed, g.blocks, g.inner = append(g.fixed, nodes...), append(g.blocks, -1), append(g.inner, inside{nodes: surface.Nodes})
		g.held = append(g.held, slices.Repeat([]bool{true}, len(surface.Nodes)))
	} else {
		blocks, parts, err := s.split(o, from.Mesh)
		if err != nil {
			return err
		}
		g.fixed, g.held = append(g.fixed, moved(from.Fixed)...), append(g.held, from.Surface.Marked(from.Fixed))
		g.blocks, g.inner = append(g.blocks, len(g.laws)), append(g.inner, inside{&mesh.Mesh{Nodes: g.mesh.Nodes[first:], Blocks: blocks}, nodes})
		for i, b := range blocks {
			made := o
			if i > 0 {
				made = s.Parts[parts[i-1]].inside(o)
			}
			g.laws, g.young = append(g.laws, made.law(made.Body.Young)), append(g.young, made.Body.Young)
			g.density, g.prony = append(g.density, o.density()), append(g.prony, o.prony())
			g.mesh.Blocks = append(g.mesh.Blocks, mesh.Block{Type: b.Type, Nodes: moved(b.Nodes)})
		}
		low, high := from.Mesh.Bounds()
		size := high.Sub(low)
		g.extent = max(g.extent, size[0], size[1], size[2])
	}
	if touched {
		g.region = append(g.region, moved(from.Region)...)
	}
	skin := Skin{Triangles: surface.OnMesh(), Friction: math.NaN()}
	g.surfaces, g.skins, g.notes = append(g.surfaces, surface), append(g.skins, skin), append(g.notes, from.Notes...)
	return nil
}

// softest is the smallest E of the bodies, Pa.
func (s *SceneFile) softest() float64 {
	least := s.Body.Young
	for i := range s.Organs {
		if b := &s.Organs[i].Body; !b.Rigid {
			least = min(least, b.Young)
		}
	}
	for i := range s.Parts {
		least = min(least, s.Parts[i].Young)
	}
	return least
}
