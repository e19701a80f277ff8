#define _GNU_SOURCE
#include "hd.h"

#include <dlfcn.h>
#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- the binding: types and numbers of the HDAPI that this driver uses ---- */

typedef struct { uint32_t code; int32_t internal; uint32_t device; } hd_error;
typedef uint32_t (*hd_callback)(void *);

enum {
	NO_DEVICE = 0xFFFFFFFF,
	DONE = 0, CONTINUE = 1,
	WARM_MOTORS = 0x200, FORCE_ERROR = 0x204,
	BAD_HANDLE = 0x104, DEVICE_FAULT = 0x300, COMM_ERROR = 0x302, COMM_CONFIG_ERROR = 0x303, TIMER_ERROR = 0x304,
	INVALID_PRIORITY = 0x500, SCHEDULER_FULL = 0x501, INVALID_LICENSE = 0x600,
	BUTTONS = 0x2000, INKWELL = 0x2002, VELOCITY = 0x2051, TRANSFORM = 0x2052, ANGULAR_VELOCITY = 0x2053, GIMBAL = 0x2150,
	VERSION = 0x2500, MODEL = 0x2501, DRIVER = 0x2502, VENDOR = 0x2503, SERIAL = 0x2504, FIRMWARE = 0x2505,
	REACH = 0x2550, BOX = 0x2551, INPUT_DOF = 0x2553, OUTPUT_DOF = 0x2554, STYLES = 0x2555,
	ACTUAL_RATE = 0x2601, STIFFNESS = 0x2602, MAX_FORCE = 0x2603, CONTINUOUS_FORCE = 0x2604, TEMPERATURE = 0x2605,
	VELOCITY_LIMIT = 0x2606, IMPULSE_LIMIT = 0x2607, DAMPING = 0x2609, MAX_TORQUE = 0x2622, CONTINUOUS_TORQUE = 0x2623,
	FORCE = 0x2700, TORQUE = 0x2701,
	FORCE_OUTPUT = 0x4000, FORCE_CLAMPING = 0x4001, FORCE_RAMPING = 0x4002, FORCE_LIMIT = 0x4003, ONE_FRAME = 0x4004,
	CALIBRATION_OK = 0x5000, NEEDS_UPDATE = 0x5001, NEEDS_MANUAL = 0x5002,
	STYLE_ENCODER_RESET = 1, STYLE_AUTO = 2, STYLE_INKWELL = 4,
	PRIORITY = 65535,
};

struct hapco_hd_lib {
	uint32_t (*InitDevice)(const char *);
	void (*DisableDevice)(uint32_t);
	void (*MakeCurrentDevice)(uint32_t);
	void (*BeginFrame)(uint32_t);
	void (*EndFrame)(uint32_t);
	hd_error (*GetError)(void);
	void (*Enable)(uint32_t);
	void (*Disable)(uint32_t);
	void (*GetBooleanv)(uint32_t, uint8_t *);
	void (*GetIntegerv)(uint32_t, int32_t *);
	void (*GetDoublev)(uint32_t, double *);
	const char *(*GetString)(uint32_t);
	void (*SetDoublev)(uint32_t, const double *);
	uint32_t (*CheckCalibration)(void);
	uint32_t (*CheckCalibrationStyle)(void);
	void (*UpdateCalibration)(uint32_t);
	void (*StartScheduler)(void);
	void (*StopScheduler)(void);
	void (*SetSchedulerRate)(unsigned long);
	unsigned long (*ScheduleAsynchronous)(hd_callback, void *, unsigned short);
	void (*Unschedule)(unsigned long);
	char version[64], file[512];
};

hapco_hd_lib *hapco_hd_load(const char *path, char *why, size_t n) {
	/* NOW: a missing dependency must show here, not at the first call */
	void *so = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!so) {
		const char *e = dlerror();
		snprintf(why, n, "%s", e ? e : "unknown loader error");
		return NULL;
	}
	hapco_hd_lib *l = calloc(1, sizeof *l);
	if (!l) {
		snprintf(why, n, "out of memory");
		return NULL;
	}
	const struct { const char *name; void *at; } symbols[] = {
		{"hdInitDevice", &l->InitDevice}, {"hdDisableDevice", &l->DisableDevice},
		{"hdMakeCurrentDevice", &l->MakeCurrentDevice}, {"hdBeginFrame", &l->BeginFrame},
		{"hdEndFrame", &l->EndFrame}, {"hdGetError", &l->GetError}, {"hdEnable", &l->Enable},
		{"hdDisable", &l->Disable}, {"hdGetBooleanv", &l->GetBooleanv}, {"hdGetIntegerv", &l->GetIntegerv},
		{"hdGetDoublev", &l->GetDoublev}, {"hdGetString", &l->GetString}, {"hdSetDoublev", &l->SetDoublev},
		{"hdCheckCalibration", &l->CheckCalibration}, {"hdCheckCalibrationStyle", &l->CheckCalibrationStyle},
		{"hdUpdateCalibration", &l->UpdateCalibration}, {"hdStartScheduler", &l->StartScheduler},
		{"hdStopScheduler", &l->StopScheduler}, {"hdSetSchedulerRate", &l->SetSchedulerRate},
		{"hdScheduleAsynchronous", &l->ScheduleAsynchronous}, {"hdUnschedule", &l->Unschedule},
	};
	for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
		void *p = dlsym(so, symbols[i].name);
		if (!p) {
			snprintf(why, n, "missing symbol %s", symbols[i].name);
			free(l);
			return NULL;
		}
		memcpy(symbols[i].at, &p, sizeof p);
		Dl_info from;
		if (i == 0 && dladdr(p, &from) && from.dli_fname) {
			char *real = realpath(from.dli_fname, NULL);
			snprintf(l->file, sizeof l->file, "%s", real ? real : from.dli_fname);
			free(real);
		}
	}
	return l;
}

