// Roots set no errno and nothing traps: only so are loops over lanes put into vectors. -O3 takes minutes
// and is no faster but for these four.
#pragma GCC optimize("no-math-errno", "no-trapping-math", "tree-vectorize", "vect-cost-model=dynamic", "unroll-loops", "peel-loops")

#include "cells.h"

#include <math.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CLONES
#endif

#define N HAPCO_LANES
#define INLINE static inline __attribute__((always_inline))
#define EACH for (int l = 0; l < N; l++)
typedef double lane[N];

INLINE void cofactor(const lane *a, lane *c)
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
INLINE void rotation(const lane *f, const lane *cof, const lane J, lane *r, lane s)
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

// ways are those from the first node to the others.
INLINE void ways(int n, const int32_t *node, const double *x, lane *way)
{
	EACH {
		const double *p = x + 3 * (int64_t)node[l];
		for (int a = 1; a < n; a++) {
			const double *q = x + 3 * (int64_t)node[a * N + l];
			for (int i = 0; i < 3; i++)
				way[3 * (a - 1) + i][l] = q[i] - p[i];
		}
	}
}

// gradient is F_iJ, the sum over a of (x_a - x_0)_i grad_a_J.
INLINE void gradient(int n, const lane *way, const lane *d, lane *F)
{
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++) {
			EACH F[3 * i + j][l] = way[i][l] * d[j][l];
			for (int a = 1; a < n - 1; a++)
				EACH F[3 * i + j][l] += way[3 * a + i][l] * d[3 * a + j][l];
		}
}

// wall is the slope and the curvature of the barrier.
INLINE void wall(const lane J, double *slope, double *curve, double barrier)
{
	EACH slope[l] = curve[l] = 0;
	if (barrier > 0)
		EACH if (J[l] < 0.3) {
			double at = J[l] > 1e-3 ? J[l] : 1e-3, off = at - 0.3, in = log(at / 0.3);
			slope[l] = -barrier * (2 * off * in + off * off / at);
			curve[l] = -barrier * (2 * in + 4 * off / at - off * off / (at * at));
		}
}

// logs are logarithms of positive numbers, to two roundings: x = 2^e m with m about 1, and log m = 2 artanh s, as a series
// in s = (m - 1)/(m + 1) up to 0.1716^23. Unlike log it goes into vectors.
INLINE void logs(const lane x, lane out)
{
	EACH {
		int64_t bits;
		memcpy(&bits, &x[l], sizeof bits);
		int64_t e = (bits - 0x3fe6a09e667f3bcd) >> 52; // of sqrt(1/2)
		bits -= (int64_t)((uint64_t)e << 52);
		double m, series = 1. / 21;
		memcpy(&m, &bits, sizeof m);
		double s = (m - 1) / (m + 1), z = s * s;
		series = series * z + 1. / 19;
		series = series * z + 1. / 17;
		series = series * z + 1. / 15;
		series = series * z + 1. / 13;
		series = series * z + 1. / 11;
		series = series * z + 1. / 9;
		series = series * z + 1. / 7;
		series = series * z + 1. / 5;
		series = series * z + 1. / 3;
		out[l] = (double)e * 0.69314718055994530942 + (2 * s + 2 * s * (z * series));
	}
}

// volumetric adds dW/dJ of what of a law depends on J alone, and its slope.
INLINE void volumetric(const lane J, double *slope, double *curve, const hapco_law *m)
{
	if (m->law != HAPCO_NEO_HOOKEAN)
		return;
	lane from, ins;
	EACH from[l] = J[l] > m->floor ? J[l] : m->floor;
	logs(from, ins);
	EACH {
		double at = from[l], in = at > 0 ? ins[l] : -1e3;
		double c = (m->lambda + m->mu - m->lambda * in) / (at * at);
		slope[l] += (m->lambda * in - m->mu) / at + c * (J[l] - at);
		curve[l] += c;
	}
}

// staying adds D S.
INLINE void staying(const lane *D, const lane *S, lane *P)
{
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++)
			EACH P[3 * i + j][l] += D[3 * i][l] * S[j][l] + D[3 * i + 1][l] * S[3 + j][l] + D[3 * i + 2][l] * S[6 + j][l];
}

