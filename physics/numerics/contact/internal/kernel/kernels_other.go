//go:build !amd64

package kernel

var fast = false

func Dot3(rows []float64, n int, r []float64) (s0, s1, s2 float64) { return dot3Go(rows, n, r) }

func BlockRow(val []float64, col []int32, r []float64) (s0, s1, s2 float64) {
	return blockRowGo(val, col, r)
}

func TileSub(c, a, b *[TileArea]float64) { tileSubGo(c, a, b) }

func TileRow(val []float64, a *[TileArea]float64, c, b, cols []int32) { tileRowGo(val, a, c, b, cols) }

func TileRight(a, b *[TileArea]float64) { tileRightGo(a, b) }

func TileVec(y *[TileSize]float64, a *[TileArea]float64, x *[TileSize]float64) { tileVecGo(y, a, x) }

func Combine(y, d, gamma []float64) { combineGo(y, d, gamma) }

func DotSingle(rows, d []float32) (s0, s1, s2 float32) { return dotSingleGo(rows, d) }

func PushSingle(y, rows []float32, f *[3]float32) { pushSingleGo(y, rows, f) }

func Narrow(dst []float32, src []float64, scale float64) { narrowGo(dst, src, scale) }

func TileStep(d *[TileArea]float64, k int) { tileStepGo(d, k) }
