package floe

import (
	"math"
	"sync/atomic"

	"hapco/physics/numerics/num"
)

// impacts are those to come. After one within a window those floes alone are looked at anew whose ways it has changed.
type impacts struct {
	at    []float64     // by pair: when it meets, s of the window; +Inf: not until known
	known float64       // s of the window
	done  float64       // of it
	was   []State       // of the floes, before they collided
	awake []bool        // by floe: its way has changed since
	least atomic.Uint64 // bits of the time until the first found so far, from event to event
}

// stepWindow goes on by a window: forces, then the contacts that may close within it, then the way. What these contacts
// did not foresee, a corner that turns into another floe, is found as an impact, and the rest of the window is done
// anew from there.
func (w *World) stepWindow(limit float64) float64 {
	w.list()
	w.euler.bound = w.eulerBound()
	left := min(limit, w.euler.bound)
	w.move(left, true, false)
	w.report.Steps++
	m, all := &w.impacts, true
	m.done = 0
	for range windowEvents {
		w.dt = left - m.done
		m.was = m.was[:0]
		for i := range w.bodies {
			m.was = append(m.was, w.bodies[i].state())
		}
		w.touch()
		if w.err != nil {
			return m.done
		}
		if m.done == 0 {
			w.remember()
			n := len(w.bodies)
			if w.breakUp(left); len(w.bodies) > n {
				w.list()
				w.touch()
			}
		}
		until := w.freeUntil(min(left, m.done+w.marginBound()), all)
		w.move(until-m.done, false, true)
		w.time += until - m.done
		all = until == m.known
		m.done = until
		if until >= left*(1-tight) {
			break
		}
		all = w.list() || all
	}
	w.felt(m.done)
	return m.done
}

// freeUntil is when two floes meet first, s of the window; end where none do, or sooner where it is not known of those
// that have not changed their ways. Where not all may have, those are looked at that have.
func (w *World) freeUntil(end float64, all bool) float64 {
	m := &w.impacts
	if all || end < m.known {
		m.known = end
	}
	m.awake = num.Grow(m.awake, len(w.bodies))
	for i := range w.bodies {
		m.awake[i] = all || m.was[i] != w.bodies[i].state()
	}
	m.at = num.Grow(m.at, len(w.near.pairs))
	w.timePairs(m.known - m.done)
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
	w.timePairs(most)
	least := math.Float64frombits(w.impacts.least.Load())
	if least < most {
		w.report.Short++
	}
	return least
}

// timePairs finds when pairs meet within a time.
func (w *World) timePairs(most float64) {
	w.dt = most
	w.impacts.least.Store(math.Float64bits(most))
	w.jobs.team.Spread((len(w.near.pairs)+pairChunk-1)/pairChunk, &w.jobs.time)
}

// timeSome is the job of looking when some pairs meet: each, in a window; else the first one. Then pairs that stay
// apart for longer than the first one found so far are not looked at closely; that changes nothing of the result.
func (w *World) timeSome(chunk int) {
	free := <-w.jobs.free
	s := &w.jobs.ways[free]
	for k := chunk * pairChunk; k < min((chunk+1)*pairChunk, len(w.near.pairs)); k++ {
		p := w.near.pairs[k]
		if m := &w.impacts; w.config.Window > 0 {
			if m.awake[p.a] || m.awake[p.b] {
				m.at[k] = m.done + w.meeting(s, p, w.dt)
			}
			continue
		}
		t := w.meeting(s, p, math.Float64frombits(w.impacts.least.Load()))
		for old := w.impacts.least.Load(); t < math.Float64frombits(old); old = w.impacts.least.Load() {
			if w.impacts.least.CompareAndSwap(old, math.Float64bits(t)) {
				break
			}
		}
	}
	w.jobs.free <- free
}

// meeting is when a pair meets, s from now; +Inf: not within enough.
func (w *World) meeting(s *scratch, p pair, enough float64) float64 {
	xi := w.config.Collision
	a, b := &w.bodies[p.a], &w.bodies[p.b]
	if !boxesNear(a, b, xi+enough*closing(a, b)) || discGap(&a.placed, &b.placed) > xi && discTime(&a.placed, &b.placed, xi) >= enough {
		return math.Inf(1)
	}
	s.a.start(&a.placed, &a.plate, a.angle)
	s.b.start(&b.placed, &b.plate, b.angle)
	if t := timeOfImpact(&s.a, &s.b, xi, w.dt, enough); t < w.dt {
		return t
	}
	return math.Inf(1)
}
