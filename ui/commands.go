package ui

import (
	"hapco/physics"
	"hapco/physics/files/setting"
)

// shortcuts turns the keys that went down into actions.
func (a *app) shortcuts(in place) {
	with := a.win.in.with()
	for _, e := range a.win.in.keyEdges {
		if !e.down || e.repeat {
			continue
		}
		if in == inScene && with&withCtrl == 0 {
			a.press(e.key)
		}
		if act := actionOf(e.key, with, in); act != nil {
			a.do(act)
		}
	}
}

// perform does what keys, buttons and scripts asked for.
func (a *app) perform() {
	for len(a.actions) > 0 { // an action may ask for another
		act := a.actions[0]
		a.actions = a.actions[:copy(a.actions, a.actions[1:])]
		act.do(a)
	}
}

// escape closes what is open, the innermost first; then it puts the stylus down.
func (a *app) escape() {
	switch {
	case a.gui.popup: // an open list has closed itself
	case a.library.asks(): // closes itself, too
	case a.library.home.open:
		a.library.leaveGallery()
	case a.gui.help:
		a.gui.help = false
	case a.plots.large != nil && a.plots.shown:
		a.plots.large = nil
	case a.viewport.view.Selected != 0:
		a.viewport.view.Selected = 0
	default:
		a.viewport.letGo()
		a.viewport.mouse.held = false
	}
}

func (a *app) stepOnce() {
	if a.scene.paused {
		a.scene.session.StepOnce()
	}
}

func (a *app) resetObjects() {
	a.scene.session.ResetObjects()
	a.viewport.view.Selected = 0
	a.plots.again()
	a.say("Objects are back in their undeformed places.")
}

// otherHand takes the other of two hands; the one that is left stays where it is.
func (a *app) otherHand() {
	s, ok := a.scene.session.(TwoHanded)
	if !ok || len(s.Hands()) < 2 {
		a.say("This scene has one tool.")
		return
	}
	i := 1 - s.InHand()
	a.viewport.letGo()
	s.TakeHand(i)
	a.haptic.anew()
	if f, _ := a.scene.session.Seen(); f != nil {
		a.scene.snap = f
	}
	a.scene.status = a.scene.session.Haptics()
	if a.viewport.takeHand() {
		a.viewport.mouse.held = true
	}
	a.changes.settle()
	a.say([]string{"The first tool", "The second tool"}[i] + " is in hand (" + s.Hands()[i] + "); M takes the other.")
}

// stylusButton is the second of a stylus: it turns the first switch of the world that has a key of its own, as that key
// does; where there is none it goes to the next slot. The first button pins the tool; one that must be held for force
// does nothing else.
const stylusButton = 1 << 1

// stylusPressed acts on the buttons of the stylus that have just gone down.
func (a *app) stylusPressed(pressed uint32) {
	if pressed&stylusButton != 0 && a.scene.session.Servo().Params().DeadMan&stylusButton == 0 && !a.press(0) {
		a.changes.nextSlot()
	}
}

// press turns the switch of the world that has this key of its own; 0 stands for the first there is. It tells whether
// there is one.
func (a *app) press(code int) bool {
	sc := a.scene
	for i := range sc.keys {
		k := &sc.keys[i]
		if k.Switch && k.Press != "" && (code == 0 || code == int(k.Press[0])) && (k.Off == nil || !k.Off(sc.values)) {
			physics.Choose(sc.keys, sc.values, i, 1-sc.values[i], sc.snap)
			sc.publish()
			a.say(k.Label + ": " + setting.SwitchWords[int(sc.values[i])])
			return true
		}
	}
	return false
}
