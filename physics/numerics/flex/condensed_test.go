package flex

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"hapco/physics/machinery/testkit"
)

// condense makes a condensed compliance of the surface of a box: every third
// node is ready, the others follow some of them. It returns P R P^T as well.
func condense(t testing.TB) (c, full *Compliance, spread []Spread, product *mat.Dense, ready []int32) {
	t.Helper()
	m, fixed := box(t, [3]int{4, 2, 3})
	f := factorize(t, m, fixed, 0.4)
	nodes := m.Surface().Nodes
	full = compliance(t, f, nodes)
	var r Ready
	rows := f.NewRows()
	rng := rand.New(rand.NewPCG(7, 8))
	var at []int32
	for i := 0; i < len(nodes); i += 3 {
		ready = append(ready, int32(i))
		at = append(at, nodes[i])
		one := make([]float64, 9*len(at))
		if err := rows.Compute(context.Background(), one, at[len(at)-1:], at); err != nil {
			t.Fatal(err)
		}
		r = r.Add(one)
	}
	spread = make([]Spread, len(nodes))
	p := mat.NewDense(3*len(nodes), 3*len(ready), nil)
	for i := range spread {
		s := &spread[i]
		switch k := slices.Index(ready, int32(i)); {
		case k >= 0:
			s.Count, s.Ready[0], s.Weight[0] = 1, int32(k), 1
		case i == 1: // held: nothing to follow
		default:
			s.Count = int32(1 + rng.IntN(SpreadMost))
			for j, k := range rng.Perm(len(ready))[:s.Count] {
				s.Ready[j], s.Weight[j] = int32(k), rng.Float64()/2
			}
		}
		for j := range s.Count {
			for d := range 3 {
				p.Set(3*i+d, 3*int(s.Ready[j])+d, s.Weight[j])
			}
		}
	}
	part := mat.NewDense(3*len(ready), 3*len(ready), nil)
	for i, a := range ready {
		for j, b := range ready {
			for k, x := range full.Block(a, b) {
				part.Set(3*i+k/3, 3*j+k%3, x)
			}
		}
	}
	var half mat.Dense
	product = new(mat.Dense)
	half.Mul(p, part)
	product.Mul(&half, p.T())
	return Condense(spread, r), full, spread, product, ready
}

// Rows in any order are those of the compliance.
func TestRowsAreThoseOfTheCompliance(t *testing.T) {
	m, fixed := block(t)
	f := factorize(t, m, fixed, 0.4)
	nodes := m.Surface().Nodes
	c := compliance(t, f, nodes)
	scale := largest(c.C)
	rows := f.NewRows()
	rng := rand.New(rand.NewPCG(1, 2))
	for range 10 {
		perm := rng.Perm(len(nodes))
		some, at := make([]int32, 1+rng.IntN(RowNodes)), make([]int32, 1+rng.IntN(60))
		for i := range some {
			some[i] = nodes[perm[i]]
		}
		other := rng.Perm(len(nodes))
		for i := range at {
			at[i] = nodes[other[i]]
		}
		dst := noise(9 * len(some) * len(at))
		if err := rows.Compute(context.Background(), dst, some, at); err != nil {
			t.Fatal(err)
		}
		for i := range some {
			for j := range at {
				for k, want := range c.Block(int32(perm[i]), int32(other[j])) {
					if got := dst[(3*i+k/3)*3*len(at)+3*j+k%3]; math.Abs(got-want) > 1e-12*scale {
						t.Fatalf("row %d, column %d: %g, want %g", i, j, got, want)
					}
				}
			}
		}
	}
	if err := rows.Compute(context.Background(), make([]float64, 9), []int32{-1}, []int32{0}); err == nil {
		t.Error("rows of a node that does not exist")
	}
	f.Close()
	if err := rows.Compute(context.Background(), make([]float64, 9), nodes[:1], nodes[:1]); err == nil {
		t.Error("rows of a closed factor")
	}
}

