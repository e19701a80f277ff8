package main

import (
	"os"
	"os/exec"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"hapco/cmd/hapco/internal/app"
)

// After a signal a command has some time to end, whatever it is in, unless it has a hand or a table to end well: that
// begins once its scene is open.
func TestWhatASignalWaitsFor(t *testing.T) {
	defer app.EndsItself.Store(app.EndsItself.Load())
	over := make(chan time.Time)
	close(over)
	app.EndsItself.Store(false)
	outlast(nil, over) // for ever, where something is waited for
	signals := make(chan os.Signal, 1)
	var after atomic.Bool
	done := make(chan bool)
	app.EndsItself.Store(true)
	go func() {
		outlast(signals, over)
		done <- after.Load()
	}()
	runtime.Gosched()
	after.Store(true)
	signals <- syscall.SIGTERM
	if !<-done {
		t.Error("what ends by itself is cut off")
	}
}

// A command that drives no device ends on SIGINT and SIGTERM also where it cannot leave what
// it does: its output goes into a pipe that is full, and that nobody reads.
func TestSignalsEndCommandsThatHang(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	bin := buildProgram(t)
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		unread, out, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer unread.Close()
		room, err := unix.FcntlInt(out.Fd(), unix.F_SETPIPE_SZ, 4096)
		if err != nil {
			t.Skip(err)
		}
		c := exec.Command(bin, "docs", "reference")
		c.Stdout = out
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		out.Close()
		for held := 0; held < room; runtime.Gosched() {
			if held, err = unix.IoctlGetInt(int(unread.Fd()), unix.TIOCINQ); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		_ = c.Wait() // for ever, where the signal is not heeded
		if status := c.ProcessState.ExitCode(); status != exitInterrupted {
			t.Errorf("%v: exit status %d", sig, status)
		}
	}
}
