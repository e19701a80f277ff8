package floe

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/assets"
	"hapco/physics"
	"hapco/physics/files/setting"
	"hapco/physics/frame"
	"hapco/physics/local"
	"hapco/physics/machinery/testkit"
	"hapco/physics/numerics/num"
)

func openFile(t testing.TB, name string, text []byte, set ...string) *live {
	t.Helper()
	s, err := Read(name, text)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range set {
		if err := s.Set(a); err != nil {
			t.Fatal(err)
		}
	}
	w, _, err := s.Open(context.Background(), physics.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w.(*live)
}

func openScene(t testing.TB, name string, set ...string) *live {
	t.Helper()
	_, text, err := setting.FileText(name)
	if err != nil {
		t.Fatal(err)
	}
	return openFile(t, name, text, set...)
}

// ownScenes are the embedded scenes of floes.
func ownScenes(t *testing.T) (names []string) {
	t.Helper()
	for _, name := range assets.Scenes() {
		if text, err := assets.Scene(name); err != nil {
			t.Fatal(err)
		} else if setting.KindOf(text) == "floe" {
			names = append(names, name)
		}
	}
	if len(names) < 3 {
		t.Fatalf("scenes %v", names)
	}
	return names
}

// Every scene runs for ten seconds under a hand that probes: numbers are finite, the
// account of energy closes, what the hand feels is a spring as stiff as the scene says,
// and no force jumps.
func TestScenesUnderTheHand(t *testing.T) {
	for _, name := range ownScenes(t) {
		t.Run(name, func(t *testing.T) {
			l := openScene(t, name)
			if l.scene.Field.Floes > 150 { // few floes jam as well, sooner
				l = openScene(t, name, "field.number=100", "pace=1")
			}
			var f physics.Frame
			var m local.Model
			local.Make(&m, 1)
			offsets := l.scene.Path("sliding").Offsets()
			pose := l.info.Start
			const steps = 500
			before, most := mgl64.Vec3{}, 0.0
			for i := range steps {
				// there and back, with a tremor, up and down
				at := min(2*i, 2*(steps-1)-2*i) * (len(offsets) - 1) / steps
				pose.Position = l.info.Start.Position.Add(offsets[at]).Add(mgl64.Vec3{0, 0.02 * math.Sin(0.1*float64(i)), 3e-4 * math.Sin(2*float64(i))})
				r := stepped(l, physics.Input{Target: pose, Hand: pose, Dt: 0.02})
				l.Local(&m)
				if !m.Finite() || m.Field.On == l.world.hand.loose || !r.Reached {
					t.Fatalf("step %d: %+v, %v", i, m.Field, l.world.err)
				}
				force := mgl64.Vec3(m.Field.Force[:3])
				if force != r.Force || force[1] != 0 {
					t.Fatalf("step %d: felt %v, reported %v", i, force, r.Force)
				}
				most = max(most, force.Len())
				// The spring's end is pulled at tool.speed at most, and the tool is not much
				// faster; where a floe hits it, it leaps by half a newton at most.
				if jump, bound := force.Sub(before).Len(), l.now.Tool.Hand*6*l.now.Tool.Speed*0.02*l.now.Pace/l.now.Scale; jump > max(bound, 0.5) {
					t.Fatalf("step %d: the force jumps by %g N, %g N is expected at most", i, jump, bound)
				}
				before = force
				if i%10 == 0 {
					l.Draw(&f)
					for k, x := range f.Numbers {
						if !num.Finite(x) {
							t.Fatalf("%s = %g", l.info.Numbers[k].Name, x)
						}
					}
				}
			}
			k := m.Field.K
			for i := range k {
				if l.world.hand.loose {
					break
				}
				if want := map[int]float64{0: l.now.Tool.Hand, 14: l.now.Tool.Hand, 28: k[28]}[i]; k[i] != want {
					t.Errorf("K[%d] = %g, want %g", i, k[i], want)
				}
			}
			e := l.world.Energy()
			sum := e.Start + e.Wind + e.Water + e.Body + e.Coriolis + e.Tool - e.Impact - e.Friction - e.Fracture
			if scale := e.Start + math.Abs(e.Wind) + math.Abs(e.Tool); math.Abs(sum-e.Kinetic) > 1e-8*scale || !num.Finite(e.Kinetic) {
				t.Errorf("the account of energy gives %g J, the floes have %g", sum, e.Kinetic)
			}
			if !(most > 0) {
				t.Error("nothing was felt")
			}
			t.Logf("%.3g s at sea, at most %.3g N, %+v", l.world.Time(), most, l.world.Report())
		})
	}
}

// Wind and current jam the ice in the strait: what moved comes to rest there, and few floes
// get through. A hand from behind breaks the arch, and the ice moves again.
func TestStraitJamsAndIsBrokenOpen(t *testing.T) {
	testkit.Slow(t)
	l := openScene(t, "ice-strait")
	w := l.world
	pose := l.info.Start
	most := 0.0
	step := func() {
		stepped(l, physics.Input{Target: pose, Dt: 0.2 / 14 * 4})
		most = max(most, w.Kinetic())
	}
	for range 600 { // 480 s at sea
		step()
	}
	passed, cracks, jammed := 0, w.Report().Cracks, w.Kinetic()
	for i := range w.bodies {
		if b := &w.bodies[i]; !b.fixed && !b.tool && b.g[0] > 13 {
			passed++
		}
	}
	if jammed > 0.1*most || passed > 25 || w.Report().Largest < 200 {
		t.Errorf("the ice has %g J of %g J, %d floes got through; %+v", jammed, most, passed, w.Report())
	}
	most = 0
	for k := range 150 { // all of the strait
		u := float64(k) / 300
		pose.Position = l.onTable(Vec2{50 - 180*u, 7 * math.Sin(40*u)}, 0)
		step()
	}
	if most < 4*jammed || w.Report().Cracks <= cracks || w.err != nil {
		t.Errorf("pushed, the ice has %g J, jammed it had %g J; %d cracks, %d before; %v", most, jammed, w.Report().Cracks, cracks, w.err)
	}
	t.Logf("jammed %g J, pushed %g J, %d passed, %d cracks of %d", jammed, most, passed, w.Report().Cracks-cracks, w.Report().Cracks)
}

// The hand pushes a floe against a wall: it feels the ice's force, scaled, for good.
func TestJammedIceIsFeltAsASpring(t *testing.T) {
	l := openFile(t, "x.toml", []byte(`kind = "floe"
window = 0.02
[[floe]]
fixed = true
size = [2, 20]
position = [10, 0]
[[floe]]
size = [4, 4]
position = [6.5, 0]
[tool]
length = 2
position = [2, 0]
mass = 500
stiffness = 1e4
hand = 100
`))
	pose := l.info.Start
	pose.Position[0] += 4 / l.now.Scale // 1.5 m of water and gaps, the rest presses
	var m local.Model
	local.Make(&m, 1)
	var r physics.Report
	for range 3000 {
		r = stepped(l, physics.Input{Target: pose, Dt: 0.01})
	}
	l.Local(&m)
	ice, _ := l.world.handForce()
	if want := ice[0] / l.newtons(); math.Abs(r.Force[0]-want) > 1e-3*math.Abs(want) || !(r.Force[0] < -0.05) || m.Field.Force[0] != r.Force[0] {
		t.Errorf("the hand feels %v N, the ice gives %v N, 1 N for %g N", r.Force, ice, l.newtons())
	}
	// Farther into the ice the force grows as the model says that it would.
	pose.Position[0] += 1e-3
	for range 3000 {
		r = stepped(l, physics.Input{Target: pose, Dt: 0.01})
	}
	if got, want := r.Force[0], m.Field.Force[0]-m.Field.K[0]*1e-3; math.Abs(got-want) > 0.02*math.Abs(want) {
		t.Errorf("1 mm farther the hand feels %g N, the model said %g N", got, want)
	}
}

// A hand that is nowhere, or leaps, neither moves the tool at once nor is felt as more
// than the spring allows.
func TestHostileHand(t *testing.T) {
	l := openScene(t, "ice-breaking")
	var m local.Model
	local.Make(&m, 1)
	for i := range 200 {
		pose := l.info.Start
		switch i % 4 {
		case 0:
			pose.Position = mgl64.Vec3{math.NaN(), 0, math.Inf(1)}
		case 1:
			pose.Position = mgl64.Vec3{0.18, 5, -0.1}
		case 2:
			pose.Position = mgl64.Vec3{-0.18, -5, 0.1}
		case 3:
			pose = frame.Pose{}
		}
		r := stepped(l, physics.Input{Target: pose, Dt: 0.02})
		l.Local(&m)
		if !m.Finite() || r.Force.Len() > 20 {
			t.Fatalf("step %d: %v", i, r.Force)
		}
	}
	if tool, _ := l.world.tool(); !(tool.Velocity.Len() < 3*l.now.Tool.Speed) {
		t.Errorf("the tool goes at %v m/s", tool.Velocity)
	}
}

// A blow breaks a floe: its pieces are drawn, the crack is marked on both, and a reset
// makes it whole again.
func TestABlowIsSeen(t *testing.T) {
	l := openScene(t, "ice-breaking")
	var f physics.Frame
	gaps := func() (n int) {
		for i := range f.Vertices {
			if f.Vertices[i].Color == gap {
				n++
			}
		}
		return n
	}
	l.Draw(&f)
	whole, floes := len(f.Triangles), f.Numbers[numFloes]
	pose := l.info.Start
	for i := range 150 {
		pose.Position[2] = l.info.Start.Position[2] - 0.08*min(1, float64(i)/75)
		stepped(l, physics.Input{Target: pose, Dt: 0.02})
	}
	l.Draw(&f)
	splits := int(f.Numbers[numSplits])
	if splits < 1 || f.Numbers[numFloes] != floes+float64(splits) || len(f.Triangles) <= whole || gaps() < 8 {
		t.Errorf("%d cracks, %g floes of %g, %d triangles of %d, %d corners of gaps", splits, f.Numbers[numFloes], floes, len(f.Triangles), whole, gaps())
	}
	for _, tri := range f.Triangles {
		if int(max(tri[0], tri[1], tri[2])) >= len(f.Vertices) {
			t.Fatal("a triangle without corners")
		}
	}
	l.Reset()
	l.Draw(&f)
	if len(f.Triangles) != whole || f.Numbers[numSplits] != 0 || f.Stylus != l.info.Start {
		t.Errorf("after a reset: %d triangles of %d, %g cracks, stylus %v", len(f.Triangles), whole, f.Numbers[numSplits], f.Stylus)
	}
}

// In the cradle the last floe leaves where shocks go pair by pair; without that all move.
func TestCradleScene(t *testing.T) {
	for _, pairwise := range []string{"true", "false"} {
		l := openScene(t, "ice-cradle", "repairs.sequential="+pairwise)
		for range 200 {
			stepped(l, physics.Input{Target: l.info.Start, Dt: 0.02})
		}
		first, middle, last := l.world.State(0).Velocity[0], l.world.State(2).Velocity[0], l.world.State(4).Velocity[0]
		alone := last > 0.7 && math.Abs(first) < 0.1 && math.Abs(middle) < 0.1
		if alone != (pairwise == "true") {
			t.Errorf("pair by pair %s: the first, middle and last floe go at %.2g, %.2g and %.2g m/s", pairwise, first, middle, last)
		}
	}
}

// Live parameters reach the engine, and wrong ones are refused and change nothing.
func TestKeysReachTheIce(t *testing.T) {
	l := openScene(t, "ice-breaking")
	keys := l.Keys()
	set := func(name string, x float64) error {
		i := physics.Place(keys, name)
		if i < 0 {
			t.Fatalf("no key %s", name)
		}
		return keys[i].Set(x)
	}
	for name, x := range map[string]float64{"wind.speed": 12, "wind.direction": math.Pi / 2, "current.speed": 0.5, "coriolis": 0.01, "restitution": 0.7, "friction": 0.6,
		"law": 2, "repairs.sequential": 1, "repairs.rest": 0, "fracture.on": 1, "fracture.strength": 1e6, "view.relief": 4, "view.color": 1, "tool.hand": 300} {
		if err := set(name, x); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	w, c := l.world, &l.world.config
	if u := c.Environment.Air.at(0); u.Sub(Vec2{0, 12}).Len() > 1e-12 || c.Environment.Water.at(0)[0] != 0.5 || c.Environment.Coriolis != 0.01 || c.Restitution != 0.7 || c.Friction != 0.6 ||
		c.Law != "nsgs" || w.jobs.solvers[0].cone == nil || !c.Repairs.Sequential || c.Repairs.Rest || c.Fracture.Strength != 1e6 {
		t.Errorf("the world has %v, %+v", u, c.Repairs)
	}
	if err := set("restitution", 2); err == nil || c.Restitution != 0.7 || l.now.Restitution != 0.7 {
		t.Errorf("a restitution of 2: %v", err)
	}
	if err := set("law", 0); err != nil || w.jobs.solvers[0].cone != nil || c.Law != LawLCP {
		t.Errorf("back to the complementarity problem: %v", err)
	}
	if err := set("fracture.on", 0); err != nil || c.Fracture != nil {
		t.Error("floes still break")
	}
	for range 20 {
		stepped(l, physics.Input{Target: l.info.Start, Dt: 0.02})
	}
	if w.err != nil || !(w.Energy().Wind > 0) {
		t.Errorf("%v, the wind gave %g J", w.err, w.Energy().Wind)
	}
}

// Neither a step nor a frame allocates once warm, where nothing breaks. A crack does: a
// mesh, two floes, and longer lists.
func TestSeamAllocatesNothing(t *testing.T) {
	for _, name := range []string{"ice-ship", "ice-strait"} {
		l := openScene(t, name, "fracture.on=false", "field.number=40")
		var f physics.Frame
		var m local.Model
		local.Make(&m, 1)
		pose := l.info.Start
		offsets := l.scene.Path("sliding").Offsets()
		i := 0
		step := func() {
			pose.Position = l.info.Start.Position.Add(offsets[min(i, 2*len(offsets)-1-i)%len(offsets)])
			i = (i + 1) % (2 * len(offsets))
			stepped(l, physics.Input{Target: pose, Dt: 0.02})
			l.Local(&m)
			l.Draw(&f)
		}
		for range 4 * len(offsets) {
			step()
		}
		if n := testing.AllocsPerRun(50, step); n > 0.5 {
			t.Errorf("%s: %g allocations a step", name, n)
		}
	}
}

// Scene files that make no sense are refused with one line that names the cure.
func TestSceneFileIsChecked(t *testing.T) {
	for text, want := range map[string]string{
		"scale = 0\n":                           "scale",
		"restitution = 3\n":                     "restitution",
		"law = \"magic\"\n":                     "magic",
		"[[floe]]\nthickness = 1\n":             "outline, radius, size",
		"[[floe]]\nradius = 1\nsize = [1, 2]\n": "2 shapes",
		"[[floe]]\nradius = 1\ncopies = 0\n":    "copies",
		"[[floe]]\noutline = [[0, 0], [1]]\n":   "outline",
		"[[bank]]\nlow = [0, 0]\n":              "high",
		"[sea]\nlow = [5, 5]\nhigh = [1, 9]\n":  "sea.high",
		"[wind]\nspeed = 1\ngust = 3\n":         "wind.period",
		"[wind]\ngust = 3\nperiod = 1e-12\n":    "wind.period",
		"[wind]\ngust = 1e12\nperiod = 1\n":     "wind.gust",
		"window = 1e-12\n":                      "window",
		"[field]\nnumber = 99999999\n":          "field.number",
		"[fracture]\ntriangles = 1\n":           "fracture.triangles",
		"[tool]\nshape = \"plough\"\n":          "plough",
		"[view]\ncolour = \"ice\"\n":            "color",
		"[fracture]\nstrength = \"-3 kPa\"\n":   "strength",
	} {
		_, err := Read("x.toml", []byte("kind = \"floe\"\n"+text))
		if err == nil {
			t.Errorf("%q was read", text)
		} else if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", text, err)
		}
	}
	for text, want := range map[string]string{
		"[[floe]]\nradius = 5\n": "overlap", // the tool stands there
		"[[floe]]\nposition = [30, 0]\noutline = [[0, 0], [3, 3], [2, 0], [0, 1]]\n": "cross",
		"[[floe]]\nfile = \"none.geojson\"\n":                                        "none.geojson",
		"[field]\nnumber = 5\nlow = [0, 0]\nhigh = [-1, 0]\n":                        "field",
		"collision = 50\n[[floe]]\nradius = 5\nposition = [30, 0]\n":                 "collision",
	} {
		s, err := Read("x.toml", []byte("kind = \"floe\"\n"+text))
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if _, _, err := s.Open(context.Background(), physics.Options{}); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: opened with %v", text, err)
		}
	}
}

// Outlines come from a GeoJSON file beside the scene.
func TestFloesFromAFile(t *testing.T) {
	dir := t.TempDir()
	geo := `{"type": "FeatureCollection", "units": "m", "features": [{"type": "Feature", "properties": {"thickness_m": 2},
		"geometry": {"type": "Polygon", "coordinates": [[[10, 0], [14, 0], [14, 3], [10, 3], [10, 0]]]}}]}`
	if err := os.WriteFile(filepath.Join(dir, "ice.geojson"), []byte(geo), 0o644); err != nil {
		t.Fatal(err)
	}
	l := openFile(t, filepath.Join(dir, "x.toml"), []byte("kind = \"floe\"\n[[floe]]\nfile = \"ice.geojson\"\nposition = [0, 10]\n"))
	if s := l.world.State(0); s.Position.Sub(Vec2{12, 11.5}).Len() > 1e-9 || l.world.bodies[l.world.order[0]].thickness != 2 {
		t.Errorf("the floe is at %v", s.Position)
	}
}
