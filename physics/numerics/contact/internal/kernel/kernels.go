// Package kernel holds the inner loops of package contact and its solvers, and the small functions that they share.
package kernel

//go:generate go run asm/kernels.go -out kernels_amd64.s -stubs kernels_stubs_amd64.go -pkg kernel

// Each kernel has a twin in assembly for processors with AVX2 and FMA; the two differ in the order of summation only.
// The plain ones are here.

// Matrices are factorised in square tiles of TileSize rows, stored row by row.
const (
	TileSize = 8
	TileArea = TileSize * TileSize
)

// dot3Go is three consecutive rows of a row-major matrix with n columns times r.
func dot3Go(rows []float64, n int, r []float64) (s0, s1, s2 float64) {
	w0, w1, w2 := rows[:n], rows[n : 2*n][:n], rows[2*n : 3*n][:n]
	r = r[:n]
	for j, f := range r {
		s0 += w0[j] * f
		s1 += w1[j] * f
		s2 += w2[j] * f
	}
	return s0, s1, s2
}

// tileSubGo is c -= a b.
func tileSubGo(c, a, b *[TileArea]float64) {
	for i := 0; i < TileArea; i += TileSize {
		ci := c[i : i+TileSize : i+TileSize]
		for k := range TileSize {
			f := a[i+k]
			bk := b[k*TileSize : k*TileSize+TileSize : k*TileSize+TileSize]
			for j := range bk {
				ci[j] -= f * bk[j]
			}
		}
	}
}

// tileRowGo is TileRow tile by tile.
func tileRowGo(val []float64, a *[TileArea]float64, c, b, cols []int32) {
	for _, j := range cols {
		TileSub((*[TileArea]float64)(val[c[j]:]), a, (*[TileArea]float64)(val[b[j]:]))
	}
}

// tileRightGo is a = a b.
func tileRightGo(a, b *[TileArea]float64) {
	for i := 0; i < TileArea; i += TileSize {
		ai := a[i : i+TileSize : i+TileSize]
		var s [TileSize]float64
		for k := range TileSize {
			f := ai[k]
			bk := b[k*TileSize : k*TileSize+TileSize : k*TileSize+TileSize]
			for j := range bk {
				s[j] += f * bk[j]
			}
		}
		copy(ai, s[:])
	}
}

// tileVecGo is y -= a x.
func tileVecGo(y *[TileSize]float64, a *[TileArea]float64, x *[TileSize]float64) {
	for i := range y {
		ai := a[i*TileSize : i*TileSize+TileSize : i*TileSize+TileSize]
		s := 0.0
		for j := range ai {
			s += ai[j] * x[j]
		}
		y[i] -= s
	}
}

// blockRowGo is the row of blocks from val and col times r.
func blockRowGo(val []float64, col []int32, r []float64) (s0, s1, s2 float64) {
	for k, d := range col {
		v := val[12*k : 12*k+12 : 12*k+12]
		f := r[3*d : 3*d+3 : 3*d+3]
		s0 += v[0]*f[0] + v[4]*f[1] + v[8]*f[2]
		s1 += v[1]*f[0] + v[5]*f[1] + v[9]*f[2]
		s2 += v[2]*f[0] + v[6]*f[1] + v[10]*f[2]
	}
	return s0, s1, s2
}

// combineGo is y -= gamma d, d having a row of len(y) numbers for each gamma.
func combineGo(y, d, gamma []float64) {
	for j, g := range gamma {
		for i, v := range d[j*len(y) : (j+1)*len(y)] {
			y[i] -= g * v
		}
	}
}

// SingleStep is what lengths of rows in single precision are multiples of.
const SingleStep = 16

// dotSingleGo is three rows as long as d, one after the other, times d.
func dotSingleGo(rows, d []float32) (s0, s1, s2 float32) {
	n := len(d)
	w0, w1, w2 := rows[:n], rows[n:][:n], rows[2*n:][:n]
	for j, f := range d {
		s0 += w0[j] * f
		s1 += w1[j] * f
		s2 += w2[j] * f
	}
	return s0, s1, s2
}

// pushSingleGo is y += f rows, three rows as long as y, one after the other.
func pushSingleGo(y, rows []float32, f *[3]float32) {
	n := len(y)
	w0, w1, w2 := rows[:n], rows[n:][:n], rows[2*n:][:n]
	for j := range y {
		y[j] += f[0]*w0[j] + f[1]*w1[j] + f[2]*w2[j]
	}
}

// narrowGo is dst = scale src.
func narrowGo(dst []float32, src []float64, scale float64) {
	for i, v := range src {
		dst[i] = float32(scale * v)
	}
}

// tileStepGo is step k of the inversion of d in its place by Gauss and Jordan.
func tileStepGo(d *[TileArea]float64, k int) {
	rk := d[k*TileSize : k*TileSize+TileSize : k*TileSize+TileSize]
	inv := 1 / rk[k]
	rk[k] = 1
	for j := range rk {
		rk[j] *= inv
	}
	for i := range TileSize {
		if i == k {
			continue
		}
		ri := d[i*TileSize : i*TileSize+TileSize : i*TileSize+TileSize]
		g := ri[k]
		ri[k] = 0
		for j := range ri {
			ri[j] -= g * rk[j]
		}
	}
}
