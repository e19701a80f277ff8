package modes

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"hapco/physics/files/mesh"
	"hapco/physics/numerics/fem"
	"hapco/physics/numerics/flex"
)

// Options say which modes are wanted.
type Options struct {
	Count  int     // elastic modes, the lowest
	Fixed  []int32 // nodes that are held; none: the body is free
	Linear bool    // take linear elements as they are: too stiff in bending
}

// Modes are the lowest modes of a body.
type Modes struct {
	Mesh  *mesh.Mesh  // with the middles of edges after the nodes of the mesh given
	Omega []float64   // angular frequencies, ascending, 1/s
	Phi   [][]float64 // of each mode the displacements of all nodes, flat, kg^-1/2; phi.M phi = 1

	// Residual is |K phi - omega^2 M phi| / |omega^2 M phi| of each mode.
	Residual []float64
	// Below is the number of eigenvalues that Sylvester's law counts below Limit, 1/s^2, rigid motions included: none
	// is missing where it is that of the modes found there.
	Below, Found int
	Limit        float64
	Rigid        int // rigid motions: 6 of a free body, which are none of the modes

	Mass float64 // kg

	corners *mesh.Mesh  // the mesh given
	mass    *fem.Matrix // at 1 kg/m^3
	k       *fem.Matrix // at 1 Pa
	mat     fem.Material
}

// block is how many vectors the basis grows by: more than the multiplicity of the eigenvalues of symmetric bodies.
const block = 6

// Solve finds the lowest modes of a body of one material. It fails with one line when the body falls apart or is held
// badly, and when modes are missing.
func Solve(ctx context.Context, m *mesh.Mesh, material fem.Material, opt Options) (*Modes, error) {
	if err := material.Validate(); err != nil {
		return nil, err
	}
	if !(material.Density > 0) {
		return nil, fmt.Errorf("modes: density = %g kg/m^3 (give a value above 0)", material.Density)
	}
	if opt.Count < 1 {
		return nil, fmt.Errorf("modes: %d modes (give 1 or more)", opt.Count)
	}
	if _, parts := m.Components(); parts != 1 && len(opt.Fixed) == 0 {
		return nil, fmt.Errorf("modes: the mesh has %d parts that do not hang together (join them, or take one)", parts)
	}
	fixed, given := opt.Fixed, m
	if !opt.Linear {
		var parents [][2]int32
		corners := int32(len(m.Nodes))
		m, parents = m.Quadratic()
		held := make([]bool, corners)
		for _, n := range opt.Fixed {
			if n < 0 || n >= corners {
				return nil, fmt.Errorf("modes: fixed node %d does not exist (the mesh has %d)", n, corners)
			}
			held[n] = true
		}
		fixed = slices.Clone(opt.Fixed)
		for i, p := range parents {
			if held[p[0]] && held[p[1]] {
				fixed = append(fixed, corners+int32(i))
			}
		}
	}
	k, err := fem.Assemble(m, fixed, material.Poisson)
	if err != nil {
		return nil, err
	}
	out := &Modes{Mesh: m, corners: given, k: k, mass: k.Mass(m), mat: material, Mass: m.Volume() * material.Density}
	rigid := 0
	if len(fixed) == 0 {
		rigid = 6
	}
	out.Rigid = rigid
	if opt.Count+rigid+block > k.N {
		return nil, fmt.Errorf("modes: %d modes of %d unknowns (ask for fewer, or refine the mesh)", opt.Count, k.N)
	}
	// The shift of a free body is of the size of its lowest eigenvalues: those of a bar as long as the body. Units are
	// E = 1 Pa and 1 kg/m^3.
	shift := 0.0
	shifted := k
	if rigid > 0 {
		low, high := m.Bounds()
		shift = -0.01 / high.Sub(low).Dot(high.Sub(low))
		shifted = combine(k, out.mass, -shift)
	}
	f, err := flex.FactorizeMatrix(m, shifted)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s := &lanczos{n: k.N, k: k, m: out.mass, f: f, shift: shift, rng: rand.New(rand.NewPCG(1, 2))}
	room := min(rigid+4*opt.Count+6*block, k.N)
	s.v, s.mv = make([]float64, 0, room*k.N), make([]float64, 0, room*k.N)
	if rigid > 0 {
		s.lock(rigidMotions(m))
	}
	if err := out.find(ctx, s, opt.Count); err != nil {
		return nil, err
	}
	return out, nil
}

