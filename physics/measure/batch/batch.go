// Package batch takes the stylus of a world along a path, without window or device, as fast as it goes: what traces and
// sweeps have in common.
package batch

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/files/setting"
	"hapco/physics/frame"
	"hapco/physics/machinery/budget"
	"hapco/physics/machinery/refusal"
	"hapco/physics/numerics/num"
)

// maxSteps bounds the steps of a path, and MaxIncrements the increments of one step.
const maxSteps, MaxIncrements = 1000000, 100000

// Way says where the stylus goes.
type Way struct {
	Path   string  `help:"One of the scene's paths, or a CSV file with columns dx_mm,dy_mm,dz_mm (and rx_deg,ry_deg,rz_deg). Without it penetration, or the first."`
	Steps  int     `help:"Steps of the path's last move; 0: the scene's." in:"0..1000000"`
	StepMM float64 `name:"step-mm" help:"Length of a step, mm; 0: the scene's." in:"0|1e-12..1e9"`
}

// File is the file that the path is read from; "" where it is one of the scene's.
func (w *Way) File() string {
	if strings.HasSuffix(strings.ToLower(w.Path), ".csv") {
		return w.Path
	}
	return ""
}

// Offsets lists where the stylus goes, relative to its start: its displacement, m, and how it is turned about its
// origin, in the world's axes. Path becomes the name of the path that was chosen.
func (w *Way) Offsets(s *setting.Setting) ([]frame.Pose, error) {
	return refusal.Caught(func() []frame.Pose { return w.offsets(s) })
}

func (w *Way) offsets(s *setting.Setting) []frame.Pose {
	if w.File() != "" {
		refusal.If(w.Steps != 0 || w.StepMM != 0,
			"--steps and --step-mm are for the scene's paths (cure: leave them out with a .csv file)")
		return refusal.Must(readPath(w.Path))
	}
	p := refusal.Must(s.ChoosePath(w.Path, "penetration"))
	w.Path = p.Name
	moves := slices.Clone(p.Moves)
	total, length := 0.0, 0.0 // counted before memory is asked for, and before an int overflows
	for i := range moves {
		m := &moves[i]
		if w.StepMM > 0 {
			long := float64(m.Steps) * m.Step
			m.Step = w.StepMM / 1000
			m.Steps = max(1, int(min(maxSteps+1, math.Round(long/m.Step))))
		}
		if w.Steps > 0 && i == len(moves)-1 {
			m.Steps = w.Steps
		}
		total += float64(m.Steps)
		length += float64(m.Steps) * m.Step
	}
	refusal.Unless(total <= maxSteps, "more than %d steps (cure: fewer --steps or a larger --step-mm)", maxSteps)
	refusal.Unless(length <= frame.Farthest,
		"a path of %.3g m (cure: at most %g m, by fewer --steps or a smaller --step-mm)", length, frame.Farthest)
	return Unturned((&setting.Path{Moves: moves}).Offsets())
}

// Unturned are offsets of a stylus that does not turn, from its displacements, m.
func Unturned(displacements []mgl64.Vec3) []frame.Pose {
	out := make([]frame.Pose, len(displacements))
	for i, d := range displacements {
		out[i] = frame.At(d)
	}
	return out
}

// turns are the headings of the columns that turn the tool.
var turns = [3]string{"rx_deg", "ry_deg", "rz_deg"}

// readPath reads offsets of the stylus from a CSV file: a header line, then dx_mm, dy_mm, dz_mm in the first three
// columns. Where the header goes on with rx_deg, ry_deg, rz_deg, the next three are a rotation vector: its direction
// the axis, its length the angle.
func readPath(name string) ([]frame.Pose, error) {
	return refusal.Caught(func() []frame.Pose {
		f, err := budget.Table.Open(name)
		refusal.If(err != nil, "%w (cure: name an existing file)", err)
		defer f.Close()
		r := csv.NewReader(f)
		r.FieldsPerRecord = -1
		r.TrimLeadingSpace = true
		var out []frame.Pose
		columns := 3
		for {
			rec, err := r.Read()
			if err == io.EOF {
				break
			}
			refusal.NeedAt(err, "%s", name)
			line, _ := r.FieldPos(0)
			refusal.If(len(rec) < columns,
				"%s:%d: %d columns (cure: dx_mm,dy_mm,dz_mm, and rx_deg,ry_deg,rz_deg if the header names them)",
				name, line, len(rec))
			same := func(a, b string) bool { return strings.TrimSpace(a) == b }
			if line == 1 && len(rec) >= 6 && slices.EqualFunc(rec[3:6], turns[:], same) {
				columns = 6
			}
			p, err := refusal.Caught(func() frame.Pose { return offsetOf(rec[:columns]) })
			if err != nil && len(out) == 0 && line == 1 { // the header
				continue
			}
			refusal.NeedAt(err, "%s:%d", name, line)
			out = append(out, p)
		}
		refusal.If(len(out) == 0, "%s: no positions (cure: lines of dx_mm,dy_mm,dz_mm)", name)
		return out
	})
}

