package rigid

import (
	"fmt"
	"testing"
)

// A blow at the end of a chain is carried up through its joints: sweeps that are mixed solve every step, and as many more
// change nothing.
func TestBlowsOnAChainAreSolved(t *testing.T) {
	end := func(sweeps int) (x vec3, most int) {
		s := build(func(c *Config) { c.Sweeps = sweeps })
		const l = 0.2
		var last *Body
		at, hook := vec3{0, 2, 0}, vec3{0, 2, 0}
		for i := range 6 {
			b := s.add(&Body{Name: fmt.Sprintf("link %d", i), Form: Capsule(0.02, l), X: at.Sub(vec3{0, l / 2, 0}), Friction: 0.5})
			s.join(&Joint{Kind: BallJoint, A: b, B: last, PA: vec3{0, l / 2, 0}, PB: hook})
			last, hook, at = b, vec3{0, -l / 2, 0}, at.Sub(vec3{0, l, 0})
		}
		s.add(&Body{Name: "ball", Form: Ball(0.06), Mass: 5, Inertia: mat3{0.01, 0, 0, 0, 0.01, 0, 0, 0, 0.01},
			X: at.Add(vec3{-0.1, 0.05, 0.01}), V: vec3{2, 1, 0}, Friction: 0.5, Restitution: 0.3})
		w, err := s.done()
		if err != nil {
			t.Fatal(err)
		}
		for n := range 100 {
			w.Step()
			if !w.stats.Solved {
				t.Fatalf("%d sweeps a step: step %d ends with errors %+v after %d", sweeps, n, w.stats.Errors, w.stats.Sweeps)
			}
			if w.stats.Contacts > 0 {
				most = max(most, w.stats.Sweeps)
			}
		}
		return last.X, most
	}
	x, most := end(200)
	if most == 0 {
		t.Fatal("nothing is struck")
	}
	y, _ := end(1000)
	if d := x.Sub(y).Len(); d > 1e-9 {
		t.Errorf("the end of the chain is %g m from where more sweeps bring it", d)
	}
	if most > 200 { // those of all rounds and corrections of a step
		t.Errorf("a step takes %d sweeps", most)
	}
}
