package refusal

import (
	"errors"
	"io"
	"strconv"
	"testing"
)

// A refusal becomes the error, whatever is between; what is no refusal stays a panic.
func TestCaught(t *testing.T) {
	read := func(s string) (int, error) {
		return Caught(func() int {
			n := Must(strconv.Atoi(s))
			if n < 0 {
				panic(Of("%d: %w", n, io.EOF))
			}
			return n
		})
	}
	if n, err := read("7"); n != 7 || err != nil {
		t.Error(n, err)
	}
	if n, err := read("-7"); n != 0 || !errors.Is(err, io.EOF) || err.Error() != "-7: EOF" {
		t.Error(n, err)
	}
	if _, err := read("x"); !errors.Is(err, strconv.ErrSyntax) {
		t.Error(err)
	}
	defer func() {
		if recover() != "other" {
			t.Error("another panic was taken for a refusal")
		}
	}()
	Caught(func() int { panic("other") })
}
