// Package solvers names the contact solvers that the program has: who imports it finds
// them all by contact.New.
package solvers

import (
	_ "hapco/physics/contact/exact"
	_ "hapco/physics/contact/thesis"
)
