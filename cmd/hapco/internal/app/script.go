package app

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/files/setting"
	"hapco/ui"
)

// Script moves the hand along a path of the scene and keeps what is felt.
type Script struct {
	Start   mgl64.Vec3 // of the hand, world, m
	way     setting.Way
	walk    float64          // time for the way, s
	numbers []physics.Number // that the world tells
	phases  []string         // of its steps
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
	numbers         []float64
	stepMS          float64
	phasesMS        []float64
	physics, haptic float64 // rates, Hz
	missed          uint64
}

// NewScript plans a walk along the scene's path that takes nine tenths of the time; at its end the hand rests.
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
	if c.numbers == nil {
		c.numbers, c.phases = info.Numbers, info.Phases
	}
	var phases []float64
	for _, p := range f.Report.Phases[:len(c.phases)] {
		phases = append(phases, Milliseconds(p))
	}
	n := f.Counts()
	c.samples = append(c.samples, sample{
		t: t, hand: f.Target.Position, stylus: f.Stylus.Position, force: f.Force, sent: h.Force,
		open: n[physics.Open], stick: n[physics.Stick], slip: n[physics.Slip],
		numbers: slices.Clone(f.Numbers), stepMS: Milliseconds(f.Report.Total), phasesMS: phases,
		physics: f.RateHz, haptic: h.Rate, missed: h.Missed,
	})
}

func (c *Script) WriteCSV(w io.Writer) error {
	head := []string{"time_s", "hand_x_mm", "hand_y_mm", "hand_z_mm", "stylus_x_mm", "stylus_y_mm", "stylus_z_mm",
		"force_x_N", "force_y_N", "force_z_N", "sent_x_N", "sent_y_N", "sent_z_N", "open", "sticking", "sliding",
		"step_ms", "physics_Hz", "haptics_Hz", "missed_ticks"}
	for _, p := range c.phases {
		head = append(head, p+"_ms")
	}
	for i := range c.numbers {
		name := c.numbers[i].Name
		for slices.Contains(head, name) { // the world's time is not the run's
			name = "world_" + name
		}
		head = append(head, name)
	}
	return CSV(w, func(row func(...string)) {
		row(head...)
		for _, s := range c.samples {
			row(Numbers(nil, 7, slices.Concat([]float64{s.t,
				1e3 * s.hand[0], 1e3 * s.hand[1], 1e3 * s.hand[2], 1e3 * s.stylus[0], 1e3 * s.stylus[1], 1e3 * s.stylus[2],
				s.force[0], s.force[1], s.force[2], s.sent[0], s.sent[1], s.sent[2],
				float64(s.open), float64(s.stick), float64(s.slip),
				s.stepMS, s.physics, s.haptic, float64(s.missed)}, s.phasesMS, s.numbers)...)...)
		}
	})
}

// WriteSummary prints the table that a headless run ends with.
func (c *Script) WriteSummary(w io.Writer, name string) error {
	if len(c.samples) == 0 {
		return errors.New("run: no step was seen (cure: more --seconds)")
	}
	t := Table(w)
	fmt.Fprintf(t, "%s, %.1f s, %d samples\tmedian\tp99\tlargest\t\n", name, c.samples[len(c.samples)-1].t, len(c.samples))
	row := func(what string, f func(*sample) float64) {
		var v []float64
		for i := range c.samples {
			if x := f(&c.samples[i]); !math.IsNaN(x) { // there was none then
				v = append(v, x)
			}
		}
		if len(v) > 0 {
			slices.Sort(v)
			fmt.Fprintf(t, "%s\t%.3g\t%.3g\t%.3g\t\n", what, quantile(v, 0.5), quantile(v, 0.99), v[len(v)-1])
		}
	}
	row("contact force, N", func(s *sample) float64 { return s.force.Len() })
	row("force sent to the hand, N", func(s *sample) float64 { return s.sent.Len() })
	row("contacts", func(s *sample) float64 { return float64(s.open + s.stick + s.slip) })
	row("sticking", func(s *sample) float64 { return float64(s.stick) })
	row("sliding", func(s *sample) float64 { return float64(s.slip) })
	row("spring stretch, mm", func(s *sample) float64 { return 1e3 * s.hand.Sub(s.stylus).Len() })
	for i := range c.numbers { // those that the panel has, and the work of a solver
		if n := &c.numbers[i]; n.Label != "" || n.Name == "iterations" {
			row(strings.TrimSuffix(cmp.Or(n.Label, n.Name)+", "+n.Unit, ", "), func(s *sample) float64 { return s.numbers[i] })
		}
	}
	row("physics step, ms", func(s *sample) float64 { return s.stepMS })
	for i, p := range c.phases {
		row("  of it "+p+", ms", func(s *sample) float64 { return s.phasesMS[i] })
	}
	row("physics rate (Fps), Hz", func(s *sample) float64 { return s.physics })
	row("haptic rate (H_Fps), Hz", func(s *sample) float64 { return s.haptic })
	fmt.Fprintf(t, "missed haptic ticks\t\t\t%d\t\n", c.samples[len(c.samples)-1].missed)
	return t.Flush()
}

// quantile of sorted values.
func quantile(sorted []float64, q float64) float64 {
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}
