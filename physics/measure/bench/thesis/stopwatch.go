package thesis

import (
	"math"
	"runtime"

	"hapco/physics/machinery/cputime"
)

// enough is the time, ms, after which a piece of work is not timed again.
const enough = 100

// least is the least processor time, ms, of a piece of work that is repeated: caches and other programs disturb only
// upwards. The first time, which warms the caches, counts as one more.
func least(repeats int, work func()) float64 {
	runtime.LockOSThread() // the time is the thread's
	defer runtime.UnlockOSThread()
	best, spent := math.Inf(1), 0.0
	for k := 0; k <= repeats && spent < enough; k++ {
		start := cputime.Thread()
		work()
		ms := float64(cputime.Thread()-start) / 1e6
		best, spent = math.Min(best, ms), spent+ms
	}
	return best
}
