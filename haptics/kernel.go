package haptics

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/contact"
	"hapco/physics/frame"
)

// Bounds on what the kernel believes. They are far beyond anything real and
// only keep arithmetic finite.
const (
	maxPosition    = 1e3   // of a device, m
	maxStretch     = 0.25  // of the coupling, m and rad
	maxContact     = 1e9   // force of one contact, N
	maxScale       = 1e3   // of the last forces, for a start
	gateTime       = 0.08  // s, in which clutch, dead-man and switch open and close
	maxBlend       = 0.05  // s, longest blend between two models
	maxPatience    = 3     // times the usual staleness, for slow physics
	fallFactor     = 3     // how much faster the force may fall than rise
	velocityCut    = 30.0  // Hz, of the velocity filter
	slideTolerance = 1e-10 // relative, of the sliding equation's root
	creep          = 0.02  // speed of a blend that nobody has paid for
	maxStored      = 10.0  // J, of elastic energy that is believed
	leak           = 5e-4  // W, at which energy that was put out is forgotten
	slowest        = 1e-4  // m/s, below which the passivity controller cannot act
)

// Input is what a tick starts from.
type Input struct {
	State
	Time    int64 // since the loop started, ns
	Release bool  // no force, at once
}

// Kernel is one tick of the servo in Go: the twin of the C kernel, with the
// same inputs and the same forces. It owns fixed memory and allocates nothing.
type Kernel struct {
	period   float64 // T, s
	cutoff   float64 // of the velocity filter, per tick
	now      func() int64
	deadline int64 // of the solve under way, 0: none

	// contact model
	n        int
	r, q     []float64 // 3 a contact
	a        []float64 // 9 a contact: W's diagonal blocks plus the coupling
	ct, cr   float64   // compliance of the coupling in one tick, m/N and rad/(N m)
	stale    bool      // a is for an older model
	stretch  [6]float64
	age      int64 // ticks since the newest model
	seen     bool  // a model has come
	dropped  bool  // the model grew too old: ramp again when it is back
	jump     [6]float64
	blend    float64    // ticks left of the blend
	blendAll float64    // of so many
	before   [6]float64 // wrench of the last tick
	rest     [6]float64 // stretch that the last tick started from
	solved   bool       // before, rest and pose belong to a tick that solved
	pose     frame.Pose // of the device in the last tick

	// motion
	moving   bool // position holds a reading
	position [3]float64
	velocity [3]float64

	// force
	force  [3]float64
	torque [3]float64
	gate   float64
	ramp   float64
	armed  bool
	heat   float64
	energy float64
	stored float64 // elastic energy in contact and coupling, as the hand feels it, J
	tick   uint64
}

// NewKernel makes a kernel for a rate in Hz and models of up to capacity contacts.
func NewKernel(rate float64, capacity int) *Kernel {
	if capacity <= 0 {
		capacity = contact.ModelCapacity
	}
	k := &Kernel{
		period: 1 / rate,
		r:      make([]float64, 3*capacity),
		q:      make([]float64, 3*capacity),
		a:      make([]float64, 9*capacity),
	}
	k.cutoff = VelocityFilter(rate)
	start := time.Now()
	k.now = func() int64 { return int64(time.Since(start)) }
	return k
}

// VelocityFilter is how much of a new velocity enters the filtered one at each
// tick, at a rate in Hz.
func VelocityFilter(rate float64) float64 {
	c := 2 * math.Pi * velocityCut / rate
	return c / (1 + c)
}

// Tool is where the stylus of record rec stands for device pose p.
func (k *Kernel) Tool(p frame.Pose) frame.Pose {
	s := &k.stretch
	p.Position = p.Position.Sub(mgl64.Vec3{s[0], s[1], s[2]})
	// inverse of a small rotation by s[3:]
	h := mgl64.Quat{W: 1, V: mgl64.Vec3{-0.5 * s[3], -0.5 * s[4], -0.5 * s[5]}}
	p.Rotation = h.Mul(p.Rotation).Normalize()
	return p
}

