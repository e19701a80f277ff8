// Included once for each precision: real is the number, NUMBERS where those of L go,
// OF(x) the name of a function; with SIGNED it can eliminate indefinite matrices.

// eliminate fills L, whose pattern is known, from the lower triangle S of the
// permuted matrix, supernode by supernode: each first takes what earlier ones do
// to it. It is CHOLMOD's own way, but can be stopped in between. On
// HAPCO_NOT_POSITIVE *minor is the column. With sign, one a column, and in double
// precision only, the matrix need not be positive definite, see hapco_signed.
static int OF(eliminate)(hapco_factor *f, const cholmod_sparse *S, hapco_crew *crew, const int32_t *stop, int64_t *minor, signed char *sign)
{
	cholmod_factor *L = f->L;
	const int64_t *super = L->super, *pi = L->pi, *px = L->px, *s = L->s, *sp = S->p, *si = S->i;
	const double *sx = S->x;
	real *x = NUMBERS;
	int64_t count = L->nsuper;
	int64_t *at = malloc(sizeof(int64_t) * (L->n + 1)); // row of the supernode under way where an unknown stands
	int64_t *head = malloc(sizeof(int64_t) * (count + 1)); // of the list of supernodes that act on one
	int64_t *next = malloc(sizeof(int64_t) * (count + 1)); // in that list
	int64_t *used = malloc(sizeof(int64_t) * (count + 1)); // rows of a supernode that have acted
	act *acts = malloc(sizeof(act) * (count + 1));
	void *room = malloc(OF(room_for)(f, crew));
	int status = at && head && next && used && acts && room ? HAPCO_OK : HAPCO_NO_MEMORY;
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

		int64_t number = 0, bad = -1;
		for (int64_t d = head[t], after; d >= 0; d = after) {
			after = next[d];
			int64_t from = used[d], all = pi[d + 1] - pi[d];
			updates(f, d, &used[d]);
			acts[number++] = (act){d, from, all - from, used[d] - from};
			if (used[d] < all) { // it acts on another one next
				int64_t u = f->supernode[s[pi[d] + used[d]]];
				next[d] = head[u];
				head[u] = d;
			}
		}
		int done = OF(take)(f, t, acts, number, at, sign, crew, room, stop);
		if (done)
#ifdef SIGNED
			done = sign ? hapco_signed(ld, columns, own, sign + super[t], &bad, stop) : hapco_cholesky(ld, columns, own, &bad, crew, stop);
#else
			done = OF(hapco_cholesky)(ld, columns, own, &bad, stop);
#endif
		status = bad >= 0 ? HAPCO_NOT_POSITIVE : done ? HAPCO_OK : HAPCO_STOPPED;
		*minor = bad >= 0 ? super[t] + bad : -1;
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
	free(acts);
	free(room);
	return status;
}
