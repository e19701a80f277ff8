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

// rotation is R of F = R U, and s = tr U, in closed form but for one root. With I = |F|^2,
// K = |cof F|^2 and J = det F, s is the largest root of (s^2 - I)^2 = 4 K + 8 J s, and R
// is ds/dF. Newton's method comes down to the root from sqrt(3 I), which is never less.
static inline __attribute__((always_inline)) void rotation(const lane *f, const lane *cof, const lane J, lane *r, lane s)
{
	lane size, square, below;
	EACH size[l] = square[l] = 0;
	for (int k = 0; k < 9; k++)
		EACH {
			size[l] += f[k][l] * f[k][l];
			square[l] += cof[k][l] * cof[k][l];
		}
	EACH s[l] = sqrt(3 * size[l]);
	for (int round = 0; round < 24; round++) {
		lane change;
		EACH {
			double q = s[l] * s[l] - size[l];
			below[l] = s[l] * q - 2 * J[l];
			change[l] = (q * q - 4 * square[l] - 8 * J[l] * s[l]) / (4 * below[l]);
			s[l] -= change[l];
		}
		double most = 0;
		EACH most = fabs(change[l]) > 1e-8 * s[l] ? 1 : most;
		if (most == 0) // the next change is about the square of this one
			break;
	}
	lane c[6], own; // F^T F: xx, xy, xz, yy, yz, zz
	EACH {
		c[0][l] = f[0][l] * f[0][l] + f[3][l] * f[3][l] + f[6][l] * f[6][l];
		c[1][l] = f[0][l] * f[1][l] + f[3][l] * f[4][l] + f[6][l] * f[7][l];
		c[2][l] = f[0][l] * f[2][l] + f[3][l] * f[5][l] + f[6][l] * f[8][l];
		c[3][l] = f[1][l] * f[1][l] + f[4][l] * f[4][l] + f[7][l] * f[7][l];
		c[4][l] = f[1][l] * f[2][l] + f[4][l] * f[5][l] + f[7][l] * f[8][l];
		c[5][l] = f[2][l] * f[2][l] + f[5][l] * f[5][l] + f[8][l] * f[8][l];
		below[l] = 1 / (s[l] * (s[l] * s[l] - size[l]) - 2 * J[l]);
		own[l] = s[l] * s[l] + size[l];
	}
	for (int i = 0; i < 9; i += 3)
		EACH {
			double x = f[i][l], y = f[i + 1][l], z = f[i + 2][l];
			r[i][l] = below[l] * (own[l] * x - 2 * (x * c[0][l] + y * c[1][l] + z * c[2][l]) + 2 * s[l] * cof[i][l]);
			r[i + 1][l] = below[l] * (own[l] * y - 2 * (x * c[1][l] + y * c[3][l] + z * c[4][l]) + 2 * s[l] * cof[i + 1][l]);
			r[i + 2][l] = below[l] * (own[l] * z - 2 * (x * c[2][l] + y * c[4][l] + z * c[5][l]) + 2 * s[l] * cof[i + 2][l]);
		}
}

// gradient is F_iJ, the sum over a of (x_a - x_0)_i grad_a_J.
static inline __attribute__((always_inline)) void gradient(const int32_t *node, const lane *d, const double *x, lane *F)
{
	lane edge[9];
	EACH {
		const double *p = x + 3 * (int64_t)node[l];
		for (int a = 0; a < 3; a++) {
			const double *q = x + 3 * (int64_t)node[(a + 1) * N + l];
			for (int i = 0; i < 3; i++)
				edge[3 * i + a][l] = q[i] - p[i];
		}
	}
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++)
			EACH F[3 * i + j][l] = edge[3 * i][l] * d[j][l] + edge[3 * i + 1][l] * d[3 + j][l] + edge[3 * i + 2][l] * d[6 + j][l];
}

