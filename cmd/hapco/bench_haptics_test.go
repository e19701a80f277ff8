package main

import (
	"encoding/csv"
	"encoding/json"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	measure "hapco/haptics/bench"

	"hapco/cmd/hapco/internal/bench/haptics"
)

// A quick run writes every file, and haptics.json has the keys that scripts
// depend on.
func TestBenchHapticsQuick(t *testing.T) {
	if testing.Short() {
		t.Skip("half a minute")
	}
	dir := t.TempDir()
	out, err := exec.Command(buildProgram(t), "bench", "haptics", "--quick", "--seconds", "1", "--out", dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"stability", "stiffest stable wall", "every cell with virtual coupling is stable", "claims hold"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the summary does not say %q:\n%s", want, out)
		}
	}
	for _, name := range []string{"timing", "stability", "bounces", "force-path", "zwidth"} {
		f, err := os.Open(filepath.Join(dir, "haptics-"+name+".png"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := png.Decode(f); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		f.Close()
		if name == "bounces" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, "haptics-"+name+".csv"))
		if err != nil {
			t.Fatal(err)
		}
		if rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll(); err != nil || len(rows) < 3 {
			t.Errorf("%s: %d rows, %v", name, len(rows), err)
		}
	}

	text, err := os.ReadFile(filepath.Join(dir, "haptics.json"))
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	timing := doc["timing"].(map[string]any)
	for _, load := range []string{"idle", "loaded"} {
		pair := timing[load].(map[string]any)
		for _, loop := range []string{"servo", "cyclictest"} {
			m, ok := pair[loop].(map[string]any)
			if !ok {
				if note, _ := pair["note"].(string); loop == "cyclictest" && note != "" {
					t.Logf("%s: %s", load, note)
					continue
				}
				t.Fatalf("%s: no %s: %v", load, loop, pair)
			}
			if !(m["ticks"].(float64) > 100) {
				t.Errorf("%s %s: %v ticks", load, loop, m["ticks"])
			}
			_ = m["missed"].(float64)
			for _, what := range []string{"wakeup_us", "period_error_us"} {
				q := m[what].(map[string]any)
				if p50, p99, p999, most := q["p50"].(float64), q["p99"].(float64), q["p999"].(float64), q["max"].(float64); !(p50 <= p99 && p99 <= p999 && p999 <= most && most > 0) {
					t.Errorf("%s %s %s: %v", load, loop, what, q)
				}
			}
		}
	}
	rows := doc["stability"].([]any)
	if len(rows) != len(haptics.MatrixCells(true)) {
		t.Errorf("%d rows of stability, want %d", len(rows), len(haptics.MatrixCells(true)))
	}
	for _, row := range rows {
		r := row.(map[string]any)
		for _, key := range []string{"materials", "mu", "eps_gs", "eps_nr", "contacts", "physics_hz", "coupling", "stable", "energy_J", "jitter_N", "bounces"} {
			if _, ok := r[key]; !ok {
				t.Fatalf("no %s in %v", key, r)
			}
		}
		if r["coupling"] == "virtual" && r["stable"] != true {
			t.Errorf("unstable: %v", r)
		}
	}
	for _, z := range doc["zwidth"].([]any) {
		for _, key := range []string{"device", "rate_hz", "coupling", "stiffness_N_per_m"} {
			if _, ok := z.(map[string]any)[key]; !ok {
				t.Fatalf("no %s in %v", key, z)
			}
		}
	}
}

