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

// The product of the first `wide` rows and columns with f, by what lies right of the diagonal: half is read, once.
static inline __attribute__((always_inline)) void front(const double *patch, int64_t stride, int64_t wide, const double *f, double *u)
{
	memset(u, 0, wide * sizeof(double));
	for (int64_t s = 0; s + 3 <= wide; s += 3) {
		const double *x = patch + s * stride, *y = x + stride, *z = y + stride;
		double fx = f[s], fy = f[s + 1], fz = f[s + 2];
		double sx = x[s] * fx, sy = y[s] * fx, sz = z[s] * fx;
		int64_t k = s + 1;
		for (; k < s + 3 || (k < wide && k & 3); k++) {
			sx += x[k] * f[k];
			sy += y[k] * f[k];
			sz += z[k] * f[k];
			if (k >= s + 3)
				u[k] += x[k] * fx + y[k] * fy + z[k] * fz;
		}
		v4 a = {0}, b = {0}, c = {0};
		for (; k < wide; k += 4) {
			v4 p = *(const v4 *)(f + k), d = *(const v4 *)(x + k), e = *(const v4 *)(y + k), g = *(const v4 *)(z + k);
			a += d * p;
			b += e * p;
			c += g * p;
			*(v4 *)(u + k) += d * fx + e * fy + g * fz;
		}
		u[s] += sx + sum(a);
		u[s + 1] += sy + sum(b);
		u[s + 2] += sz + sum(c);
	}
}

CLONES void hapco_patch_displace(const double *patch, int64_t stride, int64_t wide, const int32_t *slots, int64_t count,
                                 const double *f, double *u, double *all)
{
	int many = 6 * count > wide; // else rows of their own are less to read
	if (many)
		front(patch, stride, wide, f, all);
	for (int64_t i = 0; i < count; i++) {
		if (many && 3 * (int64_t)slots[i] + 3 <= wide) {
			memcpy(u + 3 * i, all + 3 * (int64_t)slots[i], 3 * sizeof(double));
			continue;
		}
		const double *x = patch + 3 * (int64_t)slots[i] * stride, *y = x + stride, *z = y + stride;
		v4 a = {0}, b = {0}, c = {0};
		for (int64_t k = 0; k < wide; k += 4) {
			v4 p = *(const v4 *)(f + k);
			a += *(const v4 *)(x + k) * p;
			b += *(const v4 *)(y + k) * p;
			c += *(const v4 *)(z + k) * p;
		}
		u[3 * i] = sum(a);
		u[3 * i + 1] = sum(b);
		u[3 * i + 2] = sum(c);
	}
}

// How many nodes stand in a piece of t that the processor's first cache holds.
enum { NODES = 32 };

// Adds scale s F sum_k b_k C[k, i], a contact's rows of H K^-1, as three columns of t, or makes them that: three rows a
// node i, ld numbers to each.
static inline __attribute__((always_inline)) void link_columns(const double *patch, int64_t stride, const int32_t *active, int64_t from, int64_t m,
                                                               const hapco_link *l, int count, double scale, double *t, int64_t ld, int more)
{
	const double *f = l->frame;
	v4 fx = {f[0], f[3], f[6], 0}, fy = {f[1], f[4], f[7], 0}, fz = {f[2], f[5], f[8], 0};
	double s[3];
	const double *x[3];
	for (int k = 0; k < count; k++) {
		s[k] = scale * l->sign * l->weight[k];
		x[k] = patch + 3 * (int64_t)active[l->slot[k]] * stride;
	}
	for (int64_t i = from; i < from + m; i++, t += 3 * ld) {
		v4 g[3];
		for (int d = 0; d < 3; d++) {
			g[d] = s[0] * *(const v4 *)(x[0] + d * stride + 3 * (int64_t)active[i]);
			for (int k = 1; k < count; k++)
				g[d] += s[k] * *(const v4 *)(x[k] + d * stride + 3 * (int64_t)active[i]);
		}
		for (int j = 0; j < 3; j++) {
			v4 *out = (v4 *)(t + j * ld), sum = g[0][j] * fx + g[1][j] * fy + g[2][j] * fz;
			*out = more ? (v4)(*out + sum) : sum;
		}
	}
}

