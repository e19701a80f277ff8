package mesh

import "hapco/physics/machinery/refusal"

// DecodeTetGen reads a TetGen mesh from the content of its two files. Boundary
// markers become node sets (point-1), regions element sets (volume-1).
func DecodeTetGen(nodeName string, nodes []byte, eleName string, elements []byte) (*Mesh, error) {
	return refusal.Caught(func() *Mesh { return parseTetGen(nodeName, nodes, eleName, elements).inRange().sound() })
}

// parse is Decode without Check: it returns what the file says, however bad the elements are, for examination and
// conversion. Node indices are in range.
func parse(name string, data []byte) (*Mesh, error) {
	return refusal.Caught(func() *Mesh { return read(name, data).finish() })
}
