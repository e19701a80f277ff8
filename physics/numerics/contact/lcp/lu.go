package lcp

import "math"

// factorize replaces a (k x k, row-major) by its LU factors with partial pivoting, the exchanges in perm. It reports
// whether every pivot was usable.
func factorize(a []float64, perm []int, k int) bool {
	for c := range k {
		p := c
		for r := c + 1; r < k; r++ {
			if math.Abs(a[r*k+c]) > math.Abs(a[p*k+c]) {
				p = r
			}
		}
		perm[c] = p
		if !(math.Abs(a[p*k+c]) > 0) {
			return false
		}
		if p != c {
			for j := range k {
				a[p*k+j], a[c*k+j] = a[c*k+j], a[p*k+j]
			}
		}
		top := a[c*k : (c+1)*k]
		inv := 1 / top[c]
		for r := c + 1; r < k; r++ {
			row := a[r*k : (r+1)*k]
			f := row[c] * inv
			row[c] = f
			if f == 0 {
				continue
			}
			for j := c + 1; j < k; j++ {
				row[j] -= f * top[j]
			}
		}
	}
	return true
}

// solve computes x from the factors of factorize; b is overwritten.
func solve(a []float64, perm []int, k int, b, x []float64) {
	for c := range k {
		if p := perm[c]; p != c {
			b[p], b[c] = b[c], b[p]
		}
	}
	for r := range k {
		s := b[r]
		for j, v := range a[r*k : r*k+r] {
			s -= v * x[j]
		}
		x[r] = s
	}
	for r := k - 1; r >= 0; r-- {
		s := x[r]
		for j := r + 1; j < k; j++ {
			s -= a[r*k+j] * x[j]
		}
		x[r] = s / a[r*k+r]
	}
}
