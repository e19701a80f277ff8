package servo

import (
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"
)

// counting is a device that counts what it is told.
type counting struct {
	fake
	writes int
}

func (d *counting) Write(f mgl64.Vec3) error { d.writes++; return d.fake.Write(f) }

// While the servo's thread is silent its last force is not told again as if it
// were new: nothing is told at first, then ever less, then zero.
func TestSilentServoFades(t *testing.T) {
	dev := new(counting)
	s, err := New(dev, 1000)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	clock := time.Now()
	s.now = func() time.Time { return clock }
	say := func(newtons int) { // as a tick does
		w := &s.mail.wrench[s.mail.out.write]
		for i := range w {
			w[i] = 0
		}
		for range newtons {
			w[1]++
		}
		publish(&s.mail.out)
	}
	s.exchange()
	if dev.felt() != 0 {
		t.Errorf("%g N before the first tick", dev.felt())
	}
	say(3)
	s.exchange()
	if dev.felt() != 3 {
		t.Fatalf("%g N, want 3", dev.felt())
	}
	was := dev.writes
	for range 5 {
		clock = clock.Add(silentAfter / 10)
		s.exchange()
	}
	if dev.writes != was || dev.felt() != 3 {
		t.Errorf("an old force was told %d times again, %g N", dev.writes-was, dev.felt())
	}
	last := 3.0
	for age := silentAfter + silentFade/8; age < silentAfter+silentFade; age += silentFade / 8 {
		clock = s.heard.Add(age)
		s.exchange()
		want := 3 * (1 - (age-silentAfter).Seconds()/silentFade.Seconds())
		if f := dev.felt(); !(f < last) || math.Abs(f-want) > 1e-12 {
			t.Errorf("%g N after %v, %g N before, want %g", f, age, last, want)
		}
		last = dev.felt()
	}
	clock = s.heard.Add(silentAfter + silentFade)
	s.exchange()
	if dev.felt() != 0 {
		t.Errorf("%g N in the end", dev.felt())
	}
	say(2)
	s.exchange()
	if dev.felt() != 2 {
		t.Errorf("%g N once the servo is back", dev.felt())
	}
	s.Release()
	s.exchange()
	if dev.felt() != 0 || !s.zero.Load() {
		t.Errorf("%g N although released", dev.felt())
	}
}

// Stop before Run has begun is safe: Run then does nothing to a closed device.
func TestStopBeforeRun(t *testing.T) {
	dev := new(counting)
	s, err := New(dev, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Stop(); err != nil || !dev.closed.Load() {
		t.Errorf("Stop: %v, closed %v", err, dev.closed.Load())
	}
	if err := s.Run(); err != nil || dev.writes != 0 || s.Stats().Ticks != 0 {
		t.Errorf("Run after Stop: %v, %d writes, %d ticks", err, dev.writes, s.Stats().Ticks)
	}
	if !s.abandoned() {
		t.Error("nothing pushes, but it would be waited for")
	}
}
