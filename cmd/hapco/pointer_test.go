package main

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hapco/physics"
)

// ofKinds has a scene of each kind of world: they are looked at in three cameras.
var ofKinds = []string{"liver", "liver-linear", "bricks", "ice-ship", "sandbox", "swing"}

// pointerScenes are those whose cards invite to press: all but the benches, what flies about or goes round, away from
// under a pointer at rest, and ice-breaking, whose middle is water.
func pointerScenes(t *testing.T) (names []string) {
	list, err := physics.List()
	if err != nil {
		t.Fatal(err)
	}
	others := []string{"book-toss", "integrators", "gyroscope", "spinning-beam", "ice-breaking"}
	for _, l := range list {
		if l.Group != "thesis" && !slices.Contains(others, l.Name) {
			names = append(names, l.Name)
		}
	}
	return names
}

// meeting are scenes whose bodies swing, drift, fly or go round by themselves: they meet the tool where the pointer is,
// maybe before the button goes down, in a blow that is over between two pictures. The pointer goes after them.
var meeting = []string{"double-pendulum", "free-top", "heavy-top", "rattleback", "sliding-pendulum", "soft-wall", "top"}

// chases are how often the pointer goes after a body at least, before it is said to have missed it.
const chases = 40

// settle is how many frames a camera takes to turn, and a tool to come back.
const settle = 12

// least is what a hand feels of a press, N.
const least = 0.02

// near is how far the tool may be from the pointer on the screen while nothing is touched, pixels.
const near = 3

