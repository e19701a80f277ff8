#include "factor.h"
#include "dense.h"
#include "internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/cholmod.h>

static int fill_tree(hapco_factor *f)
{
	const cholmod_factor *L = f->L;
	const int64_t *super = L->super, *pi = L->pi, *s = L->s;
	f->supernode = malloc(sizeof(int64_t) * (L->n ? L->n : 1));
	f->parent = malloc(sizeof(int64_t) * (L->nsuper ? L->nsuper : 1));
	if (!f->supernode || !f->parent) {
		free(f->supernode);
		free(f->parent);
		f->supernode = f->parent = NULL;
		return 0;
	}
	for (size_t k = 0; k < L->nsuper; k++)
		for (int64_t j = super[k]; j < super[k + 1]; j++)
			f->supernode[j] = k;
	for (size_t k = 0; k < L->nsuper; k++) {
		int64_t columns = super[k + 1] - super[k], rows = pi[k + 1] - pi[k];
		// The first row below the diagonal block leads to the parent.
		f->parent[k] = rows > columns ? f->supernode[s[pi[k] + columns]] : -1;
	}
	return 1;
}

// node_pattern is the graph of the nodes of A, whose unknowns come in threes: a
// third of the rows to order. Only the pattern is filled. NULL without memory.
static cholmod_sparse *node_pattern(const cholmod_sparse *A, cholmod_common *c)
{
	const int64_t *p = A->p, *i = A->i, n = A->ncol / 3;
	cholmod_sparse *G = cholmod_l_allocate_sparse(n, n, p[A->ncol] / 3 + n, 1, 1, 1, CHOLMOD_PATTERN, c);
	if (!G)
		return NULL;
	int64_t *gp = G->p, *gi = G->i, used = 0;
	for (int64_t j = 0; j < n; j++) {
		gp[j] = used;
		int64_t last = -1;
		// the last of three columns has all rows of the upper triangle, sorted
		for (int64_t k = p[3 * j + 2]; k < p[3 * j + 3]; k++)
			if (i[k] / 3 != last)
				gi[used++] = last = i[k] / 3;
	}
	gp[n] = used;
	return G;
}

// order chooses an elimination order of the unknowns: nested dissection or
// minimum degree of the nodes, those of late moved to the end. What is eliminated
// late is what columns of the inverse there do not have to pass through. Without
// late the matrix is one that changes again and again: then it pays to try all
// orders for the one that fills least. CHOLMOD's own choice, made on the graph of
// the nodes, gives a cube of 15^3 nodes 2.8 times the operations.
static int64_t *order(const cholmod_sparse *A, const unsigned char *late, cholmod_common *c)
{
	int64_t n = A->ncol / 3, *perm = malloc(sizeof(int64_t) * 3 * (n + 1));
	cholmod_sparse *G = node_pattern(A, c);
	if (!late)
		c->nmethods = 4; // of its table: a given one, AMD, METIS, its own nested dissection
	cholmod_factor *S = G ? cholmod_l_analyze(G, c) : NULL;
	if (S && perm) {
		const int64_t *nodes = S->Perm;
		double count = 0;
		for (int64_t k = 0; late && k < n; k++)
			count += late[k];
		// What follows costs 2/3 t^3 operations for t late unknowns (hapco_tail),
		// else, one by one, about two passes through L for each of them.
		double t = 3 * count, entries = 9 * c->lnz;
		if (2.0 / 3 * t * t * t > 2.4 * t * entries)
			late = NULL;
		int64_t at = 0;
		for (int pass = 0; pass < 2; pass++)
			for (int64_t k = 0; k < n; k++)
				if ((late && late[nodes[k]]) == pass)
					for (int d = 0; d < 3; d++)
						perm[at++] = 3 * nodes[k] + d;
	} else {
		free(perm);
		perm = NULL;
	}
	cholmod_l_free_factor(&S, c);
	cholmod_l_free_sparse(&G, c);
	return perm;
}

