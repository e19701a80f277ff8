package flex

import (
	"runtime"
	"syscall"
)

// Yielding gives the calling goroutine an operating system thread of its own, of
// lower priority, to its end: long computations beside a running simulation take
// what time its loops leave, but not so little that a busy machine starves them.
// It is for goroutines that spend their time in C: one in Go that the system does
// not let run holds up the collector, and with it everybody who allocates.
func Yielding() {
	runtime.LockOSThread()
	// Who may not lower its priority works on as it is.
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, 5)
}
