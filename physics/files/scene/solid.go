package scene

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/collision"
	"hapco/physics/files/mesh"
	"hapco/physics/files/setting"
)

// Solid is a body's geometry, ready for the finite elements.
type Solid struct {
	Mesh    *mesh.Mesh    // m; a tool and a rigid body of a surface file have nodes and no elements
	Surface *mesh.Surface // boundary of Mesh, or the triangles of an object file
	Fixed   []int32       // mesh nodes with u = 0, ascending; nil when rigid
	Region  []int32       // mesh nodes on Surface that may touch, ascending

	Solid *collision.Solid // of a tool in closed form; else nil
	Field *collision.Field // of a rigid body that others find by its signed distance; else nil

	Young, Poisson float64 // E in Pa, nu; the scene's, else those of an object file

	// Flexibility is K^-1 at E = Young as an object file supplies it, 3n x 3n row-major, m/N, rows and columns of fixed
	// nodes zero; nil: to be computed.
	Flexibility []float64

	Notes []string // what was chosen or changed, one sentence each
}

// Solid reads or makes the geometry of body i and picks its nodes.
func (s *Scene) Solid(i int) (*Solid, error) {
	b := &s.Bodies[i]
	solid, err := b.solid()
	if err != nil {
		return nil, fmt.Errorf("scene: %s: body %q: %w", s.Name, b.Name, err)
	}
	return solid, nil
}

func (b *Body) solid() (*Solid, error) {
	out := &Solid{Young: b.Young, Poisson: b.Poisson}
	var object *objectFile
	var err error
	switch b.Shape.Kind {
	case BoxShape:
		out.Mesh, err = mesh.Box(b.Shape.Box.Origin, b.Shape.Box.Size, b.Shape.Box.Elements)
	case ToolShape:
		out.Solid = b.Shape.Tool.Solid()
		out.Mesh, out.Surface = surfaceMesh(b.Shape.Tool.surface())
	case MeshShape:
		out.Mesh, err = setting.ReadMesh(b.Shape.File, b.Shape.Unit)
		if err != nil && b.Rigid && out.readSurface(&b.Shape) == nil {
			err = nil
		}
	case ObjectShape:
		if object, err = b.Shape.readObject(); err == nil {
			out.takeObject(b, object)
		}
	default:
		err = errors.New("it has no shape (add [body.box], [body.tool], mesh or object)")
	}
	if err != nil {
		return nil, err
	}
	if b.Shape.Kind == BoxShape || b.Shape.Kind == MeshShape && out.Surface == nil {
		if out.Mesh, err = b.Shape.form(out.Mesh); err != nil {
			return nil, err
		}
	}
	out.Notes = append(out.Notes, out.Mesh.Notes...)
	if out.Surface == nil { // quadratic elements have the flat triangles of all their nodes
		out.Surface = out.Mesh.Split().Surface()
	}
	if !b.Rigid {
		if err := out.clamp(b, object); err != nil {
			return nil, err
		}
	}
	if b.Rigid && b.Touch == TouchDistance && out.Solid == nil {
		if err := out.measure(); err != nil {
			return nil, err
		}
	}
	touching, err := b.Surface.nodesOf(out.Mesh)
	if err != nil {
		return nil, fmt.Errorf("contact_surface: %w", err)
	}
	for _, n := range touching {
		if out.Surface.Index[n] >= 0 {
			out.Region = append(out.Region, n)
		}
	}
	if len(out.Region) == 0 {
		return nil, errors.New("contact_surface: the nodes lie inside the body (choose nodes of its surface)")
	}
	return out, nil
}

