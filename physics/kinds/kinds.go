// Package kinds makes known what kinds of worlds the program has: the one place that names
// them all. Import it for that.
package kinds

import (
	"hapco/physics"
	"hapco/physics/floe"
	"hapco/physics/grain"
	"hapco/physics/largestrain"
	"hapco/physics/rigid"
	"hapco/physics/tissue"
)

func init() {
	physics.Register("floe", floe.Read)
	physics.Register("grain", grain.Read)
	physics.Register("nonlinear", largestrain.Read)
	physics.Register("rigid", rigid.Read)
	physics.Register("tissue", tissue.Read)
}
