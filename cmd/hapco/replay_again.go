package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"hapco/cmd/hapco/internal/app"
	"hapco/cmd/hapco/internal/bench/figure"
	"hapco/haptics"
	"hapco/haptics/pointer"
	"hapco/haptics/record"
	"hapco/haptics/servo"
	"hapco/physics"
	"hapco/physics/files/export"
	"hapco/physics/files/setting"
	"hapco/physics/frame"
	"hapco/physics/local"
	"hapco/telemetry"
)

// What would the same hand have felt? The recorded hand goes through servo and physics once more, in simulated time:
// one physics step wherever the recording has a new contact model, as long after its pose as a step lasts. The scene is
// that of the recording first, which shows how far the two agree, then the changed one.

// felt is what one way through physics gave, a record for each of the recording's.
type felt struct {
	name  string
	ticks []haptics.Record
}

// coupled are the servo's parameters for a recording felt again: the coupling that it was made with, or what the scene
// asks for, and no limit that a device would set.
func (f *flight) coupled(s *setting.Setting) haptics.Params {
	dev := app.NewReplayDevice(f.ticks)
	p := app.NewTuning(dev, f.rate, &s.Device, 0).Home
	p.AngleStiffness = 0
	if f.notes["device"] == (*pointer.Device)(nil).Name() {
		p.Stiffness = s.Device.Stiffness
	}
	if f.notes[app.NoteCoupling] == haptics.Direct.String() {
		p.Coupling = haptics.Direct
	}
	for _, n := range []struct {
		note string
		at   *float64
	}{{app.NoteStiffness, &p.Stiffness}, {app.NoteDamping, &p.Damping}, {app.NoteAngle, &p.AngleStiffness}} {
		if x, err := strconv.ParseFloat(f.notes[n.note], 64); err == nil && x > 0 && !math.IsInf(x, 0) {
			*n.at = x
		}
	}
	p.AngleDamping = p.AngleStiffness * p.Damping / max(p.Stiffness, 1e-9)
	p.Passivity, p.Budget, p.Continuous = false, 0, 0
	p.MaxForce, p.Reducer, p.Ramp = s.Device.MaxForce, 1, time.Millisecond
	return p
}

// settleSteps bring the stylus from the scene's start to the first recorded pose.
const settleSteps = 10000