// With real events of the mouse, in every scene, and in three cameras in one of each kind: a free tool is where the
// pointer is, and the first press on what the pointer shows gives a force within a second of the hand's time. A
// double-click takes hold of what is there, if it can move, and drags it by a spring that is felt.
func TestPointerIsTheToolInEveryScene(t *testing.T) {
	if testing.Short() {
		t.Skip("opens windows")
	}
	bin := buildProgram(t)
	pictures := os.Getenv("HAPCO_POINTER_PICTURES") // a folder for the eye
	for _, scene := range pointerScenes(t) {
		if only := os.Getenv("HAPCO_POINTER_ONLY"); only != "" && !strings.Contains(" "+only+" ", " "+scene+" ") {
			continue
		}
		t.Run(scene, func(t *testing.T) {
			t.Setenv("HAPCO_UI_TRACE_EVERY", "40ms")
			w := openWindow(t, bin, scene, "--width", "800", "--height", "600")
			shot := func(name string) {
				if pictures != "" {
					cmd := exec.Command("import", "-window", "root", filepath.Join(pictures, scene+"-"+name+".png"))
					cmd.Env = w.env
					_ = cmd.Run()
				}
			}
			cameras := []string{"", "F6", "F10"}
			if !slices.Contains(ofKinds, scene) {
				cameras = cameras[:1]
			}
			for _, camera := range cameras {
				if camera != "" {
					w.x("key %s", camera)
					w.frames(settle)
				}
				w.x("mousemove 1270 790\nkey BackSpace")
				w.frames(settle / 2)
				way, ok := w.point(camera)
				if !ok {
					continue
				}
				there := w.await("a trace", func(*trace) bool { return true }).Frame
				before := w.await("the tool at the surface", func(tr *trace) bool {
					way = max(way, tr.PeakN)
					return tr.Frame >= there+settle
				})
				w.x("mousedown 1")
				most, patience, tries := 0.0, 1.2, 0
				if strings.HasPrefix(scene, "ice-") || slices.Contains(meeting, scene) { // the world is flat: the way there is the push
					most = way
				}
				pressed := w.await("a second of pressing", func(tr *trace) bool {
					if most = max(most, tr.ForceN); tr.PeakN > before.PeakN { // of a blow between two pictures
						most = max(most, tr.PeakN)
					}
					if slices.Contains(meeting, scene) {
						if most, patience = max(most, tr.PeakN), 5; tries < chases {
							patience = 60 // the hand of a busy machine is slow
						}
						if tr.Aim != nil && most == 0 {
							w.x("mousemove %.0f %.0f", tr.Aim.X, tr.Aim.Y)
							tries++
						}
					}
					gone := tr.Seconds - before.Seconds
					slow := tr.World > 0 && tr.World < before.World+1
					return most > least && gone > 0.9 || gone > patience && !slow
				})
				shot("press" + camera)
				w.x("mouseup 1")
				t.Logf("%-4s first press: %.3g N in the hand; physics %.0f Hz, haptics %.0f Hz, pictures %.0f Hz", camera, most,
					pressed.Values["physics_Hz"], pressed.Values["haptics_Hz"], pressed.Values["display_Hz"])
				if !(most > least) {
					t.Errorf("camera %q: %.2g N within a second", camera, most)
				}
				w.frames(settle / 2)
			}
			w.x("mousemove 1270 790\nkey BackSpace\nkey r")
			w.frames(settle)
			if _, ok := w.point("first"); !ok {
				return
			}
			begun := w.await("a trace", func(*trace) bool { return true })
			begun = w.await("what is under the pointer", func(tr *trace) bool { return tr.Aim != nil || tr.Seconds > begun.Seconds+10 })
			if begun.Aim == nil {
				t.Log("what was there has moved away")
				return
			}
			w.x("click 1 mousedown 1\nmousemove_relative -- 15 -25\nmousemove_relative -- 15 -25\nmousemove_relative -- 15 -25\nmousemove_relative -- 15 -25")
			aim := begun.Aim
			drawn := func(tr *trace) bool { // the hand's end of the spring goes with the pointer
				return tr.Grasp != nil && tr.Grasp.Force > 0 && tr.ForceN > 0 && math.Hypot(tr.Grasp.To.X-aim.X, tr.Grasp.To.Y-aim.Y) > 10
			}
			held := w.await("a grasp", func(tr *trace) bool {
				return drawn(tr) || strings.Contains(tr.Status, "cannot be held") || tr.Seconds > begun.Seconds+10
			})
			if held.Grasp == nil {
				w.x("mouseup 1")
				if strings.Contains(held.Status, "Pushing") || slices.Contains(meeting, scene) {
					t.Log("what was there has moved away")
				} else if !strings.Contains(held.Status, "cannot be held") {
					t.Errorf("a double-click does nothing: %q", held.Status)
				}
				return
			}
			if !drawn(held) {
				t.Errorf("what is held is not drawn: %+v, the pointer was at %+v", *held.Grasp, *aim)
			}
			w.frames(settle / 2)
			shot("hold")
			held = w.await("a trace", func(*trace) bool { return true })
			if g := held.Grasp; g != nil {
				t.Logf("held by %.3g N, %.3g N in the hand, %.0f pixels long", g.Force, held.ForceN, math.Hypot(g.To.X-g.From.X, g.To.Y-g.From.Y))
			}
			w.x("mouseup 1")
			w.await("the end of the grasp", func(tr *trace) bool { return tr.Grasp == nil })
		})
	}
}

// point moves the pointer to where a body is, and there waits for the tool; most is the largest force on the
// way, N. false: none is in sight.
func (w *window) point(camera string) (most float64, ok bool) {
	w.t.Helper()
	from := w.await("a trace", func(*trace) bool { return true }).Frame
	aim := w.await("a body on the screen", func(tr *trace) bool { return tr.Aim != nil || tr.Frame > from+20 }).Aim
	if aim == nil {
		w.t.Logf("camera %q sees nothing", camera)
		return 0, false
	}
	w.x("mousemove %.0f %.0f", aim.X, aim.Y)
	off := 1e9
	start := w.await("a trace", func(*trace) bool { return true })
	w.await("the tool under the pointer", func(tr *trace) bool {
		most = max(most, tr.PeakN)
		if tr.ForceN > 1e-3 {
			off = 0 // something holds it
		} else if tr.Stylus != nil && tr.RawN == 0 {
			off = min(off, math.Hypot(tr.Stylus.X-math.Round(aim.X), tr.Stylus.Y-math.Round(aim.Y)))
		}
		return off < near || tr.Seconds > start.Seconds+4
	})
	if off >= near {
		w.t.Errorf("camera %q: the tool is %.1f pixels from the pointer", camera, off)
	}
	return most, true
}
