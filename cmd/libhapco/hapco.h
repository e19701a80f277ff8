/* hapco.h: HapCo's contact solvers and simulated worlds, from C.
 *
 * Units are SI. Arrays are row-major. Contacts have the axes n, t1, t2 in this order: n points from the
 * obstacle to the impactor, r is the force on the impactor, x = W r + q its displacement from the
 * obstacle, and r_n >= 0.
 *
 * Every function returns HAPCO_OK or what went wrong; hapco_error() has it in words, in one line with
 * the cure. Handles are numbers, not addresses: one that is closed, or none, gives HAPCO_CLOSED. A handle
 * serves one thread at a time: a second that calls meanwhile gets HAPCO_BUSY. Different handles are
 * independent. After fork() the child gets HAPCO_FORKED.
 *
 * A world computes as `hapco trace` does: without a clock, the same bytes for the same calls on every
 * machine. Linear algebra uses one thread while a handle is open.
 */
#ifndef HAPCO_H
#define HAPCO_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The interface that this header is of: functions are only ever added to it. */
#define HAPCO_INTERFACE 0

/* What a function returns. */
typedef enum {
	HAPCO_OK = 0,
	HAPCO_INVALID = 1,  /* an argument is NULL, not finite, out of range or of the wrong size */
	HAPCO_CLOSED = 2,   /* no such handle, or it has been closed */
	HAPCO_BUSY = 3,     /* another thread is inside a call with this handle */
	HAPCO_UNKNOWN = 4,  /* there is no key, solver or word of this name */
	HAPCO_FAILED = 5,   /* a scene, a file or a computation */
	HAPCO_CALLBACK = 6, /* the caller's own function returned another number than 0 */
	HAPCO_FORKED = 7,   /* the process is a fork of the one that loaded the library */
	HAPCO_INTERNAL = 8  /* a fault of the library: please report it */
} hapco_code;

/* Handles. 0 is none. */
typedef struct hapco_solver_s *hapco_solver;
typedef struct hapco_world_s *hapco_world;
typedef struct hapco_snapshot_s *hapco_snapshot;

/* ---- The library ---- */

/* What went wrong in this thread's last call that did not return HAPCO_OK; "" before there was one.
 * Valid until the thread's next call. */
const char *hapco_error(void);

/* The program's version, such as "0.3.0". */
const char *hapco_version(void);

/* ---- Contact problems ---- */

/* Status of a contact. */
enum { HAPCO_OPEN = 0, HAPCO_STICK = 1, HAPCO_SLIP = 2 };

/* What has to fall below the tolerance. */
enum {
	HAPCO_RELATIVE = 0, /* |r_k - r_{k-1}| / |r_k| */
	HAPCO_PHYSICAL = 1, /* |r_k - r_{k-1}| / rho_min, m */
	HAPCO_NATURAL = 2,  /* the natural-map error e */
	HAPCO_SCALED = 3,   /* the unit-free error e_s */
	HAPCO_STATUSES = 4  /* contacts that changed status in a sweep */
};

/* How a model without a written operator is asked. */
enum {
	HAPCO_KRYLOV = 0,       /* a few columns a call, along what the forces still change by: fewest calls */
	HAPCO_JACOBI = 1,       /* one column an iteration */
	HAPCO_GAUSS_SEIDEL = 2  /* one column a contact and sweep */
};

/* How to solve. hapco_default_options() fills it. */
typedef struct {
	double tolerance;       /* 1e-8 */
	double deadline;        /* s; 0: none. The best admissible forces by then are the answer */
	double rho;             /* imposed rho_min, N/m; 0: found */
	double rho_factor;      /* on the rho that is found; 1 */
	int32_t max_iterations; /* 100000 */
	int32_t criterion;      /* HAPCO_NATURAL */
	int32_t warm;           /* r holds a starting guess; 0: it starts from none */
	int32_t form;           /* of a model: HAPCO_KRYLOV */
	int32_t columns;        /* of a call of the model, at most; 8 */
	int32_t reserved;       /* 0 */
} hapco_options;

/* What came of it. Errors are NaN where a deadline left no time to know them. */
typedef struct {
	double natural_error;   /* e, as the criterion */
	double natural_normal, natural_tangential; /* its parts */
	double scaled_error;    /* e_s; of a model with estimated weights */
	double scaled_normal, scaled_tangential;
	double relative_change; /* of the last iteration */
	double rho_min;         /* used or found, N/m */
	double elapsed;         /* s */
	int64_t calls, columns; /* of the model */
	int32_t converged;      /* both errors agree with the tolerance */
	int32_t iterations;
	int32_t open, stick, slip; /* contacts of each status */
	int32_t reserved;
} hapco_result;

/* A deformation model: it writes the displacements W r of all contacts (m) under the forces r (N):
 * `columns` columns of 3 n numbers one after the other. It is linear; W is symmetric and positive
 * semidefinite. It returns 0, or another number to end the solve. It may call the library with other handles. */
