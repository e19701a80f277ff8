// Package fill makes tetrahedra of a closed surface: with the gmsh program where it is installed, or with a mesher of
// its own.
//
// The mesher of its own is isosurface stuffing [Labelle, Shewchuk 2007, ACM Transactions on Graphics 26(3), 57]: a
// body-centred cubic lattice of tetrahedra, of which the lattice points near the surface are moved onto it and the
// tetrahedra that it still cuts are trimmed. It cannot fail on a closed surface, its tetrahedra are of good shape
// whatever the surface, but edges and corners sharper than the lattice are rounded.
package fill
