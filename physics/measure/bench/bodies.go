package bench

import "hapco/physics/numerics/contact/thesis"

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
