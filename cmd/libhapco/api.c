// The functions of hapco.h. Each looks whether the process is a fork, hands its arguments to Go, and
// returns Go's answer: a hapco_code. TestEveryFunctionOfTheHeader keeps the list whole.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "api.h"
#include "_cgo_export.h"

#define PUBLIC __attribute__((visibility("default")))

// What went wrong in each thread. A variable of the thread would not do: a library that is loaded
// late has room for some hundred bytes of those, since Go's runtime has its own there.
static pthread_key_t last;
enum { LONGEST = 2048 };
static int forked;

static void in_child(void) { forked = 1; }

__attribute__((constructor)) static void begin(void)
{
	pthread_key_create(&last, free);
	pthread_atfork(NULL, NULL, in_child);
}

void hapco_note(const char *text)
{
	char *to = pthread_getspecific(last);
	if (!to && (to = malloc(LONGEST)) && pthread_setspecific(last, to)) {
		free(to);
		to = NULL;
	}
	if (to)
		snprintf(to, LONGEST, "%s", text);
}

int hapco_ask(hapco_model model, void *user, int64_t n, int64_t columns, double *r, double *x) { return model(user, n, columns, r, x); }

static int refuse(void)
{
	hapco_note("the process is a fork of the one that loaded the library (cure: start it anew, as multiprocessing does with \"spawn\")");
	return HAPCO_FORKED;
}

// ASK answers with what Go says.
#define ASK(call) do { if (forked) return refuse(); return (call); } while (0)
#define NUMBER(handle) ((uintptr_t)(handle))
#define TEXT(s) ((char *)(s))
#define REAL(x) ((double *)(x))

PUBLIC const char *hapco_error(void)
{
	const char *text = pthread_getspecific(last);
	return text ? text : "";
}

PUBLIC const char *hapco_version(void) { return forked ? "" : hapcoVersion(); }

PUBLIC int hapco_default_options(hapco_options *options)
{
	if (!options) {
		hapco_note("options are NULL (cure: the address of a hapco_options)");
		return HAPCO_INVALID;
	}
	memset(options, 0, sizeof *options);
	options->tolerance = 1e-8;
	options->rho_factor = 1;
	options->max_iterations = 100000;
	options->criterion = HAPCO_NATURAL;
	options->columns = 8;
	return HAPCO_OK;
}

PUBLIC int hapco_solver_name(int64_t i, const char **name) { ASK(hapcoSolverName(i, (char **)name)); }

PUBLIC int hapco_solver_open(const char *name, hapco_solver *solver) { ASK(hapcoSolverOpen(TEXT(name), (uintptr_t *)solver)); }

PUBLIC int hapco_solver_close(hapco_solver solver) { ASK(hapcoSolverClose(NUMBER(solver))); }

PUBLIC int hapco_solver_dense(hapco_solver solver, int64_t n, const double *W, const double *q, const double *mu, const hapco_options *options, double *r, int32_t *status, hapco_result *result) { ASK(hapcoSolverDense(NUMBER(solver), n, REAL(W), REAL(q), REAL(mu), (hapco_options *)options, r, status, result)); }

PUBLIC int hapco_solver_blocks(hapco_solver solver, int64_t n, int64_t blocks, const int32_t *row, const int32_t *column, const double *values, const double *q, const double *mu, const hapco_options *options, double *r, int32_t *status, hapco_result *result) { ASK(hapcoSolverBlocks(NUMBER(solver), n, blocks, (int32_t *)row, (int32_t *)column, REAL(values), REAL(q), REAL(mu), (hapco_options *)options, r, status, result)); }

PUBLIC int hapco_solver_model(hapco_solver solver, int64_t n, hapco_model model, void *user, const double *q, const double *mu, const hapco_options *options, double *r, int32_t *status, hapco_result *result) { ASK(hapcoSolverModel(NUMBER(solver), n, model, user, REAL(q), REAL(mu), (hapco_options *)options, r, status, result)); }

PUBLIC int hapco_solver_read(hapco_solver solver, const char *file, int64_t *n) { ASK(hapcoSolverRead(NUMBER(solver), TEXT(file), n)); }

PUBLIC int hapco_solver_problem(hapco_solver solver, int64_t n, double *W, double *q, double *mu, double *r) { ASK(hapcoSolverProblem(NUMBER(solver), n, W, q, mu, r)); }

PUBLIC int hapco_world_open(const char *scene, const char *const *set, int64_t sets, hapco_world *world) { ASK(hapcoWorldOpen(TEXT(scene), NULL, (char **)set, sets, (uintptr_t *)world)); }

