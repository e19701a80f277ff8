package contact

// dot3 is three consecutive rows of a row-major matrix with n columns times r.
func dot3(rows []float64, n int, r []float64) (s0, s1, s2 float64) {
	w0, w1, w2 := rows[:n], rows[n : 2*n][:n], rows[2*n : 3*n][:n]
	r = r[:n]
	for j, f := range r {
		s0 += w0[j] * f
		s1 += w1[j] * f
		s2 += w2[j] * f
	}
	return s0, s1, s2
}
