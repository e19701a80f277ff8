package finitestrain

import (
	"context"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/frame"
	"hapco/physics/numerics/fem"
	"hapco/physics/numerics/fem/equilibrium"
)

// Motion lets a Live body move in time,
//
//	M a + C v + f_int(x) = f_ext + H^T r,  C = Alpha M + Beta K(rest)
//
// with its mass on the nodes, a time step for each step that settles. The zero value lets it
// stand in equilibrium.
type Motion struct {
	Scheme      equilibrium.Scheme
	Step        float64   // h, s; 0: no motion
	Mass        []float64 // of each node, kg
	Heavier     float64   // all masses times this
	Alpha, Beta float64   // Rayleigh's damping, 1/s and s
}

// moves tells whether there is motion.
func (m *Motion) moves() bool { return m.Step > 0 }

// history is where a time step began.
type history struct {
	x, v, a    []float64 // 3 a node
	pressed    []bool    // of each node
	rest       []float64 // K(rest) in the pattern
	rate, turn []float64 // room: velocities of the free unknowns, and K(rest) times them
	inert      float64   // size of the forces by which the motion at its beginning enters a step, N
}

func (h *history) prepare(l *Live) {
	if !l.Options.Motion.moves() {
		return
	}
	n := len(l.X)
	h.x, h.v, h.a = make([]float64, n), make([]float64, n), make([]float64, n)
	h.pressed = make([]bool, len(l.body.Mesh.Nodes))
	h.rate, h.turn = make([]float64, l.k.N), make([]float64, l.k.N)
	h.soften(l)
}

// soften takes K(rest) anew. A thread that works on a factor keeps the old one.
func (h *history) soften(l *Live) {
	if h.x != nil {
		h.rest = make([]float64, len(l.k.Row))
		l.body.Tangent(h.rest, l.body.Rest())
	}
}

// begin lets a time step begin at rest at x.
func (h *history) begin(x []float64) {
	copy(h.x, x)
	clear(h.v)
	clear(h.a)
	h.inert = 0
}

// resist adds by times M a + C v to dst, for places x at the end of the time step.
func (h *history) resist(dst, x []float64, m *Motion, k *fem.Matrix, by float64) {
	if !m.moves() {
		return
	}
	for i, n := range k.FreeNode {
		mass := by * m.Heavier * m.Mass[n]
		for c := range 3 {
			d := 3*int(n) + c
			v, a := m.Scheme.End(m.Step, x[d]-h.x[d], h.v[d], h.a[d])
			dst[d] += mass * (a + m.Alpha*v)
			h.rate[3*i+c] = by * m.Beta * v
		}
	}
	if m.Beta > 0 {
		equilibrium.Multiply(k, h.rest, h.turn, h.rate)
		for i, n := range k.FreeNode {
			for c := range 3 {
				dst[3*int(n)+c] += h.turn[3*i+c]
			}
		}
	}
}

// forces are those by which the body resists places x, N: of its strains, and of its inertia
// and damping. It gives the smallest det F.
func (l *Live) forces(dst, x []float64) (least float64) {
	least = l.cells.Forces(dst, x)
	l.past.resist(dst, x, &l.Options.Motion, l.k, 1)
	return least
}

// inertia fills dst with what the inertia and mass damping of nodes resist to a longer way in
// the step, N/m.
func (l *Live) inertia(dst []float64, nodes []int32) {
	m := &l.Options.Motion
	if !m.moves() {
		clear(dst)
		return
	}
	ca, cv := m.Scheme.Rates(m.Step)
	for i, n := range nodes {
		dst[i] = (ca + cv*m.Alpha) * m.Heavier * m.Mass[n]
	}
}