// volumetric is dW/dJ of what depends on J alone, and its slope.
static inline __attribute__((always_inline)) void volumetric(const lane J, double *slope, double *curve, int law, double lambda, double mu, double floor, double barrier)
{
	EACH {
		double at = J[l] > floor ? J[l] : floor;
		slope[l] = curve[l] = 0;
		if (law == HAPCO_NEO_HOOKEAN) {
			double in = at > 0 ? log(at) : -1e3;
			curve[l] = (lambda + mu - lambda * in) / (at * at);
			slope[l] = (lambda * in - mu) / at + curve[l] * (J[l] - at);
		}
	}
	if (barrier > 0)
		EACH if (J[l] < 0.3) {
			double at = J[l] > 1e-3 ? J[l] : 1e-3, off = at - 0.3, in = log(at / 0.3);
			slope[l] -= barrier * (2 * off * in + off * off / at);
			curve[l] -= barrier * (2 * in + 4 * off / at - off * off / (at * at));
		}
}

// share adds the forces of the stress P on the elements' nodes.
static inline __attribute__((always_inline)) void share(const int32_t *node, const lane *d, const double *v, const lane *P, double *f)
{
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

CLONES double hapco_tets(int64_t groups, const int32_t *conn, const double *grad, const double *volume, const double *x, double *f,
                         int law, double lambda, double mu, double floor, double barrier)
{
	double least = 1e300;
	for (int64_t g = 0; g < groups; g++) {
		const int32_t *node = conn + g * 4 * N;
		const lane *d = (const lane *)(grad + g * 9 * N);
		const double *v = volume + g * N;
		lane F[9], cof[9], P[9], J, slope, curve;
		gradient(node, d, x, F);
		cofactor(F, cof);
		EACH J[l] = F[0][l] * cof[0][l] + F[1][l] * cof[1][l] + F[2][l] * cof[2][l];
		EACH if (v[l] > 0 && !(J[l] >= least)) // NaN too
			least = J[l] - J[l] == 0 ? J[l] : -1e300;
		volumetric(J, slope, curve, law, lambda, mu, floor, barrier);
		if (law == HAPCO_NEO_HOOKEAN) {
			for (int k = 0; k < 9; k++)
				EACH P[k][l] = mu * F[k][l] + slope[l] * cof[k][l];
		} else {
			lane R[9], c;
			rotation(F, cof, J, R, c);
			EACH c[l] = lambda * (c[l] - 3) - 2 * mu;
			for (int k = 0; k < 9; k++)
				EACH P[k][l] = 2 * mu * F[k][l] + c[l] * R[k][l] + slope[l] * cof[k][l];
		}
		share(node, d, v, P, f);
	}
	return least;
}

// What a tangent needs: F, R, the upper triangle of (tr(U) I - U)^-1, slope and
// curvature of what depends on J, and lambda (tr(U) - 3) - 2 mu.
enum { AT_R = 9, AT_TURN = 18, AT_SLOPE = 24, AT_CURVE = 25, AT_C = 26 };

// linearise makes the tangent at x ready for product.
static inline __attribute__((always_inline)) void linearise(const int32_t *node, const lane *d, const double *x, lane *to,
                                                            int law, double lambda, double mu, double floor, double barrier)
{
	lane cof[9], J, *F = to, *R = to + AT_R, *T = to + AT_TURN;
	gradient(node, d, x, F);
	cofactor(F, cof);
	EACH J[l] = F[0][l] * cof[0][l] + F[1][l] * cof[1][l] + F[2][l] * cof[2][l];
	volumetric(J, to[AT_SLOPE], to[AT_CURVE], law, lambda, mu, floor, barrier);
	if (law == HAPCO_NEO_HOOKEAN)
		return;
	lane trace;
	rotation(F, cof, J, R, trace);
	lane u[6]; // tr(U) I - U of U = R^T F: xx, xy, xz, yy, yz, zz
	EACH {
		double xx = R[0][l] * F[0][l] + R[3][l] * F[3][l] + R[6][l] * F[6][l];
		double yy = R[1][l] * F[1][l] + R[4][l] * F[4][l] + R[7][l] * F[7][l];
		double zz = R[2][l] * F[2][l] + R[5][l] * F[5][l] + R[8][l] * F[8][l];
		u[1][l] = -(R[0][l] * F[1][l] + R[3][l] * F[4][l] + R[6][l] * F[7][l]);
		u[2][l] = -(R[0][l] * F[2][l] + R[3][l] * F[5][l] + R[6][l] * F[8][l]);
		u[4][l] = -(R[1][l] * F[2][l] + R[4][l] * F[5][l] + R[7][l] * F[8][l]);
		u[0][l] = yy + zz;
		u[3][l] = xx + zz;
		u[5][l] = xx + yy;
		to[AT_C][l] = lambda * (trace[l] - 3) - 2 * mu;
	}
	EACH {
		double c0 = u[3][l] * u[5][l] - u[4][l] * u[4][l], c1 = u[2][l] * u[4][l] - u[1][l] * u[5][l], c2 = u[1][l] * u[4][l] - u[2][l] * u[3][l];
		double det = u[0][l] * c0 + u[1][l] * c1 + u[2][l] * c2, size = u[0][l] + u[3][l] + u[5][l], least = 1e-6 * size * size * size;
		double inv = 1 / (det > least ? det : least);
		T[0][l] = inv * c0;
		T[1][l] = inv * c1;
		T[2][l] = inv * c2;
		T[3][l] = inv * (u[0][l] * u[5][l] - u[2][l] * u[2][l]);
		T[4][l] = inv * (u[1][l] * u[2][l] - u[0][l] * u[4][l]);
		T[5][l] = inv * (u[0][l] * u[3][l] - u[1][l] * u[1][l]);
	}
}

// product is the stress P that the gradient D of a displacement brings.
static inline __attribute__((always_inline)) void product(const lane *at, const lane *D, lane *P, int law, double lambda, double mu)
{
	const lane *F = at, *R = at + AT_R, *T = at + AT_TURN;
	lane cof[9], w;
	int volume_acts = law == HAPCO_NEO_HOOKEAN;
	if (law == HAPCO_NEO_HOOKEAN) {
		for (int k = 0; k < 9; k++)
			EACH P[k][l] = mu * D[k][l];
	} else {
		// the turn of R is R [w]x with (tr(U) I - U) w the axial vector of R^T D - D^T R
		EACH {
			double a0 = 0, a1 = 0, a2 = 0, dot = 0;
			for (int i = 0; i < 9; i += 3) {
				a0 += R[i + 2][l] * D[i + 1][l] - R[i + 1][l] * D[i + 2][l];
				a1 += R[i][l] * D[i + 2][l] - R[i + 2][l] * D[i][l];
				a2 += R[i + 1][l] * D[i][l] - R[i][l] * D[i + 1][l];
				dot += R[i][l] * D[i][l] + R[i + 1][l] * D[i + 1][l] + R[i + 2][l] * D[i + 2][l];
			}
			double c = at[AT_C][l];
			double w0 = c * (T[0][l] * a0 + T[1][l] * a1 + T[2][l] * a2), w1 = c * (T[1][l] * a0 + T[3][l] * a1 + T[4][l] * a2), w2 = c * (T[2][l] * a0 + T[4][l] * a1 + T[5][l] * a2);
			dot *= lambda;
			for (int i = 0; i < 9; i += 3) {
				P[i][l] = 2 * mu * D[i][l] + dot * R[i][l] + R[i + 1][l] * w2 - R[i + 2][l] * w1;
				P[i + 1][l] = 2 * mu * D[i + 1][l] + dot * R[i + 1][l] + R[i + 2][l] * w0 - R[i][l] * w2;
				P[i + 2][l] = 2 * mu * D[i + 2][l] + dot * R[i + 2][l] + R[i][l] * w1 - R[i + 1][l] * w0;
			}
		}
		EACH volume_acts |= at[AT_CURVE][l] != 0;
	}
	if (volume_acts) {
		cofactor(F, cof);
		EACH w[l] = 0;
		for (int k = 0; k < 9; k++)
			EACH w[l] += cof[k][l] * D[k][l];
		for (int i = 0; i < 3; i++) {
			int p = (i + 1) % 3 * 3, q = (i + 2) % 3 * 3;
			for (int j = 0; j < 3; j++) {
				int m = (j + 1) % 3, n = (j + 2) % 3;
				EACH P[3 * i + j][l] += at[AT_CURVE][l] * w[l] * cof[3 * i + j][l] +
					at[AT_SLOPE][l] * (F[p + m][l] * D[q + n][l] + D[p + m][l] * F[q + n][l] - F[p + n][l] * D[q + m][l] - D[p + n][l] * F[q + m][l]);
			}
		}
	}
}

CLONES void hapco_tets_tangent(int64_t groups, const int32_t *conn, const double *grad, const double *x, double *state,
                               int law, double lambda, double mu, double floor, double barrier)
{
	for (int64_t g = 0; g < groups; g++)
		linearise(conn + g * 4 * N, (const lane *)(grad + g * 9 * N), x, (lane *)(state + g * HAPCO_TANGENT * N), law, lambda, mu, floor, barrier);
}

CLONES void hapco_tets_times(int64_t groups, const int32_t *conn, const double *grad, const double *volume, const double *state, const double *v, double *f,
                             int law, double lambda, double mu)
{
	for (int64_t g = 0; g < groups; g++) {
		const int32_t *node = conn + g * 4 * N;
		const lane *d = (const lane *)(grad + g * 9 * N);
		lane D[9], P[9];
		gradient(node, d, v, D);
		product((const lane *)(state + g * HAPCO_TANGENT * N), D, P, law, lambda, mu);
		share(node, d, volume + g * N, P, f);
	}
}

CLONES void hapco_tets_stiffness(int64_t count, const int32_t *conn, const double *grad, const double *volume, const double *x,
                                 int law, double lambda, double mu, double floor, double barrier,
                                 const int32_t *where, const int32_t *index, const int64_t *first, double *values)
{
	for (int64_t e = 0; e < count; e += N) {
		const int32_t *node = conn + e * 4;
		const lane *d = (const lane *)(grad + e * 9);
		const double *v = volume + e;
		lane state[HAPCO_TANGENT], D[9], P[9], k[12][12];
		linearise(node, d, x, state, law, lambda, mu, floor, barrier);
		for (int b = 1; b < 4; b++)
			for (int j = 0; j < 3; j++) {
				for (int i = 0; i < 9; i++)
					EACH D[i][l] = i / 3 == j ? d[3 * (b - 1) + i % 3][l] : 0;
				product(state, D, P, law, lambda, mu);
				for (int i = 0; i < 3; i++) {
					EACH k[i][3 * b + j][l] = 0;
					for (int a = 1; a < 4; a++)
						EACH {
							const lane *h = d + 3 * (a - 1);
							double f = v[l] * (P[3 * i][l] * h[0][l] + P[3 * i + 1][l] * h[1][l] + P[3 * i + 2][l] * h[2][l]);
							k[3 * a + i][3 * b + j][l] = f;
							k[i][3 * b + j][l] -= f; // nothing acts where all nodes go the same way
						}
				}
			}
		for (int r = 0; r < 12; r++)
			for (int j = 0; j < 3; j++)
				EACH k[r][j][l] = -k[r][3 + j][l] - k[r][6 + j][l] - k[r][9 + j][l];
		for (int l = 0; l < N && e + l < count; l++, where += 16)
			for (int q = 0; q < 4; q++)
				for (int p = 0; p < 4; p++) {
					if (where[4 * p + q] < 0)
						continue;
					const int64_t *col = first + 3 * (int64_t)index[node[q * N + l]];
					for (int c = 0; c < 3; c++) {
						double *to = values + col[c] + where[4 * p + q];
						for (int r = 0; r < (p == q ? c + 1 : 3); r++)
							to[r] += k[3 * p + r][3 * q + c][l];
					}
				}
	}
}
