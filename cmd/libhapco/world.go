package main

import (
	"runtime"
	"strings"
	"unsafe"

	"hapco/cmd/internal/stepped"
)

// world is an open world. What C code is given of its memory stays where it is until the world is closed: it is pinned,
// and where a slice is made anew, the old one stays beside it.
type world struct {
	*stepped.World
	pins   runtime.Pinner
	pinned map[unsafe.Pointer]bool
	texts  map[string]*byte
}

func openWorld(name string, text []byte, set []string) (*world, error) {
	w, err := stepped.Open(name, text, set)
	if err != nil {
		return nil, err
	}
	return &world{World: w, pinned: map[unsafe.Pointer]bool{}, texts: map[string]*byte{}}, nil
}

func (w *world) end() error {
	defer w.pins.Unpin()
	return w.Close()
}

// at is the address of a slice's memory, pinned: nil where it is empty.
func at[T any](w *world, s []T) *T {
	if len(s) == 0 {
		return nil
	}
	p := unsafe.Pointer(unsafe.SliceData(s))
	if !w.pinned[p] {
		w.pins.Pin(p)
		w.pinned[p] = true
	}
	return (*T)(p)
}

// word is a text for C, pinned.
func (w *world) word(s string) *byte {
	p := w.texts[s]
	if p == nil {
		b := append([]byte(strings.ReplaceAll(s, "\x00", " ")), 0)
		p = at(w, b)
		w.texts[s] = p
	}
	return p
}
