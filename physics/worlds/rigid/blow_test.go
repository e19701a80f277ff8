package rigid

import (
	"fmt"
	"strings"
	"testing"

	"hapco/physics"
)

// A blow that goes from body to body within one step is found on each of them: a row of balls, each half as heavy as
// the one before and so the quicker, which nothing was near when the step began.
func TestABlowGoesOnFromBodyToBody(t *testing.T) {
	const radius, apart, count = 0.02, 0.05, 7
	var text strings.Builder
	text.WriteString("kind = \"rigid\"\nstep = \"4 ms\"\ngravity = 0\nrestitution = 1\nfriction = 0\n[tool]\nradius = 0.01\nposition = [0, 1, 0]\n")
	for i := range count {
		speed, at := 0.0, apart*float64(i)
		if i == 0 {
			speed, at = 8, -0.06 // a step and more away
		}
		fmt.Fprintf(&text, "[[body]]\nname = \"b%d\"\nform = \"ball\"\nradius = %g\ndensity = %g\nposition = [%g, 0, 0]\nvelocity = [%g, 0, 0]\n", i, radius, 8000/float64(int(1)<<i), at, speed)
	}
	l := openLive(t, "blow.toml", text.String())
	for n := range 40 {
		l.Step(physics.Input{Target: l.Info().Start, Dt: 4e-3})
		balls := l.world.moved[:count]
		for i := 1; i < count; i++ {
			if gap := balls[i].X[0] - balls[i-1].X[0] - 2*radius; gap < -0.05*radius {
				t.Fatalf("step %d: balls %d and %d are %.3g m in each other", n, i-1, i, -gap)
			}
		}
	}
}
