package solid

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/mesh"
	"hapco/physics/numerics/fem"
)

// boxMesh is a box of distorted hexahedra, or of tetrahedra.
func boxMesh(t testing.TB, cells [3]int, kind mesh.ElementType, distort float64) *mesh.Mesh {
	t.Helper()
	hex, err := mesh.Box(mgl64.Vec3{}, mgl64.Vec3{0.03, 0.02, 0.025}, cells)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(11, 12))
	on := hex.Surface().Index
	for i := range hex.Nodes {
		if on[i] < 0 {
			for k := range 3 {
				hex.Nodes[i][k] += distort * (rng.Float64() - 0.5)
			}
		}
	}
	if kind == mesh.Hex8 {
		return hex
	}
	tet := &mesh.Mesh{Nodes: hex.Nodes, NodeSets: hex.NodeSets, Blocks: []mesh.Block{{Type: mesh.Tet4}}}
	b := &hex.Blocks[0]
	for e := range b.Len() {
		n := b.Element(e)
		ring := []int32{n[1], n[2], n[3], n[7], n[4], n[5], n[1]}
		for k := range 6 {
			tet.Blocks[0].Nodes = append(tet.Blocks[0].Nodes, n[0], ring[k], ring[k+1], n[6])
		}
	}
	if kind == mesh.Tet10 {
		q, _ := tet.Quadratic()
		return q
	}
	return tet
}

var formulations = map[string]struct {
	kind mesh.ElementType
	form Formulation
}{
	"tet4": {mesh.Tet4, Full}, "hex8": {mesh.Hex8, Full}, "tet10": {mesh.Tet10, Full},
	"hex8_md": {mesh.Hex8, MeanDilatation}, "tet10_md": {mesh.Tet10, MeanDilatation}, "hex8_ce": {mesh.Hex8, ElementRotation},
}

// bodies is each element with a law that asks for all its terms.
func bodies(t testing.TB, cells [3]int, distort float64, do func(t *testing.T, name string, b *Body)) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(formulations)) { // the same random states each time
		f := formulations[name]
		var law Law = Barrier{laws()["ogden 2"], 3e3}
		if f.form == ElementRotation {
			law = laws()["corotational"]
		}
		b, err := New(boxMesh(t, cells, f.kind, distort), f.form, law)
		if err != nil {
			t.Fatal(err)
		}
		do(t.(*testing.T), name, b)
	}
}

// bent are places far from rest: sheared, stretched, twisted and shaken.
func bent(b *Body, rng *rand.Rand) []float64 {
	x := b.Rest()
	for n := 0; n < len(x); n += 3 {
		p := mgl64.Vec3{1.25*x[n] + 0.3*x[n+1], 0.9*x[n+1] - 0.2*x[n+2], 1.1 * x[n+2]}
		p = mgl64.Rotate3DX(0.7 + 8*p[0]).Mul3x1(p)
		for k := range 3 {
			x[n+k] = p[k] + 2e-4*rng.NormFloat64()
		}
	}
	return x
}

// The tangent is the derivative of the force and, but for the turning element, the
// force that of the energy and the tangent symmetric.
func TestElementDerivatives(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	bodies(t, [3]int{1, 1, 1}, 0, func(t *testing.T, name string, b *Body) {
		for _, flat := range []float64{1, 0.22} {
			x := bent(b, rng)
			for i := 2; i < len(x); i += 3 {
				x[i] *= flat
			}
			if least, _ := b.MinJ(x); (least < barrierAt) != (flat < 1) {
				t.Fatalf("%s: smallest J %g", name, least)
			}
			testDerivatives(t, name, b, x)
		}
	})
}

