package rigid

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/mesh"
	"hapco/physics/machinery/testkit"
)

// meshed is a box of edges in m as a surface of triangles.
func meshed(t testing.TB, size vec3) *Form {
	t.Helper()
	m, err := mesh.Box(size.Mul(-0.5), size, [3]int{1, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	f, _, _, _, err := Mesh(m.Nodes, surfaceOf(m))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// tetrahedron with edges of a length, two of them level: one along X below, one along Z above.
func tetrahedron(t *testing.T, length float64) *Form {
	t.Helper()
	r, h := length/2, length/math.Sqrt(8)
	f, _, _, _, err := Mesh([]vec3{{-r, -h, 0}, {r, -h, 0}, {0, h, -r}, {0, h, r}}, [][3]int32{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// ironAngle is a body with an L as its section, in the plane of X and Y, as long as it is
// wide, and where its centre was: one inner edge is concave.
func ironAngle(t *testing.T, size float64) (form *Form, centre vec3) {
	t.Helper()
	section := [6][2]float64{{0, 0}, {1, 0}, {1, 0.3}, {0.3, 0.3}, {0.3, 1}, {0, 1}}
	var v []vec3
	for _, z := range [2]float64{0, 1} {
		for _, p := range section {
			v = append(v, vec3{size * p[0], size * p[1], size * z})
		}
	}
	var tri [][3]int32
	for _, c := range [4][3]int32{{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}} {
		tri = append(tri, [3]int32{c[0], c[2], c[1]}, [3]int32{c[0] + 6, c[1] + 6, c[2] + 6})
	}
	for i := range int32(6) {
		j := (i + 1) % 6
		tri = append(tri, [3]int32{i, j, j + 6}, [3]int32{i, j + 6, i + 6})
	}
	form, centre, _, _, err := Mesh(v, tri)
	if err != nil {
		t.Fatal(err)
	}
	return form, centre
}

// Bars across each other rest: none of their corners is near the other bar.
func TestCrossedBars(t *testing.T) {
	long, across := vec3{0.3, 0.04, 0.03}, vec3{0.03, 0.04, 0.3}
	for name, upper := range map[string]*Form{"mesh": meshed(t, across), "box": Box(across[0], across[1], across[2])} {
		w := newWorld(t, nil)
		floor(t, w, 0.5, 0)
		add(t, w, &Body{Name: "lower", Form: meshed(t, long), X: vec3{0, 0.02, 0}, Friction: 0.5})
		b := add(t, w, &Body{Name: "upper", Form: upper, X: vec3{0.01, 0.0602, 0.005}, Friction: 0.5})
		run(w, 1)
		if d := b.X.Sub(vec3{0.01, 0.06, 0.005}); d.Len() > 2e-5 || b.V.Len() > 1e-6 {
			t.Errorf("%s: it rests %v m off, at %.2g m/s", name, d, b.V.Len())
		}
		if n := testing.AllocsPerRun(20, w.Step); n != 0 && !testkit.Race {
			t.Errorf("%s: %g allocations a step", name, n)
		}
	}
}

// A tetrahedron falls with its lowest edge across the highest edge of another, and stays on
// it for as long as what balances does.
func TestTetrahedraEdgeOnEdge(t *testing.T) {
	f := tetrahedron(t, 0.1)
	height := 0.1 / math.Sqrt(2)
	w := newWorld(t, nil)
	add(t, w, &Body{Name: "fixed", Form: f, Fixed: true, Friction: 0.5})
	b := add(t, w, &Body{Name: "falling", Form: f, X: vec3{0, height + 1e-3, 0}, Friction: 0.5})
	run(w, 0.1)
	if gap := b.X[1] - height; math.Abs(gap) > 2e-5 || b.V.Len() > 1e-4 || w.stats.Loaded != 1 {
		t.Errorf("it stands %.3g m above the edge, at %.3g m/s, on %d contacts", gap, b.V.Len(), w.stats.Loaded)
	}
	// What does not balance rolls down one side, and into nothing.
	w = newWorld(t, nil)
	add(t, w, &Body{Name: "fixed", Form: f, Fixed: true, Friction: 0.5})
	b = add(t, w, &Body{Name: "falling", Form: f, X: vec3{0.01, height + 1e-3, 0.005}, Q: mgl64.QuatRotate(0.4, vec3{0, 1, 0}), Friction: 0.5})
	deepest := 0.0
	for range 600 {
		w.Step()
		deepest = min(deepest, w.stats.Deepest)
	}
	if deepest < -1e-3 || b.X[1] > 0 {
		t.Errorf("it was %.3g m deep, and is at a height of %.3g m", -deepest, b.X[1])
	}
}

// A concave body hangs on a bar by its own edges: the inside of an L, upside down.
func TestConcaveBodyOnBar(t *testing.T) {
	w := newWorld(t, nil)
	add(t, w, &Body{Name: "bar", Form: meshed(t, vec3{0.02, 0.02, 0.4}), Fixed: true, Friction: 0.8})
	form, centre := ironAngle(t, 0.1)
	turn := mgl64.QuatRotate(-3*math.Pi/4, vec3{0, 0, 1})
	start := vec3{0, 0.0201, 0}.Sub(rotate(turn, vec3{0.03, 0.03, 0.05}.Sub(centre)))
	b := add(t, w, &Body{Name: "L", Form: form, X: start, Q: turn, Friction: 0.8})
	run(w, 1)
	if d := b.X.Sub(start); math.Abs(d[1]+1e-4) > 5e-5 || math.Hypot(d[0], d[2]) > 5e-5 || b.V.Len() > 1e-5 {
		t.Errorf("it hangs %v m from where it started, at %.2g m/s", d, b.V.Len())
	}
}

// overlap of two convex bodies, m, by every axis on which they may be apart.
func overlap(a, b *Body) float64 {
	p, q := &posed{form: a.Form, x: a.X, r: a.r}, &posed{form: b.Form, x: b.X, r: b.r}
	best := math.Inf(-1)
	try := func(n vec3) {
		l := n.Len()
		if l < 1e-6 {
			return
		}
		n = n.Mul(1 / l)
		var lo, hi [2]float64
		for k, x := range []*posed{p, q} {
			lo[k], hi[k] = math.Inf(1), math.Inf(-1)
			for _, v := range x.form.Vertices {
				d := x.point(v).Dot(n)
				lo[k], hi[k] = min(lo[k], d), max(hi[k], d)
			}
		}
		best = max(best, lo[1]-hi[0], lo[0]-hi[1])
	}
	for _, e := range p.form.edges {
		try(p.vector(e.normals[0]))
		try(p.vector(e.normals[1]))
		for _, o := range q.form.edges {
			try(q.vector(o.normals[0]))
			try(q.vector(o.normals[1]))
			try(p.vector(e.along).Cross(q.vector(o.along)))
		}
	}
	return max(-best, 0)
}

// A heap of tetrahedra that fall onto each other comes to rest, loses energy, and none of
// them gets into another.
func TestTetrahedraHeap(t *testing.T) {
	w := newWorld(t, nil)
	floor(t, w, 0.6, 0)
	f := tetrahedron(t, 0.1)
	for i := range 6 {
		turn := mgl64.QuatRotate(0.7*float64(i), vec3{0.3, 1, -0.2}.Normalize())
		add(t, w, &Body{Name: "tetrahedron", Form: f, X: vec3{0.013 * float64(i%3-1), 0.08 + 0.09*float64(i), 0.011 * float64(i%2)}, Q: turn, Friction: 0.6})
	}
	k, p := w.energy()
	energy, grown, deepest := k+p, 0.0, 0.0
	for range 1500 {
		w.Step()
		k, p = w.energy()
		grown, energy = max(grown, k+p-energy), k+p
		for _, p := range w.search.pairs {
			if a, b := w.bodies[p.a], w.bodies[p.b]; a.invMass > 0 && b.invMass > 0 {
				deepest = max(deepest, overlap(a, b))
			}
		}
	}
	t.Logf("energy grew by %.2g J in a step at most, overlap %.2g m, %d contacts, kinetic energy %.2g J", grown, deepest, w.stats.Contacts, k)
	if grown > 1e-4 || deepest > 5e-4 || k > 1e-3 {
		t.Errorf("energy grew by %.2g J, overlap %.2g m, kinetic energy %.2g J", grown, deepest, k)
	}
}
