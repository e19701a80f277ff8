package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The exit status tells scripts what became of the cases.
func TestVerifyStatus(t *testing.T) {
	good := "../../physics/measure/cases/testdata/one-sticks.json"
	text, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	wrong := write("wrong.json", strings.Replace(string(text), "-0.2", "-0.3", 1))
	open := write("open.json", strings.Replace(string(text), `"expected"`, `"notes"`, 1))
	cut := write("cut.json", string(text[:len(text)/2]))
	for _, c := range []struct {
		want int
		args []string
	}{
		{0, []string{good, "../../physics/measure/cases/testdata/one-slides-one-opens.json"}},
		{0, []string{"--json", good, open}},
		{exitFailed, []string{"--brief", good, wrong}},
		{exitBadInput, []string{cut, good, wrong}},
		{exitBadInput, []string{filepath.Join(dir, "none.json")}},
		{exitBadInput, nil},
	} {
		if got := run(t.Context(), append([]string{"verify"}, c.args...)); got != c.want {
			t.Errorf("verify %v: status %d, want %d", c.args, got, c.want)
		}
	}
}
