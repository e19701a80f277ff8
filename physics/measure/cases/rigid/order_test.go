package rigid

import (
	"math"
	"testing"

	"hapco/physics/measure/verify"
	"hapco/physics/worlds/rigid"
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
	m := newChain(input.Bodies, input.Gravity)
	for i := range input.Bodies {
		m.state.body[i] = input.Bodies[i].Initial.state("")
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
	exact.advance(t.Context(), 1)
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
		config := rigid.DefaultConfig()
		config.Gravity, config.Step, config.Tolerance, config.Sweeps = exact.g, 1/float64(n), 1e-13, 5000
		w, err := rigid.NewWorld(config)
		if err != nil {
			t.Fatal(err)
		}
		var bodies []*rigid.Body
		var last *rigid.Body
		for i, l := range links {
			p := start.body[i]
			b := &rigid.Body{Mass: l.Mass, Inertia: l.Inertia.mat(), X: p.x, Q: p.q, V: p.v, W: p.w}
			if err := w.Add(b); err != nil {
				t.Fatal(err)
			}
			bodies = append(bodies, b)
			j := &rigid.Joint{Kind: rigid.BallJoint, A: b, B: last, PA: l.Upper}
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
		for _, b := range bodies {
			out.body = append(out.body, placed{b.X, b.Q, b.V, b.W})
		}
		return out
	})
}

// angle between two attitudes, rad.
func angle(a, b quat) float64 {
	d := b.Conjugate().Mul(a)
	return 2 * math.Asin(min(1, d.V.Len()))
}
