package flex

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/mat"

	"hapco/physics/files/mesh"
	"hapco/physics/machinery/testkit"
	"hapco/physics/numerics/fem"
)

// block is the obstacle of bench A, in m.
func block(t testing.TB) (*mesh.Mesh, []int32) {
	t.Helper()
	return box(t, [3]int{10, 5, 10})
}

func box(t testing.TB, n [3]int) (*mesh.Mesh, []int32) {
	t.Helper()
	m, err := mesh.Box(mgl64.Vec3{}, mgl64.Vec3{0.08, 0.025, 0.035}, n)
	if err != nil {
		t.Fatal(err)
	}
	return m, m.NodeSets["end"]
}

func factorize(t testing.TB, m *mesh.Mesh, fixed []int32, nu float64) *Factor {
	t.Helper()
	f, err := Factorize(m, fixed, nu)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

func compliance(t testing.TB, f *Factor, nodes []int32) *Compliance {
	t.Helper()
	c, err := f.Compliance(context.Background(), nodes, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func largest(v []float64) float64 {
	most := 0.0
	for _, x := range v {
		most = math.Max(most, math.Abs(x))
	}
	return most
}

func noise(n int) []float64 {
	rng := rand.New(rand.NewPCG(uint64(n), 42))
	v := make([]float64, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v
}

// stiffness is K u over all nodes, with nu = 0.4.
func stiffness(t testing.TB, m *mesh.Mesh, u []float64) []float64 {
	t.Helper()
	k, err := fem.Assemble(m, nil, 0.4)
	if err != nil {
		t.Fatal(err)
	}
	f := make([]float64, len(u))
	k.MulVec(f, u)
	return f
}

// TestSolve: K u = f at the free nodes, u = 0 at the fixed ones.
func TestSolve(t *testing.T) {
	m, fixed := block(t)
	f := factorize(t, m, fixed, 0.4)
	force := noise(3 * len(m.Nodes))
	u := make([]float64, len(force))
	f.Solve(u, force)
	back := stiffness(t, m, u)
	held := map[int]bool{}
	for _, n := range fixed {
		held[int(n)] = true
	}
	for i := range u {
		switch {
		case held[i/3] && u[i] != 0:
			t.Fatalf("fixed node %d moves by %g", i/3, u[i])
		case !held[i/3] && !(math.Abs(back[i]-force[i]) <= 1e-9):
			t.Fatalf("node %d: K u = %g, f = %g", i/3, back[i], force[i])
		}
	}
	again := append([]float64(nil), force...)
	f.Solve(again, again)
	for i := range u {
		if again[i] != u[i] {
			t.Fatal("solving in place gives another answer")
		}
	}
	if !testkit.Race {
		if n := testing.AllocsPerRun(10, func() { f.Solve(u, force) }); n != 0 {
			t.Errorf("Solve allocates %g times", n)
		}
	}
}

// TestComplianceIsInverse: C f equals Solve for nodes in any order, fixed and
// inner ones among them; rows of fixed nodes are zero; C is symmetric to the bit.
func TestComplianceIsInverse(t *testing.T) {
	m, fixed := block(t)
	f := factorize(t, m, fixed, 0.4)
	order := rand.New(rand.NewPCG(1, 2)).Perm(len(m.Nodes))
	for _, count := range []int{1, 5, 16, 17, 100, len(order)} {
		nodes := make([]int32, count)
		force := make([]float64, 3*len(m.Nodes))
		part := noise(3 * count)
		all := make([]int32, count)
		for i := range nodes {
			nodes[i], all[i] = int32(order[i]), int32(i)
			copy(force[3*order[i]:], part[3*i:3*i+3])
		}
		c := compliance(t, f, nodes)
		want, got := make([]float64, len(force)), make([]float64, 3*count)
		f.Solve(want, force)
		c.Displace(got, all, part)
		scale := largest(want)
		for i, n := range nodes {
			for k := range 3 {
				if !(math.Abs(want[3*int(n)+k]-got[3*i+k]) <= 1e-11*scale) {
					t.Fatalf("%d nodes: node %d axis %d: %g, want %g", count, n, k, got[3*i+k], want[3*int(n)+k])
				}
			}
		}
		size := 3 * count
		for i := range size {
			for j := range i {
				if c.C[i*size+j] != c.C[j*size+i] {
					t.Fatalf("%d nodes: not symmetric at %d, %d", count, i, j)
				}
			}
		}
		for i, n := range nodes {
			if f.index[n] < 0 && largest(c.C[3*i*size:(3*i+3)*size]) != 0 {
				t.Fatalf("%d nodes: fixed node %d moves", count, n)
			}
		}
	}
}

// TestComplianceIsPositive: forces do positive work.
func TestComplianceIsPositive(t *testing.T) {
	m, fixed := box(t, [3]int{3, 2, 2})
	f := factorize(t, m, fixed, 0.3)
	c := compliance(t, f, m.Surface().Nodes)
	n := 3 * c.N
	var e mat.EigenSym
	if !e.Factorize(mat.NewSymDense(n, c.C), false) {
		t.Fatal("no eigenvalues")
	}
	values := e.Values(nil)
	zero := 0
	for _, v := range values {
		if math.Abs(v) <= 1e-13*values[n-1] {
			zero++
		} else if v < 0 {
			t.Errorf("eigenvalue %g of %g", v, values[n-1])
		}
	}
	if want := 3 * len(fixed); zero != want {
		t.Errorf("%d zero eigenvalues, %d fixed unknowns", zero, want)
	}
}

// TestReciprocity (Betti): the displacement at a under a force at b is that at b
// under the same force at a. Block must agree with Solve.
func TestReciprocity(t *testing.T) {
	m, fixed := block(t)
	f := factorize(t, m, fixed, 0.4)
	a, b := int32(340), int32(725)
	c := compliance(t, f, []int32{a, b})
	ab, ba := c.Block(0, 1), c.Block(1, 0)
	force, u := make([]float64, 3*len(m.Nodes)), make([]float64, 3*len(m.Nodes))
	for axis := range 3 {
		clear(force)
		force[3*int(b)+axis] = 1
		f.Solve(u, force)
		for row := range 3 {
			if want := u[3*int(a)+row]; !(math.Abs(ab[3*row+axis]-want) <= 1e-12*largest(u)) {
				t.Errorf("block %d %d: %g, want %g", row, axis, ab[3*row+axis], want)
			}
			if ab[3*row+axis] != ba[3*axis+row] {
				t.Errorf("block %d %d differs from its twin", row, axis)
			}
		}
	}
}

// TestRegionAgreesWithWhole: the compliance of some nodes is the part of the
// whole that belongs to them.
func TestRegionAgreesWithWhole(t *testing.T) {
	m, fixed := block(t)
	f := factorize(t, m, fixed, 0.4)
	surface := m.Surface()
	whole := compliance(t, f, surface.Nodes)
	var region []int32
	for i := 7; i < len(surface.Nodes); i += 11 {
		region = append(region, surface.Nodes[i])
	}
	part := compliance(t, f, region)
	scale := largest(whole.C)
	for i, a := range region {
		for j, b := range region {
			got, want := part.Block(int32(i), int32(j)), whole.Block(surface.Index[a], surface.Index[b])
			for k := range got {
				if !(math.Abs(got[k]-want[k]) <= 1e-13*scale) {
					t.Fatalf("block %d %d: %g, want %g", a, b, got[k], want[k])
				}
			}
		}
	}
}

// TestRegionLast: eliminating a region last gives the same compliance of it, all
// at once.
func TestRegionLast(t *testing.T) {
	m, fixed := box(t, [3]int{12, 12, 12})
	region := m.NodeSets["top"]
	want := compliance(t, factorize(t, m, fixed, 0.4), region)
	f, err := factorizeFor(m, fixed, 0.4, region)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	places, err := f.places(region)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.b)-int(places[0].order) != len(places) {
		t.Fatalf("the region's first unknown is the %dth of %d: it does not come last", places[0].order, len(f.b))
	}
	for _, nodes := range [][]int32{region, region[3:]} {
		got := compliance(t, f, nodes)
		shift := int32(len(region) - len(nodes))
		scale := largest(want.C)
		for i := range int32(got.N) {
			for j := range int32(got.N) {
				a, b := got.Block(i, j), want.Block(i+shift, j+shift)
				for k := range a {
					if !(math.Abs(a[k]-b[k]) <= 1e-11*scale) {
						t.Fatalf("block %d %d: %g, want %g", i, j, a[k], b[k])
					}
				}
			}
		}
		for i := range got.C {
			if got.C[i] != got.C[i%(3*got.N)*3*got.N+i/(3*got.N)] {
				t.Fatal("not symmetric")
			}
		}
	}
	u, force := make([]float64, 3*len(m.Nodes)), noise(3*len(m.Nodes))
	f.Solve(u, force)
	back := stiffness(t, m, u)
	for i := range u {
		if f.index[i/3] >= 0 && !(math.Abs(back[i]-force[i]) <= 1e-9) {
			t.Fatalf("K u = %g, f = %g", back[i], force[i])
		}
	}
}

// TestKernels: the vector kernels and the plain ones give the same panel.
func TestKernels(t *testing.T) {
	m, fixed := block(t)
	f := factorize(t, m, fixed, 0.4)
	nodes := m.Surface().Nodes
	fast := compliance(t, f, nodes)
	useKernels(plainKernels)
	defer useKernels(widestKernels)
	plain := compliance(t, f, nodes)
	scale := largest(fast.C)
	for i := range fast.C {
		if !(math.Abs(fast.C[i]-plain.C[i]) <= 1e-13*scale) {
			t.Fatalf("entry %d: %g, plain %g", i, fast.C[i], plain.C[i])
		}
	}
}

// Each set of instructions eliminates bodies of any size to single precision, and finds where a matrix is not positive.
func TestSupernodesOfEachSet(t *testing.T) {
	defer useKernels(widestKernels)
	for _, elements := range [][3]int{{1, 1, 1}, {2, 1, 3}, {5, 3, 4}, {9, 7, 8}} {
		m, fixed := box(t, elements)
		k, err := fem.Assemble(m, fixed, 0.4)
		if err != nil {
			t.Fatal(err)
		}
		f, err := Analyze(k)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := f.Refactorize(t.Context(), k.Value); err != nil {
			t.Fatal(err)
		}
		free := len(k.FreeNode)
		nodes := []int32{0, int32(free / 2), int32(free - 1)}
		broken := slices.Clone(k.Value)
		broken[k.ColPtr[3*free/2+1]-1] *= -1
		for most := plainKernels; most <= widestKernels; most++ {
			useKernels(most)
			if err := f.RefactorizeSingle(t.Context(), broken); !errors.Is(err, ErrNotPositive) || f.broken != k.FreeNode[3*free/2/3] {
				t.Errorf("%v, set %d: %v at node %d", elements, most, err, f.broken)
			}
			if err := f.RefactorizeSingle(t.Context(), k.Value); err != nil {
				t.Fatal(err)
			}
			q, half := NewQuick(), make([]Half, 3)
			q.Of(f)
			q.Halves([]*Half{&half[0], &half[1], &half[2]}, nodes)
			for j, n := range nodes {
				unit := make([]float64, k.N)
				unit[3*int(n)+2] = 1
				f.SolveFree(unit, unit, 1)
				for i, other := range nodes {
					w := q.Across(&half[i], &half[j])
					for c := range 3 {
						if d := math.Abs(w[3*c+2] - unit[3*int(other)+c]); d > 1e-4*math.Abs(unit[3*int(n)+2]) {
							t.Errorf("%v, set %d: compliance of %d and %d: %g, want %g", elements, most, other, n, w[3*c+2], unit[3*int(other)+c])
						}
					}
				}
			}
		}
	}
}

// What is factorised again and again has an order that fills little, and its twin has the same.
func TestOrderFillsLittle(t *testing.T) {
	m, fixed := box(t, [3]int{14, 14, 14})
	k, err := fem.Assemble(m, fixed, 0.4)
	if err != nil {
		t.Fatal(err)
	}
	_, once, _, err := analyze(k, &make([]byte, len(k.FreeNode)+1)[0])
	if err != nil {
		t.Fatal(err)
	}
	f, again, _, err := analyze(k, nil)
	if err != nil {
		t.Fatal(err)
	}
	if again > 0.8*once { // 0.66
		t.Errorf("%g numbers, and %g by CHOLMOD's own choice", again, once)
	}
	twin, err := f.Twin()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(f.position, twin.position) || f.Bytes() != twin.Bytes() {
		t.Error("the twin has another order")
	}
	f.Close()
	if err := twin.RefactorizeSingle(t.Context(), k.Value); err != nil {
		t.Error(err)
	}
	twin.Close()
}

// TestManyAtOnce: factors on several goroutines do not disturb one another.
func TestManyAtOnce(t *testing.T) {
	m, fixed := box(t, [3]int{5, 3, 4})
	want := compliance(t, factorize(t, m, fixed, 0.4), m.Surface().Nodes)
	var wait sync.WaitGroup
	for range 6 {
		wait.Go(func() {
			f, err := Factorize(m, fixed, 0.4)
			if err != nil {
				t.Error(err)
				return
			}
			defer f.Close()
			got, err := f.Compliance(context.Background(), m.Surface().Nodes, func(float64) {})
			if err != nil {
				t.Error(err)
				return
			}
			for i := range got.C {
				if got.C[i] != want.C[i] {
					t.Errorf("entry %d: %g, want %g", i, got.C[i], want.C[i])
					return
				}
			}
		})
	}
	wait.Wait()
}

func TestProgressAndCancel(t *testing.T) {
	m, fixed := block(t)
	f := factorize(t, m, fixed, 0.4)
	nodes := m.Surface().Nodes
	last, calls := 0.0, 0
	if _, err := f.Compliance(context.Background(), nodes, func(x float64) {
		if !(x > last && x <= 1) {
			t.Errorf("progress %g after %g", x, last)
		}
		last = x
		calls++
	}); err != nil {
		t.Fatal(err)
	}
	if last != 1 || calls < 10 {
		t.Errorf("%d calls, the last with %g", calls, last)
	}
	ctx, cancel := context.WithCancel(context.Background())
	_, err := f.Compliance(ctx, nodes, func(float64) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	// The factor works as before.
	compliance(t, f, nodes[:4])
}

func TestRefuses(t *testing.T) {
	m, fixed := box(t, [3]int{2, 2, 2})
	says := func(what string, err error, part string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), part) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err := Factorize(m, nil, 0.3)
	says("nothing fixed", err, "the body would float: none of its nodes is fixed")
	_, err = Factorize(m, fixed[:3], 0.3)
	says("one edge fixed", err, "leave it free to turn")
	_, err = Factorize(m, fixed, 0.5)
	says("nu", err, "0.5")
	_, err = Factorize(m, []int32{99}, 0.3)
	says("unknown node", err, "fixed node 99")
	_, err = Factorize(&mesh.Mesh{}, nil, 0.3)
	says("no mesh", err, "no node")

	f := factorize(t, m, fixed, 0.3)
	_, err = f.Compliance(context.Background(), []int32{1, 1}, nil)
	says("twice", err, "listed twice")
	_, err = f.Compliance(context.Background(), []int32{27}, nil)
	says("out of range", err, "node 27 does not exist")
	f.MemoryLimit = 1000
	_, err = f.Compliance(context.Background(), []int32{1}, nil)
	says("limit", err, "limit is 1e-06 GB")
	f.Close()
	f.Close()
	_, err = f.Compliance(context.Background(), []int32{1}, nil)
	says("closed", err, "closed")
}

// TestFloatingPart: a second part that nothing holds, and a hinge.
func TestFloatingPart(t *testing.T) {
	m, fixed := box(t, [3]int{1, 1, 1})
	other, _ := box(t, [3]int{1, 1, 1})
	two := &mesh.Mesh{Nodes: append(append([]mgl64.Vec3(nil), m.Nodes...), other.Nodes...), Blocks: []mesh.Block{{Type: mesh.Hex8, Nodes: append([]int32(nil), m.Blocks[0].Nodes...)}}}
	for _, n := range other.Blocks[0].Nodes {
		two.Blocks[0].Nodes = append(two.Blocks[0].Nodes, n+8)
	}
	if _, err := Factorize(two, fixed, 0.3); err == nil || !strings.Contains(err.Error(), "part 2 of 2 (8 nodes) would float") {
		t.Errorf("two parts: %v", err)
	}
	// Two cubes that share one edge only: the second swings about it.
	hinge, err := mesh.Box(mgl64.Vec3{}, mgl64.Vec3{2, 2, 1}, [3]int{2, 2, 1})
	if err != nil {
		t.Fatal(err)
	}
	b := hinge.Blocks[0].Nodes
	hinge.Blocks[0].Nodes = append(append([]int32(nil), b[:8]...), b[24:]...)
	used := make([]int32, len(hinge.Nodes))
	var kept []mgl64.Vec3
	for _, n := range hinge.Blocks[0].Nodes {
		used[n] = 1
	}
	for n := range used {
		if used[n] == 1 {
			used[n] = int32(len(kept))
			kept = append(kept, hinge.Nodes[n])
		}
	}
	for i, n := range hinge.Blocks[0].Nodes {
		hinge.Blocks[0].Nodes[i] = used[n]
	}
	hinge.Nodes = kept
	bottom, _ := mesh.Side(hinge, "left")
	if _, err := Factorize(hinge, bottom, 0.3); err == nil || !strings.Contains(err.Error(), "hangs on a single node or edge") {
		t.Errorf("hinge: %v", err)
	}
}

func TestAllFixed(t *testing.T) {
	m, _ := box(t, [3]int{1, 1, 1})
	f := factorize(t, m, []int32{0, 1, 2, 3, 4, 5, 6, 7}, 0.3)
	u := []float64{0: 1, 23: 1}
	f.Solve(u, make([]float64, 24))
	if largest(u) != 0 || largest(compliance(t, f, []int32{3, 4}).C) != 0 {
		t.Error("a body held everywhere moves")
	}
}

func TestDisplaceAllocatesNothing(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector allocates on its own")
	}
	m, fixed := box(t, [3]int{2, 2, 2})
	c := compliance(t, factorize(t, m, fixed, 0.3), m.Surface().Nodes)
	dst, nodes, f := make([]float64, 3*c.N), []int32{4}, []float64{1, 2, 3}
	if n := testing.AllocsPerRun(10, func() { c.Displace(dst, nodes, f) }); n != 0 {
		t.Errorf("%g allocations", n)
	}
}

// BenchmarkPrecompute is factorisation and compliance of the whole surface. The
// organ meshes lie beside the repository; HAPCO_SHARED names another place.
func BenchmarkPrecompute(b *testing.B) {
	run := func(m *mesh.Mesh, fixed []int32, nu float64) func(*testing.B) {
		return func(b *testing.B) {
			nodes := m.Surface().Nodes
			for b.Loop() {
				f, err := Factorize(m, fixed, nu)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := f.Compliance(context.Background(), nodes, nil); err != nil {
					b.Fatal(err)
				}
				f.Close()
			}
			b.ReportMetric(float64(len(nodes)), "nodes")
		}
	}
	m, fixed := block(b)
	b.Run("mesh=benchA", run(m, fixed, 0.4))
	for _, name := range []string{"liver", "liver2"} {
		file, _ := testkit.SharedFile("data", "meshes", name+".msh")
		m, err := mesh.Load(file)
		if err != nil {
			b.Logf("%s left out: %v", name, err)
			continue
		}
		fixed, _ := mesh.DefaultSupport(m)
		b.Run("mesh="+name, run(m, fixed, 0.4))
	}
	for _, n := range []int{16, 24} {
		m, err := mesh.Box(mgl64.Vec3{}, mgl64.Vec3{1, 1, 1}, [3]int{n, n, n})
		if err != nil {
			b.Fatal(err)
		}
		b.Run("mesh=cube"+string(rune('0'+n/10))+string(rune('0'+n%10)), run(m, m.NodeSets["bottom"], 0.4))
	}
}

// looked is a context that ends at a look of the C code, and counts the looks.
type looked struct {
	context.Context
	*stopper
}

func (l looked) Err() error {
	if atomic.LoadInt32(&l.flag) > 0 {
		return context.Canceled
	}
	return nil
}

// A factorisation, and what follows it, looks at its end once for so much work, and stops
// at the look at which it comes.
func TestWorkStops(t *testing.T) {
	n := 8
	if testkit.Long() {
		n = 18 // some of its bites are cut
	}
	m, fixed := box(t, [3]int{n, n, n})
	top := m.NodeSets["top"]
	var all []int32
	for n := range m.Nodes {
		all = append(all, int32(n))
	}
	slices.Sort(fixed)
	free := slices.DeleteFunc(all, func(n int32) bool { _, held := slices.BinarySearch(fixed, n); return held })
	factor := factorize(t, m, fixed, 0.4)
	late := factorizeLate(t, m, fixed, top)

	// in bites and strips, the result is the same
	want, got := compliance(t, factor, top), compliance(t, late, top)
	most, apart := 0.0, 0.0
	for i, x := range want.C {
		most, apart = max(most, math.Abs(x)), max(apart, math.Abs(x-got.C[i]))
	}
	if !(apart <= 1e-11*most) {
		t.Errorf("the compliance from the tail is off by %g of %g", apart, most)
	}
	plan, err := NewPlan(m, fixed, 0.4, nil)
	if err != nil {
		t.Fatal(err)
	}
	operations := plan.Cost.Operations
	rows, at := factor.NewRows(), free[:RowNodes]
	size := float64(3 * len(top))
	for _, c := range []struct {
		what string
		want float64 // looks at least: one for a tenth of a second's operations, or for a panel
		work func(context.Context) error
	}{
		{"factorise", operations / 8e8, func(ctx context.Context) error {
			p, err := NewPlan(m, fixed, 0.4, nil)
			if err != nil {
				t.Fatal(err)
			}
			f, err := p.Factorize(ctx)
			if err == nil {
				f.Close()
			}
			return err
		}},
		{"columns", float64(len(free)) / 5 / RowNodes, func(ctx context.Context) error {
			_, err := factor.Compliance(ctx, free[:len(free)/5], nil)
			return err
		}},
		{"tail", size * size * size / 12e8, func(ctx context.Context) error {
			_, err := late.Compliance(ctx, top, nil)
			return err
		}},
		{"rows", 2, func(ctx context.Context) error {
			return rows.Compute(ctx, make([]float64, 9*RowNodes*RowNodes), at, at)
		}},
	} {
		const many = 1 << 30
		end := looked{context.Background(), &stopper{flag: -many}}
		watched = end.stopper
		if err := c.work(end); err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		looks := end.flag + many
		if float64(looks) < math.Floor(c.want) || looks < 1 {
			t.Errorf("%s: %d looks, want %.0f", c.what, looks, c.want)
		}
		for _, last := range []int32{1, (looks + 1) / 2, looks} {
			end.flag = -last
			if err := c.work(end); !errors.Is(err, context.Canceled) {
				t.Errorf("%s, ended at look %d of %d: %v", c.what, last, looks, err)
			}
			if more := end.flag - 1; more > int32(runtime.GOMAXPROCS(0)) { // one for each worker
				t.Errorf("%s, ended at look %d of %d: %d looks more", c.what, last, looks, more)
			}
			if c.what == "rows" {
				rows = factor.NewRows() // it was good for nothing
			}
		}
		watched = nil
	}
}

func factorizeLate(t *testing.T, m *mesh.Mesh, fixed, wanted []int32) *Factor {
	t.Helper()
	f, err := factorizeFor(m, fixed, 0.4, wanted)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}