typedef int (*hapco_model)(void *user, int64_t n, int64_t columns, const double *r, double *x);

/* Fills in the usual options. */
int hapco_default_options(hapco_options *options);

/* Name of solver i, from 0 on: HAPCO_UNKNOWN beyond the last. The text stays. */
int hapco_solver_name(int64_t i, const char **name);

/* Opens a solver: "auto", or another name. It keeps its memory from problem to problem. */
int hapco_solver_open(const char *name, hapco_solver *solver);

/* Closes it. */
int hapco_solver_close(hapco_solver solver);

/* Solves for n contacts with all of W (3n x 3n, m/N), q (3n, m) and mu (n). r (3n, N) is the answer.
 * options NULL: the usual ones. status (n) and result may be NULL. That it has not converged is no error. */
int hapco_solver_dense(hapco_solver solver, int64_t n, const double *W, const double *q, const double *mu,
	const hapco_options *options, double *r, int32_t *status, hapco_result *result);

/* Solves with the 3x3 blocks of W that are not zero: block k couples contact row[k] to contact column[k],
 * both ways written down; equal places add. values has 9 numbers a block. Else as hapco_solver_dense. */
int hapco_solver_blocks(hapco_solver solver, int64_t n, int64_t blocks, const int32_t *row, const int32_t *column,
	const double *values, const double *q, const double *mu,
	const hapco_options *options, double *r, int32_t *status, hapco_result *result);

/* Solves with a model that answers. user is handed on to it. Else as hapco_solver_dense; the solver's
 * name does not matter, options->form does. */
int hapco_solver_model(hapco_solver solver, int64_t n, hapco_model model, void *user, const double *q, const double *mu,
	const hapco_options *options, double *r, int32_t *status, hapco_result *result);

/* Reads a .fc3d file, plain or gzipped, and tells how many contacts it has. The problem stays in the
 * solver until the next one. */
int hapco_solver_read(hapco_solver solver, const char *file, int64_t *n);

/* Copies the problem that was read: W (3n x 3n), q (3n), mu (n), and the file's solution r (3n; NaN
 * where it has none). Each may be NULL. n is that of hapco_solver_read. */
int hapco_solver_problem(hapco_solver solver, int64_t n, double *W, double *q, double *mu, double *r);

/* ---- Worlds ---- */

/* A rigid pose in the world's axes. */
typedef struct {
	double position[3]; /* m */
	double rotation[4]; /* unit quaternion x, y, z, w */
} hapco_pose;

/* What came of a step. */
typedef struct {
	double force[3], torque[3]; /* on the stylus, N; about its origin, N m; in world axes */
	hapco_pose stylus;          /* where it stands */
	double advanced;            /* s; 0 of a world without time */
	double time;                /* since the start, s */
	int64_t steps;              /* since it was opened or put back */
	int32_t reached;            /* the stylus stands where it was asked to; else step again */
	int32_t reserved;
} hapco_report;

/* What does not change about a world. Texts and arrays stay until it is closed. */
typedef struct {
	const char *kind;   /* such as "tissue" */
	const char *title;
	const char *notes;  /* lines on what was chosen for want of a word in a file */
	hapco_pose start;   /* of the stylus */
	double own_step;    /* s: its next step at most; 0 of a world without time */
	int64_t surfaces, solids, shapes, keys, numbers;
} hapco_description;

/* A surface. The arrays are the world's own: they hold the newest state after each hapco_world_surface. */
typedef struct {
	const char *name;
	int64_t points, triangles;
	const double *position;  /* points x 3, m */
	const int32_t *index;    /* triangles x 3 */
	int32_t driven, rigid;   /* it moves with the stylus; it does not deform */
} hapco_surface;

/* A deformable body with its inside. Fields are NULL where the kind of world does not know them.
 * The arrays are valid until the next hapco_world_solid. */
typedef struct {
	int64_t nodes, elements;
	const double *position, *displacement, *force; /* nodes x 3, m, m, N */
	const double *strain, *stress; /* nodes x 6: xx, yy, zz, xy, yz, zx; -, Pa */
	const int32_t *element;        /* elements x 4: its linear tetrahedra; NULL: there are none */
} hapco_solid;

/* A contact. P is on the impactor, Q on the obstacle. */
typedef struct {
	uint64_t id;              /* the same from step to step */
	double p[3], q[3];        /* m */
	double frame[9];          /* rows n, t1, t2 */
	double force[3];          /* in world axes, N */
	double r[3], x[3];        /* along n, t1, t2: N, m */
	double friction;
	int32_t status;           /* HAPCO_OPEN ... */
	int32_t node;             /* vertex of the impactor; negative where something else touches */
} hapco_contact;

/* A rigid body: a shape in a pose. */
typedef struct {
	hapco_pose pose;
	int64_t shape;
} hapco_body;

/* A live parameter. A value is a number in SI units; of a key with words it is a word's place. */
typedef struct {
	const char *name, *label, *unit, *help;
	double value, least, most, usual;
	int64_t words;    /* how many; 0: it is a number */
	int32_t view;     /* it shows other keys: setting it sets those */
	int32_t reserved;
} hapco_key;

