package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

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
