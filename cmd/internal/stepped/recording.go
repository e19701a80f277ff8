package stepped

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"time"

	"hapco/assets"
	"hapco/haptics/record"
	"hapco/physics"
	"hapco/physics/files/setting"
	"hapco/telemetry"
)

// recording writes the steps of a world to a file. Its clock is the world's own, or a millisecond a step: the same
// calls give the same file.
type recording struct {
	file    *record.Writer
	tape    *telemetry.Tape
	step    uint64
	fresh   bool // the world has been put back since the last step
	changed bool // a key may have been given another value since
	err     error
}

// Record begins a recording: of a world as it was opened, or put back to its start.
func (w *World) Record(path string) error {
	if w.tape != nil {
		return Invalid("the world is recorded already (cure: hapco_world_record_end)")
	}
	name := w.Scene.Common().Name
	notes := map[string]string{"scene": name, "program": "libhapco " + assets.Version, "reason": "library"}
	if len(w.set) > 0 {
		notes["set"] = strings.Join(w.set, "\n")
	}
	if !w.text {
		if _, data, err := setting.FileText(name); err == nil {
			sum := sha256.Sum256(data)
			notes["scene_text"], notes["sha256:"+name] = string(data), hex.EncodeToString(sum[:])
		}
	}
	file, err := record.Create(path, 0, notes)
	if err != nil {
		return err
	}
	back := !w.fresh
	if back {
		w.Reset()
	}
	t := &recording{file: file, fresh: back, changed: true}
	t.tape = telemetry.NewTape(w.Info, w.Keys, func(c *record.Channel, at int64, data []byte) {
		t.err = errors.Join(t.err, t.file.WriteTo(c, at, data))
	})
	w.tape = t
	return nil
}

// take writes a step that has been made. in is what the caller asked for: what the world was owed besides follows from
// it.
func (t *recording) take(w *World, in physics.Input) {
	t.step++
	at := time.Unix(0, int64(t.step)*1e6)
	if w.timed != nil {
		at = time.Unix(0, int64(1e9*w.time))
	}
	m := physics.Made{Step: t.step, At: at, Input: in, Report: w.report, Fresh: t.fresh, Frame: w.Draw()}
	m.Report.Total, m.Report.Phases = 0, [physics.MaxPhases]time.Duration{} // measured
	if t.changed || t.fresh {
		m.Values = physics.Values(w.Keys)
	}
	t.fresh, t.changed = false, false
	t.tape.Take(&m)
	t.tape.Drain()
}

// RecordEnd ends the recording, if there is one.
func (w *World) RecordEnd() error {
	t := w.tape
	if t == nil {
		return nil
	}
	w.tape = nil
	return errors.Join(t.err, t.file.Close())
}

// ReadRecording is a row of numbers for each step of a recording.
func ReadRecording(path string) (rows [][21]float64, err error) {
	m, err := telemetry.ReadMotion(path)
	if err != nil && (!errors.Is(err, record.ErrTruncated) || len(m.Steps) == 0) {
		return nil, err
	}
	rows = make([][21]float64, len(m.Steps))
	for i := range m.Steps {
		s := &m.Steps[i]
		target, hand := PoseRow(&s.Input.Target), PoseRow(&s.Input.Hand)
		rows[i] = [21]float64(slices.Concat([]float64{s.Input.Dt}, target[:], hand[:], s.Force[:], s.Torque[:]))
	}
	return rows, nil
}
