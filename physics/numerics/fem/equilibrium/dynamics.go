package equilibrium

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"hapco/physics/numerics/fem"
	"hapco/physics/numerics/fem/solid"
	"hapco/physics/numerics/flex"
)

// Scheme is a way to go from one time to the next: the acceleration and the velocity at the end of a step are linear in
// the places there.
type Scheme struct {
	Newmark     bool    // else implicit Euler (2.4): v' = (x'-x)/h, a' = (v'-v)/h
	Beta, Gamma float64 // of Newmark; 1/4 and 1/2 are the average acceleration
}

// AverageAcceleration is Newmark's scheme that loses no energy of a linear body.
var AverageAcceleration = Scheme{Newmark: true, Beta: 0.25, Gamma: 0.5}

// Rates are da'/dx' and dv'/dx' of a step h, s.
func (s Scheme) Rates(h float64) (ca, cv float64) {
	if s.Newmark {
		return 1 / (s.Beta * h * h), s.Gamma / (s.Beta * h)
	}
	return 1 / (h * h), 1 / h
}

// End is the velocity and the acceleration at the end of a step h, s, in which a place has gone by dx, m, from velocity
// vn and acceleration an.
func (s Scheme) End(h, dx, vn, an float64) (v, a float64) {
	if !s.Newmark {
		v = dx / h
		return v, (v - vn) / h
	}
	a = (dx-h*vn)/(s.Beta*h*h) - (0.5-s.Beta)/s.Beta*an
	return vn + h*((1-s.Gamma)*an+s.Gamma*a), a
}

// Dynamics is the motion of a body,
//
//	M a + C v + f_int(x) = f_ext,  C = Alpha M + Beta K(rest)
//
// each step solved by Newton's method to Statics.Tolerance of the forces.
type Dynamics struct {
	Statics
	Scheme Scheme
	Step   float64 // h, s

	V, A []float64 // velocities and accelerations, 3 a node

	mass, damping []float64 // values in the pattern
	vn, an, xn    []float64
	free, product []float64
	mv, cv        []float64
}

// NewDynamics prepares the motion of a body at rest, with Rayleigh's damping alpha, 1/s, and beta, s. lumped puts the
// mass on the nodes.
func NewDynamics(b *solid.Body, fixed []int32, scheme Scheme, step, density float64, lumped bool, alpha, beta float64) (*Dynamics, error) {
	s, err := NewStatics(b, fixed)
	if err != nil {
		return nil, err
	}
	d := &Dynamics{Statics: *s, Scheme: scheme, Step: step}
	d.shifts = true // inertia decides which way it goes
	n := len(d.X)
	d.V, d.A, d.vn, d.an, d.xn = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	d.mv, d.cv = make([]float64, n), make([]float64, n)
	d.free, d.product = make([]float64, d.k.N), make([]float64, d.k.N)
	d.mass = massMatrix(b, d.k, density, lumped)
	d.damping = make([]float64, len(d.mass))
	if beta != 0 {
		b.Tangent(d.damping, b.Rest())
	}
	for i := range d.damping {
		d.damping[i] = alpha*d.mass[i] + beta*d.damping[i]
	}
	d.extra = func(values []float64) {
		ca, cv := d.Scheme.Rates(d.Step)
		for i := range values {
			values[i] += ca*d.mass[i] + cv*d.damping[i]
		}
	}
	d.moreTimes = func(dst, v []float64) {
		ca, cv := d.Scheme.Rates(d.Step)
		for i, x := range v {
			d.mv[i], d.cv[i] = ca*x, cv*x
		}
		d.addProduct(dst, d.mass, d.mv)
		d.addProduct(dst, d.damping, d.cv)
	}
	d.more = func(dst, x []float64) {
		d.motion(x)
		// A free body's forces cancel: the residual is small beside what they were.
		d.scale = math.Max(d.scale, Norm(dst))
		d.addProduct(dst, d.mass, d.A)
		d.addProduct(dst, d.damping, d.V)
	}
	return d, nil
}

// massMatrix is the mass matrix of a body in the pattern k, kg.
func massMatrix(b *solid.Body, k *fem.Matrix, density float64, lumped bool) []float64 {
	values := make([]float64, len(k.Row))
	if !lumped {
		b.ConsistentMass(values, k, density)
		return values
	}
	nodal := b.LumpedMass(density)
	for col := range k.N {
		values[k.ColPtr[col+1]-1] = nodal[k.FreeNode[col/3]]
	}
	return values
}

// motion fills A and V for places x at the end of the step.
func (d *Dynamics) motion(x []float64) {
	for i := range x {
		d.V[i], d.A[i] = d.Scheme.End(d.Step, x[i]-d.xn[i], d.vn[i], d.an[i])
	}
}

// addProduct adds the product of a matrix of the pattern with v to dst.
func (d *Dynamics) addProduct(dst []float64, values, v []float64) {
	d.each(func(free, dof int) { d.free[free] = v[dof] })
	Multiply(d.k, values, d.product, d.free)
	d.each(func(free, dof int) { dst[dof] += d.product[free] })
}

// Multiply is dst = A v for the values of a symmetric matrix in the pattern k.
func Multiply(k *fem.Matrix, values, dst, v []float64) {
	own := *k
	own.Value = values
	own.MulVec(dst, v)
}