// Tick runs one tick: the force to send is rec.Force and rec.Torque. m is the
// newest model and fresh whether it came since the last tick.
func (k *Kernel) Tick(in *Input, m *contact.Model, fresh bool, p *Params, rec *Record) {
	k.tick++
	T := k.period
	*rec = Record{Tick: k.tick, Time: in.Time, Buttons: in.Buttons, Model: m.Sequence, Contacts: int32(m.N)}
	if !goodState(&in.State) || in.Lost || in.Release {
		switch {
		case in.Release:
			rec.Flags |= Released
		case in.Lost:
			rec.Flags |= DeviceLost
		default:
			rec.Flags |= BadInput
		}
		k.letGo()
		k.moving = false
		k.energy = 0
		k.follow(m, fresh, p)
		if goodState(&in.State) {
			k.note(in, rec)
		} else {
			rec.Rotation[3] = 1
			rec.Position, rec.Tool = k.position, k.position
		}
		return
	}

	// motion since the last tick
	var dx [3]float64
	if k.moving {
		for i := range 3 {
			dx[i] = in.Pose.Position[i] - k.position[i]
		}
	}
	k.moving = true
	k.position = in.Pose.Position
	for i := range 3 {
		k.velocity[i] += k.cutoff * (dx[i]/T - k.velocity[i])
	}

	k.follow(m, fresh, p)
	wrench := k.solve(in, m, fresh, p, rec)
	good := true
	for i := range 6 {
		good = good && finite(wrench[i])
	}
	if !good {
		rec.Flags |= BadForce
		k.letGo()
		k.note(in, rec)
		return
	}
	var raw, f, t [3]float64
	touching := false
	for i := range 3 {
		raw[i] = wrench[i]
		f[i] = p.Reducer * wrench[i]
		t[i] = p.Reducer * wrench[3+i]
		touching = touching || raw[i] != 0
	}
	rec.Raw = raw

	// passivity: energy that the hand has put in, with the force that was held
	k.energy -= k.force[0]*dx[0] + k.force[1]*dx[1] + k.force[2]*dx[2]
	if most := p.PassivityCredit + k.stored; !(k.energy <= most) {
		k.energy = most
	}
	if !(k.energy >= -1) {
		k.energy = -1
	}
	if k.energy < 0 { // debts lapse slowly, or encoder noise would add up for ever
		k.energy = math.Min(0, k.energy+leak*T)
	}
	if !touching && k.force == [3]float64{} {
		k.energy = 0
	}
	if p.Passivity && k.energy < 0 {
		v2 := (dx[0]*dx[0] + dx[1]*dx[1] + dx[2]*dx[2]) / (T * T)
		if v2 > slowest*slowest {
			rec.Alpha = -k.energy / (T * v2)
			if !(rec.Alpha <= p.PassivityMax) {
				rec.Alpha = p.PassivityMax
			}
			for i := range 3 {
				f[i] -= rec.Alpha * dx[i] / T
			}
			rec.Flags |= Damped
		}
	}

	gain := k.gain(in, touching, p, rec)
	for i := range 3 {
		f[i] *= gain
		t[i] *= gain
	}
	k.limit(&f, &t, p, rec)
	k.force, k.torque = f, t
	k.note(in, rec)
}

// follow counts the model's age and takes over a new one.
func (k *Kernel) follow(m *contact.Model, fresh bool, p *Params) {
	k.age++
	if !fresh {
		return
	}
	k.age = 0
	k.seen = true
	k.stale = true
	k.n = min(m.N, len(k.r)/3)
	for i := range 3 * k.n {
		k.r[i] = 0
		if x := m.R[i]; math.Abs(x) <= maxContact {
			k.r[i] = x
		}
	}
	k.blendAll = m.Period.Seconds()
	if !(k.blendAll <= maxBlend) {
		k.blendAll = maxBlend
	}
	k.blendAll /= k.period
	if !(k.blendAll >= 1.5) {
		k.blendAll = 0
	}
}

