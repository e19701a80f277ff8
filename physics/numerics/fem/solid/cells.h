#ifndef HAPCO_SOLID_CELLS_H
#define HAPCO_SOLID_CELLS_H

#include <stdint.h>

// The elements are linear tetrahedra (1 point), quadratic ones (4 points) and hexahedra
// (8 points), the last two with mean dilatation.
enum { HAPCO_LANES = 8, HAPCO_COROTATIONAL = 0, HAPCO_NEO_HOOKEAN = 1 };

// hapco_law is a law in a barrier: what is constant in a block. mean is the share of the
// element's mean dilatation.
typedef struct {
	int law;
	double lambda, mu, floor, barrier, mean;
} hapco_law;

// hapco_cells_state is how many lanes of state a group of elements of so many points has.
int hapco_cells_state(int points);

// hapco_cells adds the internal forces of groups of HAPCO_LANES elements to f, 3 a node, and
// returns the smallest det F of a point, at most 1e300. Arrays hold, for each group,
// HAPCO_LANES values in turn: conn of the nodes, grad of the shape functions of all nodes but
// the first at each point (3 a node), the weight of each point (0: an empty lane), and stays
// of each point the second Piola stress that no strain changes (9), or 0 for none.
double hapco_cells(int points, int64_t groups, const int32_t *conn, const double *grad, const double *weight, const double *stays,
                   const double *x, double *f, hapco_law m);

// hapco_cells_tangent writes what hapco_cells_times needs of the tangent at x.
void hapco_cells_tangent(int points, int64_t groups, const int32_t *conn, const double *grad, const double *weight, const double *stays,
                         const double *x, double *state, hapco_law m);

// hapco_cells_times adds the tangent times v to f.
void hapco_cells_times(int points, int64_t groups, const int32_t *conn, const double *grad, const double *weight, const double *stays,
                       const double *state, const double *v, double *f, hapco_law m);

// hapco_cells_stiffness adds the tangent at x of so many elements to the upper triangle of a
// matrix by columns: first is where each begins, index a node's number among those that move.
// where has, for each element, its pairs of nodes: how far into the columns of the second the
// rows of the first are, below 0 where they are not in it.
void hapco_cells_stiffness(int points, int64_t count, const int32_t *conn, const double *grad, const double *weight, const double *stays,
                           const double *x, hapco_law m, const int32_t *where, const int32_t *index, const int64_t *first, double *values);

#endif
