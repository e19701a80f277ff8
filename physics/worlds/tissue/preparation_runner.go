package tissue

import (
	"context"
	"slices"
	"time"

	"hapco/physics/machinery/failsafe"
)

// lookPeriod is how often preparations are told where the stylus is.
const lookPeriod = 50 * time.Millisecond

// preparing are the compliances of a world that are computed beside the steps: first ones of large bodies, and those
// for another Poisson's ratio. Methods are for the physics goroutine.
type preparing struct {
	bodies []bodyPreparing
	turn   *turns
	group  failsafe.Group
	last   time.Time // of the fades
	looked time.Time
	list   []Preparation
	line   string // of list[0], and what it was made of
	of     Preparation
}

// bodyPreparing is what one body waits for.
type bodyPreparing struct {
	now     *preparation // nil: nothing
	coarse  bool         // the present elasticity is a coarse one
	inside  bool         // the stylus is in the way of the first one
	failed  error
	refused float64 // Poisson's ratio that failed
}

func (r *preparing) init(w *World) {
	r.bodies, r.turn = make([]bodyPreparing, len(w.bodies)), newTurns()
}

// advance swaps in what is ready, begins what is wanted, and goes on with bodies that turn from one elasticity to the
// next: unless paused, as every shape on the way needs contact forces of its own.
func (r *preparing) advance(ctx context.Context, w *World, stepping bool) {
	now := time.Now()
	passed := now.Sub(r.last)
	if r.last.IsZero() {
		passed = 0
	}
	r.last = now
	if stepping {
		w.fade(min(passed, 20*time.Millisecond))
	}
	look := now.Sub(r.looked) >= lookPeriod
	if look {
		r.looked = now
	}
	for i, b := range w.bodies {
		if b.info.Rigid {
			continue
		}
		at := &r.bodies[i]
		r.swap(w, b, at)
		r.start(ctx, w, i)
		if look && at.now != nil {
			at.now.look(w)
		}
		if b.apart && b.flexibility.elastic() && !b.turning() && (look || !at.inside) {
			at.inside = !w.enter(b)
		}
	}
}

// swap takes the next stage of a body's preparation once the body has turned to the last.
func (r *preparing) swap(w *World, b *body, at *bodyPreparing) {
	p := at.now
	if p == nil || b.turning() {
		return
	}
	if p.poisson == b.poisson && b.flexibility.elastic() && !p.over && p.turned {
		p.over = true
		close(p.released)
	}
	if s := p.next.Swap(nil); s != nil {
		if young := w.params.Bodies[p.index].Young; young > 0 {
			b.young = young
		}
		b.turnTo(s.flexibility)
		at.coarse, p.turned = s.coarse, true
		return
	}
	select {
	case err := <-p.finished:
		if p.next.Load() != nil { // handed over in between: next time
			p.finished <- err
			return
		}
		at.now = nil
		if err != nil && !p.stopped {
			at.failed, at.refused = err, p.poisson
		}
	default:
	}
}

// start begins what a body's parameters ask for, and stops what they do no more.
func (r *preparing) start(ctx context.Context, w *World, i int) {
	b, at := w.bodies[i], &r.bodies[i]
	nu := w.params.Bodies[i].Poisson
	if p := at.now; p != nil {
		if p.poisson != nu && !p.stopped {
			p.stopped = true
			p.stop()
		}
		return
	}
	if at.failed != nil && at.refused != nu {
		at.failed = nil
	}
	if b.turning() || at.failed != nil || b.flexibility.elastic() && nu == b.poisson && !at.coarse {
		return
	}
	p := newPreparation(i, nu, b.flexibility.elastic())
	if nu == b.poisson {
		p.plan, b.plan = b.plan, nil
	}
	p.look(w)
	life := ctx
	ctx, p.stop = context.WithCancel(ctx)
	at.now = p
	r.turn.expect(1)
	r.group.Go(func() {
		defer p.stop()
		p.finished <- w.build.prepare(ctx, life, b, p, r.turn)
	})
}

// tell writes what is under way into a snapshot.
func (r *preparing) tell(w *World, s *Snapshot) {
	r.list = r.list[:0]
	for i := range r.bodies {
		at := &r.bodies[i]
		if at.now == nil && at.failed == nil && !at.inside {
			continue
		}
		b := w.bodies[i]
		p := Preparation{Body: b.info.Name, Fraction: 1, Ready: at.readiness(b)}
		switch {
		case at.failed != nil:
			p.Failed, p.What = true, at.failed.Error()
		case at.now != nil:
			at.now.fill(&p)
		}
		r.list = append(r.list, p)
	}
	slices.SortStableFunc(r.list, func(a, b Preparation) int { return int(b.Ready) - int(a.Ready) })
	s.Preparing = append(s.Preparing[:0], r.list...)
	if len(r.list) == 0 {
		return
	}
	first := r.list[0]
	if r.line == "" || r.of.Body != first.Body || r.of.What != first.What {
		r.line, r.of = first.Line(), first
	}
	s.Message, s.Progress = r.line, first.Fraction
}

func (at *bodyPreparing) readiness(b *body) Readiness {
	switch {
	case at.inside && b.apart:
		return Inside
	case b.apart:
		return Untouchable
	case at.coarse:
		return Coarse
	}
	return Exact
}

func (r *preparing) wait() { r.group.Wait() }
