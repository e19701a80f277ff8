package contact

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"hapco/physics/testkit"
)

// haveProblems tells whether the reference problems lie beside the repository.
func haveProblems() bool {
	_, ok := testkit.SharedFile("reference", "problems")
	return ok
}

type namedProblem struct {
	name string
	p    *Problem
	r    []float64 // a solution, or nil
}

// thesisProblems are the five problems of the thesis's benches.
func thesisProblems(tb testing.TB) []namedProblem {
	tb.Helper()
	return loadProblems(tb, filepath.Join(testkit.Repository(), "physics", "contact", "testdata", "*.fc3d.gz"))
}

// publicProblems are the reference problems beside the repository; the test is
// skipped when they are not there.
func publicProblems(tb testing.TB) []namedProblem {
	tb.Helper()
	return loadProblems(tb, filepath.Join(testkit.Shared(tb, "reference", "problems"), "*.fc3d*"))
}

func loadProblems(tb testing.TB, pattern string) []namedProblem {
	tb.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		tb.Fatalf("no problem at %s (%v)", pattern, err)
	}
	var ps []namedProblem
	for _, path := range paths {
		p, r, err := LoadFC3D(path)
		if err != nil {
			tb.Fatal(err)
		}
		if testkit.Race && p.N > 60 {
			continue // slow there, and nothing new to see
		}
		name, _, _ := strings.Cut(filepath.Base(path), ".fc3d")
		ps = append(ps, namedProblem{name, p, r})
	}
	sort.SliceStable(ps, func(i, j int) bool { return ps[i].p.N < ps[j].p.N })
	return ps
}

// mustNew makes a registered solver.
func mustNew(tb testing.TB, name string) Solver {
	tb.Helper()
	s, err := New(name)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// randomProblem has n contacts, W = G G' with rank rows of G, and a mixture of
// pressed and open contacts.
func randomProblem(rng *rand.Rand, n, rank int, mu float64) *Problem {
	p := new(Problem)
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

// admissible reports the first contact whose force leaves the cone, exactly.
func admissible(r, mu []float64) error {
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

// relativeDifference is |a-b|/|a|.
func relativeDifference(a, b []float64) float64 {
	d, s := 0.0, 0.0
	for i := range a {
		d += (a[i] - b[i]) * (a[i] - b[i])
		s += a[i] * a[i]
	}
	return math.Sqrt(d / s)
}

// wellPosed is a problem with one solution: W well conditioned, little friction.
func wellPosed(seed uint64, n int, mu float64) *Problem {
	p := randomProblem(rand.New(rand.NewPCG(seed, 1)), n, 12*n, mu)
	for i := range 3 * n {
		p.W[i*3*n+i] += 0.5
	}
	return p
}
