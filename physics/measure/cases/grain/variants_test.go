package grain

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/measure/verify"
	"hapco/physics/worlds/grain"
)

// variant is the model written down a second time, without cells, lists or
// vectors, and with one mistake.
type variant struct {
	name                                  string
	explicit, inPlace, noDrag, linearDrag bool
	obstacleFactor                        float64
	brickAbove, widthReversed             bool
	buoyancy, shifted, unclamped          bool
}

var variants = []variant{
	{name: "explicit Euler", explicit: true},
	{name: "in-place update", inPlace: true},
	{name: "obstacle factor 1", obstacleFactor: 1},
	{name: "no drag", noDrag: true},
	{name: "linear drag only", linearDrag: true},
	{name: "brick on the side of its normal", brickAbove: true},
	{name: "width reversed", widthReversed: true},
	{name: "buoyancy", buoyancy: true},
	{name: "shifted cut-off", shifted: true},
	{name: "unclamped core", unclamped: true},
}

func (k *variant) force(in *motionInput, e mgl64.Vec3) mgl64.Vec3 {
	r := e.Len()
	x := r / in.Interaction.Sigma
	f := 0.0
	switch {
	case x > 2 || x == 0:
		return mgl64.Vec3{}
	case x < 1 && !k.unclamped:
		f = -1
	default:
		f = (math.Pow(x, 6) - 2) / math.Pow(x, 13)
	}
	if k.shifted {
		f -= 62.0 / 8192
	}
	return e.Mul(24 * in.Interaction.Epsilon / in.Interaction.Sigma * f / r)
}

func (k *variant) shapes(t *testing.T, in *motionInput) []grain.Shape {
	var out []grain.Shape
	for i := range in.Obstacles {
		s, err := in.Obstacles[i].shape()
		if err != nil {
			t.Fatal(err)
		}
		switch s := s.(type) {
		case *grain.Brick:
			if k.brickAbove {
				s.Origin = s.Origin.Add(s.Normal.Mul(s.Height))
			}
			if k.widthReversed {
				s.Origin = s.Origin.Sub(s.Normal.Cross(s.Along).Mul(s.Width))
			}
		case *grain.Rectangle:
			if k.widthReversed {
				s.Origin = s.Origin.Sub(s.Normal.Cross(s.Along).Mul(s.Width))
			}
		}
		out = append(out, s)
	}
	return out
}

// run gives the samples of a trajectory.
func (k *variant) run(t *testing.T, in *motionInput) *motion {
	shapes := k.shapes(t, in)
	factor := k.obstacleFactor
	if factor == 0 {
		factor = 2
	}
	n := len(in.Particles)
	x, v := make([]mgl64.Vec3, n), make([]mgl64.Vec3, n)
	for i, p := range in.Particles {
		x[i], v[i] = p.Position, p.Velocity
	}
	total := func(i int) mgl64.Vec3 {
		p := in.Particles[i]
		volume := 4.0 / 3 * math.Pi * math.Pow(p.Radius, 3)
		weight := volume * p.Density
		if k.buoyancy {
			weight -= volume * in.Fluid.Density
		}
		f := mgl64.Vec3(in.Gravity).Mul(weight)
		for j := range n {
			if j != i {
				f = f.Add(k.force(in, x[j].Sub(x[i])))
			}
		}
		for _, s := range shapes {
			if c, ok := s.Closest(x[i]); ok {
				f = f.Add(k.force(in, c.Sub(x[i])).Mul(factor))
			}
		}
		speed := v[i].Len()
		lambda := 6 * math.Pi * in.Fluid.Viscosity * p.Radius
		if 3*in.Fluid.Density*p.Radius*speed >= 80*in.Fluid.Viscosity && !k.linearDrag {
			lambda = 9 * math.Pi / 40 * in.Fluid.Density * p.Radius * p.Radius * speed
		}
		if !k.noDrag {
			f = f.Sub(v[i].Mul(lambda))
		}
		return f.Mul(in.Dt / (volume * p.Density))
	}
	out := &motion{}
	next := 0
	for step := 0; ; step++ {
		if next < len(in.Times) && int(math.Round(in.Times[next]/in.Dt)) == step {
			s := sample{Step: step, T: in.Times[next]}
			for i := range n {
				s.Position, s.Velocity = append(s.Position, x[i]), append(s.Velocity, v[i])
			}
			out.Samples = append(out.Samples, s)
			next++
		}
		if step == in.Steps {
			return out
		}
		dv := make([]mgl64.Vec3, n)
		for i := range n {
			dv[i] = total(i)
			if k.inPlace {
				v[i] = v[i].Add(dv[i])
				x[i] = x[i].Add(v[i].Mul(in.Dt))
			}
		}
		if k.inPlace {
			continue
		}
		for i := range n {
			old := v[i]
			v[i] = v[i].Add(dv[i])
			if k.explicit {
				x[i] = x[i].Add(old.Mul(in.Dt))
			} else {
				x[i] = x[i].Add(v[i].Mul(in.Dt))
			}
		}
	}
}

// The reference cases tell the model from each of the mistakes that a reader of
// the document is likely to make, and the same program without a mistake passes
// them all: so they test what they seem to test.
func TestWrongVariantsAreCaught(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json.gz")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	worst := make([]float64, len(variants))
	for _, file := range files {
		c, err := verify.Load(file)
		if err != nil {
			t.Fatal(err)
		}
		if c.Kind != "trajectory" {
			continue
		}
		var in motionInput
		if err := c.Input.Decode(&in); err != nil {
			t.Fatal(err)
		}
		delete(c.Expected, "sums")
		off := func(k *variant) float64 {
			most := 0.0
			for _, k := range compareTrajectory(c, k.run(t, &in)) {
				if r := k.Error / k.Tolerance; !(r <= most) {
					most = r
				}
			}
			return most
		}
		if r := off(&variant{}); !(r <= 1) {
			t.Errorf("%s: the model written down again is off by %g tolerances", c.Name, r)
		}
		for i := range variants {
			if worst[i] < 1e6 || math.IsNaN(worst[i]) {
				worst[i] = max(worst[i], off(&variants[i]))
			}
		}
	}
	for i, k := range variants {
		if !(worst[i] >= 1e6) {
			t.Errorf("%s: off by %g tolerances at most", k.name, worst[i])
		}
	}
}
