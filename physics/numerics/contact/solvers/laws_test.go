package solvers

import (
	"math"
	"math/rand/v2"
	"testing"

	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/contact/internal/contacttest"
	"hapco/physics/numerics/num"
)

// exactSolvers are the solvers whose answers must be tight.
var exactSolvers = []string{"auto", "nsgs-newton"}

// tight solves p to 1e-10 from a cold start and checks what every answer must
// satisfy: the cone exactly, complementarity, dissipation, both errors.
func tight(t *testing.T, name string, p *contact.Problem) (r, x []float64, res contact.Result) {
	t.Helper()
	s := contacttest.New(t, name)
	r, x = make([]float64, 3*p.N), make([]float64, 3*p.N)
	opt := contact.DefaultOptions()
	opt.Tolerance, opt.Criterion, opt.MaxIterations = 1e-10, contact.NaturalMap, 20000
	res = s.Solve(p, r, &opt)
	if err := contacttest.Admissible(r, p.Mu); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	p.Displacements(x, r)
	e := p.Errors(r, x)
	if res.Converged && !(e.Natural <= 1e-10 && e.Scaled <= 1e-9) {
		t.Fatalf("%s: converged with e = %g, e_s = %g", name, e.Natural, e.Scaled)
	}
	return r, x, res
}

// laws checks the contact laws of a converged answer, each product against the
// sizes of its factors.
func laws(t *testing.T, p *contact.Problem, r, x []float64) {
	t.Helper()
	const tol = 1e-8
	rMax, xMax := num.Norm(r), max(num.Norm(x), num.Norm(p.Q)) // all may stick
	for c := range p.N {
		rn, xn := r[3*c], x[3*c]
		if !(xn >= -tol*xMax) {
			t.Errorf("contact %d: penetration %g of %g", c, -xn, xMax)
		}
		if !(rn*xn <= tol*rMax*xMax) {
			t.Errorf("contact %d: r_n x_n = %g", c, rn*xn)
		}
		work := r[3*c+1]*x[3*c+1] + r[3*c+2]*x[3*c+2]
		if !(work <= tol*rMax*xMax) {
			t.Errorf("contact %d: friction does work, r_t.x_t = %g", c, work)
		}
		// r_t.x_t = -mu r_n |x_t|, sticking (x_t = 0) included.
		full := -p.Mu[c] * rn * math.Hypot(x[3*c+1], x[3*c+2])
		if !(math.Abs(work-full) <= tol*rMax*xMax) {
			t.Errorf("contact %d: r_t.x_t = %g, maximal dissipation is %g", c, work, full)
		}
	}
}

func TestLaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, name := range exactSolvers {
		for _, n := range []int{1, 2, 3, 7, 20, 40} {
			for _, mu := range []float64{0, 0.1, 0.3, 1} {
				p := contacttest.Random(rng, n, 3*n+5, mu)
				r, x, res := tight(t, name, p)
				if !res.Converged {
					t.Errorf("%s: n = %d, mu = %g: not converged, %+v", name, n, mu, res)
					continue
				}
				laws(t, p, r, x)
			}
		}
		for _, np := range contacttest.Thesis(t) {
			r, x, res := tight(t, name, np.P)
			if !res.Converged {
				t.Errorf("%s: %s: not converged", name, np.Name)
			}
			laws(t, np.P, r, x)
		}
	}
}

// rotated turns the tangential frame of contact c by angle[c].
func rotated(p *contact.Problem, angle []float64) *contact.Problem {
	n := 3 * p.N
	q := new(contact.Problem)
	q.Resize(p.N)
	copy(q.Mu, p.Mu)
	copy(q.Q, p.Q)
	copy(q.W, p.W)
	turn := func(v []float64, stride, c int) {
		s, k := math.Sincos(angle[c])
		a, b := v[(3*c+1)*stride], v[(3*c+2)*stride]
		v[(3*c+1)*stride], v[(3*c+2)*stride] = k*a+s*b, k*b-s*a
	}
	for c := range p.N {
		turn(q.Q, 1, c)
		for j := range n {
			turn(q.W[j:], n, c) // rows
		}
	}
	for i := range n {
		for c := range p.N {
			turn(q.W[i*n:(i+1)*n], 1, c) // columns
		}
	}
	return q
}

