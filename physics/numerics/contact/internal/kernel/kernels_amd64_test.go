package kernel

import (
	"math/rand/v2"
	"testing"
)

// Registers of eight numbers make the same tiles as those of four, to the last bit.
func TestWideTileSub(t *testing.T) {
	if !fast || !wide {
		t.Skip("no AVX-512 here")
	}
	defer func() { wide = true }()
	rng := rand.New(rand.NewPCG(5, 6))
	var a, b, c, d [TileArea]float64
	randoms(rng, a[:])
	randoms(rng, b[:])
	randoms(rng, c[:])
	d = c
	TileSub(&c, &a, &b)
	wide = false
	if TileSub(&d, &a, &b); c != d {
		t.Errorf("%v and %v", c, d)
	}
}

func BenchmarkWideTileSub(b *testing.B) {
	was := wide
	defer func() { wide = was }()
	var x, y, z [TileArea]float64
	for _, on := range []bool{false, was} {
		wide = on
		b.Run(map[bool]string{false: "4", true: "8"}[on], func(b *testing.B) {
			for b.Loop() {
				TileSub(&x, &y, &z)
			}
		})
	}
}
