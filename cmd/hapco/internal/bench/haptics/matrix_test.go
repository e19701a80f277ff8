package haptics

import (
	"context"
	"reflect"
	"testing"

	"hapco/haptics"
)

// matrixSample are cells of the thesis's matrix: every pair of materials, light
// and firm hands, both meshes, both frictions, the tightest and the loosest tolerance.
func matrixSample(t *testing.T, coupling haptics.Coupling) []MatrixCell {
	var cells []MatrixCell
	for i, p := range matrixPairs {
		for k, hz := range matrixRates {
			if testing.Short() && hz != 100 {
				continue
			}
			cells = append(cells, MatrixCell{
				pair: p, mu: matrixFriction[(i+k)%2], epsGS: matrixGS[(i+k)%3], epsNR: matrixNewton[k%2],
				contacts: matrixContacts[(i+k)%2], physicsHz: hz, coupling: coupling, hand: []string{"grip", "pinch", "firm"}[(i+2*k)%3],
			})
		}
	}
	return cells
}

func playSample(t *testing.T, coupling haptics.Coupling) []StabilityRow {
	t.Helper()
	rows, err := playMatrix(context.Background(), matrixSample(t, coupling), func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// On real physics the virtual coupling is stable for soft and stiff materials,
// whatever the rate of physics and the tolerances.
func TestVirtualCouplingOnRealPhysics(t *testing.T) {
	for _, r := range playSample(t, haptics.Virtual) {
		if !r.Stable || !(r.Peak > 0.2) {
			t.Errorf("%s, %s, mu %g, eps_GS %g, %d contacts, physics at %g Hz: stable %v, peak %g N, energy %g J, shake %g m/s, %d bounces",
				r.Materials, r.Hand, r.Mu, r.EpsGS, r.Contacts, r.PhysicsHz, r.Stable, r.Peak, r.Energy, r.Shake, r.Bounces)
		}
	}
}

// The direct coupling of the thesis bounces on the same cells where they are
// stiff (4.5): the test above bites.
func TestDirectCouplingBouncesOnStiffPairs(t *testing.T) {
	if testing.Short() {
		t.Skip("the long test covers it")
	}
	lost := 0
	for _, r := range playSample(t, haptics.Direct) {
		if !r.Stable {
			lost++
		}
	}
	if lost < 10 {
		t.Errorf("only %d cells are unstable", lost)
	}
}

// Simulated time: the same cell gives the same numbers, in any order.
func TestMatrixIsDeterministic(t *testing.T) {
	cells := matrixSample(t, haptics.Virtual)[:2]
	cells = append(cells, cells[0])
	a, b := workbench{}, workbench{}
	var first []StabilityRow
	for i := range cells {
		r, err := a.play(context.Background(), &cells[i])
		if err != nil {
			t.Fatal(err)
		}
		first = append(first, r)
	}
	again, err := b.play(context.Background(), &cells[1])
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(first[0].Outcome, first[2].Outcome) || !reflect.DeepEqual(first[1].Outcome, again.Outcome) {
		t.Error("the same cell, other numbers")
	}
}
