package rigid

import (
	"math"
	"testing"
)

// Bricks that are in each other are moved apart by the law of contact in displacements: none comes nearer than it is asked
// to, nothing pulls, and what pushes ends where it is asked to. The centre of all keeps its place.
func TestBodiesAreMovedApart(t *testing.T) {
	w, err := Wall(5, 1, 0.6)
	if err != nil {
		t.Fatal(err)
	}
	w.Config.Gravity = vec3{}
	for i, b := range w.moved { // 2 mm in each other, 3 m above the floor
		b.X = vec3{0.198 * float64(i), 3, 0.001 * float64(i)}
	}
	before := 0.0
	for _, b := range w.moved {
		before += b.X[0]
	}
	w.Step()
	p := &w.system.pusher
	if len(p.spots) < 16 || !(p.asked > 0) {
		t.Fatalf("%d contacts", len(p.spots))
	}
	p.solve(1e-9, 2000, nil) // on from where the step has ended
	for i := range p.spots {
		c := &p.spots[i]
		a, b := &p.bodies[c.a], &p.bodies[c.b]
		if x := c.q + c.n.dot(a.v.minus(b.v)) + c.la.dot(a.w) - c.lb.dot(b.w); c.r < 0 || math.Abs(min(x, c.r*c.w)) > 1e-6*math.Abs(c.q) {
			t.Errorf("contact %d, asked for %g m: %g m left, pushed by %g", i, -c.q, x, c.r)
		}
	}
	after := 0.0
	for _, b := range w.moved {
		after += b.X[0]
		if b.V.Len() > 0 {
			t.Errorf("%s has %g m/s", b.Name, b.V.Len())
		}
	}
	if math.Abs(after-before) > 1e-12 {
		t.Errorf("the centre has moved by %g m", (after-before)/5)
	}
	if gap := w.moved[1].X[0] - w.moved[0].X[0]; !(gap > 0.198+0.9*pushed*0.002) {
		t.Errorf("the first two are %g m from each other", gap)
	}
}
