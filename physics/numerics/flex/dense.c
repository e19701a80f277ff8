#include "dense.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

extern void dgemm_(const char *, const char *, const int *m, const int *n, const int *k, const double *alpha, const double *a, const int *lda,
                   const double *b, const int *ldb, const double *beta, double *c, const int *ldc, size_t, size_t);
extern void dtrsm_(const char *, const char *, const char *, const char *, const int *m, const int *n, const double *alpha,
                   const double *a, const int *lda, double *b, const int *ldb, size_t, size_t, size_t, size_t);
extern void dsyrk_(const char *, const char *, const int *n, const int *k, const double *alpha, const double *a, const int *lda,
                   const double *beta, double *c, const int *ldc, size_t, size_t);
extern void dpotrf_(const char *, const int *n, double *a, const int *lda, int *info, size_t);
extern void dtrmm_(const char *, const char *, const char *, const char *, const int *m, const int *n, const double *alpha,
                   const double *a, const int *lda, double *b, const int *ldb, size_t, size_t, size_t, size_t);
extern void dtrtri_(const char *, const char *, const int *n, double *a, const int *lda, int *info, size_t, size_t);
extern void dpotri_(const char *, const int *n, double *a, const int *lda, int *info, size_t);
extern void dlauum_(const char *, const int *n, double *a, const int *lda, int *info, size_t);

// BITE is the number of floating-point operations between two looks at stop: some
// hundredths of a second. WHOLE is what is done in one bite though it takes longer, up
// to a tenth of a second, so that a bench's body has the same compliance to the last bit
// in every version: W of some benches turns a change of the last bit into one of 1e-12
// of the forces.
// STRIP is the columns that are worked on at once otherwise: enough for BLAS to be
// near its best.
#define BITE 2e8
#define WHOLE 8e8
#define STRIP 256

static const double one = 1, minus = -1;

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

// bite is how many of the rows, or columns, of each of which costs so many
// operations make up one bite.
static int64_t bite(double cost, int64_t at_least)
{
	int64_t n = BITE / (cost + 1);
	return n < at_least ? at_least : n;
}

// width is how many of n columns are worked on at once: all where that takes no more
// operations than WHOLE, as CHOLMOD would do it, to the last bit.
static int64_t width(double operations, int64_t n) { return operations <= WHOLE ? n : STRIP; }

// product: C = beta C + alpha A B^T, m x n, with k columns in A and B.
static int product(int64_t m, int n, int k, double alpha, const double *a, int lda, const double *b, int ldb, double beta, double *c, int ldc, const int32_t *stop)
{
	int64_t step = bite(2.0 * n * k, 64);
	for (int64_t i = 0; i < m; i += step) {
		if (hapco_stopped(stop))
			return 0;
		int rows = least(step, m - i);
		dgemm_("N", "T", &rows, &n, &k, &alpha, a + i, &lda, b, &ldb, &beta, c + i, &ldc, 1, 1);
	}
	return 1;
}

// square computes the lower part of A A(0:n)^T, m x n with m >= n: A is m x k, with lda rows from column to column, and
// A(0:n) its first n rows. Entries above the diagonal are undefined.
static int square(int64_t m, int64_t n, int64_t k, const double *a, int64_t lda, double *c, const int32_t *stop)
{
	const double zero = 0;
	int ld = m, la = lda, depth = k;
	int64_t strip = width((2.0 * m - n) * n * k, n);
	for (int64_t j = 0; j < n; j += strip) {
		int w = least(strip, n - j);
		if (hapco_stopped(stop))
			return 0;
		dsyrk_("L", "N", &w, &depth, &one, a + j, &la, &zero, c + j + j * m, &ld, 1, 1);
		if (!product(m - j - w, w, k, 1, a + j + w, lda, a + j, lda, 0, c + j + w + j * m, m, stop))
			return 0;
	}
	return 1;
}

int hapco_act(int64_t m, int64_t n, int64_t k, const double *a, int64_t lda, const signed char *sign, const int64_t *place, double *c, int64_t ldc,
              double *room, const int32_t *stop)
{
	if (!square(m, n, k, a, lda, room, stop))
		return 0;
	for (int64_t p = 0; sign && p < k; p++)
		for (int64_t j = 0; j < n && sign[p] < 0; j++) {
			double f = 2 * a[j + p * lda];
			for (int64_t i = j; i < m; i++)
				room[i + j * m] -= f * a[i + p * lda];
		}
	for (int64_t j = 0; j < n; j++) {
		double *to = c + place[j] * ldc;
		for (int64_t i = j; i < m; i++)
			to[place[i]] -= room[i + j * m];
	}
	return 1;
}

int hapco_cholesky(int64_t m, int64_t n, double *a, int64_t *bad, const int32_t *stop)
{
	int ld = m, info;
	int64_t strip = width((m - 2.0 / 3 * n) * n * n, n);
	for (int64_t j = 0; j < n; j += strip) {
		int w = least(strip, n - j);
		double *top = a + j + j * m;
		if (j > 0 && !product(m - j, w, j, -1, a + j, ld, a + j, ld, 1, top, ld, stop))
			return 0;
		dpotrf_("L", &w, top, &ld, &info, 1);
		if (info > 0) {
			*bad = j + info - 1;
			return 0;
		}
		int below = m - j - w;
		if (below > 0)
			dtrsm_("R", "L", "T", "N", &below, &w, &one, top, &ld, top + w, &ld, 1, 1, 1, 1);
	}
	return !hapco_stopped(stop);
}

