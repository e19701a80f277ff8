// Package cases registers the runners of the reference cases that need no world
// of their own package: contact.problem and tissue.trajectory. Import it for
// its effect.
package cases
