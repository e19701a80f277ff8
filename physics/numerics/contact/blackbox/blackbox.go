// Package blackbox solves contact problems whose Delassus operator nobody has written down: a deformation model answers
// how the contact points move under forces on them, for many columns of forces a call, and the solver asks seldom. Its
// three forms are Gauss-Seidel and Jacobi of the thesis (algorithms 4.2 and 4.1), and a Krylov form that learns the
// operator from the answers.
package blackbox

import (
	"errors"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/numerics/contact"
	_ "hapco/physics/numerics/contact/exact" // auto, for the learned operator
	"hapco/physics/numerics/contact/thesis"
	"hapco/physics/numerics/num"
)

// Model writes to x the displacements W r of the contacts (m) under the forces r (N): columns of 3N numbers in a row,
// n, t1, t2 per contact. It is linear; W is symmetric and positive semidefinite. It must not keep the slices.
type Model func(x, r []float64, columns int) error

// Form is how the model is asked.
type Form uint8

const (
	Krylov      Form = iota // a few columns a call, along what the forces still change by
	Jacobi                  // one column an iteration, all contacts at once
	GaussSeidel             // one column a contact and sweep
)

// DefaultColumns is how many columns a call has at most where nothing else is asked for.
const DefaultColumns = 8

// Solver asks a model. The zero value is ready; an instance keeps its workspace and serves one goroutine.
type Solver struct {
	Form    Form
	Columns int // of a call, at most; 0: DefaultColumns

	Calls, Asked int // calls of the model in the last solve, and their columns together

	model   Model
	err     error // the model's
	generic thesis.Generic
	learned learned
	ask     []float64
}

// Solve improves the forces r (3N, N), which hold the starting guess, for x = W r + q and the friction coefficients mu
// (N). Without W the weights of the scaled error are estimates, see thesis.Generic. An error is the model's, or tells
// what it answered; r is then as it was.
func (s *Solver) Solve(model Model, q, mu, r []float64, opt *contact.Options) (contact.Result, error) {
	s.model, s.err, s.Calls, s.Asked = model, nil, 0, 0
	if s.Columns <= 0 {
		s.Columns = DefaultColumns
	}
	before := slices.Clone(r)
	var res contact.Result
	if s.Form == Krylov {
		res = s.krylov(q, mu, r, opt)
	} else {
		res = s.sweeps(q, mu, r, opt)
	}
	if s.err != nil {
		copy(r, before)
	}
	return res, s.err
}

var errAnswer = errors.New("blackbox: the model's answer is not finite (cure: a body that is held, and finite material values)")

// call asks the model, for at most Columns columns at once.
func (s *Solver) call(x, r []float64, n, columns int) {
	for first := 0; first < columns && s.err == nil; {
		k := min(s.Columns, columns-first)
		s.Calls++
		s.Asked += k
		to := x[first*n : (first+k)*n]
		if s.err = s.model(to, r[first*n:(first+k)*n], k); s.err == nil {
			for _, v := range to {
				if !num.Finite(v) {
					s.err = errAnswer
					break
				}
			}
		}
		first += k
	}
	if s.err != nil {
		clear(x)
	}
}

// ground is the second body of each contact: it does not move.
type ground struct{}

func (ground) Points() int        { return 1 }
func (ground) Stiffness() float64 { return math.Inf(1) }
func (ground) Positions(dst []mgl64.Vec3, _ []int32, _ []mgl64.Vec3) {
	clear(dst)
}

// body is the model as a body of the thesis: a point a contact, axes n, t1, t2.
type body struct {
	s      *Solver
	q      []float64
	stiff  float64
	watch  *contact.Watch
	r, x   []float64
	last   []float64 // forces that x answers; nil: none yet
	points int
}

func (b *body) Points() int        { return b.points }
func (b *body) Stiffness() float64 { return b.stiff }
func (b *body) Positions(dst []mgl64.Vec3, points []int32, f []mgl64.Vec3) {
	some := false
	for c, v := range f {
		copy(b.r[3*c:], v[:])
		some = some || v != mgl64.Vec3{}
	}
	switch {
	case slices.Equal(b.r, b.last): // it has just been asked
	case some:
		b.s.call(b.x, b.r, len(b.r), 1)
		b.last = append(b.last[:0], b.r...)
	default: // the model is linear: no forces, no answer
		clear(b.x)
		b.last = append(b.last[:0], b.r...)
	}
	if b.s.err != nil {
		b.watch.Halt()
	}
	for i, c := range points {
		for k := range 3 {
			dst[i][k] = b.q[3*int(c)+k] + b.x[3*int(c)+k]
		}
	}
}

// sweeps are the thesis's forms. Gauss-Seidel takes rho from W's diagonal (3.1), which takes 3N columns; Jacobi from
// its largest eigenvalue.
func (s *Solver) sweeps(q, mu, r []float64, opt *contact.Options) contact.Result {
	n := len(q)
	o := *opt
	if o.Watch == nil {
		o.Watch = new(contact.Watch)
	}
	b := &body{s: s, q: q, watch: o.Watch, r: make([]float64, n), x: make([]float64, n), points: len(mu)}
	if o.Rho == 0 {
		b.stiff = 1
		if s.Form == GaussSeidel {
			b.stiff = s.diagonal(n)
		}
	}
	if s.err != nil {
		return contact.Result{Errors: contact.NotEvaluated()}
	}
	joints := make([]thesis.Joint, len(mu))
	for c := range joints {
		joints[c] = thesis.Joint{A: 0, B: 1, P: thesis.NodeAnchor(int32(c)), Q: thesis.NodeAnchor(0), Mu: mu[c],
			Frame: [3]mgl64.Vec3{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}
	}
	s.generic.Jacobi = s.Form == Jacobi
	return s.generic.Solve([]thesis.BlackBox{b, ground{}}, joints, r, &o)
}

// diagonal is the inverse of W's largest diagonal entry, N/m.
func (s *Solver) diagonal(n int) float64 {
	most := 0.0
	for first := 0; first < n && s.err == nil; {
		k := min(s.Columns, n-first)
		s.ask = num.Grow(s.ask, 2*k*n)
		r, x := s.ask[:k*n], s.ask[k*n:]
		clear(r)
		for i := range k {
			r[i*n+first+i] = 1
		}
		s.call(x, r, n, k)
		for i := range k {
			most = max(most, x[i*n+first+i])
		}
		first += k
	}
	if most == 0 {
		return 1
	}
	return 1 / most
}

var formWords = [...]string{Krylov: "krylov", Jacobi: "jacobi", GaussSeidel: "gauss-seidel"}

// String is the word of a form.
func (f Form) String() string { return formWords[f] }
