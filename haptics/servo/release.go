package servo

import (
	"sync/atomic"
	"unsafe"
)

// Resume takes a Release back. Force then comes as at the start: with the ramp,
// and in contact only once the stylus is lifted or its main button is pressed.
func (s *Servo) Resume() {
	atomic.StoreInt32((*int32)(unsafe.Pointer(&s.c.release)), 0)
}

// IsReleased tells whether a Release holds.
func (s *Servo) IsReleased() bool {
	return atomic.LoadInt32((*int32)(unsafe.Pointer(&s.c.release))) != 0
}
