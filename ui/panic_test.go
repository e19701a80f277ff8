package ui

import (
	"context"
	"testing"

	"hapco/haptics/lastforce"
)

// A panic while a scene opens lets the hand go that holds the old one.
func TestPanicWhileLoadingLetsGo(t *testing.T) {
	lastforce.Check(t, "(*library).open", func(*lastforce.Double) {
		a := assemble(&Options{Open: func(context.Context, string, func(float64, string)) (Session, error) {
			panic("a bug in a reader")
		}}, nil)
		a.library.open(context.Background(), "liver")
	})
}
