package exact

import "math"

// Local is one contact prepared for exact solves: find r with x = b + W_cc r under Signorini's and Coulomb's laws, b
// being what the other contacts and the free motion give.
//
// With r_n eliminated through x_n = 0 the tangential law sees the Schur complement S = W_tt - W_tn W_nt / W_nn. Its
// eigenvectors are the tangential frame used here, so that S is diagonal: x_t = S r_t + c.
type Local struct {
	mu         float64
	wn, invN   float64 // W_nn and 1/W_nn; invN = 0: a contact that no force moves
	a1, a2     float64 // W_nt in the frame of S
	l1, l2     float64 // eigenvalues of S, m/N
	cos, sin   float64 // from (t1, t2) to the frame of S
	root       float64 // the last sliding ratio s = |x_t|/|r_t|, m/N
	scale, inv float64 // w_c = trace(W_cc)/3 and its inverse
	rootW      float64 // sqrt(w_c)
}

// tiny is the share of its trace under which an eigenvalue or a diagonal entry is rounding.
const tiny = 1e-13

// Prepare takes W_cc + shift I, the small asymmetry of W_cc averaged away. w_c is that of W_cc itself; mean replaces it
// where there is no diagonal block.
func (l *Local) Prepare(w *[9]float64, mu, mean, shift float64) {
	n1, n2 := (w[1]+w[3])/2, (w[2]+w[6])/2
	tr := w[0] + w[4] + w[8]
	*l = Local{mu: mu, wn: w[0] + shift, cos: 1, scale: tr / 3}
	if !(tr > 0) {
		l.scale = mean
	}
	l.setScale(l.scale)
	tr += 3 * shift
	if !(l.wn > tiny*tr) {
		return
	}
	l.invN = 1 / l.wn
	s11 := w[4] + shift - n1*n1*l.invN
	s22 := w[8] + shift - n2*n2*l.invN
	s12 := (w[5]+w[7])/2 - n1*n2*l.invN

	// Eigenvalues of the 2x2 Schur complement by one Jacobi rotation.
	if s12 != 0 {
		th := (s22 - s11) / (2 * s12)
		t := 1 / (math.Abs(th) + math.Sqrt(th*th+1))
		if th < 0 {
			t = -t
		}
		l.cos = 1 / math.Sqrt(t*t+1)
		l.sin = -t * l.cos
		s11 -= t * s12
		s22 += t * s12
	}
	l.l1, l.l2 = max(s11, tiny*tr), max(s22, tiny*tr)
	l.a1 = l.cos*n1 + l.sin*n2
	l.a2 = l.cos*n2 - l.sin*n1
}

// setScale sets w_c.
func (l *Local) setScale(w float64) { l.scale, l.inv, l.rootW = w, 1/w, math.Sqrt(w) }

// Solve returns the exact force of the contact, from its displacement x under the present forces, which include its own
// r. eps is the relative accuracy of the sliding root. The force is inside the cone up to rounding.
//
//	open:   b_n >= 0
//	stick:  x = 0 and |r_t| <= mu r_n
//	slip:   x_t = -s r_t, |r_t| = mu r_n; the root s > 0 is bracketed: at s = 0 the
//	        force lies outside the cone, for s large inside
func (l *Local) Solve(xn, xt1, xt2, rn, rt1, rt2, eps float64) (float64, float64, float64) {
	r1, r2 := l.cos*rt1+l.sin*rt2, l.cos*rt2-l.sin*rt1
	bn := xn - l.wn*rn - l.a1*r1 - l.a2*r2
	if !(bn < 0) || l.invN == 0 {
		return 0, 0, 0
	}
	if l.mu == 0 {
		return -bn * l.invN, 0, 0
	}
	k := xn * l.invN
	c1 := l.cos*xt1 + l.sin*xt2 - l.l1*r1 - l.a1*k
	c2 := l.cos*xt2 - l.sin*xt1 - l.l2*r2 - l.a2*k

	r1, r2 = -c1/l.l1, -c2/l.l2
	rn = -(bn + l.a1*r1 + l.a2*r2) * l.invN
	if t2, lim := r1*r1+r2*r2, l.mu*rn; rn > 0 && t2 <= lim*lim {
		return rn, l.cos*r1 - l.sin*r2, l.sin*r1 + l.cos*r2
	}
	return l.slide(bn, c1, c2, eps)
}

// slide finds the root of f(s) = 1 - mu r_n(s)/|r_t(s)|, which is nearly linear in s, by Newton steps kept in the
// bracket.
func (l *Local) slide(bn, c1, c2, eps float64) (float64, float64, float64) {
	lo, hi := 0.0, math.Inf(1)
	s := l.root
	var rn, r1, r2 float64
	for range 60 {
		d1, d2 := 1/(l.l1+s), 1/(l.l2+s)
		r1, r2 = -c1*d1, -c2*d2
		rn = -(bn + l.a1*r1 + l.a2*r2) * l.invN
		t := math.Sqrt(r1*r1 + r2*r2)
		g := t - l.mu*rn
		if g > 0 {
			lo = s
		} else {
			hi = s
		}
		if math.Abs(g) <= eps*t {
			break
		}
		dt := -(r1*r1*d1 + r2*r2*d2) / t
		dn := (l.a1*r1*d1 + l.a2*r2*d2) * l.invN
		next := s + g*t/(l.mu*(dn*t-rn*dt))
		if !(next > lo && next < hi) {
			if math.IsInf(hi, 1) {
				next = 2*s + l.l1 + l.l2
			} else {
				next = (lo + hi) / 2
			}
		}
		if next == s {
			break
		}
		s = next
	}
	l.root = s
	if !(rn > 0) {
		return 0, 0, 0
	}
	if t := math.Sqrt(r1*r1 + r2*r2); t > 0 {
		k := l.mu * rn / t
		r1, r2 = r1*k, r2*k
	}
	return rn, l.cos*r1 - l.sin*r2, l.sin*r1 + l.cos*r2
}
