/* A double of libHD for tests: the 36 entry points of the HDAPI over a simulated
 * stylus held by a simulated hand. Written from the behaviour that the manual
 * describes; nothing of the vendor's kit is used, needed or imitated beyond the
 * names, numbers and rules that a caller can observe.
 *
 * Tests steer it through fakehd_set, fakehd_get, fakehd_fault and fakehd_step
 * (last section); FAKEHD_* environment variables set the same things when a
 * whole program runs against it:
 *   FAKEHD_MODEL    0 Touch, 1 PHANTOM Omni, 2 Touch X, 3 PHANTOM Desktop, 4 Premium 1.5 6DOF, 5 Premium 3.0 6DOF
 *   FAKEHD_VERSION  text answered for the library's version
 *   FAKEHD_ABSENT   error code that hdInitDevice fails with (1 means 0x0300)
 *   FAKEHD_CALIB    0 calibrated, 1 needs update, 2 needs the stylus in its inkwell
 *   FAKEHD_HAND     0 still, 1 sine, 2 press, 3 press and slide
 *   FAKEHD_PAGE     a file that shows every knob and meter while the program runs, and
 *                   after it has ended; writing to it turns knobs (last section)
 *
 * Build: gcc -shared -fPIC -O1 -Wl,-soname,libHD.so.3.4 fakehd.c -lm -lpthread
 * With -DFAKEHD_OLD one symbol is missing, as in a library of another generation.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define API __attribute__((visibility("default")))

enum {
	OK = 0,
	BAD_ENUM = 0x100, BAD_VALUE, BAD_OPERATION, BAD_TYPE, BAD_HANDLE,
	WARM_MOTORS = 0x200, OVER_FORCE, OVER_IMPULSE, OVER_VELOCITY, FORCE_ERROR,
	DEVICE_FAULT = 0x300, ALREADY_INITIATED, COMM_ERROR, COMM_CONFIG_ERROR, TIMER_ERROR,
	ILLEGAL_BEGIN = 0x400, ILLEGAL_END, FRAME_ERROR,
	BAD_PRIORITY = 0x500, SCHEDULER_FULL,
};

#define NO_DEVICE 0xFFFFFFFFu
#define MAX_ERRORS 64
#define MAX_CALLBACKS 16

typedef unsigned int (*callback)(void *);

typedef struct { uint32_t code; int32_t internal; uint32_t device; } error_info;

typedef struct {
	unsigned long id;
	callback fn;
	void *user;
	unsigned short priority;
} scheduled;

/* One product of the double. Forces in N, lengths in mm. */
typedef struct {
	const char *name;
	double max_force, continuous_force, stiffness, mass;
	int output_dof, style;
	double box[6];
} model;

static const model models[] = {
	{"Touch", 3.3, 0.88, 0.5, 0.045, 3, 4, {-80, -60, -35, 80, 60, 35}},
	{"PHANTOM Omni", 3.3, 0.88, 0.5, 0.045, 3, 4, {-80, -60, -35, 80, 60, 35}},
	{"Touch X", 7.9, 1.75, 1.0, 0.045, 3, 3, {-80, -60, -60, 80, 60, 60}},
	{"PHANTOM Desktop", 7.9, 1.75, 1.0, 0.045, 3, 1, {-80, -60, -60, 80, 60, 60}},
	{"PHANTOM Premium 1.5 6DOF", 8.5, 1.4, 0.8, 0.075, 6, 1, {-190, -130, -95, 190, 130, 95}},
	{"PHANTOM Premium 3.0 6DOF", 22, 3.0, 1.0, 0.159, 6, 1, {-400, -290, -200, 400, 290, 200}},
};
#define MODELS ((int)(sizeof models / sizeof models[0]))

/* Knobs and meters that tests reach; written from any thread. */
static _Atomic double
	k_model, k_absent, k_null_fails, k_calib, k_docked, k_unplugged, k_silent, k_hand,
	k_stall_ms, k_temp = -1, k_heat = 1, k_step, k_buttons, k_nan, k_no_motor_temp,
	k_no_torque, k_keep_fault,
	m_ticks, m_force[3], m_torque[3], m_peak_force, m_nan, m_foreign, m_enabled, m_frames,
	m_position[3], m_inits, m_running, m_open, m_callbacks, m_rate = 1000, m_unread, m_limit_flags,
	m_peak_slew, m_updates, m_sent;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* errors, schedule, thread */
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static error_info errors[MAX_ERRORS];
static int nerrors;
static scheduled table[MAX_CALLBACKS];
static int ntable;
static unsigned long next_id = 1;
static pthread_t servo;
static _Atomic int running, on_servo_set;
static _Thread_local int on_servo;

