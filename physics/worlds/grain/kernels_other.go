//go:build !amd64

package grain

var fast = false

func pairLoop(pos, force []float64, first int, from *lists, law *[24]float64, close []int32, fence int32, soon *lists) (noted int) {
	return pairLoopGo(pos, force, first, from, law, close, fence, soon)
}

func listWithin(at *[3][]float64, lo, hi, i int, reach2 float64, list []int32) int {
	return withinGo(at, lo, hi, i, reach2, list)
}

func (w *World) moveFour(*task) int { return 0 }

func (w *World) setFall() {}