// solve finds the contact wrench on the stylus for this pose.
func (k *Kernel) solve(in *Input, m *contact.Model, fresh bool, p *Params, rec *Record) (wrench [6]float64) {
	// Coupling: backward Euler of K s + B ds/dt = F, s the stretch from stylus
	// to device. It adds the compliance 1/(K + B/T) to the contacts'.
	var ct, cr, keep, turn float64
	if p.Coupling == Virtual {
		if kt := p.Stiffness + p.Damping/k.period; kt > 1e-6 {
			ct = 1 / kt
			keep = p.Damping / k.period * ct
		}
		if p.AngleStiffness > 0 {
			cr = 1 / (p.AngleStiffness + p.AngleDamping/k.period)
			turn = p.AngleDamping / k.period * cr
		}
	}
	var rest [6]float64 // stretch at the end of this tick without contact
	for i := range 3 {
		rest[i] = keep * k.stretch[i]
		rest[3+i] = turn * k.stretch[3+i]
	}
	if k.stale || ct != k.ct || cr != k.cr {
		k.ct, k.cr = ct, cr
		k.stale = false
		k.blocks(m)
	}
	// A new model's wrench differs from the old one's: let the difference at
	// the last pose die over a physics period.
	// The budget is the tick's; a new model's extra solve may use half of it.
	var began int64
	if k.deadline = 0; p.Budget > 0 {
		began = k.now()
	}
	if fresh {
		k.blend = 0
		if k.blendAll > 0 && k.solved {
			if p.Budget > 0 {
				k.deadline = began + int64(p.Budget)/2
			}
			was := k.wrench(&k.pose, &k.rest, m, p, rec)
			for i := range 6 {
				k.jump[i] = k.before[i] - was[i]
			}
			k.blend = k.blendAll
		}
	}
	if p.Budget > 0 {
		k.deadline = began + int64(p.Budget)
	}
	wrench = k.wrench(&in.Pose, &rest, m, p, rec)
	for i := range 3 {
		k.stretch[i] = rest[i] - ct*wrench[i]
		k.stretch[3+i] = rest[3+i] - cr*wrench[3+i]
	}
	shorten(k.stretch[:3], maxStretch)
	if ct > 0 {
		s := &k.stretch
		k.stored += 0.5 * p.Stiffness * (s[0]*s[0] + s[1]*s[1] + s[2]*s[2])
	}
	k.stored *= p.Reducer
	shorten(k.stretch[3:], maxStretch)

	if k.blend > 0 {
		// A model that asks for more force than before gets it at once only
		// where the hand has paid for the energy stored in it; else slowly. One
		// that asks for less gets its way at once when energy is owed.
		w := math.Max(0, (k.blend-1)/k.blendAll)
		var with, without, along float64
		for i := range 3 {
			f := wrench[i] + w*k.jump[i]
			with += f * f
			without += wrench[i] * wrench[i]
			along += f * wrench[i]
		}
		against := along < 0 && without > 0 // never against the contact force itself
		owed := p.Passivity && k.energy < k.stored
		switch {
		case owed && against: // what is left of the force begins from here
			for i := range 6 {
				k.jump[i] = -wrench[i]
			}
			k.blend, w = k.blendAll, 1
		case owed && without > with:
			if k.energy >= 0 {
				k.blend -= creep
			}
			w = math.Max(0, k.blend/k.blendAll)
		case owed:
			k.blend, w = 0, 0
		default:
			k.blend--
		}
		for i := range 6 {
			if against {
				wrench[i] = 0
			} else {
				wrench[i] += w * k.jump[i]
			}
		}
		rec.Flags |= Blended
	}
	k.before, k.rest, k.pose, k.solved = wrench, rest, in.Pose, true
	return wrench
}

