package flex_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/mesh"
	"hapco/physics/numerics/fem"
	"hapco/physics/numerics/flex"
)

// analyzed is the stiffness of a block held at its back, its factor, and forces.
func analyzed(t *testing.T, cells [3]int, rng *rand.Rand) (k *fem.Matrix, f *flex.Factor, b []float64) {
	m, err := mesh.Box(mgl64.Vec3{}, mgl64.Vec3{1, 1, 1}, cells)
	if err != nil {
		t.Fatal(err)
	}
	if k, err = fem.Assemble(m, m.NodeSets["back"], 0.3); err != nil {
		t.Fatal(err)
	}
	if f, err = flex.Analyze(k); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	for range k.N {
		b = append(b, rng.NormFloat64())
	}
	return k, f, b
}

// A factor of Analyze takes the numbers of one matrix after the other, as good as
// a fresh one each time, also after one that is not positive definite.
func TestRefactorize(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	k, f, b := analyzed(t, [3]int{4, 4, 5}, rng)
	x, back := make([]float64, k.N), make([]float64, k.N)
	values := append([]float64(nil), k.Value...)
	quick := flex.NewQuick()
	for round := range 4 {
		bad := round == 2
		for col := range k.N { // a stiffer, or a broken, diagonal
			at := k.ColPtr[col+1] - 1
			k.Value[at] = values[at] * (1 + float64(round)*0.1)
			if bad && col == k.N/2 {
				k.Value[at] = -1
			}
		}
		err := f.Refactorize(t.Context(), k.Value)
		if bad != errors.Is(err, flex.ErrNotPositive) || err != nil && !bad {
			t.Fatalf("round %d: %v", round, err)
		}
		if bad {
			continue
		}
		f.SolveFree(x, b, 1)
		k.MulVec(back, x)
		if d := distance(back, b); d > 1e-11 {
			t.Errorf("round %d: K x is off by %g", round, d)
		}
		// in two halves: nodes in between see both what was there and what joins
		if err := f.RefactorizeSingle(t.Context(), k.Value); err != nil {
			t.Fatal(err)
		}
		nodes := []int32{3, 40, 7}
		halves := make([]flex.Half, len(nodes))
		quick.Of(f)
		quick.Halves([]*flex.Half{&halves[0], &halves[1], &halves[2]}, nodes)
		quick.First(b)
		whole := append([]float64(nil), b...)
		for i, n := range nodes {
			at := quick.At(&halves[i])
			for c := range 3 {
				if d := math.Abs(at[c] - x[3*int(n)+c]); d > 1e-4*norm(x)/math.Sqrt(float64(len(x))) {
					t.Fatalf("round %d: node %d after the first half: %g, want %g", round, n, at[c], x[3*int(n)+c])
				}
			}
		}
		for i, n := range nodes {
			var join [3]float64
			for c := range 3 {
				join[c] = rng.NormFloat64()
				whole[3*int(n)+c] += join[c]
			}
			quick.Join(&halves[i], join)
		}
		f.SolveFree(x, whole, 1)
		got := make([]float64, k.N)
		quick.Second(got)
		if d := distance(got, x); d > 1e-4 {
			t.Errorf("round %d: quick solve is off by %g", round, d)
		}
		for j, n := range nodes {
			unit := make([]float64, k.N)
			unit[3*int(n)+1] = 1
			f.SolveFree(unit, unit, 1)
			for i, n := range nodes {
				w := quick.Across(&halves[i], &halves[j])
				for c := range 3 {
					if d := math.Abs(w[3*c+1] - unit[3*int(n)+c]); d > 1e-4*norm(unit) {
						t.Fatalf("round %d: compliance of nodes %d and %d: %g, want %g", round, n, nodes[j], w[3*c+1], unit[3*int(n)+c])
					}
				}
			}
		}
	}
}

// Bone in tissue: what is a million times as stiff leaves the rest as right as it was, in a quick solve.
func TestQuickBesideStiffParts(t *testing.T) {
	k, f, b := analyzed(t, [3]int{5, 5, 6}, rand.New(rand.NewPCG(1, 2)))
	x := make([]float64, k.N)
	if err := f.Refactorize(t.Context(), k.Value); err != nil {
		t.Fatal(err)
	}
	f.SolveFree(x, b, 1)
	times := func(i int64) float64 { // the same problem in units of its own for every other node
		if i/3%2 == 0 {
			return 1e3
		}
		return 1
	}
	values, scaled := append([]float64(nil), k.Value...), append([]float64(nil), b...)
	for col := range int64(k.N) {
		for at := k.ColPtr[col]; at < k.ColPtr[col+1]; at++ {
			if row := k.Row[at]; row >= 0 {
				values[at] *= times(row) * times(col)
			}
		}
		scaled[col] *= times(col)
	}
	if err := f.RefactorizeSingle(t.Context(), values); err != nil {
		t.Fatal(err)
	}
	quick, got := flex.NewQuick(), make([]float64, k.N)
	half := make([]flex.Half, 2)
	quick.Of(f)
	quick.Halves([]*flex.Half{&half[0], &half[1]}, []int32{6, 9})
	quick.First(scaled)
	at := quick.At(&half[1])
	quick.Second(got)
	for i := range got {
		got[i] *= times(int64(i))
	}
	if d := distance(got, x); d > 1e-4 {
		t.Errorf("off by %g", d)
	}
	for c, v := range at {
		if d := math.Abs(v*times(27) - x[27+c]); d > 1e-4*norm(x) {
			t.Errorf("node 9: %g, want %g", v*times(27), x[27+c])
		}
	}
	unit := make([]float64, k.N)
	unit[3*9] = 1
	f.SolveFree(unit, unit, 1)
	w := quick.Across(&half[0], &half[1])
	for c := range 3 {
		if v := w[3*c] * times(18) * times(27); math.Abs(v-unit[18+c]) > 1e-4*norm(unit) {
			t.Errorf("between nodes 6 and 9: %g, want %g", v, unit[18+c])
		}
	}
}

func norm(a []float64) float64 {
	s := 0.0
	for _, v := range a {
		s += v * v
	}
	return math.Sqrt(s)
}

// distance of a from b, over the size of b.
func distance(a, b []float64) float64 {
	s := 0.0
	for i := range a {
		s += (a[i] - b[i]) * (a[i] - b[i])
	}
	return math.Sqrt(s) / norm(b)
}
