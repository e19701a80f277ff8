package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a scene of grains cannot be is refused with one line that names it, and status 2,
// by run and by trace.
func TestBadGrainScenes(t *testing.T) {
	file := func(text string) string {
		path := filepath.Join(t.TempDir(), "bad.toml")
		text = "kind = \"grain\"\ntitle = \"Bad\"\nabout = \"Bad\"\n[units]\nlength = \"mm\"\n[fill]\nlow = [-30, 5, -30]\nup = [30, 60, 30]\n" + text
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct {
		scene string
		set   []string
		want  string
	}{
		{"packing", []string{"grain.radius=-1"}, "grain.radius"},
		{"packing", []string{"grain.density=0"}, "grain.density"},
		{"packing", []string{"grain.number=1000000"}, "do not fit"},
		{"packing", []string{"source.most=80000000"}, "source.most"},
		{"packing", []string{"model.drag=none"}, "model.drag"},
		{"packing", []string{"model.core=soft"}, "model.core"},
		{"packing", []string{"step=-1"}, "step"},
		{"packing", []string{"substeps=0"}, "substeps"},
		{"packing", []string{"tool.radius=0"}, "tool.radius"},
		{"sandbox", []string{"tool.size=[10, 0, 10]"}, "tool.size"},
		{"snowfall", []string{"source.rate=-1"}, "source.rate"},
		{"snowfall", []string{"keep.up=[-200, 0, 0]"}, "keep.up"},
		{"snowfall", []string{"source.most=0"}, "no grains"},
		{file("[grain]\nnumber = 10\n[[obstacle]]\nshape = \"sphere\"\nradius = 0\n"), nil, "radius"},
		{file("[grain]\nnumber = 10\n[[obstacle]]\nshape = \"brick\"\nsize = [1, -2, 3]\n"), nil, "size"},
		{file("[grain]\nnumber = 10\n[[obstacle]]\nshape = \"cylinder\"\nradius = 2\n"), nil, "length"},
		{file("[grain]\nnumber = 10\n[[obstacle]]\nshape = \"cone\"\nradius = 2\n"), nil, "cone"},
	} {
		for _, command := range [][]string{{"run", c.scene, "--headless", "--seconds", "0.1"}, {"trace", c.scene, "--seconds", "0.1"}} {
			for _, s := range c.set {
				command = append(command, "--set", s)
			}
			status, _, stderr := hapco(t, command...)
			lines := strings.Split(strings.TrimSpace(stderr), "\n")
			if status != exitBadInput || len(lines) != 1 || !strings.Contains(stderr, c.want) {
				t.Errorf("hapco %s: status %d, %q, want %d and a line with %q", strings.Join(command, " "), status, stderr, exitBadInput, c.want)
			}
		}
	}
}
