//go:build linux && cgo

package audio

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdlib.h>

// ALSA's functions, as far as they are called: the library is opened when it is needed.
static struct {
	int (*open)(void **, const char *, int, int);
	int (*set)(void *, int, int, unsigned, unsigned, int, unsigned);
	long (*writei)(void *, const void *, unsigned long);
	int (*recover)(void *, int, int);
	int (*drop)(void *);
	int (*close)(void *);
	int (*quiet)(void (*)(const char *, int, const char *, int, const char *, ...));
	const char *(*error)(int);
} alsa;

// It prints what fails on standard error; the caller tells in one line.
static void silent(const char *file, int line, const char *function, int err, const char *format, ...) {}

static int load(void) {
	void *lib = dlopen("libasound.so.2", RTLD_NOW);
	if (!lib)
		return 0;
#define FIND(field, name) if (!(*(void **)&alsa.field = dlsym(lib, name))) return 0;
	FIND(open, "snd_pcm_open")
	FIND(set, "snd_pcm_set_params")
	FIND(writei, "snd_pcm_writei")
	FIND(recover, "snd_pcm_recover")
	FIND(drop, "snd_pcm_drop")
	FIND(close, "snd_pcm_close")
	FIND(quiet, "snd_lib_error_set_handler")
	FIND(error, "snd_strerror")
	alsa.quiet(silent);
	return 1;
}

enum { playback = 0, s16 = 2, interleaved = 3 };

static int start(void **pcm, const char *name, unsigned rate, unsigned latency) {
	int err = alsa.open(pcm, name, playback, 0);
	if (err < 0)
		return err;
	err = alsa.set(*pcm, s16, interleaved, 1, rate, 1, latency);
	if (err < 0)
		alsa.close(*pcm);
	return err;
}

static int play(void *pcm, const short *samples, long n) {
	while (n > 0) {
		long done = alsa.writei(pcm, samples, n);
		if (done < 0) {
			int err = alsa.recover(pcm, done, 1);
			if (err < 0)
				return err;
			continue;
		}
		samples += done;
		n -= done;
	}
	return 0;
}

static void end(void *pcm) {
	alsa.drop(pcm);
	alsa.close(pcm);
}

static const char *message(int err) { return alsa.error(err); }
*/
import "C"

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"
)

// loaded tells whether ALSA is there.
var loaded = sync.OnceValue(func() bool { return C.load() != 0 })

// pcm is a device of ALSA.
type pcm struct{ handle unsafe.Pointer }

func openDevice(name string, rate int) (device, error) {
	if !loaded() {
		return nil, errors.New("there is no libasound.so.2 (cure: install libasound2)")
	}
	p := &pcm{}
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	if err := C.start(&p.handle, c, C.uint(rate), C.uint(latency.Microseconds())); err < 0 {
		return nil, fmt.Errorf("the sound device does not open: %s", C.GoString(C.message(err)))
	}
	return p, nil
}

func (p *pcm) write(samples []int16) error {
	if err := C.play(p.handle, (*C.short)(unsafe.Pointer(&samples[0])), C.long(len(samples))); err < 0 {
		return fmt.Errorf("the sound device is gone: %s", C.GoString(C.message(err)))
	}
	return nil
}

func (p *pcm) close() { C.end(p.handle) }
