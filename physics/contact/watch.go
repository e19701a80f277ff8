package contact

import (
	"math"
	"sync/atomic"
	"time"

	"hapco/physics/cputime"
)

// Watch lets other goroutines follow a solve and end it. It changes neither the
// method nor the forces of a solve that ends by itself, as a Budget does, and
// costs one load where a solver looks at the clock. The zero value is ready.
type Watch struct {
	iterations   atomic.Int64
	value        atomic.Uint64 // bits of a float64
	halted       atomic.Bool
	looks, last  atomic.Int64  // so far, and the one that ends the solve; last 0: none does
	until        time.Time     // the zero time: never
	began, share time.Duration // processor time at Until, and how much of it there is until then
}

// Halt ends the solve at the next look. Its forces are admissible, it has not converged,
// and its errors are known unless that was before the end of the first iteration.
func (w *Watch) Halt() { w.halted.Store(true) }

// HaltAfter ends the solve at a look, counted from 1: a deadline in work instead of
// time, which is the same on every machine. Looks tells how many there were.
func (w *Watch) HaltAfter(looks int) { w.looks.Store(0); w.last.Store(int64(looks)) }

// Looks counts how often the solver has asked whether it is to end, since HaltAfter.
func (w *Watch) Looks() int { return int(w.looks.Load()) }

// Until ends solves at a moment, as Halt does, unless the thread had no processor
// until then: what a solve finds shall not depend on what else the machine does.
// The zero time ends none. Whoever solves calls it, on the same thread, between
// two solves.
func (w *Watch) Until(t time.Time) {
	w.until, w.began, w.share = t, cputime.Thread(), time.Until(t)
}

// Left is the time until then, of the clock or of the processor, whichever is more; the
// longest there is where no solve is to end. Where the goroutine has changed its
// thread, so that nothing is known, the clock decides.
func (w *Watch) Left() time.Duration {
	if w == nil || w.until.IsZero() {
		return math.MaxInt64
	}
	left := time.Until(w.until)
	if left > 0 {
		return left
	}
	if used := cputime.Thread() - w.began; used >= 0 { // asking the system takes 5 % of a slow step
		left = max(left, w.share-used)
	}
	return left
}

// At tells how many iterations have been made since the watch began, and what
// the last one left: Recorded says in which measure. NaN: it leaves no forces.
func (w *Watch) At() (iterations int, value float64) {
	return int(w.iterations.Load()), math.Float64frombits(w.value.Load())
}

func (w *Watch) stopped() bool {
	if w == nil {
		return false
	}
	if last := w.last.Load(); last > 0 && w.looks.Add(1) >= last {
		return true
	}
	return w.halted.Load() || w.Left() <= 0
}

// Count counts an iteration that leaves no forces to judge, such as a pivot.
func (w *Watch) Count() { w.count(math.NaN()) }

func (w *Watch) count(value float64) {
	w.value.Store(math.Float64bits(value))
	w.iterations.Add(1)
}

// Note keeps the value that an iteration left, for whoever asked for it.
func (o *Options) Note(value float64) {
	if o.History != nil {
		*o.History = append(*o.History, value)
	}
	if o.Watch != nil {
		o.Watch.count(value)
	}
}
