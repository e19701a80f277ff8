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

// find is what a number stands for; nil: nothing.
func find(number uintptr) *handle {
	table.RLock()
	defer table.RUnlock()
	return table.open[number]
}

// forget closes a number.
func forget(number uintptr) {
	table.Lock()
	defer table.Unlock()
	delete(table.open, number)
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
			forget(number)
		}
	}()
	defer stepped.Recovered(&err)
	return do(what)
}

// shut closes what a number stands for.
func shut[T interface{ end() error }](number uintptr) error {
	return with(number, func(what T) error {
		forget(number)
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
