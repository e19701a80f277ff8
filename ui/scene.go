package ui

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
)

// scene is what is open: a session, what its world says of itself, the newest of what it shows, and the values that the
// panel gives its parameters. Every part of the window reads it.
type scene struct {
	session  Session // nil: none is open yet
	name     string  // under which it was opened
	info     *physics.Info
	keys     []physics.Key
	values   []float64 // of keys, as the panel shows them
	defaults []float64 // of keys
	paused   bool

	snap   *physics.Frame // newest without noise; nil until the session's first
	raw    *physics.Frame // the same as the session gave it
	shown  physics.Frame  // what snap points to
	noise  noise
	status HapticsStatus
	counts bool      // the world has had contacts
	met    time.Time // when it was first drawn

	bounds  extent
	tool    grip
	reaches []float64 // of info.Shapes, see reachOf
}

// extent is where the bodies are at the start.
type extent struct {
	centre mgl64.Vec3
	size   float64 // diagonal, m
}

// grip is how the mouse holds the tool.
type grip struct {
	at    mgl64.Vec3 // stylus frame, m
	reach float64    // from there to the tool's tip along the needle, m
	round bool       // it looks the same from all sides of the needle
}

// adopt makes a session the one that is open.
func (sc *scene) adopt(s Session, name string, info *physics.Info) {
	*sc = scene{session: s, name: name, info: info, keys: s.Keys()}
	sc.values, sc.defaults = physics.Defaults(sc.keys), physics.Defaults(sc.keys)
}

// home is the value that key i goes back to.
func (sc *scene) home(i int) float64 {
	if k := &sc.keys[i]; k.Home != nil {
		return k.Home(sc.values)
	}
	return sc.defaults[i]
}

// publish sends the panel's values to the simulation.
func (sc *scene) publish() { sc.session.SetValues(sc.values) }

// setPaused stops the simulation, or lets it go on.
func (sc *scene) setPaused(on bool) {
	sc.paused = on
	sc.session.Pause(on)
}

// sent is the norm of the force on the hand, 0 where it is noise, N.
func (sc *scene) sent() float64 {
	f := sc.status.Force
	sc.noise.zeroForce(&f)
	return f.Len()
}

// inHand is the hand that the window is about.
func (sc *scene) inHand() int {
	if s, ok := sc.session.(TwoHanded); ok {
		return s.InHand()
	}
	return 0
}

// mine tells whether surface i is the tool that is in hand.
func (sc *scene) mine(i int) bool {
	b := &sc.info.Surfaces[i]
	return b.Driven && b.Second == (sc.inHand() == 1)
}

// player moves a recorded hand; nil where a real one holds the stylus.
func (sc *scene) player() Player {
	if s, ok := sc.session.(interface{ Player() Player }); ok {
		return s.Player()
	}
	return nil
}

// recorder writes what happens; nil where the session cannot.
func (sc *scene) recorder() Recorder {
	r, _ := sc.session.(Recorder)
	return r
}

// held is where the mouse holds the tool, and gripArm the way there from the stylus's origin, world, m.
func (sc *scene) held() mgl64.Vec3    { return sc.snap.Stylus.Point(sc.tool.at) }
func (sc *scene) gripArm() mgl64.Vec3 { return sc.held().Sub(sc.snap.Stylus.Position) }

// tip is the end of the tool along the needle, world, m.
func (sc *scene) tip() mgl64.Vec3 { return sc.held().Add(sc.needle().Mul(sc.tool.reach)) }

// needle is the direction in which the stylus points: down its own y axis.
func (sc *scene) needle() mgl64.Vec3 {
	if sc.snap == nil {
		return mgl64.Vec3{0, -1, 0}
	}
	d := sc.snap.Stylus.Rotation.Rotate(mgl64.Vec3{0, -1, 0})
	if !(d.Len() > 0.5) {
		return mgl64.Vec3{0, -1, 0}
	}
	return d.Normalize()
}

// touched tells whether something acts on the tool.
func (sc *scene) touched() bool { return sc.snap.Force != (mgl64.Vec3{}) }

// touching tells whether a contact carries a force.
func touching(f *physics.Frame) bool {
	n := f.Counts()
	return n[physics.Stick]+n[physics.Slip] > 0
}

// live is the number that a key shows while it is off.
func (sc *scene) live(k *physics.Key) float64 {
	if n := sc.info.Number(k.Live); n >= 0 && sc.snap != nil {
		return sc.snap.Numbers[n]
	}
	return 0
}

// What a solver leaves of a force that is not there, some 1e-14 N, would be drawn as an arrow as long as any other,
// with a scale of 1e13 m/N. The window therefore shows forces and lengths below the scene's noise as zero. What is
// recorded and what the hand feels stay as they are.
const (
	forceNoise  = 1e-6 // of the scene's force
	lengthNoise = 1e-8 // of the scene's size: a displacement is known better than a force
)

// noise is what counts as zero on screen.
type noise struct {
	force  float64 // N
	length float64 // m
}

// noiseOf takes as the scene's force what the device may send, or what flattens the softest body, E times the size
// squared, where that is less. Softest is E, Pa, maxForce what the device may send, N, size that of the scene, m.
func noiseOf(softest, maxForce, size float64) noise {
	scale := maxForce
	if softest > 0 {
		scale = min(scale, softest*size*size)
	}
	return noise{forceNoise * scale, lengthNoise * size}
}

func (n noise) zeroForce(f *mgl64.Vec3) {
	if f.Len() < n.force {
		*f = mgl64.Vec3{}
	}
}

// quiet makes dst a copy of s without noise. It shares all slices with s but Contacts and Numbers, and reuses those of
// dst. A contact without force is an open one.
func (n noise) quiet(dst, s *physics.Frame, info *physics.Info) {
	contacts, numbers := append(dst.Contacts[:0], s.Contacts...), append(dst.Numbers[:0], s.Numbers...)
	*dst = *s
	dst.Contacts, dst.Numbers = contacts, numbers
	n.zeroForce(&dst.Force)
	before := s.Counts()
	for i := range contacts {
		c := &contacts[i]
		n.zeroForce((*mgl64.Vec3)(&c.Residual))
		for k := range c.R { // a component may be noise where the force is not
			if math.Abs(c.R[k]) < n.force {
				c.R[k] = 0
			}
			if math.Abs(c.X[k]) < n.length {
				c.X[k] = 0
			}
		}
		if c.Force.Len() >= n.force {
			continue
		}
		c.Force, c.R = mgl64.Vec3{}, [3]float64{}
		c.Status = physics.Open
	}
	after := dst.Counts()
	for i := range min(len(numbers), len(info.Numbers)) {
		what := &info.Numbers[i]
		if what.Unit == "N" && math.Abs(numbers[i]) < n.force {
			numbers[i] = 0
		}
		for status, name := range [...]string{physics.Open: "open", physics.Stick: "sticking", physics.Slip: "sliding"} {
			if what.Name == name { // these count what was noise, too
				numbers[i] += float64(after[status] - before[status])
			}
		}
	}
}
