package ui

import (
	"fmt"
	"math"
)

// resolution lowers the number of pixels that the scene is drawn with while the display is too slow to follow the hand,
// as on a processor that draws without a graphics card, and raises it when there is time again.
type resolution struct {
	level int     // of resolutionLevels
	slow  float64 // s for which the display has been too slow
	quick float64 // s for which it has been quick enough for more
	wait  float64 // s of quickness before more is tried; grows where that failed
	rose  bool    // it was raised, and
	since float64 // so many seconds ago
}

// resolutionLevels are parts of the window's resolution, a side: half the pixels from one to the next.
var resolutionLevels = [...]float64{1, math.Sqrt2 / 2, 0.5, math.Sqrt2 / 4, 0.25}

const (
	slowDisplay  = 20.0 // Hz below which the picture gets coarser
	quickDisplay = 27.0 // Hz above which more is tried; less than the 30 Hz of some large screens
	leastPixels  = 3e5  // that are always drawn: with fewer the scene cannot be read, and something else is slow
	slowFor      = 0.7  // s that a display must be slow: longer than a hiccup
	firstWait    = 3.0  // s
	longestWait  = 60.0 // s
	tryFor       = 10.0 // s within which a raised resolution shows that it was too much
)

// part is the present resolution, 0.25 to 1.
func (r *resolution) part() float64 { return resolutionLevels[r.level] }

// step counts a frame that took dt seconds and whose scene has so many pixels.
func (r *resolution) step(dt float64, pixels float64) {
	if !(dt > 0 && dt < 2) { // the window was hidden, or a scene was opened
		return
	}
	r.since += dt
	hz := 1 / dt
	// Leaky counters: one frame that is late does not undo what many say.
	count := func(c *float64, on bool) {
		if on {
			*c += dt
		} else {
			*c = max(0, *c-3*dt)
		}
	}
	count(&r.slow, hz < slowDisplay)
	count(&r.quick, hz > quickDisplay)
	r.wait = max(r.wait, firstWait)
	switch {
	case r.level > 0 && pixels*r.part()*r.part() < leastPixels: // the window was made smaller
		r.level--
	case r.slow > slowFor && r.level < len(resolutionLevels)-1 && pixels*math.Pow(resolutionLevels[r.level+1], 2) >= leastPixels:
		if r.rose && r.since < tryFor { // more was too much: do not try again soon
			r.wait = min(2*r.wait, longestWait)
		}
		r.level++
		r.slow, r.quick, r.rose = 0, 0, false
	case r.quick > r.wait && r.level > 0:
		r.level--
		r.slow, r.quick, r.rose, r.since = 0, 0, true, 0
	}
}

// text says what is done; "" at full resolution.
func (r *resolution) text() string {
	if r.level == 0 {
		return ""
	}
	return fmt.Sprintf("scene drawn at %.0f %%", 100*r.part())
}
