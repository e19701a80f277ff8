package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// asProgram is set for a copy of the test program that is to be hapco itself: what
// follows "--" is its command line.
const asProgram = "HAPCO_TEST_AS_PROGRAM"

func TestAsProgram(t *testing.T) {
	if os.Getenv(asProgram) == "" {
		t.Skip("not asked to be the program")
	}
	registerBead()
	hearWrites()
	for i, a := range os.Args {
		if a == "--" {
			os.Exit(run(context.Background(), os.Args[i+1:]))
		}
	}
}

// program is hapco in a process of its own.
func program(args ...string) *exec.Cmd {
	c := exec.Command(os.Args[0], append([]string{"-test.run=^TestAsProgram$", "--"}, args...)...)
	c.Env = append(os.Environ(), asProgram+"=1")
	return c
}

// table reads a sweep's table.
func table(t *testing.T, dir string) (head []string, rows [][]string) {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "sweep.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return all[0], all[1:]
}

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// A row of the table is what a trace of the same scene says.
func TestSweepIsManyTraces(t *testing.T) {
	dir := t.TempDir()
	sheet := writeFile(t, filepath.Join(dir, "friction.toml"),
		"scene = \"bench-a-16\"\npath = \"sliding\"\nsteps = 2\n[grid]\nfriction = [0.1, 0.4]\nobstacle.E = [\"10 kPa\", \"20 kPa\"]\n")
	out := filepath.Join(dir, "out")
	if status, _, errors := hapco(t, "sweep", sheet, "--out", out); status != 0 {
		t.Fatalf("exit status %d, %s", status, errors)
	}
	head, rows := table(t, out)
	if got := strings.Join(head, " "); got != "friction obstacle.E force_x_N force_y_N force_z_N force_max_N iterations_total converged" || len(rows) != 4 {
		t.Fatalf("%d rows of %s", len(rows), got)
	}
	// Neither the number of cores nor the order of the runs changes a digit.
	slow := filepath.Join(dir, "slow")
	c := program("sweep", sheet, "--out", slow, "--jobs", "1")
	c.Env = append(c.Env, "OMP_NUM_THREADS=1")
	if text, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v, %s", err, text)
	}
	if _, other := table(t, slow); fmt.Sprint(other) != fmt.Sprint(rows) {
		t.Errorf("on one core the table is\n%v, not\n%v", other, rows)
	}
	status, text, errors := hapco(t, "trace", "bench-a-16", "--path", "sliding", "--steps", "2", "--set", "friction=0.4", "--set", "obstacle.E=10 kPa", "--csv")
	if status != 0 {
		t.Fatal(errors)
	}
	trace, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	last := trace[len(trace)-1]
	total := 0
	for i, name := range trace[0] {
		if name == "iterations" {
			for _, line := range trace[1:] {
				var n int
				fmt.Sscan(line[i], &n)
				total += n
			}
		}
	}
	row := rows[2]
	if row[0] != "0.4" || row[1] != "10 kPa" || row[2] != last[4] || row[3] != last[5] || row[4] != last[6] || row[6] != fmt.Sprint(total) || row[7] != "true" || total == 0 {
		t.Errorf("row %v, the trace ends with %v after %d iterations", row, last, total)
	}
	for _, name := range []string{"sweep.parquet", "sweep.png"} {
		if info, err := os.Stat(filepath.Join(out, name)); err != nil || info.Size() < 500 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}

// sheetOf200 is a sweep of 200 short runs.
func sheetOf200(t *testing.T, dir string) string {
	t.Helper()
	scene := beadScene(t)
	text := fmt.Sprintf("scene = %q\nseconds = 2\nevery = 0.001\n[grid]\nmass = [", scene)
	for i := range 20 {
		text += fmt.Sprintf("%g, ", 0.05+0.01*float64(i))
	}
	return writeFile(t, filepath.Join(dir, "beads.toml"), text+"]\ndamping = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]\n")
}

