package equilibrium

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/mesh"
	"hapco/physics/numerics/contact"
	_ "hapco/physics/numerics/contact/solvers"
	"hapco/physics/numerics/fem/solid"
	"hapco/physics/numerics/flex"
	"hapco/physics/numerics/num"
)

// Plate is a half-space that moves without turning.
type Plate struct {
	Point  mgl64.Vec3 // of its surface at share 0, m
	Normal mgl64.Vec3 // out of it, of length 1
	Way    mgl64.Vec3 // from share 0 to 1, m
}

// Gap is the distance from the plane.
func (p Plate) Gap(x mgl64.Vec3, share float64) (float64, mgl64.Vec3) {
	return x.Sub(p.Point).Sub(p.Way.Mul(share)).Dot(p.Normal), p.Normal
}

// Moved is that of the plate.
func (p Plate) Moved(_ mgl64.Vec3, from, to float64) mgl64.Vec3 { return p.Way.Mul(to - from) }

// Contact is the statics of a body that rigid obstacles press with Signorini's and
// Coulomb's laws, by the flexibility method on the tangent of each Newton iteration
// (figure 2.12): the forces r of all contacts solve
//
//	x = W r + q,  W = H K^-1 H^T,  q = gap + H K^-1 (f_ext - f_int)
//
// and the body goes to u + K^-1 (f_ext - f_int + H^T r). It goes its way in steps
// of its own choice.
type Contact struct {
	*Statics
	Nodes     []int32 // that may touch
	Obstacles []Obstacle
	Friction  float64
	// Detect once a step rather than at each iteration: normals and the nodes that
	// may touch are then those of the step's start.
	DetectOnce bool
	// Longest step of the way, a share of 1.
	Longest float64

	Share float64     // of the way, reached
	Force [][]float64 // by obstacle, on the nodes of Nodes: 3 each, N

	solver  contact.Solver
	problem contact.Problem
	r       []float64
	rows    []row
	start   []float64 // places at the start of the step
	columns []float64
	rhs     []float64
	last    [][]float64 // Force at the start of the step
	stiff   []stiffening
	added   float64 // N/m
}

// row is a node at an obstacle: its frame and gap at the linearisation.
type row struct {
	node, obstacle, at int
	gap                float64
	frame              [3]mgl64.Vec3 // n, t1, t2
}

// NewContact prepares it. Nodes that are fixed cannot touch.
func NewContact(b *solid.Body, fixed, nodes []int32, obstacles []Obstacle, friction float64) (*Contact, error) {
	s, err := NewStatics(b, fixed)
	if err != nil {
		return nil, err
	}
	if !(friction >= 0) || math.IsInf(friction, 0) {
		return nil, fmt.Errorf("equilibrium: friction = %g (give a number, 0 or more)", friction)
	}
	solver, err := contact.New("auto")
	if err != nil {
		return nil, err
	}
	s.shifts = true // a body that slips past a limit snaps on to the next equilibrium
	c := &Contact{Statics: s, Obstacles: obstacles, Friction: friction, Longest: 1, solver: solver, start: make([]float64, len(s.X))}
	for _, n := range nodes {
		if n >= 0 && int(n) < len(s.k.Index) && s.k.Index[n] >= 0 {
			c.Nodes = append(c.Nodes, n)
		}
	}
	for range obstacles {
		c.Force = append(c.Force, make([]float64, 3*len(c.Nodes)))
		c.last = append(c.last, make([]float64, 3*len(c.Nodes)))
	}
	return c, nil
}

// Go moves the obstacles on to share `to`. On an error the body is where it was at
// Share.
func (c *Contact) Go(ctx context.Context, to float64) error {
	step := math.Min(c.Longest, to-c.Share)
	smallest := 1e-6 * (to - c.Share)
	before := make([]float64, len(c.X))
	for c.Share < to {
		if err := ctx.Err(); err != nil {
			return err
		}
		next := math.Min(to, c.Share+step)
		if to-next < smallest {
			next = to
		}
		copy(before, c.X)
		for o := range c.Force {
			copy(c.last[o], c.Force[o])
		}
		ok, err := c.equilibrium(ctx, next)
		if err != nil {
			return err
		}
		if !ok {
			copy(c.X, before)
			for o := range c.Force {
				copy(c.Force[o], c.last[o])
			}
			if step /= 2; step < smallest {
				return ErrNoEquilibrium
			}
			continue
		}
		c.Share = next
		step = math.Min(c.Longest, 1.5*step)
	}
	return nil
}