// feel takes the recorded hand through a world.
func (f *flight) feel(ctx context.Context, name string, of *setting.Setting, w physics.World, told func(seconds float64) error) (*felt, error) {
	kernel := servo.NewKernel(f.rate, 0)
	defer kernel.Close()
	var model, next local.Model
	local.Make(&model, 0)
	local.Make(&next, 0)
	dev := app.NewReplayDevice(f.ticks)
	p := f.coupled(of)
	out := &felt{name: name, ticks: make([]haptics.Record, len(f.ticks))}
	models := f.ticks[len(f.ticks)-1].Model - f.ticks[0].Model
	period := f.seconds(len(f.ticks)-1) / float64(max(1, models))
	stylus := frame.Pose(dev.State(0).Pose)
	hand, spring := stylus, physics.Coupling{}
	if p.Coupling == haptics.Virtual {
		spring = app.CouplingOf(&haptics.Sample{Stiffness: p.Stiffness, AngleStiffness: p.AngleStiffness, MaxForce: p.MaxForce})
	}
	for k := 0; k < settleSteps && !w.Step(physics.Input{Target: stylus, Hand: hand, Coupling: spring}).Reached; k++ {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	var last haptics.Record
	var owed physics.Owed
	for i := range f.ticks {
		r := &f.ticks[i]
		fresh := i == 0 || models == 0 || r.Model != last.Model
		if fresh {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if i > 0 { // the answer to the pose of one step ago
				next.CopyTo(&model)
			}
			owed.Step(w, physics.Input{Target: stylus, Hand: hand, Coupling: spring, Dt: min(period, physics.LongestAdvance)})
			w.Local(&next)
			next.Strengthen(of.Device.ForceScale)
			next.Sequence, next.Tick, next.Period = uint64(i)+1, r.Tick, time.Duration(period*1e9)
			if i == 0 {
				next.CopyTo(&model)
			}
			if err := told(f.seconds(i)); err != nil {
				return nil, err
			}
		}
		in := haptics.Input{State: dev.State(time.Duration(r.Time - f.ticks[0].Time)), Time: r.Time - f.ticks[0].Time}
		kernel.Tick(&in, &model, fresh, &p, &out.ticks[i])
		stylus, hand = kernel.Tool(in.Pose), in.Pose
		out.ticks[i].Tick, out.ticks[i].Time = r.Tick, r.Time
		last = *r
	}
	return out, nil
}

// again feels the recording again, as it was and changed, and writes all three.
func (c *replayCommand) again(ctx context.Context, f *flight) error {
	as := []string{"the same scene"}
	sets := [][]string{nil}
	if len(c.Set) > 0 {
		as, sets = append(as, strings.Join(c.Set, ", ")), append(sets, c.Set)
	}
	if c.Scene != "" {
		as[0] = "scene " + c.Scene
	}
	if c.Against != "" {
		as, sets = append(as, "against "+c.Against), append(sets, nil)
	}
	all := []*felt{{"recorded", f.ticks}}
	for i := range as {
		flags, err := c.sceneOf(f, sets[i])
		if c.Against != "" && i == len(as)-1 {
			flags, err = app.SceneFlags{Scene: c.Against}, nil
		}
		if err != nil {
			return app.BadInput(err)
		}
		s, err := flags.Read()
		if err != nil {
			return err
		}
		app.Echo(s, sets[i])
		w, err := app.BuildWorld(ctx, s, physics.Options{NoCache: flags.NoCache})
		if err != nil {
			return err
		}
		var states *export.States // of the last way through physics
		if i == len(as)-1 {
			if states, err = c.begin(flags.Scene, w); err != nil {
				return err
			}
		}
		written := 0
		said := time.Now()
		g, err := f.feel(ctx, as[i], s.Common(), w, func(seconds float64) error {
			if time.Since(said) > app.LongSolve {
				said = time.Now()
				fmt.Fprintf(os.Stderr, "hapco: %s: %.1f of %.1f s\n", as[i], seconds, f.seconds(len(f.ticks)-1))
			}
			n := int(seconds * c.VTURate)
			if c.VTURate > 0 && n == written || seconds == 0 {
				return nil
			}
			written = n
			return states.Add(seconds)
		})
		err = errors.Join(err, states.Close(), w.Close())
		if err != nil {
			return err
		}
		all = append(all, g)
	}
	if c.CSV != "" {
		if err := app.WriteOut(c.CSV, func(w io.Writer) error { return writeFelt(w, f, all) }); err != nil {
			return err
		}
	}
	if c.PNG != "" {
		if err := drawFelt(c.PNG, f, all); err != nil {
			return err
		}
	}
	compareFelt(f, all)
	return nil
}

func contactForce(r *haptics.Record) float64 { return mgl64.Vec3(r.Raw).Len() }

// lag is how far the stylus is from the hand, m.
func lag(r *haptics.Record) float64 { return mgl64.Vec3(r.Tool).Sub(r.Position).Len() }

// compareFelt tabulates one column for each.
func compareFelt(f *flight, all []*felt) {
	t := app.List(app.Stdout)
	defer t.Flush()
	row := sideBySide(t, all)
	row("", func(g *felt) string { return g.name })
	sums := func(of func(s *flightSums) string) func(g *felt) string {
		return func(g *felt) string {
			s := (&flight{ticks: g.ticks, rate: f.rate}).sums()
			return of(&s)
		}
	}
	row("in contact", sums(func(s *flightSums) string { return fmt.Sprintf("%.1f %% of the ticks", 100*s.touching) }))
	row("contact force, largest", sums(func(s *flightSums) string { return fmt.Sprintf("%.3f N", s.raw) }))
	row("contact force, mean in contact", func(g *felt) string {
		sum, n := 0.0, 0
		for i := range g.ticks {
			if x := contactForce(&g.ticks[i]); x > 0 {
				sum, n = sum+x, n+1
			}
		}
		return fmt.Sprintf("%.3f N", sum/float64(max(1, n)))
	})
	row("stylus from hand, largest", func(g *felt) string {
		most := 0.0
		for i := range g.ticks {
			most = max(most, lag(&g.ticks[i]))
		}
		return fmt.Sprintf("%.2f mm", 1e3*most)
	})
	row("differs from the recording by, RMS", func(g *felt) string {
		sum := 0.0
		for i := range g.ticks {
			sum += mgl64.Vec3(g.ticks[i].Raw).Sub(f.ticks[i].Raw).LenSqr()
		}
		return fmt.Sprintf("%.3f N", math.Sqrt(sum/float64(len(g.ticks))))
	})
}

// writeFelt writes every tick: the hand, then stylus and contact force of each.
func writeFelt(w io.Writer, f *flight, all []*felt) error {
	head := []string{"time_s", "hand_x_mm", "hand_y_mm", "hand_z_mm"}
	for i, g := range all {
		name := [...]string{"recorded", "same", "changed", "against"}[i]
		if strings.HasPrefix(g.name, "against ") {
			name = "against"
		}
		for _, v := range []string{"stylus_x_mm", "stylus_y_mm", "stylus_z_mm", "raw_x_N", "raw_y_N", "raw_z_N"} {
			head = append(head, name+"_"+v)
		}
	}
	return app.CSV(w, func(row func(...string)) {
		row(head...)
		for i := range f.ticks {
			at := mgl64.Vec3(f.ticks[i].Position).Mul(1e3)
			cells := app.Numbers([]string{strconv.FormatFloat(f.seconds(i), 'f', 6, 64)}, 9, at[:]...)
			for _, g := range all {
				stylus := mgl64.Vec3(g.ticks[i].Tool).Mul(1e3)
				cells = app.Numbers(app.Numbers(cells, 9, stylus[:]...), 9, g.ticks[i].Raw[:]...)
			}
			row(cells...)
		}
	})
}

// drawFelt draws force, difference and stylus of all over time.
func drawFelt(file string, f *flight, all []*felt) error {
	c := vgimg.New(26*vg.Centimeter, 24*vg.Centimeter)
	canvas := draw.New(c)
	rows := []struct {
		label string
		of    func(g *felt) func(r *haptics.Record) float64
	}{
		{"contact force, N", func(*felt) func(r *haptics.Record) float64 { return contactForce }},
		{"stylus below its start, mm", func(*felt) func(r *haptics.Record) float64 {
			return func(r *haptics.Record) float64 { return 1e3 * (f.ticks[0].Position[1] - r.Tool[1]) }
		}},
		{"stylus from hand, mm", func(*felt) func(r *haptics.Record) float64 {
			return func(r *haptics.Record) float64 { return 1e3 * lag(r) }
		}},
	}
	height := (canvas.Max.Y - canvas.Min.Y) / vg.Length(len(rows))
	for i, row := range rows {
		p := figure.New("", row.label)
		for k, g := range all {
			e := (&flight{ticks: g.ticks}).curve(row.of(g))
			e.color = curveColors[k]
			p.Add(e)
			p.Legend.Add(g.name, e)
		}
		if i == 0 {
			p.Title.Text = f.notes["scene"] + ": what the same hand feels"
		}
		if i == len(rows)-1 {
			p.X.Label.Text = "time, s"
		}
		top := canvas.Max.Y - vg.Length(i)*height
		p.Draw(draw.Crop(canvas, figure.Margin, -figure.Margin, top-height-canvas.Min.Y, top-canvas.Max.Y))
	}
	return figure.WritePNG(c, file)
}

// The recorded steps, made again: each from what it started from, whatever force came of the step before. On the
// program and machine of the recording each gives the same force to the last bit, where the recording begins with the
// scene; to rounding, where it begins in the middle and the bodies were put back; and another where a deadline ended a
// solve, in a recording of a program that did not keep what it answered. With --set the stylus goes exactly where it
// went, and the forces tell what the change makes of them.

// exactly is one way through the recorded steps.
type exactly struct {
	name    string
	forces  [][3]float64 // of each step, N
	same    int          // steps with the recorded force and torque to the last bit
	first   int          // the first step that differs; -1: none
	largest float64      // difference of a force from the recorded one, N
}

// rms is the root of the mean square of the forces, N.
func (e *exactly) rms() float64 {
	sum := 0.0
	for _, f := range e.forces {
		sum += f[0]*f[0] + f[1]*f[1] + f[2]*f[2]
	}
	return math.Sqrt(sum / float64(max(1, len(e.forces))))
}

// difference is the root of the mean square of the difference from other forces, N.
func (e *exactly) difference(o *exactly) float64 {
	sum := 0.0
	for i, f := range e.forces {
		for k := range f {
			sum += (f[k] - o.forces[i][k]) * (f[k] - o.forces[i][k])
		}
	}
	return math.Sqrt(sum / float64(max(1, len(e.forces))))
}

// rounding is the difference, over the largest force, up to which forces count as the same: a world that was put back
// in the middle adds in another order.
const rounding = 1e-9

// most is the largest force, N.
func (e *exactly) most() (most float64) {
	for _, f := range e.forces {
		most = max(most, math.Sqrt(f[0]*f[0]+f[1]*f[1]+f[2]*f[2]))
	}
	return most
}

// exact makes the recorded steps again and compares.
func (c *replayCommand) exact(ctx context.Context) error {
	m, err := telemetry.ReadMotion(c.File)
	switch {
	case errors.Is(err, record.ErrTruncated) && len(m.Steps) > 0:
		app.Note("%s is cut short: its first %d steps are good", c.File, len(m.Steps))
	case err != nil:
		return app.BadInput(fmt.Errorf("replay: %w", err))
	}
	tellChanged(m.Notes)
	f := &flight{file: c.File, notes: m.Notes}
	recorded := &exactly{name: "recorded", first: -1, same: len(m.Steps)}
	late := 0
	for i := range m.Steps {
		recorded.forces = append(recorded.forces, m.Steps[i].Force)
		if m.Steps[i].Late && !m.Steps[i].Kept {
			late++
		}
	}
	all := []*exactly{recorded}
	for _, set := range [][]string{nil, c.Set} {
		if set == nil && len(all) > 1 {
			break
		}
		e, err := c.exactOnce(ctx, f, m, set)
		if err != nil {
			return err
		}
		all = append(all, e)
	}
	if c.CSV != "" {
		if err := app.WriteOut(c.CSV, func(w io.Writer) error { return writeExact(w, all) }); err != nil {
			return err
		}
	}
	printExact(m, all, late)
	if again := all[1]; again.largest > rounding*max(1e-3, again.most()) || len(again.forces) == 0 {
		return fmt.Errorf("replay: %d of %d steps give another force, from step %d on%s", len(m.Steps)-again.same, len(m.Steps), again.first+1, why(m, late))
	}
	return nil
}

// why says what is known to make steps differ.
func why(m *telemetry.Motion, late int) string {
	switch {
	case m.Missed > 0:
		return fmt.Sprintf(": the file misses %d steps", m.Missed)
	case late > 0:
		return fmt.Sprintf(": contact.deadline ended the solves of %d steps", late)
	case m.Notes["program"] != app.Facts().String():
		return ": it was recorded by " + m.Notes["program"]
	}
	return ""
}

// exactOnce makes the steps in the recording's scene with some keys set to other values.
func (c *replayCommand) exactOnce(ctx context.Context, f *flight, m *telemetry.Motion, set []string) (*exactly, error) {
	flags, err := c.sceneOf(f, set)
	if err != nil {
		return nil, app.BadInput(err)
	}
	s, err := flags.Read()
	if err != nil {
		return nil, err
	}
	app.Echo(s, set)
	w, err := app.BuildWorld(ctx, s, physics.Options{NoCache: flags.NoCache})
	if err != nil {
		return nil, err
	}
	defer w.Close()
	e := &exactly{name: "made again", first: -1}
	var change func(keys []physics.Key, values []float64)
	if len(set) > 0 {
		e.name = strings.Join(set, ", ")
		asked := physics.Values(w.Keys())
		change = func(keys []physics.Key, values []float64) { // what is set stays, whatever the recording says
			for i := range keys {
				if slices.ContainsFunc(set, func(a string) bool {
					name, _, _ := strings.Cut(a, "=")
					return strings.TrimSpace(name) == keys[i].Name
				}) {
					values[i] = asked[i]
				}
			}
			physics.Refresh(keys, values)
		}
	}
	err = m.Again(w, change, func(i int, r *physics.Report) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		was := &m.Steps[i]
		if r.Force == was.Force && r.Torque == was.Torque {
			e.same++
		} else if e.first < 0 {
			e.first = i
		}
		e.largest = max(e.largest, r.Force.Sub(was.Force).Len())
		e.forces = append(e.forces, r.Force)
		return nil
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		err = app.BadInput(fmt.Errorf("replay: %w", err))
	}
	return e, err
}

// printExact tabulates one column for each way.
func printExact(m *telemetry.Motion, all []*exactly, late int) {
	t := app.List(app.Stdout)
	defer t.Flush()
	row := sideBySide(t, all)
	row("", func(e *exactly) string { return e.name })
	row("steps", func(e *exactly) string { return fmt.Sprint(len(e.forces)) })
	row("the recorded force, bit for bit", func(e *exactly) string { return fmt.Sprintf("%d of %d", e.same, len(m.Steps)) })
	row("force, RMS", func(e *exactly) string { return fmt.Sprintf("%.6g N", e.rms()) })
	row("force, largest", func(e *exactly) string { return fmt.Sprintf("%.6g N", e.most()) })
	row("differs from the recording, RMS", func(e *exactly) string { return fmt.Sprintf("%.3g N", e.difference(all[0])) })
	row("differs from the recording, largest", func(e *exactly) string { return fmt.Sprintf("%.3g N", e.largest) })
	row("times the recorded force", func(e *exactly) string {
		if all[0].rms() == 0 {
			return "-"
		}
		return fmt.Sprintf("%.4f", e.rms()/all[0].rms())
	})
	if late > 0 {
		fmt.Fprintf(t, "solves ended by contact.deadline\t%d\n", late)
	}
	if m.Missed > 0 {
		fmt.Fprintf(t, "steps that the file misses\t%d\n", m.Missed)
	}
}

// sideBySide writes rows with a column for each of several ways.
func sideBySide[T any](w io.Writer, all []T) (row func(what string, cell func(T) string)) {
	return func(what string, cell func(T) string) {
		fmt.Fprint(w, what)
		for _, x := range all {
			fmt.Fprint(w, "\t", cell(x))
		}
		fmt.Fprintln(w)
	}
}

// writeExact writes every step: the force of each way.
func writeExact(w io.Writer, all []*exactly) error {
	var b strings.Builder
	b.WriteString("step")
	for i := range all {
		name := [...]string{"recorded", "same", "changed"}[i]
		for _, axis := range "xyz" {
			fmt.Fprintf(&b, ",%s_force_%c_N", name, axis)
		}
	}
	b.WriteByte('\n')
	for i := range all[0].forces {
		fmt.Fprint(&b, i+1)
		for _, e := range all {
			for _, x := range e.forces[i] {
				fmt.Fprintf(&b, ",%.17g", x)
			}
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}
