package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/cmd/hapco/internal/app"
	"hapco/physics"
	"hapco/physics/files/export"
	"hapco/physics/files/setting"
	"hapco/physics/measure/batch"
)

// traceCommand drives the stylus along a path without window or device.
type traceCommand struct {
	app.SceneFlags
	batch.Way
	batch.Clock
	vtuFlag
	app.DumpFlags
	WAV  string `name:"wav" help:"Write the last three seconds of sound (ringing bodies, --seconds)." type:"path"`
	Geo  string `name:"geojson" help:"Write the floes' outlines at the end (--seconds)." type:"path"`
	JSON bool   `name:"json" help:"Print JSON."`
	CSV  bool   `name:"csv" help:"Print CSV."`
	Out  string `help:"Write here instead of to standard output." type:"path"`
}

// traceStep is one step of the output.
type traceStep struct {
	step, increments int
	offset, force    mgl64.Vec3 // m, N
	behind           float64    // m
	entries          []physics.Entry
	ms               [physics.MaxPhases + 1]float64 // of each phase, then of all
}

// traceOutput is what the command prints.
type traceOutput struct {
	Scene  string      `json:"scene"`
	Path   string      `json:"path,omitempty"`
	Steps  []traceStep `json:"steps"`
	phases []string
}

// object is a JSON object that keeps its order.
type object []physics.Entry

// MarshalJSON writes the entries in their order; those whose names have a dot become objects of their own where they
// stand next to each other.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i := 0; i < len(o); i++ {
		name, value := o[i].Name, o[i].Value
		if group, _, dotted := strings.Cut(name, "."); dotted {
			var inner object
			for ; i < len(o) && strings.HasPrefix(o[i].Name, group+"."); i++ {
				inner = append(inner, physics.Entry{Name: strings.TrimPrefix(o[i].Name, group+"."), Value: o[i].Value})
			}
			i--
			name, value = group, inner
		}
		text, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:%s", name, text)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// MarshalJSON writes a step.
func (s traceStep) MarshalJSON() ([]byte, error) {
	o := object{{Name: "step", Value: s.step}, {Name: "offset_m", Value: s.offset}, {Name: "force_N", Value: s.force}}
	o = append(o, s.entries...)
	return json.Marshal(append(o, physics.Entry{Name: "increments", Value: s.increments}, physics.Entry{Name: "behind_m", Value: s.behind}))
}

// Run drives the stylus and prints what it felt.
func (c *traceCommand) Run(ctx context.Context) (err error) {
	if c.JSON && c.CSV {
		return app.BadInput(fmt.Errorf("trace: --json and --csv together (cure: choose one)"))
	}
	if err := c.check(); err != nil {
		return err
	}
	s, err := c.Load()
	if err != nil {
		return err
	}
	if c.Clock.On() {
		return c.overTime(ctx, s)
	}
	for _, f := range [...]struct{ flag, file string }{{"--wav", c.WAV}, {"--geojson", c.Geo}} {
		if f.file != "" {
			return app.BadInput(fmt.Errorf("trace: %s without --seconds (cure: --seconds S --every DT)", f.flag))
		}
	}
	offsets, err := c.Offsets(s.Common())
	if err != nil {
		return app.BadInput(fmt.Errorf("trace: %w", err))
	}
	world, end, err := c.open(ctx, s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	info := world.Info()
	if info.Advances {
		return app.BadInput(fmt.Errorf("trace: scene %s advances in time (cure: --seconds S --every DT)", s.Common().Name))
	}
	series, err := c.begin(s.Common().Name, world)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, series.Close()) }()
	out := traceOutput{Scene: s.Common().Name, Path: c.Path, Steps: []traceStep{}, phases: info.Phases}
	var held batch.Held
	walked := batch.Along(ctx, world, offsets, c.JSON, func(s *batch.Step) error {
		held.Add(s)
		out.Steps = append(out.Steps, stepOf(s, info))
		return series.Add(float64(s.Number))
	})
	if walked != nil && ctx.Err() == nil {
		return fmt.Errorf("trace: %w", walked)
	}
	if err := held.Err(world); err != nil {
		app.Note("trace: %v; behind_m and behind_mm tell each", err)
	}
	return cmp.Or(walked, c.write(out, out.writeCSV, out.writeTable)) // who is interrupted has what there was
}

