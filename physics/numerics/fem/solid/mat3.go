package solid

import "math"

// Mat3 is a 3x3 matrix by rows: entry (i, J) stands at 3*i + J.
type Mat3 [9]float64

// Mat9 is a 9x9 matrix by rows: A_iJkL stands at 9*(3*i+J) + 3*k + L.
type Mat9 [81]float64

// Identity is the unit matrix.
var Identity = Mat3{1, 0, 0, 0, 1, 0, 0, 0, 1}

// Det is the determinant.
func (a *Mat3) Det() float64 {
	return a[0]*(a[4]*a[8]-a[5]*a[7]) - a[1]*(a[3]*a[8]-a[5]*a[6]) + a[2]*(a[3]*a[7]-a[4]*a[6])
}

// Cofactor is d det/dF: det(F) F^-T, which exists for every F.
func (a *Mat3) Cofactor() Mat3 {
	return Mat3{
		a[4]*a[8] - a[5]*a[7], a[5]*a[6] - a[3]*a[8], a[3]*a[7] - a[4]*a[6],
		a[2]*a[7] - a[1]*a[8], a[0]*a[8] - a[2]*a[6], a[1]*a[6] - a[0]*a[7],
		a[1]*a[5] - a[2]*a[4], a[2]*a[3] - a[0]*a[5], a[0]*a[4] - a[1]*a[3],
	}
}

// Mul is a b.
func (a *Mat3) Mul(b *Mat3) (c Mat3) {
	for i := 0; i < 9; i += 3 {
		x, y, z := a[i], a[i+1], a[i+2]
		c[i] = x*b[0] + y*b[3] + z*b[6]
		c[i+1] = x*b[1] + y*b[4] + z*b[7]
		c[i+2] = x*b[2] + y*b[5] + z*b[8]
	}
	return c
}

// MulT is a b^T.
func (a *Mat3) MulT(b *Mat3) (c Mat3) {
	for i := 0; i < 9; i += 3 {
		for j := range 3 {
			c[i+j] = a[i]*b[3*j] + a[i+1]*b[3*j+1] + a[i+2]*b[3*j+2]
		}
	}
	return c
}

// TMul is a^T b.
func (a *Mat3) TMul(b *Mat3) (c Mat3) {
	for i := range 3 {
		x, y, z := a[i], a[3+i], a[6+i]
		c[3*i] = x*b[0] + y*b[3] + z*b[6]
		c[3*i+1] = x*b[1] + y*b[4] + z*b[7]
		c[3*i+2] = x*b[2] + y*b[5] + z*b[8]
	}
	return c
}

// Dot is the sum of a_ij b_ij.
func (a *Mat3) Dot(b *Mat3) float64 {
	s := 0.0
	for k := range a {
		s += a[k] * b[k]
	}
	return s
}

// outer adds s a_iJ b_kL to A.
func (A *Mat9) outer(s float64, a, b *Mat3) {
	for r := range 9 {
		row, v := A[9*r:9*r+9:9*r+9], s*a[r]
		for c, w := range b {
			row[c] += v * w
		}
	}
}

// outerBoth adds s (a_iJ b_kL + b_iJ a_kL) to A.
func (A *Mat9) outerBoth(s float64, a, b *Mat3) {
	A.outer(s, a, b)
	A.outer(s, b, a)
}

// crossed adds s a_iL b_kJ to A.
func (A *Mat9) crossed(s float64, a, b *Mat3) {
	for i := range 3 {
		for j := range 3 {
			for k := range 3 {
				v := s * b[3*k+j]
				for l := range 3 {
					A[27*i+9*j+3*k+l] += v * a[3*i+l]
				}
			}
		}
	}
}

// onDirections adds s delta_ik m_JL to A.
func (A *Mat9) onDirections(s float64, m *Mat3) {
	for i := range 3 {
		for j := range 3 {
			for l := range 3 {
				A[30*i+9*j+l] += s * m[3*j+l]
			}
		}
	}
}

// onComponents adds s m_ik delta_JL to A.
func (A *Mat9) onComponents(s float64, m *Mat3) {
	for i := range 3 {
		for k := range 3 {
			for j := range 3 {
				A[27*i+3*k+10*j] += s * m[3*i+k]
			}
		}
	}
}

// diagonal adds s delta_ik delta_JL to A.
func (A *Mat9) diagonal(s float64) {
	for r := range 9 {
		A[10*r] += s
	}
}

// curvature adds s d2(det)/dF_iJ dF_kL to A. It is linear in F: epsilon_ikp epsilon_JLq F_pq.
func (A *Mat9) curvature(s float64, f *Mat3) {
	for i := range 3 {
		k, p := (i+1)%3, (i+2)%3
		for j := range 3 {
			l, q := (j+1)%3, (j+2)%3
			// even turns of (i,k,p) and (J,L,q), then with one of them odd
			A[27*i+9*j+3*k+l] += s * f[3*p+q]
			A[27*i+9*j+3*p+q] += s * f[3*k+l]
			A[27*i+9*j+3*k+q] -= s * f[3*p+l]
			A[27*i+9*j+3*p+l] -= s * f[3*k+q]
		}
	}
}

// Times is A : d.
func (A *Mat9) Times(d *Mat3) (out Mat3) {
	for r := range 9 {
		row, s := A[9*r:9*r+9:9*r+9], 0.0
		for c, v := range d {
			s += row[c] * v
		}
		out[r] = s
	}
	return out
}

// timesLeft is d : A.
func (A *Mat9) timesLeft(d *Mat3) (out Mat3) {
	for r, v := range d {
		row := A[9*r : 9*r+9 : 9*r+9]
		for c := range out {
			out[c] += v * row[c]
		}
	}
	return out
}

