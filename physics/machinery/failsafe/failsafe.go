// Package failsafe lets the operator's hand go before the program ends, whatever ends it: a panic on any goroutine, or
// a signal.
//
// What sends forces to a device registers by Hold. Every goroutine of the program is started by Go or by a Group: when
// it panics, all that hold a hand are asked for zero force, and the program waits until the devices have got it, before
// the panic goes on as if nobody had looked. A crash of C code, a fatal error of Go's runtime and SIGKILL pass no
// guard: there the driver's and the device's own watchdogs are what is left.
package failsafe

import (
	"sync"
	"time"
)

// Patience is how long the end of the program waits for the zero force. The force is gone with the first tick that a
// machine under load gives the haptic loop; only a device that hangs is waited for as long as this.
const Patience = 100 * time.Millisecond

// LetGo asks once a look whether the devices have got it, and so many times at least: where the machine has stopped the
// whole program for longer than Patience, the devices have had no time either.
const (
	look  = 100 * time.Microsecond
	looks = 20
)

// hold is one source of force.
type hold struct {
	release  func()
	released func() bool
}

// clock is the machine's, but in tests.
var clock = struct {
	now   func() time.Time
	sleep func(time.Duration)
}{time.Now, time.Sleep}

var all struct {
	sync.Mutex
	holds map[*hold]bool
	over  bool // LetGo was called: nothing sends a force any more
}

// Hold registers a source of force. Release asks it for zero force, for good; it must return at once, and may be called
// from any goroutine and more than once. Released tells whether the device has got the zero. Drop ends the
// registration, once no force can come any more. After LetGo a new source is released at once.
func Hold(release func(), released func() bool) (drop func()) {
	h := &hold{release, released}
	all.Lock()
	defer all.Unlock()
	if all.holds == nil {
		all.holds = map[*hold]bool{}
	}
	all.holds[h] = true
	if all.over {
		release()
	}
	return func() {
		all.Lock()
		defer all.Unlock()
		delete(all.holds, h)
	}
}

// LetGo asks every source for zero force, for good, and waits until the devices have got it, about Patience at most. It
// tells whether they have. Any goroutine.
func LetGo() bool {
	all.Lock()
	all.over = true
	waiting := make([]*hold, 0, len(all.holds))
	for h := range all.holds {
		h.release()
		waiting = append(waiting, h)
	}
	all.Unlock()
	end := clock.now().Add(Patience)
	for looked := 1; ; looked++ {
		for len(waiting) > 0 && waiting[0].released() {
			waiting = waiting[1:]
		}
		if len(waiting) == 0 {
			return true
		}
		if looked > looks && clock.now().After(end) {
			return false
		}
		clock.sleep(look)
	}
}

// Do calls f. When f panics, LetGo comes before the panic goes on; nothing is recovered, so that the program dies with
// the panic's own words and stack.
func Do(f func()) {
	dying := true
	defer func() {
		if dying {
			LetGo()
		}
	}()
	f()
	dying = false
}

// Go is the go statement with Do.
func Go(f func()) { go Do(f) }

// With is Go for a function of one argument, which spares the closure.
func With[T any](f func(T), x T) { go doWith(f, x) }

func doWith[T any](f func(T), x T) { Do(func() { f(x) }) }

// Group is a sync.WaitGroup whose goroutines are guarded by Do.
type Group struct{ wait sync.WaitGroup }

// Go starts f on a goroutine that Wait waits for. A group that is empty may be added to while nobody waits.
func (g *Group) Go(f func()) { g.wait.Go(func() { Do(f) }) }

// Wait waits until every goroutine of the group has returned.
func (g *Group) Wait() { g.wait.Wait() }
