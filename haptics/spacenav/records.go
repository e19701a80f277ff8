package spacenav

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// event is one change of the device.
type event struct {
	kind   int      // motion, press, release or other
	axes   [6]int32 // counts: x, y, z, rx, ry, rz; valid for motion
	which  axisMask // axes that a motion sets; the others keep their value
	button int32    // for press and release
}

type axisMask uint8

const allAxes axisMask = 1<<6 - 1

const (
	other = iota
	motion
	press
	release
)

// parseRecord reads a record of spacenavd: eight native-endian integers, the first of which says what it is.
func parseRecord(b *[32]byte) event {
	var w [8]int32
	for i := range w {
		w[i] = int32(binary.NativeEndian.Uint32(b[4*i:]))
	}
	switch w[0] {
	case 0:
		e := event{kind: motion, which: allAxes}
		copy(e.axes[:], w[1:7])
		return e
	case 1:
		return event{kind: press, button: w[1]}
	case 2:
		return event{kind: release, button: w[1]}
	}
	return event{} // device changes, settings, raw values: of newer protocols
}

// readRecords passes on what the daemon sends until the line breaks.
func readRecords(r io.Reader, f func(event)) error {
	var b [32]byte
	for {
		if _, err := io.ReadFull(r, b[:]); err != nil {
			if errors.Is(err, io.ErrUnexpectedEOF) {
				return fmt.Errorf("half a record: %w", err)
			}
			return err
		}
		f(parseRecord(&b))
	}
}

// inputEvent is the kernel's struct input_event on 64-bit machines: 16 bytes of time, type, code, value.
const inputEventSize = 24

const (
	evSyn = 0
	evKey = 1
	evRel = 2
	evAbs = 3

	firstButton = 0x100 // BTN_0
)

// gather collects the kernel's events, which name one axis each, until the report is complete.
type gather struct {
	pending event
	axes    [6]int32
}

// add takes one input event and returns a change when there is one to tell.
func (g *gather) add(b *[inputEventSize]byte) (event, bool) {
	kind := binary.NativeEndian.Uint16(b[16:])
	code := binary.NativeEndian.Uint16(b[18:])
	value := int32(binary.NativeEndian.Uint32(b[20:]))
	switch kind {
	case evRel, evAbs:
		if code < 6 {
			g.axes[code] = value
			g.pending.which |= 1 << code
		}
	case evKey:
		if code >= firstButton && code < firstButton+32 {
			e := event{kind: release, button: int32(code - firstButton)}
			if value != 0 {
				e.kind = press
			}
			return e, true
		}
	case evSyn:
		if g.pending.which != 0 {
			e := event{kind: motion, axes: g.axes, which: g.pending.which}
			g.pending = event{}
			return fromKernel(e), true
		}
	}
	return event{}, false
}

// fromKernel turns the kernel's axes (x right, y towards the operator, z down) into the daemon's (x right, y up, z
// towards the operator).
func fromKernel(e event) event {
	a, m := e.axes, e.which
	bit := func(from, to int) axisMask { return m >> from & 1 << to }
	return event{
		kind:  e.kind,
		axes:  [6]int32{a[0], -a[2], a[1], a[3], -a[5], a[4]},
		which: bit(0, 0) | bit(2, 1) | bit(1, 2) | bit(3, 3) | bit(5, 4) | bit(4, 5),
	}
}

func readEvents(r io.Reader, f func(event)) error {
	var b [inputEventSize]byte
	var g gather
	for {
		if _, err := io.ReadFull(r, b[:]); err != nil {
			return err
		}
		if e, ok := g.add(&b); ok {
			f(e)
		}
	}
}
