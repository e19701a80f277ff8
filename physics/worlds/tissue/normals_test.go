package tissue

import (
	"fmt"
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/collision"
	"hapco/physics"
)

// dent is a round tool on a soft slab, with so many elements along its sides.
const dent = `
title = "dent"
about = "a round tool lies in a dent"
friction = 0.2
[units]
length = "mm"
pressure = "kPa"
[[body]]
name = "tool"
role = "driven"
position = [0.3, 28.2, 0.2]
[body.tool]
kind = "ball"
radius = 8
length = 60
spacing = 1.6
[[body]]
name = "slab"
E = 20
nu = 0.4
clamp = "bottom"
[body.box]
origin = [-30, 0, -30]
size = [60, 20, 60]
elements = [%d, 3, %d]
[contact]
tolerance = 1e-8
ddc_tolerance = 1
normals = "smooth"
`

func degrees(a, b mgl64.Vec3) float64 {
	return math.Atan2(a.Cross(b).Len(), a.Dot(b)) * 180 / math.Pi
}

// In the dent that a ball makes, the tissue's smoothed normals point to the
// ball's centre, and they turn as little from step to step as the ball moves:
// where its nodes lie over triangles, and where they have gone through an edge
// or a node of the surface.
func TestNormalsInADent(t *testing.T) {
	for _, c := range []struct {
		elements      int
		angle, change float64 // degrees
	}{{16, 28, 3}, {32, 22, 3}} {
		w := worldOf(t, fmt.Sprintf(dent, c.elements, c.elements))
		last := map[uint64]mgl64.Vec3{}
		worst, mean, n, change := 0.0, 0.0, 0, 0.0
		onEdge := 0
		for i := 1; i <= 150; i++ {
			s := float64(i)
			moveTo(t, w, mgl64.Vec3{0.05 * max(0, s-60), -min(0.1*s, 5), 0.03 * max(0, s-60)}, 0)
			centre := w.Pose().Position
			now := map[uint64]mgl64.Vec3{}
			for k := range w.contacts {
				p := &w.contacts[k]
				if !(w.r[3*k] > 0) {
					continue
				}
				if p.q.weight[0] == 0 || p.q.weight[1] == 0 || p.q.weight[2] == 0 {
					onEdge++
				}
				a := degrees(p.n, centre.Sub(w.bodies[0].pointOf(&p.p)))
				worst, mean, n = max(worst, a), mean+a, n+1
				if before, ok := last[p.id]; ok && i > 1 {
					change = max(change, degrees(before, p.n))
				}
				now[p.id] = p.n
			}
			last = now
		}
		t.Logf("%d elements: from the ball's normals %.1f degrees at most, %.1f on average; %.1f from step to step; %d of %d on edges",
			c.elements, worst, mean/float64(n), change, onEdge, n)
		if !(worst < c.angle) || !(change < c.change) {
			t.Errorf("%d elements: normals are off by up to %.3g degrees and turn by %.3g in a step", c.elements, worst, change)
		}
	}
}

// A hollow surface, finely triangulated, and points about it: on both sides,
// over triangles, edges and nodes alike, the smoothed normal at the closest point
// is within a triangle's turn of the true one, and has no jump where a point that
// has gone through moves from one triangle's reach to the next one's.
func TestSmoothNormalsOverAHollow(t *testing.T) {
	const n, radius = 24, 0.02
	var rest []mgl64.Vec3
	var tri [][3]int32
	for k := range n + 1 {
		for i := range n + 1 {
			x, z := 0.024*(float64(i)/n-0.5), 0.024*(float64(k)/n-0.5)
			rest = append(rest, mgl64.Vec3{x, radius - math.Sqrt(radius*radius-x*x-z*z), z})
		}
	}
	for k := range n {
		for i := range n {
			a := int32(i + (n+1)*k)
			tri = append(tri, [3]int32{a, a + n + 2, a + 1}, [3]int32{a, a + n + 1, a + n + 2})
		}
	}
	b := &body{rest: rest, info: physics.SurfaceInfo{Triangles: tri}}
	b.deformed.allocate(len(rest))
	copy(b.deformed.position, rest)
	for i := range b.deformed.seen {
		b.deformed.seen[i] = b.deformed.state
	}
	b.facets = newFacets(tri, rest, func(int32) {})
	b.normals = newVertexNormals(len(rest), tri)
	if b.facets.creased {
		t.Fatal("a smooth hollow has creases")
	}
	centre := mgl64.Vec3{0, radius, 0}
	turn := 0.024 / n / radius * 180 / math.Pi * 1.5 // of neighbouring triangles
	for _, depth := range []float64{-5e-4, -5e-5, -1e-6, 1e-6, 5e-5, 5e-4} {
		worst, jump, edges := 0.0, 0.0, 0
		var last mgl64.Vec3
		const steps = 4000
		for i := range steps {
			// along a line over triangles, edges and nodes
			s := 0.018 * (float64(i)/steps - 0.5)
			d := mgl64.Vec3{s, 0, 0.37 * s}
			if i%2 == 1 {
				d[2] = 0
			}
			d[1] = -math.Sqrt(radius*radius - d[0]*d[0] - d[2]*d[2])
			p := centre.Add(d.Mul(1 + depth/radius))
			hit, ok := b.facets.tree.Closest(b.deformed.position, p, 0.01, -1, collision.Except{})
			if !ok {
				t.Fatal("no closest point")
			}
			if hit.Weights[0] == 0 || hit.Weights[1] == 0 || hit.Weights[2] == 0 {
				edges++
			}
			normal := b.smoothNormal(hit.Triangle, &hit.Weights)
			if !(normal.Len() > 0.9) {
				t.Fatalf("normals of triangle %d do not agree: %v", hit.Triangle, normal)
			}
			normal = normal.Normalize()
			worst = max(worst, degrees(normal, d.Mul(-1)))
			if i >= 2 && i%2 == 0 {
				jump = max(jump, degrees(normal, last))
			}
			if i%2 == 0 {
				last = normal
			}
		}
		t.Logf("%g m beyond the surface: off by %.2f degrees at most, %.2f from one point to the next; %d of %d on edges", depth, worst, jump, edges, steps)
		if !(worst < turn) {
			t.Errorf("%g m beyond the surface: normals are off by %.3g degrees, triangles turn by %.3g", depth, worst, turn)
		}
		if step := 0.018 / steps * 2 / radius * 180 / math.Pi; !(jump < 30*step) {
			t.Errorf("%g m beyond the surface: the normal jumps by %.3g degrees, the points are %.3g apart", depth, jump, step)
		}
	}
}
