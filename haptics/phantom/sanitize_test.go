package phantom

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hapco/haptics/phantom/internal/fakehd"
)

// The driver's C and the double, under the address and undefined-behaviour
// sanitizers: hostile forces, every error, broken poses, two threads.
func TestSanitizers(t *testing.T) {
	sanitize := []string{"-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"}
	probe := append([]string{"-x", "c", "-", "-o", filepath.Join(builds, "probe")}, sanitize...)
	cmd := exec.Command("gcc", probe...)
	cmd.Stdin = strings.NewReader("int main(void) { return 0; }")
	if cmd.Run() != nil {
		t.Skip("this gcc has no sanitizers")
	}
	double, err := fakehd.Build(builds, "libHDsan.so", sanitize...)
	if err != nil {
		t.Fatal(err)
	}
	drive := filepath.Join(builds, "drive")
	args := append(sanitize, "-Wall", "-Wextra", "hd.c", filepath.Join("testdata", "drive.c"), "-o", drive, "-ldl", "-lm", "-lpthread")
	if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := exec.Command(drive, double)
	// the library stays loaded on purpose, and with it its few hundred bytes
	run.Env = append(run.Environ(), "ASAN_OPTIONS=detect_leaks=0")
	if out, err := run.CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != "ok" {
		t.Fatalf("%v\n%s", err, out)
	}
}
