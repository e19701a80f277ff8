// Package export writes what there is to see of a world as files that other programs read: series for ParaView,
// surfaces as STL, and NumPy arrays.
package export

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/files/atomicfile"
	"hapco/physics/files/mesh"
)

// Series writes the states of a world one after the other: for each a VTU file a part, and in the end one .pvd that
// names them all, which is what ParaView opens. The parts are the surfaces by their names (bodies with their inside
// where the world tells it), and "rigid", "points", "contacts", "stylus" and "triangles". It belongs to the goroutine
// that owns the world. A nil Series writes nothing.
type Series struct {
	dir, name string
	world     physics.World
	info      *physics.Info
	parts     []string // of the surfaces

	frame   physics.Frame
	rest    [][]mgl64.Vec3 // vertices of the surfaces in the first state
	placed  []physics.Instance
	solids  []physics.Solid
	entries strings.Builder // of the .pvd
	states  int
}

// Begin makes the folder and writes the present state of the world as that of time 0. The files start with name.
func Begin(dir, name string, w physics.World) (*Series, error) {
	s := &Series{world: w}
	if err := s.open(dir, name, w.Info()); err != nil {
		return nil, err
	}
	w.Draw(&s.frame)
	s.first()
	return s, s.Add(0)
}

func (s *Series) open(dir, name string, info *physics.Info) error {
	s.dir, s.name, s.info = dir, word(name), info
	s.parts = parts(info, "rigid", "points", "contacts", "stylus", "triangles")
	return folder(dir)
}

func folder(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("%w (cure: a folder that may be written)", err)
	}
	return nil
}

// first keeps what displacements are from: the frame's state.
func (s *Series) first() {
	for i := range s.frame.Surfaces {
		s.rest = append(s.rest, append([]mgl64.Vec3(nil), s.frame.Surfaces[i].Vertices...))
	}
	s.placed = append(s.placed, s.frame.Instances...)
}

// parts are names for the files of the surfaces, no two the same, nor one of others.
func parts(info *physics.Info, others ...string) (names []string) {
	for _, surface := range info.Surfaces {
		part := word(surface.Name)
		for k := 2; slices.Contains(names, part) || slices.Contains(others, part); k++ {
			part = fmt.Sprintf("%s-%d", word(surface.Name), k)
		}
		names = append(names, part)
	}
	return names
}

// word makes a file's name of a body's.
func word(s string) string {
	s = strings.TrimSuffix(filepath.Base(s), ".toml")
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, s)
}

// Add writes the present state of the world as that of time t: seconds, or steps where the world has no time.
func (s *Series) Add(t float64) error {
	if s == nil {
		return nil
	}
	s.world.Draw(&s.frame)
	return s.write(t)
}

func (s *Series) write(t float64) error {
	part := s.surface
	if world, ok := s.world.(physics.Solids); ok {
		s.solids = world.Solids(s.solids)
		part = s.solid
	}
	for i := range s.parts {
		if err := part(i, t); err != nil {
			return err
		}
	}
	err := errors.Join(s.rigid(t), s.points(t), s.contacts(t), s.stylus(t), s.triangles(t))
	s.states++
	return err
}

// grid writes one part of the present state.
func (s *Series) grid(part int, name string, t float64, points []mgl64.Vec3, cells mesh.Cells, fields ...mesh.Field) error {
	file := fmt.Sprintf("%s-%s-%06d.vtu", s.name, name, s.states)
	fmt.Fprintf(&s.entries, "<DataSet timestep=\"%.17g\" group=\"\" part=\"%d\" name=\"%s\" file=\"%s\"/>\n", t, part, name, file)
	return create(filepath.Join(s.dir, file), func(w io.Writer) error { return mesh.WriteGrid(w, points, cells, fields...) })
}

// create writes a file of many: none is waited for.
func create(name string, write func(w io.Writer) error) error {
	return atomicfile.WriteSoon(name, write)
}

func (s *Series) solid(i int, t float64) error {
	b := &s.solids[i]
	fields := []mesh.Field{vectors("displacement", b.Displacement)}
	if len(b.Force) > 0 {
		fields = append(fields, vectors("force", b.Force))
	}
	if len(b.Stress) > 0 {
		fields = append(fields, tensors("strain", b.Strain), tensors("stress", b.Stress), scalars("von_mises", b.Stress, mises))
	}
	cells := mesh.TriangleCells(s.info.Surfaces[i].Triangles)
	if b.Mesh != nil {
		cells = b.Mesh.Cells()
	}
	return s.grid(i, s.parts[i], t, b.Positions, cells, fields...)
}

func mises(x *[6]float64) float64 {
	return math.Sqrt(((x[0]-x[1])*(x[0]-x[1])+(x[1]-x[2])*(x[1]-x[2])+(x[2]-x[0])*(x[2]-x[0]))/2 +
		3*(x[3]*x[3]+x[4]*x[4]+x[5]*x[5]))
}

// surface writes a surface. Its displacement is from the first state.
func (s *Series) surface(i int, t float64) error {
	at, info := &s.frame.Surfaces[i], &s.info.Surfaces[i]
	moved := make([]mgl64.Vec3, len(at.Vertices))
	for k, x := range at.Vertices {
		moved[k] = x.Sub(s.rest[i][k])
	}
	fields := []mesh.Field{vectors("displacement", moved)}
	if n := s.frame.Field; n > 0 && len(at.Scalar) == len(at.Vertices) {
		fields = append(fields, mesh.Field{Name: strings.ReplaceAll(s.info.Fields[n-1].Name, " ", "_"), Components: 1, Values: at.Scalar})
	}
	return s.grid(i, s.parts[i], t, at.Vertices, mesh.TriangleCells(info.Triangles), fields...)
}

