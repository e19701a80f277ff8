// Package team shares numbered jobs among a fixed number of goroutines, at a cost that short jobs bear: a step of a
// simulation is many runs of them.
package team

import (
	"math"
	"runtime"
	"sync/atomic"
	"time"

	"hapco/physics/machinery/failsafe"
)

// Team is a fixed number of goroutines that share numbered jobs. The caller of Run is one of them; the others wait
// between two runs, at first busily, then asleep. A run does not wait for those that come late.
type Team struct {
	workers int
	job     atomic.Pointer[func(i int)]
	shares  []share      // one for each worker
	done    atomic.Int64 // jobs done in this run
	round   atomic.Uint32
	quit    atomic.Bool
	asleep  []atomic.Bool
	wake    []chan struct{}
	ended   failsafe.Group
}

// share is some of a run's jobs, in lines of the cache of its own.
type share struct {
	next atomic.Uint64 // the run's number above, the job to be taken below; idle between runs
	end  atomic.Int64
	_    [112]byte
}

const (
	patience = 2000           // how often a waiting worker looks before it sleeps: some 50 us
	idle     = math.MaxUint32 // a job that no run has
)

// New starts a team of that many goroutines, the caller of Run counted.
func New(workers int) *Team {
	t := &Team{workers: workers, shares: make([]share, workers), asleep: make([]atomic.Bool, workers), wake: make([]chan struct{}, workers)}
	for i := range t.shares {
		t.shares[i].next.Store(idle)
	}
	for i := 1; i < workers; i++ {
		t.wake[i] = make(chan struct{}, 1)
		t.ended.Go(func() { t.serve(i) })
	}
	return t
}

// Run calls job(i) for i from 0 to n-1 and returns when all are done. Jobs are taken in the order of their numbers, so
// that a job may wait for one before it.
func (t *Team) Run(n int, job *func(i int)) { t.run(1, n, job) }

// Spread is Run for jobs that do not wait for each other. Each goroutine begins with a share of its own, the same in
// every run of n jobs: what it wrote then may be in its cache still.
func (t *Team) Spread(n int, job *func(i int)) { t.run(t.workers, n, job) }

func (t *Team) run(shares, n int, job *func(i int)) {
	if t.workers == 1 || n <= 1 {
		for i := range n {
			(*job)(i)
		}
		return
	}
	t.job.Store(job)
	t.done.Store(0)
	run := uint64(t.round.Load()+1) << 32
	for k := range shares {
		s := &t.shares[k]
		s.end.Store(int64((k + 1) * n / shares))
		s.next.Store(run | uint64(k*n/shares))
	}
	t.round.Add(1)
	t.rouse()
	t.work(0)
	for i := 0; t.done.Load() != int64(n); i++ {
		Pause(i)
	}
	for k := range shares {
		t.shares[k].next.Store(run | idle)
	}
}

// work takes jobs, those of its own share first, until none are left. A worker that comes late may have read next in
// one run and end in another. Then it takes nothing: next has the run's number, and is idle before end changes.
func (t *Team) work(me int) {
	for k := range t.shares {
		s := &t.shares[(me+k)%t.workers]
		for {
			next := s.next.Load()
			i := int64(next & idle)
			if i >= s.end.Load() {
				break
			}
			if s.next.CompareAndSwap(next, next+1) {
				(*t.job.Load())(int(i))
				t.done.Add(1)
			}
		}
	}
}

func (t *Team) rouse() {
	for i := 1; i < t.workers; i++ {
		if t.asleep[i].CompareAndSwap(true, false) {
			t.wake[i] <- struct{}{}
		}
	}
}

func (t *Team) serve(me int) {
	seen := uint32(0)
	for {
		for i := 0; t.round.Load() == seen; i++ {
			if i < patience {
				Pause(i)
				continue
			}
			i = 0
			t.asleep[me].Store(true)
			// A run may have begun just before: then either rouse or this clears the flag.
			if t.round.Load() != seen && t.asleep[me].CompareAndSwap(true, false) {
				break
			}
			<-t.wake[me]
		}
		seen = t.round.Load()
		if t.quit.Load() {
			return
		}
		t.work(me)
	}
}

// Pause waits a moment; now and then it lets other goroutines run. A wait that lasts means that the other thread has
// lost its processor: this one gives up its own, which may be what the other waits for.
func Pause(i int) {
	switch {
	case i >= patience:
		time.Sleep(20 * time.Microsecond)
	case i%16 == 15:
		runtime.Gosched()
	}
}

// Close ends the goroutines.
func (t *Team) Close() {
	if t.quit.Swap(true) {
		return
	}
	t.round.Add(1)
	t.rouse()
	t.ended.Wait()
}
