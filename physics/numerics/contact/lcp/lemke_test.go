package lcp

import (
	"math"
	"math/rand/v2"
	"testing"
)

// enumerate tries every complementary basis and returns all solutions: the
// slow reference.
func enumerate(m, q []float64) [][]float64 {
	n := len(q)
	var found [][]float64
	a, perm := make([]float64, n*n), make([]int, n)
	b, x := make([]float64, n), make([]float64, n)
	for mask := range 1 << n {
		var set []int
		for i := range n {
			if mask>>i&1 == 1 {
				set = append(set, i)
			}
		}
		k := len(set)
		for i, r := range set {
			for j, c := range set {
				a[i*k+j] = m[r*n+c]
			}
			b[i] = -q[r]
		}
		if !factorize(a[:k*k], perm[:k], k) {
			continue
		}
		solve(a[:k*k], perm[:k], k, b[:k], x[:k])
		z, largest := make([]float64, n), 0.0
		for i, r := range set {
			z[r] = x[i]
			largest = math.Max(largest, math.Abs(x[i]))
		}
		if largest > 1e8 {
			continue // a singular basis that roundoff made regular
		}
		if Residual(m, q, z) <= 1e-9 {
			found = append(found, z)
		}
	}
	return found
}

// gram returns A A' of a random n x k matrix A plus d I: positive definite for
// d > 0, semidefinite of rank k else.
func gram(r *rand.Rand, n, k int, d float64) []float64 {
	a := normal(r, n*k)
	m := make([]float64, n*n)
	for i := range n {
		for j := range n {
			for l := range k {
				m[i*n+j] += a[i*k+l] * a[j*k+l]
			}
		}
		m[i*n+i] += d
	}
	return m
}

func normal(r *rand.Rand, n int) []float64 {
	s := make([]float64, n)
	for i := range s {
		s[i] = r.NormFloat64()
	}
	return s
}

// skew adds a skew-symmetric part: the matrix stays positive (semi)definite,
// but is no longer symmetric.
func skew(r *rand.Rand, m []float64, n int) {
	for i := range n {
		for j := range i {
			v := r.NormFloat64()
			m[i*n+j] += v
			m[j*n+i] -= v
		}
	}
}

func check(t *testing.T, m, q, z []float64, res Result) {
	t.Helper()
	if res.Status != Solved {
		t.Fatalf("ended with %v after %d pivots\nM %v\nq %v", res.Status, res.Pivots, m, q)
	}
	n := len(q)
	for i := range n {
		w := q[i]
		for j := range n {
			w += m[i*n+j] * z[j]
		}
		if z[i] < 0 || w < -1e-8 || math.Abs(z[i]*w) > 1e-7*(1+z[i]) {
			t.Fatalf("pair %d: z %g, w %g\nM %v\nq %v", i, z[i], w, m, q)
		}
	}
}

// A P-matrix has exactly one solution: the enumeration's.
func TestPMatrix(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var ws Workspace
	for range 400 {
		n := 1 + r.IntN(8)
		m := gram(r, n, n, 0.05)
		skew(r, m, n)
		q := normal(r, n)
		z := make([]float64, n)
		check(t, m, q, z, ws.Lemke(m, q, z, 0))
		all := enumerate(m, q)
		if len(all) == 0 {
			t.Fatal("the enumeration found nothing")
		}
		for i := range z {
			if d := math.Abs(z[i] - all[0][i]); d > 1e-7*(1+math.Abs(z[i])) {
				t.Fatalf("z_%d = %g, the enumeration says %g", i, z[i], all[0][i])
			}
		}
	}
}

// For a semidefinite M Lemke ends with a solution exactly where one exists, and
// with a ray where none does.
func TestSemidefinite(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var ws Workspace
	solvable, not := 0, 0
	for range 600 {
		n := 2 + r.IntN(6)
		m := gram(r, n, 1+r.IntN(n-1), 0)
		if r.IntN(2) == 0 {
			skew(r, m, n)
		}
		q := normal(r, n)
		z := make([]float64, n)
		res := ws.Lemke(m, q, z, 0)
		if all := enumerate(m, q); len(all) > 0 {
			solvable++
			check(t, m, q, z, res)
		} else {
			not++
			if res.Status != Ray {
				t.Fatalf("no basis solves, but Lemke ended with %v", res.Status)
			}
		}
	}
	if solvable < 100 || not < 20 {
		t.Fatalf("%d solvable and %d unsolvable problems: the test lost its sense", solvable, not)
	}
}

// Copositive matrices with q = M y + something nonnegative, as friction makes
// them: [[A, B], [-B', 0]] with A semidefinite.
func TestCopositive(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var ws Workspace
	for range 300 {
		a, b := 2+r.IntN(4), 1+r.IntN(3)
		n := a + b
		g := gram(r, a, a, 0.01)
		m := make([]float64, n*n)
		for i := range a {
			copy(m[i*n:i*n+a], g[i*a:(i+1)*a])
			for j := range b {
				v := r.Float64()
				m[i*n+a+j] = v
				m[(a+j)*n+i] = -v
			}
		}
		q := normal(r, n)
		for j := range b {
			q[a+j] = r.Float64() // feasible: y = 0 satisfies the last rows
		}
		z := make([]float64, n)
		check(t, m, q, z, ws.Lemke(m, q, z, 0))
	}
}

