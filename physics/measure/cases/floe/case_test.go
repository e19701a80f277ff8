package floe

import (
	"testing"

	"hapco/physics/machinery/testkit"
	"hapco/physics/measure/verify"
	"hapco/physics/measure/verify/verifytest"
	"hapco/physics/numerics/contact/lcp"
)

// Every reference case passes, and what is expected has no influence on the results.
func TestCases(t *testing.T) {
	if testkit.Race {
		t.Skip("TestThreadsAgree covers what several threads share")
	}
	verifytest.Run(t, "testdata/*.json.gz", 89)
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
