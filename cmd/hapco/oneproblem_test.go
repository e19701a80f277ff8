package main

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"hapco/physics/contact"
)

// What is dumped while a tool ploughs through a shelf and sinks in is what was solved: the forces
// on file, and those that a solver finds that starts from nothing, move everything alike.
func TestDumpedProblemsAreSolvedToTheSameForces(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds")
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := t.TempDir()
	path := filepath.Join(dir, "plough.csv")
	rows := "dx_mm,dy_mm,dz_mm\n0,-12.7,0\n-20,-12.7,6\n-40,-12.7,12\n-60,-12.7,18\n"
	if err := os.WriteFile(path, []byte(rows), 0o644); err != nil {
		t.Fatal(err)
	}
	problems := filepath.Join(dir, "problems")
	args := []string{"trace", "organs-linear", "--path", path, "--out", filepath.Join(dir, "t"), "--dump-problems", problems, "--dump-every", "7",
		"--set", "friction=0.3", "--set", "probe.position=[-24.248, 35.933, -21.416]", "--set", "probe.rotation=[-5, 0, -7]"}
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
