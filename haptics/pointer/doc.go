// Package pointer makes a haptic device of a mouse: a hand that the window moves, and a spring that ties the stylus to
// it. It has no motors. The loop lets the stylus lag behind the hand until the spring carries the contact force, so
// stiffness shows as lag, and the stretch is the force that the hand would feel.
package pointer
