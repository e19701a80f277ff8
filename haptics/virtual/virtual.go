package virtual

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/haptics"
	"hapco/physics/frame"
)

// substeps a tick: 0.1 ms at 1 kHz, well below every time constant here.
const substeps = 10

// velocityCut is the corner of the device's own velocity filter, Hz.
const velocityCut = 50

// Point is where the hand wants to be at a time.
type Point struct {
	Time     float64    // s
	Position mgl64.Vec3 // world, m
}

// Hand is a mass tied by a spring and a damper to the point where it wants to be, held rigidly to the stylus. The zero
// Hand holds nothing.
type Hand struct {
	Mass      float64 // kg
	Damping   float64 // N s/m
	Stiffness float64 // N/m
	Path      []Point // joined by minimum-jerk strokes; before the first and after the last it rests
	Loop      bool    // start over after the last point
	Tremor    float64 // amplitude, m
	Release   float64 // when it lets go, s; 0: never
}

// Hands are grips to try: a light pinch, a usual grip and a firm arm, by name. Stiffness rises with grip force.
var Hands = map[string]Hand{
	"pinch": {Mass: 0.05, Damping: 1, Stiffness: 20},
	"grip":  {Mass: 0.15, Damping: 5, Stiffness: 150},
	"firm":  {Mass: 0.6, Damping: 15, Stiffness: 700},
}

// Config is a device, a hand and a seed.
type Config struct {
	Limits haptics.DeviceLimits
	Hand   Hand
	Start  frame.Pose
	Rate   float64 // ticks a second; each Read is one tick, whatever the clock says
	Delay  int     // ticks by which forces come late, 0 to 16
	Seed   uint64  // of tremor and of the encoders' offset
}

// Devices are models of real ones by name: apparent mass, friction, encoder step and limits from manufacturers' data.
var Devices = map[string]haptics.DeviceLimits{
	"touch":   {MaxForce: 3.3, ContinuousForce: 0.88, Stiffness: 400, Damping: 4, Mass: 0.045, Friction: 0.26, Viscous: 0.1, PositionStep: 55e-6, SlewRate: 400, MaxSpeed: 1, RateHz: 1000, SensedAxes: 6, DrivenAxes: 3},
	"desktop": {MaxForce: 7.9, ContinuousForce: 1.75, Stiffness: 1000, Damping: 5, Mass: 0.045, Friction: 0.06, Viscous: 0.1, PositionStep: 23e-6, SlewRate: 500, MaxSpeed: 1, RateHz: 1000, SensedAxes: 6, DrivenAxes: 3},
	"premium": {MaxForce: 8.5, ContinuousForce: 1.4, Stiffness: 800, Damping: 5, Mass: 0.075, Friction: 0.04, Viscous: 0.1, PositionStep: 30e-6, SlewRate: 500, MaxSpeed: 1, RateHz: 1000, SensedAxes: 6, DrivenAxes: 3},
	"omega":   {MaxForce: 12, ContinuousForce: 12, Stiffness: 5000, Damping: 30, Mass: 0.2, Friction: 0.1, Viscous: 4.5, PositionStep: 10e-6, SlewRate: 1000, MaxSpeed: 1, RateHz: 4000, SensedAxes: 3, DrivenAxes: 3},
}

// Validate names the first value out of range.
func (c *Config) Validate() error {
	if r := haptics.OutOfRange([]haptics.Ranged{
		{"rate", c.Rate, 100, 1e5}, {"mass", c.Limits.Mass, 1e-3, 100},
		{"friction", c.Limits.Friction, 0, 100}, {"viscous friction", c.Limits.Viscous, 0, 1e3},
		{"encoder step", c.Limits.PositionStep, 0, 0.01}, {"delay", float64(c.Delay), 0, 16},
		{"hand mass", c.Hand.Mass, 0, 100}, {"hand damping", c.Hand.Damping, 0, 1e4},
		{"hand stiffness", c.Hand.Stiffness, 0, 1e6}, {"tremor", c.Hand.Tremor, 0, 0.1},
	}); r != nil {
		return fmt.Errorf("virtual: %s = %g (cure: a value from %g to %g)", r.Name, r.Value, r.Low, r.High)
	}
	for i := 1; i < len(c.Hand.Path); i++ {
		if !(c.Hand.Path[i].Time > c.Hand.Path[i-1].Time) {
			return fmt.Errorf("virtual: path point %d at %g s is not after the one before it (cure: increasing times)", i, c.Hand.Path[i].Time)
		}
	}
	return nil
}

// Device is a simulated device. Its methods belong to the servo's goroutine.
type Device struct {
	cfg   Config
	x, v  mgl64.Vec3 // true position and velocity
	queue [17]mgl64.Vec3
	ticks int
	read  mgl64.Vec3 // last reading
	vel   mgl64.Vec3 // filtered
	phase [3]mgl64.Vec3
	off   mgl64.Vec3
	work  float64
}

var _ haptics.Limited = (*Device)(nil)

