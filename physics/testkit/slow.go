package testkit

import (
	"os"
	"testing"
)

// Slow skips a test that takes more than a few seconds, unless HAPCO_SLOW is set.
// `make test` leaves such tests out, `make test-slow` runs them; a faster test of
// the same law always runs.
func Slow(tb testing.TB) {
	tb.Helper()
	if !Long() {
		tb.Skip("slow: make test-slow runs it (HAPCO_SLOW=1)")
	}
}

// Long says whether slow tests run, for tests that only grow with it.
func Long() bool { return os.Getenv("HAPCO_SLOW") != "" }
