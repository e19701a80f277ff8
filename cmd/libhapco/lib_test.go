package main

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"hapco/cmd/internal/stepped"
	"hapco/physics/machinery/cputime"
	"hapco/physics/machinery/testkit"
)

// declared are the functions of the header.
func declared(t *testing.T) (names []string) {
	t.Helper()
	text, err := os.ReadFile("hapco.h")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^(?:int|const char \*)\s*\*?(hapco_\w+)\(`).FindAllStringSubmatch(string(text), -1) {
		names = append(names, m[1])
	}
	slices.Sort(names)
	return names
}

// The header, the list of versioned symbols, and the page that is made of the header name the same functions, and each
// says what it does.
func TestEveryFunctionOfTheHeader(t *testing.T) {
	want := declared(t)
	if len(want) < 30 {
		t.Fatalf("only %d functions", len(want))
	}
	list, err := os.ReadFile("hapco.map")
	if err != nil {
		t.Fatal(err)
	}
	got := regexp.MustCompile(`hapco_\w+`).FindAllString(string(list), -1)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("hapco.map: %v\nhapco.h: %v", got, want)
	}
	page, err := exec.Command("../../packaging/api", "hapco.h").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range want {
		if !regexp.MustCompile(`(?m)^### ` + name + `\n\n[A-Z].{8,}(\n.+)*\n\n` + "```c\n.*" + name + `\(`).Match(page) {
			t.Errorf("the page does not say what %s does", name)
		}
	}
}

// A handle that is closed, of another kind, in use, or of a world that has failed is refused; the
// rest goes on.
func TestHandles(t *testing.T) {
	s, err := openSolver("auto")
	if err != nil {
		t.Fatal(err)
	}
	n := add(s)
	code := func(err error) stepped.Code {
		c, text := stepped.Classify(err)
		if c != stepped.OK && (strings.Contains(text, "\n") || text == "") {
			t.Errorf("%q", text)
		}
		return c
	}
	if err := with(n, func(*world) error { return nil }); code(err) != stepped.CodeInvalid {
		t.Error("another kind:", err)
	}
	if err := with(n, func(*solver) error { return with(n, func(*solver) error { return nil }) }); code(err) != stepped.CodeBusy {
		t.Error("in use:", err)
	}
	if err := with(n, func(*solver) error { panic("one\ntwo") }); code(err) != stepped.CodeInternal {
		t.Error("a fault:", err)
	}
	if err := with(n, func(*solver) error { return nil }); code(err) != stepped.CodeClosed {
		t.Error("after a fault:", err)
	}
	n = add(s)
	if err := shut[*solver](n); err != nil {
		t.Error(err)
	}
	for _, n := range []uintptr{0, n, n + 1, math.MaxUint} {
		if err := shut[*solver](n); code(err) != stepped.CodeClosed {
			t.Error("closed:", err)
		}
	}
}

// library builds libhapco once, into the folder of `make lib`: what has not changed is not built again.
func library(t *testing.T) (folder string) {
	t.Helper()
	testkit.Slow(t)
	folder = filepath.Join(testkit.Repository(), "bin")
	if out, err := exec.Command("../../packaging/lib", folder).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return folder
}

// The tests in C, with the address sanitizer and its search for leaks, and then a million calls.
func TestC(t *testing.T) {
	lib := library(t)
	out, err := exec.Command("nm", "-D", "--defined-only", "--with-symbol-versions", filepath.Join(lib, "libhapco.so.0")).Output()
	if err != nil {
		t.Fatal(err)
	}
	var shown []string
	for _, m := range regexp.MustCompile(`T (\w+)@@HAPCO_0`).FindAllStringSubmatch(string(out), -1) {
		shown = append(shown, m[1])
	}
	slices.Sort(shown)
	if want := declared(t); !slices.Equal(shown, want) {
		t.Errorf("the library shows %v, hapco.h %v", shown, want)
	}
	dir := t.TempDir()
	for _, way := range []struct {
		name  string
		flags []string
		args  []string
	}{{"address", []string{"-fsanitize=address", "-g"}, []string{"20000", "20", "short"}}, {"plain", nil, []string{"1000000", "40"}}} {
		bin, work := filepath.Join(dir, way.name), filepath.Join(dir, way.name+".out")
		if err := os.Mkdir(work, 0o755); err != nil {
			t.Fatal(err)
		}
		flags := append(way.flags, "-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-I", lib, "testdata/test.c", "-o", bin, "-L"+lib, "-lhapco", "-Wl,-rpath,"+lib, "-lpthread", "-lm")
		for _, c := range []*exec.Cmd{exec.Command("gcc", flags...), exec.Command(bin, append([]string{work}, way.args...)...)} {
			if out, err := c.CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", way.name, err, out)
			}
		}
	}
	// C++ takes the header, too
	if out, err := exec.Command("g++", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-x", "c++", filepath.Join(lib, "hapco.h")).CombinedOutput(); err != nil {
		t.Errorf("g++: %v\n%s", err, out)
	}
}

