package rigid

import (
	"fmt"
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
)

// elastic are worlds without friction in which everything rebounds with all of its speed.
var elastic = []struct {
	name string
	fill func(t testing.TB, w *World)
}{
	{"box on pedestal", func(t testing.TB, w *World) {
		add(t, w, &Body{Form: Box(0.14, 0.2, 0.14), X: vec3{0, 0.1, 0}, Fixed: true})
		add(t, w, &Body{Form: Box(0.2, 0.2, 0.2), X: vec3{0, 0.8, 0}, Restitution: 1})
	}},
	{"box on floor", func(t testing.TB, w *World) {
		floor(t, w, 0, 1)
		add(t, w, &Body{Form: Box(0.2, 0.1, 0.3), X: vec3{0, 0.2, 0}})
	}},
	{"cylinder on its end", func(t testing.TB, w *World) {
		floor(t, w, 0, 1)
		add(t, w, &Body{Form: Cylinder(0.05, 0.2), X: vec3{0, 0.4, 0}})
	}},
	{"tilted box", func(t testing.TB, w *World) {
		floor(t, w, 0, 1)
		add(t, w, &Body{Form: Box(0.2, 0.1, 0.3), X: vec3{0, 0.6, 0}, Q: expQuat(vec3{0.3, 0.1, 0.5}), W: vec3{1, -2, 3}})
	}},
	{"pile", func(t testing.TB, w *World) {
		floor(t, w, 0, 1)
		for i := range 4 {
			add(t, w, &Body{Form: Box(0.2, 0.1, 0.2), X: vec3{0.02 * float64(i), 0.05 + 0.15*float64(i+1), 0.01 * float64(i*i)}, Restitution: 1})
		}
	}},
	{"pile at rest", func(t testing.TB, w *World) {
		floor(t, w, 0, 1)
		for i := range 4 {
			add(t, w, &Body{Form: Box(0.2, 0.1, 0.2), X: vec3{0.02 * float64(i), 0.05 + 0.1*float64(i), 0}, Restitution: 1})
		}
	}},
	{"balls in a pit", func(t testing.TB, w *World) {
		floor(t, w, 0, 1)
		for _, n := range []vec3{{1, 0, 0}, {-1, 0, 0}, {0, 0, 1}, {0, 0, -1}} {
			add(t, w, &Body{Form: Plane(n), X: n.Mul(-0.3), Fixed: true})
		}
		for i := range 10 {
			add(t, w, &Body{Form: Ball(0.05), X: vec3{0.01 * float64(i%3), 0.1 + 0.11*float64(i), 0.02 * float64(i%2)}, Restitution: 1})
		}
	}},
}

// With restitution 1 and no friction the energy stays, whatever falls on whatever, as long
// as the run lasts.
func TestElasticEnergy(t *testing.T) {
	seconds := 2.0
	if !testing.Short() {
		seconds = 20
	}
	for _, e := range elastic {
		for _, h := range []float64{0.5e-3, 1e-3, 2e-3} {
			t.Run(fmt.Sprint(e.name, h), func(t *testing.T) {
				w := newWorld(t, func(c *Config) { c.Step = h })
				e.fill(t, w)
				kin, pot := w.energy()
				start, worst, rounds, sweeps, blows := kin+pot, 0.0, 0, 0, 0
				deepest := 0.0
				for range int(seconds / h) {
					w.Step()
					kin, pot := w.energy()
					worst = max(worst, math.Abs(kin+pot-start))
					rounds, sweeps, deepest = max(rounds, w.stats.Rounds), sweeps+w.stats.Sweeps, min(deepest, w.stats.Deepest)
					if w.stats.Loaded > 0 {
						blows++
					}
				}
				t.Logf("energy %.6g J, off by %.2g of it at most; %d steps with impulses, %d sweeps, %d rounds at most; deepest %.2g m", start, worst/start, blows, sweeps, rounds, deepest)
				if worst > 1e-9*start {
					t.Errorf("energy %.6g J, off by %.2g of it", start, worst/start)
				}
			})
		}
	}
}

