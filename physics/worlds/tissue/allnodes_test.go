package tissue

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/scene"
	"hapco/physics/frame"
)

// Of small bodies that touch each other or themselves detection knows how far
// they have come: no node farther than it says, and some as far. What it leaves
// out for that is what a search without any memory does not find either.
func TestBodiesKnownAsAWhole(t *testing.T) {
	for name, world := range map[string]func(t *testing.T) *World{
		"squares": func(t *testing.T) *World { return worldOf(t, fmt.Sprintf(squares, 33.0)) },
		"bars":    func(t *testing.T) *World { return worldOf(t, crossedBars("full", 60)) },
		"loop":    loopWorld,
	} {
		t.Run(name, func(t *testing.T) {
			w := world(t)
			start := w.StartPose()
			before := make([][]mgl64.Vec3, len(w.bodies))
			now := make([][]mgl64.Vec3, len(w.bodies))
			travel := make([]float64, len(w.bodies))
			for i, b := range w.bodies {
				before[i], now[i] = make([]mgl64.Vec3, len(b.rest)), make([]mgl64.Vec3, len(b.rest))
				b.fill(before[i], &w.fillWork)
			}
			contacts, exact, moving := 0, 0, 0
			for step := range 120 {
				s := float64(step)
				d := mgl64.Vec3{2e-3 * math.Sin(s/9), -min(2e-4*s, 1.2e-2) - 1e-3*math.Sin(s/7), 1e-3 * math.Cos(s/11)}
				q := mgl64.QuatRotate(0.04*math.Sin(s/8), mgl64.Vec3{0, 1, 0})
				if name != "loop" {
					d[1] /= 10
				}
				switch step {
				case 40:
					w.bodies[1].setYoung(1.5 * w.bodies[1].young)
				case 80:
					w.Reset()
				}
				w.Step(frame.Pose{Position: start.Position.Add(d), Rotation: q.Mul(start.Rotation)})
				contacts += len(w.contacts)

				restore := remembered(w)
				w.detect()
				got := ids(w)
				for i, b := range w.bodies {
					b.fillConfiguration(now[i], &b.deformed.now, &b.flexibility, &w.fillWork)
					farthest := 0.0
					for k, x := range now[i] {
						farthest = max(farthest, x.Sub(before[i][k]).Len())
						if b.deformed.seen[k] == b.deformed.state && !(b.deformed.position[k].Sub(x).Len() <= 1e-13) {
							t.Fatalf("step %d, body %d: node %d is not where all nodes have it", step, i, k)
						}
					}
					bound := b.deformed.travel - travel[i]
					if step != 80 && !(farthest <= bound*(1+1e-9)+1e-13) { // Reset forgets
						t.Fatalf("step %d, body %d: a node moved by %g m, bound %g", step, i, farthest, bound)
					}
					if b.flexibility.elastic() && farthest > 1e-7 {
						moving++
						if bound < 1.01*farthest {
							exact++
						}
					}
					travel[i] = b.deformed.travel
					copy(before[i], now[i])
				}
				restore()
				for i := range w.directions {
					for k := range w.directions[i].memory {
						w.directions[i].memory[k].far = 0
					}
				}
				for i := range w.bodyPairs {
					w.bodyPairs[i].listAgain()
				}
				w.detect()
				lost := 0
				for i := range w.contacts {
					c := &w.contacts[i]
					if slices.Contains(got, c.id) {
						continue
					}
					// beside a rim a node counts as inside a little farther away, when it is looked at
					lost++
					p := &w.directions[c.direction]
					if d := w.bodies[p.impactor].pointOf(&c.p).Sub(w.bodies[p.obstacle].pointOf(&c.q)).Len(); !(d > w.params.DDCTolerance) {
						t.Fatalf("step %d: contact %d at %g m was not found", step, c.id, d)
					}
				}
				if want := len(w.contacts); lost == 0 && len(got) != want || lost > max(1, want/20) {
					t.Fatalf("step %d: %d contacts, %d without memory, %d not among the first", step, len(got), want, lost)
				}
				restore()
			}
			if contacts < 100 || moving < 60 || exact < moving*9/10 {
				t.Errorf("%d contacts, exact in %d of %d steps", contacts, exact, moving)
			}
		})
	}
}

func loopWorld(t *testing.T) *World {
	t.Helper()
	s, err := scene.Load("loop-linear")
	if err != nil {
		t.Fatal(err)
	}
	w, _, err := New(context.Background(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return w
}
