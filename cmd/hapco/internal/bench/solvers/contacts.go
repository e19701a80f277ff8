package solvers

import (
	"context"
	"fmt"
	"math"
	"path/filepath"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"hapco/cmd/hapco/internal/app"
	"hapco/cmd/hapco/internal/bench/figure"
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
	x, y := map[string][]float64{}, map[string][]float64{}
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
			if run.Converged {
				key := scalingKey(s.solver, s.tol)
				x[key] = append(x[key], math.Log(float64(p.N)))
				y[key] = append(y[key], math.Log(run.MSMedian))
			}
		}
	}
	for key := range x {
		if len(x[key]) >= 3 {
			_, out.Exponents[key] = stat.LinearRegression(x[key], y[key], nil, false)
		}
	}
	return out, nil
}

func scalingKey(solver string, tol float64) string { return fmt.Sprintf("%s at %g", solver, tol) }

// plot draws time over contacts with the fitted exponents.
func (s *scaling) plot(dir string) error {
	p := plot.New()
	p.Title.Text = "A rigid plate on soft tissue, cold start, one core"
	p.X.Label.Text, p.Y.Label.Text = "contacts", "ms"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.LogTicks{Prec: -1}, plot.LogTicks{Prec: -1}
	p.Legend.Top, p.Legend.Left = true, true
	p.Add(plotter.NewGrid())
	lines := 0
	for i, solver := range scalingSolvers {
		key := scalingKey(solver.solver, solver.tol)
		var points plotter.XYs
		for k := range s.Points {
			if x := &s.Points[k]; x.Converged && x.Solver == solver.solver && x.Tol == solver.tol {
				points = append(points, plotter.XY{X: float64(x.Contacts), Y: x.MSMedian})
			}
		}
		if len(points) < 2 {
			continue
		}
		line, marks, err := plotter.NewLinePoints(points)
		if err != nil {
			return err
		}
		line.Color, marks.GlyphStyle = app.SeriesColors[i], app.SeriesGlyph(i)
		lines++
		p.Add(line, marks)
		p.Legend.Add(fmt.Sprintf("%s, exponent %.2f", key, s.Exponents[key]), line, marks)
	}
	if lines == 0 {
		return nil
	}
	return figure.Save(p, 16*vg.Centimeter, 11*vg.Centimeter, filepath.Join(dir, "solvers-scaling.png"))
}
