package setting

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hapco/physics/machinery/budget"
)

// A file that is no scene file by its size alone is refused before it is in memory.
func TestHugeSceneIsRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.toml")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file, budget.MaxFile+1); err != nil { // takes no room on the disk
		t.Skip(err)
	}
	if _, data, err := FileText(file); err == nil || len(data) > 0 || !strings.Contains(err.Error(), file) {
		t.Errorf("%d bytes, %v", len(data), err)
	}
}
