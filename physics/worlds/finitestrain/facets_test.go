package finitestrain

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/collision"
	"hapco/physics/machinery/testkit"
	"hapco/physics/numerics/fem/equilibrium"
)

// outside is how far a ball's centre is from the surface that is shown, m; below 0 where
// it is inside the body.
func outside(l *Live, centre mgl64.Vec3) float64 {
	s := l.body.Mesh.Surface()
	least, crossings := math.Inf(1), 0
	for _, t := range s.Triangles {
		var x [3]mgl64.Vec3
		for k := range 3 {
			n := s.Nodes[t[k]]
			x[k] = mgl64.Vec3(l.Shown[3*n : 3*n+3])
		}
		_, d := collision.ClosestOnTriangle(centre, x[0], x[1], x[2])
		least = math.Min(least, math.Sqrt(d))
		// a ray in a direction that no edge of the box has
		way := mgl64.Vec3{0.31, 0.17, 0.93}
		u, v := x[1].Sub(x[0]), x[2].Sub(x[0])
		p := way.Cross(v)
		det := u.Dot(p)
		from := centre.Sub(x[0])
		q := from.Cross(u)
		if a, b := from.Dot(p)/det, way.Dot(q)/det; a >= 0 && b >= 0 && a+b <= 1 && v.Dot(q)/det > 0 {
			crossings++
		}
	}
	if crossings%2 == 1 {
		return -least
	}
	return least
}

// A ball that is smaller than the triangles presses the middle of one: it meets no node,
// and the triangle bears it.
func TestBallBetweenNodesIsMet(t *testing.T) {
	const radius = 0.006
	for _, law := range []string{"corotational", "neo-hookean"} {
		l := liveBody(t, 5, law, func(o *LiveOptions) { o.Lag = 3 })
		at := mgl64.Vec3{0.047, 0.053, 0.107}
		strongest := 0.0
		for range 150 {
			rep := l.Step(equilibrium.Ball{Centre: at, Radius: radius, Way: mgl64.Vec3{0, 0, -0.0002}})
			if !rep.Settled {
				continue
			}
			at[2] -= 0.0002 * rep.Share
			strongest = math.Max(strongest, rep.Force.Len())
			if d := outside(l, at); d < 0.5*radius {
				t.Fatalf("%s: the centre of a ball of %g m is %g m before the surface", law, radius, d)
			}
		}
		if at[2] > 0.095 || strongest < 0.5 {
			t.Errorf("%s: pressed to %g m by %g N", law, at[2], strongest)
		}
		for range 40 {
			l.Step(equilibrium.Ball{Centre: at.Add(mgl64.Vec3{0, 0, 0.2}), Radius: radius})
		}
		if far := longest(triples(displacements(l.body, l.Shown))); far > 1e-6 {
			t.Errorf("%s: %g m from rest after the ball has left", law, far)
		}
		l.Close()
	}
}

// A small ball in a hostile hand never gets inside, and leaves nothing behind.
func TestSmallBallStaysOutside(t *testing.T) {
	if testkit.Race {
		t.Skip("slow; TestLiveThread covers what threads share")
	}
	const radius, h = 0.008, 0.003
	l := liveBody(t, 5, "neo-hookean", func(o *LiveOptions) { o.Lag = 5 })
	defer l.Close()
	hand := hostile(4)
	at := hand(0)
	at[2] = math.Max(at[2], 0.101+radius)
	pressed := 0
	for s := h; s < 0.9; s += h {
		way := hand(s).Sub(at)
		if n := way.Len(); n > 0.5*l.Options.Reach {
			way = way.Mul(0.5 * l.Options.Reach / n)
		}
		rep := l.Step(equilibrium.Ball{Centre: at, Radius: radius, Way: way})
		if !rep.Settled {
			continue
		}
		ball := rep.Tool.(equilibrium.Ball)
		at = ball.Centre.Add(ball.Way.Mul(rep.Share))
		if rep.Contacts > 0 {
			pressed++
		}
		if d := outside(l, at); d < 0.4*radius {
			t.Fatalf("%.3f s: the centre of a ball of %g m is %g m before the surface", s, radius, d)
		}
	}
	if pressed < 50 {
		t.Errorf("pressed in %d steps: the test shows little", pressed)
	}
	for range 60 {
		l.Step(equilibrium.Ball{Centre: mgl64.Vec3{0.05, 0.05, 0.3}, Radius: radius})
	}
	if far := longest(triples(displacements(l.body, l.Shown))); far > 1e-6 {
		t.Errorf("%g m from rest after the ball has left", far)
	}
}

// The closest places of a line and a triangle are no farther apart than any sampled ones,
// and the place of the triangle is in it.
func TestClosestToCore(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	random := func() (p mgl64.Vec3) {
		for k := range 3 {
			p[k] = rng.Float64()
		}
		return p
	}
	crossed := 0
	for range 300 {
		from, to, a, b, c := random(), random(), random(), random(), random()
		if rng.IntN(3) == 0 {
			to = from
		}
		share, core, through := closestToCore(from, to, a, b, c)
		if sum := share[0] + share[1] + share[2]; math.Abs(sum-1) > 1e-12 || min(share[0], share[1], share[2]) < 0 {
			t.Fatalf("shares %v", share)
		}
		far := core.Sub(a.Mul(share[0]).Add(b.Mul(share[1])).Add(c.Mul(share[2]))).Len()
		if through {
			crossed++
			if far > 1e-9 {
				t.Fatalf("goes through, but %g apart", far)
			}
		}
		for i := range 13 {
			p := from.Add(to.Sub(from).Mul(float64(i) / 12))
			if _, d := collision.ClosestOnTriangle(p, a, b, c); math.Sqrt(d) < far-1e-12 {
				t.Fatalf("%g apart, a sample %g", far, math.Sqrt(d))
			}
		}
	}
	if crossed < 10 {
		t.Errorf("%d lines go through: the test shows little", crossed)
	}
}