// wrench solves the contacts for the stylus at pose, rest behind it.
func (k *Kernel) wrench(pose *frame.Pose, rest *[6]float64, m *contact.Model, p *Params, rec *Record) (wrench [6]float64) {
	k.stored = 0
	if k.n == 0 {
		return wrench
	}
	d := m.Displacement(pose.Position, pose.Rotation)
	for i := range 6 {
		d[i] -= rest[i]
	}
	for i := range 3 * k.n {
		j := m.J[6*i : 6*i+6]
		k.q[i] = m.Free[i] + j[0]*d[0] + j[1]*d[1] + j[2]*d[2] + j[3]*d[3] + j[4]*d[4] + j[5]*d[5]
	}
	k.sweep(m, p, rec)
	for i := range 3 * k.n {
		j := m.J[6*i : 6*i+6]
		for c := range 6 {
			wrench[c] += j[c] * k.r[i]
		}
	}
	return wrench
}

// blocks are the 3x3 blocks on the diagonal of W plus the coupling's compliance.
func (k *Kernel) blocks(m *contact.Model) {
	w := 3 * m.N
	for c := range k.n {
		for i := range 3 {
			ji := m.J[18*c+6*i : 18*c+6*i+6]
			for l := range 3 {
				jl := m.J[18*c+6*l : 18*c+6*l+6]
				k.a[9*c+3*i+l] = m.W[(3*c+i)*w+3*c+l] +
					k.ct*(ji[0]*jl[0]+ji[1]*jl[1]+ji[2]*jl[2]) +
					k.cr*(ji[3]*jl[3]+ji[4]*jl[4]+ji[5]*jl[5])
			}
		}
	}
}

// sweep improves k.r by Gauss-Seidel sweeps with exact local solves, warm from
// the last tick, until they change nothing or time is up.
func (k *Kernel) sweep(m *contact.Model, p *Params, rec *Record) {
	w := 3 * m.N
	n3 := 3 * k.n
	deadline := k.deadline
	// Start from the best multiple of the last forces: a stylus that went deeper
	// needs more of the same, and the cone allows any multiple.
	var give [6]float64 // C J^T r: motion of the stylus by the coupling's give
	for i := range n3 {
		j := m.J[6*i : 6*i+6]
		for c := range 6 {
			give[c] += j[c] * k.r[i]
		}
	}
	var up, down float64
	for i := range n3 {
		up -= k.r[i] * k.q[i]
		down += k.r[i] * dot(m.W[i*w:i*w+n3], k.r[:n3])
	}
	elastic := down
	for c := range 3 {
		down += k.ct*give[c]*give[c] + k.cr*give[3+c]*give[3+c]
	}
	scale := up / down
	if !(down > 0) || !(scale <= maxScale) {
		scale = 1
	}
	if !(scale >= 0) {
		scale = 0
	}
	for i := range n3 {
		k.r[i] *= scale
	}
	if e := 0.5 * scale * scale * elastic; e > 0 && e <= maxStored {
		k.stored = e
	}
	for c := range 3 {
		give[c] *= k.ct * scale
		give[3+c] *= k.cr * scale
	}
	step, last := 1.0, math.Inf(1)
	for s := 1; s <= p.Sweeps; s++ {
		var change, size float64
		for c := range k.n {
			r := k.r[3*c : 3*c+3]
			a := k.a[9*c : 9*c+9]
			var b [3]float64
			for i := range 3 {
				j := m.J[18*c+6*i : 18*c+6*i+6]
				b[i] = k.q[3*c+i] + dot(m.W[(3*c+i)*w:(3*c+i)*w+n3], k.r[:n3]) +
					(j[0]*give[0] + j[1]*give[1] + j[2]*give[2] + j[3]*give[3] + j[4]*give[4] + j[5]*give[5]) -
					(a[3*i]*r[0] + a[3*i+1]*r[1] + a[3*i+2]*r[2])
			}
			x, ok := localSolve(a, &b, m.Mu[c])
			if !ok {
				rec.Flags |= BadModel
			}
			var d [3]float64
			for i := range 3 {
				d[i] = step * (x[i] - r[i])
				r[i] += d[i]
				change += d[i] * d[i]
				size += r[i] * r[i]
			}
			for i := range 3 {
				j := m.J[18*c+6*i : 18*c+6*i+6]
				give[0] += k.ct * j[0] * d[i]
				give[1] += k.ct * j[1] * d[i]
				give[2] += k.ct * j[2] * d[i]
				give[3] += k.cr * j[3] * d[i]
				give[4] += k.cr * j[4] * d[i]
				give[5] += k.cr * j[5] * d[i]
			}
			if deadline > 0 && c&7 == 7 && k.now() > deadline {
				rec.Flags |= OverBudget
				rec.Sweeps = int32(s)
				return
			}
		}
		rec.Sweeps = int32(s)
		rec.Residual = 0
		if size > 0 {
			rec.Residual = math.Sqrt(change / size)
		}
		if !(rec.Residual > p.Tolerance) {
			return
		}
		if change > last { // exact sweeps can cycle; half steps do not
			step = 0.5
		}
		last = change
		if deadline > 0 && k.now() > deadline {
			rec.Flags |= OverBudget
			return
		}
	}
}

