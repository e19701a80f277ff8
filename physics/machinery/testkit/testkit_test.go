package testkit

import (
	"os"
	"path/filepath"
	"testing"
)

func TestShared(t *testing.T) {
	if _, err := os.Stat(filepath.Join(Repository(), "physics", "machinery", "testkit")); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Setenv("HAPCO_SHARED", dir)
	if file, ok := SharedFile("data", "x"); ok || file != filepath.Join(dir, "data", "x") {
		t.Errorf("%s, %t", file, ok)
	}
	if err := os.WriteFile(filepath.Join(dir, "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if file := Shared(t, "x"); file != filepath.Join(dir, "x") {
		t.Error(file)
	}
	skipped := false
	t.Run("absent", func(t *testing.T) {
		defer func() { skipped = t.Skipped() }()
		Shared(t, "y")
	})
	if !skipped {
		t.Error("an absent file was not skipped")
	}
}