// A sweep that is killed at any moment goes on where it was: no run is made twice, none
// is lost, and the table is that of a sweep that was left alone.
func TestSweepResumes(t *testing.T) {
	dir := t.TempDir()
	sheet := sheetOf200(t, dir)
	whole, killed := filepath.Join(dir, "whole"), filepath.Join(dir, "killed")
	if status, _, errors := hapco(t, "sweep", sheet, "--out", whole); status != 0 {
		t.Fatalf("exit status %d, %s", status, errors)
	}

	rows := filepath.Join(killed, "rows")
	finished := func() []os.DirEntry {
		list, _ := os.ReadDir(rows)
		return list
	}
	kept := map[string]time.Time{}
	kills := 0
	for round := 0; ; round++ {
		if round == 100 {
			t.Fatal("the sweep does not end")
		}
		before := len(finished())
		c := program("sweep", sheet, "--out", killed)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- c.Wait() }()
		var ended bool
		for stop := before + 1 + rand.IntN(60); len(finished()) < stop && !ended; {
			select {
			case err := <-done:
				if ended = true; err != nil {
					t.Fatal(err)
				}
			case <-time.After(time.Duration(rand.IntN(3000)) * time.Microsecond):
			}
		}
		if !ended {
			kills++
			if err := c.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			<-done
		}
		// What was finished in an earlier round has not been written again.
		for _, e := range finished() {
			info, err := e.Info()
			if err != nil {
				t.Fatal(err)
			}
			if old, ok := kept[e.Name()]; ok && !old.Equal(info.ModTime()) {
				t.Errorf("round %d: %s was made again", round, e.Name())
			}
			kept[e.Name()] = info.ModTime()
		}
		if ended {
			break
		}
	}
	for _, dir := range []string{killed, rows} {
		if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
			t.Errorf("%d kills leave %v", kills, left)
		}
	}
	if kills == 0 || len(kept) != 200 {
		t.Fatalf("%d kills, %d rows", kills, len(kept))
	}
	_, want := table(t, whole)
	_, got := table(t, killed)
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("after %d kills the table is another", kills)
	}

	// Contents that changed in between are refused with one line.
	text, err := os.ReadFile(sheet)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, sheet, string(text)+"grip = [100]\n")
	status, _, errors := hapco(t, "sweep", sheet, "--out", killed)
	if status != exitBadInput || !strings.Contains(errors, "beads.toml has changed since") || strings.Count(errors, "\n") != 1 {
		t.Errorf("a changed sheet: exit status %d, %s", status, errors)
	}
	writeFile(t, sheet, string(text))
	var scene string
	fmt.Sscanf(string(text), "scene = %q", &scene)
	old, err := os.ReadFile(scene)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, scene, string(old)+"# changed\n")
	status, _, errors = hapco(t, "sweep", sheet, "--out", killed)
	if status != exitBadInput || !strings.Contains(errors, "bead.toml has changed since") || strings.Count(errors, "\n") != 1 {
		t.Errorf("a changed scene: exit status %d, %s", status, errors)
	}
}

