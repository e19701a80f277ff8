#include "delassus.h"

#include <string.h>

// One version for processors with AVX2 and FMA and one for all, chosen when the
// program is loaded.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__linux__)
#define CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define CLONES
#endif

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

CLONES void hapco_delassus(const double *compact, int64_t m, const hapco_link *links, int64_t count,
                           double scale, double *w, int64_t n, double *rows)
{
	int64_t wide = 3 * m;
	double *r0 = rows, *r1 = rows + wide, *r2 = rows + 2 * wide;
	for (int64_t e = 0; e < count; e++) {
		const hapco_link *l = links + e;
		// rows = scale s_e F_e^T sum_k b_k C[k, active]
		memset(rows, 0, sizeof(double) * 3 * wide);
		for (int k = 0; k < l->count; k++) {
			double s = scale * l->sign * l->weight[k];
			const double *x = compact + 3 * (int64_t)l->slot[k] * wide, *y = x + wide, *z = y + wide;
			double f0 = s * l->frame[0], f1 = s * l->frame[1], f2 = s * l->frame[2];
			double f3 = s * l->frame[3], f4 = s * l->frame[4], f5 = s * l->frame[5];
			double f6 = s * l->frame[6], f7 = s * l->frame[7], f8 = s * l->frame[8];
			for (int64_t j = 0; j < wide; j++) {
				double a = x[j], b = y[j], d = z[j];
				r0[j] += f0 * a + f1 * b + f2 * d;
				r1[j] += f3 * a + f4 * b + f5 * d;
				r2[j] += f6 * a + f7 * b + f8 * d;
			}
		}
		// W_ef += rows[:, nodes of f] b s_f F_f
		for (int64_t f = 0; f <= e; f++) {
			const hapco_link *o = links + f;
			const double *frame = o->frame;
			for (int d = 0; d < 3; d++) {
				const double *r = rows + d * wide;
				double g0 = 0, g1 = 0, g2 = 0;
				for (int k = 0; k < o->count; k++) {
					const double *p = r + 3 * (int64_t)o->slot[k];
					double s = o->sign * o->weight[k];
					g0 += s * p[0];
					g1 += s * p[1];
					g2 += s * p[2];
				}
				double *out = w + (3 * (int64_t)l->contact + d) * n + 3 * (int64_t)o->contact;
				double b0 = g0 * frame[0] + g1 * frame[1] + g2 * frame[2];
				double b1 = g0 * frame[3] + g1 * frame[4] + g2 * frame[5];
				double b2 = g0 * frame[6] + g1 * frame[7] + g2 * frame[8];
				out[0] += b0;
				out[1] += b1;
				out[2] += b2;
				if (f < e && o->contact == l->contact) { // a body that touches itself carries P and Q
					double *column = w + 3 * (int64_t)l->contact * n + 3 * (int64_t)o->contact + d;
					column[0] += b0;
					column[n] += b1;
					column[2 * n] += b2;
				}
			}
		}
	}
}
