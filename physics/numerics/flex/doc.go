// Package flex holds the flexibility of an elastic body: the stiffness matrix factorised once, and columns of its
// inverse.
//
// The factorisation is supernodal Cholesky in the structure that CHOLMOD finds
// [Chen, Davis, Hager, Rajamanickam 2008, ACM TOMS 35(3)]; its numbers are computed
// here, so that it can be stopped midway. Columns of the inverse are computed in
// panels over its supernodes, in the order of the elimination: a panel's forward
// solve touches only the supernodes above it in the elimination tree, and as the
// inverse is symmetric its backward solve may stop at the panel itself. That
// leaves less than half of the work of plain solves.
//
// Everything is at a Young's modulus of 1 Pa; the compliance at E is C/E.
package flex
