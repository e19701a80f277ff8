package scene

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// ring is one circle of nodes around the tool's axis.
type ring struct {
	radius, y float64 // m
	nodes     int
}

// tipSpacing is the distance of nodes on the tip, m.
func (t *Tool) tipSpacing() float64 {
	if t.Spacing > 0 {
		return t.Spacing
	}
	return t.Radius / 3
}

// toolNodes estimates the nodes of a tool's surface without making them.
func toolNodes(t *Tool) float64 {
	h := t.tipSpacing()
	return 15*(t.Radius/h)*(t.Radius/h) + shaftRings*2*math.Pi*t.Radius/h
}

const (
	shaftRings = 8    // along a shaft; it only has to look round
	ballShaft  = 0.35 // shaft's radius of a Ball, in tip radii
	leastRing  = 6    // nodes on the smallest ring
	leastShaft = 16   // nodes around a shaft
)

// Surface makes the tool's closed surface: nodes in the tool's frame, m, and
// triangles counter-clockwise seen from outside. The first node is the lowest
// point of the tip; nodes follow ring by ring upwards, so that the same tool
// always has the same numbers.
func (t *Tool) Surface() (nodes []mgl64.Vec3, triangles [][3]int32) {
	h := t.tipSpacing()
	arc := math.Pi / 2 // polar angle at which the tip ends
	shaft := t.Radius
	if t.Kind == BallTool {
		shaft = ballShaft * t.Radius
		arc = math.Pi - math.Asin(ballShaft)
	}
	count := max(3, int(math.Round(arc*t.Radius/h)))
	var rings []ring
	for k := 1; k <= count; k++ {
		polar := arc * float64(k) / float64(count)
		r := ring{radius: t.Radius * math.Sin(polar), y: -t.Radius * math.Cos(polar)}
		if k == count {
			r.radius = shaft // the tip ends on the shaft to the last bit
			if t.Kind == ProbeTool {
				r.y = 0
			}
		}
		r.nodes = max(leastRing, int(math.Round(2*math.Pi*r.radius/h)))
		rings = append(rings, r)
	}
	base := rings[len(rings)-1].y
	around := max(leastShaft, rings[len(rings)-1].nodes)
	for k := 1; k <= shaftRings; k++ {
		// Rings get farther apart upwards: only those near the tip can touch.
		s := float64(k) / shaftRings
		rings = append(rings, ring{radius: shaft, y: base + (t.Length-base)*s*s, nodes: around})
	}
	return revolve(rings)
}

// revolve makes a surface of rings from the lower pole upwards and closes it
// with a node in the middle of the last ring.
func revolve(rings []ring) (nodes []mgl64.Vec3, triangles [][3]int32) {
	first := rings[0]
	// The pole of a sphere through the first ring is not known here; the tip's
	// lowest point is where the meridian through two rings meets the axis.
	nodes = append(nodes, mgl64.Vec3{0, pole(first, rings[1]), 0})
	start := int32(1)
	before := int32(0)
	for k, r := range rings {
		for i := range r.nodes {
			a := angleOf(r, k, i)
			nodes = append(nodes, mgl64.Vec3{r.radius * math.Cos(a), r.y, r.radius * math.Sin(a)})
		}
		if k == 0 {
			for i := range r.nodes {
				j := (i + 1) % r.nodes
				triangles = append(triangles, [3]int32{0, start + int32(i), start + int32(j)})
			}
		} else {
			triangles = zip(triangles, rings[k-1], k-1, before, r, k, start)
		}
		before = start
		start += int32(r.nodes)
	}
	last := rings[len(rings)-1]
	top := int32(len(nodes))
	nodes = append(nodes, mgl64.Vec3{0, last.y, 0})
	for i := range last.nodes {
		j := (i + 1) % last.nodes
		triangles = append(triangles, [3]int32{top, before + int32(j), before + int32(i)})
	}
	return nodes, triangles
}

// pole is where the circle about the axis through two points of a meridian
// crosses the axis below them.
func pole(a, b ring) float64 {
	// Centre (0, c) with a.radius^2 + (a.y-c)^2 = b.radius^2 + (b.y-c)^2.
	c := (b.radius*b.radius - a.radius*a.radius + b.y*b.y - a.y*a.y) / (2 * (b.y - a.y))
	return c - math.Hypot(a.radius, a.y-c)
}

// angleOf turns every second ring by half a step, which makes better triangles.
func angleOf(r ring, k, i int) float64 {
	return 2 * math.Pi * (float64(i) + 0.5*float64(k%2)) / float64(r.nodes)
}

// zip fills the band between a lower and an upper ring with triangles, always
// taking the shorter step around.
func zip(triangles [][3]int32, low ring, kLow int, lowStart int32, up ring, kUp int, upStart int32) [][3]int32 {
	i, j := 0, 0
	for i < low.nodes || j < up.nodes {
		a, b := lowStart+int32(i%low.nodes), upStart+int32(j%up.nodes)
		stepLow := i < low.nodes && (j == up.nodes || angleOf(low, kLow, i+1) <= angleOf(up, kUp, j+1))
		if stepLow {
			i++
			triangles = append(triangles, [3]int32{a, b, lowStart + int32(i%low.nodes)})
		} else {
			j++
			triangles = append(triangles, [3]int32{a, b, upStart + int32(j%up.nodes)})
		}
	}
	return triangles
}
