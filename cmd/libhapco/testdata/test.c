// Tests of hapco.h from C: what it finds, what it refuses, that it keeps no memory, and that the same
// calls give the same bytes.
//	test DIR [CALLS [STEPS [short]]]
//	test overhead
#define _GNU_SOURCE
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "hapco.h"

static int failures;
#define CHECK(ok) do { if (!(ok)) { failures++; printf("%s:%d: %s (%s)\n", __FILE__, __LINE__, #ok, hapco_error()); } } while (0)
#define OK(call) CHECK((call) == HAPCO_OK)
// refused with a line that names a cure
#define REFUSED(code, call) do { int c_ = (call); CHECK(c_ == (code)); CHECK(strlen(hapco_error()) > 10 && !strchr(hapco_error(), '\n')); } while (0)

// one contact pressed together by 1 mm and dragged by 2 mm, on springs of 1000 N/m
static const double W1[9] = {1e-3, 0, 0, 0, 1e-3, 0, 0, 0, 1e-3}, q1[3] = {-1e-3, 2e-3, 0}, mu1[1] = {0.5};

static int springs(void *user, int64_t n, int64_t columns, const double *r, double *x)
{
	++*(int *)user;
	for (int64_t i = 0; i < 3 * n * columns; i++)
		x[i] = 1e-3 * r[i];
	return 0;
}
static int refuses(void *user, int64_t n, int64_t columns, const double *r, double *x)
{
	(void)user, (void)n, (void)columns, (void)r, (void)x;
	return 7;
}
static int poisons(void *user, int64_t n, int64_t columns, const double *r, double *x)
{
	(void)user, (void)columns, (void)r;
	for (int64_t i = 0; i < n; i++)
		x[i] = NAN;
	return 0;
}

