package batch

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/frame"
)

// shelf is a world whose tool goes half a millimetre in an increment and no deeper than 3 mm.
type shelf struct {
	physics.World // nil: the rest is not called
	at            frame.Pose
	steps         int
}

func (s *shelf) Info() *physics.Info {
	return &physics.Info{Start: frame.Identity(), Surfaces: []physics.SurfaceInfo{{Name: "tool", Driven: true}, {Name: "board"}}}
}

func (s *shelf) Keys() []physics.Key { return []physics.Key{{Name: "friction"}} }

func (s *shelf) Step(in physics.Input) physics.Report {
	s.steps++
	way := in.Target.Position.Sub(s.at.Position)
	if n := way.Len(); n > 5e-4 {
		way = way.Mul(5e-4 / n)
	}
	s.at.Position = s.at.Position.Add(way)
	s.at.Position[1] = max(s.at.Position[1], -3e-3)
	s.at.Rotation = in.Target.Rotation
	return physics.Report{Reached: s.at == in.Target, Stylus: s.at}
}

// A path that a tool cannot follow ends in bounded work, with every step told: how far it is behind
// in each, and in one line which body holds it, from which step on, how far, and a cure.
func TestAPathThatCannotBeFollowed(t *testing.T) {
	var path []mgl64.Vec3
	for k := 1; k <= 60; k++ {
		path = append(path, mgl64.Vec3{1e-3 * float64(max(0, k-40)), -1e-3 * float64(min(k, 40)), 0})
	}
	for k := range 4 { // and back: it comes again
		path = append(path, mgl64.Vec3{0, -1e-3 * float64(3-k), 0})
	}
	w := &shelf{at: frame.Identity()}
	var held Held
	var last *Step
	err := Along(t.Context(), w, Unturned(path), false, func(s *Step) error {
		held.Add(s)
		last = s
		if want := math.Max(0, -3e-3-s.Offset.Position[1]); s.Held != (want > 0) || s.Behind < want-1e-12 || s.Behind > 1.01*want {
			t.Errorf("step %d: held %v, %g m behind, want %g", s.Number, s.Held, s.Behind, want)
		}
		return nil
	})
	if err != nil || last.Number != len(path) || held.Steps != 57 || held.First != 4 {
		t.Errorf("%v, %d steps of %d, %+v", err, last.Number, len(path), held)
	}
	if w.steps > 2*patience+leastPatience*len(path)+200 {
		t.Errorf("%d increments", w.steps)
	}
	if line := held.Err(w).Error(); !strings.HasPrefix(line, "board holds the tool back in 57 steps of the path: in step 4, the first, by 1 mm (cure: ") || strings.Contains(line, "\n") {
		t.Errorf("%q", line)
	}
	if new(Held).Err(w) != nil {
		t.Error("nothing is held, and told")
	}
}

// clockwork is a world in time: it moves in steps of h, and notes where the hand was in each.
type clockwork struct {
	physics.World
	h     float64
	hand  []float64
	stops int // step from which on it stands
	why   error
}

func (c *clockwork) Info() *physics.Info {
	return &physics.Info{Start: frame.Identity(), Advances: true}
}
func (c *clockwork) OwnStep() float64 { return c.h }
func (c *clockwork) Step(in physics.Input) physics.Report {
	if in.Deadline != nil {
		panic("a batch has no deadline")
	}
	if c.hand = append(c.hand, in.Target.Position[0]); c.stops > 0 && len(c.hand) >= c.stops {
		return physics.Report{Stopped: c.why}
	}
	return physics.Report{Advanced: c.h}
}

// What is printed changes nothing: the hand is where its path is in every step of the world, the
// state that is printed is that of the first step at or after the time asked for, the end is
// printed, and times are the world's own.
func TestPrintingChangesNothing(t *testing.T) {
	hand := func(t float64) mgl64.Vec3 { return mgl64.Vec3{math.Sin(40 * t), 0, 0} }
	run := func(h, seconds, every float64) (hand64, times []float64) {
		w := &clockwork{h: h}
		err := InTime(t.Context(), w, &Clock{Seconds: seconds, Every: every}, hand, func(t float64, due bool, _ *physics.Report) error {
			if due {
				times = append(times, t)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return w.hand, times
	}
	for _, h := range []float64{1e-3, 1. / 30, 3e-3, 1.7e-5} {
		first, _ := run(h, 1, 0.01)
		for _, every := range []float64{0.001, 0.05, 0.3, 1, 3} {
			got, times := run(h, 1, every)
			if len(got) != len(first) {
				t.Fatalf("step %g, every %g: %d steps, want %d", h, every, len(got), len(first))
			}
			for i := range got {
				if got[i] != first[i] {
					t.Fatalf("step %g, every %g: the hand is at %g in step %d, want %g", h, every, got[i], i, first[i])
				}
			}
			last := times[len(times)-1]
			if last < 1-1e-9 || last >= 1+h {
				t.Errorf("step %g, every %g: ends at %g s", h, every, last)
			}
			for k, at := range times[:len(times)-1] {
				if n := at / every; h < every && (n-math.Floor(n+1e-9))*every >= h*(1+1e-6) || k > 0 && at <= times[k-1] {
					t.Errorf("step %g, every %g: printed at %g s", h, every, at)
				}
			}
		}
	}
	if _, times := run(1e-3, 200, 3); len(times) != 67 || times[66] != 200 || times[0] != 3 {
		t.Errorf("200 s every 3: %v", times)
	}
	// A world that stands still ends the walk, and says why.
	why := errors.New("crushed")
	for _, c := range []*clockwork{{h: 1e-3, stops: 5, why: why}, {h: 1e-3, stops: 5}} {
		err := InTime(t.Context(), c, &Clock{Seconds: 1, Every: 0.1}, nil, func(float64, bool, *physics.Report) error { return nil })
		if err == nil || !strings.Contains(err.Error(), "stands still after 0.004 s") || c.why != nil && !errors.Is(err, why) || len(c.hand) > 5+standing {
			t.Errorf("%v after %d steps", err, len(c.hand))
		}
	}
}

// How often is a hundred times where it is not said.
func TestClockHasAPeriod(t *testing.T) {
	if c := (Clock{Seconds: 5}); c.Check() != nil || c.Every != 0.05 {
		t.Errorf("%+v", c)
	}
	if c := (Clock{Every: 0.05}); c.Check() == nil {
		t.Error("a period of no time")
	}
}
