package finitestrain

import (
	"math"
	"slices"
	"testing"

	"hapco/physics"
)

// A body that is stretched evenly has everywhere the stress of its law, by hand.
func TestFieldsOfAnEvenStretch(t *testing.T) {
	w := openWorld(t, "x.toml", block(t))
	const l1, l2 = 1.3, 0.9 // stretches along x, and along y and z
	for n, x := range w.engine.body.Mesh.Nodes {
		w.engine.Shown.X[3*n], w.engine.Shown.X[3*n+1], w.engine.Shown.X[3*n+2] = l1*x[0], l2*x[1], l2*x[2]
	}
	// neo-Hookean: J sigma = mu (B - 1) + lambda ln J 1
	e, nu := w.scene.Body.Young, w.scene.Body.Poisson
	lambda, mu, j := e*nu/((1+nu)*(1-2*nu)), e/(2+2*nu), l1*l2*l2
	s1, s2 := (mu*(l1*l1-1)+lambda*math.Log(j))/j, (mu*(l2*l2-1)+lambda*math.Log(j))/j
	var f physics.Frame
	for i, want := range [...]float64{strainField: l1 - 1, vonMisesField: math.Abs(s1 - s2), pressureField: -(s1 + 2*s2) / 3, beyondField: 1} {
		f.Want.Field = i
		w.Draw(&f)
		if f.Field != i || i == 0 && len(f.Surfaces[1].Scalar) > 0 {
			t.Fatalf("field %d is shown, not %d", f.Field, i)
		}
		for n, x := range f.Surfaces[1].Scalar {
			if i == displacementField {
				at := w.engine.body.Mesh.Nodes[w.bodies.surfaces[0].Nodes[n]]
				want = math.Sqrt(math.Pow((l1-1)*at[0], 2) + math.Pow((l2-1)*at[1], 2) + math.Pow((l2-1)*at[2], 2))
			}
			if !(math.Abs(x-want) <= 1e-9*math.Abs(want)) {
				t.Fatalf("%s of node %d: %g, want %g", w.info.Fields[i-1].Name, n, x, want)
			}
		}
	}
	for n, x := range w.engine.body.Mesh.Nodes { // a little stretched, and there is nothing beyond
		w.engine.Shown.X[3*n], w.engine.Shown.X[3*n+1], w.engine.Shown.X[3*n+2] = 1.09*x[0], x[1], x[2]
	}
	if w.Draw(&f); f.Field != beyondField || slices.Max(f.Surfaces[1].Scalar) != 0 || f.Numbers[w.info.Number("beyond_linear")] != 0 {
		t.Errorf("stretched by 9 %%: %g elements, coloured up to %g", f.Numbers[w.info.Number("beyond_linear")], slices.Max(f.Surfaces[1].Scalar))
	}
}
