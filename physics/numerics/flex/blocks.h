// Included once for each precision: real is the number, BLAS(x) the name of a BLAS or
// LAPACK routine, OF(x) that of a function here.

extern void BLAS(gemm)(const char *, const char *, const int *m, const int *n, const int *k, const real *alpha, const real *a, const int *lda,
                       const real *b, const int *ldb, const real *beta, real *c, const int *ldc, size_t, size_t);
extern void BLAS(trsm)(const char *, const char *, const char *, const char *, const int *m, const int *n, const real *alpha,
                       const real *a, const int *lda, real *b, const int *ldb, size_t, size_t, size_t, size_t);
extern void BLAS(syrk)(const char *, const char *, const int *n, const int *k, const real *alpha, const real *a, const int *lda,
                       const real *beta, real *c, const int *ldc, size_t, size_t);
extern void BLAS(potrf)(const char *, const int *n, real *a, const int *lda, int *info, size_t);

// product: C = beta C + alpha A B^T, m x n, with k columns in A and B.
static int OF(product)(int64_t m, int n, int k, real alpha, const real *a, int lda, const real *b, int ldb, real beta, real *c, int ldc, const int32_t *stop)
{
	int64_t step = bite(2.0 * n * k, 64);
	for (int64_t i = 0; i < m; i += step) {
		if (hapco_stopped(stop))
			return 0;
		int rows = least(step, m - i);
		BLAS(gemm)("N", "T", &rows, &n, &k, &alpha, a + i, &lda, b, &ldb, &beta, c + i, &ldc, 1, 1);
	}
	return 1;
}

int OF(hapco_square)(int64_t m, int64_t n, int64_t k, const real *a, int64_t lda, real *c, const int32_t *stop)
{
	const real unit = 1, zero = 0;
	int ld = m, la = lda, depth = k;
	int64_t strip = width((2.0 * m - n) * n * k, n);
	for (int64_t j = 0; j < n; j += strip) {
		int w = least(strip, n - j);
		if (hapco_stopped(stop))
			return 0;
		BLAS(syrk)("L", "N", &w, &depth, &unit, a + j, &la, &zero, c + j + j * m, &ld, 1, 1);
		if (!OF(product)(m - j - w, w, k, 1, a + j + w, lda, a + j, lda, 0, c + j + w + j * m, m, stop))
			return 0;
	}
	return 1;
}

int OF(hapco_cholesky)(int64_t m, int64_t n, real *a, int64_t *bad, const int32_t *stop)
{
	int ld = m, info;
	const real unit = 1;
	int64_t strip = width((m - 2.0 / 3 * n) * n * n, n);
	for (int64_t j = 0; j < n; j += strip) {
		int w = least(strip, n - j);
		real *top = a + j + j * m;
		if (j > 0 && !OF(product)(m - j, w, j, -1, a + j, ld, a + j, ld, 1, top, ld, stop))
			return 0;
		BLAS(potrf)("L", &w, top, &ld, &info, 1);
		if (info > 0) {
			*bad = j + info - 1;
			return 0;
		}
		int below = m - j - w;
		if (below > 0)
			BLAS(trsm)("R", "L", "T", "N", &below, &w, &unit, top, &ld, top + w, &ld, 1, 1, 1, 1);
	}
	return !hapco_stopped(stop);
}
