package servo

import (
	"sync/atomic"
	"unsafe"
)

// Who asked for no force; each takes back only what it asked for.
const (
	byPanel = 1 << iota // until Resume
	byGuard             // the program is ending: for good
)

func (s *Servo) requests() *int32 { return (*int32)(unsafe.Pointer(&s.c.release)) }

// Release drops the force within a tick, until Resume. It calls nothing and waits for nothing.
func (s *Servo) Release() { atomic.OrInt32(s.requests(), byPanel) }

// Resume takes a Release back. Force then comes as at the start: with the ramp, and in contact only once the stylus is
// lifted or its main button is pressed.
func (s *Servo) Resume() { atomic.AndInt32(s.requests(), ^byPanel) }

// IsReleased tells whether there is no force, by Release or because the program is ending.
func (s *Servo) IsReleased() bool { return atomic.LoadInt32(s.requests()) != 0 }

// abandon is Release for good.
func (s *Servo) abandon() { atomic.OrInt32(s.requests(), byGuard) }

// abandoned tells whether the device has got the zero force: by a tick, or by the bridge, which does not wait for one.
func (s *Servo) abandoned() bool {
	switch {
	case s.state.Load() != running:
		return true
	case s.mail != nil:
		return s.zero.Load()
	}
	return atomic.LoadInt32((*int32)(unsafe.Pointer(&s.c.released))) != 0
}
