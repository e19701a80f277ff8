package tissue

import (
	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/numerics/num"
)

// Solids implements physics.Solids. It solves with all of K for the nodes inside; the surface is that of the steps.
// Nothing may work on the world in the background.
func (l *Live) Solids(dst []physics.Solid) []physics.Solid {
	w := l.World
	if len(dst) != len(w.bodies) {
		dst = make([]physics.Solid, len(w.bodies))
	}
	for i, b := range w.bodies {
		w.solid(&dst[i], b)
	}
	return dst
}

// solid fills s with a body's present state.
func (w *World) solid(s *physics.Solid, b *body) {
	n := len(b.mesh.Nodes)
	if b.mesh.Elements() == 0 { // a tool that is a surface
		w.skin(s, b)
		return
	}
	s.Mesh = b.mesh
	resize(s, n)
	u := num.Grow(w.fillWork.all, 3*n)
	w.fillWork.all = u
	clear(u)
	now := &b.deformed.now
	s.Strain, s.Stress = s.Strain[:0], s.Stress[:0]
	if b.flexibility.elastic() {
		var o bodyLoad
		o.of(b)
		if !w.fillWork.inside(&o, b.flexibility.factor.solveNow) {
			w.skin(s, b) // nothing holds it: no displacements inside
			return
		}
		s.Strain, s.Stress = num.Grow(s.Strain, n), num.Grow(s.Stress, n)
		b.flexibility.factor.recovery().Tensors(s.Strain, s.Stress, b.material(), u)
		for i := range s.Strain {
			turn(&s.Strain[i], &now.rotation)
			turn(&s.Stress[i], &now.rotation)
		}
	}
	for i, x := range b.mesh.Nodes {
		d := mgl64.Vec3(u[3*i : 3*i+3])
		s.Displacement[i] = now.rotation.Mul3x1(d)
		s.Positions[i] = now.rotation.Mul3x1(x.Add(d)).Add(now.origin)
	}
	w.place(s, b, func(node int32) int32 { return b.surface[node] })
}

// skin fills s with the surface of a body alone.
func (w *World) skin(s *physics.Solid, b *body) {
	s.Mesh, s.Strain, s.Stress = nil, s.Strain[:0], s.Stress[:0]
	resize(s, len(b.rest))
	w.place(s, b, func(node int32) int32 { return node })
}

func resize(s *physics.Solid, n int) {
	if len(s.Positions) != n {
		s.Positions, s.Displacement, s.Force = make([]mgl64.Vec3, n), make([]mgl64.Vec3, n), make([]mgl64.Vec3, n)
	}
}

// place puts the surface as the steps have it, and the contact forces on it, at the places of its nodes in s.
func (w *World) place(s *physics.Solid, b *body, at func(node int32) int32) {
	now := &b.deformed.now
	surface := make([]mgl64.Vec3, len(b.rest))
	b.fill(surface, &w.fillWork)
	for i, x := range surface {
		n := at(int32(i))
		s.Positions[n] = x
		s.Displacement[n] = x.Sub(now.rotation.Mul3x1(b.rest[i]).Add(now.origin))
	}
	clear(s.Force)
	for i := range b.links {
		l := &b.links[i]
		r := w.set.r[3*l.Contact : 3*l.Contact+3]
		f := mgl64.Vec3{}
		for k := range f {
			f[k] = l.Sign * (r[0]*l.Frame[k] + r[1]*l.Frame[3+k] + r[2]*l.Frame[6+k])
		}
		f = b.rotation.Mul3x1(f)
		for k := range l.Count {
			n := at(l.Node[k])
			s.Force[n] = s.Force[n].Add(f.Mul(l.Weight[k]))
		}
	}
}

// turn turns a symmetric tensor: R t R^T.
func turn(t *[6]float64, r *mgl64.Mat3) {
	m := mgl64.Mat3{t[0], t[3], t[5], t[3], t[1], t[4], t[5], t[4], t[2]}
	m = r.Mul3(m).Mul3(r.Transpose())
	*t = [6]float64{m.At(0, 0), m.At(1, 1), m.At(2, 2), m.At(0, 1), m.At(1, 2), m.At(2, 0)}
}
