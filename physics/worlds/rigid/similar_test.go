package rigid

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"hapco/assets"
	"hapco/physics/files/setting"
)

// scales are powers of 2 by which length, time and mass change: all that is computed then
// changes by powers of 2, too, and nothing is rounded otherwise: that of mass is even, since
// roots of masses are taken.
var scales = [][3]int{{-10, 0, 0}, {10, 0, 0}, {0, -10, 0}, {0, 10, 0}, {0, 0, -10}, {0, 0, 10}, {-10, -5, -20}, {9, 4, 26}}

// similar is a scene with all lengths, times and masses changed, its bodies rigid.
func similar(t *testing.T, scene *sceneFile, scale [3]int) *live {
	t.Helper()
	length, time, mass := math.Ldexp(1, scale[0]), math.Ldexp(1, scale[1]), math.Ldexp(1, scale[2])
	s := *scene
	s.Bodies, s.Joints, s.Charges = slices.Clone(s.Bodies), slices.Clone(s.Joints), slices.Clone(s.Charges)
	setting.Rescale(ownFields, &s, length, time, mass)
	for i := range s.Bodies {
		s.Bodies[i].Modes = 0 // which vibrate at the rate of hearing
		setting.Rescale(bodyFields, &s.Bodies[i], length, time, mass)
	}
	for i := range s.Joints {
		setting.Rescale(jointFields, &s.Joints[i], length, time, mass)
	}
	for i := range s.Charges {
		setting.Rescale(chargeFields, &s.Charges[i], length, time, mass)
	}
	l := &live{scene: s, now: s}
	if err := l.prepare(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := l.build(nil); err != nil {
		t.Fatal(err)
	}
	return l
}

// Every scene moves alike at any size, speed and weight, to the last bit: no length, time or
// mass stands in the engine (dimensional similarity). The tool stands still: a hand is no part
// of what is scaled.
func TestSimilarity(t *testing.T) {
	alike := func(t *testing.T, scene *sceneFile) {
		plain := similar(t, scene, [3]int{})
		steps, tries := 300, scales
		if testing.Short() {
			steps, tries = 40, scales[6:]
		}
		if len(plain.parts) > 50 {
			if testing.Short() {
				t.Skip("long")
			}
			steps, tries = 20, scales[6:]
		}
		var others []*live
		for _, scale := range tries {
			others = append(others, similar(t, scene, scale))
		}
		differs := func() error {
			for k, o := range others {
				length, time := math.Ldexp(1, tries[k][0]), math.Ldexp(1, tries[k][1])
				for i, b := range plain.world.bodies {
					c := o.world.bodies[i]
					if c.X != b.X.Mul(length) || c.V != b.V.Mul(length/time) || c.W != b.W.Mul(1/time) || c.Q != b.Q {
						return fmt.Errorf("scales 2^%v: %q is at %v, turned by %v, moves at %v and turns at %v; at %v by %v, at %v and %v where it is scaled", tries[k], b.Name, b.X, b.Q, b.V, b.W,
							c.X.Mul(1/length), c.Q, c.V.Mul(time/length), c.W.Mul(time))
					}
				}
			}
			return nil
		}
		if err := differs(); err != nil {
			t.Fatalf("at the start: %v", err)
		}
		for step := range steps {
			plain.world.Step()
			for _, o := range others {
				o.world.Step()
			}
			if err := differs(); err != nil {
				t.Fatalf("step %d: %v", step, err)
			}
		}
		t.Logf("%d bodies, %d contacts, %d joints", len(plain.parts), plain.world.stats.Contacts, len(plain.world.joints))
	}
	for _, name := range assets.Scenes() {
		text, err := assets.Scene(name)
		if err != nil {
			t.Fatal(err)
		}
		if setting.KindOf(text) == "rigid" {
			s, err := Read(name, text)
			if err != nil {
				t.Fatal(err)
			}
			t.Run(name, func(t *testing.T) { alike(t, s.(*sceneFile)) })
		}
	}
}
