package finitestrain

import (
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/assets"
	"hapco/physics"
	"hapco/physics/files/scene"
	"hapco/physics/files/setting"
)

// similar is a scene with all lengths, times and masses multiplied.
func similar(t *testing.T, name string, text []byte, scale [3]int) *world {
	t.Helper()
	read, err := Read(name, text)
	if err != nil {
		t.Fatal(err)
	}
	s := read.(*SceneFile)
	s.Deadline, s.Lag = 0, 2
	length, time, mass := math.Ldexp(1, scale[0]), math.Ldexp(1, scale[1]), math.Ldexp(1, scale[2])
	setting.Rescale(ownFields, s, length, time, mass)
	s.Organs = slices.Clone(s.Organs)
	for i := range s.Organs {
		setting.Rescale(moreFields, &s.Organs[i], length, time, mass)
	}
	s.Parts = slices.Clone(s.Parts)
	for i := range s.Parts {
		setting.Rescale(partFields, &s.Parts[i], length, time, mass)
	}
	for _, o := range s.organs() {
		for _, sel := range []*scene.Selector{&o.Body.Clamp, &o.Body.Surface} {
			sel.Min, sel.Max = sel.Min.Mul(length), sel.Max.Mul(length)
		}
	}
	w, _, err := s.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

// Bodies are pressed, drawn aside, swing and come to rest alike at any size, speed and stiffness, to
// the last bit: no length, time or force stands in the engine (dimensional similarity). Those of boxes:
// a mesh's file has its own size.
func TestSimilarity(t *testing.T) {
	scales := [][3]int{{-10, 0, 0}, {10, 0, 0}, {0, -10, 0}, {0, 0, -20}, {0, 0, 20}, {-10, -6, -20}}
	steps := map[string]int{"boxes": 150, "swing": 90} // a mesh would have to be scaled, too
	if testing.Short() {
		scales, steps = scales[5:], map[string]int{"swing": 15}
	}
	for name, n := range steps {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile("testdata/" + name + ".toml")
			if name == "swing" {
				text, err = assets.Scene(name)
			}
			if err != nil {
				t.Fatal(err)
			}
			plain := similar(t, name, text, [3]int{})
			others := map[[3]int]*world{}
			for _, scale := range scales {
				others[scale] = similar(t, name, text, scale)
			}
			reach, most := plain.engine.Options.Reach, 0.0
			goOn := func(w *world, k int, length, time float64) {
				target := w.info.Start // down by ten reaches, aside, and up again
				d := mgl64.Vec3{0.3 * float64(min(max(0, k-n/3), n/3)), -0.35 * float64(min(k, n/3)), 0.1 * float64(min(max(0, k-n/3), n/3))}
				d[1] += 1.2 * float64(max(0, k-2*n/3))
				target.Position = target.Position.Add(d.Mul(reach * length))
				w.Step(physics.Input{Target: target, Hand: target, Dt: plain.OwnStep() * time})
			}
			differs := func(w *world, scale [3]int) error {
				length, force := math.Ldexp(1, scale[0]), math.Ldexp(1, scale[2]+scale[0]-2*scale[1])
				for i, x := range plain.engine.Shown.X {
					if y := w.engine.Shown.X[i]; y != x*length {
						return fmt.Errorf("unknown %d is %v m, %v where it is scaled", i, x, y/length)
					}
				}
				if f := w.felt.force.Mul(1 / force); f != plain.felt.force {
					return fmt.Errorf("the tool feels %v N, %v where it is scaled", plain.felt.force, f)
				}
				return nil
			}
			for k := range n {
				goOn(plain, k, 1, 1)
				most = max(most, plain.felt.force.Len())
				for scale, w := range others {
					goOn(w, k, math.Ldexp(1, scale[0]), math.Ldexp(1, scale[1]))
					if err := differs(w, scale); err != nil {
						t.Fatalf("step %d, scales 2^%v: %v", k, scale, err)
					}
				}
			}
			if !(most > 0) && !testing.Short() {
				t.Error("nothing was touched")
			}
			t.Logf("%.3g N at most, %.3g at the end, the tool %.3g mm from its start", most, plain.felt.force.Len(), 1e3*plain.shown.tool.Position.Sub(plain.info.Start.Position).Len())
		})
	}
}
