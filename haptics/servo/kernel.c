#include "kernel.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include <time.h>

/* as in the Go twin, where each is explained */
#define MAX_POSITION 1e3
#define MAX_STRETCH 0.25
#define MAX_CONTACT 1e12
#define MAX_SCALE 1e3
#define GATE_TIME 0.08
#define MAX_BLEND 0.05
#define MAX_PATIENCE 3
#define FALL_FACTOR 3
#define LEAK 5e-4
#define CREEP 0.02
#define MAX_STORED 10.0
#define SLOWEST 1e-4
#define SLIDE_TOLERANCE 1e-10
#define MAX_FIELD_STIFFNESS 1e9
#define LEAST_PIVOT 0.5

int64_t hapco_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static double length3(const double *v) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

static void shorten(double *v, double most)
{
	double l = length3(v);
	if (l <= most)
		return;
	double s = most / l;
	for (int i = 0; i < 3; i++)
		v[i] = s > 0 && s <= 1 ? v[i] * s : 0;
}

static int finite1(double x) { return fabs(x) <= DBL_MAX; }

/* Wide registers where the processor has them; sums are formed in the same
 * order either way. */
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(HAPCO_PLAIN)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

typedef double v4 __attribute__((vector_size(32)));

/* out[i] = row i of a (three rows, stride apart) times b: four interleaved sums
 * each, the rows together so that additions do not wait for each other */
static inline __attribute__((always_inline)) void dot3(const double *a, int64_t stride, const double *b, int64_t n,
                                                       double out[3])
{
	const double *a0 = a, *a1 = a + stride, *a2 = a + 2 * stride;
	v4 s0 = {0, 0, 0, 0}, s1 = s0, s2 = s0;
	int64_t i = 0;
	for (; i + 4 <= n; i += 4) {
		v4 x, y0, y1, y2;
		memcpy(&x, b + i, sizeof x);
		memcpy(&y0, a0 + i, sizeof y0);
		memcpy(&y1, a1 + i, sizeof y1);
		memcpy(&y2, a2 + i, sizeof y2);
		s0 += y0 * x;
		s1 += y1 * x;
		s2 += y2 * x;
	}
	out[0] = (s0[0] + s0[2]) + (s0[1] + s0[3]);
	out[1] = (s1[0] + s1[2]) + (s1[1] + s1[3]);
	out[2] = (s2[0] + s2[2]) + (s2[1] + s2[3]);
	for (; i < n; i++) {
		out[0] += a0[i] * b[i];
		out[1] += a1[i] * b[i];
		out[2] += a2[i] * b[i];
	}
}

void hapco_kernel_init(hapco_kernel *k, double period, double cutoff, int64_t capacity, double *memory)
{
	memset(k, 0, sizeof *k);
	memset(memory, 0, HAPCO_KERNEL_DOUBLES(capacity) * sizeof *memory);
	k->period = period;
	k->cutoff = cutoff;
	k->capacity = capacity;
	k->r = memory;
	k->q = memory + 3 * capacity;
	k->a = memory + 6 * capacity;
}

static int good_state(const hapco_state *s)
{
	for (int i = 0; i < 3; i++)
		if (!(fabs(s->position[i]) <= MAX_POSITION) || !(fabs(s->velocity[i]) <= 1e6))
			return 0;
	const double *q = s->rotation;
	double n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
	return n > 0.9 && n < 1.1;
}

void hapco_tool(const hapco_kernel *k, const hapco_state *s, double position[3], double rotation[4])
{
	const double *d = k->stretch;
	for (int i = 0; i < 3; i++)
		position[i] = s->position[i] - d[i];
	double x = -0.5 * d[3], y = -0.5 * d[4], z = -0.5 * d[5];
	const double *q = s->rotation;
	rotation[0] = q[0] + x * q[3] + y * q[2] - z * q[1];
	rotation[1] = q[1] + y * q[3] + z * q[0] - x * q[2];
	rotation[2] = q[2] + z * q[3] + x * q[1] - y * q[0];
	rotation[3] = q[3] - x * q[0] - y * q[1] - z * q[2];
	double l = sqrt(rotation[0] * rotation[0] + rotation[1] * rotation[1] + rotation[2] * rotation[2] +
	                rotation[3] * rotation[3]);
	if (l > 0)
		for (int i = 0; i < 4; i++)
			rotation[i] /= l;
}

