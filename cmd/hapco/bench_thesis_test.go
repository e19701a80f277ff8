package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"hapco/cmd/hapco/internal/bench/figure"
	benchthesis "hapco/cmd/hapco/internal/bench/thesis"
	"hapco/physics/measure/bench/thesis"
)

// thesisExhibits are the tables and figures that `hapco bench thesis` promises.
var thesisExhibits = func() []string {
	var all []string
	for _, id := range strings.Fields("3.19 3.20 3.22 3.24 3.27 3.30 3.33 3.36 3.37 3.38 3.39 3.40 3.41 4.13 4.14") {
		all = append(all, "table-"+id)
	}
	for _, span := range []struct{ chapter, from, to int }{{3, 4, 18}, {3, 42, 45}, {4, 4, 12}} {
		for k := span.from; k <= span.to; k++ {
			all = append(all, fmt.Sprintf("figure-%d.%d", span.chapter, k))
		}
	}
	return all
}()

// TestBenchThesisQuick runs the whole command and looks at all it writes.
func TestBenchThesisQuick(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	dir := t.TempDir()
	if status := run(context.Background(), []string{"bench", "thesis", "--quick", "--out", dir}); status != 0 {
		t.Fatalf("exit status %d", status)
	}
	for _, name := range thesisExhibits {
		checkCSV(t, filepath.Join(dir, name+".csv"))
		f, err := os.Open(filepath.Join(dir, name+".png"))
		if err != nil {
			t.Error(err)
			continue
		}
		if c, err := png.DecodeConfig(f); err != nil || c.Width < 400 || c.Height < 250 {
			t.Errorf("%s.png: %v, %dx%d", name, err, c.Width, c.Height)
		}
		f.Close()
	}
	data, err := os.ReadFile(filepath.Join(dir, "thesis.json"))
	if err != nil {
		t.Fatal(err)
	}
	var report struct {
		Machine  string
		Quick    bool
		Findings []struct {
			ID, Section, Claim, Verdict, Measured string
			Numbers                               map[string]float64
		}
		Exhibits []struct {
			ID, Kind, Title, Thesis string
			Rows                    []map[string]any
			Panels                  []struct{ Series []struct{ X, Y []float64 } }
		}
		Results struct {
			Runs  []struct{ Answers []map[string]any }
			Paths []map[string]any
		}
	}
	if err := json.Unmarshal(data, &report); err != nil {
		t.Fatal(err)
	}
	if report.Machine == "" || !report.Quick || len(report.Results.Runs) < 200 || len(report.Results.Paths) < 50 {
		t.Errorf("thesis.json: machine %q, quick %v, %d runs on %d paths", report.Machine, report.Quick, len(report.Results.Runs), len(report.Results.Paths))
	}
	verdicts := map[string]string{}
	for _, f := range report.Findings {
		verdicts[f.ID] = f.Verdict
		if f.Verdict == string(thesis.Unknown) || f.Measured == "" || f.Claim == "" || f.Section == "" {
			t.Errorf("finding %s: %q, measured %q", f.ID, f.Verdict, f.Measured)
		}
	}
	// what no machine and no load can change
	for id, want := range map[string]thesis.Verdict{"star-reference": thesis.Fails, "same-without-delassus": thesis.Holds, "global-robust": thesis.Holds, "pseudo-fails": thesis.Holds, "pseudo-coupling": thesis.Fails} {
		if verdicts[id] != string(want) {
			t.Errorf("finding %s: %q, %q expected", id, verdicts[id], want)
		}
	}
	names := []string{}
	for _, e := range report.Exhibits {
		names = append(names, e.Kind+"-"+e.ID)
		for _, p := range e.Panels {
			for _, s := range p.Series {
				if len(s.X) == 0 || len(s.X) != len(s.Y) {
					t.Errorf("%s %s: a series of %d x and %d y", e.Kind, e.ID, len(s.X), len(s.Y))
				}
			}
		}
		if e.Kind == "table" && len(e.Rows) < 6 {
			t.Errorf("table %s: %d rows", e.ID, len(e.Rows))
		}
	}
	for _, name := range thesisExhibits {
		if !slices.Contains(names, name) {
			t.Errorf("thesis.json lacks %s", name)
		}
	}
	summary, err := os.ReadFile(filepath.Join(dir, "thesis.md"))
	if err != nil || !bytes.Contains(summary, []byte("## Findings")) || !bytes.Contains(summary, []byte("table-3.19.png")) {
		t.Errorf("thesis.md: %v", err)
	}
}

