package kernel

import "golang.org/x/sys/cpu"

// fast tells that the processor has what the assembly needs. Tests turn it off to compare the twins.
var fast = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// wide tells that it has registers of eight numbers.
var wide = cpu.X86.HasAVX512F

// Dot3 is three consecutive rows of a row-major matrix with n columns times r.
func Dot3(rows []float64, n int, r []float64) (s0, s1, s2 float64) {
	if !fast || n == 0 {
		return dot3Go(rows, n, r)
	}
	_, _ = rows[3*n-1], r[n-1]
	return dot3AVX(&rows[0], n, &r[0])
}

// BlockRow is the row of 3x3 blocks from val and col times r. It trusts the columns to lie within r, which Compress guarantees.
func BlockRow(val []float64, col []int32, r []float64) (s0, s1, s2 float64) {
	if !fast || len(col) == 0 {
		return blockRowGo(val, col, r)
	}
	_ = val[12*len(col)-1]
	return blockRowAVX(&val[0], &col[0], len(col), &r[0])
}

// TileSub is c -= a b.
func TileSub(c, a, b *[TileArea]float64) {
	if fast {
		tileSubAVX(c, a, b)
		return
	}
	tileSubGo(c, a, b)
}

// TileRow is c -= a b for tiles c and b of two rows, those of the columns cols, which begin in val where c and b say.
// It trusts these.
func TileRow(val []float64, a *[TileArea]float64, c, b, cols []int32) {
	if fast && wide && len(cols) > 0 {
		tileRowAVX512(&val[0], a, &c[0], &b[0], &cols[0], len(cols))
		return
	}
	tileRowGo(val, a, c, b, cols)
}

// TileRight is a = a b.
func TileRight(a, b *[TileArea]float64) {
	switch {
	case fast && wide:
		tileRightAVX512(a, b)
		return
	case fast:
		tileRightAVX(a, b)
		return
	}
	tileRightGo(a, b)
}

// TileVec is y -= a x.
func TileVec(y *[TileSize]float64, a *[TileArea]float64, x *[TileSize]float64) {
	if fast {
		tileVecAVX(y, a, x)
		return
	}
	tileVecGo(y, a, x)
}

// Combine is y -= gamma d, d having a row of len(y) numbers for each gamma.
func Combine(y, d, gamma []float64) {
	if !fast || len(y) == 0 || len(gamma) == 0 {
		combineGo(y, d, gamma)
		return
	}
	_ = d[len(y)*len(gamma)-1]
	combineAVX(&y[0], &d[0], len(y), len(gamma), &gamma[0])
}

// DotSingle is three rows as long as d, one after the other, times d; its length is a multiple of SingleStep.
func DotSingle(rows, d []float32) (s0, s1, s2 float32) {
	if !fast || len(d) == 0 {
		return dotSingleGo(rows, d)
	}
	_, _ = rows[3*len(d)-1], d[:len(d)&^(SingleStep-1)][len(d)-1]
	return dotSingleAVX(&rows[0], len(d), &d[0])
}

// PushSingle is y += f rows, three rows as long as y, one after the other; its length is a multiple of SingleStep.
func PushSingle(y, rows []float32, f *[3]float32) {
	if !fast || len(y) == 0 {
		pushSingleGo(y, rows, f)
		return
	}
	_, _ = rows[3*len(y)-1], y[:len(y)&^(SingleStep-1)][len(y)-1]
	pushSingleAVX(&y[0], &rows[0], len(y), f)
}

// Narrow is dst = scale src in single precision.
func Narrow(dst []float32, src []float64, scale float64) {
	dst = dst[:len(src)]
	if n := len(src) &^ 3; fast && n > 0 {
		narrowAVX(&dst[0], &src[0], n, scale)
		dst, src = dst[n:], src[n:]
	}
	narrowGo(dst, src, scale)
}

// allBut has no bits at one of a row's places and all at the others.
var allBut = func() (m [TileSize][TileSize]uint64) {
	for k := range m {
		for j := range m[k] {
			if j != k {
				m[k][j] = ^uint64(0)
			}
		}
	}
	return m
}()

// TileStep is step k of the inversion of d in its place by Gauss and Jordan.
func TileStep(d *[TileArea]float64, k int) {
	if fast {
		tileStepAVX(d, &allBut[k&(TileSize-1)], k&(TileSize-1))
		return
	}
	tileStepGo(d, k)
}
