package indent

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"hapco/physics/machinery/refusal"
	"hapco/physics/machinery/testkit"
)

// measured is a curve of the model with noise.
func measured(t *testing.T, test Test, m Material, deepest, contact, noise float64, seed uint64, points int) []Point {
	t.Helper()
	tables := tables{test: &test, deepest: deepest, known: map[[3]float64]*table{}}
	table := tables.of(context.Background(), &m)
	strongest, _ := table.at(deepest)
	rng := rand.New(rand.NewPCG(seed, 9))
	var out []Point
	for i := range points {
		d := (contact + deepest) * float64(i) / float64(points-1)
		f, _ := table.at(d - contact)
		out = append(out, Point{d, m.Young * (f + noise*strongest*rng.NormFloat64())})
	}
	return out
}

func fit(t *testing.T, test Test, start Material, points []Point, free ...string) *Result {
	t.Helper()
	r, err := Fit(context.Background(), test, start, points, Options{Free: free})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The intervals hold what they say: of many noisy curves of a known material, E and the
// first touch lie inside theirs about as often as stated.
func TestIntervalsHold(t *testing.T) {
	test := Test{Radius: 5e-3, Thickness: 0.02, Fine: 6}
	truth := Material{Law: "neo-hookean", Young: 6000, Nu: 0.45}
	const runs = 300
	clean := measured(t, test, truth, 2e-3, 3e-4, 0, 1, 40)
	strongest := clean[len(clean)-1].Force
	f := &fitter{ctx: context.Background(), free: []string{"E", "contact"}, material: truth, weight: make([]float64, len(clean))}
	for i := range f.weight {
		f.weight[i] = 1
	}
	f.tables = tables{test: &test, deepest: 2.2e-3, known: map[[3]float64]*table{}}
	rng := rand.New(rand.NewPCG(5, 6))
	inside := [2]int{}
	for range runs {
		f.points = append(f.points[:0:0], clean...)
		for i := range f.points {
			f.points[i].Force += 0.02 * strongest * rng.NormFloat64()
		}
		f.material.Young, f.contact = 5000, touch(f.points, Ball)
		r := f.result(&test, 0.95, f.levenberg(nil))
		for k, want := range []float64{6000, 3e-4} {
			if v := r.Values[k]; v.Low <= want && want <= v.High {
				inside[k]++
			}
		}
	}
	// binomial: 0.95 +- 3.5 standard deviations of 0.0126
	for k, n := range inside {
		if share := float64(n) / runs; share < 0.905 || share > 0.99 {
			t.Errorf("%s lies inside its 95 %% interval in %.3f of the fits", f.free[k], share)
		}
	}
}

// Noisy curves of known materials give their parameters back, within the confidence
// that the fit states.
func TestFitFindsWhatWasMeasured(t *testing.T) {
	for _, c := range []struct {
		test  Test
		truth Material
		start Material
		deep  float64
		free  []string
		want  []float64
		rel   []float64
	}{
		{Test{Radius: 5e-3, Fine: 8}, Material{Law: "linear", Young: 1200, Nu: 0.3}, Material{Law: "linear", Nu: 0.3}, 5e-4, []string{"E"}, []float64{1200}, []float64{0.02}},
		{Test{Punch: Flat, Radius: 3e-3, Thickness: 0.01, Fine: 6}, Material{Law: "neo-hookean", Young: 25e3, Nu: 0.49}, Material{Law: "neo-hookean", Nu: 0.49}, 1e-3, []string{"E", "contact"}, []float64{25e3, 1e-4}, []float64{0.03, 0.3}},
		{Test{Radius: 5e-3, Thickness: 0.01, Fine: 4}, Material{Law: "ogden", Young: 2500, Nu: 0.49, Alpha: -4.7}, Material{Law: "ogden", Nu: 0.49, Alpha: -3}, 2.5e-3, []string{"E", "alpha"}, []float64{2500, -4.7}, []float64{0.05, 0.25}},
	} {
		if c.truth.Law == "ogden" {
			testkit.Slow(t)
		}
		contact := 0.0
		if c.free[len(c.free)-1] == "contact" {
			contact = 1e-4
		}
		points := measured(t, c.test, c.truth, c.deep, contact, 0.005, 3, 60)
		r := fit(t, c.test, c.start, points, c.free...)
		for k, want := range c.want {
			v := r.Values[k]
			half := (v.High - v.Low) / 2
			t.Logf("%s: %s = %g +- %g (true %g), %d iterations", c.truth.Law, v.Name, v.Value, half, want, r.Iterations)
			if math.Abs(v.Value-want) > 2*half || math.Abs(v.Value-want) > c.rel[k]*math.Abs(want) || !(half > 0) {
				t.Errorf("%s: %s = %g, between %g and %g, want %g", c.truth.Law, v.Name, v.Value, v.Low, v.High, want)
			}
		}
	}
}

// Published formulas: a curve of Hertz's and one of Dimitriadis' thin layer give their E,
// and what the thin layer would be called by Hertz's formula is far off.
func TestFitOfPublishedFormulas(t *testing.T) {
	var half, layer []Point
	for i := range 30 {
		d := 3e-5 * float64(i+1) / 30 * 10
		half = append(half, Point{d / 3, Hertz(3000, 0.3, 0.01, d/3)})
		layer = append(layer, Point{d, Hertz(3000, 0.49, 0.01, d) * dimitriadis(0.49, 0.01, 5e-3, d, true)})
	}
	r := fit(t, Test{Radius: 0.01, Fine: 8}, Material{Law: "linear", Nu: 0.3}, half)
	if e := r.Values[0].Value; math.Abs(e-3000) > 0.03*3000 || math.Abs(r.Formulas["Hertz"]-3000) > 1e-6 {
		t.Errorf("E = %g, by Hertz %g, want 3000", e, r.Formulas["Hertz"])
	}
	r = fit(t, Test{Radius: 0.01, Thickness: 5e-3, Fine: 8}, Material{Law: "linear", Nu: 0.49}, layer)
	if e := r.Values[0].Value; math.Abs(e-3000) > 0.04*3000 || r.Formulas["Hertz"] < 3600 {
		t.Errorf("thin layer: E = %g, by Hertz %g, want 3000", e, r.Formulas["Hertz"])
	}
	t.Log(r.Values[0], r.Formulas)
}

// What makes no sense is refused by one line.
func TestFitRefuses(t *testing.T) {
	good := []Point{{0, 0}, {1e-3, 1e-3}, {2e-3, 3e-3}}
	linear := Material{Law: "linear", Nu: 0.3}
	for want, do := range map[string]func() error{
		"radius": func() error { _, err := Fit(t.Context(), Test{}, linear, good, Options{}); return err },
		"law": func() error {
			_, err := Fit(t.Context(), Test{Radius: 1}, Material{Law: "wood"}, good, Options{})
			return err
		},
		"nu = 0.5": func() error {
			_, err := Fit(t.Context(), Test{Radius: 1}, Material{Law: "linear", Nu: 0.5}, good, Options{})
			return err
		},
		"no alpha": func() error {
			_, err := Fit(t.Context(), Test{Radius: 1}, linear, good, Options{Free: []string{"alpha"}})
			return err
		},
		"more points": func() error { _, err := Fit(t.Context(), Test{Radius: 1}, linear, good[:1], Options{}); return err },
		"finite": func() error {
			_, err := Fit(t.Context(), Test{Radius: 1}, linear, []Point{{0, 0}, {1, math.NaN()}}, Options{})
			return err
		},
		"no force": func() error {
			_, err := Fit(t.Context(), Test{Radius: 1}, linear, []Point{{0, 0}, {1, -1}}, Options{})
			return err
		},
		"tell E and ": func() error { // two columns of the Jacobian that point the same way
			f := &fitter{free: []string{"E", "nu"}}
			_, err := refusal.Caught(func() []float64 { return f.invert([]float64{1, 2, 2, 4 + 1e-6}) })
			return err
		},
	} {
		if err := do(); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
