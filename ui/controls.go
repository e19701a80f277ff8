package ui

// The controls of the panel. A label is the last word of its key in scene
// files and --set, with spaces for underscores.
var (
	ctlScene = control{label: "Scene", about: "The scene on screen. Another one loads in the background while this one goes on."}

	ctlFps = control{label: "Physics", unit: frequency,
		about:  "Physics steps per second: detection, contact forces and displacements together.",
		thesis: "«Fps» (P_Fps), 4.4.2"}
	ctlHFps = control{label: "Haptics", unit: frequency,
		about:  "Ticks per second of the haptic loop, which sends the force to the hand. A hand needs 300 Hz or more; 1 kHz feels right.",
		thesis: "«H_Fps», 4.4.2"}
	ctlDisplay = control{label: "Display", unit: frequency,
		about: "Pictures per second of this window. The force does not depend on it. Where it falls below 20 Hz the scene is drawn with fewer pixels, and with more again when there is time."}

	ctlHapticForce = control{label: "Haptic force", unit: force,
		about:  "Norm of the force sent to the hand, after reducer and limit.",
		thesis: "«Haptic Force», 4.4.2"}
	ctlMaxForce = control{label: "Max force", key: "device.max_force",
		about:  "Largest force that the device may send to the hand. Forces beyond it keep their direction and are cut to it.",
		thesis: "«Max Haptic Force», 4.4.2",
		unit:   force, bounds: bounds{min: 0.1, max: 20, log: true, floor: 1e-3, ceil: 100}}
	ctlReducer = control{label: "Reducer", key: "device.reducer",
		about:  "Factor on the force sent to the hand. Below 1 it takes energy out of the loop and calms bounces.",
		thesis: "«Reducer Haptic Force», 4.4.2",
		bounds: bounds{min: 0, max: 1, step: 0.01}}
	ctlStiffness = control{label: "Stiffness", key: "device.stiffness",
		about: "Spring between your hand (the cursor) and the stylus. Its stretch is the force that you would feel; a soft one shows well how the tissue resists.",
		unit:  stiffness, bounds: bounds{min: 1, max: 1e4, log: true, floor: 1e-2, ceil: 1e6}}

	ctlForceScale = control{label: "Force arrows",
		about: "Length of the arrow of 1 N at a contact. The leftmost position fits the arrows to the scene.",
		unit:  arrow, bounds: bounds{min: 1e-4, max: 100, log: true, zero: true, ceil: 1e6}}
	ctlResultantScale = control{label: "Resultant arrow",
		about: "Length of the resultant's arrow for 1 N. The leftmost position fits it to the scene.",
		unit:  arrow, bounds: bounds{min: 1e-4, max: 100, log: true, zero: true, ceil: 1e6}}
)

// The visualisation modes of the panel and of the keys 1 to 4.
var modeNames = [...]string{"shaded", "edges", "wireframe", "transparent"}

var modeAbouts = [...]string{
	"Lit surfaces. Key 1.",
	"Lit surfaces with the mesh drawn over them. Key 2.",
	"The mesh only («filaire»). Key 3.",
	"Surfaces that can be seen through. Key 4.",
}

// Bindings are the window's keys and what they do, for the reference; empty ones part
// groups.
func Bindings() (all [][2]string) {
	for _, b := range bindings {
		all = append(all, [2]string{b.keys, b.does})
	}
	return all
}

// bindings are what the help shows.
var bindings = [...]struct{ keys, does string }{
	{"Move the mouse", "moves the stylus in the plane of the view"},
	{"Left button, hold", "pushes the stylus into the surface under the cursor; drag to slide"},
	{"Left click", "on a contact: shows its force, status and Coulomb cone"},
	{"Wheel,  Q / E", "moves the stylus deeper / nearer (Shift: finely)"},
	{"M", "the other hand, of a scene with two tools"},
	{"F", "stylus follows the surface under the cursor, on / off"},
	{"X", "catches the nearest body, or lets it fly (where bodies can be caught)"},
	{"Space, hold", "clutch: the stylus stays while the mouse moves"},
	{"Esc", "closes what is open; then releases the stylus, until a click on the scene (with a device: force off at once)"},
	{"", ""},
	{"Alt + left button, drag", "turns the tool (also the arrow keys); T turns it back"},
	{"B + left button, drag", "paints where a soft body is held (Shift: frees); the panel then offers to hold it there"},
	{"Right button, drag", "orbits the camera (also Shift + arrow keys)"},
	{"Middle button, drag", "pans (also Shift + right)"},
	{"Ctrl + wheel,  + / −", "zooms"},
	{"Z", "zooms on the contact, and back"},
	{"R", "resets the view"},
	{"", ""},
	{"1 … 4", "shaded, edges, wireframe, transparent"},
	{"5", "colours: the next field, such as von Mises stress, pressure, displacement, strain; then the bodies' own"},
	{"P,  N", "pauses the simulation; makes one step"},
	{"Backspace", "resets the objects"},
	{"Tab,  Shift + Tab", "panel on / off, its edge can be dragged; panel and plots on / off"},
	{"Ctrl + Z,  Ctrl + Shift + Z", "takes back the last change of the panel; makes it again"},
	{"Ctrl + F", "searches the panel"},
	{"F2, F3, F4", "slots A, B, C: three sets of parameters (also the stylus's second button, where no switch has it)"},
	{"F5, F6, F7, F10", "front, left, top, corner"},
	{"G,  C", "plots on / off; their other page: solvers compared"},
	{"Ctrl + O,  Ctrl + S", "opens a file; saves the scene with the panel's values"},
	{"Home", "the gallery: the start page with all scenes"},
	{"F11", "full screen on / off"},
	{"F12", "saves a screenshot"},
	{"F8", "begins a recording, or ends it"},
	{"Space,  ,  .", "of a recording: its hand moves or rests; a hundredth of a second back, on"},
	{"Ctrl + E", "begins an export for other programs, or ends it"},
	{"F9", "saves the last minute of the haptic loop"},
	{"Arrows over a slider", "finer; up and down take larger steps"},
	{"Ctrl + = / −", "larger / smaller text"},
	{"H,  F1", "this help"},
}
