package servo

import (
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// threadTime is the processor time of this thread: other programs do not count.
func threadTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

func itoa(n int) string { return strconv.Itoa(n) }

// quantile of durations; it sorts them.
func quantile(d []time.Duration, q float64) time.Duration {
	if len(d) == 0 {
		return 0
	}
	slices.Sort(d)
	return d[min(len(d)-1, int(q*float64(len(d))))]
}
