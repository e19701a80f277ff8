package probing

import (
	"fmt"

	"hapco/physics"
)

// offCone tells what of a world's own account breaks Coulomb's law, "" where nothing does. It reads what
// physics.Accountant promises of any kind.
func offCone(w physics.Accountant) string {
	var x [3]float64
	for _, e := range w.Account(false) {
		for i, name := range [3]string{"cone_violation", "friction_lag", "coulomb_error"} {
			if v, ok := e.Value.(float64); ok && e.Name == name {
				x[i] = v
			}
		}
	}
	return offConeBy(x[0], x[1], x[2])
}

// offConeBy is the same of these numbers: a contact of the state that is shown may not leave its cone by more than
// rounding, nor obey another mu than the one that is set. One that slides with less friction than that is inside its
// cone: what tells is the error of the laws, over what the world's own tolerance allows.
func offConeBy(violation, lag, off float64) string {
	const rounding = 1e-9
	if violation <= rounding && lag == 0 && off <= 1+rounding {
		return ""
	}
	return fmt.Sprintf("a force leaves the cone by %.3g of its size, mu is %.3g from what is set, and the laws are broken by %.3g of what the tolerance allows", violation, lag, off)
}
