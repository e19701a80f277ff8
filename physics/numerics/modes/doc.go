// Package modes finds how a body vibrates: the lowest solutions of
//
//	K phi = omega^2 M phi,   phi_i . M phi_j = 1 if i = j, else 0
//
// with the stiffness K and the consistent mass M of the finite elements of package fem, free or held at some nodes.
//
// # Method
//
// Block Lanczos on (K - s M)^-1 M with full reorthogonalisation in the inner product of M, through a sparse Cholesky
// factor [Grimes, Lewis, Simon 1994]. A held body is not shifted (s = 0). A free one is shifted below 0, and its six
// rigid motions, which are known, are kept out of the basis. One more inverse iteration and a Rayleigh-Ritz step end
// it. The number of pivots below 0 of K - m M, L D L^T, is the number of eigenvalues below m: it proves that none is
// missing.
//
// Linear elements are too stiff in bending, so that meshes of them are given mid-edge nodes first, see Quadratic.
//
// [Grimes, Lewis, Simon 1994] A shifted block Lanczos algorithm for solving sparse
// symmetric generalized eigenproblems, SIAM J. Matrix Anal. Appl. 15.
package modes