static cholmod_sparse view(int64_t n, int64_t *colptr, int64_t *row, double *value)
{
	cholmod_sparse A = {0};
	A.nrow = A.ncol = n;
	A.nzmax = colptr[n];
	A.p = colptr;
	A.i = row;
	A.x = value;
	A.stype = 1; // the upper triangle is stored
	A.itype = CHOLMOD_LONG;
	A.xtype = CHOLMOD_REAL;
	A.dtype = CHOLMOD_DOUBLE;
	A.sorted = 1;
	A.packed = 1;
	return A;
}

// analyze_in prepares the factorisation in an elimination order.
static hapco_factor *analyze_in(const int64_t *perm, int64_t n, int64_t *colptr, int64_t *row, double *value, double *entries, double *operations)
{
	hapco_factor *f = calloc(1, sizeof *f);
	if (!f)
		return NULL;
	cholmod_l_start(&f->c);
	f->c.print = 0;
	f->c.supernodal = CHOLMOD_SUPERNODAL;
	f->c.final_ll = 1;
	f->c.nmethods = 1;
	f->c.method[0].ordering = CHOLMOD_GIVEN;
	cholmod_sparse A = view(n, colptr, row, value);
	if (perm)
		f->L = cholmod_l_analyze_p(&A, (int64_t *)perm, NULL, 0, &f->c);
	if (!f->L) {
		hapco_free(f);
		return NULL;
	}
	*entries = f->L->xsize;
	*operations = f->c.fl;
	return f;
}

hapco_factor *hapco_analyze(int64_t n, int64_t *colptr, int64_t *row, double *value, const unsigned char *late, double *entries, double *operations)
{
	cholmod_common c;
	cholmod_l_start(&c);
	c.print = 0;
	c.supernodal = CHOLMOD_SUPERNODAL;
	cholmod_sparse A = view(n, colptr, row, value);
	int64_t *perm = order(&A, late, &c);
	cholmod_l_finish(&c);
	hapco_factor *f = analyze_in(perm, n, colptr, row, value, entries, operations);
	free(perm);
	return f;
}

hapco_factor *hapco_twin(const hapco_factor *f, int64_t *colptr, int64_t *row, double *value)
{
	double entries, operations;
	return analyze_in(f->L->Perm, f->L->n, colptr, row, value, &entries, &operations);
}

// updates goes through what the columns of supernode d do to later ones: *from is
// the first of its rows that has not been used, and becomes the first that belongs
// to another supernode. It returns the one that *from belonged to, or -1.
static int64_t updates(const hapco_factor *f, int64_t d, int64_t *from)
{
	const cholmod_factor *L = f->L;
	const int64_t *pi = L->pi, *s = L->s;
	int64_t rows = pi[d + 1] - pi[d];
	if (*from >= rows)
		return -1;
	int64_t t = f->supernode[s[pi[d] + *from]];
	while (*from < rows && f->supernode[s[pi[d] + *from]] == t)
		++*from;
	return t;
}

// tile_room is what a worker needs to take acts from a tile.
typedef struct {
	int64_t row[HAPCO_STRIP], column[HAPCO_STRIP];
	double product[HAPCO_STRIP * HAPCO_STRIP];
} tile_room;

// act is what supernode `by` does to another one: of its last rows, as many as `rows`, which begin at `from`, the first
// `columns` stand among the other's columns.
typedef struct {
	int64_t by, from, rows, columns;
} act;

// taking is what takes acts from supernode t, tile by tile: each takes its part of all of them, in their order.
typedef struct {
	const hapco_factor *f;
	int64_t t, count;
	const act *acts;
	const int64_t *at;
	const signed char *sign;
	tile_room *room; // of each worker
	const int32_t *stop;
	int stopped; // somebody has looked
} taking;

