// Package spacenav lets a SpaceMouse hold the stylus: six axes of deflection become speeds (rate control), its buttons
// the stylus's buttons. It has no motors.
//
// It speaks to the spacenavd daemon through its socket (records of eight 32-bit integers; no handshake), or reads the
// kernel's event device when no daemon runs. One goroutine reads; Read integrates.
//
// Since a rate device never stops by meeting resistance, the force that Write gets pushes back on the motion: full
// deflection against a wall settles at Options.Push newtons, half a deflection at less, and a released cap lets the
// stylus retreat until the wall no longer pushes.
package spacenav
