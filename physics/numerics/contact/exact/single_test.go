package exact

import (
	"math/rand/v2"
	"testing"

	"hapco/physics/machinery/testkit"
	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/contact/internal/contacttest"
	"hapco/physics/numerics/num"
)

// Sweeps in single precision lead to what double precision calls a solution, also where single precision cannot tell,
// cold and from a warm start, and allocate nothing.
func TestSingleSweeps(t *testing.T) {
	p := contacttest.WellPosed(7, singleFrom, 0.4)
	for _, tolerance := range []float64{1e-4, 1e-9} {
		s := Without(WarmNewton | Rounds | Interior | Proximal)
		r, x := make([]float64, 3*p.N), make([]float64, 3*p.N)
		opt := contact.DefaultOptions()
		opt.Tolerance, opt.Criterion = tolerance, contact.Scaled
		for _, start := range []string{"cold", "warm"} {
			res := s.Solve(p, r, &opt)
			if !s.e.single.on || res.Newton > 0 {
				t.Fatal("not solved by sweeps in single precision")
			}
			p.Displacements(x, r)
			if err := p.Errors(r, x); !res.Converged || !(err.Scaled <= tolerance) {
				t.Errorf("%s, %g: converged %v with e_s = %g after %d sweeps", start, tolerance, res.Converged, err.Scaled, res.Iterations)
			}
			for i := range r {
				r[i] *= 1.01
			}
		}
		if testkit.Race {
			continue
		}
		if n := testing.AllocsPerRun(3, func() { clear(r); s.Solve(p, r, &opt) }); n != 0 {
			t.Errorf("%g allocations", n)
		}
	}
}

// What single precision spoils is a share of how far forces are from those that are known.
func TestSingleIsAboutWhatIsKnown(t *testing.T) {
	p := contacttest.WellPosed(8, 20, 0.4)
	var e engine
	e.bind(p)
	e.single.on = true
	rng := rand.New(rand.NewPCG(1, 2))
	r, known, x, y := make([]float64, 60), make([]float64, 60), make([]float64, 60), make([]float64, 60)
	randomNumbers(rng, r)
	p.Displacements(x, r)
	for _, off := range []float64{1, 1e-3, 1e-6} {
		for i := range r {
			known[i] = r[i] * (1 - off)
		}
		p.Displacements(y, known)
		e.single.bind(p)
		e.single.about(known, y)
		e.single.start(&e, r)
		wrong := 0.0
		for c := range p.N {
			k := 3 * c
			x0, x1, x2 := e.single.pull(&e, c)
			e.single.push(c, r[k:k+3])
			wrong += (x0-x[k])*(x0-x[k]) + (x1-x[k+1])*(x1-x[k+1]) + (x2-x[k+2])*(x2-x[k+2])
		}
		if size := num.Norm(x); !(wrong <= 1e-12*off*off*size*size) {
			t.Errorf("%g away: squared error %g of %g", off, wrong, size*size)
		}
	}
}
