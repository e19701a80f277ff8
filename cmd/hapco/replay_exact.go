package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/cmd/hapco/internal/app"
	"hapco/haptics/record"
	"hapco/physics"
	"hapco/telemetry"
)

// The recorded steps, made again: each from what it started from, whatever force came of the step before. On the
// program and machine of the recording each gives the same force to the last bit, where the recording begins with the
// scene; to rounding, where it begins in the middle and the bodies were put back; and another where a deadline ended a
// solve, in a recording of a program that did not keep what it answered. With --set the stylus goes exactly where it
// went, and the forces tell what the change makes of them.

// exactly is one way through the recorded steps.
type exactly struct {
	name    string
	forces  []mgl64.Vec3 // of each step, N
	same    int          // steps with the recorded force and torque to the last bit
	first   int          // the first step that differs; -1: none
	largest float64      // difference of a force from the recorded one, N
}

// rms is the root of the mean square of the forces, N.
func (e *exactly) rms() float64 {
	return rms(len(e.forces), func(i int) mgl64.Vec3 { return e.forces[i] })
}

// rms is the root of the mean square of n vectors.
func rms(n int, of func(i int) mgl64.Vec3) float64 {
	sum := 0.0
	for i := range n {
		sum += of(i).LenSqr()
	}
	return math.Sqrt(sum / float64(max(1, n)))
}

// rounding is the difference, over the largest force, up to which forces count as the same: a world that was put back
// in the middle adds in another order.
const rounding = 1e-9

// most is the largest force, N.
func (e *exactly) most() (most float64) {
	for _, f := range e.forces {
		most = max(most, f.Len())
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
	if err := app.WriteWanted(c.CSV, func(w io.Writer) error { return writeExact(w, all) }); err != nil {
		return err
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
	row("differs from the recording, RMS", func(e *exactly) string {
		return fmt.Sprintf("%.3g N", rms(len(e.forces), func(i int) mgl64.Vec3 { return e.forces[i].Sub(all[0].forces[i]) }))
	})
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
	return app.CSV(w, func(row func(...string)) {
		head := []string{"step"}
		for i := range all {
			name := [...]string{"recorded", "same", "changed"}[i]
			head = append(head, name+"_force_x_N", name+"_force_y_N", name+"_force_z_N")
		}
		row(head...)
		for i := range all[0].forces {
			cells := []string{strconv.Itoa(i + 1)}
			for _, e := range all {
				cells = app.Numbers(cells, 17, e.forces[i][:]...)
			}
			row(cells...)
		}
	})
}
