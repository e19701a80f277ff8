package finitestrain

import (
	"math"
	"runtime"
	"testing"

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
func drag(w *world, live bool, tick func(at float64) float64) {
	target := w.info.Start
	var deadline physics.Deadline
	for s := 0.0; s < dragEnds; {
		target.Position = w.info.Start.Position.Add(dragged(s))
		in := physics.Input{Target: target}
		if live {
			in.Deadline = &deadline
			deadline.Begin(0)
		}
		w.Step(in)
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
	drag(w, false, func(float64) float64 {
		if missing++; w.steps.last.Settled {
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

// A tool that a hand draws off comes to rest where the hand is, whatever tangents its corrections have: out of a block,
// out of creases and beside nodes that are held, and with a shaft that lies in another organ with all the contacts that
// there may be.
func TestToolsAreDrawnOff(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of steps across folds")
	}
	for _, c := range []struct {
		scene string
		sets  []string
		lags  []int
		along []float64    // of a row on each leg, mm
		to    []mgl64.Vec3 // legs end there, mm
	}{
		{"block-neo-hookean", []string{"friction=0.3"}, []int{2, 3, 4, 6, 9, 11}, []float64{0.5, 0.5, 0.5, 0.5},
			[]mgl64.Vec3{{0, -26.869, 0}, {-2.771, -26.869, -35.49}, {-16.511, -26.869, -36.754}, {-16.511, 43, -36.754}}},
		{"liver-stomach", []string{"friction=0.34", "tool.position=[17.678,56.959,-41.735]", "tool.rotation=[34,0,-26]"}, []int{1, 2, 12}, []float64{1, 1, 0.5},
			[]mgl64.Vec3{{0, -51.6, 0}, {209.3, -51.6, -194.1}, {209.3, 39, -194.1}}},
		{"liver-stomach", []string{"friction=0.3", "tool.position=[-53.648,56.964,-48.84]"}, []int{1, 5}, []float64{0.5, 0.5, 0.5, 0.5, 0.5},
			[]mgl64.Vec3{{0, -56.7, 0}, {15.9, -56.7, -11.4}, {12, -56.7, 3.7}, {1.7, -56.7, 1.8}, {1.7, 39, 1.8}}},
		{"liver-stomach", []string{"friction=0.3", "tool.position=[-39.569,58.9,24.585]", "tool.rotation=[15,0,-91]"}, []int{2, 12}, []float64{0.5, 0.983, 0.5},
			[]mgl64.Vec3{{0, -39.937, 0}, {30.037, -39.937, -31.115}, {30.037, 39, -31.115}}},
		{"liver-stomach", []string{"friction=0.3", "tool.position=[15.796,56.952,-44.966]", "tool.rotation=[36,0,-35]"}, []int{3, 12}, []float64{0.25, 0.5},
			[]mgl64.Vec3{{0, -55.6, 0}, {-4.7, 39, -1.6}}},
	} {
		for _, lag := range c.lags {
			w := openWorld(t, c.scene, "", c.sets...)
			w.engine.Options.Lag = lag
			target, reached := w.info.Start, false
			start := target.Position
			from, steps := mgl64.Vec3{}, 0
			follow := func(tries int) {
				reached = false
				for try := 0; try < tries && !reached; try++ {
					reached = w.Step(physics.Input{Target: target}).Reached
					steps++
				}
			}
			for leg, to := range c.to {
				n := math.Ceil(to.Sub(from).Len() / c.along[leg])
				for k := 1.0; k <= n; k++ {
					target.Position = start.Add(from.Add(to.Sub(from).Mul(k / n)).Mul(1e-3))
					follow(3)
				}
				from = to
			}
			follow(200) // it may be late
			if t.Logf("%s, tangents of %d steps ago: %d steps", c.scene, lag, steps); !reached {
				t.Errorf("%s, tangents of %d steps ago: the tool is still %.1f mm from the hand", c.scene, lag, 1e3*w.shown.tool.Position.Sub(target.Position).Len())
			}
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
				steps, settled, stall, mostStall, lag := 0, 0, 0.0, 0.0, 0.0
				last := threadSeconds()
				drag(w, true, func(at float64) float64 {
					steps++
					now := threadSeconds()
					took := max(now-last, 0.001)
					last = now
					if stall += took; w.steps.last.Settled {
						settled++
						mostStall, stall = max(mostStall, stall), 0
					}
					if at < dragLifts {
						lag = max(lag, w.info.Start.Position.Add(dragged(at)).Sub(w.shown.tool.Position).Len())
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
