package finitestrain

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
)

// The inside of a body that is stretched evenly and turned has the tensors that a hand finds.
func TestSolidsOfAnEvenStretch(t *testing.T) {
	w := openWorld(t, "x.toml", block(t))
	const l1, l2, turn = 1.3, 0.9, 0.7 // stretches along x, and along y and z; then about z
	r := mgl64.Rotate3DZ(turn)
	for n, x := range w.engine.body.Mesh.Nodes {
		y := r.Mul3x1(mgl64.Vec3{l1 * x[0], l2 * x[1], l2 * x[2]})
		copy(w.engine.Shown.X[3*n:], y[:])
	}
	e, nu := w.scene.Body.Young, w.scene.Body.Poisson
	lambda, mu, j := e*nu/((1+nu)*(1-2*nu)), e/(2+2*nu), l1*l2*l2
	along := func(f func(l float64) float64) (c [6]float64) {
		m := r.Mul3(mgl64.Diag3(mgl64.Vec3{f(l1), f(l2), f(l2)})).Mul3(r.Transpose())
		return [6]float64{m.At(0, 0), m.At(1, 1), m.At(2, 2), m.At(0, 1), m.At(1, 2), m.At(2, 0)}
	}
	strain := along(math.Log)
	stress := along(func(l float64) float64 { return (mu*(l*l-1) + lambda*math.Log(j)) / j }) // neo-Hookean
	bodies := w.Solids(nil)
	if len(bodies) != 2 || bodies[0].Mesh != nil || bodies[1].Mesh.Elements() != w.engine.body.Mesh.Elements() {
		t.Fatalf("%d bodies", len(bodies))
	}
	b := &bodies[1]
	for n := range b.Positions {
		for c := range 6 {
			if d := b.Strain[n][c] - strain[c]; !(math.Abs(d) < 1e-12) {
				t.Fatalf("strain %d of node %d: %g, want %g", c, n, b.Strain[n][c], strain[c])
			}
			if d := b.Stress[n][c] - stress[c]; !(math.Abs(d) < 1e-9*e) {
				t.Fatalf("stress %d of node %d: %g, want %g Pa", c, n, b.Stress[n][c], stress[c])
			}
		}
	}
}

// Each of several organs has its own inside, on which the surface that is drawn lies and the
// contacts' forces act.
func TestSolidsOfOrgans(t *testing.T) {
	w := openWorld(t, "organs", "")
	target := w.info.Start
	for range 60 {
		target.Position[1] -= 0.5e-3
		w.Step(physics.Input{Target: target})
	}
	var f physics.Frame
	w.Draw(&f)
	if !(f.Force.Len() > 0.1) {
		t.Fatalf("the tool does not press: %v N", f.Force)
	}
	bodies := w.Solids(nil)
	bodies = w.Solids(bodies) // again, in the same memory
	if len(bodies) != len(f.Surfaces) {
		t.Fatalf("%d bodies of %d", len(bodies), len(f.Surfaces))
	}
	sum := f.Force
	for i := range bodies[1:] {
		b := &bodies[1+i]
		if len(b.Displacement) != len(b.Positions) || len(b.Force) != len(b.Positions) {
			t.Fatalf("%s: %d places, %d displacements, %d forces", w.info.Surfaces[1+i].Name, len(b.Positions), len(b.Displacement), len(b.Force))
		}
		for n := range b.Force {
			sum = sum.Add(b.Force[n])
		}
		at := map[mgl64.Vec3]bool{}
		for n, x := range b.Positions {
			at[x] = true
			if b.Mesh != nil && b.Mesh.Nodes[n].Add(b.Displacement[n]).Sub(x).Len() > 1e-15 {
				t.Fatalf("%s, node %d: %v moved by %v is not %v", w.info.Surfaces[1+i].Name, n, b.Mesh.Nodes[n], b.Displacement[n], x)
			}
		}
		for _, x := range f.Surfaces[1+i].Vertices {
			if !at[x] {
				t.Fatalf("%s: the surface's %v is no node", w.info.Surfaces[1+i].Name, x)
			}
		}
	}
	if !(sum.Len() < 1e-12) { // on the bodies and on the tool; between bodies they add up to none
		t.Errorf("%v N are left", sum)
	}
}
