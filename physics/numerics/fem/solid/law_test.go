package solid

import (
	"math"
	"math/rand/v2"
	"testing"
)

// laws is one of each, with constants of the same E = 5000 Pa, nu = 0.4.
func laws() map[string]Law {
	lambda, mu := Lame(5000, 0.4)
	kappa := lambda + 2*mu/3
	axis := [3]float64{2. / 3, -1. / 3, 2. / 3}
	all := map[string]Law{
		"linear":        Linear{lambda, mu},
		"corotational":  Corotational{lambda, mu},
		"stvk":          StVenantKirchhoff{lambda, mu},
		"log":           NeoHookeanLog{Lambda: lambda, Mu: mu},
		"isovol":        NeoHookeanIsovol(mu, kappa),
		"mooney-rivlin": MooneyRivlin{C10: 0.3 * mu, C01: 0.2 * mu, Kappa: kappa},
		"ogden 1":       Ogden{Mu: []float64{mu}, Alpha: []float64{4}, Kappa: kappa},
		"ogden 2":       Ogden{Mu: []float64{0.7 * mu, 0.3 * mu}, Alpha: []float64{3, -2}, Kappa: kappa},
	}
	all["fibre"] = Fibre{Matrix: all["isovol"], K1: 900, K2: 1.5, Direction: axis}
	all["barrier"] = Barrier{all["corotational"], 3000}
	all["fibre, k2 = 0"] = Fibre{Matrix: all["log"], K1: 900, Direction: axis}
	return all
}

// extended are the laws that hold for turned-over elements too.
func extended() map[string]Law {
	l := laws()
	n := l["log"].(NeoHookeanLog)
	n.Floor = 0.3
	m := l["mooney-rivlin"].(MooneyRivlin)
	m.Floor = 0.3
	o := l["ogden 2"].(Ogden)
	o.Floor = 0.3
	return map[string]Law{"log": n, "mooney-rivlin": m, "ogden 2": o, "corotational": l["corotational"], "stvk": l["stvk"]}
}

// states are gradients with det F > 0: random ones, strong ones, and such that two
// or three stretches are equal, or nearly.
func states(rng *rand.Rand) (list []Mat3) {
	for len(list) < 12 {
		f := Identity
		for k := range f {
			f[k] += 0.6 * (rng.Float64() - 0.5)
		}
		if f.Det() > 0.2 {
			list = append(list, f)
		}
	}
	for _, s := range [][3]float64{{1, 1, 1}, {1.3, 1.3, 1.3}, {0.7, 0.7, 1.4}, {1.1, 1.1 + 1e-9, 0.9}, {1.2, 1.2 + 1e-5, 1.2 - 1e-4}, {0.8, 0.82, 1.5}, {0.6, 0.5, 0.6}, {0.9, 0.3, 0.8}, {2.2, 0.5, 0.9}} {
		q, p := spin(rng), spin(rng)
		d := Mat3{s[0], 0, 0, 0, s[1], 0, 0, 0, s[2]}
		d = q.Mul(&d)
		list = append(list, d.MulT(&p))
	}
	return list
}

// spin is a random rotation.
func spin(rng *rand.Rand) Mat3 {
	var f Mat3
	for k := range f {
		f[k] = rng.NormFloat64()
	}
	return Rotation(&f)
}

// checkDerivatives holds P against differences of W, and A against those of P.
func checkDerivatives(t *testing.T, name string, l Law, f Mat3) {
	t.Helper()
	const h = 1e-5
	var p, up, down Mat3
	var a Mat9
	l.Stress(&p, &f)
	l.Tangent(&a, &f)
	size := 0.0
	for _, v := range a {
		size = math.Max(size, math.Abs(v))
	}
	for k := range 9 {
		g := f
		g[k] += h
		wu := l.Energy(&g)
		l.Stress(&up, &g)
		g[k] -= 2 * h
		wd := l.Energy(&g)
		l.Stress(&down, &g)
		if d := (wu - wd) / (2 * h); !(math.Abs(d-p[k]) <= 2e-7*size) {
			t.Fatalf("%s at %v: P[%d] = %g, the energy's slope is %g", name, f, k, p[k], d)
		}
		for r := range 9 {
			if d := (up[r] - down[r]) / (2 * h); !(math.Abs(d-a[9*r+k]) <= 2e-6*size) {
				t.Fatalf("%s at %v: A[%d,%d] = %g, the stress's slope is %g", name, f, r, k, a[9*r+k], d)
			}
		}
	}
	for r := range 9 {
		for c := range r {
			if !(math.Abs(a[9*r+c]-a[9*c+r]) <= 1e-11*size) {
				t.Fatalf("%s: A is not symmetric at %d, %d: %g, %g", name, r, c, a[9*r+c], a[9*c+r])
			}
		}
	}
}