// detect finds the nodes that are near an obstacle, and their frames. reach is the
// gap up to which a node may close in an iteration.
func (c *Contact) detect(share, reach float64) {
	c.rows = c.rows[:0]
	for at, n := range c.Nodes {
		x := mgl64.Vec3(c.X[3*n : 3*n+3])
		for o, obstacle := range c.Obstacles {
			gap, normal := obstacle.Gap(x, share)
			if gap > reach {
				continue
			}
			side := mgl64.Vec3{}
			k := 0
			for i := range 3 {
				if math.Abs(normal[i]) < math.Abs(normal[k]) {
					k = i
				}
			}
			side[k] = 1
			t1 := normal.Cross(side).Normalize()
			c.rows = append(c.rows, row{node: int(n), obstacle: o, at: at, gap: gap, frame: [3]mgl64.Vec3{normal, t1, normal.Cross(t1)}})
		}
	}
}

// measure updates the gaps of the rows at the places now.
func (c *Contact) measure(share float64) {
	for i := range c.rows {
		r := &c.rows[i]
		x := mgl64.Vec3(c.X[3*r.node : 3*r.node+3])
		gap, normal := c.Obstacles[r.obstacle].Gap(x, share)
		if normal.Dot(r.frame[0]) < 1-1e-12 { // frames are held: the gap along the held normal
			gap /= math.Max(normal.Dot(r.frame[0]), 0.2)
		}
		r.gap = gap
	}
}

// equilibrium brings the body into balance with the obstacles at share.
func (c *Contact) equilibrium(ctx context.Context, share float64) (bool, error) {
	copy(c.start, c.X)
	low, high := c.Body.Mesh.Bounds()
	extent := high.Sub(low).Len()
	held := make([]float64, len(c.X)) // load with contact forces
	var du, best []float64
	for iteration := range c.MaxIterations {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if iteration == 0 || !c.DetectOnce {
			c.detect(share, 0.05*extent)
		} else {
			c.measure(share)
		}
		c.forces(c.force, c.X)
		c.stiffen()
		if err := c.factorize(ctx); err != nil {
			if errors.Is(err, flex.ErrNotPositive) {
				return false, nil
			}
			return false, err
		}
		size, _ := c.imbalance(c.force, c.Load)
		if !num.Finite(size) {
			return false, nil
		}
		c.factor.SolveFree(c.step, c.residual, 1)
		if !c.flexibility(share) {
			return false, nil
		}
		// forces on the body, and the residual before and after the step
		du = c.displace(du)
		c.soften(du)
		copy(held, c.Load)
		c.spread(held)
		_, r := c.imbalance(c.force, held)
		far := 0.0
		for _, v := range du {
			far = math.Max(far, math.Abs(v))
		}
		if c.Trace != nil {
			c.Trace(share, iteration, r)
		}
		if far <= 1e-11*extent && r <= math.Max(1e3*c.Tolerance*size, c.floor()) {
			// the last step brings what Newton's method still has to give
			c.apply(du, 1)
			return true, nil
		}
		length := 1.0
		best = append(best[:0], c.X...)
		for ; length > 1e-3; length /= 2 {
			copy(c.X, best)
			c.apply(du, length)
			c.forces(c.trialF, c.X)
			_, after := c.imbalance(c.trialF, held)
			if num.Finite(after) && (after <= (1-0.1*length)*r || after <= 1e-9*size) {
				break
			}
		}
		if length <= 1e-3 {
			return false, nil
		}
	}
	return false, nil
}

// stiffen adds a stiffness to the tangent in the directions in which contacts
// hold the body: what presses may hold a body that would buckle without it, and W
// needs a positive definite tangent. The solution does not change by it: where a
// contact holds, its row says how far the body moves, and the force that belongs to
// the added stiffness vanishes with the iteration's last step.
func (c *Contact) stiffen() {
	c.stiff = c.stiff[:0]
	for i := range c.rows {
		r := &c.rows[i]
		f := c.Force[r.obstacle][3*r.at : 3*r.at+3]
		n := mgl64.Vec3(f).Dot(r.frame[0])
		if !(n > 0) {
			continue
		}
		add := stiffening{node: c.k.Index[r.node], of: f}
		axes := 1
		if t := mgl64.Vec3(f).Sub(r.frame[0].Mul(n)).Len(); t < 0.999*c.Friction*n {
			axes = 3 // it sticks
		}
		for d := range axes {
			for a := range 3 {
				for b := range 3 {
					add.block[3*a+b] += r.frame[d][a] * r.frame[d][b]
				}
			}
		}
		c.stiff = append(c.stiff, add)
	}
	c.extra = c.addStiffness
}

