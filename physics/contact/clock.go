package contact

import "time"

// clock measures one solve and ends it: in deadline mode, or when its watch is
// told to. The zero limit means no deadline.
type clock struct {
	start time.Time
	limit time.Duration // from start; work must stop here
	watch *Watch        // nil: none
}

// expired reports whether the deadline has passed, or the solve has been halted.
func (c *clock) expired() bool { return c.late() || c.watch.stopped() }

// late reports whether the deadline has passed.
func (c *clock) late() bool { return c.limit > 0 && time.Since(c.start) > c.limit }

// runs reports whether anything may end the solve.
func (c *clock) runs() bool { return c.limit > 0 || c.watch != nil }
