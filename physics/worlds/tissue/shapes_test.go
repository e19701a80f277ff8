package tissue

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/frame"
	"hapco/physics/local"
	"hapco/physics/machinery/latest"
	"hapco/physics/machinery/testkit"
)

// The shapes that a large world shows beside its steps are, once it rests, those
// of the last step.
func TestShapesAreShownBesideTheSteps(t *testing.T) {
	w := probedWorld(t)
	start := w.StartPose()
	var hand sync.Mutex
	pose := start
	models := latest.New(func(m *local.Model) { local.Make(m, 0) })
	r := NewRunner(w, models, func() (frame.Pose, frame.Pose, uint64) {
		hand.Lock()
		defer hand.Unlock()
		return pose, pose, 1
	})
	r.shapes.prepare(w, 0)
	ctx, cancel := context.WithCancel(context.Background())
	var loop sync.WaitGroup
	loop.Go(func() { r.Run(ctx) })
	defer loop.Wait()
	defer cancel()

	seen := 0
	wait := func(what string, ok func(*Snapshot) bool) {
		t.Helper()
		testkit.Eventually(t, what, func() bool {
			s, newer := r.Snapshots().Get()
			if !newer {
				return false
			}
			seen++
			for i, b := range s.Surfaces {
				if len(b.Vertices) != len(w.bodies[i].rest) {
					t.Fatalf("body %d has %d positions", i, len(b.Vertices))
				}
			}
			return ok(s)
		})
	}
	wait("a snapshot", func(*Snapshot) bool { return true })
	hand.Lock()
	pose.Position = pose.Position.Add(mgl64.Vec3{0, -0.004, 0})
	hand.Unlock()
	wait("contacts on the shapes", func(s *Snapshot) bool {
		if len(s.Contacts) == 0 || s.Force[1] < 0.1 {
			return false
		}
		for _, c := range s.Contacts {
			if c.P.Sub(s.Surfaces[0].Vertices[c.Node]).Len() > 1e-9 {
				return false
			}
			// Q lies on the surface that is shown
			if !slices.ContainsFunc(s.Surfaces[1].Vertices, func(x mgl64.Vec3) bool { return c.Q.Sub(x).Len() < 0.008 }) {
				return false
			}
		}
		return true
	})
	hand.Lock()
	pose = start
	hand.Unlock()
	wait("the start again", func(s *Snapshot) bool {
		for k, x := range s.Surfaces[0].Vertices {
			if x.Sub(start.Position.Add(w.bodies[0].rest[k])).Len() > 1e-9 {
				return false
			}
		}
		return s.Force.Len() == 0
	})
	if seen < 5 {
		t.Errorf("%d snapshots", seen)
	}
}

func TestShapeOrdersAllocateNothing(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector allocates")
	}
	w := probedWorld(t)
	var d shaping
	d.prepare(w, 0)
	var s Snapshot
	w.Snapshot(&s)
	start := w.StartPose()
	i := 0
	run := func() {
		i++
		w.Step(frame.Pose{Position: start.Position.Add(mgl64.Vec3{0, -0.003 - 0.0001*float64(i%5), 0}), Rotation: start.Rotation})
		d.last = time.Time{}
		d.exchange(w, &s)
		w.fillContacts(&s)
	}
	for range 50 {
		run()
	}
	if n := testing.AllocsPerRun(50, run); n != 0 {
		t.Errorf("%g allocations", n)
	}
}
