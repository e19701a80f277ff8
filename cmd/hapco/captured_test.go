package main

import (
	"context"
	"io"
	"os"
	"testing"
)

// hapco runs a command and returns its exit status and what it printed.
func hapco(t *testing.T, args ...string) (status int, out, errors string) {
	t.Helper()
	errors = said(t, func() {
		out = captured(t, func() { status = run(context.Background(), args) })
	})
	return status, out, errors
}

// captured is what do prints on standard output, said what it prints on standard error.
func captured(t *testing.T, do func()) string { return caught(t, &os.Stdout, do) }
func said(t *testing.T, do func()) string     { return caught(t, &os.Stderr, do) }

// caught is what do writes to a file, which is a pipe meanwhile.
func caught(t *testing.T, f **os.File, do func()) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	old := *f
	*f = w
	text := make(chan string)
	go func() { // a pipe holds 64 KiB
		all, _ := io.ReadAll(r)
		text <- string(all)
	}()
	defer func() { *f = old }()
	do()
	w.Close()
	return <-text
}
