//go:build !linux

package contact

import "time"

var processStart = time.Now()

// threadTime stands for the processor time of the calling thread, which only
// Linux tells.
func threadTime() time.Duration { return time.Since(processStart) }
