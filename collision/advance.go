package collision

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// Swept is a point, a segment or a triangle on its way through a step. At a share s of the step, from 0 to 1, a corner
// is where
//
//	At + s Way + (R(s) - 1) Arm,   R(s) the rotation by s |Turn| about Turn
//
// so that corners of a rigid body go along their arcs. Arm is 0 where nothing turns.
type Swept struct {
	Count   int // of corners, 1 to 3
	At, Way [3]mgl64.Vec3
	Arm     [3]mgl64.Vec3
	Turn    mgl64.Vec3 // rad
}

// Advance is the share of a step, from 0 to 1, that two features may make so that they do not come within round of each
// other: up to it, and there, they are farther apart. It is 1 where they do not meet in the step, else a little less
// than the share at which they do. Features that are that near at the beginning, to rounding, may part and come no
// nearer; where they are nearer, or so near that no direction between them is sure, it is 0. Features: a point and a
// triangle, two segments, a point or a segment and a triangle with round above 0, and whatever else has no more corners
// and an end.
//
// It is additive conservative advancement (Li, Kaufman, Jiang, Codimensional incremental potential contact, 2021,
// section 5) along the direction between the closest points: that the features are apart along one direction, which
// changes linearly with the step, bounds how far they may go, and what they do across it costs nothing (Zhang, Lee,
// Kim, Interactive continuous collision detection for non-convex polyhedra, 2006). Any direction is a bound, so that
// closest points that are not quite right make an answer short, not wrong.
func Advance(a, b *Swept, round float64) (share float64) {
	// Only relative motion counts: places are taken from a corner, ways from their mean.
	origin, mean := b.At[0], mgl64.Vec3{}
	for i := range a.Count {
		mean = mean.Add(a.Way[i])
	}
	for i := range b.Count {
		mean = mean.Add(b.Way[i])
	}
	mean = mean.Mul(1 / float64(a.Count+b.Count))
	least := unsure * max(a.size(), b.size())
	bend := a.bend() + b.bend()
	var p, q placed
	first := 0.0
	for n := range mostAdvances {
		a.place(share, &origin, &mean, &p)
		b.place(share, &origin, &mean, &q)
		normal, gap := parting(&p, &q)
		if gap -= round; n == 0 {
			first = gap
		}
		end := max(approach*gap, least)
		if !(gap > max(arrived*first, least)) { // NaN, too
			if end = gap; n > 0 || !(gap >= -least && gap+round > sure*least) {
				return share
			}
		}
		step := p.until(&q, normal, end+round, bend)
		if share += step; share >= 1 {
			return 1
		} else if step == 0 {
			return share
		}
	}
	return share
}

// size is the largest coordinate on the way.
func (w *Swept) size() (x float64) {
	for i := range w.Count {
		for k := range 3 {
			x = max(x, math.Abs(w.At[i][k])+math.Abs(w.Way[i][k]))
		}
		x = max(x, 2*w.Arm[i].Len())
	}
	return x
}

// bend bounds how fast a corner's velocity changes.
func (w *Swept) bend() (most float64) {
	for i := range w.Count {
		most = max(most, w.Arm[i].LenSqr())
	}
	return math.Sqrt(most) * w.Turn.LenSqr()
}

// placed are a feature's corners at a share, and their velocities per share.
type placed struct {
	count int
	x, v  [3]mgl64.Vec3
}

func (w *Swept) place(share float64, origin, mean *mgl64.Vec3, p *placed) {
	p.count = w.Count
	for i := range w.Count {
		p.v[i] = w.Way[i].Sub(*mean)
		p.x[i] = w.At[i].Sub(*origin).Add(p.v[i].Mul(share))
	}
	angle := w.Turn.Len()
	if angle == 0 {
		return
	}
	sin, cos := math.Sincos(share * angle)
	axis := w.Turn.Mul(1 / angle)
	for i := range w.Count {
		// Rodrigues: the part of the arm across the axis turns
		arm := w.Arm[i]
		side := axis.Cross(arm)
		out := side.Cross(axis)
		p.x[i] = p.x[i].Add(out.Mul(cos - 1)).Add(side.Mul(sin))
		p.v[i] = p.v[i].Add(side.Mul(angle * cos)).Sub(out.Mul(angle * sin))
	}
}