/* drain empties the error queue and keeps the oldest entry, which is the cause
 * of the others (the queue hands out the newest first). */
static uint32_t drain(hapco_hd_lib *l, int32_t *internal) {
	uint32_t code = 0;
	for (int i = 0; i < 256; i++) {
		hd_error e = l->GetError();
		if (e.code == 0) break;
		code = e.code;
		if (internal) *internal = e.internal;
	}
	return code;
}

static void copy(char *to, size_t n, const char *from) { snprintf(to, n, "%s", from ? from : ""); }

const char *hapco_hd_file(hapco_hd_lib *l) { return l->file; }

const char *hapco_hd_version(hapco_hd_lib *l) {
	copy(l->version, sizeof l->version, l->GetString(VERSION));
	drain(l, NULL);
	return l->version;
}

/* ---- hand-over between threads ---- */

/* A sequence lock over 64-bit words: the writer never waits, a reader sees a
 * whole value or knows that it did not. */
#define WORDS(T) ((sizeof(T) + 7) / 8)

static void seq_put(_Atomic uint32_t *seq, _Atomic uint64_t *box, const void *from, size_t words) {
	const unsigned char *p = from;
	uint32_t s = atomic_load_explicit(seq, memory_order_relaxed);
	atomic_store_explicit(seq, s + 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	for (size_t i = 0; i < words; i++) {
		uint64_t w;
		memcpy(&w, p + 8 * i, 8);
		atomic_store_explicit(&box[i], w, memory_order_relaxed);
	}
	atomic_store_explicit(seq, s + 2, memory_order_release);
}

static int seq_get(_Atomic uint32_t *seq, _Atomic uint64_t *box, void *to, size_t words) {
	unsigned char *p = to;
	uint32_t s = atomic_load_explicit(seq, memory_order_acquire);
	if (s & 1) return 1;
	for (size_t i = 0; i < words; i++) {
		uint64_t w = atomic_load_explicit(&box[i], memory_order_relaxed);
		memcpy(p + 8 * i, &w, 8);
	}
	atomic_thread_fence(memory_order_acquire);
	return atomic_load_explicit(seq, memory_order_relaxed) != s;
}

typedef struct {
	double force[3], torque[3];
	uint64_t number;
} command;

#define EVENTS 64

struct hapco_hd {
	hapco_hd_lib *lib;
	uint32_t handle;
	unsigned long scheduled;
	hapco_hd_config config;
	hapco_hd_caps caps;
	uint32_t style; /* the calibration style in use */

	/* scheduler thread only */
	hapco_hd_reading now;
	double position[3], rotation[4], velocity[3], omega[3]; /* device axes */
	hapco_hd_map map;
	double offset[3]; /* scene, m, that clutching has left */
	double gate;      /* 1 with the clutch closed, 0 when it has been open for 80 ms */
	int was_open;
	command kept;
	uint64_t kept_since; /* tick at which the kept command was new */
	uint64_t clean_since, fault_since, fault_last, warm_since;
	int in_fault, warm, output_on, have_write, can_force;
	double want_force[3], want_torque[3];
	double heat; /* (f / continuous)^2, low-passed over 40 s */

	_Atomic uint32_t out_seq;
	_Atomic uint64_t out[WORDS(hapco_hd_reading)];
	_Atomic uint32_t in_seq;
	_Atomic uint64_t in[WORDS(command)];
	uint64_t commands; /* the other thread's */

	_Atomic uint32_t map_seq;
	_Atomic uint64_t map_box[WORDS(hapco_hd_map)];

	_Atomic(void (*)(void *)) tick;
	_Atomic(void *) tick_context;
	_Atomic int in_tick;

	_Atomic int quit, ended;
	_Atomic int off; /* a frame went out that knew of the panic */
	_Atomic uint32_t event_head, event_tail;
	_Atomic uint64_t event_dropped;
	hapco_hd_event events[EVENTS];
};

static _Atomic int panicking;

void hapco_hd_panic(void) { atomic_store(&panicking, 1); }
void hapco_hd_panic_clear(void) { atomic_store(&panicking, 0); }

static int64_t now_ns(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- owner: open, ask, prepare ---- */

hapco_hd *hapco_hd_new(hapco_hd_lib *lib) {
	static _Atomic int registered;
	if (!atomic_exchange(&registered, 1)) atexit(hapco_hd_panic);
	hapco_hd *d = calloc(1, sizeof *d);
	if (!d) return NULL;
	d->lib = lib;
	d->handle = NO_DEVICE;
	d->now.rotation[0] = d->rotation[0] = 1;
	d->now.temperature = -1;
	hapco_hd_map same = {.axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .turn = {1}, .scale = 1, .force_scale = 1};
	d->map = same;
	d->gate = 1;
	hapco_hd_set_map(d, &same);
	seq_put(&d->out_seq, d->out, &d->now, WORDS(hapco_hd_reading));
	return d;
}

void hapco_hd_free(hapco_hd *d) { free(d); }

/* rewind clears what belongs to one connection. Position and counters stay: the
 * stylus has not moved for the program, and a count is a count. */
static void rewind_state(hapco_hd *d) {
	hapco_hd_reading *r = &d->now;
	command c;
	r->tick = 0;
	r->flags = r->lost_code = r->buttons = 0;
	r->temperature = -1;
	r->rate_hz = 0;
	memset(r->velocity, 0, sizeof r->velocity);
	memset(r->omega, 0, sizeof r->omega);
	memset(r->force, 0, sizeof r->force);
	memset(r->torque, 0, sizeof r->torque);
	d->clean_since = d->fault_since = d->fault_last = d->warm_since = d->kept_since = 0;
	d->in_fault = d->warm = d->output_on = d->have_write = d->can_force = 0;
	d->heat = 0;
	/* a command from before must not be taken for a new one */
	memset(&d->kept, 0, sizeof d->kept);
	if (seq_get(&d->in_seq, d->in, &c, WORDS(command)) == 0) d->kept.number = c.number;
	atomic_store(&d->quit, 0);
	atomic_store(&d->ended, 0);
	seq_put(&d->out_seq, d->out, r, WORDS(hapco_hd_reading));
}

static int is_force_error(uint32_t code) { return code >= WARM_MOTORS && code <= FORCE_ERROR; }

uint32_t hapco_hd_init(hapco_hd *d, const char *name, int32_t *internal) {
	hapco_hd_lib *l = d->lib;
	*internal = 0;
	drain(l, NULL); /* errors of an earlier life are not this call's */
	uint32_t h = l->InitDevice(name);
	uint32_t code = drain(l, internal);
	/* both must be asked: the handle may be 0, and an error may come with a handle */
	if (h == NO_DEVICE) return code ? code : DEVICE_FAULT;
	if (code != 0 && !is_force_error(code)) { /* warm motors are no reason not to open */
		l->DisableDevice(h);
		drain(l, NULL);
		return code;
	}
	d->handle = h;
	rewind_state(d);
	return 0;
}

/* ask reads n doubles; 0 and zeros when the device will not tell. */
static int ask(hapco_hd *d, uint32_t name, double *v, int n) {
	double got[16] = {0};
	drain(d->lib, NULL);
	d->lib->GetDoublev(name, got);
	int ok = drain(d->lib, NULL) == 0;
	for (int i = 0; i < n; i++) {
		if (!isfinite(got[i])) ok = 0;
	}
	for (int i = 0; i < n; i++) v[i] = ok ? got[i] : 0;
	return ok;
}

static int ask_int(hapco_hd *d, uint32_t name) {
	int32_t v[8] = {0};
	drain(d->lib, NULL);
	d->lib->GetIntegerv(name, v);
	return drain(d->lib, NULL) == 0 ? v[0] : 0;
}

static void ask_text(hapco_hd *d, uint32_t name, char *to, size_t n) {
	const char *s = d->lib->GetString(name);
	if (drain(d->lib, NULL) != 0) s = NULL;
	copy(to, n, s);
}

static double clip(double x, double lo, double hi) { return !(x > lo) ? lo : x > hi ? hi : x; }

void hapco_hd_query(hapco_hd *d, hapco_hd_caps *c) {
	double v[16];
	memset(c, 0, sizeof *c);
	d->lib->MakeCurrentDevice(d->handle);
	ask_text(d, MODEL, c->model, sizeof c->model);
	ask_text(d, SERIAL, c->serial, sizeof c->serial);
	ask_text(d, DRIVER, c->driver, sizeof c->driver);
	ask_text(d, VENDOR, c->vendor, sizeof c->vendor);
	ask(d, FIRMWARE, &c->firmware, 1);
	ask(d, MAX_FORCE, &c->max_force, 1);
	ask(d, CONTINUOUS_FORCE, &c->continuous_force, 1);
	if (ask(d, STIFFNESS, v, 1)) c->stiffness = 1000 * v[0]; /* N/mm */
	if (ask(d, DAMPING, v, 1)) c->damping = 1000 * v[0];     /* N s/mm */
	if (ask(d, VELOCITY_LIMIT, v, 1)) c->velocity_limit = 1e-3 * v[0];
	if (ask(d, BOX, v, 6))
		for (int i = 0; i < 6; i++) c->box[i] = 1e-3 * v[i];
	if (ask(d, REACH, v, 6))
		for (int i = 0; i < 6; i++) c->reach[i] = 1e-3 * v[i];
	c->input_dof = ask_int(d, INPUT_DOF);
	c->output_dof = ask_int(d, OUTPUT_DOF);
	c->styles = ask_int(d, STYLES);
	if (c->output_dof == 6) {
		if (ask(d, MAX_TORQUE, v, 1)) c->max_torque = 1e-3 * v[0]; /* mN m */
		if (ask(d, CONTINUOUS_TORQUE, v, 1)) c->continuous_torque = 1e-3 * v[0];
	}
	/* as many motors as driven axes */
	c->temperatures = ask(d, TEMPERATURE, v, 1) ? (c->output_dof == 6 ? 6 : 3) : 0;
	d->caps = *c;
	d->style = c->styles & STYLE_AUTO ? STYLE_AUTO : c->styles & STYLE_INKWELL ? STYLE_INKWELL : STYLE_ENCODER_RESET;
}

uint32_t hapco_hd_prepare(hapco_hd *d, const hapco_hd_config *config, hapco_hd_caps *caps) {
	/* the library's own safeties, all on; the order is that of caps.refused */
	static const uint32_t wanted[] = {FORCE_CLAMPING, FORCE_RAMPING, FORCE_LIMIT, ONE_FRAME, VELOCITY_LIMIT, IMPULSE_LIMIT};
	hapco_hd_lib *l = d->lib;
	uint32_t code;
	d->config = *config;
	l->MakeCurrentDevice(d->handle);
	if ((code = drain(l, NULL)) != 0) return code;
	l->SetSchedulerRate(config->rate_hz);
	if ((code = drain(l, NULL)) != 0) return code;
	caps->refused = 0;
	for (unsigned i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
		l->Enable(wanted[i]);
		if (drain(l, NULL) != 0) caps->refused |= 1u << i;
	}
	l->Disable(FORCE_OUTPUT); /* the callback switches it on once the pose is good */
	if ((code = drain(l, NULL)) != 0) return code;
	/* An arm that is told its reset position learns it before the scheduler starts. */
	if (d->style == STYLE_ENCODER_RESET && (config->recalibrate || l->CheckCalibration() == NEEDS_UPDATE)) l->UpdateCalibration(d->style);
	return drain(l, NULL);
}

/* ---- the tick ---- */

static void add_event(hapco_hd *d, uint32_t code, int32_t internal) {
	uint32_t head = atomic_load_explicit(&d->event_head, memory_order_relaxed);
	uint32_t tail = atomic_load_explicit(&d->event_tail, memory_order_acquire);
	if (head - tail == EVENTS) {
		atomic_fetch_add_explicit(&d->event_dropped, 1, memory_order_relaxed);
		return;
	}
	d->events[head % EVENTS] = (hapco_hd_event){code, internal, d->now.tick};
	atomic_store_explicit(&d->event_head, head + 1, memory_order_release);
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static int finite3(const double v[3]) { return isfinite(v[0]) && isfinite(v[1]) && isfinite(v[2]); }

/* rotation_of makes a unit quaternion from the rotation in a column-major 4x4
 * matrix. The library's matrix drifts a little from orthonormal, so its columns
 * are straightened first; one that is off by more than 10 % is refused. */
static int rotation_of(const double t[16], double q[4]) {
	double x[3] = {t[0], t[1], t[2]}, y[3] = {t[4], t[5], t[6]}, z[3];
	double nx = sqrt(dot(x, x)), s;
	if (!(fabs(nx - 1) < 0.1)) return 0;
	for (int i = 0; i < 3; i++) x[i] /= nx;
	s = dot(x, y);
	if (!(fabs(s) < 0.1)) return 0;
	for (int i = 0; i < 3; i++) y[i] -= s * x[i];
	s = sqrt(dot(y, y));
	if (!(fabs(s - 1) < 0.1)) return 0;
	for (int i = 0; i < 3; i++) y[i] /= s;
	z[0] = x[1] * y[2] - x[2] * y[1];
	z[1] = x[2] * y[0] - x[0] * y[2];
	z[2] = x[0] * y[1] - x[1] * y[0];
	if (!(z[0] * t[8] + z[1] * t[9] + z[2] * t[10] > 0.5)) return 0; /* mirrored */
	/* the largest of the four squares first: no cancellation */
	double trace = x[0] + y[1] + z[2];
	if (trace > 0) {
		s = 2 * sqrt(1 + trace);
		q[0] = s / 4, q[1] = (y[2] - z[1]) / s, q[2] = (z[0] - x[2]) / s, q[3] = (x[1] - y[0]) / s;
	} else if (x[0] > y[1] && x[0] > z[2]) {
		s = 2 * sqrt(1 + x[0] - y[1] - z[2]);
		q[0] = (y[2] - z[1]) / s, q[1] = s / 4, q[2] = (y[0] + x[1]) / s, q[3] = (z[0] + x[2]) / s;
	} else if (y[1] > z[2]) {
		s = 2 * sqrt(1 + y[1] - x[0] - z[2]);
		q[0] = (z[0] - x[2]) / s, q[1] = (y[0] + x[1]) / s, q[2] = s / 4, q[3] = (z[1] + y[2]) / s;
	} else {
		s = 2 * sqrt(1 + z[2] - x[0] - y[1]);
		q[0] = (x[1] - y[0]) / s, q[1] = (z[0] + x[2]) / s, q[2] = (z[1] + y[2]) / s, q[3] = s / 4;
	}
	return 1;
}

static uint64_t ticks(hapco_hd *d, double seconds) { return (uint64_t)(seconds * d->config.rate_hz + 0.5); }

/* sense reads the frame into d->now. */
static void sense(hapco_hd *d) {
	hapco_hd_lib *l = d->lib;
	hapco_hd_reading *r = &d->now;
	double t[16] = {0}, v[3] = {0}, w[3] = {0}, g[3] = {0}, q[4];
	int32_t buttons[4] = {0};
	l->GetDoublev(TRANSFORM, t);
	l->GetDoublev(VELOCITY, v);
	l->GetDoublev(ANGULAR_VELOCITY, w);
	l->GetDoublev(GIMBAL, g);
	l->GetIntegerv(BUTTONS, buttons);
	r->buttons = (uint32_t)buttons[0];
	/* 10 m: no arm of this family reaches that, so it is not a position */
	int good = finite3(t + 12) && finite3(v) && dot(t + 12, t + 12) < 1e8 && rotation_of(t, q);
	if (good) {
		for (int i = 0; i < 3; i++) {
			d->position[i] = 1e-3 * t[12 + i];
			d->velocity[i] = 1e-3 * v[i];
			d->omega[i] = isfinite(w[i]) ? w[i] : 0;
			r->gimbal[i] = isfinite(g[i]) ? g[i] : 0;
		}
		memcpy(d->rotation, q, sizeof q);
	} else {
		memset(d->velocity, 0, sizeof d->velocity);
		memset(d->omega, 0, sizeof d->omega);
		r->bad_pose++;
		d->clean_since = r->tick;
	}
	/* the first positions after a start are not to be trusted */
	if (good && r->tick > ticks(d, 0.042)) r->flags |= HAPCO_HD_VALID;
	else r->flags &= ~(uint32_t)HAPCO_HD_VALID;
}

static void flag(hapco_hd *d, uint32_t bit, int on) {
	if (on) d->now.flags |= bit;
	else d->now.flags &= ~bit;
}

/* look asks what need not be asked at every tick. */
static void look(hapco_hd *d) {
	hapco_hd_lib *l = d->lib;
	hapco_hd_reading *r = &d->now;
	if (r->tick % ticks(d, 0.05) == 1) {
		uint8_t dock[4] = {0};
		l->GetBooleanv(INKWELL, dock);
		flag(d, HAPCO_HD_INKWELL, dock[0]);
		if (d->caps.temperatures > 0) {
			double t[6] = {0};
			l->GetDoublev(TEMPERATURE, t);
			double warmest = 0;
			for (int i = 0; i < d->caps.temperatures; i++)
				if (!(t[i] <= warmest)) warmest = t[i];
			r->temperature = isfinite(warmest) ? warmest : 1;
		}
	}
	/* Once a second, but five times as often while it is not done. */
	int done = (r->flags & HAPCO_HD_CALIBRATED) != 0;
	if (r->tick % ticks(d, done ? 1 : 0.2) != 1) return;
	int32_t rate[4] = {0};
	l->GetIntegerv(ACTUAL_RATE, rate);
	r->rate_hz = rate[0];
	uint32_t c = l->CheckCalibration();
	if (c == NEEDS_UPDATE && d->style != STYLE_ENCODER_RESET) {
		l->UpdateCalibration(d->style);
		c = l->CheckCalibration();
		d->clean_since = r->tick; /* the pose may jump */
	}
	if (!done && c == CALIBRATION_OK) d->clean_since = r->tick;
	flag(d, HAPCO_HD_CALIBRATED, c == CALIBRATION_OK);
	flag(d, HAPCO_HD_NEEDS_DOCK, c == NEEDS_MANUAL);
}

/* forth and back turn a vector by the map's axes. */
static void forth(const double m[9], const double v[3], double out[3]) {
	for (int i = 0; i < 3; i++) out[i] = m[i] * v[0] + m[3 + i] * v[1] + m[6 + i] * v[2];
}

static void back(const double m[9], const double v[3], double out[3]) {
	for (int i = 0; i < 3; i++) out[i] = m[3 * i] * v[0] + m[3 * i + 1] * v[1] + m[3 * i + 2] * v[2];
}

static void times(const double a[4], const double b[4], double out[4]) {
	out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
	out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
	out[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
	out[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

/* place puts the device's pose into the scene. */
static void place(hapco_hd *d) {
	hapco_hd_reading *r = &d->now;
	hapco_hd_map m;
	double p[3], q[4], away[3];
	if (seq_get(&d->map_seq, d->map_box, &m, WORDS(m)) == 0) {
		if (m.number != d->map.number) memset(d->offset, 0, sizeof d->offset);
		d->map = m;
	}
	const hapco_hd_map *k = &d->map;
	int open = k->clutch != 0;
	d->gate = clip(d->gate + (open ? -1 : 1) / (0.08 * d->config.rate_hz), 0, 1);
	flag(d, HAPCO_HD_CLUTCHED, open);
	for (int i = 0; i < 3; i++) away[i] = d->position[i] - k->device[i];
	forth(k->axes, away, p);
	for (int i = 0; i < 3; i++) p[i] = k->world[i] + k->scale * p[i];
	if (open) {
		memset(r->velocity, 0, sizeof r->velocity);
		memset(r->omega, 0, sizeof r->omega);
		d->was_open = 1;
		return;
	}
	if (d->was_open) { /* closed just now: go on from where the stylus stayed */
		d->was_open = 0;
		for (int i = 0; i < 3; i++) d->offset[i] = r->position[i] - p[i];
	}
	for (int i = 0; i < 3; i++) r->position[i] = p[i] + d->offset[i];
	forth(k->axes, d->velocity, r->velocity);
	for (int i = 0; i < 3; i++) r->velocity[i] *= k->scale;
	forth(k->axes, d->omega, r->omega);
	times(k->turn, d->rotation, q);
	const double turned[4] = {k->turn[0], -k->turn[1], -k->turn[2], -k->turn[3]};
	times(q, turned, r->rotation);
}

/* to_device turns the scene's force and torque into the device's. */
static void to_device(hapco_hd *d, double f[3], double t[3]) {
	const hapco_hd_map *k = &d->map;
	double s = d->gate * k->force_scale;
	back(k->axes, d->want_force, f);
	back(k->axes, d->want_torque, t);
	for (int i = 0; i < 3; i++) {
		f[i] = s * f[i] + k->lift[i];
		t[i] *= s;
	}
}

void hapco_hd_set_map(hapco_hd *d, const hapco_hd_map *map) {
	seq_put(&d->map_seq, d->map_box, map, WORDS(*map));
}

int hapco_hd_read(void *self, double position[3], double rotation[4], double velocity[3], uint32_t *buttons) {
	hapco_hd *d = self;
	const hapco_hd_reading *r = &d->now;
	memcpy(position, r->position, sizeof r->position);
	if (rotation) memcpy(rotation, r->rotation, sizeof r->rotation);
	if (velocity) memcpy(velocity, r->velocity, sizeof r->velocity);
	if (buttons) *buttons = r->buttons;
	const uint32_t need = HAPCO_HD_VALID | HAPCO_HD_CALIBRATED;
	return (r->flags & need) != need;
}

void hapco_hd_omega(void *self, double omega[3]) {
	hapco_hd *d = self;
	memcpy(omega, d->now.omega, sizeof d->now.omega);
}

int hapco_hd_write(void *self, const double force[3], const double torque[3]) {
	hapco_hd *d = self;
	memcpy(d->want_force, force, sizeof d->want_force);
	if (torque) memcpy(d->want_torque, torque, sizeof d->want_torque);
	else memset(d->want_torque, 0, sizeof d->want_torque);
	d->have_write = 1;
	return !d->can_force;
}

/* take puts the newest command of the other thread in place. One that is not
 * renewed fades and ends: the force of a program that hangs must not stay. */
static void take(hapco_hd *d) {
	command c;
	uint64_t tick = d->now.tick;
	if (seq_get(&d->in_seq, d->in, &c, WORDS(command)) == 0 && c.number != d->kept.number) {
		d->kept = c;
		d->kept_since = tick;
	}
	double age = (double)(tick - d->kept_since) / d->config.rate_hz, s = 1;
	if (age > d->config.zero_after_s) s = 0;
	else if (age > d->config.fade_after_s) s = exp(-(age - d->config.fade_after_s) / 0.05);
	if (s < 1 && dot(d->kept.force, d->kept.force) + dot(d->kept.torque, d->kept.torque) > 0) d->now.stale++;
	for (int i = 0; i < 3; i++) {
		d->want_force[i] = s * d->kept.force[i];
		d->want_torque[i] = s * d->kept.torque[i];
	}
	d->have_write = 1;
}

/* shorten cuts v to length lim; false when it was not finite and is now zero. */
static int shorten(double v[3], double lim, int *cut) {
	double n = sqrt(dot(v, v));
	if (!isfinite(n)) {
		v[0] = v[1] = v[2] = 0;
		return 0;
	}
	if (!(n <= lim)) {
		for (int i = 0; i < 3; i++) v[i] *= lim / n;
		*cut = 1;
	}
	return 1;
}

/* limit is the last stop before the motors, whatever stood before it. */
static void limit(hapco_hd *d, double f[3], double m[3]) {
	hapco_hd_reading *r = &d->now;
	int cut = 0;
	double scale = 1, cont = d->config.continuous_force;
	flag(d, HAPCO_HD_LIMITED, 0);
	/* a force of 1e200 N has no length that a double can hold: not finite */
	if (!shorten(f, d->config.max_force, &cut) || !shorten(m, d->config.max_torque, &cut)) {
		memset(f, 0, 3 * sizeof *f);
		memset(m, 0, 3 * sizeof *m);
		r->not_finite++;
		flag(d, HAPCO_HD_LIMITED, 1);
	}
	if (cut) r->clamped++;
	if (r->temperature >= 0) {
		scale = clip((1 - r->temperature) / 0.2, 0, 1); /* from 0.8 down to nothing at 1 */
	} else if (cont > 0) {
		/* no sensor: mean square force over 40 s must not stay above the continuous one */
		double n = sqrt(dot(f, f));
		d->heat += ((n / cont) * (n / cont) - d->heat) / (40.0 * d->config.rate_hz);
		if (d->heat > 0.8 && n > cont) {
			double s = clip((1 - d->heat) / 0.2, 0, 1);
			scale = (cont + s * (n - cont)) / n;
		}
	}
	if (scale < 1 && (f[0] != 0 || f[1] != 0 || f[2] != 0)) r->cooled++;
	/* back in over half a second after a start or an error, slowly first */
	double t = (double)(r->tick - d->clean_since) / (0.5 * d->config.rate_hz);
	if (t < 1) scale *= t * t;
	if (!d->can_force) scale = 0;
	if (cut || scale < 1) flag(d, HAPCO_HD_LIMITED, 1);
	for (int i = 0; i < 3; i++) {
		f[i] *= scale;
		m[i] *= scale;
	}
}

static void lose(hapco_hd *d, uint32_t code) {
	if (d->now.lost_code == 0) d->now.lost_code = code;
	d->now.flags |= HAPCO_HD_LOST;
}

/* judge decides what an error means for the force. */
static void judge(hapco_hd *d, uint32_t code) {
	uint64_t tick = d->now.tick;
	d->clean_since = tick; /* ramp in again */
	switch (code) {
	case COMM_ERROR: case COMM_CONFIG_ERROR: case TIMER_ERROR: case BAD_HANDLE:
	case INVALID_PRIORITY: case SCHEDULER_FULL: case INVALID_LICENSE:
		lose(d, code);
		return;
	case WARM_MOTORS:
		d->warm = 1;
		d->warm_since = tick;
		return;
	}
	if (is_force_error(code)) return; /* the ramp is answer enough */
	/* A device fault or a call out of place: no force until 0.2 s without; one
	 * that goes on for a second is a device that will not come back by waiting. */
	if (!d->in_fault) d->fault_since = tick;
	d->in_fault = 1;
	d->fault_last = tick;
	if (tick - d->fault_since > ticks(d, 1)) lose(d, code);
}

static void collect_errors(hapco_hd *d) {
	for (int i = 0; i < 16; i++) {
		hd_error e = d->lib->GetError();
		if (e.code == 0) return;
		add_event(d, e.code, e.internal);
		judge(d, e.code);
	}
}

static void switch_output(hapco_hd *d, int on) {
	if (on == d->output_on) return;
	d->output_on = on;
	if (on) d->lib->Enable(FORCE_OUTPUT);
	else d->lib->Disable(FORCE_OUTPUT);
}

static uint32_t on_tick(void *user) {
	hapco_hd *d = user;
	hapco_hd_reading *r = &d->now;
	hapco_hd_lib *l = d->lib;
	int leaving = atomic_load_explicit(&d->quit, memory_order_acquire);
	int panic = atomic_load_explicit(&panicking, memory_order_acquire);
	r->tick++;
	r->stamp_ns = now_ns();

	l->BeginFrame(d->handle);
	sense(d);
	place(d);
	look(d);
	collect_errors(d); /* before the force is decided */

	if (d->in_fault && r->tick - d->fault_last > ticks(d, 0.2)) d->in_fault = 0, d->clean_since = r->tick;
	if (d->warm) {
		int cool = r->temperature >= 0 ? r->temperature < 0.8 : r->tick - d->warm_since > ticks(d, 10);
		if (cool && r->tick - d->warm_since > ticks(d, 1)) d->warm = 0, d->clean_since = r->tick;
	}
	const uint32_t need = HAPCO_HD_VALID | HAPCO_HD_CALIBRATED;
	int could = d->can_force;
	d->can_force = (r->flags & need) == need && !(r->flags & HAPCO_HD_LOST) && !d->in_fault && !d->warm && !leaving && !panic;
	if (d->can_force && !could) d->clean_since = r->tick;
	flag(d, HAPCO_HD_FORCE, d->can_force);
	flag(d, HAPCO_HD_WARM, d->warm);
	flag(d, HAPCO_HD_FAULT, d->in_fault);

	d->have_write = 0;
	atomic_store(&d->in_tick, 1);
	void (*tick)(void *) = atomic_load(&d->tick);
	if (tick) tick(atomic_load_explicit(&d->tick_context, memory_order_relaxed));
	atomic_store(&d->in_tick, 0);
	if (!tick) take(d);
	if (!d->have_write) {
		memset(d->want_force, 0, sizeof d->want_force);
		memset(d->want_torque, 0, sizeof d->want_torque);
	}

	to_device(d, r->force, r->torque);
	limit(d, r->force, r->torque);
	if (d->caps.output_dof == 6) {
		double mNm[3] = {1000 * r->torque[0], 1000 * r->torque[1], 1000 * r->torque[2]};
		l->SetDoublev(TORQUE, mNm);
	} else {
		memset(r->torque, 0, sizeof r->torque);
	}
	l->SetDoublev(FORCE, r->force);
	switch_output(d, d->can_force);
	l->EndFrame(d->handle);
	atomic_store_explicit(&d->off, panic, memory_order_release);
	collect_errors(d);

	int over = leaving || (r->flags & HAPCO_HD_LOST);
	if (over) {
		flag(d, HAPCO_HD_FORCE, 0);
		switch_output(d, 0);
	}
	seq_put(&d->out_seq, d->out, r, WORDS(hapco_hd_reading));
	if (over) {
		atomic_store_explicit(&d->ended, 1, memory_order_release);
		return DONE;
	}
	return CONTINUE;
}

/* ---- owner: start, stop ---- */

uint32_t hapco_hd_start(hapco_hd *d) {
	hapco_hd_lib *l = d->lib;
	uint32_t code;
	d->scheduled = l->ScheduleAsynchronous(on_tick, d, PRIORITY);
	if ((code = drain(l, NULL)) != 0) return code;
	l->StartScheduler();
	return drain(l, NULL);
}

int hapco_hd_stop(hapco_hd *d) {
	atomic_store_explicit(&d->quit, 1, memory_order_release);
	/* let the callback send its last, zero frame; a scheduler that has died will not,
	 * one on a crowded machine may take its time */
	const struct timespec ms = {0, 1000000};
	for (int i = 0; i < 1000 && !atomic_load_explicit(&d->ended, memory_order_acquire); i++) nanosleep(&ms, NULL);
	int clean = atomic_load_explicit(&d->ended, memory_order_acquire);
	d->lib->StopScheduler();
	if (!clean) { /* a finished callback has left the schedule by itself */
		d->lib->Unschedule(d->scheduled);
		d->lib->MakeCurrentDevice(d->handle);
		d->lib->Disable(FORCE_OUTPUT);
	}
	d->lib->DisableDevice(d->handle);
	drain(d->lib, NULL);
	return !clean;
}

void hapco_hd_release(hapco_hd *d) {
	d->lib->DisableDevice(d->handle);
	drain(d->lib, NULL);
}

void hapco_hd_set_tick(hapco_hd *d, void (*tick)(void *), void *context) {
	/* Store, then wait: the callback raises in_tick before it loads the pointer,
	 * so once in_tick is seen low the old function cannot be entered again. */
	atomic_store(&d->tick, NULL);
	while (atomic_load(&d->in_tick)) sched_yield();
	if (!tick) return;
	atomic_store(&d->tick_context, context);
	atomic_store(&d->tick, tick);
}

/* ---- the other thread ---- */

int hapco_hd_latest(hapco_hd *d, hapco_hd_reading *out) {
	hapco_hd_reading r;
	for (int i = 0; i < 64; i++)
		if (seq_get(&d->out_seq, d->out, &r, WORDS(r)) == 0) {
			*out = r;
			return 0;
		}
	return 1;
}

int hapco_hd_command(hapco_hd *d, const double force[3], const double torque[3]) {
	command c = {{0}, {0}, ++d->commands};
	memcpy(c.force, force, sizeof c.force);
	if (torque) memcpy(c.torque, torque, sizeof c.torque);
	seq_put(&d->in_seq, d->in, &c, WORDS(command));
	return atomic_load_explicit(&d->ended, memory_order_acquire);
}

int hapco_hd_next_event(hapco_hd *d, hapco_hd_event *out) {
	uint32_t tail = atomic_load_explicit(&d->event_tail, memory_order_relaxed);
	if (tail == atomic_load_explicit(&d->event_head, memory_order_acquire)) return 0;
	*out = d->events[tail % EVENTS];
	atomic_store_explicit(&d->event_tail, tail + 1, memory_order_release);
	return 1;
}

int hapco_hd_is_off(hapco_hd *d) { return atomic_load_explicit(&d->off, memory_order_acquire); }

uint64_t hapco_hd_dropped_events(hapco_hd *d) { return atomic_load_explicit(&d->event_dropped, memory_order_relaxed); }
