package exact

import (
	"math"
	"math/rand/v2"
	"testing"

	"hapco/physics/machinery/testkit"
	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/contact/internal/contacttest"
	"hapco/physics/numerics/num"
)

// moving is a sequence of problems like those of a simulation's steps: many
// points of which those near each other are the contacts of a step, W of a full
// elastic body that changes a little from step to step, and a rigid motion that
// goes on for a while and turns.
type moving struct {
	rng  *rand.Rand
	n    int       // points
	g    []float64 // factors of the points' W
	rank int
	gap  []float64 // n, each point's height
	p    contact.Problem
	at   []int // points of the contacts
	f    []float64
}

func newMoving(seed uint64, n, rank int) *moving {
	m := &moving{rng: rand.New(rand.NewPCG(seed, 77)), n: n, rank: rank}
	m.g = make([]float64, 3*n*rank)
	for i := range m.g {
		m.g[i] = m.rng.NormFloat64() / math.Sqrt(float64(rank))
	}
	m.gap = make([]float64, n)
	for i := range m.gap {
		m.gap[i] = 0.3 * m.rng.Float64()
	}
	m.f = make([]float64, 3*n)
	m.p.ID = []uint64{}
	return m
}

// step states the problem of step k; named says whether contacts have
// identities.
func (m *moving) step(k int, named bool) {
	depth := 0.02 * float64(1+k%40)
	if k%40 > 25 {
		depth = 0.02 * float64(51-k%40)
	}
	slide := 0.01 * math.Sin(float64(k)/7)
	for i := range m.g {
		m.g[i] += 1e-3 * m.rng.NormFloat64() / math.Sqrt(float64(m.rank))
	}
	m.at = m.at[:0]
	for i, g := range m.gap {
		if g-depth < 0.15 {
			m.at = append(m.at, i)
		}
	}
	p := &m.p
	if named {
		p.ID = p.ID[:0]
	} else {
		p.ID = nil
	}
	if named && p.ID == nil {
		p.ID = []uint64{}
	}
	p.Resize(len(m.at))
	n := 3 * p.N
	for a, i := range m.at {
		if named {
			p.ID[a] = uint64(1000 + i)
		}
		p.Mu[a] = 0.3
		p.Q[3*a], p.Q[3*a+1], p.Q[3*a+2] = m.gap[i]-depth, slide, slide/3
		for b, j := range m.at {
			for u := range 3 {
				for v := range 3 {
					s := 0.0
					for l := range m.rank {
						s += m.g[(3*i+u)*m.rank+l] * m.g[(3*j+v)*m.rank+l]
					}
					if i == j && u == v {
						s += 0.05
					}
					p.W[(3*a+u)*n+3*b+v] = s + 0.2
				}
			}
		}
	}
}

// warm gathers the last forces of the contacts, and scatter takes them.
func (m *moving) warm(r []float64) []float64 {
	r = r[:3*len(m.at)]
	for a, i := range m.at {
		copy(r[3*a:3*a+3], m.f[3*i:3*i+3])
	}
	return r
}

func (m *moving) scatter(r []float64) {
	clear(m.f)
	for a, i := range m.at {
		copy(m.f[3*i:3*i+3], r[3*a:3*a+3])
	}
}

// difference is |a-b| in the displacements that the forces' difference makes,
// as a share of |q|.
func difference(p *contact.Problem, a, b []float64) float64 {
	d := make([]float64, len(a))
	for i := range d {
		d[i] = a[i] - b[i]
	}
	x := make([]float64, len(a))
	p.Displacements(x, d)
	for i := range x {
		x[i] -= p.Q[i]
	}
	return num.Norm(x) / num.Norm(p.Q)
}

