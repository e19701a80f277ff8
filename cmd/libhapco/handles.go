// Package main is libhapco: contact solvers and worlds behind one plain C header, hapco.h. Built
// with -buildmode=c-shared; `make lib`. The C functions are in api.c, which looks after threads' errors and forks; they
// call exports.go, which checks arguments and looks handles up; worlds are those of package stepped, their memory as C
// sees it is in world.go; solvers are in solve.go.
package main

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

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

// table holds what is open. Numbers are never used twice.
var table struct {
	sync.RWMutex
	last uintptr
	open map[uintptr]*handle
}

// add makes a number for something.
func add(what interface{ end() error }) uintptr {
	table.Lock()
	defer table.Unlock()
	if table.open == nil {
		table.open = map[uintptr]*handle{}
	}
	table.last++
	table.open[table.last] = &handle{what: what}
	return table.last
}

// take finds what a number stands for and keeps other threads from it until done.
func take[T interface{ end() error }](number uintptr) (what T, h *handle, err error) {
	table.RLock()
	h = table.open[number]
	table.RUnlock()
	var none T
	if h == nil {
		return none, nil, errClosed
	}
	what, ok := h.what.(T)
	if !ok {
		return none, nil, invalid("the handle is of another kind (cure: a %s)", strings.TrimPrefix(fmt.Sprintf("%T", none), "*main."))
	}
	if !h.busy.CompareAndSwap(false, true) {
		return none, nil, errBusy
	}
	if table.RLock(); table.open[number] != h { // closed meanwhile
		table.RUnlock()
		h.busy.Store(false)
		return none, nil, errClosed
	}
	table.RUnlock()
	return what, h, nil
}

// done lets others at it again; after a fault, nobody.
func (h *handle) done(number uintptr, err error) {
	var f *failure
	if errors.As(err, &f) && f.Code == stepped.CodeInternal {
		table.Lock()
		delete(table.open, number)
		table.Unlock()
	}
	h.busy.Store(false)
}

// with calls do with what a number stands for.
func with[T interface{ end() error }](number uintptr, do func(T) error) (err error) {
	what, h, err := take[T](number)
	if err != nil {
		return err
	}
	defer func() { h.done(number, err) }()
	defer stepped.Recovered(&err)
	return do(what)
}

// shut closes what a number stands for.
func shut[T interface{ end() error }](number uintptr) error {
	return with(number, func(what T) error {
		table.Lock()
		delete(table.open, number)
		table.Unlock()
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
