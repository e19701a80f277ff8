#include "dense.h"
#include "factor.h"
#include "internal.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

// Single precision halves what a solve reads, and doubles what a register holds.

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CLONES
#endif

// Both halves of a solve read the whole factor once, and take as long as that. So they have
// a copy of it, in the order in which they read it, in two bytes a number: a whole one, in
// units of 1/32767 of the largest in its column. A panel is four columns of a supernode, or its
// last fewer. Of each there is its head, which is the inverse of the triangle at its top and the
// units of its columns, and the rows below it in groups.
enum { PANEL = 4, GROUP = HAPCO_GROUP, HEAD = PANEL * PANEL + PANEL };

static int64_t panels(int64_t columns) { return (columns + PANEL - 1) / PANEL; }

static int64_t groups(int64_t rows) { return (rows + GROUP - 1) / GROUP; }

// unit of n numbers as whole ones of two bytes; 0 where all are 0. Sizes of floats are in the order of their bits.
CLONES static float unit(const float *a, int64_t n)
{
	uint32_t most = 0;
	for (int64_t i = 0; i < n; i++) {
		uint32_t u;
		memcpy(&u, a + i, sizeof u);
		u &= 0x7fffffff;
		most = u > most ? u : most;
	}
	float size;
	memcpy(&size, &most, sizeof size);
	return size / 32767;
}

// whole writes n numbers in that unit, and zeros up to a group.
CLONES static void whole(const float *restrict a, int64_t n, float in, int16_t *restrict to)
{
	for (int64_t l = 0; l < n; l++)
		to[l] = (int32_t)(in * a[l] + (a[l] < 0 ? -0.5f : 0.5f));
	for (int64_t l = n; l < GROUP; l++)
		to[l] = 0;
}

// large is malloc, in large pages where it is much: what is read from end to end is fetched ahead within a page.
static void *large(size_t bytes)
{
#ifdef __linux__
	enum { PAGE = 1 << 21 };
	void *p;
	if (bytes > PAGE)
		return posix_memalign(&p, PAGE, bytes) || (madvise(p, bytes, MADV_HUGEPAGE), 0) ? NULL : p;
#endif
	return malloc(bytes);
}

int hapco_pack(hapco_factor *f)
{
	const cholmod_factor *L = f->L;
	const int64_t *super = L->super, *pi = L->pi, *px = L->px;
	if (!f->packed) {
		f->numbers = f->headed = 0;
		for (int64_t t = 0; t < (int64_t)L->nsuper; t++) {
			int64_t columns = super[t + 1] - super[t], ld = pi[t + 1] - pi[t];
			f->headed += HEAD * panels(columns);
			for (int64_t j = 0; j < columns; j += PANEL)
				f->numbers += PANEL * GROUP * groups(ld - (columns - j < PANEL ? columns : j + PANEL));
		}
		f->packed = large(sizeof(int16_t) * (f->numbers + 1));
		f->heads = malloc(sizeof(float) * (f->headed + 1));
		if (!f->packed || !f->heads) {
			free(f->packed);
			free(f->heads);
			f->packed = NULL;
			f->heads = NULL;
			return HAPCO_NO_MEMORY;
		}
	}
	int16_t *to = f->packed;
	float *top = f->heads;
	for (int64_t t = 0; t < (int64_t)L->nsuper; t++) {
		int64_t columns = super[t + 1] - super[t], ld = pi[t + 1] - pi[t];
		const float *a = f->single + px[t];
		for (int64_t j = 0; j < columns; j += PANEL, top += HEAD) {
			int64_t w = columns - j < PANEL ? columns - j : PANEL;
			float *units = top + PANEL * PANEL, in[PANEL];
			memset(top, 0, sizeof(float) * HEAD);
			for (int64_t k = 0; k < w; k++) {
				units[k] = unit(a + (j + k) * ld + j + w, ld - j - w);
				in[k] = units[k] > FLT_MIN ? 1 / units[k] : 0;
			}
			for (int64_t c = 0; c < w; c++) // by columns
				for (int64_t r = c; r < w; r++) {
					float v = r == c;
					for (int64_t i = c; i < r; i++)
						v -= a[(j + i) * ld + j + r] * top[PANEL * c + i];
					top[PANEL * c + r] = v / a[(j + r) * ld + j + r];
				}
			for (int64_t i = j + w; i < ld; i += GROUP)
				for (int64_t k = 0; k < PANEL; k++, to += GROUP)
					whole(a + (j + k) * ld + i, k >= w ? 0 : ld - i < GROUP ? ld - i : GROUP, in[k], to);
		}
	}
	return HAPCO_OK;
}

CLONES static const int16_t *below(int64_t n, const int16_t *restrict a, const float *restrict x, const float *units, float *restrict y)
{
	float x0 = units[0] * x[0], x1 = units[1] * x[1], x2 = units[2] * x[2], x3 = units[3] * x[3];
	for (int64_t i = 0; i < n; i += GROUP, a += PANEL * GROUP)
		for (int l = 0; l < GROUP; l++)
			y[i + l] -= a[l] * x0 + a[GROUP + l] * x1 + a[2 * GROUP + l] * x2 + a[3 * GROUP + l] * x3;
	return a;
}

