package servo

import (
	"sync/atomic"
	"testing"

	"hapco/haptics"
	"hapco/physics/machinery/testkit"
)

// A panic release holds while it holds; afterwards there is no force in contact
// until the stylus was lifted once.
func TestReleaseAndResume(t *testing.T) {
	dev := new(fake)
	dev.set(0.01)
	s, err := New(dev, 1000)
	if err != nil {
		t.Fatal(err)
	}
	s.SetParams(quickParams(dev))
	ended := make(chan error, 1)
	go func() { ended <- s.Run() }()
	quit := make(chan struct{})
	var stalled atomic.Bool
	done := physics(s, quit, &stalled)
	testkit.Eventually(t, "ramp", func() bool { st := s.Stats(); return st.Ticks > 100 && st.Last.Flags&haptics.Ramping == 0 })
	dev.set(-0.01)
	testkit.Eventually(t, "force", func() bool { return dev.felt() > 1 })
	s.Release()
	testkit.Eventually(t, "release", func() bool { return dev.felt() == 0 && s.Stats().Last.Flags&haptics.Released != 0 })
	ticks(t, s, 50, func() {
		if dev.felt() != 0 || !s.IsReleased() {
			t.Fatalf("%g N while released (%v)", dev.felt(), s.IsReleased())
		}
	})
	s.Resume()
	testkit.Eventually(t, "waiting", func() bool { return s.Stats().Last.Flags&haptics.Waiting != 0 })
	ticks(t, s, 100, func() {
		if dev.felt() != 0 || s.IsReleased() {
			t.Fatalf("%g N in contact right after Resume (%v)", dev.felt(), s.IsReleased())
		}
	})
	dev.set(0.01)
	testkit.Eventually(t, "no more waiting", func() bool { return s.Stats().Last.Flags&(haptics.Waiting|haptics.Ramping) == 0 })
	dev.set(-0.01)
	testkit.Eventually(t, "force again", func() bool { return dev.felt() > 1 })
	close(quit)
	<-done
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
