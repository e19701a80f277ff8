package finitestrain

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/local"
	"hapco/physics/machinery/testkit"
)

// A loop whose free arm lies on the other is stiffer than the arm alone: the hand's model
// tells how much the force grows between the steps, as the next step does.
func TestHandFeelsThatTheBodyTouchesItself(t *testing.T) {
	if testkit.Race {
		t.Skip("slow")
	}
	w := openWorld(t, "x.toml", `kind = "finite-strain"
friction = 0.3
[units]
length = "mm"
[body]
mesh = "asset:loop.msh"
E = 45000
nu = 0.4
clamp = "support"
[tool]
radius = 6
position = [22, 44, 2]
[equilibrium]
corrections = 30
tolerance = 1e-4
`)
	at := w.info.Start
	for range 18 {
		at.Position[1] -= 1e-3
		w.reach(t, at)
	}
	for range 60 { // factors of this very state, with less and less of a shift
		w.reach(t, at)
	}
	r := w.reach(t, at)
	own := 0.0
	for i := range w.engine.constraints {
		if w.engine.constraints[i].own {
			own += w.engine.problem.r[3*i]
		}
	}
	if own < 0.1 {
		t.Fatalf("the body presses on itself with %g N", own)
	}
	var m local.Model
	local.Make(&m, 0)
	w.Local(&m)
	if f, _ := m.Resultant(m.R); f.Sub(r.Force).Len() > 1e-9*f.Len() || !m.Finite() {
		t.Errorf("the hand feels %v N, the step %v", f, r.Force)
	}
	const deeper = 2e-4
	var closed []int // directions that hold
	for i := range m.N {
		if f := m.R[3*i : 3*i+3]; f[0] > 0 {
			closed = append(closed, 3*i)
			if math.Hypot(f[1], f[2]) < 0.999*m.Mu[i]*f[0] {
				closed = append(closed, 3*i+1, 3*i+2)
			}
		}
	}
	n := len(closed)
	grows := func(w []float64, all int, at func(i int) int) (sum float64) {
		a, b := make([]float64, n*n), make([]float64, n)
		for i, p := range closed {
			for j, q := range closed {
				a[i*n+j] = w[at(p)*all+at(q)]
			}
			b[i] = deeper * m.J[6*p+1]
		}
		if !solveSmall(a, b, n) {
			t.Fatal("W of the closed contacts is not positive definite")
		}
		for i, p := range closed {
			sum += b[i] * m.J[6*p+1]
		}
		return sum
	}
	with := grows(m.W, 3*m.N, func(i int) int { return i })
	alone := make([]float64, 9*m.N*m.N)
	for i := range 3 * m.N {
		for j := range 3 * m.N {
			alone[3*m.N*i+j] = axes[i%3] * axes[j%3] * w.engine.problem.W[(3*w.felt.rows[i/3]+i%3)*3*len(w.engine.constraints)+3*w.felt.rows[j/3]+j%3]
		}
	}
	without := grows(alone, 3*m.N, func(i int) int { return i })
	at.Position = at.Position.Add(mgl64.Vec3{0, -deeper, 0})
	got := w.reach(t, at).Force[1] - r.Force[1]
	t.Logf("%.2f N, %.2f N on itself; 0.2 mm deeper %.4f N more, the model says %.4f, without what the body does to itself %.4f", r.Force.Len(), own, got, with, without)
	if math.Abs(with-got) > 0.25*got || math.Abs(without-got) < 2*math.Abs(with-got) {
		t.Errorf("the force grows by %g N, the model says %g, without what the body does to itself %g", got, with, without)
	}
}