// clamp fills Fixed and makes sure that the body cannot float.
func (out *Solid) clamp(b *Body, object *objectFile) (err error) {
	switch {
	case b.Clamp.Kind != SelectDefault:
		if out.Fixed, err = b.Clamp.nodesOf(out.Mesh); err != nil {
			return fmt.Errorf("clamp: %w", err)
		}
	case object != nil && len(object.Fixed) > 0:
		out.Fixed = object.Fixed
	default:
		var note string
		if out.Fixed, note = defaultSupport(out.Mesh); note != "" {
			out.Notes = append(out.Notes, note)
		}
	}
	if len(out.Fixed) == 0 {
		return errors.New(`no node is fixed: the body would float away (add clamp = "bottom" or "default")`)
	}
	if !out.Mesh.Spans(out.Fixed) {
		return fmt.Errorf("%d fixed nodes on one line let the body turn: it would float away (fix at least three nodes that span a plane)", len(out.Fixed))
	}
	if len(out.Fixed) == len(out.Mesh.Nodes) {
		return errors.New("every node is fixed: nothing can deform (fix fewer nodes, or set rigid = true)")
	}
	if out.Flexibility != nil && !slices.Equal(out.Fixed, object.Fixed) {
		out.Flexibility = nil
		out.Notes = append(out.Notes, "the scene fixes other nodes than the object file: the file's flexibility is not used")
	}
	return nil
}

// defaultSupport takes the set of the file whose name says that it is a support, else the lowest nodes.
func defaultSupport(m *mesh.Mesh) (nodes []int32, note string) {
	if name, nodes := mesh.NamedSupport(m); name != "" {
		return nodes, fmt.Sprintf("the nodes of the file's set %q are held", name)
	}
	return mesh.DefaultSupport(m)
}

// takeObject moves an object file's contents in.
func (out *Solid) takeObject(b *Body, o *objectFile) {
	out.Mesh, out.Surface = o.Mesh, o.Surface
	out.Flexibility = o.Flexibility
	if b.Young == 0 && b.Poisson == 0 {
		out.Young, out.Poisson = o.Young, o.Poisson
		return
	}
	if out.Flexibility != nil && b.Poisson == o.Poisson {
		// K is proportional to E.
		out.Flexibility = slices.Clone(o.Flexibility)
		for i := range out.Flexibility {
			out.Flexibility[i] *= o.Young / b.Young
		}
	} else {
		out.Flexibility = nil
	}
}

// readSurface takes the triangles of a file that holds no volume, which is enough for a rigid body.
func (out *Solid) readSurface(sh *Shape) error {
	s, err := setting.ReadSurface(sh.File, sh.Unit)
	if err == nil {
		out.Mesh, out.Surface = surfaceMesh(s.Nodes, s.Triangles)
		out.Mesh.File, out.Mesh.Format, out.Mesh.Notes = s.File, s.Format, s.Notes
	}
	return err
}

// measure makes the signed distance of the surface.
func (out *Solid) measure() error {
	f, err := collision.NewField(out.Surface.Triangles, out.Surface.Places(out.Mesh))
	if err != nil {
		return fmt.Errorf("rigid_contact = \"distance\": %w", err)
	}
	out.Field = f
	out.Notes = append(out.Notes, fmt.Sprintf("its signed distance took %.0f ms and takes %.1f MB", f.BuildTime().Seconds()*1e3, float64(f.Bytes())/1e6))
	return nil
}

// surfaceMesh wraps a surface as a mesh without elements.
func surfaceMesh(nodes []mgl64.Vec3, triangles [][3]int32) (*mesh.Mesh, *mesh.Surface) {
	m := &mesh.Mesh{Nodes: nodes}
	all := allNodes(m)
	return m, &mesh.Surface{Triangles: triangles, Nodes: all, Index: slices.Clone(all)}
}

// form gives a mesh the elements that are asked for.
func (sh *Shape) form(m *mesh.Mesh) (*mesh.Mesh, error) {
	only := func(t mesh.ElementType) bool {
		return !slices.ContainsFunc(m.Blocks, func(b mesh.Block) bool { return b.Type != t && b.Len() > 0 })
	}
	switch sh.Element {
	case mesh.Tet4:
		return m.Tetrahedra(), nil
	case mesh.Tet10:
		if only(mesh.Tet10) {
			return m, nil
		}
		m, _ = m.Tetrahedra().Quadratic()
		return m, nil
	case mesh.Hex8:
		if m = m.Split(); !only(mesh.Hex8) {
			return nil, errors.New(`element = "hex8", but the mesh has other elements than hexahedra (cure: "tet10")`)
		}
		return m, nil
	}
	return m.Split(), nil
}

