// Dense kernels of a supernodal elimination in single precision. Included once for each instruction set, after kernel.h,
// with
//   NAME(x)  the name of function x for that set
//   TARGET   its function attribute
//   WIDTH    floats in a vector
//   COLS     columns of a tile, a multiple of 3: 2 x COLS sums and 3 more values fill the registers
//   WIDE     columns that are eliminated at once, as many as there are registers for
//
// Matrices are stored by columns. Where a tile or a vector ends beyond the last row, what it reads there is in the next
// column, or in the HAPCO_SPARE numbers behind the last, and what it makes of that is dropped.

#define INLINE TARGET static inline __attribute__((always_inline))

// product: sum[c][v] is the sum over p of a[v*WIDTH + p*la], a vector, and b[c + p*lb].
INLINE void NAME(product)(int vectors, int cols, int64_t k, const float *a, int64_t la, const float *b, int64_t lb, NAME(vec) sum[COLS][2])
{
	for (int c = 0; c < cols; c++)
		for (int v = 0; v < vectors; v++)
			sum[c][v] = (NAME(vec)){0};
	for (int64_t p = 0; p < k; p++, a += la, b += lb) {
		__builtin_prefetch(a + 4 * la); // the next columns are far apart
		__builtin_prefetch(a + 4 * la + WIDTH);
		NAME(vec) a0 = *(const NAME(vec) *)a, a1;
		if (vectors > 1)
			a1 = *(const NAME(vec) *)(a + WIDTH);
		for (int c = 0; c < cols; c++) {
			sum[c][0] += a0 * b[c];
			if (vectors > 1)
				sum[c][1] += a1 * b[c];
		}
	}
}

// tile takes the product from up to so many rows and columns of c, those that place names: NULL names them in order.
INLINE void NAME(tile)(int vectors, int cols, int64_t rows, int64_t columns, int64_t k, const float *a, int64_t la, const float *b, int64_t lb,
                       const int64_t *row, const int64_t *column, float *c, int64_t lc)
{
	NAME(vec) sum[COLS][2];
	NAME(product)(vectors, cols, k, a, la, b, lb, sum);
	for (int j = 0; j < cols && j < columns; j++) {
		float *to = c + (column ? column[j] : j) * lc;
		for (int v = 0; v < vectors; v++) {
			const int64_t i = v * WIDTH, n = rows - i < WIDTH ? rows - i : WIDTH;
			if (n == WIDTH && (!row || row[i + WIDTH - 1] - row[i] == WIDTH - 1)) {
				*(NAME(vec) *)(to + (row ? row[i] : i)) -= sum[j][v];
				continue;
			}
			for (int64_t l = 0; l < n; l++)
				to[row ? row[i + l] : i + l] -= sum[j][v][l];
		}
	}
}

// some is tile for as many columns as are left.
INLINE void NAME(some)(int vectors, int64_t rows, int64_t columns, int64_t k, const float *a, int64_t la, const float *b,
                       const int64_t *row, const int64_t *column, float *c, int64_t lc)
{
	if (columns > COLS / 2)
		NAME(tile)(vectors, COLS, rows, columns, k, a, la, b, la, row, column, c, lc);
	else if (columns > 3)
		NAME(tile)(vectors, COLS / 2, rows, columns, k, a, la, b, la, row, column, c, lc);
	else
		NAME(tile)(vectors, 3, rows, columns, k, a, la, b, la, row, column, c, lc);
}

// act takes the lower part of A A(0:n)^T from C: A is m x k, and its row i acts on row and column place[i] of C, which
// is on and below the diagonal; NULL: i. Above the diagonal of C is written, too.
TARGET static int NAME(act)(int64_t m, int64_t n, int64_t k, const float *a, int64_t la, const int64_t *place, float *c, int64_t lc, const int32_t *stop)
{
	for (int64_t j = 0; j < n; j += COLS) {
		if (hapco_stopped(stop))
			return 0;
		const int64_t *column = place ? place + j : NULL;
		for (int64_t i = j; i < m; i += 2 * WIDTH) {
			const int64_t *row = place ? place + i : NULL;
			float *to = c + (place ? 0 : i + j * lc);
			if (m - i > WIDTH)
				NAME(some)(2, m - i, n - j, k, a + i, la, a + j, row, column, to, lc);
			else
				NAME(some)(1, m - i, n - j, k, a + i, la, a + j, row, column, to, lc);
		}
	}
	return 1;
}

// narrow eliminates up to WIDE columns of m rows. It returns the column that is not positive, or -1.
TARGET static int64_t NAME(narrow)(int64_t m, int64_t n, float *a, int64_t ld)
{
	float inverse[WIDE], top[WIDE][WIDE] = {{0}}; // of L: top[p][c] is in row c and column p
	for (int64_t p = 0; p < n; p++) {
		float *at = a + p + p * ld, root = sqrtf(*at);
		if (!(*at > 0) || isinf(*at))
			return p;
		*at = root;
		inverse[p] = 1 / root;
		for (int64_t c = p + 1; c < n; c++)
			top[p][c] = at[c - p] *= inverse[p];
		for (int64_t c = p + 1; c < n; c++)
			for (int64_t r = c; r < n; r++)
				a[r + c * ld] -= top[p][r] * top[p][c];
	}
	for (int64_t p = n; p < WIDE; p++)
		inverse[p] = 0;
	for (int64_t i = n; i < m; i += WIDTH) {
		NAME(vec) x[WIDE];
		for (int c = 0; c < WIDE; c++)
			x[c] = c < n ? *(const NAME(vec) *)(a + i + c * ld) : (NAME(vec)){0};
		for (int p = 0; p < WIDE; p++) {
			x[p] *= inverse[p];
			for (int c = p + 1; c < WIDE; c++)
				x[c] -= x[p] * top[p][c];
		}
		for (int c = 0; c < WIDE && c < n; c++)
			if (m - i >= WIDTH)
				*(NAME(vec) *)(a + i + c * ld) = x[c];
			else
				memcpy(a + i + c * ld, &x[c], sizeof(float) * (m - i));
	}
	return -1;
}

// cholesky factorises the symmetric n x n matrix at the top of the m x n block a, in place (lower triangle), and applies
// the factor's inverse to the rows below: one half of the columns, what it does to the other, and that. Where the matrix
// is not positive definite, *bad is the column. It returns 1, or 0 when it was stopped or ends there.
TARGET static int NAME(cholesky)(int64_t m, int64_t n, float *a, int64_t ld, int64_t *bad, const int32_t *stop)
{
	if (n <= WIDE)
		return (*bad = NAME(narrow)(m, n, a, ld)) < 0;
	int64_t half = (n / 2 + WIDE - 1) / WIDE * WIDE;
	float *rest = a + half + half * ld;
	if (!NAME(cholesky)(m, half, a, ld, bad, stop) || !NAME(act)(m - half, n - half, half, a + half, ld, NULL, rest, ld, stop))
		return 0;
	int done = NAME(cholesky)(m - half, n - half, rest, ld, bad, stop);
	if (*bad >= 0)
		*bad += half;
	return done;
}

#undef INLINE
