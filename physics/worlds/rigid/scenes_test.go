package rigid

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/assets"
	"hapco/physics"
	"hapco/physics/local"
	"hapco/physics/machinery/testkit"
	"hapco/physics/numerics/num"
)

// Every scene that is left alone moves, stays finite and loses energy rather than gain it.
func TestScenesLoseEnergy(t *testing.T) {
	eachScene(t, func(t *testing.T, l *live) {
		away := l.info.Start
		away.Position[0] += 2000
		l.world.hands[0].Tool.X, l.world.hands[0].target.x = away.Position, away.Position
		steps := 500
		if testing.Short() {
			steps = 150
		}
		if len(l.parts) > 150 {
			steps = 20
		}
		w := l.world
		k, p := w.energy()
		start := k + p
		most := start
		for range steps {
			l.Step(physics.Input{Target: away, Hand: away, Dt: w.Config.Step})
			k, p := w.energy()
			most = max(most, k+p)
		}
		if l.word != "" {
			t.Fatal(l.word)
		}
		k, _ = w.energy()
		t.Logf("%d bodies, %d contacts, energy %.6g J, at most %+.2g; %d sweeps", len(w.bodies), w.stats.Contacts, start, most-start, w.stats.Sweeps)
		limit := 2e-4 * (math.Abs(start) + k)
		for _, b := range w.bodies { // a touch may lift a body by the slop
			if b.invMass > 0 {
				limit += b.Mass * 9.81 * 2 * slopShare * b.Form.reach
			}
		}
		if l.info.Number("drift C2") < 0 && most-start > limit {
			t.Errorf("energy grew by %.3g J from %.6g, by %.3g at most", most-start, start, limit)
		}
	})
}

// Joints hold, and without friction the energy of a double pendulum stays: its error
// falls with the square of the step.
func TestDoublePendulumEnergy(t *testing.T) {
	var errs [2]float64
	for k, h := range []float64{2e-3, 1e-3} {
		w, err := DoublePendulum(1, 1.6, 100, 0)
		if err != nil {
			t.Fatal(err)
		}
		w.Config.Step, w.Config.Tolerance, w.Config.Sweeps = h, 1e-12, 2000
		kin, pot := w.energy()
		for range int(5 / h) {
			w.Step()
			k2, p2 := w.energy()
			errs[k] = max(errs[k], math.Abs(k2+p2-kin-pot))
			for _, j := range w.joints {
				if o := j.Opening(); math.Abs(o) > 2*h*h*60 {
					t.Fatalf("h = %g s: a joint is open by %.2g m at %.3g s", h, o, w.time)
				}
			}
		}
	}
	order := math.Log2(errs[0] / errs[1])
	t.Logf("energy off by %.3g and %.3g J: order %.2f", errs[0], errs[1], order)
	if !(order > 1.7 && order < 2.5) {
		t.Errorf("energy off by %.3g and %.3g J", errs[0], errs[1])
	}
}

// The pendulum on a support: with friction the support comes to rest, and the joint's
// friction takes energy only.
func TestSlidingPendulum(t *testing.T) {
	w, err := SlidingPendulum(1.2, 0.15)
	if err != nil {
		t.Fatal(err)
	}
	kin, pot := w.energy()
	last := kin + pot
	for range 4000 {
		w.Step()
	}
	kin, pot = w.energy()
	moved := w.bodies[0].X[0]
	t.Logf("energy %.6g to %.6g J, the support moved by %.4g m", last, kin+pot, moved)
	if !(kin+pot < last-0.1) || moved == 0 {
		t.Errorf("energy %.6g to %.6g J, moved %.4g m", last, kin+pot, moved)
	}
}

func TestDominoes(t *testing.T) {
	w, err := Dominoes(8, 0.035)
	if err != nil {
		t.Fatal(err)
	}
	run(w, 3)
	for _, b := range w.bodies[1:] {
		if up := rotate(b.Q, vec3{0, 1, 0})[1]; up > 0.8 {
			t.Errorf("%s stands", b.Name)
		}
	}
}

