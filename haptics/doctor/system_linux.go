package doctor

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static const char *load(const char *name) {
	void *so = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
	if (!so) return dlerror();
	dlclose(so);
	return NULL;
}

static int64_t now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

// late sleeps n times to an absolute deadline, as the servo does.
static void late(int n, int64_t period, int64_t *out) {
	int64_t next = now();
	for (int i = 0; i < n; i++) {
		next += period;
		struct timespec t = {next / 1000000000, next % 1000000000};
		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) != 0) {}
		out[i] = now() - next;
		if (out[i] > period) next = now();
	}
}
*/
import "C"

import (
	"cmp"
	"errors"
	"net"
	"os"
	"runtime"
	"slices"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"hapco/haptics/phantom"
	"hapco/physics/machinery/failsafe"
)

// Default is the machine that the program runs on.
func Default() System {
	return System{
		Root: "/", Getenv: os.Getenv, Uid: os.Getuid(),
		Writable: func(path string) bool { return unix.Access(path, unix.R_OK|unix.W_OK) == nil },
		Library: func(name string) error {
			c := C.CString(name)
			defer C.free(unsafe.Pointer(c))
			if e := C.load(c); e != nil {
				return errors.New(C.GoString(e))
			}
			return nil
		},
		Phantom: func() (string, error) {
			l, err := phantom.LoadLibrary("")
			if err != nil {
				return "", err
			}
			return cmp.Or(l.Version(), "of unknown version") + " (" + l.File + ")", nil
		},
		RealTime: func(priority int) error {
			refused := make(chan error)
			failsafe.Go(func() {
				runtime.LockOSThread() // for good: the thread ends with the goroutine
				refused <- unix.SchedSetAttr(0, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Priority: uint32(priority)}, 0)
			})
			return <-refused
		},
		Limit: func(what string) (uint64, error) {
			var l unix.Rlimit
			if what != "memlock" {
				return 0, errors.New("doctor: no such limit: " + what)
			}
			err := unix.Getrlimit(unix.RLIMIT_MEMLOCK, &l)
			return l.Cur, err
		},
		ClockStep: func() (time.Duration, error) {
			var t unix.Timespec
			err := unix.ClockGetres(unix.CLOCK_MONOTONIC, &t)
			return time.Duration(t.Nano()), err
		},
		Late: func(n int, period time.Duration) (median, worst time.Duration) {
			out := make([]int64, n)
			C.late(C.int(n), C.int64_t(period), (*C.int64_t)(unsafe.Pointer(&out[0])))
			slices.Sort(out)
			return time.Duration(out[n/2]), time.Duration(out[n-1])
		},
		Dial: func(network, address string) error {
			c, err := net.DialTimeout(network, address, 300*time.Millisecond)
			if err != nil {
				return err
			}
			return c.Close()
		},
	}
}
