// Package ui is HapCo's window: the scene on the left, the parameter panel on
// the right, plots, and the mouse that holds the stylus when no device does.
//
// Run owns the main OS thread, as GLFW requires; everything in this package
// runs there unless a comment says otherwise. The simulation is seen only
// through Session: each frame reads its newest snapshot and, when a control
// moved, publishes one whole new physics.Params.
//
// Inside, lengths are metres, forces newtons, stresses pascals. The panel
// shows mm, N, kPa, MPa or GPa; the conversion happens in the rows of the
// panel and nowhere else.
//
// Numbers in brackets, (2.16) or 4.4.2, are equations and sections of N. Talbi's
// thesis (2008); section 4.4.2 describes the panel that this one follows.
package ui
