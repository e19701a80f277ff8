#include "delassus.h"

#include <string.h>

// One version for processors with AVX2 and FMA and one for all, chosen when the
// program is loaded.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__linux__)
#define CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define CLONES
#endif

typedef double v4 __attribute__((vector_size(32), aligned(8), may_alias));

#define NAME(x) x
#define REAL double
#include "columns.h"
#undef NAME
#undef REAL

#define NAME(x) x##_single
#define REAL float
#include "columns.h"
#undef NAME
#undef REAL

void hapco_gather(const double *c, const float *single, int64_t full, const int32_t *active, int64_t m, double *compact)
{
	if (c)
		gather(c, full, active, m, compact);
	else
		gather_single(single, full, active, m, compact);
}

void hapco_patch_fill(const double *c, const float *single, int64_t full, const int32_t *rows, const int32_t *order,
                      int64_t first, int64_t end, double *patch, int64_t stride)
{
	if (c)
		fill(c, full, rows, order, first, end, patch, stride);
	else
		fill_single(single, full, rows, order, first, end, patch, stride);
}

static inline __attribute__((always_inline)) double sum(v4 x) { return (x[0] + x[1]) + (x[2] + x[3]); }

CLONES void hapco_patch_displace(const double *patch, int64_t stride, int64_t wide, const int32_t *slots, int64_t count,
                                 const double *f, double *u)
{
	for (int64_t i = 0; i < count; i++) {
		const double *x = patch + 3 * (int64_t)slots[i] * stride, *y = x + stride, *z = y + stride;
		v4 a = {0}, b = {0}, c = {0}, d = {0}, e = {0}, g = {0};
		int64_t k = 0;
		for (; k + 8 <= wide; k += 8) {
			v4 p = *(const v4 *)(f + k), q = *(const v4 *)(f + k + 4);
			a += *(const v4 *)(x + k) * p;
			b += *(const v4 *)(y + k) * p;
			c += *(const v4 *)(z + k) * p;
			d += *(const v4 *)(x + k + 4) * q;
			e += *(const v4 *)(y + k + 4) * q;
			g += *(const v4 *)(z + k + 4) * q;
		}
		for (; k < wide; k += 4) {
			v4 p = *(const v4 *)(f + k);
			a += *(const v4 *)(x + k) * p;
			b += *(const v4 *)(y + k) * p;
			c += *(const v4 *)(z + k) * p;
		}
		u[3 * i] = sum(a + d);
		u[3 * i + 1] = sum(b + e);
		u[3 * i + 2] = sum(c + g);
	}
}

// rows: for each column j of the active nodes, scale s F^T sum_k b_k C[k, j] in
// the lanes 0..2.
static inline __attribute__((always_inline)) void link_rows(const double *patch, int64_t stride, const int32_t *active, int64_t m,
                                                            const hapco_link *l, double scale, double *rows)
{
	v4 fx = {l->frame[0], l->frame[3], l->frame[6], 0};
	v4 fy = {l->frame[1], l->frame[4], l->frame[7], 0};
	v4 fz = {l->frame[2], l->frame[5], l->frame[8], 0};
	for (int k = 0; k < l->count; k++) {
		double s = scale * l->sign * l->weight[k];
		v4 gx = s * fx, gy = s * fy, gz = s * fz;
		const double *x = patch + 3 * (int64_t)active[l->slot[k]] * stride, *y = x + stride, *z = y + stride;
		for (int64_t i = 0; i < m; i++) {
			const double *a = x + 3 * (int64_t)active[i], *b = y + (a - x), *c = z + (a - x);
			for (int d = 0; d < 3; d++) {
				v4 *out = (v4 *)(rows + 12 * i + 4 * d), t = a[d] * gx + b[d] * gy + c[d] * gz;
				*out = k > 0 ? (v4)(*out + t) : t;
			}
		}
	}
}