// small_signed factorises a diagonal block of w columns, column by column.
static int64_t small_signed(int w, double *a, int64_t ld, signed char *sign)
{
	for (int64_t j = 0; j < w; j++) {
		double *col = a + j * ld, d = col[j];
		if (!(fabs(d) > 0) || isinf(d))
			return j;
		sign[j] = d < 0 ? -1 : 1;
		double root = sqrt(fabs(d)), f = sign[j] / root;
		col[j] = root;
		for (int64_t i = j + 1; i < w; i++)
			col[i] *= f;
		for (int64_t k = j + 1; k < w; k++) {
			double g = sign[j] * col[k], *to = a + k * ld;
			for (int64_t i = k; i < w; i++)
				to[i] -= g * col[i];
		}
	}
	return -1;
}

int hapco_signed(int64_t m, int64_t n, double *a, signed char *sign, int64_t *bad, const int32_t *stop)
{
	// not a variable of the thread: a library that is loaded late has no room for it
	double *saved = malloc(least(STRIP, n) * least(STRIP, n) * sizeof(double));
	int whole = 0, ld = m, info = 1;
	for (int64_t j = 0; j < n; j += STRIP) {
		int w = least(STRIP, n - j);
		double *strip = a + j + j * m;
		if (!product(m - j, w, j, -1, a + j, ld, a + j, ld, 1, strip, ld, stop))
			goto end;
		// what hapco_flip does to a product, with the other sign
		for (int64_t p = 0; p < j; p++)
			for (int64_t k = 0; k < w && sign[p] < 0; k++)
				for (int64_t i = j + k; i < m; i++)
					a[i + (j + k) * m] += 2 * a[j + k + p * m] * a[i + p * m];
		for (int64_t k = 0; k < w && saved; k++)
			memcpy(saved + k * w, strip + k * m, w * sizeof(double));
		memset(sign + j, 1, w);
		if (saved)
			dpotrf_("L", &w, strip, &ld, &info, 1);
		if (info > 0) {
			for (int64_t k = 0; k < w && saved; k++)
				memcpy(strip + k * m, saved + k * w, w * sizeof(double));
			int64_t at = small_signed(w, strip, m, sign + j);
			if (at >= 0) {
				*bad = j + at;
				goto end;
			}
		}
		int below = m - j - w;
		if (below > 0)
			dtrsm_("R", "L", "T", "N", &below, &w, &one, strip, &ld, strip + w, &ld, 1, 1, 1, 1);
		for (int64_t k = 0; k < w; k++)
			for (int64_t i = w; i < m - j && sign[j + k] < 0; i++)
				strip[i + k * m] = -strip[i + k * m];
	}
	whole = !hapco_stopped(stop);
end:
	free(saved);
	return whole;
}

// invert replaces L by its inverse, strip by strip from the last: the block under
// a diagonal block D is -M B D^-1, where M is the inverse of what is right of it.
static int invert(int64_t n, double *a, const int32_t *stop)
{
	int ld = n, info;
	for (int64_t j = (n - 1) / STRIP * STRIP; j >= 0; j -= STRIP) {
		int w = least(STRIP, n - j), below = n - j - w;
		double *diagonal = a + j + j * n, *under = diagonal + w;
		int64_t step = bite((double)below * below, 16);
		for (int64_t i = 0; i < w && below > 0; i += step) {
			if (hapco_stopped(stop))
				return 0;
			int columns = least(step, w - i);
			dtrmm_("L", "L", "N", "N", &below, &columns, &one, diagonal + w + w * n, &ld, under + i * n, &ld, 1, 1, 1, 1);
		}
		if (below > 0)
			dtrsm_("R", "L", "N", "N", &below, &w, &minus, diagonal, &ld, under, &ld, 1, 1, 1, 1);
		dtrtri_("L", "N", &w, diagonal, &ld, &info, 1, 1);
	}
	return 1;
}

int hapco_inverse(int64_t n, double *a, const int32_t *stop)
{
	int ld = n, info;
	if (width(2.0 / 3 * n * n * n, n) == n) {
		dpotri_("L", &ld, a, &ld, &info, 1);
		return !hapco_stopped(stop);
	}
	// (L L^T)^-1 = M^T M with M = L^-1, row of strips by row of strips
	if (!invert(n, a, stop))
		return 0;
	for (int64_t i = 0; i < n; i += STRIP) {
		int w = least(STRIP, n - i), below = n - i - w;
		double *diagonal = a + i + i * n;
		int64_t step = bite(2.0 * w * (below + w), 64);
		for (int64_t j = 0; j < i; j += step) {
			if (hapco_stopped(stop))
				return 0;
			int columns = least(step, i - j);
			double *row = a + i + j * n;
			dtrmm_("L", "L", "T", "N", &w, &columns, &one, diagonal, &ld, row, &ld, 1, 1, 1, 1);
			if (below > 0)
				dgemm_("T", "N", &w, &columns, &below, &one, diagonal + w, &ld, row + w, &ld, &one, row, &ld, 1, 1);
		}
		dlauum_("L", &w, diagonal, &ld, &info, 1);
		if (below > 0) // the part above the diagonal holds nothing that is needed
			dgemm_("T", "N", &w, &w, &below, &one, diagonal + w, &ld, diagonal + w, &ld, &one, diagonal, &ld, 1, 1);
	}
	return !hapco_stopped(stop);
}
