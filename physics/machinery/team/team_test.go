package team

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"hapco/physics/machinery/testkit"
)

// Runs of few and of many jobs take turns. Each job is done once, whichever worker comes late
// from the run before.
func TestThreadsDoEachJobOnce(t *testing.T) {
	for _, workers := range []int{2, 4, 8} {
		team := New(workers)
		var counts [64]atomic.Int32
		job := func(i int) {
			counts[i].Add(1)
			if i%7 == 3 {
				runtime.Gosched()
			}
		}
		const rounds = 50000
		ended := make(chan struct{})
		var at atomic.Int32
		go func() {
			defer close(ended)
			for r := range rounds {
				n := 2 + r%5
				if r%2 == 1 {
					n = len(counts)
				}
				run := team.Run
				if r%3 == 0 {
					run = team.Spread
				}
				run(n, &job)
				at.Store(int32(r))
				for i := range counts {
					want := int32(0)
					if i < n {
						want = 1
					}
					if got := counts[i].Swap(0); got != want {
						t.Errorf("%d workers, run %d of %d jobs: job %d done %d times", workers, r, n, i, got)
						return
					}
				}
			}
		}()
		select {
		case <-ended:
			team.Close()
		case <-time.After(testkit.Hang):
			t.Fatalf("%d workers: the run after %d does not end", workers, at.Load())
		}
	}
}