func (sh *Shape) readObject() (*objectFile, error) {
	data, err := setting.OpenFile(sh.File)
	if err != nil {
		return nil, err
	}
	return parseObject(sh.File, data)
}

// roundSlab is the share of a mesh's extent that a side takes where the mesh has no flat face there.
const roundSlab = 0.1

// nodesOf lists the nodes of m that the selector picks, ascending. A side of a mesh that has no flat face there is the
// outermost tenth of it. SelectDefault picks the support that Solid would choose.
func (sel *Selector) nodesOf(m *mesh.Mesh) ([]int32, error) {
	switch sel.Kind {
	case SelectNone:
		return nil, nil
	case SelectAll:
		return allNodes(m), nil
	case SelectSide:
		nodes, err := mesh.Side(m, sel.Side.String())
		if err == nil && !m.Spans(nodes) {
			low, high := slab(m, sel.Side)
			nodes = mesh.InBox(m, low, high)
		}
		return nodes, err
	case SelectSet:
		nodes, ok := m.NodeSets[sel.Set]
		if !ok {
			return nil, fmt.Errorf("the mesh has no node set %q (%s)", sel.Set, setsOf(m))
		}
		if len(nodes) == 0 {
			return nil, fmt.Errorf("the node set %q is empty (%s)", sel.Set, setsOf(m))
		}
		return nodes, nil
	case SelectBox:
		nodes := mesh.InBox(m, sel.Min, sel.Max)
		if len(nodes) == 0 {
			low, high := m.Bounds()
			return nil, fmt.Errorf("no node lies in the box from %v to %v m (the mesh lies from %v to %v m)", sel.Min, sel.Max, low, high)
		}
		return nodes, nil
	case SelectNodes:
		for _, n := range sel.Nodes {
			if n < 0 || int(n) >= len(m.Nodes) {
				return nil, fmt.Errorf("node %d does not exist (the mesh has nodes 0 to %d)", n, len(m.Nodes)-1)
			}
		}
		return sel.Nodes, nil
	case SelectDefault:
		nodes, _ := defaultSupport(m)
		return nodes, nil
	}
	return nil, fmt.Errorf("selector kind %d is unknown (use one of this package)", sel.Kind)
}

func allNodes(m *mesh.Mesh) []int32 {
	all := make([]int32, len(m.Nodes))
	for i := range all {
		all[i] = int32(i)
	}
	return all
}

// slab is the outermost part of the bounding box on one side.
func slab(m *mesh.Mesh, side Side) (low, high mgl64.Vec3) {
	low, high = m.Bounds()
	axis := int(side) / 2
	thick := roundSlab * (high[axis] - low[axis])
	if side%2 == 0 {
		high[axis] = low[axis] + thick
	} else {
		low[axis] = high[axis] - thick
	}
	return low, high
}

func setsOf(m *mesh.Mesh) string {
	if len(m.NodeSets) == 0 {
		return "it has no node sets; use a side or a box"
	}
	return "it has " + strings.Join(slices.Sorted(maps.Keys(m.NodeSets)), ", ")
}

// ClampAt is the value of clamp by which a body is held at the marked nodes of its surface and nowhere else.
func (s *Solid) ClampAt(body string, held []bool) (string, error) {
	if len(held) != len(s.Surface.Nodes) {
		return "", fmt.Errorf("support: the mesh of %s has %d surface nodes, not %d (cure: open the scene again)", body, len(s.Surface.Nodes), len(held))
	}
	var nodes []int32
	var words []string
	for k, n := range s.Surface.Nodes {
		if held[k] {
			nodes = append(nodes, n)
			words = append(words, strconv.Itoa(int(n)))
		}
	}
	if len(nodes) < 3 || !s.Mesh.Spans(nodes) {
		return "", fmt.Errorf("support: the %d painted nodes of %s let it float or turn (cure: hold at least three that span a plane)", len(nodes), body)
	}
	return "{ nodes = [" + strings.Join(words, ", ") + "] }", nil
}
