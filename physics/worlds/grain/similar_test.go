package grain

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"hapco/assets"
	"hapco/physics"
	"hapco/physics/files/setting"
)

// Every scene moves alike at any size, speed and weight, to the last bit: no length, time or
// mass stands in the engine (dimensional similarity). Factors are powers of 2, even ones of
// lengths and masses, since roots of energies are taken.
func TestSimilarity(t *testing.T) {
	scales := [][3]int{{-10, 0, 0}, {10, 0, 0}, {0, -10, 0}, {0, 10, 0}, {0, 0, -10}, {0, 0, 10}, {-10, -5, -20}}
	steps := 500
	if testing.Short() {
		scales, steps = scales[6:], 100
	}
	for _, name := range assets.Scenes() {
		text, err := assets.Scene(name)
		if err != nil {
			t.Fatal(err)
		}
		if setting.KindOf(text) != "grain" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			read, err := Read(name, text)
			if err != nil {
				t.Fatal(err)
			}
			scene := read.(*SceneFile)
			if scene.Number > 5000 && testing.Short() {
				t.Skip("long")
			}
			open := func(scale [3]int) *live {
				s := *scene
				s.Obstacles = slices.Clone(s.Obstacles)
				f := func(k int) float64 { return math.Ldexp(1, scale[k]) }
				setting.Rescale(ownFields, &s, f(0), f(1), f(2))
				for i := range s.Obstacles {
					setting.Rescale(obstacleFields, &s.Obstacles[i], f(0), f(1), f(2))
				}
				w, _, err := s.Open(context.Background(), physics.Options{})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { w.Close() })
				return w.(*live)
			}
			plain := open([3]int{})
			for _, scale := range scales {
				other := open(scale)
				length, time := math.Ldexp(1, scale[0]), math.Ldexp(1, scale[1])
				alike := func() error {
					if plain.world.N() != other.world.N() {
						return fmt.Errorf("%d and %d grains", plain.world.N(), other.world.N())
					}
					for i := range plain.world.N() {
						x, v := plain.world.Position(i), plain.world.Velocity(i)
						y, u := other.world.Position(i).Mul(1/length), other.world.Velocity(i).Mul(time/length)
						if x != y || v != u {
							return fmt.Errorf("scales 2^%v: grain %d is at %v and moves at %v; at %v and %v where it is scaled", scale, i, x, v, y, u)
						}
					}
					return nil
				}
				plain = open([3]int{})
				rest := plain.info.Start
				far := other.info.Start
				for step := range steps {
					if err := alike(); err != nil {
						t.Fatalf("step %d: %v", step, err)
					}
					dt := plain.world.Dt() * 1.5
					plain.Step(physics.Input{Target: rest, Hand: rest, Dt: dt})
					other.Step(physics.Input{Target: far, Hand: far, Dt: dt * time})
				}
				other.Close()
				plain.Close()
			}
			t.Logf("%d grains", plain.world.N())
			if plain.world.N() == 0 && !testing.Short() {
				t.Error("there are no grains yet")
			}
		})
	}
}
