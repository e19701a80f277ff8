package probing

import (
	"math"
	"testing"

	"hapco/physics"
	"hapco/physics/files/mesh"
	"hapco/physics/frame"
	"hapco/physics/worlds/tissue"
)

// solid is a block's surface, its nodes moved by shape.
func solid(t *testing.T, low, size vec, n [3]int, shape func(vec) vec) (physics.SurfaceInfo, physics.Surface) {
	t.Helper()
	m, err := mesh.Box(low, size, n)
	if err != nil {
		t.Fatal(err)
	}
	s := m.Surface()
	info := physics.SurfaceInfo{Triangles: s.Triangles, Fixed: make([]bool, len(s.Nodes))}
	var state physics.Surface
	for _, node := range s.Nodes {
		x := m.Nodes[node]
		if shape != nil {
			x = shape(x)
		}
		state.Vertices = append(state.Vertices, x)
	}
	return info, state
}

func depthOf(infos []physics.SurfaceInfo, states []physics.Surface, self ...bool) Depth {
	if len(self) == 0 {
		self = make([]bool, len(infos))
	}
	return newChecker(infos, self).Check(&tissue.Snapshot{Frame: physics.Frame{Surfaces: states}})
}

func TestDepthOfABlockInABlock(t *testing.T) {
	lower, at := solid(t, vec{0, 0, 0}, vec{10, 4, 10}, [3]int{5, 2, 5}, nil)
	for _, c := range []struct {
		name       string
		low        vec
		node, edge float64
	}{
		{"apart", vec{3, 4.5, 3}, 0, 0},
		{"corners in a face", vec{3.1, 3.7, 3.2}, 0.3, 0.3},
		// the middle of the upper one's lower edges is deeper than any node: they
		// cross a corner of the lower one
		{"deep", vec{3.1, 2.2, 3.2}, 1.8, 1.8},
		{"beside", vec{10.2, 3, 3}, 0, 0},
	} {
		upper, over := solid(t, c.low, vec{4, 4, 4}, [3]int{1, 1, 1}, nil)
		d := depthOf([]physics.SurfaceInfo{lower, upper}, []physics.Surface{at, over})
		if math.Abs(d.Node-c.node) > 1e-12 || math.Abs(d.Edge-c.edge) > 1e-12 {
			t.Errorf("%s: %+v, want %g and %g", c.name, d, c.node, c.edge)
		}
		if c.node > 0 && (d.A != 1 || d.B != 0) {
			t.Errorf("%s: %d in %d", c.name, d.A, d.B)
		}
	}
}

// Two roofs, ridge across ridge: no node of the one is in the other.
func TestDepthOfCrossingRidges(t *testing.T) {
	const depth = 0.25
	roof := func(x vec) vec { // a block whose top is pinched to a ridge along x
		if x[1] > 1 {
			x[2] = 0
		}
		return x
	}
	lower, at := solid(t, vec{-5, 0, -2}, vec{10, 2, 4}, [3]int{1, 1, 2}, roof)
	upper, over := solid(t, vec{-5, 0, -2}, vec{10, 2, 4}, [3]int{1, 1, 2}, func(x vec) vec {
		x = roof(x)
		return vec{x[2], 4 - depth - x[1], x[0]} // upside down, ridge along z
	})
	// a rotation of the axes and a reflection: turn the triangles back
	for i, t := range upper.Triangles {
		upper.Triangles[i] = [3]int32{t[0], t[2], t[1]}
	}

	d := depthOf([]physics.SurfaceInfo{lower, upper}, []physics.Surface{at, over})
	// half the edge inside is under a slope of 45 degrees on either side
	want := depth / math.Sqrt2
	if d.Node != 0 || math.Abs(d.Edge-want) > 1e-9 {
		t.Errorf("%+v, want edges %g deep and no node", d, want)
	}
}

