/* The driver's part in C: libHD bound at run time, and the callback that its
 * scheduler runs once a tick. Nothing here calls Go, allocates, locks or logs
 * once the scheduler runs.
 *
 * Threads: "owner" functions belong to one thread, the one that opened the
 * device. hapco_hd_read and hapco_hd_write belong inside the tick function, on
 * the scheduler's thread. hapco_hd_latest, hapco_hd_command, hapco_hd_next_event
 * and the hapco_hd_ask functions may be called from one other thread at a time.
 *
 * Units here are ours: m, m/s, rad/s, N, N m. The device's axes are x right, y
 * up, z towards the operator, as the world's; a map (hapco_hd_set_map) places
 * them in the scene. Poses that are handed out and forces that are taken are the
 * scene's; limits and hapco_hd_reading.force are the device's.
 */
#ifndef HAPCO_PHANTOM_HD_H
#define HAPCO_PHANTOM_HD_H

#include <stddef.h>
#include <stdint.h>

typedef struct hapco_hd_lib hapco_hd_lib;
typedef struct hapco_hd hapco_hd;

/* Flags of a reading. */
enum {
	HAPCO_HD_VALID = 1,       /* the pose can be trusted */
	HAPCO_HD_CALIBRATED = 2,
	HAPCO_HD_FORCE = 4,       /* the motors would follow a force now */
	HAPCO_HD_WARM = 8,        /* motors too warm, force withheld */
	HAPCO_HD_FAULT = 16,      /* an error is being waited out, force withheld */
	HAPCO_HD_LOST = 32,       /* the device is gone; the callback has ended */
	HAPCO_HD_INKWELL = 64,    /* the stylus sits in its inkwell */
	HAPCO_HD_NEEDS_DOCK = 128, /* calibration waits for the stylus in the inkwell */
	HAPCO_HD_LIMITED = 256,   /* the last force was cut by this layer */
	HAPCO_HD_CLUTCHED = 512,  /* the clutch is open: the pose stays, force fades */
};

/* One tick as the outside sees it. */
typedef struct {
	double position[3];
	double rotation[4]; /* unit quaternion w, x, y, z: scene axes from stylus axes */
	double velocity[3];
	double omega[3];
	double force[3];  /* what was sent, device axes */
	double torque[3];
	double gimbal[3]; /* rad */
	double temperature; /* warmest motor, 0 cold .. 1 too warm; -1 unknown */
	double rate_hz;     /* measured by the library; 0 unknown */
	uint64_t tick;
	int64_t stamp_ns;   /* CLOCK_MONOTONIC */
	uint64_t not_finite; /* commands dropped because they were not finite */
	uint64_t clamped;    /* commands cut to the largest force or torque */
	uint64_t cooled;     /* commands reduced because of heat */
	uint64_t stale;      /* ticks in which an old command faded */
	uint64_t bad_pose;   /* ticks whose pose could not be used */
	uint32_t buttons;
	uint32_t flags;
	uint32_t lost_code; /* the error that lost the device */
	uint32_t pad;
} hapco_hd_reading;

typedef struct {
	uint32_t code;
	int32_t internal;
	uint64_t tick;
} hapco_hd_event;

/* What the device says of itself. A number it will not tell is 0. */
typedef struct {
	char model[64], serial[64], driver[64], vendor[64];
	double firmware;
	double max_force, continuous_force;   /* N */
	double max_torque, continuous_torque; /* N m */
	double stiffness;                     /* N/m */
	double damping;                       /* N s/m */
	double velocity_limit;                /* m/s */
	double box[6], reach[6];              /* usable and whole workspace: min xyz, max xyz, m */
	int input_dof, output_dof, styles, temperatures;
	uint32_t refused; /* bit per safety of the library that it would not switch on, in the order of hd.c */
} hapco_hd_caps;

