package ui

import (
	"context"
	"errors"
	"testing"
)

// When a scene cannot be opened the old one goes on; when that gave its device
// away and is closed, it is opened again, once.
func TestNothingDeadStaysOnScreen(t *testing.T) {
	asked := make(chan string, 9)
	a := assemble(&Options{Open: func(_ context.Context, scene string, _ func(float64, string)) (Session, error) {
		asked <- scene
		return nil, errors.New("no such mesh")
	}}, nil)
	a.scene.name, a.scene.session = "liver", &fakeSession{}
	why := errors.New("no such mesh")
	if err := a.library.keep(context.Background(), "loop", why); err != nil || a.library.loading != nil || a.notice.text != why.Error() {
		t.Errorf("a living scene: %v, notice %q", err, a.notice.text)
	}
	a.scene.session.Close()
	if err := a.library.keep(context.Background(), "loop", why); err != nil || a.library.loading == nil || <-asked != "liver" {
		t.Errorf("a closed scene is not opened again: %v", err)
	}
	if err := a.library.keep(context.Background(), "liver", why); !errors.Is(err, why) {
		t.Errorf("nothing to go on with: %v", err)
	}
	a.scene.session = nil
	if err := a.library.keep(context.Background(), "loop", why); !errors.Is(err, why) {
		t.Errorf("no scene at all: %v", err)
	}
}