// stress is P = dW/dF. slope holds what a barrier adds to dW/dJ.
INLINE void stress(const lane *F, const lane *cof, const lane J, lane slope, lane curve, const lane *stays, lane *P, const hapco_law *m)
{
	volumetric(J, slope, curve, m);
	if (m->law == HAPCO_NEO_HOOKEAN) {
		for (int k = 0; k < 9; k++)
			EACH P[k][l] = m->mu * F[k][l] + slope[l] * cof[k][l];
	} else {
		lane R[9], c;
		rotation(F, cof, J, R, c);
		EACH c[l] = m->lambda * (c[l] - 3) - 2 * m->mu;
		for (int k = 0; k < 9; k++)
			EACH P[k][l] = 2 * m->mu * F[k][l] + c[l] * R[k][l] + slope[l] * cof[k][l];
	}
	if (stays)
		staying(F, stays, P);
}

// share adds the forces of the stress P of a point to those of the nodes but the first.
INLINE void share(int n, const lane *d, const lane w, const lane *P, lane *out)
{
	for (int a = 0; a < n - 1; a++)
		for (int i = 0; i < 3; i++)
			EACH out[3 * a + i][l] += w[l] * (P[3 * i][l] * d[3 * a][l] + P[3 * i + 1][l] * d[3 * a + 1][l] + P[3 * i + 2][l] * d[3 * a + 2][l]);
}

// spread adds them to those of the body; that of the first node is minus the others'.
INLINE void spread(int n, const int32_t *node, const lane w, lane *out, double *f)
{
	lane sum[3];
	for (int i = 0; i < 3; i++) {
		EACH sum[i][l] = out[i][l];
		for (int a = 1; a < n - 1; a++)
			EACH sum[i][l] += out[3 * a + i][l];
	}
	EACH if (w[l] > 0) {
		double *first = f + 3 * (int64_t)node[l];
		for (int i = 0; i < 3; i++)
			first[i] -= sum[i][l];
		for (int a = 1; a < n; a++)
			for (int i = 0; i < 3; i++)
				f[3 * (int64_t)node[a * N + l] + i] += out[3 * (a - 1) + i][l];
	}
}

// mean is the mean dilatation of an element, and its volume.
INLINE void mean(int q, const lane *w, const lane *J, lane theta, lane volume)
{
	EACH theta[l] = volume[l] = 0;
	for (int p = 0; p < q; p++)
		EACH {
			theta[l] += w[p][l] * J[p][l];
			volume[l] += w[p][l];
		}
	EACH {
		volume[l] = volume[l] > 0 ? volume[l] : 1;
		theta[l] /= volume[l];
	}
}

// bar is phi = (Jbar/J)^(1/3) and c of block.bar. The root is Halley's; where J is not positive
// it is of no use, as the caller sees.
INLINE void bar(const lane J, const lane theta, lane phi, lane c, double mean)
{
	lane s, change;
	EACH {
		double j = J[l] + mean * (theta[l] - J[l]);
		s[l] = j / J[l];
		s[l] = s[l] > 1e-6 && s[l] < 1e6 ? s[l] : 1;
		c[l] = mean * theta[l] / (3 * j);
		phi[l] = s[l] < 2 ? (2 + s[l]) / 3 : sqrt(s[l]);
	}
	for (int round = 0; round < 24; round++) {
		double most = 0;
		EACH {
			double cube = phi[l] * phi[l] * phi[l];
			change[l] = phi[l] * (s[l] - cube) / (2 * cube + s[l]);
			phi[l] += change[l];
		}
		EACH most = fabs(change[l]) > 1e-6 * phi[l] ? 1 : most;
		if (most == 0) // the next change is about the cube of this one
			break;
	}
}

