package main

import "math"

// The loop is a thick tube bent to a C that lies on one arm, open to +X: the other arm hangs free above it, and whoever
// presses that closes the gap.
var loop = organ{
	name: "loop", low: vec{-60, -50, -35}, high: vec{70, 50, 35},
	field: loopField, edge: loopEdge,
	attached: func(p vec) bool { return p[1] < -29 },
}

// loopLine is how far a point of the plane of the bend is from the tube's middle line: a half circle about (-12, 0) and
// two arms that come closer to each other.
func loopLine(x, y float64) float64 {
	const cx, radius, lean = -12, 21, 0.07
	if x < cx {
		return math.Abs(math.Hypot(x-cx, y) - radius)
	}
	along := min(x-cx, 48)
	return math.Hypot(x-cx-along, math.Abs(y)-(radius-lean*along))
}

func loopField(p vec) float64 {
	// flatter in the plane of the bend than across it
	d := loopLine(p[0], p[1])
	return ellipsoid(vec{d, p[2], 0}, vec{}, vec{13, 18, 18})
}

// loopEdge is fine where the arms meet and where the tool presses.
func loopEdge(p vec) float64 {
	const fine, coarse, grading = 4.2, 8, 0.2
	gap := math.Abs(p[1]) + max(0, -p[0]-5, p[0]-40)
	top := p.Sub(vec{20, 32, 0}).Len()
	return min(max(fine, fine+grading*min(gap-10, top-16)), coarse)
}
