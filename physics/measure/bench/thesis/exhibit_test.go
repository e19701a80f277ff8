package thesis

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
)

// promised are the tables and figures that the command makes.
var promised = strings.Fields(`table-3.19 table-3.20 table-3.22 table-3.24 table-3.27 table-3.30 table-3.33
	table-3.36 table-3.37 table-3.38 table-3.39 table-3.40 table-3.41 table-4.13 table-4.14
	figure-3.4 figure-3.5 figure-3.6 figure-3.7 figure-3.8 figure-3.9 figure-3.10 figure-3.11 figure-3.12 figure-3.13
	figure-3.14 figure-3.15 figure-3.16 figure-3.17 figure-3.18 figure-3.42 figure-3.43 figure-3.44 figure-3.45
	figure-4.4 figure-4.5 figure-4.6 figure-4.7 figure-4.8 figure-4.9 figure-4.10 figure-4.11 figure-4.12`)

func TestExhibits(t *testing.T) {
	r := made(asPrinted)
	all := Exhibits(r)
	var seen []string
	for _, e := range all {
		if slices.Contains(seen, e.Name()) {
			t.Errorf("%s is made twice", e.Name())
		}
		seen = append(seen, e.Name())
		if e.Title == "" || e.Thesis == "" || len(e.Panels) == 0 {
			t.Errorf("%s: no title, source or panel", e.Name())
		}
		for _, p := range e.Panels {
			if len(p.Series) == 0 || p.Y == "" || p.X == "" && len(p.Labels) == 0 {
				t.Errorf("%s: a panel without series or axes", e.Name())
			}
			for _, s := range p.Series {
				checkSeries(t, e.Name(), &p, &s)
			}
		}
		table := e.Table(6)
		for _, row := range table {
			if len(row) != len(table[0]) {
				t.Errorf("%s: a row of %d cells under %d columns", e.Name(), len(row), len(table[0]))
			}
		}
		if len(table) < 3 {
			t.Errorf("%s: %d rows", e.Name(), len(table))
		}
	}
	for _, name := range promised {
		if !slices.Contains(seen, name) {
			t.Errorf("%s is missing", name)
		}
	}
	if _, err := json.Marshal(all); err != nil {
		t.Error(err)
	}
}

func checkSeries(t *testing.T, name string, p *Panel, s *Series) {
	t.Helper()
	if s.Name == "" || len(s.X) != len(s.Y) || s.Marks != nil && len(s.Marks) != len(s.X) {
		t.Errorf("%s: series %q with %d x, %d y, %d marks", name, s.Name, len(s.X), len(s.Y), len(s.Marks))
	}
	for i := range s.X {
		if math.IsNaN(s.X[i]-s.X[i]) || math.IsNaN(s.Y[i]-s.Y[i]) || p.LogY && !(s.Y[i] > 0) {
			t.Errorf("%s: series %q has the point (%g, %g)", name, s.Name, s.X[i], s.Y[i])
		}
	}
}

// A time table shows the thesis's numbers beside ours.
func TestTimeExhibit(t *testing.T) {
	r := made(asPrinted)
	for _, e := range Exhibits(r) {
		if e.ID != "3.24" {
			continue
		}
		row := e.Rows[1]
		if row["solver"] != "Uzawa global*" || row["thesis ms"] != 22.35 || !(math.Abs(row["ms"].(float64)-22.35) < 1e-9) || row["diverged"] != 0 {
			t.Errorf("%v", row)
		}
		if x := row["thesis / global"].(float64); math.Abs(x-22.35/19.64) > 1e-12 {
			t.Errorf("ratio %g", x)
		}
		var b strings.Builder
		if err := Markdown(&b, "a machine", r, Findings(r), []*Exhibit{e}); err != nil || !strings.Contains(b.String(), "22.35") || !strings.Contains(b.String(), "holds") {
			t.Errorf("%v\n%s", err, b.String())
		}
	}
}

// Without measurements there is nothing to draw, and nothing breaks.
func TestExhibitsWithoutMeasurements(t *testing.T) {
	for _, e := range Exhibits(&Results{}) {
		if _, err := json.Marshal(e); err != nil {
			t.Errorf("%s: %v", e.Name(), err)
		}
		e.Table(6)
	}
}
