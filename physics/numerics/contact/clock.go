package contact

import "time"

// Clock measures one solve and ends it: at the deadline of its Budget, or when its Watch is told to.
type Clock struct {
	Start time.Time
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

// Elapsed is the time since Start.
func (c *Clock) Elapsed() time.Duration { return time.Since(c.Start) }

// Cuts reports whether a sweep over n contacts is to end after contact at. It looks at the time after every eighth
// contact, and after the last.
func (c *Clock) Cuts(at, n int) bool { return (at%8 == 7 || at == n-1) && c.Expired() }

// Runs reports whether anything may end the solve.
func (c *Clock) Runs() bool { return c.Limit > 0 || c.Watch != nil }
