package cases

import (
	"context"
	"path/filepath"

	"hapco/physics/machinery/refusal"
	"hapco/physics/measure/verify"
	"hapco/physics/numerics/contact"
	_ "hapco/physics/numerics/contact/solvers"
)

func init() {
	verify.Register("contact.problem", verify.Runner{Run: runProblem, Compare: compareProblem})
}

// problemInput is one frictional contact problem, from a file or written out.
type problemInput struct {
	File       string      `json:"file,omitempty"` // .fc3d, plain or gzipped, beside the case
	Mu         []float64   `json:"mu,omitempty"`   // N friction coefficients
	Q          []float64   `json:"q,omitempty"`    // free displacements, 3N, order n t1 t2
	W          [][]float64 `json:"W,omitempty"`    // Delassus operator, 3N rows of 3N
	Solver     string      `json:"solver,omitempty"`
	Tolerance  float64     `json:"tolerance,omitempty"`      // on both errors; 1e-10
	Iterations int         `json:"max_iterations,omitempty"` // 100000
}

// problemOutputs are forces and displacements, 3N in the order n t1 t2.
type problemOutputs struct {
	Forces        []float64 `json:"r"`
	Displacements []float64 `json:"u"`
	Natural       float64   `json:"natural_map_error"`
	Scaled        float64   `json:"scaled_error"`
	Sticking      int       `json:"sticking"`
	Sliding       int       `json:"sliding"`
	Open          int       `json:"open"`
	Converged     bool      `json:"converged"`
}

func runProblem(_ context.Context, in *verify.Input) any {
	data := problemInput{Solver: "auto", Tolerance: 1e-10, Iterations: 100000}
	refusal.Need(in.Decode(&data))
	refusal.If(!(data.Tolerance > 0) || data.Iterations < 1,
		"input.tolerance %g, input.max_iterations %d (cure: above 0)", data.Tolerance, data.Iterations)
	solver := refusal.Must(contact.New(data.Solver))
	p := data.problem(in.File)
	opt := contact.DefaultOptions()
	opt.Criterion, opt.Tolerance, opt.MaxIterations = contact.NaturalMap, data.Tolerance, data.Iterations
	out := &problemOutputs{Forces: make([]float64, 3*p.N), Displacements: make([]float64, 3*p.N)}
	res := solver.Solve(p, out.Forces, &opt)
	p.Displacements(out.Displacements, out.Forces)
	e := p.Errors(out.Forces, out.Displacements)
	out.Natural, out.Scaled, out.Converged = e.Natural, e.Scaled, res.Converged
	out.Sticking, out.Sliding, out.Open = contact.Statuses(make([]contact.Status, p.N), out.Forces, p.Mu)
	return out
}

func (d *problemInput) problem(file string) *contact.Problem {
	if d.File != "" {
		refusal.If(d.Mu != nil || d.Q != nil || d.W != nil,
			"input.file beside mu, q or W (cure: either a file, or the three of them)")
		at := d.File
		if !filepath.IsAbs(at) {
			at = filepath.Join(filepath.Dir(file), at)
		}
		p, _, err := contact.LoadFC3D(at)
		refusal.Need(err)
		return p
	}
	n := len(d.Mu)
	refusal.If(n == 0 || n > contact.MaxContacts,
		"input: %d contacts (cure: input.file, or mu, q and W of 1 to %d contacts)", n, contact.MaxContacts)
	p := &contact.Problem{N: n, Mu: d.Mu, Q: d.Q}
	for i, row := range d.W {
		refusal.If(len(row) != 3*n, "input.W[%d]: %d numbers for %d contacts (cure: %d)", i, len(row), n, 3*n)
		p.W = append(p.W, row...)
	}
	refusal.NeedAt(p.Validate(), "input")
	p.Compress()
	return p
}

// compareProblem compares r and u relative to their largest number, the two error measures in absolute value, and
// counts exactly.
func compareProblem(c *verify.Case, outputs any) []verify.Check {
	checks := verify.CompareNumbers(c, outputs)
	out := outputs.(*problemOutputs)
	for i := range checks {
		k := &checks[i]
		switch k.Name {
		case "natural_map_error", "scaled_error":
			k.Error, k.Tolerance = k.Ours, c.Tol(k.Name, 1e-8)
		}
	}
	if !out.Converged {
		checks = append(checks, verify.Check{Name: "converged", Expected: 1, Error: 1})
	}
	return checks
}