// standing is how many of n ascending rows stand before place.
static int64_t standing(const int64_t *row, int64_t n, const int64_t *at, int64_t place)
{
	int64_t low = 0;
	while (low < n) {
		int64_t middle = (low + n) / 2;
		if (at[row[middle]] < place)
			low = middle + 1;
		else
			n = middle;
	}
	return low;
}

static int64_t tiles(int64_t rows) { return (rows + HAPCO_STRIP - 1) / HAPCO_STRIP; }

// take_tile takes acts from a tile of the lower triangle. Tiles are numbered by columns.
static void take_tile(void *of, int64_t tile, int worker)
{
	taking *k = of;
	const cholmod_factor *L = k->f->L;
	const int64_t *super = L->super, *pi = L->pi, *px = L->px, *s = L->s;
	double *x = L->x;
	tile_room *room = k->room + worker;
	int64_t ld = pi[k->t + 1] - pi[k->t], left = 0;
	for (; tile >= tiles(ld - left); left += HAPCO_STRIP)
		tile -= tiles(ld - left);
	int64_t top = left + tile * HAPCO_STRIP;
	for (const act *d = k->acts; d < k->acts + k->count && !hapco_quits(&k->stopped); d++) {
		const int64_t *row = s + pi[d->by] + d->from;
		int64_t j = standing(row, d->columns, k->at, left), columns = standing(row, d->columns, k->at, left + HAPCO_STRIP) - j;
		int64_t i = standing(row, d->rows, k->at, top), rows = standing(row, d->rows, k->at, top + HAPCO_STRIP) - i;
		if (columns == 0 || rows == 0)
			continue;
		for (int64_t r = 0; r < rows; r++)
			room->row[r] = k->at[row[i + r]];
		for (int64_t c = 0; c < columns; c++)
			room->column[c] = k->at[row[j + c]];
		const double *a = x + px[d->by] + d->from;
		if (!hapco_act(rows, columns, super[d->by + 1] - super[d->by], a + i, a + j, pi[d->by + 1] - pi[d->by], k->sign ? k->sign + super[d->by] : NULL,
		               room->row, room->column, x + px[k->t], ld, room->product, k->stop))
			hapco_quit(&k->stopped);
	}
}

static size_t room_for(const hapco_factor *f, const hapco_crew *crew)
{
	(void)f;
	return sizeof(tile_room) * hapco_crew_size(crew);
}

static int take(const hapco_factor *f, int64_t t, const act *acts, int64_t count, const int64_t *at, const signed char *sign, hapco_crew *crew, void *room, const int32_t *stop)
{
	const int64_t *super = f->L->super, *pi = f->L->pi;
	int64_t number = 0;
	for (int64_t left = 0; left < super[t + 1] - super[t]; left += HAPCO_STRIP)
		number += tiles(pi[t + 1] - pi[t] - left);
	taking k = {f, t, count, acts, at, sign, room, stop, 0};
	if (count > 0)
		hapco_crew_run(crew, number, take_tile, &k);
	return !k.stopped;
}

static size_t room_for_single(const hapco_factor *f, const hapco_crew *crew)
{
	(void)crew;
	return sizeof(int64_t) * hapco_tallest(f);
}

static int take_single(const hapco_factor *f, int64_t t, const act *acts, int64_t count, const int64_t *at, const signed char *sign, hapco_crew *crew, void *room, const int32_t *stop)
{
	(void)sign;
	(void)crew;
	const int64_t *super = f->L->super, *pi = f->L->pi, *px = f->L->px, *s = f->L->s;
	int64_t *place = room;
	for (const act *d = acts; d < acts + count; d++) {
		for (int64_t i = 0; i < d->rows; i++)
			place[i] = at[s[pi[d->by] + d->from + i]];
		if (!hapco_act_single(d->rows, d->columns, super[d->by + 1] - super[d->by], f->single + px[d->by] + d->from, pi[d->by + 1] - pi[d->by],
		                      place, f->single + px[t], pi[t + 1] - pi[t], stop))
			return 0;
	}
	return 1;
}

