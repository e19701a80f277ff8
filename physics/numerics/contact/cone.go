package contact

import "math"

// ProjectCone is the orthogonal projection of (n, t1, t2) on Coulomb's cone K = {|r_t| <= mu r_n}, equation 2.38 of the
// thesis.
func ProjectCone(mu, n, t1, t2 float64) (pn, pt1, pt2 float64) {
	t := math.Sqrt(t1*t1 + t2*t2)
	switch {
	case mu*t <= -n:
		return 0, 0, 0
	case t <= mu*n:
		return n, t1, t2
	}
	if t == 0 { // only NaN comes here; it must not turn into a division by zero
		return n, t1, t2
	}
	k := (mu*t + n) / (t + mu*mu*t)
	return k * t, mu * k * t1, mu * k * t2
}

// ConeViolation is by how much a contact's force, of the sizes n and t along the normal and across it, N, leaves
// Coulomb's cone: the larger one of -n and t - mu n, over the size of the force; 0 inside, and of no force. NaN stays
// NaN.
func ConeViolation(mu, n, t float64) float64 {
	out := max(-n, t-mu*n)
	if out <= 0 {
		return 0
	}
	return out / math.Hypot(n, t)
}

// coneSlack keeps an admitted force inside the cone whichever way |r_t| is rounded: by Hypot or by the root of the sum
// of squares.
const coneSlack = 4 * 0x1p-52

// vanishing is the force, N, below which squares underflow and no cone can be told; it counts as none.
const vanishing = 1e-150

// Admit makes r admissible exactly: r_n >= 0 and |r_t| <= mu r_n for every contact, in floating point too. It scales
// r_t and never touches a positive r_n; a contact whose force is not finite gets none. It reports whether every force
// was finite.
func Admit(r, mu []float64) (finite bool) {
	finite = true
	for c, m := range mu {
		s := r[3*c : 3*c+3 : 3*c+3]
		n := s[0]
		if n == 0 && s[1] == 0 && s[2] == 0 {
			continue
		}
		t := math.Sqrt(s[1]*s[1] + s[2]*s[2])
		if !(n < math.MaxFloat64) || !(t < math.MaxFloat64) || !(n > -math.MaxFloat64) {
			s[0], s[1], s[2] = 0, 0, 0
			finite = false
			continue
		}
		lim := m * n
		switch {
		case !(n > vanishing):
			s[0], s[1], s[2] = 0, 0, 0
		case !(lim > vanishing):
			s[1], s[2] = 0, 0
		case t > lim*(1-coneSlack/2):
			k := lim * (1 - coneSlack) / t
			s[1] *= k
			s[2] *= k
		}
	}
	return finite
}

// Contacts whose status is in doubt only by rounding are decided as in the reference results: open below openShare of
// the largest force, sliding from slipShare of the cone on.
const (
	openShare = 1e-10
	slipShare = 1 - 1e-8
)

// Statuses writes the status of each contact to dst (N), judged by the forces r (3N). It returns how many contacts
// stick, slide and are open.
func Statuses(dst []Status, r, mu []float64) (stick, slip, open int) {
	big := 0.0
	for c := range mu {
		big = max(big, math.Sqrt(r[3*c]*r[3*c]+r[3*c+1]*r[3*c+1]+r[3*c+2]*r[3*c+2]))
	}
	for c, m := range mu {
		n, t := r[3*c], math.Sqrt(r[3*c+1]*r[3*c+1]+r[3*c+2]*r[3*c+2])
		switch {
		case !(n > openShare*big):
			dst[c] = Open
			open++
		case t >= m*n*slipShare:
			dst[c] = Slip
			slip++
		default:
			dst[c] = Stick
			stick++
		}
	}
	return stick, slip, open
}
