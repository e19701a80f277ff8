package servo

import (
	"flag"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/haptics"
	"hapco/physics/frame"
	"hapco/physics/local"
	"hapco/physics/machinery/cputime"
)

var long = flag.Bool("long", false, "force bound over 10^7 models and poses instead of 10^6")

const rate = 1000.0

// near compares two numbers to 1e-12 of the larger, or of scale.
func near(a, b, scale float64) bool {
	if math.IsNaN(a) || math.IsNaN(b) {
		return math.IsNaN(a) == math.IsNaN(b)
	}
	return a == b || math.Abs(a-b) <= 1e-12*math.Max(scale, math.Max(math.Abs(a), math.Abs(b)))
}

func sameRecord(t *testing.T, i int, c, g *haptics.Record) {
	t.Helper()
	if c.Tick != g.Tick || c.Flags != g.Flags || c.Sweeps != g.Sweeps || c.Model != g.Model || c.Contacts != g.Contacts || c.Buttons != g.Buttons || c.Time != g.Time {
		t.Fatalf("tick %d: C %+v\nGo %+v", i, *c, *g)
	}
	for _, f := range []struct {
		what string
		c, g []float64
	}{
		{"force", c.Force[:], g.Force[:]}, {"torque", c.Torque[:], g.Torque[:]}, {"raw", c.Raw[:], g.Raw[:]},
		{"tool", c.Tool[:], g.Tool[:]}, {"position", c.Position[:], g.Position[:]}, {"velocity", c.Velocity[:], g.Velocity[:]},
		{"rest", []float64{c.Age, c.Gain, c.Energy, c.Alpha, c.Heat, c.Residual}, []float64{g.Age, g.Gain, g.Energy, g.Alpha, g.Heat, g.Residual}},
	} {
		for k := range f.c {
			if !near(f.c[k], f.g[k], 0) {
				t.Fatalf("tick %d: %s[%d] is %.17g in C, %.17g in Go", i, f.what, k, f.c[k], f.g[k])
			}
		}
	}
}

// bed is a model of n contacts of a stylus on an elastic bed: W symmetric
// positive definite with strong coupling, as tissue has.
func bed(rng *rand.Rand, m *local.Model, n int) {
	m.SetN(n)
	m.Rotation = mgl64.QuatRotate(0.2*rng.NormFloat64(), mgl64.Vec3{0, 0, 1})
	m.Origin = mgl64.Vec3{1e-4 * rng.NormFloat64(), 1e-4 * rng.NormFloat64(), 0}
	for i := range n {
		up := mgl64.Vec3{0.1 * rng.NormFloat64(), 1, 0.1 * rng.NormFloat64()}.Normalize()
		t1 := up.Cross(mgl64.Vec3{0, 0, 1}).Normalize()
		m.Frame[i] = [3]mgl64.Vec3{up, t1, up.Cross(t1)}
		m.Arm[i] = mgl64.Vec3{0.01 * rng.NormFloat64(), 0, 0.01 * rng.NormFloat64()}
		m.Mu[i] = rng.Float64()
		for k := range 3 {
			m.Free[3*i+k] = 1e-3 * rng.NormFloat64()
			m.R[3*i+k] = 0
		}
		m.R[3*i] = rng.Float64()
	}
	w := 3 * n
	for i := range n {
		for j := range n {
			d := m.Arm[i].Sub(m.Arm[j]).Len()
			g := 1e-3 / (1 + 300*d)
			for k := range 3 {
				for l := range 3 {
					m.W[(3*i+k)*w+3*j+l] = g * m.Frame[i][k].Dot(m.Frame[j][l])
				}
			}
			if i == j {
				for k := range 3 {
					m.W[(3*i+k)*w+3*i+k] += 2e-4
				}
			}
		}
	}
	m.FillRigid()
}

