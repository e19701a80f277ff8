package probing

import (
	"testing"

	"hapco/physics/frame"
	"hapco/physics/local"
)

// through is a device that passes on what the model says, at most by so much more in a
// tick, N, but from some tick on.
type through struct {
	most    float64
	breaks  int // tick from which it limits nothing; 0: never
	dropped int // tick in which it lets go; 0: never
	ticks   int
	last    vec
}

func (d *through) Begin(frame.Pose) { d.ticks, d.last = 0, vec{} }

func (d *through) Tick(_ frame.Pose, m *local.Model) (f Felt) {
	d.ticks++
	f.Raw, _ = m.Resultant(m.R)
	f.Force, f.Most = f.Raw, d.most
	if way := f.Raw.Sub(d.last); way.Len() > d.most && (d.breaks == 0 || d.ticks < d.breaks) {
		f.Force, f.Slewed = d.last.Add(way.Mul(d.most/way.Len())), true
	}
	if d.ticks == d.dropped {
		f.Dropped = "made up"
	}
	d.last = f.Force
	return f
}

// A hand's force that keeps to what its device may send breaks no law; one that jumps, or is
// dropped, does.
func TestJudgeFeelsJolts(t *testing.T) {
	a := blockArena(t)
	g := Gesture{At: a.start, Rotation: a.held, Friction: 0.3, Solver: "auto",
		Moves: []Move{{Way: vec{0, -9e-3, 0}, Row: 1e-3}, {Way: vec{6e-3, 0, 0}, Row: 1e-3}}}
	for _, c := range []struct {
		name   string
		device through
		jolted bool
	}{
		{"keeps to its limit", through{most: 1e-2}, false},
		{"jumps", through{most: 1e-2, breaks: 25}, true},
		{"lets go", through{most: 10, dropped: 30}, true},
	} {
		v, err := a.Judge(t.Context(), &g, JudgeOptions{Device: &c.device})
		if err != nil {
			t.Fatal(err)
		}
		if v.Has(Jolted) != c.jolted || len(v.Breaches) > 1 {
			t.Errorf("%s: %v", c.name, v.Breaches)
		}
		h := &v.Hand
		if h.Ticks != len(v.StepMS) || h.Ticks != c.device.ticks || !(h.Force > 0.02) || !(h.RawJump > 0) || !c.jolted && (!(h.Jump <= 1.001e-2) || h.Slewed == 0) {
			t.Errorf("%s: %+v after %d steps", c.name, *h, len(v.StepMS))
		}
	}
}
