package finitestrain

import (
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/collision"
	"hapco/physics/files/scene"
	"hapco/physics/frame"
	"hapco/physics/numerics/fem/equilibrium"
)

// moving is a rigid tool on its way from one pose to another.
type moving struct {
	shape    collision.Shape // in the tool's frame
	from, to frame.Pose
	ends     [8]mgl64.Vec3 // corners of its box, m
	around   float64       // radius of a ball about its origin that holds it, m
	near     float64       // gaps below that are exact, m: those above are no larger than they are

	at    frame.Pose // at the share that was asked last
	turn  mgl64.Mat3 // its rotation
	asked float64
}

// roundTool is all within a radius, m, of a line from the tool's origin along its y axis.
type roundTool struct {
	*moving
	radius, length float64
}

// newTool makes the obstacle that a driven body is. from is the body's geometry.
func newTool(b *scene.Body, from *scene.Solid, near float64) (*moving, equilibrium.Obstacle, error) {
	t := &b.Shape.Tool
	m := &moving{near: near}
	var obstacle equilibrium.Obstacle = m
	generated := b.Shape.Kind == scene.ToolShape
	switch {
	case generated && t.Kind == scene.SphereTool:
		m.shape, obstacle = from.Solid, roundTool{m, t.Radius, 0}
	case generated && (t.Kind == scene.CapsuleTool || t.Kind == scene.ProbeTool): // nothing touches the end of a probe's shaft
		m.shape, obstacle = collision.Capsule(t.Radius, t.Length), roundTool{m, t.Radius, t.Length}
	case from.Solid != nil:
		size := extent(from.Solid.Bounds())
		m.shape = from.Solid.Blunt(leastRounding * min(size[0], size[1], size[2]))
	default:
		nodes := make([]mgl64.Vec3, len(from.Surface.Nodes))
		for i, n := range from.Surface.Nodes {
			nodes[i] = from.Mesh.Nodes[n]
		}
		field, err := collision.NewField(from.Surface.Triangles, nodes)
		if err != nil {
			return nil, nil, fmt.Errorf("tool: %w", err)
		}
		size := extent(field.Bounds())
		m.shape = skinned{field, leastRounding * min(size[0], size[1], size[2])}
	}
	lo, hi := m.shape.Bounds()
	for i := range m.ends {
		for k := range 3 {
			if m.ends[i][k] = lo[k]; i>>k&1 == 1 {
				m.ends[i][k] = hi[k]
			}
		}
		m.around = math.Max(m.around, m.ends[i].Len())
	}
	return m, obstacle, nil
}

// solid is the tool's shape: a core with a radius where it has one, else its surface.
func (w *world) solid() *Shape {
	if r, ok := w.meets.(roundTool); ok {
		return &Shape{Core: [2]mgl64.Vec3{{}, {0, r.length, 0}}, Round: r.radius}
	}
	return &Shape{Points: w.shape, Triangles: w.info.Surfaces[0].Triangles}
}

// shadow is the area of the largest shadow that a closed surface throws along an axis, m2; of one that is not convex an
// upper bound.
func shadow(x []mgl64.Vec3, triangles [][3]int32) float64 {
	var sum mgl64.Vec3
	for _, t := range triangles {
		n := x[t[1]].Sub(x[t[0]]).Cross(x[t[2]].Sub(x[t[0]]))
		for c := range sum {
			sum[c] += math.Abs(n[c]) / 4
		}
	}
	return max(sum[0], sum[1], sum[2])
}

// leastRounding of edges, as a share of the shortest extent: normals turn about an edge and do not jump. A mesh gets a
// skin of that thickness.
const leastRounding = 1. / 50

// extent of a box.
func extent(lo, hi mgl64.Vec3) mgl64.Vec3 { return hi.Sub(lo) }

// skinned is all within skin, m, of a shape.
type skinned struct {
	collision.Shape
	skin float64
}

// Closest finds the closest point of the skin.
func (s skinned) Closest(p mgl64.Vec3) (q, n mgl64.Vec3, d float64) {
	q, n, d = s.Shape.Closest(p)
	return q.Add(n.Mul(s.skin)), n, d - s.skin
}

// AtLeast is a lower bound of the distance from the skin.
func (s skinned) AtLeast(p mgl64.Vec3) float64 { return s.Shape.AtLeast(p) - s.skin }

// Bounds is the box around the skin.
func (s skinned) Bounds() (lo, hi mgl64.Vec3) {
	lo, hi = s.Shape.Bounds()
	skin := mgl64.Vec3{s.skin, s.skin, s.skin}
	return lo.Sub(skin), hi.Add(skin)
}

// pose is where the tool stands at a share of its way.
func (m *moving) pose(share float64) frame.Pose {
	switch share {
	case 0:
		return m.from
	case 1:
		return m.to
	}
	return frame.Pose{
		Position: m.from.Position.Add(m.to.Position.Sub(m.from.Position).Mul(share)),
		Rotation: mgl64.QuatNlerp(m.from.Rotation, m.to.Rotation, share),
	}
}

// aim sets the way.
func (m *moving) aim(from, to frame.Pose) {
	if from.Rotation.Dot(to.Rotation) < 0 { // the shorter way round
		from.Rotation = from.Rotation.Scale(-1)
	}
	m.from, m.to, m.asked = from, to, math.NaN()
}

// far is how far any point of the tool goes at most, m.
func (m *moving) far() (far float64) {
	for _, end := range m.ends {
		far = math.Max(far, m.to.Point(end).Sub(m.from.Point(end)).Len())
	}
	return far
}

// outwards is the direction of d; up, where it has none: the origin of a tool may lie beside it.
func outwards(d mgl64.Vec3) mgl64.Vec3 {
	n, ok := frame.Unit(d)
	if !ok {
		return mgl64.Vec3{0, 1, 0}
	}
	return n
}

// Gap is the distance from the surface; of what is farther than near a lower bound.
func (m *moving) Gap(p mgl64.Vec3, share float64) (float64, mgl64.Vec3) {
	if share != m.asked { // all nodes are asked at one share
		m.asked, m.at = share, m.pose(share)
		m.turn = m.at.Matrix()
	}
	d := p.Sub(m.at.Position)
	if most := m.near + m.around; d.LenSqr() > most*most {
		return d.Len() - m.around, outwards(d)
	}
	x := m.turn.Transpose().Mul3x1(d)
	if least := m.shape.AtLeast(x); least > m.near {
		return least, outwards(d)
	}
	_, n, gap := m.shape.Closest(x)
	return gap, m.turn.Mul3x1(n)
}

// Moved is how far the tool's material at p goes.
func (m *moving) Moved(p mgl64.Vec3, from, to float64) mgl64.Vec3 {
	return m.pose(to).Point(m.pose(from).InversePoint(p)).Sub(p)
}

// Core is what all of the tool is within its radius of.
func (t roundTool) Core(share float64) (from, to mgl64.Vec3, radius float64) {
	p := t.pose(share)
	return p.Position, p.Point(mgl64.Vec3{0, t.length, 0}), t.radius
}
