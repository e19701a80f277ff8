package ui

import (
	"fmt"
	"image"
	"time"

	"hapco/physics"
	"hapco/physics/guard"
	"hapco/render"
)

// Exporter writes what is on screen as files for other programs.
type Exporter interface {
	// Add takes the state at a time, s, and the scene's picture. The frame is valid until
	// Add returns, the picture is the Exporter's.
	Add(t float64, f *physics.Frame, picture *image.NRGBA) error
	// Close ends the files and says what there is. It takes long; any goroutine.
	Close() (said string, err error)
}

// exportEvery is the time between two states, s.
const exportEvery = 0.04

// exporting is an export under way.
type exporting struct {
	out    Exporter    // nil: none
	from   float64     // when the first state was, s
	last   float64     // when the newest was, s
	step   uint64      // of that
	states int         //
	done   chan func() // says in the window what came of the last one
}

// toggleExport begins an export, or ends the one under way.
func (a *app) toggleExport() {
	e := &a.export
	switch {
	case a.opt.Files.Export == nil || a.snap == nil:
	case e.out != nil:
		a.endExport()
	case e.done != nil:
		a.warn("The last export is still being written.")
	default:
		out, err := a.opt.Files.Export(a.current, a.info)
		if err != nil {
			a.warn(err.Error())
			return
		}
		*e = exporting{out: out}
		a.say("Exporting: Ctrl+E ends it.")
	}
}

// endExport lets a goroutine write the rest.
func (a *app) endExport() {
	e := &a.export
	if e.out == nil {
		return
	}
	out := e.out
	done := make(chan func(), 1)
	*e = exporting{done: done}
	a.say("Writing the export …")
	guard.Go(func() {
		said, err := out.Close()
		done <- func() {
			if err != nil {
				a.warn(err.Error())
				return
			}
			a.say("Exported " + said)
			a.notice.until = time.Now().Add(12 * time.Second) // a path takes time to read
		}
	})
}

// awaitExport ends an export and waits until it is written, as the window closes.
func (a *app) awaitExport() {
	a.endExport()
	if e := &a.export; e.done != nil {
		(<-e.done)()
		e.done = nil
	}
}

// exportState hands on the state and the picture that have just been drawn.
func (a *app) exportState() {
	e := &a.export
	select {
	case tell := <-e.done:
		tell()
		e.done = nil
	default:
	}
	if e.out == nil || a.raw == nil || a.home.open {
		return
	}
	t := a.raw.When.Seconds()
	if e.states > 0 && (a.raw.Step == e.step || t < e.last+exportEvery) {
		return
	}
	if e.states == 0 {
		e.from = t
	}
	l := &a.scene
	picture := render.ReadPixels(int(l.x), a.height-int(l.y+l.h), int(l.w), int(l.h))
	e.last, e.step, e.states = t, a.raw.Step, e.states+1
	if err := e.out.Add(t-e.from, a.raw, picture); err != nil {
		a.endExport()
		a.warn(err.Error())
	}
}

// exportButton begins and ends an export.
func (a *app) exportButton() {
	if a.opt.Files.Export == nil {
		return
	}
	name := "Export   (Ctrl+E)##Export"
	if e := &a.export; e.out != nil {
		name = fmt.Sprintf("Stop export   (Ctrl+E), %d states##Export", e.states)
	}
	if a.gui.button(name, "Writes what happens from now on to a folder in the working directory, up to 25 states a second: a series for ParaView (.pvd and VTU), a table (CSV), arrays (NPZ), deformed surfaces (STL), pictures (PNG), and a film (MP4) where ffmpeg is installed.", -1) {
		a.toggleExport()
	}
}
