package mesh

import (
	"bytes"
	"fmt"

	"github.com/go-gl/mathgl/mgl64"
)

// isMedit: the file begins with MeshVersionFormatted, after comments.
func isMedit(data []byte) bool {
	return bytes.HasPrefix(firstLine(data, "#"), []byte("MeshVersionFormatted"))
}

// meditEntity is one of Medit's sections of entities that name vertices.
type meditEntity struct {
	nodes, corners, dimension int
	as                        ElementType
}

var meditEntities = map[string]meditEntity{
	"Tetrahedra": {4, 4, 3, Tet4}, "Hexahedra": {8, 8, 3, Hex8}, "Prisms": {6, 6, 3, Wedge6}, "Pentahedra": {6, 6, 3, Wedge6}, "Pyramids": {5, 5, 3, Pyramid5},
	"TetrahedraP2": {10, 4, 3, Tet10}, "Triangles": {3, 3, 2, 0}, "Quadrilaterals": {4, 4, 2, 0}, "TrianglesP2": {6, 3, 2, 0}, "Edges": {2, 2, 1, 0}, "EdgesP2": {3, 2, 1, 0},
}

// meditIndices are the sections that only list numbers: how many an entry has.
var meditIndices = map[string]int{"Corners": 1, "RequiredVertices": 1, "Ridges": 1, "RequiredEdges": 1, "RequiredTriangles": 1,
	"NormalAtVertices": 2, "TangentAtVertices": 2, "Normals": 3, "Tangents": 3}

// parseMedit reads the text form of Medit (.mesh). References other than 0 become sets: volume-1, surface-2, line-3,
// point-4.
func parseMedit(name string, data []byte) *builder {
	s := newScanner(name, stripComments(data))
	b := newBuilder(name, "Medit", len(data))
	b.setNodes(nil, 1)
	seen := false
	for {
		w := s.word()
		if w == nil {
			break
		}
		keyword := string(w)
		entity, isEntity := meditEntities[keyword]
		width, isIndex := meditIndices[keyword]
		s.once(keyword)
		switch {
		case keyword == "End":
			s.pos = len(s.data)
		case keyword == "MeshVersionFormatted":
			s.integer("the version")
		case keyword == "Dimension":
			if dimension := s.integer("the dimension"); dimension != 3 {
				panic(s.fail("use a mesh in space", "the mesh has %d dimensions", dimension))
			}
		case keyword == "Vertices":
			seen = true
			meditVertices(s, b)
		case isEntity:
			if !seen {
				panic(s.fail("put the vertices first", "%s come before the vertices", keyword))
			}
			meditElements(s, b, keyword, entity)
		case isIndex:
			for range s.count(keyword, 2*width) * width {
				s.float("a number")
			}
		default:
			panic(s.fail(cureSyntax, "%q stands where a section like Vertices should begin", clip(w)))
		}
	}
	if !seen {
		panic(s.fail(cureTruncated, "there are no vertices"))
	}
	return b
}

// stripComments blanks everything from # to the end of the line.
func stripComments(data []byte) []byte {
	if bytes.IndexByte(data, '#') < 0 {
		return data
	}
	out := bytes.Clone(data)
	inside := false
	for i, c := range out {
		switch {
		case c == '\n':
			inside = false
		case c == '#':
			inside = true
		}
		if inside {
			out[i] = ' '
		}
	}
	return out
}

func meditVertices(s *scanner, b *builder) {
	n := s.count("vertices", 8)
	nodes := make([]mgl64.Vec3, 0, n)
	for i := range n {
		nodes = append(nodes, s.place())
		ref := s.integer("a reference")
		if ref != 0 {
			set := fmt.Sprintf("point-%d", ref)
			b.nodeSets[set] = append(b.nodeSets[set], int32(i))
		}
	}
	b.setNodes(nodes, 1)
}

func meditElements(s *scanner, b *builder, keyword string, entity meditEntity) {
	n := s.count(keyword, 2*entity.nodes)
	var nodes [MaxNodes]int32
	for i := range n {
		line := s.line
		for k := range entity.nodes {
			v := s.integer("a vertex number")
			node, ok := b.find(v)
			if !ok {
				panic(s.fail("export the mesh again with all its vertices", "entry %d of %s names vertex %d, but the file has %d", i+1, keyword, v, len(b.nodes)))
			}
			nodes[k] = node
			if k == 0 {
				line = s.line
			}
		}
		ref := s.integer("a reference")
		set := fmt.Sprintf("%s-%d", dimensionNames[entity.dimension], ref)
		switch {
		case entity.dimension == 3:
			e := b.addElement(entity.as, int64(len(b.elementNumbers)+1), line, nodes[:], nil)
			if ref != 0 {
				b.elementSets[set] = append(b.elementSets[set], e)
			}
			continue
		case entity.dimension == 2:
			b.addFacet(nodes[:entity.corners])
		}
		if ref != 0 {
			b.nodeSets[set] = append(b.nodeSets[set], nodes[:entity.nodes]...)
		}
	}
}
