package fill

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"time"

	"hapco/physics/files/mesh"
	"hapco/physics/files/mesh/doctor"
	"hapco/physics/machinery/budget"
)

// Method is the mesher to use.
type Method string

const (
	Auto    Method = "auto"    // gmsh where it is installed and succeeds, else the built-in one
	Gmsh    Method = "gmsh"    // the gmsh program
	BuiltIn Method = "builtin" // the lattice of this package
)

// Options say how to fill a surface.
type Options struct {
	Size      float64       // wanted edge length, in the unit of the surface; 0: the diagonal / 20
	Method    Method        // "" is Auto
	TimeLimit time.Duration // for the gmsh program; 0: 2 minutes
}

// maxElements is the most tetrahedra that Fill agrees to make, and elementBytes what one takes while the mesh is made and
// examined: 636 MB for 1.02 million of the built-in mesher.
const (
	maxElements  = 5_000_000
	elementBytes = 640
)

// free is what the machine has, but in tests.
var free = budget.Free

// SupportSet is the node set that Fill adds: the nodes that mesh.DefaultSupport holds.
const SupportSet = "support"

var errNoGmsh = errors.New("the gmsh program is not installed (apt-get install gmsh, or use the built-in mesher)")

// Refusal is the error of a surface or of options that no mesher can work with.
type Refusal struct{ reason string }

func (r *Refusal) Error() string { return "mesh: " + r.reason }

func refuse(format string, args ...any) error { return &Refusal{fmt.Sprintf(format, args...)} }

// Fill makes a mesh of linear tetrahedra of what a closed surface encloses; one shell inside another is a cavity. A
// surface without inside is refused with the doctor's reason, as a Refusal. The mesh has passed Check, and its set
// SupportSet holds it. Notes says what was done.
func Fill(ctx context.Context, s *mesh.Triangles, o Options) (*mesh.Mesh, error) {
	report := doctor.ExamineSurface(s, "")
	for i := range report.Findings {
		if f := &report.Findings[i]; f.Grade == doctor.Error {
			return nil, refuse("%s: %s (%s)", s.File, f.Text, f.Cure)
		}
	}
	switch o.Method {
	case "", Auto, Gmsh, BuiltIn:
	default:
		return nil, refuse("mesher %q is unknown (use auto, gmsh or builtin)", o.Method)
	}
	low, high := s.Bounds()
	diagonal := high.Sub(low).Len()
	o.Size = cmp.Or(o.Size, diagonal/20)
	if !(o.Size > 0) || math.IsInf(o.Size, 0) {
		return nil, refuse("size %g (use an edge length above 0, in the unit of the file)", o.Size)
	}
	if !(o.Size < diagonal) {
		return nil, refuse("size %g is larger than the body, whose diagonal is %.3g (use a smaller one, such as %.2g)", o.Size, diagonal, diagonal/20)
	}
	// A lattice of edge h has 12 tetrahedra in h^3; gmsh makes about as many.
	n := 12 * math.Abs(s.Volume()) / math.Pow(latticeEdge(o.Size), 3)
	if !(n <= maxElements) {
		return nil, refuse("size %g would make about %.2g tetrahedra, more than %g (use a larger size)", o.Size, n, float64(maxElements))
	}
	if room, known := free(); known && elementBytes*n > float64(room) {
		return nil, refuse("size %g would make about %.2g tetrahedra, which take %.2g GB, and %.2g GB are free (use a size above %.2g)",
			o.Size, n, elementBytes*n/1e9, float64(room)/1e9, o.Size*math.Cbrt(elementBytes*n/float64(max(room, 1))))
	}

	m, err := fill(ctx, s, o)
	if err != nil {
		if f := report.Find("crossing"); f != nil && ctx.Err() == nil {
			err = fmt.Errorf("%s; %w", f.Text, err)
		}
		return nil, fmt.Errorf("mesh: %s: %w", s.File, err)
	}
	for i := range report.Findings {
		if f := &report.Findings[i]; f.Grade > doctor.Note {
			m.Notes = append(m.Notes, fmt.Sprintf("of the surface: %s", f.Text))
		}
	}
	m.File = filepath.Base(s.File)
	if err := m.Check(); err != nil {
		return nil, err
	}
	support, _ := mesh.DefaultSupport(m)
	m.NodeSets = map[string][]int32{SupportSet: support}
	m.ElementSets = map[string][]int32{}
	return m, nil
}

// fill chooses the mesher.
func fill(ctx context.Context, s *mesh.Triangles, o Options) (*mesh.Mesh, error) {
	if o.Method == BuiltIn {
		return stuff(s, o.Size)
	}
	m, err := withGmsh(ctx, s, o)
	if err == nil || o.Method == Gmsh || ctx.Err() != nil {
		return m, err
	}
	why := err
	if m, err = stuff(s, o.Size); err != nil {
		return nil, err
	}
	m.Notes = append([]string{fmt.Sprintf("filled by the built-in mesher: %v", why)}, m.Notes...)
	return m, nil
}
