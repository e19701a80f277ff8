package floe

import (
	"bytes"
	"math"
	"strings"
	"testing"
)

// A field that is written and read again is the same.
func TestGeoJSONRoundTrip(t *testing.T) {
	c := storm(t, 40, 0.6)
	w, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var file bytes.Buffer
	if err := w.WriteGeoJSON(&file); err != nil {
		t.Fatal(err)
	}
	l, err := ReadGeoJSON(&file, GeoOptions{})
	if err != nil || len(l.Floes) != w.count() || len(l.Notes) != 0 {
		t.Fatalf("%d floes, notes %v, %v", len(l.Floes), l.Notes, err)
	}
	c.Floes = l.Floes
	again, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	for i := range w.count() {
		a, b := w.State(i), again.State(i)
		if a.Position.Sub(b.Position).Len() > 1e-9 || a.Velocity != b.Velocity || a.Rate != b.Rate {
			t.Fatalf("floe %d at %v, read again at %v", i, a, b)
		}
	}
}

// Degrees become metres, and what is wrong gets a note or one line.
func TestGeoJSONFiles(t *testing.T) {
	polygon := func(ring string) string {
		return `{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"name":"x"},"geometry":{"type":"Polygon","coordinates":[` + ring + `]}}]}`
	}
	l, err := ReadGeoJSON(strings.NewReader(polygon(`[[10,80],[10.1,80],[10.1,80.01],[10,80.01],[10,80]]`)), GeoOptions{Thickness: 2})
	if err != nil || len(l.Floes) != 1 || l.Floes[0].Thickness != 2 {
		t.Fatalf("%+v, %v", l, err)
	}
	// The area between two parallels and two meridians.
	rad := math.Pi / 180
	want := earthRadius * earthRadius * 0.1 * rad * (math.Sin(80.01*rad) - math.Sin(80*rad))
	if got := SectionOf(l.Floes[0].Outline).Area; math.Abs(got/want-1) > 1e-4 {
		t.Errorf("area %g m^2, want %g", got, want)
	}
	for _, c := range []struct{ file, note, err string }{
		{polygon(`[[0,0],[0,1],[1,1],[1,0],[0,0]]`), "turned counter-clockwise", ""},
		{polygon(`[[0,0],[1,0],[1,0],[1,1],[0,1],[0,0]]`), "repeated vertices dropped", ""},
		{polygon(`[[0,0],[3,0],[3,3],[0,3],[0,0]],[[1,1],[2,1],[2,2],[1,1]]`), "1 holes: filled", ""},
		{polygon(`[[0,0],[1,1],[1,0],[0,1],[0,0]]`), "", "without a floe"},
		{strings.Replace(polygon(`[[0,0],[1,1],[2,2],[0,0]]`), `"features"`, `"units":"m","features"`, 1), "", "without a floe"},
		{polygon(`[[0,0],[1]]`), "", "no point"},
		{polygon(`[[4e5,7e6],[4e5,7e6],[4e5,7e6]]`), "", "no longitude and latitude"},
		{`{"type":"Point"}`, "", "FeatureCollection of polygons"},
		{`{"type":"FeatureCollection","features":[`, "", "cure: a whole FeatureCollection"},
		{`{"type":"FeatureCollection","units":"ft","features":[]}`, "", "units"},
	} {
		l, err := ReadGeoJSON(strings.NewReader(c.file), GeoOptions{})
		switch {
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "\n")):
			t.Errorf("%s: error %v, want one line with %q", c.file, err, c.err)
		case c.err == "" && (err != nil || len(l.Notes) != 1 || !strings.Contains(l.Notes[0], c.note)):
			t.Errorf("%s: %+v, %v, want a note with %q", c.file, l, err, c.note)
		}
	}
}

// Whatever the file holds, reading it ends with floes that a world takes one by one,
// or with an error of one line.
func FuzzGeoJSON(f *testing.F) {
	f.Add(`{"type":"FeatureCollection","units":"m","features":[{"type":"Feature","properties":{"thickness_m":1},"geometry":{"type":"Polygon","coordinates":[[[0,0],[4,0],[4,1],[1,1],[1,3],[0,3],[0,0]]]}}]}`)
	f.Add(`{"type":"Feature","properties":null,"geometry":{"type":"MultiPolygon","coordinates":[[[[0,0],[1,0],[1,1]]],[[[2,2],[3,2],[3,3]]]]}}`)
	f.Add(`{"type":"FeatureCollection","features":[{"geometry":null},{"geometry":{"type":"Polygon","coordinates":[]}}]}`)
	f.Add(`[1e999]`)
	f.Fuzz(func(t *testing.T, text string) {
		l, err := ReadGeoJSON(strings.NewReader(text), GeoOptions{})
		if err != nil {
			return
		}
		for i := range l.Floes {
			w, err := New(Config{Floes: l.Floes[i : i+1], Threads: 1})
			if err != nil {
				t.Fatalf("floe %d: %v", i, err)
			}
			w.Step(1)
			w.Close()
		}
	})
}

// Bad outlines get one line, or are mended with a word; floes that overlap are named.
func TestBadPolygons(t *testing.T) {
	for _, c := range []struct {
		outline []Vec2
		repair  Repair
		err     string
	}{
		{[]Vec2{{0, 0}, {0, 1}, {1, 1}, {1, 0}}, Reversed, ""},
		{[]Vec2{{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}}, Merged, ""},
		{[]Vec2{{0, 0}, {1, 1}, {1, 0}, {0, 1}}, 0, "no area"},
		{[]Vec2{{0, 0}, {2, 0}, {2, 2}, {1, -1}, {0, 2}}, 0, "cross"},
		{[]Vec2{{0, 0}, {1, 0}, {2, 0}}, 0, "no area"},
		{[]Vec2{{0, 0}, {1, 0}}, 0, "at least 3"},
		{[]Vec2{{0, 0}, {1, 0}, {math.NaN(), 1}}, 0, "vertex 2"},
		{[]Vec2{{0, 0}, {4, 0}, {4, 2}, {2, 0}, {0, 2}}, 0, "cross or touch"},
	} {
		w, err := New(Config{Floes: []Floe{{Outline: c.outline, Thickness: 1, Density: 900}}, Threads: 1})
		switch {
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err) || !strings.Contains(err.Error(), "floe 0") || strings.Contains(err.Error(), "\n")):
			t.Errorf("%v: error %v, want one line with %q", c.outline, err, c.err)
		case c.err == "" && (err != nil || w.Repaired(0) != c.repair):
			t.Errorf("%v: %v", c.outline, err)
		}
		if w != nil {
			w.Close()
		}
	}
	two := []Floe{{Outline: square(1), Thickness: 1, Density: 900, Position: Vec2{5, 0}}, {Outline: square(0.2), Thickness: 1, Density: 900, Position: Vec2{5, 0.1}}}
	if _, err := New(Config{Floes: two, Threads: 1}); err == nil || !strings.Contains(err.Error(), "floes 0 and 1 overlap") {
		t.Errorf("a floe inside another: %v", err)
	}
}
