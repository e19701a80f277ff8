package grain

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/frame"
	"hapco/physics/local"
	"hapco/physics/machinery/testkit"
)

// gapOf is the least distance of the tool's bare surface from anything that stands, m, by brute force:
// from a grid of points on it.
func (l *live) gapOf() float64 {
	least := math.Inf(1)
	bare := l.scene.Tool.look(0)
	for _, tri := range bare.Triangles {
		a, b, c := bare.Vertices[tri[0]], bare.Vertices[tri[1]], bare.Vertices[tri[2]]
		const n = 2
		for i := range n + 1 {
			for j := range n + 1 - i {
				p := a.Mul(float64(i) / n).Add(b.Mul(float64(j) / n)).Add(c.Mul(float64(n-i-j) / n))
				for _, o := range l.world.obstacles[:l.which] {
					if k, ok := o.Closest(l.pose.Point(p)); ok {
						least = min(least, k.Sub(l.pose.Point(p)).Len())
					}
				}
			}
		}
	}
	return least
}

// A tool is a rigid body: its skin stays out of those of walls and obstacles, whatever the hand does,
// and it comes where the hand is where nothing stands.
func TestToolStaysOutOfWhatStands(t *testing.T) {
	for _, name := range grainScenes {
		t.Run(name, func(t *testing.T) {
			if name != "snowfall" {
				testkit.Slow(t)
			}
			l := openScene(t, name, "source.rate=0")
			if l.scene.Number > 0 {
				l = openScene(t, name, "grain.number=1")
			}
			sigma := l.world.model.Sigma
			rng := rand.New(rand.NewPCG(8, 9))
			start := l.info.Start
			stopped, came := 0, 0
			rounds := 12
			if testing.Short() {
				rounds = 4
			}
			for range rounds {
				to := frame.At(mgl64.Vec3{0.06 * (rng.Float64() - 0.5), 0.06 * rng.Float64(), 0.06 * (rng.Float64() - 0.5)})
				if l.scene.Tool.Kind != "ball" {
					to.Rotation = mgl64.QuatRotate(rng.Float64(), mgl64.Vec3{rng.Float64() - 0.5, rng.Float64() - 0.5, rng.Float64()}.Normalize())
				}
				for _, target := range []frame.Pose{to, start} {
					for k := range 40 {
						if r := l.Step(physics.Input{Target: target, Hand: target, Dt: 4e-3}); !r.Reached {
							stopped++
						}
						if k%8 != 7 {
							continue
						}
						if gap := l.gapOf(); gap < sigma*(1-missed-touching) {
							t.Fatalf("%.3g sigma from what stands, on the way to %v", gap/sigma, target)
						}
					}
				}
				if l.pose == start {
					came++
				}
			}
			if stopped == 0 || came == 0 {
				t.Errorf("%d steps in which the tool was stopped, it came back %d times of %d", stopped, came, rounds)
			}
		})
	}
}

// What stops the tool holds it only where it pushes: a ball that is pressed into the slope slides along
// it to the place that is closest to the hand, and the hand feels one contact that only pushes.
func TestToolSlidesAlongWhatStopsIt(t *testing.T) {
	l := openScene(t, "snowfall", "source.rate=0", "tool.position=[-40, 60, 30]")
	target := l.info.Start
	target.Position = mgl64.Vec3{-0.05, 0, 0.03}
	for range 100 {
		l.Step(physics.Input{Target: target, Hand: target, Dt: 4e-3})
	}
	k, ok := l.world.obstacles[0].Closest(target.Position)
	n := l.pose.Position.Sub(target.Position)
	if !ok || n.Len() < 1e-3 {
		t.Fatalf("the ball is at %v, the hand at %v", l.pose.Position, target.Position)
	}
	normal := k.Sub(target.Position).Normalize()
	if off := n.Sub(normal.Mul(n.Dot(normal))).Len(); off > 1e-3*n.Len() {
		t.Errorf("the ball is %g m beside the place that is closest to the hand", off)
	}
	var m local.Model
	local.Make(&m, 0)
	l.Local(&m)
	if m.N != 1 || m.Frame[0][0].Dot(normal) < 1-1e-6 || math.Abs(m.Free[0]) > 1e-5*l.world.model.Sigma {
		t.Errorf("the hand has %d contacts, normals %v, gaps %v", m.N, m.Frame, m.Free)
	}
}

// Whoever pushes a tool into a heap is resisted: the force on the tool does work against its way, and
// on the average points against it.
func TestHeapResistsTheTool(t *testing.T) {
	for name, deep := range map[string]float64{"packing": 0.03, "sandbox": 0.03} {
		t.Run(name, func(t *testing.T) {
			if name != "packing" {
				testkit.Slow(t)
			}
			l := openScene(t, name)
			pose := l.info.Start
			for range 300 { // the heap comes to rest
				l.Step(physics.Input{Target: pose, Dt: 2e-3})
			}
			top := 0.0
			for i := range l.world.N() {
				top = math.Max(top, l.world.Position(i)[1])
			}
			low := 0.0
			for _, x := range l.toolAt {
				low = math.Min(low, x[1])
			}
			pose.Position[1] = top - low
			for range 200 {
				l.Step(physics.Input{Target: pose, Dt: 2e-3})
			}
			work, sum, n := 0.0, 0.0, 0
			for gone := 0.0; gone < deep; gone += 1e-4 {
				pose.Position[1] -= 1e-4
				before := l.pose.Position
				r := l.Step(physics.Input{Target: pose, Dt: 2e-3})
				work += r.Force.Dot(l.pose.Position.Sub(before))
				if gone > deep/2 {
					sum += r.Force[1]
					n++
				}
			}
			t.Logf("%g J, %g N", work, sum/float64(n))
			if work >= 0 || sum <= 0 {
				t.Errorf("pushed %g m down into the heap: %g J are done on the tool, %g N is the mean force upwards", deep, work, sum/float64(n))
			}
		})
	}
}

