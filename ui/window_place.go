package ui

import (
	"github.com/go-gl/glfw/v3.3/glfw"
)

// place adds where the window is to what was remembered of it: a full or maximized window keeps the place that it goes
// back to.
func (w *window) place(m windowMemory) windowMemory {
	m.Full = w.glfw.GetMonitor() != nil
	m.Maximized = w.glfw.GetAttrib(glfw.Maximized) == glfw.True
	switch {
	case m.Full:
		m.X, m.Y, m.Width, m.Height = w.back[0], w.back[1], w.back[2], w.back[3]
	case !m.Maximized:
		m.X, m.Y = w.glfw.GetPos()
		m.Width, m.Height = w.glfw.GetSize()
	}
	return m
}

// restore puts the window where it was, if a screen is still there.
func (w *window) restore(m windowMemory) {
	if m.Width <= 0 || m.Height <= 0 {
		return
	}
	for _, screen := range glfw.GetMonitors() {
		x, y, sw, sh := screen.GetWorkarea()
		if m.X >= x && m.Y >= y && m.X < x+sw-100 && m.Y < y+sh-100 {
			w.glfw.SetPos(m.X, m.Y)
			w.glfw.SetSize(min(m.Width, sw), min(m.Height, sh))
			break
		}
	}
	if m.Maximized {
		w.glfw.Maximize()
	}
	if m.Full {
		w.full()
	}
}

// full turns full screen on and off, on the screen that holds the window's middle.
func (w *window) full() {
	if w.glfw.GetMonitor() != nil {
		b := w.back
		w.glfw.SetMonitor(nil, b[0], b[1], b[2], b[3], glfw.DontCare)
		return
	}
	x, y := w.glfw.GetPos()
	wide, high := w.glfw.GetSize()
	w.back = [4]int{x, y, wide, high}
	best := glfw.GetPrimaryMonitor()
	for _, m := range glfw.GetMonitors() {
		mx, my := m.GetPos()
		if v := m.GetVideoMode(); v != nil && x+wide/2 >= mx && x+wide/2 < mx+v.Width && y+high/2 >= my && y+high/2 < my+v.Height {
			best = m
		}
	}
	if best == nil {
		return
	}
	if v := best.GetVideoMode(); v != nil {
		w.glfw.SetMonitor(best, 0, 0, v.Width, v.Height, v.RefreshRate)
	}
}