/* The simulated arm. Owned by the servo thread while it runs. */
static struct {
	int open, in_frame, frames_this_tick;
	double x[3], v[3], force[3], torque[3], held[3]; /* m, m/s, N: held acts on the arm */
	double position[3], velocity[3];                /* mm, mm/s: what the frame shows */
	double last_position[3], last_velocity[3], last_force[3];
	double transform[16], last_transform[16];
	int buttons, last_buttons;
	double temperature, ramp, ramp_rate, velocity_limit, impulse_limit;
	int force_output, clamping, ramping, force_limit, one_frame, velocity_check, impulse_check;
	int was_over, amplifier_off; /* ticks left without force */
	int hand_was, calibrated_shift;
	double hand_time;
	unsigned long rate;
	int light;
} arm;

static const model *m(void) {
	int i = (int)k_model;
	return &models[i >= 0 && i < MODELS ? i : 0];
}

static void push(uint32_t code) {
	pthread_mutex_lock(&lock);
	if (nerrors == MAX_ERRORS) {
		memmove(errors, errors + 1, (MAX_ERRORS - 1) * sizeof errors[0]);
		nerrors--;
	}
	errors[nerrors++] = (error_info){code, (int32_t)(code | 0x10000), arm.open ? 0u : NO_DEVICE};
	m_unread = nerrors;
	pthread_mutex_unlock(&lock);
}

/* State calls belong on the scheduler's thread while it runs. */
static void check_thread(void) {
	if (running && !on_servo) m_foreign = m_foreign + 1;
}

static void power_up(void) {
	memset(&arm, 0, sizeof arm);
	arm.open = 1;
	arm.rate = 1000;
	arm.ramp_rate = 10; /* N/s, the double's own choice */
	arm.velocity_limit = 2000;
	arm.impulse_limit = 1.5;
	arm.clamping = arm.ramping = arm.force_limit = arm.one_frame = 1;
	arm.velocity_check = arm.impulse_check = 1;
	arm.hand_was = -1;
	arm.temperature = 0.1;
	for (int i = 0; i < 4; i++) arm.transform[5 * i] = arm.last_transform[5 * i] = 1;
}

static void open_page(const char *path);
static void turn_page(void);

__attribute__((constructor)) static void from_environment(void) {
	const char *s;
	if ((s = getenv("FAKEHD_MODEL"))) k_model = atof(s);
	if ((s = getenv("FAKEHD_ABSENT"))) k_absent = strtol(s, 0, 0);
	if ((s = getenv("FAKEHD_CALIB"))) k_calib = atof(s);
	if ((s = getenv("FAKEHD_HAND"))) k_hand = atof(s);
	if ((s = getenv("FAKEHD_PAGE"))) open_page(s);
}

/* ---- device ---- */

API uint32_t hdInitDevice(const char *name) {
	turn_page();
	m_inits = m_inits + 1;
	if (running) { /* every device must be open before the scheduler starts */
		m_foreign = m_foreign + 1;
		push(BAD_OPERATION);
		return NO_DEVICE;
	}
	if (k_absent != 0) {
		push(k_absent == 1 ? DEVICE_FAULT : (uint32_t)k_absent);
		return NO_DEVICE;
	}
	if (k_unplugged != 0) {
		push(COMM_ERROR);
		return NO_DEVICE;
	}
	if ((!name && k_null_fails != 0) || (name && strcmp(name, "Default Device") && strcmp(name, "Default PHANToM") && strcmp(name, "Left"))) {
		push(COMM_CONFIG_ERROR);
		return NO_DEVICE;
	}
	if (arm.open) {
		push(ALREADY_INITIATED);
		return NO_DEVICE;
	}
	power_up();
	m_open = 1;
	return 0; /* a valid handle may be zero */
}

API void hdMakeCurrentDevice(uint32_t d) {
	check_thread();
	if (d != 0 || !arm.open) push(BAD_HANDLE);
}

API void hdDisableDevice(uint32_t d) {
	check_thread();
	if (d != 0 || !arm.open) {
		push(BAD_HANDLE);
		return;
	}
	arm.open = 0;
	m_open = 0;
	m_enabled = 0;
	for (int i = 0; i < 3; i++) m_force[i] = m_torque[i] = 0;
	turn_page();
}

API uint32_t hdGetCurrentDevice(void) { return arm.open ? 0 : NO_DEVICE; }

static double clip(double x, double lo, double hi) { return x < lo ? lo : x > hi ? hi : x; }

