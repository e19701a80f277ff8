package exact

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"hapco/physics/numerics/contact/internal/kernel"
)

// TestInvertTile: the inverse times the tile is the identity, with and without
// small pivots, and both ways of finding it agree; what is not finite is told.
func TestInvertTile(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 4))
	for k := range 60 {
		var a, d, e [kernel.TileArea]float64
		randomNumbers(rng, a[:])
		for i := range kernel.TileSize {
			a[i*(kernel.TileSize+1)] += 6
		}
		switch k % 3 {
		case 1:
			a[0], a[9*(k%kernel.TileSize)] = 0, 1e-12
		case 2: // a row and a column exchanged with others
			for j := range kernel.TileSize {
				a[j], a[16+j] = a[16+j], a[j]
			}
		}
		if !invertTile(&d, &a) || !exchangeTile(&e, &a) {
			t.Fatalf("tile %d is called not finite", k)
		}
		for i := range kernel.TileSize {
			for j := range kernel.TileSize {
				s := 0.0
				for l := range kernel.TileSize {
					s += a[i*kernel.TileSize+l] * d[l*kernel.TileSize+j]
				}
				if want := b2f(i == j); !(math.Abs(s-want) < 1e-8) {
					t.Errorf("tile %d: product[%d,%d] = %g", k, i, j, s)
				}
				if !(math.Abs(d[i*kernel.TileSize+j]-e[i*kernel.TileSize+j]) < 1e-8) {
					t.Errorf("tile %d: inverses %g and %g", k, d[i*kernel.TileSize+j], e[i*kernel.TileSize+j])
				}
			}
		}
		for _, bad := range []float64{math.NaN(), math.Inf(1)} {
			b := a
			b[rng.IntN(kernel.TileArea)] = bad
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
				lu.mark(k/n, k/n, k%n, k%n)
			}
		}
		lu.fill()
		for k, v := range a {
			if v != 0 {
				lu.set(k/n, k%n, v)
			}
		}
		b := make([]float64, lu.padded())
		randomNumbers(rng, b[:n])
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
	var x, y [kernel.TileArea]float64
	rng := rand.New(rand.NewPCG(3, 4))
	randomNumbers(rng, x[:])
	for b.Loop() {
		invertTile(&y, &x)
	}
}

func randomNumbers(rng *rand.Rand, v []float64) {
	for i := range v {
		v[i] = rng.NormFloat64()
	}
}
