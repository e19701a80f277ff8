package verify

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hapco/physics/machinery/refusal"
)

// The kind of the tests: it doubles numbers.
type doubleInput struct {
	Values []float64  `json:"values"`
	Place  [3]float64 `json:"place_m"`
	Count  int        `json:"count,omitempty"`
	Deep   *struct {
		Word string `json:"word"`
	} `json:"deep,omitempty"`
}

func init() {
	Register("test.double", Runner{
		Run: func(_ context.Context, in *Input) any {
			var d doubleInput
			refusal.Need(in.Decode(&d))
			out := map[string]any{"count": d.Count, "word": "done"}
			var doubled []float64
			for _, x := range d.Values {
				if x < 0 {
					panic(refusal.Of("input.values: below 0"))
				}
				doubled = append(doubled, 2*x/(1-math.Floor(x/1e300)))
			}
			out["values"] = doubled
			return out
		},
		Remarks: []string{"extra"},
		Adopt: func(m map[string]any) map[string]any {
			if m["old"] == nil {
				return nil
			}
			return map[string]any{"world": "test", "kind": "double", "input": m["old"]}
		},
	})
}

const good = `{"world": "test", "kind": "double", "name": "a", "title": "t", "extra": 1,
 "input": {"values": [1, 2], "place_m": [0, 0, 1]},
 "expected": {"values": [2, 4.00000001]}, "tolerance": {"relative": 1e-8}}`

func runText(t *testing.T, text string) (*Result, error) {
	t.Helper()
	c, err := Read(strings.NewReader(text), "a.json")
	if err != nil {
		return nil, err
	}
	return c.Run(t.Context())
}

func TestRun(t *testing.T) {
	res, err := runText(t, good)
	if err != nil {
		t.Fatal(err)
	}
	if !*res.Passed || len(res.Checks) != 2 || math.Abs(*res.MaxError-1e-8/4) > 1e-14 {
		t.Errorf("%+v", res)
	}
	line, err := json.Marshal(res)
	if err != nil || !strings.HasPrefix(string(line), `{"name":"a","world":"test","kind":"double","outputs":{"count":0,"values":[2,4],"word":"done"},"max_error":2.`) ||
		!strings.HasSuffix(string(line), `,"passed":true}`) {
		t.Errorf("%s, %v", line, err)
	}
	for name, text := range map[string]string{
		"too far":   strings.Replace(good, "1e-8", "1e-9", 1),
		"no number": strings.Replace(good, "[1, 2]", "[1, 1e300]", 1),
		"a word":    strings.Replace(good, `"expected": {`, `"expected": {"word": "failed",`, 1),
	} {
		res, err := runText(t, text)
		if err != nil || *res.Passed {
			t.Errorf("%s: %+v, %v", name, res, err)
		}
		if _, err := json.Marshal(res); err != nil {
			t.Errorf("%s: no JSON: %v", name, err)
		}
	}
}

// What is expected has no influence on the results: without it they are the
// same, and nothing is judged.
func TestExpectedIsNotRead(t *testing.T) {
	with, err := runText(t, good)
	if err != nil {
		t.Fatal(err)
	}
	without, err := runText(t, strings.Replace(good, `"expected": {"values": [2, 4.00000001]},`, "", 1))
	if err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal(with.Outputs)
	b, _ := json.Marshal(without.Outputs)
	if !bytes.Equal(a, b) || without.Passed != nil || without.MaxError != nil {
		t.Errorf("%s and %s, passed %v", a, b, without.Passed)
	}
}

