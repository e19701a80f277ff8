package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The page of measurements says date, machine and command, in the section of each measurement and nowhere else; a page that
// has no place for them stays as it is.
func TestBenchAllWritesItsPage(t *testing.T) {
	dir := t.TempDir()
	page := filepath.Join(dir, "page.md")
	if err := os.WriteFile(page, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"--only", "nonsense"}, "cure: one of thesis, solvers"},
		{[]string{"--write", "--page", dir}, "is a directory"},
		{[]string{"--write", "--page", page}, "has no lines <!-- bench all -->"},
	} {
		if status, _, said := hapco(t, append([]string{"bench", "all", "--quick", "--out", dir}, c.args...)...); status != exitBadInput || !strings.Contains(said, c.says) {
			t.Errorf("%v: exit status %d, %s", c.args, status, said)
		}
	}
	if readText(t, page) != "mine" {
		t.Error("the page has changed")
	}
	if testing.Short() {
		t.Skip("seconds")
	}
	args := []string{"bench", "all", "--quick", "--only", "rigid", "--out", dir, "--write", "--page", page}
	if err := os.WriteFile(page, []byte("before\n<!-- bench all -->\n\n### grain\n\nkept\n\n### rigid\n\nold\n<!-- end -->\nafter\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if status, out, said := hapco(t, args...); status != 0 || out != "" {
		t.Fatalf("exit status %d, %s, %s", status, out, said)
	}
	for _, want := range []string{`(?s)^before\n<!-- bench all -->\n\n### rigid\n.*\n### grain\n\nkept\n<!-- end -->\nafter\n$`, `20\d\d-\d\d-\d\d, hapco v1\..*, .* cores, .* go1\.`, "`hapco bench rigid --quick`", `(?m)^ *C1 +\d+`} {
		if !regexp.MustCompile(want).MatchString(readText(t, page)) {
			t.Errorf("no %s in\n%s", want, readText(t, page))
		}
	}
	if strings.Contains(readText(t, page), "old") || strings.Contains(readText(t, page), dir) {
		t.Error("the old tables, or this machine's folders, are in the page")
	}
}
