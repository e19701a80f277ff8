package main

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"hapco/cmd/hapco/internal/app"
	"hapco/physics"
	"hapco/physics/machinery/testkit"
	"hapco/telemetry"
)

// cells are those of the row of a table that begins with words.
func cells(t *testing.T, table, words string) []string {
	t.Helper()
	for _, line := range strings.Split(table, "\n") {
		if rest, ok := strings.CutPrefix(line, words); ok {
			return regexp.MustCompile(`\s{2,}`).Split(strings.TrimSpace(rest), -1)
		}
	}
	t.Fatalf("no row %q in\n%s", words, table)
	return nil
}

// The steps of a recording, made again, give the same forces to the last bit; with
// another stiffness they give forces that are as much larger, since the law is linear.
func TestReplayIsExact(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // other programs write to the usual one
	file := filepath.Join(t.TempDir(), "press.mcap")
	if status, _, errors := hapco(t, "run", "bench-a-16", "--headless", "--seconds", "2", "--path", "penetration", "--device", "mouse", "--record", file); status != 0 {
		t.Fatal(errors)
	}
	table := filepath.Join(t.TempDir(), "table.csv")
	status, out, errors := hapco(t, "replay", file, "--headless", "--exact", "--set", "obstacle.E=30 kPa", "--csv", table)
	if status != 0 {
		t.Fatalf("exit status %d, %s%s", status, out, errors)
	}
	n := cells(t, out, "steps")[0]
	if same := cells(t, out, "the recorded force, bit for bit"); same[1] != n+" of "+n || same[2] == same[1] {
		t.Errorf("%s", out)
	}
	if steps, _ := strconv.Atoi(n); steps < 100 {
		t.Errorf("%s steps", n)
	}
	factor := cells(t, out, "times the recorded force")
	if f, _ := strconv.ParseFloat(factor[2], 64); factor[1] != "1.0000" || math.Abs(f-1.5) > 0.01 {
		t.Errorf("20 to 30 kPa: the forces are %v times those recorded", factor)
	}
	if rms, err := strconv.ParseFloat(strings.Fields(cells(t, out, "force, RMS")[0])[0], 64); err != nil || !(rms > 0.05) {
		t.Errorf("nothing was pressed: %s", out)
	}
	if data, err := os.ReadFile(table); err != nil || !strings.HasPrefix(string(data), "step,recorded_force_x_N") || strings.Count(string(data), "\n") < 100 {
		t.Errorf("%v, %.200s", err, data)
	}

	// What is on file decides: a force that was another is found.
	m, err := telemetry.ReadMotion(file)
	if err != nil {
		t.Fatal(err)
	}
	if m.Notes["sha256:bench-a-16"] == "" || !strings.Contains(m.Notes["scene_text"], "[[body]]") || m.Notes["program"] != app.Facts().String() || len(m.Steps[0].Values) == 0 {
		t.Errorf("notes %v", m.Notes)
	}
	f := &flight{file: file, notes: m.Notes}
	m.Steps[len(m.Steps)/2].Force[1] = math.Nextafter(m.Steps[len(m.Steps)/2].Force[1], 1)
	c := replayCommand{File: file}
	e, err := c.exactOnce(t.Context(), f, m, nil)
	if err != nil || e.same != len(m.Steps)-1 || e.first != len(m.Steps)/2 {
		t.Errorf("%v, %+v of %d", err, e.same, len(m.Steps))
	}
}

// Worlds that advance in time are made again just so.
func TestReplayOfTimeIsExact(t *testing.T) {
	for _, scene := range []string{beadScene(t), "dominoes", "sandbox"} {
		file := filepath.Join(t.TempDir(), "time.mcap")
		if status, _, errors := hapco(t, "run", scene, "--headless", "--seconds", "1", "--device", "mouse", "--record", file); status != 0 {
			t.Fatal(errors)
		}
		status, out, errors := hapco(t, "replay", file, "--headless", "--exact")
		if status != 0 {
			t.Errorf("%s: exit status %d, %s%s", scene, status, out, errors)
			continue
		}
		n := cells(t, out, "steps")[0]
		if same := cells(t, out, "the recorded force, bit for bit")[1]; same != n+" of "+n {
			t.Errorf("%s: %s are the same", scene, same)
		}
		if felt := cells(t, out, "force, largest")[0]; strings.HasPrefix(felt, "0 ") {
			t.Errorf("%s: nothing was felt", scene)
		}
	}
}

