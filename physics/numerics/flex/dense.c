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
extern void dlauum_(const char *, const int *n, double *a, const int *lda, int *info, size_t);

// STRIP is the rows and columns of a tile: what is worked on at once, by one thread. It is enough for BLAS to be near its
// best, and few enough for several threads to have work. BLAS itself uses one thread: how many share a product changes
// the last digits of its sums.
// BITE is the number of floating-point operations between two looks at stop: some hundredths of a second.
#define STRIP HAPCO_STRIP
#define BITE 2e8

static const double one = 1, minus = -1;

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

// strips is how many there are in n.
static int64_t strips(int64_t n) { return (n + STRIP - 1) / STRIP; }

// product: C = beta C + alpha A B^T, m x n, with k columns in A and B.
static int product(int64_t m, int n, int k, double alpha, const double *a, int lda, const double *b, int ldb, double beta, double *c, int ldc, const int32_t *stop)
{
	int64_t step = BITE / (2.0 * n * k + 1);
	if (step < 64)
		step = 64;
	for (int64_t i = 0; i < m; i += step) {
		if (hapco_stopped(stop))
			return 0;
		int rows = least(step, m - i);
		dgemm_("N", "T", &rows, &n, &k, &alpha, a + i, &lda, b, &ldb, &beta, c + i, &ldc, 1, 1);
	}
	return 1;
}

int hapco_act(int64_t m, int64_t n, int64_t k, const double *a, const double *b, int64_t lda, const signed char *sign, const int64_t *row, const int64_t *column,
              double *c, int64_t ldc, double *room, const int32_t *stop)
{
	const double zero = 0;
	const int lower = a == b;
	int ld = m, la = lda, width = n, depth = k;
	if (hapco_stopped(stop))
		return 0;
	if (lower)
		dsyrk_("L", "N", &width, &depth, &one, b, &la, &zero, room, &ld, 1, 1);
	const int64_t first = lower ? n : 0; // row of the product with B that is not done
	if (!product(m - first, n, k, 1, a + first, lda, b, lda, 0, room + first, m, stop))
		return 0;
	for (int64_t p = 0; sign && p < k; p++)
		for (int64_t j = 0; j < n && sign[p] < 0; j++) {
			double f = 2 * b[j + p * lda];
			for (int64_t i = lower ? j : 0; i < m; i++)
				room[i + j * m] -= f * a[i + p * lda];
		}
	for (int64_t j = 0; j < n; j++) {
		double *to = c + column[j] * ldc;
		for (int64_t i = lower ? j : 0; i < m; i++)
			to[row[i]] -= room[i + j * m];
	}
	return 1;
}

// strip is columns j to j+w of the lower triangle of a matrix of m rows, which are worked on tile by tile.
typedef struct {
	double *a;
	int64_t m, j;
	int w;
	const int32_t *stop;
	int stopped; // somebody has looked
} strip;

// take_left takes from a tile what the columns left of the strip do to it.
static void take_left(void *of, int64_t tile, int worker)
{
	(void)worker;
	strip *s = of;
	int64_t from = s->j + tile * STRIP;
	if (!hapco_quits(&s->stopped) && !product(least(STRIP, s->m - from), s->w, s->j, -1, s->a + from, s->m, s->a + s->j, s->m, 1, s->a + from + s->j * s->m, s->m, s->stop))
		hapco_quit(&s->stopped);
}

// times_inverse applies times the inverse of the strip's diagonal block, or of its transpose, to a tile below it.
static void times_inverse(const strip *s, int64_t tile, const char *transposed, const double *times)
{
	int64_t from = s->j + s->w + tile * STRIP;
	int rows = least(STRIP, s->m - from), ld = s->m;
	dtrsm_("R", "L", transposed, "N", &rows, &s->w, times, s->a + s->j + s->j * s->m, &ld, s->a + from + s->j * s->m, &ld, 1, 1, 1, 1);
}

// solve_below applies the inverse of the strip's diagonal block to a tile below it.
static void solve_below(void *of, int64_t tile, int worker)
{
	(void)worker;
	times_inverse(of, tile, "T", &one);
}

