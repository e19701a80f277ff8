//go:build !amd64

package contact

var fast = false

func dot3(rows []float64, n int, r []float64) (s0, s1, s2 float64) { return dot3Go(rows, n, r) }

func blockRow(val []float64, col []int32, r []float64) (s0, s1, s2 float64) {
	return blockRowGo(val, col, r)
}

func tileSub(c, a, b *[tileArea]float64) { tileSubGo(c, a, b) }

func tileRight(a, b *[tileArea]float64) { tileRightGo(a, b) }

func tileVec(y *[tileSize]float64, a *[tileArea]float64, x *[tileSize]float64) { tileVecGo(y, a, x) }

func combine(y, d, gamma []float64) { combineGo(y, d, gamma) }

func tileStep(d *[tileArea]float64, k int) { tileStepGo(d, k) }