/* Where the hand wants the tip, m. */
static void hand_target(double t, double p[3]) {
	p[0] = p[1] = p[2] = 0;
	switch ((int)k_hand) {
	case 1:
		p[0] = 0.02 * sin(2 * M_PI * t);
		break;
	case 2:
		p[1] = 0.02 - 0.04 * clip(t, 0, 1);
		break;
	case 3:
		p[1] = 0.02 - 0.04 * clip(t, 0, 1);
		p[0] = 0.04 * clip(t - 1.5, 0, 1);
		break;
	case 4: /* a blow: faster than any limit allows */
		p[0] = 0.3 * clip(t * 10, 0, 1);
		break;
	}
}

/* One servo period of the arm: point mass, viscous and Coulomb friction, and a
 * hand like a spring and damper; the force of the last frame is held. */
static void move_arm(void) {
	const double K = 300, B = 3, b = 0.3, coulomb = m()->output_dof == 6 ? 0.04 : 0.26;
	const int sub = 8;
	double dt = 1.0 / (double)arm.rate / sub, target[3], before[3];
	if ((int)k_hand != arm.hand_was) {
		arm.hand_was = (int)k_hand;
		arm.hand_time = 0;
	}
	memcpy(before, arm.position, sizeof before);
	for (int s = 0; s < sub; s++) {
		arm.hand_time += dt;
		hand_target(arm.hand_time, target);
		double speed = sqrt(arm.v[0] * arm.v[0] + arm.v[1] * arm.v[1] + arm.v[2] * arm.v[2]);
		double friction = coulomb * tanh(speed / 1e-3) / (speed + 1e-9);
		for (int i = 0; i < 3; i++) {
			/* implicit in the friction: it may stop the arm, not turn it round */
			double a = (arm.held[i] + K * (target[i] - arm.x[i])) / m()->mass;
			double damp = (B + b + friction) / m()->mass;
			arm.v[i] = (arm.v[i] + dt * a) / (1 + dt * damp);
			arm.x[i] += dt * arm.v[i];
		}
	}
	const double step = 0.055; /* mm, encoder */
	double shift = k_calib != 0 ? 30 : 0; /* an arm that is not calibrated points elsewhere */
	for (int i = 0; i < 3; i++) {
		arm.position[i] = step * floor(arm.x[i] * 1000 / step + 0.5) + shift;
		double raw = (arm.position[i] - before[i]) * (double)arm.rate;
		arm.velocity[i] += 0.1 * (raw - arm.velocity[i]);
		m_position[i] = arm.x[i];
	}
}

static void sample(void) {
	memcpy(arm.last_position, arm.position, sizeof arm.position);
	memcpy(arm.last_velocity, arm.velocity, sizeof arm.velocity);
	memcpy(arm.last_transform, arm.transform, sizeof arm.transform);
	memcpy(arm.last_force, arm.force, sizeof arm.force);
	arm.last_buttons = arm.buttons;
	arm.buttons = (int)k_buttons;
	if (k_unplugged == 0) move_arm();
	/* a tilt about z that follows x, in a matrix that is slightly off, as the
	 * vendor's is reported to be */
	double angle = arm.position[0] * 0.01, drift = 1 + 1e-4;
	double *t = arm.transform;
	memset(t, 0, sizeof arm.transform);
	t[0] = cos(angle) * drift;
	t[1] = sin(angle) * drift;
	t[4] = -sin(angle);
	t[5] = cos(angle);
	t[10] = 1;
	t[15] = 1;
	for (int i = 0; i < 3; i++) t[12 + i] = arm.position[i];
	if (k_nan != 0) t[12] = NAN;
}

API void hdBeginFrame(uint32_t d) {
	check_thread();
	if (d != 0 || !arm.open) {
		push(BAD_HANDLE);
		return;
	}
	if (!arm.in_frame && arm.one_frame && arm.frames_this_tick > 0) {
		push(ILLEGAL_BEGIN);
		return;
	}
	if (k_unplugged != 0) push(COMM_ERROR);
	if (arm.in_frame++ > 0) return;
	sample();
	memset(arm.force, 0, sizeof arm.force);
	memset(arm.torque, 0, sizeof arm.torque);
}

static double norm(const double *f) { return sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]); }

static void trip(uint32_t code) {
	push(code);
	arm.ramp = 0;
	memset(arm.force, 0, sizeof arm.force);
	memset(arm.torque, 0, sizeof arm.torque);
}