// A spinning ball strikes the floor obliquely: in closed form (Brach, Mechanical Impact
// Dynamics, 1991) it sticks or slides by the impulse alone, whatever the step and the gap at
// which the blow is found.
func TestObliqueImpact(t *testing.T) {
	const r = 0.05
	for _, h := range []float64{1e-3, 0.5e-3, 7e-3} {
		for _, e := range []float64{0, 0.3, 0.8, 1} {
			for _, mu := range []float64{0, 0.1, 2} {
				for _, plane := range []bool{true, false} {
					w := newWorld(t, func(c *Config) { c.Step, c.Gravity = h, vec3{} })
					if plane {
						floor(t, w, mu, e)
					} else {
						add(t, w, &Body{Form: Box(4, 1, 4), X: vec3{0, -0.5, 0}, Fixed: true, Friction: mu, Restitution: e})
					}
					b := add(t, w, &Body{Form: Ball(r), X: vec3{0, r + 0.0234, 0}, V: vec3{1.5, -2, 0.4}, W: vec3{3, 10, 20}, Friction: mu})
					slip := vec3{b.V[0] + b.W[2]*r, 0, b.V[2] - b.W[0]*r}
					// 7/2 slip/m are what friction may change: 1/m + r^2/(0.4 m r^2)
					f := slip.Mul(-1 / 3.5) // impulse over mass, if it sticks
					if most := mu * (1 + e) * 2; f.Len() > most {
						f = f.Mul(most / f.Len())
					}
					v := b.V.Add(f)
					v[1] = 2 * e
					spin := b.W.Add(vec3{0, -r, 0}.Cross(f).Mul(1 / (0.4 * r * r)))
					run(w, 0.05)
					if miss := max(b.V.Sub(v).Len(), r*b.omega().Sub(spin).Len()); miss > 1e-7 {
						t.Errorf("h = %g s, e = %g, mu = %g, plane %v: off by %.2g m/s: %v, want %v; spin %v, want %v", h, e, mu, plane, miss, b.V, v, b.omega(), spin)
					}
				}
			}
		}
	}
}

// Smooth balls that meet far along their ways keep their spins, and part as in closed form, whatever the step.
func TestSwiftBlow(t *testing.T) {
	const r = 0.05
	for _, h := range []float64{1e-3, 4e-3} {
		w := newWorld(t, func(c *Config) { c.Gravity, c.Step = vec3{}, h })
		a := add(t, w, &Body{Form: Ball(r), X: vec3{-0.2, 0.06, 0}, V: vec3{20, 0, 0}, W: vec3{5, -20, 100}, Restitution: 1})
		b := add(t, w, &Body{Form: Ball(r), X: vec3{0, 0, 0}, W: vec3{0, 9, -80}, Restitution: 1})
		spins := [2]vec3{a.omega(), b.omega()}
		n := vec3{0.8, -0.6, 0} // when they touch, the first is 0.06 m higher
		run(w, 0.02)
		along := n.Mul(20 * n[0])
		miss := max(b.V.Sub(along).Len(), a.V.Sub(vec3{20, 0, 0}.Sub(along)).Len())
		turn := max(a.omega().Sub(spins[0]).Len(), b.omega().Sub(spins[1]).Len())
		if miss > 1e-4 || turn > 1e-10 {
			t.Errorf("h = %g s: off by %.2g m/s and %.2g rad/s", h, miss, turn)
		}
	}
}

// Two balls collide off centre, with spin: momentum and angular momentum stay to rounding.
func TestCollisionKeepsMomentum(t *testing.T) {
	for _, e := range []float64{0, 0.6, 1} {
		w := newWorld(t, func(c *Config) { c.Gravity = vec3{} })
		add(t, w, &Body{Form: Ball(0.05), X: vec3{-0.2, 0, 0}, V: vec3{2, 0.1, 0}, W: vec3{5, -20, 30}, Friction: 0.4, Restitution: e})
		add(t, w, &Body{Form: Ball(0.08), X: vec3{0, 0.04, 0.02}, V: vec3{0, 0, -0.3}, W: vec3{0, 9, 30}, Friction: 0.4, Restitution: e})
		p0, l0 := w.momentum()
		run(w, 0.3)
		p1, l1 := w.momentum()
		if w.stats.Contacts > 0 || w.moved[1].V[0] < 0.1 {
			t.Errorf("e = %g: they did not meet: %v", e, w.moved[1].V)
		}
		if d := p1.Sub(p0).Len() / p0.Len(); d > 1e-14 {
			t.Errorf("e = %g: momentum off by %.2g", e, d)
		}
		if d := l1.Sub(l0).Len() / l0.Len(); d > 1e-13 {
			t.Errorf("e = %g: angular momentum off by %.2g", e, d)
		}
	}
}