func TestFrameInvariance(t *testing.T) {
	for _, name := range exactSolvers {
		p := contacttest.WellPosed(11, 12, 0.3)
		rng := rand.New(rand.NewPCG(1, 9))
		angle := make([]float64, p.N)
		for c := range angle {
			angle[c] = rng.Float64() * 2 * math.Pi
		}
		r, _, _ := tight(t, name, p)
		r2, _, _ := tight(t, name, rotated(p, angle))
		for c := range p.N { // turn back
			s, k := math.Sincos(angle[c])
			a, b := r2[3*c+1], r2[3*c+2]
			r2[3*c+1], r2[3*c+2] = k*a-s*b, s*a+k*b
		}
		if d := contacttest.RelativeDifference(r, r2); !(d < 1e-8) {
			t.Errorf("%s: forces differ by %g after turning the tangents", name, d)
		}
	}
}

// TestScaling: softer bodies (W times k) bring smaller forces (r/k) and the
// same statuses; larger motions (q times k) larger forces.
func TestScaling(t *testing.T) {
	for _, name := range exactSolvers {
		p := contacttest.WellPosed(12, 10, 0.4)
		r, _, _ := tight(t, name, p)
		status, other := make([]contact.Status, p.N), make([]contact.Status, p.N)
		contact.Statuses(status, r, p.Mu)
		for _, k := range []float64{1e-9, 1e-3, 1e6} {
			w, q := contacttest.WellPosed(12, 10, 0.4), contacttest.WellPosed(12, 10, 0.4)
			for i := range w.W {
				w.W[i] *= k
			}
			for i := range q.Q {
				q.Q[i] *= k
			}
			for i, p2 := range []*contact.Problem{w, q} {
				s := contacttest.New(t, name)
				r2 := make([]float64, 3*p.N)
				opt := contact.DefaultOptions()
				opt.Tolerance, opt.Criterion = 1e-10, contact.Scaled
				s.Solve(p2, r2, &opt)
				contact.Statuses(other, r2, p.Mu)
				for c := range status {
					if status[c] != other[c] {
						t.Errorf("%s, times %g: contact %d is %v, was %v", name, k, c, other[c], status[c])
					}
				}
				for j := range r2 {
					if i == 0 {
						r2[j] *= k
					} else {
						r2[j] /= k
					}
				}
				if d := contacttest.RelativeDifference(r, r2); !(d < 1e-8) {
					t.Errorf("%s, times %g: scaled forces differ by %g", name, k, d)
				}
			}
		}
	}
}

func TestPermutation(t *testing.T) {
	for _, name := range exactSolvers {
		p := contacttest.WellPosed(13, 15, 0.3)
		perm := rand.New(rand.NewPCG(4, 4)).Perm(p.N)
		q := new(contact.Problem)
		q.Resize(p.N)
		n := 3 * p.N
		for a, pa := range perm {
			q.Mu[a] = p.Mu[pa]
			copy(q.Q[3*a:3*a+3], p.Q[3*pa:3*pa+3])
			for b, pb := range perm {
				w := p.Block(pa, pb)
				for i := range 3 {
					copy(q.W[(3*a+i)*n+3*b:(3*a+i)*n+3*b+3], w[i][:])
				}
			}
		}
		r, _, _ := tight(t, name, p)
		r2, _, _ := tight(t, name, q)
		back := make([]float64, n)
		for a, pa := range perm {
			copy(back[3*pa:3*pa+3], r2[3*a:3*a+3])
		}
		if d := contacttest.RelativeDifference(r, back); !(d < 1e-8) {
			t.Errorf("%s: forces differ by %g after renaming the contacts", name, d)
		}
	}
}

