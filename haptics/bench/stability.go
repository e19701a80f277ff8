package bench

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/haptics"
	"hapco/haptics/virtual"
	"hapco/physics/frame"
	"hapco/physics/local"
	"hapco/physics/machinery/refusal"
)

// Physics is the simulation under the hand: it brings the stylus to a pose and writes the contact model of that pose
// (all of it, but for Tick and Period).
type Physics interface {
	Step(stylus, hand frame.Pose, m *local.Model)
}

// Kernel is one tick of the servo: servo.Kernel, or its twin in Go.
type Kernel interface {
	Tick(in *haptics.Input, m *local.Model, fresh bool, p *haptics.Params, rec *haptics.Record)
	Tool(p frame.Pose) frame.Pose
}

// Case is one run of a simulated hand against a physics.
type Case struct {
	Rate      float64        // of the servo, Hz
	PhysicsHz float64        // of the physics; its answers are one of its periods old
	Stall     [2]float64     // from, to: physics says nothing, s; zero: never
	Seconds   float64        // length of the run
	Settle    [2]float64     // from, to: the hand holds still in contact, s; jitter is looked for there
	Device    virtual.Config // device and hand; its rate is set from Rate
	Params    haptics.Params // Budget is ignored: time is simulated
}

// Outcome of a case.
type Outcome struct {
	Stable   bool      `json:"stable"`        // no energy out, no oscillation while the hand holds still
	Energy   float64   `json:"energy_J"`      // most that the motors ever put out beyond what the hand had put in, J
	Jitter   float64   `json:"jitter_N"`      // RMS of the force above 20 Hz while the hand holds still, N
	Bounces  int       `json:"bounces"`       // times that contact was lost while the hand held still, after the first half of that time
	Peak     float64   `json:"peak_N"`        // largest force sent, N
	Steepest float64   `json:"slew_N_per_s"`  // fastest change of the force, N/s
	Depth    float64   `json:"depth_m"`       // how far the hand got beyond the first contact, m
	Shake    float64   `json:"shake_m_per_s"` // RMS speed of the device while the hand holds still, m/s
	Damped   int       `json:"damped_ticks"`  // ticks in which the passivity controller acted
	Finite   bool      `json:"finite"`        // every force was
	Force    []float64 `json:"-"`             // sent, norm, one a tick, N
	Speed    []float64 `json:"-"`             // of the device, norm, m/s
}

// Limits of what counts as stable. Encoder steps alone stay well below both.
const (
	energyLimit = 1e-3 // J
	shakeLimit  = 5e-3 // m/s RMS
)

