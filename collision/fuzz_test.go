package collision

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
)

// FuzzQueries reads positions, triangles, movements and query points from bytes:
// any numbers, those that are none included. No query hangs or panics, and where
// all numbers are moderate, the answers are those of trying all triangles.
func FuzzQueries(f *testing.F) {
	seed := func(numbers ...float64) {
		var b []byte
		for _, x := range numbers {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		}
		f.Add(b, uint8(4), uint8(3))
	}
	seed(0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 1e-9, 0.2, 0.3, 0.1)
	seed(0, 0, 0, 1, 0, 0, 2, 0, 0, math.NaN(), math.Inf(1), 1e300, 0.5, 1e-12, 0)
	seed(1e9, 1, 1, 1e9, 1, 1, 1e9, 2, 1, 1e9, 1, 3, 1e9, 1, 1, 1e9, 2, 2)
	f.Fuzz(func(t *testing.T, data []byte, nodes, triangles uint8) {
		at := 0
		number := func() float64 {
			if at+8 > len(data) {
				at++
				return float64(at%7) - 3
			}
			at += 8
			return math.Float64frombits(binary.LittleEndian.Uint64(data[at-8:]))
		}
		moderate := true
		vec := func() mgl64.Vec3 {
			v := mgl64.Vec3{number(), number(), number()}
			for _, x := range v {
				if x != 0 && !(math.Abs(x) > 1e-30 && math.Abs(x) < 1e30) {
					moderate = false
				}
			}
			return v
		}
		n := 1 + int(nodes%40)
		now := make([]mgl64.Vec3, n)
		for i := range now {
			now[i] = vec()
		}
		tri := make([][3]int32, triangles%60)
		for i := range tri {
			for k := range 3 {
				tri[i][k] = int32((7*i + 3*k + i*i*k + int(number())%n + n) % n)
				if tri[i][k] < 0 {
					tri[i][k] += int32(n)
				}
			}
		}
		known := append([]mgl64.Vec3(nil), now...)
		tree := NewTree(tri, now)
		moving := NewMoving(tri, known, func(node int32) { known[node] = now[node] })
		for range 4 {
			most := 0.0
			for i := range now {
				if i%3 == int(triangles)%3 {
					before := now[i]
					now[i] = before.Add(vec())
					most = max(most, now[i].Sub(before).Len())
				}
			}
			moving.Drift(most * (1 + 1e-12))
			tree.Refit(now, 0)
			p, reach := vec(), math.Abs(number())
			hint := int32(-1)
			if len(tri) > 0 {
				hint = int32(nodes) % int32(len(tri))
			}
			for _, h := range []int32{-1, hint} {
				a, okA := tree.Closest(now, p, reach, h)
				b, okB := moving.Closest(known, p, reach, h, Except{})
				if okA && a.Dist2 != a.Dist2 || okB && b.Dist2 != b.Dist2 {
					t.Fatalf("distances %g, %g", a.Dist2, b.Dist2)
				}
				if !moderate || !(reach < 1e30) {
					continue
				}
				if err := judge(tri, now, p, reach, nil, a, okA); err != nil {
					t.Fatalf("tree: %v", err)
				}
				if err := judge(tri, now, p, reach, nil, b, okB); err != nil {
					t.Fatalf("moving: %v", err)
				}
			}
			if d := moving.Apart(p, reach); d != d && moderate {
				t.Fatal("apart by no number")
			}
		}
	})
}
