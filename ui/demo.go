package ui

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/setting"
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
func (a *app) play(now time.Time) {
	d := &a.demo
	if a.opt.Script != nil || !(a.opt.Idle > 0) {
		return
	}
	if d.touched.IsZero() || a.win.in.touched() {
		d.touched = now
		if d.on {
			a.endDemo()
		}
		return
	}
	if !d.on {
		if a.home.open && a.loading == nil && now.Sub(d.touched).Seconds() >= a.opt.Idle && len(a.opt.Scenes) > 0 {
			d.on = true
			a.playNext()
		}
		return
	}
	if a.loading != nil || a.wanted != "" || a.snap == nil {
		return
	}
	if a.home.open || now.Sub(a.met) > demoScene { // it could not be opened, or was seen
		a.playNext()
		return
	}
	if p := a.session.Pointer(); p != nil {
		if !d.walked {
			a.startWalk()
		}
		p.SetHand(d.from.Add(d.way.At(backAndForth(now.Sub(a.met).Seconds() / demoWalk))))
	}
}

// backAndForth goes from 0 to 1 and back, again and again.
func backAndForth(t float64) float64 { return 1 - math.Abs(math.Mod(t, 2)-1) }

func (a *app) playNext() {
	d := &a.demo
	a.wanted = a.opt.Scenes[d.next%len(a.opt.Scenes)].Name
	d.next++
	d.walked = false
}

// startWalk begins at the scene's start.
func (a *app) startWalk() {
	d := &a.demo
	d.walked, d.way = true, setting.Way{}
	d.from = a.info.Start.Position
	if p, err := a.session.Common().ChoosePath("", "sliding"); err == nil {
		d.way = p.Way()
	}
	a.session.Pointer().SetClutch(false)
}

// endDemo leaves the scene to whoever touched something.
func (a *app) endDemo() {
	a.demo.on = false
	a.say("The scene is yours. Home shows the gallery.")
	if a.session == nil || a.snap == nil {
		return
	}
	a.mouse.held = true
	if p := a.session.Pointer(); p != nil {
		a.mouse.hand.set(p.Hand().Add(a.gripArm()))
	}
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
