package export

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
)

// STL writes the surfaces of each state, as they are deformed, as binary STL files:
// NAME-000000.stl and so on, in metres.
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
			return writeSTL(w, surface.Name, f.Surfaces[i].Vertices, surface.Triangles)
		}); err != nil {
			return err
		}
	}
	s.states++
	return nil
}

// Close does nothing: all is written.
func (s *STL) Close() error { return nil }

func writeSTL(w io.Writer, name string, at []mgl64.Vec3, triangles [][3]int32) error {
	head := make([]byte, 80, 84)
	copy(head, "hapco, metres: "+name)
	b := binary.LittleEndian.AppendUint32(head, uint32(len(triangles)))
	for _, t := range triangles {
		p, q, r := at[t[0]], at[t[1]], at[t[2]]
		n := q.Sub(p).Cross(r.Sub(p))
		if l := n.Len(); l > 0 {
			n = n.Mul(1 / l)
		}
		for _, v := range [4]mgl64.Vec3{n, p, q, r} {
			for _, x := range v {
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(x)))
			}
		}
		b = append(b, 0, 0)
	}
	_, err := w.Write(b)
	return err
}
