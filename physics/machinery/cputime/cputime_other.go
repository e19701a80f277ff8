//go:build !linux

package cputime

import "time"

// Thread is the time of the clock, where that of a thread cannot be had.
func Thread() time.Duration { return time.Since(began) }
