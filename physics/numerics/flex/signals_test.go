//go:build linux

package flex

import (
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"hapco/physics/numerics/fem"
)

// disposition is what the kernel does with a signal: handler, flags, restorer, mask.
type disposition [4]uint64

func dispositionOf(t *testing.T, s syscall.Signal) (d disposition) {
	if _, _, err := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(s), 0, uintptr(unsafe.Pointer(&d)), 8, 0, 0); err != 0 {
		t.Fatal(err)
	}
	return d
}

// METIS orders large graphs, and would trap the signals that end a program: the handlers that were there stay, during it
// and after it.
func TestOrderingLeavesSignalsAlone(t *testing.T) {
	signals := []syscall.Signal{syscall.SIGTERM, syscall.SIGABRT}
	var before [2]disposition
	for i, s := range signals {
		before[i] = dispositionOf(t, s)
	}
	m, fixed := box(t, [3]int{22, 22, 22})
	k, err := fem.Pattern(m, fixed)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		f, err := Analyze(k)
		if err == nil {
			f.Close()
		}
		done <- err
	}()
	for looks := 0; ; looks++ {
		for i, s := range signals {
			if now := dispositionOf(t, s); now != before[i] {
				t.Fatalf("%v, look %d: %#x, was %#x", s, looks, now, before[i])
			}
		}
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			return
		default:
		}
	}
}
