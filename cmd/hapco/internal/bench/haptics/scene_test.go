package haptics

import (
	"testing"

	"hapco/haptics"
	_ "hapco/physics/kinds"
)

// A hand that comes down on tissue at large strains has its contacts in time where physics is
// slow: what it gets out is no more than it has put in.
func TestSlowPhysicsPutsNoEnergyOut(t *testing.T) {
	row, err := playScene(t.Context(), &sceneCell{"block-neo-hookean", 0.7, 50, haptics.Virtual, "grip"})
	if err != nil {
		t.Fatal(err)
	}
	if !row.Stable || row.Energy > 0.5e-3 || row.Peak < 1 {
		t.Errorf("%.3g mJ put out, %.2f N at most, %d bounces, stable %v", 1e3*row.Energy, row.Peak, row.Bounces, row.Stable)
	}
}
