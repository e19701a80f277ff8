package ui

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/inkyblackness/imgui-go/v4"
)

// Player is a recorded hand that can be moved in time.
type Player interface {
	Playback() Playback
	Seek(seconds float64)
	Play(on bool)
	SetSpeed(factor float64)
	SetLoop(on bool)
}

// Playback is where a recorded hand is in time.
type Playback struct {
	At, Length    float64 // s
	Speed         float64 // 1: as it was
	Playing, Loop bool
	Rounds        int // how often it has begun again
}

// Sizes of the timeline at scale 1, pixels, and how far a step goes, s.
const (
	playHigh = 34.0
	playStep = 0.01
)

// playSpeeds are those that the button goes through.
var playSpeeds = [...]float64{1, 2, 4, 0.1, 0.25, 0.5}

// timeline moves a recorded hand in time.
type timeline struct {
	base
	plots  *plots
	rounds int // that the hand has begun again
}

// again lets the bodies begin anew.
func (tl *timeline) again() {
	tl.scene.session.ResetObjects()
	tl.plots.again()
}

// seek moves the hand in time. Backwards the bodies begin anew: what they remember, such as where contacts stick, has
// not happened yet.
func (tl *timeline) seek(p Player, t float64) {
	if t < p.Playback().At {
		tl.again()
	}
	p.Seek(t)
}

// playOn lets the hand move or rest; after the end it begins again.
func (tl *timeline) playOn() {
	p := tl.scene.player()
	if p == nil {
		return
	}
	at := p.Playback()
	if !at.Playing && at.At >= at.Length {
		tl.seek(p, 0)
	}
	p.Play(!at.Playing)
}

// playStepBy rests the hand and moves it by some steps.
func (tl *timeline) playStepBy(steps float64) {
	p := tl.scene.player()
	if p == nil {
		return
	}
	p.Play(false)
	tl.seek(p, p.Playback().At+steps*playStep)
}

// draw is the bar under the scene while a recorded hand holds the stylus.
func (tl *timeline) draw() {
	p := tl.scene.player()
	g, at := tl.gui, p.Playback()
	if at.Rounds != tl.rounds {
		if at.Rounds > tl.rounds { // each round begins alike
			tl.again()
		}
		tl.rounds = at.Rounds
	}
	small := g.px(30)
	name := "Play##PlayOn"
	if at.Playing {
		name = "Rest##PlayOn"
	}
	if g.button(name, "Lets the recorded hand move, or rest (Space).", g.px(52)) {
		tl.playOn()
	}
	for _, b := range [...]struct {
		name  string
		steps float64
		about string
	}{{"‹##PlayBack", -1, "A hundredth of a second back (,). The bodies begin anew."}, {"›##PlayStep", 1, "A hundredth of a second on (.)."}} {
		imgui.SameLineV(0, g.px(4))
		if g.button(b.name, b.about, small) {
			tl.playStepBy(b.steps)
		}
	}
	text := fmt.Sprintf("%.2f / %.2f s", at.At, at.Length)
	room := imgui.CalcTextSize(fmt.Sprintf("%.2f / %.2f s", at.Length, at.Length), false, 0).X
	imgui.SameLineV(0, g.px(8))
	wide := max(imgui.ContentRegionAvail().X-room-g.px(52+52+30), g.px(40))
	imgui.InvisibleButton("##PlayLine", imgui.Vec2{X: wide, Y: imgui.FrameHeight()})
	g.mark("PlayLine")
	g.hint("The recording's time: click or drag.")
	lo, hi := imgui.ItemRectMin(), imgui.ItemRectMax()
	if imgui.IsItemActive() && at.Length > 0 {
		t := float64((imgui.MousePos().X-lo.X)/(hi.X-lo.X)) * at.Length
		if t = min(max(t, 0), at.Length); t != at.At {
			tl.seek(p, t)
			at.At = t
		}
	}
	list := imgui.WindowDrawList()
	y := (lo.Y + hi.Y) / 2
	x := lo.X
	if at.Length > 0 {
		x += float32(at.At/at.Length) * (hi.X - lo.X)
	}
	list.AddRectFilledV(imgui.Vec2{X: lo.X, Y: y - g.px(3)}, imgui.Vec2{X: hi.X, Y: y + g.px(3)}, packed(frameColor), g.px(3), imgui.DrawFlagsNone)
	list.AddRectFilledV(imgui.Vec2{X: lo.X, Y: y - g.px(3)}, imgui.Vec2{X: x, Y: y + g.px(3)}, packed(fillColor), g.px(3), imgui.DrawFlagsNone)
	list.AddCircleFilled(imgui.Vec2{X: x, Y: y}, g.px(7), packed(accentColor))
	imgui.SameLineV(0, g.px(8))
	imgui.AlignTextToFramePadding()
	left := imgui.CursorPosX()
	imgui.Text(text)
	imgui.SameLineV(left+room+g.px(8), 0)
	if g.button(strconv.FormatFloat(at.Speed, 'g', -1, 64)+" ×##PlaySpeed", "How many times faster than it was the hand moves.", g.px(50)) {
		p.SetSpeed(nextSpeed(at.Speed))
	}
	imgui.SameLineV(0, g.px(4))
	if g.toggle("Loop", "PlayLoop", "Begins again after the end, with the bodies at their start.", at.Loop, imgui.Vec2{X: g.px(50)}) {
		p.SetLoop(!at.Loop)
	}
}

// nextSpeed is the one after this, the first after any other.
func nextSpeed(speed float64) float64 {
	return playSpeeds[(slices.Index(playSpeeds[:], speed)+1)%len(playSpeeds)]
}

// tracePlayback tells tests of the recorded hand.
func (tl *timeline) tracePlayback(v map[string]any) {
	p := tl.scene.player()
	if p == nil {
		return
	}
	at := p.Playback()
	v["play_s"], v["play_length_s"], v["playing"], v["play_speed"], v["play_loop"], v["play_rounds"] = at.At, at.Length, at.Playing, at.Speed, at.Loop, at.Rounds
}
