package ui

import (
	"os"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/contact"
)

// TestLook writes pictures of the window to the folder HAPCO_UI_LOOK, for eyes.
func TestLook(t *testing.T) {
	dir := os.Getenv("HAPCO_UI_LOOK")
	if dir == "" {
		t.Skip("set HAPCO_UI_LOOK to a folder to get pictures of the window")
	}
	press := func(f *Frame) {
		depth := min(0.012+0.02*0.5, 0.012*f.Time)
		f.Session.Pointer().SetHand(mgl64.Vec3{0.01 * f.Time, 0.02 - depth, 0.005})
		app := f.app.(*app)
		if f.Number == 5 {
			app.showHelp = os.Getenv("HAPCO_UI_HELP") != ""
			if os.Getenv("HAPCO_UI_STRESS") != "" {
				app.setMode(stressMode)
				app.syncStress()
				app.publish()
			}
		}
		for _, c := range f.Snapshot.Contacts {
			if os.Getenv("HAPCO_UI_SELECT") != "" && c.Status == contact.Slip {
				app.view.Selected = c.Node
			}
		}
	}
	for _, c := range []struct {
		name  string
		scale float64
	}{{"1x", 1}, {"2x", 2}} {
		o := fakeOpener{}
		if err := runWindow(t, Options{Scenes: fakeScenes, Scene: "liver", Open: o.open, UIScale: c.scale, Seconds: 4, Screenshot: dir + "/look-" + c.name + ".png", Script: press}); err != nil {
			t.Fatal(err)
		}
	}
}