INLINE double forces(int n, int q, int64_t groups, const int32_t *conn, const double *grad, const double *weight, const double *stays,
                     const double *x, double *f, const hapco_law *m)
{
	double least = 1e300;
	for (int64_t g = 0; g < groups; g++) {
		const int32_t *node = conn + g * n * N;
		const lane *d = (const lane *)grad + g * q * 3 * (n - 1), *w = (const lane *)weight + g * q, *s = stays ? (const lane *)stays + g * q * 9 : 0;
		lane way[3 * (n - 1)], out[3 * (n - 1)], F[q][9], cof[q][9], J[q], P[q][9], slope, curve;
		memset(out, 0, sizeof out);
		ways(n, node, x, way);
		for (int p = 0; p < q; p++) {
			gradient(n, way, d + p * 3 * (n - 1), F[p]);
			cofactor(F[p], cof[p]);
			EACH J[p][l] = F[p][0][l] * cof[p][0][l] + F[p][1][l] * cof[p][1][l] + F[p][2][l] * cof[p][2][l];
			EACH if (w[p][l] > 0 && !(J[p][l] >= least)) // NaN too
				least = J[p][l] - J[p][l] == 0 ? J[p][l] : -1e300;
		}
		if (q == 1) {
			wall(J[0], slope, curve, m->barrier);
			stress(F[0], cof[0], J[0], slope, curve, s, P[0], m);
		} else {
			lane theta, volume, total, phi, c, press[q];
			mean(q, w, J, theta, volume);
			EACH total[l] = 0;
			for (int p = 0; p < q; p++) { // forces of block
				lane B[9], cofB[9], JB, tau;
				bar(J[p], theta, phi, c, m->mean);
				for (int k = 0; k < 9; k++)
					EACH {
						B[k][l] = phi[l] * F[p][k][l];
						cofB[k][l] = phi[l] * phi[l] * cof[p][k][l];
					}
				EACH JB[l] = phi[l] * phi[l] * phi[l] * J[p][l];
				EACH slope[l] = curve[l] = tau[l] = 0;
				stress(B, cofB, JB, slope, curve, s ? s + 9 * p : 0, P[p], m);
				for (int k = 0; k < 9; k++)
					EACH {
						tau[l] += P[p][k][l] * B[k][l];
						P[p][k][l] *= phi[l];
					}
				wall(J[p], slope, curve, m->barrier);
				EACH {
					press[p][l] = slope[l] - c[l] * tau[l] / J[p][l];
					total[l] += w[p][l] * c[l] * tau[l];
				}
			}
			EACH total[l] /= theta[l] * volume[l];
			for (int p = 0; p < q; p++)
				for (int k = 0; k < 9; k++)
					EACH P[p][k][l] += (press[p][l] + total[l]) * cof[p][k][l];
		}
		for (int p = 0; p < q; p++)
			share(n, d + p * 3 * (n - 1), w[p], P[p], out);
		spread(n, node, w[0], out, f);
	}
	return least;
}

// What the tangent of a point needs: F (or Fbar), R, the upper triangle of (tr(U) I - U)^-1, slope
// and curvature of what depends on J, and lambda (tr(U) - 3) - 2 mu. With mean dilatation, too:
// Pbar, phi, J, tau, c, and slope and curvature of the barrier; and of the element T/(Theta V),
// Theta and V.
enum { AT_R = 9, AT_TURN = 18, AT_SLOPE = 24, AT_CURVE = 25, AT_C = 26, AT_P = 27, AT_PHI = 36, AT_J = 37, AT_TAU = 38, AT_SHARE = 39, AT_WALL = 40, AT_WALLS = 41, OF_POINT = 42, OF_ELEMENT = 3 };

INLINE int lanes_of(int q) { return q == 1 ? 27 : q * OF_POINT + OF_ELEMENT; }

