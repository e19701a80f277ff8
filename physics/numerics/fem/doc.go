// Package fem holds the linear elastic finite elements: stiffness, assembly with Dirichlet conditions, body forces, and
// stresses for display.
//
// Stiffness is always computed at a Young's modulus of 1 Pa: K is proportional
// to E, so that E may change while the simulation runs at no cost. Elements are
// isoparametric and fully integrated (hexahedra with 2x2x2 Gauss points), as in
// section 1.2 of the thesis; no locking cure is applied. References:
// [Hughes 2000] T. J. R. Hughes, The Finite Element Method, Dover.
package fem
