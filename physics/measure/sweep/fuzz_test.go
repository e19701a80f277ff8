package sweep

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
)

const sheetText = "scene = \"bench-a-16\"\npath = \"penetration\"\nsteps = 5\n[set]\nobstacle.nu = 0.4\n[grid]\nobstacle.E = [\"6 kPa\", \"9 kPa\"]\nfriction = [0, 0.3, 1]\n"

// seeds of the fuzzing, and how many runs each makes.
func seeds() map[string]int {
	return map[string]int{
		sheetText: 6,
		"scene = \"bench-a-16\"\n[[run]]\nfriction = 0.1\n[[run]]\nfriction = 0.2\nsteps = 3\n": 2,
		"scene = \"bench-a-16\"\n[grid]\n" + manyAxes(10):                                       1024,
	}
}

// The seeds of the fuzzing are good.
func TestSeeds(t *testing.T) {
	for text, runs := range seeds() {
		if s, err := parse([]byte(text), ""); err != nil || len(s.Runs) != runs {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// manyAxes are axes of a grid of two values each.
func manyAxes(n int) (text string) {
	for i := range n {
		text += fmt.Sprintf("k%d = [1, 2]\n", i)
	}
	return text
}

// A few lines make a grid that would fill the memory: it is refused before it is made. Seeds of the fuzzing are good.
func TestSheetsOfManySettings(t *testing.T) {
	runs := func(n int) (text string) {
		for i := range n {
			text += fmt.Sprintf("[[run]]\nk%d = 1\n", i)
		}
		return text
	}
	for _, c := range []struct {
		text string
		good bool
	}{
		{"[grid]\n" + manyAxes(16), true}, {"[grid]\n" + manyAxes(18), false}, {runs(100), true}, {runs(2001), false},
	} {
		s, err := parse([]byte("scene = \"bench-a-16\"\n"+c.text), "")
		if (err == nil) != c.good || err != nil && !strings.Contains(err.Error(), "settings each") {
			t.Errorf("%.30q: %v", c.text, err)
		}
		if err == nil && len(s.Runs[0].Values) != len(s.Columns) {
			t.Errorf("%.30q: %d values of %d", c.text, len(s.Runs[0].Values), len(s.Columns))
		}
	}
}

// Whatever a sheet holds, it is refused or makes a bounded number of runs.
func FuzzSheet(f *testing.F) {
	for text := range seeds() {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := parse(text, "")
		if err == nil && len(s.Runs) > 1_000_000 {
			t.Errorf("%d runs", len(s.Runs))
		}
	})
}

// tables of a sheet in whose folder a run's file holds data; nil where the sheet is refused.
func tables(t *testing.T, text, data []byte) (csv, parquet []byte) {
	s, err := parse(text, "")
	if err != nil || len(s.Runs) > 16 || len(s.Columns) > 1000 {
		return nil, nil
	}
	folder := &Folder{Dir: t.TempDir(), sheet: s, token: "1"}
	if err := os.MkdirAll(folder.rows(), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(folder.file(0), data, 0o600); err != nil {
		t.Fatal(err)
	}
	var c, p bytes.Buffer
	if err := folder.WriteCSV(&c); err != nil {
		t.Error(err)
	}
	if err := folder.WriteParquet(&p); err != nil {
		t.Error(err)
	}
	return c.Bytes(), p.Bytes()
}

const kept = `{"row":0,"inputs":"1","keys":{"friction":0.1},"result":{"force_N":[1,2,3],"force_max_N":4,"iterations_total":5,"converged":true,"seconds":6}}`

// A run that was kept is a line of both tables, however many keys there are.
func TestTableOfManyKeys(t *testing.T) {
	wide := "scene = \"bench-a-16\"\n[[run]]\n"
	for i := range 800 {
		wide += fmt.Sprintf("k%d = 1\n", i)
	}
	for text := range seeds() {
		if strings.Contains(text, "grid") {
			continue
		}
		if csv, parquet := tables(t, []byte(text), []byte(kept)); bytes.Count(csv, []byte("\n")) != 2 || len(parquet) == 0 {
			t.Errorf("%q: %q", text, csv)
		}
	}
	if csv, parquet := tables(t, []byte(wide), []byte(kept)); bytes.Count(csv, []byte("\n")) != 2 || len(parquet) == 0 {
		t.Errorf("800 keys: %.40q", csv)
	}
}

// Whatever lies in a sweep's folder, it is a line of the table or a run that is to be made.
func FuzzResults(f *testing.F) {
	for text := range seeds() {
		f.Add([]byte(text), []byte(kept))
	}
	f.Fuzz(func(t *testing.T, text, data []byte) { tables(t, text, data) })
}
