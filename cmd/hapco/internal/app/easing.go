package app

import (
	"sync"
	"time"

	"hapco/physics/machinery/failsafe"
)

// easing lets the force rise slowly after parameters have changed in contact: the limit of the force is what it was,
// and goes up from there. The hand then feels the change, and is not struck by it. Falling is the servo's matter.
type easing struct {
	sync.Mutex // held for a few assignments; guards tuning.live and what the servo gets, too
	on         bool
	from       float64 // force on the hand at the change, N
	begun      time.Time
}

const (
	easeTime  = 300 * time.Millisecond // in which the limit rises by the largest force
	easeEvery = 5 * time.Millisecond
	easeFrom  = 0.02 // N; less is no contact
)

// easeClock is the machine's, but in tests.
var easeClock = time.Now

// SetValues publishes a value for every key.
func (s *Session) SetValues(v []float64) {
	for _, h := range s.hands() {
		h.ease(&s.loops)
	}
	s.Running.SetValues(v)
}

// ease begins anew where there is force on a hand, and gives the servo its parameters.
func (h *hand) ease(loops *failsafe.Group) {
	e := &h.easing
	e.Lock()
	defer e.Unlock()
	if force := h.servo.Stats().Force.Len(); h.tuning.motors && force > easeFrom {
		e.from, e.begun = force, easeClock()
		if !e.on {
			e.on = true
			loops.Go(h.rise)
		}
	}
	h.tune()
}

// tune gives the servo the parameters with the limit as it is now; the lock is held.
func (h *hand) tune() {
	p, e := h.tuning.live, &h.easing
	if e.on {
		most := e.from + p.MaxForce*float64(easeClock().Sub(e.begun))/float64(easeTime)
		e.on = most < p.MaxForce
		p.MaxForce = min(most, p.MaxForce)
	}
	h.servo.SetParams(p)
}

// rise lifts the limit until it is what the panel says.
func (h *hand) rise() {
	tick := time.NewTicker(easeEvery)
	defer tick.Stop()
	for on := true; on; {
		<-tick.C
		h.easing.Lock()
		h.tune()
		on = h.easing.on
		h.easing.Unlock()
	}
}