// offsetOf is the offset that a line of three or six columns says.
func offsetOf(fields []string) frame.Pose {
	var x [6]float64
	for k, f := range fields {
		v, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimPrefix(f, "\ufeff")), 64)
		refusal.If(err != nil || !num.Finite(v), "%q is no number (cure: displacements in mm, turns in degrees)", f)
		x[k] = v
	}
	p := frame.At(mgl64.Vec3{x[0] / 1000, x[1] / 1000, x[2] / 1000})
	refusal.Unless(p.Proper(), "%s mm is too far (cure: displacements of at most %g mm)",
		strings.Join(fields[:3], ","), 1000*frame.Farthest)
	if angle := math.Hypot(x[3], math.Hypot(x[4], x[5])); angle > 0 { // no square that overflows
		p.Rotation = mgl64.QuatRotate(mgl64.DegToRad(math.Mod(angle, 360)), mgl64.Vec3{x[3] / angle, x[4] / angle, x[5] / angle}.Normalize())
	}
	return p
}

// Step is what came of one step of a path.
type Step struct {
	Number     int        // from 1 on
	Increments int        // that it took
	Offset     frame.Pose // of the stylus from its start, as Way.Offsets says
	Force      mgl64.Vec3 // on the stylus, world, N
	Torque     mgl64.Vec3 // about its origin, N m
	Behind     float64    // how far it stands from there, m; 0 where it is there
	Held       bool       // it could not get there: Behind, or its turn, is what is missing
	Entries    []physics.Entry
	Phases     [physics.MaxPhases]time.Duration // of all increments together
	Total      time.Duration
}

// patience is how many increments a tool may make without coming nearer to where it should be, by a hundredth of what
// is missing. It is as much as a world takes that gives up a way and tries another several times over. After a step in
// which it was held it gets half of that, and so on down to leastPatience: a path of which nothing can be followed ends
// soon.
const patience, leastPatience = 1000, 100

// Held sums up the steps in which a tool could not get where the path leads.
type Held struct {
	Steps, First int
	Behind       float64 // in the first, m
}

// Add takes a step in.
func (h *Held) Add(s *Step) {
	if s.Held {
		if h.Steps++; h.Steps == 1 {
			h.First, h.Behind = s.Number, s.Behind
		}
	}
}

// Err is one line on them; nil where there were none.
func (h *Held) Err(w physics.World) error {
	if h.Steps == 0 {
		return nil
	}
	by := "what it touches"
	for i := range w.Info().Surfaces {
		if s := &w.Info().Surfaces[i]; !s.Driven && !s.Rigid {
			by = s.Name
			break
		}
	}
	cure := "a path that is not as deep"
	if slices.ContainsFunc(w.Keys(), func(k physics.Key) bool { return k.Name == "friction" }) {
		cure += ", or less friction"
	}
	return fmt.Errorf("%s holds the tool back in %d steps of the path: in step %d, the first, by %.3g mm (cure: %s)", by, h.Steps, h.First, 1e3*h.Behind, cure)
}

// Reacher takes a stylus from pose to pose. The zero value is ready.
type Reacher struct {
	held              bool // it was, on the last way
	patience, waited  int
	far               float64 // m, now
	bestFar, bestTurn float64 // m and rad, when it last came nearer
}

// look looks whether the stylus has come nearer.
func (r *Reacher) look(target, at *frame.Pose) {
	const nearer = 0.99
	r.far = target.Position.Sub(at.Position).Len()
	turn := 2 * math.Acos(min(1, math.Abs(target.Rotation.Normalize().Dot(at.Rotation))))
	if r.waited++; r.far < nearer*r.bestFar || turn < nearer*r.bestTurn {
		r.waited, r.bestFar, r.bestTurn = 0, r.far, turn
	}
}

