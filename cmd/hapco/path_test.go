package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/assets"
)

// A scene may call its paths as it likes: without --path the usual one is walked,
// or the first.
func TestPathsOfAnyName(t *testing.T) {
	text, err := assets.Scene("bench-a-16")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	before, _, _ := strings.Cut(string(text), "[[path.")
	none := write("none.toml", before)
	poke := write("poke.toml", before+"\n[[path.poke]]\ndirection = [0, -1, 0]\nsteps = 3\nstep = 1\n")
	for _, args := range [][]string{
		{"run", poke, "--headless", "--seconds", "0.3", "--device", "mouse"},
		{"run", poke, "--headless", "--seconds", "0.3", "--device", "virtual"},
		{"trace", poke},
		{"trace", poke, "--path", "poke"},
	} {
		if status, _, errors := hapco(t, args...); status != 0 {
			t.Errorf("%v: exit status %d, %s", args, status, errors)
		}
	}
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"run", poke, "--headless", "--path", "sliding"}, `has no path "sliding" (cure: one of poke)`},
		{[]string{"run", none, "--headless"}, "has no path (cure: add one to its file: [[path.sliding]])"},
		{[]string{"trace", none}, "has no path (cure: add one to its file: [[path.penetration]])"},
	} {
		if status, _, errors := hapco(t, c.args...); status != 2 || !strings.Contains(errors, c.says) {
			t.Errorf("%v: exit status %d, %s", c.args, status, errors)
		}
	}
}

// A box that a path turns stands on its edge, clear of the tissue; turned back, it presses
// as before, but for where its contacts are taken up again.
func TestPathTurnsTheTool(t *testing.T) {
	file := filepath.Join(t.TempDir(), "turn.csv")
	rows := "dx_mm,dy_mm,dz_mm,rx_deg,ry_deg,rz_deg\n0,-1,0,0,0,0\n0,-1,0,0,0,2\n0,-1,0,0,0,4\n0,-1,0,0,0,2\n0,-1,0,0,0,0\n"
	if err := os.WriteFile(file, []byte(rows), 0o644); err != nil {
		t.Fatal(err)
	}
	status, out, errors := hapco(t, "trace", "bench-a-36", "--path", file, "--set", "friction=0", "--json")
	if status != 0 {
		t.Fatal(errors)
	}
	var trace struct {
		Steps []struct {
			Force [3]float64 `json:"force_N"`
		}
	}
	if err := json.Unmarshal([]byte(out), &trace); err != nil || len(trace.Steps) != 5 {
		t.Fatal(out, err)
	}
	apart := func(i, j int) float64 {
		return mgl64.Vec3(trace.Steps[i].Force).Sub(trace.Steps[j].Force).Len()
	}
	pressed := mgl64.Vec3(trace.Steps[0].Force).Len()
	if there, again := apart(0, 2), apart(0, 4); !(there > pressed/2) || !(again < pressed/10) {
		t.Errorf("pressed %g N; turned: %g N apart, want half of it; turned back: %g N, want none", pressed, there, again)
	}
}
