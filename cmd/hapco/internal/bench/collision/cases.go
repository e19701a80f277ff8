package collision

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/cmd/hapco/internal/bench/output"
	"hapco/collision"
	"hapco/physics/machinery/refusal"
)

// testSurface is a surface to be pressed.
type testSurface struct {
	name      string
	Triangles [][3]int32
	rest      []mgl64.Vec3
	Size      float64 // all lengths are shares of it: about the side of a cube around the surface
	at        mgl64.Vec3
	n, t1, t2 mgl64.Vec3 // outward where it is pressed, and along it
}

// SheetName is that of the built surfaces, which the exponents are of.
const SheetName = "sheet"

// Sheet is a gently wavy height field of about that many triangles.
func Sheet(triangles int) *testSurface {
	n := int(math.Round(math.Sqrt(float64(triangles) / 2)))
	s := &testSurface{name: SheetName}
	for k := range n + 1 {
		for i := range n + 1 {
			x, z := 0.1*float64(i)/float64(n), 0.1*float64(k)/float64(n)
			s.rest = append(s.rest, mgl64.Vec3{x, 0.005 * math.Sin(60*x) * math.Cos(50*z), z})
		}
	}
	id := func(i, k int) int32 { return int32(i + (n+1)*k) }
	for k := range n {
		for i := range n {
			s.Triangles = append(s.Triangles, [3]int32{id(i, k), id(i+1, k+1), id(i+1, k)}, [3]int32{id(i, k), id(i, k+1), id(i+1, k+1)})
		}
	}
	s.measure()
	return s
}

// measure finds size and the place to press: the triangle that the middle of the surface's top looks at.
func (s *testSurface) measure() {
	lo, hi := s.rest[0], s.rest[0]
	for _, x := range s.rest {
		for k := range 3 {
			lo[k], hi[k] = min(lo[k], x[k]), max(hi[k], x[k])
		}
	}
	s.Size = hi.Sub(lo).Len() / math.Sqrt2
	above := lo.Add(hi).Mul(0.5)
	above[1] = hi[1] + 0.5*s.Size
	hit, ok := collision.NewTree(s.Triangles, s.rest).Closest(s.rest, above, math.Inf(1), -1)
	s.n = mgl64.Vec3{0, 1, 0}
	if ok {
		t := s.Triangles[hit.Triangle]
		a, b, c := s.rest[t[0]], s.rest[t[1]], s.rest[t[2]]
		s.at = Weighted(a, b, c, hit.Weights)
		if n := collision.FaceNormal(a, b, c); n != (mgl64.Vec3{}) {
			s.n = n
		}
	}
	axis := mgl64.Vec3{1, 0, 0}
	if math.Abs(s.n[0]) > 0.9 {
		axis = mgl64.Vec3{0, 0, 1}
	}
	s.t1 = axis.Sub(s.n.Mul(axis.Dot(s.n))).Normalize()
	s.t2 = s.n.Cross(s.t1)
}

func Weighted(a, b, c mgl64.Vec3, w [3]float64) mgl64.Vec3 {
	return a.Mul(w[0]).Add(b.Mul(w[1])).Add(c.Mul(w[2]))
}

// The motion repeats after collisionFrames steps. As shares of the surface's size, 100 mm say: a tool of 36 points, 10
// mm wide, circles by 0.05 mm a step, as a hand does at 50 mm/s and 1 kHz, in a dent 2 mm deep; its points stand 0.02
// to 0.8 mm from the surface; what is farther than 3 mm is out of reach.
const (
	Frames       = 16
	toolSpacing  = 0.02
	circleRadius = 1.3e-3
	dentDepth    = 0.02
	dentWidth    = 0.05
	Nearest      = 0.0002
	Farthest     = 0.008
	Reach        = 0.03
	SwayDepth    = 0.002 // of the wave that moves every node
)

// motion is a surface and the points near it, frame by frame.
type motion struct {
	Surface, Points [][]mgl64.Vec3
	Drift           []float64 // no node moves farther than this on the way to a frame
}

