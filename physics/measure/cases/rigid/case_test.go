package rigid

import (
	"math"
	"strings"
	"testing"

	"hapco/physics/machinery/testkit"
	"hapco/physics/measure/verify"
	"hapco/physics/measure/verify/verifytest"
	"hapco/physics/numerics/num"
	"hapco/physics/worlds/rigid"
)

// Every reference case passes, and what is expected has no influence on the results.
func TestCases(t *testing.T) {
	if testkit.Race {
		t.Skip("one goroutine, and slow")
	}
	verifytest.Run(t, "testdata/*.json.gz", 23, "modal_beam", "double_pendulum_wall")
}

// Cases of the same kinds with other members and numbers run; what is not
// understood is refused in one line.
func TestOtherCases(t *testing.T) {
	const top = `{"world":"rigid","kind":"continuous","name":"a","input":{"bodies":[{"name":"b","mass_kg":2,
 "inertia_about_com_kg_m2":[[2,0.1,0],[0.1,3,0.2],[0,0.2,4]],"initial":{"rotation_vector":[0.1,0.2,0.3],"angular_velocity_rad_s":[1,2,3],"velocity_m_s":[1,0,0]}}],
 "gravity_m_s2":[0,0,-9.81],"t_end_s":1,"sample_times_s":[0,1]}}`
	run := func(text string) (*verify.Result, error) {
		c, err := verify.Read(strings.NewReader(text), "a.json")
		if err != nil {
			return nil, err
		}
		return c.Run(t.Context())
	}
	res, err := run(top)
	if err != nil {
		t.Fatal(err)
	}
	samples := res.Outputs.(record)["samples"].([]record)
	x := samples[1]["bodies"].([]record)[0]["position_m"].(vec3)
	if math.Abs(x[0]-1) > 1e-12 || math.Abs(x[2]+9.81/2) > 1e-12 {
		t.Errorf("a spinning body falls to %v", x)
	}
	d := samples[0]["angular_momentum"].(vec3).Sub(samples[1]["angular_momentum"].(vec3))
	if num.MaxAbs(d) > 1e-12 || math.Abs(samples[0]["energy_J"].(float64)-samples[1]["energy_J"].(float64)) > 1e-10 {
		t.Errorf("momentum changes by %v, energy from %v to %v", d, samples[0]["energy_J"], samples[1]["energy_J"])
	}
	for what, change := range map[string][2]string{
		"unknown member":     {`"t_end_s":1`, `"t_end_s":1,"viscosity":3`},
		"no mass":            {`"mass_kg":2,`, ``},
		"zero mass":          {`"mass_kg":2`, `"mass_kg":0`},
		"negative inertia":   {`[2,0.1,0]`, `[-2,0.1,0]`},
		"not symmetric":      {`[0,0.2,4]`, `[0,0.3,4]`},
		"two attitudes":      {`"rotation_vector"`, `"quaternion":[1,0,0,0],"rotation_vector"`},
		"no rotation":        {`"rotation_vector":[0.1,0.2,0.3]`, `"quaternion":[1,0,1,0]`},
		"points, no plane":   {`"initial"`, `"contact_points_body_m":[[0,0,0]],"initial"`},
		"times past end":     {`[0,1]`, `[0,2]`},
		"no times":           {`[0,1]`, `[]`},
		"half a fixed point": {`"t_end_s"`, `"fixed_point_m":[0,0,0],"t_end_s"`},
	} {
		text := strings.Replace(top, change[0], change[1], 1)
		if text == top {
			t.Fatalf("%s: nothing changed", what)
		}
		if _, err := run(text); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A cart moves the beam of the central difference runs that the reference stores.
func TestCentralDifferences(t *testing.T) {
	c, err := verify.Load("testdata/modal_beam_spin_up.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	var input beamMembers
	if err := c.Input.Decode(&input); err != nil {
		t.Fatal(err)
	}
	beam := &input.beamIn
	for _, run := range c.Expected["central_difference_runs"].([]any) {
		run := run.(map[string]any)
		h := run["h_s"].(float64)
		var modes []rigid.Oscillator
		for _, m := range beam.Modes {
			modes = append(modes, rigid.Oscillator{Omega: m.Omega, Zeta: beam.Zeta})
		}
		q := rigid.NewOscillators(modes, h)
		load := make([]float64, len(modes))
		at := func(n int) {
			_, w, a := spinUp(input.Om, input.Tr, float64(n)*h)
			beam.load(vec3{0, 0, w}, vec3{0, 0, a}, load)
		}
		at(0)
		q.Start(load)
		n, worst := 0, 0.0
		for _, s := range run["samples"].([]any) {
			s := s.(map[string]any)
			for ; n < int(s["step"].(float64)); n++ {
				at(n)
				q.Step(load)
			}
			for i, want := range s["modal_coordinates"].([]any) {
				worst = max(worst, math.Abs(q.Q[i]-want.(float64)))
			}
		}
		if !(worst < 1e-13) || n == 0 {
			t.Errorf("h = %g s: %d steps, coordinates off by %.2g", h, n, worst)
		}
	}
}
