// Package stepped is a world that its caller steps, as libhapco and `hapco serve` have it: it computes as `hapco trace`
// does, without a clock, and gives the same bytes for the same calls.
package stepped

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
)

// Code is hapco_code of hapco.h.
type Code int32

// The codes.
const (
	OK Code = iota
	CodeInvalid
	CodeClosed
	CodeBusy
	CodeUnknown
	CodeFailed
	CodeCallback
	CodeForked
	CodeInternal
)

// Failure is an error with its code; any other is CodeFailed.
type Failure struct {
	Code Code
	Text string
}

func (f *Failure) Error() string { return f.Text }

// Invalid is that an argument is wrong.
func Invalid(format string, a ...any) error { return &Failure{CodeInvalid, fmt.Sprintf(format, a...)} }

// Unknown is that nothing has this name.
func Unknown(format string, a ...any) error { return &Failure{CodeUnknown, fmt.Sprintf(format, a...)} }

// Beyond refuses a place among so many things.
func Beyond(what string, i int64, n int) error {
	if n == 0 {
		return Unknown("there is no %s %d (cure: this world has none)", what, i)
	}
	return Unknown("there is no %s %d (cure: 0 to %d)", what, i, n-1)
}

// Classify is an error's code and its words in one line.
func Classify(err error) (Code, string) {
	if err == nil {
		return OK, ""
	}
	c := CodeFailed
	var f *Failure
	if errors.As(err, &f) {
		c = f.Code
	}
	return c, strings.ReplaceAll(strings.ReplaceAll(err.Error(), "\r", ""), "\n", "; ")
}

// Recovered, deferred, makes a panic an error: a caller's program must not end by a fault of ours. A computation that
// has been left half done is not to be gone on with: its world is closed.
func Recovered(err *error) {
	if p := recover(); p != nil {
		where := ""
		for _, line := range strings.Split(string(debug.Stack()), "\n") {
			if strings.HasPrefix(line, "hapco/") && !strings.Contains(line, "Recovered") {
				where = ", in " + line
				break
			}
		}
		*err = &Failure{CodeInternal, fmt.Sprintf("a fault of the library: %v%s (cure: please report it)", p, where)}
	}
}
