package ui

import (
	"os"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/numerics/contact"
)

// TestLook writes pictures of the window to the folder HAPCO_UI_LOOK, for eyes.
func TestLook(t *testing.T) {
	dir := os.Getenv("HAPCO_UI_LOOK")
	if dir == "" {
		t.Skip("set HAPCO_UI_LOOK to a folder to get pictures of the window")
	}
	t.Setenv("HAPCO_UI_TRACE", t.TempDir()+"/trace")
	press := func(f *Frame) {
		depth := min(0.012+0.02*0.5, 0.012*f.Time)
		f.Session.Pointer().SetHand(mgl64.Vec3{0.01 * f.Time, 0.02 - depth, 0.005})
		app := f.app
		if label := os.Getenv("HAPCO_UI_POINT"); label != "" && f.Number > 20 {
			if r, ok := app.gui.spots[label]; ok && f.Number < 40 {
				app.win.queue.add(move(float64(r.X+r.W/2), float64(r.Y+r.H/2)))
			}
			if os.Getenv("HAPCO_UI_CLICK") != "" && f.Number == 40 {
				if os.Getenv("HAPCO_UI_CLICK") == "ctrl" {
					app.win.queue.add(event{kind: keyEvent, code: 341, down: true})
				}
				app.win.queue.add(event{kind: buttonEvent, down: true})
				app.win.queue.add(event{kind: buttonEvent})
			}
		}
		if f.Number == 5 {
			app.gui.help = os.Getenv("HAPCO_UI_HELP") != ""
			if os.Getenv("HAPCO_UI_STRESS") != "" {
				app.viewport.setField(1)
			}
		}
		for _, c := range f.Seen.Contacts {
			if os.Getenv("HAPCO_UI_SELECT") != "" && c.Status == contact.Slip {
				app.viewport.view.Selected = c.ID
			}
		}
	}
	for _, c := range []struct {
		name          string
		scale         float64
		width, height int
	}{{"1x", 1, 0, 0}, {"2x", 2, 0, 0}, {"tall", 1, 1280, 1500}, {"small", 1, 800, 520}, {"tight", 1.5, 700, 500}} {
		if only := os.Getenv("HAPCO_UI_ONLY"); only != "" && only != c.name {
			continue
		}
		o := fakeOpener{}
		if err := runWindow(t, Options{Scenes: fakeScenes, Scene: "liver", Open: o.open, UIScale: c.scale, Width: c.width, Height: c.height, Seconds: 4, Screenshot: dir + "/" + os.Getenv("HAPCO_UI_NAME") + "look-" + c.name + ".png", Script: press}); err != nil {
			t.Fatal(err)
		}
	}
}