/* What the amplifiers do with the force of this frame. */
static void drive(void) {
	double dt = 1.0 / (double)arm.rate, before = norm(arm.held), f;
	m_sent = norm(arm.force);
	for (int i = 0; i < 3; i++)
		if (!isfinite(arm.force[i]) || !isfinite(arm.torque[i])) {
			m_nan = m_nan + 1;
			trip(FORCE_ERROR);
			break;
		}
	if (arm.velocity_check && norm(arm.velocity) > arm.velocity_limit) trip(OVER_VELOCITY);
	f = norm(arm.force);
	if (f > m()->max_force * (1 + 1e-9)) {
		if (arm.clamping) {
			for (int i = 0; i < 3; i++) arm.force[i] *= m()->max_force / f;
		} else if (arm.force_limit) {
			trip(OVER_FORCE);
		}
		f = norm(arm.force);
	}
	if (arm.impulse_check && f - before > arm.impulse_limit * 1000 * dt) {
		trip(OVER_IMPULSE);
		f = 0;
	}
	if (k_temp >= 0) arm.temperature = k_temp;
	else arm.temperature += dt * k_heat * (f * f / (m()->continuous_force * m()->continuous_force) - arm.temperature) / 40;
	if (arm.temperature > 1) {
		if (!arm.was_over || f > 0) push(WARM_MOTORS);
		arm.was_over = 1;
	} else if (arm.temperature < 0.9) {
		arm.was_over = 0;
	}
	arm.ramp += arm.ramp_rate * dt;
	if (arm.ramping && f > arm.ramp && f > 0)
		for (int i = 0; i < 3; i++) arm.force[i] *= arm.ramp / f;
	int on = arm.force_output && !arm.was_over && arm.amplifier_off == 0 && k_unplugged == 0 && k_calib == 0;
	if (arm.amplifier_off > 0) arm.amplifier_off--;
	for (int i = 0; i < 3; i++) {
		arm.held[i] = on ? arm.force[i] : 0;
		m_force[i] = arm.held[i];
		m_torque[i] = on && m()->output_dof == 6 ? arm.torque[i] : 0;
	}
	f = norm(arm.held);
	if (f > m_peak_force) m_peak_force = f;
	if (f - before > m_peak_slew) m_peak_slew = f - before;
	m_enabled = arm.force_output;
}

API void hdEndFrame(uint32_t d) {
	check_thread();
	if (d != 0 || !arm.open) {
		push(BAD_HANDLE);
		return;
	}
	if (arm.in_frame == 0) {
		push(ILLEGAL_END);
		return;
	}
	if (--arm.in_frame > 0) return;
	arm.frames_this_tick++;
	m_frames = m_frames + 1;
	drive();
}

API error_info hdGetError(void) {
	error_info e = {OK, 0, NO_DEVICE};
	pthread_mutex_lock(&lock);
	if (nerrors > 0) e = errors[--nerrors];
	m_unread = nerrors;
	pthread_mutex_unlock(&lock);
	return e;
}

API const char *hdGetErrorString(uint32_t code) { return code == OK ? "none" : "an error of the double"; }

/* ---- capabilities ---- */

static int *capability(uint32_t c) {
	static int light;
	switch (c) {
	case 0x4000: return &arm.force_output;
	case 0x4001: return &arm.clamping;
	case 0x4002: return &arm.ramping;
	case 0x4003: return &arm.force_limit;
	case 0x4004: return &arm.one_frame;
	case 0x2606: return &arm.velocity_check;
	case 0x2607: return &arm.impulse_check;
	case 0x2900: return &light;
	}
	return NULL;
}

static void set_capability(uint32_t c, int on) {
	check_thread();
	int *p = capability(c);
	if (!p) push(BAD_ENUM);
	else if (!arm.open) push(BAD_HANDLE);
	else {
		if (c == 0x4000 && on && !*p) arm.ramp = 0;
		*p = on;
		m_limit_flags = arm.clamping | arm.ramping << 1 | arm.force_limit << 2 | arm.velocity_check << 3 | arm.impulse_check << 4;
	}
}

API void hdEnable(uint32_t c) { set_capability(c, 1); }
API void hdDisable(uint32_t c) { set_capability(c, 0); }
API uint8_t hdIsEnabled(uint32_t c) {
	int *p = capability(c);
	if (!p) push(BAD_ENUM);
	return p && *p;
}

/* ---- values ---- */

enum { T_BOOL = 1, T_INT = 2, T_FLOAT = 4, T_DOUBLE = 8, T_LONG = 16, T_FD = 12 };

/* value writes up to 16 numbers for a name and returns how many, 0 when the
 * name is unknown; *types is the set of types it may be asked in. */