// Move makes the motion of the surface: a dent that travels, and with sway a wave that moves every node.
func (s *testSurface) Move(sway float64) *motion {
	m := &motion{Drift: make([]float64, Frames)}
	still := collision.NewTree(s.Triangles, s.rest)
	const edge = 4 // the dent ends at that many widths
	width := dentWidth * s.Size
	rim := math.Exp(-0.5 * edge * edge)
	wave := 2 * math.Pi / s.Size
	for f := range Frames {
		phase := 2 * math.Pi * float64(f) / Frames
		sin, cos := math.Sincos(phase)
		tool := s.at.Add(s.t1.Mul(circleRadius * s.Size * cos)).Add(s.t2.Mul(circleRadius * s.Size * sin))
		depth := dentDepth * s.Size * (1 + 0.1*sin)
		now := make([]mgl64.Vec3, len(s.rest))
		for i, x := range s.rest {
			now[i] = x
			if d := x.Sub(tool).LenSqr() / (width * width); d < edge*edge {
				now[i] = x.Sub(s.n.Mul(depth * (math.Exp(-0.5*d) - rim)))
			}
			if sway > 0 {
				y := x.Sub(s.at).Mul(wave)
				for k := range 3 {
					now[i][k] += sway * s.Size * math.Sin(y[(k+1)%3]+phase+float64(k))
				}
			}
		}
		m.Surface = append(m.Surface, now)
		m.Points = append(m.Points, s.pointsNear(still, now, tool))
	}
	for f := range Frames {
		before := m.Surface[(f+Frames-1)%Frames]
		for i, x := range m.Surface[f] {
			m.Drift[f] = max(m.Drift[f], x.Sub(before[i]).Len())
		}
		m.Drift[f] *= 1 + 1e-9
	}
	return m
}

// pointsNear are those of the tool: over material points in a square around it, at different heights.
func (s *testSurface) pointsNear(still *collision.Tree, now []mgl64.Vec3, tool mgl64.Vec3) []mgl64.Vec3 {
	side := int(math.Sqrt(Queries))
	points := make([]mgl64.Vec3, 0, Queries)
	for i := range Queries {
		u := toolSpacing * s.Size * (float64(i%side) - 0.5*float64(side-1))
		v := toolSpacing * s.Size * (float64(i/side) - 0.5*float64(side-1))
		hit, _ := still.Closest(s.rest, tool.Add(s.t1.Mul(u)).Add(s.t2.Mul(v)), math.Inf(1), -1)
		t := s.Triangles[hit.Triangle]
		a, b, c := now[t[0]], now[t[1]], now[t[2]]
		_, spread := math.Modf(0.618034 * float64(i))
		height := s.Size * (Nearest + (Farthest-Nearest)*spread)
		points = append(points, Weighted(a, b, c, hit.Weights).Add(collision.FaceNormal(a, b, c).Mul(height)))
	}
	return points
}

// surface measures all kinds of queries on one surface, and FCL's.
func (c *Command) surface(ctx context.Context, s *testSurface, peer *fclPeer) (points []Point, peers []PeerResult) {
	press, sway := s.Move(0), s.Move(SwayDepth)
	motions := map[string]*motion{KindPress: press, KindSway: sway}
	best := map[string]*PeerResult{} // by motion: the fastest that finds what we find
	if peer != nil {
		for _, name := range []string{KindPress, KindSway} {
			m := motions[name]
			results := refusal.Must(peer.Measure(ctx, s, m, c.patience().Seconds()/2))
			found := s.Truth(m)
			for i := range results {
				r := &results[i]
				r.Name, r.Motion, r.Triangles = s.name, name, len(s.Triangles)
				r.Compare(found, s.Size)
				if r.Missed == 0 && (best[name] == nil || r.CPU < best[name].CPU) {
					best[name] = r
				}
			}
			peers = append(peers, results...)
		}
	}
	points = []Point{c.moving(s, press, KindPress), c.moving(s, sway, KindSway), c.refitted(s, sway),
		c.still(s, sway, KindStill), c.still(s, sway, KindStillCold), c.far(s, press), c.edges(s, press), c.around(s, press)}
	points[0].beside(best[KindPress], false)
	for i := range points[1:5] {
		points[1+i].beside(best[KindSway], i > 1)
	}
	return points, peers
}

// Truth are the distances to be found, frame by frame: from a tree that was just built.
func (s *testSurface) Truth(m *motion) [][]float64 {
	var found [][]float64
	for f, now := range m.Surface {
		tree := collision.NewTree(s.Triangles, now)
		d := make([]float64, 0, Queries)
		for _, p := range m.Points[f] {
			hit, ok := tree.Closest(now, p, Reach*s.Size, -1)
			if !ok {
				d = append(d, -1)
				continue
			}
			d = append(d, math.Sqrt(hit.Dist2))
		}
		found = append(found, d)
	}
	return found
}

