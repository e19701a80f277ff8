// Package fakehd builds and steers the double of libHD that the tests of package phantom run against (lib/fakehd.c).
// Nothing of the product imports it.
package fakehd

/*
#cgo LDFLAGS: -ldl -lm
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct {
	void *so;
	int (*set)(const char *, double);
	double (*get)(const char *);
	void (*fault)(uint32_t);
	void (*step)(int);
	void (*reset)(void);
} fake;

static int fake_open(fake *f, const char *path) {
	f->so = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!f->so) return 0;
	*(void **)&f->set = dlsym(f->so, "fakehd_set");
	*(void **)&f->get = dlsym(f->so, "fakehd_get");
	*(void **)&f->fault = dlsym(f->so, "fakehd_fault");
	*(void **)&f->step = dlsym(f->so, "fakehd_step");
	*(void **)&f->reset = dlsym(f->so, "fakehd_reset");
	return f->set && f->get && f->fault && f->step && f->reset;
}
static int fake_set(fake *f, const char *k, double v) { return f->set(k, v); }
static double fake_get(fake *f, const char *k) { return f->get(k); }
static void fake_fault(fake *f, uint32_t c) { f->fault(c); }
static void fake_step(fake *f, int n) { f->step(n); }
static void fake_reset(fake *f) { f->reset(); }

// A floor to press on: the tick function of a kernel, in C because it runs on the double's own thread. Penalty force
// with friction by a dragged anchor.
typedef struct {
	void *device;
	int (*read)(void *, double *, double *, double *, uint32_t *);
	int (*write)(void *, const double *, const double *);
	double height, stiffness, damping, friction;
	_Atomic double bad;
	double anchor[3];
	int touching;
	_Atomic uint64_t ticks, contacts, slips;
} floor_kernel;

static void floor_tick(void *self) {
	floor_kernel *k = self;
	double p[3], q[4], v[3], f[3] = {0, 0, 0};
	uint32_t buttons;
	k->ticks++;
	if (k->read(k->device, p, q, v, &buttons) == 0) {
		double depth = k->height - p[1];
		if (depth > 0) {
			k->contacts++;
			if (!k->touching) {
				k->anchor[0] = p[0];
				k->anchor[2] = p[2];
			}
			k->touching = 1;
			f[1] = k->stiffness * depth - k->damping * v[1];
			if (f[1] < 0) f[1] = 0;
			f[0] = k->stiffness * (k->anchor[0] - p[0]);
			f[2] = k->stiffness * (k->anchor[2] - p[2]);
			double t2 = f[0] * f[0] + f[2] * f[2], cone = k->friction * f[1];
			if (t2 > cone * cone) {
				double s = 1;
				for (int i = 0; i < 40; i++) s = 0.5 * (s + cone * cone / t2 / s); // square root
				f[0] *= s;
				f[2] *= s;
				k->anchor[0] = p[0] + f[0] / k->stiffness;
				k->anchor[2] = p[2] + f[2] / k->stiffness;
				k->slips++;
			}
		} else {
			k->touching = 0;
		}
	}
	if (k->bad != 0) f[0] = k->bad < 0 ? 1e300 : 0.0 / (k->bad - k->bad);
	k->write(k->device, f, NULL);
}
static void *floor_tick_address(void) { return (void *)floor_tick; }
*/
import "C"

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"unsafe"
)

// Build compiles the double into dir and returns its path. Extra flags choose a variant (-DFAKEHD_OLD).
func Build(dir, name string, flags ...string) (string, error) {
	_, here, _, _ := runtime.Caller(0)
	source := filepath.Join(filepath.Dir(here), "lib", "fakehd.c")
	out := filepath.Join(dir, name)
	args := append([]string{"-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Wl,-soname,libHD.so.3.4"}, flags...)
	args = append(args, source, "-o", out, "-lm", "-lpthread")
	if msg, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("gcc: %w\n%s", err, msg)
	}
	return out, nil
}

// Fake steers a loaded double.
type Fake struct{ f C.fake }

// Open reaches the double at path; the driver under test shares its state.
func Open(path string) (*Fake, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	cpath := C.CString(path)
	defer C.free(unsafe.Pointer(cpath))
	fake := &Fake{}
	if C.fake_open(&fake.f, cpath) == 0 {
		return nil, fmt.Errorf("fakehd: cannot open %s", path)
	}
	return fake, nil
}

// Set turns a knob; unknown names panic.
func (f *Fake) Set(knob string, v float64) {
	c := C.CString(knob)
	defer C.free(unsafe.Pointer(c))
	if C.fake_set(&f.f, c, C.double(v)) == 0 {
		panic("fakehd: no knob " + knob)
	}
}

// Get reads a knob or a meter.
func (f *Fake) Get(meter string) float64 {
	c := C.CString(meter)
	defer C.free(unsafe.Pointer(c))
	return float64(C.fake_get(&f.f, c))
}

// Fault queues an error.
func (f *Fake) Fault(code uint32) { C.fake_fault(&f.f, C.uint32_t(code)) }

// Step runs n ticks, with the knob "step" set.
func (f *Fake) Step(n int) { C.fake_step(&f.f, C.int(n)) }

// Reset puts everything back; the scheduler must be stopped.
func (f *Fake) Reset() { C.fake_reset(&f.f) }

// Floor is a kernel in C: a floor with friction at a height, m.
type Floor struct{ k *C.floor_kernel }

// NewFloor makes one for a device's C functions; stiffness N/m, damping N s/m.
func NewFloor(self, read, write unsafe.Pointer, height, stiffness, damping, friction float64) *Floor {
	k := (*C.floor_kernel)(C.calloc(1, C.sizeof_floor_kernel))
	k.device = self
	k.read = (*[0]byte)(read)
	k.write = (*[0]byte)(write)
	k.height, k.stiffness = C.double(height), C.double(stiffness)
	k.damping, k.friction = C.double(damping), C.double(friction)
	return &Floor{k}
}

// Tick is the tick function and its context.
func (f *Floor) Tick() (fn, context unsafe.Pointer) {
	return C.floor_tick_address(), unsafe.Pointer(f.k)
}

// Spoil makes the floor's force NaN (+1), huge (-1) or right again (0).
func (f *Floor) Spoil(how float64) { f.k.bad = C.double(how) }

// Counts are the ticks run, those in contact, and those that slipped.
func (f *Floor) Counts() (ticks, contacts, slips uint64) {
	return uint64(f.k.ticks), uint64(f.k.contacts), uint64(f.k.slips)
}

// Free gives the memory back; no tick may run any more.
func (f *Floor) Free() { C.free(unsafe.Pointer(f.k)) }
