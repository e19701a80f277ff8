package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Registers of eight numbers make the same tiles as those of four, to the last bit.
func TestWideTiles(t *testing.T) {
	if !fast || !wide {
		t.Skip("no AVX-512 here")
	}
	defer func() { wide = true }()
	rng := rand.New(rand.NewPCG(5, 6))
	var a [TileArea]float64
	val := make([]float64, 6*TileArea)
	randoms(rng, a[:])
	randoms(rng, val)
	c, b, cols := []int32{0, 2 * TileArea, -1, TileArea}, []int32{3 * TileArea, 5 * TileArea, -1, 4 * TileArea}, []int32{0, 1, 3}
	narrow, right := slices.Clone(val), a
	TileRow(val, &a, c, b, cols)
	TileRight(&right, &a)
	wide = false
	if TileRow(narrow, &a, c, b, cols); !slices.Equal(val, narrow) {
		t.Errorf("%v and %v", val, narrow)
	}
	square := a
	if TileRight(&a, &square); a != right {
		t.Errorf("%v and %v", a, right)
	}
}

func BenchmarkWideTiles(b *testing.B) {
	was := wide
	defer func() { wide = was }()
	var a [TileArea]float64
	val, at, cols := make([]float64, 40*TileArea), make([]int32, 40), make([]int32, 20)
	for i := range at {
		at[i] = int32(i * TileArea)
	}
	for i := range cols {
		cols[i] = int32(i)
	}
	for _, on := range []bool{false, was} {
		wide = on
		b.Run(map[bool]string{false: "4", true: "8"}[on], func(b *testing.B) {
			for b.Loop() {
				TileRow(val, &a, at[:20], at[20:], cols)
			}
		})
	}
}
