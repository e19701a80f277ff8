package grain

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/local"
)

// Grains that come and go leave the others as they are: a world that had grains added
// and taken out again moves as one that never saw them.
func TestAddAndRemoveLeaveOthersAlone(t *testing.T) {
	config := func() Config {
		c := Config{Step: 1e-4, Gravity: mgl64.Vec3{0, -9.81, 0}, Fluid: Water, Interaction: Interaction{Sigma: 4e-3, Epsilon: 1e-5},
			Obstacles: []Shape{&Plane{Normal: mgl64.Vec3{0, 1, 0}}}, Room: 400, Threads: 1}
		for i := range 200 {
			c.Grains = append(c.Grains, Grain{Radius: 2e-3, Density: 2000, Position: mgl64.Vec3{float64(i%6) * 5e-3, 5e-3 + float64(i/36)*5e-3, float64(i/6%6) * 5e-3}})
		}
		return c
	}
	a, err := New(config())
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	b, err := New(config())
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	rng := rand.New(rand.NewPCG(3, 4))
	added := 0
	for range 40 {
		for range 5 { // far from the others: they must not feel each other
			ok, err := b.Add(Grain{Radius: 1e-3, Density: 500, Velocity: mgl64.Vec3{0, 1, 0}, Position: mgl64.Vec3{1 + rng.Float64(), 0.5, rng.Float64()}})
			if err != nil {
				t.Fatal(err)
			}
			if ok {
				added++
			}
		}
		a.Step(5)
		b.Step(5)
		for b.N() > 203 {
			b.Remove(b.N() - 1 - rng.IntN(b.N()-200))
		}
	}
	if added < 100 {
		t.Fatalf("%d grains were added", added)
	}
	for i := range a.N() {
		if d := a.Position(i).Sub(b.Position(i)).Len(); d > 1e-12 {
			t.Fatalf("grain %d is %g m off", i, d)
		}
	}
	if left := b.Balance().Residual.Len(); left > 1e-12 {
		t.Errorf("%g N s of momentum came from nowhere", left)
	}
	if ok, err := b.Add(Grain{Radius: 1e-3, Density: 500, Position: b.Position(0)}); ok || err != nil {
		t.Errorf("a grain was added inside another: %v, %v", ok, err)
	}
	if _, err := b.Add(Grain{Radius: -1, Density: 500}); err == nil {
		t.Error("a grain of negative radius was added")
	}
	for b.N() > 0 {
		b.Remove(0)
	}
	b.Step(3)
	if left := b.Balance().Residual.Len(); left > 1e-12 {
		t.Errorf("%g N s are left over of an empty world", left)
	}
}

// What the fluid takes is what motion, pairs and weight lose, whichever loop moves the grains.
func TestDissipatedIsWhatEnergyLoses(t *testing.T) {
	for _, buoyancy := range []bool{false, true} { // the second is moved by the Go loop
		c := Config{Step: 2e-5, Gravity: mgl64.Vec3{0, -9.81, 0}, Fluid: Fluid{Density: 1000, Viscosity: 0.05}, Buoyancy: buoyancy,
			Interaction: Interaction{Sigma: 4e-3, Epsilon: 1e-4}, Obstacles: []Shape{&Plane{Normal: mgl64.Vec3{0, 1, 0}}}, Threads: 1}
		for i := range 27 {
			c.Grains = append(c.Grains, Grain{Radius: 2e-3, Density: 2500, Velocity: mgl64.Vec3{0.05, 0, 0},
				Position: mgl64.Vec3{float64(i % 3), 3 + float64(i/9), float64(i / 3 % 3)}.Mul(4.6e-3)})
		}
		w, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		first := w.Sums()
		w.Step(20000)
		last := w.Sums()
		w.Close()
		lost := first.Kinetic + first.Potential - last.Kinetic - last.Potential
		if math.Abs(w.Dissipated()-lost) > 0.005*lost || lost < 1e-5 {
			t.Errorf("buoyancy %v: the energy fell by %g J, the fluid took %g J", buoyancy, lost, w.Dissipated())
		}
	}
}

