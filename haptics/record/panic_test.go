package record_test

import (
	"context"
	"testing"

	"hapco/haptics"
	"hapco/haptics/lastword"
	"hapco/haptics/record"
	"hapco/physics/guard"
)

type brokenSource struct{}

func (brokenSource) Drain([]haptics.Record) int { panic("a bug in the ring") }

// A panic of the flight recorder lets the hand go.
func TestPanicLetsGo(t *testing.T) {
	lastword.Check(t, "(*Flight).Run", func(*lastword.Double) {
		f := record.NewFlight(brokenSource{}, record.Options{})
		guard.Go(func() { f.Run(context.Background()) })
	})
}