/* tangential force (t[0], t[1]) of length t[2], and the normal force, for one s */
/* the sliding force for one s, the ratio of slip to friction: (S + s I) t = -c, n = r_n - h t; t[2] = |t| */
static double slide(double s11, double s12, double s22, double c1, double c2, double h1, double h2, double rn,
                    double s, double t[3])
{
	double u = s11 + s, v = s22 + s;
	double det = u * v - s12 * s12;
	t[0] = -(v * c1 - s12 * c2) / det;
	t[1] = -(u * c2 - s12 * c1) / det;
	double n = rn - h1 * t[0] - h2 * t[1];
	t[2] = sqrt(t[0] * t[0] + t[1] * t[1]);
	return n;
}

/* Force of one contact, x = A r + b, under
 *
 *	Signorini    x_n >= 0, r_n >= 0, x_n r_n = 0
 *	Coulomb      |r_t| <= mu r_n;  slip x_t = -s r_t, s >= 0, only where |r_t| = mu r_n
 *
 * Open, sticking, or sliding at the root of g(s) = mu n / |t| - 1. It is 0 when A or b
 * make no sense. */
static int local_solve(const double *a, const double b[3], double mu, double r[3])
{
	r[0] = r[1] = r[2] = 0;
	if (!(a[0] > 0) || !(b[0] < 0))
		return b[0] >= 0;
	double rn = -b[0] / a[0]; /* without friction: A_nn r_n + b_n = 0 */
	if (!(rn <= MAX_CONTACT))
		return 0;
	if (!(mu > 0) || !(mu <= 1e3)) {
		r[0] = rn;
		return mu == 0;
	}
	/* x_n = 0 takes the normal row out: n = rn - h t, x_t = S t + c, S = A_tt - A_tn A_nt / A_nn */
	double h1 = a[1] / a[0], h2 = a[2] / a[0];
	double s11 = a[4] - a[3] * h1;
	double s12 = 0.5 * (a[5] + a[7] - a[3] * h2 - a[6] * h1);
	double s22 = a[8] - a[6] * h2;
	double c1 = b[1] + a[3] * rn;
	double c2 = b[2] + a[6] * rn;
	double c = sqrt(c1 * c1 + c2 * c2);
	if (!(c > 0)) {
		r[0] = rn;
		return c == 0;
	}
	double tr = s11 + s22;
	double det = s11 * s22 - s12 * s12;
	int solid = det > 1e-14 * tr * tr && s11 > 0;
	if (solid) { /* sticking: S t + c = 0 inside the cone */
		double t1 = -(s22 * c1 - s12 * c2) / det;
		double t2 = -(s11 * c2 - s12 * c1) / det;
		double n = rn - h1 * t1 - h2 * t2;
		if (n >= 0 && n <= MAX_CONTACT && t1 * t1 + t2 * t2 <= mu * mu * n * n) {
			r[0] = n;
			r[1] = t1;
			r[2] = t2;
			return 1;
		}
	}
	double lo = 0;
	if (!solid) {
		double e = 0.5 * (tr - sqrt((s11 - s22) * (s11 - s22) + 4 * s12 * s12));
		if (e < 0)
			lo = -e;
		lo += 1e-14 * (fabs(s11) + fabs(s22));
	}
	double glo = -1, ghi = 0;
	double hi = lo + c / (mu * rn);
	double guess = c / (mu * rn) - 0.5 * tr; /* exact for a round S and no coupling */
	if (guess > lo && guess < hi)
		hi = guess;
	double n = 0, t[3] = {0, 0, 0};
	int found = 0;
	for (int i = 0; i < 60; i++) {
		n = slide(s11, s12, s22, c1, c2, h1, h2, rn, hi, t);
		ghi = mu * n / t[2] - 1;
		if (ghi >= 0) {
			found = 1;
			break;
		}
		lo = hi;
		glo = ghi;
		hi = i == 0 ? 1.25 * hi : 4 * hi;
	}
	if (!found) {
		r[0] = rn;
		return 0;
	}
	int side = 0;
	for (int i = 0; i < 60; i++) {
		if (ghi <= SLIDE_TOLERANCE)
			break;
		double s = lo + (hi - lo) * glo / (glo - ghi);
		if (!(s > lo && s < hi)) {
			s = 0.5 * (lo + hi);
			if (!(s > lo && s < hi))
				break;
		}
		n = slide(s11, s12, s22, c1, c2, h1, h2, rn, s, t);
		double g = mu * n / t[2] - 1;
		if (fabs(g) <= SLIDE_TOLERANCE)
			break;
		if (g > 0) {
			hi = s;
			ghi = g;
			if (side == 1)
				glo *= 0.5;
			side = 1;
		} else {
			lo = s;
			glo = g;
			if (side == -1)
				ghi *= 0.5;
			side = -1;
		}
	}
	if (!(n >= 0 && n <= MAX_CONTACT) || !(t[2] > 0 && t[2] <= DBL_MAX)) {
		r[0] = rn;
		return 0;
	}
	double f = mu * n / t[2];
	r[0] = n;
	r[1] = f * t[0];
	r[2] = f * t[1];
	return 1;
}

