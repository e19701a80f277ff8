package main

import (
	"math"
	"path/filepath"
	"testing"

	"hapco/haptics"
)

// A recording that buzzes, where force and interventions change with every tick, is drawn
// with no more strokes than one that is still: so many in each column.
func TestPictureOfABuzz(t *testing.T) {
	f := &flight{}
	for i := range 200_000 {
		r := haptics.Record{Time: int64(i) * 1e6}
		r.Rotation[3] = 1
		if i%2 == 0 {
			r.Force[1], r.Flags = 3, 1<<len(haptics.FlagNames)-1
		}
		f.ticks = append(f.ticks, r)
	}
	e := f.curve(func(r *haptics.Record) float64 { return r.Force[1] })
	if len(e.at) > plotColumns || len(e.at) < plotColumns/2 {
		t.Errorf("%d columns", len(e.at))
	}
	for i := range e.at {
		if e.lo[i] != 0 || e.hi[i] != 3 {
			t.Fatalf("column %d: %g to %g", i, e.lo[i], e.hi[i])
		}
	}
	f.ticks[100_001].Force[1] = -7 // a spike of one tick is seen
	if _, _, least, most := f.curve(func(r *haptics.Record) float64 { return r.Force[1] }).DataRange(); least != -7 || most != 3 {
		t.Errorf("from %g to %g", least, most)
	}
	for i := range f.ticks {
		f.ticks[i].Force[0] = math.NaN()
	}
	if _, _, least, most := f.curve(func(r *haptics.Record) float64 { return r.Force[0] }).DataRange(); least != 0 || most != 0 {
		t.Errorf("nothing is from %g to %g", least, most)
	}
	if b := f.bars(); len(b.from) > plotColumns*len(haptics.FlagNames) {
		t.Errorf("%d bars", len(b.from))
	}
	if testing.Short() {
		return
	}
	if err := f.draw(filepath.Join(t.TempDir(), "buzz.png")); err != nil {
		t.Error(err)
	}
}
