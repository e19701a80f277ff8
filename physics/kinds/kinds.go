// Package kinds makes the kinds of worlds known that the program has: the one place
// that names them all. Import it for that.
package kinds

import (
	"hapco/physics"
	"hapco/physics/tissue"
)

func init() {
	physics.Register("tissue", tissue.Read)
}
