package worlds

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/machinery/testkit"
)

// led is a world whose tool a test leads.
type led struct {
	w     physics.World
	in    physics.Input
	owed  physics.Owed
	f     physics.Frame
	scale float64 // newtons in the hand for one of the scene
}

func lead(t *testing.T, scene string, changes ...string) *led {
	s, err := physics.Load(scene)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range changes {
		if err := s.Set(c); err != nil {
			t.Fatal(err)
		}
	}
	w, _, err := physics.OpenScene(t.Context(), s, physics.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	l := &led{w: w, scale: s.Common().Device.ForceScale}
	l.in = physics.Input{Target: w.Info().Start, Hand: w.Info().Start, Dt: 2e-3}
	return l
}

// along moves the tool evenly by a way within some seconds of the scene, turns it about x, rad, and gives the mean force
// on it of the last quarter.
func (l *led) along(way mgl64.Vec3, turn, seconds float64) (mean mgl64.Vec3) {
	n := int(seconds / l.in.Dt)
	for i := range n {
		l.in.Target.Rotation = mgl64.QuatRotate(turn/float64(n), mgl64.Vec3{1, 0, 0}).Mul(l.in.Target.Rotation).Normalize()
		l.in.Target.Position = l.in.Target.Position.Add(way.Mul(1 / float64(n)))
		l.in.Hand = l.in.Target
		if r := l.owed.Step(l.w, l.in); i >= n-n/4 {
			mean = mean.Add(r.Force.Mul(1 / float64(n/4)))
		}
	}
	l.w.Draw(&l.f)
	return mean
}

// A column of moist sand that falls on a wide floor lies as a heap whose flank is as steep as such sand's: its angle of
// repose is 25 to 50 degrees. Without cohesion it runs flat.
func TestSandHeaps(t *testing.T) {
	testkit.Slow(t)
	slope := func(cohesion string) float64 {
		l := lead(t, "sandbox", "grain.number=700", "container.size=[240, 40, 240]", "fill.up=[18, 110, 18]", "fill.low=[-18, 6, -18]",
			"grain.epsilon="+cohesion, "tool.position=[0, 200, 90]", "fluid.viscosity=0.05")
		l.along(mgl64.Vec3{}, 0, 3)
		// The height over the distance from the axis: the flank runs from the height of three quarters of the heap to that
		// of one.
		top := make([]float64, 30)
		for i := range l.f.Points {
			p := &l.f.Points[i]
			k := int(math.Hypot(float64(p.Position[0]), float64(p.Position[2])) / 4e-3)
			if k < len(top) {
				top[k] = max(top[k], float64(p.Position[1]+p.Radius))
			}
		}
		high := max(top[0], top[1], top[2])
		from, to := -1.0, -1.0
		for k, y := range top {
			r := 4e-3 * (float64(k) + 0.5)
			if y > 0.75*high {
				from = r
			}
			if y > 0.25*high {
				to = r
			}
		}
		t.Logf("cohesion %s: %.1f mm high, %v", cohesion, 1e3*high, top)
		return math.Atan2(0.5*high, to-from) * 180 / math.Pi
	}
	if moist := slope("12 uJ"); !(moist > 25 && moist < 50) {
		t.Errorf("moist sand lies at %.0f degrees", moist)
	}
	if dry := slope("1 uJ"); !(dry < 20) {
		t.Errorf("grains without cohesion lie at %.0f degrees", dry)
	}
}

// The scoop that is lifted out of the sand weighs what lies in it, less what the fluid lifts; empty it weighs nothing.
func TestScoopWeighsItsLoad(t *testing.T) {
	testkit.Slow(t)
	l := lead(t, "sandbox")
	empty := l.along(mgl64.Vec3{}, -0.8, 0.4)
	l.along(mgl64.Vec3{0, -0.042, -0.01}, 0, 0.8)
	l.along(mgl64.Vec3{0, 0, -0.02}, 1, 1)
	l.along(mgl64.Vec3{0, 0.08, 0}, 0, 1.2)
	full := l.along(mgl64.Vec3{}, 0, 1)
	n, at := 0, l.in.Target.Position
	for i := range l.f.Points {
		if x := l.f.Points[i].Position; float64(x[1]) > at[1]-0.012 {
			n++
		}
	}
	const grain = 2500 * 4 / 3.0 * math.Pi * 2.5e-3 * 2.5e-3 * 2.5e-3 * 9.81 // N
	t.Logf("empty %v N, with %d grains %v N; a grain weighs %.3g N", empty, n, full, grain)
	if n < 10 || math.Abs(-full[1]-float64(n)*grain) > 0.2*float64(n)*grain || empty.Len() > 0.05*full.Len() {
		t.Errorf("%d grains of %.3g N each: the scoop feels %v N, empty %v N", n, grain, full, empty)
	}
	if felt := -full[1] * l.scale; felt < 0.3 {
		t.Errorf("the hand feels %.2f N of the load", felt)
	}
}

// The ice that jams before the ship holds it back, the more the more of it there is, and the hand feels it.
func TestJamHoldsTheShip(t *testing.T) {
	testkit.Slow(t)
	l := lead(t, "ice-ship")
	var at []float64
	for range 8 {
		f := l.along(mgl64.Vec3{0.03, 0, 0}, 0, 1)
		at = append(at, -f[0]*l.scale)
	}
	t.Logf("%.2f N in the hand", at)
	if early, late := (at[0]+at[1])/2, (at[6]+at[7])/2; !(late > early+0.2) || late < 0.5 {
		t.Errorf("the hand feels %.2f N at first and %.2f N in the jam", early, late)
	}
}
