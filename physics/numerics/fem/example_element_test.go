package fem

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/mesh"
)

// wedge6Rule is an element: a triangle (x, y) times a line z from -1 to 1, the bottom's
// nodes first, with 3 x 2 quadrature points.
func wedge6Rule() *rule {
	at := func(x, y, z, w float64) Point {
		p := Point{Weight: w}
		flat, slope := [3]float64{1 - x - y, x, y}, [3][2]float64{{-1, -1}, {1, 0}, {0, 1}}
		for a := range 6 {
			side := float64(2*(a/3) - 1) // bottom -1, top 1
			up := (1 + side*z) / 2
			p.N[a] = flat[a%3] * up
			p.DN[a] = [3]float64{slope[a%3][0] * up, slope[a%3][1] * up, flat[a%3] * side / 2}
		}
		return p
	}
	r := &rule{nodes: 6, nodal: make([][]float64, 6)}
	for _, z := range []float64{-1 / math.Sqrt(3), 1 / math.Sqrt(3)} {
		for _, c := range [3][2]float64{{1. / 6, 1. / 6}, {2. / 3, 1. / 6}, {1. / 6, 2. / 3}} {
			r.points = append(r.points, at(c[0], c[1], z, 1.0/6))
		}
	}
	// What each point counts for at a node: the linear function through the points, there.
	for a := range r.nodal {
		for k := range 6 {
			flat, up := -1.0/3, (1+math.Sqrt(3)*float64((2*(a/3)-1)*(2*(k/3)-1)))/2
			if k%3 == a%3 {
				flat = 5.0 / 3
			}
			r.nodal[a] = append(r.nodal[a], flat*up)
		}
	}
	return r
}

// What every element is tested for: under a uniform strain its energy is that of Hooke's
// law in its volume; motions of a rigid body cost nothing.
func TestExampleElement(t *testing.T) {
	rules[mesh.Wedge6] = wedge6Rule()
	defer delete(rules, mesh.Wedge6)
	x := []mgl64.Vec3{{0, 0, 0}, {2, 0, 0}, {0, 1, 0}, {0, 0, 3}, {2, 0, 3}, {0, 1, 3}} // 3 m^3
	k := make([]float64, 18*18)
	if err := Stiffness(k, mesh.Wedge6, x, 0.3); err != nil {
		t.Fatal(err)
	}
	energy := func(h [3][3]float64) (e float64) {
		var u [18]float64
		for a, p := range x {
			for i := range 3 {
				u[3*a+i] = 1 + h[i][0]*p[0] + h[i][1]*p[1] + h[i][2]*p[2]
			}
		}
		for i := range u {
			for j := range u {
				e += u[i] * k[18*i+j] * u[j] / 2
			}
		}
		return e
	}
	lambda, mu := 0.3/(1.3*0.4), 1/2.6 // at E = 1 Pa
	if e, want := energy([3][3]float64{{0.1, 0, 0}, {0, -0.2, 0}, {0, 0, 0.3}}), 3*(mu*0.14+lambda/2*0.04); math.Abs(e-want) > 1e-12 {
		t.Errorf("energy %g, want %g", e, want)
	}
	if e := energy([3][3]float64{{0, -0.2, 0.1}, {0.2, 0, 0.3}, {-0.1, -0.3, 0}}); math.Abs(e) > 1e-12 {
		t.Errorf("turned, it has energy %g", e)
	}
	for k := range 6 { // a linear function keeps its values at the nodes
		sum := 0.0
		for _, w := range rules[mesh.Wedge6].nodal[k] {
			sum += w
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Errorf("node %d: the points count for %g", k, sum)
		}
	}
}
