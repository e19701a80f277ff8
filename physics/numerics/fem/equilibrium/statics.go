package equilibrium

import (
	"context"
	"errors"
	"fmt"
	"math"

	"hapco/physics/files/mesh"
	"hapco/physics/numerics/fem"
	"hapco/physics/numerics/fem/solid"
	"hapco/physics/numerics/flex"
	"hapco/physics/numerics/num"
)

// Statics finds the equilibrium of a body under dead loads and prescribed displacements by Newton's method (2.5 to
// 2.7). It follows the branch on which the tangent stays positive definite, by load steps of its own choice. One
// goroutine at a time.
type Statics struct {
	Body *solid.Body

	Load []float64 // dead forces on the nodes, 3 a node, N

	// Tolerance ends Newton's iteration: the residual over the size of the forces.
	Tolerance float64
	// MaxIterations of one load step; a step that needs more is halved.
	MaxIterations int
	// Trace, where not nil, is told the residual before every iteration, N.
	Trace func(share float64, iteration int, residual float64)

	X []float64 // the places now, 3 a node, m

	k        *fem.Matrix
	factor   *flex.Factor
	held     []bool    // of each dof of all nodes
	target   []float64 // displacement of held dofs, m
	reached  []float64 // of what is reached so far
	force    []float64 // internal, N
	residual []float64 // free unknowns
	step     []float64
	trial    []float64
	trialF   []float64
	before   []float64
	extra    func(values []float64) // adds to the tangent
	more     func(dst, x []float64) // adds to the forces
	// adds the product of what extra adds to the tangent
	moreTimes func(dst, v []float64)
	shifts    bool    // take a shifted tangent where the tangent is not positive definite
	scale     float64 // of the forces, where they may all pass through 0, N
}

// ErrNoEquilibrium says that no stable equilibrium was found.
var ErrNoEquilibrium = errors.New("equilibrium: no stable equilibrium: the tangent is not positive definite, however small the load step (less load, or a part is not held)")

// NewStatics prepares the statics of a body whose fixed nodes do not move.
func NewStatics(b *solid.Body, fixed []int32) (*Statics, error) {
	return newStatics(b, b.Mesh, fixed)
}

func newStatics(b *solid.Body, m *mesh.Mesh, fixed []int32) (*Statics, error) {
	k, err := fem.Pattern(m, fixed)
	if err != nil {
		return nil, err
	}
	f, err := flex.Analyze(k)
	if err != nil {
		return nil, err
	}
	b.Bind(k)
	n := 3 * len(m.Nodes)
	s := &Statics{Body: b, Load: make([]float64, n), Tolerance: 1e-12, MaxIterations: 30, X: b.Rest(), k: k, factor: f,
		held: make([]bool, n), target: make([]float64, n), reached: make([]float64, n), force: make([]float64, n),
		residual: make([]float64, k.N), step: make([]float64, k.N), trial: make([]float64, n), trialF: make([]float64, n), before: make([]float64, n)}
	for i, free := range k.Index {
		if free < 0 {
			for c := range 3 {
				s.held[3*i+c] = true
			}
		}
	}
	return s, nil
}

// Close frees the factor's memory.
func (s *Statics) Close() { s.factor.Close() }

// Prescribe holds an axis of a node at a displacement, in m.
func (s *Statics) Prescribe(node int32, axis int, u float64) error {
	if node < 0 || int(node) >= len(s.k.Index) || axis < 0 || axis > 2 {
		return fmt.Errorf("equilibrium: node %d, axis %d does not exist: nodes 0 to %d, axes 0 to 2", node, axis, len(s.k.Index)-1)
	}
	dof := 3*int(node) + axis
	if s.k.Index[node] < 0 {
		if u == 0 {
			return nil
		}
		return fmt.Errorf("equilibrium: node %d is fixed and cannot be moved (take it out of one of the lists)", node)
	}
	s.held[dof], s.target[dof] = true, u
	return nil
}

// Reactions writes f_int - f_ext of the held dofs to dst, 0 elsewhere: what the supports do to the body, N.
func (s *Statics) Reactions(dst []float64) {
	s.forces(dst, s.X)
	for i := range dst {
		if s.held[i] {
			dst[i] -= s.Load[i]
		} else {
			dst[i] = 0
		}
	}
}

func (s *Statics) forces(dst, x []float64) {
	s.Body.Forces(dst, x)
	if s.more != nil {
		s.more(dst, x)
	}
}