// open builds the world, with what writes its contact problems; end closes both.
func (c *traceCommand) open(ctx context.Context, s physics.Scene) (w physics.World, end func() error, err error) {
	dump, err := c.DumpFlags.Begin()
	if err != nil {
		return nil, nil, err
	}
	w, err = app.BuildWorld(ctx, s, physics.Options{NoCache: c.NoCache, Dump: dump})
	app.EndsItself.Store(true) // with what it had, which may be long
	return w, func() error { return errors.Join(w.Close(), c.Say(os.Stderr, dump)) }, err
}

// write prints the results in the form that was asked for.
func (c *traceCommand) write(all any, csv, table func(io.Writer) error) error {
	return app.WriteOut(c.Out, func(w io.Writer) error {
		switch {
		case c.JSON:
			return json.NewEncoder(w).Encode(all)
		case c.CSV:
			return csv(w)
		}
		return table(w)
	})
}

// stepOf is a step as it is printed.
func stepOf(s *batch.Step, info *physics.Info) traceStep {
	step := traceStep{step: s.Number, increments: s.Increments, offset: s.Offset.Position, force: s.Force, behind: s.Behind, entries: s.Entries}
	for i, name := range info.Phases {
		step.ms[i] = app.Milliseconds(s.Phases[i])
		step.entries = append(step.entries, physics.Entry{Name: "ms." + name, Value: step.ms[i]})
	}
	step.ms[physics.MaxPhases] = app.Milliseconds(s.Total)
	step.entries = append(step.entries, physics.Entry{Name: "ms.total", Value: step.ms[physics.MaxPhases]})
	return step
}

// overTime lets a world go on by itself, the stylus on its path, and prints the state of its bodies now and then.
func (c *traceCommand) overTime(ctx context.Context, s physics.Scene) (err error) {
	if err := c.Check(); err != nil {
		return app.BadInput(fmt.Errorf("trace: %w", err))
	}
	hand, err := handInTime(s.Common(), c.Path, c.Seconds)
	if err != nil {
		return app.BadInput(err)
	}
	world, end, err := c.open(ctx, s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	info := world.Info()
	sampler, ok := world.(physics.Sampler)
	if !ok || !info.Advances {
		return app.BadInput(fmt.Errorf("trace: --seconds: scene %s does not advance in time (cure: leave --seconds and --every out)", s.Common().Name))
	}
	sounder, _ := world.(physics.Sounder)
	if c.WAV != "" && (sounder == nil || !sounder.Listen()) {
		return app.BadInput(fmt.Errorf("trace: --wav: nothing rings in scene %s (cure: a scene with modes of vibration, such as tuning-fork or bell)", s.Common().Name))
	}
	mapper, ok := world.(physics.Mapper)
	if c.Geo != "" && !ok {
		return app.BadInput(fmt.Errorf("trace: --geojson: scene %s is no map (cure: a scene with ice floes, such as ice-strait)", s.Common().Name))
	}
	series, err := c.begin(s.Common().Name, world)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, series.Close()) }()
	samples := []object{append(object{{Name: "t", Value: 0.0}}, sampler.Sample()...)}
	var impulse mgl64.Vec3
	last := 0.0
	walked := batch.InTime(ctx, world, &c.Clock, hand, func(t float64, due bool, r *physics.Report) error {
		impulse, last = impulse.Add(r.Force.Mul(t-last)), t
		if !due {
			return nil
		}
		samples = append(samples, append(object{{Name: "t", Value: t}, {Name: "force_N", Value: r.Force}, {Name: "impulse_Ns", Value: impulse}}, sampler.Sample()...))
		return series.Add(t)
	})
	if walked != nil && ctx.Err() == nil {
		walked = fmt.Errorf("trace: %w", walked)
	}
	if c.WAV != "" {
		if err := app.WriteOut(c.WAV, sounder.WriteWAV); err != nil {
			return err
		}
	}
	if c.Geo != "" {
		if err := app.WriteOut(c.Geo, mapper.WriteGeoJSON); err != nil {
			return err
		}
	}
	return cmp.Or(walked, c.write(object{{Name: "scene", Value: s.Common().Name}, {Name: "samples", Value: samples}},
		func(w io.Writer) error { return writeSamplesCSV(w, samples) }, func(w io.Writer) error { return writeSamples(w, samples) }))
}

