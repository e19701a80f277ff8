#include "factor.h"
#include "internal.h"

#include <string.h>

// Single precision halves what a solve reads, and doubles what a register holds.

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CLONES
#endif

// below4 adds four columns times x to y, below1 one.
CLONES static void below4(int64_t n, const float *a, int64_t ld, const float *x, float *y)
{
	const float *b = a + ld, *c = b + ld, *d = c + ld;
	float x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3];
	for (int64_t i = 0; i < n; i++)
		y[i] += a[i] * x0 + b[i] * x1 + c[i] * x2 + d[i] * x3;
}

CLONES static void below1(int64_t n, const float *a, float x, float *y)
{
	for (int64_t i = 0; i < n; i++)
		y[i] += a[i] * x;
}

CLONES static void above4(int64_t n, const float *a, int64_t ld, const float *y, float *out)
{
	const float *b = a + ld, *c = b + ld, *d = c + ld;
	float s[4][16] = {{0}};
	int64_t i = 0;
	for (; i + 16 <= n; i += 16)
		for (int l = 0; l < 16; l++) {
			float v = y[i + l];
			s[0][l] += a[i + l] * v;
			s[1][l] += b[i + l] * v;
			s[2][l] += c[i + l] * v;
			s[3][l] += d[i + l] * v;
		}
	for (int k = 0; k < 4; k++)
		out[k] = 0;
	for (int k = 0; k < 4; k++)
		for (int l = 0; l < 16; l++)
			out[k] += s[k][l];
	for (; i < n; i++) {
		out[0] += a[i] * y[i];
		out[1] += b[i] * y[i];
		out[2] += c[i] * y[i];
		out[3] += d[i] * y[i];
	}
}

static float above1(int64_t n, const float *a, const float *y)
{
	float s = 0;
	for (int64_t i = 0; i < n; i++)
		s += a[i] * y[i];
	return s;
}

void hapco_forward(const hapco_factor *f, float *y, float *work)
{
	const cholmod_factor *L = f->L;
	const int64_t *super = L->super, *pi = L->pi, *px = L->px, *s = L->s;
	for (int64_t t = 0; t < (int64_t)L->nsuper; t++) {
		int64_t first = super[t], columns = super[t + 1] - first, ld = pi[t + 1] - pi[t];
		const float *a = f->single + px[t];
		const int64_t *row = s + pi[t];
		memcpy(work, y + first, sizeof(float) * columns);
		memset(work + columns, 0, sizeof(float) * (ld - columns));
		for (int64_t j = 0; j < columns;) {
			int64_t w = columns - j < 4 ? 1 : 4;
			float minus[4];
			for (int64_t k = j; k < j + w; k++) {
				work[k] /= a[k * ld + k];
				for (int64_t i = k + 1; i < j + w; i++)
					work[i] -= a[k * ld + i] * work[k];
				minus[k - j] = -work[k];
			}
			if (w == 4)
				below4(ld - j - w, a + j * ld + j + w, ld, minus, work + j + w);
			else
				below1(ld - j - w, a + j * ld + j + w, minus[0], work + j + w);
			j += w;
		}
		memcpy(y + first, work, sizeof(float) * columns);
		for (int64_t i = columns; i < ld; i++)
			y[row[i]] += work[i];
	}
}

void hapco_backward(const hapco_factor *f, float *y, float *work)
{
	const cholmod_factor *L = f->L;
	const int64_t *super = L->super, *pi = L->pi, *px = L->px, *s = L->s;
	for (int64_t t = (int64_t)L->nsuper - 1; t >= 0; t--) {
		int64_t first = super[t], columns = super[t + 1] - first, ld = pi[t + 1] - pi[t];
		const float *a = f->single + px[t];
		const int64_t *row = s + pi[t];
		memcpy(work, y + first, sizeof(float) * columns);
		for (int64_t i = columns; i < ld; i++)
			work[i] = y[row[i]];
		for (int64_t j = columns; j > 0;) {
			int64_t w = j % 4 ? 1 : 4;
			j -= w;
			float sum[4];
			if (w == 4)
				above4(ld - j - w, a + j * ld + j + w, ld, work + j + w, sum);
			else
				sum[0] = above1(ld - j - w, a + j * ld + j + w, work + j + w);
			for (int64_t k = w - 1; k >= 0; k--) {
				float v = work[j + k] - sum[k];
				for (int64_t i = k + 1; i < w; i++)
					v -= a[(j + k) * ld + j + i] * work[j + i];
				work[j + k] = v / a[(j + k) * ld + j + k];
			}
		}
		memcpy(y + first, work, sizeof(float) * columns);
	}
}

int64_t hapco_tallest(const hapco_factor *f)
{
	const cholmod_factor *L = f->L;
	const int64_t *pi = L->pi;
	int64_t most = 1;
	for (size_t t = 0; t < L->nsuper; t++)
		if (pi[t + 1] - pi[t] > most)
			most = pi[t + 1] - pi[t];
	return most;
}

int64_t hapco_path(const hapco_factor *f, int64_t place, int64_t *path, int64_t *size)
{
	const int64_t *super = f->L->super;
	int64_t steps = 0;
	*size = 0;
	for (int64_t t = f->supernode[place]; t >= 0; t = f->parent[t], steps++) {
		if (path)
			path[steps] = t;
		*size += super[t + 1] - super[t];
	}
	return steps;
}

