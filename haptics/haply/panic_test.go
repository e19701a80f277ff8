package haply

import (
	"math"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/haptics/lastforce"
	"hapco/physics/machinery/failsafe"
)

// Whether the driver itself panics or something else does, the last force that
// the service hears of is zero.
func TestPanicLetsGo(t *testing.T) {
	const variable = "HAPCO_TEST_HAPLY"
	for _, c := range []struct {
		name, at string
		driver   bool
	}{{"the driver", "(*Device).say", true}, {"something else", "elsewhere", false}} {
		t.Run(c.name, func(t *testing.T) {
			if url := os.Getenv(variable); url != "" {
				pressAndDie(t, url, c.driver)
			}
			s := start(t)
			// The grip's button tells the child that the service has heard of a force; then
			// slow answers make the driver speak while it pushes.
			s.set(func() {
				s.heard = func() {
					if s.peak > 1 {
						s.grip = `,"wireless_verse_grip":[{"state":{"buttons":{"a":true}}}]`
						if c.driver {
							s.delay = 12 * time.Millisecond
						}
					}
				}
			})
			words := lastforce.Die(t, variable+"="+s.url())
			if !strings.Contains(words, c.at) {
				t.Errorf("the panic's stack does not name %s:\n%s", c.at, words)
			}
			s.set(func() {
				t.Logf("%d messages, up to %.3f N", s.messages, s.peak)
				if s.peak < 1 || !strings.Contains(s.last, `"x":0,"y":0,"z":0`) {
					t.Errorf("after up to %g N the last word was %s", s.peak, s.last)
				}
			})
		})
	}
}

func pressAndDie(t *testing.T, url string, driver bool) {
	var pushes atomic.Bool
	d, err := Open(Options{URL: url, Notify: func(line string) {
		if driver && pushes.Load() {
			panic(line)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	for k := 0; ; k++ {
		d.Write(mgl64.Vec3{0, 3 * math.Min(1, float64(k)/1000), 0})
		time.Sleep(time.Millisecond)
		if d.Read().Buttons != 0 && !pushes.Swap(true) && !driver {
			failsafe.Go(elsewhere)
		}
	}
}

func elsewhere() { panic("a bug elsewhere") }
