package kernel

import "math"

// Share is sqrt(a/b), with 0/0 = 0: nothing asked, nothing missing. Compared with something infinite nothing can be
// said.
func Share(a, b float64) float64 {
	if a == 0 && b == 0 {
		return 0
	}
	if math.IsInf(b, 0) {
		return math.NaN()
	}
	return math.Sqrt(a / b)
}
