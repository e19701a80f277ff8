package finitestrain

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/mesh"
	"hapco/physics/frame"
	"hapco/physics/machinery/testkit"
	"hapco/physics/numerics/fem/solid"
)

// newCross is a bar above another across it, each with a ridge towards the other: no node of
// theirs is near where they cross. The lower one is held at both ends, the upper one at one.
func newCross(t testing.TB, options func(*LiveOptions)) *shelf {
	t.Helper()
	upper, lower := tetBox(t, mgl64.Vec3{0.1, 0.02, 0.02}, [3]int{5, 2, 2}), tetBox(t, mgl64.Vec3{0.1, 0.02, 0.02}, [3]int{5, 2, 2})
	roll, turn := mgl64.Rotate3DX(math.Pi/4), mgl64.Rotate3DZ(math.Pi/2)
	half := 0.01 * math.Sqrt2 // how high a ridge is above the axis
	for i, x := range upper.Nodes {
		x = roll.Mul3x1(x.Sub(mgl64.Vec3{0.05, 0.01, 0.01}))
		upper.Nodes[i] = x.Add(mgl64.Vec3{0, 0, half + 0.0005})
		lower.Nodes[i] = turn.Mul3x1(x).Sub(mgl64.Vec3{0, 0, half})
	}
	lambda, mu := solid.Lame(10000, 0.4)
	law := solid.Barrier{Law: solid.NeoHookeanLog{Lambda: lambda, Mu: mu}, Stiffness: 2 * mu}
	both := append(append([]int32(nil), lower.NodeSets["left"]...), lower.NodeSets["right"]...)
	return newPair(t, []*mesh.Mesh{upper, lower}, []solid.Law{law, law}, [][]int32{upper.NodeSets["left"], both}, options)
}

// Where two ridges cross and no node is near, their edges keep the bodies apart, with equal
// forces on both, within the cone of friction; and let go they are as before.
func TestRidgesCross(t *testing.T) {
	testkit.Slow(t)
	s := newCross(t, nil)
	at := mgl64.Vec3{0.03, 0, 0.0415}
	s.Put(frame.At(at))
	most, slides := 0.0, 0
	for _, way := range []mgl64.Vec3{{0, 0, -0.01}, {-0.006, 0.012, 0}, {0.006, -0.012, 0}, {0, 0, 0.012}} {
		for range 12 {
			to := at.Add(way.Mul(1. / 12))
			s.reach(t, at, to)
			at = to
			through, slid := s.through(t)
			if slid {
				slides++
			}
			miss := s.report.Residual * math.Sqrt(float64(len(s.k.FreeNode)))
			if off := s.support(1).Sub(through).Len(); off > miss+1e-12 {
				t.Errorf("the ridges press the lower bar with %v N, its support with %v", through.Mul(-1), s.support(1))
			}
			most = math.Max(most, through.Len())
		}
	}
	if t.Logf("%.3g N at most, sliding in %d of 48 states", most, slides); most < 0.05 || slides < 5 || slides > 40 {
		t.Errorf("%.3g N at most, sliding in %d of 48 states", most, slides)
	}
	for i, x := range s.body.Rest() {
		if math.Abs(s.Shown.X[i]-x) > 1e-6 {
			t.Fatalf("let go, node %d is %g m from rest", i/3, s.Shown.X[i]-x)
		}
	}
}

// through is the force between the bodies, on the upper one, of edges alone, and whether one
// of them slides. It checks Coulomb's law.
func (s *shelf) through(t *testing.T) (f mgl64.Vec3, slides bool) {
	for i := range s.constraints {
		r := &s.constraints[i]
		if !r.other || r.force == (mgl64.Vec3{}) {
			continue
		}
		n := r.force.Dot(r.frame[0])
		side := r.force.Sub(r.frame[0].Mul(n)).Len()
		if n < 0 || side > 0.2*n*(1+1e-3) {
			t.Errorf("%g N towards the other body, and %g N along it", n, side)
		}
		slides = slides || side > 0.2*n*(1-1e-3)
		if int(r.nodes[0]) < s.cut {
			f = f.Add(r.force)
		} else { // the row is that of the lower one
			f = f.Sub(r.force)
		}
	}
	return f, slides
}

// A stiff bar that is pressed with a sharp edge onto a plane of small triangles stays out of
// them between the nodes of both.
func TestRidgeAcrossAPlane(t *testing.T) {
	bar, plane := tetBox(t, mgl64.Vec3{0.12, 0.03, 0.03}, [3]int{4, 2, 2}), tetBox(t, mgl64.Vec3{0.08, 0.08, 0.02}, [3]int{10, 10, 3})
	roll, turn := mgl64.Rotate3DX(math.Pi/4), mgl64.Rotate3DZ(0.2)
	for i, x := range bar.Nodes {
		x = roll.Mul3x1(x.Sub(mgl64.Vec3{0.05, 0.015, 0.015}))
		bar.Nodes[i] = turn.Mul3x1(x.Add(mgl64.Vec3{0, 0, 0.015*math.Sqrt2 + 0.0005}))
	}
	for i, x := range plane.Nodes {
		plane.Nodes[i] = x.Sub(mgl64.Vec3{0.041, 0.043, 0.02})
	}
	var laws []solid.Law
	for _, young := range []float64{100000, 5000} {
		lambda, mu := solid.Lame(young, 0.4)
		laws = append(laws, solid.Barrier{Law: solid.NeoHookeanLog{Lambda: lambda, Mu: mu}, Stiffness: 2 * mu})
	}
	s := newPair(t, []*mesh.Mesh{bar, plane}, laws, [][]int32{bar.NodeSets["left"], plane.NodeSets["back"]}, nil)
	at := mgl64.Vec3{0.02, 0, 0.055}
	s.Put(frame.At(at))
	s.reach(t, at, at.Sub(mgl64.Vec3{0, 0, 48 * 0.0004}))
	if s.support(1).Len() < 1 {
		t.Errorf("pressed with %v N", s.support(1))
	}
}
