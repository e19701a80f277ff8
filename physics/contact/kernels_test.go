package contact

import (
	"fmt"
	"math"
	"math/rand/v2"
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
		a0, a1, a2 := dot3(w, n, r)
		b0, b1, b2 := dot3Go(w, n, r)
		close3(t, "dot3", n, a0, a1, a2, b0, b1, b2)

		val, col, f := make([]float64, 12*n), make([]int32, n), make([]float64, 3*n)
		randoms(rng, val)
		randoms(rng, f)
		for k := range col {
			val[12*k+3], val[12*k+7], val[12*k+11] = 0, 0, 0
			col[k] = int32(rng.IntN(n))
		}
		a0, a1, a2 = blockRow(val, col, f)
		b0, b1, b2 = blockRowGo(val, col, f)
		close3(t, "blockRow", n, a0, a1, a2, b0, b1, b2)

		m := 1 + n%5
		d, gamma := make([]float64, m*n), make([]float64, m)
		randoms(rng, d)
		randoms(rng, gamma)
		z := append([]float64(nil), r...)
		combine(r, d, gamma)
		combineGo(z, d, gamma)
		near(t, "combine", r, z)
	}
	var a, b, c, d [tileArea]float64
	for range 20 {
		randoms(rng, a[:])
		randoms(rng, b[:])
		randoms(rng, c[:])
		d = c
		tileSub(&c, &a, &b)
		tileSubGo(&d, &a, &b)
		near(t, "tileSub", c[:], d[:])
		c = a
		tileRight(&a, &b)
		tileRightGo(&c, &b)
		near(t, "tileRight", a[:], c[:])
		var x, y, z [tileSize]float64
		randoms(rng, x[:])
		randoms(rng, y[:])
		z = y
		tileVec(&y, &a, &x)
		tileVecGo(&z, &a, &x)
		near(t, "tileVec", y[:], z[:])
		for k := range tileSize {
			b[k*(tileSize+1)] += 9 // no small pivots
		}
		c, d = b, b
		for k := range tileSize {
			tileStep(&c, k)
			tileStepGo(&d, k)
			near(t, "tileStep", c[:], d[:])
		}
	}
}

// TestInvertTile: the inverse times the tile is the identity, with and without
// small pivots, and both ways of finding it agree; what is not finite is told.
func TestInvertTile(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 4))
	for k := range 60 {
		var a, d, e [tileArea]float64
		randoms(rng, a[:])
		for i := range tileSize {
			a[i*(tileSize+1)] += 6
		}
		switch k % 3 {
		case 1:
			a[0], a[9*(k%tileSize)] = 0, 1e-12
		case 2: // a row and a column exchanged with others
			for j := range tileSize {
				a[j], a[16+j] = a[16+j], a[j]
			}
		}
		if !invertTile(&d, &a) || !exchangeTile(&e, &a) {
			t.Fatalf("tile %d is called not finite", k)
		}
		for i := range tileSize {
			for j := range tileSize {
				s := 0.0
				for l := range tileSize {
					s += a[i*tileSize+l] * d[l*tileSize+j]
				}
				if want := b2f(i == j); !(math.Abs(s-want) < 1e-8) {
					t.Errorf("tile %d: product[%d,%d] = %g", k, i, j, s)
				}
				if !(math.Abs(d[i*tileSize+j]-e[i*tileSize+j]) < 1e-8) {
					t.Errorf("tile %d: inverses %g and %g", k, d[i*tileSize+j], e[i*tileSize+j])
				}
			}
		}
		for _, bad := range []float64{math.NaN(), math.Inf(1)} {
			b := a
			b[rng.IntN(tileArea)] = bad
			if invertTile(&d, &b) {
				t.Errorf("tile %d with %g was inverted", k, bad)
			}
		}
	}
}

func b2f(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func near(t *testing.T, name string, a, b []float64) {
	t.Helper()
	for i := range a {
		if !(math.Abs(a[i]-b[i]) <= 1e-12) {
			t.Fatalf("%s[%d]: %g and %g", name, i, a[i], b[i])
		}
	}
}

// TestTiles solves random sparse systems, diagonally strong, and looks at the
// residual.
func TestTiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{1, 2, 7, 8, 9, 31, 64, 100, 600} {
		var lu tiles
		lu.reset(n)
		a := make([]float64, n*n)
		for i := range n {
			a[i*n+i] = 8
			for range 3 {
				a[i*n+rng.IntN(n)] += rng.NormFloat64()
			}
		}
		for k, v := range a {
			if v != 0 {
				lu.mark(k/n, k%n)
			}
		}
		lu.fill()
		for k, v := range a {
			if v != 0 {
				lu.set(k/n, k%n, v)
			}
		}
		b := make([]float64, lu.padded())
		randoms(rng, b[:n])
		x := append([]float64(nil), b...)
		if !lu.factorise() {
			t.Fatalf("n = %d: no factors", n)
		}
		lu.solve(x)
		for i := range n {
			s := b[i]
			for j := range n {
				s -= a[i*n+j] * x[j]
			}
			if !(math.Abs(s) < 1e-12) {
				t.Fatalf("n = %d: residual %g in row %d", n, s, i)
			}
		}
	}
}

func BenchmarkTileSub(b *testing.B) {
	var x, y, z [tileArea]float64
	for b.Loop() {
		tileSub(&x, &y, &z)
	}
	b.ReportMetric(2*tileSize*tileArea*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFlop/s")
}

func BenchmarkFactorise(b *testing.B) {
	for _, n := range []int{48, 108, 198} {
		b.Run(fmt.Sprintf("unknowns=%d", n), func(b *testing.B) {
			var lu tiles
			lu.reset(n)
			lu.markAll()
			lu.fill()
			for b.Loop() {
				clear(lu.val)
				for i := range lu.padded() {
					lu.set(i, i, 1)
				}
				lu.factorise()
			}
			b.ReportMetric(2.0/3*float64(n*n*n)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFlop/s")
		})
	}
}

func BenchmarkInvertTile(b *testing.B) {
	var x, y [tileArea]float64
	rng := rand.New(rand.NewPCG(3, 4))
	randoms(rng, x[:])
	for b.Loop() {
		invertTile(&y, &x)
	}
}

func BenchmarkDot3(b *testing.B) {
	w, r := make([]float64, 324), make([]float64, 108)
	for b.Loop() {
		sink, _, _ = dot3(w, 108, r)
	}
}

var sink float64
