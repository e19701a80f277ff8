package collision

import (
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/collision"
)

// edgeReach is the distance up to which two edges count as near, over the size of the surface.
const edgeReach = 0.004

// edges measures a tool's edges against those of the surface: pairs of near triangles, and of these the closest points
// of their edges.
func (c *Command) edges(s *testSurface, m *motion) Point {
	side := int(math.Sqrt(Queries))
	var toolTriangles [][3]int32
	for k := range side - 1 {
		for i := range side - 1 {
			a := int32(i + side*k)
			b := a + int32(side)
			toolTriangles = append(toolTriangles, [3]int32{a, b + 1, a + 1}, [3]int32{a, b, b + 1})
		}
	}
	toolAt := append([]mgl64.Vec3(nil), m.Points[0]...)
	tool := collision.NewMoving(toolTriangles, toolAt, func(int32) {})
	toolEdges, _, toolOwns := collision.Edges(toolTriangles)

	l := newLocated(s, m)
	surface := collision.NewMoving(s.Triangles, l.known, l.locate)
	edges, _, owns := collision.Edges(s.Triangles)
	p := Point{Name: s.name, Kind: kindEdges, Triangles: len(s.Triangles), Queries: len(toolEdges)}
	reach := edgeReach * s.Size
	var pairs [][2]int32
	met := make([]bool, len(toolEdges))
	t := c.repeat(func(f int) {
		l.next(f)
		copy(toolAt, m.Points[f])
	}, func(f int) {
		tool.Refit(toolAt)
		surface.Drift(m.Drift[f])
	}, func(f int) {
		clear(met)
		pairs = surface.Near(pairs[:0], l.known, tool, toolAt, reach)
		for _, pair := range pairs {
			for _, i := range owns[pair[0]] {
				if i < 0 {
					break
				}
				a, b := l.known[edges[i].Node[0]], l.known[edges[i].Node[1]]
				for _, j := range toolOwns[pair[1]] {
					if j < 0 {
						break
					}
					if _, _, d := collision.ClosestSegments(a, b, toolAt[toolEdges[j].Node[0]], toolAt[toolEdges[j].Node[1]]); d <= reach*reach {
						met[j] = true
					}
				}
			}
		}
	})
	t.report(&p)
	for _, near := range met {
		if near {
			p.Near++
		}
	}
	p.Located = l.median()
	return p
}

// around measures the triangles of the surface within reach of a tool in closed form: a capsule over the dent.
func (c *Command) around(s *testSurface, m *motion) Point {
	l := newLocated(s, m)
	surface := collision.NewMoving(s.Triangles, l.known, l.locate)
	p := Point{Name: s.name, Kind: kindCapsule, Triangles: len(s.Triangles), Queries: 1}
	tool := collision.Capsule(0.05*s.Size, 0.1*s.Size)
	rotation := mgl64.QuatBetweenVectors(mgl64.Vec3{0, 1, 0}, s.n).Mat4().Mat3()
	var near []int32
	t := c.repeat(l.next, func(f int) {
		surface.Drift(m.Drift[f])
	}, func(f int) {
		foot := s.at.Add(s.n.Mul((0.05 - dentDepth + Nearest) * s.Size))
		near = surface.Reaching(near[:0], l.known, tool, rotation, foot, Nearest*2*s.Size)
	})
	t.report(&p)
	p.Near, p.Located = len(near), l.median()
	return p
}

// fields measures the signed distance of rigid tools: in closed form, and of a closed surface.
func (c *Command) fields() ([]Point, error) {
	sizes := []int{1000, 10000, 100000}
	if c.Quick {
		sizes = sizes[:1]
	}
	var out []Point
	for i, n := range append([]int{0}, sizes...) {
		if n > c.Triangles {
			continue
		}
		var shape collision.Shape = collision.Sphere(1)
		p := Point{Name: "sphere", Kind: KindClosed, Queries: Queries}
		if i > 0 {
			triangles, nodes := Ball(n)
			f, err := collision.NewField(triangles, nodes)
			if err != nil {
				return nil, fmt.Errorf("bench collision: %w", err)
			}
			shape = f
			p.Name, p.Kind, p.Triangles = fieldName, KindField, len(triangles)
		}
		t := c.repeat(func(int) { p.Near = 0 }, func(int) {}, func(f int) {
			sin, cos := math.Sincos(1e-3 * float64(f))
			for k := range Queries {
				u, v := 0.02*float64(k%6)+1e-3*sin, 0.02*float64(k/6)+1e-3*cos
				x := mgl64.Vec3{u, math.Sqrt(1 - u*u - v*v), v}.Mul(1 + 0.01*math.Sin(float64(k)))
				if _, _, d := shape.Closest(x); math.Abs(d) < Reach {
					p.Near++
				}
			}
		})
		t.report(&p)
		out = append(out, p)
	}
	return out, nil
}

// fieldName is that of the closed surfaces which the exponent of fields is of.
const fieldName = "ball"

// Ball is a unit sphere of about that many triangles between meridians and parallels.
func Ball(triangles int) (tri [][3]int32, nodes []mgl64.Vec3) {
	n := int(math.Sqrt(float64(triangles)) / 2) // parallels; twice as many meridians
	nodes = append(nodes, mgl64.Vec3{0, 1, 0}, mgl64.Vec3{0, -1, 0})
	for i := 1; i < n; i++ {
		for k := range 2 * n {
			sin, cos := math.Sincos(math.Pi * float64(i) / float64(n))
			sine, cosine := math.Sincos(math.Pi * float64(k) / float64(n))
			nodes = append(nodes, mgl64.Vec3{sin * cosine, cos, sin * sine})
		}
	}
	id := func(i, k int) int32 { return int32(2 + (i-1)*2*n + k%(2*n)) }
	for k := range 2 * n {
		tri = append(tri, [3]int32{0, id(1, k+1), id(1, k)}, [3]int32{1, id(n-1, k), id(n-1, k+1)})
		for i := 1; i < n-1; i++ {
			tri = append(tri, [3]int32{id(i, k), id(i, k+1), id(i+1, k)}, [3]int32{id(i, k+1), id(i+1, k+1), id(i+1, k)})
		}
	}
	return tri, nodes
}

// sweepName is that of the boxes.
const sweepName = "boxes"

// sweeps measures the pairs of boxes that overlap, of boxes that drift about and of which each overlaps a few.
func (c *Command) sweeps() []Point {
	counts := []int{2, 5, 10, 20, 50, 100, 200, 500}
	if c.Quick {
		counts = []int{2, 20, 200}
	}
	var out []Point
	for _, n := range counts {
		s := collision.NewSweep(n)
		width := math.Cbrt(float64(n)) // of the room that the boxes, of width 1, are in
		middle := func(i int, at float64) (x mgl64.Vec3) {
			for k := range 3 {
				_, place := math.Modf(float64(i+1) * []float64{0.8191725, 0.6710436, 0.5497005}[k])
				x[k] = width*place + 0.02*math.Sin(at+float64(i*(k+1)))
			}
			return x
		}
		p := Point{Name: sweepName, Kind: KindSweep, Boxes: n, Queries: n}
		half := mgl64.Vec3{0.5, 0.5, 0.5}
		t := c.repeat(func(int) {}, func(f int) {
			for i := range n {
				x := middle(i, 2*math.Pi*float64(f)/Frames)
				s.Set(i, x.Sub(half), x.Add(half))
			}
		}, func(int) {
			p.Near = len(s.Overlaps(0.01))
		})
		t.report(&p)
		out = append(out, p)
	}
	return out
}