// dot is the inner product in four interleaved sums, as the C kernel forms it.
func dot(a, b []float64) float64 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	s := (s0 + s2) + (s1 + s3)
	for ; i < len(a); i++ {
		s += a[i] * b[i]
	}
	return s
}

// localSolve is the force of one contact that obeys Signorini and Coulomb for
// x = A r + b: open, sticking, or the root of the sliding equation between two
// brackets. ok is false where A or b make no sense; the force is then one
// inside the cone all the same.
func localSolve(a []float64, b *[3]float64, mu float64) (r [3]float64, ok bool) {
	if !(a[0] > 0) || !(b[0] < 0) {
		return r, b[0] >= 0
	}
	rn := -b[0] / a[0]
	if !(rn <= maxContact) {
		return r, false
	}
	if !(mu > 0) || !(mu <= 1e3) {
		r[0] = rn
		return r, mu == 0
	}
	// condensed on the normal row
	h1, h2 := a[1]/a[0], a[2]/a[0]
	s11 := a[4] - a[3]*h1
	s12 := 0.5 * (a[5] + a[7] - a[3]*h2 - a[6]*h1)
	s22 := a[8] - a[6]*h2
	c1 := b[1] + a[3]*rn
	c2 := b[2] + a[6]*rn
	c := math.Sqrt(c1*c1 + c2*c2)
	if !(c > 0) {
		r[0] = rn
		return r, c == 0
	}
	tr := s11 + s22
	det := s11*s22 - s12*s12
	solid := det > 1e-14*tr*tr && s11 > 0
	if solid {
		t1 := -(s22*c1 - s12*c2) / det
		t2 := -(s11*c2 - s12*c1) / det
		n := rn - h1*t1 - h2*t2
		if n >= 0 && n <= maxContact && t1*t1+t2*t2 <= mu*mu*n*n {
			return [3]float64{n, t1, t2}, true
		}
	}
	// slide: S + s I with |t| = mu n; g = mu n / |t| - 1 grows with s
	lo := 0.0
	if !solid {
		e := 0.5 * (tr - math.Sqrt((s11-s22)*(s11-s22)+4*s12*s12))
		if e < 0 {
			lo = -e
		}
		lo += 1e-14 * (math.Abs(s11) + math.Abs(s22))
	}
	glo, ghi := -1.0, 0.0
	hi := lo + c/(mu*rn)
	if guess := c/(mu*rn) - 0.5*tr; guess > lo && guess < hi { // exact for a round S and no coupling
		hi = guess
	}
	var n, t1, t2, t float64
	found := false
	for i := range 60 {
		n, t1, t2, t = slide(s11, s12, s22, c1, c2, h1, h2, rn, hi)
		ghi = mu*n/t - 1
		if ghi >= 0 {
			found = true
			break
		}
		lo, glo = hi, ghi
		if i == 0 {
			hi *= 1.25
		} else {
			hi *= 4
		}
	}
	if !found {
		r[0] = rn
		return r, false
	}
	side := 0
	for range 60 {
		if ghi <= slideTolerance {
			break
		}
		s := lo + (hi-lo)*glo/(glo-ghi)
		if !(s > lo && s < hi) {
			s = 0.5 * (lo + hi)
			if !(s > lo && s < hi) {
				break
			}
		}
		n, t1, t2, t = slide(s11, s12, s22, c1, c2, h1, h2, rn, s)
		g := mu*n/t - 1
		if math.Abs(g) <= slideTolerance {
			break
		}
		if g > 0 {
			hi, ghi = s, g
			if side == 1 {
				glo *= 0.5
			}
			side = 1
		} else {
			lo, glo = s, g
			if side == -1 {
				ghi *= 0.5
			}
			side = -1
		}
	}
	if !(n >= 0 && n <= maxContact) || !(t > 0 && t <= math.MaxFloat64) {
		r[0] = rn
		return r, false
	}
	f := mu * n / t
	return [3]float64{n, f * t1, f * t2}, true
}

