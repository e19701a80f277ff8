// Triangular solves with one supernode for a panel of right-hand sides, stored by rows of HAPCO_PANEL values, the first
// `sides` of which count. Included once for each instruction set and precision with
//   NAME(x)  the name of function x for that set
//   TARGET   its function attribute
//   real     a number
//   WIDTH    numbers in a vector
//   VECTORS  of them that stay in registers, ROWS of L that are with them, FEW where fewer are left
//
// A supernode is a dense trapezoid: L(i,j) = L[i + j*ld], j < columns, i < ld;
// its first `columns` rows are the triangle. row[i] is the panel row of row i.
//
// The inner loop keeps ROWS x VECTORS sums in registers: each entry of L is read
// once for VECTORS*WIDTH right-hand sides, each vector of the panel once for ROWS
// rows. With 4 x 3 sums, 3 vectors and 1 entry AVX2's 16 registers are full.

typedef real NAME(vec) __attribute__((vector_size(WIDTH * sizeof(real)), aligned(sizeof(real)), may_alias));

#define STEP (VECTORS * WIDTH)

// sum[r][v] += sum over k of L[r*lr + k*lk] * x[at(k)], where at(k) is row k of
// the panel when index is NULL, row index[k] otherwise.
TARGET static inline __attribute__((always_inline)) void
NAME(gather)(const real *L, int64_t lr, int64_t lk, int rows, int64_t count, const int64_t *index,
             const real *x, NAME(vec) sum[ROWS][VECTORS])
{
	for (int r = 0; r < rows; r++)
		for (int v = 0; v < VECTORS; v++)
			sum[r][v] = (NAME(vec)){0};
	for (int64_t k = 0; k < count; k++) {
		const real *p = x + (index ? index[k] : k) * HAPCO_PANEL;
		NAME(vec) b[VECTORS];
		for (int v = 0; v < VECTORS; v++)
			b[v] = *(const NAME(vec) *)(p + v * WIDTH);
		for (int r = 0; r < rows; r++) {
			real l = L[r * lr + k * lk];
			for (int v = 0; v < VECTORS; v++)
				sum[r][v] += l * b[v];
		}
	}
}

TARGET static inline __attribute__((always_inline)) void
NAME(subtract)(real *p, const NAME(vec) sum[VECTORS])
{
	for (int v = 0; v < VECTORS; v++)
		*(NAME(vec) *)(p + v * WIDTH) -= sum[v];
}

// forward: x <- L^-1 x on the supernode's own rows, then x(below) -= L(below) x.
TARGET __attribute__((unused)) static void NAME(forward)(const real *L, int64_t ld, int64_t columns, const int64_t *row, real *x, int sides)
{
	real *own = x + row[0] * HAPCO_PANEL;
	NAME(vec) sum[ROWS][VECTORS];
	for (int64_t i = 0; i < ld;) {
		// A block of rows ends with the triangle: below it every row meets all columns.
		int64_t end = i < columns ? columns : ld;
		int rows = end - i < FEW ? 1 : end - i < ROWS ? FEW : ROWS;
		int64_t count = i < columns ? i : columns;
		for (int c = 0; c < sides; c += STEP) {
			if (rows == ROWS)
				NAME(gather)(L + i, 1, ld, ROWS, count, NULL, own + c, sum);
			else if (rows == FEW)
				NAME(gather)(L + i, 1, ld, FEW, count, NULL, own + c, sum);
			else
				NAME(gather)(L + i, 1, ld, 1, count, NULL, own + c, sum);
			for (int r = 0; r < rows; r++)
				NAME(subtract)(x + row[i + r] * HAPCO_PANEL + c, sum[r]);
		}
		if (i < columns)
			for (int64_t a = i; a < i + rows; a++) {
				real *p = own + a * HAPCO_PANEL, inv = 1 / L[a + a * ld];
				for (int64_t k = i; k < a; k++)
					for (int c = 0; c < sides; c++)
						p[c] -= L[a + k * ld] * own[k * HAPCO_PANEL + c];
				for (int c = 0; c < sides; c++)
					p[c] *= inv;
			}
		i += rows;
	}
}

// backward: x <- L^-T (x - L(below)^T x(below)) on the supernode's own rows.
TARGET __attribute__((unused)) static void NAME(backward)(const real *L, int64_t ld, int64_t columns, const int64_t *row, real *x, int sides)
{
	real *own = x + row[0] * HAPCO_PANEL;
	NAME(vec) sum[ROWS][VECTORS];
	for (int64_t end = columns; end > 0;) {
		int rows = end < ROWS ? 1 : ROWS;
		int64_t j = end - rows;
		for (int c = 0; c < sides; c += STEP) {
			if (rows == ROWS)
				NAME(gather)(L + j * ld + end, ld, 1, ROWS, ld - end, row + end, x + c, sum);
			else
				NAME(gather)(L + j * ld + end, ld, 1, 1, ld - end, row + end, x + c, sum);
			for (int r = 0; r < rows; r++)
				NAME(subtract)(own + (j + r) * HAPCO_PANEL + c, sum[r]);
		}
		for (int64_t a = end - 1; a >= j; a--) {
			real *p = own + a * HAPCO_PANEL, inv = 1 / L[a + a * ld];
			for (int64_t k = a + 1; k < end; k++)
				for (int c = 0; c < sides; c++)
					p[c] -= L[k + a * ld] * own[k * HAPCO_PANEL + c];
			for (int c = 0; c < sides; c++)
				p[c] *= inv;
		}
		end = j;
	}
}

#undef STEP