// rigid writes all rigid bodies in their poses. Cells have the number of their body.
func (s *Series) rigid(t float64) error {
	if len(s.info.Shapes) == 0 {
		return nil
	}
	var points, moved []mgl64.Vec3
	var triangles [][3]int32
	var body []float64
	same := len(s.placed) == len(s.frame.Instances)
	for k := range s.frame.Instances {
		b := &s.frame.Instances[k]
		shape := &s.info.Shapes[b.Shape]
		base := int32(len(points))
		for _, x := range shape.Vertices {
			y := b.Pose.Point(x)
			points = append(points, y)
			if same {
				moved = append(moved, y.Sub(s.placed[k].Pose.Point(x)))
			}
		}
		for _, tri := range shape.Triangles {
			triangles = append(triangles, [3]int32{base + tri[0], base + tri[1], base + tri[2]})
			body = append(body, float64(k))
		}
	}
	fields := []mesh.Field{{Name: "body", Components: 1, Values: body, OnElements: true}}
	if same {
		fields = append(fields, vectors("displacement", moved))
	}
	return s.grid(len(s.parts), "rigid", t, points, mesh.TriangleCells(triangles), fields...)
}

// points writes the balls of a frame, which keeps them in single precision.
func (s *Series) points(t float64) error {
	list := s.frame.Points
	if len(list) == 0 {
		return nil
	}
	at := column(list, func(p *physics.Point) mgl64.Vec3 { return wide(p.Position) })
	return s.grid(len(s.parts)+1, "points", t, at, mesh.VertexCells(len(at)),
		scalars("radius", list, func(p *physics.Point) float64 { return float64(p.Radius) }),
		scalars("scalar", list, func(p *physics.Point) float64 { return float64(p.Scalar) }),
		vectors("color", column(list, func(p *physics.Point) mgl64.Vec3 { return wide(p.Color) })))
}

// contacts writes the contacts as points on the impactor, force that on it.
func (s *Series) contacts(t float64) error {
	list := s.frame.Contacts
	of := func(name string, value func(c *physics.Contact) mgl64.Vec3) mesh.Field {
		return vectors(name, column(list, value))
	}
	at := column(list, func(c *physics.Contact) mgl64.Vec3 { return c.P })
	return s.grid(len(s.parts)+2, "contacts", t, at, mesh.VertexCells(len(at)),
		of("force", func(c *physics.Contact) mgl64.Vec3 { return c.Force }),
		of("normal", func(c *physics.Contact) mgl64.Vec3 { return c.N }),
		of("on_obstacle", func(c *physics.Contact) mgl64.Vec3 { return c.Q }),
		of("r", func(c *physics.Contact) mgl64.Vec3 { return c.R }),
		of("x", func(c *physics.Contact) mgl64.Vec3 { return c.X }),
		scalars("status", list, func(c *physics.Contact) float64 { return float64(c.Status) }),
		scalars("friction", list, func(c *physics.Contact) float64 { return c.Mu }),
		scalars("node", list, func(c *physics.Contact) float64 { return float64(c.Node) }))
}

// stylus writes its place, and the force and torque on it.
func (s *Series) stylus(t float64) error {
	f := &s.frame
	q := f.Stylus.Rotation
	return s.grid(len(s.parts)+3, "stylus", t, []mgl64.Vec3{f.Stylus.Position}, mesh.VertexCells(1), vectors("force", []mgl64.Vec3{f.Force}),
		vectors("torque", []mgl64.Vec3{f.Torque}), mesh.Field{Name: "rotation_wxyz", Components: 4, Values: []float64{q.W, q.V[0], q.V[1], q.V[2]}})
}

// triangles writes those that are others in each frame, in single precision as it keeps them: the floes of a flat
// world, which break.
func (s *Series) triangles(t float64) error {
	list := s.frame.Vertices
	if len(list) == 0 {
		return nil
	}
	at := column(list, func(v *physics.Vertex) mgl64.Vec3 { return wide(v.Position) })
	cells := column(s.frame.Triangles, func(c *[3]uint32) [3]int32 {
		return [3]int32{int32(c[0]), int32(c[1]), int32(c[2])}
	})
	return s.grid(len(s.parts)+4, "triangles", t, at, mesh.TriangleCells(cells),
		vectors("color", column(list, func(v *physics.Vertex) mgl64.Vec3 { return wide(v.Color) })))
}

// column is a value of each of a list.
func column[T, V any](list []T, of func(*T) V) []V {
	v := make([]V, len(list))
	for i := range list {
		v[i] = of(&list[i])
	}
	return v
}

func wide(v [3]float32) mgl64.Vec3 { return mgl64.Vec3{float64(v[0]), float64(v[1]), float64(v[2])} }

func scalars[T any](name string, list []T, of func(*T) float64) mesh.Field {
	return mesh.Field{Name: name, Components: 1, Values: column(list, of)}
}

func vectors(name string, v []mgl64.Vec3) mesh.Field {
	f := mesh.Field{Name: name, Components: 3, Values: make([]float64, 0, 3*len(v))}
	for i := range v {
		f.Values = append(f.Values, v[i][:]...)
	}
	return f
}

func tensors(name string, v [][6]float64) mesh.Field {
	f := mesh.Field{Name: name, Components: 6, Values: make([]float64, 0, 6*len(v))}
	for i := range v {
		f.Values = append(f.Values, v[i][:]...)
	}
	return f
}

// Close writes the .pvd. What was written before an error can be opened too.
func (s *Series) Close() error {
	if s == nil {
		return nil
	}
	return create(filepath.Join(s.dir, s.name+".pvd"), func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n<Collection>\n%s</Collection>\n</VTKFile>\n", s.entries.String())
		return err
	})
}

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
	return &STL{dir: dir, info: info, parts: parts(info)}, folder(dir)
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
