/* One tick of the servo: contact model, coupling, passivity, safety chain.
 * The twin of haptics.Kernel: same inputs, same forces. No allocation, lock,
 * log or system call but the clock. */
#ifndef HAPCO_KERNEL_H
#define HAPCO_KERNEL_H

#include <stdint.h>

typedef struct {
	double position[3]; /* world, m */
	double rotation[4]; /* x y z w */
	double velocity[3]; /* world, m/s */
	uint32_t buttons;
	uint8_t clutched, lost, pad[2];
} hapco_state;

typedef struct {
	hapco_state state;
	int64_t time; /* since the loop started, ns */
	int32_t release, pad;
} hapco_input;

/* local.Model; the arrays live behind the struct and never move */
typedef struct {
	int64_t n;
	uint64_t sequence;
	int64_t period; /* ns */
	double origin[3];
	double rotation[4];
	double *free; /* 3n */
	double *w;    /* 3n x 3n, row-major */
	double *j;    /* 3n x 6 */
	double *mu;   /* n */
	double *r;    /* 3n */
	int64_t field;          /* local.Field: on */
	double force[6], k[36]; /* F0 and K */
} hapco_model;

/* haptics.Params, times in seconds but for the budget in ns */
typedef struct {
	double max_force, reducer;
	double stiffness, damping, angle_stiffness, angle_damping;
	double passivity_max, passivity_credit;
	double tolerance;
	double max_torque, continuous, thermal, slew, ramp, stale, fade, slow_speed, fast_speed;
	int64_t budget;
	int32_t sweeps;
	uint32_t coupling; /* 0 direct, 1 virtual */
	uint32_t dead_man;
	uint8_t enabled, passivity, pad[2];
} hapco_params;

/* haptics.Record, byte for byte */
typedef struct {
	uint64_t tick;
	int64_t time;
	uint64_t model;
	int32_t late, work;
	uint32_t flags, buttons;
	int32_t contacts, sweeps;
	double position[3], rotation[4], tool[3], velocity[3], raw[3], force[3], torque[3];
	double age, gain, energy, alpha, heat, residual;
} hapco_record;

/* haptics.Flags */
enum {
	HAPCO_BAD_INPUT = 1 << 0,
	HAPCO_BAD_FORCE = 1 << 1,
	HAPCO_BAD_MODEL = 1 << 2,
	HAPCO_STALE = 1 << 3,
	HAPCO_SPEED = 1 << 4,
	HAPCO_SATURATED = 1 << 5,
	HAPCO_THERMAL = 1 << 6,
	HAPCO_SLEWED = 1 << 7,
	HAPCO_RAMPING = 1 << 8,
	HAPCO_WAITING = 1 << 9,
	HAPCO_DEAD_MAN = 1 << 10,
	HAPCO_CLUTCHED = 1 << 11,
	HAPCO_DISABLED = 1 << 12,
	HAPCO_RELEASED = 1 << 13,
	HAPCO_DAMPED = 1 << 14,
	HAPCO_OVER_BUDGET = 1 << 15,
	HAPCO_BLENDED = 1 << 16,
	HAPCO_DEVICE_LOST = 1 << 17,
	HAPCO_FLAGS = 18
};

typedef struct {
	double period, cutoff;
	int64_t capacity;
	/* contact model */
	int64_t n;
	double *r, *q, *a;
	double ct, cr, stretch[6];
	int64_t age;
	double blend, blend_all, jump[6], before[6], rest[6];
	double pose_position[3], pose_rotation[4];
	int32_t stale, seen, dropped, solved;
	int32_t field, shaky; /* of the Go twin's kernel_field.go */
	double stiff[36], lead[36], soft[36];
	/* motion */
	int32_t moving, armed;
	double position[3], velocity[3];
	/* force */
	double force[3], torque[3];
	double gate, ramp, heat, energy, stored;
	uint64_t tick;
	int64_t deadline; /* of the solve under way, ns; 0: none */
} hapco_kernel;

/* doubles that hapco_kernel_init needs for models of up to capacity contacts */
#define HAPCO_KERNEL_DOUBLES(capacity) (15 * (capacity))

void hapco_kernel_init(hapco_kernel *k, double period, double cutoff, int64_t capacity, double *memory);
void hapco_tick(hapco_kernel *k, const hapco_input *in, const hapco_model *m, int fresh,
                const hapco_params *p, hapco_record *rec);
/* where the stylus stands for the pose of this tick */
void hapco_tool(const hapco_kernel *k, const hapco_state *s, double position[3], double rotation[4]);

int64_t hapco_now(void); /* CLOCK_MONOTONIC, ns */

#endif
