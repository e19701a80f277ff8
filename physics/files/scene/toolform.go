package scene

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// closedSurface is what a tool in closed form is drawn with. All nodes lie on the form itself.
func (t *Tool) closedSurface() (nodes []mgl64.Vec3, triangles [][3]int32) {
	h := t.nodeSpacing()
	switch t.Kind {
	case BoxTool:
		return t.boxSurface()
	case CylinderTool:
		around := max(leastShaft, int(math.Round(2*math.Pi*t.Radius/h)))
		return revolve(0, wall(nil, t.Radius, 0, t.Length, around, h), t.Length)
	}
	count := max(4, int(math.Round(math.Pi/2*t.Radius/h))) // rings from pole to equator
	var rings []ring
	for k := 1; k < count; k++ {
		rings = append(rings, capRing(t.Radius, -t.Radius*math.Cos(math.Pi/2*float64(k)/float64(count)), 0, h))
	}
	around := max(leastShaft, int(math.Round(2*math.Pi*t.Radius/h)))
	top := t.Radius
	if t.Kind == SphereTool {
		rings = append(rings, ring{radius: t.Radius, y: 0, nodes: around})
	} else {
		rings = wall(rings, t.Radius, 0, t.Length, around, h)
		top += t.Length
	}
	for k := count - 1; k > 0; k-- {
		rings = append(rings, capRing(t.Radius, t.Radius*math.Cos(math.Pi/2*float64(k)/float64(count)), top-t.Radius, h))
	}
	return revolve(-t.Radius, rings, top)
}

// capRing is the ring of a sphere about (0, centre, 0) at the height y above that.
func capRing(radius, y, centre, spacing float64) ring {
	r := math.Sqrt(radius*radius - y*y)
	return ring{radius: r, y: centre + y, nodes: max(leastRing, int(math.Round(2*math.Pi*r/spacing)))}
}

// wall appends the rings of a cylinder from low to high, both included.
func wall(rings []ring, radius, low, high float64, around int, spacing float64) []ring {
	n := max(1, int(math.Round((high-low)/spacing)))
	for k := range n + 1 {
		rings = append(rings, ring{radius: radius, y: low + (high-low)*float64(k)/float64(n), nodes: around})
	}
	return rings
}

// station is one line of the grid on a box along one axis: where it stands on the core, and how far the surface's
// normal leans to that side.
type station struct{ at, lean float64 }

// boxSurface blows the grid on the core up by the edges' radius. Grid lines in the rounding stand at equal angles.
func (t *Tool) boxSurface() (nodes []mgl64.Vec3, triangles [][3]int32) {
	h, round := t.nodeSpacing(), t.Radius
	arcs := 0
	if round > 0 {
		arcs = max(2, int(math.Round(math.Pi/4*round/h)))
	}
	var lines [3][]station
	for k := range 3 {
		half := t.Size[k]/2 - round
		lean := func(i int) float64 { return math.Tan(math.Pi / 4 * float64(i) / float64(max(arcs, 1))) }
		for i := arcs; i > 0; i-- {
			lines[k] = append(lines[k], station{-half, -lean(i)})
		}
		cells := int(math.Round(2 * half / h))
		if half > 0 {
			cells = max(cells, 1)
		}
		for i := range cells + 1 {
			s := station{at: -half}
			if cells > 0 {
				s.at += 2 * half * float64(i) / float64(cells)
			}
			lines[k] = append(lines[k], s)
		}
		for i := 1; i <= arcs; i++ {
			lines[k] = append(lines[k], station{half, lean(i)})
		}
	}
	ids := map[[3]int]int32{}
	node := func(g [3]int) int32 {
		id, ok := ids[g]
		if !ok {
			id = int32(len(nodes))
			ids[g] = id
			nodes = append(nodes, boxNode(&lines, g, round))
		}
		return id
	}
	for axis := range 3 {
		u, v := (axis+1)%3, (axis+2)%3
		for _, side := range [2]int{0, len(lines[axis]) - 1} {
			for i := range len(lines[u]) - 1 {
				for j := range len(lines[v]) - 1 {
					corner := func(a, b int) int32 {
						var g [3]int
						g[axis], g[u], g[v] = side, i+a, j+b
						return node(g)
					}
					a, b, c, d := corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)
					if side == 0 {
						b, d = d, b
					}
					triangles = append(triangles, [3]int32{a, b, c}, [3]int32{a, c, d})
				}
			}
		}
	}
	return nodes, triangles
}

// boxNode is the node at three grid lines, one of them the first or last.
func boxNode(lines *[3][]station, g [3]int, round float64) mgl64.Vec3 {
	var core, out mgl64.Vec3
	for k := range 3 {
		s := lines[k][g[k]]
		core[k], out[k] = s.at, s.lean
		if round == 0 {
			continue
		}
		if g[k] == 0 {
			out[k] = -1
		} else if g[k] == len(lines[k])-1 {
			out[k] = 1
		}
	}
	if round == 0 {
		return core
	}
	return core.Add(out.Normalize().Mul(round))
}