// pass ends the time step at X, where the next one begins. Nodes that a contact leads have the
// mean velocity of the step and no acceleration there: by Newmark's scheme alone their
// accelerations, and with them the force on the tool, change their sign in each step, without
// end: by 1.6 N of 2.9 N where a column is drawn aside (TestOrganSwingsBack).
func (l *Live) pass() {
	m, h := &l.Options.Motion, &l.past
	if !m.moves() {
		return
	}
	h.resist(l.force, l.X, m, l.k, -1)
	clear(h.pressed)
	for i := range l.constraints {
		r := &l.constraints[i]
		for _, n := range r.nodes {
			if n >= 0 && r.force != (mgl64.Vec3{}) {
				h.pressed[n] = true
			}
		}
	}
	ca, _ := m.Scheme.Rates(m.Step)
	sum := 0.0
	for _, n := range l.k.FreeNode {
		mass := m.Heavier * m.Mass[n]
		for d := 3 * n; d < 3*n+3; d++ {
			if h.pressed[n] {
				h.v[d], h.a[d] = (l.X[d]-h.x[d])/m.Step, 0
			} else {
				h.v[d], h.a[d] = m.Scheme.End(m.Step, l.X[d]-h.x[d], h.v[d], h.a[d])
			}
			h.x[d] = l.X[d]
			f := mass * (ca*m.Step*math.Abs(h.v[d]) + math.Abs(h.a[d]))
			sum += f * f
		}
	}
	h.inert = math.Sqrt(sum)
	h.resist(l.force, l.X, m, l.k, 1)
}

// Damp changes how the motion is damped, and the factor of all masses.
func (l *Live) Damp(alpha, beta, heavier float64) {
	m := &l.Options.Motion
	if !m.moves() || m.Alpha == alpha && m.Beta == beta && m.Heavier == heavier {
		return
	}
	m.Alpha, m.Beta, m.Heavier = alpha, beta, heavier
	l.tangents.outdated = true
	l.Wake()
	l.forces(l.force, l.X)
}

// Kinetic is the kinetic energy of what is shown, J, at the masses of Motion.
func (l *Live) Kinetic() (e float64) {
	m, h := &l.Options.Motion, &l.past
	if !m.moves() {
		return 0
	}
	for _, n := range l.k.FreeNode {
		e += m.Mass[n] / 2 * mgl64.Vec3(h.v[3*n:3*n+3]).LenSqr()
	}
	return e
}

// Sag lets the body come to rest under its load, without a tool and without motion, by Newton's method. Reset
// goes back there from then on. The error is ErrNoEquilibrium, or that of ctx.
func (l *Live) Sag(ctx context.Context) error {
	const most = 200 // steps
	was, deadline, at := l.Options, l.Deadline, l.tool.at
	o := &l.Options
	l.Deadline, l.correction.exact, o.Refresh, o.Corrections, o.Motion.Step = nil, true, false, max(20, o.Corrections), 0
	l.least = l.forces(l.force, l.X)
	nowhere := frame.At(mgl64.Vec3{0, 1e6 * o.Reach, 0})
	l.Put(nowhere)
	down := false
	for i := 0; i < most && !down && l.least > flattened && l.fallen() < drawnOut*o.Reach && ctx.Err() == nil; i++ {
		if err := l.factorise(); err != nil {
			return err
		}
		down = l.Step(nowhere, physics.Coupling{}).Settled
	}
	if down { // nearer than it has to be
		l.correct()
		l.Shown.take(&l.state)
	}
	l.Options, l.Deadline, l.correction.exact = was, deadline, false
	l.Put(at)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case !down:
		return equilibrium.ErrNoEquilibrium
	}
	copy(l.start.x, l.Shown.X)
	copy(l.start.load, l.load)
	if err := l.factorise(); err != nil {
		return err
	}
	l.Reset()
	return nil
}

// fallen is how far a node has come at most from where it is without strain, m.
func (l *Live) fallen() (far float64) {
	for n, x := range l.body.Mesh.Nodes {
		far = math.Max(far, mgl64.Vec3(l.X[3*n:3*n+3]).Sub(x).Len())
	}
	return far
}
