package servo_test

import (
	"testing"

	"hapco/haptics/lastword"
	"hapco/physics/guard"
)

// Whatever panics, the last command to the device is zero.
func TestPanicLetsGo(t *testing.T) {
	t.Run("the bridge, in its driver", func(t *testing.T) {
		lastword.Check(t, "(*Servo).bridge", (*lastword.Double).Break)
	})
	t.Run("a goroutine", func(t *testing.T) {
		lastword.Check(t, "inSomeGoroutine", func(*lastword.Double) { guard.Go(inSomeGoroutine) })
	})
	t.Run("the main goroutine", func(t *testing.T) {
		lastword.Check(t, "inSomeGoroutine", func(*lastword.Double) { guard.Do(inSomeGoroutine) })
	})
}

func inSomeGoroutine() {
	var none []int
	_ = none[len(none)]
}
