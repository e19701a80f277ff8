package probing

import (
	"math"
	"slices"
	"strings"
	"testing"

	"hapco/physics"
	"hapco/physics/files/scene"
	"hapco/physics/frame"
	"hapco/physics/worlds/tissue"
)

// A block of tissue under a ball, small enough for many gestures.
const block = `
friction = 0.3
[units]
length = "mm"
pressure = "kPa"
[[body]]
name = "ball"
role = "driven"
position = [0, 40, 0]
tool = { kind = "sphere", radius = 6 }
[[body]]
name = "block"
role = "fixed"
E = 12
nu = 0.4
clamp = "bottom"
[body.box]
origin = [-40, 0, -40]
size = [80, 30, 80]
elements = [8, 3, 8]
[contact]
ddc_tolerance = 2
normals = "smooth"
anchored = true
`

func blockArena(t testing.TB) *Arena {
	t.Helper()
	s, err := scene.Parse("block.toml", []byte(block))
	return arenaOf(t, s, err)
}

// sceneArena is that of an embedded scene.
func sceneArena(t testing.TB, name string) *Arena {
	t.Helper()
	s, err := scene.Load(name)
	return arenaOf(t, s, err)
}

func arenaOf(t testing.TB, s *scene.Scene, err error) *Arena {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	a, err := NewArena(t.Context(), s, tissue.Builder{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// lie is a world that says something else than it is from some moment on.
type lie struct {
	*tissue.World
	when     func(w *tissue.World) bool // it begins
	began    bool
	lasts    int // increments; 0: for ever
	force    func(f vec) vec
	snapshot func(s *tissue.Snapshot)
	stats    func(s *tissue.Stats)
	stays    bool // the stylus does not come
}

func (l *lie) lying() bool { return l.began && l.lasts >= 0 }

func (l *lie) Step(target frame.Pose) bool {
	reached := l.World.Step(target)
	switch {
	case !l.began:
		l.began = l.when(l.World)
	case l.lasts > 0:
		if l.lasts--; l.lasts == 0 {
			l.lasts = -1
		}
	}
	return reached && !(l.stays && l.lying())
}

func (l *lie) Force() (force, torque vec) {
	force, torque = l.World.Force()
	if l.force != nil && l.lying() {
		force = l.force(force)
	}
	return force, torque
}

func (l *lie) Snapshot(s *tissue.Snapshot) {
	l.World.Snapshot(s)
	if l.snapshot != nil && l.lying() {
		l.snapshot(s)
	}
}

func (l *lie) Stats() tissue.Stats {
	s := l.World.Stats()
	if l.stats != nil && l.lying() {
		l.stats(&s)
	}
	return s
}

// The block obeys every law in an ordinary press and slide; each lie breaks the one
// law that it is about.
func TestJudgeCatchesEachCause(t *testing.T) {
	a := blockArena(t)
	g := Gesture{At: a.start, Rotation: a.held, Friction: 0.3, Solver: "auto",
		Moves: []Move{{Way: vec{0, -9e-3, 0}, Row: 1e-3}, {Way: vec{6e-3, 0, 0}, Row: 1e-3}}}
	v, err := a.Judge(t.Context(), &g, JudgeOptions{})
	if err != nil || len(v.Breaches) > 0 {
		t.Fatalf("%v, %+v", err, v.Breaches)
	}
	if !(v.Press > 0.05) || !(v.Force > 0.05) {
		t.Fatalf("the hand felt %g N, a straight press %g", v.Force, v.Press)
	}

	above := func(y float64) func(w *tissue.World) bool { // on the way up
		deep := false
		return func(w *tissue.World) bool {
			deep = deep || w.Pose().Position[1] < 34e-3
			return deep && w.Pose().Position[1] > y
		}
	}
	deep := func() func(w *tissue.World) bool {
		return func(w *tissue.World) bool { return w.Pose().Position[1] < 33e-3 }
	}
	turn := func(s *tissue.Snapshot) { // the node in the middle of the top moves over its neighbours
		x := s.Surfaces[1].Vertices
		for i, p := range x {
			if math.Abs(p[0]) < 1e-3 && math.Abs(p[2]) < 1e-3 && p[1] > 0.015 {
				x[i] = p.Add(vec{25e-3, 0.5e-3, 0})
			}
		}
	}
	rests := func(w *tissue.World) bool { // the spring's force is told of a tool at rest alone
		_, rests := w.Stretch()
		return rests && deep()(w)
	}
	clear := 30e-3 + 6e-3 + clearance + 1e-3
	for _, c := range []struct {
		name string
		lie  lie
		want []Cause
	}{
		{"adheres for ever", lie{when: above(50e-3), force: func(vec) vec { return vec{0, -0.5, 0} }}, []Cause{Force, Hooked, Pulled}},
		{"adheres, then lets go", lie{when: above(50e-3), lasts: 20, force: func(vec) vec { return vec{0, -0.5, 0} }}, []Cause{Force, Pulled}},
		{"pushes far away", lie{when: above(clear), force: func(vec) vec { return vec{0, 1e-3, 0} }}, []Cause{Force, Hooked}},
		{"a contact that stays", lie{when: above(clear), snapshot: func(s *tissue.Snapshot) {
			s.Contacts = append(s.Contacts, physics.Contact{})
		}}, []Cause{Hooked}},
		{"a dent that stays", lie{when: above(clear), snapshot: func(s *tissue.Snapshot) { s.Surfaces[1].Vertices[0][1] += 2e-6 }}, []Cause{Deformed}},
		{"a spike", lie{when: rests, lasts: 1, force: func(f vec) vec { return f.Normalize().Mul(1e3) }}, []Cause{Force}},
		{"no number", lie{when: deep(), force: func(f vec) vec { return vec{math.NaN(), 0, 0} }}, []Cause{NoNumber}},
		{"a node nowhere", lie{when: deep(), snapshot: func(s *tissue.Snapshot) { s.Surfaces[1].Vertices[3][0] = math.Inf(1) }}, []Cause{NoNumber}},
		{"unsolved", lie{when: deep(), lasts: 1, stats: func(s *tissue.Stats) { s.Solve.Converged = false }}, []Cause{Unsolved}},
		{"out of the cone", lie{when: deep(), lasts: 1, snapshot: func(s *tissue.Snapshot) { s.Contacts[0].R = [3]float64{1, 0.2, 0.3} }}, []Cause{Inadmissible}},
		{"pulls", lie{when: deep(), lasts: 1, snapshot: func(s *tissue.Snapshot) { s.Contacts[0].R = [3]float64{-1e-6, 0, 0} }}, []Cause{Inadmissible}},
		{"stands still", lie{when: deep(), stays: true}, []Cause{Lost}},
		{"turned over for long", lie{when: above(60e-3), lasts: 60, snapshot: turn}, []Cause{Turned}},
		{"turned over for a moment", lie{when: above(60e-3), lasts: 20, snapshot: turn}, nil},
	} {
		c.lie.World = a.world
		a.seen = &c.lie
		v, err := a.Judge(t.Context(), &g, JudgeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var got []Cause
		for _, b := range v.Breaches {
			got = append(got, b.Cause)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, v.Breaches, c.want)
		}
		if strings.HasPrefix(c.name, "turned over") && v.Frames == 0 {
			t.Errorf("%s: in no frame", c.name)
		}
	}
}

// A sweep goes through a shelf at one depth, from its free end, which bends, to the end that
// is held. The force there is compared with a straight press there.
func TestForceIsComparedWhereItIsMet(t *testing.T) {
	a := sceneArena(t, "organs-linear")
	g := a.Gesture(331, 24)
	soft := &Verdict{}
	a.straight(t.Context(), &g, soft)
	rows, _ := a.Rows(&g)
	met := func(press float64, row int) *Verdict { // of ten such presses and one
		return &Verdict{Press: soft.Press, Force: 11 * press, strongest: row, met: g.At.Add(rows[row]), against: vec{0, 1, 0}}
	}
	const end = 226 // the row at the held end
	held := met(soft.Press, end)
	a.judgeForce(t.Context(), &g, held)
	if held.has(Force) || !(held.Press > 2*soft.Press) {
		t.Errorf("%g N at the held end, pressed %g N there: %v", held.Force, held.Press, held.Breaches)
	}
	for what, v := range map[string]*Verdict{"held": met(held.Press, end), "free": met(soft.Press, 0)} {
		a.judgeForce(t.Context(), &g, v)
		if !v.has(Force) {
			t.Errorf("ten presses at the %s end: %g N, pressed %g N", what, v.Force, v.Press)
		}
	}
}

// A tool at the side of a column that hangs from its top may meet a force that no press straight down does. It is
// compared with a press against that force, which has the inertia of the tissue in it as well.
func TestForceIsComparedWithAPressAgainstIt(t *testing.T) {
	s, err := physics.Load("swing")
	if err != nil {
		t.Fatal(err)
	}
	a, err := NewArenaOf(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	g := a.Gesture(20261, 9)
	const down = 0.26 // N: that of a press beside the column's end
	// The place is below the held end, which gives way to nothing. Hertz's law for a ball of 10 mm that is 8.5 mm deep in a half-space of 12 kPa says 1.5 N.
	for _, c := range []struct {
		force float64
		wild  bool
	}{{3.12, false}, {30, true}} {
		v := &Verdict{Press: down, Force: c.force, met: vec{2.9e-3, 90e-3, 11.5e-3}, against: vec{-0.37, -1.77, 2.55}.Normalize()}
		a.judgeForce(t.Context(), &g, v)
		if v.has(Force) != c.wild || !(v.Press > 1) || !(v.Press < 2.5) {
			t.Errorf("%g N, pressed sideways %g N: %v", c.force, v.Press, v.Breaches)
		}
	}
}

// Over a steep flank a tool is higher than it is far: what clings to it there is no hook.
func TestClearanceIsADistance(t *testing.T) {
	a := sceneArena(t, "liver-stomach-linear")
	g := a.Gesture(403, 31)
	tool, _ := a.reach(g.Rotation)
	rows, _ := a.Rows(&g)
	at := g.At.Add(rows[410])
	if high, far := a.over(tool, at), a.outside(tool, at); !(high > a.radius && far < a.radius) {
		t.Errorf("%g m over the shape at rest, %g m from it", high, far)
	}
	if up := at.Add(vec{0, 20e-3, 0}); !(a.over(tool, up) > a.radius && a.outside(tool, up) > a.radius) {
		t.Error("20 mm higher it is not clear")
	}
}

// A gesture may be made with a deadline for its steps: those that it ends break no law,
// and later gestures have none.
func TestJudgeWithADeadline(t *testing.T) {
	a := blockArena(t)
	g := Gesture{At: a.start, Rotation: a.held, Friction: 0.3, Solver: "nsgs",
		Moves: []Move{{Way: vec{0, -12e-3, 0}, Row: 1e-3}, {Way: vec{6e-3, 0, 0}, Row: 1e-3}}}
	v, err := a.Judge(t.Context(), &g, JudgeOptions{Deadline: 1})
	if err != nil || v.Late == 0 || v.has(Unsolved) || v.has(Inadmissible) || v.has(Hooked) {
		t.Errorf("%v, %d late, %v", err, v.Late, v.Breaches)
	}
	if v, err = a.Judge(t.Context(), &g, JudgeOptions{}); err != nil || v.Late > 0 || len(v.Breaches) > 0 {
		t.Errorf("without a deadline: %v, %d late, %v", err, v.Late, v.Breaches)
	}
}

// A world that adheres once the tool has been deep and then off to one side: the
// long gesture that found it shrinks to one press and one slide.
func TestShrinkFindsTheShortGesture(t *testing.T) {
	a := blockArena(t)
	stuck := &hooking{World: a.world}
	a.seen = stuck
	g := Gesture{At: a.start, Rotation: vec{10, 0, 20}, Friction: 0.77, Solver: "nsgs", Drift: vec{0.1, 0, 0}, Moves: []Move{
		{Way: vec{0, -9e-3, 0}, Row: 1e-3},
		{Way: vec{-5e-3, 0, 7e-3}, Row: 1e-3},
		{Way: vec{0, -2e-3, 0}, Row: 1e-3, Radius: 5e-3, Turns: 1.5},
		{Way: vec{30e-3, 0, 0}, Row: 1e-3},
		{Way: vec{0, 2e-3, -12e-3}, Row: 1e-3},
	}}
	short, v, err := a.Shrink(t.Context(), g, Hooked, 200, JudgeOptions{})
	if err != nil || v == nil || !v.has(Hooked) {
		t.Fatalf("%v, %+v", err, v)
	}
	way := 0.0
	for _, m := range short.Moves {
		way += m.Way.Len()
	}
	if len(short.Moves) > 2 || way > 24e-3 || short.Friction != 0.3 || short.Solver != "auto" || short.Rotation != a.held || short.Drift != (vec{}) {
		t.Errorf("%s, %+v", &short, short)
	}
}

// hooking adheres once the tool has been 5 mm below its start and 12 mm beside it at once.
type hooking struct {
	*tissue.World
	on bool
}

func (h *hooking) Step(target frame.Pose) bool {
	d := target.Position.Sub(h.StartPose().Position)
	if h.Pose() == h.StartPose() { // a new gesture
		h.on = false
	}
	h.on = h.on || d[1] < -5e-3 && d[0] > 12e-3
	return h.World.Step(target)
}

func (h *hooking) Force() (force, torque vec) {
	if h.on {
		return vec{0, -0.5, 0}, vec{}
	}
	return h.World.Force()
}

// Gestures are those of their seed, stay within what they promise and end clear of
// everything.
func TestGesturesAreHostileButFair(t *testing.T) {
	a := blockArena(t)
	seen := map[string]int{}
	solvers := map[string]int{}
	lowest, highest := 1.0, 0.0
	for n := range uint64(300) {
		g := a.Gesture(5, n)
		if again := a.Gesture(5, n); again.String() != g.String() || again.At != g.At {
			t.Fatalf("gesture %d is not the same twice: %s, %s", n, &g, &again)
		}
		seen[g.Kind]++
		solvers[g.Solver]++
		lowest, highest = min(lowest, g.Friction), max(highest, g.Friction)
		tool, low := a.reach(g.Rotation)
		rows, cleared := a.Rows(&g)
		if g.At[1] < a.high[1]+low {
			t.Fatalf("%s starts in tissue", &g)
		}
		deep := 0.0
		for i, r := range rows {
			if way, _ := a.touch(tool, g.At.Add(r)); !math.IsInf(way, 0) {
				deep = max(deep, -way)
			}
			if clear := g.At[1] + r[1] - low - a.high[1]; i >= cleared && clear < clearance-1e-9 {
				t.Fatalf("%s: row %d is %g m clear", &g, i, clear)
			}
		}
		if deep < 0.5e-3 {
			t.Errorf("%s: %.1f mm deep", &g, 1e3*deep)
		}
		// the block is 30 mm thick; what goes on down from a press stays over its floor
		if (g.Kind == "press" || g.Kind == "sweep" || g.Kind == "shaft") && deep > deepest*30e-3+0.1e-3 {
			t.Errorf("%s: %.1f mm deep", &g, 1e3*deep)
		}
		if len(rows)-cleared < waitRows {
			t.Errorf("%s: %d rows clear of everything", &g, len(rows)-cleared)
		}
	}
	if len(seen) != len(kinds) || len(solvers) != len(exactSolvers) || len(exactSolvers) < 3 || lowest > 0 || highest < 1 {
		t.Errorf("kinds %v, solvers %v, friction %g to %g", seen, solvers, lowest, highest)
	}
	if a, b := a.Gesture(5, 0), a.Gesture(6, 0); a.At == b.At && a.String() == b.String() {
		t.Error("the seed changes nothing")
	}
}

// A gesture made again on the same spring does what it did, to the last bit, whatever was done in the world before.
func TestGesturePlaysAgain(t *testing.T) {
	play := func(past uint64) (forces []vec) {
		a := blockArena(t)
		for n := range past {
			g := a.Gesture(1, n)
			if _, err := a.Judge(t.Context(), &g, JudgeOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		g := a.Gesture(3, 4)
		g.Drift = vec{0.21, 0, -0.1}
		a.seen = &recorded{a.world, &forces}
		if _, err := a.Judge(t.Context(), &g, JudgeOptions{}); err != nil {
			t.Fatal(err)
		}
		return forces
	}
	most := 0.0
	want := play(0)
	for _, f := range want {
		most = max(most, f.Len())
	}
	if got := play(3); !slices.Equal(got, want) || !(most > 0.05) {
		t.Errorf("%d increments of %d, or others; %g N at most", len(got), len(want), most)
	}
}

type recorded struct {
	*tissue.World
	forces *[]vec
}

func (r *recorded) Step(target frame.Pose) bool {
	reached := r.World.Step(target)
	f, _ := r.World.Force()
	*r.forces = append(*r.forces, f)
	return reached
}

// In a dent deeper than a tool is wide no triangle is turned over; one that lies over
// its neighbour is. Where tissue may turn by any angle, one is that looks into the body.
func TestDentsAreNotTurnedOver(t *testing.T) {
	a := blockArena(t)
	little, any := newTurnover(&a.rest[0], false), newTurnover(&a.rest[0], true)
	const r = 10e-3
	aside := func(by vec) func(p vec) vec {
		return func(p vec) vec {
			if math.Hypot(p[0], p[2]) < 1e-3 && p[1] > 29e-3 {
				return p.Add(by)
			}
			return p
		}
	}
	for _, c := range []struct {
		name  string
		shape func(p vec) vec
		want  [2]bool
	}{
		{"rest", func(p vec) vec { return p }, [2]bool{}},
		{"a dent of 25 mm", func(p vec) vec { return p.Sub(vec{0, 25e-3 * math.Exp(-(p[0]*p[0]+p[2]*p[2])/r/r) * p[1] / 30e-3, 0}) }, [2]bool{}},
		{"pulled up by 25 mm", func(p vec) vec { return p.Add(vec{0, 25e-3 * math.Exp(-(p[0]*p[0]+p[2]*p[2])/r/r) * p[1] / 30e-3, 0}) }, [2]bool{}},
		{"a node over its neighbours: a flap with an underside", aside(vec{25e-3, 0.5e-3, 0}), [2]bool{true, false}},
		{"a node under its neighbours: a pocket that looks out", aside(vec{25e-3, -1e-3, 0}), [2]bool{true, false}},
		{"a round patch mirrored and pressed in", func(p vec) vec {
			if math.Hypot(p[0], p[2]) < 2*r && p[1] > 29e-3 {
				return vec{-p[0], p[1] - 5e-3, p[2]}
			}
			return p
		}, [2]bool{true, true}},
		{"upside down", func(p vec) vec { return vec{p[0], -p[1], -p[2]} }, [2]bool{true, false}},
		{"inside out", func(p vec) vec { return vec{p[0], -p[1], p[2]} }, [2]bool{true, true}},
	} {
		x := make([]vec, len(a.rest[0].x))
		for i, p := range a.rest[0].x {
			x[i] = c.shape(p)
		}
		for i, f := range []*turnover{&little, &any} {
			f.reset()
			turned, longest := f.look(x)
			if (turned > 0) != c.want[i] || (longest > 0) != c.want[i] {
				t.Errorf("%s: %d turned over", c.name, turned)
			}
		}
	}
}