// linearise makes the tangent at F ready for product; to[AT_SLOPE], to[AT_CURVE] hold a barrier's.
INLINE void linearise(const lane *cof, const lane J, lane *to, const hapco_law *m)
{
	lane *F = to, *R = to + AT_R, *T = to + AT_TURN;
	volumetric(J, to[AT_SLOPE], to[AT_CURVE], m);
	if (m->law == HAPCO_NEO_HOOKEAN)
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
		to[AT_C][l] = m->lambda * (trace[l] - 3) - 2 * m->mu;
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

// curved adds by times the change of cof F in a change D of F.
INLINE void curved(const lane *F, const lane *D, const lane by, lane *P)
{
	for (int i = 0; i < 3; i++) {
		int p = (i + 1) % 3 * 3, q = (i + 2) % 3 * 3;
		for (int j = 0; j < 3; j++) {
			int r = (j + 1) % 3, s = (j + 2) % 3;
			EACH P[3 * i + j][l] += by[l] * (F[p + r][l] * D[q + s][l] + D[p + r][l] * F[q + s][l] - F[p + s][l] * D[q + r][l] - D[p + s][l] * F[q + r][l]);
		}
	}
}

// product is the stress P that the gradient D of a displacement brings.
INLINE void product(const lane *at, const lane *D, const lane *stays, lane *P, const hapco_law *m)
{
	const lane *F = at, *R = at + AT_R, *T = at + AT_TURN;
	lane cof[9], w;
	int volume_acts = m->law == HAPCO_NEO_HOOKEAN;
	if (m->law == HAPCO_NEO_HOOKEAN) {
		for (int k = 0; k < 9; k++)
			EACH P[k][l] = m->mu * D[k][l];
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
			dot *= m->lambda;
			for (int i = 0; i < 9; i += 3) {
				P[i][l] = 2 * m->mu * D[i][l] + dot * R[i][l] + R[i + 1][l] * w2 - R[i + 2][l] * w1;
				P[i + 1][l] = 2 * m->mu * D[i + 1][l] + dot * R[i + 1][l] + R[i + 2][l] * w0 - R[i][l] * w2;
				P[i + 2][l] = 2 * m->mu * D[i + 2][l] + dot * R[i + 2][l] + R[i][l] * w1 - R[i + 1][l] * w0;
			}
		}
		EACH volume_acts |= at[AT_CURVE][l] != 0;
	}
	if (volume_acts) {
		cofactor(F, cof);
		EACH w[l] = 0;
		for (int k = 0; k < 9; k++)
			EACH w[l] += cof[k][l] * D[k][l];
		EACH w[l] *= at[AT_CURVE][l];
		for (int k = 0; k < 9; k++)
			EACH P[k][l] += w[l] * cof[k][l];
		curved(F, D, at[AT_SLOPE], P);
	}
	if (stays)
		staying(D, stays, P);
}

// tangent fills the state of a group at x.
INLINE void tangent(int n, int q, const int32_t *node, const lane *d, const lane *w, const lane *s, const double *x, lane *state, const hapco_law *m)
{
	lane way[3 * (n - 1)], cof[q][9], J[q], theta, volume;
	ways(n, node, x, way);
	for (int p = 0; p < q; p++) {
		lane *at = state + (q == 1 ? 0 : p * OF_POINT);
		gradient(n, way, d + p * 3 * (n - 1), at);
		cofactor(at, cof[p]);
		EACH J[p][l] = at[0][l] * cof[p][0][l] + at[1][l] * cof[p][1][l] + at[2][l] * cof[p][2][l];
	}
	if (q == 1) {
		wall(J[0], state[AT_SLOPE], state[AT_CURVE], m->barrier);
		linearise(cof[0], J[0], state, m);
		return;
	}
	lane *element = state + q * OF_POINT;
	mean(q, w, J, theta, volume);
	EACH element[0][l] = 0;
	for (int p = 0; p < q; p++) {
		lane *at = state + p * OF_POINT, slope, curve;
		wall(J[p], at[AT_WALL], at[AT_WALLS], m->barrier);
		bar(J[p], theta, at[AT_PHI], at[AT_SHARE], m->mean);
		for (int k = 0; k < 9; k++)
			EACH {
				at[k][l] *= at[AT_PHI][l];
				cof[p][k][l] *= at[AT_PHI][l] * at[AT_PHI][l];
			}
		EACH {
			at[AT_J][l] = J[p][l];
			J[p][l] *= at[AT_PHI][l] * at[AT_PHI][l] * at[AT_PHI][l];
			slope[l] = curve[l] = at[AT_SLOPE][l] = at[AT_CURVE][l] = at[AT_TAU][l] = 0;
		}
		stress(at, cof[p], J[p], slope, curve, s ? s + 9 * p : 0, at + AT_P, m);
		for (int k = 0; k < 9; k++)
			EACH at[AT_TAU][l] += at[AT_P + k][l] * at[k][l];
		linearise(cof[p], J[p], at, m);
		EACH element[0][l] += w[p][l] * at[AT_SHARE][l] * at[AT_TAU][l];
	}
	EACH {
		element[0][l] /= theta[l] * volume[l];
		element[1][l] = theta[l];
		element[2][l] = volume[l];
	}
}

