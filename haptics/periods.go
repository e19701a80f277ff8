package haptics

import "math"

// Periods is a histogram of the times between ticks. Bin i counts those from i to i+1 twentieths of the loop's period;
// the last counts all longer ones.
type Periods [41]uint64

// PeriodBins is how many bins a whole period has.
const PeriodBins = 20

// Count adds a time between ticks, ns, of a loop of that rate, Hz.
func (p *Periods) Count(ns int64, rate float64) {
	bin := math.Floor(float64(ns) * 1e-9 * rate * PeriodBins)
	p[int(min(max(bin, 0), float64(len(p)-1)))]++
}
