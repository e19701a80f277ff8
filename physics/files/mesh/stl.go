package mesh

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/numerics/num"
)

const (
	stlHeader = 84 // 80 bytes of text and the count
	stlFacet  = 50 // normal, three corners, two bytes that are not used
)

// isSTLBinary: the count in the header accounts for the file's size. It comes before the text form, as many binary
// files begin with "solid" too.
func isSTLBinary(data []byte) bool {
	return len(data) > stlHeader && uint64(len(data)) == stlHeader+stlFacet*uint64(binary.LittleEndian.Uint32(data[80:]))
}

func isSTLText(data []byte) bool {
	return bytes.HasPrefix(bytes.ToLower(data[:min(6, len(data))]), []byte("solid")) && bytes.Contains(bytes.ToLower(data[:min(2000, len(data))]), []byte("facet"))
}

// isSTLCut is a binary file whose size and count disagree, recognised by the header text that exporters write.
func isSTLCut(data []byte) bool {
	return len(data) >= stlHeader && (bytes.HasPrefix(data, []byte("COLOR=")) || bytes.HasPrefix(bytes.ToLower(data[:80]), []byte("solid")) || bytes.Contains(bytes.ToLower(data[:80]), []byte("stl")))
}

func parseSTLCut(name string, data []byte) *builder {
	count := binary.LittleEndian.Uint32(data[80:])
	panic(errorAt(name, 0, fmt.Sprintf("%d triangles are announced, which take %d bytes, but the file has %d", count, stlHeader+stlFacet*uint64(count), len(data)), cureTruncated))
}

// welder gives equal positions the same node: STL has no connectivity.
type welder struct {
	b    *builder
	seen map[mgl64.Vec3]int32
}

func newWelder(name, format string, size int) *welder {
	return &welder{b: newBuilder(name, format, size), seen: map[mgl64.Vec3]int32{}}
}

func (w *welder) node(x mgl64.Vec3) int32 {
	x = x.Add(mgl64.Vec3{}) // -0 becomes 0, so that both are one key
	if n, ok := w.seen[x]; ok {
		return n
	}
	n := int32(len(w.b.nodes))
	w.seen[x] = n
	w.b.addNode(int64(n), x)
	return n
}

func parseSTLBinary(name string, data []byte) *builder {
	w := newWelder(name, "STL binary", len(data))
	for at := stlHeader; at < len(data); at += stlFacet {
		var tri [3]int32
		for c := range tri {
			var x mgl64.Vec3
			for k := range x {
				bits := binary.LittleEndian.Uint32(data[at+12+12*c+4*k:])
				x[k] = float64(math.Float32frombits(bits))
			}
			if !num.FiniteVec(x) {
				panic(errorAt(name, 0, fmt.Sprintf("triangle %d has a corner at %g %g %g", (at-stlHeader)/stlFacet, x[0], x[1], x[2]), "export the surface again"))
			}
			tri[c] = w.node(x)
		}
		w.b.addFacet(tri[:])
	}
	return w.b
}

func parseSTLText(name string, data []byte) *builder {
	s := newScanner(name, data)
	w := newWelder(name, "STL", len(data))
	s.rest() // solid NAME, which may be empty
	var corner []int32
	for {
		word := s.need("endsolid")
		switch lower(word) {
		case "facet":
			s.rest() // the normal follows from the corners
			corner = corner[:0]
		case "vertex":
			corner = append(corner, w.node(s.place()))
		case "endfacet":
			if len(corner) != 3 {
				panic(s.fail(cureSyntax, "a facet has %d corners", len(corner)))
			}
			w.b.addFacet(corner)
		case "outer", "loop", "endloop":
		case "solid":
			s.rest()
		case "endsolid":
			s.rest()
			if s.blanks(); s.left() == 0 {
				return w.b
			}
		default:
			panic(s.fail(cureSyntax, "%q stands where a facet should", clip(word)))
		}
	}
}

func lower(w []byte) string { return string(bytes.ToLower(w)) }

// WriteSTL writes a surface as binary STL, which keeps 7 digits and no unit.
func (s *Triangles) WriteSTL(w io.Writer) error { return s.WriteNamedSTL(w, "binary STL") }

// WriteNamedSTL is WriteSTL with words for the head, of which 80 bytes are kept.
func (s *Triangles) WriteNamedSTL(w io.Writer, head string) error {
	out := make([]byte, stlHeader, stlHeader+stlFacet*len(s.Triangles))
	copy(out[:80], head)
	binary.LittleEndian.PutUint32(out[80:], uint32(len(s.Triangles)))
	for t := range s.Triangles {
		a, b, c := s.Corners(int32(t))
		n := b.Sub(a).Cross(c.Sub(a))
		if l := n.Len(); l > 0 {
			n = n.Mul(1 / l)
		}
		for _, x := range [4]mgl64.Vec3{n, a, b, c} {
			for _, v := range x {
				out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(v)))
			}
		}
		out = append(out, 0, 0)
	}
	_, err := w.Write(out)
	return err
}
