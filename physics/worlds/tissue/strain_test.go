package tissue

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/collision"
	"hapco/physics"
	"hapco/physics/files/scene"
	"hapco/physics/machinery/testkit"
	"hapco/physics/numerics/fem"
)

func loadWorld(t *testing.T, name string, set ...string) *World {
	t.Helper()
	if testkit.Race {
		t.Skip("one goroutine, many steps")
	}
	s, err := scene.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, assignment := range set {
		if err := scene.Set(s, assignment); err != nil {
			t.Fatal(err)
		}
	}
	w, _, err := New(context.Background(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// gesture calls see after every half millimetre of a way through offsets from the
// start, mm.
func gesture(t *testing.T, w *World, way []mgl64.Vec3, see func(offset mgl64.Vec3)) {
	t.Helper()
	var at mgl64.Vec3
	for _, to := range way {
		from := at
		steps := math.Ceil(to.Sub(from).Len() / 0.5)
		for i := 1.0; i <= steps; i++ {
			at = from.Add(to.Sub(from).Mul(i / steps))
			pose := w.StartPose()
			pose.Position = pose.Position.Add(at.Mul(1e-3))
			for n := 0; !w.Step(pose) && w.held.spring.Stiffness == 0; n++ {
				if n == 1000 {
					t.Fatalf("the stylus does not come to %v mm", at)
				}
			}
			see(at)
		}
		at = to
	}
}

// turnedOver tells whether a facet at x, y, z, world, points the other way than at
// rest.
func (b *body) turnedOver(facet int32, x, y, z mgl64.Vec3) bool {
	axis := &b.strains.rest[facet].axis
	return collision.FaceNormal(x, y, z).Dot(b.deformed.now.rotation.Mul3x1(axis[0].Cross(axis[1]))) < 0
}

// turned counts the facets of soft bodies that have turned over.
func (w *World) turned(s *Snapshot) (n int) {
	w.Snapshot(s)
	for i, b := range w.bodies {
		x := s.Surfaces[i].Vertices
		for f, t := range b.facets.triangles {
			if b.flexibility.elastic() && b.turnedOver(int32(f), x[t[0]], x[t[1]], x[t[2]]) {
				n++
			}
		}
	}
	return n
}

// Pressed deep, dragged far and lifted, the organ lets go of the tool: linear
// elasticity without limits folds its surface over and hooks it onto the probe.
func TestTheOrganLetsGo(t *testing.T) {
	for _, c := range []struct {
		scene       string
		deep, slide float64 // mm
		friction    string
	}{
		{"liver-linear", 20, 30, "0.3"}, {"liver-linear", 25, 15, "0"}, {"liver-linear", 30, 50, "0.9"},
		{"organs-linear", 31, -40, "0.57"}, {"liver-stomach-linear", 28, 45, "0.9"},
	} {
		if testing.Short() && c.deep > 25 {
			continue
		}
		w := loadWorld(t, c.scene, "friction="+c.friction)
		w.Hang(freeHand)
		press, most, turned, frames := 0.0, 0.0, 0, 0
		var s Snapshot
		way := []mgl64.Vec3{{0, -c.deep, 0}, {c.slide, -c.deep, 0}, {c.slide, 60, 0}, {c.slide, 70, 0}}
		gesture(t, w, way, func(at mgl64.Vec3) {
			f, _ := w.Force()
			most = max(most, f.Len())
			if at[0] == 0 {
				press = max(press, f.Len())
			}
			frames++
			if w.turned(&s) > 0 {
				turned++
			}
		})
		f, _ := w.Force()
		st := w.Stats()
		if f.Len() != 0 || st.Stick+st.Slip+st.Limited != 0 {
			t.Errorf("%v: %v N after the lift, %+v", c, f, st)
		}
		for i, b := range w.bodies {
			for k, x := range s.Surfaces[i].Vertices {
				if rest := b.rotation.Mul3x1(b.rest[k]).Add(b.pose.Position); x.Sub(rest).Len() > 1e-6 {
					t.Errorf("%v: node %d of %s is %g m from its place at rest", c, k, b.info.Name, x.Sub(rest).Len())
					break
				}
			}
		}
		if !(press > 1) || !(most < 1.01*freeHand.Limit) {
			t.Errorf("%v: %g N, pressed %g N", c, most, press)
		}
		if turned > 1+frames/1000 {
			t.Errorf("%v: facets had turned over in %d of %d frames", c, turned, frames)
		}
	}
}

// The limits are forces inside the body: together with the contacts they leave its
// equilibrium as it is, and they hold the surface above the limit.
func TestStrainLimitsHold(t *testing.T) {
	w := loadWorld(t, "liver-linear", "friction=0.6")
	limited, least := 0, 1.0
	gesture(t, w, []mgl64.Vec3{{0, -26, 0}, {14, -26, 30}}, func(mgl64.Vec3) {
		limited = max(limited, w.Stats().Limited)
		felt, _ := w.Force()
		for i, b := range w.bodies {
			if i == w.driven {
				continue
			}
			var sum mgl64.Vec3
			for k := range b.active.nodes {
				sum = sum.Add(mgl64.Vec3(b.force[3*k : 3*k+3]))
			}
			sum = b.rotation.Mul3x1(sum).Mul(b.young)
			if sum.Add(felt).Len() > 1e-9*(1+felt.Len()) {
				t.Fatalf("the hand feels %v N, the organ %v", felt, sum)
			}
			for f := range b.facets.triangles {
				least = min(least, b.leastStretch(int32(f), 2))
			}
		}
	})
	if limited == 0 {
		t.Error("no facet came to its limit")
	}
	if !(least > 0.05) {
		t.Errorf("a facet was compressed to %g of its length, the limit is %g", least, 1-w.strainLimit)
	}
}

// What lies on a lobe that is lifted from beneath would hang there: the watch sees
// it, and sets the tool free.
func TestAdhesionIsSeenAndHeals(t *testing.T) {
	w := loadWorld(t, "organs-linear", "friction=0.57")
	w.Hang(freeHand)
	pulled := 0
	gesture(t, w, []mgl64.Vec3{{0, -30, 0}, {13, -30, 38}, {13, -30, 0}, {0, 60, 0}}, func(at mgl64.Vec3) {
		if f, _ := w.Force(); at[1] > 5 && f[1] < -0.05 {
			pulled++
		}
	})
	if pulled > 50 {
		t.Errorf("pulled for %d steps", pulled)
	}
	f, _ := w.Force()
	if f.Len() != 0 {
		t.Errorf("%v N in the end", f)
	}
}

// Clear of the shape at rest, a force that leads the tool back there is a pull, and so is one
// that holds it back on its way from there, though it leads to the side: tissue that clings to
// a tool that leaves along a slope.
func TestWhatHoldsALeavingToolBackPulls(t *testing.T) {
	w := loadWorld(t, "liver-linear")
	const index = 1
	tool, organ := w.bodies[w.driven], w.bodies[index]
	from := tool.deformed.now.origin
	for _, c := range []struct {
		force, moved mgl64.Vec3
		want         bool
	}{
		{force: mgl64.Vec3{0, -1, 0}, want: true},
		{force: mgl64.Vec3{0, 1, 0}},
		{force: mgl64.Vec3{-1, 0.1, 0}, moved: mgl64.Vec3{1e-3, 1e-3, 0}, want: true},
		{force: mgl64.Vec3{-1, 0.1, 0}, moved: mgl64.Vec3{1e-3, -1e-3, 0}}, // back towards the organ
		{force: mgl64.Vec3{-1, 0.1, 0}, moved: mgl64.Vec3{-1e-3, 1e-3, 0}}, // pushed on
	} {
		w.adhesion.forget()
		w.adhesion.force[index] = c.force
		tool.deformed.last.origin = from.Sub(c.moved)
		if got := w.pulls(index, organ); got != c.want {
			t.Errorf("force %v, moved by %v: pulls %v", c.force, c.moved, got)
		}
	}
}

// Without limits the body is linear to the letter.
func TestNoStrainLimit(t *testing.T) {
	with, without := loadWorld(t, "liver-linear"), loadWorld(t, "liver-linear", "contact.strain_limit=0")
	var a, b []mgl64.Vec3
	way := []mgl64.Vec3{{0, -9, 0}} // 3 mm deep
	gesture(t, with, way, func(mgl64.Vec3) { f, _ := with.Force(); a = append(a, f) })
	gesture(t, without, way, func(mgl64.Vec3) { f, _ := without.Force(); b = append(b, f) })
	for i := range a {
		if a[i] != b[i] {
			t.Fatalf("step %d: %v N with limits that nothing comes near, %v N without", i, a[i], b[i])
		}
	}
	if !(a[len(a)-1].Len() > 0.1) {
		t.Errorf("%v N", a[len(a)-1])
	}
}

// A step that has no time left ends with forces that obey both laws, says so, and
// the next goes on from them.
func TestDeadlineEndsASolveWithAdmissibleForces(t *testing.T) {
	w := loadWorld(t, "spatula", "contact.solver=nsgs", "contact.tolerance=1e-9", "contact.deadline=1e-9")
	w.Deadline(physics.AnswersAgain([]uint32{0, 1})) // late whenever it is asked
	late, unsolved := 0, 0
	gesture(t, w, []mgl64.Vec3{{0, -16, 0}, {10, -16, 0}}, func(mgl64.Vec3) {
		st := w.Stats()
		if st.Late {
			late++
			if !st.Solve.Converged {
				unsolved++
			}
		}
		if st.Rounds > 1 {
			t.Fatalf("%d solves in a step without any time", st.Rounds)
		}
		for i := range w.contacts {
			r := w.r[3*i : 3*i+3]
			if r[0] < 0 || math.Hypot(r[1], r[2]) > w.mu[i]*r[0]*(1+1e-9)+1e-15 {
				t.Fatalf("force %v with mu = %g", r, w.mu[i])
			}
		}
	})
	if late == 0 || unsolved == 0 {
		t.Errorf("%d steps were late, %d of them unsolved", late, unsolved)
	}
	w = loadWorld(t, "spatula", "contact.solver=nsgs", "contact.tolerance=1e-9", "contact.deadline=0")
	gesture(t, w, []mgl64.Vec3{{0, -12, 0}}, func(mgl64.Vec3) {
		if w.Stats().Late {
			t.Fatal("late without a deadline")
		}
	})
}

// Deep under the tool linear elasticity turns elements over. That is counted, at
// any strain that comes with it, and gone when the tool is.
func TestStrainsAreCounted(t *testing.T) {
	w := loadWorld(t, "liver-linear")
	most, strain := 0, 0.0
	gesture(t, w, []mgl64.Vec3{{0, -30, 0}}, func(at mgl64.Vec3) {
		n, beyond, e := w.Strains()
		if most = max(most, n); n > 0 && !(e > 0.5) {
			t.Errorf("at %v: %d elements turned over by strains of %g", at, n, e)
		}
		if (beyond > 0) != (e > fem.LinearLimit) || beyond < n {
			t.Errorf("at %v: %d elements turned over, %d beyond a linear body, by strains of %g", at, n, beyond, e)
		}
		strain = max(strain, e)
	})
	if most == 0 || !(strain > 0.5 && strain < 20) {
		t.Errorf("%d elements, strain %g, 24 mm deep", most, strain)
	}
	gesture(t, w, []mgl64.Vec3{{0, 20, 0}}, func(mgl64.Vec3) {})
	if n, beyond, e := w.Strains(); n != 0 || beyond != 0 || e != 0 {
		t.Errorf("after the lift: %d elements, strain %g", n, e)
	}
}

// A body that is compressed far beyond what linear elasticity holds for says so, and
// names what holds.
func TestBeyondLinearIsSuggested(t *testing.T) {
	for compression, want := range map[float64]bool{0.05: false, 0.25: false, 0.4: true} {
		s := Snapshot{Frame: physics.Frame{Numbers: make([]float64, len(numbers))}}
		s.Stats.Compression = compression
		s.Show(&Params{})
		if got := strings.Contains(s.Status, "try scene liver"); got != want {
			t.Errorf("compressed by %g: %q", compression, s.Status)
		}
		s.Stats.Compression, s.Field, s.Beyond = 0, beyondField, 1 // where it is coloured any element is enough
		if s.Show(&Params{}); !strings.Contains(s.Status, "try scene liver") {
			t.Errorf("an element beyond: %q", s.Status)
		}
	}
}

// Deep in tissue most of a small body's nodes are asked for: then all are worked out in
// one product, and as long as the tool only touches, those near it alone.
func TestDeepToolLocatesTheWholeBody(t *testing.T) {
	w := loadWorld(t, "liver-linear", "probe.rotation=[0, 0, 90]")
	whole := func() bool {
		for i, b := range w.bodies {
			if i != w.driven && b.deformed.allNodes.round == w.round && b.deformed.allNodes.round > 0 {
				return true
			}
		}
		return false
	}
	touched, deep := 0, 0
	gesture(t, w, []mgl64.Vec3{{0, -30, 0}}, func(at mgl64.Vec3) {
		switch f, _ := w.Force(); {
		case at[1] > -6 && f.Len() > 0 && whole():
			touched++
		case at[1] < -25 && whole():
			deep++
		}
	})
	if touched > 0 || deep == 0 {
		t.Errorf("all nodes in %d steps that touch, %d deep ones", touched, deep)
	}
}

// A body that is bent is compressed where nothing touches it, too: all facets are
// looked at in turn, and what is compressed is found.
func TestFarFacetsAreLookedAt(t *testing.T) {
	w := loadWorld(t, "liver-linear")
	gesture(t, w, []mgl64.Vec3{{0, -20, 0}}, func(mgl64.Vec3) {})
	b := w.bodies[1]
	s := &b.strains
	found := map[int32]bool{}
	for range (len(s.beat) + patrolled - 1) / patrolled {
		b.gather(0.95)
		for _, f := range s.queue {
			found[f] = true
		}
	}
	compressed := 0
	for f := range s.rest {
		if least, _ := stretches(b.gradient(int32(f))); least < 0.9 {
			compressed++
			if !found[int32(f)] {
				t.Errorf("facet %d is compressed to %.2f, and not found", f, least)
			}
		}
	}
	if compressed == 0 || len(found) > len(s.rest)/2 {
		t.Errorf("%d facets are compressed, and %d of %d looked at", compressed, len(found), len(s.rest))
	}
}

// The hand's model needs contacts that may close soon. A limit of strain may join in the
// next round: solving for all that are near is most of a fast drag's work.
func TestFewStrainLimitsAreSolvedFor(t *testing.T) {
	w := loadWorld(t, "spatula")
	solved, held := 0, 0
	gesture(t, w, []mgl64.Vec3{{0, -20, 0}, {15, -20, 0}}, func(mgl64.Vec3) {
		for i := w.touching; i < len(w.contacts); i++ {
			if w.set.in[i] {
				solved++
			}
			if w.r[3*i] > 0 {
				held++
			}
		}
	})
	t.Log(solved, held)
	if held == 0 || solved > 3*held {
		t.Errorf("solved for %d limits of strain to hold %d", solved, held)
	}
}
