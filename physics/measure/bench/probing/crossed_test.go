package probing

import (
	"testing"

	"hapco/physics"
	"hapco/physics/worlds/tissue"
)

// Surfaces that go through each other are counted by who they are of, those at rest not; and what only lies on
// something else does not count.
func TestCrossedSurfacesAreCounted(t *testing.T) {
	block := [][3]int32{{0, 2, 1}, {0, 3, 2}, {0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}} // a pyramid
	pyramid := func(x, y float64) []vec {
		return []vec{{x - 1, y, -1}, {x + 1, y, -1}, {x + 1, y, 1}, {x - 1, y, 1}, {x, y + 1, 0}}
	}
	bodies := []physics.SurfaceInfo{{Triangles: block}, {Triangles: block}, {Triangles: block, Driven: true, Rigid: true}, {Triangles: block, Rigid: true}}
	shape := func(x ...[]vec) *tissue.Snapshot {
		s := &tissue.Snapshot{Frame: physics.Frame{Surfaces: make([]physics.Surface, len(x))}}
		for i := range x {
			s.Surfaces[i].Vertices = x[i]
		}
		return s
	}
	// the last one is in the tool, both of which are rigid
	rest := shape(pyramid(0, 0), pyramid(5, 0), pyramid(0, 9), pyramid(0.1, 9.1))
	c := newCuts(bodies, rest)
	if got := c.look(rest); got != (Crossed{}) {
		t.Errorf("at rest: %+v", got)
	}
	inside := pyramid(0, 0)
	inside[1] = vec{-0.2, 0.3, 3} // a corner through the side across
	for _, k := range []struct {
		what string
		at   *tissue.Snapshot
		want Crossed
	}{
		{"the tip of one in the other", shape(pyramid(0, 0), pyramid(0.3, -0.99), rest.Surfaces[2].Vertices, rest.Surfaces[3].Vertices), Crossed{Bodies: 1}},
		{"the tip on the other", shape(pyramid(0, 0), pyramid(0.3, -1), rest.Surfaces[2].Vertices, rest.Surfaces[3].Vertices), Crossed{}},
		{"the tool in both", shape(pyramid(0, 0), pyramid(2, 0), pyramid(1, 0.2), rest.Surfaces[3].Vertices), Crossed{Tool: 1}},
		{"one through itself", shape(inside, pyramid(5, 0), rest.Surfaces[2].Vertices, rest.Surfaces[3].Vertices), Crossed{Self: 1}},
	} {
		if got := c.look(k.at); got != k.want {
			t.Errorf("%s: %+v, want %+v", k.what, got, k.want)
		}
	}
	// what crosses at rest may go on
	c = newCuts(bodies, shape(pyramid(0, 0), pyramid(0.3, -0.5), rest.Surfaces[2].Vertices, rest.Surfaces[3].Vertices))
	if got := c.look(shape(pyramid(0, 0), pyramid(0.3, -0.49), rest.Surfaces[2].Vertices, rest.Surfaces[3].Vertices)); got != (Crossed{}) {
		t.Errorf("what crosses at rest: %+v", got)
	}
	var sum Crossed
	sum.Add(Crossed{1, 0, 1})
	if sum.Add(Crossed{1, 1, 0}); sum != (Crossed{2, 1, 1}) {
		t.Errorf("the sum is %+v", sum)
	}
}
