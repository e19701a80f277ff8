#include "factor.h"
#include "internal.h"

#include <stdlib.h>

// Single precision halves what a solve reads, and doubles what a register holds.

int hapco_single(hapco_factor *f)
{
	const cholmod_factor *L = f->L;
	if (!f->single)
		f->single = malloc(sizeof(float) * (L->xsize ? L->xsize : 1));
	if (!f->single)
		return HAPCO_NO_MEMORY;
	const double *x = L->x;
	for (size_t i = 0; i < L->xsize; i++)
		f->single[i] = (float)x[i];
	return HAPCO_OK;
}

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

void hapco_mark(const hapco_factor *f, int64_t count, const int64_t *place, unsigned char *mark)
{
	for (int64_t i = 0; i < count; i++)
		for (int64_t t = f->supernode[place[i]]; t >= 0 && !mark[t]; t = f->parent[t])
			mark[t] = 1;
}

void hapco_forward(const hapco_factor *f, float *y, float *work, const unsigned char *mark)
{
	const cholmod_factor *L = f->L;
	const int64_t *super = L->super, *pi = L->pi, *px = L->px, *s = L->s;
	for (int64_t t = 0; t < (int64_t)L->nsuper; t++) {
		if (mark && !mark[t])
			continue;
		int64_t first = super[t], columns = super[t + 1] - first, ld = pi[t + 1] - pi[t], rest = ld - columns;
		const float *a = f->single + px[t];
		const int64_t *row = s + pi[t] + columns;
		float *x = y + first;
		for (int64_t i = 0; i < rest; i++)
			work[i] = 0;
		for (int64_t j = 0; j < columns;) {
			int64_t w = columns - j < 4 ? 1 : 4;
			for (int64_t k = j; k < j + w; k++) {
				x[k] /= a[k * ld + k];
				for (int64_t i = k + 1; i < j + w; i++)
					x[i] -= a[k * ld + i] * x[k];
			}
			int64_t n = columns - j - w;
			float minus[4];
			for (int64_t k = 0; k < w; k++)
				minus[k] = -x[j + k];
			if (w == 4) {
				below4(n, a + j * ld + j + w, ld, minus, x + j + w);
				below4(rest, a + j * ld + columns, ld, minus, work);
			} else {
				below1(n, a + j * ld + j + w, minus[0], x + j + w);
				below1(rest, a + j * ld + columns, minus[0], work);
			}
			j += w;
		}
		for (int64_t i = 0; i < rest; i++)
			y[row[i]] += work[i];
	}
}

void hapco_backward(const hapco_factor *f, float *y, float *work, const unsigned char *mark)
{
	const cholmod_factor *L = f->L;
	const int64_t *super = L->super, *pi = L->pi, *px = L->px, *s = L->s;
	for (int64_t t = (int64_t)L->nsuper - 1; t >= 0; t--) {
		if (mark && !mark[t])
			continue;
		int64_t first = super[t], columns = super[t + 1] - first, ld = pi[t + 1] - pi[t], rest = ld - columns;
		const float *a = f->single + px[t];
		const int64_t *row = s + pi[t] + columns;
		float *x = y + first;
		for (int64_t i = 0; i < rest; i++)
			work[i] = y[row[i]];
		for (int64_t j = columns; j > 0;) {
			int64_t w = j % 4 ? 1 : 4;
			j -= w;
			float sum[4], more[4];
			if (w == 4) {
				above4(columns - j - w, a + j * ld + j + w, ld, x + j + w, sum);
				above4(rest, a + j * ld + columns, ld, work, more);
			} else {
				sum[0] = above1(columns - j - w, a + j * ld + j + w, x + j + w);
				more[0] = above1(rest, a + j * ld + columns, work);
			}
			for (int64_t k = w - 1; k >= 0; k--) {
				float v = x[j + k] - sum[k] - more[k];
				for (int64_t i = k + 1; i < w; i++)
					v -= a[(j + k) * ld + j + i] * x[j + i];
				x[j + k] = v / a[(j + k) * ld + j + k];
			}
		}
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
