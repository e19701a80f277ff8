// Package refusal lets readers go straight on: what cannot be read ends them, and the one who asked gets the error.
package refusal

import "fmt"

// Fault is why something is refused. It is panicked with, and never leaves the package whose Caught is around it.
type Fault struct{ error }

// Unwrap is the error that the fault is of.
func (f Fault) Unwrap() error { return f.error }

// Of is a fault to panic with; see fmt.Errorf.
func Of(format string, args ...any) Fault { return Fault{fmt.Errorf(format, args...)} }

// If refuses where something is wrong; see fmt.Errorf.
func If(wrong bool, format string, args ...any) {
	if wrong {
		panic(Of(format, args...))
	}
}

// Unless refuses where something that has to be is not.
func Unless(right bool, format string, args ...any) { If(!right, format, args...) }

// Need refuses where there is an error.
func Need(err error) {
	if err != nil {
		panic(Fault{err})
	}
}

// NeedAt refuses where there is an error, and says first where; see fmt.Errorf.
func NeedAt(err error, format string, args ...any) {
	if err != nil {
		panic(Of(format+": %w", append(args, err)...))
	}
}

// Must is x, or refuses.
func Must[T any](x T, err error) T {
	Need(err)
	return x
}

// In is what do makes; where it refuses, the error says first where.
func In[T any](where string, do func() T) T {
	x, err := Caught(do)
	NeedAt(err, "%s", where)
	return x
}

// Caught is what do makes, or why it refused. Other panics go on.
func Caught[T any](do func() T) (x T, err error) {
	defer func() {
		switch why := recover().(type) {
		case nil:
		case Fault:
			var none T
			x, err = none, why.error
		default:
			panic(why)
		}
	}()
	return do(), nil
}