// Begin takes X and V as they are at the start; Newmark's scheme then has the acceleration from the equation of motion.
func (d *Dynamics) Begin(ctx context.Context) error {
	if !d.Scheme.Newmark {
		return nil
	}
	d.Body.Forces(d.force, d.X)
	for i := range d.force {
		d.force[i] = d.Load[i] - d.force[i]
	}
	clear(d.trialF)
	d.addProduct(d.trialF, d.damping, d.V)
	d.each(func(free, dof int) { d.residual[free] = d.force[dof] - d.trialF[dof] })
	if err := d.factor.Refactorize(ctx, d.mass); err != nil {
		return err
	}
	d.factor.SolveFree(d.step, d.residual, 1)
	d.each(func(free, dof int) { d.A[dof] = d.step[free] })
	return nil
}

// errStep says that Newton's method found no end of the step.
var errStep = errors.New("equilibrium: a time step did not converge (take a shorter step)")

// Advance makes one step.
func (d *Dynamics) Advance(ctx context.Context) error {
	copy(d.xn, d.X)
	copy(d.vn, d.V)
	copy(d.an, d.A)
	rest := d.Body.Rest()
	for _, start := range []float64{d.Step, 0} {
		for i := range d.X {
			d.X[i] = d.xn[i] + start*d.vn[i]
		}
		ok, err := d.newton(ctx, d.Load, func(i int) float64 { return rest[i] + d.target[i] }, 1, false)
		if err != nil {
			return err
		}
		if ok {
			d.motion(d.X)
			return nil
		}
	}
	copy(d.X, d.xn)
	copy(d.V, d.vn)
	copy(d.A, d.an)
	return errStep
}

// Kinetic is the kinetic energy, J.
func (d *Dynamics) Kinetic() float64 {
	clear(d.trialF)
	d.addProduct(d.trialF, d.mass, d.V)
	return Inner(d.V, d.trialF) / 2
}

// Momenta are the linear and the angular momentum about the origin.
func (d *Dynamics) Momenta() (linear, angular [3]float64) {
	clear(d.trialF)
	d.addProduct(d.trialF, d.mass, d.V)
	for n := 0; n < len(d.X); n += 3 {
		x, p := d.X[n:n+3], d.trialF[n:n+3]
		for k := range 3 {
			a, b := (k+1)%3, (k+2)%3
			linear[k] += p[k]
			angular[k] += x[a]*p[b] - x[b]*p[a]
		}
	}
	return linear, angular
}

// Frequencies are the lowest count natural frequencies at rest, rad/s, of a body that is held: subspace iteration on
// K^-1 M.
func Frequencies(ctx context.Context, b *solid.Body, fixed []int32, density float64, lumped bool, count int) ([]float64, error) {
	k, err := fem.Pattern(b.Mesh, fixed)
	if err != nil {
		return nil, err
	}
	b.Bind(k)
	b.Tangent(k.Value, b.Rest())
	f, err := flex.Analyze(k)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := f.Refactorize(ctx, k.Value); err != nil {
		return nil, errors.New("equilibrium: the body is not held: it has motions without frequency (fix at least three nodes that are not on one line)")
	}
	mass := massMatrix(b, k, density, lumped)
	size := min(2*count+8, k.N)
	v := make([][]float64, size)
	for j := range v {
		v[j] = make([]float64, k.N)
		for i := range v[j] {
			v[j][i] = math.Cos(float64((j+1)*(i+1)) * 0.7368) // any vectors that are not alike
		}
	}
	last := make([]float64, count)
	mv := make([][]float64, size)
	for j := range mv {
		mv[j] = make([]float64, k.N)
	}
	for range 200 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		// y = K^-1 M v; then the eigenvalues of M on the span of y, in the metric of K
		for j := range v {
			Multiply(k, mass, mv[j], v[j])
			f.SolveFree(v[j], mv[j], 1)
		}
		values, err := ritz(k, mass, v, mv)
		if err != nil {
			return nil, err
		}
		done := true
		for i := range last {
			w := 1 / math.Sqrt(values[i])
			done = done && math.Abs(w-last[i]) <= 1e-13*w
			last[i] = w
		}
		if done {
			return last, nil
		}
	}
	return last, nil
}

// ritz turns v into the best approximations in its span of the vectors with K v w^2 = M v, each of length 1 in the
// metric of K, and gives their 1/w^2, largest first. k holds K; scratch is as large as v.
func ritz(k *fem.Matrix, mass []float64, v, scratch [][]float64) ([]float64, error) {
	n := len(v)
	// K-orthonormal, by Gram-Schmidt twice
	kv := make([]float64, k.N)
	for j := range v {
		for range 2 {
			k.MulVec(kv, v[j])
			for i := range j {
				d := Inner(kv, v[i])
				for r := range v[j] {
					v[j][r] -= d * v[i][r]
				}
			}
			k.MulVec(kv, v[j])
			s := Inner(kv, v[j])
			if !(s > 0) {
				return nil, errors.New("equilibrium: modal analysis: the search space is too large for the body (ask for fewer frequencies)")
			}
			s = 1 / math.Sqrt(s)
			for r := range v[j] {
				v[j][r] *= s
			}
		}
	}
	m := mat.NewSymDense(n, nil)
	for j := range v {
		Multiply(k, mass, scratch[j], v[j])
		for i := range j + 1 {
			m.SetSym(i, j, Inner(v[i], scratch[j]))
		}
	}
	var e mat.EigenSym
	if !e.Factorize(m, true) {
		return nil, errors.New("equilibrium: modal analysis: no eigenvalues (check the material)")
	}
	var q mat.Dense
	e.VectorsTo(&q)
	values := make([]float64, n)
	for j := range n {
		from := n - 1 - j // ascending there
		values[j] = e.Values(nil)[from]
		clear(scratch[j])
		for i := range n {
			c := q.At(i, from)
			for r, x := range v[i] {
				scratch[j][r] += c * x
			}
		}
	}
	for j := range v {
		copy(v[j], scratch[j])
	}
	return values, nil
}
