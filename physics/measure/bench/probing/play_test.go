package probing

import (
	"errors"
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/assets"
	"hapco/physics"
	"hapco/physics/files/setting"
	"hapco/physics/frame"
	"hapco/physics/local"
	"hapco/physics/machinery/testkit"
	"hapco/physics/numerics/contact"
	_ "hapco/physics/worlds"
)

func stageOf(t testing.TB, name string, set ...string) *Stage {
	t.Helper()
	s, err := NewStage(t.Context(), func() (physics.Scene, error) {
		s, err := physics.Load(name)
		for i := 0; i < len(set) && err == nil; i++ {
			err = s.Set(set[i])
		}
		return s, err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// In worlds of every kind the laws hold whatever a hand does. `hapco bench bodies --hostile`
// does more of it, in every scene, and through the servo's kernel.
func TestEveryWorldBearsAHostileHand(t *testing.T) {
	if testkit.Race {
		t.Skip("slow")
	}
	for _, c := range []struct {
		scene string
		set   []string
		short bool
	}{
		{"two-hands", nil, true},
		{"top", nil, false},
		{"double-pendulum", nil, false},
		{"soft-wall", nil, true},
		{"tuning-fork", nil, false},
		{"newton-rods", nil, false},
		{"packing", []string{"grain.number=60"}, true},
		{"sandbox", nil, false},
		{"ice-cradle", nil, true},
		{"ice-ship", nil, false},
		{"block-linear", nil, false},
		{"swing", nil, false},
	} {
		if testing.Short() && !c.short {
			continue
		}
		t.Run(c.scene, func(t *testing.T) {
			s := stageOf(t, c.scene, c.set...)
			if s.joined {
				t.Error("the stylus hangs on the scene")
			}
			scripts := uint64(6)
			switch {
			case testing.Short():
				scripts = 1
			case c.scene == "sandbox": // its steps take long where the fluid is thick
				scripts = 2
			}
			for n := range scripts {
				script := s.Script(29, n)
				v, err := s.Play(t.Context(), &script, PlayOptions{Steps: min(s.Patience(), 1500)})
				if err != nil {
					t.Fatal(err)
				}
				for _, b := range v.Breaches {
					t.Errorf("script %d, %s: %s: %s", n, &script, b.Cause, b.Text)
				}
			}
		})
	}
}

// The same of every scene of bodies, grains and ice, three scripts each; of large worlds fewer
// steps, since each takes long.
func TestEverySceneOfManyBodiesBearsAHostileHand(t *testing.T) {
	testkit.Slow(t)
	count := map[string]int{}
	for _, name := range assets.Scenes() {
		text, err := assets.Scene(name)
		if err != nil {
			t.Fatal(err)
		}
		kind := setting.KindOf(text)
		seed, most := uint64(61), 300
		switch kind {
		case "rigid":
			seed, most = 41, 60000
		case "grain", "floe":
		default:
			continue
		}
		count[kind]++
		t.Run(name, func(t *testing.T) {
			s := stageOf(t, name)
			for n := range uint64(3) {
				script := s.Script(seed, n)
				steps := min(s.Patience(), most)
				if kind == "rigid" {
					steps = min(steps, most/max(1, s.things()*s.things()/16))
				}
				v, err := s.Play(t.Context(), &script, PlayOptions{Steps: steps})
				if err != nil {
					t.Fatal(err)
				}
				for _, b := range v.Breaches {
					t.Errorf("script %d, %s: %s: %s", n, &script, b.Cause, b.Text)
				}
			}
		})
	}
	if count["rigid"] < 17 || count["grain"] < 7 || count["floe"] < 8 {
		t.Errorf("%v scenes", count)
	}
}

// A script does the same whatever was played before, and says what it does.
func TestScriptsRepeat(t *testing.T) {
	for _, c := range []struct {
		scene string
		set   []string
	}{{"two-hands", nil}, {"packing", []string{"grain.number=30"}}, {"ice-cradle", nil}} {
		if testing.Short() && c.scene != "two-hands" {
			continue
		}
		t.Run(c.scene, func(t *testing.T) {
			used := stageOf(t, c.scene, c.set...)
			forces := func(s *Stage, n uint64) (all []vec) {
				script := s.Script(7, n)
				s.world = &listening{World: s.world, forces: &all}
				if _, err := s.Play(t.Context(), &script, PlayOptions{Steps: 300}); err != nil {
					t.Fatal(err)
				}
				return all
			}
			for n := range uint64(2) {
				forces(used, n)
			}
			fresh := stageOf(t, c.scene, c.set...)
			if a, b := used.Script(7, 2), fresh.Script(7, 2); a.String() != b.String() || len(a.Acts) < 4 {
				t.Fatalf("%s and %s", &a, &b)
			}
			a, b := forces(used, 2), forces(fresh, 2)
			if len(a) != len(b) || len(a) < 300 {
				t.Fatalf("%d and %d steps", len(a), len(b))
			}
			for i := range a {
				if a[i] != b[i] {
					t.Fatalf("step %d: %v and %v N", i, a[i], b[i])
				}
			}
		})
	}
}

// listening keeps the forces of a world.
type listening struct {
	physics.World
	forces *[]vec
}

func (l *listening) Step(in physics.Input) physics.Report {
	r := l.World.Step(in)
	*l.forces = append(*l.forces, r.Force)
	return r
}

func (l *listening) LocalSecond(m *local.Model) { l.World.(physics.TwoHanded).LocalSecond(m) }

// Scripts are those of their seed, do all that a hostile hand does, and reach what they should.
func TestScriptsAreHostile(t *testing.T) {
	s := puppetStage(t, &puppet{})
	kinds, hands := map[ActKind]int{}, map[int]int{}
	slow, fast, jumps := 1.0, 0.0, 0
	for n := range uint64(300) {
		a, b := s.Script(3, n), s.Script(3, n)
		if a.String() != b.String() {
			t.Fatalf("%s and %s", &a, &b)
		}
		for i := range a.Acts {
			act := &a.Acts[i]
			kinds[act.Kind]++
			hands[act.Hand]++
			if act.Kind > ActCircle {
				continue
			}
			if math.IsInf(act.Speed, 1) {
				jumps++
			} else {
				slow, fast = min(slow, act.Speed), max(fast, act.Speed)
			}
		}
	}
	for k := ActTo; k <= ActRhythm; k++ {
		if kinds[k] == 0 {
			t.Errorf("no act of kind %d", k)
		}
	}
	if len(hands) != 3 || jumps == 0 || slow > 5e-3 || fast < 8 || fast > 10 {
		t.Errorf("hands %v, %d jumps, %g to %g m/s", hands, jumps, slow, fast)
	}
	a, b := s.Script(3, 0), s.Script(4, 0)
	if a.String() == b.String() {
		t.Error("the seed changes nothing")
	}
}

// A puppet that does nothing wrong breaks no law; each lie breaks the one that it is about.
func TestEachLawIsJudged(t *testing.T) {
	nan := math.NaN()
	hold := Act{Kind: ActHold, Ticks: 30}
	draws := func(what func(f *physics.Frame)) func(p *puppet) { return func(p *puppet) { p.draws = what } }
	// once the puppet has made some steps
	late := func(what func(f *physics.Frame)) func(p *puppet) {
		return func(p *puppet) {
			p.draws = func(f *physics.Frame) {
				if p.steps > 210 {
					what(f)
				}
			}
		}
	}
	account := func(e ...physics.Entry) func(p *puppet) { return func(p *puppet) { p.account = e } }
	const tool = "a tool in a body"
	for _, c := range []struct {
		name string
		lie  func(p *puppet)
		acts []Act
		want Cause
	}{
		{"a force that is none", func(p *puppet) { p.force[1] = nan }, nil, NoNumber},
		{"an infinite torque in the frame", draws(func(f *physics.Frame) { f.Torque[0] = math.Inf(1) }), nil, NoNumber},
		{"a body nowhere", draws(func(f *physics.Frame) { f.Instances[1].Pose.Position[2] = nan }), nil, NoNumber},
		{"an infinite number", draws(func(f *physics.Frame) { f.Numbers[0] = math.Inf(1) }), nil, NoNumber},
		{"an arrow without an end", draws(func(f *physics.Frame) { f.Arrows = append(f.Arrows, physics.Arrow{Vector: vec{nan}}) }), nil, NoNumber},
		{"a model that is none", func(p *puppet) { p.local = func(m *local.Model) { m.Field.K[3] = nan } }, nil, NoNumber},
		{"a sample that is none", func(p *puppet) { p.sample = map[string]any{"at": []vec{{0, nan, 0}}} }, []Act{{Kind: ActHold, Ticks: widely}}, NoNumber},
		{"put back", account(physics.Entry{Name: physics.PutBack, Value: 1}), nil, NoNumber},
		{"stands still", func(p *puppet) { p.stopped = errors.New("made up") }, nil, Lost},
		{"time from nowhere", func(p *puppet) { p.advanced = 1 }, nil, Slow},
		{"a contact that pulls", draws(func(f *physics.Frame) { f.Contacts = append(f.Contacts, physics.Contact{R: [3]float64{-1e-3, 0, 0}}) }), nil, Inadmissible},
		{"a contact out of its cone", draws(func(f *physics.Frame) {
			f.Contacts = append(f.Contacts, physics.Contact{R: [3]float64{1, 0.2, 0.3}, Mu: 0.3, Status: contact.Slip})
		}), nil, Inadmissible},
		{"a force far from everything", draws(func(f *physics.Frame) {
			if f.Stylus.Position[1] > 0.3 {
				f.Force = vec{0, 1e-6, 0}
			}
		}), nil, Hooked},
		{"a force far from everything, of a grip that holds nothing", func(p *puppet) {
			p.draws = func(f *physics.Frame) {
				if f.Numbers[1] = 0; f.Stylus.Position[1] > 0.3 {
					f.Force = vec{0, 1e-6, 0}
				}
			}
		}, nil, Hooked},
		{"a body in a body", late(func(f *physics.Frame) { f.Instances[1].Pose.Position[0] = 0.035 }), nil, Through},
		{"a body in the floor", late(func(f *physics.Frame) { f.Instances[1].Pose.Position[1] = 0.01 }), nil, Through},
		{tool, func(p *puppet) {}, []Act{{Kind: ActTo, Speed: math.Inf(1), Ticks: 1, Depth: 0.5}, hold}, Through},
		{"through a wall", account(physics.Entry{Name: physics.Escaped, Value: 2}), nil, Through},
		{"energy", account(physics.Entry{Name: physics.EnergyUnexplained, Value: 0.2}, physics.Entry{Name: physics.EnergyMoved, Value: 10.0}), nil, Energy},
		{"momentum", account(physics.Entry{Name: physics.MomentumUnexplained, Value: 2e-6}, physics.Entry{Name: physics.MomentumMoved, Value: 1.0}), nil, Energy},
		{"a key that takes what it refuses", func(p *puppet) { p.takes = true }, []Act{{Kind: ActBad, Key: "friction", Value: nan}, {Kind: ActKey, Key: "friction", Value: 0.5}}, Unrefused},
		{"a panic", func(p *puppet) {
			p.step = func() {
				if p.steps > 250 {
					panic("made up")
				}
			}
		}, nil, Panicked},
	} {
		p := &puppet{}
		s := puppetStage(t, p)
		script := Script{Acts: append([]Act{hold}, c.acts...)}
		if c.name != tool {
			if v, err := s.Play(t.Context(), &script, PlayOptions{}); err != nil || len(v.Breaches) > 0 {
				t.Fatalf("honest: %v, %v", err, v.Breaches)
			}
		}
		p.steps = 200
		c.lie(p)
		v, err := s.Play(t.Context(), &script, PlayOptions{})
		if err != nil || len(v.Breaches) == 0 || v.Breaches[0].Cause != c.want {
			t.Errorf("%s: %v, %v, want %s", c.name, err, v.Breaches, c.want)
		}
		if c.name == "a body in a body" { // a world that says that its contacts are not solved
			in := p.draws
			p.steps, p.draws = 200, func(f *physics.Frame) { in(f); f.Numbers[0] = 0.1 }
			if v, err := s.Play(t.Context(), &script, PlayOptions{}); err != nil || len(v.Breaches) > 0 {
				t.Errorf("warned: %v, %v", err, v.Breaches)
			}
		}
	}
}

// What a grip holds pulls at its tool, wherever that is, and may be in it, as may what the world
// lets pass through each other. When that ends they come apart: they may be no deeper than they were.
func TestWhatIsLetBeInEachOther(t *testing.T) {
	hold := Act{Kind: ActHold, Ticks: 400}
	let := []physics.Entry{{Name: physics.Apart, Value: [][2]int{{1, 0}, {1, physics.ApartTool(1)}}}}
	for _, c := range []struct {
		name  string
		draws func(p *puppet, f *physics.Frame)
		want  Cause
	}{
		{"held", func(p *puppet, f *physics.Frame) { f.Numbers[1], f.Force = 1, vec{0, 1, 0} }, causes},
		{"a tool in what it holds", func(p *puppet, f *physics.Frame) {
			p.account = let
			f.Instances[1].Pose.Position = f.Second.Stylus.Position
		}, causes},
		{"another tool in it", func(p *puppet, f *physics.Frame) { p.account = let; f.Instances[1].Pose.Position = f.Stylus.Position }, Through},
		{"let go", func(p *puppet, f *physics.Frame) {
			if p.account = let; p.steps > 300 {
				p.account = nil
			}
			f.Instances[1].Pose.Position[0] = 0.035 + 1e-5*math.Max(float64(p.steps-300), 0)
		}, causes},
		{"let go, and deeper", func(p *puppet, f *physics.Frame) {
			if p.account = let; p.steps > 300 {
				p.account = nil
			}
			f.Instances[1].Pose.Position[0] = 0.035 - 1e-5*math.Max(float64(p.steps-300), 0)
		}, Through},
	} {
		p := &puppet{}
		s := puppetStage(t, p)
		p.draws = func(f *physics.Frame) {
			if p.steps > 210 {
				c.draws(p, f)
			}
		}
		p.steps = 200
		v, err := s.Play(t.Context(), &Script{Acts: []Act{hold}}, PlayOptions{})
		if err != nil || (c.want == causes) != (len(v.Breaches) == 0) || c.want != causes && v.Breaches[0].Cause != c.want {
			t.Errorf("%s: %v, %v", c.name, err, v.Breaches)
		}
	}
}

// A device that jumps, lets go or sends more than it may is told from one that does not, as is
// a force that is sent far from everything.
func TestPlayFeelsJolts(t *testing.T) {
	for name, want := range map[string]Cause{"": causes, "jumps": Jolted, "drops": Jolted, "too strong": Force, "holds on": Hooked, "no number": NoNumber} {
		s := puppetStage(t, &puppet{})
		d := &liar{name: name}
		v, err := s.Play(t.Context(), &Script{Acts: []Act{{Kind: ActHold, Ticks: 30}}}, PlayOptions{Device: func() Device { return d }})
		if err != nil || (want == causes) != (len(v.Breaches) == 0) || want != causes && v.Breaches[0].Cause != want {
			t.Errorf("%q: %v, %v", name, err, v.Breaches)
		}
	}
}

// liar is a device that does wrong by its name, from its 20th tick on.
type liar struct {
	name  string
	ticks int
}

func (*liar) Couple(float64) (c physics.Coupling) { return c }

func (d *liar) Begin(frame.Pose) { d.ticks = 0 }

func (d *liar) Tick(at frame.Pose, m *local.Model) (f Felt) {
	d.ticks++
	f.Limit, f.Most, f.Stylus = 1, 0.5, at
	if d.ticks < 20 {
		return f
	}
	switch d.name {
	case "jumps":
		f.Force[0] = 0.6 * float64(d.ticks/2%2)
	case "drops":
		f.Dropped = "made up"
	case "too strong":
		f.Force[0], f.Most = 1.1, 2
	case "holds on":
		f.Force[0] = 1e-3
	case "no number":
		f.Torque[2] = math.NaN()
	}
	return f
}

// What is left of a script that fails is what makes it fail.
func TestShortenKeepsWhatFails(t *testing.T) {
	s := puppetStage(t, &puppet{takes: true})
	hold := Act{Kind: ActHold, Ticks: 3}
	script := Script{Acts: []Act{hold, {Kind: ActReset}, hold, {Kind: ActKey, Key: "friction", Value: 0.5}, hold, {Kind: ActTurn, Way: vec{0, 1, 0}, Speed: 1, Ticks: 5}, hold}}
	short, v, err := s.Shorten(t.Context(), script, Unrefused, 40, PlayOptions{})
	if err != nil || v == nil || len(short.Acts) != 1 || short.Acts[0].Kind != ActKey {
		t.Errorf("%v, %v, %s", err, v, &short)
	}
}

// A turn goes about its axis and ends where it should; a circle comes back.
func TestActsGoWhereTheySay(t *testing.T) {
	s := puppetStage(t, &puppet{})
	p := &play{s: s}
	p.hand[0] = frame.At(vec{1, 2, 3})
	turn, _ := p.way(&Act{Kind: ActTurn, Way: vec{0, 0.5, 0}, Speed: 1e9})(0, 1)
	if want := mgl64.QuatRotate(0.5, vec{0, 1, 0}); turn.Rotation.Sub(want).Len() > 1e-12 || turn.Position != p.hand[0].Position {
		t.Errorf("%v", turn)
	}
	round, done := p.way(&Act{Kind: ActCircle, Way: vec{0.1, 0, 0}, Turns: 2, Speed: 1e9})(0, 1)
	half, early := p.way(&Act{Kind: ActCircle, Way: vec{0.1, 0, 0}, Turns: 2, Speed: 0.1 * math.Pi * 1e3})(0, 1)
	if round.Position.Sub(p.hand[0].Position).Len() > 1e-12 || !done || math.Abs(half.Position.Sub(p.hand[0].Position).Len()-0.2) > 1e-12 || early {
		t.Errorf("%v, %v", round, half)
	}
}
