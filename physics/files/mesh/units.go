package mesh

import (
	"fmt"
	"math"
	"strings"
)

// LengthUnit is the length of a named unit in m: m, cm, mm, um, in.
func LengthUnit(name string) (float64, error) {
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "m", "metre", "meter":
		return 1, nil
	case "cm":
		return 1e-2, nil
	case "mm":
		return 1e-3, nil
	case "um", "µm", "μm", "micron":
		return 1e-6, nil
	case "in", "inch":
		return 0.0254, nil
	}
	return 0, fmt.Errorf("mesh: length unit %q is unknown (use m, cm, mm, um or in)", name)
}

// GuessUnit guesses the unit of a file from the diagonal of what it holds: the one that makes it nearest to the size of
// an organ in the hand, 0.1 m. next is the second best.
func GuessUnit(diagonal float64) (best, next string) {
	off := func(unit string) float64 {
		scale, _ := LengthUnit(unit)
		return math.Abs(math.Log(diagonal * scale / 0.1))
	}
	best, next = "m", "cm"
	if off(next) < off(best) {
		best, next = next, best
	}
	for _, u := range []string{"mm", "um"} {
		switch {
		case off(u) < off(best):
			best, next = u, best
		case off(u) < off(next):
			next = u
		}
	}
	return best, next
}