#define real double
#define NUMBERS f->L->x
#define OF(x) x
#define SIGNED
#include "eliminate.h"
#undef real
#undef NUMBERS
#undef OF
#undef SIGNED
#define real float
#define NUMBERS f->single
#define OF(x) x##_single
#include "eliminate.h"
#undef real
#undef NUMBERS
#undef OF

// unit_diagonal scales the lower triangle S of a matrix to D S D with a diagonal of ones, where it
// can be, and keeps D in f->scale. Rounding then is a share of what each unknown's own stiffness is:
// without, soft tissue is lost in it beside bone.
static int unit_diagonal(hapco_factor *f, cholmod_sparse *S)
{
	const int64_t *p = S->p, *row = S->i, n = S->ncol;
	double *value = S->x;
	if (!f->scale && !(f->scale = malloc(sizeof(float) * (n + 1))))
		return 0;
	for (int64_t j = 0; j < n; j++) {
		f->scale[j] = 1;
		for (int64_t k = p[j]; k < p[j + 1]; k++)
			if (row[k] == j && value[k] > 0 && isfinite(value[k]))
				f->scale[j] = 1 / sqrt(value[k]);
	}
	for (int64_t j = 0; j < n; j++)
		for (int64_t k = p[j]; k < p[j + 1]; k++)
			value[k] *= (double)f->scale[j] * f->scale[row[k]];
	return 1;
}

static int factorize(hapco_factor *f, int64_t n, int64_t *colptr, int64_t *row, double *value, int workers, const int32_t *stop, int64_t *minor, signed char *sign, int single)
{
	*minor = -1;
	if (!f->supernode && !fill_tree(f))
		return HAPCO_NO_MEMORY;
	cholmod_sparse A = view(n, colptr, row, value);
	cholmod_sparse *S = cholmod_l_ptranspose(&A, 1, f->L->Perm, NULL, 0, &f->c);
	// room for the numbers, which stays for those of another time
	if (single && !f->single)
		f->single = calloc(f->L->xsize + HAPCO_SPARE, sizeof(float));
	if (!S || !(single ? f->single && unit_diagonal(f, S) : cholmod_l_change_factor(CHOLMOD_REAL, 1, 1, 1, 1, f->L, &f->c))) {
		cholmod_l_free_sparse(&S, &f->c);
		return single || f->c.status == CHOLMOD_OUT_OF_MEMORY || f->c.status == CHOLMOD_TOO_LARGE ? HAPCO_NO_MEMORY : HAPCO_FAILED;
	}
	hapco_crew *crew = hapco_crew_new(workers);
	int status = single ? eliminate_single(f, S, crew, stop, minor, NULL) : eliminate(f, S, crew, stop, minor, sign);
	hapco_crew_free(crew);
	cholmod_l_free_sparse(&S, &f->c);
	if (status == HAPCO_NOT_POSITIVE)
		*minor = ((int64_t *)f->L->Perm)[*minor];
	return status;
}

int hapco_factorize(hapco_factor *f, int64_t n, int64_t *colptr, int64_t *row, double *value, int workers, const int32_t *stop, int64_t *minor)
{
	return factorize(f, n, colptr, row, value, workers, stop, minor, NULL, 0);
}

int hapco_factorize_single(hapco_factor *f, int64_t n, int64_t *colptr, int64_t *row, double *value, const int32_t *stop, int64_t *minor)
{
	int status = factorize(f, n, colptr, row, value, 1, stop, minor, NULL, 1);
	return status == HAPCO_OK ? hapco_pack(f) : status;
}

