package app

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"text/tabwriter"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/setting"
	"hapco/ui"
)

// Script moves the hand along a path of the scene and keeps what is felt.
type Script struct {
	Start   mgl64.Vec3 // of the hand, world, m
	way     setting.Way
	walk    float64 // time for the way, s
	samples []sample
}

// sample is one reading of a scripted run.
type sample struct {
	t               float64
	hand, stylus    mgl64.Vec3
	force           mgl64.Vec3
	sent            mgl64.Vec3
	open            int
	stick, slip     int
	iterations      int
	change          float64
	stepMS          float64
	collisionMS     float64
	contactMS       float64
	physics, haptic float64 // rates, Hz
	missed          uint64
}

// NewScript plans a walk along the scene's path that takes nine tenths of the
// time; at its end the hand rests.
func NewScript(s *setting.Setting, name string, seconds float64) (*Script, error) {
	p, err := s.ChoosePath(name, "sliding")
	if err != nil {
		return nil, fmt.Errorf("run: %w", err)
	}
	return &Script{way: p.Way(), walk: 0.9 * seconds}, nil
}

// Hand is where the hand is at time t, s.
func (c *Script) Hand(t float64) mgl64.Vec3 { return c.Start.Add(c.way.At(t / c.walk)) }

func (c *Script) Record(t float64, f *physics.Frame, info *physics.Info, h ui.HapticsStatus) {
	number := func(name string) float64 {
		if i := info.Number(name); i >= 0 {
			return f.Numbers[i]
		}
		return 0
	}
	phase := func(name string) float64 {
		if i := slices.Index(info.Phases, name); i >= 0 {
			return Milliseconds(f.Report.Phases[i])
		}
		return 0
	}
	n := f.Counts()
	c.samples = append(c.samples, sample{
		t: t, hand: f.Target.Position, stylus: f.Stylus.Position, force: f.Force, sent: h.Force,
		open: n[physics.Open], stick: n[physics.Stick], slip: n[physics.Slip],
		iterations: int(number("iterations")), change: Finite(number("error")),
		stepMS: Milliseconds(f.Report.Total), collisionMS: phase("collision"), contactMS: phase("contact"),
		physics: f.RateHz, haptic: h.RateHz, missed: h.Missed,
	})
}

func (c *Script) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.Write([]string{"time_s", "hand_x_mm", "hand_y_mm", "hand_z_mm", "stylus_x_mm", "stylus_y_mm", "stylus_z_mm",
		"force_x_N", "force_y_N", "force_z_N", "sent_x_N", "sent_y_N", "sent_z_N", "open", "sticking", "sliding",
		"iterations", "relative_change", "step_ms", "collision_ms", "contact_ms", "physics_Hz", "haptics_Hz", "missed_ticks"}); err != nil {
		return err
	}
	for i := range c.samples {
		s := &c.samples[i]
		var row []string
		for _, x := range []float64{s.t,
			1e3 * s.hand[0], 1e3 * s.hand[1], 1e3 * s.hand[2], 1e3 * s.stylus[0], 1e3 * s.stylus[1], 1e3 * s.stylus[2],
			s.force[0], s.force[1], s.force[2], s.sent[0], s.sent[1], s.sent[2],
			float64(s.open), float64(s.stick), float64(s.slip), float64(s.iterations), s.change,
			s.stepMS, s.collisionMS, s.contactMS, s.physics, s.haptic, float64(s.missed)} {
			row = append(row, strconv.FormatFloat(x, 'g', 7, 64))
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// WriteSummary prints the table that a headless run ends with.
func (c *Script) WriteSummary(w io.Writer, name string) error {
	if len(c.samples) == 0 {
		return errors.New("run: no step was seen (cure: more --seconds)")
	}
	column := func(f func(*sample) float64) []float64 {
		v := make([]float64, len(c.samples))
		for i := range c.samples {
			v[i] = f(&c.samples[i])
		}
		slices.Sort(v)
		return v
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "%s, %.1f s, %d samples\tmedian\tp99\tlargest\t\n", name, c.samples[len(c.samples)-1].t, len(c.samples))
	for _, row := range []struct {
		what string
		f    func(*sample) float64
	}{
		{"contact force, N", func(s *sample) float64 { return s.force.Len() }},
		{"force sent to the hand, N", func(s *sample) float64 { return s.sent.Len() }},
		{"contacts", func(s *sample) float64 { return float64(s.open + s.stick + s.slip) }},
		{"sticking", func(s *sample) float64 { return float64(s.stick) }},
		{"sliding", func(s *sample) float64 { return float64(s.slip) }},
		{"spring stretch, mm", func(s *sample) float64 { return 1e3 * s.hand.Sub(s.stylus).Len() }},
		{"solver iterations", func(s *sample) float64 { return float64(s.iterations) }},
		{"physics step, ms", func(s *sample) float64 { return s.stepMS }},
		{"  of it collision, ms", func(s *sample) float64 { return s.collisionMS }},
		{"  of it contact, ms", func(s *sample) float64 { return s.contactMS }},
		{"physics rate (Fps), Hz", func(s *sample) float64 { return s.physics }},
		{"haptic rate (H_Fps), Hz", func(s *sample) float64 { return s.haptic }},
	} {
		v := column(row.f)
		fmt.Fprintf(t, "%s\t%.3g\t%.3g\t%.3g\t\n", row.what, Quantile(v, 0.5), Quantile(v, 0.99), v[len(v)-1])
	}
	fmt.Fprintf(t, "missed haptic ticks\t\t\t%d\t\n", c.samples[len(c.samples)-1].missed)
	return t.Flush()
}

// Quantile of sorted values.
func Quantile(sorted []float64, q float64) float64 {
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}
