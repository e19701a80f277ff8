package grain

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/frame"
)

// The motion that planes allow is the closest one: on the right side of all of them, and away from the wanted one by
// forces of those that hold it, which only push (Karush, Kuhn and Tucker). Where planes exclude each other that is said.
func TestClosestMotionIsThat(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	s := stops{sigma: 1e-3, reach: 0.02}
	held, excluded := 0, 0
	for range 2000 {
		s.planes = s.planes[:0]
		for range 1 + rng.IntN(12) {
			n := mgl64.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}.Normalize()
			x := mgl64.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}.Mul(s.reach)
			s.plane(frame.At(mgl64.Vec3{}), touch{point: x, normal: n}, 1e-3*rng.NormFloat64())
			if rng.IntN(4) == 0 { // nearly the same once more, as along curved obstacles
				p := s.planes[len(s.planes)-1]
				p.along[0] += 1e-6
				s.planes = append(s.planes, p)
			}
		}
		var wanted [6]float64
		for k := range wanted {
			wanted[k] = 1e-3 * rng.NormFloat64()
			if k >= 3 {
				wanted[k] /= s.reach
			}
		}
		d, ok := s.closest(wanted)
		if !ok {
			excluded++
			continue
		}
		left := [6]float64{}
		for k := range left {
			scale := 1.0
			if k >= 3 {
				scale = s.reach
			}
			d[k] *= scale
			left[k] = d[k] - scale*wanted[k]
		}
		most := 1e-3
		for i := range s.planes {
			p := &s.planes[i]
			beyond := dot6(&p.along, &d) - p.least
			if beyond < -touching*s.sigma || p.force < 0 || p.force > 0 && beyond > touching*s.sigma {
				t.Fatalf("plane %d: %g m on the right side, held by %g", i, beyond, p.force)
			}
			if p.force > 0 {
				held++
			}
			most += p.force
			add6(&left, -p.force, &p.along)
		}
		if off := math.Sqrt(dot6(&left, &left)); off > 1e-8*most {
			t.Fatalf("%g m are of no plane", off)
		}
	}
	if held == 0 || excluded == 0 {
		t.Errorf("%d planes held, %d times they excluded each other", held, excluded)
	}
}

// counted is an obstacle that counts how often it is asked.
type counted struct {
	Shape
	asked int
}

func (c *counted) Closest(p mgl64.Vec3) (mgl64.Vec3, bool) {
	c.asked++
	return c.Shape.Closest(p)
}

// What is known of a tool from earlier poses leaves out no point that is nearer: a tool that wanders about finds the
// same gap as one that knows nothing, to what both may miss, and asks less.
func TestWhatIsKnownOfGapsHolds(t *testing.T) {
	for name, start := range map[string]mgl64.Vec3{"snowball": {0, 0.03, 0}, "sandbox": {0, 0.02, 0}} {
		l := openScene(t, name)
		s := &l.stops
		fresh := stopsOf(&l.scene.Tool, s.sigma, s.obstacles, l.info.Start)
		rng := rand.New(rand.NewPCG(5, 6))
		pose, near, knowing, new := frame.At(start), 0, 0, 0
		count := func(s *stops, pose frame.Pose) (touch, int) {
			asked := 0
			s.obstacles = append([]Shape(nil), l.world.obstacles[:l.which]...)
			for o := range s.obstacles {
				s.obstacles[o] = &counted{Shape: s.obstacles[o]}
			}
			found := s.worst(pose)
			for _, o := range s.obstacles {
				asked += o.(*counted).asked
			}
			return found, asked
		}
		for range 600 {
			any := func() mgl64.Vec3 { return mgl64.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()} }
			pull := start.Sub(pose.Position).Mul(0.01)
			pose.Position = pose.Position.Add(any().Mul(l.world.stride() / 16).Add(pull))
			pose.Rotation = frame.Exp(any().Mul(l.world.stride() / 16 / s.reach)).Mul(pose.Rotation).Normalize()
			for i := range fresh.known {
				fresh.known[i] = math.Inf(-1)
			}
			for o := range s.inside { // what the tool is in, too
				s.inside[o], fresh.inside[o] = false, false
			}
			is, asked := count(s, pose)
			would, asks := count(&fresh, pose)
			if math.Abs(is.gap-would.gap) > missed*s.sigma {
				t.Fatalf("%s: a gap of %g sigma, %g when nothing is known", name, is.gap/s.sigma, would.gap/s.sigma)
			}
			if is.gap < s.sigma {
				near++
			}
			knowing, new = knowing+asked, new+asks
		}
		t.Logf("%s: %d poses near, %d questions, %d without knowledge", name, near, knowing, new)
		if near < 100 || knowing > new*3/4 {
			t.Errorf("%s: %d poses near something; %d questions, %d when nothing is known", name, near, knowing, new)
		}
	}
}

