package rigid

import (
	"fmt"
	"math"

	"hapco/physics/files/mesh"
	"hapco/physics/numerics/fem"
)

// steel is the material of what rings.
var steel = fem.Material{Name: "steel", Young: 210e9, Poisson: 0.3, Density: 7800}

// forkMesh has cells of a sixteenth of a prong's length: two prongs of one with two between them, a yoke, a stem.
func forkMesh(prong float64) (*mesh.Mesh, error) {
	const n = 16
	return cells([3]int{4, n + 8, 1}, prong/n, func(i, j, _ int) bool {
		return j >= 8 && (i == 0 || i == 3) || j == 7 || j < 7 && (i == 1 || i == 2)
	})
}

// bellMesh is a bell of a radius and a thickness, m, its rim below.
func bellMesh(radius, thick float64) (*mesh.Mesh, error) {
	if !(radius > 0 && thick > 0 && thick < radius/2) {
		return nil, fmt.Errorf("rigid: a bell of radius %g m and thickness %g m (cure: above 0, thin)", radius, thick)
	}
	const around, along = 24, 8
	m := &mesh.Mesh{}
	for j := range along + 1 {
		s := float64(j) / along
		r := radius * (0.35 + 0.65*s*s) // narrow above, wide at the rim
		y := 1.2 * radius * (0.5 - s)
		for k := range 2 {
			for i := range around {
				sin, cos := math.Sincos(2 * math.Pi * float64(i) / around)
				m.Nodes = append(m.Nodes, vec3{(r + thick*float64(k)) * cos, y, (r + thick*float64(k)) * sin})
			}
		}
	}
	node := func(i, j, k int) int32 { return int32((j*2+k)*around + i%around) }
	b := mesh.Block{Type: mesh.Hex8}
	for j := range along {
		for i := range around {
			b.Nodes = append(b.Nodes, node(i, j+1, 0), node(i, j+1, 1), node(i, j, 1), node(i, j, 0), node(i+1, j+1, 0), node(i+1, j+1, 1), node(i+1, j, 1), node(i+1, j, 0))
		}
	}
	m.Blocks = []mesh.Block{b}
	if m.Volume() < 0 {
		return nil, fmt.Errorf("rigid: the bell's elements are inverted")
	}
	return m, nil
}

// barMesh is a bar along x with edges, m.
func barMesh(size vec3) (*mesh.Mesh, error) {
	return mesh.Box(size.Mul(-0.5), size, [3]int{24, 2, 2})
}

// cells is the mesh of those cubes of a grid that keep names.
func cells(n [3]int, size float64, keep func(i, j, k int) bool) (*mesh.Mesh, error) {
	full, err := mesh.Box(vec3{}, vec3{float64(n[0]), float64(n[1]), float64(n[2])}.Mul(size), n)
	if err != nil {
		return nil, err
	}
	m := &mesh.Mesh{}
	number := map[int32]int32{}
	b := mesh.Block{Type: mesh.Hex8}
	for e := range full.Blocks[0].Len() {
		if !keep(e%n[0], e/n[0]%n[1], e/n[0]/n[1]) {
			continue
		}
		for _, node := range full.Blocks[0].Element(e) {
			id, ok := number[node]
			if !ok {
				id = int32(len(m.Nodes))
				number[node] = id
				m.Nodes = append(m.Nodes, full.Nodes[node])
			}
			b.Nodes = append(b.Nodes, id)
		}
	}
	m.Blocks = []mesh.Block{b}
	return m, nil
}

// surfaceOf is the boundary of a mesh, triangles of its nodes, outwards.
func surfaceOf(m *mesh.Mesh) [][3]int32 {
	s := m.Surface()
	for i, t := range s.Triangles {
		s.Triangles[i] = [3]int32{s.Nodes[t[0]], s.Nodes[t[1]], s.Nodes[t[2]]}
	}
	return s.Triangles
}
