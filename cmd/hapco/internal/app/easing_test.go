package app

import (
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hapco/haptics"
	"hapco/haptics/virtual"
	"hapco/physics/machinery/testkit"
)

// limitServo keeps the limits of force that it is given.
type limitServo struct {
	haptics.Servo
	sync.Mutex
	force  float64
	limits []float64
}

func (s *limitServo) SetParams(p haptics.Params) {
	s.Lock()
	defer s.Unlock()
	s.limits = append(s.limits, p.MaxForce)
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
	begin := time.Now()
	var passed atomic.Int64
	easeClock = func() time.Time { return begin.Add(time.Duration(passed.Load())) }
	defer func() { easeClock = time.Now }()
	f := &limitServo{force: 0.5}
	limits := virtual.Devices["touch"]
	s := &Session{hand: hand{servo: f, tuning: tuning{limits: limits, most: most, motors: true}}}
	p := haptics.DefaultParams(limits, 1000)
	p.MaxForce = most
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	s.Servo().SetParams(p)
	if got := f.last(); got != 0.5 {
		t.Errorf("the change begins with a limit of %g N", got)
	}
	if got := s.Servo().Params().MaxForce; got != most {
		t.Errorf("the panel shows %g N", got)
	}
	for step := 1; step <= 4; step++ {
		passed.Add(int64(easeTime / 4))
		want := min(most, 0.5+most*float64(step)/4)
		testkit.Eventually(t, "the limit rises", func() bool { return math.Abs(f.last()-want) < 1e-9 })
	}
	s.loops.Wait()
	for i := 1; i < len(f.limits); i++ {
		if f.limits[i] < f.limits[i-1] {
			t.Errorf("the limit falls from %g to %g N", f.limits[i-1], f.limits[i])
		}
	}
	f.force = 1
	s.ease(&s.loops)
	if got := f.last(); got != 1 {
		t.Errorf("the next change begins with a limit of %g N", got)
	}
	passed.Add(int64(easeTime))
	s.loops.Wait()
	for name, change := range map[string]func(){
		"without contact": func() { f.force = 0.001 },
		"without motors":  func() { f.force, s.tuning.motors = 1, false },
	} {
		f.force, s.tuning.motors = 1, true
		change()
		passed.Add(int64(easeTime))
		if s.ease(&s.loops); f.last() != most {
			t.Errorf("%s the limit is %g N", name, f.last())
		}
	}
}