// Run plays a case. The kernel must be fresh. The physics runs in the same simulated time: a model appears one physics
// period after the pose it is for.
func Run(c Case, k Kernel, ph Physics) (Outcome, error) {
	c.Device.Rate = c.Rate
	dev, err := virtual.New(c.Device)
	if err != nil {
		return Outcome{}, err
	}
	p := c.Params
	p.Budget = 0
	var (
		o        = Outcome{Finite: true}
		in       haptics.Input
		rec      haptics.Record
		model    local.Model // what the servo sees
		next     local.Model // what physics is at
		stylus   = c.Device.Start
		due      = 0.0
		computed bool
		last     mgl64.Vec3
		touched  bool
		first    mgl64.Vec3
		period   = 1 / c.PhysicsHz
		n        = int(c.Seconds * c.Rate)
	)
	if stylus.Rotation == (mgl64.Quat{}) {
		stylus.Rotation = mgl64.QuatIdent()
	}
	local.Make(&model, 0)
	local.Make(&next, 0)
	o.Force = make([]float64, 0, n)
	o.Speed = make([]float64, 0, n)
	contactTicks := 0
	for i := range n {
		t := float64(i) / c.Rate
		fresh := false
		if in.Pose.Rotation == (mgl64.Quat{}) { // before the first tick
			in.Pose = stylus
		}
		if t >= due-1e-9 {
			stalled := t >= c.Stall[0] && t < c.Stall[1]
			if computed && !stalled { // the answer to the pose of one period ago
				next.CopyTo(&model)
				fresh = true
			}
			if !stalled {
				ph.Step(stylus, in.Pose, &next)
				next.Sequence = uint64(i) + 1
				next.Period = time.Duration(period * 1e9)
				computed = true
			}
			due += period
		}
		in.State = dev.Read()
		in.Time = int64(t * 1e9)
		k.Tick(&in, &model, fresh, &p, &rec)
		stylus = k.Tool(in.Pose)
		f := mgl64.Vec3(rec.Force)
		if err := dev.Write(f); err != nil {
			return o, err
		}
		size := f.Len()
		o.Finite = o.Finite && size <= math.MaxFloat64
		o.Force = append(o.Force, size)
		x, v := dev.True()
		o.Speed = append(o.Speed, v.Len())
		o.Peak = math.Max(o.Peak, size)
		o.Steepest = math.Max(o.Steepest, f.Sub(last).Len()*c.Rate)
		last = f
		if rec.Flags&haptics.Damped != 0 {
			o.Damped++
		}
		o.Energy = math.Max(o.Energy, dev.Work())
		touching := rec.Raw != [3]float64{}
		if touching {
			if !touched {
				first, touched = x, true
			}
			contactTicks++
			o.Depth = math.Max(o.Depth, x.Sub(first).Len())
		} else {
			if contactTicks > 0 && t > 0.5*(c.Settle[0]+c.Settle[1]) && t < c.Settle[1] {
				o.Bounces++
			}
			contactTicks = 0
		}
	}
	// the first half lets the touch ring down: an elastic wall may bounce a light hand
	a, b := int(0.5*(c.Settle[0]+c.Settle[1])*c.Rate), min(n, int(c.Settle[1]*c.Rate))
	if a < b {
		o.Jitter = ripple(o.Force[a:b], c.Rate)
		var s float64
		for _, v := range o.Speed[a:b] {
			s += v * v
		}
		o.Shake = math.Sqrt(s / float64(b-a))
	}
	o.Stable = o.Finite && o.Energy <= energyLimit && o.Shake <= shakeLimit && o.Bounces == 0
	return o, nil
}

// ripple is the RMS of what is left of f above 20 Hz: f minus its mean over 50 ms around each sample.
func ripple(f []float64, rate float64) float64 {
	h := int(0.025 * rate)
	if len(f) <= 2*h {
		return 0
	}
	var sum, s float64
	for _, x := range f[:2*h] {
		sum += x
	}
	n := 0
	for i := h; i+h < len(f); i++ {
		sum += f[i+h]
		d := f[i] - sum/float64(2*h+1)
		s += d * d
		n++
		sum -= f[i-h]
	}
	return math.Sqrt(s / float64(n))
}

// Wall is a physics of one contact with a floor y = 0 of a stiffness, with friction: the simplest thing to press on,
// and the hardest.
type Wall struct {
	Stiffness float64 // N/m
	Mu        float64
	Reach     float64 // m, at which it is found
	anchor    mgl64.Vec3
	touching  bool
}

// Step is the contact of the stylus's origin with the floor.
func (w *Wall) Step(p, _ frame.Pose, m *local.Model) {
	m.Origin, m.Rotation = p.Position, p.Rotation
	if p.Position.Y() > w.Reach {
		m.SetN(0)
		w.touching = false
		return
	}
	if !w.touching || p.Position.Y() >= 0 {
		w.anchor, w.touching = p.Position, true
	}
	m.SetN(1)
	m.Frame[0] = [3]mgl64.Vec3{{0, 1, 0}, {1, 0, 0}, {0, 0, 1}}
	m.Arm[0], m.Mu[0] = mgl64.Vec3{}, w.Mu
	clear(m.W)
	for i := range 3 {
		m.W[4*i] = 1 / w.Stiffness
	}
	y, dx, dz := p.Position.Y(), p.Position.X()-w.anchor.X(), p.Position.Z()-w.anchor.Z()
	n := math.Max(0, -w.Stiffness*y)
	t1, t2 := -w.Stiffness*dx, -w.Stiffness*dz
	if l := math.Hypot(t1, t2); l > w.Mu*n {
		s := 0.0
		if l > 0 {
			s = w.Mu * n / l
		}
		t1, t2 = s*t1, s*t2
		// the anchor slides along
		w.anchor[0], w.anchor[2] = p.Position.X()+t1/w.Stiffness, p.Position.Z()+t2/w.Stiffness
		dx, dz = -t1/w.Stiffness, -t2/w.Stiffness
	}
	m.Free[0], m.Free[1], m.Free[2] = y, dx, dz
	m.R[0], m.R[1], m.R[2] = n, t1, t2
	m.FillRigid()
}

