package ui

import (
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
