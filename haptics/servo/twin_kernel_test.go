package servo

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/haptics"
	"hapco/physics/frame"
	"hapco/physics/local"
)

// Bounds on what the kernel believes. They are far beyond anything real and
// only keep arithmetic finite.
const (
	maxPosition    = 1e3   // of a device, m
	maxStretch     = 0.25  // of the coupling, m and rad
	maxContact     = 1e12  // force of one contact, N: of two that wedge the tool, the hand feels a difference of 1e-16 of it
	maxScale       = 1e3   // of the last forces, for a start
	gateTime       = 0.08  // s, in which clutch, dead-man and switch open and close
	maxBlend       = 0.05  // s, longest blend between two models
	maxPatience    = 3     // times the usual staleness, for slow physics
	fallFactor     = 3     // how much faster the force may fall than rise
	slideTolerance = 1e-10 // relative, of the sliding equation's root
	creep          = 0.02  // speed of a blend that nobody has paid for
	maxStored      = 10.0  // J, of elastic energy that is believed
	leak           = 5e-4  // W, at which energy that was put out is forgotten
	slowest        = 1e-4  // m/s, below which the passivity controller cannot act
)

// twin is one tick of the servo in Go: the twin of the C kernel, with the
// same inputs and the same forces. It owns fixed memory and allocates nothing.
type twin struct {
	period   float64 // T, s
	cutoff   float64 // of the velocity filter, per tick
	now      func() int64
	deadline int64 // of the solve under way, 0: none

	// contact model
	n        int
	r, q     []float64   // 3 a contact
	a        []float64   // 9 a contact: W's diagonal blocks plus the coupling
	ct, cr   float64     // compliance of the coupling in one tick, m/N and rad/(N m)
	field    bool        // the model has a force field, see couple
	shaky    bool        // of which the stiffness is not used
	stiff    [36]float64 // K
	lead     [36]float64 // A = (I + C K)^-1
	soft     [36]float64 // A C
	stale    bool        // a is for an older model
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

// newTwin makes a kernel for a rate in Hz and models of up to capacity contacts.
func newTwin(rate float64, capacity int) *twin {
	if capacity <= 0 {
		capacity = local.Capacity
	}
	k := &twin{
		period: 1 / rate,
		r:      make([]float64, 3*capacity),
		q:      make([]float64, 3*capacity),
		a:      make([]float64, 9*capacity),
	}
	k.cutoff = haptics.VelocityFilter(rate)
	k.now = func() int64 { return 0 } // its clock stands, unless a test moves it
	return k
}

// Tool is where the stylus of record rec stands for device pose p.
func (k *twin) Tool(p frame.Pose) frame.Pose {
	s := &k.stretch
	p.Position = p.Position.Sub(mgl64.Vec3{s[0], s[1], s[2]})
	// inverse of a small rotation by s[3:]
	h := mgl64.Quat{W: 1, V: mgl64.Vec3{-0.5 * s[3], -0.5 * s[4], -0.5 * s[5]}}
	q := h.Mul(p.Rotation)
	p.Rotation = q.Scale(1 / q.Len()) // Normalize would leave what is off by 1e-10
	return p
}

// Tick runs one tick: the force to send is rec.Force and rec.Torque. m is the
// newest model and fresh whether it came since the last tick.
func (k *twin) Tick(in *haptics.Input, m *local.Model, fresh bool, p *haptics.Params, rec *haptics.Record) {
	k.tick++
	T := k.period
	*rec = haptics.Record{Tick: k.tick, Time: in.Time, Buttons: in.Buttons, Model: m.Sequence, Contacts: int32(m.N)}
	if !goodState(&in.State) || in.Lost || in.Release {
		switch {
		case in.Release:
			rec.Flags |= haptics.Released
		case in.Lost:
			rec.Flags |= haptics.DeviceLost
		default:
			rec.Flags |= haptics.BadInput
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
		good = good && isFinite(wrench[i])
	}
	if !good {
		rec.Flags |= haptics.BadForce
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
	// A debt is of what the hand touches, and goes with it: nothing brakes a hand that is near nothing.
	if !touching && (k.n == 0 && !m.Field.On || k.force == [3]float64{}) {
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
			rec.Flags |= haptics.Damped
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

// note writes the rest of the record.
func (k *twin) note(in *haptics.Input, rec *haptics.Record) {
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
func goodState(s *haptics.State) bool {
	for i := range 3 {
		if !(math.Abs(s.Pose.Position[i]) <= maxPosition) || !(math.Abs(s.Velocity[i]) <= 1e6) {
			return false
		}
	}
	q := s.Pose.Rotation
	n := q.V[0]*q.V[0] + q.V[1]*q.V[1] + q.V[2]*q.V[2] + q.W*q.W
	return n > 0.9 && n < 1.1
}