// combine is a + s b on the pattern of both.
func combine(a, b *fem.Matrix, s float64) *fem.Matrix {
	out := *a
	out.Value = make([]float64, len(a.Value))
	for i, v := range a.Value {
		out.Value[i] = v + s*b.Value[i]
	}
	return &out
}

// rigidMotions are three translations and three rotations of a free mesh.
func rigidMotions(m *mesh.Mesh) [][]float64 {
	v := make([][]float64, 6)
	for i := range v {
		v[i] = make([]float64, 3*len(m.Nodes))
	}
	low, high := m.Bounds()
	mid := low.Add(high).Mul(0.5)
	for n, x := range m.Nodes {
		x = x.Sub(mid)
		for c := range 3 {
			v[c][3*n+c] = 1
			d, e := (c+1)%3, (c+2)%3
			v[3+c][3*n+e] = x[d]
			v[3+c][3*n+d] = -x[e]
		}
	}
	return v
}

// lanczos is a growing basis, orthonormal in the inner product of M, whose first rows are locked.
type lanczos struct {
	n      int
	k, m   *fem.Matrix
	f      *flex.Factor
	shift  float64
	rng    *rand.Rand
	locked int
	v, mv  []float64   // rows: the basis, and M times it
	rows   int         // of v
	t      [][]float64 // t[c]: coefficients of the image of vector locked + c
}

func (s *lanczos) row(a []float64, i int) []float64 { return a[i*s.n : (i+1)*s.n] }

// purge makes w orthogonal to the basis and returns the coefficients.
func (s *lanczos) purge(w []float64) []float64 {
	h := make([]float64, s.rows)
	once := make([]float64, s.rows)
	if s.rows == 0 {
		return h
	}
	x := blas64.Vector{N: s.n, Inc: 1, Data: w}
	c := blas64.Vector{N: s.rows, Inc: 1, Data: once}
	for range 2 { // twice is enough
		blas64.Gemv(blas.NoTrans, 1, blas64.General{Rows: s.rows, Cols: s.n, Stride: s.n, Data: s.mv}, x, 0, c)
		blas64.Gemv(blas.Trans, -1, blas64.General{Rows: s.rows, Cols: s.n, Stride: s.n, Data: s.v}, c, 1, x)
		for i := range h {
			h[i] += once[i]
		}
	}
	return h
}

// add normalises w, which is orthogonal to the basis, and takes it in. It returns its norm, 0 where w depends on the
// basis: then something random is taken in.
func (s *lanczos) add(w []float64, size float64) float64 {
	mw := make([]float64, s.n)
	s.m.MulVec(mw, w)
	norm := math.Sqrt(max(0, dot(w, mw)))
	result := norm
	for !(norm > 1e-10*size) {
		for i := range w {
			w[i] = s.rng.Float64() - 0.5
		}
		s.purge(w)
		s.m.MulVec(mw, w)
		norm, result, size = math.Sqrt(dot(w, mw)), 0, 0
	}
	for i := range w {
		w[i] /= norm
		mw[i] /= norm
	}
	s.v, s.mv = append(s.v, w...), append(s.mv, mw...)
	s.rows++
	return result
}

func (s *lanczos) lock(vectors [][]float64) {
	for _, w := range vectors {
		s.purge(w)
		s.add(w, 0)
	}
	s.locked = s.rows
}

// grow applies the operator to the vectors of the last block.
func (s *lanczos) grow() {
	from := s.locked + len(s.t)
	count := s.rows - from
	if count == 0 {
		for range block {
			w := make([]float64, s.n)
			for i := range w {
				w[i] = s.rng.Float64() - 0.5
			}
			s.purge(w)
			s.add(w, 0)
		}
		count = block
	}
	image := make([]float64, count*s.n)
	s.f.SolveFree(image, s.mv[from*s.n:(from+count)*s.n], count)
	for c := range count {
		w := image[c*s.n : (c+1)*s.n]
		size := math.Sqrt(dot(w, s.row(s.mv, from+c))) // about |w| in the norm of M
		h := s.purge(w)
		h = append(h, s.add(w, size))
		s.t = append(s.t, h[s.locked:])
	}
}

