package ui

import (
	"fmt"
	"os"
	"path/filepath"
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
		hp.sayPath("Recorded " + shortPath(r.StopRecording()))
		return
	}
	if err := r.Record(); err != nil {
		hp.warn(err.Error())
	}
}

// shortPath is a file's name with ~ for the user's home.
func shortPath(path string) string {
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
		name, about = "Stop recording   (F8)##Record", "Ends "+shortPath(file)+"."
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
