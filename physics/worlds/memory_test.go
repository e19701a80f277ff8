package worlds_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/frame"
	"hapco/physics/local"
	"hapco/physics/machinery/testkit"
)

// heap is what is in use, bytes.
func heap() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what finalizers let go
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// grows tells whether each of some sizes is larger than the one before by more than so much. Lists
// that grow to the most that was ever needed do not do so for ever; what is never let go does.
func grows(sizes []float64, by float64) bool {
	for i := 1; i < len(sizes); i++ {
		if sizes[i]-sizes[i-1] <= by {
			return false
		}
	}
	return len(sizes) > 1
}

// TestGrows: one word that is kept a step is found, and what settles is not.
func TestGrows(t *testing.T) {
	var kept []*[8]int64
	sizes := func(keep func(n int)) (all []float64) {
		for range 5 {
			for n := range 10_000 {
				keep(n)
			}
			all = append(all, heap())
		}
		return all
	}
	if s := sizes(func(int) { kept = append(kept, new([8]int64)) }); !grows(s, 16*10_000) {
		t.Errorf("not seen: %v", s)
	}
	kept = nil
	if s := sizes(func(n int) { kept = append(kept[:0:min(n, cap(kept))], new([8]int64)) }); grows(s, 16*10_000) {
		t.Errorf("it does not grow: %v", s)
	}
}

// TestMemoryIsFlatUnderAHostileHand: a hand that jumps, wedges and flicks, and turns every key to its
// ends, makes no kind of world hold more and more.
func TestMemoryIsFlatUnderAHostileHand(t *testing.T) {
	testkit.Slow(t)
	for scene, steps := range map[string]int{"dominoes": 100, "ice-billiard": 200, "sandbox": 100, "block-linear": 200,
		"loop-linear": 60, "block-neo-hookean": 40, "swing": 40} {
		t.Run(scene, func(t *testing.T) {
			s, err := physics.Load(scene)
			if err != nil {
				t.Fatal(err)
			}
			w, _, err := s.Open(t.Context(), physics.Options{NoCache: true})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			rng := rand.New(rand.NewPCG(1, 2))
			var m local.Model
			local.Make(&m, 0)
			var f physics.Frame
			keys := w.Keys()
			at := w.Info().Start
			step := func(p frame.Pose, dt float64) {
				w.Step(physics.Input{Target: p, Hand: p, Dt: dt})
				w.Local(&m)
				w.Draw(&f)
			}
			var sizes []float64
			for range 5 {
				for n := range steps {
					if n%40 == 0 { // elsewhere, in a jump or not
						at = w.Info().Start
						for k := range 3 {
							at.Position[k] += 0.04 * (2*rng.Float64() - 1)
						}
						at.Rotation = mgl64.QuatRotate(math.Pi*rng.Float64(), mgl64.Vec3{rng.Float64(), 1, rng.Float64()}.Normalize())
					}
					at.Position[1] -= 1e-3 * rng.Float64()
					if n%97 == 0 && len(keys) > 0 {
						k := &keys[rng.IntN(len(keys))]
						if k.Name == "friction" || k.Name == "restitution" || k.Name == "damping" {
							_ = k.Set([]float64{k.Min, k.Max}[rng.IntN(2)]) // refused or not
						}
					}
					step(at, 1e-3)
				}
				w.Reset()
				for range 20 {
					step(w.Info().Start, 1e-3)
				}
				sizes = append(sizes, heap())
			}
			t.Logf("%.0f kB", sizes[len(sizes)-1]/1e3)
			if grows(sizes, 16*float64(steps)) {
				t.Errorf("%d steps each: %.0f bytes", steps, sizes)
			}
		})
	}
}
