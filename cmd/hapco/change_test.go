package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"hapco/cmd/hapco/internal/app"
	"hapco/physics"
	"hapco/physics/machinery/testkit"
)

func opens(t *testing.T, device string) *runCommand {
	t.Helper()
	return &runCommand{SceneFlags: app.SceneFlags{Scene: "bench-a-16"}, DeviceFlags: app.DeviceFlags{Device: device, RateHz: 1000}}
}

// However quickly scenes are picked and given up, one of them has the device.
func TestQuickSceneChanges(t *testing.T) {
	c := opens(t, "virtual")
	first, err := c.Load()
	if err != nil {
		t.Fatal(err)
	}
	open := c.opener(first)
	names := []string{"bench-a-16", "bench-c-16", "no-such-scene"}
	var (
		mutex sync.Mutex
		all   []*app.Session
		wait  sync.WaitGroup
	)
	for k := range 24 {
		ctx, cancel := context.WithCancel(context.Background())
		wait.Go(func() {
			s, err := open(ctx, names[k%3], func(float64, string) {})
			if err != nil {
				return
			}
			mutex.Lock()
			all = append(all, s.(*app.Session))
			mutex.Unlock()
			if ctx.Err() != nil {
				s.Close()
			}
		})
		time.Sleep(time.Duration(rand.IntN(40)) * time.Millisecond)
		if rand.IntN(2) == 0 {
			cancel()
		}
		c.taking.Lock()
		mutex.Lock()
		alive := 0
		for _, s := range all {
			if !s.Closed() {
				alive++
			}
		}
		mutex.Unlock()
		c.taking.Unlock()
		if alive > 1 {
			t.Fatalf("%d scenes have the device", alive)
		}
		defer cancel()
	}
	wait.Wait()
	if len(all) == 0 {
		t.Error("no scene was opened")
	}
	for _, s := range all {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A device that does not come back, or a recording that cannot be begun, does not
// leave the next scene dead.
func TestSceneChangeWithoutItsDevice(t *testing.T) {
	d := newHaply(t)
	t.Setenv("HAPLY_URL", "ws"+strings.TrimPrefix(d.URL, "http"))
	dir := filepath.Join(t.TempDir(), "recordings")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	c := opens(t, "haply")
	c.Record = filepath.Join(dir, "r.mcap")
	first, err := c.Load()
	if err != nil {
		t.Fatal(err)
	}
	open := c.opener(first)
	progress := func(float64, string) {}
	old, err := open(context.Background(), "bench-a-16", progress)
	if err != nil {
		t.Fatal(err)
	}
	d.mu.Lock()
	d.away = true
	d.mu.Unlock()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	s, err := open(context.Background(), "bench-c-16", progress)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if !old.Closed() || s.Closed() || s.Pointer() == nil {
		t.Errorf("old closed: %v, new closed: %v, mouse: %v", old.Closed(), s.Closed(), s.Pointer())
	}
	var said []string
	for {
		text, _, ok := s.Servo().Notice()
		if !ok {
			break
		}
		said = append(said, text)
	}
	text := strings.Join(said, "\n")
	if !strings.Contains(text, "haply: ") || !strings.Contains(text, "the mouse holds the stylus") || !strings.Contains(text, "--record") {
		t.Errorf("the window is told %q", text)
	}
	testkit.Eventually(t, "the mouse ticks", func() bool { return s.Haptics().Ticks > 0 })

	// back again: the device is tried anew
	d.mu.Lock()
	d.away = false
	d.mu.Unlock()
	again, err := open(context.Background(), "bench-a-16", progress)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if again.Pointer() != nil {
		t.Error("the device is not taken again")
	}
}

// closing notes that a world was closed.
type closing struct {
	physics.World
	closed int
}

func (w *closing) Close() error { w.closed++; return w.World.Close() }

// A world that gets no session is closed: it may have goroutines, and the threads of
// linear algebra.
func TestWorldWithoutASessionIsClosed(t *testing.T) {
	s, err := physics.Load(beadScene(t))
	if err != nil {
		t.Fatal(err)
	}
	open := func() *closing {
		w, _, err := s.Open(t.Context(), physics.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return &closing{World: w}
	}
	w := open()
	if _, err := app.OpenSession(s.Common(), w, &app.DeviceFlags{Device: "none such", RateHz: 1000}); err == nil || w.closed != 1 {
		t.Errorf("a device that there is not: %v, closed %d times", err, w.closed)
	}
	given, giveUp := context.WithCancel(t.Context())
	giveUp()
	w = open()
	if _, err := opens(t, "mouse").take(given, app.DeviceFlags{Device: "mouse", RateHz: 1000}, s.Common(), w); !errors.Is(err, context.Canceled) || w.closed != 1 {
		t.Errorf("given up: %v, closed %d times", err, w.closed)
	}
}