// products are the stresses of all points that gradients D bring: with t = d Theta/Theta, a = dJ/J
// and what forces are made of,
//
//	dP = dphi Pbar + phi dPbar + press dcof F + dpress cof F,  press = T/(Theta V) - c tau/J + b'
INLINE void products(int q, const lane *state, const lane *w, const lane *s, lane D[][9], lane P[][9], const hapco_law *m)
{
	if (q == 1) {
		product(state, D[0], s, P[0], m);
		return;
	}
	const lane *element = state + q * OF_POINT;
	lane cof[q][9], a[q], dpress[q], t, total;
	EACH t[l] = total[l] = 0;
	for (int p = 0; p < q; p++) {
		const lane *at = state + p * OF_POINT;
		cofactor(at, cof[p]);
		EACH a[p][l] = 0;
		for (int k = 0; k < 9; k++)
			EACH {
				cof[p][k][l] /= at[AT_PHI][l] * at[AT_PHI][l];
				a[p][l] += cof[p][k][l] * D[p][k][l];
			}
		EACH t[l] += w[p][l] * a[p][l] / (element[1][l] * element[2][l]);
		EACH a[p][l] /= at[AT_J][l];
	}
	for (int p = 0; p < q; p++) {
		const lane *at = state + p * OF_POINT;
		lane B[9], F[9], dtau, grows, press, dc;
		EACH {
			grows[l] = at[AT_SHARE][l] * (t[l] - a[p][l]);
			dc[l] = (1 - 3 * at[AT_SHARE][l]) * grows[l];
			dtau[l] = 0;
		}
		for (int k = 0; k < 9; k++)
			EACH {
				F[k][l] = at[k][l] / at[AT_PHI][l];
				B[k][l] = at[AT_PHI][l] * D[p][k][l] + grows[l] * at[k][l];
			}
		product(at, B, s ? s + 9 * p : 0, P[p], m);
		for (int k = 0; k < 9; k++)
			EACH {
				dtau[l] += P[p][k][l] * at[k][l] + at[AT_P + k][l] * B[k][l];
				P[p][k][l] = at[AT_PHI][l] * (P[p][k][l] + grows[l] * at[AT_P + k][l]);
			}
		EACH {
			double change = dc[l] * at[AT_TAU][l] + at[AT_SHARE][l] * dtau[l], part = at[AT_SHARE][l] * at[AT_TAU][l] / at[AT_J][l];
			press[l] = element[0][l] - part + at[AT_WALL][l];
			dpress[p][l] = -change / at[AT_J][l] + part * a[p][l] + at[AT_WALLS][l] * at[AT_J][l] * a[p][l];
			total[l] += w[p][l] * change;
		}
		curved(F, D[p], press, P[p]);
	}
	EACH total[l] = total[l] / (element[1][l] * element[2][l]) - element[0][l] * t[l];
	for (int p = 0; p < q; p++)
		for (int k = 0; k < 9; k++)
			EACH P[p][k][l] += (dpress[p][l] + total[l]) * cof[p][k][l];
}

INLINE void times(int n, int q, int64_t groups, const int32_t *conn, const double *grad, const double *weight, const double *stays,
                  const double *state, const double *v, double *f, const hapco_law *m)
{
	for (int64_t g = 0; g < groups; g++) {
		const int32_t *node = conn + g * n * N;
		const lane *d = (const lane *)grad + g * q * 3 * (n - 1), *w = (const lane *)weight + g * q, *s = stays ? (const lane *)stays + g * q * 9 : 0;
		lane way[3 * (n - 1)], out[3 * (n - 1)], D[q][9], P[q][9];
		memset(out, 0, sizeof out);
		ways(n, node, v, way);
		for (int p = 0; p < q; p++)
			gradient(n, way, d + p * 3 * (n - 1), D[p]);
		products(q, (const lane *)state + g * lanes_of(q), w, s, D, P, m);
		for (int p = 0; p < q; p++)
			share(n, d + p * 3 * (n - 1), w[p], P[p], out);
		spread(n, node, w[0], out, f);
	}
}

