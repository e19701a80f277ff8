package ui

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"testing"

	"hapco/render/xvfb"
)

// GLFW wants the process's first thread. Tests run on other goroutines, so the
// first one serves them here.
var mainThread = make(chan func())

func onMainThread(f func()) {
	done := make(chan struct{})
	mainThread <- func() { defer close(done); f() }
	<-done
}

func init() { runtime.LockOSThread() }

var display *xvfb.Display // nil where there is none; see noDisplay
var noDisplay string

func TestMain(m *testing.M) {
	code := make(chan int)
	go func() {
		c := m.Run()
		if display != nil {
			display.Stop()
		}
		code <- c
	}()
	for {
		select {
		case f := <-mainThread:
			f()
		case c := <-code:
			os.Exit(c)
		}
	}
}

// needDisplay starts a virtual display for the tests of the window, once.
func needDisplay(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("opens a window")
	}
	if display == nil && noDisplay == "" {
		d, err := xvfb.Start(2560, 1600)
		switch {
		case errors.Is(err, xvfb.ErrMissing):
			noDisplay = err.Error()
		case err != nil:
			t.Fatal(err)
		default:
			display = d
			d.Setenv()
		}
	}
	if noDisplay != "" {
		t.Skip(noDisplay)
	}
}

func runWindow(t *testing.T, opt Options) error {
	t.Helper()
	needDisplay(t)
	var err error
	onMainThread(func() {
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("panic: %v", p)
			}
		}()
		err = Run(t.Context(), opt)
	})
	return err
}
