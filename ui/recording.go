package ui

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/inkyblackness/imgui-go/v4"
)

// Recorder is a session that can record: every tick of the haptic loop and every step of physics. The window shows a
// button and a key for it.
type Recorder interface {
	// Record begins a recording. The bodies go back to their start.
	Record() error
	// StopRecording ends it and returns its file; "" where there was none.
	StopRecording() string
	// Recording is the file that is being written and for how long; "" where there is none.
	Recording() (file string, seconds float64)
}

// toggleRecording begins a recording or ends the one under way.
func (hp *haptic) toggleRecording() {
	r := hp.scene.recorder()
	if r == nil {
		return
	}
	if file, _ := r.Recording(); file != "" {
		hp.sayPath("Recorded " + ShortPath(r.StopRecording()))
		return
	}
	if err := r.Record(); err != nil {
		hp.warn(err.Error())
	}
}

// ShortPath is a file's name with ~ for the user's home.
func ShortPath(path string) string {
	if home, err := os.UserHomeDir(); err == nil && strings.HasPrefix(path, home+string(filepath.Separator)) {
		return "~" + strings.TrimPrefix(path, home)
	}
	return path
}

// recordButton is in the panel's section of the haptic loop.
func (hp *haptic) recordButton() {
	r := hp.scene.recorder()
	if r == nil {
		return
	}
	name, about := "Record   (F8)##Record", "Writes every tick of the haptic loop and every step of physics, with contacts and parameters, to an MCAP file for 'hapco replay', Foxglove or PlotJuggler. The bodies go back to their start, so that the same steps can be made again."
	if file, _ := r.Recording(); file != "" {
		name, about = "Stop recording   (F8)##Record", "Ends "+ShortPath(file)+"."
	}
	if hp.gui.button(name, about, -1) {
		hp.toggleRecording()
	}
}

// recordingDot shows in the scene's corner that a recording is under way: a red dot, for how long, and to which file.
func (hp *haptic) recordingDot() {
	r := hp.scene.recorder()
	if r == nil {
		return
	}
	file, seconds := r.Recording()
	if file == "" {
		return
	}
	g := hp.gui
	text := fmt.Sprintf("REC  %d:%04.1f   %s", int(seconds)/60, seconds-60*float64(int(seconds)/60), filepath.Base(file))
	imgui.PushFont(g.fonts.small)
	defer imgui.PopFont()
	size := imgui.CalcTextSize(text, false, 0)
	lo := at(hp.viewport.lens.x, hp.viewport.lens.y)
	lo.X, lo.Y = lo.X+g.px(10), lo.Y+g.px(10)
	hi := imgui.Vec2{X: lo.X + size.X + g.px(32), Y: lo.Y + size.Y + g.px(10)}
	list := imgui.BackgroundDrawList()
	list.AddRectFilledV(lo, hi, packedA(0x12151b, 0.7), g.px(6), imgui.DrawFlagsNone)
	list.AddCircleFilled(imgui.Vec2{X: lo.X + g.px(13), Y: (lo.Y + hi.Y) / 2}, g.px(5), packed(0xe5342b))
	list.AddText(imgui.Vec2{X: lo.X + g.px(24), Y: lo.Y + g.px(5)}, packed(inkColor), text)
	g.spot("recording", lo, hi)
}

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
	name := pick(at.Playing, "Rest##PlayOn", "Play##PlayOn")
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
		p.SetSpeed(playSpeeds[(slices.Index(playSpeeds[:], at.Speed)+1)%len(playSpeeds)]) // the first after any other
	}
	imgui.SameLineV(0, g.px(4))
	about := "Begins again after the end, with the bodies at their start."
	if g.toggle("Loop", "PlayLoop", about, at.Loop, imgui.Vec2{X: g.px(50)}) {
		p.SetLoop(!at.Loop)
	}
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
