package testkit

import (
	"os/signal"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

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
