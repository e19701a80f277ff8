package servo

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/haptics"
	"hapco/physics/frame"
	"hapco/physics/local"
)

// Hostile fills a model with anything: NaN, infinities, huge and tiny numbers,
// singular W, zero normals, negative friction.
func Hostile(rng *rand.Rand, m *local.Model) {
	m.SetN(rng.IntN(6))
	wild := func(scale float64) float64 {
		switch rng.IntN(40) {
		case 0:
			return math.NaN()
		case 1:
			return math.Inf(1 - 2*rng.IntN(2))
		case 2:
			return 1e300 * rng.NormFloat64()
		case 3:
			return 0
		case 4:
			return 1e-300
		}
		return scale * rng.NormFloat64()
	}
	calm := rng.IntN(2) == 0
	value := func(scale float64) float64 {
		if calm {
			return scale * rng.NormFloat64()
		}
		return wild(scale)
	}
	for i := range m.N {
		for k := range 3 {
			m.Frame[i][k] = mgl64.Vec3{value(1), value(1), value(1)}
		}
		m.Arm[i] = mgl64.Vec3{value(0.02), value(0.02), value(0.02)}
		m.Mu[i] = math.Abs(value(0.5))
		if rng.IntN(20) == 0 {
			m.Mu[i] = -m.Mu[i]
		}
	}
	m.FillRigid()
	for i := range m.Free {
		m.Free[i], m.R[i] = value(0.002), value(5)
	}
	n := 3 * m.N
	rank := rng.IntN(n + 1)
	clear(m.W)
	for range rank {
		for i := range n {
			a := rng.NormFloat64() * 0.02
			for j := range n {
				m.W[i*n+j] += a * rng.NormFloat64() * 0.02
			}
		}
	}
	for i := range n {
		m.W[i*n+i] += math.Abs(value(1e-3))
	}
	m.Field.On = rng.IntN(3) == 0
	for i := range m.Field.Force {
		m.Field.Force[i] = value(5)
	}
	stiffness := math.Exp(12*rng.Float64() - 4)
	for i := range m.Field.K {
		m.Field.K[i] = value(stiffness)
	}
	m.Period = time.Duration(rng.IntN(60)-5) * time.Millisecond
	if calm || rng.IntN(4) > 0 {
		m.Origin = mgl64.Vec3{value(0.01), value(0.01), value(0.01)}
		m.Rotation = mgl64.QuatIdent()
	} else {
		m.Origin = mgl64.Vec3{wild(0.1), wild(0.1), wild(0.1)}
		m.Rotation = mgl64.Quat{W: wild(1), V: mgl64.Vec3{wild(1), wild(1), wild(1)}}
	}
}

// HostileState is a reading that is sometimes anything.
func HostileState(rng *rand.Rand, s *haptics.State) {
	for i := range 3 {
		s.Pose.Position[i] += 1e-4 * rng.NormFloat64()
		if rng.IntN(2000) == 0 {
			s.Pose.Position[i] = []float64{math.NaN(), math.Inf(1), 1e300, 0, 1}[rng.IntN(5)]
		}
		if !(math.Abs(s.Pose.Position[i]) < 0.05) && rng.IntN(3) == 0 {
			s.Pose.Position[i] = 0
		}
		s.Velocity[i] = 0
		if rng.IntN(5000) == 0 {
			s.Velocity[i] = math.NaN()
		}
	}
	s.Pose.Rotation = mgl64.QuatIdent()
	if rng.IntN(5000) == 0 {
		s.Pose.Rotation.W = math.NaN()
	}
	s.Clutched = rng.IntN(3000) < 3
	s.Lost = rng.IntN(3000) == 0
	s.Buttons = rng.Uint32() & 1
}

// CheckBound is the promise of the safety chain for one tick, rec, after one
// that sent last: finite, within the limits, and within slew unless released.
func CheckBound(rec *haptics.Record, last [3]float64, p *haptics.Params, rate float64) error {
	f, l := mgl64.Vec3(rec.Force), mgl64.Vec3(last)
	if !(f.Len() <= p.MaxForce*(1+1e-12)) {
		return fmt.Errorf("tick %d: force %v", rec.Tick, rec.Force)
	}
	if tq := mgl64.Vec3(rec.Torque).Len(); !(tq <= p.MaxTorque*(1+1e-12)) {
		return fmt.Errorf("tick %d: torque %v", rec.Tick, rec.Torque)
	}
	step := p.Slew / rate
	if f.Len() <= l.Len() {
		step *= 3
	}
	if f != (mgl64.Vec3{}) && !(f.Sub(l).Len() <= step*(1+1e-9)) {
		return fmt.Errorf("tick %d: force went from %v to %v", rec.Tick, last, rec.Force)
	}
	for _, x := range rec.Tool {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("tick %d: stylus at %v", rec.Tick, rec.Tool)
		}
	}
	return nil
}

// HostileParams are parameters under which hostile input meets every limit.
func HostileParams(rate float64) haptics.Params {
	p := haptics.DefaultParams(haptics.DefaultLimits(), rate)
	p.MaxForce, p.Slew, p.Sweeps, p.Budget = 3, 400, 5, 0
	p.SlowSpeed, p.FastSpeed = 50, 100
	p.Ramp = 20 * time.Millisecond
	p.MaxTorque, p.AngleStiffness, p.AngleDamping = 0.1, 1, 0.01
	return p
}

// hostileTicks makes n hostile models, states and requests.
func hostileTicks(n int, rng *rand.Rand, rate float64, tick func(i int, in *haptics.Input, m *local.Model, fresh bool, p *haptics.Params)) {
	var m local.Model
	local.Make(&m, 8)
	p := HostileParams(rate)
	in := haptics.Input{State: haptics.State{Pose: frame.Identity()}}
	for i := range n {
		fresh := rng.IntN(3) == 0
		if fresh {
			Hostile(rng, &m)
		}
		if i%1000 == 0 {
			p.Coupling = haptics.Coupling(rng.IntN(2))
		}
		HostileState(rng, &in.State)
		in.Release = rng.IntN(5000) == 0
		tick(i, &in, &m, fresh, &p)
	}
}

// Bound puts n hostile models and states through a kernel's tick, and checks that the
// force keeps its promise at each.
func Bound(t *testing.T, n int, rate float64, tick func(in *haptics.Input, m *local.Model, fresh bool, p *haptics.Params, rec *haptics.Record)) {
	t.Helper()
	var rec haptics.Record
	var last [3]float64
	forces := 0
	hostileTicks(n, rand.New(rand.NewPCG(11, 12)), rate, func(_ int, in *haptics.Input, m *local.Model, fresh bool, p *haptics.Params) {
		tick(in, m, fresh, p, &rec)
		if err := CheckBound(&rec, last, p, rate); err != nil {
			t.Fatal(err)
		}
		if rec.Force != [3]float64{} {
			forces++
		}
		last = rec.Force
	})
	t.Logf("%d ticks, %d with a force", n, forces)
	if forces < n/20 {
		t.Errorf("only %d of %d ticks had a force: the test does not bite", forces, n)
	}
}
