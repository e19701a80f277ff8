package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
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
	"hapco/haptics/servo"
	"hapco/physics"
	"hapco/physics/files/export"
	"hapco/physics/files/setting"
	"hapco/physics/frame"
	"hapco/physics/local"
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
	if err := app.WriteWanted(c.CSV, func(w io.Writer) error { return writeFelt(w, f, all) }); err != nil {
		return err
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
		return fmt.Sprintf("%.3f N", rms(len(g.ticks), func(i int) mgl64.Vec3 { return mgl64.Vec3(g.ticks[i].Raw).Sub(f.ticks[i].Raw) }))
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
