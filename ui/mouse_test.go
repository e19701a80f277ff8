package ui

import (
	"errors"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestPanelByMouse(t *testing.T) {
	o := &fakeOpener{}
	d := openDesk(t, o, Options{})

	d.point("Friction", 0.05, 0.5)
	d.do("mousedown", "1", "mousemove_relative", "--", "40", "0", "mouseup", "1") // within one frame
	d.value("friction", func(v any) bool { f, _ := v.(float64); return f > 0.3 && f <= 1 })
	d.do("click", "3")
	d.value("friction", func(v any) bool { return v == 0.3 })

	d.click("Rho mode/Imposed")
	d.value("rho_imposed", func(v any) bool { return v == true })
	d.value("contact.rho", func(v any) bool { return v == 118.0 }) // what was calculated

	d.point("Tolerance", 0.5, 0.5)
	d.do("keydown", "ctrl", "click", "1", "keyup", "ctrl")
	d.enter("2e-6")
	d.value("contact.tolerance", func(v any) bool { return v == 2e-6 })

	d.reveal("Max force")
	d.point("Max force", 0.5, 0.5)
	d.do("keydown", "ctrl", "click", "1", "keyup", "ctrl")
	d.enter("strong")
	d.until("a complaint", func(p *tracePicture) bool { return strings.Contains(p.Status, "strong") })
	d.value("device.max_force", func(v any) bool { return v == 3.3 })

	d.reveal("Criterion")
	d.click("Criterion")
	d.click("Criterion/physical")
	d.value("contact.criterion", func(v any) bool { return v == "physical" })
	d.value("contact.tolerance", func(v any) bool { return v == 1e-7 })

	d.reveal("Pause")
	d.click("Pause")
	d.value("paused", func(v any) bool { return v == true })
	d.click("Step")
	d.click("Reset params")
	d.value("friction", func(v any) bool { return v == 0.3 })
	d.value("rho_imposed", func(v any) bool { return v == false })
	d.value("contact.tolerance", func(v any) bool { return v == 1e-4 })
	d.value("paused", func(v any) bool { return v == true })
	d.click("Pause")

	d.click("Scene")
	d.click("Scene/bench-a-36")
	d.until("the other scene", func(p *tracePicture) bool { return p.Scene == "bench-a-36" && p.Ready })
	d.stop()
	if err := <-d.done; err != nil {
		t.Fatal(err)
	}
	d.done <- nil
	if len(o.opened) != 2 || !o.opened[0].closed.Load() || !o.opened[1].closed.Load() || o.opened[0].steps == 0 {
		t.Fatalf("%d scenes opened; all must be closed in the end, and the first asked for a step", len(o.opened))
	}
}

// The mouse picks solvers, a formulation and a way to come by rho, and the
// window shows a second solver beside the first.
func TestSolversByMouse(t *testing.T) {
	d := openDesk(t, &fakeOpener{}, Options{})
	d.value("contact.shadow", func(v any) bool { return v == "none" })
	d.value("page", func(v any) bool { return v == "Overview" })

	d.click("Solver")
	d.click("Solver/nsgs")
	d.value("contact.solver", func(v any) bool { return v == "nsgs" })
	d.value("formulation", func(v any) bool { return v == "contact laws" })
	d.click("Formulation")
	d.click("Formulation/bi-potential")
	d.value("contact.solver", func(v any) bool { return v == "uzawa-star-consistent" })
	d.value("rho_mode", func(v any) bool { return v == "Per contact" })
	d.click("Rho mode/Calculated")
	d.value("contact.solver", func(v any) bool { return v == "uzawa" })
	d.value("rho_mode", func(v any) bool { return v == "Calculated" })
	d.click("Rho mode/Per contact")
	d.value("contact.solver", func(v any) bool { return v == "uzawa-star-consistent" })
	d.point("Rho factor", 0.05, 0.5)
	d.do("click", "1")
	d.value("contact.rho_factor", func(v any) bool { f, _ := v.(float64); return f > 0 && f < 1 })
	d.do("click", "3")
	d.value("contact.rho_factor", func(v any) bool { return v == 1.0 })

	d.click("Shadow")
	d.click("Shadow/auto")
	d.value("contact.shadow", func(v any) bool { return v == "auto" })
	d.value("page", func(v any) bool { return v == "Solver" }) // shown unasked
	d.value("shadow.solved", func(v any) bool { n, _ := v.(float64); return n > 0 })
	p := d.until("the plots", func(p *tracePicture) bool {
		return p.Widgets["plot Convergence"].Visible && p.Widgets["plot Status"].Visible && p.Widgets["Comparison"].W > 0
	})
	for name, r := range p.Widgets {
		for other, s := range p.Widgets {
			if strings.HasPrefix(name, "plot ") && strings.HasPrefix(other, "plot ") && name < other &&
				r.X < s.X+s.W && s.X < r.X+r.W && r.Y < s.Y+s.H && s.Y < r.Y+r.H {
				t.Errorf("%s and %s overlap", name, other)
			}
		}
	}

	// pressed, both have curves and forces
	d.do("mousemove", px(float64(p.Viewport.X+p.Viewport.W/2)), px(float64(p.Viewport.Y+p.Viewport.H*0.5)))
	d.settle()
	d.press(0.1)
	d.until("curves of both solvers", func(p *tracePicture) bool {
		n, _ := p.Values["curve.points"].(float64)
		m, _ := p.Values["shadow.curve.points"].(float64)
		f, _ := p.Values["shadow.force_N"].(float64)
		return n > 0 && m > n && f > 0 && p.Values["shadow.force_difference"] == 0.04
	})

	d.click("Page/Overview")
	d.value("page", func(v any) bool { return v == "Overview" })
	d.value("curve.points", func(v any) bool { return v == 0.0 }) // recorded while shown only
	d.do("key", "c")
	d.value("page", func(v any) bool { return v == "Solver" })
	d.click("Shadow")
	d.click("Shadow/none")
	d.value("contact.shadow", func(v any) bool { return v == "none" })
}

func TestStylusByMouse(t *testing.T) {
	d := openDesk(t, &fakeOpener{}, Options{})
	p := d.look()
	cx, cy := float64(p.Viewport.X+p.Viewport.W/2), float64(p.Viewport.Y+p.Viewport.H*0.5)
	at := func(x, y float64) { d.do("mousemove", px(x), px(y)) }
	stroke := func(x0, y0, x1, y1 float64) {
		for i := range 21 {
			f := float64(i) / 20
			at(x0+f*(x1-x0), y0+f*(y1-y0))
			time.Sleep(25 * time.Millisecond)
		}
	}
	start := *p.Stylus
	stroke(cx, cy, cx+60, cy)
	d.until("the stylus to move", func(p *tracePicture) bool { return math.Hypot(p.Stylus.X-start.X, p.Stylus.Y-start.Y) > 20 })

	d.press(0.3)
	d.until("a force", func(p *tracePicture) bool { return p.RawN >= 0.2 && len(p.Contacts) > 0 })
	p = d.settle()
	before := p.RawN

	// one finger: the held button pushes further, and lets go
	d.do("mousedown", "1")
	d.until("the button to push", func(p *tracePicture) bool { return p.RawN > before+0.3 })
	d.do("mouseup", "1")
	d.until("the button to let go", func(p *tracePicture) bool { return p.RawN < before+0.1 })

	// a click on a contact selects it
	p = d.look()
	c := p.Contacts[len(p.Contacts)-1]
	d.do("keydown", "space")
	d.until("the clutch to open", func(p *tracePicture) bool { return strings.Contains(p.Status, "Clutch") })
	at(c.X, c.Y)
	still := d.settle()
	d.do("click", "1")
	p = d.until("a contact to be selected", func(p *tracePicture) bool { return p.Selected != 0 })
	if math.Hypot(p.Stylus.X-still.Stylus.X, p.Stylus.Y-still.Stylus.Y) > 1 {
		t.Error("the clutch slips")
	}
	d.do("keyup", "space")
	d.do("key", "Escape")
	d.until("the contact to be let go", func(p *tracePicture) bool { return p.Selected == 0 })
	d.do("key", "Escape")
	d.until("the stylus to be released", func(p *tracePicture) bool { return !p.Held })
	at(cx, cy)
	d.do("click", "1")
	d.until("the stylus to be taken", func(p *tracePicture) bool { return p.Held })

	// over the panel the mouse leaves the stylus alone
	stroke(cx, cy, cx+80, cy)
	p = d.look()
	friction := p.Widgets["Friction"]
	at(float64(friction.X+30), float64(friction.Y+9))
	resting := *d.settle().Stylus
	stroke(float64(friction.X+30), float64(friction.Y+9), float64(friction.X+30), float64(friction.Y+200))
	if now := d.settle().Stylus; math.Hypot(now.X-resting.X, now.Y-resting.Y) > 1 {
		t.Error("the stylus follows the mouse over the panel")
	}

	d.do("key", "p")
	d.value("paused", func(v any) bool { return v == true })
	d.do("key", "p")
	d.value("paused", func(v any) bool { return v == false })
}

// A double-click takes hold of what is under the pointer. With the button kept down it ends with the button, else with the
// next click, or Escape; what cannot be held is not.
func TestDoubleClickTakesHold(t *testing.T) {
	o := &fakeOpener{}
	d := openDesk(t, o, Options{})
	p := d.look()
	x, y := float64(p.Viewport.X+p.Viewport.W/2), float64(p.Viewport.Y+p.Viewport.H*0.55)
	held := func(want bool) {
		t.Helper()
		d.until("something held, or not", func(p *tracePicture) bool { return (p.Grasp != nil) == want })
	}
	over := func() {
		d.do("mousemove", px(x), px(y))
		d.settle()
		time.Sleep(500 * time.Millisecond) // the next press is a first one
	}
	over()
	d.do("click", "1", "mousedown", "1")
	held(true)
	at := d.look().Grasp.From
	if math.Hypot(at.X-math.Round(x), at.Y-math.Round(y)) > 3 {
		t.Errorf("held at %.0f, %.0f, not at %.0f, %.0f", at.X, at.Y, x, y)
	}
	before := *d.look().Hand
	d.do("mousemove_relative", "--", "40", "-20")
	d.until("the hand to draw", func(p *tracePicture) bool { return p.Hand.Sub(before).Len() > 5e-3 && p.Grasp != nil })
	d.do("mouseup", "1")
	held(false)

	over()
	d.do("click", "1", "click", "1")
	held(true)
	d.do("mousemove_relative", "--", "40", "-20")
	d.frames(20)
	held(true)
	d.do("click", "1")
	held(false)

	over()
	d.do("click", "1", "click", "1")
	held(true)
	d.do("key", "Escape")
	held(false)
	d.do("click", "1") // takes the stylus again

	o.opened[0].fixed = true
	over()
	d.do("click", "1", "click", "1")
	d.until("a word", func(p *tracePicture) bool { return strings.Contains(p.Status, "cannot be held") })
}

// A free tool is where the pointer is, whatever the camera, the window and the panel do.
func TestFreeToolIsUnderThePointer(t *testing.T) {
	d := openDesk(t, &fakeOpener{}, Options{})
	p := d.look()
	x, y := math.Round(float64(p.Viewport.X+p.Viewport.W/2)), math.Round(float64(p.Viewport.Y+p.Viewport.H*0.5))
	under := func(what string) {
		t.Helper()
		d.until("the tool to be under the pointer after "+what, func(p *tracePicture) bool {
			return p.Stylus != nil && p.RawN == 0 && math.Hypot(p.Stylus.X-x, p.Stylus.Y-y) < 3
		})
	}
	d.do("mousemove", px(x), px(y))
	under("the first motion")
	x, y = x+30, y+20
	d.do("mousemove", px(x), px(y))
	under("a motion")
	for _, key := range []string{"z", "z", "c", "r", "plus", "F1", "F1", "r"} {
		d.do("keydown", key)
		d.frames(5)
		d.do("keyup", key)
		under("key " + key)
	}
	d.do("search", "--name", "HapCo", "windowsize", "1000", "700")
	d.until("a smaller window", func(q *tracePicture) bool { return q.Viewport.W < p.Viewport.W-100 })
	p = d.look()
	x, y = math.Round(float64(p.Viewport.X+p.Viewport.W/2)), math.Round(float64(p.Viewport.Y+p.Viewport.H*0.5))
	d.do("mousemove", px(x), px(y))
	under("the window's size")
	d.point("Friction", 0.5, 0.5)
	home := *d.settle().Hand
	d.do("click", "1")
	d.frames(12)
	if now := *d.look().Hand; now.Sub(home).Len() > 1e-9 {
		t.Errorf("the panel moved the hand by %v", now.Sub(home))
	}
	d.do("mousemove", px(x), px(y))
	under("the way back from the panel")
}

// No key, no camera and no change of the window moves a hand that touches something.
func TestOnlyMouseMovesStylus(t *testing.T) {
	d := openDesk(t, &fakeOpener{}, Options{})
	p := d.look()
	cx, cy := float64(p.Viewport.X+p.Viewport.W/2), float64(p.Viewport.Y+p.Viewport.H*0.6)
	d.do("mousemove", px(cx), px(cy))
	d.settle()
	d.press(0.3)
	home := *d.look().Hand
	still := func(what string) {
		t.Helper()
		d.frames(12)
		if now := *d.look().Hand; now.Sub(home).Len() > 1e-9 {
			t.Errorf("%s moved the hand by %v", what, now.Sub(home))
			home = now
		}
	}
	for _, key := range []string{"z", "c", "g", "r", "plus", "F1", "F1", "c", "g"} {
		d.do("keydown", key)
		d.frames(5)
		d.do("keyup", key)
		still("key " + key)
	}
	d.do("search", "--name", "HapCo", "windowsize", "1000", "700")
	d.until("a smaller window", func(q *tracePicture) bool { return q.Viewport.W < p.Viewport.W-100 })
	still("the window's size")
	d.point("Friction", 0.5, 0.5)
	still("the way to the panel")
	d.do("click", "1")
	p = d.look()
	d.do("mousemove", px(float64(p.Viewport.X+p.Viewport.W-40)), px(cy))
	still("the way back from the panel")
	d.until("the stylus under the pointer", func(p *tracePicture) bool { return p.Stylus != nil })
	at := *d.look().Stylus
	d.do("mousemove_relative", "--", "-20", "0")
	d.until("the stylus to move on", func(p *tracePicture) bool { return p.Stylus != nil && p.Stylus.X < at.X-10 && p.Stylus.X > at.X-30 })
}

// The slider of Young's modulus: a drag of its whole width is a decade, arrow keys
// refine, and a value may be typed with its unit.
func TestYoungByMouse(t *testing.T) {
	d := openDesk(t, &fakeOpener{}, Options{})
	p := d.look()
	if _, ok := p.Widgets["about"]; !ok {
		t.Error("nothing says what to do in this scene")
	}
	if p.Viewport.Y < 20 {
		t.Error("the scene reaches under the force")
	}
	for _, section := range []string{"Simulation", "Contact", "Compare", "Haptics"} { // make room
		if p := d.look(); p.Widgets[section].Visible {
			d.click(section)
			d.frames(4)
		}
	}
	young := func() float64 { v, _ := d.look().Values["liver.E"].(float64); return v }
	d.point("liver/E", 0.3, 0.5)
	d.do("click", "1")
	time.Sleep(500 * time.Millisecond) // the next press is no double click
	d.frames(6)
	if v := young(); v != 20e3 {
		t.Errorf("a click makes %g Pa of 20 kPa", v)
	}
	r := d.look().Widgets["liver/E"]
	track := float64(r.W) - valueWidth*d.look().Scale - 8
	d.do("mousedown", "1")
	d.frames(4)
	d.do("mousemove_relative", "--", px(track/2), "0")
	d.frames(6)
	d.do("mouseup", "1")
	d.until("half a decade more", func(p *tracePicture) bool {
		v, _ := p.Values["liver.E"].(float64)
		return v > 50e3 && v < 80e3
	})
	before := young()
	d.do("key", "Right")
	d.until("a little more", func(p *tracePicture) bool {
		v, _ := p.Values["liver.E"].(float64)
		return v > before && v < 1.05*before
	})
	d.do("keydown", "ctrl", "click", "1", "keyup", "ctrl")
	d.enter("6kPa")
	d.value("liver.E", func(v any) bool { return v == 6e3 })
	d.until("the words to go", func(p *tracePicture) bool { _, ok := p.Widgets["about"]; return !ok })
}

// In the smallest window and in a large one: the help stays inside and scrolls to
// its end, all plots are there, the panel folds away, and Escape closes what is
// open before it puts the stylus down.
func TestWindowOfAnySize(t *testing.T) {
	for _, size := range [][2]int{{800, 600}, {640, 400}, {1278, 801}} {
		t.Run(strconv.Itoa(size[0]), func(t *testing.T) {
			d := openDesk(t, &fakeOpener{}, Options{Width: size[0], Height: size[1]})
			w, h := float32(size[0]), float32(size[1])
			inside := func(r rect) bool { return r.X >= 0 && r.Y >= 0 && r.X+r.W <= w && r.Y+r.H <= h }
			p := d.look()
			if p.Viewport.W < 0.5*w {
				t.Errorf("the panel leaves the scene %g of %g pixels", p.Viewport.W, w)
			}
			if v := p.Viewport; v.X != float32(int(v.X)) || v.Y != float32(int(v.Y)) || v.W != float32(int(v.W)) || v.H != float32(int(v.H)) {
				t.Errorf("the scene at %+v leaves parts of pixels that nobody paints", v)
			}
			for _, name := range []string{"plot Force", "plot Iterations", "plot Error", "plot Step time"} {
				if r, ok := p.Widgets[name]; !ok || r.W < leastPlot-1 {
					t.Errorf("%s: %+v", name, r)
				}
			}
			d.do("key", "h")
			d.until("the help", func(p *tracePicture) bool { return p.Widgets["help"].H > 100 })
			d.frames(4)
			if p = d.look(); !inside(p.Widgets["help"]) {
				t.Errorf("the help is at %+v", p.Widgets["help"])
			}
			for i := 0; i < 20 && !d.look().Widgets["help/end"].Visible; i++ {
				d.do("key", "Next")
				d.frames(4)
			}
			if p = d.look(); !inside(p.Widgets["help/end"]) {
				t.Errorf("the end of the help is at %+v", p.Widgets["help/end"])
			}
			d.do("key", "Escape")
			p = d.until("the help to go", func(p *tracePicture) bool { _, ok := p.Widgets["help"]; return !ok })
			if !p.Held {
				t.Error("Escape closed the help and put the stylus down at once")
			}

			if d.look().Widgets["Scene"].Visible {
				d.click("Scene")
				d.until("the list", func(p *tracePicture) bool { _, ok := p.Widgets["Scene/bench-a-36"]; return ok })
				d.do("key", "Escape")
				p = d.until("the list to go", func(p *tracePicture) bool { _, ok := p.Widgets["Scene/bench-a-36"]; return !ok })
				if !p.Held {
					t.Error("Escape closed the list and put the stylus down at once")
				}
			}
			d.do("key", "Escape")
			d.until("the stylus to be put down", func(p *tracePicture) bool { return !p.Held })

			d.do("key", "Tab")
			d.until("the panel to fold away", func(p *tracePicture) bool { return p.Viewport.W > 0.9*w && p.Widgets["Unfold"].W > 0 })
			d.click("Unfold")
			p = d.until("the panel to come back", func(p *tracePicture) bool { return p.Viewport.W < 0.8*w })
			edge := float64(p.Viewport.W)
			d.do("mousemove", px(edge+2), "60")
			d.frames(4)
			d.do("mousedown", "1")
			d.frames(4)
			d.do("mousemove", px(edge-40), "60")
			d.frames(4)
			d.do("mouseup", "1")
			d.until("the panel to be wider", func(p *tracePicture) bool {
				return math.Abs(float64(p.Viewport.W)-(edge-40)) < 4 || edge-40 < 0.4*float64(w)
			})
		})
	}
}

func TestWindowPicture(t *testing.T) {
	path := filepath.Join(t.TempDir(), "window.png")
	frames := 0
	err := runWindow(t, Options{Scenes: fakeScenes, Scene: "liver", Open: (&fakeOpener{}).open, Seconds: 1, Screenshot: path,
		Script: func(f *Frame) { frames++ }})
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	size := img.Bounds().Size()
	colors := map[[3]uint32]int{}
	for y := range size.Y {
		for x := range size.X {
			r, g, b, a := img.At(x, y).RGBA()
			colors[[3]uint32{r, g, b}]++
			if a != 0xffff {
				t.Fatalf("pixel %d, %d is see-through", x, y)
			}
		}
	}
	most := 0
	for _, n := range colors {
		most = max(most, n)
	}
	if size.X != 1280 || size.Y != 800 || len(colors) < 2000 || most > size.X*size.Y/2 || frames == 0 {
		t.Errorf("%v pixels, %d colours, %d of one, %d frames: an empty picture", size, len(colors), most, frames)
	}
}

func TestFirstSceneThatFailsIsAnError(t *testing.T) {
	bad := errors.New("scene liver: E = -1 Pa (cure: above 0)")
	err := runWindow(t, Options{Scenes: fakeScenes, Scene: "liver", Open: (&fakeOpener{fail: map[string]error{"liver": bad}}).open, Seconds: 1})
	if !errors.Is(err, bad) {
		t.Fatalf("%v", err)
	}
}

func TestDisplayThatDoesNotAnswer(t *testing.T) {
	needDisplay(t)
	t.Setenv("DISPLAY", ":987")
	err := runWindow(t, Options{Scene: "liver", Open: (&fakeOpener{}).open, Seconds: 1})
	if !errors.Is(err, ErrNoDisplay) || !strings.Contains(err.Error(), "--headless") || strings.Contains(err.Error(), "\n") {
		t.Fatalf("%v", err)
	}
}