PUBLIC int hapco_world_open_text(const char *name, const char *text, const char *const *set, int64_t sets, hapco_world *world) 
{
	if (!text) {
		hapco_note("the text of the scene is NULL (cure: a scene as in a .toml file)");
		return HAPCO_INVALID;
	}
	ASK(hapcoWorldOpen(TEXT(name), TEXT(text), (char **)set, sets, (uintptr_t *)world));
}

PUBLIC int hapco_world_close(hapco_world world) { ASK(hapcoWorldClose(NUMBER(world))); }

PUBLIC int hapco_world_describe(hapco_world world, hapco_description *description) { ASK(hapcoWorldDescribe(NUMBER(world), description)); }

PUBLIC int hapco_world_step(hapco_world world, const hapco_pose *pose, double dt, hapco_report *report) { ASK(hapcoWorldStep(NUMBER(world), (hapco_pose *)pose, dt, report)); }

PUBLIC int hapco_world_reach(hapco_world world, const hapco_pose *pose, hapco_report *report) { ASK(hapcoWorldReach(NUMBER(world), (hapco_pose *)pose, report)); }

PUBLIC int hapco_world_reset(hapco_world world) { ASK(hapcoWorldReset(NUMBER(world))); }

PUBLIC int hapco_world_contacts(hapco_world world, const hapco_contact **contacts, int64_t *count) { ASK(hapcoWorldContacts(NUMBER(world), (hapco_contact **)contacts, count)); }

PUBLIC int hapco_world_surface(hapco_world world, int64_t i, hapco_surface *surface) { ASK(hapcoWorldSurface(NUMBER(world), i, surface)); }

PUBLIC int hapco_world_field(hapco_world world, int64_t i, const char **name, const char **unit) { ASK(hapcoWorldField(NUMBER(world), i, (char **)name, (char **)unit)); }

PUBLIC int hapco_world_surface_field(hapco_world world, int64_t surface, int64_t field, const double **values, int64_t *count) { ASK(hapcoWorldSurfaceField(NUMBER(world), surface, field, (double **)values, count)); }

PUBLIC int hapco_world_solid(hapco_world world, int64_t i, hapco_solid *solid) { ASK(hapcoWorldSolid(NUMBER(world), i, solid)); }

PUBLIC int hapco_world_bodies(hapco_world world, const hapco_body **bodies, int64_t *count) { ASK(hapcoWorldBodies(NUMBER(world), (hapco_body **)bodies, count)); }

PUBLIC int hapco_world_shape(hapco_world world, int64_t i, hapco_surface *shape) { ASK(hapcoWorldShape(NUMBER(world), i, shape)); }

PUBLIC int hapco_world_points(hapco_world world, const float **points, int64_t *count) { ASK(hapcoWorldPoints(NUMBER(world), (float **)points, count)); }

PUBLIC int hapco_world_number(hapco_world world, int64_t i, const char **name, const char **unit, double *value) { ASK(hapcoWorldNumber(NUMBER(world), i, (char **)name, (char **)unit, value)); }

PUBLIC int hapco_world_key(hapco_world world, int64_t i, hapco_key *key) { ASK(hapcoWorldKey(NUMBER(world), i, key)); }

PUBLIC int hapco_world_word(hapco_world world, const char *key, int64_t i, const char **word) { ASK(hapcoWorldWord(NUMBER(world), TEXT(key), i, (char **)word)); }

PUBLIC int hapco_world_get(hapco_world world, const char *key, double *value) { ASK(hapcoWorldGet(NUMBER(world), TEXT(key), value)); }

PUBLIC int hapco_world_set(hapco_world world, const char *key, double value) { ASK(hapcoWorldSet(NUMBER(world), TEXT(key), value)); }

PUBLIC int hapco_world_set_word(hapco_world world, const char *key, const char *word) { ASK(hapcoWorldSetWord(NUMBER(world), TEXT(key), TEXT(word))); }

PUBLIC int hapco_world_record(hapco_world world, const char *file) { ASK(hapcoWorldRecord(NUMBER(world), TEXT(file))); }

PUBLIC int hapco_world_record_end(hapco_world world) { ASK(hapcoWorldRecordEnd(NUMBER(world))); }

PUBLIC int hapco_world_snapshot(hapco_world world, hapco_snapshot *snapshot) { ASK(hapcoWorldSnapshot(NUMBER(world), (uintptr_t *)snapshot)); }

PUBLIC int hapco_world_restore(hapco_world world, hapco_snapshot snapshot) { ASK(hapcoWorldRestore(NUMBER(world), NUMBER(snapshot))); }

PUBLIC int hapco_snapshot_close(hapco_snapshot snapshot) { ASK(hapcoSnapshotClose(NUMBER(snapshot))); }

PUBLIC int hapco_recording_read(const char *file, double *rows, int64_t *count) { ASK(hapcoRecordingRead(TEXT(file), rows, count)); }