int hapco_cholesky(int64_t m, int64_t n, double *a, int64_t *bad, hapco_crew *crew, const int32_t *stop)
{
	int ld = m, info;
	strip s = {.a = a, .m = m, .stop = stop};
	for (; s.j < n; s.j += STRIP) {
		s.w = least(STRIP, n - s.j);
		if (s.j > 0)
			hapco_crew_run(crew, strips(m - s.j), take_left, &s);
		if (s.stopped)
			return 0;
		dpotrf_("L", &s.w, a + s.j + s.j * m, &ld, &info, 1);
		if (info > 0) {
			*bad = s.j + info - 1;
			return 0;
		}
		hapco_crew_run(crew, strips(m - s.j - s.w), solve_below, &s);
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

// FEW is the columns that are multiplied by a triangle at once.
#define FEW 32

// multiply_under multiplies some columns below a diagonal block by what is right of it, a triangle.
static void multiply_under(void *of, int64_t part, int worker)
{
	(void)worker;
	strip *s = of;
	int64_t first = s->j + s->w;
	int below = s->m - first, columns = least(FEW, s->w - part * FEW), ld = s->m;
	if (hapco_quits(&s->stopped))
		return;
	if (hapco_stopped(s->stop)) {
		hapco_quit(&s->stopped);
		return;
	}
	dtrmm_("L", "L", "N", "N", &below, &columns, &one, s->a + first + first * s->m, &ld, s->a + first + (s->j + part * FEW) * s->m, &ld, 1, 1, 1, 1);
}

// divide_under applies minus the inverse of a diagonal block to a tile below it.
static void divide_under(void *of, int64_t tile, int worker)
{
	(void)worker;
	times_inverse(of, tile, "N", &minus);
}

// square_up turns a tile left of a diagonal block of M into that of M^T M.
static void square_up(void *of, int64_t tile, int worker)
{
	(void)worker;
	strip *s = of;
	int ld = s->m, below = s->m - s->j - s->w, columns = STRIP;
	double *diagonal = s->a + s->j + s->j * s->m, *own = s->a + s->j + tile * STRIP * s->m;
	if (hapco_quits(&s->stopped))
		return;
	if (hapco_stopped(s->stop)) {
		hapco_quit(&s->stopped);
		return;
	}
	dtrmm_("L", "L", "T", "N", &s->w, &columns, &one, diagonal, &ld, own, &ld, 1, 1, 1, 1);
	if (below > 0)
		dgemm_("T", "N", &s->w, &columns, &below, &one, diagonal + s->w, &ld, own + s->w, &ld, &one, own, &ld, 1, 1);
}

int hapco_inverse(int64_t n, double *a, hapco_crew *crew, const int32_t *stop)
{
	int ld = n, info;
	strip s = {.a = a, .m = n, .stop = stop};
	// L becomes M = L^-1 strip by strip from the last: the block under a diagonal block D is -N B D^-1, where N is the
	// inverse of what is right of it.
	for (s.j = (n - 1) / STRIP * STRIP; s.j >= 0; s.j -= STRIP) {
		s.w = least(STRIP, n - s.j);
		int64_t below = n - s.j - s.w;
		if (below > 0)
			hapco_crew_run(crew, (s.w + FEW - 1) / FEW, multiply_under, &s);
		if (s.stopped)
			return 0;
		hapco_crew_run(crew, strips(below), divide_under, &s);
		dtrtri_("L", "N", &s.w, a + s.j + s.j * n, &ld, &info, 1, 1);
	}
	// (L L^T)^-1 = M^T M, row of tiles by row of tiles
	for (s.j = 0; s.j < n; s.j += STRIP) {
		s.w = least(STRIP, n - s.j);
		int below = n - s.j - s.w;
		double *diagonal = a + s.j + s.j * n;
		hapco_crew_run(crew, s.j / STRIP, square_up, &s);
		if (s.stopped || hapco_stopped(stop))
			return 0;
		dlauum_("L", &s.w, diagonal, &ld, &info, 1);
		if (below > 0)
			dsyrk_("L", "T", &s.w, &below, &one, diagonal + s.w, &ld, &one, diagonal, &ld, 1, 1);
	}
	return 1;
}