// handInTime is the offset of a stylus that takes a path in so many seconds; nil where none is named and the scene has
// none.
func handInTime(s *setting.Setting, path string, seconds float64) (func(t float64) mgl64.Vec3, error) {
	script, err := app.NewScript(s, path, seconds)
	switch {
	case err == nil:
		return script.Hand, nil
	case path != "":
		return nil, err
	}
	return nil, nil
}

// numbersOf are the numbers of an entry with their headings: one, or those of a vector of two or three. What is longer,
// or no number, is in JSON alone.
func numbersOf(e physics.Entry) (heads []string, values []float64) {
	v := reflect.ValueOf(e.Value)
	switch {
	case v.CanFloat():
		return []string{e.Name}, []float64{v.Float()}
	case v.CanInt():
		return []string{e.Name}, []float64{float64(v.Int())}
	case v.Kind() == reflect.Array && v.Len() <= 3 && v.Type().Elem().Kind() == reflect.Float64:
		for i := range v.Len() {
			heads, values = append(heads, e.Name+"."+"xyz"[i:i+1]), append(values, v.Index(i).Float())
		}
	}
	return heads, values
}

// writeSamplesCSV writes the numbers of samples, a line each. What the first one does not know yet, the force, is left
// empty there.
func writeSamplesCSV(w io.Writer, samples []object) error {
	var head []string
	for _, e := range samples[len(samples)-1] {
		names, _ := numbersOf(e)
		head = append(head, names...)
	}
	return app.CSV(w, func(row func(...string)) {
		row(head...)
		for _, s := range samples {
			cells := make([]string, len(head))
			for _, e := range s {
				names, values := numbersOf(e)
				for k, name := range names {
					if at := slices.Index(head, name); at >= 0 {
						cells[at] = strconv.FormatFloat(values[k], 'g', -1, 64)
					}
				}
			}
			row(cells...)
		}
	})
}

// writeSamples prints those entries of samples that have a heading.
func writeSamples(w io.Writer, samples []object) error {
	t := app.Table(w)
	for i, s := range samples {
		if i == 0 {
			fmt.Fprint(t, "t s")
			for _, e := range s {
				if e.Short != "" {
					fmt.Fprint(t, "\t", e.Short)
				}
			}
			fmt.Fprintln(t, "\t")
		}
		fmt.Fprintf(t, "%.4g", s[0].Value)
		for _, e := range s {
			if e.Short != "" {
				fmt.Fprintf(t, "\t"+cmp.Or(e.Format, "%v"), e.Value)
			}
		}
		fmt.Fprintln(t, "\t")
	}
	return t.Flush()
}

