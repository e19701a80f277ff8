// Package contact states and solves frictional contact problems: Signorini's
// and Coulomb's laws at N contacts coupled by a Delassus operator. It knows no
// finite elements, no collision detection and no device.
//
// # The problem
//
// At contact c the force r_c = (r_n, r_t) that the obstacle exerts on the
// impactor and the relative displacement x_c = (x_n, x_t) of this increment
// satisfy, with x = W r + q (2.61),
//
//	x_n >= 0,  r_n >= 0,  x_n r_n = 0                     Signorini (2.15)
//	|r_t| <= mu r_n,  r_t = -mu r_n x_t/|x_t| if x_t != 0  Coulomb  (2.18)
//
// Numbers in brackets are the thesis's [Talbi 2008]. De Saxce's change of
// variable uhat = x + (mu |x_t|, 0) makes one statement of the two: with
// Coulomb's cone K = {|r_t| <= mu r_n} and its dual K*,
//
//	K* contains uhat,  uhat.r = 0,  K contains r
//
// and hence r = P_K(r - rho uhat) for any rho > 0. Errors measure what is
// missing there. W is symmetric and positive semidefinite; r is not unique
// where W is singular, and for large mu x need not be either.
//
// # Solvers
//
// New makes a solver by name, Descriptions lists them. All stop at an
// iteration limit or a time budget, return admissible forces (r_n >= 0 and |r_t|
// <= mu r_n exactly), and call an answer converged only if both errors agree.
//
//   - "uzawa": Gauss-Seidel with one projection per contact and sweep (2.8.2).
//   - "nsgs": Gauss-Seidel in which each contact is solved exactly [Jean 1999].
//     Eliminating r_n leaves a planar problem whose sliding solution is the root
//     of one increasing function of s = |x_t|/|r_t|, in the frame that diagonalises
//     the Schur complement W_tt - W_tn W_nt/W_nn.
//   - "nsgs-newton": ten sweeps, then the semismooth Newton method of [Alart,
//     Curnier 1991] on the contacts with r_n - x_n/w > 0. A sliding force is
//     written along the direction of y_t = r_t - x_t/w, which leaves two unknowns
//     per sliding and three per sticking contact and a matrix C'WB + D that
//     differs from a positive semidefinite one only by the coupling of r_t to r_n.
//     Where it fails, a proximal loop [Rockafellar 1976; for friction Acary,
//     Bremond, Huber 2018] solves with W + a I and q - a r_k for a falling a,
//     each time by the same Newton method. That settles rank-deficient W, for
//     which single forces are undetermined.
//   - "auto": from a warm start it begins with Newton steps where these are
//     expected to cost less than sweeps: a contact's displacements in the last
//     solution (recall), found by its identity, say who sticks and slides, and
//     iterates are not projected back on the cones (active). The first steps may
//     take the factors of an earlier matrix. Otherwise sweeps come first,
//     accelerated by Anderson's mixing [Anderson 1965; Walker, Ni 2011] in the norm of
//     e_s, and from a warm start with forces extrapolated from the last solves.
//     After ten of them the rate and the counted cost of both decide between more
//     sweeps and rounds of Newton steps and sweeps. Where neither ends, an
//     interior-point method [Acary, Armand, Nguyen, Shpakovych 2023] finds a start
//     for Newton's; the proximal loop and relaxed sweeps come last. Every decision
//     follows counts, not the clock, so that a sequence of solves repeats exactly,
//     unless they have a budget, and a cold start whatever came before.
//
// The files thesis_*.go and law_*.go hold the thesis's other solvers and
// formulations.
//
// # Numbers
//
// W is dense and row-major, or also stored by its non-zero blocks (Compress);
// the sweeps stream three rows, or one block row, per contact through kernels
// for AVX2 (asm/kernels.go writes them; plain Go twins serve elsewhere). Newton
// matrices are factorised by a block LU over 8x8 tiles, of which only the
// non-zero ones exist, in minimum degree order.
//
// # References
//
// [Talbi 2008] N. Talbi, the thesis that this program continues.
// [De Saxce, Feng 1998] The bipotential method, Math. Comput. Modelling 28.
// [Alart, Curnier 1991] A mixed formulation for frictional contact problems
// prone to Newton like solution methods, Comput. Methods Appl. Mech. Eng. 92.
// [Jean 1999] The non-smooth contact dynamics method, ibid. 177.
// [Acary, Bremond, Huber 2018] On solving contact problems with Coulomb
// friction: formulations and numerical comparisons, Springer.
// [Acary, Armand, Nguyen, Shpakovych 2023] Second-order cone programming for
// frictional contact mechanics using interior point algorithm, Optim. Methods
// Softw.
// [Anderson 1965] Iterative procedures for nonlinear integral equations, J. ACM 12.
// [Walker, Ni 2011] Anderson acceleration for fixed-point iterations, SIAM J.
// Numer. Anal. 49.
// [Rockafellar 1976] Monotone operators and the proximal point algorithm, SIAM J.
// Control Optim. 14.
package contact
