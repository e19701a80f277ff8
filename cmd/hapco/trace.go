package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/frame"
	"hapco/physics/local"
	"hapco/physics/scene"
	"hapco/physics/tissue"
)

// traceCommand drives the stylus along a path without window or device.
type traceCommand struct {
	sceneFlags
	Path   string  `help:"Path of the stylus: one of the scene's (penetration, sliding) or a CSV file with columns dx_mm,dy_mm,dz_mm. Without it penetration, or the scene's first."`
	Steps  int     `help:"Number of steps of the path's last move; 0 keeps the scene's."`
	StepMM float64 `name:"step-mm" help:"Length of a step, mm; 0 keeps the scene's."`
	JSON   bool    `name:"json" help:"Print JSON."`
	CSV    bool    `name:"csv" help:"Print CSV."`
	Out    string  `help:"Write to this file instead of standard output." type:"path"`
}

// traceStep is one step of the output; see section 8 of the design.
type traceStep struct {
	Step         int                   `json:"step"`
	OffsetM      [3]float64            `json:"offset_m"`
	ForceN       [3]float64            `json:"force_N"`
	RNormN       float64               `json:"r_norm_N"`
	Sticking     int                   `json:"sticking"`
	Sliding      int                   `json:"sliding"`
	Open         int                   `json:"open"`
	PenetrationM float64               `json:"penetration_m"`
	ReductionM   float64               `json:"reduction_m"`   // the same over contacts that contact.reduction left out
	FeltN        [3]float64            `json:"felt_N"`        // resultant of the contact model that the hand is given
	LeftOut      int                   `json:"hand_left_out"` // contacts of the stylus that model has no room for ...
	Lumped       int                   `json:"hand_lumped"`   // ... and those of them that are loaded: felt as one
	ProbesM      map[string][3]float64 `json:"probes_m"`
	Iterations   int                   `json:"iterations"`
	Error        float64               `json:"error"`
	NaturalMap   float64               `json:"natural_map_error"`
	Scaled       float64               `json:"scaled_error"`
	Converged    bool                  `json:"converged"`
	Late         bool                  `json:"late"` // contact.deadline ended the solve
	RhoMin       float64               `json:"rho_min_N_per_m"`

	// What linear elasticity makes of the bodies: elements turned over inside, the
	// largest principal strain, triangles held at contact.strain_limit, and how
	// often a tool that was pulled has been let go since the start.
	Inverted int     `json:"inverted_elements"`
	Strain   float64 `json:"largest_strain"`
	Limited  int     `json:"strain_limited"`
	Released uint64  `json:"released"`

	Increments int        `json:"increments"`
	MS         traceTimes `json:"ms"`
}

type traceTimes struct {
	Collision    float64 `json:"collision"`
	Free         float64 `json:"free"`
	Assemble     float64 `json:"assemble"`
	Contact      float64 `json:"contact"`
	Displacement float64 `json:"displacement"`
	Total        float64 `json:"total"`
}

type traceOutput struct {
	Scene string      `json:"scene"`
	Path  string      `json:"path"`
	Steps []traceStep `json:"steps"`
}

// maxSteps bounds the steps of a path: all of them are kept until the end.
const maxSteps = 1000000

// maxIncrements bounds the increments of one step of a path.
const maxIncrements = 100000

// Run drives the stylus and prints what it felt.
func (c *traceCommand) Run(ctx context.Context) error {
	if c.JSON && c.CSV {
		return badInput(fmt.Errorf("trace: --json and --csv together (cure: choose one)"))
	}
	s, err := c.load()
	if err != nil {
		return err
	}
	offsets, err := c.offsets(s)
	if err != nil {
		return badInput(err)
	}
	world, err := buildWorld(ctx, s, c.builder())
	if err != nil {
		return err
	}
	out := traceOutput{Scene: s.Name, Path: c.Path}
	var hand local.Model
	local.Make(&hand, 0)
	start := world.StartPose()
	for i, d := range offsets {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		step, err := traceTo(world, &hand, frame.Pose{Position: start.Position.Add(d), Rotation: start.Rotation})
		if err != nil {
			return err
		}
		step.Step, step.OffsetM = i+1, d
		if c.JSON {
			step.Inverted, step.Strain = world.Strains()
		}
		out.Steps = append(out.Steps, step)
	}
	return writeOut(c.Out, func(w io.Writer) error {
		switch {
		case c.JSON:
			return json.NewEncoder(w).Encode(out)
		case c.CSV:
			return out.writeCSV(w)
		}
		return out.writeTable(w)
	})
}

