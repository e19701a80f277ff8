package ui

import (
	"testing"
	"time"
)

// TestFramesKeepTheirGrid runs frames of which each third begins late: as many are shown as if none had.
func TestFramesKeepTheirGrid(t *testing.T) {
	const every, n = 16 * time.Millisecond, 300
	start := time.Unix(1000, 0)
	now, due, wait := start, time.Time{}, time.Duration(0)
	for i := range n {
		wait, due = nextFrame(due, now, every)
		now = now.Add(wait)
		if i%3 == 2 {
			now = now.Add(every / 2) // the sleep, or the frame before, took longer
		}
	}
	if took, most := now.Sub(start), n*every; took > most {
		t.Errorf("%d frames took %v, want %v at most", n, took, most)
	}
	// After a long frame those that were missed are not made up for.
	now = now.Add(time.Second)
	if wait, due = nextFrame(due, now, every); wait != 0 || due.Sub(now) != every {
		t.Errorf("after a second's delay a frame waits %v, the next is due after %v: want 0 and %v", wait, due.Sub(now), every)
	}
	// A screen that shows frames every 15.9 ms is never waited for.
	for range 1000 {
		now = now.Add(every - every/160)
		if wait, due = nextFrame(due, now, every); wait != 0 {
			t.Fatalf("a frame of a screen that is faster waits %v", wait)
		}
	}
}