type stiffening struct {
	node  int32 // a free one
	of    []float64
	block solid.Mat3 // in units of c.added
}

// soften takes the force of the added stiffness off the contact forces.
func (c *Contact) soften(du []float64) {
	for _, s := range c.stiff {
		u := du[3*s.node : 3*s.node+3]
		for a := range 3 {
			s.of[a] -= c.added * (s.block[3*a]*u[0] + s.block[3*a+1]*u[1] + s.block[3*a+2]*u[2])
		}
	}
}

func (c *Contact) addStiffness(values []float64) {
	mean := 0.0
	for col := range c.k.N {
		mean += values[c.k.ColPtr[col+1]-1] / float64(c.k.N)
	}
	c.added = 10 * mean
	for _, s := range c.stiff {
		for b := range 3 {
			end := c.k.ColPtr[3*int(s.node)+b+1]
			for a := range b + 1 {
				values[end-int64(b+1)+int64(a)] += c.added * s.block[3*a+b]
			}
		}
	}
}

// flexibility states and solves the contact problem of this iteration.
func (c *Contact) flexibility(share float64) bool {
	m := len(c.rows)
	n := c.k.N
	c.problem.Resize(m)
	if cap(c.r) < 3*m {
		c.r = make([]float64, 3*m)
	}
	c.r = c.r[:3*m]
	if m == 0 {
		return true
	}
	if cap(c.columns) < 3*m*n {
		c.columns, c.rhs = make([]float64, 3*m*n), make([]float64, 3*m*n)
	}
	c.columns, c.rhs = c.columns[:3*m*n], c.rhs[:3*m*n]
	clear(c.rhs)
	for i := range c.rows {
		r := &c.rows[i]
		free := 3 * int(c.k.Index[r.node])
		for d := range 3 {
			for axis := range 3 {
				if !c.held[3*r.node+axis] {
					c.rhs[(3*i+d)*n+free+axis] = r.frame[d][axis]
				}
			}
		}
	}
	c.factor.SolveFree(c.columns, c.rhs, 3*m)
	for i := range c.rows {
		r := &c.rows[i]
		free := 3 * int(c.k.Index[r.node])
		p := mgl64.Vec3(c.X[3*r.node : 3*r.node+3])
		slip := p.Sub(mgl64.Vec3(c.start[3*r.node : 3*r.node+3])).Sub(c.Obstacles[r.obstacle].Moved(p, c.Share, share))
		for d := range 3 {
			q := 0.0
			if d > 0 {
				q = slip.Dot(r.frame[d])
			} else {
				q = r.gap
			}
			for axis := range 3 {
				q += r.frame[d][axis] * c.step[free+axis]
			}
			c.problem.Q[3*i+d] = q
			for j := range 3 * m {
				w := 0.0
				for axis := range 3 {
					w += r.frame[d][axis] * c.columns[j*n+free+axis]
				}
				c.problem.W[(3*i+d)*3*m+j] = w
			}
			// begins with the forces that were there
			c.r[3*i+d] = mgl64.Vec3(c.Force[r.obstacle][3*r.at : 3*r.at+3]).Dot(r.frame[d])
		}
		c.problem.Mu[i] = c.Friction
	}
	opt := contact.DefaultOptions()
	opt.Criterion, opt.Tolerance, opt.MaxIterations = contact.Scaled, 1e-12, 20000
	result := c.solver.Solve(&c.problem, c.r, &opt)
	c.record()
	return result.Errors.Scaled < 1e-7
}

// record keeps the forces by node.
func (c *Contact) record() {
	for o := range c.Force {
		clear(c.Force[o])
	}
	for i := range c.rows {
		r := &c.rows[i]
		f := c.Force[r.obstacle][3*r.at : 3*r.at+3]
		for d := range 3 {
			for axis := range 3 {
				f[axis] += c.r[3*i+d] * r.frame[d][axis]
			}
		}
	}
}

// spread adds the contact forces to those on the nodes.
func (c *Contact) spread(load []float64) {
	for _, f := range c.Force {
		for i, n := range c.Nodes {
			for axis := range 3 {
				load[3*int(n)+axis] += f[3*i+axis]
			}
		}
	}
}

