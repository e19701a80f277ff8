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

// tileSub is c -= a b.
func tileSub(c, a, b *[tileArea]float64) {
	for i := 0; i < tileArea; i += tileSize {
		ci := c[i : i+tileSize : i+tileSize]
		for k := range tileSize {
			f := a[i+k]
			bk := b[k*tileSize : k*tileSize+tileSize : k*tileSize+tileSize]
			for j := range bk {
				ci[j] -= f * bk[j]
			}
		}
	}
}

// tileRight is a = a b.
func tileRight(a, b *[tileArea]float64) {
	for i := 0; i < tileArea; i += tileSize {
		ai := a[i : i+tileSize : i+tileSize]
		var s [tileSize]float64
		for k := range tileSize {
			f := ai[k]
			bk := b[k*tileSize : k*tileSize+tileSize : k*tileSize+tileSize]
			for j := range bk {
				s[j] += f * bk[j]
			}
		}
		copy(ai, s[:])
	}
}

// tileVec is y -= a x.
func tileVec(y *[tileSize]float64, a *[tileArea]float64, x *[tileSize]float64) {
	for i := range y {
		ai := a[i*tileSize : i*tileSize+tileSize : i*tileSize+tileSize]
		s := 0.0
		for j := range ai {
			s += ai[j] * x[j]
		}
		y[i] -= s
	}
}