// The stress is the derivative of the energy and the tangent that of the stress.
func TestDerivatives(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for name, l := range laws() {
		for _, f := range states(rng) {
			if l, ok := l.(Fibre); ok {
				if fa, _, _, _ := l.coefficients(&f); math.Abs(dot(fa, fa)-1) < 1e-3 {
					continue // the tangent jumps there
				}
			}
			checkDerivatives(t, name, l, f)
		}
	}
}

// So they are below the floor, for flat and turned-over elements.
func TestDerivativesTurnedOver(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for name, l := range extended() {
		for _, s := range [][3]float64{{1.2, 0.9, 0.15}, {1.1, 0.8, -0.2}, {1.3, 0.7, -0.45}, {0.9, 0.5, 0.01}} {
			q, p := spin(rng), spin(rng)
			d := Mat3{s[0], 0, 0, 0, s[1], 0, 0, 0, s[2]}
			d = q.Mul(&d)
			checkDerivatives(t, name, l, d.MulT(&p))
		}
	}
}

// At and above the floor nothing is changed, to the last bit; at it, nothing jumps.
func TestFloorChangesNothingAbove(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, name := range []string{"log", "mooney-rivlin", "ogden 2"} {
		plain, ext := laws()[name], extended()[name]
		for _, f := range states(rng) {
			if _, s, _ := svd(&f); s[2] < 0.3 || f.Det() < 0.3 {
				continue
			}
			var p, q Mat3
			var a, b Mat9
			plain.Stress(&p, &f)
			ext.Stress(&q, &f)
			plain.Tangent(&a, &f)
			ext.Tangent(&b, &f)
			if plain.Energy(&f) != ext.Energy(&f) || p != q || a != b {
				t.Errorf("%s at %v: changed above the floor", name, f)
			}
		}
		var a, b Mat9
		above, below := Mat3{0.3 * (1 + 1e-9), 0, 0, 0, 1, 0, 0, 0, 1}, Mat3{0.3 * (1 - 1e-9), 0, 0, 0, 1, 0, 0, 0, 1}
		ext.Tangent(&a, &above)
		ext.Tangent(&b, &below)
		for k := range a {
			if math.Abs(a[k]-b[k]) > 1e-6*math.Abs(a[0]) {
				t.Errorf("%s: the tangent jumps at the floor: %g, %g", name, a[k], b[k])
			}
		}
	}
}

// A turned-over state costs energy, more the more it is turned over, and the force
// leads back.
func TestTurnedOverIsPushedBack(t *testing.T) {
	for name, l := range extended() {
		if name == "stvk" { // it knows no side: E is the same for F and its mirror image
			continue
		}
		last := 0.0
		for s := 0.2; s > -0.95; s -= 0.1 {
			f := Mat3{1, 0, 0, 0, 1, 0, 0, 0, s}
			var p Mat3
			l.Stress(&p, &f)
			if w := l.Energy(&f); !(w > last) || !(p[8] < 0) {
				t.Errorf("%s: stretch %.1f: energy %g after %g, stress %g", name, s, w, last, p[8])
			} else {
				last = w
			}
		}
	}
}

// A rotation before changes no energy and turns the stress; of an isotropic law one
// after does so too.
func TestObjectivity(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for name, l := range laws() {
		if name == "linear" { // takes rotations for strains
			continue
		}
		for _, f := range states(rng) {
			q := spin(rng)
			g := q.Mul(&f)
			var p, turned Mat3
			l.Stress(&p, &f)
			l.Stress(&turned, &g)
			p = q.Mul(&p)
			near(t, name+": turned energy", l.Energy(&g), l.Energy(&f), 1e-9, 5000)
			for k := range p {
				near(t, name+": turned stress", turned[k], p[k], 1e-9, 5000)
			}
			if _, ok := l.(Fibre); ok {
				continue
			}
			g = f.Mul(&q)
			near(t, name+": energy of the turned body", l.Energy(&g), l.Energy(&f), 1e-9, 5000)
		}
	}
}

func near(t *testing.T, what string, got, want, tolerance, scale float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Max(math.Abs(want), scale)) {
		t.Fatalf("%s: %g, want %g", what, got, want)
	}
}