// ritz are the values of the operator on the basis that has been multiplied, descending, the coefficients of their
// vectors as columns, and their errors.
func (s *lanczos) ritz() (theta []float64, vectors *mat.Dense, errs []float64) {
	n := len(s.t)
	a := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			a.SetSym(i, j, s.t[j][i]) // t[j] has the entries of all rows up to its own
		}
	}
	var e mat.EigenSym
	if !e.Factorize(a, true) {
		return nil, nil, nil
	}
	theta = e.Values(nil)
	slices.Reverse(theta)
	var v mat.Dense
	e.VectorsTo(&v)
	vectors = mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			vectors.Set(i, j, v.At(i, n-1-j))
		}
	}
	// The image of the last block sticks out of the basis by the rows beyond it.
	for j := range n {
		sum := 0.0
		for r := n; r < s.rows-s.locked; r++ {
			out := 0.0
			for c := range n {
				if r < len(s.t[c]) {
					out += s.t[c][r] * vectors.At(c, j)
				}
			}
			sum += out * out
		}
		errs = append(errs, math.Sqrt(sum)/math.Abs(theta[j]))
	}
	return theta, vectors, errs
}

var errMissing = errors.New("modes: eigenvalues are missing (ask for a few modes more or fewer)")

// find runs the iteration until count modes are there and none is missing.
func (o *Modes) find(ctx context.Context, s *lanczos, count int) error {
	want := count + 1 // the next one tells where the count may be taken
	for attempt := 0; ; {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.grow()
		if len(s.t) < want+block {
			continue
		}
		theta, vectors, errs := s.ritz()
		if theta == nil {
			return errMissing
		}
		done := 0
		for done < len(errs) && errs[done] < 1e-10 && theta[done] > 0 {
			done++
		}
		full := len(s.t)+s.locked+block > s.n
		if done < want && !full {
			continue
		}
		lambda := func(i int) float64 { return s.shift + 1/theta[i] }
		// A gap among the converged values, at or after the last one wanted.
		gap := 0
		for i := count; i < done && gap == 0; i++ {
			if lambda(i)-lambda(i-1) > 1e-5*lambda(i) {
				gap = i
			}
		}
		if gap == 0 && !full {
			want = done + 1
			continue
		}
		if gap == 0 {
			return errMissing
		}
		limit := (lambda(gap) + lambda(gap-1)) / 2
		below, err := flex.Negative(combine(s.k, s.m, -limit))
		if err != nil {
			return err
		}
		scale := o.mat.Young / o.mat.Density
		o.Below, o.Found, o.Limit = below, gap+o.Rigid, limit*scale
		if below != o.Found {
			// A copy of a multiple eigenvalue hides until rounding brings it: more vectors do.
			if attempt++; attempt > 5 || full {
				return fmt.Errorf("%w: %d found below %.4g Hz, %d counted", errMissing, o.Found, math.Sqrt(o.Limit)/(2*math.Pi), below)
			}
			want = done + block
			continue
		}
		return o.finish(s, vectors, count)
	}
}

