package tissue

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/machinery/testkit"
	"hapco/physics/measure/verify"
	"hapco/physics/numerics/fem/equilibrium"
)

// The four punches through unilateral contact: a plate that only pushes gives at
// every depth the force that prescribed displacements do, with and without new
// detection at each iteration.
func TestPunchThroughContact(t *testing.T) {
	if testkit.Race || testing.Short() {
		t.Skip("slow")
	}
	for _, name := range []string{"punch_hex8_md_neo_hookean_isovol_bonded", "punch_hex8_md_neo_hookean_isovol_frictionless",
		"punch_hex8_neo_hookean_log_bonded", "punch_hex8_neo_hookean_log_frictionless"} {
		var c struct {
			Mesh     meshInput     `json:"mesh"`
			Material materialInput `json:"material"`
			Fixed    []int         `json:"fixed_nodes"`
			Punch    []int         `json:"punch_nodes"`
			Axes     []int         `json:"prescribed_axes"`
			Expected struct {
				Path []struct {
					Depth float64    `json:"depth_m"`
					Force [3]float64 `json:"force_on_box_N"`
					Least float64    `json:"min_pressing_force_N"`
				} `json:"path"`
			} `json:"expected"`
		}
		readTable(t, name, &c)
		b, err := c.Mesh.body(&c.Material)
		if err != nil {
			t.Fatal(err)
		}
		fixed, _ := nodeList("", c.Fixed, len(c.Mesh.Nodes))
		punch, _ := nodeList("", c.Punch, len(c.Mesh.Nodes))
		last := c.Expected.Path[len(c.Expected.Path)-1].Depth
		mu := 0.0
		if len(c.Axes) == 3 { // nodes that stick from the first touch on
			mu = 50
		}
		top := c.Mesh.Nodes[c.Punch[0]][2]
		p, err := equilibrium.NewContact(b, fixed, punch, []equilibrium.Obstacle{equilibrium.Plate{Point: mgl64.Vec3{0, 0, top}, Normal: mgl64.Vec3{0, 0, -1}, Way: mgl64.Vec3{0, 0, -last}}}, mu)
		if err != nil {
			t.Fatal(err)
		}
		p.DetectOnce = len(c.Axes) == 3
		for _, want := range c.Expected.Path {
			if err := p.Go(t.Context(), want.Depth/last); err != nil {
				t.Fatalf("%s at %g m: %v", name, want.Depth, err)
			}
			f, least := p.Total(0), math.Inf(1)
			for i := range punch {
				least = math.Min(least, -p.Force[0][3*i+2])
			}
			if math.Abs(f[2]-want.Force[2]) > 1e-6*math.Abs(want.Force[2]) || math.Abs(least-want.Least) > 1e-6*math.Abs(want.Force[2]) {
				t.Errorf("%s at %g m: force %.9g N, want %.9g; least %.9g N, want %.9g", name, want.Depth, f[2], want.Force[2], least, want.Least)
			}
		}
		p.Close()
	}
}

// Near the solution each iteration about doubles the digits that are right.
func TestQuadraticConvergence(t *testing.T) {
	for _, name := range []string{"static_box_hex8_ce_corotational_element", "static_box_hex8_md_neo_hookean_isovol", "static_box_tet4_corotational", "static_box_hex8_ogden2", "static_box_hex8_stvk"} {
		c, err := verify.Load("testdata/" + name + ".json.gz")
		if err != nil {
			t.Fatal(err)
		}
		var in staticInput
		if err := c.Input.Decode(&in); err != nil {
			t.Fatal(err)
		}
		b, err := in.Mesh.body(&in.Material)
		if err != nil {
			t.Fatal(err)
		}
		fixed, _ := nodeList("", in.Fixed, len(in.Mesh.Nodes))
		s, err := equilibrium.NewStatics(b, fixed)
		if err != nil {
			t.Fatal(err)
		}
		if err := nodalForces(s.Load, in.Forces); err != nil {
			t.Fatal(err)
		}
		load := equilibrium.Norm(s.Load)
		var history []float64
		s.Trace = func(share float64, iteration int, r float64) {
			if iteration == 0 {
				history = history[:0]
			}
			history = append(history, r/load)
		}
		if err := s.Solve(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.Close()
		seen := 0
		for i := 1; i+1 < len(history); i++ {
			// e' <= C e^2 with one C for the last iterations, above rounding
			if a, b := history[i], history[i+1]; a < 1e-2 && a > 1e-7 {
				seen++
				if b > 1e-12 && math.Log(b) > 1.6*math.Log(a)+3 {
					t.Errorf("%s: residuals %.2g", name, history)
				}
			}
		}
		if seen == 0 {
			t.Errorf("%s: no iteration near the solution in %.2g", name, history)
		}
	}
}
