package export

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"hapco/physics"
	"hapco/physics/files/mesh"
)

// STL writes the surfaces of each state, as they are deformed, as binary STL files: NAME-000000.stl and so on, in
// metres.
type STL struct {
	dir    string
	info   *physics.Info
	parts  []string // of the surfaces
	states int
}

// NewSTL makes the folder.
func NewSTL(dir string, info *physics.Info) (*STL, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("%w (cure: a folder that may be written)", err)
	}
	return &STL{dir: dir, info: info, parts: parts(info)}, nil
}

// Add writes a file a surface.
func (s *STL) Add(_ float64, f *physics.Frame) error {
	for i := range f.Surfaces {
		surface := &s.info.Surfaces[i]
		name := filepath.Join(s.dir, fmt.Sprintf("%s-%06d.stl", s.parts[i], s.states))
		if err := create(name, func(w io.Writer) error {
			at := mesh.Triangles{Nodes: f.Surfaces[i].Vertices, Triangles: surface.Triangles}
			return at.WriteNamedSTL(w, "hapco, metres: "+surface.Name)
		}); err != nil {
			return err
		}
	}
	s.states++
	return nil
}

// Close does nothing: all is written.
func (s *STL) Close() error { return nil }
