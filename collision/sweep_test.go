package collision

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
)

func TestSweepAgreesWithAllPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for _, n := range []int{0, 1, 2, 7, 60} {
		s := NewSweep(n)
		centre, half := make([]mgl64.Vec3, n), make([]mgl64.Vec3, n)
		for i := range centre {
			centre[i] = mgl64.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
			half[i] = mgl64.Vec3{rng.Float64(), rng.Float64(), rng.Float64()}.Mul(0.3)
		}
		if n > 6 {
			half[3] = mgl64.Vec3{math.Inf(1), 0.1, math.Inf(1)} // a floor
			half[4] = mgl64.Vec3{}                              // a point
			centre[5] = centre[4]
		}
		for step := range 300 {
			for i := range centre {
				move := 0.05
				if step%50 == 0 {
					move = 2 // everything somewhere else
				}
				centre[i] = centre[i].Add(mgl64.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}.Mul(move))
				s.Set(i, centre[i].Sub(half[i]), centre[i].Add(half[i]))
			}
			margin := 0.2 * rng.Float64()
			got := s.Overlaps(margin)
			at := 0
			for i := range int32(n) {
				for j := i + 1; j < int32(n); j++ {
					d := centre[i].Sub(centre[j])
					apart := false
					for k := range 3 {
						apart = apart || math.Abs(d[k])-half[i][k]-half[j][k] > margin
					}
					if apart {
						continue
					}
					if at >= len(got) || got[at] != [2]int32{i, j} {
						t.Fatalf("%d boxes, step %d: pair %d %d is missing or out of order", n, step, i, j)
					}
					at++
				}
			}
			if at != len(got) {
				t.Fatalf("%d boxes, step %d: %d pairs, want %d", n, step, len(got), at)
			}
		}
		if a := testing.AllocsPerRun(20, func() { s.Overlaps(0) }); a != 0 {
			t.Errorf("%d boxes: %g allocations a call", n, a)
		}
	}
}

// BenchmarkSweep moves boxes of a loose packing, each as large as a cell of the
// packing, by a hundredth of their size a call.
func BenchmarkSweep(b *testing.B) {
	for _, n := range []int{2, 10, 50, 100, 200, 500} {
		b.Run(fmt.Sprintf("boxes=%d", n), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 1))
			side := math.Cbrt(float64(n)) * 1.5
			centre, drift := make([]mgl64.Vec3, n), make([]mgl64.Vec3, n)
			vec := func() mgl64.Vec3 { return mgl64.Vec3{rng.Float64(), rng.Float64(), rng.Float64()} }
			for i := range centre {
				centre[i], drift[i] = vec().Mul(side), vec().Sub(mgl64.Vec3{0.5, 0.5, 0.5}).Mul(0.02)
			}
			s := NewSweep(n)
			half := mgl64.Vec3{0.5, 0.5, 0.5}
			pairs, calls := 0, 0
			for b.Loop() {
				for i := range centre {
					centre[i] = centre[i].Add(drift[i])
					for k := range 3 {
						if x := centre[i][k]; x < 0 || x > side {
							drift[i][k] = math.Copysign(drift[i][k], side/2-x)
						}
					}
					s.Set(i, centre[i].Sub(half), centre[i].Add(half))
				}
				pairs += len(s.Overlaps(0.01))
				calls++
			}
			b.ReportMetric(float64(pairs)/float64(calls), "pairs")
		})
	}
}
