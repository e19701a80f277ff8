package collision

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
)

// orientBig is Orient in rational numbers.
func orientBig(a, b, c, d mgl64.Vec3) int {
	row := func(p mgl64.Vec3) (r [3]*big.Rat) {
		for k := range r {
			r[k] = new(big.Rat).Sub(new(big.Rat).SetFloat64(p[k]), new(big.Rat).SetFloat64(d[k]))
		}
		return r
	}
	u, v, w := row(a), row(b), row(c)
	det := new(big.Rat)
	for k := range 3 {
		l, m := (k+1)%3, (k+2)%3
		minor := new(big.Rat).Sub(new(big.Rat).Mul(v[l], w[m]), new(big.Rat).Mul(v[m], w[l]))
		det.Add(det, minor.Mul(minor, u[k]))
	}
	return det.Sign()
}

// Points that are in a plane but for the last bit, and in one, are told apart; the points of a rational determinant's
// sign are those of Orient.
func TestOrientIsExact(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	counts := map[int]int{}
	for n := range 3000 {
		scale := math.Exp2(float64(random.IntN(120) - 80))
		vec := func() mgl64.Vec3 {
			return mgl64.Vec3{random.Float64() - 0.5, random.Float64() - 0.5, random.Float64() - 0.5}.Mul(scale)
		}
		a, b, c := vec(), vec(), vec()
		s, r := random.Float64(), random.Float64()
		d := a.Add(b.Sub(a).Mul(s)).Add(c.Sub(a).Mul(r))
		switch n % 4 {
		case 0: // on a grid, where much is exactly in a plane
			for _, p := range []*mgl64.Vec3{&a, &b, &c, &d} {
				for k := range p {
					p[k] = scale * float64(random.IntN(4)) / 7
				}
			}
		case 1:
			d = vec()
		case 2:
			k := random.IntN(3)
			d[k] = math.Nextafter(d[k], 2*scale)
		}
		want := orientBig(a, b, c, d)
		counts[want]++
		if got := Orient(a, b, c, d); got != want {
			t.Fatalf("%v %v %v %v: %d, want %d", a, b, c, d, got, want)
		}
		if got := Orient(b, a, c, d); got != -want {
			t.Fatalf("two points exchanged: %d, want %d", got, -want)
		}
	}
	if counts[0] < 50 || counts[1] < 500 || counts[-1] < 500 {
		t.Errorf("one-sided: %v", counts)
	}
	if a := testing.AllocsPerRun(10, func() {
		Orient(mgl64.Vec3{0.1, 0.1, 0.1}, mgl64.Vec3{0.7, 0.7, 0.7}, mgl64.Vec3{0.3, 0.3, 0.3}, mgl64.Vec3{0.9, 0.9, 0.9})
	}); a != 0 {
		t.Errorf("%g allocations", a)
	}
}

func TestSegmentTriangle(t *testing.T) {
	a, b, c := mgl64.Vec3{0, 0, 0}, mgl64.Vec3{1, 0, 0}, mgl64.Vec3{0, 1, 0}
	for _, x := range []struct {
		what string
		p, q mgl64.Vec3
		want Relation
	}{
		{"through the inside", mgl64.Vec3{0.2, 0.2, -1}, mgl64.Vec3{0.3, 0.3, 1}, Crosses},
		{"through by the least", mgl64.Vec3{0.2, 0.2, -5e-90}, mgl64.Vec3{0.2, 0.2, 1}, Crosses},
		{"beside", mgl64.Vec3{0.6, 0.6, -1}, mgl64.Vec3{0.6, 0.6, 1}, Clear},
		{"beside by the least", mgl64.Vec3{0.5, math.Nextafter(0.5, 1), -1}, mgl64.Vec3{0.5, math.Nextafter(0.5, 1), 1}, Clear},
		{"through an edge", mgl64.Vec3{0.5, 0.5, -1}, mgl64.Vec3{0.5, 0.5, 1}, Touches},
		{"through a corner", mgl64.Vec3{1, 0, -1}, mgl64.Vec3{1, 0, 1}, Touches},
		{"before it", mgl64.Vec3{0.2, 0.2, 1e-300}, mgl64.Vec3{0.2, 0.2, 1}, Clear},
		{"with an end on it", mgl64.Vec3{0.2, 0.2, 0}, mgl64.Vec3{0.2, 0.2, 1}, Touches},
		{"with an end beside it", mgl64.Vec3{0.7, 0.7, 0}, mgl64.Vec3{0.7, 0.7, 1}, Clear},
		{"in its plane, inside", mgl64.Vec3{0.2, 0.2, 0}, mgl64.Vec3{0.3, 0.2, 0}, Touches},
		{"in its plane, across", mgl64.Vec3{-1, 0.2, 0}, mgl64.Vec3{2, 0.2, 0}, Touches},
		{"in its plane, beside", mgl64.Vec3{0.6, 0.6, 0}, mgl64.Vec3{2, 0.6, 0}, Clear},
		{"along an edge's line, beyond it", mgl64.Vec3{1.5, 0, 0}, mgl64.Vec3{2, 0, 0}, Clear},
		{"along an edge", mgl64.Vec3{0.5, 0, 0}, mgl64.Vec3{2, 0, 0}, Touches},
		{"a point on it", mgl64.Vec3{0.2, 0.2, 0}, mgl64.Vec3{0.2, 0.2, 0}, Touches},
		{"a point beside it", mgl64.Vec3{0.2, 0.2, 1}, mgl64.Vec3{0.2, 0.2, 1}, Clear},
	} {
		for turn := range 3 { // along other axes, the other way round, and seen from the other side
			spin := func(p mgl64.Vec3) mgl64.Vec3 { return mgl64.Vec3{p[turn], p[(turn+1)%3], p[(turn+2)%3]} }
			for _, got := range []Relation{
				SegmentTriangle(spin(x.p), spin(x.q), spin(a), spin(b), spin(c)),
				SegmentTriangle(spin(x.q), spin(x.p), spin(b), spin(c), spin(a)),
				SegmentTriangle(spin(x.p), spin(x.q), spin(c), spin(b), spin(a)),
			} {
				if got != x.want {
					t.Errorf("%s: %d, want %d", x.what, got, x.want)
				}
			}
		}
	}
	// a triangle without area is its edges
	thin := [3]mgl64.Vec3{{0, 0, 0}, {2, 2, 0}, {1, 1, 0}}
	for _, x := range []struct {
		p, q mgl64.Vec3
		want Relation
	}{
		{mgl64.Vec3{1, 1, -1}, mgl64.Vec3{1, 1, 1}, Touches},
		{mgl64.Vec3{1.5, 1.5, 0}, mgl64.Vec3{5, 5, 0}, Touches},
		{mgl64.Vec3{3, 3, 0}, mgl64.Vec3{5, 5, 0}, Clear},
		{mgl64.Vec3{1, 2, -1}, mgl64.Vec3{1, 2, 1}, Clear},
		{mgl64.Vec3{0, 1, 0}, mgl64.Vec3{0.1, 5, 0}, Clear},
	} {
		if got := SegmentTriangle(x.p, x.q, thin[0], thin[1], thin[2]); got != x.want {
			t.Errorf("%v %v and a triangle without area: %d, want %d", x.p, x.q, got, x.want)
		}
	}
}
