package ui

import "github.com/go-gl/glfw/v3.3/glfw"

// Input reaches the window as events between frames, but imgui and the scene look at it once a frame. A press and its
// release that fall into one frame would be seen as nothing, and a quick drag would lose its end point. The queue
// therefore hands out events in order and stops a frame's share before the first one that would hide another; the rest
// waits for the next frame.

type eventKind uint8

const (
	moveEvent eventKind = iota
	buttonEvent
	wheelEvent
	keyEvent
	textEvent
	leaveEvent // the pointer left the window
	blurEvent  // the window lost the keyboard: everything is let go
)

const (
	buttonCount = 3   // left, right, middle, as GLFW and imgui number them
	keyCount    = 350 // GLFW's key codes end at 348
)

type event struct {
	kind   eventKind
	code   int     // button or key
	down   bool    //
	repeat bool    // of keyEvent: the system's key repeat
	x, y   float64 // moveEvent: pixels; wheelEvent: notches
	text   rune    //
}

// input is what one frame sees.
type input struct {
	x, y              float64 // pointer, framebuffer pixels from the top left
	inside            bool    // the pointer is in the window
	seenX, seenY      float64 // the pointer when touched last looked
	wheelX, wheelY    float64 // notches in this frame
	buttons           [buttonCount]bool
	pressed, released [buttonCount]bool // edges of this frame
	keys              [keyCount]bool
	keyEdges          []keyEdge // of this frame, in order
	text              []rune    // typed in this frame
}

type keyEdge struct {
	key          int
	down, repeat bool
}

// eventQueue keeps its capacity; adding and taking allocate nothing once warm.
type eventQueue struct {
	events []event
	// A field will have the keyboard: what is typed waits for it, and so does a press of the mouse, which imgui would
	// give to nobody in the frame in which the field gets it.
	fieldComes bool
}

// waits tells whether an event waits for a field that will have the keyboard. Escape never does, nor what is let go.
func (e *event) waits() bool {
	return e.kind == textEvent || e.kind == buttonEvent && e.down || e.kind == keyEvent && e.down && !modifier(e.code) && e.code != keyEscape
}

func (q *eventQueue) add(e event) {
	if n := len(q.events); n > 0 && e.kind == moveEvent && q.events[n-1].kind == moveEvent {
		q.events[n-1] = e // only the newest of consecutive moves counts
		return
	}
	q.events = append(q.events, e)
}

// with are the modifiers that are down.
func (in *input) with() (m mods) {
	down := func(left, right glfw.Key) bool { return in.keys[left] || in.keys[right] }
	if down(glfw.KeyLeftControl, glfw.KeyRightControl) {
		m |= withCtrl
	}
	if down(glfw.KeyLeftShift, glfw.KeyRightShift) {
		m |= withShift
	}
	return m
}

// axis is what two keys that are held say together: -1, 0 or 1.
func (in *input) axis(minus, plus glfw.Key) (v float64) {
	if in.keys[minus] {
		v--
	}
	if in.keys[plus] {
		v++
	}
	return v
}

// modifier tells whether a key changes what others mean.
func modifier(code int) bool {
	return glfw.Key(code) >= glfw.KeyLeftShift && glfw.Key(code) <= glfw.KeyRightSuper
}

// take moves one frame's share of events into in.
func (q *eventQueue) take(in *input) {
	in.wheelX, in.wheelY = 0, 0
	in.pressed, in.released = [buttonCount]bool{}, [buttonCount]bool{}
	in.keyEdges, in.text = in.keyEdges[:0], in.text[:0]

	n := 0
	moved, clicked, wheeled, struck := false, false, false, false
loop:
	for n < len(q.events) {
		e := &q.events[n]
		if q.fieldComes && e.waits() {
			break
		}
		switch e.kind {
		case moveEvent:
			if clicked || wheeled {
				break loop // the click belongs to where the pointer was
			}
			moved = moved || in.inside && (in.x != e.x || in.y != e.y)
			in.x, in.y, in.inside = e.x, e.y, true
		case buttonEvent:
			if e.code < 0 || e.code >= buttonCount || in.buttons[e.code] == e.down {
				break
			}
			if in.pressed[e.code] || in.released[e.code] || wheeled {
				break loop
			}
			if !e.down && moved {
				break loop // a drag has to be seen at its end before it ends
			}
			in.buttons[e.code] = e.down
			in.pressed[e.code], in.released[e.code] = e.down, !e.down
			clicked = true
		case wheelEvent:
			if clicked {
				break loop
			}
			in.wheelX += e.x
			in.wheelY += e.y
			wheeled = true
		case keyEvent:
			if e.code < 0 || e.code >= keyCount || in.keys[e.code] == e.down && !e.repeat {
				break
			}
			for _, k := range in.keyEdges {
				if k.key == e.code {
					break loop
				}
			}
			if len(in.text) > 0 {
				break loop // text typed before a key must be seen before it
			}
			if modifier(e.code) && (struck || clicked || wheeled) {
				break loop // Ctrl that goes up behind Q was down for it
			}
			struck = struck || !modifier(e.code)
			in.keys[e.code] = e.down
			in.keyEdges = append(in.keyEdges, keyEdge{e.code, e.down, e.repeat})
		case textEvent:
			in.text = append(in.text, e.text)
		case leaveEvent:
			if clicked {
				break loop
			}
			in.inside = false
		case blurEvent:
			if clicked || len(in.keyEdges) > 0 {
				break loop
			}
			for b := range in.buttons {
				in.released[b] = in.buttons[b]
				in.buttons[b] = false
			}
			for k := range in.keys {
				if in.keys[k] {
					in.keyEdges = append(in.keyEdges, keyEdge{key: k})
					in.keys[k] = false
				}
			}
			clicked = true
		}
		n++
	}
	q.events = q.events[:copy(q.events, q.events[n:])]
}

const (
	keyEscape   = int(glfw.KeyEscape)
	keyLeft     = int(glfw.KeyLeft)
	keyRight    = int(glfw.KeyRight)
	keyDown     = int(glfw.KeyDown)
	keyUp       = int(glfw.KeyUp)
	keyPageUp   = int(glfw.KeyPageUp)
	keyPageDown = int(glfw.KeyPageDown)
)