// Adds s F sum_k b_k t[k, :], the rows of one link, to w.
static inline __attribute__((always_inline)) void add_rows(const double *t, int64_t ld, int64_t wide, const hapco_link *l, int count,
                                                           double *w, int64_t n)
{
	double s[3];
	const double *x[3], *f = l->frame;
	for (int k = 0; k < count; k++) {
		s[k] = l->sign * l->weight[k];
		x[k] = t + 3 * (int64_t)l->slot[k] * ld;
	}
	int64_t c = 0;
	for (; c + 4 <= wide; c += 4) {
		v4 g[3];
		for (int d = 0; d < 3; d++) {
			g[d] = s[0] * *(const v4 *)(x[0] + d * ld + c);
			for (int k = 1; k < count; k++)
				g[d] += s[k] * *(const v4 *)(x[k] + d * ld + c);
		}
		for (int d = 0; d < 3; d++)
			*(v4 *)(w + d * n + c) += f[3 * d] * g[0] + f[3 * d + 1] * g[1] + f[3 * d + 2] * g[2];
	}
	for (; c < wide; c++) {
		double g[3] = {0};
		for (int d = 0; d < 3; d++)
			for (int k = 0; k < count; k++)
				g[d] += s[k] * x[k][d * ld + c];
		for (int d = 0; d < 3; d++)
			w[d * n + c] += f[3 * d] * g[0] + f[3 * d + 1] * g[1] + f[3 * d + 2] * g[2];
	}
}

// What lies above the diagonal in the columns of w from `from` to before `to` becomes 0.
static inline __attribute__((always_inline)) void zero(double *w, int64_t n, int64_t from, int64_t to)
{
	for (int64_t i = 0; i < to; i++) {
		int64_t at = i < from ? from : i / 3 * 3;
		memset(w + i * n + at, 0, (to - at) * sizeof(double));
	}
}

// The rows of w from `from` to before `to` get left of the diagonal what lies above it, four by four numbers at a time.
static inline __attribute__((always_inline)) void mirror(double *w, int64_t n, int64_t from, int64_t to)
{
	for (int64_t top = from; top < to; top += 4) {
		int64_t bottom = top + 4 < to ? top + 4 : to, left = 0;
		for (; top + 4 <= to && left + 4 <= top; left += 4) {
			const double *in = w + left * n + top;
			double *out = w + top * n + left;
			v4 a = *(const v4 *)in, b = *(const v4 *)(in + n), c = *(const v4 *)(in + 2 * n), d = *(const v4 *)(in + 3 * n);
			for (int k = 0; k < 4; k++)
				*(v4 *)(out + k * n) = (v4){a[k], b[k], c[k], d[k]};
		}
		for (int64_t i = top; i < bottom; i++)
			for (int64_t j = left; j < i; j++)
				w[i * n + j] = w[j * n + i];
	}
}

// By blocks of contacts that follow each other: t = K^-1 H^T for these, at the nodes of all links up to them, of which
// their columns of W are made. What no link gives anything to follows with the next block.
CLONES void hapco_delassus(const double *patch, int64_t stride, const int32_t *active,
                           const hapco_link *links, int64_t count, double scale, double *w, int64_t n, double *t,
                           bool anew, bool whole)
{
	enum { ld = 3 * HAPCO_LINKS + 4 };
	int64_t nodes = 0, done = 0;
	for (int64_t first = 0, end; first < count; first = end) {
		const hapco_link *head = links + first;
		for (end = first; end < count && links[end].contact - head->contact < HAPCO_LINKS; end++) {
			if (end > first && links[end].contact - links[end - 1].contact > 1)
				break;
			for (int k = 0; k < links[end].count; k++)
				if (nodes <= links[end].slot[k])
					nodes = links[end].slot[k] + 1;
		}
		for (int64_t i = 0; i < nodes; i += NODES)
			for (const hapco_link *l = head; l < links + end; l++) {
				int64_t m = nodes - i < NODES ? nodes - i : NODES;
				double *at = t + 3 * i * ld + 3 * (l->contact - head->contact);
				int more = l > head && l->contact == l[-1].contact; // a body that touches itself carries P and Q
				if (l->count == 3)
					link_columns(patch, stride, active, i, m, l, 3, scale, at, ld, more);
				else if (l->count == 2)
					link_columns(patch, stride, active, i, m, l, 2, scale, at, ld, more);
				else
					link_columns(patch, stride, active, i, m, l, 1, scale, at, ld, more);
			}
		int64_t to = 3 * (links[end - 1].contact + 1), wide = to - 3 * head->contact;
		if (anew)
			zero(w, n, done, to);
		for (const hapco_link *l = links; l < links + end; l++) {
			int64_t at = l->contact > head->contact ? 3 * (l->contact - head->contact) : 0;
			double *out = w + 3 * l->contact * n + 3 * head->contact + at;
			if (l->count == 3)
				add_rows(t + at, ld, wide - at, l, 3, out, n);
			else if (l->count == 2)
				add_rows(t + at, ld, wide - at, l, 2, out, n);
			else
				add_rows(t + at, ld, wide - at, l, 1, out, n);
		}
		if (whole)
			mirror(w, n, done, to);
		done = to;
	}
	if (anew)
		zero(w, n, done, n);
	if (whole)
		mirror(w, n, done, n);
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
	mirror(w, n, 0, n);
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
