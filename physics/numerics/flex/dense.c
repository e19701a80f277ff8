#include "dense.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

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

#define real double
#define BLAS(x) d##x##_
#define OF(x) x
#include "blocks.h"
#undef real
#undef BLAS
#undef OF
#define real float
#define BLAS(x) s##x##_
#define OF(x) x##_single
#include "blocks.h"
#undef real
#undef BLAS
#undef OF

void hapco_flip(int64_t m, int64_t n, int64_t k, const double *a, int64_t lda, const signed char *sign, double *c, int64_t ldc)
{
	for (int64_t p = 0; p < k; p++)
		for (int64_t j = 0; j < n && sign[p] < 0; j++) {
			double f = 2 * a[j + p * lda];
			for (int64_t i = j; i < m; i++)
				c[i + j * ldc] -= f * a[i + p * lda];
		}
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
