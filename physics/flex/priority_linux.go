package flex

import (
	"runtime"
	"syscall"
)

// Yielding gives the calling goroutine an operating system thread of its own, of
// lower priority, to its end: long computations beside a running simulation take
// what time its loops leave, but not so little that a busy machine starves them.
func Yielding() {
	runtime.LockOSThread()
	// Who may not lower its priority works on as it is.
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, 5)
}
