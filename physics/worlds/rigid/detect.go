package rigid

import (
	"math"

	"hapco/collision"
	"hapco/physics/numerics/num"
)

// search finds where bodies are near each other. What was found of a pair whose bodies have not moved since by more
// than still stays.
type search struct {
	sweep     *collision.Sweep
	planes    []int32             // bodies that are planes
	places    []place             // of each body
	edges     []edge              // of one body that are near another
	meetings  []collision.Meeting // of the pair looked at
	triangles []int32             // of a mesh near the other body
	pierced   bool                // the surface of a mesh, by the other body
	out       collision.Meeting   // by which the other body comes out of a mesh
	still     float64             // m: see stillShare
	turn      float64             // of two bodies against each other in a step, rad
	blurred   bool                // swift bodies turn too far in a step for that
	found
	last  found // in the step before
	seek  int   // place among the last pairs: both lists ascend
	spare found // see regroup
}

// found are pairs of bodies near each other.
type found struct {
	pairs   []pair // ascending
	touches []touch
	deepest float64 // m: the least gap
}

// anew is an empty list in that memory.
func (f *found) anew() found { return found{f.pairs[:0], f.touches[:0], math.Inf(1)} }

// place is where a body was when it was last looked at.
type place struct {
	x     vec3
	q     quat
	moved bool  // in this step, by more than still
	w     xyz   // angular velocity, world axes, 1/s
	posed posed // where it is
}

// pair is two bodies whose boxes overlap.
type pair struct {
	order    uint64 // of the search
	a, b     int32  // bodies
	from, to int32  // their touches
	reach    float64
	island   int32
	named    uint32 // the last identity given to a touch
	swift    bool   // its touches are those of the time at which the bodies will meet
}

// detect finds the touches at the present places, for the bodies' velocities before the kick; once more with those
// after it, for the pairs that had none.
func (w *World) detect(h float64, again bool) {
	s := &w.search
	s.found, s.last = s.last.anew(), s.found
	s.seek, s.blurred = 0, false
	for i, b := range w.bodies {
		if b.asleep {
			continue
		}
		p := &s.places[i]
		w.near(b, h)
		size := b.Form.reach
		if math.IsInf(size, 0) {
			p.moved = b.X != p.x || b.Q != p.q // planes are fixed
		} else {
			p.moved = b.vibration != nil || num.MaxAbs(b.X.Sub(p.x)) > s.still || turnedBy(b.Q, p.q)*size > s.still
		}
		if p.moved {
			p.x, p.q = b.X, b.Q
		}
		w.pose(b, h)
		lo, hi := b.Form.bounds(b.X, &b.r, b.reach)
		if b.Form.Kind == FormPlane || b.Form.Kind == FormNone { // out of the way: planes are looked at one by one
			lo = vec3{math.Inf(1), math.Inf(1), math.Inf(1)}
			hi = lo
		}
		s.sweep.Set(i, lo, hi)
	}
	for _, i := range s.planes {
		for _, k := range w.awake {
			b := w.moved[k]
			w.touch(b, w.bodies[i], uint64(i)<<31|uint64(b.id), h, again)
		}
	}
	for _, ij := range s.sweep.Overlaps(0) {
		w.touch(w.bodies[ij[0]], w.bodies[ij[1]], 1<<63|uint64(ij[0])<<31|uint64(ij[1]), h, again)
	}
}

// swell moves the surface of a body that vibrates, the first or the second of its touches: what touches it feels that.
func (b *Body) swell(touches []touch, which int) {
	v := b.vibration
	if v == nil || v.osc.still() {
		return
	}
	for i := range touches {
		t := &touches[i]
		t.gap += float64(1-2*which) * t.normal.Dot(rotate(b.Q, v.at(t.spots[which])))
	}
}

// pose keeps a body's form where it is, with its motion in a step of h.
func (w *World) pose(b *Body, h float64) {
	p := &w.search.places[b.id]
	p.w, p.posed = of(rotate(b.Q, b.W)), posed{form: b.Form, x: b.X, r: b.r}
	if b.moves() {
		p.posed.step, p.posed.turn = b.V.Mul(h), p.w.times(h).vec()
	}
}

// after is that with the motion after the kick; p is that before it.
func (w *World) after(b *Body, h float64, p *place) (after place) {
	after = *p
	if i := w.ids[b.id]; i >= 0 {
		after.w = of(w.system.problem.omega[i])
		after.posed.step, after.posed.turn = w.system.problem.v[i].Mul(h), after.w.times(h).vec()
	}
	return after
}

// sweeps is how fast a turn takes the farthest place of its surface past others, m/s.
func (b *Body) sweeps(omega vec3) float64 {
	if b.Form.Kind == FormBall {
		return 0
	}
	return omega.Len() * b.size()
}

// turnedBy is about the angle between two attitudes where that is small, rad.
func turnedBy(a, b quat) float64 {
	return 2 * max(math.Abs(a.W-b.W), num.MaxAbs(a.V.Sub(b.V)))
}

