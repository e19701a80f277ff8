package finitestrain

import (
	"context"
	"slices"
)

// Settle waits until no second thread works on the body: package checkpoint.
func (w *world) Settle() {
	if l := w.engine; l.tangents.working {
		l.tangents.done <- <-l.tangents.done
	}
}

// Keep keeps the factor's numbers, which are not in Go's memory: package checkpoint. They are found again from the
// matrix, where it has been another since.
func (f *factoredTangent) Keep() (restore func() (after func())) {
	values := slices.Clone(f.values)
	return func() func() {
		if slices.Equal(values, f.values) {
			return nil
		}
		return func() { _ = f.factor.RefactorizeSingle(context.Background(), f.values) } // f.err tells how that ends
	}
}
