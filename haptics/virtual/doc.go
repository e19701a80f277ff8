// Package virtual simulates a haptic device and the hand that holds it, so that the servo can be tried and measured
// without either: mass, viscous and dry friction, encoder steps, forces held from tick to tick; a hand that is a mass
// on a spring and damper, follows a scripted stroke, trembles, and may let go. The same seed gives the same motion to
// the last bit.
package virtual
