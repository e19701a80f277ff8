package flex

import "testing"

// A scene opens before the last one has closed: whichever of the two ends first, the
// threads come back when both have, and not before.
func TestOneThreadOfSeveralUsers(t *testing.T) {
	before := threads()
	if before < 2 {
		t.Skipf("the BLAS is not OpenBLAS, or has one thread (%d)", before)
	}
	old := OneThread()
	next := OneThread()
	old()
	old() // again: nothing
	if n := threads(); n != 1 {
		t.Errorf("%d threads while one user is left", n)
	}
	next()
	if n := threads(); n != before {
		t.Errorf("%d threads at the end, %d before", n, before)
	}
}
