package contact_test

import (
	"fmt"
	"math"
	"slices"

	"hapco/physics/numerics/contact"
)

func init() {
	contact.Register(contact.Description{
		Name: "example-jacobi", Title: "Jacobi", Note: "all contacts at once, from the forces of the last sweep",
		Traits: contact.Traits{Family: contact.FamilyThesis, Formulation: contact.FormulationBipotential, Rho: contact.RhoLeast},
	}, func() contact.Solver { return new(jacobi) })
}

// jacobi is a solver in 25 lines: r_c <- P_K(r_c - rho (x_c + mu |x_t,c| n)) with x = W r + q
// of the last sweep. contact.Sweeps repeats it and decides when to stop.
type jacobi struct {
	rho    float64   // N/m
	x      []float64 // 3N
	sweeps contact.Sweeps
}

// Solve implements contact.Solver.
func (s *jacobi) Solve(p *contact.Problem, r []float64, opt *contact.Options) contact.Result {
	s.sweeps.Start(opt)
	contact.CheckSizes(p, r)
	s.rho = opt.Stiffness(p.RhoMin()) / float64(p.N) // safe: W's norm is at most its trace
	return s.sweeps.Run(s, p, r, opt, s.rho)
}

// Sweep implements contact.Sweeper.
func (s *jacobi) Sweep(p *contact.Problem, r []float64, _ int, clock *contact.Clock) bool {
	s.x = slices.Grow(s.x[:0], 3*p.N)[:3*p.N]
	p.Displacements(s.x, r)
	for c, mu := range p.Mu {
		f, x := r[3*c:3*c+3], s.x[3*c:3*c+3]
		n := x[0] + mu*math.Hypot(x[1], x[2])
		f[0], f[1], f[2] = contact.ProjectCone(mu, f[0]-s.rho*n, f[1]-s.rho*x[1], f[2]-s.rho*x[2])
	}
	return !clock.Expired()
}

// A point is pressed 1 mm into a body of 1000 N/m and dragged 5 mm along it.
func Example_solver() {
	p := &contact.Problem{N: 1, W: []float64{1e-3, 0, 0, 0, 1e-3, 0, 0, 0, 1e-3}, Q: []float64{-1e-3, 3e-3, 4e-3}, Mu: []float64{0.3}}
	s, err := contact.New("example-jacobi")
	if err != nil {
		panic(err)
	}
	r, opt := make([]float64, 3), contact.DefaultOptions()
	res := s.Solve(p, r, &opt)
	fmt.Printf("%t: %.2f %.2f %.2f N\n", res.Converged, r[0], r[1], r[2])
	// Output: true: 1.00 -0.18 -0.24 N
}
