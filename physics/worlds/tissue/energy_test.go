package tissue_test

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/frame"
)

// What a step says the contact forces have put into the bodies is half of what each
// node's force does over its displacement.
func TestEnergyIsThatOfTheNodes(t *testing.T) {
	w := parseWorld(t, slab)
	at := w.StartPose()
	for i := range 12 {
		at.Position = at.Position.Add(mgl64.Vec3{1e-4 * float64(i%3), -5e-4, 0})
		for range 3 {
			w.Step(frame.Pose{Position: at.Position, Rotation: at.Rotation})
		}
		sum := 0.0
		for _, e := range w.StrainEnergy(nil) {
			sum += e
		}
		if got := w.Stats().Energy; math.Abs(got-sum) > 1e-9*sum || i > 8 && !(sum > 1e-5) {
			t.Errorf("pressed by %g mm: %g J, the nodes have %g J", 0.5*float64(i+1), got, sum)
		}
	}
}
