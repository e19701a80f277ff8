package probing

import (
	"math"
	"strings"
	"testing"

	"hapco/physics"
	"hapco/physics/files/scene"
	"hapco/physics/frame"
	"hapco/physics/local"
	"hapco/physics/worlds/tissue"
)

// through is a device that passes on what the model says, at most by so much more in a
// tick, N, but from some tick on.
type through struct {
	most    float64
	breaks  int // tick from which it limits nothing; 0: never
	dropped int // tick in which it lets go; 0: never
	ticks   int
	last    vec
}

func (*through) Couple(float64) (c physics.Coupling) { return c }

func (d *through) Begin(frame.Pose) { d.ticks, d.last = 0, vec{} }

func (d *through) Tick(_ frame.Pose, m *local.Model) (f Felt) {
	d.ticks++
	f.Raw, _ = m.Resultant(m.R)
	f.Force, f.Most = f.Raw, d.most
	if way := f.Raw.Sub(d.last); way.Len() > d.most && (d.breaks == 0 || d.ticks < d.breaks) {
		f.Force, f.Slewed = d.last.Add(way.Mul(d.most/way.Len())), true
	}
	if d.ticks == d.dropped {
		f.Dropped = "made up"
	}
	d.last = f.Force
	return f
}

// A hand's force that keeps to what its device may send breaks no law; one that jumps, or is
// dropped, does.
func TestJudgeFeelsJolts(t *testing.T) {
	a := blockArena(t)
	g := Gesture{At: a.start, Rotation: a.held, Friction: 0.3, Solver: "auto",
		Moves: []Move{{Way: vec{0, -9e-3, 0}, Row: 1e-3}, {Way: vec{6e-3, 0, 0}, Row: 1e-3}}}
	for _, c := range []struct {
		name   string
		device through
		jolted bool
	}{
		{"keeps to its limit", through{most: 1e-2}, false},
		{"jumps", through{most: 1e-2, breaks: 25}, true},
		{"lets go", through{most: 10, dropped: 30}, true},
	} {
		v, err := a.Judge(t.Context(), &g, JudgeOptions{Device: &c.device})
		if err != nil {
			t.Fatal(err)
		}
		if v.has(Jolted) != c.jolted || len(v.Breaches) > 1 {
			t.Errorf("%s: %v", c.name, v.Breaches)
		}
		h := &v.Hand
		if h.Ticks != len(v.StepMS) || h.Ticks != c.device.ticks || !(h.Force > 0.02) || !(h.RawJump > 0) || !c.jolted && (!(h.Jump <= 1.001e-2) || h.Slewed == 0) {
			t.Errorf("%s: %+v after %d steps", c.name, *h, len(v.StepMS))
		}
	}
}

// steady is a world whose tool feels one force.
type steady struct {
	*tissue.World
	force vec
}

func (s *steady) Force() (force, torque vec) { return s.force, vec{} }

// At large strains an arm may lean on a tool that rises over the shape at rest: its friction holds the
// tool back, within the cone. What pulls at it otherwise is a hook.
func TestFrictionOfWhatLeansIsNoHook(t *testing.T) {
	a := blockArena(t)
	w := a.world
	g := Gesture{Rotation: a.held, Friction: 0.3}
	tool, _ := a.reach(g.Rotation)
	at := a.start.Add(vec{0, 60e-3, 0})
	leans := physics.Contact{N: vec{1, 0, 0}, Force: vec{1, -0.3, 0}, R: [3]float64{1, 0.3, 0}, Mu: 0.3}
	holds := physics.Contact{N: vec{0, -1, 0}, Force: vec{0, -0.3, 0}, R: [3]float64{0.3, 0, 0}, Mu: 0.3}
	for _, c := range []struct {
		name     string
		linear   bool
		contacts []physics.Contact
		force    vec
		pulled   bool
	}{
		{"an arm leans on it", false, []physics.Contact{leans}, vec{1, -0.3, 0}, false},
		{"an arm lies over it", false, []physics.Contact{holds}, vec{0, -0.3, 0}, true},
		{"both", false, []physics.Contact{leans, holds}, vec{1, -0.6, 0}, true},
		{"nothing touches it", false, nil, vec{0, -0.3, 0}, true},
		{"a linear body's arm", true, []physics.Contact{leans}, vec{1, -0.3, 0}, true},
	} {
		a.seen, a.snapshot.Contacts = &steady{w, c.force}, c.contacts
		if a.world = w; !c.linear {
			a.world = nil
		}
		v := &Verdict{Press: 1}
		a.rise(v, 0, &g, tool, at, vec{0, 1e-3, 0})
		if v.has(Pulled) != c.pulled {
			t.Errorf("%s: %v", c.name, v.Breaches)
		}
	}
}

// Gestures are made in the thesis's benches, too, whose tools lie above the stylus.
func TestArenaOfABench(t *testing.T) {
	a := sceneArena(t, "bench-a-16")
	g := a.Gesture(504, 0)
	if _, low := a.reach(g.Rotation); !(low <= 0) {
		t.Fatalf("the tool reaches %g m below the stylus", low)
	}
	v := &Verdict{}
	if a.straight(t.Context(), &g, v); !(v.Press > 0) {
		t.Errorf("a straight press of %g N", v.Press)
	}
}

// What a hostile hand asks of tissue, linear tissue keeps by contact with what is near alone.
func TestContactsAtAnyDistanceAreNoSceneOfAHand(t *testing.T) {
	for _, name := range []string{"block-linear", "liver-linear"} {
		s, err := scene.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := Bears(s); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		s.Contact.DDCTolerance = math.Inf(1)
		if err := Bears(s); err == nil || !strings.Contains(err.Error(), "ddc_tolerance = inf") {
			t.Errorf("%s, with contacts at any distance: %v", name, err)
		}
	}
}
