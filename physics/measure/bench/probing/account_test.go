package probing

import (
	"math"
	"testing"

	"hapco/physics"
	"hapco/physics/numerics/contact"
)

type account []physics.Entry

func (a account) Account(bool) []physics.Entry { return a }

// The account of any kind of world is believed, and NaN is no law kept.
func TestAccountOfForcesOffTheCone(t *testing.T) {
	for _, c := range []struct {
		violation, lag, off float64
		kept                bool
	}{
		{0, 0, 0, true}, {1e-16, 0, 0.9, true}, {1e-6, 0, 0, false}, {0, 0.15, 0, false}, {0, 0, 1.1, false},
		{math.NaN(), 0, 0, false}, {0, math.NaN(), 0, false}, {0, 0, math.NaN(), false},
	} {
		got := offCone(account{{Name: "sliding", Value: 3}, {Name: "cone_violation", Value: c.violation}, {Name: "friction_lag", Value: c.lag}, {Name: "coulomb_error", Value: c.off}})
		if (got == "") != c.kept {
			t.Errorf("%+v: %q", c, got)
		}
	}
	if got := offCone(account{{Name: "sliding", Value: 3}}); got != "" {
		t.Errorf("a world without friction: %q", got)
	}
	for _, c := range [][4]float64{ // mu, n, t, the violation
		{0.3, 1, 0.3, 0}, {0.3, 1, 0, 0}, {0.3, 0, 0, 0}, {0.3, 1, 0.6, 0.3 / math.Hypot(1, 0.6)}, {0.15, 1, 0.3, 0.15 / math.Hypot(1, 0.3)}, {0.3, -1, 0, 1}, {0, 1, 1e-3, 1e-3 / math.Hypot(1, 1e-3)},
	} {
		if got := contact.ConeViolation(c[0], c[1], c[2]); math.Abs(got-c[3]) > 1e-15 {
			t.Errorf("mu %g, n %g, t %g: %g, want %g", c[0], c[1], c[2], got, c[3])
		}
	}
}