// svd factorises F = U diag(s) V^T with rotations U and V, so that s[2], the smallest, has the sign of det F. Singular
// values descend.
func svd(f *Mat3) (u Mat3, s [3]float64, v Mat3) {
	c := f.TMul(f)
	lambda := eigen(&c, &v)
	// by size, keeping v a rotation
	swap := func(a, b int) {
		if lambda[a] < lambda[b] {
			lambda[a], lambda[b] = lambda[b], lambda[a]
			for r := 0; r < 9; r += 3 {
				v[r+a], v[r+b] = v[r+b], -v[r+a]
			}
		}
	}
	swap(0, 1)
	swap(0, 2)
	swap(1, 2)
	w := f.Mul(&v) // columns s_k u_k
	var col [3][3]float64
	for k := range 3 {
		col[k] = [3]float64{w[k], w[3+k], w[6+k]}
	}
	s[0] = norm(col[0])
	u0 := unit(col[0], [3]float64{1, 0, 0})
	d := dot(u0, col[1])
	for k := range 3 {
		col[1][k] -= d * u0[k]
	}
	s[1] = norm(col[1])
	side := [3]float64{}
	side[smallest(u0)] = 1 // any direction off u0, should the second value vanish
	d = dot(u0, side)
	for k := range 3 {
		side[k] -= d * u0[k]
	}
	u1 := unit(col[1], unit(side, [3]float64{0, 1, 0}))
	u2 := cross(u0, u1)
	s[2] = dot(u2, col[2])
	for r := range 3 {
		u[3*r], u[3*r+1], u[3*r+2] = u0[r], u1[r], u2[r]
	}
	return u, s, v
}

func norm(a [3]float64) float64   { return math.Sqrt(dot(a, a)) }
func dot(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
func cross(a, b [3]float64) [3]float64 {
	return [3]float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

func unit(a, otherwise [3]float64) [3]float64 {
	n := norm(a)
	if !(n > 1e-300) {
		return otherwise
	}
	return [3]float64{a[0] / n, a[1] / n, a[2] / n}
}

func smallest(a [3]float64) int {
	k := 0
	for i := range a {
		if math.Abs(a[i]) < math.Abs(a[k]) {
			k = i
		}
	}
	return k
}

// eigen finds the eigenvalues of a symmetric matrix and its eigenvectors, the columns of the rotation v, by Jacobi's
// method.
func eigen(c *Mat3, v *Mat3) [3]float64 {
	a := *c
	*v = Identity
	for range 30 {
		off := a[1]*a[1] + a[2]*a[2] + a[5]*a[5]
		if !(off > 1e-36*(a[0]*a[0]+a[4]*a[4]+a[8]*a[8])) {
			break
		}
		for _, pq := range [3][2]int{{0, 1}, {0, 2}, {1, 2}} {
			p, q := pq[0], pq[1]
			apq := a[3*p+q]
			if apq == 0 {
				continue
			}
			theta := (a[4*q] - a[4*p]) / (2 * apq)
			t := 1 / (math.Abs(theta) + math.Sqrt(theta*theta+1))
			if theta < 0 {
				t = -t
			}
			cos := 1 / math.Sqrt(t*t+1)
			sin := t * cos
			r := 3 - p - q
			arp, arq := a[3*r+p], a[3*r+q]
			a[4*p] -= t * apq
			a[4*q] += t * apq
			a[3*p+q], a[3*q+p] = 0, 0
			a[3*r+p] = cos*arp - sin*arq
			a[3*r+q] = sin*arp + cos*arq
			a[3*p+r], a[3*q+r] = a[3*r+p], a[3*r+q]
			for k := 0; k < 9; k += 3 {
				vp, vq := v[k+p], v[k+q]
				v[k+p], v[k+q] = cos*vp-sin*vq, sin*vp+cos*vq
			}
		}
	}
	return [3]float64{a[0], a[4], a[8]}
}

// Rotation is R of the polar decomposition F = R U: the nearest rotation. Where det F <= 0 it is a proper rotation all
// the same, and U has a negative value.
func Rotation(f *Mat3) Mat3 {
	// Newton's iteration on R^T R = I, R <- (R + R^-T)/2, doubles the right digits; it starts scaled to unit
	// determinant. Far from a rotation the singular values are surer.
	if det := f.Det(); det > 1e-3*math.Pow(f.Dot(f)/3, 1.5) {
		r := *f
		scale := 1 / math.Cbrt(det)
		for k := range r {
			r[k] *= scale
		}
		for range 12 {
			c := r.Cofactor()
			inv := 1 / (r[0]*c[0] + r[1]*c[1] + r[2]*c[2])
			change := 0.0
			for k := range r {
				d := 0.5 * (c[k]*inv - r[k])
				r[k] += d
				change += d * d
			}
			if change < 1e-20 { // the next change is about the square of this one
				return r
			}
		}
	}
	u, _, v := svd(f)
	return u.MulT(&v)
}

// Stretches are the principal stretches of a deformation gradient, -.
func Stretches(f *Mat3) [3]float64 {
	c := f.TMul(f)
	var v Mat3
	s := eigen(&c, &v)
	for k := range s {
		s[k] = math.Sqrt(math.Max(0, s[k]))
	}
	return s
}

// LogStrain is ln V = ln(F F^T)/2, Hencky's strain in the axes of the deformed body, of a deformation gradient with det
// F > 0; -. Of a small strain it is the linear one.
func LogStrain(f *Mat3) (e Mat3) {
	b := f.MulT(f)
	var v Mat3
	for k, s := range eigen(&b, &v) {
		ln := math.Log(s) / 2
		for i := range 3 {
			for j := range 3 {
				e[3*i+j] += ln * v[3*i+k] * v[3*j+k]
			}
		}
	}
	return e
}
