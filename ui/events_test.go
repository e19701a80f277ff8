package ui

import (
	"math/rand/v2"
	"slices"
	"testing"

	"hapco/physics/machinery/testkit"

	"github.com/go-gl/glfw/v3.3/glfw"
)

func press(code int, down bool) event { return event{kind: buttonEvent, code: code, down: down} }
func move(x, y float64) event         { return event{kind: moveEvent, x: x, y: y} }

func TestClickWithinOneFrameIsSeen(t *testing.T) {
	var q eventQueue
	var in input
	q.add(move(10, 10))
	q.add(press(0, true))
	q.add(press(0, false))
	q.take(&in)
	if !in.buttons[0] || !in.pressed[0] || in.x != 10 {
		t.Fatalf("first frame: the press is lost: %+v", in)
	}
	q.take(&in)
	if in.buttons[0] || !in.released[0] {
		t.Fatal("second frame: the release is lost")
	}
	q.take(&in)
	if in.pressed[0] || in.released[0] {
		t.Fatal("edges must last one frame")
	}
}

// What is typed or clicked before a field has the keyboard waits for it, in order; Escape, and what was down, do not.
func TestTypingWaitsForItsField(t *testing.T) {
	var q eventQueue
	var in input
	key := func(code int, down bool) { q.add(event{kind: keyEvent, code: code, down: down}) }
	ctrl, f := int(glfw.KeyLeftControl), int(glfw.KeyF)
	key(ctrl, true)
	key(f, true)
	q.take(&in)
	q.fieldComes = true
	key(ctrl, false)
	for _, r := range "ice" {
		key(int(r-'a')+int(glfw.KeyA), true)
		q.add(event{kind: textEvent, text: r})
		key(int(r-'a')+int(glfw.KeyA), false)
	}
	for range 3 {
		if q.take(&in); len(in.text) > 0 || in.keys[glfw.KeyI] || in.keys[ctrl] {
			t.Fatalf("typed before the field has the keyboard: %q, %v", string(in.text), in.keyEdges)
		}
	}
	q.fieldComes = false
	text := ""
	for range 9 {
		q.take(&in)
		text += string(in.text)
	}
	if text != "ice" || len(q.events) > 0 {
		t.Fatalf("the field gets %q, with %d events left", text, len(q.events))
	}
	q.fieldComes = true
	key(keyEscape, true)
	if q.take(&in); !in.keys[keyEscape] {
		t.Fatal("Escape waits")
	}
	q.add(press(0, true))
	q.add(press(0, false))
	if q.take(&in); in.buttons[0] || in.pressed[0] {
		t.Fatal("a click goes where nobody gets it")
	}
	q.fieldComes = false
	if q.take(&in); !in.pressed[0] {
		t.Fatal("a click is lost")
	}
	q.fieldComes = true
	if q.take(&in); !in.released[0] {
		t.Fatal("a button that is let go waits")
	}
}

func TestDragWithinOneFrameReachesItsEnd(t *testing.T) {
	var q eventQueue
	var in input
	for _, e := range []event{move(10, 10), press(0, true), move(50, 12), move(90, 14), press(0, false), move(300, 300)} {
		q.add(e)
	}
	var downAt []float64
	for range 6 {
		q.take(&in)
		if in.buttons[0] {
			downAt = append(downAt, in.x)
		}
		if in.released[0] && in.x != 90 {
			t.Fatalf("released at %g, want 90", in.x)
		}
	}
	if want := []float64{10, 90}; !slices.Equal(downAt, want) {
		t.Fatalf("held at x = %v, want %v", downAt, want)
	}
	if in.x != 300 || len(q.events) != 0 {
		t.Fatalf("the pointer ends at %g with %d events left", in.x, len(q.events))
	}
}