// Parameters may change between two steps; the time goes on.
func TestChange(t *testing.T) {
	c := Config{Step: 1e-4, Gravity: mgl64.Vec3{0, -9.81, 0}, Interaction: Interaction{Sigma: 4e-3, Epsilon: 1e-5},
		Grains: []Grain{{Radius: 2e-3, Density: 2000}, {Radius: 2e-3, Density: 2000, Position: mgl64.Vec3{1, 0, 0}}}}
	w, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	w.Step(10)
	c.Step, c.Gravity = 0, mgl64.Vec3{0, 2, 0}
	if err := w.Change(c); err != nil {
		t.Fatal(err)
	}
	if want := c.StableStep(); w.Dt() != want {
		t.Errorf("step %g, the stable one is %g", w.Dt(), want)
	}
	v := w.Velocity(0)[1]
	w.Step(5)
	if d := w.Velocity(0)[1] - v; math.Abs(d-5*2*w.Dt()) > 1e-15 {
		t.Errorf("gravity of 2 m/s^2 changed the speed by %g m/s in %g s", d, 5*w.Dt())
	}
	if want := 10*1e-4 + 5*w.Dt(); math.Abs(w.Time()-want) > 1e-15 {
		t.Errorf("time %g, want %g", w.Time(), want)
	}
	dt := w.Dt()
	c.Fluid.Density = -1
	if err := w.Change(c); err == nil || w.Dt() != dt {
		t.Errorf("a negative density was taken: %v", err)
	}
}

// A world with a source and a sink keeps its number of grains, and allocates nothing once
// they have come.
func TestSourceAllocatesNothing(t *testing.T) {
	l := openScene(t, "snowfall", "source.most=150", "source.rate=2000", "keep.low=[-110, 20, -70]", "source.speed=0.5", "source.low=[-60,90,-45]")
	var f physics.Frame
	var m local.Model
	local.Make(&m, 1)
	step := func() {
		l.Step(physics.Input{Target: l.info.Start, Dt: 5e-3})
		l.Local(&m)
		l.Draw(&f)
	}
	for range 400 {
		step()
	}
	made := l.made
	if n := testing.AllocsPerRun(100, step); n > 0.5 {
		t.Errorf("%g allocations a step", n)
	}
	if w := l.world; w.N() < 75 || w.N() > 150 || l.made <= made {
		t.Errorf("%d grains, %d came meanwhile", w.N(), l.made-made)
	}
}

// Closed forms agree with what one sees: the closest point lies on the surface, and no
// point of the drawn surface without its skin is closer.
func TestFormsAreWhatIsDrawn(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, f := range []form{{Kind: "ball", Radius: 0.4}, {Kind: "brick", Size: mgl64.Vec3{0.4, 0.7, 0.5}}, {Kind: "cylinder", Radius: 0.3, Length: 0.8},
		{Kind: "bowl", Radius: 0.5}, {Kind: "cap", Radius: 0.5}, {Kind: "scoop", Size: mgl64.Vec3{0.6, 0.3, 0.7}}} {
		look, shape := f.look(0), f.shape()
		for range map[bool]int{false: 200, true: 60}[testing.Short()] {
			p := mgl64.Vec3{rng.Float64() - 0.5, rng.Float64() - 0.5, rng.Float64() - 0.5}.Mul(3)
			if f.Kind == "cylinder" && p.Len() < 0.5 {
				continue // from inside the side is taken
			}
			k, ok := shape.Closest(p)
			if !ok {
				t.Fatalf("%s: nothing is closest to %v", f.Kind, p)
			}
			least := math.Inf(1)
			for _, tri := range look.Triangles {
				a, b, c := look.Vertices[tri[0]], look.Vertices[tri[1]], look.Vertices[tri[2]]
				for i := range 7 { // a few points of the triangle
					for j := range 7 - i {
						u, v := float64(i)/6, float64(j)/6
						least = min(least, a.Mul(1-u-v).Add(b.Mul(u)).Add(c.Mul(v)).Sub(p).Len())
					}
				}
			}
			if d := k.Sub(p).Len(); math.Abs(d-least) > 0.03 {
				t.Fatalf("%s: %g m from %v to the closest point, %g m to what is drawn", f.Kind, d, p, least)
			}
		}
		for _, tri := range look.Triangles { // they face away from the inside of the skin
			fat := f.look(0.01)
			a, b, c := fat.Vertices[tri[0]], fat.Vertices[tri[1]], fat.Vertices[tri[2]]
			n := b.Sub(a).Cross(c.Sub(a))
			if n.Len() == 0 {
				continue
			}
			mid := a.Add(b).Add(c).Mul(1.0 / 3)
			near := func(x mgl64.Vec3) float64 { k, _ := shape.Closest(x); return k.Sub(x).Len() }
			if out := n.Normalize().Mul(1e-3); near(mid.Add(out)) < near(mid.Sub(out))-1e-9 && f.Kind != "scoop" {
				t.Fatalf("%s: a triangle at %v faces inward", f.Kind, mid)
			}
		}
	}
}
