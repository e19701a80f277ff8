package lcp

import (
	"math"
	"math/rand/v2"
	"testing"
)

// contactProblem is a problem with a faceted cone in the plane, whose matrix is
// copositive: m contacts among bodies of random mass, W- at random.
func contactProblem(r *rand.Rand) (a, q []float64) {
	m, bodies := 1+r.IntN(6), 2+r.IntN(4)
	rows := func() ([]float64, []float64, []float64) { // J, B by contact: 3 numbers a body; inverse masses
		j, b := make([]float64, m*3*bodies), make([]float64, m*3*bodies)
		x := make([]float64, 3*bodies)
		for i := range x {
			x[i] = math.Exp(r.NormFloat64())
		}
		for c := range m {
			k, l := r.IntN(bodies), r.IntN(bodies)
			sin, cos := math.Sincos(2 * math.Pi * r.Float64())
			for side, body := range [2]int{k, l} {
				if k == l && side == 0 {
					continue // against an obstacle
				}
				s := float64(2*side - 1)
				copy(j[(c*bodies+body)*3:], []float64{s * cos, s * sin, s * r.NormFloat64()})
				copy(b[(c*bodies+body)*3:], []float64{s * sin, -s * cos, s * r.NormFloat64()})
			}
		}
		return j, b, x
	}
	j, b, x := rows()
	dot := func(u, v []float64, i, k int) float64 {
		sum := 0.0
		for d := range 3 * bodies {
			sum += u[i*3*bodies+d] * x[d] * v[k*3*bodies+d]
		}
		return sum
	}
	n := 4 * m
	a, q = make([]float64, n*n), make([]float64, n)
	w := normal(r, 3*bodies)
	for i := range m {
		for d := range 3 * bodies {
			q[i] += j[i*3*bodies+d] * w[d]
			q[m+2*i] += b[i*3*bodies+d] * w[d]
		}
		q[m+2*i+1] = -q[m+2*i]
		for k := range m {
			a[i*n+k] = dot(j, j, i, k)
			for s, sign := range [2]float64{1, -1} {
				a[i*n+m+2*k+s] = sign * dot(j, b, i, k)
				a[(m+2*i+s)*n+k] = sign * dot(b, j, i, k)
				a[(m+2*i+s)*n+m+2*k] = sign * dot(b, b, i, k)
				a[(m+2*i+s)*n+m+2*k+1] = -sign * dot(b, b, i, k)
			}
		}
		for s := range 2 {
			a[(m+2*i+s)*n+3*m+i] = 1
			a[(3*m+i)*n+m+2*i+s] = -1
		}
		a[(3*m+i)*n+i] = r.Float64()
	}
	return a, q
}

// Ten thousand random contact problems are solved to 1e-10.
func TestContactProblems(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 11))
	var a Attempts
	worst := 0.0
	for k := range 10000 {
		m, q := contactProblem(r)
		z := make([]float64, len(q))
		res := a.Solve(m, q, z)
		if res.Status != Solved {
			t.Fatalf("problem %d of size %d ended with %v", k, len(q), res.Status)
		}
		worst = math.Max(worst, Violation(m, q, z))
	}
	if worst > 1e-10 {
		t.Errorf("complementarity is off by %.2g", worst)
	}
}

// Where there is no solution every try ends in a ray, and that is what is reported;
// another covering vector leads to a solution as well.
func TestRayAndCovering(t *testing.T) {
	var a Attempts
	z := make([]float64, 2)
	if res := a.Solve([]float64{-1, 0, 0, 1}, []float64{-1, -1}, z); res.Status != Ray || z[0] != 0 || z[1] != 0 {
		t.Errorf("status %v, z %v", res.Status, z)
	}
	if res := a.Solve([]float64{0, 0, 0, 0}, []float64{-1, 1}, z); res.Status != Ray {
		t.Errorf("status %v without any pivot", res.Status)
	}
	r := rand.New(rand.NewPCG(12, 13))
	for range 200 {
		n := 2 + r.IntN(6)
		m := gram(r, n, n, 0.1)
		skew(r, m, n)
		q, d := normal(r, n), make([]float64, n)
		for i := range d {
			d[i] = 0.1 + r.Float64()
		}
		z, y := make([]float64, n), make([]float64, n)
		check(t, m, q, z, a.covered(m, q, d, z, 0))
		check(t, m, q, y, a.Lemke(m, q, y, 0))
		for i := range z {
			if math.Abs(z[i]-y[i]) > 1e-7*(1+math.Abs(y[i])) { // the matrix is positive definite
				t.Fatalf("two covering vectors, two solutions: %v and %v", z, y)
			}
		}
	}
}

