package main

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The force over depth is that of a trace to the same depth, in and out, and goes to a
// table and a picture.
func TestIndent(t *testing.T) {
	bin, dir := buildProgram(t), t.TempDir()
	table, picture := filepath.Join(dir, "i.csv"), filepath.Join(dir, "i.svg")
	out, err := exec.Command(bin, "indent", "block-linear", "--depth", "5 mm", "--speed", "50 mm/s", "--rate", "100", "--json", "--csv", table, "--plot", picture).Output()
	if err != nil {
		t.Fatal(err)
	}
	var got indentOutput
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	in := 0
	for i, s := range got.Steps {
		if !s.Lifted {
			in = i
		}
	}
	end := got.Steps[in]
	if math.Abs(end.Depth-5e-3) > 2.6e-4 || !(got.Most > 0.01) || !(got.Stiffness > 1) || got.Steps[len(got.Steps)-1].Norm > 0.2*got.Most {
		t.Errorf("depth %g m, most %g N, %g N/m, at last %g N", end.Depth, got.Most, got.Stiffness, got.Steps[len(got.Steps)-1].Norm)
	}
	// the same way by hapco trace: the gap and the depth in steps of 0.5 mm
	steps := int(math.Round((got.Gap + end.Depth) / 0.5e-3))
	var offsets strings.Builder
	for i := 1; i <= steps; i++ {
		offsets.WriteString("0," + strings.TrimRight(jsonNumber(-0.5*float64(i)), "\n") + ",0\n")
	}
	path := filepath.Join(dir, "way.csv")
	if err := os.WriteFile(path, []byte(offsets.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err = exec.Command(bin, "trace", "block-linear", "--path", path, "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var traced struct {
		Steps []struct {
			Force [3]float64 `json:"force_N"`
		} `json:"steps"`
	}
	if err := json.Unmarshal(out, &traced); err != nil {
		t.Fatal(err)
	}
	f := traced.Steps[len(traced.Steps)-1].Force
	if d := math.Hypot(math.Hypot(f[0]-end.Force[0], f[1]-end.Force[1]), f[2]-end.Force[2]); d > 1e-9*end.Norm {
		t.Errorf("hapco trace feels %v N, hapco indent %v", f, end.Force)
	}
	file, err := os.Open(table)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil || len(rows) != len(got.Steps)+1 {
		t.Errorf("%d rows of %d steps: %v", len(rows), len(got.Steps), err)
	}
	if svg, err := os.ReadFile(picture); err != nil || !strings.Contains(string(svg), "<svg") {
		t.Errorf("no picture: %v", err)
	}
	if out, err := exec.Command(bin, "indent", "block-linear", "--depth", "-3 mm").CombinedOutput(); err == nil || strings.Count(strings.TrimSpace(string(out)), "\n") != 0 {
		t.Errorf("a depth of -3 mm: %v, %s", err, out)
	}
	if status, _, text := hapco(t, "indent", "block-linear", "--speed", "1e-9 m/s"); status != exitBadInput || !strings.Contains(text, "steps") || strings.Count(text, "\n") != 1 {
		t.Errorf("a crawl: status %d, %s", status, text)
	}
}

func jsonNumber(x float64) string { b, _ := json.Marshal(x); return string(b) }

// One button presses and plots force over depth; the plots go to a table and pictures.
func TestIndentButton(t *testing.T) {
	if testing.Short() {
		t.Skip("opens a window")
	}
	dir := t.TempDir()
	w := startWindow(t, buildProgram(t), dir, "run", "block-linear", "--device", "mouse")
	start := w.await("the scene", func(tr *trace) bool { return tr.Ready && tr.Widgets["Find"].Visible })
	_ = start
	w.click("Page/Over depth")
	w.x("key ctrl+f")
	w.x("key Escape")
	for i := 0; i < 40; i++ {
		tr := w.await("the panel", func(*trace) bool { return true })
		if p := tr.Widgets["Bench of a probe"]; p.Visible && p.Y+p.H < 768 {
			break
		}
		f := tr.Widgets["Find"]
		w.x("mousemove %.0f %.0f\nclick 5\nclick 5", f.X+f.W/2, f.Y+200)
		w.frames(20)
	}
	w.click("Bench of a probe")
	w.frames(30)
	w.x("click 5\nclick 5\nclick 5")
	w.frames(30)
	w.click("Indent")
	w.await("the end of the press", func(tr *trace) bool { return strings.HasPrefix(tr.Status, "Indented 5") })
	w.click("SavePlots")
	w.await("the files", func(tr *trace) bool { return strings.HasPrefix(tr.Status, "Saved hapco-over-depth") })
	for _, end := range []string{".csv", ".png", ".svg"} {
		files, _ := filepath.Glob(filepath.Join(dir, "hapco-over-depth-*"+end))
		if len(files) != 1 {
			t.Fatalf("no file %s", end)
		}
		text, err := os.ReadFile(files[0])
		if err != nil || len(text) < 500 {
			t.Errorf("%s: %d bytes, %v", files[0], len(text), err)
		}
	}
}