static void contact(void)
{
	hapco_solver s;
	hapco_result res;
	hapco_options o;
	double r[3];
	int32_t status;
	OK(hapco_solver_open("auto", &s));
	OK(hapco_solver_dense(s, 1, W1, q1, mu1, NULL, r, &status, &res));
	CHECK(res.converged && status == HAPCO_SLIP && res.slip == 1 && fabs(r[0] - 1) < 1e-9 && fabs(r[1] + 0.5) < 1e-9 && r[2] == 0);

	int32_t zero[2] = {0, 0};
	double halves[18], again[3];
	for (int i = 0; i < 18; i++)
		halves[i] = W1[i % 9] / 2;
	OK(hapco_solver_blocks(s, 1, 2, zero, zero, halves, q1, mu1, NULL, again, NULL, NULL));
	CHECK(!memcmp(r, again, sizeof r)); // equal places add
	OK(hapco_default_options(&o));
	o.tolerance = 1e-13;
	for (o.form = HAPCO_KRYLOV; o.form <= HAPCO_GAUSS_SEIDEL; o.form++) {
		int calls = 0;
		OK(hapco_solver_model(s, 1, springs, &calls, q1, mu1, &o, again, &status, &res));
		CHECK(res.converged && res.calls == calls && status == HAPCO_SLIP && fabs(again[0] - 1) < 1e-7 && fabs(again[1] + 0.5) < 1e-7);
	}
	o.form = HAPCO_KRYLOV;
	REFUSED(HAPCO_CALLBACK, hapco_solver_model(s, 1, refuses, NULL, q1, mu1, &o, again, NULL, NULL));
	REFUSED(HAPCO_FAILED, hapco_solver_model(s, 1, poisons, NULL, q1, mu1, &o, again, NULL, NULL));
	OK(hapco_solver_dense(s, 0, NULL, NULL, NULL, NULL, NULL, NULL, &res));
	CHECK(res.converged);

	// hostile
	const double nan3[3] = {NAN, 0, 0}, below[1] = {-1};
	REFUSED(HAPCO_INVALID, hapco_solver_dense(s, 1, NULL, q1, mu1, NULL, r, NULL, NULL));
	REFUSED(HAPCO_INVALID, hapco_solver_dense(s, 1, W1, NULL, mu1, NULL, r, NULL, NULL));
	REFUSED(HAPCO_INVALID, hapco_solver_dense(s, 1, W1, q1, mu1, NULL, NULL, NULL, NULL));
	REFUSED(HAPCO_INVALID, hapco_solver_dense(s, -1, W1, q1, mu1, NULL, r, NULL, NULL));
	REFUSED(HAPCO_INVALID, hapco_solver_dense(s, INT64_MAX, W1, q1, mu1, NULL, r, NULL, NULL));
	REFUSED(HAPCO_INVALID, hapco_solver_dense(s, 1, W1, nan3, mu1, NULL, r, NULL, NULL));
	REFUSED(HAPCO_INVALID, hapco_solver_dense(s, 1, W1, q1, below, NULL, r, NULL, NULL));
	REFUSED(HAPCO_INVALID, hapco_solver_blocks(s, 1, INT64_MAX, zero, zero, halves, q1, mu1, NULL, r, NULL, NULL));
	int32_t far[1] = {5};
	REFUSED(HAPCO_INVALID, hapco_solver_blocks(s, 1, 1, far, zero, halves, q1, mu1, NULL, r, NULL, NULL));
	REFUSED(HAPCO_INVALID, hapco_solver_model(s, 1, NULL, NULL, q1, mu1, NULL, r, NULL, NULL));
	double *tolerances[] = {&o.tolerance, &o.deadline, &o.rho, &o.rho_factor};
	for (int i = 0; i < 4; i++) {
		double was = *tolerances[i];
		*tolerances[i] = NAN;
		REFUSED(HAPCO_INVALID, hapco_solver_dense(s, 1, W1, q1, mu1, &o, r, NULL, NULL));
		*tolerances[i] = was;
	}
	int32_t *counts[] = {&o.max_iterations, &o.criterion, &o.form, &o.columns};
	for (int i = 0; i < 4; i++) {
		int32_t was = *counts[i];
		*counts[i] = -1;
		REFUSED(HAPCO_INVALID, hapco_solver_dense(s, 1, W1, q1, mu1, &o, r, NULL, NULL));
		*counts[i] = was;
	}
	int64_t n;
	REFUSED(HAPCO_FAILED, hapco_solver_read(s, "/no/such.fc3d", &n));
	REFUSED(HAPCO_INVALID, hapco_solver_read(s, NULL, &n));
	REFUSED(HAPCO_INVALID, hapco_solver_problem(s, 1, r, NULL, NULL, NULL));
	REFUSED(HAPCO_INVALID, hapco_solver_open(NULL, &s));
	REFUSED(HAPCO_UNKNOWN, hapco_solver_open("no-such", &s));
	REFUSED(HAPCO_INVALID, hapco_solver_open("auto", NULL));
	REFUSED(HAPCO_INVALID, hapco_world_reset((hapco_world)s)); // another kind of handle
	const char *name;
	int64_t names = 0;
	while (hapco_solver_name(names, &name) == HAPCO_OK)
		names++;
	CHECK(names > 10);
	REFUSED(HAPCO_UNKNOWN, hapco_solver_name(-1, &name));
	OK(hapco_solver_close(s));
	REFUSED(HAPCO_CLOSED, hapco_solver_close(s));
	REFUSED(HAPCO_CLOSED, hapco_solver_dense(s, 1, W1, q1, mu1, NULL, r, NULL, NULL));
	REFUSED(HAPCO_CLOSED, hapco_solver_dense(NULL, 1, W1, q1, mu1, NULL, r, NULL, NULL));
	REFUSED(HAPCO_CLOSED, hapco_solver_dense((hapco_solver)~(uintptr_t)0, 1, W1, q1, mu1, NULL, r, NULL, NULL));
	REFUSED(HAPCO_INVALID, hapco_default_options(NULL));
}

