package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hapco/physics"
	"hapco/physics/machinery/testkit"
)

// reveal turns the wheel over the panel until a widget is in sight.
func (d *desk) reveal(label string) {
	d.t.Helper()
	d.point("Find", 0.5, 3)
	for range 40 {
		p := d.look()
		r, top, end := p.Widgets[label], p.Widgets["Slot/A"], p.Widgets["status"]
		turn := "5"
		if above := r.W > 0 && r.Y < top.Y+top.H+4; above {
			turn = "4"
		} else if r.Visible && r.Y+r.H < end.Y-4 {
			d.frames(4)
			return
		}
		d.do("click", turn)
		d.frames(4)
	}
	d.t.Fatalf("%s does not come in sight", label)
}

// Every change of the panel can be taken back and made again; a mark shows it, and a
// click on the mark restores the value.
func TestUndo(t *testing.T) {
	d := openDesk(t, &fakeOpener{}, Options{})
	d.until("the panel", func(p *tracePicture) bool { return p.Widgets["Friction"].Visible })
	number := func(what string, ok func(f float64) bool) {
		t.Helper()
		d.value(what, func(v any) bool { f, _ := v.(float64); return ok(f) })
	}
	home := func(f float64) bool { return f == 0.3 }
	other := func(f float64) bool { return f != 0.3 }

	d.point("Friction", 0.5, 0.5)
	d.do("mousedown", "1", "mousemove_relative", "--", "40", "0", "mouseup", "1")
	number("friction", other)
	d.until("one change, not one for each pixel", func(p *tracePicture) bool { return p.Undos == 1 })
	d.reveal("force arrows")
	d.click("force arrows")
	d.until("the second change", func(p *tracePicture) bool { return p.Undos == 2 })
	d.do("key", "ctrl+z")
	d.until("the arrows' change to be undone", func(p *tracePicture) bool { return p.Undos == 1 })
	number("friction", other)
	d.do("key", "ctrl+z")
	number("friction", home)
	d.do("key", "ctrl+shift+z")
	number("friction", other)
	d.reveal("Friction")
	d.click("changed/Friction")
	number("friction", home)
	d.until("no mark on it", func(p *tracePicture) bool { _, marked := p.Widgets["changed/Friction"]; return !marked })
	d.do("key", "ctrl+z")
	number("friction", other)
}

// What is looked at in every frame takes no memory.
func TestWatchingChangesDoesNotAllocate(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector allocates")
	}
	s := newFake("liver")
	a := assemble(&Options{}, nil)
	info, support := paintable(s.Info())
	a.scene.adopt(s, "liver", info)
	a.viewport.adopt(support)
	before := a.changes.present().clone()
	if n := testing.AllocsPerRun(100, func() {
		if !a.changes.present().equal(before) {
			t.Fatal("nothing has changed")
		}
	}); n != 0 {
		t.Errorf("%g allocations a frame", n)
	}
	a.viewport.look.clip.on = true
	if a.changes.present().equal(before) {
		t.Error("the clipping plane is no change")
	}
	a.changes.take(before)
	if a.viewport.look.clip.on {
		t.Error("the clipping plane stays")
	}
}

// Each slot keeps its own parameters, for the keyboard and for the button of a stylus.
func TestSlots(t *testing.T) {
	o := &fakeOpener{}
	d := openDesk(t, o, Options{})
	d.do("key", "F3")
	d.until("slot B", func(p *tracePicture) bool { return p.Slot == "B" })
	d.point("Friction", 0.5, 0.5)
	d.do("mousedown", "1", "mousemove_relative", "--", "40", "0", "mouseup", "1")
	d.until("another friction", func(p *tracePicture) bool { return p.Undos == 1 && p.Values["friction"] != 0.3 })
	there := d.look().Values["friction"]
	d.do("key", "F2")
	d.until("slot A as it was", func(p *tracePicture) bool { return p.Slot == "A" && p.Values["friction"] == 0.3 })
	o.opened[0].servo.press(stylusButton)
	d.until("slot B by the stylus", func(p *tracePicture) bool { return p.Slot == "B" && p.Values["friction"] == there })
	o.opened[0].servo.press(0)
}

