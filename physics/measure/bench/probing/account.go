package probing

import (
	"fmt"

	"hapco/physics"
)

// offCone tells what of a world's own account breaks Coulomb's law, "" where nothing does. It reads
// what physics.Accountant promises of any kind.
func offCone(w physics.Accountant) string {
	var violation, lag float64
	for _, e := range w.Account(false) {
		switch x, _ := e.Value.(float64); e.Name {
		case "cone_violation":
			violation = x
		case "friction_lag":
			lag = x
		}
	}
	return offConeBy(violation, lag)
}

// offConeBy is the same of these numbers: a contact of the state that is shown may not leave its
// cone by more than rounding, nor obey another mu than the one that is set.
func offConeBy(violation, lag float64) string {
	const rounding = 1e-9
	if violation <= rounding && lag == 0 {
		return ""
	}
	return fmt.Sprintf("a force leaves the cone by %.3g of its size, and mu is %.3g from what is set", violation, lag)
}
