package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hapco/physics/files/atomicfile"
	"hapco/physics/machinery/testkit"
	_ "hapco/physics/worlds"
)

// Save scene on a full disk says so; nothing is left, and what was there stays.
func TestSaveSceneOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	for _, replace := range []bool{false, true} {
		testkit.FullDisk(t, 10, func() {
			_, _, err := SaveScene(dir, "block-linear", []string{"friction=0.7"}, replace)
			if !atomicfile.NoRoom(err) || !strings.Contains(err.Error(), "cure") || strings.Contains(err.Error(), "\n") {
				t.Error(err)
			}
		})
		if list, err := os.ReadDir(dir); err != nil || len(list) != 0 {
			t.Errorf("%v is left, %v", list, err)
		}
	}
	for range 2 {
		if _, _, err := SaveScene(dir, "block-linear", []string{"friction=0.7"}, false); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "block-linear-2.toml")); err != nil {
		t.Error(err)
	}
}
