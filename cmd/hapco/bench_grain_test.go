package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"hapco/cmd/hapco/internal/bench/grain"
)

func TestBenchGrain(t *testing.T) {
	dir := t.TempDir()
	if got := run(t.Context(), []string{"bench", "grain", "--quick", "--grains", "1000", "--threads", "2", "--out", dir}); got != 0 {
		t.Fatalf("status %d", got)
	}
	data, err := os.ReadFile(filepath.Join(dir, "grain.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r grain.Report
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Points) != 1 || r.Points[0].Grains < 900 || !(r.Points[0].CPU > 1) || len(r.Threads) != 2 {
		t.Errorf("%s", data)
	}
	_, err = exec.LookPath("lmp")
	if installed := err == nil; installed != (r.Peer != nil) || !installed && r.Note == "" {
		t.Errorf("lammps installed: %t, %+v %s", installed, r.Peer, r.Note)
	}
	if r.Peer != nil && (r.Peer.Difference > 1e-6 || !(r.Peer.Ratio > 0)) {
		t.Errorf("%+v: not the same grains", r.Peer)
	}
	for _, args := range [][]string{{"--grains", "3"}, {"--grains", "99999999999"}, {"--threads", "-1"}} {
		if got := run(t.Context(), append([]string{"bench", "grain", "--out", dir}, args...)); got != exitBadInput {
			t.Errorf("%v: status %d", args, got)
		}
	}
}

func TestReadLammps(t *testing.T) {
	log := "LAMMPS (29 Sep 2021)\nStep PotEng\n       0   -5.92868\n     150   -5.9\nLoop time of 2.5 on 1 procs for 150 steps with 100 atoms\n80.0% CPU use with 1 MPI tasks\n"
	seconds, energy, version, ok := grain.ReadLammps(log)
	if seconds != 2 || energy != -5.92868 || version != "LAMMPS (29 Sep 2021)" || !ok {
		t.Error(seconds, energy, version, ok)
	}
	if _, _, _, ok := grain.ReadLammps("ERROR: no table\n"); ok {
		t.Error("a log without times was taken")
	}
}
