package haptics

import (
	"testing"

	"hapco/haptics"
	_ "hapco/physics/worlds"
)

// A hand that comes down on tissue at large strains has its contacts in time where physics is
// slow: what it gets out is no more than it has put in. The same cell gives the same numbers.
func TestSlowPhysicsPutsNoEnergyOut(t *testing.T) {
	for _, c := range []sceneCell{
		{"block-neo-hookean", 0.7, 50, haptics.Virtual, "grip"},
		{"organs", 0.7, 100, haptics.Virtual, "grip"},
	} {
		var first StabilityRow
		for again := range 2 {
			row, err := playScene(t.Context(), &c)
			if err != nil {
				t.Fatal(err)
			}
			if !row.Stable || row.Energy > 0.5e-3 || row.Peak < 1 {
				t.Errorf("%s: %.3g mJ put out, %.2f N at most, %d bounces, stable %v", c.scene, 1e3*row.Energy, row.Peak, row.Bounces, row.Stable)
			}
			if again == 0 {
				first = row
			} else if row.Energy != first.Energy || row.Peak != first.Peak || row.Jitter != first.Jitter {
				t.Errorf("%s: %+v, then %+v", c.scene, first, row)
			}
		}
	}
}
