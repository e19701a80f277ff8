package ui

import (
	"math"

	"hapco/physics/contact"
)

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

	ctlFriction = control{label: "Friction", key: "friction", symbol: "µ",
		about:  "Coulomb's friction coefficient: a contact slides once its tangential force reaches µ times the normal one. Pairs of bodies with a coefficient of their own keep it.",
		thesis: "«Friction Coefficient», µ, (2.16)",
		bounds: bounds{min: 0, max: 1, step: 0.01, ceil: 10}}
	ctlSolver = control{label: "Solver", key: "contact.solver",
		about:  "The method that finds the contact forces. It may be changed while you press.",
		thesis: "2.7, 2.8, 3.6"}
	ctlFormulation = control{label: "Formulation",
		about:  "The form in which the solver states the contact laws. Another one chooses the nearest solver that has it.",
		thesis: "2.4: (2.19) to (2.29), (2.43) to (2.45)"}
	ctlShadow = control{label: "Shadow", key: "contact.shadow",
		about: "A second solver that works on the same contact problems on a processor of its own, from its own last forces. It moves nothing and delays nothing: problems that come while it is busy are left out. The plots show both."}
	ctlCriterion = control{label: "Criterion", key: "contact.criterion",
		about:  "Which number the solver compares with the tolerance before it stops: a relative error of the forces, a physical one in metres, or another.",
		thesis: "«Physical Error/Relative Error», ε_Globale, 4.4.2"}
	ctlTolerance = control{label: "Tolerance", key: "contact.tolerance", symbol: "ε_GS",
		about:  "Gauss-Seidel error: the solver stops when the number that the criterion names falls below it. Smaller is more exact and slower.",
		thesis: "«Gauss-Seidel Error», ε_Gauss-Seidel, (2.72)",
		bounds: bounds{min: 1e-12, max: 1e-1, log: true, floor: 1e-16, ceil: 1}}
	ctlPhysicalTolerance = control{label: "Tolerance", key: "contact.tolerance", symbol: "ε_GS",
		about:  "Gauss-Seidel error as a length: the change of the forces divided by ρ_min, an interpenetration. Smaller is more exact and slower.",
		thesis: "«Gauss-Seidel Error», ε_Globale = |r − r_k-1| / ρ_min, 4.4.2",
		unit:   length, bounds: bounds{min: 1e-11, max: 1e-3, log: true, floor: 1e-15, ceil: 1}}
	ctlMaxIterations = control{label: "Max iterations", key: "contact.max_iterations",
		about:  "The solver gives up after this many sweeps and uses what it has; the contact count in the status line then says so.",
		bounds: bounds{min: 1, max: 1e5, log: true, step: 1, ceil: 1e7}}
	ctlRhoMode = control{label: "Rho mode", symbol: "ρ",
		about:  "Whether the stiffness ρ of the Uzawa steps is calculated from the Delassus operator W, for all contacts or for each, or imposed by the slider below. Solvers that take no such steps use ρ_min in the physical error only.",
		thesis: "«ρ_min Calculated/Imposed», (3.1), (3.2)"}
	ctlRho = control{label: "Rho", key: "contact.rho", symbol: "ρ_min",
		about:  "Step length of the Uzawa iterations, a stiffness. Far below the calculated value convergence is slow, far above it becomes unstable.",
		thesis: "«ρ_min», (3.1)",
		unit:   stiffness, bounds: bounds{min: 1e-2, max: 1e8, log: true, floor: 1e-9, ceil: 1e15}}
	ctlRhoFactor = control{label: "Rho factor", key: "contact.rho_factor", symbol: "× ρ",
		about:  "Multiplies the calculated ρ. The thesis tries 1.5, 2 and 2.2: up to a limit that depends on the problem larger means fewer iterations, beyond it the solver diverges.",
		thesis: "«Recherche d'un ρ optimal», 3.5",
		bounds: bounds{min: 0.1, max: 10, log: true, floor: 1e-6, ceil: 1e6}}
	ctlUzawaError = control{label: "Uzawa error", key: "contact.uzawa_error", symbol: "ε_U",
		about:  "Error at which the loop inside one contact stops, as a fraction of the scene's characteristic length. Only the local Uzawa solvers use it.",
		thesis: "«Uzawa Error», ε_Uzawa, (3.6), (3.7)",
		bounds: bounds{min: 1e-10, max: 1e-1, log: true, floor: 1e-16, ceil: 1}}
	ctlDDCTolerance = control{label: "DDC tolerance", key: "contact.ddc_tolerance",
		about:  "Largest distance between a node of the tool and the tissue at which the two become a possible contact. Larger finds contacts earlier and costs more.",
		thesis: "«DDC Tolerance», 4.4.2",
		unit:   length, bounds: bounds{min: 1e-5, max: 1e-1, log: true, floor: 1e-9, ceil: math.Inf(1)}, off: math.Inf(1)}

	ctlForceDifference = control{label: "Resultant differs",
		about: "Difference of the two resultants on the stylus over the first one, |F₂ − F₁| / |F₁|, on the same problem."}
	ctlDifference = control{label: "Forces differ",
		about: "Difference of all contact forces, |r₂ − r₁| / |r₁|, on the same problem. Where contacts are redundant the forces are not unique, and may differ while the resultants agree."}
	ctlSkipped = control{label: "Solved / left out",
		about: "Problems that the second solver has worked on, and those that came while it was busy."}

	ctlHapticForce = control{label: "Haptic force", unit: force,
		about:  "Norm of the force sent to the hand, after reducer and limit.",
		thesis: "«Haptic Force», 4.4.2"}
	ctlContactForce = control{label: "Contact force", unit: force,
		about: "Norm of the resultant of the contact forces on the stylus, before reducer and limit."}
	ctlFelt = control{label: "Contacts felt",
		about: "Contacts of the stylus in the model that the haptic loop works with between two steps. Where there are more than it has room for, loaded ones come first, then those with the smallest gaps; loaded ones without room are felt together as one."}
	ctlStrain = control{label: "Compression",
		about: "Largest compression of the tissue's surface. Linear elasticity is honest to some 10 %. At the limit, contact.strain_limit, the surface stiffens instead of folding over. Elements that the strain has turned over inside the tissue are counted beside it: there, stresses mean nothing."}
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

	ctlYoung = control{label: "E", key: "BODY.E",
		about:  "Young's modulus: stress per strain. It takes effect at the next step. A drag over the slider's whole width is a factor of ten; the middle is the scene's own value.",
		thesis: "module de Young, E, 1.5",
		unit:   pressure, bounds: bounds{min: 1e2, max: 1e11, log: true, decade: true, floor: 1e-3, ceil: 1e15}}
	ctlPoisson = control{label: "nu", key: "BODY.nu", symbol: "ν",
		about:  "Poisson's ratio: how much a stretched piece narrows. 0.5 would be incompressible. The flexibility is computed anew in the background; the old value holds until that is done.",
		thesis: "coefficient de Poisson, ν, 1.5",
		bounds: bounds{min: 0, max: 0.49, step: 0.01, floor: -0.99, ceil: 0.4999}}

	ctlForceScale = control{label: "Force arrows",
		about: "Length of the arrow of 1 N at a contact. The leftmost position fits the arrows to the scene.",
		unit:  arrow, bounds: bounds{min: 1e-4, max: 100, log: true, zero: true, ceil: 1e6}}
	ctlResultantScale = control{label: "Resultant arrow",
		about: "Length of the resultant's arrow for 1 N. The leftmost position fits it to the scene.",
		unit:  arrow, bounds: bounds{min: 1e-4, max: 100, log: true, zero: true, ceil: 1e6}}
	ctlStressMax = control{label: "Stress range",
		about: "Von Mises stress at the upper end of the colours; the leftmost position fits it to what is on screen.",
		unit:  pressure, bounds: bounds{min: 1e1, max: 1e10, log: true, zero: true, ceil: 1e15}}
)