// A recording that begins in the middle, as the window's button does, starts with the
// bodies at rest; what was changed while it ran is on file. Made again the steps agree to
// rounding.
func TestRecordingFromTheMiddleIsExact(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := t.TempDir()
	t.Setenv("HAPCO_RECORDINGS", dir)
	flags := app.SceneFlags{Scene: "bench-a-16"}
	s, err := flags.Read()
	if err != nil {
		t.Fatal(err)
	}
	world, _, err := s.Open(t.Context(), physics.Options{})
	if err != nil {
		t.Fatal(err)
	}
	session, err := app.OpenSession(s.Common(), world, &app.DeviceFlags{Device: "mouse", RateHz: 1000})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	at := world.Info().Start.Position
	frames := uint64(0)
	down := func(mm float64) {
		for range 20 {
			at[1] -= mm / 20e3
			session.Hand(at)
			from := frames
			testkit.Eventually(t, "steps", func() bool {
				if f, _ := session.Seen(); f != nil {
					frames = f.Step
				}
				return frames >= from+15
			})
		}
	}
	down(3) // there are forces before the recording begins
	if err := session.Record(); err != nil {
		t.Fatal(err)
	}
	if err := session.Record(); err == nil {
		t.Error("two recordings at the same time")
	}
	down(1)
	values := physics.Values(session.Keys())
	values[physics.Place(session.Keys(), "friction")] = 0.7
	session.SetValues(values)
	down(1)
	name, seconds := session.Recording()
	if filepath.Dir(name) != dir || !(seconds > 0) {
		t.Errorf("%s for %g s", name, seconds)
	}
	if file := session.StopRecording(); file != name {
		t.Errorf("%s was ended, not %s", file, name)
	}
	m, err := telemetry.ReadMotion(name)
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	for i := range m.Steps {
		if m.Steps[i].Values != nil {
			told++
		}
		if m.Steps[i].Fresh != (i == 0) {
			t.Errorf("step %d of %d: fresh %t", i, len(m.Steps), m.Steps[i].Fresh)
		}
	}
	if told != 2 {
		t.Errorf("parameters were told %d times, want at the start and after the change", told)
	}
	status, out, errors := hapco(t, "replay", name, "--headless", "--exact")
	if status != 0 {
		t.Fatalf("exit status %d, %s%s", status, out, errors)
	}
	if _, err := telemetry.ReadMotion(filepath.Join(dir, "none.mcap")); err == nil {
		t.Error("a file that is not there")
	}
}

// The window records by key, says so, and what it wrote is made again just so.
func TestWindowRecords(t *testing.T) {
	if testing.Short() {
		t.Skip("opens a window")
	}
	dir := t.TempDir()
	t.Setenv("HAPCO_RECORDINGS", dir)
	bin := buildProgram(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	w := openWindow(t, bin, "bench-a-16", "--set", "contact.deadline=10 s", "--device", "mouse")
	start := w.await("the start", func(tr *trace) bool { return tr.Stylus != nil })
	w.x("mousemove %.0f %.0f\nkey F8", start.Stylus.X, start.Stylus.Y)
	w.await("the red dot", func(tr *trace) bool { return tr.Widgets["recording"].W > 50 })
	w.x("mousedown 1")
	w.await("a contact force", func(tr *trace) bool { return tr.RawN > 0.02 })
	w.x("mouseup 1")
	w.frames(30)
	w.x("key F8")
	w.await("the dot to go", func(tr *trace) bool { return tr.Widgets["recording"].W == 0 })
	files, _ := filepath.Glob(filepath.Join(dir, "bench-a-16-*.mcap"))
	if len(files) != 1 {
		t.Fatalf("files %v", files)
	}
	status, out, errors := hapco(t, "replay", files[0], "--headless", "--exact")
	if status != 0 {
		t.Fatalf("exit status %d, %s%s", status, out, errors)
	}
	if strings.HasPrefix(cells(t, out, "force, RMS")[0], "0 ") {
		t.Errorf("nothing was pressed: %s", out)
	}
}

// --against and --exact are refused where they make no sense, with one line.
func TestReplayRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "press.mcap")
	if status, _, errors := hapco(t, "run", beadScene(t), "--headless", "--seconds", "0.7", "--record", file); status != 0 {
		t.Fatal(errors)
	}
	for _, args := range [][]string{{"--exact"}, {"--against", "liver"}, {"--headless", "--exact", "--against", "liver"}, {"--headless", "--against", "nowhere"}, {"--headless", "--exact", "--set", "mas=1"}} {
		status, out, errors := hapco(t, append([]string{"replay", file}, args...)...)
		if status != exitBadInput || out != "" || strings.Count(errors, "\n") != 1 {
			t.Errorf("%v: exit status %d, %s%s", args, status, out, errors)
		}
	}
	other := writeFile(t, filepath.Join(t.TempDir(), "heavy.toml"), strings.Replace(readText(t, beadScene(t)), "damping = 0.2", "damping = 5\nmass = 0.5", 1))
	status, out, errors := hapco(t, "replay", file, "--headless", "--against", other)
	if status != 0 || len(cells(t, out, "contact force, largest")) != 3 || !strings.Contains(out, "against "+other) {
		t.Errorf("exit status %d, %s%s", status, out, errors)
	}
}

func readText(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