// A tool that is held costs few questions: a bowl that is pressed against another, all around its rim, and turned.
func TestHeldToolIsCheap(t *testing.T) {
	l := openScene(t, "snowball", "source.most=1", "grain.number=0")
	s := &l.stops
	count := make([]*counted, len(s.obstacles))
	for o := range s.obstacles {
		count[o] = &counted{Shape: s.obstacles[o]}
	}
	for o := range count {
		s.obstacles[o] = count[o]
	}
	to := l.info.Start
	own, held := 0, 0
	for k := range 200 { // down, and to and fro at 0.1 m/s
		to.Position = mgl64.Vec3{1e-3 * math.Sin(float64(k)/10), max(0.02, 0.105-1e-3*float64(k)), 1e-3 * math.Cos(float64(k)/10)}
		to.Rotation = frame.Exp(mgl64.Vec3{0, 0, 0.1 * math.Sin(float64(k)/20)})
		before := l.world.clock.steps
		r := l.Step(physics.Input{Target: to, Hand: to, Dt: 1e-3})
		own += l.world.clock.steps - before
		if !r.Reached {
			held++
		}
	}
	asked := 0
	for _, c := range count {
		asked += c.asked
	}
	t.Logf("%d questions in %d own steps, held in %d steps", asked, own, held)
	if held < 100 || asked > 1200*own {
		t.Errorf("%d questions in %d own steps, held in %d steps", asked, own, held)
	}
}

// A moving tool has no grains listed anew, and no grain that it acts on is left out.
func TestToolMovesAmongListedGrains(t *testing.T) {
	l := openScene(t, "packing")
	w := l.world
	rest := l.info.Start
	for range 100 {
		l.Step(physics.Input{Target: rest, Dt: 5e-3})
	}
	acted, relisted := 0, 0
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		to := frame.At(mgl64.Vec3{0.02 * rng.NormFloat64(), 0.03 + 0.03*rng.NormFloat64(), 0.02 * rng.NormFloat64()})
		l.Step(physics.Input{Target: to, Dt: w.Dt()})
		at := w.mover.listedAt
		w.forces()
		if w.mover.listedAt != at {
			relisted++
		}
		found := make(map[int32]bool)
		for i := range w.tasks {
			for _, near := range w.tasks[i].near {
				if w.tasks[i].move && int(near.obstacle) == l.which && !(near.beyond > w.mover.way()) {
					found[near.grain] = true
				}
			}
		}
		for i := range int32(w.N()) {
			x := mgl64.Vec3(w.pos[4*i:][:3])
			if q, ok := l.tool.Closest(x); ok && q.Sub(x).Len() < CutOff*w.model.Sigma {
				acted++
				if !found[i] {
					t.Fatalf("a grain %g sigma from the tool is left out", q.Sub(x).Len()/w.model.Sigma)
				}
			}
		}
	}
	if acted == 0 {
		t.Error("the tool acts on no grain")
	}
	var listings [2]int
	for k := range listings {
		l := openScene(t, "packing")
		to := l.info.Start
		for j := range 400 {
			to.Position[0] = float64(k) * 0.02 * math.Sin(float64(j)/10)
			l.Step(physics.Input{Target: to, Dt: l.world.Dt()})
		}
		listings[k] = l.world.report.Listings
	}
	if listings[0] != listings[1] {
		t.Errorf("grains are listed %d times, %d times where a tool moves over them", listings[0], listings[1])
	}
}

// A solid obstacle lets no grain through that goes many times its own size in a step: it is looked for as far as it may
// come.
func TestFastGrainsComeToSolidObstacles(t *testing.T) {
	for _, o := range []Shape{
		&Rectangle{Origin: mgl64.Vec3{-10, -20, -10}, Normal: mgl64.Vec3{0, 1, 0}, Along: mgl64.Vec3{0, 0, 1}, Length: 20, Width: 20},
		&Brick{Origin: mgl64.Vec3{-10, -20, 10}, Normal: mgl64.Vec3{0, 1, 0}, Along: mgl64.Vec3{1, 0, 0}, Length: 20, Width: 20, Height: 1},
	} {
		for _, way := range []float64{0.1, 1, 3, 7, 30} {
			const dt = 1e-3
			w, err := New(Config{Step: dt, Interaction: Interaction{Sigma: 1, Epsilon: 1}, Obstacles: []Shape{o}, Solid: true,
				Grains: []Grain{{Radius: 0.5, Density: 1, Position: mgl64.Vec3{0, 0.3, 0}, Velocity: mgl64.Vec3{0, -way / dt, 0}}}})
			if err != nil {
				t.Fatal(err)
			}
			turned := false
			for range int(60 / way) {
				w.Step(1)
				turned = turned || w.Velocity(0)[1] > 0
				if y := w.Position(0)[1]; y < -20 {
					t.Errorf("%T: a grain that goes %g sigma in a step has gone through, to %g", o, way, y)
					break
				}
			}
			if !turned && w.Position(0)[1] > -20 {
				t.Errorf("%T: a grain that goes %g sigma in a step never came", o, way)
			}
			w.Close()
		}
	}
}
