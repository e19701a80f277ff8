package failsafe

import (
	"sync/atomic"
	"testing"
	"time"
)

// source is a source of force whose device needs some time.
type source struct {
	asked atomic.Int32
	since time.Time
	takes time.Duration
}

func (s *source) release() {
	if s.asked.Add(1) == 1 {
		s.since = clock.now()
	}
}

func (s *source) released() bool { return clock.now().Sub(s.since) >= s.takes }

func again() { all.over = false }

// made puts a clock in the place of the machine's that goes on by sleep alone, and which
// the function that it returns moves.
func made(t *testing.T) (pass func(time.Duration)) {
	machine, now := clock, time.Unix(0, 0)
	pass = func(d time.Duration) { now = now.Add(d) }
	clock.now, clock.sleep = func() time.Time { return now }, pass
	t.Cleanup(func() { clock = machine })
	return pass
}

func TestLetGoWaitsForTheDevices(t *testing.T) {
	defer again()
	made(t)
	quick, slow := &source{}, &source{takes: 3 * time.Millisecond}
	defer Hold(quick.release, quick.released)()
	drop := Hold(slow.release, slow.released)
	began := clock.now()
	if d := func() time.Duration { return clock.now().Sub(began) }; !LetGo() || d() < slow.takes || d() > slow.takes+look || quick.asked.Load() != 1 {
		t.Errorf("let go after %v, asked %d times", d(), quick.asked.Load())
	}
	drop()
	LetGo()
	if slow.asked.Load() != 1 {
		t.Error("a source that is gone was asked")
	}

	dead := &source{takes: time.Hour}
	drop = Hold(dead.release, dead.released)
	defer drop()
	if dead.asked.Load() == 0 {
		t.Error("a source that came after the end may push")
	}
	began = clock.now()
	if LetGo() || clock.now().Sub(began) < Patience || clock.now().Sub(began) > 2*Patience {
		t.Errorf("a device that does not answer was waited for %v", clock.now().Sub(began))
	}
}

// A machine that stops the program takes the time of the devices as well.
func TestStalledMachine(t *testing.T) {
	defer again()
	pass := made(t)
	looked := 0
	defer Hold(func() {}, func() bool {
		if looked++; looked == 1 {
			pass(2 * Patience)
		}
		return looked > 2
	})()
	if !LetGo() {
		t.Errorf("gave up after %d looks", looked)
	}
}

func TestGroup(t *testing.T) {
	var g Group
	var n atomic.Int32
	for range 10 {
		g.Go(func() { n.Add(1) })
	}
	g.Wait()
	if n.Load() != 10 || all.over {
		t.Errorf("%d of 10, over: %v", n.Load(), all.over)
	}
}
