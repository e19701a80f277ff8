package kernel

import "math"

// Grow returns s with length n, and new memory only if it must.
func Grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/2)
	}
	return s[:n]
}

// Finite tells whether x is a number.
func Finite(x float64) bool { return x-x == 0 }

// Norm is the Euclidean norm.
func Norm(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x * x
	}
	return math.Sqrt(s)
}

// Share is sqrt(a/b), with 0/0 = 0: nothing asked, nothing missing. Compared
// with something infinite nothing can be said.
func Share(a, b float64) float64 {
	if a == 0 && b == 0 {
		return 0
	}
	if math.IsInf(b, 0) {
		return math.NaN()
	}
	return math.Sqrt(a / b)
}
