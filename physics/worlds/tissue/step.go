package tissue

import (
	"fmt"
	"time"

	"hapco/physics/frame"
)

// One step of a tissue world: quasi-static (chapter 2 of the thesis, whose numbers stand
// at the equations). The bodies deform little about frames that move rigidly (1.8),
//
//	U = U_rigid + R u,   K u = H^T r + f_ext,
//
// and meet at contacts, each with a frame (n, t1, t2), a force r = (r_n, r_t) on the
// impactor and a relative displacement x = (x_n, x_t), which obey
//
//	x_n >= 0,  r_n >= 0,  x_n r_n = 0                      Signorini (2.15)
//	|r_t| <= mu r_n,  r_t = -mu r_n x_t/|x_t| if x_t != 0  Coulomb   (2.18)
//	x = W r + x_free                                       bodies    (2.61)
//	W = sum over bodies of H K^-1 H^T                      Delassus  (2.62)

// Step makes one quasi-static increment of the stylus towards target and reports
// whether it got there. An increment is no longer than half the DDC tolerance while
// bodies are near each other, so that nothing passes through a surface between two
// detections. Where bodies have moved too far it is repeated with the stylus where it is, so
// that no configuration is seen in which they are inside each other, unless time is up.
func (w *World) Step(target frame.Pose) (reached bool) {
	w.start()
	reached = w.increment(target)
	timing, loss := w.last.timing, w.slipWork()
	for n := 0; n < maxSettling && w.movedTooFar() && !w.overdue(); n++ {
		reached = w.increment(w.again(target)) && reached
		timing.add(&w.last.timing)
		loss += w.slipWork()
	}
	w.clock.late = w.clock.of.Late(0) || w.clock.late // also where all is done
	w.last.timing, w.last.loss = timing, loss
	w.last.step++
	w.last.reached = reached
	return reached
}

// again is the target of an increment that repeats one: the stylus stays where it is, or on its spring.
func (w *World) again(target frame.Pose) frame.Pose {
	if w.held.spring.Stiffness > 0 {
		return target
	}
	return w.bodies[w.driven].pose
}

// increment is one equilibrium. Bodies are linear about the frame they move with, so that
// one solve finds it: Newton-Raphson (2.59) has nothing to repeat.
func (w *World) increment(target frame.Pose) (reached bool) {
	t := lap{start: time.Now()}
	w.last.timing = Timing{}

	// Contacts: points P and Q within the DDC tolerance, in the configuration of the last step.
	w.detect()
	t.to(&w.last.timing.Collision)

	// The stylus carries its body rigidly (1.8), and x_free is what that alone would give:
	// the gap (2.13) and the slip of this increment (2.17).
	w.resize(len(w.contacts))
	w.warmStart() // r begins with the forces of the last step
	reached = w.reach(target)
	w.hold(&w.grasp.asked)
	w.assembleFree()
	w.choose() // the contacts that may carry
	w.set.gather(w.r)
	t.to(&w.last.timing.Free)

	for w.set.rounds = 1; ; w.set.rounds++ {
		w.assemble() // W (2.62)
		t.to(&w.last.timing.Assemble)
		w.solve() // r of (2.15), (2.18) and (2.61)
		t.to(&w.last.timing.Contact)
		w.applyForces() // u = K^-1 (H^T r + f_ext) (2.57)
		w.push()
		if w.overdue() {
			w.clock.late = true
			break
		}
		more := w.extend(w.set.rounds) // contacts that were left out have closed
		t.to(&w.last.timing.Displacement)
		if !more {
			break
		}
	}
	if w.held.on {
		reached = w.follow(target)
	}
	w.adopt()
	w.unfold()
	w.measure()       // x and what is left of the laws
	w.remember()      // forces and where contacts stick, by features
	w.watchAdhesion() // a tool that is pulled is let go
	t.to(&w.last.timing.Displacement)
	w.last.timing.Total = t.last
	return reached
}

// lap is a clock that adds what has passed to one part after the other.
type lap struct {
	start time.Time
	last  time.Duration
}

func (t *lap) to(part *time.Duration) {
	now := time.Since(t.start)
	*part += now - t.last
	t.last = now
}

// Move steps until the stylus stands at target, at most max increments.
func (w *World) Move(target frame.Pose, max int) error {
	for range max {
		if w.Step(target) {
			return nil
		}
	}
	return fmt.Errorf("physics: the stylus did not reach its target in %d increments (cure: a larger contact.ddc_tolerance or a shorter path step)", max)
}

// adopt makes what the forces do the configuration of all bodies.
func (w *World) adopt() {
	for _, b := range w.bodies {
		b.adopt()
	}
}
