package bench

import (
	"math"

	"hapco/physics/machinery/refusal"
	"hapco/physics/numerics/contact"
	_ "hapco/physics/numerics/contact/solvers"
	"hapco/physics/numerics/num"
)

// Contact joins node P of the impactor's lower face to a point of a triangle of the obstacle's top face.
type Contact struct {
	P        int        // lower-face node, i + (nx+1) k
	Triangle int        // 2 (i + nx k), +1 for the second of a quad
	Nodes    [3]int     // top-face nodes of the triangle
	Weights  [3]float64 // barycentrics of Q
	Frame    [3]vec     // n, t1, t2
	Offset   [2]float64 // tangential place of P from Q at detection, m
}

// Run walks along a path: Next states the problem of an increment, Accept takes its solution and moves on. It serves
// one goroutine.
type Run struct {
	Case     Case
	Contacts []Contact       // of the present increment
	Problem  contact.Problem // of the present increment
	Press    bool            // the increment is one of the presses before a drag
	D        [3]float64      // position of the impactor's frame in this increment, m

	layout             layout
	path               []vec
	at                 int // increments stated
	impactor, obstacle *block
	frame              vec       // position of the impactor's frame when contacts are detected
	x                  []vec     // present positions of the obstacle's face
	feet               []foot    // closest points of one node, by triangle
	f1, f2             []float64 // nodal forces on the faces, N
}

// New prepares a run; it factorises both blocks, which takes a while.
func New(c Case) (*Run, error) { return refusal.Caught(c.prepare) }

func (c Case) prepare() *Run {
	l := layoutOf(c.Bench)
	refusal.Unless(num.Finite(c.Mu) && c.Mu >= 0, "bench: friction %g (give a finite coefficient of at least 0)", c.Mu)
	refusal.Unless(c.Clamp == "end" || c.Clamp == "bottom", "bench: no clamp %q (choose end or bottom)", c.Clamp)
	impactor, obstacle := c.pair()
	r := &Run{Case: c, layout: l, path: c.path(l)}
	r.impactor, r.obstacle = newBlock(l.impactor, "bottom"), newBlock(l.obstacle, "top")
	r.impactor.condense(impactor, "top")
	r.obstacle.condense(obstacle, c.Clamp)
	r.x = make([]vec, len(r.obstacle.face))
	r.feet = make([]foot, 2*l.obstacle.n[0]*l.obstacle.n[2])
	r.f1 = make([]float64, 3*len(r.impactor.face))
	r.f2 = make([]float64, 3*len(r.obstacle.face))
	return r
}

// Restart goes back to the start of the path, with friction coefficient mu.
func (r *Run) Restart(mu float64) {
	r.Case.Mu = mu
	r.at, r.frame = 0, vec{}
	clear(r.impactor.u)
	clear(r.obstacle.u)
}

// SetPath goes back to the start of another path: pen or slide.
func (r *Run) SetPath(path string) error {
	c := r.Case
	c.Path = path
	d, err := refusal.Caught(func() []vec { return c.path(r.layout) })
	if err != nil {
		return err
	}
	r.Case, r.path = c, d
	r.Restart(c.Mu)
	return nil
}

// Next detects the contacts in the present configuration and states the problem of the next increment. It is false at
// the end of the path.
func (r *Run) Next() bool {
	if r.at == len(r.path) {
		return false
	}
	r.D = r.path[r.at]
	r.Press = r.Case.Path == "slide" && r.at < r.layout.depth
	r.at++
	r.detect()
	r.assemble(vec(r.D))
	return true
}

// Accept takes the contact forces of the increment (N, contact frames) and moves the bodies.
func (r *Run) Accept(forces []float64) {
	if len(forces) != 3*len(r.Contacts) {
		panic("bench: forces do not fit the contacts")
	}
	clear(r.f1)
	clear(r.f2)
	for a := range r.Contacts {
		c := &r.Contacts[a]
		f := r.world(forces, a)
		for i := range 3 {
			r.f1[3*c.P+i] += f[i]
			for k, s := range c.Nodes {
				r.f2[3*s+i] -= c.Weights[k] * f[i]
			}
		}
	}
	r.impactor.deform(r.f1)
	r.obstacle.deform(r.f2)
	r.frame = vec(r.D)
}

// world is the force of contact a on the impactor, global axes, N.
func (r *Run) world(forces []float64, a int) vec {
	f := &r.Contacts[a].Frame
	return f[0].Mul(forces[3*a]).Add(f[1].Mul(forces[3*a+1])).Add(f[2].Mul(forces[3*a+2]))
}