// finish makes vectors of the coefficients, improves them by an inverse iteration and a Rayleigh-Ritz step, and
// measures them.
func (o *Modes) finish(s *lanczos, vectors *mat.Dense, count int) error {
	n, dim := s.n, len(s.t)
	x := make([]float64, count*n)
	coef := mat.NewDense(count, dim, nil)
	for j := range count {
		for i := range dim {
			coef.Set(j, i, vectors.At(i, j))
		}
	}
	sub := func(data []float64, rows int) blas64.General {
		return blas64.General{Rows: rows, Cols: n, Stride: n, Data: data}
	}
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, coef.RawMatrix(), sub(s.mv[s.locked*n:], dim), 0, sub(x, count))
	y := make([]float64, count*n)
	s.f.SolveFree(y, x, count)
	basis := &lanczos{n: n, m: s.m, rng: s.rng}
	// The rigid motions stay out of it.
	basis.v, basis.mv, basis.rows, basis.locked = slices.Clone(s.v[:s.locked*n]), slices.Clone(s.mv[:s.locked*n]), s.locked, s.locked
	for j := range count {
		w := y[j*n : (j+1)*n]
		basis.purge(w)
		basis.add(w, 0)
	}
	v, mv := basis.v[s.locked*n:], basis.mv[s.locked*n:]
	kv := make([]float64, count*n)
	for j := range count {
		s.k.MulVec(kv[j*n:(j+1)*n], v[j*n:(j+1)*n])
	}
	a := mat.NewSymDense(count, nil)
	for i := range count {
		for j := i; j < count; j++ {
			a.SetSym(i, j, dot(v[i*n:(i+1)*n], kv[j*n:(j+1)*n]))
		}
	}
	var e mat.EigenSym
	if !e.Factorize(a, true) {
		return errMissing
	}
	var q mat.Dense
	e.VectorsTo(&q)
	turn := mat.NewDense(count, count, nil)
	turn.Copy(q.T())
	phi, mphi, kphi := make([]float64, count*n), make([]float64, count*n), make([]float64, count*n)
	for _, c := range [][2][]float64{{phi, v}, {mphi, mv}, {kphi, kv}} {
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, turn.RawMatrix(), sub(c[1], count), 0, sub(c[0], count))
	}
	scale, root := o.mat.Young/o.mat.Density, 1/math.Sqrt(o.mat.Density)
	for j, lambda := range e.Values(nil) {
		o.Omega = append(o.Omega, math.Sqrt(lambda*scale))
		var miss, size float64
		for i := j * n; i < (j+1)*n; i++ {
			d := kphi[i] - lambda*mphi[i]
			miss += d * d
			size += lambda * mphi[i] * lambda * mphi[i]
		}
		o.Residual = append(o.Residual, math.Sqrt(miss/size))
		all := make([]float64, 3*o.k.Nodes)
		largest := 0.0
		for i, node := range o.k.FreeNode {
			for c := range 3 {
				u := phi[j*n+3*i+c] * root
				all[3*int(node)+c] = u
				if math.Abs(u) > math.Abs(largest)*(1+1e-6) {
					largest = u
				}
			}
		}
		if largest < 0 { // the sign is nobody's: the largest displacement is positive
			for i := range all {
				all[i] = -all[i]
			}
		}
		o.Phi = append(o.Phi, all)
	}
	return nil
}

func dot(a, b []float64) float64 {
	return blas64.Dot(blas64.Vector{N: len(a), Inc: 1, Data: a}, blas64.Vector{N: len(b), Inc: 1, Data: b})
}

// Participation is the integral of rho phi times a field of the rest shape, such as a unit vector or x: phi . M field,
// with the field's values at all nodes.
func (o *Modes) Participation(mode int, field []float64) float64 {
	n := o.k.N
	free, image := make([]float64, n), make([]float64, n)
	phi := make([]float64, n)
	for i, node := range o.k.FreeNode {
		copy(free[3*i:3*i+3], field[3*node:3*node+3])
		copy(phi[3*i:3*i+3], o.Phi[mode][3*node:3*node+3])
	}
	o.mass.MulVec(image, free)
	return dot(phi, image) * o.mat.Density
}

// VonMises writes the stresses of displacements u of all nodes (flat, m) to dst, Pa, one a node of the mesh that was
// given: strains are those of its linear elements. For display; it allocates.
func (o *Modes) VonMises(dst, u []float64) {
	fem.VonMises(dst, o.corners, o.mat, u[:3*len(o.corners.Nodes)])
}

// Compliance is the displacement f.u per unit of the nodal forces f, of a held body, m/N.
func (o *Modes) Compliance(force []float64) (float64, error) {
	f, err := flex.FactorizeMatrix(o.Mesh, o.k)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	u := make([]float64, len(force))
	f.Solve(u, force)
	return dot(u, force) / o.mat.Young, nil
}