// Spun the wrong way the rattleback turns back; spun the right way it does not.
func TestRattleback(t *testing.T) {
	for _, rate := range []float64{-4, 4} {
		w, err := Rattleback(rate)
		if err != nil {
			t.Fatal(err)
		}
		b := w.bodies[1]
		back := 0.0
		for range 6000 {
			w.Step()
			back = max(back, -b.omega()[1]*rate/math.Abs(rate))
		}
		t.Logf("%g 1/s: turns back at up to %.3g 1/s", rate, back)
		if (back > 0.3) != (rate < 0) {
			t.Errorf("%g 1/s: turns back at up to %.3g 1/s", rate, back)
		}
	}
}

// The first ball arrives, the last one leaves.
func TestNewtonRods(t *testing.T) {
	w, err := NewtonRods(5, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	highest := 0.0
	for range 900 {
		w.Step()
		highest = max(highest, w.bodies[4].X[0]-w.bodies[3].X[0])
	}
	if highest < 0.15 || w.stats.Deepest < -1e-3 {
		t.Errorf("the last ball swings out by %.3g m", highest)
	}
}

// The stylus pushes a brick, feels it, catches it, throws it.
func TestHand(t *testing.T) {
	w := newWorld(t, nil)
	floor(t, w, 0.5, 0)
	brick := add(t, w, &Body{Name: "brick", Form: Box(0.1, 0.1, 0.1), X: vec3{0, 0.05, 0}, Friction: 0.5})
	g, err := w.addTool(&Body{Name: "tool", Form: Ball(0.01), X: vec3{-0.1, 0.05, 0}})
	if err != nil {
		t.Fatal(err)
	}
	push := 0.0
	model := &local.Model{}
	local.Make(model, 0)
	touching := 0
	for i := range 1500 {
		g.move(vec3{-0.1 + 1e-4*float64(i), 0.05, 0}, g.Tool.Q)
		w.Step()
		f, _ := g.force()
		if i > 1000 {
			push += f[0] / 499
		}
		g.fillModel(model)
		if model.N > 0 {
			touching++
			x := make([]float64, 3*model.N)
			for r := range x {
				x[r] = model.Free[r]
				for s := range x {
					x[r] += model.W[r*3*model.N+s] * model.R[s]
				}
			}
			if x[0] < -1e-12 || model.R[0] > 0 && math.Abs(x[0]) > 1e-6 {
				t.Fatalf("step %d: the model's gap is %.3g m under %.3g N", i, x[0], model.R[0])
			}
			if want := w.Config.Step * w.Config.Step / brick.Mass; model.W[0] < want*0.99 {
				t.Fatalf("W = %.3g, at least %.3g m/N", model.W[0], want)
			}
		}
	}
	if want := -0.5 * 9.81 * brick.Mass; math.Abs(push-want) > 0.02*math.Abs(want) || touching < 900 {
		t.Errorf("the stylus feels %.4g N, want %.4g; touches in %d steps", push, want, touching)
	}
	if n := testing.AllocsPerRun(50, func() { w.Step(); g.fillModel(model) }); n != 0 && !testkit.Race {
		t.Errorf("%g allocations a step", n)
	}
	// Catch, lift, throw.
	if g.grab(0.05) != brick || g.held != brick {
		t.Fatal("nothing caught")
	}
	x := g.Tool.X
	for i := range 1000 {
		g.move(x.Add(vec3{0, 3e-4 * float64(i), 0}), g.Tool.Q)
		w.Step()
	}
	f, _ := g.force()
	g.fillModel(model)
	if math.Abs(brick.V[1]-0.3) > 0.02 || math.Abs(f[1]+9.81*brick.Mass) > 0.05*9.81*brick.Mass || !model.Field.On {
		t.Errorf("the brick rises at %.3g m/s and weighs %.4g N", brick.V[1], -f[1])
	}
	g.Release()
	w.Step()
	if v := brick.V[1]; math.Abs(v-0.29) > 0.03 || g.held != nil {
		t.Errorf("thrown at %.3g m/s", v)
	}
	g.move(vec3{math.NaN(), 0, 0}, g.Tool.Q) // no pose
	w.Step()
	if !num.AllFinite(g.Tool.X[:]...) {
		t.Error("the tool is nowhere")
	}
}

// A fork that is struck rings at its modes: the sound has the lowest one's period, and
// is a WAV file. Its energy falls at twice the damping.
func TestFork(t *testing.T) {
	w, err := TuningFork(0.08)
	if err != nil {
		t.Fatal(err)
	}
	v := w.Vibrations()[0]
	for i, r := range v.Modes.Residual {
		if r > 1e-8 {
			t.Errorf("mode %d: residual %.2g", i, r)
		}
	}
	if v.Modes.Below != v.Modes.Found {
		t.Errorf("%d modes of %d", v.Modes.Found, v.Modes.Below)
	}
	w.listen()
	v.strike(vec3{0.01, 0, 0}, vec3{-0.01, 0.05, 0})
	before := v.energy()
	run(w, 0.2)
	after := v.energy()
	t.Logf("modes at %.5g, %.5g Hz; energy %.3g to %.3g J; mass %.3g kg", v.Modes.Omega[0]/2/math.Pi, v.Modes.Omega[1]/2/math.Pi, before, after, w.bodies[0].Mass)
	if !(after < before && after > 0) {
		t.Errorf("energy %.3g to %.3g J", before, after)
	}
	var out bytes.Buffer
	sound, err := w.sound()
	if err != nil {
		t.Fatal(err)
	}
	if err := sound.writeWAV(&out); err != nil {
		t.Fatal(err)
	}
	wav := out.Bytes()
	if len(wav) != 44+2*len(v.sound) || len(v.sound) != 200*v.sub/v.each || string(wav[:4]) != "RIFF" {
		t.Fatalf("%d bytes of %d samples", len(wav), len(v.sound))
	}
	// The lowest mode that the strike excites is heard: the spectrum peaks at a mode.
	rate := float64(binary.LittleEndian.Uint32(wav[24:]))
	if rate != 48000 {
		t.Errorf("%g samples a second", rate)
	}
	power := func(hz float64) float64 {
		var re, im float64
		for i := range v.sound {
			s, c := math.Sincos(2 * math.Pi * hz * float64(i) / rate)
			x := float64(int16(binary.LittleEndian.Uint16(wav[44+2*i:])))
			re, im = re+x*c, im+x*s
		}
		return re*re + im*im
	}
	lowest := v.Modes.Omega[0] / 2 / math.Pi
	if at, beside := power(lowest), max(power(0.9*lowest), power(1.1*lowest)); at < 100*beside {
		t.Errorf("at %.4g Hz %.3g, beside it %.3g", lowest, at, beside)
	}
}

// A beam that turns across its length is stretched as a bar is: at each end by
// rho W^2 a^3/(3 E) with half its length a.
func TestSpinningBeam(t *testing.T) {
	const rate = 100.0
	w, err := SpinningBeam(rate)
	if err != nil {
		t.Fatal(err)
	}
	v := w.Vibrations()[0]
	const a = 0.25
	want := steel.Density * rate * rate * a * a * a / (3 * steel.Young)
	ends := func() float64 {
		u := make([]float64, 3*len(v.Modes.Mesh.Nodes))
		v.displacements(u)
		most := 0.0
		for n, x := range v.Modes.Mesh.Nodes {
			if x[0] > a-1e-9 {
				most = max(most, u[3*n])
			}
		}
		return most
	}
	// In the middle the stress is rho W^2 a^2/2, of which that mode has 32/pi^3.
	u := make([]float64, 3*len(v.Modes.Mesh.Nodes))
	v.displacements(u)
	stress := make([]float64, v.corners)
	v.Modes.VonMises(stress, u)
	most := 0.0
	for _, s := range stress {
		most = max(most, s)
	}
	if want := steel.Density * rate * rate * a * a / 2 * 32 / (math.Pi * math.Pi * math.Pi); math.Abs(most/want-1) > 0.03 {
		t.Errorf("stress %.4g Pa, want %.4g", most, want)
	}
	start := ends()
	run(w, 0.05)
	t.Logf("stretch %.5g m, then %.5g m; a bar's is %.5g m", start, ends(), want)
	// The first mode of extension has 98.6 % of it (96/pi^4).
	if math.Abs(ends()-start) > 0.02*want || math.Abs(start/want-0.986) > 0.01 {
		t.Errorf("stretch %.5g m, then %.5g m; a bar's is %.5g m", start, ends(), want)
	}
}

// What touches a body that rings is moved by its surface: the gap follows the modes, and
// the hand's model with it.
func TestVibrationIsFelt(t *testing.T) {
	w, err := TuningFork(0.08)
	if err != nil {
		t.Fatal(err)
	}
	v := w.Vibrations()[0]
	b := v.Body
	g, err := w.addTool(&Body{Name: "tool", Form: Ball(0.005), X: b.X.Add(vec3{1, 0, 0})})
	if err != nil {
		t.Fatal(err)
	}
	// Just off the outer side of a prong, near its end.
	_, high := b.Form.solid.Bounds()
	on, n, _ := b.Form.solid.Closest(vec3{high[0] + 0.01, high[1] - 0.005, 0})
	at := b.point(on.Add(n.Mul(0.005 + 1e-5)))
	g.Tool.X = at
	g.move(at, mgl64.QuatIdent())
	w.ready()
	gap := func() float64 {
		w.Step()
		if len(w.search.touches) == 0 {
			t.Fatal("no touch")
		}
		best := math.Inf(1)
		for _, t := range w.search.touches {
			best = min(best, t.gap)
		}
		return best
	}
	quiet := gap()
	if again := gap(); math.Abs(again-quiet) > 1e-9 {
		t.Fatalf("at rest the gap goes from %g to %g m", quiet, again)
	}
	v.osc.Q[0], v.osc.Last[0] = 2e-6, 2e-6
	low, high2 := math.Inf(1), math.Inf(-1)
	for range 40 {
		g := gap()
		low, high2 = min(low, g), max(high2, g)
	}
	u := math.Abs(v.Modes.Phi[0][3*v.node(on)]) * 2e-6
	if swing := high2 - low; !(u > 1e-7) || swing < 0.5*u || swing > 3*u {
		t.Errorf("the gap swings by %.3g m, the surface by %.3g m either way", swing, u)
	}
}

// Nobody touches the scene's wall: every brick stays where it is.
func TestSceneOfBricksStands(t *testing.T) {
	testkit.Slow(t)
	text, err := assets.Scene("bricks")
	if err != nil {
		t.Fatal(err)
	}
	l := openLive(t, "bricks", string(text))
	var at []vec3
	for _, b := range l.world.bodies {
		at = append(at, b.X)
	}
	for range 250 { // 1 s: bricks on an edge have gone over by then
		l.Step(physics.Input{Target: l.info.Start, Hand: l.info.Start, Dt: l.world.Config.Step})
	}
	crept := 0.0
	for i, b := range l.world.bodies {
		crept = max(crept, b.X.Sub(at[i]).Len())
	}
	t.Logf("%d bodies, crept %.2g m", len(at), crept)
	if crept > 1e-4 || len(at) < 200 {
		t.Errorf("%d bodies have moved by %g m", len(at), crept)
	}
}