// near finds how far a body's surface may come in a step.
func (w *World) near(b *Body, h float64) {
	if b.reach = 0; b.moves() {
		size := b.size()
		b.reach = reachSpeed*h*max(b.V.Len()+b.W.Len()*size, b.quick) + reachFall*h*h*w.Config.Gravity.Len() + reachShare*size
	}
}

// touch adds the touches of two bodies.
func (w *World) touch(a, b *Body, order uint64, h float64, again bool) {
	if a.still() && b.still() || a.Solo != nil || b.Solo != nil || a.Form.Kind == FormNone || b.Form.Kind == FormNone ||
		len(w.apart) > 0 && w.apart[pairKey(a.id, b.id)] || joined(a, b) {
		return
	}
	s := &w.search
	for s.seek < len(s.last.pairs) && s.last.pairs[s.seek].order < order {
		s.seek++
	}
	var last *pair
	if s.seek < len(s.last.pairs) && s.last.pairs[s.seek].order == order {
		last = &s.last.pairs[s.seek]
	}
	from := len(s.touches)
	reach := a.reach + b.reach
	swiftly := false
	if last != nil && !s.places[a.id].moved && !s.places[b.id].moved && reach <= last.reach {
		reach = last.reach
		s.touches = append(s.touches, s.last.touches[last.from:last.to]...)
	} else {
		reach *= 1.01 // what hardly moves is not looked at again for a little more speed
		ka, kb := &s.places[a.id], &s.places[b.id]
		if a.asleep {
			w.pose(a, h)
		}
		if b.asleep {
			w.pose(b, h)
		}
		s.turn = h * ka.w.minus(kb.w).length()
		if again {
			after := [2]place{w.after(a, h, ka), w.after(b, h, kb)}
			s.turn = max(s.turn, h*after[0].w.minus(after[1].w).length())
			if last == nil || last.from == last.to {
				ka, kb = &after[0], &after[1]
			}
		}
		pa, pb := &ka.posed, &kb.posed
		small := smaller(a, b)
		if swiftly = a.Form.Kind != FormPlane && b.Form.Kind != FormPlane && of(pb.step).minus(of(pa.step)).length() > swift*small; swiftly && a.X.Sub(b.X).Len() <= a.size()+b.size()+reach {
			s.blurred = s.blurred || max(a.sweeps(ka.w.vec()), b.sweeps(kb.w.vec()))*h > swift*small
		}
		s.touches = s.near(s.touches, pa, pb, reach)
		now := s.touches[from:]
		for i := range now {
			t := &now[i]
			at := of(t.at)
			pa.local(at).put(&t.spots[0])
			pb.local(at.plus(of(t.slip))).put(&t.spots[1])
		}
		a.swell(now, 0)
		b.swell(now, 1)
		least := math.Inf(1)
		for i := range now {
			least = min(least, now[i].gap)
		}
		if leaves(a, b, least) {
			s.touches = s.touches[:from]
			return
		}
		if last != nil {
			persist(now, s.last.touches[last.from:last.to], small/4)
		}
	}
	p := pair{order: order, a: a.id, b: b.id, from: int32(from), to: int32(len(s.touches)), reach: reach, swift: swiftly}
	if last != nil {
		p.named = last.named
	}
	for i := from; i < len(s.touches); i++ {
		t := &s.touches[i]
		if t.fresh = t.id == 0; t.fresh {
			p.named++
			t.id = p.named
		}
		s.deepest = min(s.deepest, t.gap)
	}
	s.pairs = append(s.pairs, p)
}

// persist lets touches that were found anew go on as those of the last step at the same places on one of the two
// bodies, the nearest first, within a radius in m. Names of corners and edges would not do: where some lie on each
// other, as in a wall, rounding decides which of them is the touch, and the impulse that holds a brick would be lost.
func persist(now, last []touch, radius float64) {
	for k := range last {
		last[k].heir = -1
	}
	for i := range now { // each takes the nearest that no other is nearer to, and who loses one looks for the next
		for at := int32(i); at >= 0; {
			var l *touch
			best, first, second := radius*radius, of(now[at].spots[0]), of(now[at].spots[1])
			for k := range last {
				o := &last[k]
				d, e := first.minus(of(o.spots[0])), second.minus(of(o.spots[1]))
				away := d.dot(d)
				if other := e.dot(e); other < away {
					away = other
				}
				if away < best && (o.heir < 0 || away < o.away || away == o.away && at < o.heir) {
					best, l = away, o
				}
			}
			if l == nil {
				break
			}
			at, l.heir, l.away = l.heir, at, best
		}
	}
	for k := range last {
		if l := &last[k]; l.heir >= 0 {
			t := &now[l.heir]
			t.id, t.impulse, t.age = l.id, l.impulse, l.age
		}
	}
}
