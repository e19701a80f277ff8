// Package lcp solves linear complementarity problems: given a square matrix M and a vector q, find z with
//
//	w = M z + q,   w >= 0,   z >= 0,   w'z = 0.
//
// It stands on nothing of ours. The method is Lemke's complementary pivoting with the lexicographic rule against
// cycling:
//
//   - C. E. Lemke, "Bimatrix equilibrium points and mathematical programming",
//     Management Science 11 (1965).
//   - R. W. Cottle, J.-S. Pang, R. E. Stone, "The Linear Complementarity
//     Problem" (1992), chapter 4.
//
// For copositive-plus M (positive semidefinite ones, and the friction problems with a faceted cone among them) the
// method ends with a solution wherever one exists, and otherwise with a ray.
package lcp
