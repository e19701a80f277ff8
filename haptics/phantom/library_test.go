package phantom

import (
	"errors"
	"hapco/haptics/phantom/internal/fakehd"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestRates(t *testing.T) {
	for _, hz := range []int{500, 1000, 1600} {
		fresh(t)
		d, _ := open(t, Options{RateHz: hz})
		if fake.Get("rate") != float64(hz) || d.Limits().RateHz != float64(hz) {
			t.Errorf("%d Hz asked, %v set", hz, fake.Get("rate"))
		}
		shut(t, d)
	}
	fresh(t)
	for _, hz := range []int{-1, 777, 9000} {
		if _, err := Open(Options{Library: libPath, RateHz: hz}); err == nil || !strings.Contains(err.Error(), "1000") {
			t.Errorf("%d Hz: %v", hz, err)
		}
	}
	if _, err := Open(Options{Library: libPath, MaxForce: math.NaN()}); err == nil {
		t.Error("a largest force of NaN was taken")
	}
}

func TestLibraryTrouble(t *testing.T) {
	// a folder of its own for each run: a library stays mapped, and must not be
	// written over
	builds, err := os.MkdirTemp(builds, "trouble")
	if err != nil {
		t.Fatal(err)
	}
	old, err := fakehd.Build(builds, "libHDold.so", "-DFAKEHD_OLD")
	if err != nil {
		t.Fatal(err)
	}
	two, err := fakehd.Build(builds, "libHDtwo.so")
	if err != nil {
		t.Fatal(err)
	}
	text := filepath.Join(builds, "libHDtext.so")
	if err := os.WriteFile(text, []byte(strings.Repeat("not a library ", 20)), 0o644); err != nil {
		t.Fatal(err)
	}
	// a library whose driver is not installed
	empty := filepath.Join(builds, "empty.c")
	driver := filepath.Join(builds, "libPhantomIOLib42.so")
	if err := os.WriteFile(empty, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("gcc", "-shared", "-fPIC", empty, "-o", driver, "-Wl,-soname,libPhantomIOLib42.so").CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	bare, err := fakehd.Build(builds, "libHDbare.so", "-Wl,--no-as-needed", driver)
	if err != nil {
		t.Fatal(err)
	}
	os.Remove(driver)

	named := filepath.Join(builds, "libHD.so.2.0.1")
	if err := os.WriteFile(named, must(os.ReadFile(two)), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("FAKEHD_VERSION", "2.1 build 7")
	gone := filepath.Join(builds, "gone", "libHD.so")
	for _, c := range []struct{ path, reason, cure string }{
		{gone, "No such file", LibraryVariable},
		{old, "missing symbol hdSetSchedulerRate", "install OpenHaptics 3.4"},
		{two, "2.1", "install OpenHaptics 3.4"},
		{two, "2.1", "install OpenHaptics 3.4"},   // asked again: the same answer
		{named, "2.0", "install OpenHaptics 3.4"}, // its name tells before anything is called
		{text, "invalid ELF header", "reinstall"},
		{bare, "libPhantomIOLib42.so", "device driver"},
	} {
		_, err := Open(Options{Library: c.path})
		var e *LibraryError
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", c.path, err)
			continue
		}
		s := err.Error()
		if !strings.Contains(s, c.reason) || !strings.Contains(s, c.cure) || !strings.Contains(s, c.path) || strings.Contains(s, "\n") {
			t.Errorf("%s: message %q", c.path, s)
		}
	}
	t.Setenv(LibraryVariable, gone)
	if _, err := LoadLibrary(""); err == nil || !strings.Contains(err.Error(), gone) {
		t.Errorf("the variable was not heeded: %v", err)
	}
	t.Setenv(LibraryVariable, libPath)
	if l, err := LoadLibrary(""); err != nil || l.Path != libPath {
		t.Errorf("%v, %v", l, err)
	}
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

func TestParseVersion(t *testing.T) {
	for s, want := range map[string][2]int{"3.4.0": {3, 4}, "HDAPI 3.0": {3, 0}, "v2.10b": {2, 10}} {
		if a, b, ok := parseVersion(s); !ok || a != want[0] || b != want[1] {
			t.Errorf("%q: %d.%d %v", s, a, b, ok)
		}
	}
	if _, _, ok := parseVersion("unknown"); ok {
		t.Error("a version in a word")
	}
}

func TestCures(t *testing.T) {
	for reason, want := range map[string]string{
		"libncurses.so.5: cannot open shared object file: No such file or directory":   "libncurses5",
		"libusb-1.0.so.0: cannot open shared object file: No such file or directory":   "libusb-1.0-0",
		"x: wrong ELF class: ELFCLASS32":                                               "64-bit",
		"x: cannot open shared object file: Permission denied":                         "permission",
		"libodd.so.1: cannot open shared object file: No such file or directory":       "named here",
		"libHD.so: cannot open shared object file: No such file or directory":          "OpenHaptics",
		"libPHANToMIO.so.4: cannot open shared object file: No such file or directory": "driver",
	} {
		if got := cureFor("libHD.so", reason); !strings.Contains(got, want) {
			t.Errorf("%s: cure %q", reason, got)
		}
	}
	for code := range meanings {
		if e := (&Error{Code: code, Doing: "open"}).Error(); strings.Contains(e, "\n") || len(e) < 40 {
			t.Errorf("%v: %q", code, e)
		}
	}
}