// Whatever comes in, nothing is lost: every press is seen for a frame, in order.
func TestEventQueueLosesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var q eventQueue
		var in input
		down := [buttonCount]bool{}
		presses, wheel, typed := 0, 0.0, 0
		for range 60 {
			switch r.IntN(5) {
			case 0:
				q.add(move(r.Float64(), r.Float64()))
			case 1, 2:
				b := r.IntN(buttonCount)
				down[b] = !down[b]
				if down[b] {
					presses++
				}
				q.add(press(b, down[b]))
			case 3:
				q.add(event{kind: wheelEvent, y: 1})
				wheel++
			case 4:
				q.add(event{kind: textEvent, text: 'a'})
				typed++
			}
		}
		for range 200 {
			q.take(&in)
			for b := range in.pressed {
				if in.pressed[b] {
					presses--
				}
			}
			wheel -= in.wheelY
			typed -= len(in.text)
		}
		if presses != 0 || wheel != 0 || typed != 0 || len(q.events) != 0 || in.buttons != down {
			t.Fatalf("lost %d presses, %g notches, %d letters; %d events left", presses, wheel, typed, len(q.events))
		}
	}
}

func TestBlurLetsEverythingGo(t *testing.T) {
	var q eventQueue
	var in input
	q.add(press(0, true))
	q.add(event{kind: keyEvent, code: 32, down: true})
	q.take(&in)
	q.add(event{kind: blurEvent})
	q.take(&in)
	if in.buttons[0] || !in.released[0] || in.keys[32] || len(in.keyEdges) != 1 {
		t.Fatalf("still held after the window lost the keyboard: %+v", in.keyEdges)
	}
}

func TestEventQueueAllocatesNothing(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector allocates")
	}
	var q eventQueue
	var in input
	frame := func() {
		for i := range 20 {
			q.add(move(float64(i), 1))
			q.add(press(i%2, i%4 < 2))
			q.add(event{kind: keyEvent, code: 65 + i, down: i%2 == 0})
		}
		for range 60 {
			q.take(&in)
		}
	}
	frame()
	if n := testing.AllocsPerRun(100, frame); n != 0 {
		t.Fatalf("%g allocations a frame", n)
	}
}

// A key is seen with the Ctrl that was down when it was struck: X clients and hands
// let go of Ctrl first, and in a slow frame both come at once.
func TestKeyHasItsModifier(t *testing.T) {
	ctrl, q, shift := int(glfw.KeyLeftControl), int(glfw.KeyQ), int(glfw.KeyLeftShift)
	type stroke struct {
		code int
		down bool
	}
	for name, strokes := range map[string][]stroke{
		"all in one frame":    {{ctrl, true}, {q, true}, {ctrl, false}, {q, false}},
		"Ctrl before, Q late": {{ctrl, true}, {-1, false}, {q, true}, {ctrl, false}, {q, false}},
		"Q up first":          {{ctrl, true}, {-1, false}, {q, true}, {q, false}, {ctrl, false}},
		"with Shift":          {{shift, true}, {ctrl, true}, {-1, false}, {q, true}, {shift, false}, {ctrl, false}, {q, false}},
	} {
		var queue eventQueue
		var in input
		struck := 0
		frame := func() {
			queue.take(&in)
			for _, e := range in.keyEdges {
				if e.key == q && e.down {
					struck++
					if !in.keys[ctrl] {
						t.Errorf("%s: Q without Ctrl", name)
					}
				}
			}
		}
		for _, s := range strokes {
			if s.code < 0 {
				frame()
				continue
			}
			queue.add(event{kind: keyEvent, code: s.code, down: s.down})
		}
		for range 8 {
			frame()
		}
		if struck != 1 || in.keys[ctrl] || in.keys[q] || len(queue.events) != 0 {
			t.Errorf("%s: Q struck %d times; Ctrl %v, Q %v, %d events left", name, struck, in.keys[ctrl], in.keys[q], len(queue.events))
		}
	}

	// A key struck before Ctrl goes down is not struck with it; nor is a click.
	for name, first := range map[string]event{"key": {kind: keyEvent, code: q, down: true}, "click": press(0, true), "wheel": {kind: wheelEvent, y: 1}} {
		var queue eventQueue
		var in input
		queue.add(first)
		queue.add(event{kind: keyEvent, code: ctrl, down: true})
		if queue.take(&in); in.keys[ctrl] {
			t.Errorf("a %s of before has Ctrl", name)
		}
		if queue.take(&in); !in.keys[ctrl] {
			t.Errorf("Ctrl after a %s is lost", name)
		}
	}
}