// New makes a device at rest at cfg.Start.
func New(cfg Config) (*Device, error) {
	cfg.Rate = cmp.Or(cfg.Rate, 1000)
	cfg.Limits, cfg.Start.Rotation = cmp.Or(cfg.Limits, Devices["touch"]), cmp.Or(cfg.Start.Rotation, mgl64.QuatIdent())
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	d := &Device{cfg: cfg, x: cfg.Start.Position}
	rng := rand.New(rand.NewPCG(cfg.Seed, 0x48617043))
	for i := range 3 {
		d.off[i] = (rng.Float64() - 0.5) * cfg.Limits.PositionStep
		for j := range 3 {
			d.phase[i][j] = 2 * math.Pi * rng.Float64()
		}
	}
	d.read = d.encode()
	return d, nil
}

func (d *Device) Name() string { return "virtual" }

// Limits are those it was made with.
func (d *Device) Limits() haptics.DeviceLimits { return d.cfg.Limits }

// Read moves the device on by one tick under the force held, and tells where its encoders see it.
func (d *Device) Read() haptics.State {
	T := 1 / d.cfg.Rate
	f := d.queue[d.cfg.Delay]
	for range substeps {
		d.advance(f, T/substeps)
	}
	d.ticks++
	p := d.encode()
	c := 2 * math.Pi * velocityCut * T
	d.vel = d.vel.Add(p.Sub(d.read).Mul(1 / T).Sub(d.vel).Mul(c / (1 + c)))
	d.read = p
	return haptics.State{
		Pose:     frame.Pose{Position: p, Rotation: d.cfg.Start.Rotation},
		Velocity: d.vel,
	}
}

// advance integrates device and hand over dt: implicit in every damping and in the hand's spring, so that no impedance
// needs a smaller step.
func (d *Device) advance(f mgl64.Vec3, dt float64) {
	l, h := &d.cfg.Limits, &d.cfg.Hand
	t := float64(d.ticks)/d.cfg.Rate + dt
	held := h.Release == 0 || t < h.Release
	m, b := l.Mass, l.Viscous
	push := f
	if held {
		want, speed := d.wish(t)
		m += h.Mass
		b += h.Damping + h.Stiffness*dt
		push = push.Add(want.Sub(d.x).Mul(h.Stiffness)).Add(speed.Mul(h.Damping))
	}
	v := d.v.Mul(m).Add(push.Mul(dt)).Mul(1 / (m + b*dt))
	// dry friction takes what it can, down to a stop
	if most := l.Friction * dt / (m + b*dt); most > 0 {
		if s := v.Len(); s <= most {
			v = mgl64.Vec3{}
		} else {
			v = v.Mul(1 - most/s)
		}
	}
	way := d.v.Add(v).Mul(dt / 2) // exact under a constant force
	d.work += f.Dot(way)
	d.v = v
	d.x = d.x.Add(way)
}

// wish is where the hand wants to be at time t, and how fast.
func (d *Device) wish(t float64) (p, v mgl64.Vec3) {
	h := &d.cfg.Hand
	p = d.cfg.Start.Position
	if n := len(h.Path); n > 0 {
		s := t
		if first, last := h.Path[0].Time, h.Path[n-1].Time; h.Loop && t > last && last > first {
			s = first + math.Mod(t-first, last-first)
		}
		p = h.Path[n-1].Position
		if s <= h.Path[0].Time {
			p = h.Path[0].Position
		} else {
			for i := 1; i < n; i++ {
				a, b := &h.Path[i-1], &h.Path[i]
				if s >= b.Time {
					continue
				}
				span := b.Time - a.Time
				u := (s - a.Time) / span
				way := b.Position.Sub(a.Position)
				// minimum jerk (Flash and Hogan)
				p = a.Position.Add(way.Mul(u * u * u * (10 - 15*u + 6*u*u)))
				v = way.Mul(30 * u * u * (1 - u) * (1 - u) / span)
				break
			}
		}
	}
	if h.Tremor > 0 {
		// three tones in the band of physiological tremor, 8 to 12 Hz
		for i, hz := range [3]float64{8.3, 9.7, 11.6} {
			w := 2 * math.Pi * hz
			for k := range 3 {
				p[k] += h.Tremor / 3 * math.Sin(w*t+d.phase[i][k])
				v[k] += h.Tremor / 3 * w * math.Cos(w*t+d.phase[i][k])
			}
		}
	}
	return p, v
}

// encode is what the encoders see.
func (d *Device) encode() mgl64.Vec3 {
	s := d.cfg.Limits.PositionStep
	if s == 0 {
		return d.x
	}
	var p mgl64.Vec3
	for i := range 3 {
		p[i] = math.Round((d.x[i]+d.off[i])/s)*s - d.off[i]
	}
	return p
}

// Write holds a force until the next one, cut to what the motors give.
func (d *Device) Write(force mgl64.Vec3) error {
	if n := force.Len(); !(n <= d.cfg.Limits.MaxForce) {
		if math.IsNaN(n) {
			force = mgl64.Vec3{}
		} else {
			force = force.Mul(d.cfg.Limits.MaxForce / n)
		}
	}
	copy(d.queue[1:], d.queue[:len(d.queue)-1])
	d.queue[0] = force
	return nil
}

func (d *Device) Close() error {
	d.queue = [17]mgl64.Vec3{}
	return nil
}

// True is where the device is and how fast, without its encoders.
func (d *Device) True() (position, velocity mgl64.Vec3) { return d.x, d.v }

// Work is the energy that the motors have put into device and hand, J. A passive environment never makes it positive
// beyond what was put in before.
func (d *Device) Work() float64 { return d.work }
