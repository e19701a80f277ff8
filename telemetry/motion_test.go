package telemetry

import (
	"testing"

	"hapco/physics"
)

// player is a world with one key that changes its state and one that does something once.
type player struct {
	physics.World // nil: the rest is not called
	friction, act float64
	acts          int
}

func (p *player) Keys() []physics.Key {
	return []physics.Key{
		{Name: "friction", Get: func() float64 { return p.friction }, Put: physics.Puts(func(x float64) error { p.friction = x; return nil })},
		{Name: "sound.write", Act: true, Get: func() float64 { return p.act }, Put: physics.Puts(func(x float64) error { p.act = x; p.acts++; return nil })},
	}
}

func (p *player) Step(physics.Input) physics.Report { return physics.Report{} }

// Steps that are made again take the recorded values, but write no file a second time.
func TestAgainLeavesActsAlone(t *testing.T) {
	m := Motion{Keys: []string{"friction", "sound.write"}, Steps: []Step{{Values: []float64{0.1, 0}}, {Values: []float64{0.4, 1}}}}
	w := &player{}
	if err := m.Again(w, nil, func(int, *physics.Report) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if w.friction != 0.4 || w.acts != 0 {
		t.Errorf("friction %g; %d acts", w.friction, w.acts)
	}
}