// others has a program of testdata compiled and run on the problems of the thesis's benches.
func others(t *testing.T, flags ...string) string {
	t.Helper()
	lib := library(t)
	problems, err := filepath.Glob(filepath.Join(testkit.Repository(), "physics", "numerics", "contact", "testdata", "*.fc3d.gz"))
	if err != nil || len(problems) < 5 {
		t.Fatal(problems, err)
	}
	bin := filepath.Join(t.TempDir(), "test")
	flags = append(flags[:1:1], append([]string{"-Wall", "-Wextra", "-O1", "-I", lib, "-o", bin}, append(flags[1:], "-L"+lib, "-lhapco", "-Wl,-rpath,"+lib, "-lm")...)...)
	if out, err := exec.Command(flags[0], flags[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(bin, problems...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// Siconos's numerics (Debian's libsiconos-numerics-dev) finds the same displacements; -v prints times side by side.
func TestSiconos(t *testing.T) {
	const header = "/usr/include/siconos"
	if _, err := os.Stat(header); err != nil {
		t.Skip("Siconos is not installed (apt-get install libsiconos-numerics-dev)")
	}
	t.Log(others(t, "gcc", "-std=c11", "-I", header, "-I", header+"/numerics", "testdata/siconos.c", "-lsiconos_numerics"))
}

// The component for SOFA does what the library does, and refuses what is no contact with friction. It is compiled against
// a stub: Debian has no headers of SOFA.
func TestSofa(t *testing.T) {
	others(t, "g++", "-std=c++17", "-Werror", "-I", "testdata/sofa", "testdata/sofa/drive.cpp")
}

// What a step through C and through Python costs besides the step, which is one of no time; -v prints it. The three take
// turns, and the clock decides nothing.
func TestOverhead(t *testing.T) {
	lib := library(t)
	bin := filepath.Join(t.TempDir(), "test")
	if out, err := exec.Command("gcc", "-std=c11", "-O1", "-I", lib, "testdata/test.c", "-o", bin, "-L"+lib, "-lhapco", "-Wl,-rpath,"+lib, "-lpthread", "-lm").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	w, err := stepped.Open("gyroscope", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for range 3 {
		const rounds = 200000
		runtime.LockOSThread()
		began := cputime.Thread()
		for range rounds {
			if err := w.Step(nil, 0); err != nil {
				t.Fatal(err)
			}
		}
		t.Logf("Go: %.3f us a step of no time", 1e6*(cputime.Thread()-began).Seconds()/rounds)
		runtime.UnlockOSThread()
		py := exec.Command(python(t), "python/tests/test_hapco.py", "overhead")
		py.Env = append(os.Environ(), "PYTHONPATH=python", "PYTHONDONTWRITEBYTECODE=1")
		for _, c := range []*exec.Cmd{exec.Command(bin, "overhead"), py} {
			out, err := c.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			t.Logf("%s:\n%s", filepath.Base(c.Path), out)
		}
	}
}

// python is a Python with NumPy: .ci/setup test installs Debian's.
func python(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"/usr/bin/python3", "python3"} {
		if exec.Command(name, "-c", "import numpy, scipy").Run() == nil {
			return name
		}
	}
	t.Fatal("no python3 with NumPy and SciPy (cure: .ci/setup test)")
	return ""
}

// The module's own tests and examples, as installed from the checkout: a wheel that is unpacked elsewhere.
func TestPython(t *testing.T) {
	lib := library(t)
	py := python(t)
	dir := t.TempDir()
	site := filepath.Join(dir, "site")
	program := filepath.Join(dir, "hapco")
	run := func(name string, args ...string) string {
		t.Helper()
		c := exec.Command(name, args...)
		c.Env = append(os.Environ(), "PYTHONPATH="+site, "PYTHONDONTWRITEBYTECODE=1", "HAPCO_PROGRAM="+program, "MPLBACKEND=Agg",
			"HAPCO_PROBLEMS="+filepath.Join(testkit.Repository(), "physics", "numerics", "contact", "testdata"))
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	run("go", "build", "-ldflags=-w", "-o", program, "../hapco")
	run(py, "-c", `
import sys, zipfile; sys.path.insert(0, "python"); import backend
zipfile.ZipFile(sys.argv[1] + "/" + backend.build_wheel(sys.argv[1])).extractall(sys.argv[2])`, dir, site)
	if _, err := os.Stat(filepath.Join(site, "hapco", "libhapco.so.0")); err != nil {
		t.Error("the wheel has no library:", err, lib)
	}
	t.Log(run(py, "python/tests/test_hapco.py"))
	examples, err := filepath.Glob("python/examples/*.py")
	if err != nil || len(examples) < 4 {
		t.Fatal(examples, err)
	}
	for _, e := range examples {
		if _, err := exec.LookPath("ccx"); err != nil && filepath.Base(e) == "calculix_model.py" {
			t.Log("CalculiX is not installed (apt-get install calculix-ccx)")
			continue
		}
		picture := filepath.Join(dir, filepath.Base(e)+".png")
		var found map[string]any
		if err := json.Unmarshal([]byte(run(py, e, "--quick", "--out", picture)), &found); err != nil {
			t.Errorf("%s: %v", e, err)
		}
		t.Log(e, found)
		if s, err := os.Stat(picture); err != nil || s.Size() < 5000 {
			t.Errorf("%s: no picture: %v", e, err)
		}
	}
}

// The packages hold what C, pkg-config, CMake and Python look for, and are the same byte for byte when
// they are made again: unpacked in a folder, each of them finds the library.
func TestPackages(t *testing.T) {
	lib := library(t)
	py := python(t)
	root := t.TempDir()
	made := map[string]string{}
	run := func(env []string, name string, args ...string) string {
		t.Helper()
		c := exec.Command(name, args...)
		c.Env = append(append(os.Environ(), "SOURCE_DATE_EPOCH=1700000000"), env...)
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	for range 2 {
		for _, file := range strings.Split(run(nil, "../../packaging/deb-lib", lib, t.TempDir(), "1.0.0"), "\n") {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			name := filepath.Base(file)
			if before, ok := made[name]; ok && before != string(data) {
				t.Errorf("%s: the second is another", name)
			}
			made[name] = string(data)
			run(nil, "dpkg-deb", "-x", file, root)
		}
	}
	if len(made) != 3 {
		t.Fatalf("%d packages", len(made))
	}
	folders, err := filepath.Glob(filepath.Join(root, "usr", "lib", "*", "pkgconfig"))
	if err != nil || len(folders) != 1 {
		t.Fatal(folders, err)
	}
	installed := filepath.Dir(folders[0])
	path := []string{"LD_LIBRARY_PATH=" + installed}
	source := filepath.Join(root, "mine.c")
	if err := os.WriteFile(source, []byte(`#include <hapco.h>
int main(void) { hapco_solver s; return hapco_solver_open("auto", &s) || hapco_solver_close(s); }`), 0o644); err != nil {
		t.Fatal(err)
	}
	flags := run([]string{"PKG_CONFIG_PATH=" + folders[0], "PKG_CONFIG_SYSROOT_DIR=" + root}, "pkg-config", "--cflags", "--libs", "hapco")
	mine := filepath.Join(root, "mine")
	run(nil, "gcc", append([]string{source, "-o", mine}, strings.Fields(flags)...)...)
	run(path, mine)
	if err := os.WriteFile(filepath.Join(root, "CMakeLists.txt"), []byte(`cmake_minimum_required(VERSION 3.13)
project(mine C)
find_package(hapco 1.0 REQUIRED)
add_executable(mine mine.c)
target_link_libraries(mine PRIVATE hapco::hapco)
`), 0o644); err != nil {
		t.Fatal(err)
	}
	build := filepath.Join(root, "build")
	run(nil, "cmake", "-S", root, "-B", build, "-DCMAKE_PREFIX_PATH="+filepath.Join(root, "usr"), "-Dhapco_DIR="+filepath.Join(installed, "cmake", "hapco"))
	run(nil, "cmake", "--build", build)
	run(path, filepath.Join(build, "mine"))
	out := run(append(path, "PYTHONDONTWRITEBYTECODE=1", "PYTHONPATH="+filepath.Join(root, "usr", "lib", "python3", "dist-packages")), py, "-c",
		`import hapco; print(hapco.__file__, hapco.solve([[1e-3, 0, 0], [0, 1e-3, 0], [0, 0, 1e-3]], [-1e-3, 0, 0], 0.3).r[0, 0])`)
	if !strings.HasPrefix(out, root) || !strings.HasSuffix(out, " 1.0") {
		t.Error(out)
	}
}
