package servo

import (
	"errors"
	"strings"
	"testing"
	"unsafe"
)

// Where there is no memory for a part of a servo there is none of it, and one line.
func TestNoMemory(t *testing.T) {
	some := unsafe.Pointer(new(int))
	for name, begin := range map[string]func() (*Servo, error){
		"a device in Go": func() (*Servo, error) { return New(new(fake), 1000) },
		"a foreign device": func() (*Servo, error) {
			return NewForeign(new(fake), Foreign{Self: some, Read: some, Write: some, SetTick: func(tick, context unsafe.Pointer) {}}, 1000)
		},
	} {
		for nth := 1; ; nth++ {
			starve(nth)
			s, err := begin()
			starve(0)
			if err == nil {
				if err := s.Stop(); err != nil || nth < 3 {
					t.Errorf("%s: %d allocations, %v", name, nth-1, err)
				}
				break
			}
			if s != nil || !errors.Is(err, errNoMemory) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