func TestOtherForms(t *testing.T) {
	for name, text := range map[string]string{
		"inputs beside":    `{"world": "test", "kind": "double", "id": "a", "values": [1], "place_m": [0, 0, 0]}`,
		"one word":         `{"kind": "test.double", "values": [1], "place_m": [0, 0, 0]}`,
		"adopted":          `{"old": {"values": [1], "place_m": [0, 0, 0], "deep": {"word": "x"}}}`,
		"single tolerance": strings.Replace(good, `{"relative": 1e-8}`, "1e-8", 1),
	} {
		c, err := Read(strings.NewReader(text), "dir/a.json")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if c.World != "test" || c.Kind != "double" || c.Name != "a" {
			t.Errorf("%s: %+v", name, c)
		}
		if _, err := c.Run(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	_, _ = w.Write([]byte(good))
	w.Close()
	file := filepath.Join(t.TempDir(), "a.json.gz")
	if err := os.WriteFile(file, z.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(file); err != nil {
		t.Error(err)
	}
}

// Each of these is one line that names the place.
func TestRefuses(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"truncated", `, "tolerance": {"relative": 1e-8}}`, "", "line 3: unexpected end"},
		{"empty", good, "", "line 1: unexpected end"},
		{"no object", good, "[1]", "an array of 1 where an object"},
		{"two objects", good, good + "{}", "line 3: invalid character"},
		{"NaN", "[1, 2]", "[1, NaN]", "line 2: invalid character 'N'"},
		{"too large", "[1, 2]", "[1, 1e999]", "1e999"},
		{"no kind", `"kind": "double", `, "", "kind is missing"},
		{"unknown kind", `"double"`, `"triple"`, `kind "triple" of world "test" is unknown (cure: `},
		{"unknown world", `"world": "test"`, `"world": "moon"`, "moon"},
		{"kind no word", `"double"`, `3`, "kind: 3 where a word"},
		{"unknown member", `"extra"`, `"other"`, "other is not understood"},
		{"unknown input", `"place_m": `, `"speed": 1, "place_m": `, "input.speed is not understood"},
		{"missing input", `"values": [1, 2], `, "", "input.values is missing"},
		{"word for number", "[1, 2]", `[1, "2"]`, `input.values[1]: "2" where a number`},
		{"null for number", "[1, 2]", `[1, null]`, "input.values[1]: null where a number"},
		{"short vector", "[0, 0, 1]", "[0, 0]", "input.place_m: an array of 2 where an array of 3"},
		{"no whole number", `"place_m": `, `"count": 1.5, "place_m": `, "input.count: 1.5 where a whole number"},
		{"deep", `"place_m": `, `"deep": {"word": 1}, "place_m": `, "input.deep.word: 1 where a word"},
		{"input no object", `"input": {"values": [1, 2], "place_m": [0, 0, 1]}`, `"input": 3`, "input: 3 where an object"},
		{"expected no object", `{"values": [2, 4.00000001]}`, "7", "expected: 7"},
		{"expected empty", `{"values": [2, 4.00000001]}`, "{}", "expected is empty"},
		{"expected only null", `[2, 4.00000001]`, "null", "holds nothing that can be compared"},
		{"expected unknown", `"expected": {`, `"expected": {"x": 1, `, "x: 1 is expected, which this kind does not give"},
		{"expected longer", "4.00000001]", "4, 5]", "values: an array of 3 is expected"},
		{"negative tolerance", "1e-8", "-1e-8", "tolerance.relative: -1e-08"},
		{"tolerance no number", `{"relative": 1e-8}`, `[1]`, "tolerance: an array of 1"},
		{"the runner", "[1, 2]", "[1, -2]", "input.values: below 0"},
	} {
		_, err := runText(t, strings.Replace(good, c.old, c.new, 1))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want one line with %q", c.name, err, c.want)
		}
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none.json")); err == nil || !strings.Contains(err.Error(), "cure") {
		t.Error(err)
	}
}

func TestRegisterTwicePanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a second runner of one kind was taken")
		}
	}()
	Register("test.double", runners["test.double"])
}

// Whatever the file holds: a case or an error of one line, and its run neither
// panics nor passes where nothing was compared.
func FuzzRead(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte(good[:100]))
	f.Add([]byte(`{"old": {"values": [1e300], "place_m": [0, 0, 0], "deep": null}}`))
	f.Add([]byte(`{"kind": "test.double", "values": [], "place_m": [0, 0, 0], "expected": {"values": null, "count": {"a": []}}}`))
	f.Add([]byte("\x1f\x8b\x08"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Read(bytes.NewReader(data), "a.json")
		var res *Result
		if err == nil {
			res, err = c.Run(t.Context())
		}
		if err != nil {
			return
		}
		if res.Passed != nil && *res.Passed && len(res.Checks) == 0 {
			t.Error("passed without a comparison")
		}
		if _, err := json.Marshal(res); err != nil {
			t.Error(err)
		}
	})
}
