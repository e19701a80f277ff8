package flex

/*
#cgo LDFLAGS: -ldl
#define _GNU_SOURCE
#include <dlfcn.h>

// blas_now is how many threads OpenBLAS uses; 0 where it is another BLAS.
static int blas_now(void) {
	int (*get)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "openblas_get_num_threads");
	return get ? get() : 0;
}

// blas_threads tells OpenBLAS, where that is the BLAS, to use n threads, and returns how many it used before; 0 where
// it is another BLAS.
static int blas_threads(int n) {
	void (*set)(int) = (void (*)(int))dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
	int before = blas_now();
	if (!before || !set)
		return 0;
	set(n);
	return before;
}
*/
import "C"

import (
	"runtime"
	"sync"
)

var single struct {
	sync.Mutex
	users  int
	before C.int // threads without any of them
}

// oneThread lets the BLAS of this process use one thread until everybody who asked for that has called manyThreads: how
// many share a product changes the last digits of its sums, and a crew has work for all.
func oneThread() {
	single.Lock()
	defer single.Unlock()
	if single.users++; single.users == 1 {
		single.before = C.blas_threads(1)
	}
}

func manyThreads() {
	single.Lock()
	defer single.Unlock()
	if single.users--; single.users == 0 && single.before > 0 {
		C.blas_threads(single.before)
	}
}

// threads is how many the BLAS uses now, for tests (which may not use cgo themselves); 0: not known.
func threads() int { return int(C.blas_now()) }

// workers is how many threads share the work of a factor.
func (f *Factor) workers() int {
	if f.Yields {
		return max(1, min(runtime.GOMAXPROCS(0)-1, maxWorkers))
	}
	return min(runtime.GOMAXPROCS(0), maxWorkers)
}
