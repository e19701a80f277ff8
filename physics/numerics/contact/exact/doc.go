// Package exact solves Signorini's and Coulomb's laws at N contacts by methods that aim at the errors themselves:
//
//   - "nsgs": Gauss-Seidel in which each contact is solved exactly [Jean 1999].
//     Eliminating r_n leaves a planar problem whose sliding solution is the root
//     of one increasing function of s = |x_t|/|r_t|, in the frame that diagonalises
//     the Schur complement W_tt - W_tn W_nt/W_nn.
//   - "nsgs-newton": ten sweeps, then the semismooth Newton method of [Alart,
//     Curnier 1991] on the contacts with r_n - x_n/w > 0. A sliding force is
//     written along the direction of y_t = r_t - x_t/w, which leaves two unknowns
//     per sliding and three per sticking contact and a matrix C'WB + D that
//     differs from a positive semidefinite one only by the coupling of r_t to r_n.
//     Where a full W does not yield to turns of such steps and sweeps, and always
//     where W is sparse, a proximal loop [Rockafellar 1976; for friction Acary,
//     Bremond, Huber 2018] solves with W + a I and q - a r_k for a falling a,
//     each time by full Newton steps. That settles rank-deficient W, for
//     which single forces are undetermined.
//   - "auto": from a warm start it begins with Newton steps where these are
//     expected to cost less than sweeps: a contact's displacements in the last
//     solution (recall), found by its identity, say who sticks and slides, and
//     iterates are not projected back on the cones (active). The first steps may
//     take the factors of an earlier matrix. Otherwise sweeps come first,
//     accelerated by Anderson's mixing (package mixing), and from a warm start with
//     forces extrapolated from the last solves.
//     After ten of them the rate and the counted cost of both decide between more
//     sweeps and rounds of Newton steps and sweeps; on a sparse W, Newton steps
//     alone. Where neither ends, an
//     interior-point method [Acary, Armand, Nguyen, Shpakovych 2023] finds a start
//     for the proximal loop, which comes last. Every decision
//     follows counts, not the clock, so that a sequence of solves repeats exactly,
//     unless they have a budget, and a cold start whatever came before.
//     A sparse W of rigid bodies, whose motions are known, is solved in their
//     velocities (velocities) in place of Newton steps, by a proximal loop from
//     the forces of the start.
//
// Sweeps stream three rows of W, or one block row, per contact, and of a full W of many contacts the upper triangle in
// single precision (single). Newton matrices are factorised by a block LU over 8x8 tiles, of which only the non-zero ones
// exist, in minimum degree order.
//
// # References
//
// [Alart, Curnier 1991] A mixed formulation for frictional contact problems
// prone to Newton like solution methods, Comput. Methods Appl. Mech. Eng. 92.
// [Jean 1999] The non-smooth contact dynamics method, ibid. 177.
// [Acary, Bremond, Huber 2018] On solving contact problems with Coulomb
// friction: formulations and numerical comparisons, Springer.
// [Acary, Armand, Nguyen, Shpakovych 2023] Second-order cone programming for
// frictional contact mechanics using interior point algorithm, Optim. Methods
// Softw.
// [Rockafellar 1976] Monotone operators and the proximal point algorithm, SIAM J.
// Control Optim. 14.
package exact
