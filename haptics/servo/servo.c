#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "servo.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define RATE_WINDOW 500000000
#define SILENCE 200000000 /* ns without a word after which a mailbox's device feels nothing */
#define LOST 2000000000    /* and after which it is lost */

static size_t round_up(size_t n) { return (n + 63) & ~(size_t)63; }

int hapco_servo_starves;

static int starved(void) { return hapco_servo_starves > 0 && --hapco_servo_starves == 0; }

static void *zeroed(size_t bytes) { return starved() ? NULL : calloc(1, bytes); }

hapco_servo *hapco_servo_new(double period, double cutoff, int64_t capacity, int64_t records)
{
	uint64_t slots = 1;
	while (slots < (uint64_t)records)
		slots *= 2;
	size_t w = 9 * (size_t)capacity * (size_t)capacity;
	size_t model = w + 25 * (size_t)capacity; /* free, w, j, mu, r */
	size_t total = round_up(sizeof(hapco_servo)) +
	               round_up(HAPCO_KERNEL_DOUBLES((size_t)capacity) * sizeof(double)) +
	               3 * round_up(model * sizeof(double)) + slots * sizeof(hapco_record);
	char *p = NULL;
	if (starved() || posix_memalign((void **)&p, 4096, total) != 0)
		return NULL;
	memset(p, 0, total); /* touch every page now, not in a tick */
	hapco_servo *s = (hapco_servo *)p;
	s->bytes = total;
	p += round_up(sizeof(hapco_servo));
	hapco_kernel_init(&s->kernel, period, cutoff, capacity, (double *)p);
	p += round_up(HAPCO_KERNEL_DOUBLES((size_t)capacity) * sizeof(double));
	for (int i = 0; i < 3; i++) {
		double *d = (double *)p;
		hapco_model *m = &s->model[i];
		m->rotation[3] = 1;
		m->w = d;
		m->j = m->w + w;
		m->free = m->j + 18 * capacity;
		m->r = m->free + 3 * capacity;
		m->mu = m->r + 3 * capacity;
		p += round_up(model * sizeof(double));
		s->sample[i].stylus_rotation[3] = s->sample[i].hand_rotation[3] = 1;
	}
	s->ring = (hapco_record *)p;
	s->mask = slots - 1;
	s->period = (int64_t)(period * 1e9 + 0.5);
	hapco_box_init(&s->models);
	hapco_box_init(&s->params);
	hapco_box_init(&s->samples);
	hapco_box_init(&s->statuses);
	return s;
}

void hapco_servo_free(hapco_servo *s) { free(s); }

static int32_t clip(int64_t ns) { return ns > INT32_MAX ? INT32_MAX : ns < INT32_MIN ? INT32_MIN : (int32_t)ns; }

static double load_double(const uint64_t *bits)
{
	uint64_t u = __atomic_load_n(bits, __ATOMIC_RELAXED);
	double d;
	memcpy(&d, &u, sizeof d);
	return d;
}

static void meter(hapco_servo *s, const hapco_record *r)
{
	uint32_t began = r->flags & ~s->last_flags;
	s->last_flags = r->flags;
	for (int i = 0; i < HAPCO_FLAGS; i++)
		if (began & (1u << i))
			s->counts[i]++;
	if (r->late > s->late)
		s->late = r->late;
	if (r->work > s->work)
		s->work = r->work;
	double f = sqrt(r->force[0] * r->force[0] + r->force[1] * r->force[1] + r->force[2] * r->force[2]);
	if (f > s->peak)
		s->peak = f;
	s->rate_ticks++;
	int64_t span = r->time - s->rate_start;
	if (span >= RATE_WINDOW) {
		s->rate = (double)s->rate_ticks * 1e9 / (double)span;
		s->rate_ticks = 0;
		s->rate_start = r->time;
		s->late_last = s->late;
		s->work_last = s->work;
		s->peak_last = s->peak;
		s->late = s->work = 0;
		s->peak = 0;
	}
}

static void record(hapco_servo *s, const hapco_record *r)
{
	uint64_t h = s->head;
	if (h - __atomic_load_n(&s->tail, __ATOMIC_ACQUIRE) > s->mask) {
		s->dropped++;
		return;
	}
	s->ring[h & s->mask] = *r;
	__atomic_store_n(&s->head, h + 1, __ATOMIC_RELEASE);
}

