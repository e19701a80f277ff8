//go:build !linux

package main

import "time"

// threadTime is the time of the clock where a thread's own cannot be had.
func threadTime() time.Duration { return time.Since(began) }
