// Package main is libhapco: contact solvers and worlds behind one plain C header, hapco.h. Built
// with -buildmode=c-shared; `make lib`. The C functions are in api.c, which looks after threads' errors and forks; they
// call exports.go, which checks arguments and looks handles up; worlds and solvers themselves are in world.go and
// solve.go.
package main

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
)

// code is hapco_code.
type code int32

// The codes.
const (
	codeOK code = iota
	codeInvalid
	codeClosed
	codeBusy
	codeUnknown
	codeFailed
	codeCallback
	codeForked
	codeInternal
)

// failure is an error with its code; any other is codeFailed.
type failure struct {
	code code
	text string
}

func (f *failure) Error() string { return f.text }

func invalid(format string, a ...any) error { return &failure{codeInvalid, fmt.Sprintf(format, a...)} }
func unknown(format string, a ...any) error { return &failure{codeUnknown, fmt.Sprintf(format, a...)} }

// beyond refuses a place among so many things.
func beyond(what string, i int64, n int) error {
	if n == 0 {
		return unknown("there is no %s %d (cure: this world has none)", what, i)
	}
	return unknown("there is no %s %d (cure: 0 to %d)", what, i, n-1)
}

var (
	errClosed = &failure{codeClosed, "no such handle, or it has been closed (cure: a handle that open has given)"}
	errBusy   = &failure{codeBusy, "another thread is inside a call with this handle (cure: one thread at a time, or a handle each)"}
)

// classify is an error's code and its words in one line.
func classify(err error) (code, string) {
	if err == nil {
		return codeOK, ""
	}
	c := codeFailed
	var f *failure
	if errors.As(err, &f) {
		c = f.code
	}
	return c, strings.ReplaceAll(strings.ReplaceAll(err.Error(), "\r", ""), "\n", "; ")
}

// recovered makes a panic an error: a caller's program must not end by a fault of ours. A computation that has been
// left half done is not to be gone on with: the handle is closed.
func recovered(err *error) {
	if p := recover(); p != nil {
		where := ""
		for _, line := range strings.Split(string(debug.Stack()), "\n") {
			if strings.HasPrefix(line, "hapco/") && !strings.Contains(line, "recovered") {
				where = ", in " + line
				break
			}
		}
		*err = &failure{codeInternal, fmt.Sprintf("a fault of the library: %v%s (cure: please report it)", p, where)}
	}
}

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
	if errors.As(err, &f) && f.code == codeInternal {
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
	defer recovered(&err)
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
	defer recovered(&err)
	return do()
}

func (s *snapshot) end() error { return nil }

func main() {}