// traceTo makes one step of the path, in as many increments as it takes; hand is
// room for the model that a hand would be given.
func traceTo(w *tissue.World, hand *local.Model, target frame.Pose) (traceStep, error) {
	var sum tissue.Timing
	for n := 1; n <= maxIncrements; n++ {
		reached := w.Step(target)
		st := w.Stats()
		sum.Collision += st.Timing.Collision
		sum.Free += st.Timing.Free
		sum.Assemble += st.Timing.Assemble
		sum.Contact += st.Timing.Contact
		sum.Displacement += st.Timing.Displacement
		sum.Total += st.Timing.Total
		if !reached {
			continue
		}
		force, _ := w.Force()
		w.Model(hand)
		felt, _ := hand.Resultant(hand.R)
		step := traceStep{
			ForceN: force, RNormN: w.RNorm(),
			Sticking: st.Stick, Sliding: st.Slip, Open: st.Open,
			PenetrationM: st.Penetration, ReductionM: st.Reduction,
			FeltN: felt, LeftOut: hand.Extra, Lumped: hand.Lumped,
			Iterations: st.Solve.Iterations, Error: finite(st.Solve.RelativeChange),
			NaturalMap: finite(st.Solve.NaturalError), Scaled: finite(st.Solve.ScaledError),
			Converged: st.Solve.Converged, Late: st.Late, RhoMin: finite(w.RhoMin()),
			Limited: st.Limited, Released: st.Released,
			Increments: n,
			ProbesM:    map[string][3]float64{},
			MS: traceTimes{
				milliseconds(sum.Collision), milliseconds(sum.Free), milliseconds(sum.Assemble),
				milliseconds(sum.Contact), milliseconds(sum.Displacement), milliseconds(sum.Total),
			},
		}
		for _, p := range w.Scene().Probes {
			if u, ok := w.Probe(p.Name); ok {
				step.ProbesM[p.Name] = u
			}
		}
		return step, nil
	}
	return traceStep{}, fmt.Errorf("trace: the stylus did not reach %v m in %d increments (cure: a larger contact.ddc_tolerance)", target.Position, maxIncrements)
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// finite makes a number that JSON can hold; -1 stands for none.
func finite(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return -1
	}
	return x
}

// offsets lists where the stylus goes, relative to its start, m.
func (c *traceCommand) offsets(s *scene.Scene) ([]mgl64.Vec3, error) {
	if strings.HasSuffix(strings.ToLower(c.Path), ".csv") {
		if c.Steps != 0 || c.StepMM != 0 {
			return nil, errors.New("trace: --steps and --step-mm are for the scene's paths (cure: leave them out with a .csv file)")
		}
		return readPath(c.Path)
	}
	p, err := s.ChoosePath(c.Path, "penetration")
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	c.Path = p.Name // for the output
	if c.Steps < 0 || !(c.StepMM >= 0) || math.IsInf(c.StepMM, 0) {
		return nil, fmt.Errorf("trace: --steps %d --step-mm %g (cure: values above 0)", c.Steps, c.StepMM)
	}
	moves := append([]scene.Move(nil), p.Moves...)
	total := 0.0 // counted before memory is asked for, and before an int overflows
	for i := range moves {
		m := &moves[i]
		if c.StepMM > 0 {
			length := float64(m.Steps) * m.Step
			m.Step = c.StepMM / 1000
			m.Steps = max(1, int(min(maxSteps+1, math.Round(length/m.Step))))
		}
		if c.Steps > 0 && i == len(moves)-1 {
			m.Steps = c.Steps
		}
		total += float64(m.Steps)
	}
	if !(total <= maxSteps) {
		return nil, fmt.Errorf("trace: more than %d steps (cure: fewer --steps or a larger --step-mm)", maxSteps)
	}
	path := scene.Path{Moves: moves}
	return path.Offsets(), nil
}

