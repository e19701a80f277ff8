// Included once for each precision: real is the number, NUMBERS where those of L go,
// OF(x) the name of a function; with SIGNED it can eliminate indefinite matrices.

// eliminate fills L, whose pattern is known, from the lower triangle S of the
// permuted matrix, supernode by supernode: each first takes what earlier ones do
// to it. It is CHOLMOD's own way, but can be stopped in between. On
// HAPCO_NOT_POSITIVE *minor is the column. With sign, one a column, and in double
// precision only, the matrix need not be positive definite, see hapco_signed.
static int OF(eliminate)(hapco_factor *f, const cholmod_sparse *S, const int32_t *stop, int64_t *minor, signed char *sign)
{
	cholmod_factor *L = f->L;
	const int64_t *super = L->super, *pi = L->pi, *px = L->px, *s = L->s, *sp = S->p, *si = S->i;
	const double *sx = S->x;
	real *x = NUMBERS;
	int64_t count = L->nsuper, rows;
	int64_t most = largest(f, &rows);
	int64_t *at = malloc(sizeof(int64_t) * (L->n + 1)); // row of the supernode under way where an unknown stands
	int64_t *head = malloc(sizeof(int64_t) * (count + 1)); // of the list of supernodes that act on one
	int64_t *next = malloc(sizeof(int64_t) * (count + 1)); // in that list
	int64_t *used = malloc(sizeof(int64_t) * (count + 1)); // rows of a supernode that have acted
	int64_t *place = malloc(sizeof(int64_t) * rows);
	real *room = malloc(sizeof(real) * most);
	int status = at && head && next && used && place && room ? HAPCO_OK : HAPCO_NO_MEMORY;
	if (status == HAPCO_OK)
		for (int64_t t = 0; t < count; t++)
			head[t] = -1;
	for (int64_t t = 0; t < count && status == HAPCO_OK; t++) {
		int64_t columns = super[t + 1] - super[t], ld = pi[t + 1] - pi[t];
		real *own = x + px[t];
		for (int64_t i = 0; i < ld; i++)
			at[s[pi[t] + i]] = i;
		memset(own, 0, sizeof(real) * ld * columns);
		for (int64_t j = 0; j < columns; j++)
			for (int64_t p = sp[super[t] + j]; p < sp[super[t] + j + 1]; p++)
				if (si[p] >= super[t] + j)
					own[at[si[p]] + j * ld] = sx[p];

		for (int64_t d = head[t], after; d >= 0 && status == HAPCO_OK; d = after) {
			after = next[d];
			int64_t from = used[d], all = pi[d + 1] - pi[d];
			const real *act = x + px[d] + from;
			updates(f, d, &used[d]);
			int64_t m = all - from, n = used[d] - from;
			for (int64_t i = 0; i < m; i++)
				place[i] = at[s[pi[d] + from + i]];
			if (!OF(hapco_act)(m, n, super[d + 1] - super[d], act, all, sign ? sign + super[d] : NULL, place, own, ld, room, stop)) {
				status = HAPCO_STOPPED;
				break;
			}
			if (used[d] < all) { // it acts on another one next
				int64_t u = f->supernode[s[pi[d] + used[d]]];
				next[d] = head[u];
				head[u] = d;
			}
		}
		if (status == HAPCO_OK) {
			int64_t bad = -1;
#ifdef SIGNED
			int done = sign ? hapco_signed(ld, columns, own, sign + super[t], &bad, stop) : hapco_cholesky(ld, columns, own, &bad, stop);
#else
			int done = OF(hapco_cholesky)(ld, columns, own, &bad, stop);
#endif
			status = bad >= 0 ? HAPCO_NOT_POSITIVE : done ? HAPCO_OK : HAPCO_STOPPED;
			*minor = bad >= 0 ? super[t] + bad : -1;
		}
		used[t] = columns;
		if (columns < ld) {
			int64_t u = f->supernode[s[pi[t] + columns]];
			next[t] = head[u];
			head[u] = t;
		}
	}
	free(at);
	free(head);
	free(next);
	free(used);
	free(place);
	free(room);
	return status;
}