// field puts the stylus into a force field every third time: a positive semidefinite
// stiffness and a force of some newtons.
func field(rng *rand.Rand, m *local.Model) {
	m.Field = local.Field{On: rng.IntN(3) == 0}
	for i := range m.Field.Force {
		m.Field.Force[i] = rng.NormFloat64()
	}
	for range 4 {
		var v [6]float64
		for i := range v {
			v[i] = rng.NormFloat64() * [2]float64{20, 0.2}[i/3]
		}
		for i := range v {
			for j := range v {
				m.Field.K[6*i+j] += v[i] * v[j]
			}
		}
	}
}

// The two kernels agree tick by tick over plausible contact: presses and drags
// with changing models, parameters and couplings.
func TestTwinsAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	c, g := NewKernel(rate, 40), newTwin(rate, 40)
	defer c.Close()
	var m local.Model
	local.Make(&m, 40)
	p := haptics.DefaultParams(haptics.DefaultLimits(), rate)
	p.Budget = 0
	forced := 0
	for i := range 6000 {
		fresh := i%7 == 0
		if fresh {
			bed(rng, &m, rng.IntN(37))
			field(rng, &m)
			m.Period = time.Duration(rng.IntN(9)) * time.Millisecond
			m.Sequence++
		}
		if i%500 == 0 {
			p.Coupling = haptics.Coupling(rng.IntN(2))
			p.AngleStiffness, p.AngleDamping = 2*rng.Float64(), 0.02*rng.Float64()
			p.MaxTorque = 0.1
			p.Reducer = rng.Float64()
			p.Ramp = 50 * time.Millisecond
		}
		in := haptics.Input{Time: int64(i) * 1e6}
		s := float64(i) * 0.003
		in.Pose = frame.Pose{
			Position: mgl64.Vec3{2e-3 * math.Sin(3*s), 2e-3 * math.Cos(2*s), 1e-3 * math.Sin(s)},
			Rotation: mgl64.QuatRotate(0.1*math.Sin(s), mgl64.Vec3{1, 2, 3}.Normalize()),
		}
		var rc, rg haptics.Record
		c.Tick(&in, &m, fresh, &p, &rc)
		g.Tick(&in, &m, fresh, &p, &rg)
		sameRecord(t, i, &rc, &rg)
		tc, tg := c.Tool(in.Pose), g.Tool(in.Pose)
		if tc.Position.Sub(tg.Position).Len() > 1e-14 || math.Abs(tc.Rotation.Dot(tg.Rotation)-1) > 1e-12 {
			t.Fatalf("tick %d: stylus %v in C, %v in Go", i, tc, tg)
		}
		if rc.Force != [3]float64{} {
			forced++
		}
	}
	if forced < 3000 {
		t.Errorf("only %d ticks had a force: the test does not bite", forced)
	}
}

// ticker is a kernel, in C or in Go.
type ticker interface {
	Tick(in *haptics.Input, m *local.Model, fresh bool, p *haptics.Params, rec *haptics.Record)
}

// However long the loop has run without physics, a first model in contact gives no
// force; with the main button held its force comes in as slowly as the ramp says.
func TestFirstModelInContactRamps(t *testing.T) {
	var wall local.Model
	local.Make(&wall, 1)
	for _, button := range []uint32{0, 1} {
		c := NewKernel(rate, 8)
		defer c.Close()
		for name, k := range map[string]ticker{"C": c, "Go": newTwin(rate, 8)} {
			p := haptics.DefaultParams(haptics.DefaultLimits(), rate)
			p.Budget, p.Ramp = 0, 300*time.Millisecond
			in := haptics.Input{State: haptics.State{Pose: frame.At(mgl64.Vec3{0, -0.01, 0}), Buttons: button}}
			var rec haptics.Record
			tick := func(fresh bool) {
				in.Time += 1e6
				k.Tick(&in, &wall, fresh, &p, &rec)
			}
			wall.SetN(0)
			for range 3000 {
				tick(false)
				if rec.Flags&haptics.Waiting == 0 {
					t.Fatalf("%s, button %d: does not wait for a model", name, button)
				}
			}
			wall.SetN(1)
			wall.Frame[0] = [3]mgl64.Vec3{{0, 1, 0}, {1, 0, 0}, {0, 0, 1}}
			wall.Arm[0], wall.Mu[0] = mgl64.Vec3{}, 0.3
			copy(wall.W, []float64{1e-3, 0, 0, 0, 1e-3, 0, 0, 0, 1e-3})
			clear(wall.Free)
			clear(wall.R)
			wall.FillRigid()
			for i := range 400 {
				tick(true)
				ramp := math.Min(1, float64(i+1)/300)
				if f := rec.Force[1]; rec.Raw[1] < 1 || f > ramp*ramp*rec.Raw[1]+1e-12 || button == 0 && f != 0 {
					t.Fatalf("%s, button %d: %g N of %g N %d ms after the first model", name, button, f, rec.Raw[1], i+1)
				}
			}
			if button == 1 && !(rec.Force[1] > 1) {
				t.Errorf("%s: %g N at the end of the ramp", name, rec.Force[1])
			}
		}
	}
}