int64_t hapco_negatives(int64_t n, int64_t *colptr, int64_t *row, double *value)
{
	double entries, operations;
	int64_t minor, count = -1;
	int32_t stop = 0;
	hapco_factor *f = hapco_analyze(n, colptr, row, value, NULL, &entries, &operations);
	signed char *sign = malloc(n + 1);
	if (f && sign && factorize(f, n, colptr, row, value, 1, &stop, &minor, sign, 0) == HAPCO_OK) {
		count = 0;
		for (int64_t j = 0; j < n; j++)
			count += sign[j] < 0;
	}
	free(sign);
	hapco_free(f);
	return count;
}

int hapco_solve(hapco_factor *f, double *x, double *b) { return hapco_solve_many(f, 1, x, b); }

int hapco_solve_many(hapco_factor *f, int64_t columns, double *x, double *b)
{
	size_t n = f->L->n;
	cholmod_dense B = {0};
	B.nrow = B.d = n;
	B.ncol = columns;
	B.nzmax = n * columns;
	B.x = b;
	B.xtype = CHOLMOD_REAL;
	B.dtype = CHOLMOD_DOUBLE;
	if (!cholmod_l_solve2(CHOLMOD_A, f->L, &B, NULL, &f->X, NULL, &f->Y, &f->E, &f->c))
		return HAPCO_NO_MEMORY;
	memcpy(x, f->X->x, n * columns * sizeof(double));
	return HAPCO_OK;
}

double hapco_rcond(hapco_factor *f) { return cholmod_l_rcond(f->L, &f->c); }

int64_t hapco_bytes(hapco_factor *f)
{
	return (int64_t)(f->L->xsize * sizeof(double) + (f->L->ssize + 4 * f->L->n) * sizeof(int64_t));
}

int64_t hapco_supernodes(const hapco_factor *f) { return f->L->nsuper; }

void hapco_position(hapco_factor *f, int64_t *position)
{
	const int64_t *perm = f->L->Perm;
	for (size_t k = 0; k < f->L->n; k++)
		position[perm[k]] = k;
}

void hapco_free(hapco_factor *f)
{
	if (!f)
		return;
	cholmod_l_free_dense(&f->X, &f->c);
	cholmod_l_free_dense(&f->Y, &f->c);
	cholmod_l_free_dense(&f->E, &f->c);
	cholmod_l_free_factor(&f->L, &f->c);
	cholmod_l_finish(&f->c);
	free(f->supernode);
	free(f->parent);
	free(f->single);
	free(f->scale);
	free(f->packed);
	free(f->heads);
	free(f);
}

// The kernels work on a panel stored by rows: row i of the panel holds
// HAPCO_PANEL values, one a right-hand side.
typedef struct {
	void (*forward)(const double *L, int64_t ld, int64_t columns, const int64_t *row, double *x, int sides);
	void (*backward)(const double *L, int64_t ld, int64_t columns, const int64_t *row, double *x, int sides);
} kernels;

#define real double
#define ROWS 4
#define FEW 4
#define VECTORS 3
#define NAME(x) x##_base
#define TARGET
#define WIDTH 2
#include "kernel.h"
#undef NAME
#undef TARGET
#undef WIDTH

#if defined(__x86_64__)
#define NAME(x) x##_avx2
#define TARGET __attribute__((target("avx2,fma")))
#define WIDTH 4
#include "kernel.h"
#undef NAME
#undef TARGET
#undef WIDTH
#endif
#undef real

int hapco_most_kernels = HAPCO_AVX512;

