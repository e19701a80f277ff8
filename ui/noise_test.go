package ui

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/machinery/testkit"
)

// What a solver leaves of nothing is not drawn, counted or written.
func TestNoiseIsZero(t *testing.T) {
	s := newFake("x")
	n := noiseOf(s.params.Bodies[1].Young, 3.3, 0.25)
	if !(n.force > 1e-7 && n.force < 1e-5 && n.length > 0 && n.length < 1e-7) {
		t.Fatalf("noise of %g N and %g m", n.force, n.length)
	}
	raw := physics.Frame{Force: mgl64.Vec3{0, 3e-14, 0}}
	raw.Resize(s.info)
	number := func(name string) int { return s.info.Number(name) }
	raw.Numbers[number("sticking")], raw.Numbers[number("sliding")], raw.Numbers[number("open")] = 2, 1, 4
	raw.Numbers[number("shadow.force_N")] = 1e-15
	raw.Contacts = []physics.Contact{
		{ID: 1, Status: physics.Stick, Force: mgl64.Vec3{0, 2e-15, 0}, R: [3]float64{2e-15, 0, 0}, X: [3]float64{5.2e-18, 0, 1e-4}, Residual: [3]float64{2e-15, 0, 0}},
		{ID: 2, Status: physics.Slip, Force: mgl64.Vec3{0, 1e-14, 0}, R: [3]float64{1e-14, 0, 0}},
		{ID: 3, Status: physics.Stick, Force: mgl64.Vec3{0, 0.5, 0}, R: [3]float64{0.5, 1e-13, 0}, X: [3]float64{1e-5, 0, 0}},
	}
	var shown physics.Frame
	n.quiet(&shown, &raw, s.info)
	if shown.Force != (mgl64.Vec3{}) || shown.Numbers[number("shadow.force_N")] != 0 {
		t.Errorf("resultant %v, of the second solver %v", shown.Force, shown.Numbers[number("shadow.force_N")])
	}
	if c := shown.Contacts[0]; c.Status != physics.Open || c.Force != (mgl64.Vec3{}) || c.R != [3]float64{} || c.X != [3]float64{0, 0, 1e-4} || c.Residual != [3]float64{} {
		t.Errorf("a contact of noise shows %+v", c)
	}
	if c := shown.Contacts[2]; c.Status != physics.Stick || c.R != [3]float64{0.5, 0, 0} || c.X[0] != 1e-5 {
		t.Errorf("a contact under load shows %+v", c)
	}
	if o, k, l := shown.Numbers[number("open")], shown.Numbers[number("sticking")], shown.Numbers[number("sliding")]; o != 6 || k != 1 || l != 0 {
		t.Errorf("%g open, %g stick, %g slip", o, k, l)
	}
	if raw.Contacts[0].Status != physics.Stick || raw.Force[1] != 3e-14 {
		t.Error("the session's own frame was changed")
	}
	if !testkit.Race {
		if a := testing.AllocsPerRun(100, func() { n.quiet(&shown, &raw, s.info) }); a != 0 {
			t.Errorf("%g allocations a frame", a)
		}
	}
}

// The picture names no scale of arrows that stand for noise.
func TestNoiseDrawsNoArrows(t *testing.T) {
	path := t.TempDir() + "/x.png"
	s := newFake("x")
	var contacts, resultant float64
	o := &fakeOpener{adjust: func(f *fakeSession) { f.residue = 3e-14; s = f }}
	err := runWindow(t, Options{Scenes: fakeScenes, Scene: "liver", Open: o.open, Seconds: 1, Screenshot: path,
		Script: func(f *Frame) { contacts, resultant = f.app.viewport.render.ForceScales() }})
	if err != nil {
		t.Fatal(err)
	}
	if s.snap.Force.Len() == 0 {
		t.Fatal("the scene has no noise: nothing is tested")
	}
	if contacts != 0 || resultant != 0 {
		t.Errorf("arrows of %g and %g m/N", contacts, resultant)
	}
}

// A tolerance that switches something off is a word, and can be typed as one.
func TestOffIsAWord(t *testing.T) {
	keys := newFake("x").keys
	ddc := controlOf(&keys[physics.Place(keys, "contact.ddc_tolerance")])
	for _, c := range []struct {
		c *control
		v float64
		s string
	}{
		{&ddc, math.Inf(1), "off"}, {&ddc, 3e-3, "3.00 mm"},
		{&ctlForceScale, 0, "automatic"},
	} {
		text := c.c.text(c.v)
		if text != c.s {
			t.Errorf("%s of %g reads %q, want %q", c.c.label, c.v, text, c.s)
		}
		if v, err := c.c.parse(text, unit{"", 1}); err != nil || v != c.v {
			t.Errorf("%s: %q reads back as %g, %v", c.c.label, text, v, err)
		}
	}
}
