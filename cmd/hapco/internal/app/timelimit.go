package app

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"time"

	"hapco/physics/machinery/failsafe"
	"hapco/physics/numerics/contact"
)

// LongSolve is the time after which a solve says where it stands, and again each time that this has passed.
const LongSolve = 2 * time.Second

// measureNames are what a solver watches, in words.
var measureNames = map[contact.Criterion]string{
	contact.RelativeChange: "relative change", contact.Physical: "change in m", contact.NaturalMap: "natural-map error",
	contact.Scaled: "scaled error", contact.SameStatus: "contacts that changed status",
}

// reportLong follows solves on standard error until the function that it returns is called.
func reportLong(name string, contacts int, measure contact.Criterion, w *contact.Watch) (stop func()) {
	start, done := time.Now(), make(chan struct{})
	failsafe.Go(func() {
		t := time.NewTicker(LongSolve)
		defer t.Stop()
		for {
			select {
			case <-done:
				return
			case <-t.C:
				n, value := w.At()
				reached := ""
				if !math.IsNaN(value) {
					reached = fmt.Sprintf(", %s %.2g", measureNames[measure], value)
				}
				fmt.Fprintf(os.Stderr, "%s, %d contacts: %.0f s, %d iterations%s (--time-limit ends it)\n",
					name, contacts, time.Since(start).Seconds(), n, reached)
			}
		}
	})
	return func() { close(done) }
}

var ErrTimeLimit = errors.New("stopped by --time-limit")

// WithTimeLimit is a context that ends after limit; 0: it does not.
func WithTimeLimit(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w after %v", ErrTimeLimit, limit))
}

// OverTime is the error of work that the time limit has ended, with what became of it; nil when it has not, and what
// ended it otherwise.
func OverTime(ctx context.Context, what, outcome string) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("%s: %w (%s)", what, context.Cause(ctx), outcome)
	}
	return ctx.Err()
}