// Solve goes from the last equilibrium to that of the present loads and prescribed displacements. On ErrNoEquilibrium X
// is the last one reached.
func (s *Statics) Solve(ctx context.Context) error {
	rest := s.Body.Rest()
	from := append([]float64(nil), s.X...)
	start := make([]float64, len(s.X)) // where held dofs start
	for i := range start {
		start[i] = s.X[i] - rest[i]
	}
	loadFrom := append([]float64(nil), s.reached...)
	share, step := 0.0, 1.0
	load := make([]float64, len(s.Load))
	last := append([]float64(nil), from...) // the equilibrium before, to go on from in a line
	lastShare := 0.0
	for share < 1 {
		if err := ctx.Err(); err != nil {
			return err
		}
		next := math.Min(1, share+step)
		if 1-next < 1e-9 {
			next = 1
		}
		copy(s.before, s.X)
		ok := false
		// First the place where the last step points to; then without that guess.
		for attempt := 0; attempt < 2 && !ok; attempt++ {
			copy(s.X, s.before)
			if attempt == 0 {
				if share == lastShare {
					continue
				}
				t := (next - share) / (share - lastShare)
				for i := range s.X {
					if !s.held[i] {
						s.X[i] += t * (s.before[i] - last[i])
					}
				}
			}
			for i := range load {
				load[i] = loadFrom[i] + next*(s.Load[i]-loadFrom[i])
			}
			goal := func(i int) float64 { return rest[i] + start[i] + next*(s.target[i]-start[i]) }
			var err error
			if ok, err = s.newton(ctx, load, goal, next, attempt == 0); err != nil {
				return err
			}
		}
		if !ok {
			copy(s.X, s.before)
			step /= 2
			if step < 1e-5 {
				return ErrNoEquilibrium
			}
			continue
		}
		copy(last, s.before)
		lastShare, share = share, next
		copy(s.reached, load)
		step *= 1.5
	}
	return nil
}

// newton brings X into equilibrium. Held dofs move to goal first: they take the rest of the body with them by one
// linear step.
func (s *Statics) newton(ctx context.Context, load []float64, goal func(int) float64, share float64, guessed bool) (bool, error) {
	moved := false
	for i, held := range s.held {
		if held && s.k.Index[i/3] >= 0 && s.X[i] != goal(i) {
			moved = true
		}
	}
	for iteration := range s.MaxIterations {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		s.forces(s.force, s.X)
		size, r := s.imbalance(s.force, load)
		if s.Trace != nil {
			s.Trace(share, iteration, r)
		}
		if !num.Finite(r) {
			return false, nil
		}
		if !moved && r <= s.Tolerance*size {
			return s.stable(ctx)
		}
		if !moved && iteration > 0 && r <= 1e3*s.Tolerance*size && r <= s.floor() {
			return s.stable(ctx) // as near as the numbers of the places allow
		}
		if err := s.factorize(ctx); err != nil {
			if errors.Is(err, flex.ErrNotPositive) {
				return false, nil
			}
			return false, err
		}
		if moved {
			// K_ff du = r - K_fc du_c
			for i := range s.trial {
				s.trial[i] = 0
				if s.held[i] && s.k.Index[i/3] >= 0 {
					s.trial[i] = goal(i) - s.X[i]
				}
			}
			if guessed {
				// the guess has moved the rest already: only what the line missed is left
				for i := range s.trial {
					s.X[i] += s.trial[i]
				}
				moved, guessed = false, false
				continue
			}
			s.Body.MulTangent(s.trialF, s.X, s.trial)
			s.each(func(free, dof int) {
				if !s.held[dof] {
					s.residual[free] -= s.trialF[dof]
				}
			})
		}
		s.solve()
		if moved {
			s.each(func(free, dof int) {
				if s.held[dof] {
					s.X[dof] = goal(dof)
				} else {
					s.X[dof] += s.step[free]
				}
			})
			moved = false
			continue
		}
		if !s.lineSearch(load, size, r) {
			return false, nil
		}
	}
	return false, nil
}

// stable tells whether the tangent at X is positive definite.
func (s *Statics) stable(ctx context.Context) (bool, error) {
	if s.shifts { // nothing depends on it
		return true, nil
	}
	err := s.factorize(ctx)
	if errors.Is(err, flex.ErrNotPositive) {
		return false, nil
	}
	return err == nil, err
}