// drive presses a little and slides, and writes what the hand feels.
static void drive(hapco_world w, const hapco_description *d, int steps, double *forces)
{
	hapco_report report;
	for (int i = 0; i < steps; i++) {
		hapco_pose p = d->start;
		p.position[0] += 2e-3 * sin(i / 20.0);
		p.position[1] -= 1e-4 * (i % 60);
		OK(hapco_world_step(w, &p, 1.3 * d->own_step, &report));
		memcpy(forces + 3 * i, report.force, sizeof report.force);
	}
}

static void world(const char *dir, const char *scene, int steps)
{
	hapco_world w, other;
	hapco_description d;
	OK(hapco_world_open(scene, NULL, 0, &w));
	OK(hapco_world_describe(w, &d));
	double *first = malloc(3 * sizeof(double) * steps), *again = malloc(3 * sizeof(double) * steps);
	char file[4096];
	snprintf(file, sizeof file, "%s/%s.mcap", dir, scene);
	OK(hapco_world_record(w, file));
	REFUSED(HAPCO_INVALID, hapco_world_record(w, file));
	drive(w, &d, steps, first);
	hapco_snapshot snap;
	OK(hapco_world_snapshot(w, &snap));
	REFUSED(HAPCO_INVALID, hapco_world_restore(w, snap)); // while it is recorded
	OK(hapco_world_record_end(w));
	REFUSED(HAPCO_FAILED, hapco_world_record(w, file)); // it is there
	int64_t rows = 0;
	OK(hapco_recording_read(file, NULL, &rows));
	CHECK(rows == steps);
	double *all = malloc(sizeof(double) * 21 * rows);
	OK(hapco_recording_read(file, all, &rows));
	for (int i = 0; i < steps; i++)
		CHECK(!memcmp(all + 21 * i + 15, first + 3 * i, 3 * sizeof(double)));
	rows--;
	REFUSED(HAPCO_INVALID, hapco_recording_read(file, all, &rows));
	free(all);

	// the same calls, the same bytes
	OK(hapco_world_open(scene, NULL, 0, &other));
	drive(other, &d, steps, again);
	CHECK(!memcmp(first, again, 3 * sizeof(double) * steps));
	REFUSED(HAPCO_INVALID, hapco_world_restore(other, snap));

	// what follows a snapshot follows it again
	drive(w, &d, steps, first);
	for (int k = 0; k < 2; k++) {
		OK(hapco_world_restore(w, snap));
		drive(w, &d, steps, again);
		CHECK(!memcmp(first, again, 3 * sizeof(double) * steps));
	}
	free(first), free(again);

	// all there is to see
	for (int64_t i = 0; i < d.surfaces; i++) {
		hapco_surface s;
		OK(hapco_world_surface(w, i, &s));
		for (int64_t k = 0; k < 3 * s.triangles; k++)
			CHECK(s.index[k] >= 0 && s.index[k] < s.points);
		for (int64_t k = 0; k < 3 * s.points; k++)
			CHECK(isfinite(s.position[k]));
	}
	const char *field;
	const double *values;
	int64_t fields = 0, known, count;
	for (; hapco_world_field(w, fields, &field, NULL) == HAPCO_OK; fields++)
		for (int64_t i = 0; i < d.surfaces; i++) {
			hapco_surface s;
			OK(hapco_world_surface(w, i, &s));
			OK(hapco_world_surface_field(w, i, fields, &values, &known));
			CHECK(known == 0 || known == s.points);
			for (int64_t k = 0; k < known; k++)
				CHECK(isfinite(values[k]));
		}
	REFUSED(HAPCO_UNKNOWN, hapco_world_surface_field(w, d.surfaces, 0, &values, &known));
	REFUSED(HAPCO_UNKNOWN, hapco_world_surface_field(w, 0, fields, &values, &known));
	REFUSED(HAPCO_INVALID, hapco_world_surface_field(w, 0, 0, NULL, &known));
	for (int64_t i = 0; i < d.solids; i++) {
		hapco_solid s;
		OK(hapco_world_solid(w, i, &s));
		for (int64_t k = 0; k < 4 * s.elements; k++)
			CHECK(s.element[k] >= 0 && s.element[k] < s.nodes);
		for (int64_t k = 0; s.stress && k < 6 * s.nodes; k++)
			CHECK(isfinite(s.stress[k]));
	}
	for (int64_t i = 0; i < d.shapes; i++) {
		hapco_surface s;
		OK(hapco_world_shape(w, i, &s));
	}
	const hapco_contact *contacts;
	const hapco_body *bodies;
	const float *points;
	OK(hapco_world_contacts(w, &contacts, &count));
	for (int64_t i = 0; i < count; i++)
		CHECK(contacts[i].status >= 0 && contacts[i].status <= 2 && isfinite(contacts[i].force[1]));
	OK(hapco_world_bodies(w, &bodies, &count));
	for (int64_t i = 0; i < count; i++)
		CHECK(bodies[i].shape >= 0 && bodies[i].shape < d.shapes);
	OK(hapco_world_points(w, &points, &count));
	for (int64_t i = 0; i < d.numbers; i++) {
		const char *name, *unit;
		double value;
		OK(hapco_world_number(w, i, &name, &unit, &value));
		CHECK(name[0]);
	}
	for (int64_t i = 0; i < d.keys; i++) {
		hapco_key k;
		double value;
		OK(hapco_world_key(w, i, &k));
		OK(hapco_world_get(w, k.name, &value));
		for (int64_t j = 0; j < k.words; j++) {
			const char *word;
			OK(hapco_world_word(w, k.name, j, &word));
		}
		CHECK(hapco_world_set(w, k.name, NAN) != HAPCO_OK);
		CHECK(hapco_world_set_word(w, k.name, "no such word") == HAPCO_UNKNOWN);
	}

	// hostile
	hapco_report report;
	hapco_pose bad = d.start;
	bad.position[2] = NAN;
	REFUSED(HAPCO_INVALID, hapco_world_step(w, &bad, 0, &report));
	memset(&bad, 0, sizeof bad);
	REFUSED(HAPCO_INVALID, hapco_world_step(w, &bad, 0, &report));
	bad.rotation[3] = 1, bad.position[0] = 1e308;
	REFUSED(HAPCO_INVALID, hapco_world_reach(w, &bad, &report));
	REFUSED(HAPCO_INVALID, hapco_world_step(w, NULL, NAN, &report));
	REFUSED(HAPCO_INVALID, hapco_world_step(w, NULL, -1, &report));
	if (d.own_step > 0) {
		REFUSED(HAPCO_INVALID, hapco_world_step(w, NULL, 1e300, &report));
		REFUSED(HAPCO_INVALID, hapco_world_reach(w, NULL, &report));
	}
	hapco_surface s;
	REFUSED(HAPCO_UNKNOWN, hapco_world_surface(w, d.surfaces, &s));
	REFUSED(HAPCO_UNKNOWN, hapco_world_shape(w, -1, &s));
	REFUSED(HAPCO_INVALID, hapco_world_surface(w, 0, NULL));
	REFUSED(HAPCO_INVALID, hapco_world_contacts(w, NULL, NULL));
	REFUSED(HAPCO_INVALID, hapco_world_get(w, NULL, NULL));
	double value;
	REFUSED(HAPCO_UNKNOWN, hapco_world_get(w, "no such key", &value));
	REFUSED(HAPCO_INVALID, hapco_world_describe(w, NULL));
	REFUSED(HAPCO_INVALID, hapco_world_snapshot(w, NULL));
	REFUSED(HAPCO_INVALID, hapco_world_record(w, NULL));
	REFUSED(HAPCO_FAILED, hapco_world_record(w, "/no/such/folder/a.mcap"));
	OK(hapco_world_close(w));
	REFUSED(HAPCO_CLOSED, hapco_world_close(w));
	REFUSED(HAPCO_CLOSED, hapco_world_step(w, NULL, 0, NULL));
	REFUSED(HAPCO_CLOSED, hapco_world_restore(w, snap));
	OK(hapco_snapshot_close(snap));
	REFUSED(HAPCO_CLOSED, hapco_world_restore(other, snap));
	REFUSED(HAPCO_CLOSED, hapco_snapshot_close(snap));
	OK(hapco_world_close(other));
}

