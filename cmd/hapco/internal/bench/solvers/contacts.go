package solvers

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/cmd/hapco/internal/bench/figure"
	"hapco/cmd/hapco/internal/bench/output"
	"hapco/physics/files/scene"
	"hapco/physics/frame"
	"hapco/physics/numerics/contact"
	"hapco/physics/worlds/tissue"
)

// Plates are the contact patches of the scaling measurement: nodes along X and Z.
var Plates = [][2]int{{4, 4}, {6, 6}, {6, 11}, {12, 12}, {20, 20}, {25, 40}}

// scalingSolvers are timed on each plate of up to so many contacts, at the tolerance beside them. A tight tolerance on
// the largest plate, whose operator has not half the rank of its size, takes minutes.
var scalingSolvers = []struct {
	solver string
	tol    float64
	most   int
}{{"auto", 1e-4, 1000}, {"auto", 1e-8, 400}, {"nsgs", 1e-4, 1000}, {"uzawa", 1e-4, 1000}}

// scaling is how the time of a solve grows with the number of contacts.
type scaling struct {
	Points    []solverRun        `json:"points"`
	Exponents map[string]float64 `json:"exponents"` // of time over contacts, by solver and tolerance
}

// plateScene is a rigid plate of nx by nz nodes over a slab of soft tissue.
func plateScene(nx, nz int) *scene.Scene {
	s := scene.Default()
	s.Name = "plate"
	s.Contact.DDCTolerance = math.Inf(1)
	s.Contact.Anchored, s.Contact.Normals = false, scene.FaceNormals
	s.Contact.Tolerance = 1e-6
	s.Contact.Reduction = 0 // all of them are the point
	plate := scene.DefaultBody(scene.Driven)
	plate.Name, plate.Rigid = "plate", true
	plate.Shape = scene.Shape{Kind: scene.BoxShape, Box: scene.Box{
		Origin: mgl64.Vec3{0.0152, 0.02, 0.0147}, Size: mgl64.Vec3{0.03, 0.01, 0.03}, Elements: [3]int{nx - 1, 1, nz - 1},
	}}
	plate.Surface = scene.Selector{Kind: scene.SelectSide, Side: scene.Bottom}
	slab := scene.DefaultBody(scene.Fixed)
	slab.Name, slab.Material, slab.Young, slab.Poisson = "slab", scene.Custom, 0.02e6, 0.4
	slab.Shape = scene.Shape{Kind: scene.BoxShape, Box: scene.Box{
		Size: mgl64.Vec3{0.06, 0.02, 0.06}, Elements: [3]int{24, 3, 24},
	}}
	slab.Clamp = scene.Selector{Kind: scene.SelectSide, Side: scene.Bottom}
	slab.Surface = scene.Selector{Kind: scene.SelectSide, Side: scene.Top}
	s.Bodies = []scene.Body{plate, slab}
	s.Pairs = []scene.Pair{{A: "plate", B: "slab", Friction: math.NaN(), Contact: scene.ContactOne}}
	return &s
}

// PlateProblem is a rigid plate of nx by nz nodes, pressed 1 mm into a slab of soft tissue and drawn 0.5 mm along it:
// the second increment's problem.
func PlateProblem(ctx context.Context, nx, nz int) (*contact.Problem, error) {
	w, _, err := tissue.New(ctx, plateScene(nx, nz), nil)
	if err != nil {
		return nil, err
	}
	start := w.StartPose()
	for _, d := range []mgl64.Vec3{{0, -0.001, 0}, {0.0005, -0.001, 0}} {
		w.Step(frame.Pose{Position: start.Position.Add(d), Rotation: start.Rotation})
	}
	p, _ := w.Problem()
	return p, nil
}

// scale measures the growth of time with the number of contacts.
func (c *Command) scale(ctx context.Context) (*scaling, error) {
	out := &scaling{Exponents: map[string]float64{}}
	sizes := Plates
	if c.Quick {
		sizes = Plates[:4]
	}
	for _, n := range sizes {
		p, err := PlateProblem(ctx, n[0], n[1])
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("bench solvers: plate of %dx%d nodes: %w", n[0], n[1], err)
		}
		for _, s := range scalingSolvers {
			if p.N > s.most {
				continue
			}
			run := c.measure(ctx, p, s.solver, s.tol)
			if ctx.Err() != nil {
				break
			}
			run.Problem = fmt.Sprintf("plate %dx%d", n[0], n[1])
			out.Points = append(out.Points, run)
		}
	}
	for _, s := range scalingSolvers {
		if points := out.of(s.solver, s.tol); len(points) >= 3 {
			out.Exponents[scalingKey(s.solver, s.tol)] = output.LogSlope(points, contactsOf, medianOf)
		}
	}
	return out, nil
}

func scalingKey(solver string, tol float64) string { return fmt.Sprintf("%s at %g", solver, tol) }

// of are the solves that a solver finished to a tolerance.
func (s *scaling) of(solver string, tol float64) []solverRun {
	return slices.DeleteFunc(slices.Clone(s.Points), func(x solverRun) bool { return !x.Converged || x.Solver != solver || x.Tol != tol })
}

// plot draws time over contacts.
func (s *scaling) plot(dir string) error {
	var curves []figure.Curve
	for _, solver := range scalingSolvers {
		curves = append(curves, figure.CurveOf(scalingKey(solver.solver, solver.tol), s.of(solver.solver, solver.tol), contactsOf, medianOf))
	}
	return figure.SaveLogLog(filepath.Join(dir, "solvers-scaling.png"), "A rigid plate on soft tissue, cold start, one core", "contacts", "ms", curves)
}
