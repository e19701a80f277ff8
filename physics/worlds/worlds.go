// Package worlds makes known what kinds of worlds the program has: the one place that names them all. Import it for
// that.
package worlds

import (
	"hapco/physics"
	"hapco/physics/worlds/finitestrain"
	"hapco/physics/worlds/floe"
	"hapco/physics/worlds/grain"
	"hapco/physics/worlds/rigid"
	"hapco/physics/worlds/tissue"
)

func init() {
	physics.Register("floe", floe.Read)
	physics.Register("grain", grain.Read)
	physics.Register("finite-strain", finitestrain.Read)
	physics.RegisterFormer("nonlinear", "finite-strain")
	physics.Register("rigid", rigid.Read)
	physics.Register("tissue", tissue.Read)
}
