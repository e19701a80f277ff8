package main

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hapco/assets"
)

// Files that another program drops on the window, by the protocol that file managers speak,
// are opened, asked about, or refused with a word. A name may have spaces.
func TestDropFromAnotherProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("opens a window")
	}
	dir := t.TempDir()
	source := filepath.Join(dir, "xdnd")
	if out, err := exec.Command("cc", "-o", source, filepath.Join("testdata", "xdnd.c"), "-lX11").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := assets.Scene("bench-a-16")
	if err != nil {
		t.Fatal(err)
	}
	scene, note, surface := filepath.Join(dir, "my bench é.toml"), filepath.Join(dir, "note.txt"), filepath.Join(dir, "cube.stl")
	cube(t, surface)
	for _, err := range []error{os.WriteFile(scene, text, 0o600), os.WriteFile(note, nil, 0o600)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	bin := buildProgram(t)
	volume, recording := filepath.Join(dir, "block.msh.gz"), filepath.Join(dir, "a press.mcap")
	if data, err := os.ReadFile("../../assets/meshes/block.msh.gz"); err != nil || os.WriteFile(volume, data, 0o600) != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(bin, "run", "bench-a-16", "--headless", "--seconds", "1", "--device", "mouse", "--record", recording).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	expected, err := filepath.Abs("../../physics/measure/cases/testdata/one-sticks.json")
	if err != nil {
		t.Fatal(err)
	}
	w := startWindow(t, bin, dir)
	w.await("the start page", func(tr *trace) bool { return tr.Gallery })
	drop := func(file string) {
		t.Helper()
		c := exec.Command(source, (&url.URL{Scheme: "file", Path: file}).String())
		c.Env = w.env
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("drop of %s: %v\n%s", file, err, out)
		}
	}
	drop(note)
	w.await("a word about the note", func(tr *trace) bool { return strings.Contains(tr.Status, "note.txt is no scene") })
	drop(surface)
	w.await("questions about the surface", func(tr *trace) bool { return tr.Widgets["importOpen"].Visible })
	w.x("key Escape")
	w.await("no question", func(tr *trace) bool { return !tr.Widgets["importOpen"].Visible })
	drop(volume)
	w.await("questions about the volume", func(tr *trace) bool { return tr.Widgets["importOpen"].Visible })
	w.x("key Escape")
	w.await("no question", func(tr *trace) bool { return !tr.Widgets["importOpen"].Visible })
	drop(expected)
	w.await("how many numbers of the case agree", func(tr *trace) bool {
		return strings.Contains(tr.Status, "one-sticks.json: ") && strings.Contains(tr.Status, "expected numbers agree")
	})
	drop(scene)
	w.await("the scene", func(tr *trace) bool { return tr.Ready && tr.Scene == scene })
	drop(recording)
	w.await("the recorded hand at play", func(tr *trace) bool { return tr.Ready && tr.Scene == recording && tr.Widgets["PlayLine"].Visible })
}
