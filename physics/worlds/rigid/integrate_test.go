package rigid

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/machinery/testkit"
)

var (
	asymmetric = mat3{2, 0, 0, 0, 3, 0, 0, 0, 4.5}
	spinning   = vec3{0.6, 0.8, 1}
)

func free() Rotor { return NewRotor(asymmetric, mgl64.QuatIdent(), spinning, none{}) }

func heavy() (Rotor, *Weight) {
	w := &Weight{Arm: vec3{0, 0, 1}, Force: vec3{0, 0, -20}}
	return NewRotor(mat3{5, 0, 0, 0, 5, 0, 0, 0, 1}, expQuat(vec3{0.3, 0, 0}), vec3{0, 0, 50}, w), w
}

func steps(t testing.TB, b *Rotor, a Algorithm, rule TorqueRule, h float64, torque Torque, n int) {
	t.Helper()
	for range n {
		if !b.Step(a, rule, h, torque) {
			t.Fatalf("%s fails", a)
		}
	}
}

// A free body keeps its angular momentum to rounding over a million steps of C1
// and C2 (ten thousand where tests are short), and its energy with C1. NMB keeps neither: both stay near.
func TestConservation(t *testing.T) {
	n := 10_000
	if testkit.Long() {
		n = 1_000_000
	}
	for _, c := range []struct {
		a                Algorithm
		rule             TorqueRule
		energy, momentum float64
	}{
		{C1, HalfRotation, 3e-12, 3e-12},
		{C2, EndAverage, 1e-3, 3e-12},
		{NMB, End, 1e-4, 1e-3},
	} {
		b := free()
		e, l := b.Energy(), b.Momentum()
		var de, dl float64
		for range 100 {
			steps(t, &b, c.a, c.rule, 0.01, none{}, n/100)
			de = max(de, math.Abs(b.Energy()-e)/e)
			dl = max(dl, b.Momentum().Sub(l).Len()/l.Len())
		}
		t.Logf("%s: %d steps: energy %.2g, momentum %.2g", c.a, n, de, dl)
		if de > c.energy || dl > c.momentum {
			t.Errorf("%s: energy %.2g, momentum %.2g", c.a, de, dl)
		}
	}
}

// Under a weight C1 keeps the total energy with its rule for that, and the
// vertical momentum with every rule; the other rules lose the energy.
func TestHeavyTopEnergy(t *testing.T) {
	for _, rule := range []TorqueRule{EnergyConserving, HalfRotation, EndAverage} {
		b, w := heavy()
		total := func() float64 { return b.Energy() - rotate(b.R, w.Arm).Dot(w.Force) }
		e, l := total(), b.Momentum()[2]
		var de, dl float64
		for range 20_000 {
			steps(t, &b, C1, rule, 0.01, w, 1)
			de, dl = max(de, math.Abs(total()-e)/e), max(dl, math.Abs(b.Momentum()[2]-l)/l)
		}
		t.Logf("C1 %s: energy %.2g, vertical momentum %.2g", rule, de, dl)
		if exact := de < 1e-12; exact != (rule == EnergyConserving) || dl > 1e-11 {
			t.Errorf("C1 %s: energy %.2g, vertical momentum %.2g", rule, de, dl)
		}
	}
}

// All integrators are of second order, with every rule.
func TestOrder(t *testing.T) {
	end := func(a Algorithm, rule TorqueRule, h float64) quat {
		b, w := heavy()
		steps(t, &b, a, rule, h, w, int(math.Round(1/h)))
		return b.R
	}
	exact := end(C1, HalfRotation, 1./64000)
	exact2 := end(C1, HalfRotation, 1./32000)
	if d := angle(exact, exact2); d > 1e-5 {
		t.Fatalf("the reference is off by %g", d)
	}
	for _, c := range []struct {
		a    Algorithm
		rule TorqueRule
	}{{NMB, End}, {C1, HalfRotation}, {C1, EndAverage}, {C1, EnergyConserving}, {C2, EndAverage}, {C2, HalfRotation}} {
		e1, e2 := angle(end(c.a, c.rule, 1./1000), exact), angle(end(c.a, c.rule, 1./2000), exact)
		order := math.Log2(e1 / e2)
		t.Logf("%s %s: errors %.3g, %.3g: order %.3f", c.a, c.rule, e1, e2, order)
		if math.Abs(order-2) > 0.02 {
			t.Errorf("%s %s: order %.3f", c.a, c.rule, order)
		}
	}
}

// angle between two attitudes, rad.
func angle(a, b quat) float64 {
	d := b.Conjugate().Mul(a)
	return 2 * math.Asin(min(1, d.V.Len()))
}

// Where the warning comes, C2 gains energy; well below it does not.
func TestCaution(t *testing.T) {
	for _, c := range []struct {
		h    float64
		gain float64 // of 100 s, at least where the warning comes, else at most
	}{{0.5, 0.5}, {0.01, 1e-4}} {
		b := free()
		e := b.Energy()
		warned := b.Caution(c.h)
		steps(t, &b, C2, EndAverage, c.h, none{}, int(100/c.h))
		gain := b.Energy()/e - 1
		t.Logf("h = %g s: warned %v, energy %+.2g", c.h, warned, gain)
		if warned != (c.h > 0.1) || warned && gain < c.gain || !warned && math.Abs(gain) > c.gain {
			t.Errorf("h = %g s: warned %v, energy %+.2g", c.h, warned, gain)
		}
	}
}

func TestRotorAllocatesNothing(t *testing.T) {
	b, w := heavy()
	for _, a := range []Algorithm{C1, C2, NMB} {
		rule := HalfRotation
		if a == NMB {
			rule = End
		}
		if n := testing.AllocsPerRun(100, func() { b.Step(a, rule, 0.001, w) }); n != 0 && !testkit.Race {
			t.Errorf("%s allocates %g times a step", a, n)
		}
	}
}