// A condensed compliance is P R P^T in all that a step asks: symmetric, positive
// semidefinite, and the compliance itself between nodes that are ready.
func TestCondensedIsTheProduct(t *testing.T) {
	c, full, _, product, ready := condense(t)
	n, scale := c.N, largest(full.C)
	sym := mat.NewSymDense(3*n, nil)
	for a := range int32(n) {
		for b := range int32(n) {
			for k, x := range c.Block(a, b) {
				i, j := 3*int(a)+k/3, 3*int(b)+k%3
				if want := product.At(i, j); math.Abs(x-want) > 1e-12*scale || math.Abs(x-product.At(j, i)) > 1e-12*scale {
					t.Fatalf("entry %d, %d: %g, want %g", i, j, x, want)
				}
				if i <= j {
					sym.SetSym(i, j, x)
				}
			}
		}
	}
	for _, a := range ready {
		for _, b := range ready {
			got, want := c.Block(a, b), full.Block(a, b)
			for k := range got {
				if math.Abs(got[k]-want[k]) > 1e-12*scale {
					t.Fatalf("ready nodes %d, %d: %v, want %v", a, b, got, want)
				}
			}
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(sym, false) {
		t.Fatal("no eigenvalues")
	}
	if least := slices.Min(eigen.Values(nil)); least < -1e-12*scale {
		t.Errorf("eigenvalue %g", least)
	}
	if c.InSingle() || c.Bytes() < ReadyBytes(len(ready)) || c.Bytes() > ReadyBytes(len(ready))+200*int64(n) {
		t.Errorf("%d bytes", c.Bytes())
	}
	sameAnswers(t, c, product)
}

// A blend is the convex combination in all that a step asks, at any share and
// from nothing.
func TestBlendIsTheCombination(t *testing.T) {
	c, full, _, product, _ := condense(t)
	n := 3 * c.N
	end := mat.NewDense(n, n, full.C)
	for _, from := range []*Compliance{c, nil} {
		mixed, blend := NewBlend(from, full)
		for _, s := range []float64{0, 0.3, 1} {
			blend.Set(s)
			want := mat.NewDense(n, n, nil)
			if from != nil {
				want.Scale(1-s, product)
			}
			var rest mat.Dense
			rest.Scale(s, end)
			want.Add(want, &rest)
			sameAnswers(t, mixed, want)
		}
	}
}

// sameAnswers compares all that a step asks of a compliance with a matrix.
func sameAnswers(t *testing.T, c *Compliance, want *mat.Dense) {
	t.Helper()
	n := c.N
	rng := rand.New(rand.NewPCG(3, 4))
	scale := max(mat.Max(want), 1e-300)
	near := func(what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-11*scale) {
			t.Fatalf("%s: %g, want %g", what, got, want)
		}
	}
	for a := range int32(n) {
		for k, x := range c.Block(a, int32(n)-1-a) {
			near("block", x, want.At(3*int(a)+k/3, 3*(n-1-int(a))+k%3))
		}
	}
	for range 20 {
		perm := rng.Perm(n)
		active, wanted := make([]int32, 1+rng.IntN(12)), make([]int32, 1+rng.IntN(12))
		for i := range active {
			active[i] = int32(perm[i])
		}
		for i := range wanted {
			wanted[i] = int32(rng.IntN(n))
		}
		force := make([]float64, 3*len(active))
		all := mat.NewVecDense(3*n, nil)
		for i := range force {
			force[i] = rng.NormFloat64()
			all.SetVec(3*int(active[i/3])+i%3, force[i])
		}
		var u mat.VecDense
		u.MulVec(want, all)
		got := noise(3 * len(wanted))
		c.DisplaceAt(got, wanted, active, force)
		for i, x := range got {
			near("DisplaceAt", x, u.AtVec(3*int(wanted[i/3])+i%3))
		}
		got = make([]float64, 3*n)
		for i := range got {
			got[i] = scale
		}
		c.Displace(got, active, force)
		for i, x := range got {
			near("Displace", x, u.AtVec(i)+scale)
		}

		contacts := len(active)
		var links []Link
		for e := range contacts {
			links = append(links, Link{Contact: int32(e), Count: 1, Sign: 1, Node: [3]int32{active[e]}, Slot: [3]int32{int32(e)},
				Weight: [3]float64{1}, Frame: [9]float64{1, 0, 0, 0, 1, 0, 0, 0, 1}})
		}
		w := make([]float64, 9*contacts*contacts)
		var patch Patch
		patch.Bind(c, 4)
		slots := make([]int32, len(active))
		for i, node := range active {
			slots[i] = patch.Bring(node)
		}
		patch.AddDelassus(w, 3*contacts, links, slots, 2, true, false)
		for i := range 3 * contacts {
			for j := i / 3 * 3; j < 3*contacts; j++ {
				near("AddDelassus", w[i*3*contacts+j], 2*want.At(3*int(active[i/3])+i%3, 3*int(active[j/3])+j%3))
			}
		}
	}
}

func TestFormsAllocateNothing(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector allocates")
	}
	c, full, _, _, _ := condense(t)
	mixed, blend := NewBlend(c, full)
	blend.Set(0.5)
	active := []int32{2, 3, 5, 8, 13}
	force, u, at := noise(15), make([]float64, 3*c.N), make([]float64, 15)
	links := []Link{{Contact: 0, Count: 1, Sign: 1, Slot: [3]int32{2}, Weight: [3]float64{1}}}
	w := make([]float64, 9)
	for name, c := range map[string]*Compliance{"condensed": c, "blend": mixed} {
		var patch Patch
		patch.Bind(c, 8)
		slots := make([]int32, len(active))
		if n := testing.AllocsPerRun(50, func() {
			patch.Trim()
			for i, node := range active {
				slots[i] = patch.Bring(node)
			}
			patch.AddDelassus(w, 3, links, slots, 1, true, false)
			c.DisplaceAt(at, active, active, force)
			c.Displace(u, active, force)
		}); n != 0 {
			t.Errorf("%s: %g allocations", name, n)
		}
	}
}

