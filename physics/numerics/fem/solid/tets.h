#ifndef HAPCO_SOLID_TETS_H
#define HAPCO_SOLID_TETS_H

#include <stdint.h>

enum { HAPCO_LANES = 8, HAPCO_COROTATIONAL = 0, HAPCO_NEO_HOOKEAN = 1, HAPCO_TANGENT = 27 };

// hapco_tets adds the internal forces of groups of HAPCO_LANES linear tetrahedra
// to f, 3 a node, and returns the smallest det F, at most 1e300. Arrays hold, for
// each group, HAPCO_LANES values in turn: conn of the 4 nodes, grad of the shape
// functions of nodes 1 to 3 (9), the volume (0: an empty lane).
double hapco_tets(int64_t groups, const int32_t *conn, const double *grad, const double *volume, const double *x, double *f,
                  int law, double lambda, double mu, double floor, double barrier);

// hapco_tets_tangent writes what hapco_tets_times needs of the tangent at x:
// HAPCO_TANGENT lanes a group.
void hapco_tets_tangent(int64_t groups, const int32_t *conn, const double *grad, const double *x, double *state,
                        int law, double lambda, double mu, double floor, double barrier);

// hapco_tets_times adds the tangent times v to f.
void hapco_tets_times(int64_t groups, const int32_t *conn, const double *grad, const double *volume, const double *state, const double *v, double *f,
                      int law, double lambda, double mu);

// hapco_tets_stiffness adds the tangent at x of so many elements to the upper triangle of a
// matrix by columns: first is where each begins, index a node's number among those that move.
// where has, for each element, its 4 x 4 pairs of nodes: how far into the columns of the
// second the rows of the first are, below 0 where they are not in it.
void hapco_tets_stiffness(int64_t count, const int32_t *conn, const double *grad, const double *volume, const double *x,
                          int law, double lambda, double mu, double floor, double barrier,
                          const int32_t *where, const int32_t *index, const int64_t *first, double *values);

#endif
