package mesh

import (
	"os"
	"path/filepath"
	"testing"
)

// sharedData is the folder of sample meshes beside the repository.
func sharedData(t testing.TB) string {
	root := os.Getenv("HAPCO_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared")
	}
	dir := filepath.Join(root, "data", "meshes")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no sample meshes: %v (set HAPCO_SHARED)", err)
	}
	return dir
}

func TestSharedGmshFiles(t *testing.T) {
	dir := sharedData(t)
	files, _ := filepath.Glob(filepath.Join(dir, "*.msh"))
	for _, f := range files {
		m, err := Load(f)
		if err != nil {
			t.Log(err)
			continue
		}
		s := m.Surface()
		n, said := DefaultSupport(m)
		t.Log(m.File, m.Format, len(m.Nodes), m.Elements(), m.Volume(), len(s.Triangles), len(n), said, m.Notes)
		for k, v := range m.NodeSets {
			t.Log(k, len(v), len(m.ElementSets[k]))
		}
	}
}
