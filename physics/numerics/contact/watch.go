package contact

import (
	"math"
	"sync/atomic"
	"time"
)

// Clock measures one solve and ends it: at the deadline of its Budget, or when its Watch is told to.
type Clock struct {
	Start time.Time     // zero: nobody asks for the time
	Limit time.Duration // from Start; work must stop here; 0: no deadline
	Watch *Watch        // nil: none
}

// StartClock is the clock of a solve with opt that begins now.
func StartClock(opt *Options) Clock {
	return Clock{Start: time.Now(), Limit: opt.Budget, Watch: opt.Watch}
}

// Expired reports whether the deadline has passed, or the solve has been halted.
func (c *Clock) Expired() bool { return c.Late() || c.Watch.stopped() }

// Late reports whether the deadline has passed.
func (c *Clock) Late() bool { return c.Limit > 0 && time.Since(c.Start) > c.Limit }

// Elapsed is the time since Start, 0 where nobody asks for it.
func (c *Clock) Elapsed() time.Duration {
	if c.Start.IsZero() {
		return 0
	}
	return time.Since(c.Start)
}

// Cuts reports whether a sweep over n contacts is to end after contact at. It looks at the time after every eighth
// contact, and after the last.
func (c *Clock) Cuts(at, n int) bool { return (at%8 == 7 || at == n-1) && c.Expired() }

// Runs reports whether anything may end the solve.
func (c *Clock) Runs() bool { return c.Limit > 0 || c.Watch != nil }

// Watch lets other goroutines follow a solve and end it. It changes neither the method nor the forces of a solve that
// ends by itself, as a Budget does, and costs one load where a solver looks at the clock. The zero value is ready.
type Watch struct {
	iterations atomic.Int64
	value      atomic.Uint64 // bits of a float64
	halted     atomic.Bool
	late       func() bool // nil: never
}

// Halt ends the solve at the next look. Its forces are admissible, it has not converged, and its errors are known
// unless that was before the end of the first iteration.
func (w *Watch) Halt() { w.halted.Store(true) }

// When ends solves once late says so, as Halt does: it is asked where a solver looks at the clock, on the goroutine
// that solves. Nil ends none. Whoever solves calls it, between two solves.
func (w *Watch) When(late func() bool) { w.late = late }

// At tells how many iterations have been made since the watch began, and what the last one left: Recorded says in which
// measure. NaN: it leaves no forces.
func (w *Watch) At() (iterations int, value float64) {
	return int(w.iterations.Load()), math.Float64frombits(w.value.Load())
}

func (w *Watch) stopped() bool {
	return w != nil && (w.halted.Load() || w.late != nil && w.late())
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
