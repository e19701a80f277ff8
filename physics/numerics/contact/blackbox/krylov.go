package blackbox

import (
	"cmp"
	"math"
	"slices"

	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/num"
)

// learned is what is known of W: with orthonormal columns S, Y = W S and T = S'Y, and a stiffness d for all other
// directions,
//
//	B = d (I - S S') + Y inv(T) Y'
//
// the update of Broyden, Fletcher, Goldfarb and Shanno with exact pairs: B S = W S, B is symmetric positive definite,
// and B - W is so, too, where d is no less than what W - Y inv(T) Y' does elsewhere. The contact problem of B has the
// right answer as soon as its forces lie in S; at the latest when S is all there is.
type learned struct {
	n, m    int
	s, y    []float64 // columns of n
	z       []float64 // columns of n: Y inv(L'), where L L' = T
	d       float64
	problem contact.Problem
	solver  contact.Solver
	ask, to []float64
	x, rest []float64
	parts   []int
}

func (w *learned) begin(n int) {
	*w = learned{s: w.s[:0], y: w.y[:0], z: w.z[:0], problem: w.problem, solver: w.solver, ask: w.ask, to: w.to, x: w.x, rest: w.rest, parts: w.parts, n: n}
	w.problem.Resize(n / 3)
	w.x, w.rest = num.Grow(w.x, n), num.Grow(w.rest, n)
	if w.solver == nil {
		w.solver, _ = contact.New("auto") // package exact registers it
	}
}

// outside takes the part of v in S away, twice, and tells its norm over that of v.
func (w *learned) outside(v []float64) float64 {
	before := num.Norm(v)
	for range 2 {
		for k := range w.m {
			s := w.s[k*w.n : (k+1)*w.n]
			c := dot(s, v)
			for i, x := range s {
				v[i] -= c * x
			}
		}
	}
	if before == 0 {
		return 0
	}
	return num.Norm(v) / before
}

// smallest is the part of a direction below which it is one of S.
const smallest = 1e-13

// propose writes to w.ask up to most orthonormal directions outside S, whose sum with S holds v: parts of it, of
// contacts that carry about as much of it each. It tells how many.
func (w *learned) propose(v []float64, most int) (columns int) {
	n := w.n
	copy(w.rest, v)
	if w.outside(w.rest) < smallest {
		return 0
	}
	most = min(most, n-w.m)
	w.ask = num.Grow(w.ask, most*n)
	w.parts = w.parts[:0]
	weight := func(c int) float64 {
		r := w.rest[3*c : 3*c+3]
		return r[0]*r[0] + r[1]*r[1] + r[2]*r[2]
	}
	total := 0.0
	for c := range n / 3 {
		w.parts = append(w.parts, c)
		total += weight(c)
	}
	slices.SortStableFunc(w.parts, func(a, b int) int { return cmp.Compare(weight(b), weight(a)) })
	first := w.m
	at := 0
	for k := range most {
		d := make([]float64, n)
		// the largest alone, the rest together
		for sum := 0.0; at < len(w.parts); at++ {
			if k < most-1 && sum > 0 && sum+weight(w.parts[at]) > total/float64(most) {
				break
			}
			c := w.parts[at]
			sum += weight(c)
			copy(d[3*c:3*c+3], w.rest[3*c:3*c+3])
		}
		size := num.Norm(d)
		if !(size > smallest*math.Sqrt(total)) || w.outside(d) < 1e-10 {
			continue
		}
		size = num.Norm(d)
		for i := range d {
			d[i] /= size
		}
		w.s = append(w.s[:w.m*n], d...)
		copy(w.ask[columns*n:], d)
		w.m++
		columns++
	}
	w.m = first
	return columns
}

// take adds the directions w.ask and what the model answered, and makes B anew. least is below which share of d a
// direction is one in which W does nothing.
func (w *learned) take(columns int) {
	const least = 1e-14
	n := w.n
	for k := range columns {
		s, y := w.ask[k*n:(k+1)*n], w.to[k*n:(k+1)*n]
		m := w.m
		w.s, w.y = append(w.s[:m*n], s...), append(w.y[:m*n], y...)
		// the next row of L, and the next column of Z
		row := make([]float64, m+1)
		for j := range m {
			row[j] = dot(w.z[j*n:(j+1)*n], s)
		}
		z := slices.Clone(y)
		rest := dot(s, y)
		for j := range m {
			zj := w.z[j*n : (j+1)*n]
			for i, v := range zj {
				z[i] -= row[j] * v
			}
			rest -= row[j] * row[j]
		}
		// what W does along s beside what was known
		if along := dot(s, y); !(rest > least*math.Max(along, w.d)) {
			clear(z)
		} else {
			scale := 1 / math.Sqrt(rest)
			for i := range z {
				z[i] *= scale
			}
			w.d = math.Max(w.d, rest)
		}
		w.z = append(w.z[:m*n], z...)
		w.m++
	}
}

