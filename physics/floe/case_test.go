package floe

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"hapco/physics/contact/lcp"
	"hapco/physics/testkit"
	"hapco/physics/verify"
)

// Every reference case passes, and what is expected has no influence on the results.
func TestCases(t *testing.T) {
	if testkit.Race {
		t.Skip("TestThreadsAgree covers what several threads share")
	}
	files, err := filepath.Glob("testdata/*.json.gz")
	if err != nil || len(files) < 89 {
		t.Fatalf("%d cases, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			outputs := [2]string{}
			for k := range outputs {
				c, err := verify.Load(file)
				if err != nil {
					t.Fatal(err)
				}
				if k == 1 {
					c.Expected = nil
				}
				res, err := c.Run(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if k == 0 && !*res.Passed {
					for _, k := range res.Checks {
						if !k.Passed() {
							t.Errorf("%s = %g, want %g: error %.2g, tolerance %.2g", k.Name, k.Ours, k.Expected, k.Error, k.Tolerance)
							break
						}
					}
				}
				text, _ := json.Marshal(res.Outputs)
				outputs[k] = string(text)
			}
			if outputs[0] != outputs[1] {
				t.Error("the results depend on what is expected")
			}
		})
	}
}

// The complementarity problems of the cases are solved to 1e-10, and one without a
// solution is called a ray and has no answer.
func TestCasesComplementarity(t *testing.T) {
	solved, rays := 0, 0
	for _, name := range []string{"lcp_contacts", "lcp_general"} {
		c, err := verify.Load("testdata/" + name + ".json.gz")
		if err != nil {
			t.Fatal(err)
		}
		res, err := c.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range res.Outputs.(*problems).Problems {
			switch {
			case s.Status == lcp.Solved.String() && s.Residual <= 1e-10:
				solved++
			case s.Status == lcp.Ray.String() && s.Z == nil:
				rays++
			default:
				t.Errorf("%s, %s: %s, off by %g", name, s.Name, s.Status, s.Residual)
			}
		}
	}
	if solved != 75 || rays != 1 {
		t.Errorf("%d problems solved, %d rays", solved, rays)
	}
}