func checkCSV(t *testing.T, file string) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Error(err)
		return
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) < 3 {
		t.Errorf("%s: %v, %d rows", filepath.Base(file), err, len(rows))
	}
}

// An exhibit is drawn whatever it holds.
func TestDrawExhibit(t *testing.T) {
	panel := thesis.Panel{X: "depth, mm", Y: "time, ms", LogY: true, Series: []thesis.Series{
		{Name: "a", Style: thesis.Line, X: []float64{1, 2, 3}, Y: []float64{0.1, 100, 3}, Marks: []string{"", "diverges", ""}},
		{Name: "b", Style: thesis.Points, Look: 1, X: []float64{1}, Y: []float64{2}},
		{Name: "c", Style: thesis.Dashed, Look: 2, X: []float64{1, 3}, Y: []float64{2, 2}}}}
	bars := thesis.Panel{Title: "bars", Y: "ratio", LogY: true, Base: 1, Labels: []string{"one", "two"}, Series: []thesis.Series{
		{Name: "thesis", Style: thesis.Bars, X: []float64{0, 1}, Y: []float64{1, 0.2}},
		{Name: "here", Style: thesis.Bars, Look: 3, X: []float64{1}, Y: []float64{20}, Marks: []string{"diverges"}}}}
	for _, e := range []*thesis.Exhibit{
		{ID: "1", Kind: "figure", Title: strings.Repeat("a long title ", 20), Panels: []thesis.Panel{panel, bars}},
		{ID: "2", Kind: "figure", Title: "nothing measured", Panels: []thesis.Panel{{X: "x", Y: "y", LogX: true, LogY: true}}},
		{ID: "3", Kind: "table", Title: "no panel"},
	} {
		file := filepath.Join(t.TempDir(), "e.png")
		if err := figure.DrawExhibit(e, file); err != nil {
			t.Errorf("%s: %v", e.Title, err)
			continue
		}
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(f)
		f.Close()
		if err != nil || img.Bounds().Dx() < 400 {
			t.Errorf("%s: %v", e.Title, err)
		}
	}
}

func TestTicks(t *testing.T) {
	labels := func(m plot.Ticker, low, high float64) string {
		var all []string
		for _, tick := range m.Ticks(low, high) {
			if tick.Label != "" {
				all = append(all, tick.Label)
			}
		}
		return strings.Join(all, " ")
	}
	for _, c := range []struct {
		low, high float64
		want      string
	}{{0, 2600, "0 500 1000 1500 2000 2500"}, {1, 15, "5 10 15"}, {0, 0.17, "0 0.05 0.1 0.15"}, {-1e-17, 1, "0 0.2 0.4 0.6 0.8 1"}} {
		if got := labels(figure.Steps{}, c.low, c.high); got != c.want {
			t.Errorf("linear, %g to %g: %s", c.low, c.high, got)
		}
	}
	for _, c := range []struct {
		low, high float64
		want      string
	}{{0.7, 12, "1 2 5 10"}, {0.05, 2000, "0.1 1 10 100 1000"}, {0.15, 7, "0.2 0.5 1 2 5"}, {1e-8, 100, "1e-8 1e-6 0.0001 0.01 1 100"}, {-1, 1, ""}, {1, 1, ""}} {
		if got := labels(figure.Decades{}, c.low, c.high); got != c.want {
			t.Errorf("logarithmic, %g to %g: %s", c.low, c.high, got)
		}
	}
}

func TestWrapAndFold(t *testing.T) {
	lines := figure.Wrap(figure.TitleStyle(), "some words that do not fit on one line of this width", 4*vg.Centimeter)
	if len(lines) < 2 || strings.Join(lines, " ") != "some words that do not fit on one line of this width" {
		t.Errorf("%q", lines)
	}
	for _, l := range benchthesis.Fold(strings.Repeat("word ", 100), 40) {
		if len(l) > 40 {
			t.Errorf("%d letters: %s", len(l), l)
		}
	}
}
