package ui

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"hapco/physics"
	"hapco/physics/guard"
)

// loading is a scene being opened on its own goroutine while the old one goes on.
type loading struct {
	scene  string
	cancel context.CancelFunc
	done   chan opened

	mu       sync.Mutex // held for a few assignments
	fraction float64
	what     string
}

type opened struct {
	session Session
	scene   string // name under which it can be opened again
	err     error
}

func (l *loading) report(fraction float64, what string) {
	l.mu.Lock()
	l.fraction, l.what = fraction, what
	l.mu.Unlock()
}

func (l *loading) progress() (float64, string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fraction, l.what
}

// open starts opening a scene. One that is still being opened is given up.
func (a *app) open(ctx context.Context, scene string) {
	open := a.opt.Open
	a.openBy(ctx, scene, func(ctx context.Context, scene string, progress func(float64, string)) (Session, string, error) {
		s, err := open(ctx, scene, progress)
		return s, scene, err
	})
}

// openBy starts opening a scene in a way of its own, which tells the scene's name, too.
func (a *app) openBy(ctx context.Context, scene string, open func(ctx context.Context, scene string, progress func(float64, string)) (Session, string, error)) {
	a.stopLoading()
	ctx, cancel := context.WithCancel(ctx)
	l := &loading{scene: scene, cancel: cancel, done: make(chan opened, 1), what: "opening"}
	a.loading = l
	guard.Go(func() {
		s, name, err := open(ctx, scene, l.report)
		if err == nil && s == nil {
			err = fmt.Errorf("ui: scene %q opened as nothing", scene)
		}
		l.done <- opened{s, name, err}
	})
}

// openMade starts opening a scene that is first made, on the same goroutine: reading
// meshes may take long. from names what it is made of.
func (a *app) openMade(ctx context.Context, from string, make func(ctx context.Context, progress func(float64, string)) (scene string, err error)) {
	open := a.opt.Open
	a.openBy(ctx, from, func(ctx context.Context, _ string, progress func(float64, string)) (Session, string, error) {
		scene, err := make(ctx, progress)
		if err != nil {
			return nil, from, err
		}
		s, err := open(ctx, scene, progress)
		return s, scene, err
	})
}

// stopLoading gives up what is being opened. Should it open all the same, it is
// closed at once; close waits for that.
func (a *app) stopLoading() {
	l := a.loading
	if l == nil {
		return
	}
	a.loading = nil
	l.cancel()
	a.abandoned.Go(func() {
		if o := <-l.done; o.session != nil {
			o.session.Close() // nobody is left to hear about an error
		}
	})
}

// keep goes on with the scene on screen when another could not be opened. Where
// it gave its device to that one and is closed, it is opened again: nothing dead
// stays on screen. It is an error when there is nothing to go on with.
func (a *app) keep(ctx context.Context, failed string, err error) error {
	if a.studying.page != nil {
		return err // it is gone on with later
	}
	if a.session == nil && a.home.open {
		a.warn(err.Error())
		return nil
	}
	if a.session == nil || a.session.Closed() && failed == a.current || a.opt.Script != nil {
		return err // a script reads no notices
	}
	a.warn(err.Error())
	if a.session.Closed() {
		a.open(ctx, a.current)
	}
	return nil
}

// adopt puts a scene that has finished opening on screen.
func (a *app) adopt(ctx context.Context) error {
	l := a.loading
	if l == nil {
		return nil
	}
	var o opened
	select {
	case o = <-l.done:
	default:
		return nil
	}
	a.loading = nil
	l.cancel()
	if o.err != nil {
		return a.keep(ctx, l.scene, o.err)
	}
	info, support := paintable(o.session.Info())
	if err := a.render.SetScene(info); err != nil {
		if e := o.session.Close(); e != nil {
			err = errors.Join(err, e)
		}
		return a.keep(ctx, l.scene, err)
	}
	a.home.open = false
	a.remember(o.scene)
	a.endExport()
	a.support = support
	old := a.session
	a.session, a.info, a.bodies, a.snap, a.current, a.springHome = o.session, info, info.Surfaces, nil, o.scene, 0
	if old != nil {
		if err := old.Close(); err != nil {
			a.warn(err.Error())
		}
	}
	a.driven = a.driven[:0]
	for i := range a.bodies {
		a.driven = append(a.driven, a.bodies[i].Driven)
	}
	if a.tools = nil; a.opt.Files.Tools != nil {
		a.tools = a.opt.Files.Tools(a.current)
	}
	a.indent.on, a.hold, a.rounds = false, false, 0
	a.slots, a.find = [slotCount]slot{}, ""
	a.keys = o.session.Keys()
	a.values, a.defaults = physics.Defaults(a.keys), physics.Defaults(a.keys)
	a.paused = false
	a.pages = newPages(info, a.keys)
	a.page = min(a.page, len(a.pages)-1)
	a.view.Selected = 0
	a.setMode(a.mode)
	a.gui.typing, a.gui.complaint = "", ""
	if a.studying.page == nil {
		a.win.glfw.SetTitle("HapCo – " + a.session.Title())
	}
	return nil
}
