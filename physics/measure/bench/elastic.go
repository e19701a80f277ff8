package bench

import (
	"context"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/mesh"
	"hapco/physics/machinery/refusal"
	"hapco/physics/numerics/contact/thesis"
	"hapco/physics/numerics/flex"
)

// block is a box of hexahedra and the compliance of one of its faces.
type block struct {
	n     [3]int     // elements along X, Y, Z
	face  []vec      // undeformed positions of the face's nodes, X running fastest, m
	c     []float64  // K^-1 restricted to the face, 3n x 3n row-major, m/N
	frame vec        // position of the block's own frame, m
	u     []vec      // elastic displacements of the face, m
	ids   []int32    // mesh nodes of the face
	mesh  *mesh.Mesh //
}

// newBlock meshes g and keeps the nodes of the face "top" or "bottom".
func newBlock(g grid, face string) *block {
	m, err := mesh.Box(g.origin, g.size, g.n)
	refusal.NeedAt(err, "bench")
	b := &block{n: g.n, ids: m.NodeSets[face], mesh: m}
	for _, id := range b.ids {
		b.face = append(b.face, m.Nodes[id])
	}
	b.u = make([]vec, len(b.face))
	return b
}

// condense holds the nodes of a side and computes the compliance of the face.
func (b *block) condense(m elasticity, held string) {
	f, err := flex.Factorize(b.mesh, b.mesh.NodeSets[held], m.Poisson)
	refusal.NeedAt(err, "bench")
	defer f.Close()
	c, err := f.Compliance(context.Background(), b.ids, nil)
	refusal.NeedAt(err, "bench")
	b.c = c.C
	for i := range b.c {
		b.c[i] /= m.Young
	}
}

// deform sets u = K^-1 f on the face.
func (b *block) deform(f []float64) {
	n := len(f)
	for i := range b.u {
		for k := range 3 {
			s := 0.0
			for j, w := range b.c[(3*i+k)*n : (3*i+k+1)*n] {
				s += w * f[j]
			}
			b.u[i][k] = s
		}
	}
}

// at is the present position of face node i, m.
func (b *block) at(i int) vec { return b.face[i].Add(b.u[i]) }

type vec = mgl64.Vec3

// Reassemble states the present increment's problem anew, from the contacts already detected: what Next does after the
// detection. It is for timing; call it before Accept.
func (r *Run) Reassemble() { r.assemble(vec(r.D)) }

// Points implements thesis.BlackBox: the points are those of the face.
func (b *block) Points() int { return len(b.face) }

// Positions implements thesis.BlackBox with the block's compliance.
func (b *block) Positions(dst []vec, points []int32, f []vec) {
	n := 3 * len(b.face)
	for k, i := range points {
		u := vec{}
		for d := range 3 {
			row := b.c[(3*int(i)+d)*n : (3*int(i)+d+1)*n]
			for j, fj := range f {
				if fj == (vec{}) {
					continue // most points are not in contact
				}
				u[d] += row[3*j]*fj[0] + row[3*j+1]*fj[1] + row[3*j+2]*fj[2]
			}
		}
		dst[k] = b.face[i].Add(b.frame).Add(u)
	}
}

// Stiffness implements thesis.BlackBox: unknown, the solver tries.
func (b *block) Stiffness() float64 { return 0 }

// BlackBoxes returns the increment's contacts as joints between two bodies that answer with positions only: the
// impactor, then the obstacle.
func (r *Run) BlackBoxes() ([]thesis.BlackBox, []thesis.Joint) {
	r.impactor.frame = vec(r.D)
	joints := make([]thesis.Joint, len(r.Contacts))
	for a := range joints {
		c := &r.Contacts[a]
		j := thesis.Joint{A: 0, B: 1, P: thesis.NodeAnchor(int32(c.P)), Frame: c.Frame, Mu: r.Case.Mu, Offset: c.Offset}
		for k, s := range c.Nodes {
			j.Q.Points[k], j.Q.Weights[k] = int32(s), c.Weights[k]
		}
		joints[a] = j
	}
	return []thesis.BlackBox{r.impactor, r.obstacle}, joints
}
