package phantom

/*
#cgo CFLAGS: -O2
#cgo LDFLAGS: -ldl -lm
#include <stdlib.h>
#include "hd.h"
*/
import "C"

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unsafe"
)

// LibraryVariable names the environment variable that says which libHD to use.
const LibraryVariable = "HAPTIC_LIBHD"

// libraryNames is where libHD is looked for, newest first.
var libraryNames = []string{
	"libHD.so.3.4", "libHD.so", "/usr/lib/libHD.so", "/usr/lib64/libHD.so", "libHD.so.3.0",
}

// Library is a loaded libHD. It is never unloaded: the vendor's driver fails when it is loaded a second time in one
// process.
type Library struct {
	Path    string // as it was asked for
	File    string // where the loader found it, links followed
	c       *C.hapco_hd_lib
	refused error // its version is not for this driver
}

var loaded = struct {
	sync.Mutex
	byPath map[string]*Library
}{byPath: map[string]*Library{}}

// LibraryError says why libHD cannot be used, and what helps.
type LibraryError struct {
	Path   string
	Reason string // the loader's own words, or what is wrong with the version
	Cure   string
}

func (e *LibraryError) Error() string {
	return fmt.Sprintf("phantom: libHD (%s): %s: %s", e.Path, strings.TrimPrefix(e.Reason, e.Path+": "), e.Cure)
}

const installCure = "install OpenHaptics 3.4 and the Touch driver, or set " + LibraryVariable + " to the library's path"

// LoadLibrary binds libHD from path; "" takes the one that LibraryVariable names, or else the first that is found. An
// explicit path is not replaced by another. Errors are *LibraryError.
func LoadLibrary(path string) (*Library, error) {
	path = cmp.Or(path, os.Getenv(LibraryVariable))
	if path != "" {
		return loadPath(path)
	}
	var first error
	for _, name := range libraryNames {
		l, err := loadPath(name)
		if err == nil {
			return l, nil
		}
		// a library that is there and fails tells more than one that is not
		if first == nil || (notFound(first, libraryNames) && !notFound(err, libraryNames)) {
			first = err
		}
	}
	return nil, first
}

// notFound: the library itself is missing, not one that it needs.
func notFound(err error, names []string) bool {
	e, ok := err.(*LibraryError)
	if !ok || !strings.Contains(e.Reason, "No such file") {
		return false
	}
	return slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(e.Reason, n+":") })
}

func loadPath(path string) (*Library, error) {
	loaded.Lock()
	defer loaded.Unlock()
	if l := loaded.byPath[path]; l != nil {
		return l.usable()
	}
	cpath := C.CString(path)
	defer C.free(unsafe.Pointer(cpath))
	var why [512]C.char
	c := C.hapco_hd_load(cpath, &why[0], C.size_t(len(why)))
	if c == nil {
		reason := C.GoString(&why[0])
		return nil, &LibraryError{Path: path, Reason: reason, Cure: cureFor(path, reason)}
	}
	l := &Library{Path: path, File: C.GoString(C.hapco_hd_file(c)), c: c}
	loaded.byPath[path] = l
	l.refused = l.checkVersion(l.Version())
	return l.usable()
}

func (l *Library) usable() (*Library, error) {
	if l.refused != nil {
		return nil, l.refused
	}
	return l, nil
}

// Version is the library's, from its file name; "" when that does not tell.
func (l *Library) Version() string {
	if m := fileVersion.FindStringSubmatch(l.File); m != nil {
		return m[1]
	}
	return ""
}

var (
	fileVersion   = regexp.MustCompile(`libHD\.so\.(\d{1,4}\.\d{1,4}(\.\d{1,6})*)$`)
	versionNumber = regexp.MustCompile(`(\d{1,4})\.(\d{1,4})`)
)

// checkVersion refuses libraries from before 3.0. One that cannot be read, or that is newer than what is known, is no
// reason to refuse: every symbol is there.
func (l *Library) checkVersion(version string) error {
	major, minor, ok := parseVersion(version)
	if !ok || major >= 3 {
		return nil
	}
	return &LibraryError{
		Path:   l.Path,
		Reason: fmt.Sprintf("version %d.%d (%q) is older than 3.0", major, minor, version),
		Cure:   "install OpenHaptics 3.4",
	}
}

func parseVersion(s string) (major, minor int, ok bool) {
	m := versionNumber.FindStringSubmatch(s)
	if m == nil {
		return 0, 0, false
	}
	major, _ = strconv.Atoi(m[1]) // at most four digits each
	minor, _ = strconv.Atoi(m[2])
	return major, minor, true
}

// cureFor reads the loader's words.
func cureFor(path, reason string) string {
	switch {
	case strings.HasPrefix(reason, "missing symbol "):
		return "this is another generation of the library; install OpenHaptics 3.4"
	case strings.Contains(reason, "libncurses.so.5") || strings.Contains(reason, "libtinfo.so.5"):
		return "install the packages libncurses5 and libtinfo5 (of an older release where yours no longer has them)"
	case strings.Contains(reason, "libPhantomIOLib") || strings.Contains(reason, "libPHANToMIO"):
		return "install the device driver (Touch driver for 3.4, PHANTOM device drivers for 3.0)"
	case strings.Contains(reason, "libusb-1.0"):
		return "install the package libusb-1.0-0"
	case strings.Contains(reason, "wrong ELF class"):
		return "this library is for another word size; install the 64-bit OpenHaptics"
	case strings.Contains(reason, "invalid ELF header"), strings.Contains(reason, "file too short"):
		return "this file is not a shared library; reinstall OpenHaptics 3.4"
	case strings.Contains(reason, "ermission denied"):
		return "give read permission on " + path
	case strings.Contains(reason, "No such file") && !strings.HasPrefix(reason, path+":"):
		return "install the missing library that is named here"
	}
	return installCure
}

// unpanic takes releaseAll back. For tests: cgo may not be used in their files.
func unpanic() { C.hapco_hd_panic_clear() }