INLINE void stiffness(int n, int q, int64_t count, const int32_t *conn, const double *grad, const double *weight, const double *stays,
                      const double *x, const hapco_law *m, const int32_t *where, const int32_t *index, const int64_t *first, double *values)
{
	for (int64_t g = 0; g * N < count; g++) {
		const int32_t *node = conn + g * n * N;
		const lane *d = (const lane *)grad + g * q * 3 * (n - 1), *w = (const lane *)weight + g * q, *s = stays ? (const lane *)stays + g * q * 9 : 0;
		lane state[lanes_of(q)], D[q][9], P[q][9], k[3 * n][3 * n]; // k by columns
		tangent(n, q, node, d, w, s, x, state, m);
		for (int b = 1; b < n; b++)
			for (int j = 0; j < 3; j++) {
				lane *col = k[3 * b + j];
				for (int p = 0; p < q; p++)
					for (int i = 0; i < 9; i++)
						EACH D[p][i][l] = i / 3 == j ? d[p * 3 * (n - 1) + 3 * (b - 1) + i % 3][l] : 0;
				products(q, state, w, s, D, P, m);
				memset(col, 0, 3 * n * sizeof *col);
				for (int p = 0; p < q; p++)
					share(n, d + p * 3 * (n - 1), w[p], P[p], col + 3);
				for (int a = 1; a < n; a++) // nothing acts where all nodes go the same way
					for (int i = 0; i < 3; i++)
						EACH col[i][l] -= col[3 * a + i][l];
			}
		for (int j = 0; j < 3; j++)
			for (int r = 0; r < 3 * n; r++) {
				EACH k[j][r][l] = 0;
				for (int b = 1; b < n; b++)
					EACH k[j][r][l] -= k[3 * b + j][r][l];
			}
		for (int l = 0; l < N && g * N + l < count; l++, where += n * n)
			for (int b = 0; b < n; b++)
				for (int a = 0; a < n; a++) {
					if (where[n * a + b] < 0)
						continue;
					const int64_t *col = first + 3 * (int64_t)index[node[b * N + l]];
					for (int c = 0; c < 3; c++) {
						double *to = values + col[c] + where[n * a + b];
						for (int r = 0; r < (a == b ? c + 1 : 3); r++)
							to[r] += k[3 * b + c][3 * a + r][l];
					}
				}
	}
}

int hapco_cells_state(int points) { return lanes_of(points); }

// OF calls a function for the elements of so many points.
#define OF(call)     \
	if (points == 1)   \
		call(4, 1);      \
	else               \
		call((points == 4 ? 10 : 8), points)

CLONES double hapco_cells(int points, int64_t groups, const int32_t *conn, const double *grad, const double *weight, const double *stays,
                          const double *x, double *f, hapco_law m)
{
	double least = 1e300;
#define CALL(n, q) least = forces(n, q, groups, conn, grad, weight, stays, x, f, &m)
	OF(CALL);
#undef CALL
	return least;
}

CLONES void hapco_cells_tangent(int points, int64_t groups, const int32_t *conn, const double *grad, const double *weight, const double *stays,
                                const double *x, double *state, hapco_law m)
{
#define CALL(n, q)                                                                                                               \
	for (int64_t g = 0; g < groups; g++)                                                                                           \
		tangent(n, q, conn + g * n * N, (const lane *)grad + g * q * 3 * (n - 1), (const lane *)weight + g * q,                      \
		        stays ? (const lane *)stays + g * q * 9 : 0, x, (lane *)state + g * lanes_of(q), &m)
	OF(CALL);
#undef CALL
}

CLONES void hapco_cells_times(int points, int64_t groups, const int32_t *conn, const double *grad, const double *weight, const double *stays,
                              const double *state, const double *v, double *f, hapco_law m)
{
#define CALL(n, q) times(n, q, groups, conn, grad, weight, stays, state, v, f, &m)
	OF(CALL);
#undef CALL
}

CLONES void hapco_cells_stiffness(int points, int64_t count, const int32_t *conn, const double *grad, const double *weight, const double *stays,
                                  const double *x, hapco_law m, const int32_t *where, const int32_t *index, const int64_t *first, double *values)
{
#define CALL(n, q) stiffness(n, q, count, conn, grad, weight, stays, x, &m, where, index, first, values)
	OF(CALL);
#undef CALL
}