// The search leaves the rows that have its words.
func TestFind(t *testing.T) {
	tools := func(string) []physics.Tool { return []physics.Tool{{Name: "ball"}} }
	d := openDesk(t, &fakeOpener{}, Options{Files: Files{Tools: tools}})
	d.do("key", "ctrl+f")
	d.frames(8)
	d.do("type", "uzawa")
	d.until("what was searched for", func(p *tracePicture) bool {
		_, other := p.Widgets["Friction"]
		return p.Widgets["Uzawa error"].Visible && !other
	})
	d.do("key", "Escape")
	d.until("the whole panel", func(p *tracePicture) bool { return p.Widgets["Friction"].W > 0 })
	d.do("key", "ctrl+f")
	d.frames(8)
	d.do("type", "tool")
	d.until("the tool", func(p *tracePicture) bool {
		_, other := p.Widgets["Friction"]
		return p.Widgets["Tool"].Visible && !other
	})
	d.do("type", "zzz") // nothing has that; the next search begins anew
	p := d.until("nothing", func(p *tracePicture) bool { return !p.Widgets["Tool"].Visible })
	d.do("mousemove", px(float64(p.Viewport.X+20)), px(float64(p.Viewport.Y+20)), "click", "1")
	d.frames(8)
	d.do("key", "ctrl+f")
	d.frames(8)
	d.do("type", "uzawa")
	d.until("what was searched for then", func(p *tracePicture) bool { return p.Widgets["Uzawa error"].Visible })
}

// Standard views, cameras, the clipping plane and the bare scene change the picture, and
// the window remembers what is a matter of taste; --fresh does not ask for it.
func TestViewsAndMemory(t *testing.T) {
	testkit.Slow(t) // as all windows here
	file := filepath.Join(t.TempDir(), "hapco", "window.toml")
	var wide float32
	t.Run("leaves", func(t *testing.T) {
		d := openDesk(t, &fakeOpener{}, Options{Memory: file})
		wide = d.look().Viewport.W
		d.do("key", "F5")
		d.frames(40)
		d.reveal("Cameras/4")
		d.click("Cameras/4")
		d.until("room for the other cameras", func(p *tracePicture) bool { return p.Viewport.W < wide-100 })
		d.click("Cameras/1")
		d.reveal("clipping plane")
		d.click("clipping plane")
		d.until("its rows", func(p *tracePicture) bool { return p.Widgets["Clip at"].W > 0 })
		d.reveal("normals")
		d.click("normals")
		d.reveal("Contact")
		d.click("Contact") // a section
		d.until("the section to be closed", func(p *tracePicture) bool { _, open := p.Widgets["Friction"]; return !open })
		d.do("key", "shift+Tab")
		d.until("the bare scene", func(p *tracePicture) bool { return p.Viewport.W > wide+200 })
		d.do("key", "shift+Tab")
		d.until("the panel again", func(p *tracePicture) bool { return p.Viewport.W == wide })
	})
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), "Normals = true") || !strings.Contains(string(text), `"Contact"`) {
		t.Fatalf("%v\n%s", err, text)
	}
	t.Run("comes back", func(t *testing.T) {
		d := openDesk(t, &fakeOpener{}, Options{Memory: file})
		d.until("the closed section", func(p *tracePicture) bool {
			_, open := p.Widgets["Friction"]
			return !open && p.Widgets["Contact"].W > 0
		})
	})
	t.Run("fresh", func(t *testing.T) {
		d := openDesk(t, &fakeOpener{}, Options{})
		d.until("the open section", func(p *tracePicture) bool { return p.Widgets["Friction"].W > 0 })
	})
	if err := os.WriteFile(file, []byte("view = 3\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Run("broken file", func(t *testing.T) {
		d := openDesk(t, &fakeOpener{}, Options{Memory: file})
		d.until("a word about it", func(p *tracePicture) bool { return strings.Contains(p.Status, "--fresh") })
	})
}

// The panel lists the fields that the world names; the picture takes their colours, and
// key 5 goes on to the next.
func TestColoursByField(t *testing.T) {
	testkit.Slow(t)
	o := &fakeOpener{}
	d := openDesk(t, o, Options{})
	d.reveal("Colours")
	d.click("Colours")
	d.click("Colours/pressure")
	d.until("its range", func(p *tracePicture) bool { return p.Colours == "pressure" && p.Widgets["Colours up to"].W > 0 })
	d.do("key", "5")
	d.until("the next field", func(p *tracePicture) bool { return p.Colours == "displacement" })
	d.do("key", "ctrl+z")
	d.until("the last one", func(p *tracePicture) bool { return p.Colours == "pressure" })
	d.do("key", "5", "key", "5", "key", "5", "key", "5") // displacement, strain, beyond the linear limit, none
	d.until("the bodies' own", func(p *tracePicture) bool { return p.Colours == "" })
}

// A body that was hidden in a scene is not in the next one.
func TestNextSceneShowsItsBodies(t *testing.T) {
	s := newFake("liver")
	a := assemble(&Options{}, nil)
	info, support := paintable(s.Info())
	a.scene.adopt(s, "liver", info)
	a.viewport.adopt(support)
	a.viewport.view.Bodies[0].Hidden = true
	a.viewport.adopt(support)
	if a.viewport.view.Bodies[0].Hidden || len(a.viewport.view.Bodies) != len(info.Surfaces) {
		t.Errorf("%+v for %d surfaces", a.viewport.view.Bodies, len(info.Surfaces))
	}
}
