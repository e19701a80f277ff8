package main

import (
	"encoding/csv"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"hapco/cmd/hapco/internal/study"
	"hapco/haptics/record"
	"hapco/physics/machinery/testkit"
)

// beadStudy is a protocol of two levels of damping, felt with a bead, for each of so many
// people an answer that follows the damping.
func beadStudy(t *testing.T, people int) (file, answers string) {
	t.Helper()
	dir := t.TempDir()
	file = writeFile(t, filepath.Join(dir, "beads.toml"), fmt.Sprintf(`
title = "Damping"
about = "Move the bead."
scene = %q
seed = 3
[[factor]]
name = "damping"
level = [{ name = "low", set = { damping = 0.1 } }, { name = "high", set = { damping = 0.9 } }]
[[question]]
name = "heavy"
ask = "How heavy was the bead?"
scale = 7
low = "light"
high = "heavy"
[[question]]
name = "remark"
ask = "Anything else?"
`, beadScene(t)))
	table := "person,damping,question,answer\n"
	for person := 1; person <= people; person++ {
		table += fmt.Sprintf("%d,low,heavy,%d\n%d,high,heavy,%d\n%d,low,remark,\n%d,high,remark,<b>sticky</b>\n", person, 1+person%2, person, 5+person%3, person, person)
	}
	return file, writeFile(t, filepath.Join(dir, "given.csv"), table)
}

// Without a window: every trial is made and recorded, a study that was begun goes on, and
// the report has the statistics of its table. A browser shows it.
func TestStudyAndReport(t *testing.T) {
	const people = 6
	file, given := beadStudy(t, people)
	out := filepath.Join(t.TempDir(), "out")
	run := func(args ...string) string {
		t.Helper()
		status, said, errors := hapco(t, append([]string{"study", file, "--out", out, "--answers", given, "--seconds", "0.2"}, args...)...)
		if status != 0 {
			t.Fatal(errors)
		}
		return said
	}
	if said := run("--person", "2"); !strings.Contains(said, "2 trials now") {
		t.Error(said)
	}
	if said := run(); !strings.Contains(said, fmt.Sprintf("%d trials now", 2*people-2)) {
		t.Error(said)
	}
	text, err := os.ReadFile(filepath.Join(out, "answers.csv"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil || len(rows) != 1+people*2*2 {
		t.Fatalf("%v, %d rows", err, len(rows))
	}
	// The table is one that --answers takes: people can be copied from study to study.
	p, err := study.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := readAnswers(filepath.Join(out, "answers.csv"), p); err != nil {
		t.Error(err)
	}
	for _, row := range rows[1:] {
		ticks, notes, err := record.Read(filepath.Join(out, row[9]))
		if err != nil || len(ticks) == 0 || !strings.Contains(notes["set"], "damping=0.") {
			t.Fatalf("recording %s: %d ticks, notes %v, %v", row[9], len(ticks), notes, err)
		}
	}
	status, said, errors := hapco(t, "report", out)
	if status != 0 || strings.TrimSpace(said) != filepath.Join(out, "report.html") {
		t.Fatal(said, errors)
	}
	page := browse(t, filepath.Join(out, "report.html"))
	// High less low is 4, 6, 3, 5, 5, 4: all six agree, p = 2/64.
	for _, want := range []string{`<strong id="people">6</strong>`, "<td>high − low</td>", ">0.031<", "&lt;b&gt;sticky"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	if strings.Contains(page, "<b>sticky") {
		t.Error("what people type becomes part of the page")
	}
}

// browse is the page as a browser has built it; without one, as it is in the file.
func browse(t *testing.T, file string) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-headless-shell", "google-chrome"} {
		if _, err := exec.LookPath(name); err != nil {
			continue
		}
		shot := filepath.Join(t.TempDir(), "page.png")
		flags := []string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--user-data-dir=" + t.TempDir(), "--window-size=1000,1400"}
		c := exec.Command(name, append(flags, "--screenshot="+shot, "file://"+file)...)
		c.Env = append(os.Environ(), "HOME="+t.TempDir())
		if text, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, text)
		}
		blue, dark := 0, 0
		img := readPNG(t, shot)
		b := img.Bounds()
		for y := b.Min.Y; y < b.Max.Y; y++ {
			for x := b.Min.X; x < b.Max.X; x++ {
				r, g, bl, _ := img.At(x, y).RGBA()
				switch {
				case bl > 0xa000 && r < 0x4000 && g < 0x9000:
					blue++ // of the means
				case max(r, g, bl) < 0x5000:
					dark++ // of the words
				}
			}
		}
		if blue < 100 || dark < 2000 {
			t.Errorf("the picture of the page has %d blue and %d dark pixels", blue, dark)
		}
		c = exec.Command(name, append(flags, "--dump-dom", "file://"+file)...)
		c.Env = append(os.Environ(), "HOME="+t.TempDir())
		text, err := c.Output()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !regexp.MustCompile(`<svg[^>]*>[\s\S]*<path`).Match(text) {
			t.Error("the browser has built no plot")
		}
		return string(text)
	}
	t.Log("no chromium is installed: the page is read as a file (cure: apt-get install chromium)")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func readPNG(t *testing.T, file string) image.Image {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func TestStudyRefuses(t *testing.T) {
	file, given := beadStudy(t, 1)
	out := filepath.Join(t.TempDir(), "out")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	bad := writeFile(t, filepath.Join(t.TempDir(), "bad.toml"), strings.Replace(string(text), "damping = 0.9", "dampnig = 0.9", 1))
	short := writeFile(t, filepath.Join(t.TempDir(), "short.csv"), "person,damping,question,answer\n1,low,heavy,3\n")
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"study", "none.toml", "--out", out}, "thesis-haptics"},
		{[]string{"study", bad, "--out", out}, "dampnig"},
		{[]string{"study", file, "--out", out, "--person=-1"}, "--person -1"},
		{[]string{"study", file, "--out", out, "--answers", short}, "is no answer"},
		{[]string{"study", file, "--out", out, "--answers", file}, "no table of answers"},
		{[]string{"study", file, "--out", given, "--answers", given}, "a folder that may be written"},
		{[]string{"report", t.TempDir()}, "protocol.toml"},
	} {
		status, _, errors := hapco(t, c.args...)
		if status != exitBadInput || !strings.Contains(errors, c.says) || strings.Count(errors, "\n") != 1 {
			t.Errorf("%v: exit status %d, %s", c.args, status, errors)
		}
	}
}

