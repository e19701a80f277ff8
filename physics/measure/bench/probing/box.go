package probing

import "math"

// box is an axis-aligned one.
type box struct{ low, high vec }

// boxOf is the smallest box around points; of none it touches nothing.
func boxOf(points ...vec) (b box) {
	inf := math.Inf(1)
	return box{vec{inf, inf, inf}, vec{-inf, -inf, -inf}}.with(points...)
}

// with is the smallest box around b and points.
func (b box) with(points ...vec) box {
	for i := range points {
		p := &points[i]
		for k := range p {
			b.low[k], b.high[k] = min(b.low[k], p[k]), max(b.high[k], p[k])
		}
	}
	return b
}

// and is the smallest box around two.
func (b box) and(o box) box {
	for k := range 3 {
		b.low[k], b.high[k] = min(b.low[k], o.low[k]), max(b.high[k], o.high[k])
	}
	return b
}

// wider is b with so much room around it.
func (b box) wider(room float64) box {
	r := vec{room, room, room}
	return box{b.low.Sub(r), b.high.Add(r)}
}

func (b box) size() vec { return b.high.Sub(b.low) }

func (b *box) touches(o *box) bool {
	for k := range 3 {
		if !(b.low[k] <= o.high[k] && b.high[k] >= o.low[k]) {
			return false
		}
	}
	return true
}

func (b *box) holds(p vec) bool {
	for k := range 3 {
		if !(p[k] <= b.high[k] && p[k] >= b.low[k]) {
			return false
		}
	}
	return true
}
