package phantom

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/haptics/lastforce"
	"hapco/physics/machinery/failsafe"
)

// Whether the driver itself panics or something else does, the last frame that
// goes to the arm holds no force.
func TestPanicLetsGo(t *testing.T) {
	for _, c := range []struct {
		name, at string
		driver   bool
	}{{"the driver", "(*Device).own", true}, {"something else", "elsewhere", false}} {
		t.Run(c.name, func(t *testing.T) {
			if os.Getenv("FAKEHD_PAGE") != "" {
				pressAndDie(t, c.driver)
			}
			file := filepath.Join(t.TempDir(), "page")
			words := lastforce.Die(t, "FAKEHD_PAGE="+file)
			if !strings.Contains(words, c.at) {
				t.Errorf("the panic's stack does not name %s:\n%s", c.at, words)
			}
			page, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			get := func(meter string) float64 {
				const entry = 32 // name, value, wanted value
				for i := 0; i+entry <= len(page); i += entry {
					if strings.TrimRight(string(page[i:i+16]), "\x00") == meter {
						return math.Float64frombits(binary.NativeEndian.Uint64(page[i+16:]))
					}
				}
				return math.NaN()
			}
			t.Logf("up to %.3f N, the last %g N", get("peak_force"), get("sent"))
			if !(get("peak_force") > 1) || get("sent") != 0 {
				t.Errorf("after up to %g N the last frame sent %g N", get("peak_force"), get("sent"))
			}
		})
	}
}

func pressAndDie(t *testing.T, driver bool) {
	fake.Reset()
	d, err := Open(Options{Library: libPath, Notify: func(line string) {
		if driver && strings.Contains(line, "servo of") {
			panic(line)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	for died := false; ; time.Sleep(time.Millisecond) {
		d.Write(mgl64.Vec3{0, 2, 0})
		if died || fake.Get("peak_force") < 1.5 {
			continue
		}
		died = true
		if driver {
			fake.Fault(0x205) // it tells of what it has no name for, and goes on
		} else {
			failsafe.Go(elsewhere)
		}
	}
}

func elsewhere() { panic("a bug elsewhere") }
