// Package contacttest gives the tests of the contact solvers their problems.
package contacttest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"hapco/physics/machinery/testkit"
	"hapco/physics/numerics/contact"
)

// HavePublic tells whether the reference problems lie beside the repository.
func HavePublic() bool {
	_, ok := testkit.SharedFile("reference", "problems")
	return ok
}

// Problem is a contact problem with a name.
type Problem struct {
	Name string
	P    *contact.Problem
	R    []float64 // a solution, or nil
}

// Thesis are the five problems of the thesis's benches.
func Thesis(tb testing.TB) []Problem {
	tb.Helper()
	return loadProblems(tb, filepath.Join(testkit.Repository(), "physics", "numerics", "contact", "testdata", "*.fc3d.gz"))
}

// Public are the reference problems beside the repository; the test is skipped when they are not there.
func Public(tb testing.TB) []Problem {
	tb.Helper()
	return loadProblems(tb, filepath.Join(testkit.Shared(tb, "reference", "problems"), "*.fc3d*"))
}

func loadProblems(tb testing.TB, pattern string) []Problem {
	tb.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		tb.Fatalf("no problem at %s (%v)", pattern, err)
	}
	var ps []Problem
	for _, path := range paths {
		p, r, err := contact.LoadFC3D(path)
		if err != nil {
			tb.Fatal(err)
		}
		if testkit.Race && p.N > 60 {
			continue // slow there, and nothing new to see
		}
		name, _, _ := strings.Cut(filepath.Base(path), ".fc3d")
		ps = append(ps, Problem{name, p, r})
	}
	sort.SliceStable(ps, func(i, j int) bool { return ps[i].P.N < ps[j].P.N })
	return ps
}

// New makes a registered solver.
func New(tb testing.TB, name string) contact.Solver {
	tb.Helper()
	s, err := contact.New(name)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// Random has n contacts, W = G G' with rank rows of G, and a mixture of pressed and open contacts.
func Random(rng *rand.Rand, n, rank int, mu float64) *contact.Problem {
	p := new(contact.Problem)
	p.Resize(n)
	g := make([]float64, 3*n*rank)
	for i := range g {
		g[i] = rng.NormFloat64() / math.Sqrt(float64(rank))
	}
	for i := range 3 * n {
		for j := range 3 * n {
			s := 0.0
			for k := range rank {
				s += g[i*rank+k] * g[j*rank+k]
			}
			p.W[i*3*n+j] = s
		}
	}
	for c := range n {
		p.Mu[c] = mu
		p.Q[3*c] = rng.NormFloat64() - 0.5
		p.Q[3*c+1] = rng.NormFloat64()
		p.Q[3*c+2] = rng.NormFloat64()
	}
	return p
}

// Admissible reports the first contact whose force leaves the cone, exactly.
func Admissible(r, mu []float64) error {
	for c, m := range mu {
		n, t1, t2 := r[3*c], r[3*c+1], r[3*c+2]
		if !(n >= 0) || !(math.Hypot(t1, t2) <= m*n) || !(math.Sqrt(t1*t1+t2*t2) <= m*n) {
			return fmt.Errorf("contact %d: r = (%g, %g, %g), mu = %g", c, n, t1, t2, m)
		}
		if math.IsInf(n, 0) {
			return fmt.Errorf("contact %d: r_n = %g", c, n)
		}
	}
	return nil
}

// RelativeDifference is |a-b|/|a|.
func RelativeDifference(a, b []float64) float64 {
	d, s := 0.0, 0.0
	for i := range a {
		d += (a[i] - b[i]) * (a[i] - b[i])
		s += a[i] * a[i]
	}
	return math.Sqrt(d / s)
}

// WellPosed is a problem with one solution: W well conditioned, little friction.
func WellPosed(seed uint64, n int, mu float64) *contact.Problem {
	p := Random(rand.New(rand.NewPCG(seed, 1)), n, 12*n, mu)
	for i := range 3 * n {
		p.W[i*3*n+i] += 0.5
	}
	return p
}
