package worlds_test

import (
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
)

// A tool that stands beside a body is beside it after the world has been put back to its start, too: it does not come
// there from the start of the scene through the body.
func TestToolsStayWhereTheyAreWhenAWorldIsPutBack(t *testing.T) {
	for _, name := range []string{"block-linear", "block-neo-hookean"} {
		if testing.Short() && name != "block-linear" {
			continue
		}
		s, err := physics.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		w, _, err := s.Open(t.Context(), physics.Options{})
		if err != nil {
			t.Fatal(err)
		}
		at := w.Info().Start
		through := func(placed bool) (most float64) { // to a place 0.56 mm beside the block, out of the layer of contact, from above its middle
			to := at
			to.Position = to.Position.Add(mgl64.Vec3{0.0520, -0.030, 0.0337})
			w.Reset()
			for range 30 {
				r := w.Step(physics.Input{Target: to, Hand: to, Placed: placed})
				if placed = false; r.Stylus.Position != to.Position && most == 0 {
					most = to.Position.Sub(r.Stylus.Position).Len()
				}
				most = max(most, r.Force.Len()) // N, or m
			}
			return most
		}
		if moved, put := through(false), through(true); put != 0 || moved < 1e-3 {
			t.Errorf("%s: %g N or m off where the tool is put beside the body, %g where it goes there", name, put, moved)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
}
