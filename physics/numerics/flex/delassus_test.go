package flex

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestAddDelassus compares with the definition, H K^-1 H^T over all nodes.
func TestAddDelassus(t *testing.T) {
	m, fixed := box(t, [3]int{3, 2, 2})
	c := compliance(t, factorize(t, m, fixed, 0.3), m.Surface().Nodes)
	rng := rand.New(rand.NewPCG(5, 6))
	var patch Patch
	patch.Bind(c, 4) // has to grow
	for range 20 {
		contacts := 1 + rng.IntN(7)
		slots := map[int32]int32{}
		var active []int32
		var links []Link
		n := 3 * contacts
		h := make([][]float64, n) // rows of H
		for e := range contacts {
			for i := range 3 {
				h[3*e+i] = make([]float64, 3*c.N)
			}
			if rng.IntN(5) == 0 {
				continue // a contact that does not touch this body
			}
			l := Link{Contact: int32(e), Count: int32(1 + rng.IntN(3)), Sign: float64(1 - 2*rng.IntN(2))}
			for i := range l.Frame {
				l.Frame[i] = rng.NormFloat64()
			}
			for k := range l.Count {
				node := int32(rng.IntN(c.N))
				if _, ok := slots[node]; !ok {
					slots[node] = int32(len(active))
					active = append(active, node)
				}
				l.Node[k], l.Slot[k], l.Weight[k] = node, slots[node], rng.Float64()
				for i := range 3 {
					for d := range 3 {
						h[3*e+i][3*int(node)+d] += l.Sign * l.Weight[k] * l.Frame[3*i+d]
					}
				}
			}
			links = append(links, l)
			if rng.IntN(3) == 0 { // the body touches itself: the other end of the same contact
				o := l
				o.Sign, o.Count = -l.Sign, 1
				o.Weight[0] = 1
				links = append(links, o)
				for i := range 3 {
					for d := range 3 {
						h[3*e+i][3*int(o.Node[0])+d] += o.Sign * o.Frame[3*i+d]
					}
				}
			}
		}
		const young = 3.0
		whole := rng.IntN(2) == 0
		got := slices.Repeat([]float64{math.NaN()}, n*n)
		patch.Trim()
		at := make([]int32, len(active)) // slots
		for i, node := range active {
			at[i] = patch.Bring(node)
		}
		patch.AddDelassus(got, n, links, at, 1/young, true, false)
		patch.AddDelassus(got, n, links, at, 1/young, false, false) // of another body
		patch.AddDelassus(got, n, links, at, -1/young, false, whole)
		for i := range n {
			for j := range n {
				if j/3 < i/3 && !whole {
					continue
				}
				want, size := 0.0, 0.0
				for a, x := range h[i] {
					for b, y := range h[j] {
						v := x * c.C[a*3*c.N+b] * y / young
						want += v
						size += math.Abs(v)
					}
				}
				if math.Abs(got[i*n+j]-want) > 1e-12*size {
					t.Fatalf("W[%d,%d] = %g, want %g", i, j, got[i*n+j], want)
				}
			}
		}
	}
}

func TestDisplaceIsTheProduct(t *testing.T) {
	m, fixed := box(t, [3]int{2, 3, 2})
	c := compliance(t, factorize(t, m, fixed, 0.4), m.Surface().Nodes)
	nodes := []int32{3, 0, 17}
	f := []float64{1, -2, 3, 4, 5, -6, 0.5, 0, -1}
	got := make([]float64, 3*c.N)
	for i := range got {
		got[i] = float64(i)
	}
	c.Displace(got, nodes, f)
	for k := range got {
		want := float64(k)
		for i, node := range nodes {
			for d := range 3 {
				want += c.C[k*3*c.N+3*int(node)+d] * f[3*i+d]
			}
		}
		if math.Abs(got[k]-want) > 1e-13*math.Abs(want) {
			t.Fatalf("u[%d] = %g, want %g", k, got[k], want)
		}
	}
}

// A compliance turned into contacts' frames, and a product of few rows added to it, are as their definitions have them.
func TestTurnAndAddProduct(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for m := range 12 {
		const k = 6
		n := 3 * m
		c, frames, w, a, b := make([]float64, n*n), make([]float64, 9*m), make([]float64, n*n), make([]float64, k*n), make([]float64, k*n)
		for _, v := range [][]float64{c, frames, a, b} {
			for i := range v {
				v[i] = rng.NormFloat64()
			}
		}
		for i := range n {
			for j := range i {
				c[i*n+j] = c[j*n+i]
			}
		}
		read := slices.Clone(c)
		for i := range n {
			for j := range i / 3 * 3 {
				read[i*n+j] = math.NaN() // the lower triangle is not read
			}
		}
		Turn(w, read, frames, make([]float64, 9*m))
		AddProduct(w, a, b, k)
		for i := range n {
			for j := range n {
				want := 0.0
				for p := range 3 {
					for q := range 3 {
						want += frames[3*i+p] * c[(i/3*3+p)*n+j/3*3+q] * frames[3*j+q]
					}
				}
				for r := range k {
					want += a[r*n+i] * b[r*n+j]
				}
				if math.Abs(w[i*n+j]-want) > 1e-12*(1+math.Abs(want)) {
					t.Fatalf("%d contacts: (%d, %d) is %g, want %g", m, i, j, w[i*n+j], want)
				}
			}
		}
	}
}