// TestWarmSequence: over a sequence of steps, in which contacts vanish and come
// back, a warm-started solver that remembers finds what a new one finds from a
// cold start.
func TestWarmSequence(t *testing.T) {
	for _, rank := range []int{90, 25} {
		for _, named := range []bool{true, false} {
			for _, tol := range []float64{1e-4, 1e-8} {
				m := newMoving(5, 24, rank)
				warm := contacttest.New(t, "auto")
				opt := contact.DefaultOptions()
				opt.Tolerance, opt.Criterion = tol, contact.NaturalMap
				buffer, steps, newton := make([]float64, 3*m.n), 0, 0
				for k := range 60 {
					m.step(k, named)
					r := m.warm(buffer)
					res := warm.Solve(&m.p, r, &opt)
					cold := make([]float64, len(r))
					ref := contacttest.New(t, "auto").Solve(&m.p, cold, &opt)
					if err := contacttest.Admissible(r, m.p.Mu); err != nil {
						t.Fatal(err)
					}
					if !res.Converged || !ref.Converged {
						t.Fatalf("step %d: converged %v warm, %v cold", k, res.Converged, ref.Converged)
					}
					x := make([]float64, len(r))
					m.p.Displacements(x, r)
					if e := m.p.Errors(r, x); !(e.Natural <= tol) || !(e.Scaled <= 10*tol) || math.Abs(e.Scaled-res.ScaledError) > 1e-12 {
						t.Errorf("step %d: errors %g and %g, said %g", k, e.Natural, e.Scaled, res.ScaledError)
					}
					if d := difference(&m.p, r, cold); !(d <= 300*tol) {
						t.Errorf("rank %d, named %v, tolerance %g, step %d: %g from the cold answer", rank, named, tol, k, d)
					}
					m.scatter(r)
					if k > 0 {
						steps += res.Iterations
						newton += res.Newton
					}
				}
				if newton == 0 || steps > 60*10 {
					t.Errorf("rank %d, named %v, tolerance %g: %d iterations, %d factorisations", rank, named, tol, steps, newton)
				}
			}
		}
	}
}

// TestFalseMemory: whatever was solved before, of other sizes, with other or
// misleading identities or with numbers that are not finite, the answer is right.
func TestFalseMemory(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	s := contacttest.New(t, "auto")
	opt := contact.DefaultOptions()
	opt.Tolerance, opt.Criterion = 1e-8, contact.NaturalMap
	for k := range 90 {
		n := 2 + rng.IntN(30)
		p := contacttest.WellPosed(uint64(100+k), n, 0.3)
		switch k % 3 {
		case 0:
			p.ID = make([]uint64, n)
			for c := range p.ID {
				p.ID[c] = uint64(1 + rng.IntN(40))
			}
		case 1:
			p.ID = make([]uint64, n)
			for c := range p.ID {
				p.ID[c] = uint64(n - c)
			}
		}
		r := make([]float64, 3*n)
		for c := range n {
			if rng.IntN(3) > 0 {
				r[3*c], r[3*c+1] = 10*rng.Float64(), rng.NormFloat64()
			}
		}
		if k%5 == 4 {
			p.W[rng.IntN(len(p.W))] = math.NaN()
			if res := s.Solve(p, r, &opt); res.Converged {
				t.Errorf("problem %d: converged on NaN", k)
			}
			if err := contacttest.Admissible(r, p.Mu); err != nil {
				t.Errorf("problem %d: %v", k, err)
			}
			continue
		}
		res := s.Solve(p, r, &opt)
		cold := make([]float64, 3*n)
		contacttest.New(t, "auto").Solve(p, cold, &opt)
		if d := contacttest.RelativeDifference(cold, r); !res.Converged || !(d < 1e-6) && num.Norm(r)+num.Norm(cold) > 0 {
			t.Errorf("problem %d: converged %v, %g from the cold answer", k, res.Converged, d)
		}
	}
}

// TestColdRepeats: a cold start gives the same forces to the last bit whatever
// the solver has seen.
func TestColdRepeats(t *testing.T) {
	m := newMoving(6, 25, 40)
	opt := contact.DefaultOptions()
	opt.Tolerance, opt.Criterion = 1e-8, contact.NaturalMap
	s := contacttest.New(t, "auto")
	buffer := make([]float64, 3*m.n)
	for k := range 20 {
		m.step(k, true)
		r := m.warm(buffer)
		s.Solve(&m.p, r, &opt)
		m.scatter(r)
	}
	r, fresh := make([]float64, 3*m.p.N), make([]float64, 3*m.p.N)
	a, b := s.Solve(&m.p, r, &opt), contacttest.New(t, "auto").Solve(&m.p, fresh, &opt)
	if a.Iterations != b.Iterations || contacttest.RelativeDifference(fresh, r) != 0 {
		t.Errorf("%d iterations and %d, forces differ by %g", a.Iterations, b.Iterations, contacttest.RelativeDifference(fresh, r))
	}
}

// TestWarmAllocatesNothing: neither does a warm-started sequence with changing
// contacts, once the largest problem was met.
func TestWarmAllocatesNothing(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector allocates")
	}
	m := newMoving(7, 24, 30)
	opt := contact.DefaultOptions()
	opt.Tolerance, opt.Criterion = 1e-8, contact.NaturalMap
	s := contacttest.New(t, "auto")
	buffer := make([]float64, 3*m.n)
	k := 0
	walk := func() {
		for range 40 {
			m.step(k, true)
			k++
			r := m.warm(buffer)
			s.Solve(&m.p, r, &opt)
			m.scatter(r)
		}
	}
	walk()
	if n := testing.AllocsPerRun(3, walk); n != 0 {
		t.Errorf("%g allocations", n)
	}
}