// triangle gives the top-face nodes of a triangle.
func (r *Run) triangle(id int) [3]int {
	nx := r.obstacle.n[0]
	quad := id / 2
	s := quad%nx + (nx+1)*(quad/nx)
	if id%2 == 0 {
		return [3]int{s, s + 1, s + nx + 2}
	}
	return [3]int{s, s + nx + 2, s + nx + 1}
}

func (r *Run) detect() {
	r.Contacts = r.Contacts[:0]
	x, feet := r.x, r.feet
	for s := range x {
		x[s] = r.obstacle.at(s)
	}
	for a := range r.impactor.face {
		p := r.impactor.at(a).Add(r.frame)
		least := math.Inf(1)
		for id := range feet {
			t := r.triangle(id)
			feet[id] = closest(p, x[t[0]], x[t[1]], x[t[2]])
			least = min(least, feet[id].dist2)
		}
		for id := range feet {
			if feet[id].dist2 > least+tie {
				continue
			}
			t := r.triangle(id)
			c := Contact{P: a, Triangle: id, Nodes: t, Weights: feet[id].b, Frame: frame(x[t[0]], x[t[1]], x[t[2]])}
			gap := p.Sub(point(c.Weights, x[t[0]], x[t[1]], x[t[2]]))
			if feet[id].inside || !r.overhangs(&c, gap) {
				r.Contacts = append(r.Contacts, c)
			}
			break
		}
	}
}

// overhangs says whether P, at gap from Q, hangs beside the obstacle: Q lies on the border of the top face and P beside
// it.
func (r *Run) overhangs(c *Contact, gap vec) bool {
	if !(math.Hypot(c.Frame[1].Dot(gap), c.Frame[2].Dot(gap)) > overhangLength) {
		return false
	}
	n := r.obstacle.n
	border := [4]bool{true, true, true, true}
	for k, s := range c.Nodes {
		if c.Weights[k] <= overhangWeight {
			continue
		}
		i, j := s%(n[0]+1), s/(n[0]+1)
		border = [4]bool{border[0] && i == 0, border[1] && i == n[0], border[2] && j == 0, border[3] && j == n[2]}
	}
	return border != [4]bool{}
}

// assemble fills W (2.62) and q: the free relative displacement with the frame at d, tangentially from the material
// point that P stood on.
func (r *Run) assemble(d vec) {
	cs := r.Contacts
	r.Problem.Resize(len(cs))
	n := 3 * len(cs)
	for a := range cs {
		c := &cs[a]
		r.Problem.Mu[a] = r.Case.Mu
		t := c.Nodes
		rest := r.obstacle.face
		free := r.impactor.face[c.P].Add(d).Sub(point(c.Weights, rest[t[0]], rest[t[1]], rest[t[2]]))
		p := r.impactor.at(c.P).Add(r.frame)
		q := point(c.Weights, r.x[t[0]], r.x[t[1]], r.x[t[2]])
		r.Problem.Q[3*a] = c.Frame[0].Dot(free)
		c.Offset = [2]float64{c.Frame[1].Dot(p.Sub(q)), c.Frame[2].Dot(p.Sub(q))}
		r.Problem.Q[3*a+1] = c.Frame[1].Dot(free) - c.Offset[0]
		r.Problem.Q[3*a+2] = c.Frame[2].Dot(free) - c.Offset[1]
		for b := range a + 1 {
			w := r.compliance(c, &cs[b])
			for i := range 3 {
				for j := range 3 {
					r.Problem.W[(3*a+i)*n+3*b+j] = w[i][j]
					r.Problem.W[(3*b+j)*n+3*a+i] = w[i][j]
				}
			}
		}
	}
}

// compliance is W_ab: both bodies' compliance between the two contacts, in their frames.
func (r *Run) compliance(a, b *Contact) [3][3]float64 {
	var m [3][3]float64 // in global axes
	c1, c2 := r.impactor.c, r.obstacle.c
	n1, n2 := len(r.f1), len(r.f2)
	for i := range 3 {
		for j := range 3 {
			m[i][j] = c1[(3*a.P+i)*n1+3*b.P+j]
			for k, s := range a.Nodes {
				for l, t := range b.Nodes {
					m[i][j] += a.Weights[k] * b.Weights[l] * c2[(3*s+i)*n2+3*t+j]
				}
			}
		}
	}
	var w [3][3]float64
	for i := range 3 {
		for j := range 3 {
			for k := range 3 {
				for l := range 3 {
					w[i][j] += a.Frame[i][k] * m[k][l] * b.Frame[j][l]
				}
			}
		}
	}
	return w
}
