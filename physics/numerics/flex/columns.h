// The kernels of delassus.c over one kind of storage. Included once for each with
//   NAME(x)  the name of function x
//   REAL     the type that the compliance is stored in; sums are double throughout

// Gathers C[active, active] into contiguous rows.
static void NAME(gather)(const REAL *c, int64_t full, const int32_t *active, int64_t m, double *compact)
{
	for (int64_t i = 0; i < m; i++)
		for (int d = 0; d < 3; d++) {
			const REAL *from = c + (3 * (int64_t)active[i] + d) * full;
			double *to = compact + (3 * i + d) * 3 * m;
			for (int64_t j = 0; j < m; j++) {
				const REAL *p = from + 3 * (int64_t)active[j];
				to[3 * j] = p[0];
				to[3 * j + 1] = p[1];
				to[3 * j + 2] = p[2];
			}
		}
}

// Fills the rows and the columns of a patch's slots from first on. C is symmetric: what lies
// far apart in it is read once, and in the order in which it lies there.
static void NAME(fill)(const REAL *c, int64_t full, const int32_t *rows, const int32_t *order, int64_t first, int64_t end,
                       double *patch, int64_t stride)
{
	for (int64_t i = 3 * first; i < 3 * end; i++) {
		const REAL *from = c + (3 * (int64_t)rows[i / 3] + i % 3) * full;
		double *to = patch + i * stride;
		for (int64_t n = 0; n < end; n++) {
			int64_t j = order[n];
			if (j > i / 3)
				continue;
			const REAL *p = from + 3 * (int64_t)rows[j];
			to[3 * j] = p[0];
			to[3 * j + 1] = p[1];
			to[3 * j + 2] = p[2];
		}
	}
	// A few rows at a time: each is on a page of memory of its own.
	for (int64_t i = 0; i < end; i += 3)
		for (int64_t j = 3 * (i > first ? i : first); j < 3 * end; j++)
			for (int64_t k = 3 * i; k < 3 * i + 9 && k < j; k++)
				patch[k * stride + j] = patch[j * stride + k];
}

CLONES void NAME(hapco_displace)(const REAL *c, int64_t full, const int32_t *nodes, int64_t m,
                                 const double *f, double *u)
{
	for (int64_t i = 0; i < m; i++) {
		const REAL *x = c + 3 * (int64_t)nodes[i] * full, *y = x + full, *z = y + full;
		double fx = f[3 * i], fy = f[3 * i + 1], fz = f[3 * i + 2];
		for (int64_t k = 0; k < full; k++)
			u[k] += x[k] * fx + y[k] * fy + z[k] * fz;
	}
}

// Under few forces the same numbers come from their columns, which are rows of C, too:
// these stay in the processor's cache from one step to the next.
#define FEW 12

// Nine sums: with three, each would wait for the one before.
CLONES void NAME(hapco_displace_at)(const REAL *c, int64_t full, const int32_t *want, int64_t wants,
                                    const int32_t *nodes, int64_t m, const double *f, double *u)
{
	int few = m <= FEW;
	for (int64_t i = 0; i < wants; i++) {
		const REAL *x = c + 3 * (int64_t)want[i] * full, *y = x + full, *z = y + full;
		double s[9] = {0};
		for (int64_t k = 0; k < m; k++) {
			int64_t at = 3 * (int64_t)nodes[k];
			const REAL *col = c + at * full + 3 * (int64_t)want[i];
			double e[9]; // the same numbers either way
			for (int d = 0; d < 3; d++) {
				e[d] = few ? col[d * full] : x[at + d];
				e[3 + d] = few ? col[d * full + 1] : y[at + d];
				e[6 + d] = few ? col[d * full + 2] : z[at + d];
			}
			for (int d = 0; d < 3; d++) {
				double g = f[3 * k + d];
				s[d] += e[d] * g;
				s[3 + d] += e[3 + d] * g;
				s[6 + d] += e[6 + d] * g;
			}
		}
		for (int d = 0; d < 3; d++)
			u[3 * i + d] = s[3 * d] + s[3 * d + 1] + s[3 * d + 2];
	}
}

#undef FEW
