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
	int (*get)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "openblas_get_num_threads");
	void (*set)(int) = (void (*)(int))dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
	if (!get || !set)
		return 0;
	int before = get();
	set(n);
	return before;
}
*/
import "C"

import "sync"

var single struct {
	sync.Mutex
	users  int
	before C.int // threads without any of them
}

// OneThread lets the linear algebra of this process use one thread until everybody who asked for that has called
// restore: for who has work for all cores already. How many threads share a product changes the last digits of its
// sums: with one, results do not depend on the machine's cores. No computation may be running.
func OneThread() (restore func()) {
	single.Lock()
	defer single.Unlock()
	if single.users++; single.users == 1 {
		single.before = C.blas_threads(1)
	}
	return sync.OnceFunc(func() {
		single.Lock()
		defer single.Unlock()
		if single.users--; single.users == 0 && single.before > 0 {
			C.blas_threads(single.before)
		}
	})
}

// threads is how many the linear algebra uses now; 0: not known.
func threads() int { return int(C.blas_now()) }
