// Package bench builds the contact problems of the thesis's test benches (sections 3.2, 3.9 and 4.2.2): two blocks of
// 8-node hexahedra, one pressed into the other and dragged over it, every increment a problem for
// physics/numerics/contact. It is a small implementation of its own, beside tissue.World: the two check each other, and
// the tables of the thesis are made from it.
//
// Conventions: lengths in m, forces in N, moduli in Pa. The obstacle fills
// [0,L]x[0,H]x[0,l]; the impactor stands centred on its top face and touches it.
// Contacts are detected once per increment, in the configuration that the previous one left; all surface nodes of the
// impactor's lower face are contacts, without a limit on the distance.
package bench