static void scenes(void)
{
	hapco_world w;
	REFUSED(HAPCO_FAILED, hapco_world_open("no-such-scene", NULL, 0, &w));
	REFUSED(HAPCO_INVALID, hapco_world_open(NULL, NULL, 0, &w));
	REFUSED(HAPCO_INVALID, hapco_world_open("gyroscope", NULL, 0, NULL));
	REFUSED(HAPCO_INVALID, hapco_world_open("gyroscope", NULL, 3, &w));
	REFUSED(HAPCO_INVALID, hapco_world_open("gyroscope", NULL, -3, &w));
	const char *set[] = {"no such key"}, *none[] = {NULL};
	REFUSED(HAPCO_FAILED, hapco_world_open("gyroscope", set, 1, &w));
	REFUSED(HAPCO_INVALID, hapco_world_open("gyroscope", none, 1, &w));
	REFUSED(HAPCO_INVALID, hapco_world_open_text("x", NULL, NULL, 0, &w));
	REFUSED(HAPCO_FAILED, hapco_world_open_text("x", "kind = [[", NULL, 0, &w));
	int64_t n = 0;
	REFUSED(HAPCO_FAILED, hapco_recording_read("/no/such.mcap", NULL, &n));
	REFUSED(HAPCO_INVALID, hapco_recording_read(NULL, NULL, &n));
}