// TestDegenerate: redundant contacts, contacts that nothing moves, stiffness
// ratios of 69000 : 0.02, problems without contacts.
func TestDegenerate(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	cases := map[string]*contact.Problem{}

	p := contacttest.WellPosed(14, 6, 0.5)
	redundant := new(contact.Problem)
	redundant.Resize(12)
	for a := range 12 {
		redundant.Mu[a] = p.Mu[a/2]
		copy(redundant.Q[3*a:3*a+3], p.Q[3*(a/2):3*(a/2)+3])
		for b := range 12 {
			w := p.Block(a/2, b/2)
			for i := range 3 {
				copy(redundant.W[(3*a+i)*36+3*b:(3*a+i)*36+3*b+3], w[i][:])
			}
		}
	}
	cases["each contact twice"] = redundant
	cases["rank 5 of 60"] = contacttest.Random(rng, 20, 5, 0.3)
	for c := range 20 { // q in the range of W, or bodies would have to overlap
		copy(cases["rank 5 of 60"].Q[3*c:3*c+3], []float64{0, 0, 0})
	}
	low := cases["rank 5 of 60"]
	f := make([]float64, 60)
	for i := range f {
		f[i] = rng.NormFloat64()
	}
	for c := range 20 {
		low.Q[3*c], low.Q[3*c+1], low.Q[3*c+2] = 0, 0, 0
	}
	q := make([]float64, 60)
	low.Displacements(q, f)
	copy(low.Q, q)

	still := contacttest.WellPosed(15, 5, 0.3)
	for k := range 15 {
		for i := range 3 {
			still.W[(6+i)*15+k], still.W[k*15+6+i] = 0, 0
		}
	}
	still.Q[6] = 0.1 // apart, and nothing moves it
	cases["a zero row and column"] = still

	stiff := contacttest.WellPosed(16, 10, 0.3)
	for i := range 30 {
		for j := range 30 {
			s := 1.0
			if i < 15 {
				s *= math.Sqrt(0.02 / 69000)
			}
			if j < 15 {
				s *= math.Sqrt(0.02 / 69000)
			}
			stiff.W[i*30+j] *= s
		}
	}
	cases["stiffness 69000 : 0.02"] = stiff

	frictionless := contacttest.WellPosed(17, 10, 0)
	cases["no friction"] = frictionless
	cases["friction 1"] = contacttest.WellPosed(18, 10, 1)
	cases["friction 10"] = contacttest.WellPosed(18, 10, 10)
	open := contacttest.WellPosed(19, 10, 0.3)
	for c := range 10 {
		open.Q[3*c] = 1
	}
	cases["all open"] = open
	nothing := new(contact.Problem)
	nothing.Resize(0)
	cases["no contacts"] = nothing
	zero := contacttest.WellPosed(20, 4, 0.3)
	clear(zero.Q)
	cases["no motion"] = zero

	for _, name := range exactSolvers {
		for what, p := range cases {
			r, x, res := tight(t, name, p)
			if !res.Converged {
				t.Errorf("%s, %s: not converged: %+v", name, what, res)
				continue
			}
			laws(t, p, r, x)
			if what == "all open" || what == "no motion" {
				for i, f := range r {
					if f != 0 {
						t.Errorf("%s, %s: r[%d] = %g", name, what, i, f)
					}
				}
			}
		}
	}

	// A contact that nothing moves, pressed: no force can help, and that has to
	// be said.
	still.Q[6] = -0.1
	for _, name := range append(exactSolvers, "nsgs", "uzawa") {
		if _, _, res := tight(t, name, still); res.Converged {
			t.Errorf("%s: converged on overlapping bodies that nothing moves", name)
		}
	}
}

