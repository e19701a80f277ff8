// Package contact states and solves frictional contact problems: Signorini's and Coulomb's laws at N contacts coupled
// by a Delassus operator. It knows no finite elements, no collision detection and no device.
//
// # The problem
//
// At contact c the force r_c = (r_n, r_t) that the obstacle exerts on the impactor and the relative displacement x_c =
// (x_n, x_t) of this increment satisfy, with x = W r + q (2.61),
//
//	x_n >= 0,  r_n >= 0,  x_n r_n = 0                     Signorini (2.15)
//	|r_t| <= mu r_n,  r_t = -mu r_n x_t/|x_t| if x_t != 0  Coulomb  (2.18)
//
// Numbers in brackets are the thesis's [Talbi 2008]. De Saxce's change of variable uhat = x + (mu |x_t|, 0) makes one
// statement of the two: with Coulomb's cone K = {|r_t| <= mu r_n} and its dual K*,
//
//	K* contains uhat,  uhat.r = 0,  K contains r
//
// and hence r = P_K(r - rho uhat) for any rho > 0. Errors measure what is missing there. W is symmetric and positive
// semidefinite; r is not unique where W is singular, and for large mu x need not be either.
//
// # Solvers
//
// Solvers lie in packages of their own and register themselves: exact has those that solve the laws by methods beyond
// the thesis, thesis the thesis's own. Import solvers to have them all. New makes one by name, Descriptions lists them.
// All stop at an iteration limit or a time budget, return admissible forces (r_n >= 0 and |r_t| <= mu r_n exactly), and
// call an answer converged only if both errors agree. Sweeps drives a solver that goes from contact to contact, over
// and over.
//
// W is dense and row-major, or also stored by its non-zero blocks (Compress). Products with it go through kernels for
// AVX2 with plain Go twins (internal/kernel).
//
// # References
//
// [Talbi 2008] N. Talbi, the thesis that this program continues.
// [De Saxce, Feng 1998] The bipotential method, Math. Comput. Modelling 28.
package contact
