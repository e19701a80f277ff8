package probing

import (
	"hapco/physics"
	"hapco/physics/frame"
	"hapco/physics/local"
)

// Device is what stands between a world and the hand that makes a gesture: it solves the hand's own model and limits
// the force, as the haptic loop does.
type Device interface {
	Couple(lever float64) physics.Coupling // the spring by which a tool of that reach, m, hangs on it
	// Begin holds the device still, clear of everything, until it would send force.
	Begin(at frame.Pose)
	// Tick is one of a millisecond: the hand is at a pose, and m is the world's newest model; nil: that of the last
	// tick.
	Tick(at frame.Pose, m *local.Model) Felt
}

// Felt is what a tick of a device has come to.
type Felt struct {
	Force   vec        // sent, N
	Torque  vec        // sent, N m
	Limit   float64    // that the device may send, N; 0: not known
	Stylus  frame.Pose // where the device lets the tool be; no pose: where the hand is
	Raw     vec        // before the limits, N
	Most    float64    // by which the force may have changed since the last tick, N
	Slewed  bool       // the slew limit held it back
	Dropped string     // why there is no force though the gesture goes on; "": there is
}

// Touch is what a gesture's hand has felt.
type Touch struct {
	Force    float64 // the largest sent, N
	Jump     float64 // the largest change of it in a tick, N
	RawJump  float64 // the same before the limits, N
	Ticks    int
	Slewed   int     // ticks in which the slew limit held the force back
	last     [2]Felt // of each hand
	model    local.Model
	prepared bool
}

// take keeps what a tick has come to for a hand, and tells by how much its force has changed, N.
func (h *Touch) take(hand int, now *Felt) (jump float64) {
	before := &h.last[hand]
	jump = now.Force.Sub(before.Force).Len()
	h.Ticks++
	if now.Slewed {
		h.Slewed++
	}
	h.Force, h.Jump = max(h.Force, now.Force.Len()), max(h.Jump, jump)
	h.RawJump = max(h.RawJump, now.Raw.Sub(before.Raw).Len())
	*before = *now
	return jump
}

// feel makes a tick of the device and judges it.
func (a *Arena) feel(v *Verdict, d Device, at frame.Pose, row int) {
	h := &v.Hand
	if !h.prepared {
		local.Make(&h.model, 0)
		h.prepared = true
	}
	a.ground.Model(&h.model)
	h.model.Period = frameSeconds * 1e9
	now := d.Tick(at, &h.model)
	jump := h.take(0, &now)
	switch {
	case now.Dropped != "":
		v.breach(Jolted, row, "row %d: the hand's force was dropped: %s", row, now.Dropped)
	case !(jump <= now.Most*(1+1e-9)+1e-12):
		v.breach(Jolted, row, "row %d: the hand's force changes by %.3g N in a millisecond, more than %.3g", row, jump, now.Most)
	}
}
