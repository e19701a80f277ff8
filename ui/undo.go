package ui

import (
	"fmt"
	"slices"

	"github.com/inkyblackness/imgui-go/v4"

	"hapco/haptics"
	"hapco/render"
)

// state is all that the panel and the brush change.
type state struct {
	values []float64         // of the keys
	bodies []render.BodyView // how each is shown
	held   []bool            // vertices of soft bodies, see support
	settings
}

// settings are the rest of a state; they compare by ==.
type settings struct {
	servo     haptics.Params
	hand      int     // that servo and spring are of
	spring    float64 // of the mouse, N/m
	view      render.Display
	clip      clip
	mode      int
	colours   string
	depthLine bool
}

func (s *state) equal(t *state) bool {
	return s.settings == t.settings && slices.Equal(s.values, t.values) && slices.Equal(s.bodies, t.bodies) && slices.Equal(s.held, t.held)
}

func (s *state) clone() *state {
	return &state{slices.Clone(s.values), slices.Clone(s.bodies), slices.Clone(s.held), s.settings}
}

// slot is one of A, B and C: a state with the way that led there.
type slot struct {
	now          *state // nil: never used
	past, future []*state
}

const (
	undoMost  = 200
	slotCount = 3
)

var slotNames = [slotCount]string{"A", "B", "C"}

// present is the state as it is. It holds until present is called again.
func (a *app) present() *state {
	s := &a.now
	s.values = append(s.values[:0], a.values...)
	s.bodies = append(s.bodies[:0], a.view.Bodies...)
	s.held = append(s.held[:0], a.support.held...)
	s.settings = settings{servo: a.session.Servo().Params(), hand: a.inHand(), view: a.view.Display, clip: a.clip, mode: a.mode, colours: a.colours, depthLine: a.depthLine}
	// Whether there is force on the hand is no matter of taste: going back never turns it on.
	s.servo.Enabled, s.servo.DeadMan = false, 0
	if p := a.session.Pointer(); p != nil {
		s.spring = p.Stiffness()
	}
	return s
}

// take makes the window and the simulation as a state says.
func (a *app) take(s *state) {
	copy(a.values, s.values)
	a.publish()
	if s.hand == a.inHand() { // another device has other limits
		p := a.session.Servo().Params()
		force, button := p.Enabled, p.DeadMan
		p = s.servo
		p.Enabled, p.DeadMan = force, button
		a.session.Servo().SetParams(p)
		if p := a.session.Pointer(); p != nil && s.spring > 0 {
			p.SetStiffness(s.spring)
		}
	}
	copy(a.view.Bodies, s.bodies)
	copy(a.support.held, s.held)
	a.view.Display, a.clip = s.view, s.clip
	a.mode, a.colours, a.depthLine = s.mode, s.colours, s.depthLine
}

// forgetChanges starts a scene's slots anew.
func (a *app) forgetChanges() {
	a.slots, a.slot = [slotCount]slot{}, 0
	a.slots[0].now = a.present().clone()
}

// watchChanges notes each change once the hand has let go of what it drags or types.
func (a *app) watchChanges() {
	s := &a.slots[a.slot]
	if a.snap == nil || s.now == nil || imgui.IsAnyItemActive() || a.gui.typing != "" || a.support.stroke {
		return
	}
	now := a.present()
	if now.equal(s.now) {
		return
	}
	s.past = append(s.past, s.now)
	if len(s.past) > undoMost {
		s.past = slices.Delete(s.past, 0, 1)
	}
	s.now, s.future = now.clone(), nil
}

// settleChanges takes what has just been done as no change of the user's.
func (a *app) settleChanges() {
	if s := &a.slots[a.slot]; s.now != nil {
		s.now = a.present().clone()
	}
}

func (a *app) undo() {
	a.watchChanges()
	if s := &a.slots[a.slot]; a.step(&s.past, &s.future, "undo") {
		a.say(fmt.Sprintf("Undone; %d more.", len(s.past)))
	}
}

func (a *app) redo() {
	if s := &a.slots[a.slot]; a.step(&s.future, &s.past, "redo") {
		a.say(fmt.Sprintf("Done again; %d more.", len(s.future)))
	}
}

// step goes to the last state of from, and puts the present one at the end of to.
func (a *app) step(from, to *[]*state, what string) bool {
	s := &a.slots[a.slot]
	n := len(*from)
	if n == 0 {
		a.say("There is nothing to " + what + ".")
		return false
	}
	*to = append(*to, s.now)
	a.take((*from)[n-1])
	*from = (*from)[:n-1]
	s.now = a.present().clone()
	return true
}

// turnSlot goes to another slot; one that was never used begins as the present one is.
func (a *app) turnSlot(i int) {
	if i == a.slot || a.slots[a.slot].now == nil {
		return
	}
	a.watchChanges()
	a.slot = i
	if s := &a.slots[i]; s.now == nil {
		s.now = a.present().clone()
	} else {
		a.take(s.now)
	}
	a.say("Slot " + slotNames[i] + ": changes are kept here.")
}

// nextSlot goes to the next slot that is in use.
func (a *app) nextSlot() {
	for k := 1; k < slotCount; k++ {
		if i := (a.slot + k) % slotCount; a.slots[i].now != nil {
			a.turnSlot(i)
			return
		}
	}
}

// slotRow has the slots, undo and redo.
func (a *app) slotRow() {
	g := &a.gui
	gap := g.px(4)
	wide := (imgui.ContentRegionAvail().X - 4*gap) / 5
	for i, name := range slotNames {
		shown := name
		if a.slots[i].now == nil {
			shown = "(" + name + ")"
		}
		if g.toggle(shown+"##slot"+name, i == a.slot, imgui.Vec2{X: wide}) {
			a.turnSlot(i)
		}
		g.mark("Slot/" + name)
		g.hint("Slot " + name + " (F" + string(rune('2'+i)) + ", or the stylus's second button where no switch has it): every slot keeps its own parameters and view, to compare. An unused one begins as this one is.")
		imgui.SameLineV(0, gap)
	}
	s := &a.slots[a.slot]
	g.beginOff(len(s.past) == 0)
	if g.button("Undo", fmt.Sprintf("Takes back the last change (Ctrl+Z); %d are kept.", len(s.past)), wide) {
		a.undo()
	}
	g.endOff()
	imgui.SameLineV(0, gap)
	g.beginOff(len(s.future) == 0)
	if g.button("Redo", "Makes the change again (Ctrl+Shift+Z, Ctrl+Y).", wide) {
		a.redo()
	}
	g.endOff()
}