// slide is the force for one value of s: tangential (t1, t2) of length t, and normal n.
func slide(s11, s12, s22, c1, c2, h1, h2, rn, s float64) (n, t1, t2, t float64) {
	u, v := s11+s, s22+s
	det := u*v - s12*s12
	t1 = -(v*c1 - s12*c2) / det
	t2 = -(u*c2 - s12*c1) / det
	n = rn - h1*t1 - h2*t2
	t = math.Sqrt(t1*t1 + t2*t2)
	return n, t1, t2, t
}

// gain is the product of all fades: start-up ramp, gate, staleness, speed.
func (k *Kernel) gain(in *Input, touching bool, p *Params, rec *Record) float64 {
	T := k.period
	open := true
	if !p.Enabled {
		rec.Flags |= Disabled
		open = false
	}
	if in.Clutched {
		rec.Flags |= Clutched
		open = false
	}
	if p.DeadMan != 0 && in.Buttons&p.DeadMan == 0 {
		rec.Flags |= DeadMan
		open = false
	}
	if open {
		k.gate = math.Min(1, k.gate+T/gateTime)
	} else {
		k.gate = math.Max(0, k.gate-T/gateTime)
	}

	stale := 1.0
	if k.seen {
		rec.Age = float64(k.age) * T
		patience := p.Stale.Seconds()
		slow := 1.5 * k.blendAll * T
		if slow > patience {
			patience = math.Min(slow, maxPatience*patience)
		}
		if over := rec.Age - patience; over > 0 {
			rec.Flags |= Stale
			stale = math.Max(0, 1-over/p.Fade.Seconds())
			if stale == 0 {
				k.dropped = true
				k.ramp = 0
			}
		} else {
			k.dropped = false
		}
	}

	if !touching || in.Buttons&1 != 0 {
		k.armed = true
	}
	if !k.armed {
		rec.Flags |= Waiting
	} else if !k.dropped && !(p.Passivity && touching && k.energy < 0) {
		// in contact the force comes back no faster than the hand pays for it
		k.ramp = math.Min(1, k.ramp+T/p.Ramp.Seconds())
	}
	if k.ramp < 1 {
		rec.Flags |= Ramping
	}

	v := math.Sqrt(k.velocity[0]*k.velocity[0] + k.velocity[1]*k.velocity[1] + k.velocity[2]*k.velocity[2])
	u := math.Sqrt(in.Velocity[0]*in.Velocity[0] + in.Velocity[1]*in.Velocity[1] + in.Velocity[2]*in.Velocity[2])
	if u > v {
		v = u
	}
	speed := 1.0
	if !(v <= p.SlowSpeed) {
		rec.Flags |= Speed
		speed = 0
		if v < p.FastSpeed {
			speed = (p.FastSpeed - v) / (p.FastSpeed - p.SlowSpeed)
		}
	}
	rec.Gain = k.ramp * k.ramp * k.gate * stale * speed
	return rec.Gain
}