void hapco_take_path(const hapco_factor *f, int64_t steps, const int64_t *path, const float *y, float *z)
{
	const int64_t *super = f->L->super;
	for (int c = 0; c < 3; c++, y += f->L->n)
		for (int64_t k = 0; k < steps; k++) {
			int64_t width = super[path[k] + 1] - super[path[k]];
			memcpy(z, y + super[path[k]], sizeof(float) * width);
			z += width;
		}
}

int64_t hapco_columns(const hapco_factor *f, int64_t t)
{
	const int64_t *super = f->L->super;
	return super[t + 1] - super[t];
}

extern void sgemm_(const char *, const char *, const int *m, const int *n, const int *k, const float *alpha, const float *a, const int *lda,
                   const float *b, const int *ldb, const float *beta, float *c, const int *ldc, size_t, size_t);
extern void strsm_(const char *, const char *, const char *, const char *, const int *m, const int *n, const float *alpha,
                   const float *a, const int *lda, float *b, const int *ldb, size_t, size_t, size_t, size_t);

void hapco_halves(const hapco_factor *f, int columns, const int64_t *place, float *y, float *work, unsigned char *mark)
{
	const cholmod_factor *L = f->L;
	const int64_t *super = L->super, *pi = L->pi, *px = L->px, *s = L->s, n = L->n, tallest = hapco_tallest(f);
	int64_t begin = L->nsuper;
	for (int c = 0; c < columns; c++)
		for (int64_t t = f->supernode[place[c]]; t >= 0 && !mark[t]; t = f->parent[t]) {
			mark[t] = 1;
			begin = t < begin ? t : begin;
			for (int k = 0; k < columns; k++)
				memset(y + k * n + super[t], 0, sizeof(float) * (super[t + 1] - super[t]));
		}
	for (int c = 0; c < columns; c++)
		y[c * n + place[c]] = 1;
	for (int64_t t = begin; t < (int64_t)L->nsuper; t++) {
		if (!mark[t])
			continue;
		mark[t] = 0;
		int width = super[t + 1] - super[t], ld = pi[t + 1] - pi[t], rest = ld - width, ly = n, lw = tallest;
		const float *a = f->single + px[t], one = 1, minus = -1, zero = 0;
		const int64_t *row = s + pi[t] + width;
		strsm_("L", "L", "N", "N", &width, &columns, &one, a, &ld, y + super[t], &ly, 1, 1, 1, 1);
		if (rest == 0)
			continue;
		sgemm_("N", "N", &rest, &columns, &width, &minus, a + width, &ld, y + super[t], &ly, &zero, work, &lw, 1, 1);
		for (int c = 0; c < columns; c++)
			for (int64_t i = 0; i < rest; i++)
				y[c * n + row[i]] += work[c * tallest + i];
	}
}

CLONES void hapco_across(const float *a, int64_t size_a, const float *b, int64_t size_b, int64_t common, float *out)
{
	for (int r = 0; r < 3; r++) {
		const float *p = a + (r + 1) * size_a - common;
		const float *q0 = b + size_b - common, *q1 = q0 + size_b, *q2 = q1 + size_b;
		float s[3][16] = {{0}};
		int64_t i = 0;
		for (; i + 16 <= common; i += 16)
			for (int l = 0; l < 16; l++) {
				s[0][l] += p[i + l] * q0[i + l];
				s[1][l] += p[i + l] * q1[i + l];
				s[2][l] += p[i + l] * q2[i + l];
			}
		float *to = out + 3 * r;
		to[0] = to[1] = to[2] = 0;
		for (int l = 0; l < 16; l++)
			for (int c = 0; c < 3; c++)
				to[c] += s[c][l];
		for (; i < common; i++) {
			to[0] += p[i] * q0[i];
			to[1] += p[i] * q1[i];
			to[2] += p[i] * q2[i];
		}
	}
}

CLONES void hapco_half_dot(const hapco_factor *f, int64_t steps, const int64_t *path, int64_t size, const float *z, const float *y, float *out)
{
	const int64_t *super = f->L->super;
	float s[3][16] = {{0}};
	out[0] = out[1] = out[2] = 0;
	int64_t at = 0;
	for (int64_t k = 0; k < steps; k++) {
		int64_t n = super[path[k] + 1] - super[path[k]], i = 0;
		const float *v = y + super[path[k]], *a = z + at, *b = a + size, *c = b + size;
		for (; i + 16 <= n; i += 16)
			for (int l = 0; l < 16; l++) {
				s[0][l] += a[i + l] * v[i + l];
				s[1][l] += b[i + l] * v[i + l];
				s[2][l] += c[i + l] * v[i + l];
			}
		for (; i < n; i++) {
			out[0] += a[i] * v[i];
			out[1] += b[i] * v[i];
			out[2] += c[i] * v[i];
		}
		at += n;
	}
	for (int l = 0; l < 16; l++)
		for (int c = 0; c < 3; c++)
			out[c] += s[c][l];
}

CLONES void hapco_half_add(const hapco_factor *f, int64_t steps, const int64_t *path, int64_t size, const float *z, const float *by, float *y)
{
	const int64_t *super = f->L->super;
	for (int64_t k = 0; k < steps; k++) {
		int64_t n = super[path[k] + 1] - super[path[k]];
		float *v = y + super[path[k]];
		for (int64_t i = 0; i < n; i++)
			v[i] += by[0] * z[i] + by[1] * z[size + i] + by[2] * z[2 * size + i];
		z += n;
	}
}
