package ui

import (
	"testing"

	"github.com/go-gl/glfw/v3.3/glfw"
)

// Each key does something, and one thing in a place, and Shift alone
// changes nothing but where a stroke of its own asks for it.
func TestBindings(t *testing.T) {
	type press struct {
		key  glfw.Key
		with mods
		in   place
	}
	seen := map[press]string{}
	for _, b := range bindings {
		for _, s := range b.strokes {
			if s.in == 0 {
				s.in = inScene
			}
			for _, in := range []place{inScene, inGallery, inStudy} {
				if s.in&in == 0 {
					continue
				}
				p := press{s.key, s.with, in}
				if other, ok := seen[p]; ok {
					t.Errorf("%s and %s have the same key", other, b.keys)
				}
				seen[p] = b.keys
				if s.act.do == nil {
					t.Errorf("%s does nothing", b.keys)
				}
				if got := actionOf(int(s.key), s.with, in); got != s.act {
					t.Errorf("%s: action %p, want %p", b.keys, got, s.act)
				}
			}
		}
	}
	for _, c := range []struct {
		key  glfw.Key
		with mods
		in   place
		want *action
	}{
		{glfw.KeyR, withShift, inScene, resetView}, {glfw.KeyR, withCtrl, inScene, nil}, {glfw.KeyR, 0, inGallery, nil},
		{glfw.KeyY, withCtrl | withShift, inScene, redo}, {glfw.KeyQ, withCtrl, inStudy, quit},
		{glfw.KeyP, 0, inStudy, nil},
	} {
		if got := actionOf(int(c.key), c.with, c.in); got != c.want {
			t.Errorf("key %d with %d in %d: action %p, want %p", c.key, c.with, c.in, got, c.want)
		}
	}
}

// What is typed into a dialog is not for the scene behind it; what ends the program or saves a picture is for both.
func TestDialogsHaveTheKeys(t *testing.T) {
	for key := 32; key < 350; key++ {
		for _, with := range []mods{0, withCtrl, withShift, withCtrl | withShift} {
			if act := actionOf(key, with, inDialog); act != nil && act != actionOf(key, with, inStudy) {
				t.Errorf("key %d with %d does %p in a dialog", key, with, act)
			}
		}
	}
	if actionOf('Q', withCtrl, inDialog) != quit || actionOf('H', 0, inDialog) != nil || actionOf('P', 0, inDialog) != nil {
		t.Error("Ctrl+Q, H and P in a dialog")
	}
}