// TestBadNumbers: whatever is not a number must not turn into an answer.
func TestBadNumbers(t *testing.T) {
	for _, name := range contact.Names() {
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e308} {
			for where := range 4 {
				p := contacttest.WellPosed(23, 8, 0.3)
				p.Q[0] = -1
				r := make([]float64, 24)
				switch where {
				case 0:
					p.W[0] = bad
				case 1:
					p.W[24*4+9] = bad
				case 2:
					p.Q[0] = bad
				case 3:
					r[3] = bad // a bad start is dropped; the answer may be good
				}
				opt := contact.DefaultOptions()
				opt.Tolerance, opt.Criterion, opt.MaxIterations = 1e-8, contact.NaturalMap, 500
				res := contacttest.New(t, name).Solve(p, r, &opt)
				if err := contacttest.Admissible(r, p.Mu); err != nil {
					t.Errorf("%s, %g at %d: %v", name, bad, where, err)
				}
				if where < 3 && bad != 1e308 && res.Converged {
					t.Errorf("%s: converged with %g at %d", name, bad, where)
				}
			}
		}
	}
}

// TestNoFalseConvergence: whatever the solver, a converged answer satisfies
// both errors, and one that hit its limit is not called converged.
func TestNoFalseConvergence(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	problems := contacttest.Thesis(t)
	for range 10 {
		problems = append(problems, contacttest.Problem{Name: "random", P: contacttest.Random(rng, 8, 10, 0.6)})
	}
	for _, name := range []string{"auto", "nsgs-newton", "nsgs", "uzawa"} {
		s := contacttest.New(t, name)
		for _, np := range problems {
			for _, crit := range []contact.Criterion{contact.RelativeChange, contact.NaturalMap, contact.Scaled, contact.Physical} {
				for _, limit := range []int{1, 3, 2000} {
					p := np.P
					r, x := make([]float64, 3*p.N), make([]float64, 3*p.N)
					opt := contact.DefaultOptions()
					opt.Tolerance, opt.Criterion, opt.MaxIterations = 1e-6, crit, limit
					res := s.Solve(p, r, &opt)
					if err := contacttest.Admissible(r, p.Mu); err != nil {
						t.Errorf("%s, %s: %v", name, np.Name, err)
					}
					p.Displacements(x, r)
					e := p.Errors(r, x)
					if crit != contact.Physical && res.Converged && !(e.Natural <= 1e-5 && e.Scaled <= 1e-5) {
						t.Errorf("%s, %s, criterion %d: converged with e = %g, e_s = %g", name, np.Name, crit, e.Natural, e.Scaled)
					}
					if res.Iterations > limit {
						t.Errorf("%s, %s: %d iterations of %d", name, np.Name, res.Iterations, limit)
					}
				}
			}
		}
	}
}

// A tool that leaves: the forces of the last step are the starting guess, and the
// answer is that nothing touches. The change from something to nothing is no reason
// to give up.
func TestEverythingLetsGo(t *testing.T) {
	for _, name := range contact.Names() {
		s, err := contact.New(name)
		if err != nil {
			t.Fatal(err)
		}
		if contact.Describe(name).Family == contact.FamilyApproximate {
			continue
		}
		for _, criterion := range []contact.Criterion{contact.RelativeChange, contact.Physical, contact.NaturalMap, contact.Scaled, contact.SameStatus} {
			p := &contact.Problem{N: 2, W: make([]float64, 36), Q: []float64{1e-3, 1e-4, 0, 2e-3, 0, 1e-4}, Mu: []float64{0.3, 0.3}}
			for k := range 6 {
				p.W[7*k] = 1e-3
			}
			opt := contact.DefaultOptions()
			opt.Criterion = criterion
			r := []float64{0.5, 0.1, 0, 0.2, 0, 0.05}
			if res := s.Solve(p, r, &opt); !res.Converged || r[0] != 0 || r[3] != 0 {
				t.Errorf("%s, criterion %d: %v, %+v", name, criterion, r, res)
			}
		}
	}
}

