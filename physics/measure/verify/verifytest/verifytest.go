// Package verifytest holds reference cases against their runners in tests.
package verifytest

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hapco/physics/measure/verify"
)

// Run runs every case that the pattern finds, at least so many, beside each other. Each must pass, and give the same
// results where it does not say what is expected. In short runs that is looked at in every fourth, and the cases that
// are named are left out.
func Run(t *testing.T, pattern string, least int, long ...string) {
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) < least {
		t.Fatalf("%s: %d cases, %v", pattern, len(files), err)
	}
	for i, file := range files {
		name, _, _ := strings.Cut(filepath.Base(file), ".")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && slices.Contains(long, name) {
				t.Skip("long")
			}
			told := outputs(t, file, true)
			if testing.Short() && i%4 > 0 {
				return
			}
			if told != outputs(t, file, false) {
				t.Error("the results depend on what is expected")
			}
		})
	}
}

// outputs are the results of a case, as JSON; told says whether it keeps what is expected.
func outputs(t *testing.T, file string, told bool) string {
	t.Helper()
	c, err := verify.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	if !told {
		c.Expected = nil
	}
	res, err := c.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if told && !*res.Passed {
		for _, k := range res.Checks {
			if !k.Passed() {
				t.Errorf("%s = %g, want %g: error %.2g, tolerance %.2g", k.Name, k.Ours, k.Expected, k.Error, k.Tolerance)
				break
			}
		}
	}
	text, err := json.Marshal(res.Outputs)
	if err != nil {
		t.Error(err)
	}
	return string(text)
}
