//go:build !linux

package thesis

import "time"

// cpuTime is the wall's where the processor's time of a thread is not known.
func cpuTime() time.Duration { return wallTime() }
