package scene

import (
	"fmt"
	"math"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/collision"
	"hapco/physics"
	"hapco/physics/files/setting"
)

// ring is one circle of nodes around the tool's axis.
type ring struct {
	radius, y float64 // m
	nodes     int
}

// closedForm tells that others touch the tool itself and not the mesh that it is drawn with.
func (t *Tool) closedForm() bool { return t.Kind >= SphereTool }

// Solid is the tool in closed form, in the tool's frame; nil where it has none.
func (t *Tool) Solid() *collision.Solid {
	switch t.Kind {
	case SphereTool:
		return collision.Sphere(t.Radius)
	case CapsuleTool:
		return collision.Capsule(t.Radius, t.Length)
	case CylinderTool:
		return collision.Cylinder(t.Radius, t.Length)
	case BoxTool:
		return collision.Box(t.Size, t.Radius)
	}
	return nil
}

// nodeSpacing is the distance of nodes on the tip, m; of a tool in closed form, of those that it is drawn with and of
// the points along its edges.
func (t *Tool) nodeSpacing() float64 {
	switch {
	case t.Spacing > 0:
		return t.Spacing
	case t.Kind == BoxTool:
		return (t.Size[0] + t.Size[1] + t.Size[2]) / 24
	case t.Kind == SphereTool, t.Kind == CapsuleTool, t.Kind == ScoopTool:
		return t.Radius / 4
	case t.Kind == CylinderTool:
		return t.Radius / 8
	}
	return t.Radius / 3
}

// toolNodes estimates the nodes of a tool's surface without making them.
func toolNodes(t *Tool) float64 {
	h := t.nodeSpacing()
	r, l := t.Radius/h, t.Length/h
	switch t.Kind {
	case SphereTool:
		return 15 * r * r
	case CapsuleTool:
		return 15*r*r + 2*math.Pi*r*(l+1)
	case CylinderTool:
		return 2 * math.Pi * r * (l + 2)
	case ScoopTool:
		return (scoopLong*r*2 + l/2 + 2) * (5*r + leastLoop)
	case BoxTool:
		a, b, c := t.Size[0]/h+2, t.Size[1]/h+2, t.Size[2]/h+2
		return 2 * (a*b + b*c + c*a)
	}
	return 15*r*r + shaftRings*2*math.Pi*r
}

const (
	shaftRings = 8    // along a shaft; it only has to look round
	ballShaft  = 0.35 // shaft's radius of a Ball, in tip radii
	leastRing  = 6    // nodes on the smallest ring
	leastShaft = 16   // nodes around a shaft
)

// surface makes the tool's closed surface: nodes in the tool's frame, m, and triangles counter-clockwise seen from
// outside. The first node is the lowest point of the tip; nodes follow ring by ring upwards, so that the same tool
// always has the same numbers.
func (t *Tool) surface() (nodes []mgl64.Vec3, triangles [][3]int32) {
	if t.closedForm() {
		return t.closedSurface()
	}
	if t.Kind == ScoopTool {
		return t.scoopSurface()
	}
	h := t.nodeSpacing()
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
	// The pole of a sphere through the first ring is not known here; the tip's lowest point is where the meridian
	// through two rings meets the axis.
	return revolve(pole(rings[0], rings[1]), rings, rings[len(rings)-1].y)
}

// revolve makes a surface of rings, from a node on the axis at bottom upwards to one at the height end.
func revolve(bottom float64, rings []ring, end float64) (nodes []mgl64.Vec3, triangles [][3]int32) {
	nodes = append(nodes, mgl64.Vec3{0, bottom, 0})
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
	nodes = append(nodes, mgl64.Vec3{0, end, 0})
	for i := range last.nodes {
		j := (i + 1) % last.nodes
		triangles = append(triangles, [3]int32{top, before + int32(j), before + int32(i)})
	}
	return nodes, triangles
}

// pole is where the circle about the axis through two points of a meridian crosses the axis below them.
func pole(a, b ring) float64 {
	// Centre (0, c) with a.radius^2 + (a.y-c)^2 = b.radius^2 + (b.y-c)^2.
	c := (b.radius*b.radius - a.radius*a.radius + b.y*b.y - a.y*a.y) / (2 * (b.y - a.y))
	return c - math.Hypot(a.radius, a.y-c)
}

// angleOf turns every second ring by half a step, which makes better triangles.
func angleOf(r ring, k, i int) float64 {
	return 2 * math.Pi * (float64(i) + 0.5*float64(k%2)) / float64(r.nodes)
}

// zip fills the band between a lower and an upper ring with triangles, always taking the shorter step around.
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

// Tools are rigid tools about as large as a driven body's own, which begin as far from the tissue below. Its keys have
// a prefix, which those that have it keep; numbers are in units.
func Tools(b *Body, prefix string, units setting.Units) []physics.Tool {
	t, unit := &b.Shape.Tool, units.ToSI(setting.Length)
	r, below := t.Radius, t.below()
	if t.Kind == BoxTool {
		r = (t.Size[0] + t.Size[1] + t.Size[2]) / 12
	}
	set := func(key, format string, x ...any) string {
		return prefix + strings.TrimPrefix(key, prefix) + "=" + fmt.Sprintf(format, x...)
	}
	vector := func(key string, v mgl64.Vec3) string {
		return set(key, "[%.6g, %.6g, %.6g]", v[0]/unit, v[1]/unit, v[2]/unit)
	}
	start := func(low float64) string {
		return vector("position", b.Pose.Position.Add(b.Pose.Rotation.Rotate(mgl64.Vec3{0, low - below, 0})))
	}
	spacing := set("tool.spacing", "0") // the old one may be too fine or too coarse for another tool
	form := func(kind ToolKind, radius, length float64) []string {
		like := Tool{Kind: kind, Radius: radius}
		return []string{spacing, set("tool.length", "%.6g m", length), set("tool.kind", "%s", toolWords[kind]), set("tool.radius", "%.6g m", radius), start(like.below())}
	}
	return []physics.Tool{
		{Name: "probe", About: "A shaft with a round tip; nodes of its mesh touch.", Changes: form(ProbeTool, r, 18*r)},
		{Name: "ball", About: "A ball in closed form.", Changes: form(SphereTool, 1.6*r, 18*r)},
		{Name: "capsule", About: "A short rod with round ends, in closed form.", Changes: form(CapsuleTool, r, 5*r)},
		{Name: "spatula", About: "A flat blade with round edges, in closed form.", Changes: []string{
			spacing, vector("tool.size", mgl64.Vec3{0.8 * r, 9 * r, 3 * r}), set("tool.radius", "%.6g m", 0.35*r), set("tool.kind", "box"), start(4.5 * r)}},
		{Name: "scoop", About: "A spoon: its bowl is hollow in front, and its edge digs in. Nodes and edges of its mesh touch.", Changes: form(ScoopTool, 1.8*r, 18*r)},
		{Name: "needle", About: "A thin rod with a round tip, in closed form; it does not pierce.", Changes: form(CapsuleTool, 0.25*r, 14*r)},
	}
}

// OwnTool is a surface of the user's own: key is that of its file.
func OwnTool(key string, changes ...string) physics.Tool {
	return physics.Tool{Name: "own STL or OBJ …", About: "A surface of your own, rigid, in its own axes: its origin is where the stylus is.", Own: key, Changes: changes}
}
