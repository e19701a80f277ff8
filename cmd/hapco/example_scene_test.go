package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
