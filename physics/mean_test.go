package physics

import (
	"math"
	"testing"
	"time"
)

// Times of short steps are shown as their mean, those of long ones as they are.
func TestStepTimesAreMeans(t *testing.T) {
	var m Mean
	var r Report
	for i := range 2000 {
		r.Total = time.Duration(1+2*(i%2)) * time.Millisecond
		r.Phases[1] = r.Total / 2
		m.add(&r, 1e-3)
	}
	if math.Abs(m.Total.Seconds()-2e-3) > 0.05e-3 || math.Abs(m.Phases[1].Seconds()-1e-3) > 0.05e-3 {
		t.Errorf("of 1 and 3 ms the mean is %v, of their halves %v", m.Total, m.Phases[1])
	}
	r.Total = 80 * time.Millisecond
	if m.add(&r, 0.08); m.Total != r.Total {
		t.Errorf("a step of 80 ms is shown as %v", m.Total)
	}
}
