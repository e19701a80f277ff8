package haptics

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// monotonic is CLOCK_MONOTONIC, ns.
func monotonic() int64 {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) != nil {
		return 0
	}
	return t.Nano()
}

// sleepUntil sleeps to an absolute time of monotonic.
func sleepUntil(ns int64) {
	t := unix.NsecToTimespec(ns)
	for unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &t, nil) == unix.EINTR {
	}
}

// realTime asks for a real-time priority for this thread, and says what came of it.
func realTime() string {
	runtime.LockOSThread()
	attr := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Priority: 80}
	if err := unix.SchedSetAttr(0, &attr, 0); err != nil {
		return "normal scheduling (" + err.Error() + "; cure: an rtprio line for your user in /etc/security/limits.conf)"
	}
	return "SCHED_FIFO 80"
}

// normalTime gives the priority back before the thread does other work.
func normalTime() {
	_ = unix.SchedSetAttr(0, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_NORMAL}, 0)
	runtime.UnlockOSThread()
}
