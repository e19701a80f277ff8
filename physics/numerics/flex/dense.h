// Dense kernels on BLAS and LAPACK in bites: between two of them *stop is looked
// at, and what was begun is left when it is set. Matrices are stored by columns.
#ifndef HAPCO_FLEX_DENSE_H
#define HAPCO_FLEX_DENSE_H

#include <stdint.h>

#include "crew.h"

// hapco_counted is a look at a *stop that is not 0: below it counts the looks that are
// left, above it those after the end.
static inline int hapco_counted(int32_t *stop)
{
	if (__atomic_add_fetch(stop, 1, __ATOMIC_RELAXED) < 0)
		return 0;
	int32_t last = 0;
	__atomic_compare_exchange_n(stop, &last, 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	return 1;
}

static inline int hapco_stopped(const int32_t *stop)
{
	return __atomic_load_n(stop, __ATOMIC_RELAXED) != 0 && hapco_counted((int32_t *)stop);
}

// All return 1, or 0 when they were stopped.

// hapco_cholesky factorises the symmetric n x n matrix at the top of the m x n
// block a, in place (lower triangle), and applies the factor's inverse to the
// rows below. Where the matrix is not positive definite, *bad is the column.
int hapco_cholesky(int64_t m, int64_t n, double *a, int64_t *bad, hapco_crew *crew, const int32_t *stop);
int hapco_cholesky_single(int64_t m, int64_t n, float *a, int64_t *bad, const int32_t *stop);

// hapco_signed is hapco_cholesky for a matrix that need not be positive definite:
// it becomes L S L^T with S diagonal, whose entries 1 and -1 are written to sign.
// Nothing is exchanged: where a pivot is 0 *bad is the column.
int hapco_signed(int64_t m, int64_t n, double *a, signed char *sign, int64_t *bad, const int32_t *stop);

// HAPCO_STRIP is the rows and columns of what is worked on at once.
enum { HAPCO_STRIP = 256 };

// hapco_act takes A S B^T, m x n with k columns in A and B, from C, S being the sign of each column, or all 1 where sign
// is NULL: its row i acts on row row[i] of C, its column j on column column[j]. Where A is B, m >= n, and the lower part
// alone acts. room holds m x n.
int hapco_act(int64_t m, int64_t n, int64_t k, const double *a, const double *b, int64_t lda, const signed char *sign, const int64_t *row, const int64_t *column,
              double *c, int64_t ldc, double *room, const int32_t *stop);

// hapco_act_single takes the lower part of A A(0:n)^T from C: row i of A acts on row and column place[i] of C.
int hapco_act_single(int64_t m, int64_t n, int64_t k, const float *a, int64_t lda, const int64_t *place, float *c, int64_t ldc, const int32_t *stop);

// hapco_down_single solves with the first columns of a lower triangle, ld x columns, for the first `sides` of HAPCO_PANEL
// right-hand sides, which are stored by rows, row[i] being that of row i: x <- L^-1 x on its own rows, and
// x(below) -= L(below) x.
void hapco_down_single(int64_t ld, int64_t columns, const float *a, const int64_t *row, float *x, int sides);

// HAPCO_SPARE is how many numbers the single precision of a factor has behind the last: vectors end there.
enum { HAPCO_SPARE = 32 };

// hapco_inverse replaces the n x n lower triangle L by that of (L L^T)^-1.
int hapco_inverse(int64_t n, double *a, hapco_crew *crew, const int32_t *stop);

#endif
