package solid

import (
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// Membrane is an incompressible neo-Hookean sheet, thin enough to bend freely: its thickness follows from its area. F
// maps the plane of the sheet at rest and takes its normal to 0, so that I2 = |cof F|^2 is the square of what the area
// has become, and
//
//	W = mu/2 (I1 + 1/I2 - 3)
//	P = mu (F - (I1 F - F C)/I2^2)
type Membrane struct{ Mu float64 } // Pa; E/3

// second is I2, half of its slope, and what both are made of.
func (Membrane) second(f *Mat3) (i1, i2 float64, half, c Mat3) {
	c = f.TMul(f)
	i1 = c[0] + c[4] + c[8]
	fc := f.Mul(&c)
	for k := range half {
		half[k] = i1*f[k] - fc[k]
	}
	return i1, (i1*i1 - c.Dot(&c)) / 2, half, c
}

func (l Membrane) Energy(f *Mat3) float64 {
	i1, i2, _, _ := l.second(f)
	if !(i2 > 0) {
		return math.Inf(1)
	}
	return l.Mu / 2 * (i1 + 1/i2 - 3)
}

func (l Membrane) Stress(p, f *Mat3) {
	_, i2, half, _ := l.second(f)
	for k := range p {
		p[k] = l.Mu * (f[k] - half[k]/(i2*i2))
	}
}

// Tangent is A = mu (1 - d2I2/2/I2^2 + 4 h h/I2^3), h half of I2's slope.
func (l Membrane) Tangent(a *Mat9, f *Mat3) {
	i1, i2, half, c := l.second(f)
	b := f.MulT(f)
	s := -l.Mu / (i2 * i2)
	*a = Mat9{}
	a.diagonal(l.Mu + s*i1)
	a.outer(2*s, f, f)
	a.onDirections(-s, &c)
	a.crossed(-s, f, f)
	a.onComponents(-s, &b)
	a.outer(4*l.Mu/(i2*i2*i2), &half, &half)
}

func (l Membrane) Scaled(shape, bulk float64) Law {
	whole("a membrane", shape, bulk)
	return Membrane{l.Mu * shape}
}

// AddMembrane puts a membrane of this thickness, m, on triangles of the body's nodes, those of a face of an element
// each, before Bind. It is one more block of the body, which the mesh has none of, and whose number it gives. Det F of
// it is not asked for.
func (b *Body) AddMembrane(triangles [][3]int32, thickness float64, law Membrane) (number int, err error) {
	m := &block{kind: Full, nodes: 3, points: 1, rest: b.Mesh.Nodes, flat: true}
	for _, t := range triangles {
		x := [3]mgl64.Vec3{b.Mesh.Nodes[t[0]], b.Mesh.Nodes[t[1]], b.Mesh.Nodes[t[2]]}
		normal := x[1].Sub(x[0]).Cross(x[2].Sub(x[0]))
		double := normal.Len()
		if !(double > 0) {
			return 0, fmt.Errorf("solid: a triangle of the membrane has no area (repair the mesh)")
		}
		m.conn = append(m.conn, t[:]...)
		m.weight = append(m.weight, thickness*double/2)
		for a := range 3 { // across the side before it, over its height
			m.grad = append(m.grad, normal.Cross(x[(a+2)%3].Sub(x[(a+1)%3])).Mul(1/(double*double)))
		}
	}
	m.take(law)
	b.blocks = append(b.blocks, m)
	return len(b.blocks) - 1, nil
}
