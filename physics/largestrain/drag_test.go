package largestrain

import (
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
)

// dragged is where a hand is after so many seconds, from the start, m: it presses 22 mm in
// 0.4 s, drags 30 mm in 0.6 s and back, and lifts 44 mm in 0.4 s.
func dragged(s float64) mgl64.Vec3 {
	down := 0.022 * min(1, s/0.4)
	if s > 1.6 {
		down = 0.022 * max(-1, 1-(s-1.6)/0.2)
	}
	along := 0.03 * max(0, 1-math.Abs(s-1)/0.6)
	return mgl64.Vec3{along, -down, 0}
}

const dragEnds, dragLifts = 2.0, 1.6 // s

// drag steps a world under that hand; the hand's time goes on by what tick says after each
// step, s.
func drag(w *world, tick func(at float64) float64) {
	target := w.info.Start
	for s := 0.0; s < dragEnds; {
		target.Position = w.info.Start.Position.Add(dragged(s))
		w.Step(physics.Input{Target: target})
		s += tick(s)
	}
}

// A node in a crease between two triangles of another organ is held before both. Before one
// alone it is pushed into the other, and the next step the other way round: 300 steps in a
// row without an equilibrium.
func TestDraggedOrgansSettle(t *testing.T) {
	if testing.Short() {
		t.Skip("1400 steps of several organs")
	}
	w := openWorld(t, "organs", "", "equilibrium.corrections=2")
	missing, most := 0, 0
	drag(w, func(float64) float64 {
		if missing++; w.last.Settled {
			missing = 0
		}
		most = max(most, missing)
		return 0.002
	})
	t.Logf("no new equilibrium for %d steps in a row at most", most)
	if most > 50 {
		t.Errorf("no new equilibrium for %d steps in a row", most)
	}
}

// A ball that is drawn off the edge of a block comes to rest on the way up, whatever tangents
// its corrections have. 6 of 40 lags hung for all the 300 steps up where rows that are followed
// are found anew in every second step; see renew.
func TestBallDrawnOffABlock(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of steps across folds")
	}
	for _, lag := range []int{2, 3, 4, 6, 9, 11} {
		w := openWorld(t, "block-neo-hookean", "", "friction=0.3")
		w.engine.Options.Lag = lag
		target, reached := w.info.Start, false
		start := target.Position
		from := mgl64.Vec3{}
		for _, to := range []mgl64.Vec3{{0, -26.869, 0}, {-2.771, -26.869, -35.49}, {-16.511, -26.869, -36.754}, {-16.511, 43, -36.754}} {
			n := math.Ceil(to.Sub(from).Len() / 0.5)
			for k := 1.0; k <= n; k++ {
				target.Position = start.Add(from.Add(to.Sub(from).Mul(k / n)).Mul(1e-3))
				reached = false
				for try := 0; try < 3 && !reached; try++ {
					reached = w.Step(physics.Input{Target: target}).Reached
				}
			}
			from = to
		}
		if !reached {
			t.Errorf("tangents of %d steps ago: the ball is still %.1f mm from the hand", lag, 1e3*w.pose.Position.Sub(target.Position).Len())
		}
	}
}

// BenchmarkDrag measures how a world follows that hand in real time, where that is the
// processor time of its steps, 1 ms each at least. The second thread takes the other
// processor, so it is one scene at a time.
func BenchmarkDrag(b *testing.B) {
	for _, name := range []string{"block-neo-hookean", "liver", "loop", "organs", "liver-stomach"} {
		b.Run(name, func(b *testing.B) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			for b.Loop() {
				w := openWorld(b, name, "", "equilibrium.deadline=0.01")
				w.engine.Options.Lag = 0
				w.engine.Options.Clock = func() time.Duration { return time.Duration(1e9 * threadSeconds()) }
				steps, settled, stall, mostStall, lag := 0, 0, 0.0, 0.0, 0.0
				last := threadSeconds()
				drag(w, func(at float64) float64 {
					steps++
					now := threadSeconds()
					took := max(now-last, 0.001)
					last = now
					if stall += took; w.last.Settled {
						settled++
						mostStall, stall = max(mostStall, stall), 0
					}
					if at < dragLifts {
						lag = max(lag, w.info.Start.Position.Add(dragged(at)).Sub(w.pose.Position).Len())
					}
					return took
				})
				b.ReportMetric(100*float64(settled)/float64(steps), "%settled")
				b.ReportMetric(1e3*lag, "mm_behind")
				b.ReportMetric(1e3*max(mostStall, stall), "ms_without")
			}
		})
	}
}
