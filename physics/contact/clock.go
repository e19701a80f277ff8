package contact

import "time"

// clock measures one solve and ends it in deadline mode. The zero limit means
// no deadline.
type clock struct {
	start time.Time
	limit time.Duration // from start; work must stop here
}

// expired reports whether the deadline has passed.
func (c *clock) expired() bool { return c.limit > 0 && time.Since(c.start) > c.limit }
