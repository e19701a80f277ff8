package local

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
)

// randomModel is a model with n contacts and a well-conditioned W.
func randomModel(rng *rand.Rand, n int) *Model {
	var m Model
	Make(&m, n)
	m.SetN(n)
	m.Origin = mgl64.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
	m.Rotation = mgl64.QuatRotate(rng.Float64(), mgl64.Vec3{1, 2, 3}.Normalize())
	for i := range n {
		nrm := mgl64.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}.Normalize()
		t1 := nrm.Cross(mgl64.Vec3{0.3, -1, 0.2}).Normalize()
		m.Frame[i] = [3]mgl64.Vec3{nrm, t1, nrm.Cross(t1)}
		m.Arm[i] = mgl64.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}.Mul(0.01)
		m.Mu[i] = rng.Float64()
	}
	for i := range m.Free {
		m.Free[i], m.R[i] = rng.NormFloat64(), rng.NormFloat64()
	}
	for i := range m.W {
		m.W[i] = rng.NormFloat64()
	}
	m.FillRigid()
	return &m
}

// A rigid motion's shift agrees with moving the contact points themselves.
func TestShiftFollowsRigidMotion(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	m := randomModel(rng, 7)
	const small = 1e-6
	move := mgl64.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}.Mul(small)
	axis := mgl64.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}.Normalize()
	rot := mgl64.QuatRotate(small, axis)
	d := m.Displacement(m.Origin.Add(move), rot.Mul(m.Rotation))
	q := make([]float64, 3*m.N)
	m.Shift(q, &d)
	for i := range m.N {
		p := rot.Rotate(m.Arm[i]).Add(move).Sub(m.Arm[i])
		for k := range 3 {
			want := m.Free[3*i+k] + p.Dot(m.Frame[i][k])
			if math.Abs(q[3*i+k]-want) > 1e-13 {
				t.Errorf("contact %d axis %d: x_free %g, want %g", i, k, q[3*i+k], want)
			}
		}
	}
}

// The resultant is that of the contacts' forces at their points.
func TestResultantIsTransposeOfShift(t *testing.T) {
	m := randomModel(rand.New(rand.NewPCG(3, 4)), 5)
	f, tq := m.Resultant(m.R)
	var force, torque mgl64.Vec3
	for i := range m.N {
		e := &m.Frame[i]
		at := e[0].Mul(m.R[3*i]).Add(e[1].Mul(m.R[3*i+1])).Add(e[2].Mul(m.R[3*i+2]))
		force, torque = force.Add(at), torque.Add(m.Arm[i].Cross(at))
	}
	if f.Sub(force).Len() > 1e-12 || tq.Sub(torque).Len() > 1e-12 {
		t.Errorf("J^T r %v and %v, forces at their points %v and %v", f, tq, force, torque)
	}
}

// The rotation part has the right sign for either sign of the quaternion.
func TestDisplacementSign(t *testing.T) {
	var m Model
	Make(&m, 1)
	q := mgl64.QuatRotate(0.1, mgl64.Vec3{0, 0, 1})
	for _, s := range []float64{1, -1} {
		d := m.Displacement(mgl64.Vec3{}, q.Scale(s))
		if math.Abs(d[5]-0.1) > 1e-4 {
			t.Errorf("sign %g: rotation %g, want 0.1", s, d[5])
		}
	}
}

// A copy into less room has the same force on the stylus and the same gaps: contacts that carry most stay, what else
// carries is felt as the last, and what carries nothing goes, the farthest first.
func TestCopyToSmaller(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var d Model
	Make(&d, 3)
	for _, loaded := range []int{2, 3, 4, 6} {
		m := randomModel(rng, 6)
		clear(m.R[3*loaded:])
		m.CopyTo(&d)
		lumped := max(0, loaded-2)
		if loaded == 3 {
			lumped = 0
		}
		if d.N != 3 || d.Extra != 3+min(lumped, 1) || d.Lumped != lumped {
			t.Fatalf("%d loaded: N %d, extra %d, lumped %d", loaded, d.N, d.Extra, d.Lumped)
		}
		f, torque := m.Resultant(m.R)
		g, other := d.Resultant(d.R)
		if f.Sub(g).Len() > 1e-12 || torque.Sub(other).Len() > 1e-12 {
			t.Errorf("%d loaded: force %v, torque %v, were %v, %v", loaded, g, other, f, torque)
		}
		for a, i := range d.kept {
			if x, was := d.gap(a), m.gap(int(i)); math.Abs(x-was) > 1e-12 {
				t.Errorf("%d loaded: gap %g of contact %d, was %g", loaded, x, i, was)
			}
		}
		if x := d.gap(2); lumped > 0 && math.Abs(x) > 1e-12 {
			t.Errorf("%d loaded: lumped contacts have a gap of %g", loaded, x)
		}
		// A motion shifts what is lumped by the mean of what it shifts its contacts, along their forces.
		move := [6]float64{1e-3, -2e-3, 5e-4, 0.01, 0.02, -0.01}
		all, few := make([]float64, 18), make([]float64, 9)
		m.Shift(all, &move)
		d.Shift(few, &move)
		work, same := 0.0, 0.0
		for i := range all {
			work += m.R[i] * (all[i] - m.Free[i])
		}
		for i := range few {
			same += d.R[i] * (few[i] - d.Free[i])
		}
		if math.Abs(work-same) > 1e-12 {
			t.Errorf("%d loaded: work %g, was %g", loaded, same, work)
		}
	}
	m := randomModel(rng, 4)
	if !m.Finite() {
		t.Error("a finite model called not finite")
	}
	m.W[3] = math.Inf(1)
	if m.Finite() {
		t.Error("an infinite W called finite")
	}
	if a := testing.AllocsPerRun(10, func() { m.CopyTo(&d); m.SetN(4); m.FillRigid() }); a != 0 {
		t.Errorf("%g allocations", a)
	}
}

// Forces and how they grow are so many times as large; where contacts are, and what W r says of them, stays.
func TestStrengthenedModelMovesAsBefore(t *testing.T) {
	m := randomModel(rand.New(rand.NewPCG(7, 8)), 4)
	m.Field.On = true
	m.Field.Force[1], m.Field.K[7] = 0.5, 30
	moved := func() (x []float64) {
		for i := range 3 * m.N {
			sum := m.Free[i]
			for j, r := range m.R {
				sum += m.W[3*m.N*i+j] * r
			}
			x = append(x, sum)
		}
		return x
	}
	before := moved()
	f, tq := m.Resultant(m.R)
	m.Strengthen(25)
	g, tg := m.Resultant(m.R)
	if g.Sub(f.Mul(25)).Len() > 1e-9 || tg.Sub(tq.Mul(25)).Len() > 1e-9 || m.Field.K[7] != 750 {
		t.Errorf("25 times %v is %v, the field's stiffness %g", f, g, m.Field.K[7])
	}
	for i, x := range moved() {
		if math.Abs(x-before[i]) > 1e-12 {
			t.Errorf("the contact's displacement %d was %g, is %g", i, before[i], x)
		}
	}
}
