package probing

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/files/mesh"
	"hapco/physics/files/scene"
	"hapco/physics/frame"
	"hapco/physics/worlds/tissue"
)

// Arena is a scene with tissue and what a hostile hand has to know of it. One goroutine at a time.
type Arena struct {
	Close func() error // ends the world

	world  *tissue.World // of a scene of that kind
	ground ground
	seen   simulation // what the judge looks at: the world, but in tests
	unit   float64    // of the scene's lengths, m
	grips  bool       // the scene begins with a closed grip, which is opened

	deadline physics.Deadline // of the steps of a gesture that has one

	tool   string     // name of the driven body
	shape  []vec      // its surface nodes, in the stylus's frame, m
	radius float64    // of its tip or edges, m
	pose   frame.Pose // where the scene starts
	driven int
	start  vec // the same in whole micrometres, m
	held   vec // and degrees

	soft     []int // bodies of tissue
	felt     vec   // the force in the last increment, N
	rest     []surface
	turnover []turnover
	cuts     *cuts
	near     int // contacts while nothing moves
	box          // of the tissue at rest, m
	top      *heights
	size     float64 // the tissue's size over that of an organ
	room     float64 // how far over the tissue at rest the tool is clear of it, m
	scale    float64 // by which the lengths of gestures are multiplied: that, or 1

	snapshot tissue.Snapshot
}

// simulation is what the judge needs of a tissue.World.
type simulation interface {
	Step(target frame.Pose) (reached bool)
	Force() (force, torque vec)
	Stats() tissue.Stats
	Snapshot(s *tissue.Snapshot)
}

// organ is the size of what the lengths of gestures are made for, m.
const organ = 180e-3

// NewArena builds a scene's world. An embedded scene is taken as it is; the gestures over a mesh follow its size.
func NewArena(ctx context.Context, s *scene.Scene, b tissue.Builder) (*Arena, error) {
	w, _, err := b.New(ctx, s, nil)
	if err != nil {
		return nil, err
	}
	unit, err := mesh.LengthUnit(s.Units.Length)
	if err != nil {
		return nil, err
	}
	a := &Arena{Close: func() error { return nil }, world: w, ground: tissueGround{w}, seen: w, unit: unit, scale: 1}
	infos := w.Bodies()
	for i := range infos {
		if infos[i].Driven {
			a.radius = s.Bodies[i].Shape.Tool.Radius
		}
	}
	if err := a.prepare(s.Name, a.radius, s.Friction, s.Contact.Solver); err != nil {
		return nil, err
	}
	if first := &s.Bodies[a.soft[0]].Shape; first.Kind == scene.MeshShape && s.Name == first.File {
		a.scale = a.size
	}
	return a, nil
}

// Bears tells why a linear scene is none for a hand that means harm; nil: it is one. Beyond small strains linear tissue
// folds over, and what is folded pulls, but for its limit of strain; and nodes that are contacts however far they are
// are so behind the tissue, too.
func Bears(s *scene.Scene) error {
	switch {
	case s.Contact.StrainLimit == 0:
		return fmt.Errorf("scene %s: contact.strain_limit = 0: linear to the letter, so it folds under a hostile hand (cure: contact.strain_limit = 0.8)", s.Name)
	case math.IsInf(s.Contact.DDCTolerance, 1):
		return fmt.Errorf("scene %s: contact.ddc_tolerance = inf: contacts act at any distance, so tissue folds under a hostile hand (cure: a few mm)", s.Name)
	}
	return nil
}

// prepare looks at the world at rest.
func (a *Arena) prepare(name string, radius, friction float64, solver string) error {
	w := a.ground
	infos := w.Bodies()
	for i := range infos {
		switch {
		case infos[i].Driven:
			a.driven, a.tool = i, infos[i].Name
		case !infos[i].Rigid:
			a.soft = append(a.soft, i)
		}
	}
	if len(a.soft) == 0 {
		return fmt.Errorf("probing: scene %s has no tissue (cure: a scene with a fixed body that is not rigid)", name)
	}
	a.pose = w.StartPose()
	a.start, a.held = micrometres(a.pose.Position), degrees(a.pose)
	w.Snapshot(&a.snapshot)
	for _, x := range a.snapshot.Surfaces[a.driven].Vertices {
		a.shape = append(a.shape, a.pose.InversePoint(x))
	}
	if a.radius = radius; a.radius == 0 {
		size := boxOf(a.shape...).size()
		a.radius = min(size[0], size[1], size[2]) / 2
	}
	a.measure()
	a.size = a.box.size().Len() / organ
	a.room = clearance
	if a.world == nil { // a lobe may be swung up, and lean on the tool wherever it gets to
		for _, i := range a.soft {
			size := boxOf(a.snapshot.Surfaces[i].Vertices...).size()
			a.room = max(a.room, size[0], size[1], size[2])
		}
	}

	// The shape at rest is that of a world in which the tool is far away.
	far := Gesture{At: micrometres(vec{a.start[0], a.high[1] + 0.5, a.start[2]}), Rotation: a.held, Friction: friction, Solver: solver}
	if err := w.begin(a, &far); err != nil {
		return err
	}
	for range 3 {
		w.Step(w.StartPose())
	}
	w.Snapshot(&a.snapshot)
	a.measure()
	st := w.Stats()
	a.near = st.Open + st.Stick + st.Slip
	for _, i := range a.soft {
		var r surface
		r.connect(infos[i].Triangles, len(infos[i].Fixed))
		r.move(append([]vec(nil), a.snapshot.Surfaces[i].Vertices...))
		a.rest = append(a.rest, r)
		a.turnover = append(a.turnover, newTurnover(&r, a.world == nil))
	}
	a.cuts = newCuts(infos, &a.snapshot)
	a.top = newHeights(a.rest, a.box)
	return nil
}

