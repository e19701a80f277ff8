// Package solvers names the contact solvers that the program has: who imports it finds them all by contact.New.
package solvers

import (
	_ "hapco/physics/numerics/contact/exact"
	_ "hapco/physics/numerics/contact/thesis"
)
