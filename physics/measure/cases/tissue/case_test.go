package tissue

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"hapco/physics/machinery/testkit"
	"hapco/physics/measure/verify"
)

// judged are the files of the cases.
func judged(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.json.gz")
	if err != nil || len(files) < 60 {
		t.Fatalf("%d cases, %v", len(files), err)
	}
	if folder, ok := testkit.SharedFile("reference", "worlds", "tissue", "cases"); ok {
		others, err := filepath.Glob(filepath.Join(folder, "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range others {
			if n := filepath.Base(f); strings.Contains(n, "liver") || strings.Contains(n, "cylinder") {
				files = append(files, f)
			}
		}
	}
	return files
}

// Every reference case passes, and what is expected has no influence on the results.
func TestCases(t *testing.T) {
	if testkit.Race {
		t.Skip("nothing here is shared between goroutines")
	}
	done := map[string]int{} // of each kind, how often it ran without what is expected
	files := judged(t)
	if len(files) < 63 {
		t.Fatalf("only %d cases", len(files))
	}
	for _, file := range files {
		c, err := verify.Load(file)
		if err != nil {
			t.Fatal(err)
		}
		slow := c.Kind == "modal" || c.Kind == "contact_punch" || c.Kind == "published"
		if slow && testing.Short() {
			continue
		}
		res, err := c.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range res.Checks {
			if !k.Passed() {
				t.Errorf("%s: %s = %g, want %g: error %.2g, tolerance %.2g", c.Name, k.Name, k.Ours, k.Expected, k.Error, k.Tolerance)
				break
			}
		}
		if len(res.Checks) == 0 || !*res.Passed {
			t.Errorf("%s: not passed, %d numbers", c.Name, len(res.Checks))
		}
		if slow || done[c.Kind] > 3 {
			continue
		}
		done[c.Kind]++
		with, _ := json.Marshal(res.Outputs)
		c.Expected = nil
		if res, err = c.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if without, _ := json.Marshal(res.Outputs); string(with) != string(without) || res.Passed != nil {
			t.Errorf("%s: the results depend on what is expected", c.Name)
		}
	}
}

// A result that is a little off does not pass, whatever the kind.
func TestCasesCanFail(t *testing.T) {
	for _, name := range []string{"material_ogden2", "unit_hex8_ce_corotational_element", "static_box_tet4_stvk", "dyn_free_spin_newmark", "prony_material", "prony_box_relaxation",
		"dyn_closed_forms", "incompressible_limits", "sphere_inflation"} {
		c, err := verify.Load("testdata/" + name + ".json.gz")
		if err != nil {
			t.Fatal(err)
		}
		for what, spoil := range map[string]func(v any) any{
			"changed": func(v any) any { return spoiled(v) },
			"longer":  func(v any) any { return []any{v, v, v, v, v, v, v} },
		} {
			own := *c
			own.Expected = map[string]any{}
			for key, v := range c.Expected {
				own.Expected[key] = spoil(v)
			}
			if res, err := own.Run(t.Context()); err == nil && *res.Passed {
				t.Errorf("%s: passed with results %s", name, what)
			}
		}
	}
}

// spoiled moves every number by a millionth of it or a little more.
func spoiled(v any) any {
	switch v := v.(type) {
	case float64:
		return v * (1 + 3e-6)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = spoiled(v[i])
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for key := range v {
			out[key] = spoiled(v[key])
		}
		return out
	}
	return v
}

// What is not understood is refused with one line.
func TestCasesRefuse(t *testing.T) {
	const good = `{"world":"tissue","kind":"static","id":"a","mesh":{"element":"tet4","nodes_m":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]],"elements":[[0,1,2,3]]},
 "material":{"law":"stvk","E_Pa":5000,"nu":0.4},"fixed_nodes":[0,1,2],"prescribed":[[3,2,0.1]],"nodal_forces_N":[]}`
	run := func(text string) error {
		c, err := verify.Read(strings.NewReader(text), "a.json")
		if err == nil {
			_, err = c.Run(t.Context())
		}
		return err
	}
	if err := run(good); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][3]string{
		{`"tet4"`, `"tet5"`, `mesh.element "tet5" is unknown`},
		{`"tet4"`, `"hex8"`, "4 nodes, a hex8 has 8"},
		{`[0,1,2,3]`, `[0,1,2,4]`, "node 4 does not exist"},
		{`[0,1,2,3]`, `[0,2,1,3]`, "inverted"},
		{`"stvk"`, `"rubber"`, `material.law "rubber" is unknown`},
		{`"stvk"`, `"ogden"`, "mu_p_Pa"},
		{`"nu":0.4`, `"nu":0.5`, "nu = 0.5"},
		{`"nu":0.4`, `"nu":0.4,"mu_Pa":1`, "but E and nu give"},
		{`"nu":0.4`, `"nu":0.4,"c10_Pa":1`, "c10_Pa"},
		{`"nu":0.4`, `"nu":0.4,"colour":1`, "material.colour is not understood"},
		{`[0,1,2]`, `[0,1,9]`, "fixed_nodes[2]: node 9"},
		{`[3,2,0.1]`, `[3,3,0.1]`, "axis 3"},
		{`[3,2,0.1]`, `[0,2,0.1]`, "is fixed"},
		{`[0,1,2]`, `[0,1]`, "no stable equilibrium"},
		{`"nodal_forces_N":[]`, `"nodal_forces_N":[[7,0,0,1]]`, "node 7"},
		{`"static"`, `"closed_form"`, "is not understood"},
		{`"static"`, `"published"`, "is not understood"},
	} {
		err := run(strings.Replace(good, c[0], c[1], 1))
		if err == nil || !strings.Contains(err.Error(), c[2]) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want one line with %q", c[1], err, c[2])
		}
	}
}
