package touch

import (
	"cmp"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/collision"
	"hapco/physics/frame"
)

// Motion is where surfaces and the tool would go in a correction.
type Motion struct {
	To   [][]mgl64.Vec3 // places of each surface's nodes at its end, m; of one that moves with the tool they are not read
	Way  mgl64.Vec3     // of the tool's origin, m
	Turn mgl64.Vec3     // of the tool about its origin, world, rad
}

// At is where the tool is after a share of a motion, from 0 to 1.
func (m *Motion) At(from frame.Pose, share float64) frame.Pose {
	turn := frame.Exp(m.Turn.Mul(share))
	return frame.Pose{Position: from.Position.Add(m.Way.Mul(share)), Rotation: frame.Renormal(turn.Mul(from.Rotation))}
}

// Binding is a pair that would cross in a motion, and the share of it after which it would, or a little less.
type Binding struct {
	Key   Key
	Share float64
	P     Point // with a tool: what of the tissue would
}

// spare is the share of the layer's thickness that features keep from each other: what is left of a gap must be a
// number that a next motion starts from. Half the gap where that is less, down to least of the thickness: from there
// features part or slide and come no nearer, so that halves of halves do not end in rounding, from which none parts.
const (
	spare = 1e-3
	least = 1e-6
)

// Bound is the share of a motion, from 0 to 1, up to which no pair of features that is apart now crosses, whether it is
// a contact or not; and appends to dst those that would by its end, soonest first.
func (s *Set) Bound(m *Motion, dst []Binding) (share float64, _ []Binding) {
	first := len(dst)
	any, most := s.ways(m)
	for i := range s.pairs {
		if c := &s.pairs[i]; c.apart <= 2*most && c.apart <= s.wayOf(&c.pair) && !(any && s.strays(&c.pair)) {
			dst = s.bind(c, m, dst)
		}
	}
	s.swept = s.sweep(m, any)
	for i := range s.swept {
		dst = s.bind(&s.swept[i], m, dst)
	}
	slices.SortFunc(dst[first:], func(a, b Binding) int {
		return cmp.Or(cmp.Compare(a.Share, b.Share), cmp.Compare(a.Key, b.Key))
	})
	if len(dst) == first {
		return 1, dst
	}
	return dst[first].Share, dst
}

// bind appends a pair that would cross in a motion.
func (s *Set) bind(c *candidate, m *Motion, dst []Binding) []Binding {
	if s.parted(c, m) {
		return dst
	}
	share := s.advance(c, m)
	if share == 1 {
		return dst
	}
	b := Binding{Share: share}
	b.Key, b.P = s.binding(c, m, share)
	return append(dst, b)
}

// parted tells at little cost of most pairs that do not meet that they do not: that they are apart along the way between
// their middles, at the beginning and, but for what they do together, at the end.
func (s *Set) parted(c *candidate, m *Motion) bool {
	if c.kind >= faceTool || s.Surfaces[c.s].Tool || s.Surfaces[c.o].Tool {
		return false
	}
	f, o := s.Surfaces[c.s], s.Surfaces[c.o]
	a, b := s.nodes(&c.pair)
	var x, y mgl64.Vec3
	for _, n := range a {
		x = x.Add(f.X[n])
	}
	for _, n := range b {
		y = y.Add(o.X[n])
	}
	along := x.Mul(1 / float64(len(a))).Sub(y.Mul(1 / float64(len(b))))
	low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for _, n := range a {
		low[0] = min(low[0], along.Dot(f.X[n]))
		low[1] = min(low[1], along.Dot(m.To[c.s][n]))
	}
	for _, n := range b {
		high[0] = max(high[0], along.Dot(o.X[n]))
		high[1] = max(high[1], along.Dot(m.To[c.o][n]))
	}
	keep := spare * s.Options.Thickness * along.Len()
	return low[0]-high[0] > keep && low[1]-high[1] > keep
}

// ways finds how far each node gets in a motion from where the pairs were listed, and marks those that get so far, or
// whose triangles turn so, that they may meet what is not listed; any tells that there are some, most how far others get.
func (s *Set) ways(m *Motion) (any bool, most float64) {
	for i, f := range s.Surfaces {
		for k, x := range f.X {
			switch at := f.listed[k]; {
			case f.Tool: // no farther than along its arc
				f.way[k] = x.Sub(at).Len() + m.Way.Len() + m.Turn.Len()*x.Sub(s.Tool.Pose.Position).Len()
			default:
				f.way[k] = math.Sqrt(max(x.Sub(at).LenSqr(), m.To[i][k].Sub(at).LenSqr()))
			}
			if f.stray[k] = 2*f.way[k] > s.margin; f.stray[k] {
				any = true
			} else {
				most = max(most, f.way[k])
			}
		}
		if !f.Tool {
			any = f.shape.Turns(f.X, m.To[i], f.way, f.stray) || any
		}
	}
	return any, most
}

// wayOf is how much nearer two features may be at some time of the motion than where they were listed.
func (s *Set) wayOf(p *pair) float64 {
	a, b := s.nodes(p)
	mine, others := 0.0, 0.0
	way := s.Surfaces[p.s].way
	for _, n := range a {
		mine = max(mine, way[n])
	}
	way = s.Surfaces[p.o].way
	for _, n := range b {
		others = max(others, way[n])
	}
	return mine + others
}

