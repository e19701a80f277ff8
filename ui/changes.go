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
	servo  haptics.Params
	hand   int     // that servo and spring are of
	spring float64 // of the mouse, N/m
	view   render.Display
	look   look
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

// changes are what the user has done to a scene, so that it can be taken back: three slots, each with a way of its own.
type changes struct {
	base
	viewport *viewport
	slots    [slotCount]slot
	slot     int   // of slots
	now      state // see present
}

var slotNames = [slotCount]string{"A", "B", "C"}

// present is the state as it is. It holds until present is called again.
func (ch *changes) present() *state {
	s := &ch.now
	s.values = append(s.values[:0], ch.scene.values...)
	s.bodies = append(s.bodies[:0], ch.viewport.view.Bodies...)
	s.held = append(s.held[:0], ch.viewport.support.held...)
	s.settings = settings{servo: ch.scene.session.Servo().Params(), hand: ch.scene.inHand(), view: ch.viewport.view.Display, look: ch.viewport.look}
	// Whether there is force on the hand is no matter of taste: going back never turns it on.
	s.servo.Enabled, s.servo.DeadMan = false, 0
	if p := ch.scene.session.Pointer(); p != nil {
		s.spring = p.Stiffness()
	}
	return s
}

// take makes the window and the simulation as a state says.
func (ch *changes) take(s *state) {
	copy(ch.scene.values, s.values)
	ch.scene.publish()
	if s.hand == ch.scene.inHand() { // another device has other limits
		p := ch.scene.session.Servo().Params()
		force, button := p.Enabled, p.DeadMan
		p = s.servo
		p.Enabled, p.DeadMan = force, button
		ch.scene.session.Servo().SetParams(p)
		if p := ch.scene.session.Pointer(); p != nil && s.spring > 0 {
			p.SetStiffness(s.spring)
		}
	}
	copy(ch.viewport.view.Bodies, s.bodies)
	copy(ch.viewport.support.held, s.held)
	ch.viewport.view.Display, ch.viewport.look = s.view, s.look
}

// forgetChanges starts a scene's slots anew.
func (ch *changes) forget() {
	ch.slots, ch.slot = [slotCount]slot{}, 0
	ch.slots[0].now = ch.present().clone()
}

// watchChanges notes each change once the hand has let go of what it drags or types.
func (ch *changes) watch() {
	s := &ch.slots[ch.slot]
	if ch.scene.snap == nil || s.now == nil || imgui.IsAnyItemActive() || ch.gui.entry.id != "" || ch.viewport.support.stroke {
		return
	}
	now := ch.present()
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
func (ch *changes) settle() {
	if s := &ch.slots[ch.slot]; s.now != nil {
		s.now = ch.present().clone()
	}
}

func (ch *changes) undo() {
	ch.watch()
	s := &ch.slots[ch.slot]
	ch.step(&s.past, &s.future, "undo", "Undone")
}

func (ch *changes) redo() {
	s := &ch.slots[ch.slot]
	ch.step(&s.future, &s.past, "redo", "Done again")
}

// step goes to the last state of from, and puts the present one at the end of to.
func (ch *changes) step(from, to *[]*state, what, done string) {
	s := &ch.slots[ch.slot]
	n := len(*from)
	if n == 0 {
		ch.say("There is nothing to " + what + ".")
		return
	}
	*to = append(*to, s.now)
	ch.take((*from)[n-1])
	*from = (*from)[:n-1]
	s.now = ch.present().clone()
	ch.say(fmt.Sprintf("%s; %d more.", done, n-1))
}

// turnSlot goes to another slot; one that was never used begins as the present one is.
func (ch *changes) turnSlot(i int) {
	if i == ch.slot || ch.slots[ch.slot].now == nil {
		return
	}
	ch.watch()
	ch.slot = i
	if s := &ch.slots[i]; s.now == nil {
		s.now = ch.present().clone()
	} else {
		ch.take(s.now)
	}
	ch.say("Slot " + slotNames[i] + ": changes are kept here.")
}

// nextSlot goes to the next slot that is in use.
func (ch *changes) nextSlot() {
	for k := 1; k < slotCount; k++ {
		if i := (ch.slot + k) % slotCount; ch.slots[i].now != nil {
			ch.turnSlot(i)
			return
		}
	}
}

// slotRow has the slots, undo and redo.
func (ch *changes) slotRow() {
	g := ch.gui
	gap := g.px(4)
	wide := (imgui.ContentRegionAvail().X - 4*gap) / 5
	for i, name := range slotNames {
		shown := pick(ch.slots[i].now == nil, "("+name+")", name)
		about := "Slot " + name + " (F" + string(rune('2'+i)) + ", or the stylus's second button where no switch has it): " +
			"every slot keeps its own parameters and view, to compare. An unused one begins as this one is."
		if g.toggle(shown+"##slot"+name, "Slot/"+name, about, i == ch.slot, imgui.Vec2{X: wide}) {
			ch.turnSlot(i)
		}
		imgui.SameLineV(0, gap)
	}
	s := &ch.slots[ch.slot]
	g.beginOff(len(s.past) == 0)
	if g.button("Undo", fmt.Sprintf("Takes back the last change (Ctrl+Z); %d are kept.", len(s.past)), wide) {
		ch.undo()
	}
	g.endOff()
	imgui.SameLineV(0, gap)
	g.beginOff(len(s.future) == 0)
	if g.button("Redo", "Makes the change again (Ctrl+Shift+Z, Ctrl+Y).", wide) {
		ch.redo()
	}
	g.endOff()
}
