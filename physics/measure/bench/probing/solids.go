package probing

import (
	"maps"
	"math"

	"hapco/physics"
	"hapco/physics/frame"
)

// solids looks for rigid bodies that are drawn inside each other, tools among them. It is brute force on the drawn
// triangles. Round bodies are drawn with their corners on the round surface: what is found is no deeper than what is.
type solids struct {
	shapes []rigidShape // of Info.Shapes, then of tools
	bodies []posed
	apart  map[[2]int]bool    // pairs that were in each other at the start
	let    map[[2]int]float64 // pairs that the world lets be in each other: the share that they may; without a bound as long as it does
}

// rigidShape is a closed surface about its own origin.
type rigidShape struct {
	surface
	points []vec // its vertices, and the middles of its edges
	reach  float64
}

// posed is a solid in a pose.
type posed struct {
	shape int
	pose  frame.Pose
	box   box
	tool  bool
}

func newSolids(info *physics.Info) *solids {
	s := &solids{apart: map[[2]int]bool{}, let: map[[2]int]float64{}}
	for i := range info.Shapes {
		s.shapes = append(s.shapes, newSolid(info.Shapes[i].Vertices, info.Shapes[i].Triangles))
	}
	return s
}

func newSolid(vertices []vec, triangles [][3]int32) (s rigidShape) {
	s.connect(triangles, len(vertices))
	s.move(vertices)
	s.points = append(s.points, vertices...)
	for _, e := range s.edges {
		s.points = append(s.points, vertices[e[0]].Add(vertices[e[1]]).Mul(0.5))
	}
	s.reach = frame.Reach(vertices)
	return s
}

// set takes the poses of a frame.
func (s *solids) set(info *physics.Info, f *physics.Frame) {
	first := len(s.shapes) == len(info.Shapes)
	s.bodies = s.bodies[:0]
	tool := len(info.Shapes)
	for i := range info.Surfaces {
		b := &info.Surfaces[i]
		if !b.Driven || !b.Rigid {
			continue
		}
		pose := f.Stylus
		if b.Second {
			pose = f.Second.Stylus
		}
		if first {
			var local []vec
			for _, x := range f.Surfaces[i].Vertices {
				local = append(local, pose.InversePoint(x))
			}
			s.shapes = append(s.shapes, newSolid(local, b.Triangles))
		}
		s.bodies = append(s.bodies, posed{shape: tool, pose: pose, tool: true})
		tool++
	}
	for i := range f.Instances {
		s.bodies = append(s.bodies, posed{shape: int(f.Instances[i].Shape), pose: f.Instances[i].Pose})
	}
	for i := range s.bodies {
		b := &s.bodies[i]
		b.box = placed(s.shapes[b.shape].x, &b.pose)
	}
}

// placed is the box of points in a pose.
func placed(points []vec, pose *frame.Pose) box {
	b := boxOf()
	for _, x := range points {
		b = b.with(pose.Point(x))
	}
	return b
}

// start remembers which bodies are in each other: they are joined, or pass through each other.
func (s *solids) start(info *physics.Info, f *physics.Frame) {
	s.set(info, f)
	clear(s.apart)
	clear(s.let)
	s.each(func(i, j int) bool { return true }, func(i, j int, depth float64) { s.apart[[2]int{i, j}] = true })
}

// allow notes the pairs that the world lets be in each other now, as physics.Apart writes them.
func (s *solids) allow(f *physics.Frame, pairs [][2]int) {
	tools := len(s.bodies) - len(f.Instances)
	place := func(n int) int {
		if n <= physics.ApartTool(0) {
			return physics.ApartTool(0) - n
		}
		return n + tools
	}
	for _, p := range pairs {
		i := place(p[0])
		for k := range s.bodies {
			if p[1] == -1 && k != i || p[1] != -1 && k == place(p[1]) {
				s.let[[2]int{max(i, k), min(i, k)}] = math.Inf(1)
			}
		}
	}
}

// each calls f with the pairs of bodies that are in each other, and how deep, m; of those that want says.
func (s *solids) each(want func(i, j int) bool, f func(i, j int, depth float64)) {
	for i := range s.bodies {
		for j := range s.bodies[:i] {
			a, b := &s.bodies[i], &s.bodies[j]
			if a.box.touches(&b.box) && want(i, j) {
				if d := max(s.inside(a, b), s.inside(b, a)); d > 0 {
					f(i, j, d)
				}
			}
		}
	}
}

// inside is how deep a is in b, m.
func (s *solids) inside(a, b *posed) (deep float64) {
	in := &s.shapes[b.shape]
	for _, x := range s.shapes[a.shape].points {
		p := b.pose.InversePoint(a.pose.Point(x))
		if in.all.holds(p) && in.holds(p) {
			deep = max(deep, in.distance(p, nil, nil))
		}
	}
	return deep
}

// worst is the pair of bodies that are farthest in each other as a share of the smaller one's reach. Pairs are those
// that may be. What was let be in each other and no longer is has to come apart: it may be no deeper than it was then.
func (s *solids) worst(info *physics.Info, f *physics.Frame, pairs [][2]int) (i, j int, deep, share float64) {
	s.set(info, f)
	before := maps.Clone(s.let)
	clear(s.let)
	s.allow(f, pairs)
	want := func(a, b int) bool { return !s.apart[[2]int{a, b}] && s.let[[2]int{a, b}] == 0 }
	s.each(want, func(a, b int, d float64) {
		r := d / min(s.shapes[s.bodies[a].shape].reach, s.shapes[s.bodies[b].shape].reach)
		if was := before[[2]int{a, b}]; was > 0 {
			s.let[[2]int{a, b}] = min(was, r)
			if r -= was; r < 0 {
				return
			}
		}
		if r > share {
			i, j, deep, share = a, b, d, r
		}
	})
	return i, j, deep, share
}
