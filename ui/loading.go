package ui

import (
	"context"
	"fmt"
	"sync/atomic"

	"hapco/physics"
	"hapco/physics/machinery/failsafe"
)

// library opens and keeps what the window shows: scenes with their pictures, files, exports.
type library struct {
	base
	viewport  *viewport
	study     *study
	home      gallery
	demo      demo
	memory    memory
	opening   opening
	tools     []physics.Tool // of the scene
	export    exporting
	loading   *loading       // nil: nothing is being opened
	abandoned failsafe.Group // scenes given up while they were opening
}

// adopt takes note of the scene that is on screen now.
func (lib *library) adopt() {
	lib.home.open = false
	lib.remember(lib.scene.name)
	if lib.tools = nil; lib.opt.Files.Tools != nil {
		lib.tools = lib.opt.Files.Tools(lib.scene.name)
	}
}

// close ends all that is under way, and waits for it.
func (lib *library) close() {
	lib.endExport()
	lib.export.done.wait()
	lib.stopLoading()
	lib.abandoned.Wait()
	lib.home.delete()
}

// loading is a scene being opened on its own goroutine while the old one goes on.
type loading struct {
	scene  string
	cancel context.CancelFunc
	done   chan opened

	at atomic.Pointer[progress] // never nil
}

// progress is how far something is.
type progress struct {
	fraction float64
	what     string
}

type opened struct {
	session Session
	scene   string // name under which it can be opened again
	err     error
}

func (l *loading) report(fraction float64, what string) { l.at.Store(&progress{fraction, what}) }

// open starts opening a scene. One that is still being opened is given up.
func (lib *library) open(ctx context.Context, scene string) {
	lib.openMade(ctx, scene, func(context.Context, func(float64, string)) (string, error) { return scene, nil })
}

// maker makes a scene to be opened, and tells its name.
type maker func(ctx context.Context, progress func(float64, string)) (name string, err error)

// openMade starts opening a scene that is first made, on the same goroutine: reading meshes may take long. from names
// what it is made of.
func (lib *library) openMade(ctx context.Context, from string, scene maker) {
	lib.stopLoading()
	ctx, cancel := context.WithCancel(ctx)
	l := &loading{scene: from, cancel: cancel, done: make(chan opened, 1)}
	l.report(0, "opening")
	lib.loading = l
	open := lib.opt.Open
	failsafe.Go(func() {
		var o opened
		if o.scene, o.err = scene(ctx, l.report); o.err == nil {
			if o.session, o.err = open(ctx, o.scene, l.report); o.err == nil && o.session == nil {
				o.err = fmt.Errorf("ui: scene %q opened as nothing", from)
			}
		}
		l.done <- o
	})
}

// stopLoading gives up what is being opened. Should it open all the same, it is closed at once; close waits for that.
func (lib *library) stopLoading() {
	l := lib.loading
	if l == nil {
		return
	}
	lib.loading = nil
	l.cancel()
	lib.abandoned.Go(func() {
		if o := <-l.done; o.session != nil {
			o.session.Close() // nobody is left to hear about an error
		}
	})
}

// keep goes on with the scene on screen when another could not be opened. Where it gave its device to that one and is
// closed, it is opened again: nothing dead stays on screen. It is an error when there is nothing to go on with.
func (lib *library) keep(ctx context.Context, failed string, err error) error {
	if lib.study.page != nil {
		return err // it is gone on with later
	}
	if lib.scene.session == nil && lib.home.open {
		lib.warn(err.Error())
		return nil
	}
	if lib.scene.session == nil || lib.scene.session.Closed() && failed == lib.scene.name || lib.opt.Script != nil {
		return err // a script reads no notices
	}
	lib.warn(err.Error())
	if lib.scene.session.Closed() {
		lib.open(ctx, lib.scene.name)
	}
	return nil
}
