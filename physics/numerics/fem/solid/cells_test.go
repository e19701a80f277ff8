package solid

import (
	"math"
	"math/rand/v2"
	"testing"

	"hapco/physics/files/mesh"
	"hapco/physics/numerics/fem"
)

// The elements in lanes give the body's forces, smallest J and tangent, whatever the state,
// and say so where a place is no number; so do those that C has none of.
func TestCells(t *testing.T) {
	for _, name := range []string{"tet4", "tet10_md", "hex8_md", "hex8", "tet10"} {
		f := formulations[name]
		t.Run(name, func(t *testing.T) { testCells(t, f.kind, f.form) })
	}
}

func testCells(t *testing.T, kind mesh.ElementType, form Formulation) {
	rng := rand.New(rand.NewPCG(21, 22))
	cells := [3]int{2, 3, 3}
	if kind != mesh.Tet4 { // the last lanes are not full
		cells = [3]int{1, 3, 1}
	}
	lambda, mu := Lame(5000, 0.4)
	for name, law := range map[string]Law{
		"corotational":          Corotational{lambda, mu},
		"corotational barrier":  Barrier{Corotational{lambda, mu}, 4000},
		"log":                   NeoHookeanLog{Lambda: lambda, Mu: mu},
		"log floor":             NeoHookeanLog{Lambda: lambda, Mu: mu, Floor: 0.4},
		"log barrier":           Barrier{NeoHookeanLog{Lambda: lambda, Mu: mu}, 4000},
		"mooney-rivlin barrier": Barrier{MooneyRivlin{C10: 600, C01: 300, Kappa: 8000}, 4000},
		"ogden barrier":         Barrier{Ogden{Mu: []float64{1800}, Alpha: []float64{-4}, Kappa: 8000}, 4000},
		"kirchhoff barrier":     Barrier{StVenantKirchhoff{lambda, mu}, 4000},
		"fibre barrier":         Barrier{Fibre{Matrix: NeoHookeanLog{Lambda: lambda, Mu: mu}, K1: 3000, K2: 0.5, Direction: [3]float64{0, 0, 1}}, 4000},
	} {
		b, err := New(boxMesh(t, cells, kind, 0.002), form, law)
		if err != nil {
			t.Fatal(err)
		}
		fast := newCells(b)
		want, got := make([]float64, 3*len(b.Mesh.Nodes)), make([]float64, 3*len(b.Mesh.Nodes))
		var part Part
		elements, number := make([]int32, b.Mesh.Elements()), make([]int32, len(b.Mesh.Nodes))
		for i := range elements {
			elements[i] = int32(len(elements) - 1 - i)
		}
		for i := range number {
			number[i] = int32(i)
		}
		part.Take(fast, elements, number)
		k, err := fem.Pattern(b.Mesh, []int32{0, 5})
		if err != nil {
			t.Fatal(err)
		}
		b.Bind(k)
		squeezed := false
		for round := range 6 {
			x := bent(b, rng)
			for i := range x { // flatter and flatter
				if i%3 == 2 {
					x[i] *= 1 - 0.19*float64(round)
				}
			}
			least, inverted := b.MinJ(x)
			if inverted > 0 {
				continue
			}
			squeezed = squeezed || least < 0.25
			b.Forces(want, x)
			if j := fast.Forces(got, x); math.Abs(j-least) > 1e-12 {
				t.Errorf("%s: smallest J %g, want %g", name, j, least)
			}
			size := 0.0
			for _, v := range want {
				size = math.Max(size, math.Abs(v))
			}
			for i := range want {
				near(t, name+": force", got[i], want[i], 1e-9, size)
			}
			part.Forces(got, x)
			for i := range want {
				near(t, name+": force of the part that is all", got[i], want[i], 1e-9, size)
			}
			v := make([]float64, len(x))
			for i := range v {
				v[i] = rng.NormFloat64()
			}
			b.MulTangent(want, x, v)
			part.Tangent(x)
			part.Times(got, v)
			size = 0
			for _, v := range want {
				size = math.Max(size, math.Abs(v))
			}
			for i := range want {
				near(t, name+": tangent", got[i], want[i], 1e-7, size)
			}
			clear(v[:3])
			clear(v[15:18])
			b.MulTangent(want, x, v)
			times(got, b, k, v, x)
			for i := range want {
				if i >= 3 && i/3 != 5 {
					near(t, name+": assembled tangent", got[i], want[i], 1e-9, size)
				}
			}
		}
		if !squeezed {
			t.Error("no state reaches the barrier")
		}
		x := b.Rest()
		x[7] = math.NaN()
		if !(fast.Forces(got, x) < 0) {
			t.Errorf("%s: a place that is no number is not seen", name)
		}
	}
}

