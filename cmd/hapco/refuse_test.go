package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Bad input ends in exit status 2 and one line that names it, whatever was noticed on the way.
func TestBadInputIsOneLine(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	// A sweep that guesses a unit, and a table with an unloading that is left out, have
	// something to note before they fail.
	guessed := write("guess.toml", "scene = \"liver-linear\"\n[grid]\nfriction = [0.1, 1e300]\n")
	for _, args := range [][]string{
		{"replay", "testdata/word-1e19.mcap", "--headless", "--exact"},
		{"replay", pipe, "--headless"}, {"replay", "/dev/zero", "--headless"}, {"mesh", "info", "/dev/zero"}, {"mesh", "info", pipe},
		{"trace", pipe}, {"trace", "liver", "--mesh", pipe}, {"solve", pipe}, {"verify", pipe}, {"report", pipe},
		{"sweep", pipe, "--out", filepath.Join(dir, "s")}, {"study", pipe, "--out", filepath.Join(dir, "t")},
		{"fit", pipe, "--radius", "10 mm"},
		{"trace", "bench-a-16", "--set", "friction=0.5", "--set", "obstacle.E=1e300", "--path", "penetration"},
		{"trace", "bench-a-16", "--set", "obstacle.E=6", "--path", "none"},
		{"trace", "bench-a-16", "--step-mm", "1e300", "--steps", "2"}, {"trace", "bench-a-16", "--step-mm", "1e9", "--steps", "2"},
		{"trace", "bench-a-16", "--path", write("far.csv", "dx_mm,dy_mm,dz_mm\n0,-2,0\n0,-1e308,0\n0,1e308,0\n")},
		{"trace", write("far.toml", "kind = \"rigid\"\n[[path.far]]\ndirection = [1, 0, 0]\nsteps = 1000\nstep = 1e5\n")},
		{"trace", "bench-a-16", "--set", "obstacle.box.elements=[2000000, 2, 2]"},
		{"trace", "hourglass", "--set", "grain.epsilon=0.5", "--seconds", "1", "--every", "1"},
		{"sweep", guessed, "--out", filepath.Join(dir, "u")},
		{"mesh", "tetrahedralize", pipe, filepath.Join(dir, "a.vtu")},
	} {
		status, _, said := hapco(t, args...)
		if status != exitBadInput || strings.Count(said, "\n") != 1 || !strings.HasPrefix(said, "hapco: ") {
			t.Errorf("%s: status %d, %q", strings.Join(args, " "), status, said)
		}
	}
	// What succeeds tells its notes.
	if status, _, said := hapco(t, "trace", "bench-a-16", "--set", "obstacle.E=6", "--path", "penetration", "--steps", "1"); status != 0 || !strings.Contains(said, "obstacle.E = 6 ") {
		t.Errorf("status %d, %q", status, said)
	}
}
