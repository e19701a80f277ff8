package thesis

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime is the processor time that this thread has had. The caller has locked
// its goroutine to the thread.
func cpuTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		return wallTime()
	}
	return time.Duration(t.Nano())
}