// measure takes the box of the tissue that is seen.
func (a *Arena) measure() {
	a.box = boxOf()
	for _, i := range a.soft {
		a.box = a.with(a.snapshot.Surfaces[i].Vertices...)
	}
}

// degrees are the turns about the fixed axes x, then y, then z that a scene says; whole ones.
func degrees(p frame.Pose) vec {
	m := p.Matrix() // rows: m.At(row, column)
	y := math.Asin(max(-1, min(1, -m.At(2, 0))))
	x, z := math.Atan2(m.At(2, 1), m.At(2, 2)), math.Atan2(m.At(1, 0), m.At(0, 0))
	out := vec{x, y, z}.Mul(180 / math.Pi)
	for k := range out {
		out[k] = math.Round(out[k]) + 0 // no -0
	}
	return out
}

// turned is the rotation of whole degrees that a scene says so.
func turned(d vec) mgl64.Quat {
	angle := d.Mul(math.Pi / 180)
	x := mgl64.QuatRotate(angle[0], vec{1, 0, 0})
	y := mgl64.QuatRotate(angle[1], vec{0, 1, 0})
	z := mgl64.QuatRotate(angle[2], vec{0, 0, 1})
	return z.Mul(y).Mul(x).Normalize()
}

// Settings are those of --set that a gesture wants.
func (a *Arena) Settings(g *Gesture) []string {
	list := func(v vec, unit float64) string {
		text := "["
		for k := range v {
			text += strconv.FormatFloat(math.Round(v[k]/unit*1e6)/1e6+0, 'g', -1, 64) + ",,]"[k:k+1]
		}
		return text
	}
	set := []string{"friction=" + strconv.FormatFloat(g.Friction, 'g', -1, 64)}
	if a.world != nil {
		set = append(set, "contact.solver="+g.Solver)
	}
	if a.grips {
		set = append(set, "grip.closed=false")
	}
	if g.At != a.start {
		set = append(set, a.tool+".position="+list(g.At, a.unit))
	}
	if g.Rotation != a.held {
		set = append(set, a.tool+".rotation="+list(g.Rotation, 1))
	}
	return set
}

// Rows are where the stylus goes in a gesture, from its start, m; those from cleared on are clear of everything.
func (a *Arena) Rows(g *Gesture) (rows []vec, cleared int) {
	_, low := a.reach(g.Rotation)
	return g.rows(low, a.high[1], a.room)
}

// reach is the tool held so: its nodes about the stylus, and how far it reaches
// below that, m; below 0 where all of it is above.
func (a *Arena) reach(rotation vec) (nodes []vec, low float64) {
	m := turned(rotation).Mat4().Mat3()
	nodes, low = make([]vec, len(a.shape)), math.Inf(-1)
	for i, x := range a.shape {
		nodes[i] = m.Mul3x1(x)
		low = max(low, -nodes[i][1])
	}
	return nodes, low
}

// touch is how far a tool may go straight down from at until it touches tissue at
// rest, m, and where; +Inf where there is none below.
func (a *Arena) touch(tool []vec, at vec) (way float64, place vec) {
	way = math.Inf(1)
	for _, x := range tool {
		p := at.Add(x)
		if d := p[1] - a.top.at(p[0], p[2]); d < way {
			way, place = d, p
		}
	}
	return way, place
}

// heights is the tissue seen from above, on a lattice.
type heights struct {
	low     vec
	cell    float64
	nx, nz  int
	y, deep []float64 // top, and how far down it is tissue from there; -Inf and 0 beside it
}

func newHeights(rest []surface, around box) *heights {
	low, size := around.low, around.size()
	h := &heights{low: low, cell: max(size[0], size[2]) / 160}
	h.nx, h.nz = int(size[0]/h.cell)+1, int(size[2]/h.cell)+1
	h.y, h.deep = make([]float64, h.nx*h.nz), make([]float64, h.nx*h.nz)
	under := make([]float64, h.nx*h.nz)
	for i := range h.y {
		x, z := low[0]+(float64(i%h.nx)+0.5)*h.cell, low[2]+(float64(i/h.nx)+0.5)*h.cell
		h.y[i], under[i] = math.Inf(-1), math.Inf(-1)
		for k := range rest {
			top, next := crossings(&rest[k], x, z)
			if top > h.y[i] {
				h.y[i], under[i] = top, next
			}
		}
		if under[i] > math.Inf(-1) {
			h.deep[i] = h.y[i] - under[i]
		}
	}
	return h
}

// crossings are the highest of a surface over a point of the plane y = 0 and the
// next below it; -Inf where there is none.
func crossings(s *surface, x, z float64) (top, next float64) {
	top, next = math.Inf(-1), math.Inf(-1)
	for i := range s.triangles {
		if b := &s.boxes[i]; x < b.low[0] || x > b.high[0] || z < b.low[2] || z > b.high[2] {
			continue
		}
		y := height(s.x, s.triangles[i:i+1], x, z)
		const same = 1e-9 // m: two triangles of one edge
		if y > top+same {
			top, next = y, top
		} else if y < top-same && y > next {
			next = y
		}
	}
	return top, next
}

func (h *heights) index(x, z float64) int {
	i, k := int(math.Floor((x-h.low[0])/h.cell)), int(math.Floor((z-h.low[2])/h.cell))
	if i < 0 || k < 0 || i >= h.nx || k >= h.nz {
		return -1
	}
	return i + k*h.nx
}

func (h *heights) at(x, z float64) float64 {
	if i := h.index(x, z); i >= 0 {
		return h.y[i]
	}
	return math.Inf(-1)
}

func (h *heights) thick(x, z float64) float64 {
	if i := h.index(x, z); i >= 0 {
		return h.deep[i]
	}
	return 0
}