func (o *traceOutput) writeCSV(w io.Writer) error {
	head := []string{"step", "dx_mm", "dy_mm", "dz_mm", "fx_N", "fy_N", "fz_N"}
	if len(o.Steps) > 0 {
		for _, e := range o.Steps[0].entries {
			if e.Column != "" {
				head = append(head, e.Column)
			}
		}
	}
	for _, name := range append(slices.Clone(o.phases), "total") {
		head = append(head, name+"_ms")
	}
	return app.CSV(w, func(row func(...string)) {
		row(append(head, "behind_mm")...)
		for _, s := range o.Steps {
			offset := s.offset.Mul(1e3)
			cells := app.Numbers([]string{strconv.Itoa(s.step)}, -1, slices.Concat(offset[:], s.force[:])...)
			for _, e := range s.entries {
				if x, number := e.Value.(float64); e.Column != "" && number {
					cells = app.Numbers(cells, -1, x*cmp.Or(e.Scale, 1))
				} else if e.Column != "" {
					cells = append(cells, fmt.Sprint(e.Value))
				}
			}
			cells = app.Numbers(cells, -1, s.ms[:len(o.phases)]...)
			row(app.Numbers(cells, -1, s.ms[physics.MaxPhases], 1e3*s.behind)...)
		}
	})
}

func (o *traceOutput) writeTable(w io.Writer) error {
	t := app.Table(w)
	fmt.Fprint(t, "step\tdx mm\tdy mm\tdz mm\tFx N\tFy N\tFz N")
	if len(o.Steps) > 0 {
		for _, e := range o.Steps[0].entries {
			if e.Short != "" {
				fmt.Fprint(t, "\t", e.Short)
			}
		}
	}
	solve := slices.Index(o.phases, "contact")
	if solve >= 0 {
		fmt.Fprint(t, "\tcontact ms")
	}
	fmt.Fprintln(t, "\ttotal ms\t")
	for _, s := range o.Steps {
		fmt.Fprintf(t, "%d\t%.2f\t%.2f\t%.2f\t%.4g\t%.4g\t%.4g", s.step,
			1e3*s.offset[0], 1e3*s.offset[1], 1e3*s.offset[2], s.force[0], s.force[1], s.force[2])
		for _, e := range s.entries {
			if e.Short != "" {
				fmt.Fprintf(t, "\t"+cmp.Or(e.Format, "%v"), e.Value)
			}
		}
		if solve >= 0 {
			fmt.Fprintf(t, "\t%.3f", s.ms[solve])
		}
		fmt.Fprintf(t, "\t%.3f\t\n", s.ms[physics.MaxPhases])
	}
	return t.Flush()
}

// vtuFlag asks for files that ParaView opens.
type vtuFlag struct {
	VTU string `name:"vtu" help:"Write every state into this folder, for ParaView." type:"path" placeholder:"DIR"`
	STL string `name:"stl" help:"Write the surfaces of every state into this folder: STL, metres." type:"path" placeholder:"DIR"`
	NPZ string `name:"npz" help:"Write all states as NumPy arrays." type:"path"`
}

// check finds out, before bodies are prepared, that the arrays cannot be written.
func (f *vtuFlag) check() error {
	if f.NPZ == "" {
		return nil
	}
	if err := app.MayWrite(f.NPZ); err != nil {
		return app.BadInput(fmt.Errorf("--npz: %w", err))
	}
	return nil
}

// begin begins the files that the flags ask for; nil where they ask for none.
func (f *vtuFlag) begin(scene string, w physics.World) (*export.States, error) {
	if f.VTU == "" && f.STL == "" && f.NPZ == "" {
		return nil, nil
	}
	var series *export.Series
	var sinks []export.Sink
	if f.VTU != "" {
		var err error
		if series, err = export.Begin(f.VTU, scene, w); err != nil {
			return nil, app.BadInput(fmt.Errorf("--vtu: %w", err))
		}
	}
	if f.STL != "" {
		stl, err := export.NewSTL(f.STL, w.Info())
		if err != nil {
			return nil, app.BadInput(fmt.Errorf("--stl: %w", err))
		}
		sinks = append(sinks, stl)
	}
	if f.NPZ != "" {
		sinks = append(sinks, export.NewNPZ(f.NPZ, w.Info()))
	}
	return export.NewStates(w, series, sinks...)
}