typedef struct {
	double max_force;  /* N, vector length; what leaves this layer never exceeds it */
	double max_torque; /* N m */
	double continuous_force; /* N, for the heat estimate when the motors have no sensor; 0: no estimate */
	double fade_after_s, zero_after_s; /* age of a command from another thread */
	unsigned rate_hz;
	int recalibrate; /* take the present position for the reset position, where the arm has one */
} hapco_hd_config;

/* Owner. load returns NULL and writes a reason: the loader's own words, or
 * "missing symbol NAME". A library stays loaded: its driver does not survive a
 * second load in one process. */
hapco_hd_lib *hapco_hd_load(const char *path, char *why, size_t n);
const char *hapco_hd_file(hapco_hd_lib *lib); /* the file it came from */
/* Only with a device open: what the library does without one is not documented. */
const char *hapco_hd_version(hapco_hd_lib *lib);

/* new makes a device that is not connected yet; its address stays the same over
 * reconnections, so a kernel may keep it. free needs it stopped and unused. */
hapco_hd *hapco_hd_new(hapco_hd_lib *lib);
void hapco_hd_free(hapco_hd *d);

/* Owner, scheduler stopped, in this order: init, query, prepare, start; then
 * stop. Or init and release. Results are 0 or the library's error code. */
uint32_t hapco_hd_init(hapco_hd *d, const char *name, int32_t *internal);
void hapco_hd_query(hapco_hd *d, hapco_hd_caps *caps);
uint32_t hapco_hd_prepare(hapco_hd *d, const hapco_hd_config *config, hapco_hd_caps *caps);
uint32_t hapco_hd_start(hapco_hd *d);

/* stop: zero force, scheduler stopped, device released. 0 when the callback was
 * seen to end with a zero force, 1 when the scheduler had died before. */
int hapco_hd_stop(hapco_hd *d);
/* release: a device that was never started. */
void hapco_hd_release(hapco_hd *d);

/* A tick function runs between the reading and the writing of each frame, on
 * the scheduler's thread. Setting NULL returns once the old one is out. */
void hapco_hd_set_tick(hapco_hd *d, void (*tick)(void *), void *context);

/* Inside the tick function. read returns 0, or 1 while the pose cannot be
 * trusted (position then keeps its last value). write returns 0, or 1 when no
 * force will reach the motors in this tick. rotation is w, x, y, z; any output
 * but position may be NULL, so may torque. */
int hapco_hd_read(void *d, double position[3], double rotation[4], double velocity[3], uint32_t *buttons);
int hapco_hd_write(void *d, const double force[3], const double torque[3]);
void hapco_hd_omega(void *d, double omega[3]);

/* The device's place in the scene:
 *   x = world + scale axes (x_device - device),  f_device = force_scale axes' f + lift
 * While the clutch is open the pose stays, and force fades within 80 ms but for
 * the lift; when it closes the pose goes on from where it stayed. */
typedef struct {
	double axes[9]; /* rotation, column-major: scene from device */
	double turn[4]; /* the same as a quaternion w, x, y, z */
	double device[3], world[3];
	double scale, force_scale;
	double lift[3]; /* N, device axes */
	uint64_t number; /* another one starts without the offset that clutching left */
	uint64_t clutch;
} hapco_hd_map;

/* From one other thread. */
void hapco_hd_set_map(hapco_hd *d, const hapco_hd_map *map);

/* From one other thread. */
int hapco_hd_latest(hapco_hd *d, hapco_hd_reading *out); /* 0, or 1 when torn (out untouched) */
int hapco_hd_command(hapco_hd *d, const double force[3], const double torque[3]); /* 0, or 1 when the servo has ended: no one will take it */
int hapco_hd_next_event(hapco_hd *d, hapco_hd_event *out); /* 1 when there was one */
uint64_t hapco_hd_dropped_events(hapco_hd *d);

/* Any thread, also on the way out of a crash: motors off at the next tick, of
 * every device, for good. Runs by itself when the C library exits. */
void hapco_hd_panic(void);

/* Whether a frame without force has gone out since. Any thread. */
int hapco_hd_is_off(hapco_hd *d);

/* Takes panic back, for tests. */
void hapco_hd_panic_clear(void);

#endif
