//go:build !linux

package app

import "time"

// ThreadTime is the time of the clock where a thread's own cannot be had.
func ThreadTime() time.Duration { return time.Since(began) }