// A patch of a condensed compliance, and of a blend while it goes on, holds what
// the compliance says, however nodes come and go.
func TestPatchOfForms(t *testing.T) {
	c, full, _, _, _ := condense(t)
	mixed, blend := NewBlend(c, full)
	rising, rise := NewBlend(nil, full)
	rng := rand.New(rand.NewPCG(9, 10))
	for name, c := range map[string]*Compliance{"condensed": c, "blend": mixed, "from nothing": rising} {
		var p Patch
		p.Bind(c, 4)
		for step := range 60 {
			s := float64(step) / 60
			blend.Set(s)
			rise.Set(s)
			p.Renew()
			var rows []int32
			for range 1 + rng.IntN(12) {
				rows = append(rows, int32((step/3+rng.IntN(20))%c.N))
			}
			slices.Sort(rows)
			rows = slices.Compact(rows)
			for _, row := range rows {
				p.Bring(row)
			}
			p.Trim()
			force := noise(3 * len(rows))
			dense := p.Spread(nil, rows, force)
			got, want := make([]float64, len(force)), make([]float64, len(force))
			slots := make([]int32, len(rows))
			for i, row := range rows {
				if slots[i] = p.Slot(row); slots[i] < 0 {
					t.Fatal("a node that was brought in is not there")
				}
			}
			p.Displace(got, slots, dense)
			c.DisplaceAt(want, rows, rows, force)
			for i := range got {
				if !(math.Abs(got[i]-want[i]) <= 1e-12*largest(full.C)*100) {
					t.Fatalf("%s, step %d: %g, want %g", name, step, got[i], want[i])
				}
			}
		}
	}
}
