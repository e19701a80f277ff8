package record_test

import (
	"context"
	"testing"

	"hapco/haptics"
	"hapco/haptics/lastforce"
	"hapco/haptics/record"
	"hapco/physics/machinery/failsafe"
)

type brokenSource struct{}

func (brokenSource) Drain([]haptics.Record) int { panic("a bug in the ring") }

// A panic of the flight recorder lets the hand go.
func TestPanicLetsGo(t *testing.T) {
	lastforce.Check(t, "(*Flight).Run", func(*lastforce.Double) {
		f := record.NewFlight(brokenSource{}, record.Options{})
		failsafe.Go(func() { f.Run(context.Background()) })
	})
}
