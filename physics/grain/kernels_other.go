//go:build !amd64

package grain

func pairLoop(pos, force []float64, first, from, last int, ends, list []int32, pull *[8]float64, cores []int32) (next, noted int) {
	return pairLoopGo(pos, force, first, from, last, ends, list, pull, cores)
}

func within(at *[3][]float64, lo, hi, i int, reach2 float64, list []int32) int {
	return withinGo(at, lo, hi, i, reach2, list)
}
