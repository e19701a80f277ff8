package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"hapco/cmd/hapco/internal/app"
	"hapco/docs"
)

// The reference in the repository is that of the program.
func TestReferenceIsUpToDate(t *testing.T) {
	dir := t.TempDir()
	if status, _, errors := hapco(t, "docs", "--write", dir); status != 0 {
		t.Fatal(errors)
	}
	want := readText(t, filepath.Join(dir, "reference.md"))
	got, err := os.ReadFile("../../docs/reference.md")
	if err != nil || string(got) != want {
		t.Errorf("docs/reference.md is stale (cure: make reference): %v", err)
	}
	for _, part := range []string{"### hapco trace", "`--vtu=", "### hapco mesh check", "\nF8|"} {
		if !strings.Contains(want, part) {
			t.Errorf("the reference has no %s", part)
		}
	}
	// Shells and man read what they are given.
	for _, check := range [][]string{
		{"bash", "-n", "completion/hapco"},
		{"zsh", "-n", "completion/_hapco"},
		{"fish", "--no-execute", "completion/hapco.fish"},
		{"man", "--warnings", "-l", "man/man1/hapco.1"},
		{"man", "--warnings", "-l", "man/man1/hapco-trace.1"},
	} {
		if _, err := exec.LookPath(check[0]); err != nil {
			t.Logf("%s is not installed", check[0])
			continue
		}
		c := exec.Command(check[0], check[1:]...)
		c.Dir = dir
		c.Env = append(os.Environ(), "MANPAGER=cat", "PAGER=cat", "LC_ALL=C.UTF-8")
		var errors strings.Builder
		c.Stderr = &errors
		if out, err := c.Output(); err != nil || errors.Len() > 0 {
			t.Errorf("%v: %v, %s, %.200s", check, err, errors.String(), out)
		}
	}
	// bash completes a subcommand, its flags, and nested ones.
	for line, want := range map[string]string{"hapco tr": "trace", "hapco trace --vt": "--vtu", "hapco mesh ch": "check", "hapco mesh check --he": "--help"} {
		words := strings.Fields(line)
		script := "source completion/hapco; COMP_WORDS=(" + strings.Join(words, " ") + "); COMP_CWORD=" + string(rune('0'+len(words)-1)) + "; _hapco; echo \"${COMPREPLY[*]}\""
		c := exec.Command("bash", "-c", script)
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != want {
			t.Errorf("%s: %q, %v, want %s", line, out, err, want)
		}
	}
}

// zsh completes with all programs at hand: its variable path is PATH, which the function
// leaves alone.
func TestZshCompletes(t *testing.T) {
	dir := t.TempDir()
	if status, _, errors := hapco(t, "docs", "--write", dir); status != 0 {
		t.Fatal(errors)
	}
	file := filepath.Join(dir, "completion", "_hapco")
	if regexp.MustCompile(`(?m)^\s*(local )?path=`).MatchString(readText(t, file)) {
		t.Error("the completion sets path")
	}
	if _, err := exec.LookPath("zsh"); err != nil {
		t.Log("zsh is not installed")
		return
	}
	for line, want := range map[string]string{"hapco run li": "arguments", "hapco mesh ch": "commands check", "hapco mesh check x": "arguments"} {
		words := strings.Fields(line)
		script := fmt.Sprintf("before=$PATH; _arguments() { print -r arguments; [[ $PATH == $before ]] || print -r no PATH; }\n"+
			"_describe() { print -r commands ${commands[(r)check:*]%%%%:*}; }\nwords=(%s) CURRENT=%d; source %s", strings.Join(words, " "), len(words), file)
		out, err := exec.Command("zsh", "-f", "-c", script).CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != want {
			t.Errorf("%s: %q, %v, want %q", line, out, err, want)
		}
	}
}

// Pages are listed and printed; --version tells of the build.
func TestDocsArePrinted(t *testing.T) {
	status, out, _ := hapco(t, "docs")
	if status != 0 || !strings.Contains(out, "architecture") || !strings.Contains(out, "reference") {
		t.Errorf("exit status %d, %s", status, out)
	}
	if status, out, _ := hapco(t, "docs", "recording"); status != 0 || !strings.HasPrefix(out, "# Recording and replay") {
		t.Errorf("exit status %d, %.80s", status, out)
	}
	if status, _, errors := hapco(t, "docs", "nothing"); status != exitBadInput || strings.Count(errors, "\n") != 1 {
		t.Errorf("exit status %d, %s", status, errors)
	}
	if status, out, _ := hapco(t, "--version"); status != 0 || !strings.HasPrefix(out, "hapco "+app.Version+", ") || !strings.Contains(out, "go1.") {
		t.Errorf("exit status %d, %s", status, out)
	}
}

// The newest heading of the changelog is the version.
func TestChangelogHasTheVersion(t *testing.T) {
	first := regexp.MustCompile(`(?m)^## (\S+)`).FindStringSubmatch(readText(t, "../../CHANGELOG.md"))
	if first == nil || first[1] != app.Version {
		t.Errorf("CHANGELOG.md begins with %v, the program is %s", first, app.Version)
	}
}

// Every command line of the documents is one that the program takes.
func TestLinesOfTheDocsAreTaken(t *testing.T) {
	lines := 0
	for _, page := range append(docs.Names(), "README") {
		text, ok := docs.Page(page)
		if !ok {
			text = readText(t, "../../README.md")
		}
		text = strings.ReplaceAll(text, "hapco object 1", "") // the first line of a file
		for _, line := range regexp.MustCompile("(?m)(?:^ *|`)(?:bin/)?hapco ([a-z]+ [^`|\n]*)").FindAllStringSubmatch(text, -1) {
			words := regexp.MustCompile(`[^\s"']*"[^"]*"|'[^']*'|\S+`).FindAllString(regexp.MustCompile(" #|  ").Split(line[1], 2)[0], -1)
			for i := range words {
				words[i] = strings.Trim(strings.ReplaceAll(words[i], `"`, ""), "'")
			}
			var c cli
			parser, err := kong.New(&c, kong.Vars{"version": ""})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := parser.Parse(words); err != nil {
				t.Errorf("%s: hapco %s: %v", page, line[1], err)
			}
			lines++
		}
	}
	if lines < 80 {
		t.Errorf("%d lines were found", lines)
	}
}