// parting is a direction from the second of two features to the first, unit, along which they are apart, and by how
// much: their distance but for rounding.
func parting(p, q *placed) (normal mgl64.Vec3, gap float64) {
	away := closest(p, q)
	if l := away.Len(); l > 0 {
		normal = away.Mul(1 / l)
		gap = p.slab(q, normal)
	}
	// Very close to each other the direction between closest points is rounding; these are as good as ever.
	var across mgl64.Vec3
	switch {
	case p.count == 3:
		across = p.x[1].Sub(p.x[0]).Cross(p.x[2].Sub(p.x[0]))
	case q.count == 3:
		across = q.x[1].Sub(q.x[0]).Cross(q.x[2].Sub(q.x[0]))
	case p.count == 2 && q.count == 2:
		across = p.x[1].Sub(p.x[0]).Cross(q.x[1].Sub(q.x[0]))
	}
	if l := across.Len(); l > 0 {
		across = across.Mul(math.Copysign(1/l, across.Dot(away)))
		if g := p.slab(q, across); g > gap {
			return across, g
		}
	}
	return normal, gap
}

// closest is the vector from the point of q that is closest to p, to that of p.
func closest(p, q *placed) mgl64.Vec3 {
	if p.count > q.count {
		return closest(q, p).Mul(-1)
	}
	best, away := math.Inf(1), mgl64.Vec3{}
	try := func(x, y mgl64.Vec3) {
		if d := x.Sub(y); d.LenSqr() < best {
			best, away = d.LenSqr(), d
		}
	}
	if q.count == 3 {
		for _, x := range p.x[:p.count] {
			w, _ := ClosestOnTriangle(x, q.x[0], q.x[1], q.x[2])
			try(x, q.x[0].Mul(w[0]).Add(q.x[1].Mul(w[1])).Add(q.x[2].Mul(w[2])))
		}
	}
	if p.count == 1 && q.count == 3 {
		return away
	}
	for i := range p.count {
		for j := range q.count { // of a point and of a segment a side is tried twice; both are short
			a, b, c, d := p.x[i], p.x[(i+1)%p.count], q.x[j], q.x[(j+1)%q.count]
			s, t, _ := ClosestSegments(a, b, c, d)
			try(a.Add(b.Sub(a).Mul(s)), c.Add(d.Sub(c).Mul(t)))
			if q.count < 3 {
				break
			}
		}
		if p.count < 3 {
			break
		}
	}
	return away
}

// slab is how far p is from q along a direction.
func (p *placed) slab(q *placed, normal mgl64.Vec3) float64 {
	low, high := math.Inf(1), math.Inf(-1)
	for i := range p.count {
		low = min(low, normal.Dot(p.x[i]))
	}
	for j := range q.count {
		high = max(high, normal.Dot(q.x[j]))
	}
	return low - high
}

// until is the share of a step, from now, in which the slab between p and q becomes as thin as end; velocities change
// by no more than bend a share.
func (p *placed) until(q *placed, normal mgl64.Vec3, end, bend float64) float64 {
	until := math.Inf(1)
	for i := range p.count {
		for j := range q.count {
			room := normal.Dot(p.x[i].Sub(q.x[j])) - end
			speed := normal.Dot(p.v[i].Sub(q.v[j]))
			// room + speed t - bend t^2/2 = 0, without what cancels
			root := math.Sqrt(speed*speed + 2*bend*max(0, room))
			switch {
			case speed < 0:
				until = min(until, 2*max(0, room)/(root-speed))
			case bend > 0:
				until = min(until, (speed+root)/bend)
			}
		}
	}
	return until
}
