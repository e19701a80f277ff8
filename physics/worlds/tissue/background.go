package tissue

import (
	"context"
	"sync/atomic"

	"hapco/physics/machinery/latest"
)

// background works on the newest of the orders that the steps give, on a goroutine of its own: what is for the eye
// only, and what a step must not wait for. Orders and results are newest values; nobody waits for anybody.
type background[Order, Result any] struct {
	orders  *latest.Box[Order]
	results *latest.Box[Result]
	wake    chan struct{}
	busy    atomic.Bool // from an order until its result is there
}

// init makes orders and results ready, each by a function that may be nil.
func (b *background[Order, Result]) init(order func(*Order), result func(*Result)) {
	b.orders, b.results = latest.New(order), latest.New(result)
	b.wake = make(chan struct{}, 1)
}

// post sends the order that lies in orders.Back. Physics goroutine.
func (b *background[Order, Result]) post() {
	b.busy.Store(true)
	b.orders.Publish()
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// serve works on orders until ctx ends. A result counts if work is true.
func (b *background[Order, Result]) serve(ctx context.Context, work func(*Order, *Result) bool) {
	if b.orders == nil { // there is nothing to do in this world
		return
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-b.wake:
		}
		if order, newer := b.orders.Get(); newer {
			if work(order, b.results.Back()) {
				b.results.Publish()
			}
			b.busy.Store(false)
		}
	}
}