// Corotational tetrahedra that are needles, or turned over as a trial may leave them, have the
// body's forces in the fast form, too.
func TestCellsTurnProperly(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	lambda, mu := Lame(5000, 0.4)
	b, err := New(boxMesh(t, [3]int{2, 3, 3}, mesh.Tet4, 0.002), Full, Corotational{lambda, mu})
	if err != nil {
		t.Fatal(err)
	}
	fast := newCells(b)
	want, got := make([]float64, 3*len(b.Mesh.Nodes)), make([]float64, 3*len(b.Mesh.Nodes))
	for _, scale := range [][3]float64{{0.02, 0.03, 3}, {0.05, 4, 0.04}, {1, 1, -0.3}, {-0.5, 1.5, 1}, {3, 2, 4}} {
		x := bent(b, rng)
		for i := range x {
			x[i] *= scale[i%3]
		}
		b.Forces(want, x)
		fast.Forces(got, x)
		size := 0.0
		for _, v := range want {
			size = math.Max(size, math.Abs(v))
		}
		for i := range want {
			near(t, "force", got[i], want[i], 1e-9, size)
		}
	}
}

// Blocks of a body have laws of their own, in its fast form, too, and in parts of it.
func TestCellsOfSeveralLaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	m := boxMesh(t, [3]int{3, 2, 2}, mesh.Tet4, 0.002)
	all := m.Blocks[0].Nodes
	cut, end := 4*13, 4*27 // no block fills its last lanes
	m.Blocks = []mesh.Block{{Type: mesh.Tet4, Nodes: all[:cut]}, {Type: mesh.Tet4, Nodes: all[cut:end]}, {Type: mesh.Tet4, Nodes: all[end:]}}
	lambda, mu := Lame(5000, 0.4)
	laws := []Law{Barrier{NeoHookeanLog{Lambda: lambda, Mu: mu}, 4000}, Barrier{MooneyRivlin{C10: 600, C01: 300, Kappa: 8000}, 4000}, Corotational{3 * lambda, 2 * mu}}
	b, err := NewOf(m, Full, laws)
	if err != nil {
		t.Fatal(err)
	}
	k, err := fem.Pattern(m, []int32{0, 5})
	if err != nil {
		t.Fatal(err)
	}
	b.Bind(k)
	fast := b.Cells()
	n := 3 * len(m.Nodes)
	want, got := make([]float64, n), make([]float64, n)
	number := make([]int32, len(m.Nodes))
	for i := range number {
		number[i] = int32(i)
	}
	order := rng.Perm(m.Elements())
	var part Part
	for round := range 3 {
		x, v := bent(b, rng), make([]float64, n)
		for i := range v {
			v[i] = rng.NormFloat64()
		}
		if round == 2 { // another law from here on
			laws[1] = NeoHookeanLog{Lambda: 2 * lambda, Mu: mu}
			b.SetLaw(1, laws[1])
		}
		compare := func(what string, eps float64) {
			t.Helper()
			size := 0.0
			for _, v := range want {
				size = math.Max(size, math.Abs(v))
			}
			for i := range want {
				near(t, what, got[i], want[i], eps, size)
			}
		}
		b.Forces(want, x)
		least, _ := b.MinJ(x)
		if j := fast.Forces(got, x); math.Abs(j-least) > 1e-12 {
			t.Errorf("smallest J %g, want %g", j, least)
		}
		compare("force", 1e-9)
		elements := make([]int32, 0, len(order))
		for _, e := range order {
			elements = append(elements, int32(e))
		}
		part.Take(fast, elements, number)
		part.Forces(got, x)
		compare("force of the part that is all", 1e-9)
		b.MulTangent(want, x, v)
		part.Tangent(x)
		part.Times(got, v)
		compare("tangent", 1e-7)
		clear(v[:3])
		clear(v[15:18])
		b.MulTangent(want, x, v)
		times(got, b, k, v, x)
		clear(want[:3])
		clear(want[15:18])
		compare("assembled tangent", 1e-9)
		clear(want) // two parts that make the whole
		for _, some := range [][]int32{elements[:20], elements[20:]} {
			part.Take(fast, some, number)
			part.Forces(got, x)
			for i, v := range got {
				want[i] += v
			}
		}
		fast.Forces(got, x)
		compare("force of two parts", 1e-9)
	}
}

// times writes the assembled tangent at x times v to dst; 0 where nodes are held.
func times(dst []float64, b *Body, k *fem.Matrix, v, x []float64) {
	values := make([]float64, len(k.Row))
	b.Tangent(values, x)
	clear(dst)
	at := func(free int64) int { return 3*int(k.FreeNode[free/3]) + int(free%3) }
	for col := range k.N {
		for i := k.ColPtr[col]; i < k.ColPtr[col+1]; i++ {
			dst[at(k.Row[i])] += values[i] * v[at(int64(col))]
			if k.Row[i] != int64(col) {
				dst[at(int64(col))] += values[i] * v[at(k.Row[i])]
			}
		}
	}
}
