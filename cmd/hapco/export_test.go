package main

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
)

// A stranger presses in the real window, exports what happens, changes a parameter, takes
// that back, records; the recorded hand then feels another body.
func TestExportUndoRecordReplay(t *testing.T) {
	if testing.Short() {
		t.Skip("opens a window")
	}
	dir, bin := t.TempDir(), buildProgram(t)
	t.Setenv("HAPCO_RECORDINGS", dir)
	w := startWindow(t, bin, dir, "run", "block-linear", "--device", "mouse")
	start := w.await("the scene", func(tr *trace) bool { return tr.Ready && tr.Stylus != nil })
	w.x("mousemove %.0f %.0f", start.Stylus.X, start.Stylus.Y)

	export := func(status string) {
		w.x("key ctrl+e")
		w.await(status, func(tr *trace) bool { return strings.HasPrefix(tr.Status, status) })
	}
	export("Exporting")
	w.x("mousedown 1")
	w.await("a contact force", func(tr *trace) bool { return tr.RawN > 0.05 })
	w.x("key 5") // the series has the field that the window shows
	w.frames(60)
	export("Exported")
	w.x("mouseup 1")
	checkExport(t, dir)

	before := w.await("no force", func(tr *trace) bool { return tr.RawN == 0 && tr.Widgets["Friction"].W > 50 })
	f := before.Widgets["Friction"]
	w.x("mousemove %.0f %.0f\nmousedown 1\nmousemove %.0f %.0f\nmousemove %.0f %.0f\nmouseup 1",
		f.X+0.3*f.W, f.Y+f.H/2, f.X+0.5*f.W, f.Y+f.H/2, f.X+0.6*f.W, f.Y+f.H/2)
	w.await("another friction", func(tr *trace) bool { return tr.Values["friction"] != before.Values["friction"] })
	w.x("key ctrl+z")
	w.await("the old friction", func(tr *trace) bool { return tr.Values["friction"] == before.Values["friction"] })

	w.x("mousemove %.0f %.0f\nkey F8", start.Stylus.X, start.Stylus.Y)
	w.await("the red dot", func(tr *trace) bool { return tr.Widgets["recording"].Visible })
	w.x("mousedown 1")
	w.await("a contact force", func(tr *trace) bool { return tr.RawN > 0.05 })
	w.x("mouseup 1\nkey F8")
	w.await("the recording", func(tr *trace) bool { return strings.HasPrefix(tr.Status, "Recorded") })
	w.quit()
	var tape string
	_ = filepath.WalkDir(dir, func(path string, _ os.DirEntry, _ error) error {
		if strings.HasSuffix(path, ".mcap") {
			tape = path
		}
		return nil
	})
	if tape == "" {
		t.Fatal("no recording")
	}
	cmd := exec.Command(bin, "replay", tape, "--headless", "--set", "block.E=3kPa")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "block.E") {
		t.Errorf("%v\n%s", err, out)
	}
	// recorded, the same scene, and the softer block
	var felt [3]float64
	for _, line := range strings.Split(string(out), "\n") {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "contact force, largest"); ok {
			_, err = fmt.Sscanf(rest, "%f N %f N %f N", &felt[0], &felt[1], &felt[2])
		}
	}
	// E = 3 kPa for 10 kPa; the hand's spring gives, too. The table has mN.
	if err != nil || math.Abs(felt[1]-felt[0]) > 0.001+1e-3*felt[0] || !(felt[2] > 0.25*felt[0] && felt[2] < 0.5*felt[0]) {
		t.Errorf("%v: %v N\n%s", err, felt, out)
	}
}

// checkExport reads what a window has exported.
func checkExport(t *testing.T, dir string) {
	t.Helper()
	folders, _ := filepath.Glob(filepath.Join(dir, "hapco-block-linear-*"))
	if len(folders) != 1 {
		t.Fatalf("folders %v", folders)
	}
	at := func(name string) string { return filepath.Join(folders[0], name) }
	file, err := os.Open(at("table.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil || len(rows) < 4 {
		t.Fatalf("table: %d rows, %v", len(rows), err)
	}
	times, files := pvd(t, filepath.Join(at("vtu"), "block-linear.pvd"))
	if len(times) != len(rows)-1 {
		t.Fatalf("%d states, %d rows", len(times), len(rows)-1)
	}
	byVTK := vtkReads(t, at("vtu"))
	most, worst := 0.0, 0.0
	for i, row := range rows[1:] {
		var x [7]float64
		for k := range x {
			x[k], _ = strconv.ParseFloat(row[k], 64)
		}
		read := readGrid(t, filepath.Join(at("vtu"), files[i]["stylus"]))
		if byVTK != nil {
			read = byVTK[files[i]["stylus"]]
		}
		force := mgl64.Vec3(x[4:])
		worst = max(worst, read.vector("force", 0).Sub(force).Len(), math.Abs(times[i]-x[0]))
		most = max(most, force.Len())
	}
	if !(worst <= 1e-12) || !(most > 0.05) {
		t.Errorf("series and table are %g apart; at most %g N", worst, most)
	}
	last := readGrid(t, filepath.Join(at("vtu"), files[len(files)-1]["block"]))
	if len(last.Arrays["von_Mises_stress"]) != len(last.Points) {
		t.Errorf("the last state has the fields %v", len(last.Arrays))
	}
	pictures, _ := filepath.Glob(at("pictures/*.png"))
	surfaces, _ := filepath.Glob(at("stl/block-*.stl"))
	if info, err := os.Stat(at("arrays.npz")); err != nil || info.Size() < 1000 || len(pictures) != len(times) || len(surfaces) != len(times) {
		t.Errorf("%v, %d pictures and %d surfaces of %d states", err, len(pictures), len(surfaces), len(times))
	}
	if _, err := exec.LookPath("ffmpeg"); err == nil {
		if film, err := os.Stat(at("film.mp4")); err != nil || film.Size() < 1000 {
			t.Errorf("film: %v", err)
		}
	}
	t.Logf("%d states, worst difference %g, VTK: %v", len(times), worst, byVTK != nil)
}
