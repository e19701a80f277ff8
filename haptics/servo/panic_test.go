package servo_test

import (
	"testing"

	"hapco/haptics/lastforce"
	"hapco/physics/machinery/failsafe"
)

// Whatever panics, the last command to the device is zero.
func TestPanicLetsGo(t *testing.T) {
	t.Run("the bridge, in its driver", func(t *testing.T) {
		lastforce.Check(t, "(*Servo).bridge", (*lastforce.Double).Break)
	})
	t.Run("a goroutine", func(t *testing.T) {
		lastforce.Check(t, "inSomeGoroutine", func(*lastforce.Double) { failsafe.Go(inSomeGoroutine) })
	})
	t.Run("the main goroutine", func(t *testing.T) {
		lastforce.Check(t, "inSomeGoroutine", func(*lastforce.Double) { failsafe.Do(inSomeGoroutine) })
	})
}

func inSomeGoroutine() {
	var none []int
	_ = none[len(none)]
}