func testDerivatives(t *testing.T, name string, b *Body, x []float64) {
	t.Helper()
	n := len(x)
	f, up, down := make([]float64, n), make([]float64, n), make([]float64, n)
	b.Forces(f, x)
	k := make([]float64, n*n)
	col, unit := make([]float64, n), make([]float64, n)
	most, mostF := 0.0, 0.0
	for j := range n {
		clear(unit)
		unit[j] = 1
		b.MulTangent(col, x, unit)
		for i := range n {
			k[i*n+j] = col[i]
			most = math.Max(most, math.Abs(col[i]))
		}
		mostF = math.Max(mostF, math.Abs(f[j]))
	}
	const h = 1e-7
	for j := range n {
		old := x[j]
		x[j] = old + h
		wu := b.Energy(x)
		b.Forces(up, x)
		x[j] = old - h
		wd := b.Energy(x)
		b.Forces(down, x)
		x[j] = old
		if d := (wu - wd) / (2 * h); name != "hex8_ce" && !(math.Abs(d-f[j]) <= 1e-6*mostF) {
			t.Fatalf("%s: force %d = %g, the energy's slope is %g", name, j, f[j], d)
		}
		for i := range n {
			if d := (up[i] - down[i]) / (2 * h); !(math.Abs(d-k[i*n+j]) <= 1e-6*most) {
				t.Fatalf("%s: K[%d,%d] = %g, the force's slope is %g", name, i, j, k[i*n+j], d)
			}
		}
	}
	off := 0.0
	for i := range n {
		for j := range i {
			off = math.Max(off, math.Abs(k[i*n+j]-k[j*n+i]))
		}
	}
	if symmetric := off <= 1e-11*most; symmetric != b.Symmetric() {
		t.Errorf("%s: asymmetry %g of %g, Symmetric() = %t", name, off, most, b.Symmetric())
	}
	// no net force and no net moment: nothing holds the element
	var force, moment mgl64.Vec3
	for i := 0; i < n; i += 3 {
		v := mgl64.Vec3{f[i], f[i+1], f[i+2]}
		force = force.Add(v)
		moment = moment.Add(mgl64.Vec3{x[i], x[i+1], x[i+2]}.Cross(v))
	}
	if force.Len() > 1e-11*mostF || name != "hex8_ce" && moment.Len() > 1e-11*mostF {
		t.Errorf("%s: net force %v N, moment %v N m", name, force, moment)
	}
}

// The assembled matrix is what MulTangent multiplies with, where that is symmetric.
func TestAssembledTangent(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	bodies(t, [3]int{2, 1, 2}, 0, func(t *testing.T, name string, b *Body) {
		if !b.Symmetric() {
			return
		}
		k, err := fem.Pattern(b.Mesh, []int32{0, 3})
		if err != nil {
			t.Fatal(err)
		}
		b.Bind(k)
		x := bent(b, rng)
		b.Tangent(k.Value, x)
		v, got := make([]float64, k.N), make([]float64, k.N)
		full, want := make([]float64, len(x)), make([]float64, len(x))
		for i := range v {
			v[i] = rng.NormFloat64()
			full[3*int(k.FreeNode[i/3])+i%3] = v[i]
		}
		k.MulVec(got, v)
		b.MulTangent(want, x, full)
		for i := range got {
			near(t, name+": K v", got[i], want[3*int(k.FreeNode[i/3])+i%3], 1e-11, 100)
		}
	})
}

// Patch test at finite strain: an affine deformation leaves inner nodes in balance,
// and the energy is that of the point times the volume.
func TestFinitePatch(t *testing.T) {
	f := Mat3{1.3, 0.2, -0.1, 0.05, 0.8, 0.3, -0.2, 0.1, 1.15}
	bodies(t, [3]int{3, 3, 3}, 0.003, func(t *testing.T, name string, b *Body) {
		x := b.Rest()
		for n := 0; n < len(x); n += 3 {
			p := [3]float64{x[n], x[n+1], x[n+2]}
			v := turn(&f, p[:])
			copy(x[n:], v[:])
		}
		force := make([]float64, len(x))
		b.Forces(force, x)
		on := b.Mesh.Surface().Index
		outer, inner := 0.0, 0.0
		for i, v := range force {
			// mid-edge nodes inside are no corners of the surface either
			if on[i/3] >= 0 || onSide(b.Mesh.Nodes[i/3]) {
				outer = math.Max(outer, math.Abs(v))
			} else {
				inner = math.Max(inner, math.Abs(v))
			}
		}
		if !(inner <= 1e-12*outer) || outer == 0 {
			t.Errorf("%s: inner nodes out of balance by %g N, sides carry %g N", name, inner, outer)
		}
		var law Law = Barrier{laws()["ogden 2"], 3e3}
		if name == "hex8_ce" {
			law = laws()["corotational"]
		}
		near(t, name+": energy", b.Energy(x), law.Energy(&f)*0.03*0.02*0.025, 1e-11, 0)
	})
}

