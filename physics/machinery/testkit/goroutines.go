package testkit

import (
	"runtime"
	"testing"
)

// Goroutines counts the goroutines that run now. The function that it returns waits until no more than that are left.
func Goroutines(tb testing.TB) (ended func()) {
	tb.Helper()
	before := runtime.NumGoroutine()
	return func() {
		tb.Helper()
		Eventually(tb, "the end of goroutines", func() bool { return runtime.NumGoroutine() <= before })
	}
}