// build writes B to the problem.
func (w *learned) build() {
	n := w.n
	b := w.problem.W
	clear(b)
	for i := range n {
		b[i*n+i] = w.d
	}
	for k := range w.m {
		s, z := w.s[k*n:(k+1)*n], w.z[k*n:(k+1)*n]
		for i := range n {
			row := b[i*n : (i+1)*n]
			si, zi := w.d*s[i], z[i]
			for j := range row {
				row[j] += zi*z[j] - si*s[j]
			}
		}
	}
	for i := range n { // rounding makes a direction that W leaves alone negative
		b[i*n+i] = math.Max(b[i*n+i], 0)
	}
}

// answer writes x = W r + q for r within S.
func (w *learned) answer(x, r, q []float64) {
	copy(x, q)
	n := w.n
	for k := range w.m {
		c := dot(w.s[k*n:(k+1)*n], r)
		for i, v := range w.y[k*n : (k+1)*n] {
			x[i] += c * v
		}
	}
}

func dot(a, b []float64) (s float64) {
	b = b[:len(a)]
	for i, x := range a {
		s += x * b[i]
	}
	return s
}

// krylov solves with what has been learned of W, asks along what its forces are beside that, and so on until the forces
// obey the laws with W itself. Its last call asks with the forces themselves.
func (s *Solver) krylov(q, mu, r []float64, opt *contact.Options) (res contact.Result) {
	clock := contact.StartClock(opt)
	w := &s.learned
	n := len(q)
	w.begin(n)
	copy(w.problem.Q, q)
	copy(w.problem.Mu, mu)
	contact.Admit(r, mu)
	res.SetErrors(contact.NotEvaluated())
	defer func() { res.Elapsed = clock.Elapsed() }()
	first := slices.Clone(r)
	if num.Norm(first) == 0 { // where it closes, a force that opens it
		for c := range mu {
			first[3*c] = math.Max(0, -q[3*c])
		}
	}
	if num.Norm(first) == 0 {
		res.SetErrors(s.judge(r, q, mu))
		res.Converged = s.err == nil && res.Errors.Verified(opt, 0, 0)
		return res
	}
	inner := contact.DefaultOptions()
	inner.Criterion, inner.MaxIterations, inner.Watch = contact.NaturalMap, opt.MaxIterations, opt.Watch
	inner.Tolerance = math.Max(0.1*opt.Tolerance, 1e-15)
	trial := slices.Clone(r)
	for v := first; res.Iterations < opt.MaxIterations; v = trial {
		columns := w.propose(v, s.Columns)
		if columns > 0 {
			w.to = num.Grow(w.to, columns*n)
			s.call(w.to, w.ask, n, columns)
			if s.err != nil {
				return res
			}
			w.take(columns)
			w.build()
		}
		if &v[0] == &trial[0] {
			w.answer(w.x, trial, q)
			e := s.weigh(trial, w.x, q, mu)
			copy(r, trial)
			res.RelativeChange = e.Scaled
			opt.Note(e.Natural)
			if e.Verified(opt, res.RhoMin, num.Norm(r)) || columns == 0 {
				break
			}
		}
		res.Iterations++
		if w.d > 0 {
			res.RhoMin = 1 / w.d
		}
		inner.Budget = 0
		if clock.Limit > 0 {
			if inner.Budget = clock.Limit - clock.Elapsed(); inner.Budget <= 0 {
				break
			}
		}
		w.solver.Solve(&w.problem, trial, &inner)
		if clock.Expired() {
			break
		}
	}
	contact.Admit(r, mu)
	res.SetErrors(s.judge(r, q, mu))
	res.Converged = s.err == nil && res.Errors.Verified(opt, res.RhoMin, num.Norm(r))
	return res
}

// judge asks the model for x under r and finds both errors.
func (s *Solver) judge(r, q, mu []float64) contact.Errors {
	w := &s.learned
	if num.Norm(r) == 0 {
		clear(w.x)
	} else {
		s.call(w.x, r, w.n, 1)
	}
	for i := range w.x {
		w.x[i] += q[i]
	}
	return s.weigh(r, w.x, q, mu)
}

// weigh finds both errors, with the weights of what is known of W.
func (s *Solver) weigh(r, x, q, mu []float64) contact.Errors {
	var sums contact.ErrorSums
	p := &s.learned.problem
	for c := range mu {
		weight := 1.0
		if s.learned.m > 0 {
			if t := p.Trace(c) / 3; t > 0 {
				weight = t
			}
		}
		sums.Add(mu[c], weight, r[3*c:3*c+3], x[3*c:3*c+3], q[3*c:3*c+3])
	}
	return sums.Errors()
}
