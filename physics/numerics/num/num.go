// Package num holds the small arithmetic that every package needs: numbers that are finite, slices that grow, the
// Euclidean norm, a dense system, a root by bisection. It knows nothing of ours.
package num

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// Finite tells whether x is a number: x-x is 0 for these only; NaN and infinities give NaN.
func Finite(x float64) bool { return x-x == 0 }

// AllFinite is Finite of all.
func AllFinite(xs ...float64) bool {
	for _, x := range xs {
		if x-x != 0 {
			return false
		}
	}
	return true
}

// FiniteVec is Finite of the components.
func FiniteVec(v mgl64.Vec3) bool { return v[0]-v[0] == 0 && v[1]-v[1] == 0 && v[2]-v[2] == 0 }

// Positive tells whether x is above 0 and finite.
func Positive(x float64) bool { return x > 0 && !math.IsInf(x, 1) }

// Grow is s with length n, in new memory only if it must. What it holds then is arbitrary.
func Grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/2)
	}
	return s[:n]
}

// Dot is the inner product in four interleaved sums, which a processor forms side by side.
func Dot(a, b []float64) float64 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return s0 + s1 + s2 + s3
}

// Norm is the Euclidean norm, summed in order.
func Norm(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x * x
	}
	return math.Sqrt(s)
}

// MaxAbs is the largest absolute component.
func MaxAbs(v mgl64.Vec3) float64 { return max(math.Abs(v[0]), math.Abs(v[1]), math.Abs(v[2])) }

// Across is a unit vector at right angles to v.
func Across(v mgl64.Vec3) mgl64.Vec3 {
	e := mgl64.Vec3{1, 0, 0}
	if math.Abs(v[0]) > 0.7 {
		e = mgl64.Vec3{0, 1, 0}
	}
	return v.Cross(e).Normalize()
}

// Solve solves a x = b, a of len(b) rows and columns one after the other, by LU with row exchange: b becomes x, and a is
// used up. It is false where a is singular.
func Solve(a, b []float64) bool {
	n := len(b)
	if n == 0 {
		return true
	}
	var few [8]int
	pivots := few[:min(n, len(few))]
	if n > len(few) {
		pivots = make([]int, n)
	}
	lu := blas64.General{Rows: n, Cols: n, Stride: n, Data: a}
	if !lapack64.Getrf(lu, pivots) {
		return false
	}
	lapack64.Getrs(blas.NoTrans, lu, blas64.General{Rows: n, Cols: 1, Stride: 1, Data: b}, pivots)
	return true
}

// Bisect is the only root of f between lo and hi, to the last digit.
func Bisect(f func(float64) float64, lo, hi float64) float64 {
	below := f(lo) < 0
	for range 200 {
		x := (lo + hi) / 2
		if x == lo || x == hi {
			break
		}
		if (f(x) < 0) == below {
			lo = x
		} else {
			hi = x
		}
	}
	return (lo + hi) / 2
}