// sweep lists the pairs whose boxes meet on the whole way of a motion: those of the tool's core, and with any of the nodes
// that stray.
func (s *Set) sweep(m *Motion, any bool) []candidate {
	end := m.At(s.Tool.Pose, 1)
	bulge := min(m.Turn.LenSqr()/8, 4) // between an arc and its chord, at the same time, over its radius
	if any || !s.covers {
		s.covers = false
		for i, f := range s.Surfaces {
			if !f.Tool {
				f.shape.Fit(f.X, m.To[i], 0)
				continue
			}
			radius := 0.0
			for k := range f.local {
				f.to[k] = end.Point(f.local[k])
				radius = max(radius, f.local[k].Len())
			}
			f.shape.Fit(f.X, f.to, bulge*radius)
		}
	}
	if any {
		for _, f := range s.Surfaces {
			f.shape.Only(f.stray)
		}
		defer func() {
			for _, f := range s.Surfaces {
				f.shape.Only(nil)
			}
		}()
	}
	now, core := s.Tool.core, [2]mgl64.Vec3{end.Point(s.Tool.Core[0]), end.Point(s.Tool.Core[1])}
	lo, hi := now[0], now[0]
	for _, x := range []mgl64.Vec3{now[1], core[0], core[1]} {
		for k := range 3 {
			lo[k], hi[k] = min(lo[k], x[k]), max(hi[k], x[k])
		}
	}
	s.swept = s.swept[:0]
	for k := range s.Pairings {
		switch p := &s.Pairings[k]; {
		case p.B < 0:
			s.swept = s.searchTool(s.swept, k, m.To[p.A], &[2]mgl64.Vec3{lo, hi}, bulge*max(s.Tool.Core[0].Len(), s.Tool.Core[1].Len()))
		case any:
			s.swept = s.searchPairs(s.swept, k, (*collision.Surface).Pairs)
		}
	}
	return s.swept
}

// advance is the share of a motion that a pair may make.
func (s *Set) advance(c *candidate, m *Motion) float64 {
	apart, thick := s.apart(&c.pair, false), s.Options.Thickness
	if s.off(c, apart) {
		return 1
	}
	keep := max(min(spare*thick, apart/2), min(least*thick, apart))
	if c.kind >= faceTool {
		if s.nears(c, m) < apart-keep {
			return 1
		}
		keep += s.Tool.Round
	}
	a, b := s.features(&c.pair, m)
	return collision.Advance(&a, &b, keep)
}

// nears is by how much a triangle and the tool's core come nearer in a motion at most: they go straight but for the turn.
func (s *Set) nears(c *candidate, m *Motion) float64 {
	f, to, way := s.Surfaces[c.s], m.To[c.s], 0.0
	for _, n := range f.Triangles[c.a] {
		way = max(way, to[n].Sub(f.X[n]).Sub(m.Way).LenSqr())
	}
	return math.Sqrt(way) + m.Turn.Len()*max(s.Tool.Core[0].Len(), s.Tool.Core[1].Len())
}

// features are a pair's on their ways.
func (s *Set) features(p *pair, m *Motion) (a, b collision.Swept) {
	mine, others := s.nodes(p)
	s.along(&a, p.s, m, mine)
	if p.kind < faceTool {
		s.along(&b, p.o, m, others)
		return a, b
	}
	for _, x := range s.Tool.core {
		s.withTool(&b, m, x)
	}
	if b.At[0] == b.At[1] {
		b.Count = 1
	}
	return a, b
}

func (s *Set) along(w *collision.Swept, surface int32, m *Motion, nodes []int32) {
	f := s.Surfaces[surface]
	for _, n := range nodes {
		if f.Tool {
			s.withTool(w, m, f.X[n])
			continue
		}
		w.At[w.Count], w.Way[w.Count] = f.X[n], m.To[surface][n].Sub(f.X[n])
		w.Count++
	}
}

func (s *Set) withTool(w *collision.Swept, m *Motion, x mgl64.Vec3) {
	w.At[w.Count], w.Way[w.Count], w.Arm[w.Count], w.Turn = x, m.Way, x.Sub(s.Tool.Pose.Position), m.Turn
	w.Count++
}

// binding names the pair that would cross: of a triangle and the tool, what of the triangle the tool would come to.
func (s *Set) binding(c *candidate, m *Motion, share float64) (key Key, at Point) {
	if c.kind != faceTool {
		return c.key(), at
	}
	f := s.Surfaces[c.s]
	t := f.Triangles[c.a]
	var was [3]mgl64.Vec3
	for k, n := range t {
		was[k] = f.X[n]
		if !f.Tool {
			f.X[n] = f.X[n].Add(m.To[c.s][n].Sub(f.X[n]).Mul(share))
		}
	}
	pose := s.Tool.Pose
	s.Tool.place(m.At(pose, share))
	w, _, _ := s.faceToCore(f, c.a)
	p := f.part(c.pair, &w)
	var q Point
	s.closest(&p, &at, &q)
	s.Tool.place(pose)
	for k, n := range t {
		f.X[n] = was[k]
	}
	return p.key(), at
}