static int value(uint32_t name, double *v, int *types) {
	const model *d = m();
	*types = T_FD;
	switch (name) {
	case 0x2000: *types = T_INT; v[0] = arm.buttons; return 1;
	case 0x2200: *types = T_INT; v[0] = arm.last_buttons; return 1;
	case 0x2001: case 0x2201: *types = T_BOOL; v[0] = 1; return 1;
	case 0x2002: case 0x2202: *types = T_BOOL; v[0] = k_docked != 0; return 1;
	case 0x2010: case 0x2210:
		*types = T_LONG;
		for (int i = 0; i < 6; i++) v[i] = i < 3 ? floor(arm.position[i] / 0.055) : 0;
		return 6;
	case 0x2050: memcpy(v, arm.position, 24); return 3;
	case 0x2250: memcpy(v, arm.last_position, 24); return 3;
	case 0x2051: memcpy(v, arm.velocity, 24); return 3;
	case 0x2251: memcpy(v, arm.last_velocity, 24); return 3;
	case 0x2052: memcpy(v, arm.transform, 128); return 16;
	case 0x2252: memcpy(v, arm.last_transform, 128); return 16;
	case 0x2053: case 0x2253: v[0] = v[1] = 0; v[2] = arm.velocity[0] * 0.01; return 3;
	case 0x2100: case 0x2300: v[0] = 0.1; v[1] = 0.5; v[2] = 0.2; return 3;
	case 0x2150: case 0x2350: v[0] = 0.3; v[1] = -0.2; v[2] = 0.1; return 3;
	case 0x2505: *types = T_DOUBLE; v[0] = 1.5; return 1;
	case 0x2550: v[0] = -210; v[1] = -110; v[2] = -85; v[3] = 210; v[4] = 205; v[5] = 130; return 6;
	case 0x2551: memcpy(v, d->box, 48); return 6;
	case 0x2552: *types = T_FLOAT; v[0] = 110; return 1;
	case 0x2553: *types = T_INT; v[0] = 6; return 1;
	case 0x2554: *types = T_INT; v[0] = d->output_dof; return 1;
	case 0x2555: *types = T_INT; v[0] = d->style; return 1;
	case 0x2600: case 0x2601: *types = T_INT; v[0] = (double)arm.rate; return 1;
	case 0x2602: v[0] = d->stiffness; return 1;
	case 0x2603: v[0] = d->max_force; return 1;
	case 0x2604: v[0] = d->continuous_force; return 1;
	case 0x2605:
		if (k_no_motor_temp != 0) return 0;
		for (int i = 0; i < d->output_dof; i++) v[i] = i == 0 ? arm.temperature : 0.5 * arm.temperature;
		return d->output_dof;
	case 0x2606: v[0] = arm.velocity_limit; return 1;
	case 0x2607: v[0] = arm.impulse_limit; return 1;
	case 0x2608: v[0] = arm.ramp_rate; return 1;
	case 0x2609: v[0] = 0.003; return 1;
	case 0x2620: v[0] = 0.5; return d->output_dof == 6;
	case 0x2621: v[0] = 0.003; return d->output_dof == 6;
	case 0x2622: v[0] = 188; return d->output_dof == 6 && k_no_torque == 0;
	case 0x2623: v[0] = 48; return d->output_dof == 6 && k_no_torque == 0;
	case 0x2700: memcpy(v, arm.force, 24); return 3;
	case 0x2800: memcpy(v, arm.last_force, 24); return 3;
	case 0x2701: memcpy(v, arm.torque, 24); return d->output_dof == 6 ? 3 : 0;
	case 0x2900: *types = T_INT; v[0] = arm.light; return 1;
	}
	return 0;
}

static int get(uint32_t name, int type, double *v) {
	int types;
	check_thread();
	if (!arm.open) {
		push(BAD_HANDLE);
		return 0;
	}
	int n = value(name, v, &types);
	if (n == 0) push(BAD_ENUM);
	else if (!(types & type)) push(BAD_TYPE), n = 0;
	return n;
}

#define GETTER(fn, type, T)                                  \
	API void fn(uint32_t name, T *out) {                     \
		double v[16];                                        \
		int n = get(name, type, v);                          \
		for (int i = 0; i < n; i++) out[i] = (T)v[i];        \
	}
GETTER(hdGetBooleanv, T_BOOL, uint8_t)
GETTER(hdGetIntegerv, T_INT, int32_t)
GETTER(hdGetFloatv, T_FLOAT, float)
GETTER(hdGetDoublev, T_DOUBLE, double)
GETTER(hdGetLongv, T_LONG, long)

