//go:build !linux

package haptics

import (
	"runtime"
	"time"
)

var epoch = time.Now()

// monotonic counts from the start of the program, ns.
func monotonic() int64 { return int64(time.Since(epoch)) }

// sleepUntil sleeps to an absolute time of monotonic.
func sleepUntil(ns int64) { time.Sleep(time.Duration(ns - monotonic())) }

func realTime() string {
	runtime.LockOSThread()
	return "normal scheduling (real-time priorities are set on Linux only)"
}

func normalTime() { runtime.UnlockOSThread() }