// limit cuts force and torque to what may be sent: magnitude, long-term, slew.
func (k *Kernel) limit(f, t *[3]float64, p *Params, rec *Record) {
	T := k.period
	most := p.MaxForce
	if !(most >= 0) {
		most = 0
	}
	if length(f) > most {
		rec.Flags |= Saturated
	}
	if p.Continuous > 0 {
		if k.heat > 0.8 && most > p.Continuous {
			cut := most - (most-p.Continuous)*math.Min(1, (k.heat-0.8)/0.2)
			if length(f) > cut {
				rec.Flags |= Thermal
			}
			most = cut
		}
	}
	shorten(f[:], most)
	shorten(t[:], p.MaxTorque)

	if slew(f, &k.force, p.Slew*T) {
		rec.Flags |= Slewed
	}
	if p.MaxForce > 0 {
		slew(t, &k.torque, p.Slew*T*p.MaxTorque/p.MaxForce)
	}
	// the last word: limits may have come down since the last tick
	shorten(f[:], most)
	shorten(t[:], p.MaxTorque)
	if p.Continuous > 0 {
		l := length(f) / p.Continuous
		k.heat += T / p.Thermal.Seconds() * (l*l - k.heat)
		if !(k.heat >= 0 && k.heat <= 1e6) {
			k.heat = 0
		}
	}
}

// slew keeps f within step of the last force, three times that when it falls.
func slew(f, last *[3]float64, step float64) bool {
	d := [3]float64{f[0] - last[0], f[1] - last[1], f[2] - last[2]}
	if length(f) <= length(last) {
		step *= fallFactor
	}
	l := length(&d)
	if l <= step {
		return false
	}
	s := step / l
	for i := range 3 {
		f[i] = last[i] + s*d[i]
	}
	return true
}

// letGo drops the force at once and starts over.
func (k *Kernel) letGo() {
	k.force, k.torque = [3]float64{}, [3]float64{}
	k.gate, k.ramp, k.armed = 0, 0, false
	k.stretch = [6]float64{}
	k.before, k.jump, k.blend, k.solved = [6]float64{}, [6]float64{}, 0, false
	k.velocity = [3]float64{}
	for i := range k.r {
		k.r[i] = 0
	}
}

// note writes the rest of the record.
func (k *Kernel) note(in *Input, rec *Record) {
	rec.Position = in.Pose.Position
	q := in.Pose.Rotation
	rec.Rotation = [4]float64{q.V[0], q.V[1], q.V[2], q.W}
	for i := range 3 {
		rec.Tool[i] = rec.Position[i] - k.stretch[i]
	}
	rec.Velocity = k.velocity
	rec.Force, rec.Torque = k.force, k.torque
	rec.Energy, rec.Heat = k.energy, k.heat
}

// goodState is false for a reading that is no pose.
func goodState(s *State) bool {
	for i := range 3 {
		if !(math.Abs(s.Pose.Position[i]) <= maxPosition) || !(math.Abs(s.Velocity[i]) <= 1e6) {
			return false
		}
	}
	q := s.Pose.Rotation
	n := q.V[0]*q.V[0] + q.V[1]*q.V[1] + q.V[2]*q.V[2] + q.W*q.W
	return n > 0.9 && n < 1.1
}

func length(v *[3]float64) float64 { return math.Sqrt(v[0]*v[0] + v[1]*v[1] + v[2]*v[2]) }

// shorten cuts v to length most; to nothing when its length overflows.
func shorten(v []float64, most float64) {
	l := math.Sqrt(v[0]*v[0] + v[1]*v[1] + v[2]*v[2])
	if l <= most {
		return
	}
	s := most / l
	for i := range 3 {
		if s > 0 && s <= 1 {
			v[i] *= s
		} else {
			v[i] = 0
		}
	}
}
