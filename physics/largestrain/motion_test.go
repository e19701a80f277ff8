package largestrain

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/fem/solid"
)

// beam is a neo-Hookean cantilever of 8 cm, held at its back, that may move in time.
func beam(t testing.TB, m Motion) (l *Live, tip int32) {
	t.Helper()
	mesh := tetBox(t, mgl64.Vec3{0.02, 0.02, 0.08}, [3]int{2, 2, 8})
	lambda, mu := solid.Lame(8000, 0.4)
	b, err := solid.New(mesh, solid.Full, solid.Barrier{Law: solid.NeoHookeanLog{Lambda: lambda, Mu: mu}, Stiffness: 2 * mu})
	if err != nil {
		t.Fatal(err)
	}
	o := DefaultLiveOptions(0.08)
	o.Lag = 3
	m.Mass, m.Heavier = b.LumpedMass(1000), 1
	o.Motion = m
	l, err = NewLive(b, mesh.NodeSets["back"], mesh.NodeSets["front"], o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l, mesh.NodeSets["front"][0]
}

// weigh puts a weight along x on the body, m/s^2.
func (l *Live) weigh(m Motion, g float64) {
	for n, mass := range m.Mass {
		l.Load[3*n] = mass * g
	}
}

// A body that nothing touches moves as the exact solution of each time step does.
func TestLiveMovesAsDynamics(t *testing.T) {
	for _, m := range []Motion{
		{Step: 0.005},
		{Step: 0.005, Scheme: AverageAcceleration},
		{Step: 0.005, Scheme: AverageAcceleration, Alpha: 3, Beta: 0.004},
		{Step: 0.02, Alpha: 1},
	} {
		l, tip := beam(t, m)
		m = l.Options.Motion
		l.weigh(m, 4)
		d, err := NewDynamics(l.body.Twin(), fixedOf(l), m.Scheme, m.Step, 1000, true, m.Alpha, m.Beta)
		if err != nil {
			t.Fatal(err)
		}
		copy(d.Load, l.Load)
		d.Tolerance = 1e-10
		far, off, corrections := 0.0, 0.0, 0
		for i := range 120 {
			if err := d.Advance(t.Context()); err != nil {
				t.Fatal(err)
			}
			r := l.Step(nowhere{})
			for try := 0; !r.Settled && try < 10; try++ {
				r = l.Step(nowhere{})
			}
			corrections += r.Corrections
			if !r.Settled {
				t.Fatalf("%+v: step %d does not settle: %+v", m.Scheme, i, r)
			}
			far = math.Max(far, math.Abs(d.X[3*tip]-l.start[3*tip]))
			off = math.Max(off, math.Abs(d.X[3*tip]-l.Shown[3*tip]))
		}
		d.Close()
		t.Logf("h = %g, Newmark %v: the tip moves by %.1f mm, %.3f mm off, %d corrections", m.Step, m.Scheme.Newmark, 1e3*far, 1e3*off, corrections)
		if far < 0.01 || off > 0.005*far {
			t.Errorf("h = %g s, Newmark %v, alpha %g, beta %g: the tip is %.3f mm off of %.1f mm", m.Step, m.Scheme.Newmark, m.Alpha, m.Beta, 1e3*off, 1e3*far)
		}
	}
}

func fixedOf(l *Live) (fixed []int32) {
	for n, i := range l.k.Index {
		if i < 0 {
			fixed = append(fixed, int32(n))
		}
	}
	return fixed
}