// In the window: a person answers, the program is killed in the middle of a trial, and the
// same command goes on with that trial. Nothing that was answered is lost.
func TestStudyInTheWindow(t *testing.T) {
	testkit.Slow(t)
	bin, dir := buildProgram(t), t.TempDir()
	file := writeFile(t, filepath.Join(dir, "friction.toml"), `
title = "Friction"
about = "Press and slide."
scene = "bench-a-16"
set = { contact.tolerance = 1e-3 }
[[factor]]
name = "friction"
level = [{ set = { friction = 0.1 } }, { set = { friction = 0.7 } }]
[[question]]
name = "rough"
ask = "How rough?"
scale = 5
`)
	out := filepath.Join(dir, "out")
	begin := func() *window {
		w := startWindow(t, bin, dir, "study", file, "--out", out)
		w.await("the welcome", func(tr *trace) bool { return tr.Study == "Friction" })
		w.click("StudyNext")
		return w
	}
	trial := func(n int) func(tr *trace) bool {
		return func(tr *trace) bool {
			return tr.Ready && tr.Stylus != nil && strings.HasPrefix(tr.Study, fmt.Sprintf("Trial %d of 2", n))
		}
	}
	w := begin()
	tr := w.await("the first trial", trial(1))
	w.x("mousemove %.0f %.0f\nmousedown 1", tr.Stylus.X, tr.Stylus.Y)
	w.await("a force", func(tr *trace) bool { return tr.RawN > 0.1 })
	w.x("mouseup 1")
	w.click("Study/rough/4")
	w.click("StudyNext")
	w.await("the second trial", trial(2))
	if err := w.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-w.done

	w = begin()
	w.await("the second trial again", trial(2))
	w.click("Study/rough/2")
	w.click("StudyNext")
	w.await("thanks", func(tr *trace) bool { return tr.Study == "Thank you." })
	w.click("StudyNext")
	if err := <-w.done; err != nil {
		t.Fatalf("%v\n%s", err, w.errors.String())
	}
	folder, err := study.Begun(out)
	if err != nil {
		t.Fatal(err)
	}
	all, err := folder.All()
	if err != nil || len(all) != 2 || all[0].Answers["rough"] != "4" || all[1].Answers["rough"] != "2" || !(all[0].ForceMax > 0.1) || !(all[0].PhysicsHz > 1) {
		t.Fatalf("%v, %+v", err, all)
	}
	if all[0].Levels[0] == all[1].Levels[0] {
		t.Error("the second trial is the first once more")
	}
	// Both recordings can be read, and that of the crash is there up to the crash.
	for i := range all {
		if ticks, _, err := record.Read(filepath.Join(out, all[i].Recording)); err != nil || len(ticks) < 100 {
			t.Errorf("%s: %d ticks, %v", all[i].Recording, len(ticks), err)
		}
	}
	if all[1].Recording != "recordings/0001-0002-2.mcap" {
		t.Errorf("the recording after the crash is %s", all[1].Recording)
	}
}

// The page of a trial can be had as a picture, without a screen and without a person; no
// answer is kept.
func TestStudyPicture(t *testing.T) {
	if testing.Short() {
		t.Skip("opens a window")
	}
	dir := t.TempDir()
	picture := filepath.Join(dir, "page.png")
	c := exec.Command(buildProgram(t), "study", "thesis-haptics", "--out", filepath.Join(dir, "out"), "--screenshot", picture, "--width", "800", "--height", "600")
	c.Env = append(os.Environ(), "DISPLAY=", "WAYLAND_DISPLAY=")
	if said, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	colours := map[[3]uint32]bool{}
	img := readPNG(t, picture)
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y++ {
		for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x++ {
			r, g, b, _ := img.At(x, y).RGBA()
			colours[[3]uint32{r, g, b}] = true
		}
	}
	if img.Bounds().Dx() != 800 || len(colours) < 100 {
		t.Errorf("%v, %d colours", img.Bounds(), len(colours))
	}
	if _, err := os.Stat(filepath.Join(dir, "out", "answers.csv")); err == nil {
		t.Error("there are answers")
	}
}