struct shared {
	hapco_world w;
	hapco_pose start;
	double dt;
	int own, rounds, busy, closed, other;
};

// hammer steps a world of its own, or one that several threads share.
static void *hammer(void *p)
{
	struct shared *s = p;
	hapco_world w = s->w;
	if (s->own)
		OK(hapco_world_open("ice-billiard", NULL, 0, &w));
	for (int i = 0; s->own ? i < s->rounds : s->closed < 4; i++) { // a shared one until it is closed
		hapco_surface surface;
		int c = i % 5 ? hapco_world_step(w, &s->start, s->dt, NULL) : hapco_world_surface(w, 0, &surface);
		if (c == HAPCO_BUSY)
			__atomic_add_fetch(&s->busy, 1, __ATOMIC_RELAXED);
		else if (c == HAPCO_CLOSED)
			__atomic_add_fetch(&s->closed, 1, __ATOMIC_RELAXED);
		else if (c != HAPCO_OK && c != HAPCO_UNKNOWN)
			__atomic_add_fetch(&s->other, 1, __ATOMIC_RELAXED);
	}
	if (s->own)
		OK(hapco_world_close(w));
	return NULL;
}

static void threads(void)
{
	struct shared s = {.rounds = 300};
	hapco_description d;
	OK(hapco_world_open("ice-billiard", NULL, 0, &s.w));
	OK(hapco_world_describe(s.w, &d));
	s.start = d.start, s.dt = d.own_step;
	pthread_t t[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, hammer, &s);
	int c;
	while ((c = hapco_world_close(s.w)) == HAPCO_BUSY) // somebody is inside: it cannot be closed
		;
	CHECK(c == HAPCO_OK);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	CHECK(s.other == 0 && s.closed >= 4);
	s.own = 1, s.busy = 0;
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, hammer, &s);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	CHECK(s.other == 0 && s.busy == 0);
}

// the child of a fork has no goroutines: it is told so, and does not hang.
static void forks(void)
{
	hapco_solver s;
	OK(hapco_solver_open("auto", &s));
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		double r[3];
		alarm(10);
		_exit(hapco_solver_dense(s, 1, W1, q1, mu1, NULL, r, NULL, NULL) == HAPCO_FORKED && strlen(hapco_error()) > 10 ? 0 : 1);
	}
	int status = -1;
	waitpid(child, &status, 0);
	CHECK(status == 0);
	OK(hapco_solver_close(s));
}

static long resident(void)
{
	long pages = 0, rest;
	FILE *f = fopen("/proc/self/statm", "r");
	CHECK(f && fscanf(f, "%ld %ld", &rest, &pages) == 2);
	fclose(f);
	return pages * sysconf(_SC_PAGESIZE);
}