// criteria are the words of scene files, in the order of contact.Criterion.
var criteria = [...]struct{ name, about string }{
	contact.RelativeChange: {"relative", "Relative error: change of the forces in a sweep over their norm, |r − r_k-1| / |r| (2.72)."},
	contact.Physical:       {"physical", "Physical error: change of the forces over ρ_min, a length (4.4.2)."},
	contact.NaturalMap:     {"natural", "Residual of the natural map: how far the forces are from obeying the contact laws. It does not mistake slow for done."},
	contact.Scaled:         {"scaled", "The natural map's residual without units: the same for soft and stiff bodies."},
	contact.SameStatus:     {"status", "Stops when no contact changed between open, stick and slip in a sweep."},
}

// usualTolerance is where a criterion's tolerance starts when it is chosen.
func usualTolerance(c contact.Criterion) float64 {
	switch c {
	case contact.Physical:
		return 1e-7 // m
	case contact.NaturalMap, contact.Scaled:
		return 1e-6
	}
	return 1e-4
}

var criterionNames = func() []string {
	names := make([]string, len(criteria))
	for i := range criteria {
		names[i] = criteria[i].name
	}
	return names
}()

// The visualisation modes of the panel and of the keys 1 to 5.
var modeNames = [...]string{"shaded", "edges", "wireframe", "transparent", "stress"}

var modeAbouts = [...]string{
	"Lit surfaces. Key 1.",
	"Lit surfaces with the mesh drawn over them. Key 2.",
	"The mesh only («filaire»). Key 3.",
	"Surfaces that can be seen through. Key 4.",
	"Colours show the von Mises stress. Key 5.",
}

const stressMode = 4

// bindings are what the help shows.
var bindings = [...]struct{ keys, does string }{
	{"Move the mouse", "moves the stylus in the plane of the view"},
	{"Left button, hold", "pushes the stylus into the surface under the cursor; drag to slide"},
	{"Left click", "on a contact: shows its force, status and Coulomb cone"},
	{"Wheel,  Q / E", "moves the stylus deeper / nearer (Shift: finely)"},
	{"F", "stylus follows the surface under the cursor, on / off"},
	{"Space, hold", "clutch: the stylus stays while the mouse moves"},
	{"Esc", "closes what is open; then releases the stylus, until a click on the scene (with a device: force off at once)"},
	{"", ""},
	{"Right button, drag", "orbits the camera (also Alt + left, arrow keys)"},
	{"Middle button, drag", "pans (also Shift + right)"},
	{"Ctrl + wheel,  + / −", "zooms"},
	{"Z", "zooms on the contact, and back"},
	{"R", "resets the view"},
	{"", ""},
	{"1 … 5", "shaded, edges, wireframe, transparent, stress"},
	{"P,  N", "pauses the simulation; makes one step"},
	{"Backspace", "resets the objects"},
	{"Tab", "panel on / off; its edge can be dragged"},
	{"G,  C", "plots on / off; their other page: solvers compared"},
	{"F12", "saves a screenshot"},
	{"F9", "saves the last minute of the haptic loop"},
	{"Arrows over a slider", "finer; up and down take larger steps"},
	{"Ctrl + = / −", "larger / smaller text"},
	{"H,  F1", "this help"},
}
