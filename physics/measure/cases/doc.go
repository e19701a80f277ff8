// Package cases makes known the runners of all reference cases: those of a single contact problem here, those of each
// kind of world in a package beneath. Import it for its effect. Cases use worlds through what worlds export; no world
// knows its cases.
package cases

import (
	_ "hapco/physics/measure/cases/floe" // registers
	_ "hapco/physics/measure/cases/grain"
	_ "hapco/physics/measure/cases/rigid"
	_ "hapco/physics/measure/cases/tissue"
)
