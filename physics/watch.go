package physics

import "time"

// Made is a step as a Runner made it: all that is needed to make it again, and what came of it. It is valid until the
// watcher returns.
type Made struct {
	Step   uint64 // of this runner, from 1 on
	Tick   uint64 // of the haptic loop, whose pose it started from
	At     time.Time
	Input  Input
	Report Report
	Fresh  bool      // the world was put back to its start before this step
	Values []float64 // of all keys, where they may be others than at the last step; else nil. It is never written to again
	Frame  *Frame    // the state after the step; nil where none was drawn
}

// Watcher is told of steps. It is called on the goroutine that steps: it must neither wait nor allocate.
type Watcher func(m *Made)

// Watch has w told of every step from now on, in place of whoever was told before; nil ends it. Before the first step
// of which it is told the world is put back to its start where fresh says so. Any goroutine.
func (r *Runner) Watch(w Watcher, fresh bool) {
	r.watching.Store(&watching{w, fresh})
}

// watching is a watcher and whether its first step begins at the world's start.
type watching struct {
	watcher Watcher
	fresh   bool
}

// heed takes up a new watcher.
func (r *Runner) heed() {
	w := r.watching.Load()
	if w == r.heeded {
		return
	}
	r.heeded, r.told = w, nil
	if w != nil && w.watcher != nil && w.fresh {
		r.reset.Store(true)
	}
}

// tell tells of the last step, once it has been drawn or not.
func (r *Runner) tell(f *Frame) {
	if r.heeded == nil || r.heeded.watcher == nil {
		return
	}
	m := &r.made
	m.Values, m.Frame = nil, f
	if r.told != r.applied || m.Fresh {
		m.Values, r.told = *r.applied, r.applied
	}
	r.heeded.watcher(m)
}