static kernels choose(void)
{
#if defined(__x86_64__)
	if (hapco_most_kernels >= HAPCO_AVX2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		return (kernels){forward_avx2, backward_avx2};
#endif
	return (kernels){forward_base, backward_base};
}

int hapco_panel(const hapco_factor *f, int columns, const int64_t *column,
                 int64_t wants, const int64_t *want, const int64_t *slot,
                 double *slab, double *work, unsigned char *mark, const int32_t *stop)
{
	const cholmod_factor *L = f->L;
	const int64_t *super = L->super, *pi = L->pi, *px = L->px, *s = L->s;
	const double *x = L->x;
	const kernels kernel = choose();
	if (columns == 0 || wants == 0)
		return 1;
	int64_t first = f->supernode[column[0] < want[0] ? column[0] : want[0]], last = L->nsuper - 1;

	// Forward: 1 = may be nonzero. Only supernodes above a column's own are.
	for (int k = 0; k < columns; k++) {
		work[column[k] * HAPCO_PANEL + k] = 1;
		for (int64_t t = f->supernode[column[k]]; t >= 0 && !(mark[t] & 1); t = f->parent[t])
			mark[t] |= 1;
	}
	for (int64_t t = first; t <= last; t++)
		if (mark[t] & 1) {
			if (hapco_stopped(stop))
				return 0;
			kernel.forward(x + px[t], pi[t + 1] - pi[t], super[t + 1] - super[t], s + pi[t], work, HAPCO_PANEL);
		}

	// Backward: 2 = needed. A wanted row needs all supernodes above its own.
	for (int64_t i = 0; i < wants; i++)
		for (int64_t t = f->supernode[want[i]]; t >= 0 && !(mark[t] & 2); t = f->parent[t])
			mark[t] |= 2;
	for (int64_t t = last; t >= first; t--)
		if (mark[t] & 2) {
			if (hapco_stopped(stop))
				return 0;
			kernel.backward(x + px[t], pi[t + 1] - pi[t], super[t + 1] - super[t], s + pi[t], work, HAPCO_PANEL);
		}

	for (int64_t i = 0; i < wants; i++)
		memcpy(slab + slot[i] * HAPCO_PANEL, work + want[i] * HAPCO_PANEL, HAPCO_PANEL * sizeof(double));
	for (int64_t t = first; t <= last; t++) {
		if (mark[t])
			memset(work + super[t] * HAPCO_PANEL, 0, (super[t + 1] - super[t]) * HAPCO_PANEL * sizeof(double));
		mark[t] = 0;
	}
	return 1;
}

int hapco_tail(const hapco_factor *f, int64_t first, double *out, int workers, const int32_t *stop)
{
	const cholmod_factor *L = f->L;
	const int64_t *super = L->super, *pi = L->pi, *px = L->px, *s = L->s;
	const double *x = L->x;
	int64_t t = L->n - first;
	if (t > 1 << 15)
		return HAPCO_FAILED;
	memset(out, 0, sizeof(double) * t * t);
	for (int64_t k = f->supernode[first]; k < (int64_t)L->nsuper; k++) {
		int64_t ld = pi[k + 1] - pi[k];
		for (int64_t j = super[k] < first ? first : super[k]; j < super[k + 1]; j++) {
			const double *column = x + px[k] + (j - super[k]) * ld;
			for (int64_t i = j - super[k]; i < ld; i++)
				out[(s[pi[k] + i] - first) + (j - first) * t] = column[i];
		}
	}
	hapco_crew *crew = hapco_crew_new(workers);
	int whole = hapco_inverse(t, out, crew, stop);
	hapco_crew_free(crew);
	return whole ? HAPCO_OK : HAPCO_STOPPED;
}

void hapco_rows(const double *slab, int64_t size, int columns, const int64_t *row, double *out, float *single)
{
	// Eight rows of the slab at a time: they stay in cache while each result row
	// gets one line of them.
	for (int64_t j = 0; j < size; j += 8) {
		int64_t run = size - j < 8 ? size - j : 8;
		for (int k = 0; k < columns; k++) {
			const double *from = slab + j * HAPCO_PANEL + k;
			int64_t to = row[k] * size + j;
			if (out)
				for (int64_t r = 0; r < run; r++)
					out[to + r] = from[r * HAPCO_PANEL];
			else
				for (int64_t r = 0; r < run; r++)
					single[to + r] = from[r * HAPCO_PANEL];
		}
	}
}
