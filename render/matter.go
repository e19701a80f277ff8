package render

import (
	"math"
	"unsafe"

	"github.com/go-gl/gl/v3.3-core/gl"
)

// matterTexels is the side of the cube that holds the structure of tissue; it repeats.
const matterTexels = 32

// matterTexture is a field without a pattern and its gradient, in a cube that repeats: of cells of 8 texels and, half as
// strong, of 4. All four are stored as 0..1 about 0.5.
func matterTexture(h *holdings) {
	const n = matterTexels
	at := func(x, y, z int) int { return ((z+n)%n*n+(y+n)%n)*n + (x+n)%n }
	field := make([]float64, n*n*n)
	most := 0.0
	for z := range n {
		for y := range n {
			for x := range n {
				p := [3]float64{float64(x), float64(y), float64(z)}
				v := repeating(p, 8, n) + 0.5*repeating(p, 4, n)
				field[at(x, y, z)] = v
				most = max(most, math.Abs(v))
			}
		}
	}
	texels := make([]uint8, 4*n*n*n)
	store := func(v float64) uint8 { return uint8(math.Round(255 * min(max(0.5+0.5*v, 0), 1))) }
	for z := range n {
		for y := range n {
			for x := range n {
				i := at(x, y, z)
				t := texels[4*i : 4*i+4]
				t[0] = store(2 * (field[at(x+1, y, z)] - field[at(x-1, y, z)]) / most)
				t[1] = store(2 * (field[at(x, y+1, z)] - field[at(x, y-1, z)]) / most)
				t[2] = store(2 * (field[at(x, y, z+1)] - field[at(x, y, z-1)]) / most)
				t[3] = store(field[i] / most)
			}
		}
	}
	gl.ActiveTexture(gl.TEXTURE0 + matterUnit)
	gl.BindTexture(gl.TEXTURE_3D, h.texture())
	gl.TexImage3D(gl.TEXTURE_3D, 0, gl.RGBA8, n, n, n, 0, gl.RGBA, gl.UNSIGNED_BYTE, unsafe.Pointer(&texels[0]))
	for _, p := range [...][2]int32{{gl.TEXTURE_MIN_FILTER, gl.LINEAR}, {gl.TEXTURE_MAG_FILTER, gl.LINEAR},
		{gl.TEXTURE_WRAP_S, gl.REPEAT}, {gl.TEXTURE_WRAP_T, gl.REPEAT}, {gl.TEXTURE_WRAP_R, gl.REPEAT}} {
		gl.TexParameteri(gl.TEXTURE_3D, uint32(p[0]), p[1])
	}
	gl.ActiveTexture(gl.TEXTURE0)
}

// matterUnit is the texture unit of the structure: nothing else is bound there.
const matterUnit = 2

// repeating is smooth noise of cells of so many texels, in a cube of side n that repeats, about -1..1.
func repeating(p [3]float64, cell, n int) (sum float64) {
	period := uint64(n / cell)
	var low [3]uint64
	var f [3]float64
	for a := range 3 {
		t := p[a] / float64(cell)
		low[a] = uint64(t)
		t -= math.Floor(t)
		f[a] = t * t * (3 - 2*t)
	}
	for c := range 8 {
		w, h := 1.0, uint64(cell)
		for a := range 3 {
			bit := uint64(c >> a & 1)
			w *= float64(bit)*f[a] + float64(1-bit)*(1-f[a])
			h = mixed(h ^ (low[a]+bit)%period + 0x9e3779b97f4a7c15 + h<<6 + h>>2)
		}
		sum += w * (float64(h>>11)/(1<<52) - 1)
	}
	return sum
}
