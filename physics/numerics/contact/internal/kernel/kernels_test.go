package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func close3(t *testing.T, name string, n int, a0, a1, a2, b0, b1, b2 float64) {
	t.Helper()
	if d := math.Abs(a0-b0) + math.Abs(a1-b1) + math.Abs(a2-b2); !(d <= 1e-13*float64(n+1)) {
		t.Errorf("%s, %d: (%g %g %g) and (%g %g %g)", name, n, a0, a1, a2, b0, b1, b2)
	}
}

func randoms(rng *rand.Rand, v []float64) {
	for i := range v {
		v[i] = rng.NormFloat64()
	}
}

// TestKernelTwins: the assembly and the plain kernels agree to rounding, at
// every length that takes another path.
func TestKernelTwins(t *testing.T) {
	if !fast {
		t.Skip("no AVX2 and FMA here")
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for n := 1; n <= 40; n++ {
		w, r := make([]float64, 3*n), make([]float64, n)
		randoms(rng, w)
		randoms(rng, r)
		a0, a1, a2 := Dot3(w, n, r)
		b0, b1, b2 := dot3Go(w, n, r)
		close3(t, "dot3", n, a0, a1, a2, b0, b1, b2)

		val, col, f := make([]float64, 12*n), make([]int32, n), make([]float64, 3*n)
		randoms(rng, val)
		randoms(rng, f)
		for k := range col {
			val[12*k+3], val[12*k+7], val[12*k+11] = 0, 0, 0
			col[k] = int32(rng.IntN(n))
		}
		a0, a1, a2 = BlockRow(val, col, f)
		b0, b1, b2 = blockRowGo(val, col, f)
		close3(t, "blockRow", n, a0, a1, a2, b0, b1, b2)

		m := 1 + n%5
		d, gamma := make([]float64, m*n), make([]float64, m)
		randoms(rng, d)
		randoms(rng, gamma)
		z := append([]float64(nil), r...)
		Combine(r, d, gamma)
		combineGo(z, d, gamma)
		near(t, "combine", r, z)

		single, other := make([]float32, n), make([]float32, n)
		Narrow(single, r, 1.5)
		narrowGo(other, r, 1.5)
		if !slices.Equal(single, other) {
			t.Errorf("narrow, %d: %g and %g", n, single, other)
		}
	}
	for n := SingleStep; n <= 4*SingleStep; n += SingleStep {
		w, d, y := make([]float32, 3*n), make([]float32, n), make([]float32, n)
		for _, v := range [][]float32{w, d, y} {
			for i := range v {
				v[i] = float32(rng.IntN(9) - 4) // sums are exact
			}
		}
		a0, a1, a2 := DotSingle(w, d)
		if b0, b1, b2 := dotSingleGo(w, d); a0 != b0 || a1 != b1 || a2 != b2 {
			t.Errorf("dotSingle, %d: (%g %g %g) and (%g %g %g)", n, a0, a1, a2, b0, b1, b2)
		}
		f, z := [3]float32{a0, 2, -1}, slices.Clone(y)
		PushSingle(y, w, &f)
		pushSingleGo(z, w, &f)
		if !slices.Equal(y, z) {
			t.Errorf("pushSingle, %d: %g and %g", n, y, z)
		}
	}
	var a, b, c, d [TileArea]float64
	for range 20 {
		randoms(rng, a[:])
		randoms(rng, b[:])
		randoms(rng, c[:])
		d = c
		TileSub(&c, &a, &b)
		tileSubGo(&d, &a, &b)
		near(t, "tileSub", c[:], d[:])
		c = a
		TileRight(&a, &b)
		tileRightGo(&c, &b)
		near(t, "tileRight", a[:], c[:])
		var x, y, z [TileSize]float64
		randoms(rng, x[:])
		randoms(rng, y[:])
		z = y
		TileVec(&y, &a, &x)
		tileVecGo(&z, &a, &x)
		near(t, "tileVec", y[:], z[:])
		for k := range TileSize {
			b[k*(TileSize+1)] += 9 // no small pivots
		}
		c, d = b, b
		for k := range TileSize {
			TileStep(&c, k)
			tileStepGo(&d, k)
			near(t, "tileStep", c[:], d[:])
		}
	}
}

func near(t *testing.T, name string, a, b []float64) {
	t.Helper()
	for i := range a {
		if !(math.Abs(a[i]-b[i]) <= 1e-12) {
			t.Fatalf("%s[%d]: %g and %g", name, i, a[i], b[i])
		}
	}
}

func BenchmarkTileSub(b *testing.B) {
	var x, y, z [TileArea]float64
	for b.Loop() {
		TileSub(&x, &y, &z)
	}
	b.ReportMetric(2*TileSize*TileArea*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFlop/s")
}

func BenchmarkDot3(b *testing.B) {
	w, r := make([]float64, 324), make([]float64, 108)
	for b.Loop() {
		sink, _, _ = Dot3(w, 108, r)
	}
}

var sink float64
