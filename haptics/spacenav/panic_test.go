package spacenav

import (
	"testing"

	"hapco/haptics/lastforce"
)

// A panic of this driver lets the hand go, whatever device it is on.
func TestPanicLetsGo(t *testing.T) {
	lastforce.Check(t, "(*Device).own", func(*lastforce.Double) {
		o, _ := options(t)
		o.Notify = func(line string) { panic(line) }
		daemon := startDaemon(t, o.Socket)
		if _, err := Open(o); err != nil {
			t.Fatal(err)
		}
		daemon.send(t, record())
		daemon.stop()
	})
}
