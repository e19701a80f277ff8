package ui

import (
	"fmt"
	"image"

	"hapco/physics"
	"hapco/render"
)

// Exporter writes what is on screen as files for other programs.
type Exporter interface {
	// Add takes the state at a time, s, and the scene's picture. The frame is valid until Add returns, the picture is
	// the Exporter's.
	Add(t float64, f *physics.Frame, picture *image.NRGBA) error
	// Close ends the files and says what there is. It takes long; any goroutine.
	Close() (said string, err error)
}

// exportEvery is the time between two states, s.
const exportEvery = 0.04

// exporting is an export under way.
type exporting struct {
	out    Exporter // nil: none
	from   float64  // when the first state was, s
	last   float64  // when the newest was, s
	step   uint64   // of that
	states int
	done   later // the end of the last one
}

// toggleExport begins an export, or ends the one under way.
func (lib *library) toggleExport() {
	e := &lib.export
	switch {
	case lib.opt.Files.Export == nil || lib.scene.snap == nil:
	case e.out != nil:
		lib.endExport()
	case e.done != nil:
		lib.warn("The last export is still being written.")
	default:
		out, err := lib.opt.Files.Export(lib.scene.name, lib.scene.info)
		if err != nil {
			lib.warn(err.Error())
			return
		}
		*e = exporting{out: out}
		lib.say("Exporting: Ctrl+E ends it.")
	}
}

// endExport lets a goroutine write the rest.
func (lib *library) endExport() {
	e := &lib.export
	if e.out == nil {
		return
	}
	out := e.out
	*e = exporting{}
	lib.say("Writing the export …")
	e.done.begin(func() func() {
		said, err := out.Close()
		if err != nil {
			return func() { lib.warn(err.Error()) }
		}
		return func() { lib.sayPath("Exported " + said) }
	})
}

// exportState hands on the state and the picture that have just been drawn.
func (lib *library) exportState() {
	e := &lib.export
	e.done.look()
	if e.out == nil || lib.scene.raw == nil || lib.home.open {
		return
	}
	t := lib.scene.raw.When.Seconds()
	if e.states > 0 && (lib.scene.raw.Step == e.step || t < e.last+exportEvery) {
		return
	}
	if e.states == 0 {
		e.from = t
	}
	l := &lib.viewport.lens
	picture := render.ReadPixels(int(l.x), lib.gui.height-int(l.y+l.h), int(l.w), int(l.h))
	e.last, e.step, e.states = t, lib.scene.raw.Step, e.states+1
	if err := e.out.Add(t-e.from, lib.scene.raw, picture); err != nil {
		lib.endExport()
		lib.warn(err.Error())
	}
}

// exportButton begins and ends an export.
func (lib *library) exportButton() {
	if lib.opt.Files.Export == nil {
		return
	}
	name := "Export   (Ctrl+E)##Export"
	if e := &lib.export; e.out != nil {
		name = fmt.Sprintf("Stop export   (Ctrl+E), %d states##Export", e.states)
	}
	if lib.gui.button(name, "Writes what happens from now on to a folder in the working directory, up to 25 states a second: a series for ParaView (.pvd and VTU), a table (CSV), arrays (NPZ), deformed surfaces (STL), pictures (PNG), and a film (MP4) where ffmpeg is installed.", -1) {
		lib.toggleExport()
	}
}
