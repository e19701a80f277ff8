package app

import (
	"sync"
	"testing"
	"time"

	"hapco/haptics"
	"hapco/haptics/virtual"
)

// limitServo keeps the limits of force that it is given.
type limitServo struct {
	haptics.Servo
	sync.Mutex
	force  float64
	limits []float64
	at     []time.Time
}

func (s *limitServo) SetParams(p haptics.Params) {
	s.Lock()
	defer s.Unlock()
	s.limits, s.at = append(s.limits, p.MaxForce), append(s.at, time.Now())
}

func (s *limitServo) Stats() (st haptics.Stats) {
	s.Lock()
	defer s.Unlock()
	st.Force[1] = s.force
	return st
}

func (s *limitServo) last() float64 {
	s.Lock()
	defer s.Unlock()
	return s.limits[len(s.limits)-1]
}

// A change in contact first limits the force to what it is, and then lets it rise by no
// more than the largest force in easeTime, up to what the panel says, which shows nothing
// of it. Another change begins anew; without contact, or without motors, nothing is eased.
func TestForceRisesSlowlyAfterAChange(t *testing.T) {
	const most = 2.5
	f := &limitServo{force: 0.5}
	limits := virtual.Devices["touch"]
	s := &Session{hand: hand{servo: f, tuning: tuning{limits: limits, most: most, motors: true}}}
	p := haptics.DefaultParams(limits, 1000)
	p.MaxForce = most
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	s.Servo().SetParams(p)
	if got := f.last(); got > 0.5+most*time.Since(began).Seconds()/easeTime.Seconds() {
		t.Errorf("the change begins with a limit of %g N", got)
	}
	if got := s.Servo().Params().MaxForce; got != most {
		t.Errorf("the panel shows %g N", got)
	}
	for end := time.Now().Add(time.Minute); f.last() != most; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the limit stays at %g N", f.last())
		}
	}
	s.loops.Wait()
	for i, limit := range f.limits {
		if highest := 0.5 + most*f.at[i].Sub(began).Seconds()/easeTime.Seconds(); limit > highest {
			t.Errorf("%g N after %v, at most %g", limit, f.at[i].Sub(began), highest)
		}
		if i > 0 && limit < f.limits[i-1] {
			t.Errorf("the limit falls from %g to %g N", f.limits[i-1], limit)
		}
	}
	f.force = 1
	began = time.Now()
	s.ease(&s.loops)
	if got := f.last(); got < 1 || got > 1+most*time.Since(began).Seconds()/easeTime.Seconds() {
		t.Errorf("the next change begins with a limit of %g N", got)
	}
	s.loops.Wait()
	for name, change := range map[string]func(){
		"without contact": func() { f.force = 0.001 },
		"without motors":  func() { f.force, s.tuning.motors = 1, false },
	} {
		f.force, s.tuning.motors = 1, true
		change()
		if s.ease(&s.loops); f.last() != most {
			t.Errorf("%s the limit is %g N", name, f.last())
		}
	}
}
