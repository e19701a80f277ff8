package servo

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The C is clean under the address and undefined-behaviour sanitizers, and
// under the thread sanitizer, fed with hostile numbers and from two threads.
func TestSanitizers(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	cc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc here")
	}
	for name, flags := range map[string]string{"address,undefined": "-fsanitize=address,undefined", "thread": "-fsanitize=thread"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			probe := filepath.Join(dir, "probe.c")
			if err := os.WriteFile(probe, []byte("int main(void){return 0;}\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			bin := filepath.Join(dir, "drive")
			if err := exec.Command(cc, flags, probe, "-o", bin).Run(); err != nil {
				t.Skipf("this gcc has no %s sanitizer", name)
			}
			if out, err := exec.Command(bin).CombinedOutput(); err != nil {
				t.Skipf("programs with the %s sanitizer do not start here: %s", name, out)
			}
			args := []string{"-std=c11", "-D_GNU_SOURCE", "-g", "-O1", "-Wall", "-Wextra", "-Werror", flags, "-fno-sanitize-recover=all",
				"-DHAPCO_PLAIN", "-I.", "testdata/drive.c", "kernel.c", "servo.c", "-o", bin, "-lm", "-lpthread"}
			if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
				t.Fatalf("compile: %v\n%s", err, out)
			}
			out, err := exec.Command(bin, "50000").CombinedOutput()
			if err != nil || !strings.Contains(string(out), "clean") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
