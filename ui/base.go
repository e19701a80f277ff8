package ui

import (
	"slices"
	"time"

	"hapco/physics/machinery/failsafe"
)

// base is what every part of the window stands on. All of it belongs to the main thread.
type base struct {
	*intents
	scene *scene
	gui   *gui
	opt   *Options
	win   *window
}

// intents are what the parts ask of the window as a whole. The app carries them out.
type intents struct {
	notice  notice
	actions []*action                        // in the order in which they were asked for
	wanted  string                           // scene or file to be opened; "": none
	made    func() (scene string, err error) // makes the scene to be opened; nil: none
}

// notice is a line about what just happened.
type notice struct {
	text  string
	bad   bool
	until time.Time
}

// A line stays for so long. A path takes time to read, a fault more.
const (
	noticeTime = 5 * time.Second
	pathTime   = 12 * time.Second
	faultTime  = 20 * time.Second
)

func (it *intents) say(text string)     { it.notice = notice{text, false, time.Now().Add(noticeTime)} }
func (it *intents) sayPath(text string) { it.notice = notice{text, false, time.Now().Add(pathTime)} }
func (it *intents) warn(text string)    { it.notice = notice{text, true, time.Now().Add(faultTime)} }

// said is the line while it shows.
func (it *intents) said() (text string, color uint32, ok bool) {
	n := &it.notice
	if n.text == "" || !time.Now().Before(n.until) {
		return "", 0, false
	}
	return n.text, pick(n.bad, badColor, goodColor), true
}

// do asks for an action.
func (it *intents) do(a *action) {
	if !slices.Contains(it.actions, a) { // a key and a button in one frame mean it once
		it.actions = append(it.actions, a)
	}
}

// later is work that goes on beside the frames, and then tells in the window what came of it; nil: none.
type later chan func()

func (l *later) begin(work func() (tell func())) {
	done := make(later, 1)
	*l = done
	failsafe.Go(func() { done <- work() })
}

// look lets work tell that is done, wait waits for it.
func (l *later) look() {
	if len(*l) > 0 {
		l.wait()
	}
}

func (l *later) wait() {
	if *l != nil {
		tell := <-*l
		*l = nil
		tell()
	}
}

// numberRows are the numbers that a section of the panel shows.
func (b *base) numberRows(section string) {
	if b.scene.snap == nil {
		return
	}
	for i := range b.scene.info.Numbers {
		n := &b.scene.info.Numbers[i]
		x := b.scene.snap.Numbers[i]
		if n.Section != section || n.Rare && !(x > 0) {
			continue
		}
		color := pick(n.Warn > 0 && x >= n.Warn, warnColor, inkColor)
		b.gui.readout(&control{label: n.Label, about: n.About}, numberText(n, x), color)
	}
}
