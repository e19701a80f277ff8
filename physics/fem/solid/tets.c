// Roots set no errno and nothing traps: only so are loops over lanes put into vectors.
#pragma GCC optimize("no-math-errno", "no-trapping-math")

#include "tets.h"

#include <math.h>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CLONES
#endif

#define N HAPCO_LANES
#define EACH for (int l = 0; l < N; l++)
typedef double lane[N];

static inline __attribute__((always_inline)) void cofactor(const lane *a, lane *c)
{
	EACH {
		c[0][l] = a[4][l] * a[8][l] - a[5][l] * a[7][l];
		c[1][l] = a[5][l] * a[6][l] - a[3][l] * a[8][l];
		c[2][l] = a[3][l] * a[7][l] - a[4][l] * a[6][l];
		c[3][l] = a[2][l] * a[7][l] - a[1][l] * a[8][l];
		c[4][l] = a[0][l] * a[8][l] - a[2][l] * a[6][l];
		c[5][l] = a[1][l] * a[6][l] - a[0][l] * a[7][l];
		c[6][l] = a[1][l] * a[5][l] - a[2][l] * a[4][l];
		c[7][l] = a[2][l] * a[3][l] - a[0][l] * a[5][l];
		c[8][l] = a[0][l] * a[4][l] - a[1][l] * a[3][l];
	}
}

// rotation is R of F = R U by Newton's iteration R <- (s R + R^-T/s)/2, whose
// scaling s brings even a nearly flat F near in a few rounds. det F > 0.
static inline __attribute__((always_inline)) void rotation(const lane *f, lane *r)
{
	for (int k = 0; k < 9; k++)
		EACH r[k][l] = f[k][l];
	for (int round = 0; round < 8; round++) {
		lane c[9], inv, own, other;
		cofactor(r, c);
		EACH {
			double det = r[0][l] * c[0][l] + r[1][l] * c[1][l] + r[2][l] * c[2][l];
			inv[l] = 1 / det;
			own[l] = other[l] = 0;
		}
		for (int k = 0; k < 9; k++)
			EACH {
				c[k][l] *= inv[l];
				own[l] += r[k][l] * r[k][l];
				other[l] += c[k][l] * c[k][l];
			}
		lane s, t, change;
		EACH {
			change[l] = 0;
			s[l] = round < 3 ? sqrt(sqrt(other[l] / own[l])) : 1;
			t[l] = 0.5 / s[l];
			s[l] *= 0.5;
		}
		for (int k = 0; k < 9; k++)
			EACH {
				double next = s[l] * r[k][l] + t[l] * c[k][l];
				change[l] += (next - r[k][l]) * (next - r[k][l]);
				r[k][l] = next;
			}
		double most = 0;
		EACH most = change[l] > most ? change[l] : most;
		if (most < 1e-11) // the next change is about the square of this one
			return;
	}
}

CLONES double hapco_tets(int64_t groups, const int32_t *conn, const double *grad, const double *volume, const double *x, double *f,
                         int law, double lambda, double mu, double floor, double barrier)
{
	double least = 1e300;
	for (int64_t g = 0; g < groups; g++) {
		const int32_t *node = conn + g * 4 * N;
		const lane *d = (const lane *)(grad + g * 9 * N);
		const double *v = volume + g * N;
		lane edge[9], F[9], cof[9], P[9], J, slope;
		EACH {
			const double *p = x + 3 * (int64_t)node[l];
			for (int a = 0; a < 3; a++) {
				const double *q = x + 3 * (int64_t)node[(a + 1) * N + l];
				for (int i = 0; i < 3; i++)
					edge[3 * i + a][l] = q[i] - p[i];
			}
		}
		// F_iJ = sum over a of (x_a - x_0)_i grad_a_J
		for (int i = 0; i < 3; i++)
			for (int j = 0; j < 3; j++)
				EACH F[3 * i + j][l] = edge[3 * i][l] * d[j][l] + edge[3 * i + 1][l] * d[3 + j][l] + edge[3 * i + 2][l] * d[6 + j][l];
		cofactor(F, cof);
		EACH J[l] = F[0][l] * cof[0][l] + F[1][l] * cof[1][l] + F[2][l] * cof[2][l];
		EACH if (v[l] > 0 && !(J[l] >= least)) // NaN too
			least = J[l] - J[l] == 0 ? J[l] : -1e300;
		// dW/dJ of what depends on J alone
		EACH {
			double at = J[l] > floor ? J[l] : floor;
			slope[l] = 0;
			if (law == HAPCO_NEO_HOOKEAN) {
				double in = at > 0 ? log(at) : -1e3;
				slope[l] = (lambda * in - mu) / at + (lambda + mu - lambda * in) / (at * at) * (J[l] - at);
			}
		}
		if (barrier > 0)
			EACH if (J[l] < 0.3) {
				double at = J[l] > 1e-3 ? J[l] : 1e-3, off = at - 0.3;
				slope[l] -= barrier * (2 * off * log(at / 0.3) + off * off / at);
			}
		if (law == HAPCO_NEO_HOOKEAN) {
			for (int k = 0; k < 9; k++)
				EACH P[k][l] = mu * F[k][l] + slope[l] * cof[k][l];
		} else {
			lane R[9], c;
			rotation(F, R);
			EACH c[l] = 0;
			for (int k = 0; k < 9; k++)
				EACH c[l] += R[k][l] * F[k][l];
			EACH c[l] = lambda * (c[l] - 3) - 2 * mu;
			for (int k = 0; k < 9; k++)
				EACH P[k][l] = 2 * mu * F[k][l] + c[l] * R[k][l] + slope[l] * cof[k][l];
		}
		lane out[12];
		for (int i = 0; i < 3; i++) {
			EACH out[i][l] = 0;
			for (int a = 0; a < 3; a++)
				EACH {
					double h = v[l] * (P[3 * i][l] * d[3 * a][l] + P[3 * i + 1][l] * d[3 * a + 1][l] + P[3 * i + 2][l] * d[3 * a + 2][l]);
					out[3 * (a + 1) + i][l] = h;
					out[i][l] -= h;
				}
		}
		EACH if (v[l] > 0)
			for (int a = 0; a < 4; a++)
				for (int i = 0; i < 3; i++)
					f[3 * (int64_t)node[a * N + l] + i] += out[3 * a + i][l];
	}
	return least;
}
