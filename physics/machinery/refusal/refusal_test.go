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

// What refuses says where, from the outside to the inside; what holds says nothing.
func TestWhereItRefuses(t *testing.T) {
	_, err := Caught(func() int {
		return In("a", func() int {
			If(false, "never")
			Unless(true, "never")
			NeedAt(nil, "never")
			NeedAt(io.EOF, "b %d", 2)
			return 1
		})
	})
	if !errors.Is(err, io.EOF) || err.Error() != "a: b 2: EOF" {
		t.Error(err)
	}
	if _, err := Caught(func() int { Unless(false, "c"); return 1 }); err == nil || err.Error() != "c" {
		t.Error(err)
	}
}
