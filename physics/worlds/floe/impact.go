package floe

import (
	"cmp"
	"math"
	"slices"
)

// impacts are those within a window, and what each of them changes: a window costs what it costs without them, and what
// is around them.
type impacts struct {
	at    []float64 // by pair: when it meets, s of the window; +Inf: not until known
	known float64   // s of the window
	awake []bool    // by floe: it meets another, or touches one that does
	queue []int32   // these floes
	seen  []bool    // by pair: it has such a floe
	pairs []int32   // these pairs
	spent []recalled
	next  []Contact
}

// stepWindow goes on by a window: forces, then the contacts that may close within it, then the way. What these contacts
// did not foresee, a corner that turns into another floe, is found as an impact: the floes that it reaches collide anew
// there, and all others go on as they were. No contact of these can close before the window ends: they were solved for
// that.
func (w *World) stepWindow(limit float64) float64 {
	w.list()
	w.bound = min(w.window, w.eulerBound())
	left := min(limit, w.bound)
	w.move(left, true, false)
	w.report.Steps++
	done, all := 0.0, true
	for range windowEvents {
		w.dt = left - done
		if all {
			w.touch()
		} else {
			w.touchAround()
		}
		if w.err != nil {
			return done
		}
		if done == 0 {
			w.remember()
			n := len(w.bodies)
			if w.fail(w.breakUp(left)); len(w.bodies) > n {
				w.list()
				w.touch()
			}
		}
		until := w.freeUntil(done, min(left, done+w.marginBound()), all)
		w.move(until-done, false, true)
		w.time += until - done
		all = until == w.impacts.known
		done = until
		if done >= left*(1-tight) {
			break
		}
		all = w.list() || all
	}
	w.felt(done)
	return done
}

// touchAround lets the floes that meet in this window collide, with all that touches them: those that meet now, and those
// whose meeting comes later, which from here is foreseen.
func (w *World) touchAround() {
	m := &w.impacts
	m.awake = slices.Grow(m.awake[:0], len(w.bodies))[:len(w.bodies)]
	m.seen = slices.Grow(m.seen[:0], len(w.near.pairs))[:len(w.near.pairs)]
	clear(m.awake)
	clear(m.seen)
	m.queue, m.pairs, m.spent, m.next = m.queue[:0], m.pairs[:0], m.spent[:0], m.next[:0]
	wake := func(i int32) {
		if !m.awake[i] && !w.bodies[i].fixed {
			m.awake[i] = true
			m.queue = append(m.queue, i)
		}
	}
	for k, p := range w.near.pairs {
		if !math.IsInf(m.at[k], 1) {
			wake(p.a)
			wake(p.b)
		}
	}
	for q := 0; q < len(m.queue); q++ {
		w.near.each(m.queue[q], func(k int32) {
			if m.seen[k] {
				return
			}
			m.seen[k] = true
			m.pairs = append(m.pairs, k)
			n := len(m.next)
			if m.next = w.between(w.near.pairs[k], m.next); len(m.next) > n {
				wake(w.near.pairs[k].a)
				wake(w.near.pairs[k].b)
			}
		})
	}
	w.recall(m.next)
	n := len(m.next)
	for i := range w.contacts {
		switch c := &w.contacts[i]; {
		case !m.awake[c.A] && !m.awake[c.B]:
			m.next = append(m.next, *c)
		case c.Impulse > 0:
			m.spent = append(m.spent, recalled{c.key, c.Impulse, c.Friction})
		}
	}
	slices.SortFunc(m.spent, func(a, b recalled) int { return cmp.Compare(a.key, b.key) })
	for i := range m.next[:n] { // what a contact bears in a window is the sum
		c := &m.next[i]
		if k, ok := slices.BinarySearchFunc(m.spent, c.key, func(r recalled, key uint64) int { return cmp.Compare(r.key, key) }); ok {
			c.Impulse, c.Friction = m.spent[k].normal, m.spent[k].shear
		}
	}
	w.contacts, m.next = m.next, w.contacts
	w.meet(w.contacts[:n])
}

// freeUntil is when two floes meet first, s of the window, of which done are gone; end where none do, or sooner where it is
// not known of those that have not changed their ways. Where not all may have, those are looked at that have.
func (w *World) freeUntil(done, end float64, all bool) float64 {
	m := &w.impacts
	if all || end < m.known {
		m.known = end
	}
	w.dt = m.known - done
	w.least.Store(math.Float64bits(w.dt))
	if all {
		m.at = slices.Grow(m.at[:0], len(w.near.pairs))[:len(w.near.pairs)]
		w.team.Run((len(w.near.pairs)+pairChunk-1)/pairChunk, &w.doTime)
		for k := range m.at {
			m.at[k] += done
		}
	} else {
		s := &w.ways[0]
		for _, k := range m.pairs {
			m.at[k] = done + w.meeting(s, w.near.pairs[k], w.dt)
		}
	}
	first := m.known
	for _, t := range m.at {
		first = min(first, t)
	}
	if first < m.known {
		w.report.Short++
	}
	return first
}

// freeTime is the time, up to most, in which no two floes meet.
func (w *World) freeTime(most float64) float64 {
	w.dt = most
	w.least.Store(math.Float64bits(most))
	w.team.Run((len(w.near.pairs)+pairChunk-1)/pairChunk, &w.doTime)
	least := math.Float64frombits(w.least.Load())
	if least < most {
		w.report.Short++
	}
	return least
}

// timeSome is the job of looking when some pairs meet: each, in a window; else the first one. Then pairs that stay apart
// for longer than the first one found so far are not looked at closely; that changes nothing of the result.
func (w *World) timeSome(chunk int) {
	free := <-w.free
	s := &w.ways[free]
	for k := chunk * pairChunk; k < min((chunk+1)*pairChunk, len(w.near.pairs)); k++ {
		t := w.meeting(s, w.near.pairs[k], math.Float64frombits(w.least.Load()))
		if w.window > 0 {
			w.impacts.at[k] = t
			continue
		}
		for old := w.least.Load(); t < math.Float64frombits(old); old = w.least.Load() {
			if w.least.CompareAndSwap(old, math.Float64bits(t)) {
				break
			}
		}
	}
	w.free <- free
}

// meeting is when a pair meets, s from now; +Inf: not within enough.
func (w *World) meeting(s *scratch, p pair, enough float64) float64 {
	a, b := &w.bodies[p.a], &w.bodies[p.b]
	if !boxesNear(a, b, w.xi+enough*closing(a, b)) || discGap(&a.placed, &b.placed) > w.xi && discTime(&a.placed, &b.placed, w.xi) >= enough {
		return math.Inf(1)
	}
	s.a.start(&a.placed, &a.plate, a.angle)
	s.b.start(&b.placed, &b.plate, b.angle)
	if t := timeOfImpact(&s.a, &s.b, w.xi, w.dt, enough); t < w.dt {
		return t
	}
	return math.Inf(1)
}