// Newton's row of balls that touch: as many leave as arrive, whatever the gaps' rounding.
func TestRowOfBalls(t *testing.T) {
	for arrive := 1; arrive <= 3; arrive++ {
		for _, gap := range []float64{0, 1e-12, -1e-12, 1e-4} {
			w := newWorld(t, func(c *Config) { c.Gravity = vec3{} })
			const r, n = 0.05, 6
			for i := range n {
				b := &Body{Form: Ball(r), X: vec3{(2*r + gap) * float64(i), 0, 0}, Restitution: 1}
				if i < arrive {
					b.X[0], b.V[0] = b.X[0]-0.0123, 1
				}
				add(t, w, b)
			}
			run(w, 0.1)
			for i, b := range w.moved {
				want := 0.0
				if i >= n-arrive {
					want = 1
				}
				if math.Abs(b.V[0]-want) > 1e-6 {
					t.Errorf("%d arrive, gaps %g: ball %d leaves at %.9g m/s, want %g", arrive, gap, i, b.V[0], want)
				}
			}
		}
	}
}

// A rod that strikes a rough floor slantwise: with Newton's and Coulomb's laws it would gain
// energy (Kane's paradox). It gets the share of its restitution with which it keeps it, and
// the step says so; what strikes beside it keeps all of its own. Where it sticks the energy
// relative to the common motion is U.W^-1 U/2 before and after: s^2 u_n^2 A_nn = U-.A U-.
func TestShareOfRestitution(t *testing.T) {
	const lean, radius, half = 0.9, 0.01, 0.5
	w := newWorld(t, func(c *Config) { c.Gravity = vec3{} })
	floor(t, w, 1, 1)
	rod := add(t, w, &Body{Form: Capsule(radius, 2*half), X: vec3{0, radius + half*math.Sin(lean) + 1e-4, 0}, Q: expQuat(vec3{0, 0, lean - math.Pi/2}), V: vec3{0.5, -1, 0}, Friction: 1})
	ball := add(t, w, &Body{Form: Ball(0.05), X: vec3{3, 0.05 + 1e-4, 0}, V: vec3{0, -1, 0}})
	arm := vec3{-half * math.Cos(lean), -half*math.Sin(lean) - radius, 0}
	j := rod.Inertia[0]
	wn, wt, wnt := 1/rod.Mass+arm[0]*arm[0]/j, 1/rod.Mass+arm[1]*arm[1]/j, -arm[0]*arm[1]/j
	det := wn*wt - wnt*wnt
	an, at, ant := wt/det, wn/det, -wnt/det
	want := math.Sqrt((an - 2*ant*0.5 + at*0.25) / an) // u_n = -1, u_t = 0.5
	before := rod.kinetic()
	share := 1.0
	for range 5 {
		w.Step()
		share = min(share, w.stats.Restitution)
	}
	after := rod.kinetic()
	t.Logf("share %.9g, want %.9g; energy changes by %.2g of it", share, want, after/before-1)
	if math.Abs(share-want) > 1e-7 {
		t.Errorf("the rod keeps %.9g of its restitution, want %.9g", share, want)
	}
	if math.Abs(after/before-1) > 1e-8 {
		t.Errorf("the rod's energy goes from %.9g to %.9g J", before, after)
	}
	if math.Abs(ball.V[1]-1) > 1e-8 {
		t.Errorf("the ball beside it rebounds at %.9g m/s, want 1", ball.V[1])
	}
}

// An edge that rocks from one border of a face to the other comes no deeper there than a turn may let it: the border at
// which it is to land is touched before.
func TestAnEdgeRocksOnAFace(t *testing.T) {
	for _, rate := range []float64{5, 20, 60} {
		w := newWorld(t, func(c *Config) { c.Step = 4e-3 })
		add(t, w, &Body{Form: Box(0.04, 0.02, 0.04), Fixed: true, Friction: 0.5})
		turn := mgl64.QuatRotate(0.3, vec3{0, 1, 0}).Mul(mgl64.QuatRotate(3e-3*rate, vec3{0, 0, 1})).Mul(mgl64.QuatRotate(math.Pi/4, vec3{1, 0, 0}))
		bar := &Body{Form: Box(0.1, 0.02, 0.02), Q: turn, X: vec3{0, 0.01 + 0.01*math.Sqrt2 + 6e-5*rate + 1e-4, 0}, W: unrotate(turn, vec3{0, 0, -rate}), Friction: 0.5}
		add(t, w, bar)
		deepest := 0.0
		for range 50 {
			w.Step()
			deepest = min(deepest, w.stats.Deepest)
		}
		if most := 2 * turnShare * bar.size(); deepest < -most || w.steps < 50 {
			t.Errorf("at %g rad/s %.2g mm deep, want %.2g at most", rate, -1e3*deepest, 1e3*most)
		}
	}
}
