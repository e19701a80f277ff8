#ifndef HAPCO_FLEX_FACTOR_H
#define HAPCO_FLEX_FACTOR_H

#include <stdint.h>

// A factorised matrix with its own CHOLMOD state: calls on different factors
// may run at the same time.
typedef struct hapco_factor hapco_factor;

enum { HAPCO_OK = 0, HAPCO_NOT_POSITIVE = 1, HAPCO_NO_MEMORY = 2, HAPCO_FAILED = 3, HAPCO_STOPPED = 4 };

// hapco_analyze prepares the factorisation of the symmetric n x n matrix whose
// upper triangle is given by columns, rows sorted; unknowns come in threes, one
// node each. late, unless NULL, marks nodes to eliminate after all others.
// entries is how many doubles the factor will hold, operations what it costs.
// NULL without memory.
hapco_factor *hapco_analyze(int64_t n, int64_t *colptr, int64_t *row, double *value, const unsigned char *late, double *entries, double *operations);

// hapco_twin prepares another factor of the pattern that f was made for, in the same order.
hapco_factor *hapco_twin(const hapco_factor *f, int64_t *colptr, int64_t *row, double *value);

// hapco_factorize factorises that matrix. On HAPCO_NOT_POSITIVE *minor is the
// column (of the given matrix) at which it failed. It returns HAPCO_STOPPED some
// hundredths of a second after another thread has set *stop. So many threads work;
// the numbers do not depend on how many.
int hapco_factorize(hapco_factor *f, int64_t n, int64_t *colptr, int64_t *row, double *value, int workers, const int32_t *stop, int64_t *minor);

// hapco_solve solves K x = b for one right-hand side.
int hapco_solve(hapco_factor *f, double *x, double *b);

// hapco_solve_many does so for several, by columns.
int hapco_solve_many(hapco_factor *f, int64_t columns, double *x, double *b);

// hapco_negatives counts the negative eigenvalues of a symmetric matrix by the
// signs of its pivots, -1 where one is 0 or without memory.
int64_t hapco_negatives(int64_t n, int64_t *colptr, int64_t *row, double *value);

// hapco_factorize_single is hapco_factorize in single precision, of the matrix scaled by D to a
// unit diagonal, D K D = L L^T; its numbers serve what follows, and nothing else.
int hapco_factorize_single(hapco_factor *f, int64_t n, int64_t *colptr, int64_t *row, double *value, const int32_t *stop, int64_t *minor);

// hapco_forward solves L y = D y and hapco_backward L^T D^-1 y = y in the elimination
// order. work holds hapco_tallest + HAPCO_GROUP numbers.
void hapco_forward(const hapco_factor *f, float *y, float *work);
void hapco_backward(const hapco_factor *f, float *y, float *work);
enum { HAPCO_GROUP = 16 };
int64_t hapco_tallest(const hapco_factor *f);

// hapco_path writes the supernodes that a column of L^-1 passes through, from the
// one of this place of the elimination order to the root of its tree, and returns
// how many they are; size is how many columns they have. path may be NULL.
int64_t hapco_path(const hapco_factor *f, int64_t place, int64_t *path, int64_t *size);

// hapco_halves computes columns of L^-1 D, those of up to HAPCO_PANEL places, by rows of HAPCO_PANEL in y; only what is
// on the path of one of them is written. mark holds a byte a supernode, zero before and after.
void hapco_halves(const hapco_factor *f, int columns, const int64_t *place, float *y, unsigned char *mark);

// hapco_take_path takes from three columns of y what is on a path of that many steps, one column after the other.
void hapco_take_path(const hapco_factor *f, int64_t steps, const int64_t *path, const float *y, float *z);

// hapco_columns is how many columns a supernode has.
int64_t hapco_columns(const hapco_factor *f, int64_t supernode);

// hapco_across computes the 9 products of two such columns: what they have in common is
// the last entries of both.
void hapco_across(const float *a, int64_t size_a, const float *b, int64_t size_b, int64_t common, float *out);

// hapco_half_dot multiplies such columns with a vector, hapco_half_add adds them to it.
void hapco_half_dot(const hapco_factor *f, int64_t steps, const int64_t *path, int64_t size, const float *z, const float *y, float *out);
void hapco_half_add(const hapco_factor *f, int64_t steps, const int64_t *path, int64_t size, const float *z, const float *by, float *y);

// hapco_rcond is a rough reciprocal of the condition number of L, squared.
double hapco_rcond(hapco_factor *f);

// hapco_bytes is the memory that the factor takes.
int64_t hapco_bytes(hapco_factor *f);

// hapco_position writes the place of each unknown in the elimination order.
void hapco_position(hapco_factor *f, int64_t *position);

void hapco_free(hapco_factor *f);

// HAPCO_PANEL is the number of right-hand sides of one panel.
#define HAPCO_PANEL 48

// hapco_panel computes rows of K^-1 for a panel of up to HAPCO_PANEL unknowns.
// column[k] are their places in the elimination order, ascending. For each place
// want[i] (ascending, wants of them; the later the first, the less work),
// slab[slot[i]*HAPCO_PANEL + k] gets entry (want[i], column[k]); the rest of slab
// stays as it is. work holds n*HAPCO_PANEL doubles, all zero before and after;
// mark holds one byte a supernode, zero before and after. Reads only from f. It
// returns 1, or 0 soon after *stop is set; work and mark are then good for nothing.
int hapco_panel(const hapco_factor *f, int columns, const int64_t *column,
                 int64_t wants, const int64_t *want, const int64_t *slot,
                 double *slab, double *work, unsigned char *mark, const int32_t *stop);

// hapco_tail computes the part of K^-1 that belongs to the unknowns from place
// first of the elimination order on: the lower triangle, by columns, of a dense
// square. It is the inverse of what elimination leaves of K there. workers and
// stop are those of hapco_factorize.
int hapco_tail(const hapco_factor *f, int64_t first, double *out, int workers, const int32_t *stop);

// hapco_rows copies the slab, size rows of HAPCO_PANEL values, to rows of the
// result: row[k]*size + j of out gets slab[j*HAPCO_PANEL + k], or where out is NULL,
// that of single.
void hapco_rows(const double *slab, int64_t size, int columns, const int64_t *row, double *out, float *single);

// hapco_most_kernels is the widest set of instructions that is used where the processor has it: for tests.
extern int hapco_most_kernels;
enum { HAPCO_PLAIN, HAPCO_AVX2, HAPCO_AVX512 };

int64_t hapco_supernodes(const hapco_factor *f);

#endif
