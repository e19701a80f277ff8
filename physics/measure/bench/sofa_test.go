package bench

import (
	"fmt"
	"math"

	"hapco/physics/files/mesh"
	"hapco/physics/numerics/contact/thesis"
)

// The thesis's experiment in SOFA (section 4.3, figure 4.17): a bar of 125 nodes,
// 25 of them clamped, sags under its own weight onto a liver. The thesis tells
// the materials, the friction and the numbers of nodes. The rest is ours: the
// bar's size and place above the liver, its weight (such that its free end would
// sag by three tenths of its length), and which three nodes of the liver are blocked
// (those that SOFA's own liver scenes block).
const (
	sofaFriction  = 0.3
	sofaSag       = 0.3    // of the bar's length
	sofaNear      = 2e-3   // m: nodes of the bar this near to the liver are contacts
	sofaTolerance = 1e-9   // of the conjugate gradients
	sofaGap       = 0.2e-3 // m, between the bar and the liver's highest node
)

var (
	sofaBar     = elasticity{200e6, 0.49}
	sofaLiver   = elasticity{5000e6, 0.3}
	sofaBlocked = []int32{3, 39, 64}
	sofaSize    = vec{30e-3, 10e-3, 10e-3} // of the bar, m
)

// Sofa builds the experiment on a liver's mesh (in m) as two bodies that solve
// their equilibrium by conjugate gradients, bar and liver, and the contacts
// between them.
func Sofa(liver *mesh.Mesh) ([]thesis.BlackBox, []thesis.Joint, error) {
	for _, id := range sofaBlocked {
		if int(id) >= len(liver.Nodes) {
			return nil, nil, fmt.Errorf("bench: the liver has no node %d to block (give the mesh liver.msh with 181 nodes)", id)
		}
	}
	top := liver.Nodes[0]
	for _, x := range liver.Nodes {
		if x[1] > top[1] {
			top = x
		}
	}
	// The bar lies along X, the highest node below its middle.
	origin := vec{top[0] - sofaSize[0]/2, top[1] + sofaGap, top[2] - sofaSize[2]/2}
	box, err := mesh.Box(origin, sofaSize, [3]int{4, 4, 4})
	if err != nil {
		return nil, nil, fmt.Errorf("bench: %w", err)
	}
	bar := tetrahedra(box)
	heavy, err := NewElastic(bar, bar.NodeSets["right"], sofaBar, vec{0, -1, 0})
	if err != nil {
		return nil, nil, err
	}
	if err := heavy.sagBy(bar.NodeSets["left"], sofaSag*sofaSize[0]); err != nil {
		return nil, nil, err
	}
	organ, err := NewElastic(liver, sofaBlocked, sofaLiver, vec{})
	if err != nil {
		return nil, nil, err
	}
	heavy.Tolerance, organ.Tolerance = sofaTolerance, sofaTolerance
	joints := proximity(bar, liver)
	if len(joints) == 0 {
		return nil, nil, fmt.Errorf("bench: no node of the bar is within %g m of the liver (is the mesh in m?)", sofaNear)
	}
	return []thesis.BlackBox{heavy, organ}, joints, nil
}

// sagBy scales the body's own load such that the given nodes sink by depth (m)
// on average.
func (e *Elastic) sagBy(nodes []int32, depth float64) error {
	at := make([]vec, len(nodes))
	e.Positions(at, nodes, make([]vec, e.Points()))
	sag := 0.0
	for k, i := range nodes {
		sag += (e.mesh.Nodes[i][1] - at[k][1]) / float64(len(nodes))
	}
	if !(sag > 0) {
		return fmt.Errorf("bench: the body does not sag under its load")
	}
	for i := range e.own {
		e.own[i] *= depth / sag
	}
	return nil
}

// proximity joins every surface node of a that is near b's surface to its
// closest point there.
func proximity(a, b *mesh.Mesh) []thesis.Joint {
	sa, sb := a.Surface(), b.Surface()
	var joints []thesis.Joint
	for _, node := range sa.Nodes {
		p := a.Nodes[node]
		best, at := foot{dist2: math.Inf(1)}, -1
		for id, t := range sb.Triangles {
			f := closest(p, b.Nodes[sb.Nodes[t[0]]], b.Nodes[sb.Nodes[t[1]]], b.Nodes[sb.Nodes[t[2]]])
			if f.dist2 < best.dist2 {
				best, at = f, id
			}
		}
		if !(best.dist2 <= sofaNear*sofaNear) {
			continue
		}
		j := thesis.Joint{A: 0, B: 1, P: thesis.NodeAnchor(node), Mu: sofaFriction}
		var x [3]vec
		for k, s := range sb.Triangles[at] {
			j.Q.Points[k], j.Q.Weights[k] = sb.Nodes[s], best.b[k]
			x[k] = b.Nodes[sb.Nodes[s]]
		}
		j.Frame = frame(x[0], x[2], x[1]) // the surface turns the other way round than the benches' triangles
		q := point(best.b, x[0], x[1], x[2])
		d := p.Sub(q)
		if d.Dot(j.Frame[0]) < 0 || d.Len() > 0 && d.Normalize().Dot(j.Frame[0]) < 0.5 {
			continue // beside the liver or behind it, not above
		}
		j.Offset = [2]float64{j.Frame[1].Dot(d), j.Frame[2].Dot(d)}
		joints = append(joints, j)
	}
	return joints
}

// tetrahedra splits each hexahedron of a mesh into six tetrahedra around its
// diagonal from the first node to the seventh.
func tetrahedra(m *mesh.Mesh) *mesh.Mesh {
	out := &mesh.Mesh{Nodes: m.Nodes, NodeSets: m.NodeSets}
	var conn []int32
	for _, b := range m.Blocks {
		for e := 0; e < len(b.Nodes); e += 8 {
			h := b.Nodes[e : e+8]
			for _, t := range [6][2]int{{1, 2}, {2, 3}, {3, 7}, {7, 4}, {4, 5}, {5, 1}} {
				conn = append(conn, h[0], h[t[0]], h[t[1]], h[6])
			}
		}
	}
	out.Blocks = []mesh.Block{{Type: mesh.Tet4, Nodes: conn}}
	return out
}