void hapco_servo_step(hapco_servo *s, int64_t now, int64_t late)
{
	if (s->start == 0)
		s->start = now;
	int fresh, ignore, error = 0;
	hapco_input *in = &s->input;
	int failed = s->device.read(s->device.self, &in->state);
	if (failed) {
		in->state.lost = 1;
		error = failed;
	}
	in->time = now - s->start;
	in->release = __atomic_load_n(&s->release, __ATOMIC_ACQUIRE) != 0 || __atomic_load_n(&s->stop, __ATOMIC_ACQUIRE);
	const hapco_model *m = &s->model[hapco_box_get(&s->models, &fresh)];
	hapco_params p = s->param[hapco_box_get(&s->params, &ignore)];
	double k = load_double(&s->spring_stiffness);
	if (k > 0) {
		double b = load_double(&s->spring_damping);
		p.coupling = 1;
		p.angle_stiffness *= p.stiffness > 0 ? k / p.stiffness : 0; /* the lever stays */
		p.angle_damping = b / k * p.angle_stiffness;
		p.stiffness = k;
		p.damping = b;
	}
	hapco_record r;
	hapco_tick(&s->kernel, in, m, fresh, &p, &r);
	failed = s->device.write(s->device.self, r.force, r.torque);
	if (failed) {
		s->errors++;
		error = failed;
	}
	__atomic_store_n(&s->released, in->release && !failed, __ATOMIC_RELEASE);
	r.late = clip(late);
	r.work = clip(hapco_now() - now);

	if (!(r.flags & (HAPCO_BAD_INPUT | HAPCO_DEVICE_LOST))) {
		hapco_sample *a = &s->sample[s->samples.write];
		a->tick = r.tick;
		hapco_tool(&s->kernel, &in->state, a->stylus_position, a->stylus_rotation);
		memcpy(a->hand_position, in->state.position, sizeof a->hand_position);
		memcpy(a->hand_rotation, in->state.rotation, sizeof a->hand_rotation);
		memcpy(a->velocity, r.velocity, sizeof a->velocity);
		a->buttons = in->state.buttons;
		a->stiffness = p.coupling == 1 ? p.stiffness : 0;
		a->angle_stiffness = p.angle_stiffness;
		a->max_force = p.max_force;
		hapco_box_publish(&s->samples);
	}
	meter(s, &r);
	record(s, &r);
	hapco_status *t = &s->status[s->statuses.write];
	t->last = r;
	t->ticks = r.tick;
	t->missed = s->missed;
	t->dropped = s->dropped;
	t->errors = s->errors;
	memcpy(t->counts, s->counts, sizeof t->counts);
	t->rate = s->rate;
	t->late = s->late > s->late_last ? s->late : s->late_last;
	t->work = s->work > s->work_last ? s->work : s->work_last;
	t->peak = s->peak > s->peak_last ? s->peak : s->peak_last;
	t->device_error = error;
	hapco_box_publish(&s->statuses);
}

int hapco_servo_callback(void *servo)
{
	hapco_servo *s = servo;
	int64_t now = hapco_now();
	if (s->next == 0)
		s->next = now;
	int64_t late = now - s->next;
	/* the foreign clock is the judge: follow it, count whole periods lost */
	if (late >= s->period)
		s->missed += (uint64_t)(late / s->period);
	hapco_servo_step(s, now, late);
	s->next = now + s->period;
	return !__atomic_load_n(&s->stop, __ATOMIC_ACQUIRE);
}

/* A tick must not fault: make the stack's pages present. */
static void __attribute__((noinline)) touch_stack(void)
{
	volatile char pages[64 * 1024];
	for (size_t i = 0; i < sizeof pages; i += 1024)
		pages[i] = 0;
}

