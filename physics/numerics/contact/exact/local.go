package exact

import "math"

// Local is one contact prepared for exact solves: find r with x = b + W_cc r under Signorini's and Coulomb's laws, b
// being what the other contacts and the free motion give. W_cc need not be symmetric.
//
// With r_n eliminated through x_n = 0 the tangential law sees the Schur complement S = W_tt - W_tn W_nt / W_nn: x_t =
// S r_t + c.
type Local struct {
	mu                 float64
	wn                 float64 // W_nn; 0: a contact that no force moves
	a1, a2             float64 // W_nt
	scale, inv         float64 // w_c = trace(W_cc)/3 and its inverse
	root               float64 // the last sliding ratio s = |x_t|/|r_t|, m/N
	ready              bool    // what follows is made of W_cc; before, it is W_cc
	b1, b2             float64 // W_tn / W_nn
	s11, s12, s21, s22 float64 // S
	invN               float64 // 1/W_nn
	det, trace         float64 // of S
	inverse            [9]float64
}

// tiny is the share of its trace under which an eigenvalue or a diagonal entry is rounding.
const tiny = 1e-13

// Prepare takes W_cc + shift I. w_c is that of W_cc itself; mean replaces it where there is no diagonal block.
func (l *Local) Prepare(w *[9]float64, mu, mean, shift float64) {
	tr := w[0] + w[4] + w[8]
	if tr > 0 {
		mean = tr / 3
	}
	l.setScale(mean)
	l.mu, l.root, l.ready = mu, 0, false
	if l.wn = w[0] + shift; !(l.wn > tiny*(tr+3*shift)) {
		l.wn = 0
	}
	l.a1, l.a2, l.b1, l.b2 = w[1], w[2], w[3], w[6]
	l.s11, l.s12, l.s21, l.s22 = w[4]+shift, w[5], w[7], w[8]+shift
}

// complete makes what contacts need that have a force.
func (l *Local) complete() {
	l.ready = true
	tr := l.wn + l.s11 + l.s22
	k := 1 / l.wn
	l.invN = k
	l.b1, l.b2 = l.b1*k, l.b2*k
	l.s11, l.s12 = l.s11-l.b1*l.a1, l.s12-l.b1*l.a2
	l.s21, l.s22 = l.s21-l.b2*l.a1, l.s22-l.b2*l.a2
	l.trace, l.det = l.s11+l.s22, l.s11*l.s22-l.s12*l.s21
	if !(l.det > tiny*tr*l.trace) || !(l.trace > 0) { // an eigenvalue that is rounding
		l.s11, l.s22 = max(l.s11, 0)+tiny*tr, max(l.s22, 0)+tiny*tr
		if l.trace, l.det = l.s11+l.s22, l.s11*l.s22-l.s12*l.s21; !(l.det > tiny*tiny*tr*tr) {
			l.s12, l.s21, l.det = 0, 0, l.s11*l.s22
		}
	}
	d := 1 / l.det
	j11, j12, j21, j22 := l.s22*d, -l.s12*d, -l.s21*d, l.s11*d
	n1, n2 := -k*(l.a1*j11+l.a2*j21), -k*(l.a1*j12+l.a2*j22)
	v := &l.inverse // one by one: what is copied whole waits for its parts
	v[0], v[1], v[2] = k-n1*l.b1-n2*l.b2, n1, n2
	v[3], v[4], v[5] = -j11*l.b1-j12*l.b2, j11, j12
	v[6], v[7], v[8] = -j21*l.b1-j22*l.b2, j21, j22
}

// setScale sets w_c.
func (l *Local) setScale(w float64) { l.scale, l.inv = w, 1/w }

// Solve returns the exact force of the contact, from its displacement x under the present forces, which include its own
// r. eps is the relative accuracy of the sliding root. The force is inside the cone up to rounding.
//
//	open:   b_n >= 0
//	stick:  x = 0 and |r_t| <= mu r_n
//	slip:   x_t = -s r_t, |r_t| = mu r_n; the root s > 0 is bracketed: at s = 0 the
//	        force lies outside the cone, for s large inside
func (l *Local) Solve(xn, xt1, xt2, rn, rt1, rt2, eps float64) (float64, float64, float64) {
	bn := xn - l.wn*rn - l.a1*rt1 - l.a2*rt2
	if !(bn < 0) || l.wn == 0 {
		return 0, 0, 0
	}
	if !l.ready {
		l.complete()
	}
	if l.mu == 0 {
		return -bn * l.invN, 0, 0
	}
	v := &l.inverse
	n := rn - v[0]*xn - v[1]*xt1 - v[2]*xt2
	t1 := rt1 - v[3]*xn - v[4]*xt1 - v[5]*xt2
	t2 := rt2 - v[6]*xn - v[7]*xt1 - v[8]*xt2
	if lim := l.mu * n; n > 0 && t1*t1+t2*t2 <= lim*lim {
		return n, t1, t2
	}
	c1 := xt1 - l.b1*xn - l.s11*rt1 - l.s12*rt2
	c2 := xt2 - l.b2*xn - l.s21*rt1 - l.s22*rt2
	return l.slide(bn, c1, c2, eps)
}

// slide finds the root of mu r_n(s)/|r_t(s)| = 1, which is nearly linear in s, by Newton steps kept in the bracket. With
// the adjugate of S, g = adj(S) c, and d(s) = det(S + s I),
//
//	r_t = -(g + s c)/d,   r_n = (a.g + s a.c - b_n d)/(W_nn d),   a = W_nt
func (l *Local) slide(bn, c1, c2, eps float64) (float64, float64, float64) {
	g1, g2 := l.s22*c1-l.s12*c2, l.s11*c2-l.s21*c1
	gg, gc, cc := g1*g1+g2*g2, g1*c1+g2*c2, c1*c1+c2*c2
	m := l.mu * l.invN
	n0, n1, n2 := m*(l.a1*g1+l.a2*g2-bn*l.det), m*(l.a1*c1+l.a2*c2-bn*l.trace), -m*bn
	lo, hi := 0.0, math.Inf(1)
	s := l.root
	var n, t float64 // mu r_n d and |r_t| d
	for range 60 {
		h, n2s := gc+s*cc, n1+s*n2
		tt := gg + s*(gc+h)
		n, t = n0+s*n2s, math.Sqrt(tt)
		out, slope := t-n, n2s+s*n2
		if out > 0 {
			lo = s
		} else {
			hi = s
		}
		if math.Abs(out) <= eps*t {
			break
		}
		d := slope*tt - n*h
		bend := (2*n2*tt-2*slope*h-n*cc)*tt + 3*n*h*h
		next := s + 2*out*tt*d/(2*d*d+out*bend)
		if !(next > lo && next < hi) {
			if math.IsInf(hi, 1) {
				next = 2*s + l.trace
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
	d := 1 / (l.det + s*(l.trace+s))
	rn := n * d / l.mu
	if !(rn > 0) {
		return 0, 0, 0
	}
	k := -n * d / t
	return rn, k * (g1 + s*c1), k * (g2 + s*c2)
}
