package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hapco/cmd/hapco/internal/app"
)

// The Debian package holds all that belongs to the program, asks for its libraries, and
// is the same byte for byte when it is made again.
func TestDebianPackage(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	for _, tool := range []string{"dpkg-deb", "dpkg", "objdump", "xz"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	bin := buildProgram(t)
	var made [2][]byte
	var file string
	for i := range made {
		c := exec.Command("../../packaging/deb", bin, filepath.Join(t.TempDir(), "out"))
		c.Env = append(os.Environ(), "SOURCE_DATE_EPOCH=1700000000")
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%v, %s", err, out)
		}
		file = strings.TrimSpace(string(out))
		if made[i], err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(made[0], made[1]) {
		t.Error("the second package is another")
	}
	list, err := exec.Command("dpkg-deb", "-c", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"/usr/bin/hapco", "/usr/lib/udev/rules.d/70-hapco.rules", "/usr/share/applications/hapco.desktop",
		"/usr/share/icons/hicolor/scalable/apps/hapco.svg", "/usr/share/man/man1/hapco.1.gz", "/usr/share/man/man1/hapco-trace.1.gz",
		"/usr/share/bash-completion/completions/hapco", "/usr/share/zsh/vendor-completions/_hapco",
		"/usr/share/fish/vendor_completions.d/hapco.fish", "/usr/share/doc/hapco/copyright"} {
		if !strings.Contains(string(list), " ."+name+"\n") {
			t.Errorf("no %s in\n%s", name, list)
		}
	}
	if strings.Count(string(list), "\n") != strings.Count(string(list), "root/root") {
		t.Errorf("files that are not root's:\n%s", list)
	}
	version, err := exec.Command("dpkg-deb", "-f", file, "Version").Output()
	if err != nil || !strings.HasPrefix(string(version), strings.TrimPrefix(app.Version, "v")) {
		t.Errorf("version %s, %v; the program is %s", version, err, app.Version)
	}
	depends, err := exec.Command("dpkg-deb", "-f", file, "Depends").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"libc6 (>= ", "libcholmod", "libgl1", "libx11-6", "libstdc++6", "libxcursor1"} {
		if !strings.Contains(string(depends), name) {
			t.Errorf("it does not ask for %s: %s", name, depends)
		}
	}
}
