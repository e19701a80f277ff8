// Package ui is HapCo's window: the scene on the left, the parameter panel on the right, plots, and the mouse that
// holds the stylus when no device does.
//
// Run owns the main OS thread, as GLFW requires; everything in this package runs there unless a comment says otherwise.
// The simulation is seen only through Session: each frame reads its newest snapshot and, when a control moved,
// publishes all values of the world's parameters at once.
//
// The window has parts, each with a state of its own. From the lowest to the highest: scene (what is open), gui
// (widgets), intents (what parts ask of the window); shell (loop, size, pictures on file), viewport (camera, mouse,
// what is drawn over the scene), plots, haptic (the loop), timeline (a recorded hand), study, library (gallery, files,
// loading), changes (undo), panel. A part holds those below it that it needs and none above: it asks by an action or
// another intent, and the app, on top, carries it out. The table of bindings is at once the help, the reference and
// what the keyboard does.
//
// Inside, lengths are metres, forces newtons, stresses pascals. The panel shows mm, N, kPa, MPa or GPa; the conversion
// happens in the rows of the panel and nowhere else.
//
// Two environment variables: HAPCO_UI_SCALE is a factor on the size of text and controls where Options names none;
// HAPCO_UI_TRACE names a file that is replaced once a second (or HAPCO_UI_TRACE_EVERY, such as 50ms) by JSON telling where each control, the stylus and the
// contacts are on screen and what the parameters are, for tests that use the mouse (see tracePicture).
//
// Numbers in brackets, (2.16) or 4.4.2, are equations and sections of N. Talbi's thesis (2008); section 4.4.2 describes
// the panel that this one follows.
package ui