// Press is a hand that comes down from height onto the floor, tries to get to depth below it, holds still, drags
// sideways if asked, holds, and leaves. Settle is when it holds still pressed down.
func Press(grip virtual.Hand, height, depth, drag float64) (h virtual.Hand, settle [2]float64, seconds float64) {
	h = grip
	up := mgl64.Vec3{0, height, 0}
	down := mgl64.Vec3{0, -depth, 0}
	side := mgl64.Vec3{drag, -depth, 0}
	h.Path = []virtual.Point{{Time: 1.2, Position: up}, {Time: 1.8, Position: down}, {Time: 3.0, Position: down}}
	settle, seconds = [2]float64{2.4, 3.0}, 3.8
	if drag != 0 {
		h.Path = append(h.Path, virtual.Point{Time: 3.6, Position: side}, virtual.Point{Time: 4.2, Position: side})
		seconds = 5.0
	}
	end := h.Path[len(h.Path)-1]
	lift := end.Position
	lift[1] = height
	h.Path = append(h.Path, virtual.Point{Time: end.Time + 0.5, Position: lift})
	return h, settle, seconds
}

// ZPoint is the stiffest stable wall of a device.
type ZPoint struct {
	Device    string  `json:"device"`
	Rate      float64 `json:"rate_hz"`
	Coupling  string  `json:"coupling"`
	Hand      string  `json:"hand"`
	Stiffness float64 `json:"stiffness_N_per_m"` // largest stable
	Rule      float64 `json:"rule_N_per_m"`      // what the linear rule allows
}

// ZWidth finds the stiffest stable wall for a device at a rate: of the wall itself for direct coupling, of the
// coupling's spring against a rigid wall for the virtual one, with the damping that DeriveGains gives. newKernel makes
// a fresh kernel; physics runs at the servo's rate. The hand pushes with half a newton and what it takes to overcome
// the device's dry friction. The search ends at 1e6 N/m.
func ZWidth(name string, l haptics.DeviceLimits, rate float64, coupling haptics.Coupling, handName string,
	newKernel func() Kernel) (ZPoint, error) {
	z := ZPoint{Device: name, Rate: rate, Coupling: coupling.String(), Hand: handName}
	g := haptics.DeriveGains(l, rate)
	p := haptics.DefaultParams(l, rate)
	p.Coupling, p.Passivity = coupling, false
	p.MaxForce, p.Continuous, p.Slew = 1e3, 0, 1e6
	p.SlowSpeed, p.FastSpeed = 900, 1e3
	free := l
	free.MaxForce = 1e3 // saturation hides oscillation
	stable := func(K float64) bool {
		grip := virtual.Hands[handName]
		hand, settle, seconds := Press(grip, 0.01, (0.5+2*l.Friction)/grip.Stiffness, 0)
		w := &Wall{Stiffness: K, Mu: 0.3, Reach: 0.002}
		if coupling == haptics.Virtual {
			p.Stiffness, p.Damping = K, g.Damping
			w.Stiffness = 1e6
		}
		o := refusal.Must(Run(Case{
			Rate: rate, PhysicsHz: rate, Seconds: seconds, Settle: settle, Params: p,
			Device: virtual.Config{Limits: free, Hand: hand, Start: frame.At(mgl64.Vec3{0, 0.01, 0}), Seed: 1},
		}, newKernel(), w))
		refusal.If(o.Peak == 0, "bench: the hand %s never touched the wall with %s: no stiffness can be told", handName, name)
		return o.Stable
	}
	b := l.Viscous + virtual.Hands[handName].Damping
	if coupling == haptics.Virtual {
		b += g.Damping
	}
	z.Rule = b / (0.5/rate + l.Delay)
	return refusal.Caught(func() ZPoint {
		lo, hi := 1.0, 10.0
		for hi < 1e6 && stable(hi) {
			lo, hi = hi, 2*hi
		}
		for hi-lo > 0.02*lo {
			if mid := 0.5 * (lo + hi); stable(mid) {
				lo = mid
			} else {
				hi = mid
			}
		}
		z.Stiffness = lo
		return z
	})
}