// A scene of any kind takes the place of the thesis's experiments, and its contact is stable.
func TestBenchHapticsOfAScene(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds")
	}
	dir := t.TempDir()
	if status := run(t.Context(), []string{"bench", "haptics", "--quick", "--seconds", "0.5", "--scene", "block-neo-hookean", "--out", dir}); status != 0 {
		t.Fatalf("exit status %d", status)
	}
	text, err := os.ReadFile(filepath.Join(dir, "haptics.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r haptics.Report
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Stability) != 2 || len(r.ZWidth) > 0 || r.Timing.Loaded.Servo.Ticks < 100 {
		t.Fatalf("%+v", r)
	}
	for i := range r.Stability {
		row := &r.Stability[i]
		if row.Materials != "block-neo-hookean" || !(row.Peak > 0.5) || row.Contacts < 3 || row.StepMS <= 0 || row.Coupling == "virtual" && !row.Stable {
			t.Errorf("%+v", row)
		}
	}
	for _, scene := range []string{"nonsense", "nowhere.toml"} {
		if status := run(t.Context(), []string{"bench", "haptics", "--quick", "--scene", scene, "--out", dir}); status != exitBadInput {
			t.Errorf("--scene %s: status %d, want %d", scene, status, exitBadInput)
		}
	}
}

// The whole matrix has every combination of table 4.25 once.
func TestMatrixIsWhole(t *testing.T) {
	cells := haptics.MatrixCells(false)
	if want := 5 * 2 * 2 * 3 * 2 * 4 * 2; len(cells) != want {
		t.Fatalf("%d cells, want %d", len(cells), want)
	}
	seen := map[haptics.MatrixCell]bool{}
	for _, c := range cells {
		if seen[c] {
			t.Fatalf("twice: %+v", c)
		}
		seen[c] = true
	}
}

func TestBenchHapticsRefuses(t *testing.T) {
	for _, seconds := range []string{"-1", "0.1", "1e9", "NaN"} {
		if status := run(t.Context(), []string{"bench", "haptics", "--seconds=" + seconds, "--out", t.TempDir()}); status != exitBadInput {
			t.Errorf("--seconds %s: status %d, want %d", seconds, status, exitBadInput)
		}
	}
}

// Verdicts follow the measurement.
func TestJudge(t *testing.T) {
	timing := func(p99 float64, missed uint64) measure.Timing {
		return measure.Timing{Ticks: 10000, Missed: missed, Wakeup: measure.Quantiles{P99: p99}}
	}
	ground := timing(40, 1)
	good := haptics.StabilityRow{Coupling: "virtual", Outcome: measure.Outcome{Stable: true}}
	z := measure.ZPoint{Device: "desktop", Rate: 1000, Coupling: "virtual", Stiffness: 5000}
	for name, c := range map[string]struct {
		servo measure.Timing
		row   haptics.StabilityRow
		z     float64
		want  int // claims that do not hold
	}{
		"all well":       {timing(59, 2), good, 5000, 0},
		"late":           {timing(61, 2), good, 5000, 2},
		"missed":         {timing(59, 3), good, 5000, 2},
		"unstable":       {timing(59, 2), haptics.StabilityRow{Coupling: "virtual"}, 5000, 1},
		"energy":         {timing(59, 2), haptics.StabilityRow{Coupling: "virtual", Outcome: measure.Outcome{Energy: 0.01, Stable: true}}, 5000, 1},
		"bounces":        {timing(59, 2), haptics.StabilityRow{Coupling: "virtual", Outcome: measure.Outcome{Bounces: 1, Stable: true}}, 5000, 1},
		"direct may":     {timing(59, 2), haptics.StabilityRow{Coupling: "direct", Outcome: measure.Outcome{Bounces: 1, Energy: 1}}, 5000, 0},
		"stiff coupling": {timing(59, 2), good, 500, 1},
	} {
		p := haptics.TimingPair{Servo: c.servo, Cyclictest: &ground}
		z.Stiffness = c.z
		r := haptics.Report{Timing: haptics.TimingReport{Idle: p, Loaded: p}, Stability: []haptics.StabilityRow{c.row}, ZWidth: []measure.ZPoint{z}}
		r.Judge()
		failed := 0
		for _, v := range r.Verdicts {
			if !v.Holds {
				failed++
			}
		}
		if failed != c.want {
			t.Errorf("%s: %d claims fail, want %d: %+v", name, failed, c.want, r.Verdicts)
		}
	}
}
