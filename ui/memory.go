package ui

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/BurntSushi/toml"

	files "hapco/physics/files/atomicfile"
	"hapco/physics/files/setting"
	"hapco/physics/machinery/budget"
)

// memory is what the window keeps from one run to the next, in one file.
type memory struct {
	Recent []string `toml:"recent,omitempty"` // files, newest first

	Window windowMemory `toml:"window"`
	Panel  panelMemory  `toml:"panel"`
	View   viewMemory   `toml:"view"`
	Plots  bool         `toml:"plots"`
}

type windowMemory struct {
	X, Y, Width, Height int // screen coordinates; Width 0: not known
	Maximized, Full     bool
}

type panelMemory struct {
	Width    float64 // design pixels; 0: as suits the window
	Folded   bool
	TextZoom float64
	Closed   []string // sections
	Opened   []string // sections that are closed of themselves
}

// viewMemory are the parts of render.Options that are a matter of taste.
type viewMemory struct {
	Mode                                                   int
	Colours                                                string
	Forces, Resultant, Points, Normals, Fixed, XRay, Ghost bool
	Ground, Triad, Shadow, Overlay, DepthLine              bool
}

// readMemory is what a file holds; a missing one is empty, a bad one an error.
func readMemory(file string) (m memory, known bool, err error) {
	text, err := budget.Settings.Text(file)
	if errors.Is(err, os.ErrNotExist) {
		return m, false, nil
	}
	if err == nil {
		_, err = setting.Decode(string(text), &m)
	}
	if err != nil {
		return memory{}, false, fmt.Errorf("ui: settings of the window: %s: %w (cure: delete the file, or start with --fresh)", file, err)
	}
	return m, true, nil
}

func (m *memory) write(file string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("ui: settings of the window: %w", err)
		}
	}()
	var text bytes.Buffer
	text.WriteString("# What the window of hapco remembers. It is written when the window closes.\n\n")
	if err := toml.NewEncoder(&text).Encode(m); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return files.Write(file, files.Bytes(text.Bytes()))
}

// recall makes the window as it was.
func (a *app) recall(m *memory) {
	v, o := &m.View, &a.viewport.view
	o.Forces, o.Resultant, o.Points, o.Normals, o.Fixed, o.XRay, o.Ghost = v.Forces, v.Resultant, v.Points, v.Normals, v.Fixed, v.XRay, v.Ghost
	o.Ground, o.Triad, o.Shadow, o.Overlay = v.Ground, v.Triad, v.Shadow, v.Overlay
	a.viewport.look.depthLine = v.DepthLine
	a.viewport.look.mode, a.viewport.look.colours = min(max(v.Mode, 0), len(modeNames)-1), v.Colours
	a.panel.column.wish, a.panel.column.folded = m.Panel.Width, m.Panel.Folded
	if z := m.Panel.TextZoom; a.opt.UIScale == 0 && z >= 0.5 && z <= maxScale {
		a.shell.zoom = z
	}
	a.plots.shown = m.Plots
	for _, name := range m.Panel.Closed {
		a.gui.sections[name] = false
	}
	for _, name := range m.Panel.Opened {
		a.gui.sections[name] = true
	}
}

// keepMemory writes how the window is now.
func (a *app) keepMemory() error {
	if a.opt.Memory == "" {
		return nil
	}
	m, o := &a.library.memory, &a.viewport.view
	m.View = viewMemory{a.viewport.look.mode, a.viewport.look.colours, o.Forces, o.Resultant, o.Points, o.Normals, o.Fixed, o.XRay, o.Ghost, o.Ground, o.Triad, o.Shadow, o.Overlay, a.viewport.look.depthLine}
	m.Panel = panelMemory{Width: a.panel.column.wish, Folded: a.panel.column.folded, TextZoom: a.shell.zoom}
	for name, open := range a.gui.sections {
		if open {
			m.Panel.Opened = append(m.Panel.Opened, name)
		} else {
			m.Panel.Closed = append(m.Panel.Closed, name)
		}
	}
	m.Plots = a.plots.shown
	m.Window = a.win.place(m.Window)
	return m.write(a.opt.Memory)
}
