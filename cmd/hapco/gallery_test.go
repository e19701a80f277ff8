package main

import (
	"image"
	"image/jpeg"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hapco/assets"
	"hapco/physics/machinery/testkit"
)

// `hapco` alone shows the start page; a click on a picture opens that scene, the search
// finds another, and a scene of a file is among the recent ones next time.
func TestStartPage(t *testing.T) {
	if testing.Short() {
		t.Skip("opens a window")
	}
	bin, user := buildProgram(t), t.TempDir()
	file := filepath.Join(user, "my-block.toml")
	text, err := assets.Scene("bench-a-16")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	w := startWindow(t, bin, user)
	w.await("the start page", func(tr *trace) bool { return tr.Gallery && tr.Widgets["Gallery/liver"].Visible })
	w.x("type staircase\nkey Return")
	w.await("the staircase", func(tr *trace) bool { return tr.Ready && tr.Scene == "staircase" })
	w.x("key Home")
	w.await("the start page again", func(tr *trace) bool { return tr.Gallery })
	w.quit()

	w = startWindow(t, bin, user, "run", file)
	w.await("the file's scene", func(tr *trace) bool { return tr.Ready })
	w.quit()
	w = startWindow(t, bin, user)
	w.click("Gallery/recent/my-block")
	w.await("the recent file", func(tr *trace) bool { return tr.Ready && tr.Scene == file })
}

// Every scene of the gallery opens, is probed by a scripted hand and closes, and its
// picture shows something. Each has a group, a word on what to feel, controls that
// exist (the program looks) and a picture in the program.
func TestEveryScene(t *testing.T) {
	if testing.Short() {
		t.Skip("opens windows")
	}
	if _, err := exec.LookPath("Xvfb"); err != nil {
		t.Skip("Xvfb is not installed")
	}
	seconds := "1"
	if s := os.Getenv("HAPCO_SCENE_SECONDS"); s != "" {
		seconds = s // 10 takes a quarter of an hour
	}
	dir := t.TempDir()
	cmd := exec.Command(buildProgram(t), "scenes", "--pictures", dir, "--seconds", seconds)
	cmd.Env = append(os.Environ(), "DISPLAY=", "WAYLAND_DISPLAY=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if n := len(assets.Scenes()); n < 24 {
		t.Errorf("%d scenes", n)
	}
	for _, name := range assets.Scenes() {
		img := readJPEG(t, filepath.Join(dir, name+".jpg"))
		if b := img.Bounds(); b.Dx() != pictureWide || b.Dy() != pictureHigh {
			t.Errorf("%s: a picture of %v", name, b)
		}
		if n := bright(img); n < 150 {
			t.Errorf("%s: only %d pixels stand out from the background", name, n)
		}
		if assets.Picture(name) == nil {
			t.Errorf("%s has no picture in the program (hapco scenes --pictures assets/pictures makes it)", name)
		}
		text, err := assets.Scene(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"\nabout = ", "\ngroup = ", "\ncontrols = "} {
			if !strings.Contains(string(text), key) {
				t.Errorf("%s.toml has no %q", name, strings.TrimSpace(key))
			}
		}
	}
}

func readJPEG(t *testing.T, file string) image.Image {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := jpeg.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// bright counts pixels that the dark background and its grid do not have.
func bright(img image.Image) (n int) {
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if r, g, bl, _ := img.At(x, y).RGBA(); max(r, g, bl) > 0x8800 {
				n++
			}
		}
	}
	return n
}

// --frames makes so many pictures of one way there and back, and the tool moves in them.
func TestFilmOfAScene(t *testing.T) {
	testkit.Slow(t)
	dir := t.TempDir()
	cmd := exec.Command(buildProgram(t), "scenes", "bench-a-16", "--pictures", dir, "--frames", "6")
	cmd.Env = append(os.Environ(), "DISPLAY=", "WAYLAND_DISPLAY=")
	if out, err := cmd.CombinedOutput(); err != nil {
		if strings.Contains(string(out), "Xvfb") {
			t.Skipf("no virtual display: %s", out)
		}
		t.Fatalf("%v\n%s", err, out)
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.jpg"))
	if err != nil || len(names) != 6 {
		t.Fatalf("%v, %v", names, err)
	}
	first, middle := readJPEG(t, filepath.Join(dir, "bench-a-16-0001.jpg")), readJPEG(t, filepath.Join(dir, "bench-a-16-0004.jpg"))
	if b := first.Bounds(); b.Dx() != frameWide || b.Dy() != frameHigh {
		t.Errorf("pictures of %v", b)
	}
	moved := 0
	for y := range frameHigh {
		for x := range frameWide {
			r, g, b, _ := first.At(x, y).RGBA()
			s, h, c, _ := middle.At(x, y).RGBA()
			if max(r, s)-min(r, s)+max(g, h)-min(g, h)+max(b, c)-min(b, c) > 0x6000 {
				moved++
			}
		}
	}
	if moved < 500 {
		t.Errorf("%d pixels change on the way", moved)
	}
}