// displace is K^-1 (f_ext - f_int + H^T r) for the free unknowns.
func (c *Contact) displace(du []float64) []float64 {
	du = append(du[:0], c.step...)
	for j, r := range c.r[:3*len(c.rows)] {
		if r == 0 {
			continue
		}
		for i, v := range c.columns[j*c.k.N : (j+1)*c.k.N] {
			du[i] += r * v
		}
	}
	return du
}

func (c *Contact) apply(du []float64, length float64) {
	c.each(func(free, dof int) {
		if !c.held[dof] {
			c.X[dof] += length * du[free]
		}
	})
}

// Total is the force of an obstacle on the body, N.
func (c *Contact) Total(obstacle int) (sum mgl64.Vec3) {
	for i := range c.Nodes {
		sum = sum.Add(mgl64.Vec3(c.Force[obstacle][3*i : 3*i+3]))
	}
	return sum
}

// The reference forces that the tests of worlds/finitestrain compare with: a block of 10 cm of
// 5 x 5 x 5 cells of six tetrahedra, E = 5 kPa, nu = 0.4, in which a ball of 20 mm presses.
func TestReferenceForces(t *testing.T) {
	lambda, mu := solid.Lame(5000, 0.4)
	corotational := solid.Barrier{Law: solid.Corotational{Lambda: lambda, Mu: mu}, Stiffness: 2 * mu}
	log := solid.Barrier{Law: solid.NeoHookeanLog{Lambda: lambda, Mu: mu}, Stiffness: 2 * mu}
	slant := Ball{Centre: mgl64.Vec3{0.052, 0.047, 0.12}, Radius: 0.02, Way: mgl64.Vec3{0.004, 0, -0.012}}
	down := Ball{Centre: mgl64.Vec3{0.052, 0.121, 0.047}, Radius: 0.02, Way: mgl64.Vec3{0, -0.012, 0}}
	for _, c := range []struct {
		law   solid.Law
		ball  Ball
		up    int // the axis; its zero is held
		force mgl64.Vec3
		node  int
		moved mgl64.Vec3
	}{
		{corotational, slant, 2, mgl64.Vec3{0.288735788738, -0.0742505372993, -1.11650427556}, 195, mgl64.Vec3{0.00475890814, -0.0034404, -0.00663829143}},
		{log, slant, 2, mgl64.Vec3{0.314659075478, -0.0866721158215, -1.17125589174}, 195, mgl64.Vec3{0.00500286574, -0.00370242679, -0.00629707905}},
		{log, down, 1, mgl64.Vec3{0.133879155121, -0.967421807876, -0.0964391481947}, 0, mgl64.Vec3{}},
	} {
		m := tetBox(t)
		b, err := solid.New(m, solid.Full, c.law)
		if err != nil {
			t.Fatal(err)
		}
		var held, surface []int32
		for n, p := range m.Nodes {
			if p[c.up] == 0 {
				held = append(held, int32(n))
			}
			if m.Surface().Index[n] >= 0 {
				surface = append(surface, int32(n))
			}
		}
		s, err := NewContact(b, held, surface, []Obstacle{c.ball}, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Go(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		if f := s.Total(0); f.Sub(c.force).Len() > 1e-8*f.Len() {
			t.Errorf("%T: %.12g N, was %.12g", c.law, f, c.force)
		}
		if u := mgl64.Vec3(s.X[3*c.node : 3*c.node+3]).Sub(m.Nodes[c.node]); u.Sub(c.moved).Len() > 1e-10 {
			t.Errorf("%T: node %d moves by %.9g m, was %.9g", c.law, c.node, u, c.moved)
		}
		s.Close()
	}
}

func tetBox(t *testing.T) *mesh.Mesh {
	t.Helper()
	hex, err := mesh.Box(mgl64.Vec3{}, mgl64.Vec3{0.1, 0.1, 0.1}, [3]int{5, 5, 5})
	if err != nil {
		t.Fatal(err)
	}
	tet := &mesh.Mesh{Nodes: hex.Nodes, Blocks: []mesh.Block{{Type: mesh.Tet4}}}
	for e := range hex.Blocks[0].Len() {
		n := hex.Blocks[0].Element(e)
		ring := []int32{n[1], n[2], n[3], n[7], n[4], n[5], n[1]}
		for k := range 6 {
			tet.Blocks[0].Nodes = append(tet.Blocks[0].Nodes, n[0], ring[k], ring[k+1], n[6])
		}
	}
	return tet
}