// A bar bent to a ring whose thin end is in its thick end.
func TestDepthOfABodyInItself(t *testing.T) {
	const radius = 20.0
	ring := func(gap float64) func(vec) vec {
		return func(x vec) vec {
			angle := x[0] / 60 * (2*math.Pi - gap/radius)
			thin := 1 - 0.5*x[0]/60
			r := radius - x[1]*thin
			return vec{r * math.Cos(angle), r * math.Sin(angle), x[2] * thin}
		}
	}
	for _, c := range []struct{ gap, want float64 }{{0.5, 0}, {-0.3, 0.3}} {
		info, state := solid(t, vec{0, -2, -2}, vec{60, 4, 4}, [3]int{60, 2, 2}, ring(c.gap))
		d := depthOf([]physics.SurfaceInfo{info}, []physics.Surface{state}, true)
		if math.Abs(d.Node-c.want) > 0.06*c.want { // the corners are farther out than the middle line
			t.Errorf("gap %g: %+v, want %g", c.gap, d, c.want)
		}
		if c.want > 0 && depthOf([]physics.SurfaceInfo{info}, []physics.Surface{state}) != (Depth{A: -1, B: -1}) {
			t.Error("a body that is not to be checked against itself was")
		}
	}
}

func TestHandIsAHands(t *testing.T) {
	start := frame.At(vec{1, 2, 3})
	h := NewHand(start, []Site{{Touch: 6e-3, Press: 20e-3, Slide: 8e-3}, {Above: vec{0.03, -0.01, 0.01}, Touch: 6e-3, Press: 12e-3, Slide: 10e-3}}, 60)
	if h.end() < 60 || len(h.Marks()) < 20 {
		t.Errorf("%d gestures in %g s", len(h.Marks()), h.end())
	}
	last := h.at(0)
	fastest, deepest, tilted := 0.0, 0.0, 0.0
	for i := 1; i <= 60000; i++ {
		p := h.at(float64(i) * 1e-3)
		fastest = max(fastest, p.Position.Sub(last.Position).Len()/1e-3)
		deepest = max(deepest, start.Position[1]-p.Position[1])
		if l := p.Rotation.Len(); math.Abs(l-1) > 1e-12 {
			t.Fatalf("rotation of length %g", l)
		}
		tilted = max(tilted, 2*math.Acos(min(1, math.Abs(p.Rotation.Dot(start.Rotation)))))
		last = p
	}
	if !(fastest > 0.3 && fastest < 0.8) {
		t.Errorf("%g m/s at most: a hand's tap is 0.3 to 0.8", fastest)
	}
	if math.Abs(deepest-(0.01+6e-3+12e-3)) > 9e-3 || !(tilted > 0.3) {
		t.Errorf("%g m deep, %g rad tilted", deepest, tilted)
	}
	if a, b := h.at(17.123), h.at(17.123); a != b {
		t.Error("not the same twice")
	}
}

func TestInsideByRaysAndByWinding(t *testing.T) {
	info, state := solid(t, vec{0, 0, 0}, vec{4, 3, 2}, [3]int{4, 3, 2}, func(x vec) vec {
		return vec{x[0] + 0.4*math.Sin(2*x[1]), x[1] + 0.3*math.Cos(x[0]), x[2] + 0.2*x[0]}
	})
	var s surface
	s.connect(info.Triangles, len(info.Fixed))
	s.move(state.Vertices)
	inside := 0
	for i := range 4000 {
		// a lattice that meets edges and faces, too
		p := vec{-0.5 + 0.25*float64(i%20), -0.5 + 0.25*float64(i/20%20), 0.25*float64(i/400) + 0.001*float64(i%7)}
		w := s.winding(p)
		if math.Abs(w-0.5) < 0.49 {
			continue // on the surface
		}
		if got := s.holds(p); got != (w > 0.5) {
			t.Fatalf("%v: %v, winding number %g", p, got, w)
		}
		if w > 0.5 {
			inside++
		}
	}
	if inside < 100 {
		t.Errorf("%d points inside", inside)
	}
}
