package exact

import (
	"math"

	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/contact/internal/kernel"
	"hapco/physics/numerics/num"
)

// single is the upper triangle of a full W in single precision, for sweeps over many contacts: what these cost is how
// long W takes to come from memory, and this is a quarter of it. Forces r have the displacements
//
//	x = x_0 + W (r - r_0)
//
// with r_0 the forces that were tested last, and x_0 theirs in double precision; before a test r_0 = 0 and x_0 = q. What
// rounding spoils is a share of r - r_0: where no more is left to do, r_0 and x_0 are taken anew, so that it does not
// limit how exact forces become.
type single struct {
	on    bool
	r, x  []float64 // r_0, x_0
	far   float64   // sqrt(sum_c w_c |r - r_0|^2) at the start of the last sweep
	stale bool      // r_0 and x_0 are to be taken anew
	known bool      // w is that of the problem
	w     []float32 // W/mean from the diagonal on: three rows a contact, with zeros up to a multiple of kernel.SingleStep
	at    []int     // where those of each contact begin; N+1
	d, y  []float32 // r - r_0; and what contacts before the present one give
}

// singleFrom is the number of contacts from which on single pays: W leaves no room in a core's own cache, of 1 to 2 MB.
const singleFrom = 128

// singleError is the share: 2^-24 for each of some 10^2 terms, all in the same direction.
const singleError = 1e-5

// bind prepares for the problem p.
func (s *single) bind(p *contact.Problem) {
	n := 3 * p.N
	s.known, s.stale = false, false
	s.r, s.x = num.Grow(s.r, n), num.Grow(s.x, n)
	clear(s.r)
	copy(s.x, p.Q)
}

// about makes r and its displacements x what changes count from.
func (s *single) about(r, x []float64) {
	if s.on {
		s.stale = false
		copy(s.r, r)
		copy(s.x, x)
	}
}

// start begins a sweep at r.
func (s *single) start(e *engine, r []float64) {
	n := len(r)
	if !s.known {
		s.fill(e.p, 1/e.mean)
	}
	if s.stale {
		e.displacements(e.xTry, r)
		s.about(r, e.xTry)
	}
	s.d, s.y = num.Grow(s.d, n+kernel.SingleStep), num.Grow(s.y, n+kernel.SingleStep)
	clear(s.y)
	clear(s.d[n:])
	s.far = 0
	for i, f := range r {
		d := f - s.r[i]
		s.d[i] = float32(d)
		s.far += e.loc[i/3].scale * d * d
	}
	s.far = math.Sqrt(s.far)
}

func (s *single) fill(p *contact.Problem, scale float64) {
	n := 3 * p.N
	s.known = true
	s.at = append(s.at[:0], 0)
	for i := 0; i < n; i += 3 {
		wide := (n - i + kernel.SingleStep - 1) &^ (kernel.SingleStep - 1)
		s.at = append(s.at, s.at[i/3]+3*wide)
	}
	s.w = num.Grow(s.w, s.at[p.N])
	for c := range p.N {
		w := s.w[s.at[c]:s.at[c+1]]
		for wide := len(w) / 3; len(w) > 0; w = w[wide:] {
			k := 3*c + 3 - len(w)/wide
			from := p.W[k*n+3*c : k*n+n]
			kernel.Narrow(w, from, scale)
			clear(w[len(from):wide])
		}
	}
}

// pull is x of contact c under the present forces.
func (s *single) pull(e *engine, c int) (x0, x1, x2 float64) {
	w, i := s.w[s.at[c]:s.at[c+1]], 3*c
	y0, y1, y2 := kernel.DotSingle(w, s.d[i:i+len(w)/3])
	y, x := s.y[i:i+3:i+3], s.x[i:i+3:i+3]
	return x[0] + e.mean*float64(y[0]+y0), x[1] + e.mean*float64(y[1]+y1), x[2] + e.mean*float64(y[2]+y2)
}

// push gives contact c its force f, and the contacts after it what that moves them by.
func (s *single) push(c int, f []float64) {
	i := 3 * c
	d, r := s.d[i:i+3:i+3], s.r[i:i+3:i+3]
	d[0], d[1], d[2] = float32(f[0]-r[0]), float32(f[1]-r[1]), float32(f[2]-r[2])
	w := s.w[s.at[c]:s.at[c+1]]
	kernel.PushSingle(s.y[i:i+len(w)/3], w, (*[3]float32)(d))
}

// promising tells whether it pays to test r: whether its errors are small enough as far as single precision can tell.
// Otherwise it returns their excess.
func (s *Exact) promising() (excess float64, yes bool) {
	e := &s.e
	if !e.single.on {
		return 0, true
	}
	e.single.start(e, s.r)
	if singleError*e.single.far > s.tolS*math.Sqrt(e.qq) {
		return 0, true // it cannot
	}
	for k, x := 0, e.xTry; k < len(s.r); k += 3 {
		x[k], x[k+1], x[k+2] = e.single.pull(e, k/3)
		e.single.push(k/3, s.r[k:k+3])
	}
	err := e.judge(s.r, e.xTry)
	excess = s.excess(&err, s.r)
	return excess, excess <= 1
}
