// What a physics step asks of a body's compliance, in C: the loops are short,
// dense and hot, and a compiler with vectors does them several times faster.
#ifndef HAPCO_DELASSUS_H
#define HAPCO_DELASSUS_H

#include <stdbool.h>
#include <stdint.h>

// hapco_link is Link of delassus.go, field by field.
typedef struct {
	int32_t contact, count;
	double sign;
	int32_t node[3], slot[3];
	double weight[3];
	double frame[9]; // rows n, t1, t2
} hapco_link;

// The compliance is full x full, row-major and symmetric, stored in double (c)
// or in float (single, where c is NULL).

// Gathers C[active, active], (3m)^2 doubles.
void hapco_gather(const double *c, const float *single, int64_t full, const int32_t *active, int64_t m, double *compact);

// A patch holds C[rows, rows] for some of the nodes, in double, stride doubles to
// a row of it.

// Fills the rows and the columns of the slots from first to before end, the last ones; order
// lists all slots, best by their rows.
void hapco_patch_fill(const double *c, const float *single, int64_t full, const int32_t *rows, const int32_t *order,
                      int64_t first, int64_t end, double *patch, int64_t stride);

// u[3i..3i+2] = patch[slots[i], :] f, over wide columns, a multiple of 4. all is wide doubles
// of workspace.
void hapco_patch_displace(const double *patch, int64_t stride, int64_t wide, const int32_t *slots, int64_t count,
                          const double *f, double *u, double *all);

// Contacts are worked on by so many at once.
#define HAPCO_LINKS 16

// Adds one body's share to the upper block triangle of w, n x n row-major, from the active slots of the patch, or, anew,
// makes it that; whole copies the upper triangle to the lower one afterwards. t holds 3m rows of 3*HAPCO_LINKS+4 doubles
// for m active slots.
void hapco_delassus(const double *patch, int64_t stride, const int32_t *active,
                    const hapco_link *links, int64_t count, double scale, double *w, int64_t n, double *t,
                    bool anew, bool whole);

// w = F^T c F for contacts' frames F, m of 9 numbers with rows n, t1, t2: both 3m x 3m row-major and symmetric, of c the
// upper block triangle is read. rows holds 9m doubles.
void hapco_turn(double *w, const double *c, const double *frames, int64_t m, double *rows);

// w += a^T b, with w n x n, a and b k x n, row-major
void hapco_add_product(double *w, const double *a, const double *b, int64_t n, int64_t k);

// u += C[:, nodes] f
void hapco_displace(const double *c, int64_t full, const int32_t *nodes, int64_t m, const double *f, double *u);
void hapco_displace_single(const float *c, int64_t full, const int32_t *nodes, int64_t m, const double *f, double *u);

// u[3i..3i+2] = C[want[i], nodes] f
void hapco_displace_at(const double *c, int64_t full, const int32_t *want, int64_t wants,
                       const int32_t *nodes, int64_t m, const double *f, double *u);
void hapco_displace_at_single(const float *c, int64_t full, const int32_t *want, int64_t wants,
                              const int32_t *nodes, int64_t m, const double *f, double *u);

#endif
