package mesh

import (
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// maxBoxNodes keeps a slip of the keyboard from filling the memory.
const maxBoxNodes = 20_000_000

// Box makes a structured mesh of hexahedra that fills [origin, origin+size], in m.
//
// Node (i, j, k) has the id i + (nx+1)*(j + (ny+1)*k), element (i, j, k) the id i + nx*(j + ny*k); the nodes of an
// element are in thesis order (figure 1.2): (i,j,k), (i+1,j,k), (i+1,j+1,k), (i,j+1,k), then the same at k+1. The sides
// are node sets: left and right (X), bottom and top (Y), back and front (Z); "end" is another name of the left side,
// the one that the thesis's benches may clamp.
func Box(origin, size mgl64.Vec3, elements [3]int) (*Mesh, error) {
	nx, ny, nz := elements[0], elements[1], elements[2]
	count := 1.0
	for k := range 3 {
		if elements[k] < 1 {
			return nil, fmt.Errorf("mesh: box: elements = %v (give at least 1 along each axis)", elements)
		}
		if !(size[k] > 0) || math.IsInf(size[k], 0) {
			return nil, fmt.Errorf("mesh: box: size = %v m (give three lengths above 0)", size)
		}
		if math.IsNaN(origin[k]) || math.IsInf(origin[k], 0) {
			return nil, fmt.Errorf("mesh: box: origin = %v m (give three finite lengths)", origin)
		}
		count *= float64(elements[k]) + 1
	}
	if count > maxBoxNodes {
		return nil, fmt.Errorf("mesh: box: elements = %v make %.3g nodes (at most %d)", elements, count, maxBoxNodes)
	}

	m := &Mesh{Nodes: make([]mgl64.Vec3, 0, int(count)), NodeSets: map[string][]int32{}}
	at := func(axis, i int) float64 {
		// i*size/n and not i*(size/n): the last node then lies on the far side to the last bit.
		return origin[axis] + size[axis]*float64(i)/float64(elements[axis])
	}
	for k := range nz + 1 {
		for j := range ny + 1 {
			for i := range nx + 1 {
				id := int32(len(m.Nodes))
				m.Nodes = append(m.Nodes, mgl64.Vec3{at(0, i), at(1, j), at(2, k)})
				m.addSide(id, "left", "right", i, nx)
				m.addSide(id, "bottom", "top", j, ny)
				m.addSide(id, "back", "front", k, nz)
			}
		}
	}
	m.NodeSets["end"] = append([]int32(nil), m.NodeSets["left"]...)

	node := func(i, j, k int) int32 { return int32(i + (nx+1)*(j+(ny+1)*k)) }
	conn := make([]int32, 0, 8*nx*ny*nz)
	for k := range nz {
		for j := range ny {
			for i := range nx {
				for h := k; h <= k+1; h++ {
					conn = append(conn, node(i, j, h), node(i+1, j, h), node(i+1, j+1, h), node(i, j+1, h))
				}
			}
		}
	}
	m.Blocks = []Block{{Type: Hex8, Nodes: conn}}
	return m, nil
}

// addSide puts a grid node on the sides of one axis that it lies on.
func (m *Mesh) addSide(id int32, low, high string, i, n int) {
	if i == 0 {
		m.NodeSets[low] = append(m.NodeSets[low], id)
	}
	if i == n {
		m.NodeSets[high] = append(m.NodeSets[high], id)
	}
}
