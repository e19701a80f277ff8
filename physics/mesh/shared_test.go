package mesh

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sharedMeshes is the folder of sample meshes beside the repository.
func sharedMeshes(t testing.TB) string {
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

// TestSharedMeshes: every sample loads with its counts, or is refused for the true reason.
func TestSharedMeshes(t *testing.T) {
	dir := sharedMeshes(t)
	for name, c := range map[string]struct {
		nodes, elements, triangles int
		volume                     float64 // by an independent sum over the elements
		says                       string
	}{
		"liver.msh":          {181, 596, 276, 36.56085106149485, ""},
		"liver2.msh":         {507, 1493, 860, 1.125092151433262, ""},
		"cylinder.msh":       {510, 2430, 360, 0.1836825839831991, ""},
		"truthcylinder1.msh": {642, 2524, 706, 1513.4158527232569, ""},
		"msh4_cube.msh":      {14, 24, 24, 1, ""},
		"6_tetra_bad.msh":    {says: "6_tetra_bad.msh:31: tetrahedron 44 is inverted: its volume is -4.5 in the file's units; 1 of 6 elements"},
	} {
		m, err := Load(filepath.Join(dir, name))
		if c.says != "" {
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Error(err)
			continue
		}
		if len(m.Nodes) != c.nodes || m.Elements() != c.elements || len(m.Surface().Triangles) != c.triangles {
			t.Errorf("%s: %d nodes, %d elements, %d triangles", name, len(m.Nodes), m.Elements(), len(m.Surface().Triangles))
		}
		if v := m.Volume(); !(v > c.volume*(1-1e-12) && v < c.volume*(1+1e-12)) {
			t.Errorf("%s: volume %.17g, want %.17g", name, v, c.volume)
		}
		surfaceLaws(t, m)
		if nodes, said := DefaultSupport(m); !m.Spans(nodes) || said == "" {
			t.Errorf("%s: support %v %q", name, nodes, said)
		}
	}
}