// A grain that is thrown at an obstacle with more energy than its core has goes through it in the
// document's model, and comes back from one that is solid, with the speed that it came with; also from
// a corner, from inside a bowl, and where another pushes it on.
func TestSolidObstaclesLetNothingThrough(t *testing.T) {
	wall := func(normal, along mgl64.Vec3) Shape {
		return &Rectangle{Origin: mgl64.Vec3{-10, -10, -10}, Normal: normal, Along: along, Length: 20, Width: 20}
	}
	floor, side := wall(mgl64.Vec3{0, 1, 0}, mgl64.Vec3{0, 0, 1}), wall(mgl64.Vec3{1, 0, 0}, mgl64.Vec3{0, 1, 0})
	for name, c := range map[string]struct {
		obstacles []Shape
		way       mgl64.Vec3
		outside   func(p mgl64.Vec3) bool
	}{
		"wall":   {[]Shape{floor}, mgl64.Vec3{0.3, -1, 0.1}, func(p mgl64.Vec3) bool { return p[1] < -10 }},
		"corner": {[]Shape{floor, side}, mgl64.Vec3{-1, -1, 0.2}, func(p mgl64.Vec3) bool { return p[1] < -10 || p[0] < -10 }},
		"ball":   {[]Shape{&Ball{Center: mgl64.Vec3{0, -14, 0}, Radius: 4}}, mgl64.Vec3{0, -1, 0}, func(p mgl64.Vec3) bool { return p.Sub(mgl64.Vec3{0, -14, 0}).Len() < 4 }},
		"bowl":   {[]Shape{&Bowl{Opening: mgl64.Vec3{0, 1, 0}, Radius: 6}}, mgl64.Vec3{0.5, -1, 0.4}, func(p mgl64.Vec3) bool { return p[1] < 0 && p.Len() > 6 }},
	} {
		run := func(solid bool) (through bool, speed float64) {
			start := c.way.Mul(-3)
			if name != "bowl" {
				start = start.Add(mgl64.Vec3{0, -5, 0})
			}
			if name == "corner" {
				start = start.Add(mgl64.Vec3{-5, 0, 0})
			}
			mass := sphere(0.5) * 1.0
			v := math.Sqrt(2 * 4 * 48.12 / mass) // four times what the core holds
			w, err := New(Config{Step: 2e-3, Interaction: Interaction{Sigma: 1, Epsilon: 1}, Obstacles: c.obstacles, Solid: solid,
				Grains: []Grain{{Radius: 0.5, Density: 1, Position: start, Velocity: c.way.Normalize().Mul(v)}}})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			for range 500 {
				w.Step(1)
				through = through || c.outside(w.Position(0))
				if b := w.Balance(); b.Residual.Len() > 1e-9*mass*v {
					t.Fatalf("%s: %v N s are not explained", name, b.Residual)
				}
			}
			return through, w.Velocity(0).Len() / v
		}
		if through, _ := run(false); !through {
			t.Errorf("%s: nothing comes through the document's obstacle", name)
		}
		if through, speed := run(true); through || name != "bowl" && math.Abs(speed-1) > 1e-3 {
			t.Errorf("%s: through a solid obstacle: %v; %g times as fast afterwards", name, through, speed)
		}
	}
}

// What the scheme cannot have done comes from nowhere: the energy of each step is explained by tool, fluid
// and a bound of the scheme's error, and where somebody adds to it that is found.
func TestEnergyOfAStepIsExplained(t *testing.T) {
	l := openScene(t, "packing", "fluid.viscosity=0", "fluid.density=0")
	entry := func(name string) float64 {
		for _, e := range l.Account(false) {
			if e.Name == name {
				return e.Value.(float64)
			}
		}
		t.Fatalf("no %s", name)
		return 0
	}
	entry(physics.EnergyMoved)
	pose := l.info.Start
	for range 300 {
		pose.Position[1] -= 2e-4
		l.Step(physics.Input{Target: pose, Dt: 1e-3})
	}
	if left, moved := entry(physics.EnergyUnexplained), entry(physics.EnergyMoved); left > 0 || !(moved > 0) {
		t.Errorf("%g J of %g come from nowhere", left, moved)
	}
	w := l.world
	l.audit.begin(l)
	if !l.audit.ready(l) {
		t.Fatal("the step is not judged")
	}
	w.Step(1)
	for i := range w.vel {
		if i%4 != 3 {
			w.vel[i] *= 1.2
		}
	}
	l.audit.end(w)
	if left := entry(physics.EnergyUnexplained); !(left > 0) {
		t.Error("kinetic energy from nowhere is not found")
	}
}