void hapco_servo_run(hapco_servo *s, int priority, int lock, char *note, size_t note_size)
{
	char sched[160] = "normal scheduling", mem[200] = "memory not locked";
	struct sched_param old_param;
	int old_policy = 0, changed = 0;
	pthread_t self = pthread_self();
	pthread_getschedparam(self, &old_policy, &old_param);
	if (priority > 0) {
		struct sched_param param = {.sched_priority = priority};
		int e = pthread_setschedparam(self, SCHED_FIFO | SCHED_RESET_ON_FORK, &param);
		if (e == 0) {
			changed = 1;
			snprintf(sched, sizeof sched, "SCHED_FIFO %d", priority);
		} else {
			snprintf(sched, sizeof sched,
			         "normal scheduling: %s (cure: \"@audio - rtprio 95\" in /etc/security/limits.conf "
			         "and your user in group audio)",
			         strerror(e));
		}
	}
	if (!changed)
		prctl(PR_SET_TIMERSLACK, 1UL, 0, 0, 0);
	if (lock) {
		/* Locking future pages under a finite limit would make the
		 * collector's next mmap fail: then lock only our own. */
		struct rlimit lim;
		int unlimited = getrlimit(RLIMIT_MEMLOCK, &lim) == 0 && lim.rlim_cur == RLIM_INFINITY;
		if ((unlimited || geteuid() == 0) && mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) == 0) {
			snprintf(mem, sizeof mem, "all memory locked");
		} else if (mlock(s, s->bytes) == 0) {
			snprintf(mem, sizeof mem, "the servo's memory locked");
		} else {
			snprintf(mem, sizeof mem,
			         "memory not locked: %s (cure: \"@audio - memlock unlimited\" in "
			         "/etc/security/limits.conf and your user in group audio)",
			         strerror(errno));
		}
	}
	snprintf(note, note_size, "%s; %s", sched, mem);
	touch_stack();

	__atomic_store_n(&s->running, 1, __ATOMIC_RELEASE);
	int64_t start = hapco_now();
	s->start = start;
	s->rate_start = 0;
	s->next = start + s->period;
	for (;;) {
		struct timespec t = {.tv_sec = s->next / 1000000000, .tv_nsec = s->next % 1000000000};
		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
			;
		int stopping = __atomic_load_n(&s->stop, __ATOMIC_ACQUIRE);
		int64_t now = hapco_now();
		int64_t late = now - s->next;
		s->next += s->period;
		if (s->next <= now) { /* missed ones are counted, not made up for */
			int64_t n = (now - s->next) / s->period + 1;
			s->missed += (uint64_t)n;
			s->next += n * s->period;
		}
		hapco_servo_step(s, now, late);
		if (stopping)
			break;
	}
	s->device.release(s->device.self);
	if (changed)
		pthread_setschedparam(self, old_policy | SCHED_RESET_ON_FORK, &old_param); /* the flag cannot be taken back */
	else
		prctl(PR_SET_TIMERSLACK, 0UL, 0, 0, 0);
	__atomic_store_n(&s->running, 0, __ATOMIC_RELEASE);
}

/* mailbox */

hapco_mailbox *hapco_mailbox_new(void)
{
	hapco_mailbox *m = zeroed(sizeof *m);
	if (m == NULL)
		return NULL;
	hapco_box_init(&m->in);
	hapco_box_init(&m->out);
	for (int i = 0; i < 3; i++) {
		m->state[i].rotation[3] = 1;
		m->state[i].lost = 1; /* until it says otherwise */
	}
	return m;
}

void hapco_mailbox_free(hapco_mailbox *m) { free(m); }

static int mailbox_read(void *self, hapco_state *out)
{
	hapco_mailbox *m = self;
	int fresh;
	*out = m->state[hapco_box_get(&m->in, &fresh)];
	int64_t now = hapco_now();
	if (fresh || m->heard == 0)
		m->heard = now;
	if (now - m->heard > SILENCE)
		out->clutched = 1;
	if (now - m->heard > LOST)
		out->lost = 1;
	return 0;
}

static int mailbox_write(void *self, const double force[3], const double torque[3])
{
	hapco_mailbox *m = self;
	double *w = m->wrench[m->out.write];
	memcpy(w, force, 3 * sizeof *w);
	memcpy(w + 3, torque, 3 * sizeof *w);
	hapco_box_publish(&m->out);
	return 0;
}

static void mailbox_release(void *self)
{
	static const double none[3] = {0, 0, 0};
	mailbox_write(self, none, none);
}

hapco_device hapco_mailbox_device(hapco_mailbox *m)
{
	hapco_device d = {.self = m, .read = mailbox_read, .write = mailbox_write, .release = mailbox_release};
	return d;
}

/* a device with a scheduler of its own */

hapco_foreign *hapco_foreign_new(void *self, void *read, void *write)
{
	hapco_foreign *f = zeroed(sizeof *f);
	if (f == NULL)
		return NULL;
	f->self = self;
	memcpy(&f->read, &read, sizeof read);
	memcpy(&f->write, &write, sizeof write);
	return f;
}

static int foreign_read(void *self, hapco_state *out)
{
	hapco_foreign *f = self;
	double q[4];
	out->lost = out->clutched = 0;
	if (f->read(f->self, out->position, q, out->velocity, &out->buttons) != 0) {
		out->lost = 1;
		return 0;
	}
	out->rotation[0] = q[1];
	out->rotation[1] = q[2];
	out->rotation[2] = q[3];
	out->rotation[3] = q[0];
	return 0;
}

/* not reaching the motors (warm, ramping) is no error: the driver says why */
static int foreign_write(void *self, const double force[3], const double torque[3])
{
	hapco_foreign *f = self;
	f->write(f->self, force, torque);
	return 0;
}

static void foreign_release(void *self)
{
	static const double none[3] = {0, 0, 0};
	foreign_write(self, none, none);
}

hapco_device hapco_foreign_device(hapco_foreign *f)
{
	hapco_device d = {.self = f, .read = foreign_read, .write = foreign_write, .release = foreign_release};
	return d;
}
