package ui

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/render"
)

func testLens() lens {
	c := render.DefaultCamera()
	aim(&c, View{Eye: mgl64.Vec3{0.1, 0.3, 0.5}, Target: mgl64.Vec3{0.01, 0.02, 0}, Up: mgl64.Vec3{0, 1, 0}, FieldOfView: 0.6})
	return newLens(&c, 20, 30, 900, 600)
}

func TestLensProjectsItsRays(t *testing.T) {
	l := testLens()
	if d := l.eye.Sub(mgl64.Vec3{0.1, 0.3, 0.5}).Len(); d > 1e-12 {
		t.Fatalf("the eye is off by %g m", d)
	}
	for _, p := range [][2]float64{{470, 330}, {20, 30}, {919, 629}, {100, 500}} {
		at := l.eye.Add(l.direction(p[0], p[1]).Mul(0.4))
		x, y, ok := l.project(at)
		if !ok || math.Hypot(x-p[0], y-p[1]) > 1e-9 || math.Abs(l.depth(at)-0.4) > 1e-12 {
			t.Errorf("pixel %v comes back as %g, %g at depth %g", p, x, y, l.depth(at))
		}
	}
	if _, _, ok := l.project(l.eye.Sub(l.forward)); ok {
		t.Error("a point behind the eye has a pixel")
	}
	x, y, _ := l.project(mgl64.Vec3{0.01, 0.02, 0})
	if math.Hypot(x-470, y-330) > 1e-9 {
		t.Errorf("the target is at %g, %g", x, y)
	}
}

func TestCastRay(t *testing.T) {
	s := newFake("x")
	from := mgl64.Vec3{0.03, 0.1, 0.02}
	d, k := castRay(from, mgl64.Vec3{0, -1, 0}, s.slab, s.info.Surfaces[1].Triangles)
	if k < 0 || math.Abs(d-0.1) > 1e-12 {
		t.Fatalf("the slab's top is %g m below", d)
	}
	if _, k := castRay(from, mgl64.Vec3{0, 1, 0}, s.slab, s.info.Surfaces[1].Triangles); k >= 0 {
		t.Fatal("something is above")
	}
	if _, k := castRay(from, mgl64.Vec3{0, -1, 0}, s.slab[:3], s.info.Surfaces[1].Triangles); k >= 0 {
		t.Fatal("triangles beyond the nodes")
	}
}

// No ray goes between triangles: those at points of their edges and corners meet one.
func TestRaysAtEdges(t *testing.T) {
	const n = 12
	dice := rand.New(rand.NewPCG(1, 2))
	var points []mgl64.Vec3
	var triangles [][3]int32
	for i := range n {
		for j := range n {
			points = append(points, mgl64.Vec3{float64(i) / 7, 0.02 * dice.Float64(), float64(j) / 7})
			if k := int32(n*i + j); i > 0 && j > 0 {
				triangles = append(triangles, [3]int32{k, k - n - 1, k - n}, [3]int32{k, k - 1, k - n - 1})
			}
		}
	}
	missed := 0
	for range 200 {
		eye := mgl64.Vec3{dice.Float64() * 2, 1 + dice.Float64(), dice.Float64() * 2}
		for i := 1; i < n-1; i++ {
			for j := 1; j < n-1; j++ {
				a := points[n*i+j]
				for _, b := range []mgl64.Vec3{a, points[n*i+j+1], points[n*(i+1)+j], points[n*(i+1)+j+1]} {
					if _, k := castRay(eye, a.Add(b.Sub(a).Mul(dice.Float64())).Sub(eye), points, triangles); k < 0 {
						missed++
					}
				}
			}
		}
	}
	if missed > 0 {
		t.Errorf("%d rays go between triangles", missed)
	}
}
