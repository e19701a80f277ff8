package main

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"hapco/cmd/hapco/internal/app"
	"hapco/physics/worlds/tissue"
)

// The same hand, felt again: in the recording's scene what was felt, in another
// what that gives; and nothing but a line for a key or value that is none.
func TestReplayAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("records for seconds")
	}
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	flight, table, picture := at("f.mcap"), at("t.csv"), at("p.png")
	if status, _, errors := hapco(t, "run", "liver-linear", "--headless", "--seconds", "2", "--path", "penetration", "--device", "mouse", "--set", "liver.E=8kPa", "--record", flight); status != 0 {
		t.Fatalf("recording: %s", errors)
	}
	status, out, errors := hapco(t, "replay", flight, "--headless", "--set", "liver.E=16kPa", "--csv", table, "--png", picture)
	if status != 0 || !strings.Contains(out, "recorded") || !strings.Contains(out, "the same scene") || !strings.Contains(out, "liver.E=16kPa") {
		t.Fatalf("exit status %d: %s%s", status, out, errors)
	}
	if info, err := os.Stat(picture); err != nil || info.Size() < 5000 {
		t.Errorf("picture: %v", err)
	}
	file, err := os.Open(table)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	mean := func(name string) (sum float64) {
		for _, row := range rows[1:] {
			y, err := strconv.ParseFloat(row[column[name+"_raw_y_N"]], 64)
			if err != nil {
				t.Fatal(err)
			}
			sum += y
		}
		return sum / float64(len(rows)-1)
	}
	recorded, same, changed := mean("recorded"), mean("same"), mean("changed")
	if !(recorded > 0.05) || math.Abs(same-recorded) > 0.1*recorded {
		t.Errorf("the same scene gives %g N, %g N were recorded", same, recorded)
	}
	if !(changed > 1.3*same) || !(changed < 2.1*same) {
		t.Errorf("tissue of twice the stiffness gives %g N, the same %g N", changed, same)
	}
	for _, c := range []struct{ set, says string }{
		{"friction=nonsense", "give a number"}, {"frction=1", "did you mean friction?"}, {"liver.E=-1", "E"}, {"liver.E=3 kg", "Pa, kPa, MPa or GPa"},
	} {
		status, out, errors := hapco(t, "replay", flight, "--headless", "--set", c.set)
		if status != 2 || out != "" || !strings.Contains(errors, c.says) || strings.Count(errors, "\n") != 1 {
			t.Errorf("%s: exit status %d, %q, %q", c.set, status, out, errors)
		}
	}
}

// A recording tells its scene as it was changed.
func TestNotesOfAScene(t *testing.T) {
	dir, _ := meshFiles(t)
	f := app.SceneFlags{Scene: "liver-linear", Mesh: filepath.Join(dir, "good.msh"), UnitFlag: app.UnitFlag{LengthUnit: "mm"}, Set: []string{"friction=0.6", "good.E=9kPa"}}
	s, err := tissueOf(&f)
	if err != nil {
		t.Fatal(err)
	}
	notes := f.Notes(&tissue.SceneFile{Scene: *s})
	g := app.Noted(notes)
	again, err := tissueOf(&g)
	if err != nil || again.Friction != 0.6 || again.Name != s.Name || again.Bodies[1].Young != 9e3 || again.Contact.DDCTolerance != s.Contact.DDCTolerance {
		t.Errorf("%+v: %v", g, err)
	}
}
