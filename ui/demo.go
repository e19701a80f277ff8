package ui

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/setting"
)

// demo plays the gallery while nobody touches anything.
type demo struct {
	on      bool
	touched time.Time // last sign of a person
	next    int       // of the scenes
	way     setting.Way
	from    mgl64.Vec3 // of the hand, world, m
	walked  bool       // way and from are those of the scene on screen
}

// demoScene is how long a scene is played, and demoWalk how long one way along its path takes.
const (
	demoScene = 16 * time.Second
	demoWalk  = 7.0 // s
)

// play starts, steers and ends the demo.
func (lib *library) play(now time.Time) {
	d := &lib.demo
	if lib.opt.Script != nil || !(lib.opt.Idle > 0) {
		return
	}
	if d.touched.IsZero() || lib.win.in.touched() {
		d.touched = now
		if d.on {
			lib.endDemo()
		}
		return
	}
	if !d.on {
		if lib.home.open && lib.loading == nil && now.Sub(d.touched).Seconds() >= lib.opt.Idle && len(lib.opt.Scenes) > 0 {
			d.on = true
			lib.playNext()
		}
		return
	}
	if lib.loading != nil || lib.wanted != "" || lib.scene.snap == nil {
		return
	}
	if lib.home.open || now.Sub(lib.scene.met) > demoScene { // it could not be opened, or was seen
		lib.playNext()
		return
	}
	if p := lib.scene.session.Pointer(); p != nil {
		if !d.walked {
			lib.startWalk()
		}
		p.SetHand(d.from.Add(d.way.At(backAndForth(now.Sub(lib.scene.met).Seconds() / demoWalk))))
	}
}

// backAndForth goes from 0 to 1 and back, again and again.
func backAndForth(t float64) float64 { return 1 - math.Abs(math.Mod(t, 2)-1) }

func (lib *library) playNext() {
	d := &lib.demo
	lib.wanted = lib.opt.Scenes[d.next%len(lib.opt.Scenes)].Name
	d.next++
	d.walked = false
}

// startWalk begins at the scene's start.
func (lib *library) startWalk() {
	d := &lib.demo
	d.walked, d.way = true, setting.Way{}
	d.from = lib.scene.info.Start.Position
	if p, err := lib.scene.session.Common().ChoosePath("", "sliding"); err == nil {
		d.way = p.Way()
	}
	lib.scene.session.Pointer().SetClutch(false)
}

// endDemo leaves the scene to whoever touched something.
func (lib *library) endDemo() {
	lib.demo.on = false
	lib.say("The scene is yours. Home shows the gallery.")
	if lib.scene.session == nil || lib.scene.snap == nil {
		return
	}
	lib.viewport.mouse.held = true
	lib.viewport.takeHand()
}

// touched tells whether a person did something in this frame.
func (in *input) touched() bool {
	moved := math.Hypot(in.x-in.seenX, in.y-in.seenY) > 2
	in.seenX, in.seenY = in.x, in.y
	typed := len(in.keyEdges) > 0 || len(in.text) > 0 || in.wheelX != 0 || in.wheelY != 0
	for b := range in.buttons {
		typed = typed || in.buttons[b] || in.pressed[b] || in.released[b]
	}
	return moved || typed
}
