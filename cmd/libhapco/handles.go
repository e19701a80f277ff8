// Package main is libhapco: contact solvers and worlds behind one plain C header, hapco.h. Built
// with -buildmode=c-shared; `make lib`. The C functions are in api.c, which looks after threads' errors and forks; they
// call exports.go, which checks arguments and looks handles up; worlds are those of package stepped; solvers are in
// solve.go.
package main

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"hapco/cmd/internal/stepped"
)

// As in package stepped.
type failure = stepped.Failure

var (
	invalid = stepped.Invalid
	unknown = stepped.Unknown
	beyond  = stepped.Beyond
)

var (
	errClosed = &failure{Code: stepped.CodeClosed, Text: "no such handle, or it has been closed (cure: a handle that open has given)"}
	errBusy   = &failure{Code: stepped.CodeBusy, Text: "another thread is inside a call with this handle (cure: one thread at a time, or a handle each)"}
)

// handle is what a number of the caller's stands for.
type handle struct {
	busy atomic.Bool
	what interface{ end() error }
}

// table holds what is open, by numbers that are never used twice.
var (
	table sync.Map // of *handle
	last  atomic.Uintptr
)

// add makes a number for something.
func add(what interface{ end() error }) uintptr {
	number := last.Add(1)
	table.Store(number, &handle{what: what})
	return number
}

// find is what a number stands for; nil: nothing.
func find(number uintptr) *handle {
	h, _ := table.Load(number)
	open, _ := h.(*handle)
	return open
}

// with calls do with what a number stands for, and keeps other threads from it meanwhile; after a fault, for good.
func with[T interface{ end() error }](number uintptr, do func(T) error) (err error) {
	h := find(number)
	if h == nil {
		return errClosed
	}
	what, ok := h.what.(T)
	if !ok {
		return invalid("the handle is of another kind (cure: a %s)", strings.TrimPrefix(fmt.Sprintf("%T", what), "*main."))
	}
	if !h.busy.CompareAndSwap(false, true) {
		return errBusy
	}
	defer h.busy.Store(false)
	if find(number) != h { // closed meanwhile
		return errClosed
	}
	defer func() {
		var f *failure
		if errors.As(err, &f) && f.Code == stepped.CodeInternal {
			table.Delete(number)
		}
	}()
	defer stepped.Recovered(&err)
	return do(what)
}

// shut closes what a number stands for.
func shut[T interface{ end() error }](number uintptr) error {
	return with(number, func(what T) error {
		table.Delete(number)
		return what.end()
	})
}

// guarded is with for what needs no handle.
func guarded(do func() error) (err error) {
	defer stepped.Recovered(&err)
	return do()
}

// snapshot is the state of a world.
type snapshot struct{ *stepped.Snapshot }

func (s *snapshot) end() error { return nil }

func main() {}

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
