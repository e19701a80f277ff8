package main

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"hapco/assets"
	"hapco/physics/numerics/contact"
)

// plough is a scene in which the sliding path draws the tool through a shelf, so that it sinks in.
func plough(t *testing.T) string {
	t.Helper()
	text, err := assets.Scene("organs-linear")
	if err != nil {
		t.Fatal(err)
	}
	way := strings.NewReplacer("steps = 14\n", "steps = 13\n", "direction = [-1, 0, 0]\nsteps = 15\n", "direction = [-0.958, 0, 0.287]\nsteps = 62\n").Replace(string(text))
	if way == string(text) {
		t.Fatal("the scene has another path")
	}
	file := filepath.Join(t.TempDir(), "plough.toml")
	if err := os.WriteFile(file, []byte(way), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

var deep = []string{"--path", "sliding", "--set", "friction=0.3", "--set", "probe.position=[-24.248, 35.933, -21.416]", "--set", "probe.rotation=[-5, 0, -7]"}

// What was recorded meanwhile is made again, to the last bit.
func TestReplayOfAToolThatSinksInIsExact(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds")
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	file := filepath.Join(t.TempDir(), "plough.mcap")
	args := append([]string{"run", plough(t), "--headless", "--seconds", "3", "--device", "mouse", "--record", file, "--set", "contact.deadline=0"}, deep...)
	if status, _, errors := hapco(t, args...); status != 0 {
		t.Fatal(errors)
	}
	status, out, errors := hapco(t, "replay", file, "--headless", "--exact")
	if status != 0 {
		t.Fatalf("status %d: %s%s", status, out, errors)
	}
	n := cells(t, out, "steps")[0]
	if same := cells(t, out, "the recorded force, bit for bit")[1]; same != n+" of "+n {
		t.Errorf("%s are the same", same)
	}
	if strings.HasPrefix(cells(t, out, "force, largest")[0], "0 ") {
		t.Error("nothing was felt")
	}
}

// What is dumped while a tool ploughs through a shelf and sinks in is what was solved: the forces
// on file, and those that a solver finds that starts from nothing, move everything alike.
func TestDumpedProblemsAreSolvedToTheSameForces(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds")
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := t.TempDir()
	problems := filepath.Join(dir, "problems")
	args := append([]string{"trace", plough(t), "--out", filepath.Join(dir, "t"), "--dump-problems", problems, "--dump-every", "7"}, deep...)
	if status, _, errors := hapco(t, args...); status != 0 {
		t.Fatalf("status %d: %s", status, errors)
	}
	files, _ := filepath.Glob(filepath.Join(problems, "*.fc3d.gz"))
	if len(files) < 5 {
		t.Fatalf("%d files", len(files))
	}
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		p, r, err := contact.ReadFC3D(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(dir, "R.txt")
		if status, _, errors := hapco(t, "solve", file, "--tol", "1e-9", "--criterion", "scaled", "--out", out); status != 0 {
			t.Fatalf("%s: status %d: %s", file, status, errors)
		}
		text, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		var other []float64
		for _, word := range strings.Fields(string(text)) {
			x, err := strconv.ParseFloat(word, 64)
			if err != nil {
				t.Fatal(err)
			}
			other = append(other, x)
		}
		if len(other) != len(r) {
			t.Fatalf("%s: %d forces of %d", file, len(other), len(r))
		}
		x, y := make([]float64, len(r)), make([]float64, len(r))
		p.Displacements(x, r)
		p.Displacements(y, other)
		d, size := 0.0, 0.0
		for i := range r {
			d += (r[i] - other[i]) * (x[i] - y[i])
			size += r[i] * (x[i] - p.Q[i])
		}
		if !(math.Sqrt(max(0, d)) <= 2e-3*math.Sqrt(size)) {
			t.Errorf("%s: %d contacts, the forces differ by %.2g", filepath.Base(file), p.N, math.Sqrt(d/size))
		}
	}
}