// above goes downwards from the end of its rows, a and out of memory that comes before: so the
// processor fetches ahead, in half the time.
CLONES static const int16_t *above(int64_t n, const int16_t *restrict a, const float *restrict y, const float *units, float *restrict out)
{
	float s[PANEL][GROUP] = {{0}};
	for (int64_t i = GROUP * (groups(n) - 1); i >= 0; i -= GROUP) {
		a -= PANEL * GROUP;
		for (int l = 0; l < GROUP; l++) {
			s[0][l] += a[l] * y[i + l];
			s[1][l] += a[GROUP + l] * y[i + l];
			s[2][l] += a[2 * GROUP + l] * y[i + l];
			s[3][l] += a[3 * GROUP + l] * y[i + l];
		}
	}
	for (int k = 0; k < PANEL; k++) {
		out[k] = 0;
		for (int l = 0; l < GROUP; l++)
			out[k] += s[k][l];
		out[k] *= units[k];
	}
	return a;
}

void hapco_forward(const hapco_factor *f, float *y, float *work)
{
	const cholmod_factor *L = f->L;
	const int64_t *super = L->super, *pi = L->pi, *s = L->s;
	const int16_t *a = f->packed;
	for (size_t k = 0; k < L->n; k++)
		y[k] *= f->scale[k];
	const float *top = f->heads;
	for (int64_t t = 0; t < (int64_t)L->nsuper; t++) {
		int64_t first = super[t], columns = super[t + 1] - first, ld = pi[t + 1] - pi[t];
		const int64_t *row = s + pi[t];
		memcpy(work, y + first, sizeof(float) * columns);
		memset(work + columns, 0, sizeof(float) * (ld - columns + GROUP));
		for (int64_t j = 0; j < columns; j += PANEL, top += HEAD) {
			int64_t w = columns - j < PANEL ? columns - j : PANEL;
			float x[PANEL] = {0};
			for (int64_t c = 0; c < w; c++)
				for (int64_t r = c; r < w; r++)
					x[r] += top[PANEL * c + r] * work[j + c];
			memcpy(work + j, x, sizeof(float) * w);
			a = below(ld - j - w, a, x, top + PANEL * PANEL, work + j + w);
		}
		memcpy(y + first, work, sizeof(float) * columns);
		for (int64_t i = columns; i < ld; i++)
			y[row[i]] += work[i];
	}
}

void hapco_backward(const hapco_factor *f, float *y, float *work)
{
	const cholmod_factor *L = f->L;
	const int64_t *super = L->super, *pi = L->pi, *s = L->s;
	const int16_t *a = f->packed + f->numbers;
	const float *top = f->heads + f->headed;
	for (int64_t t = (int64_t)L->nsuper - 1; t >= 0; t--) {
		int64_t first = super[t], columns = super[t + 1] - first, ld = pi[t + 1] - pi[t];
		const int64_t *row = s + pi[t];
		memcpy(work, y + first, sizeof(float) * columns);
		for (int64_t i = columns; i < ld; i++)
			work[i] = y[row[i]];
		memset(work + ld, 0, sizeof(float) * GROUP);
		for (int64_t end = columns; end > 0;) {
			int64_t w = end % PANEL ? end % PANEL : PANEL;
			float sum[PANEL];
			top -= HEAD;
			a = above(ld - end, a, work + end, top + PANEL * PANEL, sum);
			end -= w;
			float x[PANEL] = {0};
			for (int64_t c = 0; c < w; c++)
				for (int64_t r = c; r < w; r++)
					x[c] += top[PANEL * c + r] * (work[end + r] - sum[r]);
			memcpy(work + end, x, sizeof(float) * w);
		}
		memcpy(y + first, work, sizeof(float) * columns);
	}
	for (size_t k = 0; k < L->n; k++)
		y[k] *= f->scale[k];
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
	for (int c = 0; c < 3; c++)
		for (int64_t k = 0; k < steps; k++)
			for (int64_t i = super[path[k]]; i < super[path[k] + 1]; i++)
				*z++ = y[i * HAPCO_PANEL + c];
}

int64_t hapco_columns(const hapco_factor *f, int64_t t)
{
	const int64_t *super = f->L->super;
	return super[t + 1] - super[t];
}

void hapco_halves(const hapco_factor *f, int columns, const int64_t *place, float *y, unsigned char *mark)
{
	const cholmod_factor *L = f->L;
	const int64_t *super = L->super, *pi = L->pi, *px = L->px, *s = L->s;
	int64_t begin = L->nsuper;
	for (int c = 0; c < columns; c++)
		for (int64_t t = f->supernode[place[c]]; t >= 0 && !mark[t]; t = f->parent[t]) {
			mark[t] = 1;
			begin = t < begin ? t : begin;
			memset(y + super[t] * HAPCO_PANEL, 0, sizeof(float) * HAPCO_PANEL * (super[t + 1] - super[t]));
		}
	for (int c = 0; c < columns; c++)
		y[place[c] * HAPCO_PANEL + c] = f->scale[place[c]];
	for (int64_t t = begin; t < (int64_t)L->nsuper; t++) {
		if (!mark[t])
			continue;
		mark[t] = 0;
		hapco_down_single(pi[t + 1] - pi[t], super[t + 1] - super[t], f->single + px[t], s + pi[t], y, columns);
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
