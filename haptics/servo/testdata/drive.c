/* Drives the kernel with hostile numbers, and the loop with its boxes and ring
 * from two threads, for the sanitizers to watch. */
#include "servo.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t seed = 88172645463325252u;

static uint64_t next(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static double unit(void) { return (double)(next() >> 11) / 9007199254740992.0 * 2 - 1; }

static double wild(double scale)
{
	switch (next() % 40) {
	case 0: return NAN;
	case 1: return INFINITY;
	case 2: return -1e300;
	case 3: return 0;
	case 4: return 1e-300;
	}
	return scale * unit();
}

static void hostile(hapco_model *m, int64_t most)
{
	m->n = (int64_t)(next() % (uint64_t)(most + 1));
	m->period = (int64_t)(next() % 60000000) - 5000000;
	for (int i = 0; i < 3; i++)
		m->origin[i] = wild(0.01);
	for (int i = 0; i < 4; i++)
		m->rotation[i] = next() % 3 ? i == 3 : wild(1);
	for (int64_t i = 0; i < 9 * m->n * m->n; i++)
		m->w[i] = wild(1e-3);
	for (int64_t i = 0; i < 18 * m->n; i++)
		m->j[i] = wild(1);
	for (int64_t i = 0; i < 3 * m->n; i++) {
		m->w[i * (3 * m->n + 1)] = fabs(wild(1e-2));
		m->free[i] = wild(1e-3);
		m->r[i] = wild(5);
	}
	for (int64_t i = 0; i < m->n; i++)
		m->mu[i] = wild(0.7);
}

static hapco_params params(void)
{
	hapco_params p = {.max_force = 3, .reducer = 1, .stiffness = 300, .damping = 1, .angle_stiffness = 1,
	                  .angle_damping = 0.01, .passivity_max = 20, .passivity_credit = 1e-3, .tolerance = 1e-6,
	                  .max_torque = 0.1, .continuous = 1, .thermal = 30, .slew = 400, .ramp = 0.02, .stale = 0.02,
	                  .fade = 0.08, .slow_speed = 50, .fast_speed = 100, .sweeps = 8, .coupling = 1,
	                  .enabled = 1, .passivity = 1};
	return p;
}

static double size(const double *v) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

static int kernel(int ticks)
{
	enum { MOST = 8 };
	hapco_servo *s = hapco_servo_new(1e-3, 0.15, MOST, 1);
	hapco_params p = params();
	hapco_input in;
	hapco_record rec;
	double last[3] = {0, 0, 0};
	memset(&in, 0, sizeof in);
	for (int i = 0; i < ticks; i++) {
		int fresh = next() % 3 == 0;
		if (fresh)
			hostile(&s->model[0], MOST);
		if (i % 1000 == 0)
			p.coupling = (uint32_t)(next() & 1);
		for (int k = 0; k < 3; k++) {
			in.state.position[k] += 1e-4 * unit();
			if (next() % 2000 == 0)
				in.state.position[k] = wild(1);
			else if (!(fabs(in.state.position[k]) < 0.05))
				in.state.position[k] = 0;
			in.state.rotation[k] = 0;
			in.state.velocity[k] = next() % 5000 ? 0 : wild(1);
		}
		in.state.rotation[3] = next() % 5000 ? 1 : wild(1);
		in.state.lost = next() % 3000 == 0;
		in.state.clutched = next() % 3000 == 0;
		in.state.buttons = (uint32_t)(next() & 1);
		in.time = (int64_t)i * 1000000;
		hapco_tick(&s->kernel, &in, &s->model[0], fresh, &p, &rec);
		double f = size(rec.force), l = size(last), d[3];
		for (int k = 0; k < 3; k++)
			d[k] = rec.force[k] - last[k];
		double step = 0.4 * (f <= l ? 3 : 1);
		if (!(f <= 3 * (1 + 1e-12)) || (f != 0 && !(size(d) <= step * (1 + 1e-9)))) {
			fprintf(stderr, "tick %d: force %g %g %g\n", i, rec.force[0], rec.force[1], rec.force[2]);
			return 1;
		}
		memcpy(last, rec.force, sizeof last);
	}
	hapco_servo_free(s);
	return 0;
}

static void *run(void *arg)
{
	char note[400];
	hapco_servo_run(arg, 0, 0, note, sizeof note);
	return NULL;
}

static int loop(int ms)
{
	hapco_servo *s = hapco_servo_new(1.0 / 4000, 0.04, 16, 512);
	hapco_mailbox *m = hapco_mailbox_new();
	s->device = hapco_mailbox_device(m);
	for (int i = 0; i < 3; i++)
		s->param[i] = params();
	pthread_t t;
	if (pthread_create(&t, NULL, run, s) != 0)
		return 1;
	uint64_t seen = 0;
	for (int i = 0; i < ms; i++) {
		struct timespec nap = {0, 1000000};
		nanosleep(&nap, NULL);
		hapco_state *st = &m->state[m->in.write];
		memset(st, 0, sizeof *st);
		st->rotation[3] = 1;
		st->position[1] = 1e-3 * unit();
		hapco_box_publish(&m->in);
		hostile(&s->model[s->models.write], 16);
		hapco_box_publish(&s->models);
		int fresh;
		hapco_box_get(&m->out, &fresh);
		hapco_box_get(&s->samples, &fresh);
		hapco_box_get(&s->statuses, &fresh);
		uint64_t head = __atomic_load_n(&s->head, __ATOMIC_ACQUIRE);
		for (uint64_t k = s->tail; k < head; k++)
			if (s->ring[k & s->mask].tick <= seen)
				return 2;
			else
				seen = s->ring[k & s->mask].tick;
		__atomic_store_n(&s->tail, head, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&s->stop, 1, __ATOMIC_RELEASE);
	pthread_join(t, NULL);
	int fresh;
	const double *w = m->wrench[hapco_box_get(&m->out, &fresh)];
	int bad = size(w) != 0 || seen == 0;
	hapco_mailbox_free(m);
	hapco_servo_free(s);
	return bad;
}

int main(int argc, char **argv)
{
	int ticks = argc > 1 ? atoi(argv[1]) : 100000;
	if (kernel(ticks) != 0)
		return 1;
	int e = loop(200);
	if (e != 0) {
		fprintf(stderr, "loop: %d\n", e);
		return 2;
	}
	puts("clean");
	return 0;
}
