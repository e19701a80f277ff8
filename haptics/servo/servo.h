/* The servo's loop: clock, boxes, ring, device. See kernel.h for one tick. */
#ifndef HAPCO_SERVO_H
#define HAPCO_SERVO_H

#include <stddef.h>
#include <stdint.h>

#include "kernel.h"

/* A device for the servo: called once a tick from its thread. Neither function
 * may block, allocate or call Go. */
typedef struct {
	void *self;
	int (*read)(void *self, hapco_state *out);                                   /* 0, or an error: state.lost is set */
	int (*write)(void *self, const double force[3], const double torque[3]);     /* 0, or an error */
	void (*release)(void *self);                                                 /* no force, at once */
} hapco_device;

/* State of a latest-value box of three slots: one writer, one reader, neither
 * waits. The same protocol as package latest; Go uses it through sync/atomic. */
typedef struct {
	uint32_t state; /* index of the shared slot, or'ed with HAPCO_FRESH; atomic */
	uint32_t pad0[15];
	uint32_t write; /* the writer's slot */
	uint32_t pad1[15];
	uint32_t read; /* the reader's slot */
	uint32_t pad2[15];
} hapco_box;

enum { HAPCO_FRESH = 4 };

static inline void hapco_box_init(hapco_box *b)
{
	b->write = 0;
	b->read = 2;
	__atomic_store_n(&b->state, 1, __ATOMIC_RELEASE);
}

static inline void hapco_box_publish(hapco_box *b)
{
	b->write = __atomic_exchange_n(&b->state, b->write | HAPCO_FRESH, __ATOMIC_ACQ_REL) & ~(uint32_t)HAPCO_FRESH;
}

/* index of the newest slot; fresh says whether it is new */
static inline uint32_t hapco_box_get(hapco_box *b, int *fresh)
{
	*fresh = (__atomic_load_n(&b->state, __ATOMIC_ACQUIRE) & HAPCO_FRESH) != 0;
	if (*fresh)
		b->read = __atomic_exchange_n(&b->state, b->read, __ATOMIC_ACQ_REL) & ~(uint32_t)HAPCO_FRESH;
	return b->read;
}

typedef struct {
	uint64_t tick;
	double stylus_position[3], stylus_rotation[4];
	double hand_position[3], hand_rotation[4];
	double velocity[3];
	uint32_t buttons, pad;
	double stiffness, angle_stiffness, max_force;
} hapco_sample;

typedef struct {
	hapco_record last;
	uint64_t ticks, missed, dropped, errors;
	uint64_t counts[HAPCO_FLAGS];
	double rate;          /* Hz */
	double peak;          /* largest force sent of the last second, N */
	int32_t late, work;   /* worst of the last second, ns */
	int32_t device_error; /* of the newest read or write; 0: none */
	int32_t pad;
} hapco_status;

typedef struct {
	hapco_kernel kernel;
	hapco_device device;
	hapco_input input;
	int64_t period, start, next; /* ns */

	hapco_box models, params, samples, statuses;
	hapco_model model[3];
	hapco_params param[3];
	hapco_sample sample[3];
	hapco_status status[3];

	/* a device without motors: its spring is the coupling; bits of doubles, atomic */
	uint64_t spring_stiffness, spring_damping;

	/* ring of records: one writer, one reader */
	hapco_record *ring;
	uint64_t mask;
	uint64_t head; /* atomic */
	uint64_t pad0[7];
	uint64_t tail; /* atomic */
	uint64_t pad1[7];

	/* requests and answer, atomic */
	int32_t stop, release, running;
	int32_t released; /* the device has been given the zero force that release asks for */

	/* meter */
	uint64_t missed, dropped, errors, counts[HAPCO_FLAGS], rate_ticks;
	int64_t rate_start;
	double rate, peak, peak_last;
	uint32_t last_flags;
	int32_t late, work, late_last, work_last;

	size_t bytes; /* of this whole allocation */
	char note[400]; /* of the run: what was obtained of the system */
} hapco_servo;

/* NULL when memory is short */
extern int hapco_servo_starves; /* for tests: the allocation from now on that finds no memory; 0: none */

/* NULL where there is no memory, as all that follow */
hapco_servo *hapco_servo_new(double period, double cutoff, int64_t capacity, int64_t records);
void hapco_servo_free(hapco_servo *s);

/* one tick that began at now and was late by so much; for a device's own
 * scheduler callback as well as for hapco_servo_run */
void hapco_servo_step(hapco_servo *s, int64_t now, int64_t late);

/* The same for a foreign scheduler: keeps the clock itself. Returns 0 once the
 * servo should stop. Its address is what a device with a callback is given. */
int hapco_servo_callback(void *servo);

/* ticks until stop; real-time priority when priority > 0. Writes what was
 * obtained to note. */
void hapco_servo_run(hapco_servo *s, int priority, int lock, char *note, size_t note_size);

/* A device behind two boxes: what a driver written in Go uses. */
typedef struct {
	hapco_box in, out;
	hapco_state state[3];
	double wrench[3][6];
	int64_t heard; /* when a new state was last seen, ns */
} hapco_mailbox;

hapco_mailbox *hapco_mailbox_new(void);
void hapco_mailbox_free(hapco_mailbox *m);
hapco_device hapco_mailbox_device(hapco_mailbox *m);

/* A device with a scheduler of its own: rotation comes as w x y z, read is 0
 * when the pose can be trusted. */
typedef struct {
	void *self;
	int (*read)(void *self, double position[3], double rotation[4], double velocity[3], uint32_t *buttons);
	int (*write)(void *self, const double force[3], const double torque[3]);
} hapco_foreign;

hapco_foreign *hapco_foreign_new(void *self, void *read, void *write);
hapco_device hapco_foreign_device(hapco_foreign *f);

#endif
