/* Drives hd.c over the double of libHD under the address and undefined-behaviour
 * sanitizers: stepped by hand with hostile commands and every error, then on the
 * double's own thread with another thread reading and writing.
 * Usage: drive DOUBLE.so; prints "ok" or says what failed. */
#include "../hd.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int (*set)(const char *, double);
static double (*get)(const char *);
static void (*fault)(uint32_t), (*step)(int), (*reset)(void);

#define CHECK(c)                                                    \
	do {                                                            \
		if (!(c)) {                                                 \
			printf("line %d: %s\n", __LINE__, #c);                  \
			exit(1);                                                \
		}                                                           \
	} while (0)

static double hostile(void) {
	switch (rand() % 12) {
	case 0: return NAN;
	case 1: return INFINITY;
	case 2: return -INFINITY;
	case 3: return 1e308;
	case 4: return -5e-324;
	case 5: return 0;
	default: return ((double)rand() / RAND_MAX - 0.5) * pow(10, rand() % 8 - 3);
	}
}

static void nasty_tick(void *user) {
	double p[3], q[4], v[3], w[3], f[3], m[3];
	uint32_t b;
	hapco_hd_read(user, p, q, v, &b);
	hapco_hd_read(user, p, NULL, NULL, NULL);
	hapco_hd_omega(user, w);
	for (int i = 0; i < 3; i++) f[i] = hostile(), m[i] = hostile();
	if (rand() % 5) hapco_hd_write(user, f, rand() % 2 ? m : NULL);
}

static hapco_hd_lib *d_lib;

static int open_device(hapco_hd *d, double max_force) {
	hapco_hd_caps caps;
	int32_t internal;
	hapco_hd_config config = {max_force, 0.1, 0.88, 0.02, 0.1, 1000, 0};
	uint32_t code = hapco_hd_init(d, NULL, &internal);
	if (code) return (int)code;
	if (!hapco_hd_version(d_lib)[0]) return -1;
	hapco_hd_query(d, &caps);
	code = hapco_hd_prepare(d, &config, &caps);
	if (code) {
		hapco_hd_release(d);
		return (int)code;
	}
	return (int)hapco_hd_start(d);
}

static volatile int finish;

static void *other_thread(void *user) {
	hapco_hd_reading r;
	hapco_hd_event e;
	while (!finish) {
		double f[3] = {hostile(), hostile(), hostile()};
		hapco_hd_command(user, f, NULL);
		if (hapco_hd_latest(user, &r) == 0) CHECK(isfinite(r.position[0]) && isfinite(r.force[0]));
		while (hapco_hd_next_event(user, &e)) CHECK(e.code != 0);
	}
	return NULL;
}

int main(int argc, char **argv) {
	char why[256];
	CHECK(argc == 2);
	CHECK(hapco_hd_load("/no/such/libHD.so", why, sizeof why) == NULL && strstr(why, "No such file"));
	CHECK(hapco_hd_load("/no/such/libHD.so", why, 4) == NULL);
	void *so = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	CHECK(so);
	*(void **)&set = dlsym(so, "fakehd_set");
	*(void **)&get = dlsym(so, "fakehd_get");
	*(void **)&fault = dlsym(so, "fakehd_fault");
	*(void **)&step = dlsym(so, "fakehd_step");
	*(void **)&reset = dlsym(so, "fakehd_reset");
	CHECK(set && get && fault && step && reset);
	hapco_hd_lib *lib = hapco_hd_load(argv[1], why, sizeof why);
	CHECK(lib && hapco_hd_file(lib)[0]);
	d_lib = lib;
	hapco_hd *d = hapco_hd_new(lib);

	static const uint32_t codes[] = {0x100, 0x101, 0x102, 0x103, 0x104, 0x200, 0x201, 0x202, 0x203, 0x204, 0x300,
		0x301, 0x302, 0x303, 0x304, 0x400, 0x401, 0x402, 0x500, 0x501, 0x600, 0xDEAD};
	const int ncodes = sizeof codes / sizeof codes[0];
	srand(7);
	for (int model = 0; model < 6; model++) {
		reset();
		set("step", 1);
		set("model", model);
		for (int i = 0; i < ncodes; i++) { /* refused at the door */
			set("absent", codes[i]);
			CHECK(open_device(d, 2.97) == (int)codes[i]);
		}
		set("absent", 0);
		hapco_hd_set_tick(d, nasty_tick, d);
		for (int round = 0; round < 30; round++) {
			CHECK(open_device(d, 2.97) == 0);
			set("nan", 0);
			set("hand", rand() % 5);
			for (int i = 0; i < 40; i++) {
				step(50);
				hapco_hd_reading r;
				CHECK(hapco_hd_latest(d, &r) == 0);
				CHECK(sqrt(r.force[0] * r.force[0] + r.force[1] * r.force[1] + r.force[2] * r.force[2]) <= 2.97 * (1 + 1e-12));
				CHECK(sqrt(r.torque[0] * r.torque[0] + r.torque[1] * r.torque[1] + r.torque[2] * r.torque[2]) <= 0.1 * (1 + 1e-12));
				CHECK(isfinite(r.position[0]) && isfinite(r.velocity[2]) && isfinite(r.rotation[3]));
				if (i % 8 == 3)
					for (int k = rand() % 90; k >= 0; k--) fault(codes[rand() % ncodes]); /* more than any queue holds */
				if (i % 8 == 5) set("nan", 1);
				if (i % 8 == 6) set("nan", 0);
				hapco_hd_event e;
				while (rand() % 3 && hapco_hd_next_event(d, &e)) CHECK(e.code != 0);
			}
			hapco_hd_stop(d);
			CHECK(get("open") == 0 && get("running") == 0 && get("callbacks") == 0 && get("fx") == 0);
		}
		CHECK(get("nan_seen") == 0);
		CHECK(get("foreign") == 0);
		CHECK(get("peak_force") <= 2.97 * (1 + 1e-12));
		hapco_hd_set_tick(d, NULL, NULL);
	}

	reset();
	CHECK(open_device(d, 2.97) == 0);
	pthread_t t;
	CHECK(pthread_create(&t, NULL, other_thread, d) == 0);
	const struct timespec nap = {0, 150000000};
	nanosleep(&nap, NULL);
	for (int i = 0; i < 50; i++) {
		const struct timespec ms = {0, 2000000};
		hapco_hd_map map = {.axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .turn = {1}, .scale = 1 + i, .force_scale = 1e3, .number = (uint64_t)i / 4, .clutch = (uint64_t)i % 3};
		hapco_hd_set_map(d, &map);
		hapco_hd_set_tick(d, i % 2 ? NULL : nasty_tick, d);
		nanosleep(&ms, NULL);
	}
	hapco_hd_set_tick(d, NULL, NULL);
	finish = 1;
	pthread_join(t, NULL);
	CHECK(hapco_hd_stop(d) == 0);
	CHECK(get("nan_seen") == 0 && get("foreign") == 0);
	hapco_hd_free(d);
	puts("ok");
	return 0;
}
