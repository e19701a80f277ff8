package mesh

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
)

// ideal is the best shape of each type, with edges of length 1.
func ideal(t ElementType) []mgl64.Vec3 {
	s3 := math.Sqrt(3)
	switch t {
	case Tet4:
		return []mgl64.Vec3{{0, 0, 0}, {1, 0, 0}, {0.5, s3 / 2, 0}, {0.5, s3 / 6, math.Sqrt(2.0 / 3)}}
	case Wedge6:
		return []mgl64.Vec3{{0, 0, 0}, {1, 0, 0}, {0.5, s3 / 2, 0}, {0, 0, 1}, {1, 0, 1}, {0.5, s3 / 2, 1}}
	case Pyramid5:
		return []mgl64.Vec3{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5, 0.5, math.Sqrt(0.5)}}
	}
	return []mgl64.Vec3{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}
}

// TestQuality: 1 for the ideal shape at any size and attitude, falling to 0 as it
// is pressed flat, below 0 beyond; angles as geometry has them.
func TestQuality(t *testing.T) {
	turn := mgl64.QuatRotate(0.7, mgl64.Vec3{1, 2, 3}.Normalize())
	for _, c := range []struct {
		kind      ElementType
		low, high float64 // dihedral angles of the ideal shape
	}{
		{kind: Tet4, low: 70.528779366, high: 70.528779366},
		{kind: Hex8, low: 90, high: 90},
		{kind: Wedge6, low: 60, high: 90},
		{kind: Pyramid5, low: 54.735610317, high: 109.471220634},
	} {
		x := ideal(c.kind)
		shape := func(height float64) []mgl64.Vec3 {
			var out []mgl64.Vec3
			for _, p := range x {
				p[2] *= height
				out = append(out, turn.Rotate(p.Mul(0.02)))
			}
			return out
		}
		if q := Quality(c.kind, shape(1)); math.Abs(q-1) > 1e-12 {
			t.Errorf("%s: the ideal shape has quality %g", c.kind, q)
		}
		low, high := DihedralAngles(c.kind, shape(1))
		if math.Abs(low-c.low) > 1e-8 || math.Abs(high-c.high) > 1e-8 {
			t.Errorf("%s: angles %g to %g, want %g to %g", c.kind, low, high, c.low, c.high)
		}
		last := 1.0
		for _, height := range []float64{0.5, 0.1, 0.01, 0} {
			q := Quality(c.kind, shape(height))
			if !(q < last) || q < 0 {
				t.Errorf("%s: pressed to %g it has quality %g, before %g", c.kind, height, q, last)
			}
			last = q
		}
		if q := Quality(c.kind, shape(-1)); math.Abs(q+1) > 1e-12 {
			t.Errorf("%s: mirrored it has quality %g", c.kind, q)
		}
	}
}
