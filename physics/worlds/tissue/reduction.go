package tissue

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/numerics/num"
)

// Where a fine surface is pressed flat, hundreds of contacts share what a few dozen could carry: they are nearly
// redundant, and a problem of n contacts costs n^2 to assemble and more to solve. With Params.Reduction above 0 the
// working set is then a selection that is spread over the patch, and the contacts that are left out may stay inside the
// other body by up to that length. It is an inner approximation: the forces on what is kept obey all laws, and the
// penetration of what is not is looked at after each solve; the deepest join until none is deeper than the length, or
// the rounds are used up. Either way what was reached is reported.
//
// The length is also no more than reduceShare of how deep the bodies would lie in each other undeformed: of a shallow
// touch, too, the hand then feels the force to about that share.
const (
	reduceShare  = 0.02
	reduceAbove  = 96 // contacts that carry or close: up to so many none of them is left out
	reduceTo     = 64 // that a selection begins with
	reduceRounds = 4  // of additions
	reduceJoin   = 24 // contacts a round at most
)

// reduction is the workspace of the selection.
type reduction struct {
	active bool         // the last step left contacts out that may be loaded
	bound  float64      // how deep those are inside the other body at most, m
	limit  float64      // how deep they may be, m
	at     []mgl64.Vec3 // contact points, world
	far    []float64    // squared distance to the nearest contact that is kept
	depth  []float64    // -x_n where left out, else 0
	size   float64      // of the patch, m
}

// reduce thins the active set out, unless it is small. Contacts that carried in the last step stay, so that a resting
// tool rests on the same points; others are added from the deepest on, each as far from those kept as can be.
func (w *World) reduce() {
	s := &w.set
	d := &s.reduced
	d.active, d.bound = false, 0
	limits, _ := slices.BinarySearch(s.kept, int32(w.touching)) // of strain: these stay
	candidates := s.kept[:limits]
	if len(candidates) <= reduceAbove {
		return
	}
	loaded, closed, start, deepest := 0, 0, int32(-1), math.Inf(1)
	for _, i := range candidates {
		g := w.gap(int(i), present)
		if w.r[3*i] != 0 {
			loaded++
			closed++
		} else if g < 0 {
			closed++
		}
		if g < deepest {
			start, deepest = i, g
		}
	}
	if closed > reduceAbove && !(w.params.Reduction > 0) {
		return
	}
	// Of many that are open but near the hand needs to know no more than a selection, either: what closes joins.
	d.active = closed > reduceAbove
	d.place(w)
	overlap := 0.0
	for i := range w.contacts[:w.touching] {
		overlap = max(overlap, -w.free[3*i])
	}
	d.limit = min(w.params.Reduction, reduceShare*overlap)

	sparse := closed < reduceTo || d.active && loaded < reduceTo // more are to be chosen
	for i := range d.far {
		d.far[i] = math.Inf(1)
	}
	chosen := 0
	choose := func(i int32) {
		chosen++
		s.in[i] = true
		for _, k := range candidates {
			d.far[k] = min(d.far[k], d.at[k].Sub(d.at[i]).LenSqr())
		}
	}
	clear(s.in[:w.touching])
	for _, i := range candidates {
		if w.r[3*i] != 0 || !d.active && w.gap(int(i), present) < 0 {
			if sparse {
				choose(i)
			} else {
				chosen++
				s.in[i] = true
			}
		}
	}
	if chosen == 0 {
		choose(start)
	}
	for sparse && chosen < reduceTo {
		next, most := int32(-1), 0.0
		for _, k := range candidates {
			if d.far[k] > most && !s.in[k] {
				next, most = k, d.far[k]
			}
		}
		if next < 0 {
			break // all others lie on those
		}
		choose(next)
	}
	s.list()
}

// place finds the contact points and the size of the patch.
func (d *reduction) place(w *World) {
	n := len(w.contacts)
	d.at, d.far, d.depth = num.Grow(d.at, n), num.Grow(d.far, n), num.Grow(d.depth, n)
	inf := math.Inf(1)
	lo, hi := mgl64.Vec3{inf, inf, inf}, mgl64.Vec3{-inf, -inf, -inf}
	for _, i := range w.set.kept {
		if w.contacts[i].kind == strainLimit {
			break // they come last
		}
		x := d.point(w, int(i))
		d.at[i] = x
		for k := range 3 {
			lo[k], hi[k] = min(lo[k], x[k]), max(hi[k], x[k])
		}
	}
	d.size = hi.Sub(lo).Len()
}

// join adds the deepest of the contacts that were left out, no two close to each other, and tells whether it is worth
// solving again. It notes how deep those that remain are.
func (w *World) join(round int) bool {
	s := &w.set
	d := &s.reduced
	d.bound = 0
	strained := false
	for i := range d.depth { // rows that cut has added since are in
		d.depth[i] = 0
		switch {
		case s.in[i]:
		case i >= w.touching:
			s.in[i] = round <= reduceRounds && w.gap(i, coming) < 0
			strained = strained || s.in[i]
		default:
			d.depth[i] = max(0, -w.gap(i, coming))
			d.bound = max(d.bound, d.depth[i])
		}
	}
	if !(d.bound > d.limit || strained) || round > reduceRounds {
		return false
	}
	apart := d.size / math.Sqrt(4*reduceTo)
	s.scatter(w.r)
	for range reduceJoin {
		deepest, most := -1, d.limit
		for i, depth := range d.depth {
			if depth > most {
				deepest, most = i, depth
			}
		}
		if deepest < 0 {
			break
		}
		s.in[deepest] = true
		d.depth[deepest] = 0
		x := d.point(w, deepest)
		for i, depth := range d.depth {
			if depth > 0 && d.point(w, i).Sub(x).LenSqr() < apart*apart {
				d.depth[i] = 0
			}
		}
	}
	s.list()
	s.gather(w.r)
	return true
}

// point of a contact on its impactor, world, m.
func (d *reduction) point(w *World, i int) mgl64.Vec3 {
	c := &w.contacts[i]
	return w.bodies[w.directions[c.direction].impactor].pointOf(&c.p)
}
