package mesh

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// inpFaces is a *SURFACE of faces of elements. It becomes the set of the faces' nodes. See the Abaqus Keywords Manual,
// *SURFACE; an element's sides have the order of ElementType.Faces.
type inpFaces struct {
	name string
	line int
	rows []inpFace
}

type inpFace struct {
	of   inpMembers // the elements
	side int        // from 0; -1: those that no other element shares
}

// faces reads a *SURFACE of faces: a set or an element a line, and which side: S1 to S6, SPOS or SNEG of shells, or
// none.
func (r *inpReader) faces(name, instance string) {
	f := inpFaces{name: name, line: max(1, r.line-1)}
	for line := range r.lines() {
		first, side, _ := bytes.Cut(line, []byte(","))
		first = bytes.TrimSpace(first)
		side, _, _ = bytes.Cut(side, []byte(","))
		row := inpFace{of: inpMembers{instance: instance}, side: -1}
		switch s := strings.ToUpper(string(bytes.TrimSpace(side))); s {
		case "", "SPOS", "SNEG":
		default:
			n, err := strconv.Atoi(strings.TrimPrefix(s, "S"))
			if !strings.HasPrefix(s, "S") || err != nil || n < 1 || n > 6 {
				panic(r.bad("%q is no side of an element: S1 to S6, SPOS or SNEG", clip(side)))
			}
			row.side = n - 1
		}
		if len(first) == 0 {
			panic(r.bad("a line of the surface %s names no element", clip([]byte(name))))
		}
		row.of.add(first)
		f.rows = append(f.rows, row)
	}
	r.cur.faces = append(r.cur.faces, f)
}

// skins makes the sets of the surfaces of faces, once all sets are made.
func (r *inpReader) skins(all []*inpInstance) {
	holders, made := map[string]int{}, map[string]bool{}
	for _, i := range all {
		for k := range i.part.faces {
			holders[strings.ToUpper(i.part.faces[k].name)]++
		}
	}
	sides := newSides(r.b)
	for _, i := range all {
		for k := range i.part.faces {
			f := &i.part.faces[k]
			found := inpFound{nodes: r.skin(f, i, sides)}
			key := strings.ToUpper(f.name)
			if r.b.nodeSets[f.name] == nil && r.b.elementSets[f.name] == nil || made[key] {
				made[key] = true
				r.called(f.name, false, found)
			} else {
				r.b.notes = append(r.b.notes, fmt.Sprintf("the surface %s was left out: a set has its name (cure: another name)", clip([]byte(f.name))))
			}
			if i.name != "" && holders[key] > 1 {
				r.called(i.name+"."+f.name, false, found)
			}
		}
	}
}

// skin are the nodes of a surface of faces.
func (r *inpReader) skin(f *inpFaces, own *inpInstance, sides *inpSides) (nodes []int32) {
	for k := range f.rows {
		row := &f.rows[k]
		found := r.resolve(true, &inpSet{name: f.name, members: []inpMembers{row.of}}, own, 0)
		if row.side < 0 {
			nodes = append(nodes, found.nodes...) // of shells
		}
		for _, e := range found.elements {
			element := sides.find(e)
			faces := element.Type.Faces()
			if row.side >= len(faces) {
				panic(errorAt(r.b.file, f.line, fmt.Sprintf("the surface %s takes side S%d of a %s", clip([]byte(f.name)), row.side+1, element.Type), "correct the side"))
			}
			for side, corners := range faces {
				if row.side == side || row.side < 0 && sides.free(element.face(corners, 0)) {
					nodes = element.appendFace(nodes, corners)
				}
			}
		}
		r.b.take(f.line, 2*len(nodes), "the surfaces of faces")
		slices.Sort(nodes)
		nodes = slices.Compact(nodes)
	}
	return nodes
}

// appendFace adds the nodes of an element's side: corners, and those between two of them.
func (e *Element) appendFace(nodes []int32, corners []int8) []int32 {
	for _, c := range corners {
		nodes = append(nodes, e.Nodes[c])
	}
	for k, edge := range e.Type.shape().edges {
		if slices.Contains(corners, edge[0]) && slices.Contains(corners, edge[1]) {
			nodes = append(nodes, e.Nodes[e.Type.Corners()+k])
		}
	}
	return nodes
}

// inpSides finds elements by their number in the mesh, and sides that only one of them has.
type inpSides struct {
	m     Mesh
	first []int              // element of the mesh that each block begins with
	count map[[4]int32]int32 // elements of each side; nil: not yet counted
}

func newSides(b *builder) *inpSides {
	s, n := &inpSides{m: Mesh{Blocks: b.blocks}}, 0
	for i := range b.blocks {
		s.first = append(s.first, n)
		n += b.blocks[i].Len()
	}
	return s
}

func (s *inpSides) find(element int32) Element {
	k, exact := slices.BinarySearch(s.first, int(element))
	if !exact {
		k--
	}
	b := &s.m.Blocks[k]
	return Element{b.Type, b.Element(int(element) - s.first[k])}
}

// free tells that no other element has a side.
func (s *inpSides) free(side Face) bool {
	if s.count == nil {
		s.count = s.m.sides()
	}
	return s.count[side.Key()] == 1
}