// Problems full of ties: small integers, repeated rows, zero rows. A rule
// without the lexicographic order cycles on some of these.
func TestDegenerate(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	var ws Workspace
	solved := 0
	for range 2000 {
		n := 2 + r.IntN(7)
		k := 1 + r.IntN(n)
		a := make([]float64, n*k)
		for i := range a {
			a[i] = float64(r.IntN(3) - 1)
		}
		if n > 2 {
			copy(a[k:2*k], a[:k]) // a repeated contact
		}
		m := make([]float64, n*n)
		for i := range n {
			for j := range n {
				for l := range k {
					m[i*n+j] += a[i*k+l] * a[j*k+l]
				}
			}
		}
		q := make([]float64, n)
		for i := range q {
			q[i] = float64(r.IntN(4) - 2)
		}
		z := make([]float64, n)
		res := ws.Lemke(m, q, z, 0)
		if res.Status == PivotsOut {
			t.Fatalf("cycles on M %v, q %v", m, q)
		}
		if len(enumerate(m, q)) > 0 {
			solved++
			check(t, m, q, z, res)
		} else if res.Status == Solved {
			check(t, m, q, z, res)
		}
	}
	if solved < 200 {
		t.Fatalf("only %d solvable problems", solved)
	}
}

// The textbook problem on which the rule of least ratio alone may cycle
// (Kostreva, Mathematical Programming 16, 1979).
func TestKostreva(t *testing.T) {
	m := []float64{1, 2, 0, 0, 1, 2, 2, 0, 1}
	q := []float64{-1, -1, -1}
	z := make([]float64, 3)
	var ws Workspace
	check(t, m, q, z, ws.Lemke(m, q, z, 0))
	for i := range z {
		if math.Abs(z[i]-1.0/3) > 1e-12 {
			t.Fatalf("z = %v, want thirds", z)
		}
	}
}

// Units of M, q or single rows do not change the set of positive z.
func TestScaling(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	var ws Workspace
	n := 6
	for range 50 {
		m, q := gram(r, n, n, 0.1), normal(r, n)
		z, y := make([]float64, n), make([]float64, n)
		check(t, m, q, z, ws.Lemke(m, q, z, 0))
		for i := range m {
			m[i] *= 1e-7
		}
		for i := range q {
			q[i] *= 1e-5
		}
		if res := ws.Lemke(m, q, y, 0); res.Status != Solved {
			t.Fatalf("scaled: %v", res.Status)
		}
		for i := range z {
			if math.Abs(y[i]-100*z[i]) > 1e-7*(1+100*z[i]) {
				t.Fatalf("z_%d = %g, 100 times %g expected", i, y[i], z[i])
			}
		}
	}
}

func TestTrivialAndBad(t *testing.T) {
	var ws Workspace
	z := []float64{7, 7}
	if res := ws.Lemke([]float64{0, 0, 0, 0}, []float64{1, 0}, z, 0); res.Status != Solved || z[0] != 0 || z[1] != 0 {
		t.Fatalf("q >= 0: %v, z %v", res.Status, z)
	}
	if res := ws.Lemke([]float64{0, 0, 0, 0}, []float64{-1, 0}, z, 0); res.Status != Ray {
		t.Fatalf("M = 0, q < 0: %v, want a ray", res.Status)
	}
	if res := ws.Lemke([]float64{-1}, []float64{-1}, z[:1], 0); res.Status != Ray {
		t.Fatalf("M = -1, q = -1: %v, want a ray", res.Status)
	}
	if res := ws.Lemke([]float64{math.NaN()}, []float64{-1}, z[:1], 0); res.Status != Inexact {
		t.Fatalf("NaN: %v", res.Status)
	}
	if res := ws.Lemke(gram(rand.New(rand.NewPCG(1, 1)), 2, 2, 1), []float64{-1, -1}, z, 1); res.Status != PivotsOut {
		t.Fatalf("one pivot allowed: %v", res.Status)
	}
	for s := Solved; s <= Inexact; s++ {
		if s.String() == "unknown" {
			t.Fatalf("status %d has no word", s)
		}
	}
}

func FuzzLemke(f *testing.F) {
	f.Add(uint64(1), uint8(4), uint8(2), 0.0)
	f.Add(uint64(9), uint8(7), uint8(7), 1e-9)
	f.Fuzz(func(t *testing.T, seed uint64, size, rank uint8, d float64) {
		n := 1 + int(size%9)
		r := rand.New(rand.NewPCG(seed, 1))
		m := gram(r, n, 1+int(rank)%n, d)
		q := normal(r, n)
		z := make([]float64, n)
		var ws Workspace
		res := ws.Lemke(m, q, z, 0)
		if res.Status == Solved {
			for i := range z {
				if !(z[i] >= 0) {
					t.Fatalf("z_%d = %g", i, z[i])
				}
			}
			if !(Residual(m, q, z) <= solvedTolerance) {
				t.Fatalf("called solved with residual %g", Residual(m, q, z))
			}
		}
		if d >= 1e-3 && d < 1e6 && res.Status != Solved {
			t.Fatalf("positive definite, but %v", res.Status)
		}
	})
}

func BenchmarkLemke(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	n := 120
	m, q, z := gram(r, n, n, 0.1), normal(r, n), make([]float64, n)
	var ws Workspace
	b.ReportAllocs()
	for b.Loop() {
		if res := ws.Lemke(m, q, z, 0); res.Status != Solved {
			b.Fatal(res.Status)
		}
	}
}
