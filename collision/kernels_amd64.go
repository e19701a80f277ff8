package collision

import (
	"unsafe"

	"github.com/go-gl/mathgl/mgl64"
	"golang.org/x/sys/cpu"
)

// fast tells that the processor has what the assembly needs. Tests turn it off to compare the twins.
var fast = cpu.X86.HasAVX2

// refit trusts NewTree that no triangle has a node beyond the last.
func (t *Tree) refit(positions []mgl64.Vec3, margin float64) {
	if !fast {
		t.refitGo(positions, margin)
		return
	}
	_ = positions[t.last]
	refitAVX((*byte)(unsafe.Pointer(&t.nodes[0])), len(t.nodes), &t.order[0], &t.triangles[0][0], &positions[0][0], margin)
}
