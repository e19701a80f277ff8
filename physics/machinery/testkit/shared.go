package testkit

import (
	"os"
	"path/filepath"
	"testing"
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