static void let_go(hapco_kernel *k)
{
	memset(k->force, 0, sizeof k->force);
	memset(k->torque, 0, sizeof k->torque);
	k->gate = k->ramp = 0;
	k->armed = 0;
	memset(k->stretch, 0, sizeof k->stretch);
	memset(k->before, 0, sizeof k->before);
	memset(k->jump, 0, sizeof k->jump);
	k->blend = 0;
	k->solved = 0;
	memset(k->velocity, 0, sizeof k->velocity);
	memset(k->r, 0, 3 * (size_t)k->capacity * sizeof *k->r);
}

static void follow(hapco_kernel *k, const hapco_model *m, int fresh)
{
	k->age++;
	if (!fresh)
		return;
	k->age = 0;
	k->seen = 1;
	k->stale = 1;
	k->n = m->n < k->capacity ? m->n : k->capacity;
	if (k->n < 0)
		k->n = 0;
	for (int64_t i = 0; i < 3 * k->n; i++) {
		double x = m->r[i];
		k->r[i] = fabs(x) <= MAX_CONTACT ? x : 0;
	}
	k->blend_all = (double)(m->period / 1000000000) + (double)(m->period % 1000000000) / 1e9;
	if (!(k->blend_all <= MAX_BLEND))
		k->blend_all = MAX_BLEND;
	k->blend_all /= k->period;
	if (!(k->blend_all >= 1.5))
		k->blend_all = 0;
}

static void identity6(double *a)
{
	memset(a, 0, 36 * sizeof *a);
	for (int i = 0; i < 6; i++)
		a[7 * i] = 1;
}

/* The force field F0 - K delta of a new model, or for a new coupling of compliance C:
 *
 *	lead = A = (I + C K)^-1,   soft = A C
 *
 * twin_field_test.go derives it. */
static void couple(hapco_kernel *k, const hapco_model *m)
{
	k->field = m->field != 0;
	k->shaky = 0;
	if (!k->field)
		return;
	for (int i = 0; i < 6; i++)
		if (!(fabs(m->force[i]) <= MAX_CONTACT))
			k->field = 0;
	for (int i = 0; i < 36; i++)
		if (!(fabs(m->k[i]) <= MAX_FIELD_STIFFNESS))
			k->field = 0;
	if (!k->field)
		return;
	memcpy(k->stiff, m->k, sizeof k->stiff);
	double c[6] = {k->ct, k->ct, k->ct, k->cr, k->cr, k->cr}, a[36];
	for (int i = 0; i < 6; i++) {
		for (int j = 0; j < 6; j++)
			a[6 * i + j] = c[i] * m->k[6 * i + j];
		a[7 * i]++;
	}
	identity6(k->lead);
	for (int i = 0; i < 6; i++) {
		double pivot = a[7 * i];
		if (!(pivot >= LEAST_PIVOT)) {
			k->shaky = 1;
			memset(k->stiff, 0, sizeof k->stiff);
			identity6(k->lead);
			break;
		}
		for (int j = 0; j < 6; j++) {
			a[6 * i + j] /= pivot;
			k->lead[6 * i + j] /= pivot;
		}
		for (int l = 0; l < 6; l++) {
			double s = a[6 * l + i];
			if (l == i)
				continue;
			for (int j = 0; j < 6; j++) {
				a[6 * l + j] -= s * a[6 * i + j];
				k->lead[6 * l + j] -= s * k->lead[6 * i + j];
			}
		}
	}
	for (int i = 0; i < 6; i++)
		for (int j = 0; j < 6; j++)
			k->soft[6 * i + j] = k->lead[6 * i + j] * c[j];
}

/* give += s A C f: the motion that a force causes */
static void yield6(const hapco_kernel *k, double give[6], const double f[6], double s)
{
	for (int i = 0; i < 6; i++) {
		double sum = 0;
		for (int j = 0; j < 6; j++)
			sum += k->soft[6 * i + j] * f[j];
		give[i] += s * sum;
	}
}

