package collision

import "github.com/go-gl/mathgl/mgl64"

//go:generate go run asm/kernels.go -out kernels_amd64.s -stubs kernels_stubs_amd64.go -pkg collision

// refitGo makes the boxes of all nodes right, widened by margin. It has a twin in assembly for processors with AVX2,
// with the same result to the last bit.
func (t *Tree) refitGo(positions []mgl64.Vec3, margin float64) {
	// children come after their parent
	for i := len(t.nodes) - 1; i >= 0; i-- {
		n := &t.nodes[i]
		if n.count == 0 {
			n.box = t.nodes[i+1].box
			n.unite(&t.nodes[n.right].box)
			continue
		}
		n.box = emptyBox()
		for _, id := range t.order[n.first : n.first+n.count] {
			for _, node := range &t.triangles[id] {
				n.add(positions[node])
			}
		}
		for k := range 3 {
			n.lo[k] -= margin
			n.hi[k] += margin
		}
	}
}