// At rest there is no energy and no stress, and the tangent is that of linear
// elasticity.
func TestRest(t *testing.T) {
	want := Mat9{}
	laws()["linear"].Tangent(&want, &Identity)
	for name, l := range laws() {
		if _, ok := l.(Fibre); ok {
			continue
		}
		for _, l := range []Law{l, extended()[name]} {
			if l == nil {
				continue
			}
			var p Mat3
			var a Mat9
			l.Stress(&p, &Identity)
			l.Tangent(&a, &Identity)
			near(t, name+": energy", l.Energy(&Identity), 0, 1e-12, 5000)
			for k := range p {
				near(t, name+": stress", p[k], 0, 1e-12, 5000)
			}
			for k := range a {
				near(t, name+": tangent", a[k], want[k], 1e-12, 5000)
			}
		}
	}
}

// Fibres carry along their direction what theory says, and nothing when pressed.
func TestFibre(t *testing.T) {
	l := Fibre{Matrix: Linear{}, K1: 1000, K2: 2, Direction: [3]float64{0, 1, 0}}
	for _, stretch := range []float64{0.7, 1, 1.2, 3} {
		f := Mat3{1, 0, 0, 0, stretch, 0, 0, 0, 1}
		var p Mat3
		l.Stress(&p, &f)
		want := 0.0
		if g := stretch*stretch - 1; g > 0 {
			want = 2 * 1000 * g * math.Exp(2*g*g) * stretch
		}
		near(t, "fibre", p[4], want, 1e-12, 1)
	}
	// beyond what an exponential can say it stays finite
	f := Mat3{1, 0, 0, 0, 40, 0, 0, 0, 1}
	var p Mat3
	var a Mat9
	l.Stress(&p, &f)
	l.Tangent(&a, &f)
	if p[4]-p[4] != 0 || a[40]-a[40] != 0 {
		t.Errorf("stress %g, tangent %g", p[4], a[40])
	}
}

// Closed forms of the incompressible limit, approached by a large kappa.
func TestIncompressibleLimit(t *testing.T) {
	mu, kappa := 2000.0, 2e9
	for _, stretch := range []float64{0.6, 1.5, 2.5} {
		side := 1 / math.Sqrt(stretch)
		for name, c := range map[string]struct {
			law  Law
			want float64
		}{
			"neo-Hookean":   {NeoHookeanIsovol(mu, kappa), mu * (stretch*stretch - 1/stretch)},
			"Mooney-Rivlin": {MooneyRivlin{C10: 600, C01: 400, Kappa: kappa}, 2 * (stretch*stretch - 1/stretch) * (600 + 400/stretch)},
			"Ogden": {Ogden{Mu: []float64{1400, 600}, Alpha: []float64{3, -2}, Kappa: kappa},
				2*1400/3.*(math.Pow(stretch, 3)-math.Pow(stretch, -1.5)) + 2*600/-2.*(math.Pow(stretch, -2)-stretch)},
		} {
			f := Mat3{stretch, 0, 0, 0, side, 0, 0, 0, side}
			var p Mat3
			c.law.Stress(&p, &f)
			// J = 1 here: the pressure is what frees the sides
			near(t, name, p[0]*stretch-p[4]*side, c.want, 1e-9, 1)
		}
	}
}

// The polar decomposition gives a proper rotation and a symmetric U, turned over or
// not, and singular values their signs.
func TestRotation(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for range 2000 {
		var f Mat3
		for k := range f {
			f[k] = rng.NormFloat64()
		}
		if rng.IntN(3) == 0 { // nearly flat
			for k := range 3 {
				f[6+k] = f[k] + 1e-5*f[3+k]
			}
		}
		r := Rotation(&f)
		c := r.TMul(&r)
		near(t, "det R", r.Det(), 1, 1e-12, 1)
		for k := range c {
			near(t, "R^T R", c[k], Identity[k], 1e-12, 1)
		}
		u := r.TMul(&f)
		size := math.Sqrt(f.Dot(&f))
		for i := range 3 {
			for j := range 3 {
				near(t, "U", u[3*i+j], u[3*j+i], 1e-9, size)
			}
		}
		_, s, _ := svd(&f)
		near(t, "values", s[0]*s[1]*s[2], f.Det(), 1e-9, size*size*size)
		if s[0] < s[1] || s[1] < math.Abs(s[2]) {
			t.Fatalf("values %v out of order", s)
		}
	}
}
