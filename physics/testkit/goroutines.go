package testkit

import (
	"runtime"
	"testing"
	"time"
)

// Goroutines counts the goroutines that run now. The function that it returns
// fails the test when more than that are left: a goroutine that has done its work
// and is about to end has ten seconds for it.
func Goroutines(tb testing.TB) (ended func()) {
	tb.Helper()
	before := runtime.NumGoroutine()
	return func() {
		tb.Helper()
		for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
			now := runtime.NumGoroutine()
			if now <= before {
				return
			}
			if time.Now().After(end) {
				tb.Errorf("%d goroutines, %d before", now, before)
				return
			}
		}
	}
}
