package floe

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Meshes fill their polygon: of floes that broke several times, with edges as short as
// round-off leaves them and sharp corners, and with loads next to corners. They stay
// about as large as was asked for.
func TestMeshes(t *testing.T) {
	r := rand.New(rand.NewPCG(20, 21))
	check := func(outline []Vec2, loads ...Vec2) {
		t.Helper()
		m, err := triangulate(outline, 80, loads)
		if err != nil {
			t.Fatalf("%v: %v", outline, err)
		}
		s := SectionOf(outline)
		sum := 0.0
		for _, v := range m.triangles {
			area := cross(m.nodes[v[1]].Sub(m.nodes[v[0]]), m.nodes[v[2]].Sub(m.nodes[v[0]])) / 2
			if !(area > 0) {
				t.Fatalf("%v: a triangle of %g m^2", outline, area)
			}
			sum += area
		}
		if math.Abs(sum-s.Area) > 1e-9*s.Area {
			t.Fatalf("%v, loads %v: triangles of %g m^2, the polygon has %g", outline, loads, sum, s.Area)
		}
		if n := len(m.triangles); n < 40 || n > 800 {
			t.Fatalf("%v: %d triangles", outline, n)
		}
	}
	for k := range 400 {
		outline := regular(3+r.IntN(9), 1+10*r.Float64())
		for range r.IntN(4) { // breaks
			at := Vec2{}
			for _, p := range outline {
				at = at.Add(p.Mul(r.Float64() / float64(len(outline))))
			}
			angle := 2 * math.Pi * r.Float64()
			left, right, err := cut(outline, at, Vec2{math.Cos(angle), math.Sin(angle)})
			if err != nil {
				continue
			}
			outline = left
			if SectionOf(right).Area > SectionOf(left).Area {
				outline = right
			}
		}
		var loads []Vec2
		for range r.IntN(5) {
			i := r.IntN(len(outline))
			along := r.Float64()
			if k%2 == 0 {
				along = math.Pow(10, -12*r.Float64()) // as close to a corner as it likes
			}
			loads = append(loads, outline[i].Add(outline[(i+1)%len(outline)].Sub(outline[i]).Mul(along)))
		}
		if k%3 == 0 { // a corner that is cut off by a little
			i := r.IntN(len(outline))
			d := outline[(i+1)%len(outline)].Sub(outline[i]).Mul(math.Pow(10, -2-6*r.Float64()))
			outline = append(outline[:i+1:i+1], append([]Vec2{outline[i].Add(d)}, outline[i+1:]...)...)
			if _, repair, err := Outline(outline); repair != 0 || err != nil {
				continue
			}
		}
		check(outline, loads...)
	}
	for _, tip := range []float64{0.05, 0.3, 1} { // 0.6 degrees and more
		check([]Vec2{{0, 0}, {5, 0}, {5, tip}})
		check([]Vec2{{0, 0}, {5, 0}, {5, tip}}, Vec2{0.01, 0}, Vec2{3, 0})
	}
	check([]Vec2{{-3, -2}, {4, -1}, {2, 0.5}, {3, 3}, {-1, 2}, {-2, 3}}) // not convex
}

// A floe's mesh is made once: a second load finds the stresses that a mesh made for it
// finds, wherever on the outline it acts.
func TestLoadsAnywhere(t *testing.T) {
	ice := Elastic{Young: 9e9, Poisson: 0.3, Thickness: 1, Density: 917}
	outline := regular(7, 4)
	loads := []PointForce{{outline[0].Mul(0.3).Add(outline[1].Mul(0.7)), Vec2{0, -1e5}}, {outline[3].Mul(0.52).Add(outline[4].Mul(0.48)), Vec2{3e4, 1e5}}}
	plain, err := NewPlate(outline, ice, 2000, nil)
	if err != nil {
		t.Fatal(err)
	}
	own, err := NewPlate(outline, ice, 2000, []Vec2{loads[0].At, loads[1].At})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []*Plate{plain, own} {
		if err := p.Load(loads, nil, true); err != nil {
			t.Fatal(err)
		}
	}
	for _, x := range []Vec2{{}, {1, 1}, {-1.5, 0.5}, {0, -2}} {
		a, _ := plain.At(x)
		b, _ := own.At(x)
		for k := range a {
			if math.Abs(a[k]-b[k]) > 200 { // of 4e4 Pa
				t.Errorf("at %v %v Pa, with a mesh of its own %v Pa", x, a, b)
				break
			}
		}
	}
	if n := testing.AllocsPerRun(10, func() { _ = plain.Load(loads, nil, true) }); n > 0 {
		t.Errorf("%g allocations a load", n)
	}
	if err := plain.Load([]PointForce{{Vec2{9, 0}, Vec2{1, 0}}}, nil, true); err == nil {
		t.Error("a load beside the floe is taken")
	}
}
