package figure

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// Steps puts about five ticks at round numbers on a linear axis.
type Steps struct{}

// Ticks implements plot.Ticker.
func (Steps) Ticks(low, high float64) []plot.Tick {
	rough := (high - low) / 6
	if !(rough > 0) || math.IsInf(rough, 0) {
		return nil
	}
	decade := math.Pow(10, math.Floor(math.Log10(rough)))
	step := 10 * decade
	for _, m := range []float64{5, 2, 1} {
		if m*decade >= rough*(1-1e-9) {
			step = m * decade
		}
	}
	var ticks []plot.Tick
	for k := math.Ceil(low/step - 1e-9); k*step <= high+1e-9*step; k++ {
		v := k*step + 0 // no -0
		ticks = append(ticks, plot.Tick{Value: v, Label: plain(v)})
	}
	return ticks
}

// plain writes a number without the digits that rounding leaves.
func plain(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }

// Decades puts ticks on a logarithmic axis: every power of ten is labelled, on a long axis every second or third, on a
// short one 2 and 5 times it too.
type Decades struct{}

// Ticks implements plot.Ticker.
func (Decades) Ticks(low, high float64) []plot.Tick {
	if !(low > 0) || !(high > low) || math.IsInf(high, 0) {
		return nil
	}
	span := math.Log10(high / low)
	every := max(1, int(math.Ceil(span/7)))
	var ticks []plot.Tick
	for k := int(math.Floor(math.Log10(low))); float64(k) <= math.Log10(high); k++ {
		for m := 1; m <= 9; m++ {
			v := float64(m) * math.Pow(10, float64(k))
			if v < low || v > high {
				continue
			}
			t := plot.Tick{Value: v}
			if m == 1 && k%every == 0 || span < 2 && (m == 2 || m == 5) {
				t.Label = decadeLabel(v)
			}
			if m == 1 || every == 1 {
				ticks = append(ticks, t)
			}
		}
	}
	return ticks
}

// decadeLabel writes a power of ten or a small multiple of one.
func decadeLabel(v float64) string {
	if v >= 1e-3 && v < 1e6 {
		return strconv.FormatFloat(v, 'f', int(max(0, math.Ceil(-math.Log10(v)-1e-9))), 64)
	}
	return strings.NewReplacer("e-0", "e-", "e+0", "e").Replace(strconv.FormatFloat(v, 'g', 3, 64))
}
