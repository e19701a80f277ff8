package ui

// The controls of the panel. A label is the last word of its key in scene files and --set, with spaces for underscores.
var (
	ctlScene = control{label: "Scene", about: "The scene on screen. Another one loads in the background while this one goes on."}

	ctlFps = control{label: "Physics", unit: frequency,
		about:  "Physics steps per second: detection, contact forces and displacements together; beside it how fast the time of a world runs that has one: 0.2 x real time is slow motion.",
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
		unit:   force, bounds: bounds{Min: 0.1, Max: 20, Log: true, Floor: 1e-3, Ceil: 100}}
	ctlReducer = control{label: "Reducer", key: "device.reducer",
		about:  "Factor on the force sent to the hand. Below 1 it takes energy out of the loop and calms bounces.",
		thesis: "«Reducer Haptic Force», 4.4.2",
		bounds: bounds{Min: 0, Max: 1, Step: 0.01}}
	ctlStiffness = control{label: "Stiffness", key: "device.stiffness",
		about: "Spring between your hand (the cursor) and the stylus. Its stretch is the force that you would feel; a soft one shows well how the tissue resists.",
		unit:  stiffness, bounds: bounds{Min: 1, Max: 1e4, Log: true, Floor: 1e-2, Ceil: 1e6}}

	ctlForceScale = control{label: "Force arrows",
		about: "Length of the arrow of 1 N at a contact. The leftmost position fits the arrows to the scene.",
		unit:  arrow, bounds: bounds{Min: 1e-4, Max: 100, Log: true, Zero: true, Ceil: 1e6}}
	ctlResultantScale = control{label: "Resultant arrow",
		about: "Length of the resultant's arrow for 1 N. The leftmost position fits it to the scene.",
		unit:  arrow, bounds: bounds{Min: 1e-4, Max: 100, Log: true, Zero: true, Ceil: 1e6}}
)

// The visualisation modes of the panel and of the keys 1 to 4.
var modeNames = [...]string{"shaded", "edges", "wireframe", "transparent"}

var modeAbouts = [...]string{
	"Lit surfaces. Key 1.",
	"Lit surfaces with the mesh drawn over them. Key 2.",
	"The mesh only («filaire»). Key 3.",
	"Surfaces that can be seen through. Key 4.",
}