API const char *hdGetString(uint32_t name) {
	const char *s;
	check_thread();
	if (!arm.open) {
		push(BAD_HANDLE);
		return NULL;
	}
	switch (name) {
	case 0x2500: return (s = getenv("FAKEHD_VERSION")) ? s : "3.4.0 (double)";
	case 0x2501: return m()->name;
	case 0x2502: return "2024.9";
	case 0x2503: return "HapCo tests";
	case 0x2504: return "D0001";
	}
	push(BAD_ENUM);
	return NULL;
}

static void set(uint32_t name, int type, const double *v) {
	check_thread();
	if (!arm.open) {
		push(BAD_HANDLE);
		return;
	}
	double dummy[16];
	int types;
	if (value(name, dummy, &types) == 0) {
		push(BAD_ENUM);
		return;
	}
	if (!(types & type)) {
		push(BAD_TYPE);
		return;
	}
	switch (name) {
	case 0x2700: case 0x2701:
		if (!arm.in_frame) {
			push(FRAME_ERROR);
			return;
		}
		memcpy(name == 0x2700 ? arm.force : arm.torque, v, 24);
		return;
	case 0x2606: arm.velocity_limit = v[0]; return;
	case 0x2607: arm.impulse_limit = v[0]; return;
	case 0x2608: arm.ramp_rate = v[0]; return;
	case 0x2900: arm.light = (int)v[0]; return;
	}
	push(BAD_ENUM); /* known, but not to be set */
}

static int width(uint32_t name) { return name == 0x2700 || name == 0x2701 ? 3 : 1; }

#define SETTER(fn, type, T)                                              \
	API void fn(uint32_t name, const T *in) {                            \
		double v[3] = {0, 0, 0};                                         \
		for (int i = 0; i < width(name); i++) v[i] = (double)in[i];      \
		set(name, type, v);                                              \
	}
SETTER(hdSetBooleanv, T_BOOL, uint8_t)
SETTER(hdSetIntegerv, T_INT, int32_t)
SETTER(hdSetFloatv, T_FLOAT, float)
SETTER(hdSetDoublev, T_DOUBLE, double)
SETTER(hdSetLongv, T_LONG, long)

/* ---- calibration ---- */

API uint32_t hdCheckCalibrationStyle(void) { return (uint32_t)m()->style; }

API uint32_t hdCheckCalibration(void) {
	check_thread();
	if (k_calib == 0) return 0x5000;
	if (k_calib == 2 && k_docked == 0) return 0x5002;
	return 0x5001;
}

API void hdUpdateCalibration(uint32_t style) {
	check_thread();
	m_updates = m_updates + 1;
	if (!(style & (uint32_t)m()->style)) push(BAD_VALUE);
	else if (style == 4 && k_docked == 0) push(BAD_OPERATION);
	else k_calib = 0;
}

API void hdUpdateCalibrationMessage(uint32_t style) { hdUpdateCalibration(style); }
API void hdScaleGimbalAngles(double x, double y, double z, double t[16]) { (void)x, (void)y, (void)z, (void)t; }
API uint8_t hdDeploymentLicense(const char *vendor, const char *app, const char *pass) { return vendor && app && pass; }

/* ---- scheduler ---- */

static int64_t now_ns(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t tick_began;

static void tick(void) {
	scheduled order[MAX_CALLBACKS];
	int n;
	tick_began = now_ns();
	arm.frames_this_tick = 0;
	pthread_mutex_lock(&lock);
	n = ntable;
	memcpy(order, table, sizeof order);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < n; i++) /* highest priority first */
		for (int j = i + 1; j < n; j++)
			if (order[j].priority > order[i].priority) {
				scheduled s = order[i];
				order[i] = order[j];
				order[j] = s;
			}
	for (int i = 0; i < n; i++) {
		if (order[i].fn(order[i].user) != 0) continue;
		pthread_mutex_lock(&lock);
		for (int j = 0; j < ntable; j++)
			if (table[j].id == order[i].id) {
				table[j] = table[--ntable];
				break;
			}
		m_callbacks = ntable;
		pthread_cond_broadcast(&done);
		pthread_mutex_unlock(&lock);
	}
	if (arm.in_frame) {
		arm.in_frame = 0;
		push(FRAME_ERROR);
	}
	m_ticks = m_ticks + 1;
	if (k_stall_ms > 0) {
		double ms = k_stall_ms;
		k_stall_ms = 0;
		struct timespec t = {(time_t)(ms / 1000), (long)(fmod(ms, 1000) * 1e6)};
		nanosleep(&t, NULL);
		if (ms > 50) { /* hardware watchdog: amplifiers off for a while */
			push(DEVICE_FAULT);
			arm.amplifier_off = 100;
			arm.ramp = 0;
		}
	}
	if (k_keep_fault != 0) push((uint32_t)k_keep_fault);
	turn_page();
}