// patience is how long a case is measured.
func (c *Command) patience() time.Duration {
	return output.Either(c.Quick, 50*time.Millisecond, time.Second)
}

// repeat warms up for two rounds of the motion, then times whole rounds and fills p with what they took.
func (c *Command) repeat(p Point, prepare, refit, query func(p *Point, frame int)) Point {
	var t, discard collisionTimer
	into := &discard
	start := time.Now()
	for round := 0; round < 4 || time.Since(start) < c.patience() && round < 200; round++ {
		if round == 2 {
			into, start = &t, time.Now()
		}
		for f := range Frames {
			p.Near = 0
			prepare(&p, f)
			into.step(func() { refit(&p, f) }, func() { query(&p, f) })
		}
	}
	t.report(&p)
	return p
}

// nothing is a part of a step that there is none of.
func nothing(*Point, int) {}

// point is what is measured of a kind of so many queries on a surface.
func (s *testSurface) point(kind string, queries int) Point {
	return Point{Name: s.name, Kind: kind, Triangles: len(s.Triangles), Queries: queries}
}

// located brings up to date only the nodes that are asked for, as physics does.
type located struct {
	*collision.Moving
	motion *motion
	known  []mgl64.Vec3
	now    []mgl64.Vec3
	stamp  []uint32
	state  uint32
	count  int       // since the step began
	counts []float64 // of the steps before
}

func newLocated(s *testSurface, m *motion) *located {
	l := &located{motion: m, known: slices.Clone(m.Surface[Frames-1]), stamp: make([]uint32, len(s.rest))}
	l.Moving = collision.NewMoving(s.Triangles, l.known, l.locate)
	return l
}

// next begins a step.
func (l *located) next(frame int) {
	l.now = l.motion.Surface[frame]
	l.counts = append(l.counts, float64(l.count))
	l.state, l.count = l.state+1, 0
}

func (l *located) locate(node int32) {
	if l.stamp[node] != l.state {
		l.stamp[node], l.known[node] = l.state, l.now[node]
		l.count++
	}
}

// asked measures a Moving as physics uses it: told how far nodes may have come, asking for the few positions that it
// needs. more is what else a step brings up to date, and before that prepares.
func (c *Command) asked(l *located, p Point, prepare, more, query func(p *Point, frame int)) Point {
	p = c.repeat(p, func(p *Point, f int) {
		l.next(f)
		prepare(p, f)
	}, func(p *Point, f int) {
		more(p, f)
		l.Drift(l.motion.Drift[f])
	}, query)
	p.Located = int(output.Rank(l.counts, 0.5))
	return p
}

// hints are the triangles that the points were nearest to; they begin with none.
type hints [Queries]int32

func newHints() *hints { return (*hints)(slices.Repeat([]int32{-1}, Queries)) }

// take keeps what was found for point i.
func (h *hints) take(p *Point, i int, hit collision.Hit, ok bool) {
	h[i] = -1
	if ok {
		h[i] = hit.Triangle
		p.Near++
	}
}

// moving measures the points near a Moving.
func (c *Command) moving(s *testSurface, m *motion, kind string) Point {
	l, known, reach := newLocated(s, m), newHints(), Reach*s.Size
	return c.asked(l, s.point(kind, Queries), nothing, nothing, func(p *Point, f int) {
		for i, x := range m.Points[f] {
			hit, ok := l.Closest(l.known, x, reach, known[i], collision.Except{})
			known.take(p, i, hit, ok)
		}
	})
}

// refitted measures a Tree whose boxes are all made tight in each step.
func (c *Command) refitted(s *testSurface, m *motion) Point {
	tree, known, reach := collision.NewTree(s.Triangles, m.Surface[0]), newHints(), Reach*s.Size
	at := make([]mgl64.Vec3, len(s.rest))
	p := s.point(KindRefit, Queries)
	p.Located = len(s.rest)
	renew, refit := func(_ *Point, f int) { copy(at, m.Surface[f]) }, func(*Point, int) { tree.Refit(at, 0) }
	return c.repeat(p, renew, refit, func(p *Point, f int) {
		for i, x := range m.Points[f] {
			hit, ok := tree.Closest(at, x, reach, known[i])
			known.take(p, i, hit, ok)
		}
	})
}