// floor is about how far rounding of the places alone sets the forces off.
func (s *Statics) floor() float64 {
	sum := 0.0
	for i, v := range s.k.Value {
		if r := s.k.Row[i]; r >= 0 {
			sum += v * v
		}
	}
	far := 0.0
	for _, x := range s.X {
		far = math.Max(far, math.Abs(x))
	}
	return 4 * 2.2e-16 * far * math.Sqrt(sum)
}

func (s *Statics) each(do func(free, dof int)) {
	for f, n := range s.k.FreeNode {
		for c := range 3 {
			do(3*f+c, 3*int(n)+c)
		}
	}
}

// imbalance fills residual with load - force on what is free to move, and gives the size of the forces (with those of
// the supports) and of the residual.
func (s *Statics) imbalance(force, load []float64) (size, r float64) {
	for i := range force {
		size += force[i]*force[i] + load[i]*load[i]
	}
	s.each(func(free, dof int) {
		v := 0.0
		if !s.held[dof] {
			v = load[dof] - force[dof]
		}
		s.residual[free] = v
		r += v * v
	})
	return math.Max(math.Sqrt(size), s.scale), math.Sqrt(r)
}

// factorize takes the tangent at X; held unknowns get a row of the unit matrix.
func (s *Statics) factorize(ctx context.Context) error {
	s.Body.Tangent(s.k.Value, s.X)
	if s.extra != nil {
		s.extra(s.k.Value)
	}
	s.hold(s.k.Value)
	err := s.factor.Refactorize(ctx, s.k.Value)
	if !s.shifts || !errors.Is(err, flex.ErrNotPositive) {
		return err
	}
	// Some way down is better than none: add to the diagonal until it is positive.
	scale := 0.0
	for col := range s.k.N {
		scale += math.Abs(s.k.Value[s.k.ColPtr[col+1]-1]) / float64(s.k.N)
	}
	for added, shift := 0.0, 1e-2*scale; errors.Is(err, flex.ErrNotPositive) && shift < 1e6*scale; shift *= 4 {
		for col := range s.k.N {
			s.k.Value[s.k.ColPtr[col+1]-1] += shift - added
		}
		added = shift
		err = s.factor.Refactorize(ctx, s.k.Value)
	}
	return err
}

// hold replaces rows and columns of held unknowns by those of a unit matrix, scaled like the others.
func (s *Statics) hold(values []float64) {
	scale := 0.0
	for col := range s.k.N {
		scale = math.Max(scale, values[s.k.ColPtr[col+1]-1])
	}
	heldFree := func(u int64) bool { return s.held[3*int(s.k.FreeNode[u/3])+int(u%3)] }
	for col := range int64(s.k.N) {
		own := heldFree(col)
		for at := s.k.ColPtr[col]; at < s.k.ColPtr[col+1]; at++ {
			switch row := s.k.Row[at]; {
			case row == col && own:
				values[at] = scale
			case own || heldFree(row):
				values[at] = 0
			}
		}
	}
}

// solve fills step with K^-1 residual. Where K is not symmetric, the factor is of an approximation, and generalised
// minimal residuals find the rest.
func (s *Statics) solve() {
	if s.Body.Symmetric() {
		s.factor.SolveFree(s.step, s.residual, 1)
		return
	}
	s.gmres()
}

// lineSearch adds step to X, shortened until the residual falls, or at least the energy's slope along the step does.
// False where no length helps.
func (s *Statics) lineSearch(load []float64, size, r float64) bool {
	slope := 0.0 // of the energy along the step, at its start
	for i := range s.step {
		slope -= s.step[i] * s.residual[i]
	}
	old := append(s.residual[:0:0], s.residual...)
	for length := 1.0; length > 1e-4; length /= 2 {
		copy(s.trial, s.X)
		s.each(func(free, dof int) {
			if !s.held[dof] {
				s.trial[dof] += length * s.step[free]
			}
		})
		s.forces(s.trialF, s.trial)
		_, after := s.imbalance(s.trialF, load)
		end := 0.0
		for i := range s.step {
			end -= s.step[i] * s.residual[i]
		}
		// Near the solution the residual counts: there the slopes are rounding.
		if num.Finite(after) && (after <= (1-0.1*length)*r || math.Abs(end) <= 0.8*math.Abs(slope) && end <= 0.5*math.Abs(slope) || after <= 1e-9*size) {
			copy(s.X, s.trial)
			return true
		}
	}
	copy(s.residual, old)
	return false
}