static void *servo_main(void *arg) {
	(void)arg;
	on_servo = 1;
	int64_t next = now_ns();
	while (running) {
		if (k_silent == 0) tick();
		int64_t period = 1000000000 / (int64_t)arm.rate, now = now_ns();
		next += period;
		if (next < now) next = now + period; /* missed ticks are skipped */
		struct timespec t = {next / 1000000000, next % 1000000000};
		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) {}
	}
	return NULL;
}

API void hdStartScheduler(void) {
	if (running) {
		push(BAD_OPERATION);
		return;
	}
	running = 1;
	m_running = 1;
	if (k_step != 0) return;
	if (pthread_create(&servo, NULL, servo_main, NULL) != 0) {
		running = 0;
		m_running = 0;
		push(TIMER_ERROR);
		return;
	}
	on_servo_set = 1;
}

API void hdStopScheduler(void) {
	if (on_servo || !running) {
		push(BAD_OPERATION);
		return;
	}
	running = 0;
	m_running = 0;
	if (on_servo_set) pthread_join(servo, NULL);
	on_servo_set = 0;
	for (int i = 0; i < 3; i++) { /* no frames, no force */
		arm.held[i] = 0;
		m_force[i] = m_torque[i] = 0;
	}
	turn_page();
}

#ifndef FAKEHD_OLD
API void hdSetSchedulerRate(unsigned long hz) {
	int ok = hz == 500 || hz == 1000 || hz == 1600;
	for (unsigned long n = 1; n <= 16 && !ok; n++) ok = hz == (unsigned long)floor(8000.0 / (double)n + 0.5);
	if (!ok) {
		push(BAD_VALUE);
		return;
	}
	arm.rate = hz;
	m_rate = (double)hz;
}
#endif

static unsigned long schedule(callback fn, void *user, unsigned short priority) {
	unsigned long id = 0;
	if (!fn) {
		push(BAD_VALUE);
		return 0;
	}
	pthread_mutex_lock(&lock);
	if (ntable < MAX_CALLBACKS) {
		id = next_id++;
		table[ntable++] = (scheduled){id, fn, user, priority};
	}
	m_callbacks = ntable;
	pthread_mutex_unlock(&lock);
	if (!id) push(SCHEDULER_FULL);
	return id;
}

static int is_scheduled(unsigned long id) {
	for (int i = 0; i < ntable; i++)
		if (table[i].id == id) return 1;
	return 0;
}

API void hdScheduleSynchronous(callback fn, void *user, unsigned short priority) {
	if (!running || on_servo) {
		while (fn(user) != 0 && !running) {}
		return;
	}
	if (k_step != 0) { /* no thread would ever run it */
		on_servo = 1;
		fn(user);
		on_servo = 0;
		return;
	}
	unsigned long id = schedule(fn, user, priority);
	pthread_mutex_lock(&lock);
	while (running && is_scheduled(id)) {
		struct timespec t;
		clock_gettime(CLOCK_REALTIME, &t);
		t.tv_nsec += 20000000;
		if (t.tv_nsec >= 1000000000) t.tv_sec++, t.tv_nsec -= 1000000000;
		pthread_cond_timedwait(&done, &lock, &t);
	}
	pthread_mutex_unlock(&lock);
}

API unsigned long hdScheduleAsynchronous(callback fn, void *user, unsigned short priority) {
	if (on_servo) {
		if (fn(user) == 0) return 0;
	}
	return schedule(fn, user, priority);
}

API void hdUnschedule(unsigned long id) {
	int found = 0;
	pthread_mutex_lock(&lock);
	for (int i = 0; i < ntable; i++)
		if (table[i].id == id) {
			table[i] = table[--ntable];
			found = 1;
			break;
		}
	m_callbacks = ntable;
	pthread_cond_broadcast(&done);
	pthread_mutex_unlock(&lock);
	if (!found) push(BAD_OPERATION);
}

API uint8_t hdWaitForCompletion(unsigned long id, unsigned int code) {
	int still;
	pthread_mutex_lock(&lock);
	while ((still = is_scheduled(id)) && code == 1 && running) {
		struct timespec t;
		clock_gettime(CLOCK_REALTIME, &t);
		t.tv_sec++;
		pthread_cond_timedwait(&done, &lock, &t);
	}
	pthread_mutex_unlock(&lock);
	return (uint8_t)still;
}

