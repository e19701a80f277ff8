package finitestrain

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/numerics/fem/equilibrium"
	"hapco/physics/numerics/num"
)

// correct makes one correction of the bodies and the tool; false where none of it could be taken. What binds it joins
// it, and it goes no farther than nothing crosses.
func (l *Live) correct() bool {
	quick, h := l.tangents.now.quick, &l.tool
	h.drag, h.begin, h.most, h.over, h.nears = 0, h.at, farthest*l.Options.Reach, [2]bool{}, [2]bool{}
	l.contacts.place(l.X, h.at)
	l.columns()
	l.balance(l.force)
	quick.First(l.correction.residual)
	quick.Keep()
	for round := 0; ; round++ {
		l.columns()
		l.halfway()
		l.solveContacts()
		if l.goesFar(round) {
			continue
		}
		l.secondHalf()
		full := l.length()
		l.along(full)
		bound := l.bound(l.correction.trial, six{}.add(h.way, full))
		switch {
		case bound < 1 && round < mostRounds && l.join():
		case bound < halfway && round < mostRounds && h.way.size() > 0:
			h.most = math.Max(bound, halfway/4) * h.way.size()
			l.goesFar(round)
		default:
			return l.take(full, bound)
		}
		quick.Back()
	}
}

// halfway finds how far the rows' spots go with the first half of the solve, m, in l.at, and makes room for their forces.
func (l *Live) halfway() {
	p := &l.problem
	m := len(l.constraints)
	p.at, p.r = num.Grow(p.at, 3*m), num.Grow(p.r, 3*m)
	for i := range l.constraints {
		r := &l.constraints[i]
		var at [3]float64
		l.findSlots(r)
		for k, slot := range r.slot {
			if slot >= 0 {
				u := l.tangents.now.quick.At(&l.tangents.now.half[slot])
				for c := range at {
					at[c] += r.share[k] * u[c]
				}
			}
		}
		copy(p.at[3*i:], at[:])
	}
}

// findSlots finds a row's nodes in the factor in use.
func (l *Live) findSlots(r *contactConstraint) {
	for k, n := range r.nodes {
		r.slot[k] = -1
		if n >= 0 && l.k.Index[n] >= 0 {
			r.slot[k] = l.tangents.now.slot[n]
		}
	}
}

// refit finds the compliance of the contacts, which have not changed, on a new tangent.
func (l *Live) refit() {
	l.columns()
	for i := range l.constraints {
		l.findSlots(&l.constraints[i])
	}
	l.between()
	l.layered()
}

// secondHalf ends the solve with what the contacts change, in l.du.
func (l *Live) secondHalf() {
	quick := l.tangents.now.quick
	for i := range l.constraints {
		r := &l.constraints[i]
		f := r.force.Sub(r.world(r.old[:]))
		for k, slot := range r.slot {
			if slot >= 0 {
				quick.Join(&l.tangents.now.half[slot], f.Mul(r.share[k]))
			}
		}
	}
	quick.Second(l.correction.du)
	if l.correction.exact {
		b := slices.Clone(l.correction.residual)
		for i := range l.constraints {
			r := &l.constraints[i]
			r.load(b, l.k, r.force.Sub(r.world(r.old[:])))
		}
		l.tangents.now.refine(l.k, l.correction.du, b)
	}
}

// length is the share of a correction that is looked at: no node goes farther than a reach.
func (l *Live) length() float64 {
	far := 0.0
	for _, u := range l.correction.du {
		if u = math.Abs(u); u > far {
			far = u
		}
	}
	return math.Min(l.correction.share, l.Options.Reach/far)
}

// along puts into l.trial where a share of the correction leads.
func (l *Live) along(share float64) {
	copy(l.correction.trial, l.X)
	for i, n := range l.k.FreeNode {
		x, u := (*mgl64.Vec3)(l.correction.trial[3*n:]), (*mgl64.Vec3)(l.correction.du[3*i:])
		*x = x.Add(u.Mul(share))
	}
}

// hold lets the rows and their layers bear what they did before the correction.
func (l *Live) hold() {
	for i := range l.constraints {
		r := &l.constraints[i]
		copy(l.problem.r[3*i:3*i+3], r.old[:])
		r.force = r.world(r.old[:])
		r.yield()
	}
}

// take goes along a share of a correction, no farther than to what binds, where that brings bodies and tool nearer to equilibrium or
// goes down in energy: a correction d goes down where d (residual) > 0, and not too far where at its end that is more than
// minus half of what it was.
func (l *Live) take(full, bound float64) (taken bool) {
	h, length := &l.tool, full
	if bound < 1 {
		length *= nearly * bound
	}
	before := l.balance(l.force)
	slope := equilibrium.Inner(l.correction.du, l.correction.residual) + h.way.dot(l.misses())
	least := leastShare * l.least
	for range mostShares {
		l.along(length)
		j := l.forces(l.correction.force, l.correction.trial)
		h.at = h.after(&l.contacts.motion, length/full, length == 1)
		after := l.balance(l.correction.force)
		down := h.way.dot(l.misses()) + equilibrium.Inner(l.correction.du, l.correction.residual)
		if j > least && num.Finite(after) && (after <= before*(1+1e-9) || slope > 0 && down > -slope/2 || after < rises*before && l.relaxes() && l.patch.choose(l) <= within*after) {
			l.X, l.correction.trial = l.correction.trial, l.X
			l.force, l.correction.force = l.correction.force, l.force
			l.least, taken = j, true
			break
		}
		length /= 3
		l.report.Shortened++
	}
	if h.took = taken; !taken {
		h.at = h.begin
		l.hold()
	}
	return taken
}

// balance fills residual with load + H^T r - force, and gives its size with what the tool misses.
func (l *Live) balance(force []float64) float64 {
	for i, n := range l.k.FreeNode {
		r, f, g := (*mgl64.Vec3)(l.correction.residual[3*i:]), (*mgl64.Vec3)(force[3*n:]), (*mgl64.Vec3)(l.load[3*n:])
		*r = g.Sub(*f)
	}
	for i := range l.constraints {
		l.constraints[i].load(l.correction.residual, l.k, l.constraints[i].force)
	}
	return math.Hypot(equilibrium.Norm(l.correction.residual), l.misses().size())
}
