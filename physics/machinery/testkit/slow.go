package testkit

import "testing"

// Slow skips a test that takes more than a few seconds where short tests are asked for, as `make test` does; `make
// test-slow` runs it. A faster test of the same law always runs.
func Slow(tb testing.TB) {
	tb.Helper()
	if testing.Short() {
		tb.Skip("slow: make test-slow runs it")
	}
}

// Long says whether slow tests run, for tests that only grow with it.
func Long() bool { return !testing.Short() }