// TestAdversarialStarts: wherever a solve begins, on whatever scales, an answer that
// is called converged has both errors below ten times the tolerance. That of the physical
// criterion is a share of the true forces, not of those that the solve began with.
func TestAdversarialStarts(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	problems := []contacttest.Problem{
		{Name: "random", P: contacttest.WellPosed(44, 6, 0.4)},
		{Name: "rank 10 of 24", P: contacttest.Random(rng, 8, 10, 0.6)},
	}
	scales := [][2]float64{{1, 1}, {1e-6, 1}, {1e6, 1}, {1, 1e-6}, {1, 1e6}} // of W and q
	starts := []float64{0, 1e-6, 1e-3, 0.5, 1, 1e3, 1e6}
	if testing.Short() {
		scales, starts = scales[:3], []float64{0, 1e-6, 0.5, 1e6}
	} else {
		problems = append(problems, contacttest.Thesis(t)[0])
	}
	converged := map[string]int{}
	for _, np := range problems {
		base := make([]float64, 3*np.P.N)
		exact := contact.DefaultOptions()
		exact.Tolerance, exact.Criterion = 1e-10, contact.Scaled
		if res := contacttest.New(t, "auto").Solve(np.P, base, &exact); !res.Converged {
			t.Fatalf("%s: no reference", np.Name)
		}
		for _, scale := range scales {
			softer, longer := scale[0], scale[1]
			p := &contact.Problem{N: np.P.N, Mu: np.P.Mu, W: make([]float64, len(np.P.W)), Q: make([]float64, len(np.P.Q))}
			for i, w := range np.P.W {
				p.W[i] = softer * w
			}
			for i, q := range np.P.Q {
				p.Q[i] = longer * q
			}
			truth := make([]float64, len(base))
			for i, r := range base {
				truth[i] = r * longer / softer
			}
			size := num.Norm(truth)
			for i := range 2 * len(contact.Names()) {
				name, relative := contact.Names()[i/2], 1e-4 // of the physical criterion, in terms of the true forces
				s := contacttest.New(t, name)
				if i%2 == 1 {
					if relative = 1e-11; contact.Describe(name).Family != contact.FamilyExact {
						continue
					}
				}
				for _, criterion := range []contact.Criterion{contact.RelativeChange, contact.Physical, contact.NaturalMap, contact.Scaled, contact.SameStatus} {
					opt := contact.DefaultOptions()
					opt.Tolerance, opt.Criterion, opt.MaxIterations = relative, criterion, 300
					if criterion == contact.Physical {
						opt.Tolerance = relative * size / p.RhoMin()
					}
					for k, start := range starts {
						r, x := make([]float64, len(truth)), make([]float64, len(truth))
						for i := range r {
							r[i] = start * truth[i]
							if k%2 == 1 { // in another direction
								r[i] = start * size * rng.NormFloat64()
							}
						}
						res := s.Solve(p, r, &opt)
						p.Displacements(x, r)
						e := p.Errors(r, x)
						if res.Converged {
							converged[name]++
						} else if name == "auto" && relative == 1e-4 {
							t.Errorf("%s, W x %g, q x %g, criterion %d, start %g: %s did not converge: e = %g, e_s = %g", np.Name, softer, longer, criterion, start, name, e.Natural, e.Scaled)
						}
						if most := 10.5 * relative; res.Converged && !(e.Natural <= most && e.Scaled <= most) {
							t.Errorf("%s, W x %g, q x %g, criterion %d, start %g: %s calls e = %g, e_s = %g converged; the forces are %.2g off",
								np.Name, softer, longer, criterion, start, name, e.Natural, e.Scaled, contacttest.RelativeDifference(r, truth))
						}
					}
				}
			}
		}
		if t.Failed() {
			return
		}
	}
	for _, name := range contact.Names() {
		if contact.Describe(name).Family == contact.FamilyExact && converged[name] == 0 {
			t.Errorf("%s never converged: the test does not bite", name)
		}
	}
}
