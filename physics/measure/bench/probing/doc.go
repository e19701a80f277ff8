// Package probing moves a stylus as a hand does over scenes of several bodies and checks what the physics makes of it:
// no body inside another or inside itself, no more energy than the hand put in, bounded forces, solved contact
// problems.
//
// The checks are brute force on the drawn surfaces and share no code with contact detection: inside is what the winding
// number says (Jacobson, Kavan, Sorkine-Hornung, "Robust inside-outside segmentation using generalized winding
// numbers", 2013), depth is the distance to the closest triangle of all, and edges are cut with all triangles.
package probing