API double hdGetSchedulerTimeStamp(void) { return (double)(now_ns() - tick_began) * 1e-9; }

/* ---- for tests ---- */

typedef struct { const char *name; _Atomic double *at; } knob;

static const knob knobs[] = {
	{"model", &k_model}, {"absent", &k_absent}, {"null_fails", &k_null_fails}, {"calib", &k_calib},
	{"docked", &k_docked}, {"unplugged", &k_unplugged}, {"silent", &k_silent}, {"hand", &k_hand},
	{"stall_ms", &k_stall_ms}, {"temp", &k_temp}, {"heat", &k_heat}, {"step", &k_step},
	{"buttons", &k_buttons}, {"nan", &k_nan}, {"no_motor_temp", &k_no_motor_temp},
	{"no_torque", &k_no_torque}, {"keep_fault", &k_keep_fault},
	{"ticks", &m_ticks}, {"fx", &m_force[0]}, {"fy", &m_force[1]}, {"fz", &m_force[2]},
	{"tx", &m_torque[0]}, {"ty", &m_torque[1]}, {"tz", &m_torque[2]},
	{"peak_force", &m_peak_force}, {"peak_slew", &m_peak_slew}, {"nan_seen", &m_nan}, {"foreign", &m_foreign},
	{"enabled", &m_enabled}, {"frames", &m_frames}, {"x", &m_position[0]}, {"y", &m_position[1]},
	{"z", &m_position[2]}, {"inits", &m_inits}, {"running", &m_running}, {"open", &m_open},
	{"callbacks", &m_callbacks}, {"rate", &m_rate}, {"unread", &m_unread}, {"limits", &m_limit_flags},
	{"updates", &m_updates}, {"sent", &m_sent}, /* by the last frame, N */
};

/* The page: a record a knob or meter. The double writes value every tick, at the
 * end of the scheduler and when it is opened or closed; want, where it is not
 * NaN, is taken for the knob's new value. */
typedef struct {
	char name[16];
	_Atomic double value, want;
} entry;

static entry *page;

static void open_page(const char *path) {
	size_t n = sizeof knobs / sizeof knobs[0] * sizeof(entry);
	int fd = open(path, O_RDWR | O_CREAT, 0600);
	if (fd < 0 || ftruncate(fd, (off_t)n) != 0) return;
	entry *e = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (e == MAP_FAILED) return;
	for (unsigned i = 0; i < sizeof knobs / sizeof knobs[0]; i++) {
		strncpy(e[i].name, knobs[i].name, sizeof e[i].name - 1);
		e[i].value = *knobs[i].at;
		e[i].want = NAN;
	}
	page = e;
}

static void turn_page(void) {
	if (page == NULL) return;
	for (unsigned i = 0; i < sizeof knobs / sizeof knobs[0]; i++) {
		double want = page[i].want;
		if (want == want) {
			*knobs[i].at = want;
			page[i].want = NAN;
		}
		page[i].value = *knobs[i].at;
	}
}

/* fakehd_set turns a knob; it returns 0 for a name it does not know. */
API int fakehd_set(const char *name, double v) {
	for (unsigned i = 0; i < sizeof knobs / sizeof knobs[0]; i++)
		if (!strcmp(knobs[i].name, name)) {
			*knobs[i].at = v;
			return 1;
		}
	return 0;
}

/* fakehd_get reads a knob or a meter; NaN for a name it does not know. */
API double fakehd_get(const char *name) {
	for (unsigned i = 0; i < sizeof knobs / sizeof knobs[0]; i++)
		if (!strcmp(knobs[i].name, name)) return *knobs[i].at;
	return NAN;
}

/* fakehd_fault puts an error on the queue, as if the library had met it. */
API void fakehd_fault(uint32_t code) { push(code); }

/* fakehd_step runs n ticks on the caller's thread (knob "step" set before start). */
API void fakehd_step(int n) {
	if (k_step == 0) return;
	on_servo = 1;
	for (int i = 0; i < n && running; i++)
		if (k_silent == 0) tick();
	on_servo = 0;
}

/* fakehd_reset puts every knob, meter, queue and the arm back to the start. The
 * scheduler must be stopped. */
API void fakehd_reset(void) {
	for (unsigned i = 0; i < sizeof knobs / sizeof knobs[0]; i++) *knobs[i].at = 0;
	k_temp = -1;
	k_heat = 1;
	m_rate = 1000;
	memset(&arm, 0, sizeof arm);
	pthread_mutex_lock(&lock);
	nerrors = 0;
	ntable = 0;
	pthread_mutex_unlock(&lock);
}