// Two contacts of two floes, 10 um apart, and a third one: pivots among round-off come
// to a basis that is singular in the original data. Another try solves the problem.
func TestSingularBasis(t *testing.T) {
	m := []float64{
		0.9728084684782092, -0.44086260674741, 0.3883012619821008, -0.24086355451225683, 0.24086355451225683, -0.24088477237039055, 0.24088477237039055, -0.26552934697269137, 0.26552934697269137, 0, 0, 0,
		-0.44086260674741, 0.6467296675109898, -0.597217943046383, 0.18530572325400296, -0.18530572325400296, 0.1853220469795053, -0.1853220469795053, 0.27843963840721325, -0.27843963840721325, 0, 0, 0,
		0.3883012619821008, -0.597217943046383, 1.3804618640108008, -0.2098269278987416, 0.2098269278987416, -0.20984171960456827, 0.20984171960456827, 0.09996347872027803, -0.09996347872027803, 0, 0, 0,
		-0.24086355451225683, 0.18530572325400296, -0.2098269278987416, 0.24643727050237976, -0.24643727050237976, 0.24644366689786035, -0.24644366689786035, -0.0760149503995716, 0.0760149503995716, 1, 0, 0,
		0.24086355451225683, -0.18530572325400296, 0.2098269278987416, -0.24643727050237976, 0.24643727050237976, -0.24644366689786035, 0.24644366689786035, 0.0760149503995716, -0.0760149503995716, 1, 0, 0,
		-0.24088477237039055, 0.1853220469795053, -0.20984171960456827, 0.24644366689786032, -0.24644366689786032, 0.24645006385680437, -0.24645006385680437, -0.07600678594253261, 0.07600678594253261, 0, 1, 0,
		0.24088477237039055, -0.1853220469795053, 0.20984171960456827, -0.24644366689786032, 0.24644366689786032, -0.24645006385680437, 0.24645006385680437, 0.07600678594253261, -0.07600678594253261, 0, 1, 0,
		-0.26552934697269137, 0.27843963840721325, 0.09996347872027803, -0.07601495039957162, 0.07601495039957162, -0.07600678594253261, 0.07600678594253261, 0.6757446620745655, -0.6757446620745655, 0, 0, 1,
		0.26552934697269137, -0.27843963840721325, -0.09996347872027803, 0.07601495039957162, -0.07601495039957162, 0.07600678594253261, -0.07600678594253261, -0.6757446620745655, 0.6757446620745655, 0, 0, 1,
		0.3, 0, 0, -1, -1, 0, 0, 0, 0, 0, 0, 0,
		0, 0.3, 0, 0, 0, -1, -1, 0, 0, 0, 0, 0,
		0, 0, 0.3, 0, 0, 0, 0, -1, -1, 0, 0, 0,
	}
	q := []float64{1.185018363859751, 0.20821357300898277, -0.12506239530808017, 0.7744897052008581, -0.7744897052008581, 0.7744898301602772, -0.7744898301602772, -1, 1, 0, 0, 0}
	z := make([]float64, len(q))
	var a Attempts
	if res := a.Solve(m, q, z); res.Status != Solved || Violation(m, q, z) > 1e-8 {
		t.Errorf("status %v, complementarity off by %g", res.Status, Violation(m, q, z))
	}
}

func TestAttemptsAllocateNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 15))
	var a Attempts
	m, q := contactProblem(r)
	z := make([]float64, len(q))
	a.Solve(m, q, z)
	if n := testing.AllocsPerRun(100, func() { a.Solve(m, q, z) }); n > 0 {
		t.Errorf("%g allocations a solve", n)
	}
}
