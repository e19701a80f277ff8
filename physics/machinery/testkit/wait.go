package testkit

import (
	"testing"
	"time"
)

// Hang is how long a test waits for what must come before it calls itself dead. It decides nothing else: no machine is
// so busy.
const Hang = 5 * time.Minute

// Eventually looks until ok says that another goroutine or process has brought about what is waited for, and ends the
// test where that never comes.
func Eventually(tb testing.TB, what string, ok func() bool) {
	tb.Helper()
	for end := time.Now().Add(Hang); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			tb.Fatalf("waited in vain: %s", what)
		}
	}
}

// Await is what comes out of a channel.
func Await[T any](tb testing.TB, what string, c <-chan T) T {
	tb.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(Hang):
		tb.Fatalf("waited in vain: %s", what)
		panic("unreachable")
	}
}