// still measures queries alone, with the hints of the step before or none: the boxes are right already.
func (c *Command) still(s *testSurface, m *motion, kind string) Point {
	tree, known, none, reach := collision.NewTree(s.Triangles, m.Surface[0]), newHints(), newHints(), Reach*s.Size
	return c.repeat(s.point(kind, Queries), func(_ *Point, f int) {
		tree.Refit(m.Surface[f], 0)
		if kind == KindStillCold {
			*known = *none
		}
	}, nothing, func(p *Point, f int) {
		for i, x := range m.Points[f] {
			hit, ok := tree.Closest(m.Surface[f], x, reach, known[i])
			known.take(p, i, hit, ok)
		}
	})
}

// far measures points that nothing is near to, asked for as physics does: boxes first, and only where these have become
// too wide the surface.
func (c *Command) far(s *testSurface, m *motion) Point {
	l, reach := newLocated(s, m), Reach*s.Size
	away := s.n.Mul(4 * reach)
	return c.asked(l, s.point(KindApart, Queries), nothing, nothing, func(p *Point, f int) {
		for _, x := range m.Points[f] {
			x = x.Add(away)
			if l.Apart(x, reach) > reach {
				continue
			}
			if _, ok := l.Closest(l.known, x, reach, -1, collision.Except{}); ok {
				p.Near++
			}
		}
	})
}

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
	toolAt := slices.Clone(m.Points[0])
	tool := collision.NewMoving(toolTriangles, toolAt, func(int32) {})
	toolEdges, _, toolOwns := collision.Edges(toolTriangles)

	l, reach := newLocated(s, m), edgeReach*s.Size
	edges, _, owns := collision.Edges(s.Triangles)
	var pairs [][2]int32
	met := make([]bool, len(toolEdges))
	p := c.asked(l, s.point(kindEdges, len(toolEdges)), func(_ *Point, f int) {
		copy(toolAt, m.Points[f])
	}, func(*Point, int) {
		tool.Refit(toolAt)
	}, func(*Point, int) {
		clear(met)
		pairs = l.Near(pairs[:0], l.known, tool, toolAt, reach)
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
	for _, near := range met {
		if near {
			p.Near++
		}
	}
	return p
}

// around measures the triangles of the surface within reach of a tool in closed form: a capsule over the dent.
func (c *Command) around(s *testSurface, m *motion) Point {
	l, tool := newLocated(s, m), collision.Capsule(0.05*s.Size, 0.1*s.Size)
	rotation := mgl64.QuatBetweenVectors(mgl64.Vec3{0, 1, 0}, s.n).Mat4().Mat3()
	var near []int32
	return c.asked(l, s.point(kindCapsule, 1), nothing, nothing, func(p *Point, _ int) {
		foot := s.at.Add(s.n.Mul((0.05 - dentDepth + Nearest) * s.Size))
		near = l.Reaching(near[:0], l.known, tool, rotation, foot, Nearest*2*s.Size)
		p.Near = len(near)
	})
}

// fields measures the signed distance of rigid tools: in closed form, and of a closed surface.
func (c *Command) fields() (out []Point) {
	for i, n := range output.Either(c.Quick, []int{0, 1000}, []int{0, 1000, 10000, 100000}) {
		if n > c.Triangles {
			continue
		}
		var shape collision.Shape = collision.Sphere(1)
		p := Point{Name: "sphere", Kind: KindClosed, Queries: Queries}
		if i > 0 {
			triangles, nodes := Ball(n)
			shape = refusal.Must(collision.NewField(triangles, nodes))
			p.Name, p.Kind, p.Triangles = fieldName, KindField, len(triangles)
		}
		out = append(out, c.repeat(p, nothing, nothing, func(p *Point, f int) {
			sin, cos := math.Sincos(1e-3 * float64(f))
			for k := range Queries {
				u, v := 0.02*float64(k%6)+1e-3*sin, 0.02*float64(k/6)+1e-3*cos
				x := mgl64.Vec3{u, math.Sqrt(1 - u*u - v*v), v}.Mul(1 + 0.01*math.Sin(float64(k)))
				if _, _, d := shape.Closest(x); math.Abs(d) < Reach {
					p.Near++
				}
			}
		}))
	}
	return out
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
func (c *Command) sweeps() (out []Point) {
	for _, n := range output.Either(c.Quick, []int{2, 20, 200}, []int{2, 5, 10, 20, 50, 100, 200, 500}) {
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
		out = append(out, c.repeat(p, nothing, func(_ *Point, f int) {
			for i := range n {
				x := middle(i, 2*math.Pi*float64(f)/Frames)
				s.Set(i, x.Sub(half), x.Add(half))
			}
		}, func(p *Point, _ int) {
			p.Near = len(s.Overlaps(0.01))
		}))
	}
	return out
}
