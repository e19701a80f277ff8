package mesh

import (
	"path/filepath"
	"strings"
	"testing"

	"hapco/physics/machinery/testkit"
)

// TestSharedMeshes: every sample loads with its counts, or is refused for the true reason.
func TestSharedMeshes(t *testing.T) {
	dir := testkit.Shared(t, "data", "meshes")
	for name, c := range map[string]struct {
		nodes, elements, triangles int
		volume                     float64 // by an independent sum over the elements
		says                       string
	}{
		"liver.msh":                   {181, 596, 276, 36.56085106149485, ""},
		"liver2.msh":                  {507, 1493, 860, 1.125092151433262, ""},
		"cylinder.msh":                {510, 2430, 360, 0.1836825839831991, ""},
		"truthcylinder1.msh":          {642, 2524, 706, 1513.4158527232569, ""},
		"msh4_cube.msh":               {14, 24, 24, 1, ""},
		"Armadillo_Tetra_4406.vtu":    {1446, 4406, 2532, 231.21430723500492, ""},
		"Ossicles.vtu":                {1733, 5058, 3412, 27.145181210945527, ""},
		"Bunny.stl":                   {says: "holds a surface (2728 facets)"},
		"liver-smooth.obj":            {says: "holds a surface (4384 facets)"},
		"malleus.obj":                 {says: "holds a surface (3748 facets)"},
		"dental_instrument_light.obj": {says: "holds a surface (784 facets)"},
		"liver.vtk":                   {says: "holds a surface (10000 facets)"},
		"liver_for_test_broken.vtk":   {says: `the binary data is damaged: `},
		"6_tetra_bad.msh":             {says: "6_tetra_bad.msh:31: tetrahedron 44 is inverted: its volume is -4.5 in the file's units; 1 of 6 elements"},
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
		if name != "Ossicles.vtu" { // whose bones touch along an edge
			surfaceLaws(t, m)
		}
		if nodes, said := DefaultSupport(m); !m.Spans(nodes) || said == "" {
			t.Errorf("%s: support %v %q", name, nodes, said)
		}
	}
}

// TestSharedSurfaces: the surfaces among the samples, with their counts and the
// volume they enclose in the files' units.
func TestSharedSurfaces(t *testing.T) {
	dir := testkit.Shared(t, "data", "meshes")
	for name, c := range map[string]struct {
		nodes, triangles int
	}{
		"Bunny.stl": {1366, 2728}, "liver-smooth.obj": {2194, 4384}, "malleus.obj": {1876, 3748}, "dental_instrument_light.obj": {401, 784}, "liver.vtk": {5008, 10000},
	} {
		s, err := LoadSurface(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
			continue
		}
		if len(s.Nodes) != c.nodes || len(s.Triangles) != c.triangles || (s.Volume() > 0) == (name == "liver.vtk") { // whose triangles face inward
			t.Errorf("%s: %d nodes, %d triangles, volume %g", name, len(s.Nodes), len(s.Triangles), s.Volume())
		}
	}
}
