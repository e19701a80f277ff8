package solid

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// Each preset says where it is from, and is at rest the linear material that its
// moduli state; its tangent and stress are derivatives.
func TestPresets(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	last := 0.0
	for _, name := range []string{"liver", "kidney", "brain", "fat", "muscle", "skin", "silicone", "rubber", "aluminium"} {
		p, err := FindPreset(name)
		if err != nil {
			t.Fatal(err)
		}
		if p.Source == "" || p.Remark == "" || p.Checked == "" || !(p.Density > 0) || p.Prony.Infinity() < 0 {
			t.Errorf("%s: %+v", name, p)
		}
		law := p.Law(0.1)
		var want, got Mat9
		lambda, mu := Lame(p.Young(), p.Poisson)
		Linear{lambda, mu}.Tangent(&want, &Identity)
		law.Tangent(&got, &Identity)
		for k := range want {
			near(t, name+": tangent at rest", got[k], want[k], 1e-12, lambda)
		}
		for _, f := range states(rng)[:6] {
			checkDerivatives(t, name, law, f)
		}
	}
	for _, p := range Presets() {
		if p.Shear() < last {
			t.Errorf("%s is out of order", p.Name)
		}
		last = p.Shear()
	}
	if _, err := FindPreset("wood"); err == nil || !strings.Contains(err.Error(), "liver") {
		t.Error(err)
	}
}

// The published numbers behind two of them: Ogden's rubber at a stretch of 2, and
// the silicone's 10 psi there.
func TestPresetsAgainstPublished(t *testing.T) {
	nominal := func(p Preset, stretch float64) float64 {
		// incompressible: sum 2 mu_p/a_p (s^(a-1) - s^(-a/2-1))
		sum := 0.0
		for i, a := range p.Alpha {
			sum += 2 * p.Mu[i] / a * (math.Pow(stretch, a-1) - math.Pow(stretch, -a/2-1))
		}
		return sum
	}
	silicone, _ := FindPreset("silicone")
	near(t, "silicone", nominal(silicone, 2), 10*6894.76, 0.02, 0)
	rubber, _ := FindPreset("rubber")
	// Ogden's own form: sum mu_p (s^(a-1) - s^(-a/2-1)) with 0.63, 0.0012, -0.01 MPa
	own := 0.0
	for i, mu := range []float64{0.63e6, 0.0012e6, -0.01e6} {
		a := rubber.Alpha[i]
		own += mu * (math.Pow(2, a-1) - math.Pow(2, -a/2-1))
	}
	near(t, "rubber", nominal(rubber, 2), own, 1e-12, 0)
}

// Law is the material, for elements that may turn over when floor is above 0; see
// NeoHookeanLog.
func (p Preset) Law(floor float64) Law {
	lambda, mu := Lame(p.Young(), p.Poisson)
	kappa := lambda + 2*mu/3
	if len(p.Alpha) == 1 && p.Alpha[0] == 2 {
		return MooneyRivlin{C10: p.Mu[0] / 2, Kappa: kappa, Floor: floor}
	}
	return Ogden{Mu: p.Mu, Alpha: p.Alpha, Kappa: kappa, Floor: floor}
}
