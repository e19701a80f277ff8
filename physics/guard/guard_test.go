package guard

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
		s.since = time.Now()
	}
}

func (s *source) released() bool { return time.Since(s.since) >= s.takes }

func again() { all.over = false }

func TestLetGoWaitsForTheDevices(t *testing.T) {
	defer again()
	quick, slow := &source{}, &source{takes: 3 * time.Millisecond}
	defer Hold(quick.release, quick.released)()
	drop := Hold(slow.release, slow.released)
	began := time.Now()
	if !LetGo() || time.Since(began) < slow.takes || quick.asked.Load() != 1 {
		t.Errorf("let go after %v, asked %d times", time.Since(began), quick.asked.Load())
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
	began = time.Now()
	if LetGo() || time.Since(began) < Patience {
		t.Errorf("a device that does not answer was waited for %v", time.Since(began))
	}
}

// A machine that stops the program takes the time of the devices as well.
func TestStalledMachine(t *testing.T) {
	defer again()
	looked := 0
	defer Hold(func() {}, func() bool {
		if looked++; looked == 1 {
			time.Sleep(2 * Patience)
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
