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

// traceOutput is what the command prints.
type traceOutput struct {
	Scene string   `json:"scene"`
	Path  string   `json:"path,omitempty"`
	Steps []object `json:"steps"`
}

// object is a JSON object that keeps its order, and a row of tables.
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
	out := traceOutput{Scene: s.Common().Name, Path: c.Path, Steps: []object{}}
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
	head := stepOf(&batch.Step{}, info) // where there is no step
	if len(out.Steps) > 0 {
		head = out.Steps[0]
	}
	return cmp.Or(walked, c.write(out, head, out.Steps, func(w io.Writer) error { return writeCSV(w, head, out.Steps) })) // who is interrupted has what there was
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

// write prints the results in the form that was asked for; a table of rows.
func (c *traceCommand) write(all any, head object, rows []object, csv func(io.Writer) error) error {
	return app.WriteOut(c.Out, func(w io.Writer) error {
		switch {
		case c.JSON:
			return json.NewEncoder(w).Encode(all)
		case c.CSV:
			return csv(w)
		}
		return writeTable(w, head, rows)
	})
}

// stepOf is a step as it is printed. A star in the headings of a vector stands for the axis.
func stepOf(s *batch.Step, info *physics.Info) object {
	step := object{{Name: "step", Value: s.Number, Column: "step", Short: "step"},
		{Name: "offset_m", Value: s.Offset.Position, Column: "d*_mm", Scale: 1e3, Short: "d* mm", Format: "%.2f"},
		{Name: "force_N", Value: s.Force, Column: "f*_N", Short: "F* N", Format: "%.4g"}}
	step = append(step, s.Entries...)
	for i, name := range info.Phases {
		e := physics.Entry{Name: "ms." + name, Value: app.Milliseconds(s.Phases[i]), Column: name + "_ms", Format: "%.3f"}
		if name == "contact" {
			e.Short = "contact ms"
		}
		step = append(step, e)
	}
	return append(step, physics.Entry{Name: "ms.total", Value: app.Milliseconds(s.Total), Column: "total_ms", Short: "total ms", Format: "%.3f"},
		physics.Entry{Name: "increments", Value: s.Increments},
		physics.Entry{Name: "behind_m", Value: s.Behind, Column: "behind_mm", Scale: 1e3})
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
	sample := func(t float64, more ...physics.Entry) object {
		return slices.Concat(object{{Name: "t", Value: t, Short: "t s", Format: "%.4g"}}, more, sampler.Sample())
	}
	samples := []object{sample(0)}
	var impulse mgl64.Vec3
	last := 0.0
	walked := batch.InTime(ctx, world, &c.Clock, hand, func(t float64, due bool, r *physics.Report) error {
		impulse, last = impulse.Add(r.Force.Mul(t-last)), t
		if !due {
			return nil
		}
		samples = append(samples, sample(t, physics.Entry{Name: "force_N", Value: r.Force}, physics.Entry{Name: "impulse_Ns", Value: impulse}))
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
		samples[0], samples, func(w io.Writer) error { return writeSamplesCSV(w, samples) }))
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

// scalars are the entries of a row, scaled, and those of a vector one by one.
func (o object) scalars() (all object) {
	for _, e := range o {
		v, vector := e.Value.(mgl64.Vec3)
		if !vector || !strings.Contains(e.Column, "*") {
			if x, number := e.Value.(float64); number {
				e.Value = x * cmp.Or(e.Scale, 1)
			}
			all = append(all, e)
			continue
		}
		for k, axis := range [...]string{"x", "y", "z"} {
			all = append(all, physics.Entry{Value: v[k] * cmp.Or(e.Scale, 1), Format: e.Format,
				Column: strings.Replace(e.Column, "*", axis, 1), Short: strings.Replace(e.Short, "*", axis, 1)})
		}
	}
	return all
}

// writeCSV writes those entries of rows that have a column.
func writeCSV(w io.Writer, head object, rows []object) error {
	return app.CSV(w, func(row func(...string)) {
		line := func(o object, cell func(e *physics.Entry) string) {
			var cells []string
			for _, e := range o.scalars() {
				if e.Column != "" {
					cells = append(cells, cell(&e))
				}
			}
			row(cells...)
		}
		line(head, func(e *physics.Entry) string { return e.Column })
		for _, o := range rows {
			line(o, func(e *physics.Entry) string {
				if x, number := e.Value.(float64); number {
					return strconv.FormatFloat(x, 'g', -1, 64)
				}
				return fmt.Sprint(e.Value)
			})
		}
	})
}

// writeTable prints those entries of rows that have a short heading.
func writeTable(w io.Writer, head object, rows []object) error {
	t := app.Table(w)
	line := func(o object, cell func(e *physics.Entry) string) {
		for _, e := range o.scalars() {
			if e.Short != "" {
				fmt.Fprint(t, cell(&e), "\t")
			}
		}
		fmt.Fprintln(t)
	}
	line(head, func(e *physics.Entry) string { return e.Short })
	for _, o := range rows {
		line(o, func(e *physics.Entry) string { return fmt.Sprintf(cmp.Or(e.Format, "%v"), e.Value) })
	}
	return t.Flush()
}

// vtuFlag asks for files that ParaView opens.
type vtuFlag struct {
	VTU string `name:"vtu" help:"Write every state into this folder, for ParaView." type:"path" placeholder:"DIR"`
	STL string `name:"stl" help:"Write the surfaces of every state into this folder: STL, metres." type:"path" placeholder:"DIR"`
	NPZ string `name:"npz" help:"Write all states as NumPy arrays." type:"path"`
}

func (f *vtuFlag) asked() bool { return f.VTU != "" || f.STL != "" || f.NPZ != "" }

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
	if !f.asked() {
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
