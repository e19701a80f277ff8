package rigid

// Rest. An island whose step changes nothing sleeps: where the impulses of the last step served again, no body moved
// before the kick or moves after it, and nothing but contacts holds it, the next step is this one once more, and need
// not be made. "Moves" is more than noise of what the forces change of a velocity in a step: what the solver's
// tolerance leaves. A sleeping body's velocity is 0, and its island's contacts stay in the problem as they were solved.
//
// It wakes where something would make its step another one: a body that is awake comes as near as contacts are looked
// for, a force is another one, or somebody changes its state, a surface or the configuration.

// rest is what sleeps.
type rest struct {
	gathered bool   // the problem begins with the islands that sleep now
	config   Config // under which they fell asleep
	surfaces []surface
	lain     []lain // of bodies that may move
	calm     []bool // of these: they moved neither before the kick nor do they after it
	found           // without a body that is awake
	spare    found  // see regroup
}

// surface is how a body touches, and of one that never moves where.
type surface struct {
	friction, restitution float64
	x                     vec3
	q                     quat
}

// lain is the state of a body that sleeps, and what acts on it.
type lain struct {
	x             vec3
	q             quat
	force, moment vec3
}

func (r *rest) room(bodies, moved int) {
	*r = rest{surfaces: make([]surface, bodies), lain: make([]lain, moved), calm: make([]bool, moved)}
}

// still tells whether a body sleeps, or neither moves nor rings.
func (b *Body) still() bool { return b.asleep || !b.moves() && b.vibration == nil }

// heed wakes what somebody has changed between two steps.
func (w *World) heed() {
	r := &w.rest
	all := r.config != w.Config
	r.config = w.Config
	for i, b := range w.bodies {
		now := surface{friction: b.Friction, restitution: b.Restitution}
		if !b.moves() {
			now.x, now.q = b.X, b.Q
		}
		if r.surfaces[i] != now {
			r.surfaces[i], all = now, true
		}
	}
	if len(w.awake) == len(w.moved) {
		return
	}
	if w.wakeWhere(func(b *Body, l *lain) bool {
		return all || b.V != (vec3{}) || b.W != (vec3{}) || b.X != l.x || b.Q != l.q
	}) {
		w.regroup()
	}
}

// wakeWhere wakes the bodies of which that holds, and tells whether there are any.
func (w *World) wakeWhere(holds func(b *Body, l *lain) bool) (some bool) {
	for i, b := range w.moved {
		if b.asleep && holds(b, &w.rest.lain[i]) {
			w.wake(int32(i))
			some = true
		}
	}
	return some
}

// rouse wakes what is touched by a body that is awake, and what feels another force than it slept under.
func (w *World) rouse() {
	if len(w.awake) == len(w.moved) {
		return
	}
	changed := w.wakeWhere(func(b *Body, l *lain) bool { return b.force != l.force || b.moment != l.moment })
	for i := range w.search.pairs {
		p := &w.search.pairs[i]
		for _, id := range [2]int32{p.a, p.b} {
			if p.from < p.to && w.bodies[id].asleep {
				w.wake(w.ids[id])
				changed = true
			}
		}
	}
	if changed {
		w.regroup()
	}
}

// wake lets the island of a body that sleeps go on.
func (w *World) wake(i int32) {
	s := &w.system
	for _, i := range s.islands[s.groups.homes[i]].problem.moved {
		b := w.moved[i]
		b.asleep, s.bodies.begun[i] = false, b.placed()
	}
}

// calmed marks a body that moves neither before the kick nor after it, at v and omega.
func (w *World) calmed(i int32, v, omega vec3, h float64) {
	b := w.moved[i]
	size := b.size()
	most := noise * h * b.force.Len() * b.invMass
	w.rest.calm[i] = b.hand == nil && b.Solo == nil && b.vibration == nil &&
		b.V.Len()+b.W.Len()*size <= most && v.Len()+omega.Len()*size <= most
}

// settle lets the islands sleep whose step has changed nothing.
func (w *World) settle() {
	s, r := &w.system, &w.rest
	if w.late {
		return
	}
	changed := false
	for at := s.sleeping; at < len(s.islands); at++ {
		k := &s.islands[at]
		calm := k.sweeps == 0 && k.rounds == 1 && k.result.converged && len(k.joints) == 0
		for i := 0; i < len(k.problem.moved) && calm; i++ {
			calm = r.calm[k.problem.moved[i]]
		}
		for i := k.contacts; i < k.contacts+len(k.all) && calm; i++ {
			calm = !s.contacts.deep[i]
		}
		if !calm {
			continue
		}
		changed = true
		for _, i := range k.problem.moved {
			b := w.moved[i]
			w.given.add(-b.kinetic())
			b.asleep, b.V, b.W = true, vec3{}, vec3{}
			r.lain[i] = lain{b.X, b.Q, b.force, b.moment}
			w.search.places[b.id].moved = false
		}
	}
	if changed {
		w.regroup()
	}
}

// regroup lists what is awake, and parts the pairs found.
func (w *World) regroup() {
	r, f := &w.rest, &w.search
	w.awake = w.awake[:0]
	for i, b := range w.moved {
		if !b.asleep {
			w.awake = append(w.awake, int32(i))
		}
		f.sweep.Quiet(int(b.id), b.asleep)
	}
	old, now := r.found, f.found
	r.found, r.spare = r.spare.anew(), old
	f.found, f.spare = f.spare.anew(), now
	f.deepest = now.deepest
	put := func(p pair, touches []touch) {
		to := &f.found
		if w.bodies[p.a].still() && w.bodies[p.b].still() {
			to = &r.found
		}
		touches = touches[p.from:p.to]
		for i := range touches {
			to.deepest = min(to.deepest, touches[i].gap)
		}
		p.from = int32(len(to.touches))
		p.to = p.from + int32(len(touches))
		to.touches, to.pairs = append(to.touches, touches...), append(to.pairs, p)
	}
	for i, k := 0, 0; i < len(old.pairs) || k < len(now.pairs); {
		if k == len(now.pairs) || i < len(old.pairs) && old.pairs[i].order < now.pairs[k].order {
			put(old.pairs[i], old.touches)
			i++
		} else {
			put(now.pairs[k], now.touches)
			k++
		}
	}
	r.gathered = false
}
