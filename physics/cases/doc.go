// Package cases registers the runners of the reference cases that need no world
// of their own package: contact.problem and tissue.trajectory, and those beneath it. Import it for
// its effect.
package cases

import _ "hapco/physics/cases/rigid" // registers
