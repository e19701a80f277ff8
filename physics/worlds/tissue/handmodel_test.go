package tissue

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/assets"
	"hapco/physics/files/scene"
	"hapco/physics/files/setting"
	"hapco/physics/frame"
	"hapco/physics/local"
	"hapco/physics/numerics/contact"
)

// eachStep drives w along a path and calls look after each increment.
func eachStep(t *testing.T, w *World, offsets []mgl64.Vec3, look func(step int)) {
	t.Helper()
	start := w.StartPose()
	for i, d := range offsets {
		target := frame.Pose{Position: start.Position.Add(d), Rotation: start.Rotation}
		for n := 0; ; n++ {
			reached := w.Step(target)
			look(i + 1)
			if reached {
				break
			}
			if n == 100 {
				t.Fatalf("step %d is not reached", i+1)
			}
		}
	}
}

// parsed builds a world from a scene's text.
func parsed(t *testing.T, text string) *World {
	t.Helper()
	s, err := scene.Parse("test.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	w, _, err := New(context.Background(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// Reaction is the sum of the contact forces on all bodies but the driven one, N.
func (w *World) Reaction() (sum mgl64.Vec3) {
	for i := range w.contacts {
		c := &w.contacts[i]
		f := c.n.Mul(w.r[3*i]).Add(c.t1.Mul(w.r[3*i+1])).Add(c.t2.Mul(w.r[3*i+2]))
		if p := &w.directions[c.direction]; p.impactor != w.driven {
			sum = sum.Add(f)
		}
		if p := &w.directions[c.direction]; p.obstacle != w.driven {
			sum = sum.Sub(f)
		}
	}
	return sum
}

// sameForce compares the hand's force with that of its model, and with what all other
// bodies feel: action equals reaction.
func sameForce(t *testing.T, w *World, m *local.Model, what string) {
	t.Helper()
	w.Model(m)
	force, torque := m.Resultant(m.R)
	wantForce, wantTorque := w.Force()
	size := w.RNorm()
	if !(force.Sub(wantForce).Len() <= 1e-9*size) || !(torque.Sub(wantTorque).Len() <= 1e-9*size) {
		t.Errorf("%s: the model gives %v N and %v N m, the world %v and %v", what, force, torque, wantForce, wantTorque)
	}
	if r := w.Reaction(); !(wantForce.Add(r).Len() <= 1e-9*size) {
		t.Errorf("%s: the hand feels %v N, the other bodies %v", what, wantForce, r)
	}
	if st := w.Stats(); st.HandLeftOut != m.Extra || st.HandLumped != m.Lumped {
		t.Errorf("%s: %d contacts left out and %d lumped, %d and %d by the statistics", what, m.Extra, m.Lumped, st.HandLeftOut, st.HandLumped)
	}
}

// What the hand feels at the pose of a step is the force of that step: on every
// scene and path, with every kind of solver and criterion, with and without a second
// solver.
func TestTheModelHasTheForceOfTheStep(t *testing.T) {
	type choice struct {
		solver    string
		criterion contact.Criterion
		shadow    string
	}
	choices := []choice{{"uzawa", contact.RelativeChange, ""}, {"auto", contact.NaturalMap, "nsgs"}}
	if !testing.Short() {
		choices = append(choices, choice{"auto", contact.RelativeChange, ""})
		for _, criterion := range []contact.Criterion{contact.Physical, contact.NaturalMap, contact.Scaled, contact.SameStatus} {
			choices = append(choices, choice{"nsgs", criterion, ""}, choice{"uzawa", criterion, ""}, choice{"nsgs-newton", criterion, "uzawa"})
		}
	}
	left := 0
	for _, name := range assets.Scenes() {
		if text, err := assets.Scene(name); err != nil || setting.KindOf(text) != "tissue" {
			continue
		}
		if testing.Short() && !slices.Contains([]string{"bench-a-16", "bench-b-66", "liver-linear", "loop-linear", "spatula"}, name) {
			continue
		}
		s, err := scene.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		w, _, err := New(context.Background(), s, nil)
		if err != nil {
			t.Fatal(err)
		}
		var m local.Model
		local.Make(&m, 0)
		for i, c := range choices {
			if name == "organs-linear" && i > 3 {
				break // hundreds of contacts between organs make it slow
			}
			p := w.DefaultParams()
			p.Solver, p.Criterion, p.Shadow = c.solver, c.criterion, c.shadow
			p.MaxIterations = 100 // answers need not be good to be felt
			if err := w.SetParams(p); err != nil {
				t.Fatal(err)
			}
			for _, path := range s.Paths {
				offsets := path.Offsets()
				if testing.Short() && len(offsets) > 20 {
					offsets = offsets[:20]
				}
				w.Reset()
				eachStep(t, w, offsets, func(step int) {
					sameForce(t, w, &m, fmt.Sprintf("%s, %v, path %s, step %d", name, c, path.Name, step))
					left = max(left, m.Extra)
				})
				if t.Failed() {
					return
				}
			}
		}
	}
	if left == 0 {
		t.Error("no model ever left a contact out: the test does not bite")
	}
}

// flatTool is a flat tool of 196 nodes over a block of soft tissue.
const flatTool = `
title = "plate"
about = "a flat tool on a block"
friction = 0.3
[units]
length = "mm"
pressure = "kPa"
[[body]]
name = "tool"
role = "driven"
rigid = true
position = [-3, 0.05, -0.6]
contact_surface = "bottom"
[body.box]
origin = [-20, 0, -20]
size = [40, 4, 40]
elements = [13, 1, 13]
[[body]]
name = "block"
E = 20
nu = 0.4
clamp = "bottom"
contact_surface = "top"
[body.box]
origin = [-40, -40, -40]
size = [80, 40, 80]
elements = [14, 6, 14]
[contact]
tolerance = 1e-5
reduction = 0
ddc_tolerance = 2
anchored = true
normals = "smooth"
`

// More loaded contacts than the model has room for are felt all the same: their
// force at the pose of the step, their stiffness when the hand goes on, and no
// force after it has left.
func TestLoadedContactsBeyondTheModelAreFelt(t *testing.T) {
	w := parsed(t, flatTool)
	var m local.Model
	local.Make(&m, 0)
	lumped := 0
	var path []mgl64.Vec3
	for i := range 8 {
		path = append(path, mgl64.Vec3{5e-5 * float64(i), -2e-4 * float64(i), 0})
	}
	eachStep(t, w, path, func(step int) {
		sameForce(t, w, &m, fmt.Sprint("step ", step))
		lumped = max(lumped, m.Lumped)
	})
	if lumped < 20 {
		t.Fatalf("%d lumped contacts: the test does not bite", lumped)
	}

	solver, err := contact.New("auto")
	if err != nil {
		t.Fatal(err)
	}
	opt := contact.DefaultOptions()
	opt.Tolerance = 1e-7
	felt := func(move mgl64.Vec3) mgl64.Vec3 {
		q, r := make([]float64, 3*m.N), append([]float64(nil), m.R...)
		d := [6]float64{move[0], move[1], move[2]}
		m.Shift(q[:3*m.N], &d)
		p := contact.Problem{N: m.N, W: m.W, Q: q[:3*m.N], Mu: m.Mu}
		solver.Solve(&p, r, &opt)
		f, _ := m.Resultant(r)
		return f
	}
	before, _ := w.Force()
	if f := felt(mgl64.Vec3{}); f.Sub(before).Len() > 1e-3*before.Len() {
		t.Errorf("solved at the pose of the step: %v N, the step gave %v", f, before)
	}
	if f := felt(mgl64.Vec3{0, 0.02, 0}); f.Len() > 1e-9 {
		t.Errorf("20 mm above: %v N", f)
	}
	deeper := mgl64.Vec3{0, -2e-4, 0}
	guess := felt(deeper)
	eachStep(t, w, []mgl64.Vec3{path[len(path)-1].Add(deeper)}, func(int) {})
	after, _ := w.Force()
	if rise := after.Sub(before).Len(); !(guess.Sub(after).Len() <= 0.1*rise) {
		t.Errorf("0.2 mm deeper: %v N by the model, %v by the next step, from %v", guess, after, before)
	}

	if a := testing.AllocsPerRun(5, func() { w.Model(&m) }); a != 0 {
		t.Errorf("%g allocations", a)
	}
	// the lump's row and column are alike, as W must be
	for i := range 3 * m.N {
		for j := range i {
			a, b := m.W[i*3*m.N+j], m.W[j*3*m.N+i]
			if math.Abs(a-b) > 1e-9*math.Abs(a) {
				t.Fatalf("W[%d,%d] is %g, the other way %g", i, j, a, b)
			}
		}
	}
}