/* a A C b */
static double through(const hapco_kernel *k, const double *a, const double *b)
{
	double sum = 0;
	for (int i = 0; i < 6; i++) {
		double row = 0;
		for (int j = 0; j < 6; j++)
			row += k->soft[6 * i + j] * b[j];
		sum += a[i] * row;
	}
	return sum;
}

/* F += F0 - K delta, delta = d + A C F: d is the motion without contacts */
static void add_field(hapco_kernel *k, const hapco_model *m, const double d[6], double wrench[6])
{
	double delta[6], f[6], square = 0, meets = 0;
	memcpy(delta, d, sizeof delta);
	yield6(k, delta, wrench, 1);
	for (int i = 0; i < 6; i++) {
		f[i] = m->force[i];
		for (int j = 0; j < 6; j++)
			f[i] -= k->stiff[6 * i + j] * delta[j];
	}
	for (int i = 0; i < 6; i++)
		wrench[i] += f[i];
	for (int i = 0; i < 3; i++) {
		square += f[i] * f[i];
		for (int j = 0; j < 3; j++)
			meets += f[i] * k->stiff[6 * i + j] * f[j];
	}
	double e = 0.5 * square * square / meets;
	if (meets > 0 && e <= MAX_STORED)
		k->stored += e;
}

/* A_cc = W_cc + J_c C J_c^T: what a contact's own force does to it, the coupling's compliance
 * C included (A C in the place of C where there is a field) */
static void blocks(hapco_kernel *k, const hapco_model *m)
{
	int64_t w = 3 * m->n;
	for (int64_t c = 0; c < k->n; c++)
		for (int i = 0; i < 3; i++) {
			const double *ji = m->j + 18 * c + 6 * i;
			for (int l = 0; l < 3; l++) {
				const double *jl = m->j + 18 * c + 6 * l;
				if (k->field) {
					k->a[9 * c + 3 * i + l] = m->w[(3 * c + i) * w + 3 * c + l] + through(k, ji, jl);
					continue;
				}
				k->a[9 * c + 3 * i + l] =
				        m->w[(3 * c + i) * w + 3 * c + l] +
				        k->ct * (ji[0] * jl[0] + ji[1] * jl[1] + ji[2] * jl[2]) +
				        k->cr * (ji[3] * jl[3] + ji[4] * jl[4] + ji[5] * jl[5]);
			}
		}
}

/* Gauss-Seidel on x = (W + J C J^T) r + q, q = free + J d (2.61): each contact in turn gets the
 * force that obeys both laws for the others' newest, from those of the last tick. give = C J^T r
 * is the stretch of the coupling. It ends when sqrt(sum |dr|^2 / sum |r|^2) is small or time is up. */
