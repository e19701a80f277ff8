package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// docs/adding.md shows the text of files that tests compile and run: a block under
// <!-- FILE --> stands in that file, line for line.
func TestAddingShowsItsExamples(t *testing.T) {
	page, err := os.ReadFile("../../docs/adding.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)<!-- (\\S+) -->\n```\\w+\n(.*?)\n```").FindAllStringSubmatch(string(page), -1)
	for _, b := range blocks {
		file, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(b[1])))
		if err != nil {
			t.Error(err)
		} else if !strings.Contains(string(file), b[2]+"\n") {
			t.Errorf("docs/adding.md shows other text than %s has", b[1])
		}
	}
	if len(blocks) < 5 {
		t.Errorf("only %d examples", len(blocks))
	}
}

// The example of a scene file is traced: it presses and is drawn along.
func TestExampleSceneIsTraced(t *testing.T) {
	out := filepath.Join(t.TempDir(), "trace.csv")
	if status := run(context.Background(), []string{"trace", "testdata/example.toml", "--path", "sliding", "--csv", "--out", out}); status != 0 {
		t.Fatalf("status %d", status)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(data), "\n"); lines != 17 {
		t.Errorf("%d lines", lines)
	}
}