// The twins also agree on hostile input.
func TestTwinsAgreeOnHostileInput(t *testing.T) {
	n := 300_000
	if testing.Short() {
		n = 30_000
	}
	c, g := NewKernel(rate, 8), newTwin(rate, 8)
	defer c.Close()
	hostileTicks(n, rand.New(rand.NewPCG(2, 2)), rate, func(i int, in *haptics.Input, m *local.Model, fresh bool, p *haptics.Params) {
		var rc, rg haptics.Record
		c.Tick(in, m, fresh, p, &rc)
		g.Tick(in, m, fresh, p, &rg)
		sameRecord(t, i, &rc, &rg)
	})
}

// Whatever comes in, the C kernel's force is finite, within limits and slew:
// 10^6 random and hostile models and poses, 10^7 with -long.
func TestForceBound(t *testing.T) {
	n := 1_000_000
	if *long {
		n = 10_000_000
	} else if testing.Short() {
		n = 100_000
	}
	k := NewKernel(rate, 8)
	defer k.Close()
	Bound(t, n, rate, k.Tick)
}

var sink haptics.Record

// One tick of the C kernel at 36 contacts, a new model every other tick as at
// 500 Hz physics, pose moving.
func BenchmarkTick(b *testing.B) {
	for _, n := range []int{16, 36, 66, 128} {
		b.Run("contacts="+itoa(n), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(5, 5))
			k := NewKernel(rate, 128)
			defer k.Close()
			var m local.Model
			local.Make(&m, 128)
			bed(rng, &m, n)
			for i := range m.Free {
				if i%3 == 0 {
					m.Free[i] = -1e-3 - 1e-4*rng.Float64()
				}
			}
			m.Period = 2 * time.Millisecond
			p := haptics.DefaultParams(haptics.DefaultLimits(), rate)
			p.Budget = 0 // wall clock: other programs' time would count
			in := haptics.Input{State: haptics.State{Pose: frame.Identity()}}
			m.Rotation, m.Origin = mgl64.QuatIdent(), mgl64.Vec3{}
			k.Tick(&in, &m, true, &p, &sink)
			work := make([]time.Duration, 0, b.N)
			sweeps := 0
			i := 0
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			for b.Loop() {
				in.Pose.Position = mgl64.Vec3{1e-4 * math.Sin(float64(i)*0.01), 1e-4 * math.Sin(float64(i)*0.017), 0}
				t0 := cputime.Thread()
				k.Tick(&in, &m, false, &p, &sink)
				work = append(work, cputime.Thread()-t0)
				sweeps += int(sink.Sweeps)
				i++
			}
			b.ReportMetric(float64(quantile(work, 0.5).Nanoseconds())/1e3, "p50-us")
			b.ReportMetric(float64(quantile(work, 0.99).Nanoseconds())/1e3, "p99-us")
			b.ReportMetric(float64(sweeps)/float64(i), "sweeps")
		})
	}
}
