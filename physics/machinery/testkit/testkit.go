package testkit

import (
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// SharedFile is a file or folder of the collection of samples and reference results that lies beside the repository, or
// where the environment variable HAPCO_SHARED says. ok is false where it is absent.
func SharedFile(path ...string) (file string, ok bool) {
	root := os.Getenv("HAPCO_SHARED")
	if root == "" {
		root = filepath.Join(Repository(), "..", "shared")
	}
	file = filepath.Join(append([]string{root}, path...)...)
	_, err := os.Stat(file)
	return file, err == nil
}

// Shared is SharedFile for a test that can do nothing without it: it skips.
func Shared(tb testing.TB, path ...string) string {
	tb.Helper()
	file, ok := SharedFile(path...)
	if !ok {
		tb.Skipf("no %s (HAPCO_SHARED names the folder that holds %s)", file, filepath.Join(path...))
	}
	return file
}

// Repository is the folder with go.mod: tests run in the folder of their package.
func Repository() string {
	dir, err := os.Getwd()
	if err != nil {
		return "."
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return dir
		}
	}
}

// FullDisk runs do where no file of this process may have more than some bytes, as on a disk that is full.
func FullDisk(tb testing.TB, most uint64, do func()) {
	tb.Helper()
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &old); err != nil {
		tb.Fatal(err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: most, Max: old.Max}); err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = unix.Setrlimit(unix.RLIMIT_FSIZE, &old) }()
	do()
}

// Goroutines counts the goroutines that run now. The function that it returns waits until no more than that are left.
func Goroutines(tb testing.TB) (ended func()) {
	tb.Helper()
	before := runtime.NumGoroutine()
	return func() {
		tb.Helper()
		Eventually(tb, "the end of goroutines", func() bool { return runtime.NumGoroutine() <= before })
	}
}

// Slow skips a test that takes more than a few seconds where short tests are asked for, as `make test` does; `make
// test-slow` runs it. A faster test of the same law always runs.
func Slow(tb testing.TB) {
	tb.Helper()
	if testing.Short() {
		tb.Skip("slow: make test-slow runs it")
	}
}

// Long says whether slow tests run, for tests that only grow with it.
func Long() bool { return !testing.Short() }

// Hang is how long a test waits for what must come before it calls itself dead. It decides nothing else: no machine is
// so busy.
const Hang = 5 * time.Minute

// Eventually looks until ok says that another goroutine or process has brought about what is waited for, and ends the
// test where that never comes.
func Eventually(tb testing.TB, what string, ok func() bool) {
	tb.Helper()
	for end := time.Now().Add(Hang); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			tb.Fatalf("waited in vain: %s", what)
		}
	}
}

// Await is what comes out of a channel.
func Await[T any](tb testing.TB, what string, c <-chan T) T {
	tb.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(Hang):
		tb.Fatalf("waited in vain: %s", what)
		panic("unreachable")
	}
}