/* Opens a scene by the name of an embedded one, or a .toml file; set holds `sets` changes KEY=VALUE as
 * the program's --set takes them, or is NULL. */
int hapco_world_open(const char *scene, const char *const *set, int64_t sets, hapco_world *world);

/* Opens a scene by its text. name is what errors call it. */
int hapco_world_open_text(const char *name, const char *text, const char *const *set, int64_t sets, hapco_world *world);

/* Closes a world. Arrays that it gave are gone. */
int hapco_world_close(hapco_world world);

/* Tells about a world. */
int hapco_world_describe(hapco_world world, hapco_description *description);

/* Takes one step: the stylus goes to a pose, or towards it as far as a step may go, and time goes on by
 * dt (s) and what it owes. pose NULL: where it was sent last. A world advances in steps of its own: what is less waits
 * for the next call. A world without time takes dt = 0. report may be NULL. */
int hapco_world_step(hapco_world world, const hapco_pose *pose, double dt, hapco_report *report);

/* Steps a world without time until the stylus stands at a pose, or what it touches holds it: then
 * report->reached is 0. As each step of `hapco trace`. */
int hapco_world_reach(hapco_world world, const hapco_pose *pose, hapco_report *report);

/* Puts a world back to its start. Parameters stay. */
int hapco_world_reset(hapco_world world);

/* The contacts of the last step: *contacts is the world's own array, valid until the next call of this function. */
int hapco_world_contacts(hapco_world world, const hapco_contact **contacts, int64_t *count);

/* Surface i after the last step. */
int hapco_world_surface(hapco_world world, int64_t i, hapco_surface *surface);

/* Name and unit of field i by which surfaces can be coloured, such as "von Mises stress". Each may be NULL. */
int hapco_world_field(hapco_world world, int64_t i, const char **name, const char **unit);

/* A field at the points of a surface after the last step; *count is 0 where it is not known there. The array is valid
 * until the next call of this function. */
int hapco_world_surface_field(hapco_world world, int64_t surface, int64_t field, const double **values, int64_t *count);

/* Body i with its inside, after the last step: stresses take a solve. */
int hapco_world_solid(hapco_world world, int64_t i, hapco_solid *solid);

/* The rigid bodies after the last step; valid until the next call of this function. */
int hapco_world_bodies(hapco_world world, const hapco_body **bodies, int64_t *count);

/* Shape i about its own origin; as a surface, it does not change. */
int hapco_world_shape(hapco_world world, int64_t i, hapco_surface *shape);

/* The grains after the last step: `count` times 8 floats, position (m), radius (m), colour (3, 0..1) and
 * a scalar; valid until the next call of this function. */
int hapco_world_points(hapco_world world, const float **points, int64_t *count);

/* Name and value of number i of the state after the last step, such as "penetration_m"; NaN where there
 * is none now. unit is SI, "" of a pure number. Each may be NULL. */
int hapco_world_number(hapco_world world, int64_t i, const char **name, const char **unit, double *value);

/* Key i, from 0 on. */
int hapco_world_key(hapco_world world, int64_t i, hapco_key *key);

/* Word i of a key. */
int hapco_world_word(hapco_world world, const char *key, int64_t i, const char **word);

/* Value of a key, by its name in scene files, such as "friction". */
int hapco_world_get(hapco_world world, const char *key, double *value);

/* Gives a key a value; it acts at the next step. What its range does not allow changes nothing. */
int hapco_world_set(hapco_world world, const char *key, double value);

/* Gives a key one of its words. */
int hapco_world_set_word(hapco_world world, const char *key, const char *word);

/* Records every step from now on in a new file for `hapco replay FILE --headless --exact`. A world that has made
 * steps is put back to its start. */
int hapco_world_record(hapco_world world, const char *file);

/* Ends the recording: the file is whole then. So does closing the world. */
int hapco_world_record_end(hapco_world world);

/* Keeps the state of a world. A snapshot is for this world alone and takes about as much memory as it:
 * what has not changed since the last one is shared. */
int hapco_world_snapshot(hapco_world world, hapco_snapshot *snapshot);

/* Puts the state back, bit for bit: what follows is what followed then, with parameters and the time
 * it owes. A recording must have ended. */
int hapco_world_restore(hapco_world world, hapco_snapshot snapshot);

/* Forgets a snapshot. */
int hapco_snapshot_close(hapco_snapshot snapshot);

/* ---- Recordings ---- */

/* Reads the steps of a recording (.mcap): *count rows of 21 numbers: dt (s), target position (3, m) and
 * rotation (4), hand position (3) and rotation (4), force (3, N), torque (3, N m). rows NULL: only counts.
 * Else *count tells how many rows there is room for, at first. */
int hapco_recording_read(const char *file, double *rows, int64_t *count);

#ifdef __cplusplus
}
#endif

#endif
