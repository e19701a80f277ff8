package mesh

// DecodeTetGen reads a TetGen mesh from the content of its two files. Boundary
// markers become node sets (point-1), regions element sets (volume-1).
func DecodeTetGen(nodeName string, nodes []byte, eleName string, elements []byte) (*Mesh, error) {
	b, err := reading(func() *builder { return parseTetGen(nodeName, nodes, eleName, elements) })
	if err != nil {
		return nil, err
	}
	return b.sound()
}

// parse is Decode without Check: it returns what the file says, however bad the elements are, for examination and
// conversion. Node indices are in range.
func parse(name string, data []byte) (*Mesh, error) {
	b, err := read(name, data)
	if err != nil {
		return nil, err
	}
	return b.finish()
}
