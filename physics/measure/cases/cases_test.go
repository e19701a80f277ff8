package cases

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hapco/physics/measure/verify"
)

func run(t *testing.T, text string) (*verify.Result, error) {
	t.Helper()
	c, err := verify.Read(strings.NewReader(text), "testdata/a.json")
	if err != nil {
		return nil, err
	}
	return c.Run(t.Context())
}

func TestProblems(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.json")
	if len(files) == 0 {
		t.Fatal("no cases")
	}
	for _, file := range files {
		c, err := verify.Load(file)
		if err != nil {
			t.Fatal(err)
		}
		res, err := c.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !*res.Passed {
			t.Errorf("%s: %+v", file, res.Checks)
		}
	}
}

// A false number of the expected results is found, and the results do not
// depend on it.
func TestProblemFails(t *testing.T) {
	data, err := os.ReadFile("testdata/one-sticks.json")
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	outputs := map[string]string{}
	for _, what := range []string{"right", "wrong", "without"} {
		switch what {
		case "wrong":
			m["expected"].(map[string]any)["r"].([]any)[1] = -0.1000001
		case "without":
			delete(m, "expected")
		}
		text, _ := json.Marshal(m)
		res, err := run(t, string(text))
		if err != nil {
			t.Fatal(err)
		}
		if (res.Passed == nil) != (what == "without") || res.Passed != nil && *res.Passed != (what == "right") {
			t.Errorf("%s: passed %v", what, res.Passed)
		}
		out, _ := json.Marshal(res.Outputs)
		outputs[string(out)] = what
	}
	if len(outputs) != 1 {
		t.Errorf("the results depend on what is expected: %v", outputs)
	}
}

// A trajectory whose reference is shifted by 2e-6 fails; one without expected
// results runs from its inputs alone.
func TestTrajectory(t *testing.T) {
	c, err := verify.Load("../../worlds/tissue/testdata/trajectories/A16_alu-tissue_end_pen_mu0.1.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	first := c.Expected["increments"].([]any)[0].(map[string]any)
	first["rnorm"] = first["rnorm"].(float64) * (1 + 2e-6)
	res, err := c.Run(t.Context())
	if err != nil || *res.Passed {
		t.Errorf("a false |r| passed: %v", err)
	}
	with, _ := json.Marshal(res.Outputs)
	res, err = run(t, `{"world": "tissue", "kind": "trajectory", "input": {"bench": "A16", "pair": "alu-tissue", "clamp": "end", "path": "pen", "mu": 0.1}}`)
	if err != nil || res.Passed != nil {
		t.Fatal(res, err)
	}
	if without, _ := json.Marshal(res.Outputs); string(with) != string(without) {
		t.Error("the results depend on what is expected")
	}
}

func TestRefuses(t *testing.T) {
	const (
		problem    = `{"kind": "contact.problem", "input": {"mu": [0.5], "q": [-1, 0, 0], "W": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}}`
		trajectory = `{"kind": "tissue.trajectory", "input": {"bench": "A16", "pair": "alu-tissue", "clamp": "end", "path": "pen", "mu": 0.1}}`
	)
	for _, c := range []struct{ text, old, new, want string }{
		{problem, "[0.5]", "[]", "input: 0 contacts"},
		{problem, "[0.5]", "[-0.5]", "friction coefficient -0.5"},
		{problem, "[0, 1, 0], ", "", "W has 6 entries"},
		{problem, "[0, 1, 0]", "[0, 1]", "input.W[1]: 2 numbers"},
		{problem, `"mu": [0.5],`, `"file": "x.fc3d",`, "input.file beside"},
		{problem, `"mu"`, `"solver": "magic", "mu"`, "magic"},
		{problem, `"mu"`, `"tolerance": -1, "mu"`, "input.tolerance -1"},
		{`{"kind": "contact.problem", "input": {"file": "none.fc3d"}}`, "", "", filepath.Join("testdata", "none.fc3d")},
		{trajectory, "A16", "Z9", `bench "Z9"`},
		{trajectory, "alu-tissue", "alu-cheese", `pair "alu-cheese"`},
		{trajectory, `"end"`, `"top"`, `clamp "top"`},
		{trajectory, "pen", "fly", `path "fly"`},
		{trajectory, "0.1", "-0.1", "-0.1"},
		{trajectory, `"mu": 0.1`, `"mu": 0.1, "mode": "slip"`, "input.mode is not understood"},
		{trajectory, `}}`, `}, "expected": {"increments": []}}`, "has 0 entries"},
	} {
		_, err := run(t, strings.Replace(c.text, c.old, c.new, 1))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want one line with %q", err, c.want)
		}
	}
}
