package servo

import (
	"math"

	"hapco/haptics"
	"hapco/physics/frame"
	"hapco/physics/local"
)

// follow counts the model's age and takes over a new one.
func (k *twin) follow(m *local.Model, fresh bool, p *haptics.Params) {
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
func (k *twin) solve(in *haptics.Input, m *local.Model, fresh bool, p *haptics.Params, rec *haptics.Record) (wrench [6]float64) {
	// Coupling: backward Euler of K s + B ds/dt = F, s the stretch from stylus
	// to device. It adds the compliance 1/(K + B/T) to the contacts'.
	var ct, cr, keep, turn float64
	if p.Coupling == haptics.Virtual {
		// A millionth of a newton in a metre is no coupling to a hand, of whatever size a scene is.
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
		k.couple(m)
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
		rec.Flags |= haptics.Blended
	}
	k.before, k.rest, k.pose, k.solved = wrench, rest, in.Pose, true
	return wrench
}

// wrench solves the contacts for the stylus at pose, rest behind it.
func (k *twin) wrench(pose *frame.Pose, rest *[6]float64, m *local.Model, p *haptics.Params, rec *haptics.Record) (wrench [6]float64) {
	k.stored = 0
	if m.Field.On && !k.field || k.shaky {
		rec.Flags |= haptics.BadModel
	}
	if k.n == 0 && !k.field {
		return wrench
	}
	d := m.Displacement(pose.Position, pose.Rotation)
	for i := range 6 {
		d[i] -= rest[i]
	}
	if k.field {
		d = k.carry(m, &d)
	}
	for i := range 3 * k.n {
		j := m.J[6*i : 6*i+6]
		k.q[i] = m.Free[i] + j[0]*d[0] + j[1]*d[1] + j[2]*d[2] + j[3]*d[3] + j[4]*d[4] + j[5]*d[5]
	}
	if k.n > 0 {
		k.sweep(m, p, rec)
	}
	for i := range 3 * k.n {
		j := m.J[6*i : 6*i+6]
		for c := range 6 {
			wrench[c] += j[c] * k.r[i]
		}
	}
	if k.field {
		k.addField(m, &d, &wrench)
	}
	return wrench
}

// blocks are the 3x3 blocks on the diagonal of W plus the coupling's compliance.
func (k *twin) blocks(m *local.Model) {
	w := 3 * m.N
	for c := range k.n {
		for i := range 3 {
			ji := m.J[18*c+6*i : 18*c+6*i+6]
			for l := range 3 {
				jl := m.J[18*c+6*l : 18*c+6*l+6]
				if k.field {
					k.a[9*c+3*i+l] = m.W[(3*c+i)*w+3*c+l] + k.through(ji, jl)
					continue
				}
				k.a[9*c+3*i+l] = m.W[(3*c+i)*w+3*c+l] +
					k.ct*(ji[0]*jl[0]+ji[1]*jl[1]+ji[2]*jl[2]) +
					k.cr*(ji[3]*jl[3]+ji[4]*jl[4]+ji[5]*jl[5])
			}
		}
	}
}

// sweep improves k.r by Gauss-Seidel sweeps with exact local solves, warm from
// the last tick, until they change nothing or time is up.
func (k *twin) sweep(m *local.Model, p *haptics.Params, rec *haptics.Record) {
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
	if k.field {
		down += k.through(give[:], give[:])
	}
	for c := 0; c < 3 && !k.field; c++ {
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
	if k.field {
		total := give
		give = [6]float64{}
		k.yield(&give, &total, scale)
	} else {
		for c := range 3 {
			give[c] *= k.ct * scale
			give[3+c] *= k.cr * scale
		}
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
				rec.Flags |= haptics.BadModel
			}
			var d [3]float64
			for i := range 3 {
				d[i] = step * (x[i] - r[i])
				r[i] += d[i]
				change += d[i] * d[i]
				size += r[i] * r[i]
			}
			if k.field {
				var f [6]float64
				for i := range 3 {
					j := m.J[18*c+6*i : 18*c+6*i+6]
					for l := range 6 {
						f[l] += j[l] * d[i]
					}
				}
				k.yield(&give, &f, 1)
			}
			for i := 0; i < 3 && !k.field; i++ {
				j := m.J[18*c+6*i : 18*c+6*i+6]
				give[0] += k.ct * j[0] * d[i]
				give[1] += k.ct * j[1] * d[i]
				give[2] += k.ct * j[2] * d[i]
				give[3] += k.cr * j[3] * d[i]
				give[4] += k.cr * j[4] * d[i]
				give[5] += k.cr * j[5] * d[i]
			}
			if deadline > 0 && c&7 == 7 && k.now() > deadline {
				rec.Flags |= haptics.OverBudget
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
			rec.Flags |= haptics.OverBudget
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