// add3 adds the lanes 0..2.
static inline __attribute__((always_inline)) void add3(double *p, v4 x)
{
	p[0] += x[0];
	p[1] += x[1];
	p[2] += x[2];
}

// By blocks of links e, so that what is written of a row of W lies together.
CLONES void hapco_delassus(const double *patch, int64_t stride, const int32_t *active, int64_t m,
                           const hapco_link *links, int64_t count, double scale, double *w, int64_t n, double *rows)
{
	for (int64_t first = 0; first < count; first += HAPCO_LINKS) {
		int64_t end = first + HAPCO_LINKS < count ? first + HAPCO_LINKS : count;
		for (int64_t e = first; e < end; e++)
			link_rows(patch, stride, active, m, links + e, scale, rows + (e - first) * 12 * m);
		for (int64_t f = 0; f < end; f++) {
			const hapco_link *o = links + f;
			for (int64_t e = f > first ? f : first; e < end; e++) {
				const hapco_link *l = links + e;
				const double *r = rows + (e - first) * 12 * m;
				v4 g0 = {0}, g1 = {0}, g2 = {0};
				for (int k = 0; k < o->count; k++) {
					const double *p = r + 12 * (int64_t)o->slot[k];
					double s = o->sign * o->weight[k];
					g0 += s * *(const v4 *)p;
					g1 += s * *(const v4 *)(p + 4);
					g2 += s * *(const v4 *)(p + 8);
				}
				double *out = w + 3 * (int64_t)o->contact * n + 3 * (int64_t)l->contact;
				v4 b[3];
				for (int d = 0; d < 3; d++) {
					b[d] = g0 * o->frame[3 * d] + g1 * o->frame[3 * d + 1] + g2 * o->frame[3 * d + 2];
					add3(out + d * n, b[d]);
				}
				if (f < e && o->contact == l->contact) // a body that touches itself carries P and Q
					for (int d = 0; d < 3; d++)
						for (int i = 0; i < 3; i++)
							out[i * n + d] += b[d][i];
			}
		}
	}
}

CLONES void hapco_mirror(double *w, int64_t n)
{
	enum { TILE = 32 };
	for (int64_t top = 0; top < n; top += TILE) {
		int64_t bottom = top + TILE < n ? top + TILE : n;
		for (int64_t left = 0; left <= top; left += TILE)
			for (int64_t i = top; i < bottom; i++) {
				int64_t right = left + TILE < i ? left + TILE : i;
				double *row = w + i * n;
				for (int64_t j = left; j < right; j++)
					row[j] = w[j * n + i];
			}
	}
}

CLONES void hapco_turn(double *w, const double *c, const double *frames, int64_t m, double *rows)
{
	int64_t n = 3 * m;
	for (int64_t i = 0; i < m; i++) {
		const double *f = frames + 9 * i, *x = c + 3 * i * n, *y = x + n, *z = y + n;
		for (int d = 0; d < 3; d++)
			for (int64_t j = 3 * i; j < n; j++)
				rows[d * n + j] = f[3 * d] * x[j] + f[3 * d + 1] * y[j] + f[3 * d + 2] * z[j];
		for (int d = 0; d < 3; d++) {
			double *out = w + (3 * i + d) * n, *row = rows + d * n;
			for (int64_t j = i; j < m; j++) {
				const double *g = frames + 9 * j, *r = row + 3 * j;
				for (int e = 0; e < 3; e++)
					out[3 * j + e] = g[3 * e] * r[0] + g[3 * e + 1] * r[1] + g[3 * e + 2] * r[2];
			}
		}
	}
	hapco_mirror(w, n);
}

CLONES void hapco_add_product(double *w, const double *a, const double *b, int64_t n, int64_t k)
{
	for (int64_t i = 0; i < n; i++, w += n)
		for (int64_t c = 0; c < k; c++) {
			double by = a[c * n + i];
			const double *row = b + c * n;
			if (by != 0)
				for (int64_t j = 0; j < n; j++)
					w[j] += by * row[j];
		}
}
