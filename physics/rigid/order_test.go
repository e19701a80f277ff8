package rigid

import (
	"math"
	"testing"

	"hapco/physics/contact"
	"hapco/physics/verify"
)

// chainOf builds the motion of the spatial double pendulum of the cases.
func chainOf(t *testing.T) (*chain, []link) {
	t.Helper()
	c, err := verify.Load("testdata/spatial_double_pendulum.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	var input struct {
		Bodies  []link    `json:"bodies"`
		Hinges  string    `json:"hinges"`
		Gravity vec3      `json:"gravity_m_s2"`
		End     float64   `json:"t_end_s"`
		Times   []float64 `json:"sample_times_s"`
	}
	if err := c.Input.Decode(&input); err != nil {
		t.Fatal(err)
	}
	m, err := newChain(input.Bodies, input.Gravity)
	if err != nil {
		t.Fatal(err)
	}
	for i := range input.Bodies {
		if m.state.body[i], err = input.Bodies[i].Initial.state(); err != nil {
			t.Fatal(err)
		}
	}
	m.hang(&m.state)
	m.prepare()
	return m, input.Bodies
}

// distance between two states, in m and rad.
func distance(a, b *state) (d float64) {
	for i := range a.body {
		d = max(d, a.body[i].x.Sub(b.body[i].x).Len(), angle(a.body[i].q, b.body[i].q))
	}
	return d
}

// C1 with joints converges with order 2 to what the extrapolation gives, and so does
// a world of the same bodies on ball joints.
func TestJointOrder(t *testing.T) {
	exact, links := chainOf(t)
	start := state{}
	start.copyFrom(&exact.state)
	if err := exact.advance(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	order := func(name string, end func(n int) *state) {
		e1, e2 := distance(end(1000), &exact.state), distance(end(2000), &exact.state)
		p := math.Log2(e1 / e2)
		t.Logf("%s: errors %.3g, %.3g: order %.3f", name, e1, e2, p)
		if math.Abs(p-2) > 0.05 {
			t.Errorf("%s: errors %.3g, %.3g: order %.3f", name, e1, e2, p)
		}
	}
	order("C1", func(n int) *state {
		m, _ := chainOf(t)
		var mid state
		for k := range n {
			if !m.small(float64(k)/float64(n), 1/float64(n), &m.state, &mid) {
				t.Fatal("no solution")
			}
		}
		return &m.state
	})
	order("world", func(n int) *state {
		w := newWorld(t, func(c *Config) {
			c.Gravity, c.Step, c.Tolerance, c.Sweeps = exact.g, 1/float64(n), 1e-13, 5000
		})
		var last *Body
		for i, l := range links {
			p := start.body[i]
			b := add(t, w, &Body{Mass: l.Mass, Inertia: l.Inertia.mat(), X: p.x, Q: p.q, V: p.v, W: p.w})
			j := &Joint{Kind: BallJoint, A: b, B: last, PA: l.Upper}
			if last != nil {
				j.PB = exact.lower[i-1]
			}
			if err := w.AddJoint(j); err != nil {
				t.Fatal(err)
			}
			last = b
		}
		for range n {
			w.Step()
		}
		out := &state{}
		for _, b := range w.bodies {
			out.body = append(out.body, placed{b.X, b.Q, b.V, b.W})
		}
		return out
	})
}

// The problems of a wall, when it is hit, are solved by "auto" to 1e-8 in both errors.
func TestWallProblems(t *testing.T) {
	w, _ := bricks(t, 4, 3)
	add(t, w, &Body{Form: Ball(0.05), Mass: 5, Inertia: mat3{0.005, 0, 0, 0, 0.005, 0, 0, 0, 0.005}, X: vec3{0, 0.2, 0.12}, V: vec3{0, 0, -3}, Friction: 0.3})
	solver, err := contact.New("auto")
	if err != nil {
		t.Fatal(err)
	}
	opt := contact.DefaultOptions()
	opt.Tolerance, opt.Criterion, opt.MaxIterations = 1e-9, contact.Scaled, 5000
	worst := 0.0
	for i := range 300 {
		w.Step()
		if i%20 != 5 {
			continue
		}
		for p, r := range w.Problems {
			clear(r)
			res := solver.Solve(p, r, &opt)
			worst = max(worst, res.Errors.Scaled, res.Errors.Natural)
		}
	}
	t.Logf("largest error %.2g; %d contacts at the end", worst, w.stats.Contacts)
	if !(worst < 1e-8) {
		t.Errorf("largest error %.2g", worst)
	}
}

// BenchmarkRotor is the cost of a step of the integrators: free, and under a weight.
func BenchmarkRotor(b *testing.B) {
	for _, a := range []Algorithm{NMB, C1, C2} {
		rule := map[Algorithm]TorqueRule{NMB: End, C1: HalfRotation, C2: EndAverage}[a]
		b.Run(a.String()+"/free", func(b *testing.B) {
			r := free()
			for range b.N {
				r.Step(a, rule, 0.01, none{})
			}
		})
		b.Run(a.String()+"/weight", func(b *testing.B) {
			r, w := heavy()
			for range b.N {
				r.Step(a, rule, 0.001, w)
			}
		})
	}
}

// BenchmarkWall is a step of a wall at rest.
func BenchmarkWall(b *testing.B) {
	for _, n := range [][2]int{{5, 3}, {10, 5}, {20, 10}} {
		w, _ := bricks(b, n[0], n[1])
		for range 100 {
			w.Step()
		}
		b.Run("", func(b *testing.B) {
			for range b.N {
				w.Step()
			}
			b.ReportMetric(float64(w.stats.Contacts), "contacts")
		})
	}
}
