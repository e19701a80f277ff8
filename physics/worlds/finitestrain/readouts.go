package finitestrain

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/numerics/fem"
	"hapco/physics/numerics/fem/solid"
	"hapco/physics/numerics/num"
)

// The fields that the organ can be coloured by; their numbers are places in this list, from 1.
const (
	strainField = 1 + iota
	displacementField
	vonMisesField
	pressureField
	beyondField
)

var shownFields = []physics.Field{
	{Name: "largest strain", About: "By what share the most stretched or shortened line at a point has changed."},
	{Name: "displacement", Unit: "m", About: "How far each point has moved from where it is at rest."},
	{Name: "von Mises stress", Unit: "Pa", About: "Of Cauchy's stress: force over the deformed area."},
	{Name: "pressure", Unit: "Pa", Signed: true, About: "Mean of the three normal stresses (Cauchy), compression above 0."},
	{Name: "beyond linear limit", About: "1 at elements of which a line is stretched or shortened by more than a tenth: a linear body, of the kind tissue, would be wrong there."},
}

// drawField puts the field that is asked for on the organs' surfaces.
func (w *world) drawField(f *physics.Frame) {
	if f.Field = f.Want.Field; f.Field == 0 {
		return
	}
	if f.Field != displacementField {
		w.strains()
		switch f.Field {
		case strainField:
		case beyondField:
			w.markBeyond()
		default:
			w.stresses(f.Field)
		}
	}
	for i, s := range w.bodies.surfaces {
		out := &f.Surfaces[1+i]
		for _, n := range s.Nodes {
			own := w.engine.body.Mesh.Nodes[n].Sub(mgl64.Vec3(w.engine.Shown.X[3*n : 3*n+3])).Len()
			if f.Field != displacementField {
				own = w.strain.scalar[n]
			}
			out.Scalar = append(out.Scalar, own)
		}
	}
}

// stresses fills scalar with each node's mean of a field of its elements' stresses, Pa, after strains has found the
// gradients.
func (w *world) stresses(field int) {
	clear(w.strain.scalar)
	w.cauchy(func(_ int, nodes []int32, s *solid.Mat3) {
		mean := (s[0] + s[4] + s[8]) / 3
		own := -mean
		if field == vonMisesField {
			for i := 0; i < 9; i += 4 {
				s[i] -= mean
			}
			own = math.Sqrt(1.5 * s.Dot(s))
		}
		for _, n := range nodes {
			w.strain.scalar[n] += own / w.strain.share[n]
		}
	})
}

// points goes through the quadrature points, whose gradients strains finds: at is their number, first that they are of
// another element than those before.
func (w *world) points(use func(block, at int, first bool, nodes []int32)) {
	b, at := w.engine.body, 0
	for i := range b.Mesh.Blocks {
		blk := &b.Mesh.Blocks[i]
		for e := range blk.Len() {
			for p := range b.Points(i) {
				use(i, at, p == 0, blk.Element(e))
				at++
			}
		}
	}
}

// cauchy gives each point's stress P F^T / det F, Pa, after strains has found the gradients.
func (w *world) cauchy(use func(at int, nodes []int32, s *solid.Mat3)) {
	last, begin := -1, 0
	w.points(func(block, at int, _ bool, nodes []int32) {
		if block != last {
			last, begin = block, at
		}
		f := &w.strain.gradients[at]
		w.material.laws[block].Stress(&w.strain.piola, f)
		w.engine.relaxing.Stays(block, at-begin, &w.strain.piola, f)
		s, k := w.strain.piola.MulT(f), w.stiffer()/f.Det()
		for i := range s {
			s[i] *= k
		}
		use(at, nodes, &s)
	})
}

// markBeyond puts 1 into scalar at the nodes of elements that a linear body would be wrong for, after strains has found
// the gradients.
func (w *world) markBeyond() {
	clear(w.strain.scalar)
	w.points(func(_, at int, _ bool, nodes []int32) {
		if largestStrain(&w.strain.gradients[at]) > fem.LinearLimit {
			for _, n := range nodes {
				w.strain.scalar[n] = 1
			}
		}
	})
}

// largestStrain is by what share the most stretched or shortened line has changed.
func largestStrain(f *solid.Mat3) (largest float64) {
	for _, s := range solid.Stretches(f) {
		largest = math.Max(largest, math.Abs(s-1))
	}
	return largest
}

// strains fills scalar with each node's mean of its elements' largest strains, and gives the largest of all: by what
// share the most stretched or shortened line has changed.
func (w *world) strains() (largest float64) {
	b := w.engine.body
	w.strain.gradients = b.Gradients(w.strain.gradients, w.engine.Shown.X)
	w.strain.scalar, w.strain.share = num.Grow(w.strain.scalar, len(b.Mesh.Nodes)), num.Grow(w.strain.share, len(b.Mesh.Nodes))
	clear(w.strain.scalar)
	clear(w.strain.share)
	w.strain.beyond = 0
	counted := false
	w.points(func(_, at int, first bool, nodes []int32) {
		own := largestStrain(&w.strain.gradients[at])
		largest = math.Max(largest, own)
		if counted = counted && !first; own > fem.LinearLimit && !counted {
			w.strain.beyond++
			counted = true
		}
		for _, n := range nodes {
			w.strain.scalar[n] += own
			w.strain.share[n]++
		}
	})
	for n := range w.strain.scalar {
		w.strain.scalar[n] /= math.Max(1, w.strain.share[n])
	}
	return largest
}