// so many calls of each kind leave the memory as it was. Go's heap is a sawtooth: a leak lifts the least of the last
// quarter above the most of the second.
static void leaks(int calls)
{
	hapco_world w;
	hapco_solver s;
	hapco_description d;
	OK(hapco_world_open("gyroscope", NULL, 0, &w));
	OK(hapco_world_describe(w, &d));
	OK(hapco_solver_open("nsgs", &s));
	long most = 0, least = LONG_MAX;
	for (int i = 0; i < calls; i++) {
		if (i % (calls / 64 + 1) == 0) {
			long now = resident();
			if (i >= calls / 4 && i < calls / 2 && now > most)
				most = now;
			if (i >= calls / 4 * 3 && now < least)
				least = now;
		}
		double r[3], value;
		hapco_report report;
		switch (i % 8) {
		case 0: OK(hapco_solver_dense(s, 1, W1, q1, mu1, NULL, r, NULL, NULL)); break;
		case 1: CHECK(hapco_world_get(w, "no such key", &value) == HAPCO_UNKNOWN); break;
		case 2: {
			const hapco_body *bodies;
			int64_t n;
			OK(hapco_world_bodies(w, &bodies, &n));
			break;
		}
		case 3: {
			hapco_key k;
			OK(hapco_world_key(w, i / 8 % d.keys, &k));
			break;
		}
		case 4:
			if (i % 256 == 4) {
				hapco_solver more;
				hapco_snapshot snap;
				OK(hapco_solver_open("nsgs", &more));
				OK(hapco_solver_close(more));
				OK(hapco_world_snapshot(w, &snap));
				OK(hapco_world_restore(w, snap));
				OK(hapco_snapshot_close(snap));
			}
			break;
		default: OK(hapco_world_step(w, &d.start, 0, &report));
		}
	}
	long grown = least - most;
	printf("%d calls: %.1f MB more\n", calls, grown / 1e6);
	CHECK(grown < 8 << 20);
	OK(hapco_world_close(w));
	OK(hapco_solver_close(s));
}

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

// overhead prints what a call costs besides what it is for: steps of no time, and one contact.
static void overhead(void)
{
	const int rounds = 200000;
	hapco_world w;
	hapco_solver s;
	hapco_report report;
	double r[3], value, t;
	OK(hapco_world_open("gyroscope", NULL, 0, &w));
	OK(hapco_solver_open("nsgs", &s));
	for (int k = 0; k < 3; k++) {
		t = seconds();
		for (int i = 0; i < rounds; i++)
			hapco_world_step(w, NULL, 0, &report);
		printf("step of no time %.3f us, ", 1e6 * (seconds() - t) / rounds);
		t = seconds();
		for (int i = 0; i < rounds; i++)
			hapco_world_get(w, "friction", &value);
		printf("key %.3f us, ", 1e6 * (seconds() - t) / rounds);
		t = seconds();
		for (int i = 0; i < rounds; i++)
			hapco_solver_dense(s, 1, W1, q1, mu1, NULL, r, NULL, NULL);
		printf("one contact %.3f us\n", 1e6 * (seconds() - t) / rounds);
	}
	OK(hapco_world_close(w));
	OK(hapco_solver_close(s));
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "overhead")) {
		overhead();
		return failures != 0;
	}
	const char *dir = argc > 1 ? argv[1] : "/tmp";
	int calls = argc > 2 ? atoi(argv[2]) : 1000000, steps = argc > 3 ? atoi(argv[3]) : 60;
	CHECK(!strcmp(hapco_error(), "") && hapco_version()[0]);
	contact();
	scenes();
	world(dir, "gyroscope", steps);
	world(dir, "bench-a-16", steps);
	if (argc <= 4) {
		world(dir, "block-neo-hookean", steps);
		world(dir, "snowfall", steps);
	}
	threads();
	forks();
	leaks(calls);
	puts(failures ? "FAILED" : "ok");
	return failures != 0;
}
