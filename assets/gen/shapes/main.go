// Shapes makes the embedded meshes that follow a formula: a bent vessel, a block, a lobe and a kidney. Run it from the module's root:
//
//	go run ./assets/gen/shapes
//
// It writes them to assets/meshes/NAME.msh.gz (Gmsh 2.2, mm) with the node set "support", by which they are held: the
// vessel's wall, one cell thick, of hexahedra, which bend, the others of tetrahedra.
package main

import (
	"bytes"
	"compress/gzip"
	"log"
	"math"
	"path/filepath"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/files/atomicfile"
	"hapco/physics/files/mesh"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("shapes: ")
	for name, m := range map[string]*mesh.Mesh{"vessel": vessel(), "block": split(block()), "lobe": split(lobe()), "kidney": split(kidney())} {
		if err := write(filepath.Join("assets/meshes", name+".msh.gz"), m); err != nil {
			log.Fatal(err)
		}
	}
}

// A vessel of circular section along a bend, mm. Its ends are the support.
const (
	lumen  = 5.0
	wall   = 2.0
	long   = 110.0
	rise   = 12.0 // of the far end
	around = 14
	along  = 24
)

func vessel() *mesh.Mesh {
	m := &mesh.Mesh{}
	node := func(i, j, layer int) int32 { return int32((i*around+j%around)*2 + layer) }
	var ends []int32
	for i := range along + 1 {
		s := float64(i) / along
		centre := mgl64.Vec3{long * s, rise * (1 - math.Cos(math.Pi*s)) / 2, 0}
		slope := rise * math.Pi / 2 * math.Sin(math.Pi*s) / long
		up := mgl64.Vec3{-slope, 1, 0}.Normalize()
		for j := range around {
			phi := 2 * math.Pi * float64(j) / around
			out := up.Mul(math.Cos(phi)).Add(mgl64.Vec3{0, 0, math.Sin(phi)})
			m.Nodes = append(m.Nodes, centre.Add(out.Mul(lumen)), centre.Add(out.Mul(lumen+wall)))
			if i == 0 || i == along {
				ends = append(ends, node(i, j, 0), node(i, j, 1))
			}
		}
	}
	var hexes []int32
	for i := range along {
		for j := range around {
			hexes = append(hexes, node(i, j, 0), node(i+1, j, 0), node(i+1, j, 1), node(i, j, 1),
				node(i, j+1, 0), node(i+1, j+1, 0), node(i+1, j+1, 1), node(i, j+1, 1))
		}
	}
	m.Blocks = []mesh.Block{{Type: mesh.Hex8, Nodes: hexes}}
	m.NodeSets = map[string][]int32{"support": ends}
	return m
}

// box is a grid of cells, bent; what it is held by is the lower side across an axis.
func box(low, size mgl64.Vec3, cells [3]int, axis int, bend func(u mgl64.Vec3) mgl64.Vec3) *mesh.Mesh {
	m, err := mesh.Box(low, size, cells)
	if err != nil {
		log.Fatal(err)
	}
	var held []int32
	for i, u := range m.Nodes {
		if u[axis] == low[axis] {
			held = append(held, int32(i))
		}
		m.Nodes[i] = bend(u)
	}
	m.NodeSets = map[string][]int32{"support": held}
	return m
}

// block is 80 x 40 x 60 mm about the y axis, held by its base.
func block() *mesh.Mesh {
	return box(mgl64.Vec3{-40, 0, -30}, mgl64.Vec3{80, 40, 60}, [3]int{9, 5, 7}, 1, func(u mgl64.Vec3) mgl64.Vec3 { return u })
}

// lobe is a tongue 78 mm long along x, held by its root, that gets thinner to its rim and its tip.
func lobe() *mesh.Mesh {
	return box(mgl64.Vec3{-1, -1, -1}, mgl64.Vec3{2, 2, 2}, [3]int{11, 2, 4}, 0, func(u mgl64.Vec3) mgl64.Vec3 {
		s, t, middle := (1+u[0])/2, u[2], 1-u[1]*u[1]
		wide := 17 - 8*math.Pow(s, 5) + 3*math.Sin(math.Pi*s) + 2*middle
		thick := (14 - 4*s*s) * (1 - 0.5*math.Pow(t, 6)) * (1 - 0.3*math.Pow(s, 8))
		return mgl64.Vec3{-50 + 76*s - 9*s*s*s*t*t + 2*middle*math.Pow(s, 8), 21 - 2*s*s + u[1]*thick/2, wide*t + 3*s*s}
	})
}

// kidney lies under the lobe, 28 mm high, round above and about its rim, held by its flat base.
func kidney() *mesh.Mesh {
	return box(mgl64.Vec3{-1, -1, -1}, mgl64.Vec3{2, 2, 2}, [3]int{10, 4, 7}, 1, func(u mgl64.Vec3) mgl64.Vec3 {
		const round = 0.32 // of the plan's corners
		up := (1 + u[1]) / 2
		belly := 0.88 + 0.12*math.Sin(math.Pi*(0.12+0.75*up))
		x := u[0] * math.Sqrt(1-round*u[2]*u[2]) * belly
		z := u[2] * math.Sqrt(1-round*u[0]*u[0]) * belly
		top := 11 - 5.5*math.Pow(u[0], 4) - 6*math.Pow(u[2], 4)
		return mgl64.Vec3{10 + 42*x, -18 + up*(top+18), 30*z + 6*x*x - 2}
	})
}

// split makes six tetrahedra of each hexahedron, about the diagonal from its first corner. Neighbours in a grid then
// share triangles.
func split(m *mesh.Mesh) *mesh.Mesh {
	hexes := m.Blocks[0]
	var tets []int32
	for e := range hexes.Len() {
		n := hexes.Element(e)
		for _, ring := range [6][2]int{{1, 2}, {2, 3}, {3, 7}, {7, 4}, {4, 5}, {5, 1}} {
			a, b, c, d := n[0], n[ring[0]], n[ring[1]], n[6]
			x := m.Nodes[a]
			if m.Nodes[b].Sub(x).Cross(m.Nodes[c].Sub(x)).Dot(m.Nodes[d].Sub(x)) < 0 {
				b, c = c, b
			}
			tets = append(tets, a, b, c, d)
		}
	}
	m.Blocks = []mesh.Block{{Type: mesh.Tet4, Nodes: tets}}
	return m
}

func write(file string, m *mesh.Mesh) error {
	var text, packed bytes.Buffer
	if err := m.WriteGmsh(&text); err != nil {
		return err
	}
	back, err := mesh.Decode(file, text.Bytes())
	if err != nil {
		return err
	}
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := z.Write(text.Bytes()); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	log.Printf("%s: %d bytes, %d nodes, %d elements, support of %d nodes", file, packed.Len(), len(back.Nodes), back.Elements(), len(back.NodeSets["support"]))
	return atomicfile.Write(file, atomicfile.Bytes(packed.Bytes()))
}
