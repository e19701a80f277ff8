package ui

import (
	"context"
	"errors"
)

// adopt puts a scene that has finished opening on screen.
func (a *app) adopt(ctx context.Context) error {
	l := a.library.loading
	if l == nil {
		return nil
	}
	var o opened
	select {
	case o = <-l.done:
	default:
		return nil
	}
	a.library.loading = nil
	l.cancel()
	if o.err != nil {
		return a.library.keep(ctx, l.scene, o.err)
	}
	info, support := paintable(o.session.Info())
	if err := a.viewport.render.SetScene(info); err != nil {
		if e := o.session.Close(); e != nil {
			err = errors.Join(err, e)
		}
		return a.library.keep(ctx, l.scene, err)
	}
	a.library.endExport()
	if old := a.scene.session; old != nil {
		if err := old.Close(); err != nil {
			a.warn(err.Error())
		}
	}
	a.scene.adopt(o.session, o.scene, info)
	a.library.adopt()
	a.haptic.anew()
	a.timeline.rounds = 0
	a.plots.adopt()
	a.changes.slots, a.panel.query.text = [slotCount]slot{}, ""
	a.viewport.support, a.viewport.view.Selected = support, 0
	a.viewport.setMode(a.viewport.look.mode)
	a.gui.entry, a.gui.complaint = entry{}, ""
	if a.study.page == nil {
		a.win.glfw.SetTitle("HapCo – " + a.scene.session.Title())
	}
	return nil
}

// meet looks at a scene for the first time.
func (a *app) meet() {
	a.viewport.meet()
	a.changes.forget()
	if a.study.page != nil {
		a.study.studyMeets()
		return
	}
	a.study.beginQuestion()
	a.plots.meet()
}