// readPath reads stylus displacements from a CSV file: a header line, then
// dx_mm, dy_mm, dz_mm in the first three columns.
func readPath(name string) ([]mgl64.Vec3, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("trace: %w (cure: name an existing file)", err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.FieldsPerRecord = -1
	r.TrimLeadingSpace = true
	var out []mgl64.Vec3
	for {
		rec, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("trace: %s: %w", name, err)
		}
		line, _ := r.FieldPos(0)
		if len(rec) < 3 {
			return nil, fmt.Errorf("trace: %s:%d: %d columns (cure: dx_mm,dy_mm,dz_mm)", name, line, len(rec))
		}
		var p mgl64.Vec3
		var bad error
		for k := range 3 {
			x, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimPrefix(rec[k], "\ufeff")), 64)
			if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
				bad = fmt.Errorf("trace: %s:%d: %q is no number (cure: displacements in mm)", name, line, rec[k])
				break
			}
			p[k] = x / 1000
		}
		if bad != nil {
			if len(out) == 0 && line == 1 { // the header
				continue
			}
			return nil, bad
		}
		out = append(out, p)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("trace: %s: no positions (cure: lines of dx_mm,dy_mm,dz_mm)", name)
	}
	return out, nil
}

func (o *traceOutput) writeCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	head := []string{"step", "dx_mm", "dy_mm", "dz_mm", "fx_N", "fy_N", "fz_N", "r_norm_N", "sticking", "sliding", "open",
		"penetration_mm", "iterations", "relative_change", "natural_map_error", "rho_min_N_per_m",
		"collision_ms", "free_ms", "assemble_ms", "contact_ms", "displacement_ms", "total_ms"}
	if err := c.Write(head); err != nil {
		return err
	}
	for i := range o.Steps {
		s := &o.Steps[i]
		row := []string{strconv.Itoa(s.Step)}
		add := func(x ...float64) {
			for _, v := range x {
				row = append(row, strconv.FormatFloat(v, 'g', -1, 64))
			}
		}
		add(1e3*s.OffsetM[0], 1e3*s.OffsetM[1], 1e3*s.OffsetM[2])
		add(s.ForceN[:]...)
		add(s.RNormN)
		row = append(row, strconv.Itoa(s.Sticking), strconv.Itoa(s.Sliding), strconv.Itoa(s.Open))
		add(1e3 * s.PenetrationM)
		row = append(row, strconv.Itoa(s.Iterations))
		add(s.Error, s.NaturalMap, s.RhoMin, s.MS.Collision, s.MS.Free, s.MS.Assemble, s.MS.Contact, s.MS.Displacement, s.MS.Total)
		if err := c.Write(row); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

func (o *traceOutput) writeTable(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "step\tdx mm\tdy mm\tdz mm\tFx N\tFy N\tFz N\tstick\tslip\topen\titer\terror\tcontact ms\ttotal ms\t")
	for i := range o.Steps {
		s := &o.Steps[i]
		fmt.Fprintf(t, "%d\t%.2f\t%.2f\t%.2f\t%.4g\t%.4g\t%.4g\t%d\t%d\t%d\t%d\t%.1e\t%.3f\t%.3f\t\n", s.Step,
			1e3*s.OffsetM[0], 1e3*s.OffsetM[1], 1e3*s.OffsetM[2], s.ForceN[0], s.ForceN[1], s.ForceN[2],
			s.Sticking, s.Sliding, s.Open, s.Iterations, s.Error, s.MS.Contact, s.MS.Total)
	}
	return t.Flush()
}

// writeOut writes to a file, or to standard output when name is "". A file
// appears whole or not at all, and keeps its permissions. What a link points to
// is replaced, not the link; a device or a pipe is written to, never replaced.
func writeOut(name string, write func(io.Writer) error) error {
	if name == "" {
		return write(os.Stdout)
	}
	mode := os.FileMode(0o644)
	if info, err := os.Stat(name); err == nil {
		switch {
		case info.IsDir():
			return badInput(fmt.Errorf("--out %s: is a directory (cure: the name of a file)", name))
		case !info.Mode().IsRegular():
			return writeThrough(name, write)
		}
		mode = info.Mode().Perm()
		if name, err = filepath.EvalSymlinks(name); err != nil {
			return badInput(fmt.Errorf("--out: %w (cure: a file that may be written)", err))
		}
	}
	f, err := os.CreateTemp(dirOf(name), ".hapco-*")
	if err != nil {
		return badInput(fmt.Errorf("--out %s: %w (cure: a folder that exists and may be written)", name, err))
	}
	defer os.Remove(f.Name()) // fails once renamed
	if err := write(f); err != nil {
		f.Close()
		return fmt.Errorf("writing %s: %w", name, err)
	}
	if err := f.Chmod(mode); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return os.Rename(f.Name(), name)
}

// writeThrough writes to what is no regular file, such as /dev/stdout.
func writeThrough(name string, write func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return badInput(fmt.Errorf("--out: %w (cure: a file that may be written)", err))
	}
	if err := write(f); err != nil {
		f.Close()
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return f.Close()
}