// To steps until the stylus is at target, or held: s.Held says so. What came of it is added to s.
func (r *Reacher) To(ctx context.Context, step func(in physics.Input) physics.Report, target frame.Pose, s *Step) error {
	r.waited, r.bestFar, r.bestTurn = 0, math.Inf(1), math.Inf(1)
	if r.patience = max(r.patience/2, leastPatience); !r.held {
		r.patience = patience
	}
	for reached := false; !reached; {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if s.Held = r.waited >= r.patience || s.Increments == MaxIncrements; s.Held {
			break
		}
		s.Increments++
		made := step(physics.Input{Target: target, Hand: target})
		for k := range s.Phases {
			s.Phases[k] += made.Phases[k]
		}
		s.Total += made.Total
		s.Force, s.Torque, reached = made.Force, made.Torque, made.Reached
		r.look(&target, &made.Stylus)
	}
	if r.held = s.Held; s.Held {
		s.Behind = r.far
	}
	return nil
}

// Along takes the stylus through all offsets and tells each when it gets there, or where it is held: Step.Held says so,
// and the path goes on. Costly asks the world's account for what takes longest.
func Along(ctx context.Context, w physics.World, offsets []frame.Pose, costly bool, each func(s *Step) error) error {
	start := w.Info().Start
	var to Reacher
	for i, d := range offsets {
		s := Step{Number: i + 1, Offset: d}
		target := frame.Pose{Position: start.Position.Add(d.Position), Rotation: d.Rotation.Mul(start.Rotation)}
		if err := to.To(ctx, w.Step, target, &s); err != nil {
			return err
		}
		if a, ok := w.(physics.Accountant); ok {
			s.Entries = a.Account(costly)
		}
		if err := each(&s); err != nil {
			return err
		}
	}
	return nil
}

// Clock says how a world that advances in time is watched.
type Clock struct {
	Seconds float64 `help:"How long, s, in worlds that advance in time; the path takes that long." in:"0..1e12"`
	Every   float64 `help:"With --seconds: s from one printed state to the next (default: a hundredth of that)." in:"0..1e12"`
}

// On tells whether a clock was asked for.
func (c *Clock) On() bool { return c.Seconds != 0 || c.Every != 0 }

// Check refuses what is no time.
func (c *Clock) Check() error {
	if c.Every == 0 {
		c.Every = c.Seconds / 100
	}
	if !(c.Seconds > 0 && c.Every > 0) || math.IsInf(c.Seconds, 0) || c.Seconds/c.Every > maxSteps {
		return fmt.Errorf("--seconds %g --every %g (cure: both above 0, at most %d samples)", c.Seconds, c.Every, maxSteps)
	}
	return nil
}

// standing is after how many steps in a row that advance nothing a world is said to stand still.
const standing = 1000

// InTime lets a world go on in steps of its own to the end of the clock or beyond it by less than one, the stylus at an
// offset from its start that hand tells for each time (nil: it rests), and tells each of every step. due says that its
// state is to be printed: that of the first step at or after each multiple of Every, and of the last one. t is the
// world's own time, s.
func InTime(ctx context.Context, w physics.World, c *Clock, hand func(t float64) mgl64.Vec3, each func(t float64, due bool, r *physics.Report) error) error {
	timed, ok := w.(physics.Timed)
	if !ok || !w.Info().Advances {
		return errors.New("the scene does not advance in time (cure: leave --seconds and --every out)")
	}
	start := w.Info().Start
	pose := start
	var t total
	stood, next := 0, 1.0
	for t.sum() < c.Seconds*(1-1e-9) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		h := timed.OwnStep()
		if hand != nil {
			pose.Position = start.Position.Add(hand(t.sum() + h))
		}
		r := w.Step(physics.Input{Target: pose, Hand: pose, Dt: h})
		if stood++; r.Advanced > 0 {
			stood = 0
			t.add(r.Advanced)
		}
		if r.Stopped != nil {
			return fmt.Errorf("the world stands still after %.6g s: %w", t.sum(), r.Stopped)
		}
		if stood == standing {
			return fmt.Errorf("the world stands still after %.6g s: the last %d steps came to no new state (cure: a smaller step of the scene, or a slower hand)", t.sum(), standing)
		}
		now := t.sum()
		due := stood == 0 && (now >= next*c.Every*(1-1e-9) || now >= c.Seconds*(1-1e-9))
		if due {
			next = math.Floor(now/c.Every*(1+1e-9)) + 1
		}
		if err := each(now, due, &r); err != nil {
			return err
		}
	}
	return nil
}

// total is a sum of times. Equal ones in a row are multiplied: a thousand steps of 1 ms are 1 s.
type total struct {
	before, each float64
	n            float64
}

func (t *total) add(x float64) {
	if x != t.each {
		t.before, t.each, t.n = t.sum(), x, 0
	}
	t.n++
}

func (t *total) sum() float64 { return t.before + t.n*t.each }
