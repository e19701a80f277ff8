// What only tests ask.

package grain

import "math"

// Advance moves on by a length of time, in as many equal steps of at most Dt as
// it takes, and returns their number. Dt is what it was afterwards. At most most
// steps are done; time that is left is lost.
func (w *World) Advance(seconds float64, most int) int {
	if !(seconds > 0) || w.dt == 0 {
		return 0
	}
	n := int(min(math.Ceil(seconds/w.dt*(1-1e-12)), float64(most)))
	w.Step(n)
	return n
}

// Radius of grain i, m.
func (w *World) Radius(i int) float64 { return w.radius[w.place[i]] }