// The same for every law in every element: an affine deformation leaves inner nodes in
// balance, costs the point's energy times the volume, and its tangent is that of the
// forces along another affine one.
func TestFinitePatchOfEveryLaw(t *testing.T) {
	f := Mat3{1.2, 0.15, -0.1, 0.05, 0.9, 0.2, -0.15, 0.1, 1.1}
	affine := func(dst, rest []float64, f *Mat3) {
		for n := 0; n < len(rest); n += 3 {
			v := turn(f, rest[n:n+3])
			copy(dst[n:], v[:])
		}
	}
	for element, form := range formulations {
		if form.form == ElementRotation { // has a law of its own
			continue
		}
		m := boxMesh(t, [3]int{3, 3, 3}, form.kind, 0.003)
		for name, law := range laws() {
			b, err := New(m, form.form, law)
			if err != nil {
				t.Fatal(err)
			}
			rest := b.Rest()
			x, v := make([]float64, len(rest)), make([]float64, len(rest))
			affine(x, rest, &f)
			affine(v, rest, &Mat3{0.1, -0.3, 0.2, 0.3, 0.2, 0.1, -0.1, 0.2, -0.2})
			force, times := make([]float64, len(x)), make([]float64, len(x))
			b.Forces(force, x)
			b.MulTangent(times, x, v)
			on := m.Surface().Index
			var outer, inner [2]float64
			for k, list := range [][]float64{force, times} {
				for i, v := range list {
					if on[i/3] >= 0 || onSide(m.Nodes[i/3]) {
						outer[k] = math.Max(outer[k], math.Abs(v))
					} else {
						inner[k] = math.Max(inner[k], math.Abs(v))
					}
				}
			}
			for k, what := range []string{"forces", "their change"} {
				if !(inner[k] <= 1e-11*outer[k]) || outer[k] == 0 {
					t.Errorf("%s, %s: %s of inner nodes %g, of sides %g", element, name, what, inner[k], outer[k])
				}
			}
			near(t, element+", "+name+": energy", b.Energy(x), law.Energy(&f)*0.03*0.02*0.025, 1e-11, 0)
		}
	}
}

func onSide(p mgl64.Vec3) bool {
	for k, size := range [3]float64{0.03, 0.02, 0.025} {
		if math.Abs(p[k]) < 1e-9 || math.Abs(p[k]-size) < 1e-9 {
			return true
		}
	}
	return false
}

// A rigid motion causes no force and costs nothing.
func TestRigidMotion(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	bodies(t, [3]int{2, 2, 1}, 0.002, func(t *testing.T, name string, b *Body) {
		x := b.Rest()
		r := spin(rng)
		for n := 0; n < len(x); n += 3 {
			v := turn(&r, x[n:n+3])
			for k := range 3 {
				x[n+k] = v[k] + 0.1*float64(k+1)
			}
		}
		f := make([]float64, len(x))
		b.Forces(f, x)
		for _, v := range f {
			near(t, name+": force", v, 0, 1e-13, 5000*0.03*0.02)
		}
		near(t, name+": energy", b.Energy(x), 0, 1e-13, 5000*0.03*0.02*0.025)
	})
}

// Masses add up to density times volume, on the nodes and in the matrix.
func TestMass(t *testing.T) {
	bodies(t, [3]int{2, 1, 2}, 0, func(t *testing.T, name string, b *Body) {
		want := 1060 * 0.03 * 0.02 * 0.025
		sum := 0.0
		for _, m := range b.LumpedMass(1060) {
			if !(m > 0) {
				t.Errorf("%s: a node's mass is %g kg", name, m)
			}
			sum += m
		}
		near(t, name+": lumped mass", sum, want, 1e-12, 0)
		k, err := fem.Pattern(b.Mesh, nil)
		if err != nil {
			t.Fatal(err)
		}
		b.ConsistentMass(k.Value, k, 1060)
		one, m := make([]float64, k.N), make([]float64, k.N)
		for i := 0; i < len(one); i += 3 {
			one[i] = 1
		}
		k.MulVec(m, one)
		sum = 0
		for i := range m {
			sum += one[i] * m[i]
		}
		near(t, name+": consistent mass", sum, want, 1e-12, 0)
		near(t, name+": volume", b.Volume(), want/1060, 1e-12, 0)
	})
}

// What cannot be is refused with a line that says how to mend it.
func TestRefuses(t *testing.T) {
	tet, hex := boxMesh(t, [3]int{1, 1, 1}, mesh.Tet4, 0), boxMesh(t, [3]int{1, 1, 1}, mesh.Hex8, 0)
	flat := boxMesh(t, [3]int{1, 1, 1}, mesh.Hex8, 0)
	flat.Nodes[0][0] = 0.05
	for name, c := range map[string]struct {
		m    *mesh.Mesh
		form Formulation
		law  Law
	}{
		"mean dilatation of linear tetrahedra": {tet, MeanDilatation, laws()["log"]},
		"turning tetrahedra":                   {tet, ElementRotation, laws()["linear"]},
		"turning elements of another law":      {hex, ElementRotation, laws()["log"]},
		"an inverted element":                  {flat, Full, laws()["log"]},
	} {
		if _, err := New(c.m, c.form, c.law); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}
