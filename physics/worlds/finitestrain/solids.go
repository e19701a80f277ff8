package finitestrain

import (
	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/files/mesh"
	"hapco/physics/numerics/fem/solid"
)

// inside is a body's own mesh.
type inside struct {
	mesh  *mesh.Mesh // nil: it is rigid
	nodes []int32    // of the world's mesh that are its nodes, or those of its surface; ascending
}

// Solids implements physics.Solids: the bodies in the state that is shown. Strains are logarithmic, stresses Cauchy's,
// both means of the elements around a node. Where the tool's forces act on it is told by the contacts alone.
func (w *world) Solids(dst []physics.Solid) []physics.Solid {
	if len(dst) != 1+len(w.bodies.inner) {
		dst = make([]physics.Solid, 1+len(w.bodies.inner))
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
	for i := range w.bodies.inner {
		in, s := &w.bodies.inner[i], &dst[1+i]
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
