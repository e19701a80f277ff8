// Package cputime tells how much processor time a thread has had: what other programs do not disturb.
package cputime

import (
	"time"

	"golang.org/x/sys/unix"
)

// began is when the program started.
var began = time.Now()

// Thread is the processor time of the calling thread. Who takes the difference of two has locked its goroutine to the
// thread.
func Thread() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return time.Since(began)
	}
	return time.Duration(t.Nano())
}