WIDE static void sweep(hapco_kernel *k, const hapco_model *m, const hapco_params *p, hapco_record *rec)
{
	int64_t w = 3 * m->n, n3 = 3 * k->n;
	int64_t deadline = k->deadline;
	double give[6] = {0, 0, 0, 0, 0, 0};
	for (int64_t i = 0; i < n3; i++) {
		const double *j = m->j + 6 * i;
		for (int c = 0; c < 6; c++)
			give[c] += j[c] * k->r[i];
	}
	/* begin with the best multiple of the last forces: it minimises r (W + J C J^T) r / 2 + r q */
	double up = 0, down = 0;
	for (int64_t i = 0; i < n3; i += 3) {
		double x[3];
		dot3(m->w + i * w, w, k->r, n3, x);
		for (int l = 0; l < 3; l++) {
			up -= k->r[i + l] * k->q[i + l];
			down += k->r[i + l] * x[l];
		}
	}
	double elastic = down;
	if (k->field)
		down += through(k, give, give);
	for (int c = 0; c < 3 && !k->field; c++)
		down += k->ct * give[c] * give[c] + k->cr * give[3 + c] * give[3 + c];
	double scale = up / down;
	if (!(down > 0) || !(scale <= MAX_SCALE))
		scale = 1;
	if (!(scale >= 0))
		scale = 0;
	for (int64_t i = 0; i < n3; i++)
		k->r[i] *= scale;
	elastic *= 0.5 * scale * scale;
	if (elastic > 0 && elastic <= MAX_STORED)
		k->stored = elastic;
	if (k->field) {
		double total[6];
		memcpy(total, give, sizeof total);
		memset(give, 0, sizeof give);
		yield6(k, give, total, scale);
	}
	for (int c = 0; c < 3 && !k->field; c++) {
		give[c] *= k->ct * scale;
		give[3 + c] *= k->cr * scale;
	}
	double step = 1, last = INFINITY;
	for (int32_t s = 1; s <= p->sweeps; s++) {
		double change = 0, size = 0;
		for (int64_t c = 0; c < k->n; c++) {
			double *r = k->r + 3 * c;
			const double *a = k->a + 9 * c;
			double b[3], x[3], d[3];
			/* b = q_c + sum_k W_ck r_k + J_c give - A_cc r_c */
			dot3(m->w + 3 * c * w, w, k->r, n3, x);
			for (int i = 0; i < 3; i++) {
				const double *j = m->j + 18 * c + 6 * i;
				b[i] = k->q[3 * c + i] + x[i] +
				       (j[0] * give[0] + j[1] * give[1] + j[2] * give[2] + j[3] * give[3] +
				        j[4] * give[4] + j[5] * give[5]) -
				       (a[3 * i] * r[0] + a[3 * i + 1] * r[1] + a[3 * i + 2] * r[2]);
			}
			if (!local_solve(a, b, m->mu[c], x))
				rec->flags |= HAPCO_BAD_MODEL;
			for (int i = 0; i < 3; i++) {
				d[i] = step * (x[i] - r[i]);
				r[i] += d[i];
				change += d[i] * d[i];
				size += r[i] * r[i];
			}
			if (k->field) {
				double f[6] = {0, 0, 0, 0, 0, 0};
				for (int i = 0; i < 3; i++)
					for (int l = 0; l < 6; l++)
						f[l] += m->j[18 * c + 6 * i + l] * d[i];
				yield6(k, give, f, 1);
			}
			for (int i = 0; i < 3 && !k->field; i++) {
				const double *j = m->j + 18 * c + 6 * i;
				for (int l = 0; l < 3; l++)
					give[l] += k->ct * j[l] * d[i];
				for (int l = 3; l < 6; l++)
					give[l] += k->cr * j[l] * d[i];
			}
			if (deadline > 0 && (c & 7) == 7 && hapco_now() > deadline) {
				rec->flags |= HAPCO_OVER_BUDGET;
				rec->sweeps = s;
				return;
			}
		}
		rec->sweeps = s;
		rec->residual = 0;
		if (size > 0)
			rec->residual = sqrt(change / size);
		if (!(rec->residual > p->tolerance))
			return;
		if (change > last)
			step = 0.5;
		last = change;
		if (deadline > 0 && hapco_now() > deadline) {
			rec->flags |= HAPCO_OVER_BUDGET;
			return;
		}
	}
}

/* The force in the hand. The stylus has moved by d since the model was found: translation and
 * rotation vector, less the stretch of the coupling.
 *
 *	x = W r + free + J d    Signorini's and Coulomb's laws give r: sweep
 *	F = J^T r               force and torque on the stylus, world axes
 *
 * A force field, F0 - K d, comes on top. */
static void wrench_at(hapco_kernel *k, const double pos[3], const double q[4], const double rest[6],
                      const hapco_model *m, const hapco_params *p, hapco_record *rec, double wrench[6])
{
	for (int c = 0; c < 6; c++)
		wrench[c] = 0;
	k->stored = 0;
	if ((m->field && !k->field) || k->shaky)
		rec->flags |= HAPCO_BAD_MODEL;
	if (k->n == 0 && !k->field)
		return;
	/* motion since the model: translation, rotation vector (twice the vector part of q conj(o)) */
	double d[6];
	const double *o = m->rotation;
	for (int i = 0; i < 3; i++)
		d[i] = pos[i] - m->origin[i];
	double cx = -o[0], cy = -o[1], cz = -o[2], cw = o[3];
	double qw = q[3] * cw - (q[0] * cx + q[1] * cy + q[2] * cz);
	double s = qw < 0 ? -2 : 2;
	d[3] = s * ((q[1] * cz - q[2] * cy) + cx * q[3] + q[0] * cw);
	d[4] = s * ((q[2] * cx - q[0] * cz) + cy * q[3] + q[1] * cw);
	d[5] = s * ((q[0] * cy - q[1] * cx) + cz * q[3] + q[2] * cw);
	for (int i = 0; i < 6; i++)
		d[i] -= rest[i];
	if (k->field) { /* d <- A d + A C F0 */
		double at[6];
		memcpy(at, d, sizeof at);
		for (int i = 0; i < 6; i++) {
			d[i] = 0;
			for (int j = 0; j < 6; j++)
				d[i] += k->lead[6 * i + j] * at[j] + k->soft[6 * i + j] * m->force[j];
		}
	}
	/* q = free + J d */
	for (int64_t i = 0; i < 3 * k->n; i++) {
		const double *j = m->j + 6 * i;
		k->q[i] = m->free[i] + j[0] * d[0] + j[1] * d[1] + j[2] * d[2] + j[3] * d[3] + j[4] * d[4] +
		          j[5] * d[5];
	}
	if (k->n > 0)
		sweep(k, m, p, rec);
	/* F = J^T r */
	for (int64_t i = 0; i < 3 * k->n; i++) {
		const double *j = m->j + 6 * i;
		for (int c = 0; c < 6; c++)
			wrench[c] += j[c] * k->r[i];
	}
	if (k->field)
		add_field(k, m, d, wrench);
}

