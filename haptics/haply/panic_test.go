package haply

import (
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/haptics/lastword"
	"hapco/physics/guard"
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
			quit := make(chan struct{})
			defer close(quit)
			go func() { // slow answers make the driver speak while it pushes
				for {
					select {
					case <-quit:
						return
					case <-time.After(2 * time.Millisecond):
					}
					s.set(func() {
						if c.driver && s.peak > 1 {
							s.delay = 12 * time.Millisecond
						}
					})
				}
			}()
			words := lastword.Die(t, variable+"="+s.url())
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
	d, err := Open(Options{URL: url, Notify: func(line string) {
		if driver {
			panic(line)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	for {
		d.Write(mgl64.Vec3{0, 3 * math.Min(1, time.Since(began).Seconds()), 0})
		time.Sleep(time.Millisecond)
		if !driver && time.Since(began) > 1500*time.Millisecond {
			guard.Go(elsewhere)
		}
	}
}

func elsewhere() { panic("a bug elsewhere") }
