package mesh

import (
	"bytes"
	"strconv"

	"hapco/physics/machinery/refusal"

	"github.com/go-gl/mathgl/mgl64"
)

// isOBJ: after comments comes a line that begins with a word of the format.
func isOBJ(data []byte) bool {
	switch string(newScanner("", firstLine(data, "#")).word()) {
	case "v", "vn", "vt", "o", "g", "mtllib", "usemtl", "s":
		return true
	}
	return false
}

// continues says whether a line goes on with the next one: it ends in a backslash.
func continues(line []byte) bool {
	return bytes.HasSuffix(bytes.TrimRight(line, " \t\r"), []byte("\\"))
}

// parseOBJ reads v and f lines; normals, textures, lines and materials are passed over.
func parseOBJ(name string, data []byte) *builder {
	s := newScanner(name, data)
	b := newBuilder(name, "OBJ", len(data))
	var nodes []mgl64.Vec3
	var lines []int
	var faces [][]int32
	for s.left() > 0 {
		number := s.line
		line := s.rest()
		for continues(line) && s.left() > 0 {
			line = bytes.TrimSuffix(bytes.TrimRight(line, " \t\r"), []byte("\\"))
			line = bytes.Join([][]byte{line, s.rest()}, []byte{' '})
		}
		fields := bytes.Fields(line)
		if len(fields) == 0 {
			continue
		}
		fail := func(what string, args ...any) refusal.Fault {
			s.line = number
			return s.fail(cureSyntax, what, args...)
		}
		switch string(fields[0]) {
		case "v":
			if len(fields) < 4 {
				panic(fail("a vertex has %d coordinates", len(fields)-1))
			}
			var x mgl64.Vec3
			for k := range x {
				v, err := parseFloat(fields[k+1])
				if err != nil {
					panic(fail("%q stands where a coordinate should", clip(fields[k+1])))
				}
				x[k] = v
			}
			nodes = append(nodes, x)
		case "f":
			if len(fields) < 4 {
				panic(fail("a face has %d corners", len(fields)-1))
			}
			polygon := make([]int32, 0, len(fields)-1)
			for _, f := range fields[1:] {
				corner, _, _ := bytes.Cut(f, []byte("/"))
				v, err := strconv.ParseInt(text(corner), 10, 32)
				if err != nil || v == 0 {
					panic(fail("%q stands where a vertex number should", clip(f)))
				}
				if v < 0 {
					v += int64(len(nodes)) + 1 // counted back from the last vertex so far
				}
				if v < 1 {
					panic(fail("the face names vertex %d", v))
				}
				polygon = append(polygon, int32(v-1))
			}
			faces = append(faces, polygon)
			lines = append(lines, number)
		}
	}
	b.setNodes(nodes, 1)
	for i, f := range faces {
		for _, n := range f {
			if int(n) >= len(nodes) {
				s.line = lines[i]
				panic(s.fail("export the surface again with all its vertices", "the face names vertex %d, but the file has %d", n+1, len(nodes)))
			}
		}
		b.addFacet(f)
	}
	return b
}