static void solve(hapco_kernel *k, const hapco_input *in, const hapco_model *m, int fresh, const hapco_params *p,
                  hapco_record *rec, double wrench[6])
{
	/* Coupling: backward Euler of K s + B ds/dt = F over a tick T, s the stretch from stylus to
	 * device: s = keep s_old + C F, C = 1 / (K + B/T), keep = C B/T. */
	double ct = 0, cr = 0, keep = 0, turn = 0, rest[6];
	if (p->coupling == 1) {
		double kt = p->stiffness + p->damping / k->period;
		if (kt > 1e-6) {
			ct = 1 / kt;
			keep = p->damping / k->period * ct;
		}
		if (p->angle_stiffness > 0) {
			cr = 1 / (p->angle_stiffness + p->angle_damping / k->period);
			turn = p->angle_damping / k->period * cr;
		}
	}
	for (int i = 0; i < 3; i++) {
		rest[i] = keep * k->stretch[i];
		rest[3 + i] = turn * k->stretch[3 + i];
	}
	if (k->stale || ct != k->ct || cr != k->cr) {
		k->ct = ct;
		k->cr = cr;
		k->stale = 0;
		couple(k, m);
		blocks(k, m);
	}
	/* the budget is the tick's; a new model's extra solve may use half of it */
	int64_t began = p->budget > 0 ? hapco_now() : 0;
	k->deadline = 0;
	if (fresh) {
		k->blend = 0;
		if (k->blend_all > 0 && k->solved) {
			double was[6];
			if (p->budget > 0)
				k->deadline = began + p->budget / 2;
			wrench_at(k, k->pose_position, k->pose_rotation, k->rest, m, p, rec, was);
			for (int i = 0; i < 6; i++)
				k->jump[i] = k->before[i] - was[i];
			k->blend = k->blend_all;
		}
	}
	if (p->budget > 0)
		k->deadline = began + p->budget;
	wrench_at(k, in->state.position, in->state.rotation, rest, m, p, rec, wrench);
	for (int i = 0; i < 3; i++) {
		k->stretch[i] = rest[i] - ct * wrench[i];
		k->stretch[3 + i] = rest[3 + i] - cr * wrench[3 + i];
	}
	shorten(k->stretch, MAX_STRETCH);
	if (ct > 0) {
		const double *s = k->stretch;
		k->stored += 0.5 * p->stiffness * (s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
	}
	k->stored *= p->reducer;
	shorten(k->stretch + 3, MAX_STRETCH);
	if (k->blend > 0) {
		/* more force than before at once only where the hand has paid for
		 * the energy stored in it; else slowly */
		double w = fmax(0, (k->blend - 1) / k->blend_all), with = 0, without = 0, along = 0;
		for (int i = 0; i < 3; i++) {
			double f = wrench[i] + w * k->jump[i];
			with += f * f;
			without += wrench[i] * wrench[i];
			along += f * wrench[i];
		}
		int against = along < 0 && without > 0;
		int owed = p->passivity && k->energy < k->stored;
		if (owed && against) {
			for (int i = 0; i < 6; i++)
				k->jump[i] = -wrench[i];
			k->blend = k->blend_all;
			w = 1;
		} else if (owed && without > with) {
			if (k->energy >= 0)
				k->blend -= CREEP;
			w = fmax(0, k->blend / k->blend_all);
		} else if (owed) {
			k->blend = w = 0;
		} else {
			k->blend--;
		}
		for (int i = 0; i < 6; i++)
			wrench[i] = against ? 0 : wrench[i] + w * k->jump[i];
		rec->flags |= HAPCO_BLENDED;
	}
	memcpy(k->before, wrench, sizeof k->before);
	memcpy(k->rest, rest, sizeof k->rest);
	memcpy(k->pose_position, in->state.position, sizeof k->pose_position);
	memcpy(k->pose_rotation, in->state.rotation, sizeof k->pose_rotation);
	k->solved = 1;
}

static double fades(hapco_kernel *k, const hapco_input *in, int touching, const hapco_params *p, hapco_record *rec)
{
	double T = k->period;
	int open = 1;
	if (!p->enabled) {
		rec->flags |= HAPCO_DISABLED;
		open = 0;
	}
	if (in->state.clutched) {
		rec->flags |= HAPCO_CLUTCHED;
		open = 0;
	}
	if (p->dead_man != 0 && (in->state.buttons & p->dead_man) == 0) {
		rec->flags |= HAPCO_DEAD_MAN;
		open = 0;
	}
	if (open)
		k->gate = fmin(1, k->gate + T / GATE_TIME);
	else
		k->gate = fmax(0, k->gate - T / GATE_TIME);

	double stale = 1;
	if (k->seen) {
		rec->age = (double)k->age * T;
		double patience = p->stale, slow = 1.5 * k->blend_all * T;
		if (slow > patience)
			patience = fmin(slow, MAX_PATIENCE * patience);
		double over = rec->age - patience;
		if (over > 0) {
			rec->flags |= HAPCO_STALE;
			stale = fmax(0, 1 - over / p->fade);
			if (stale == 0) {
				k->dropped = 1;
				k->ramp = 0;
			}
		} else {
			k->dropped = 0;
		}
	}
	if (k->seen && (!touching || (in->state.buttons & 1) != 0))
		k->armed = 1;
	if (!k->armed)
		rec->flags |= HAPCO_WAITING;
	else if (!k->dropped && !(p->passivity && touching && k->energy < 0))
		k->ramp = fmin(1, k->ramp + T / p->ramp);
	if (k->ramp < 1)
		rec->flags |= HAPCO_RAMPING;

	double v = length3(k->velocity), u = length3(in->state.velocity);
	if (u > v)
		v = u;
	double speed = 1;
	if (!(v <= p->slow_speed)) {
		rec->flags |= HAPCO_SPEED;
		speed = 0;
		if (v < p->fast_speed)
			speed = (p->fast_speed - v) / (p->fast_speed - p->slow_speed);
	}
	/* F <- ramp^2 gate stale speed F, each from 0 to 1 */
	rec->gain = k->ramp * k->ramp * k->gate * stale * speed;
	return rec->gain;
}

/* |F - F_last| <= step, three times that where F falls */
static int slew(double f[3], const double last[3], double step)
{
	double d[3] = {f[0] - last[0], f[1] - last[1], f[2] - last[2]};
	if (length3(f) <= length3(last))
		step *= FALL_FACTOR;
	double l = length3(d);
	if (l <= step)
		return 0;
	double s = step / l;
	for (int i = 0; i < 3; i++)
		f[i] = last[i] + s * d[i];
	return 1;
}

/* |F| <= most, |T| <= max_torque, and no faster than slew; heat follows |F|^2 / continuous^2 */
static void limit(hapco_kernel *k, double f[3], double t[3], const hapco_params *p, hapco_record *rec)
{
	double T = k->period, most = p->max_force;
	if (!(most >= 0))
		most = 0;
	if (length3(f) > most)
		rec->flags |= HAPCO_SATURATED;
	if (p->continuous > 0 && k->heat > 0.8 && most > p->continuous) {
		double cut = most - (most - p->continuous) * fmin(1, (k->heat - 0.8) / 0.2);
		if (length3(f) > cut)
			rec->flags |= HAPCO_THERMAL;
		most = cut;
	}
	shorten(f, most);
	shorten(t, p->max_torque);
	if (slew(f, k->force, p->slew * T))
		rec->flags |= HAPCO_SLEWED;
	if (p->max_force > 0)
		slew(t, k->torque, p->slew * T * p->max_torque / p->max_force);
	shorten(f, most);
	shorten(t, p->max_torque);
	if (p->continuous > 0) {
		double l = length3(f) / p->continuous;
		k->heat += T / p->thermal * (l * l - k->heat);
		if (!(k->heat >= 0 && k->heat <= 1e6))
			k->heat = 0;
	}
}

static void note(const hapco_kernel *k, const hapco_input *in, hapco_record *rec)
{
	memcpy(rec->position, in->state.position, sizeof rec->position);
	memcpy(rec->rotation, in->state.rotation, sizeof rec->rotation);
	for (int i = 0; i < 3; i++)
		rec->tool[i] = rec->position[i] - k->stretch[i];
	memcpy(rec->velocity, k->velocity, sizeof rec->velocity);
	memcpy(rec->force, k->force, sizeof rec->force);
	memcpy(rec->torque, k->torque, sizeof rec->torque);
	rec->energy = k->energy;
	rec->heat = k->heat;
}

void hapco_tick(hapco_kernel *k, const hapco_input *in, const hapco_model *m, int fresh, const hapco_params *p,
                hapco_record *rec)
{
	double T = k->period;
	int good = good_state(&in->state);
	k->tick++;
	memset(rec, 0, sizeof *rec);
	rec->tick = k->tick;
	rec->time = in->time;
	rec->buttons = in->state.buttons;
	rec->model = m->sequence;
	rec->contacts = (int32_t)m->n;
	if (!good || in->state.lost || in->release) {
		rec->flags |= in->release ? HAPCO_RELEASED : in->state.lost ? HAPCO_DEVICE_LOST : HAPCO_BAD_INPUT;
		let_go(k);
		k->moving = 0;
		k->energy = 0;
		follow(k, m, fresh);
		if (good) {
			note(k, in, rec);
		} else {
			rec->rotation[3] = 1;
			memcpy(rec->position, k->position, sizeof rec->position);
			memcpy(rec->tool, k->position, sizeof rec->tool);
		}
		return;
	}
	double dx[3] = {0, 0, 0};
	if (k->moving)
		for (int i = 0; i < 3; i++)
			dx[i] = in->state.position[i] - k->position[i];
	k->moving = 1;
	for (int i = 0; i < 3; i++) {
		k->position[i] = in->state.position[i];
		k->velocity[i] += k->cutoff * (dx[i] / T - k->velocity[i]);
	}
	follow(k, m, fresh);
	double wrench[6], f[3], t[3];
	solve(k, in, m, fresh, p, rec, wrench);
	for (int i = 0; i < 6; i++)
		good = good && finite1(wrench[i]);
	if (!good) {
		rec->flags |= HAPCO_BAD_FORCE;
		let_go(k);
		note(k, in, rec);
		return;
	}
	int touching = 0;
	for (int i = 0; i < 3; i++) {
		rec->raw[i] = wrench[i];
		f[i] = p->reducer * wrench[i];
		t[i] = p->reducer * wrench[3 + i];
		touching = touching || wrench[i] != 0;
	}

	/* passivity: the hand has put in E += -F_last dx; where E < 0, F -= alpha v takes the debt
	 * back within this tick: alpha = -E / (T v^2) */
	k->energy -= k->force[0] * dx[0] + k->force[1] * dx[1] + k->force[2] * dx[2];
	if (!(k->energy <= p->passivity_credit + k->stored))
		k->energy = p->passivity_credit + k->stored;
	if (!(k->energy >= -1))
		k->energy = -1;
	if (k->energy < 0) /* debts lapse slowly */
		k->energy = fmin(0, k->energy + LEAK * T);
	/* a debt is of what the hand touches, and goes with it: nothing brakes a hand that is near nothing */
	if (!touching && ((k->n == 0 && !m->field) || (k->force[0] == 0 && k->force[1] == 0 && k->force[2] == 0)))
		k->energy = 0;
	if (p->passivity && k->energy < 0) {
		double v2 = (dx[0] * dx[0] + dx[1] * dx[1] + dx[2] * dx[2]) / (T * T);
		if (v2 > SLOWEST * SLOWEST) {
			rec->alpha = -k->energy / (T * v2);
			if (!(rec->alpha <= p->passivity_max))
				rec->alpha = p->passivity_max;
			for (int i = 0; i < 3; i++)
				f[i] -= rec->alpha * dx[i] / T;
			rec->flags |= HAPCO_DAMPED;
		}
	}

	double gain = fades(k, in, touching, p, rec);
	for (int i = 0; i < 3; i++) {
		f[i] *= gain;
		t[i] *= gain;
	}
	limit(k, f, t, p, rec);
	memcpy(k->force, f, sizeof k->force);
	memcpy(k->torque, t, sizeof k->torque);
	note(k, in, rec);
}
