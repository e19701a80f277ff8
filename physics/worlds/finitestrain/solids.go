package finitestrain

import (
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/files/mesh"
	"hapco/physics/numerics/fem/solid"
)

// inside is a body's own mesh.
type inside struct {
	mesh  *mesh.Mesh
	nodes []int32 // of the world's mesh that are its nodes, ascending
}

// nodesOf are the nodes of a body that is not rigid, ascending.
func (w *world) nodesOf(body int) (nodes []int32) {
	b := w.bodies.blocks[body]
	for _, blk := range w.engine.body.Mesh.Blocks[b : b+w.bodies.counts[body]] {
		nodes = append(nodes, blk.Nodes...)
	}
	slices.Sort(nodes)
	return slices.Compact(nodes)
}

// insides are those of the bodies; without a mesh: rigid.
func (w *world) insides() (all []inside) {
	m := w.engine.body.Mesh
	for i := range w.bodies.surfaces {
		b := w.bodies.blocks[i]
		if b < 0 {
			all = append(all, inside{nodes: w.bodies.surfaces[i].Nodes})
			continue
		}
		nodes, own := w.nodesOf(i), &mesh.Mesh{}
		for _, n := range nodes {
			own.Nodes = append(own.Nodes, m.Nodes[n])
		}
		for _, from := range m.Blocks[b : b+w.bodies.counts[i]] {
			block := mesh.Block{Type: from.Type, Nodes: slices.Clone(from.Nodes)}
			for k, n := range block.Nodes {
				at, _ := slices.BinarySearch(nodes, n)
				block.Nodes[k] = int32(at)
			}
			own.Blocks = append(own.Blocks, block)
		}
		all = append(all, inside{own, nodes})
	}
	return all
}

// Solids implements physics.Solids: the bodies in the state that is shown. Strains are logarithmic, stresses Cauchy's,
// both means of the elements around a node. Where the tool's forces act on it is told by the contacts alone.
func (w *world) Solids(dst []physics.Solid) []physics.Solid {
	if w.bodies.Inner == nil {
		w.bodies.Inner = w.insides()
	}
	if len(dst) != 1+len(w.bodies.Inner) {
		dst = make([]physics.Solid, 1+len(w.bodies.Inner))
	}
	l, k := w.engine, w.stiffer()
	tool := &dst[0]
	tool.Positions, tool.Displacement = tool.Positions[:0], make([]mgl64.Vec3, len(w.tool.shape))
	for _, x := range w.tool.shape {
		tool.Positions = append(tool.Positions, w.shown.tool.Point(x))
	}
	force := make([]mgl64.Vec3, len(l.body.Mesh.Nodes))
	for i := range l.Shown.constraints {
		r := &l.Shown.constraints[i]
		for m, n := range r.nodes {
			if n >= 0 {
				force[n] = force[n].Add(r.force.Mul(k * r.share[m]))
			}
		}
	}
	w.strains()
	strain, stress := make([][6]float64, len(force)), make([][6]float64, len(force))
	w.cauchy(func(at int, nodes []int32, s *solid.Mat3) {
		ln := solid.LogStrain(&w.strain.gradients[at])
		for _, n := range nodes {
			for c, at := range [6]int{0, 4, 8, 1, 5, 2} {
				strain[n][c] += ln[at] / w.strain.share[n]
				stress[n][c] += s[at] / w.strain.share[n]
			}
		}
	})
	for i := range w.bodies.Inner {
		in, s := &w.bodies.Inner[i], &dst[1+i]
		s.Mesh = in.mesh
		s.Positions, s.Displacement, s.Force, s.Strain, s.Stress = s.Positions[:0], s.Displacement[:0], s.Force[:0], s.Strain[:0], s.Stress[:0]
		for _, n := range in.nodes {
			x := mgl64.Vec3(l.Shown.X[3*n : 3*n+3])
			s.Positions, s.Displacement, s.Force = append(s.Positions, x), append(s.Displacement, x.Sub(l.body.Mesh.Nodes[n])), append(s.Force, force[n])
			if in.mesh != nil {
				s.Strain, s.Stress = append(s.Strain, strain[n]), append(s.Stress, stress[n])
			}
		}
	}
	return dst
}