// The jobs of the array, each as Slurm would start it, give the table of one machine.
func TestSweepAsJobArray(t *testing.T) {
	dir := t.TempDir()
	sheet := writeFile(t, filepath.Join(dir, "it's.toml"), fmt.Sprintf("scene = %q\nseconds = 1\nevery = 0.01\n[grid]\ndamping = [0.1, 0.2, 0.3]\npath = [\"sliding\"]\n", beadScene(t)))
	alone, array := filepath.Join(dir, "alone"), filepath.Join(dir, "array of jobs")
	if status, _, errors := hapco(t, "sweep", sheet, "--out", alone); status != 0 {
		t.Fatal(errors)
	}
	status, said, errors := hapco(t, "sweep", sheet, "--out", array, "--slurm")
	if status != 0 || !strings.HasPrefix(said, "sbatch '") {
		t.Fatalf("exit status %d, %s%s", status, said, errors)
	}
	if status, _, errors := hapco(t, "sweep", sheet, "--out", array, "--merge"); status != exitBadInput || !strings.Contains(errors, "3 of 3 runs are not finished") {
		t.Errorf("--merge before the jobs: exit status %d, %s", status, errors)
	}
	script, err := os.ReadFile(filepath.Join(array, "sweep.sbatch"))
	if err != nil || !strings.Contains(string(script), "#SBATCH --array=0-2\n") {
		t.Fatalf("%v, script\n%s", err, script)
	}
	// The script names the program that wrote it: here the tests' own, told to be hapco.
	run := writeFile(t, filepath.Join(dir, "run.sh"), strings.Replace(string(script), "test sweep", "test -test.run='^TestAsProgram$' -- sweep", 1))
	for _, n := range []string{"2", "0", "1"} {
		c := exec.Command("sh", run)
		c.Env = append(os.Environ(), asProgram+"=1", "SLURM_ARRAY_TASK_ID="+n)
		if text, err := c.CombinedOutput(); err != nil {
			log, _ := os.ReadFile(filepath.Join(array, "slurm-"+n+".log"))
			t.Fatalf("job %s: %v\n%s%s", n, err, text, log)
		}
	}
	if status, _, errors := hapco(t, "sweep", sheet, "--out", array, "--merge"); status != 0 {
		t.Fatal(errors)
	}
	_, want := table(t, alone)
	_, got := table(t, array)
	if fmt.Sprint(got) != fmt.Sprint(want) || len(got) != 3 {
		t.Errorf("the array's table is %v, want %v", got, want)
	}
}

func TestSweepRefuses(t *testing.T) {
	dir := t.TempDir()
	sheet := func(text string) string { return writeFile(t, filepath.Join(t.TempDir(), "s.toml"), text) }
	good := sheet("scene = \"bench-a-16\"\n[grid]\nfriction = [0.1]\n")
	file := writeFile(t, filepath.Join(dir, "file"), "")
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{filepath.Join(dir, "none.toml")}, "no such file"},
		{[]string{sheet("scene = \"bench-a-16\"\n[grid]\nfrictoin = [0.1]\n")}, `unknown key "frictoin"`},
		{[]string{sheet("scene = \"bench-a-16\"\n[grid]\nfriction = [0.1, -1]\n")}, "friction = -1"},
		{[]string{sheet("scene = \"bench-a-16\"\n[grid]\nfriction = []\n")}, "is empty"},
		{[]string{sheet("scene = \"bench-z\"\n[grid]\nfriction = [0.1]\n")}, "there is no scene"},
		{[]string{sheet("scene = \"bench-a-16\"\npath = \"up\"\n[grid]\nfriction = [0.1]\n")}, `no path "up"`},
		{[]string{sheet("scene = \"bench-a-16\"\nseconds = 1\n[grid]\nfriction = [0.1]\n")}, "does not advance in time"},
		{[]string{sheet("scene = \"bench-a-16\"\nmesh = \"none.msh\"\n[grid]\nfriction = [0.1]\n")}, "none.msh"},
		{[]string{good, "--row", "1"}, "has 1 runs"},
		{[]string{good, "--row", "0", "--merge"}, "choose one"},
		{[]string{good, "--jobs=-1"}, "--jobs -1"},
		{[]string{good, "--out", filepath.Join(file, "out")}, "a folder that may be written"},
	} {
		args := append([]string{"sweep", "--out", filepath.Join(dir, "out")}, c.args...)
		status, _, errors := hapco(t, args...)
		if status != exitBadInput || !strings.Contains(errors, c.says) || strings.Count(errors, "\n") != 1 {
			t.Errorf("%v: exit status %d, %s", c.args, status, errors)
		}
	}
}
