package grain

import (
	"cmp"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/frame"
	"hapco/physics/local"
	"hapco/physics/numerics/num"
)

// The tool goes where the hand is, as far as two laws let it. It comes no nearer to a grain that is in its core, nor
// over one: grains give way with a finite force, a hand does not, and what is between the two would go through the tool
// or through a wall. And it is a rigid body: its skin stays out of that of every wall and obstacle. Of the motions that
// this allows it takes the one that is closest to the hand's, so it slides along what it meets, without friction.

// stride is how far the tool goes in an own step, at most, m.
func (w *World) stride() float64 { return stride * w.model.Sigma }

// path is the way of the tool in a step of the world.
type path struct {
	from, to    frame.Pose
	share, each float64 // of it that has been gone, and that an own step goes
}

// path is the way to a pose in n own steps, or a part of it where it is longer than the tool can go.
func (l *live) path(to frame.Pose, n int) path {
	p := path{from: l.pose, to: to}
	if n > 0 {
		part := 1.0
		if most, way := float64(n)*l.world.stride(), l.stops.way(l.pose, to); way > most {
			part = most / way
		}
		p.each = part / float64(n)
	}
	return p
}

// advance moves the tool for an own step, the first of so many that are left.
func (l *live) advance(p *path, left int) {
	if l.pose == p.to {
		return
	}
	share := p.share + p.each
	next := p.to
	if share < 1-roundedUp {
		next = between(p.from, p.to, share)
	}
	free := l.stops.follow(l.pose, next)
	if l.presses(free) {
		return
	}
	l.place(free)
	if p.share = share; free != next {
		*p = l.path(p.to, left-1)
	}
}

// place puts the tool into a pose. What that gives the grains is the difference of their potential
// where they were half a step ago, which is where their energy is of second order in the step.
func (l *live) place(pose frame.Pose) {
	was := 0.0
	if l.audit.judging {
		was = l.world.share(l.which)
	}
	l.world.mover.gone += l.stops.way(l.pose, pose)
	l.pose = pose
	l.tool.Origin = pose.Position
	l.tool.Turn(pose.Rotation)
	if l.audit.judging {
		l.audit.work += l.world.share(l.which) - was
	}
}

// presses tells that in a pose the tool is nearer to a grain in its core than it is now, or on the other side of it.
func (l *live) presses(next frame.Pose) bool {
	w := l.world
	if w.report.Walls == 0 {
		return false
	}
	moved := posed(l.tool.Shape, next)
	for i := range w.near(l.which) {
		p := mgl64.Vec3(w.pos[4*i:][:3])
		q, ok := l.tool.Closest(p)
		gap := p.Sub(q)
		if d := gap.Len(); ok && d < w.model.Sigma {
			q, ok := moved.Closest(p)
			if now := p.Sub(q); ok && (now.Dot(gap) < 0 || now.Len() < d-touching*w.model.Sigma) {
				return true
			}
		}
	}
	return false
}

// way is how far a point of the tool goes from a pose to another, at most, m.
func (s *stops) way(from, to frame.Pose) float64 {
	turn := 2 * math.Acos(min(1, math.Abs(from.Rotation.Dot(to.Rotation))))
	if from.Rotation == to.Rotation {
		turn = 0
	}
	return to.Position.Sub(from.Position).Len() + turn*s.reach
}

// between is a share of the way from a pose to another.
func between(from, to frame.Pose, share float64) frame.Pose {
	p := frame.Pose{Position: from.Position.Add(to.Position.Sub(from.Position).Mul(share)), Rotation: from.Rotation}
	if from.Rotation != to.Rotation {
		q := to.Rotation
		if q.Dot(from.Rotation) < 0 {
			q = q.Scale(-1)
		}
		p.Rotation = from.Rotation.Scale(1 - share).Add(q.Scale(share)).Normalize()
	}
	return p
}

// stops keep a tool out of walls and obstacles.
type stops struct {
	surface   []part     // of the tool; the first holds all others
	round     float64    // radius of a ball, whose surface is its centre, m
	reach     float64    // of the tool about its origin, m
	apart     float64    // of bare surfaces: two skins, m
	sigma     float64    // m
	obstacles []Shape    //
	bend      []float64  // of each; see bendOf
	inside    []bool     // obstacles that the tool began in: until it has left them they do not hold it
	free      bool       // of all these
	room      float64    // that there was when it was measured, less the way since, m
	known     []float64  // a gap that all points of a part have to an obstacle at least, and gone when that was found, m
	gone      float64    // way along all poses that were looked at, m
	at        frame.Pose // the last of them
	turn      mgl64.Mat3 // its rotation
	planes    []plane
	hold      [6]int  // planes that hold a motion
	held      []touch // where the tool touches
}

// part is a ball about some triangles of a surface; a triangle itself has no parts.
type part struct {
	center        mgl64.Vec3
	radius        float64
	first, second int32 // its parts; 0: none
	corners       [3]mgl64.Vec3
}

// plane is a half of the motions: along . motion >= least. A turn counts as the way of a point at the tool's reach.
type plane struct {
	along [6]float64
	least float64
	force float64 // with which it holds a motion
}

// touch is a point of the tool at an obstacle.
type touch struct {
	point    mgl64.Vec3 // in the tool's axes
	obstacle int
	normal   mgl64.Vec3 // from the obstacle to the tool
	gap      float64    // between skins, m
}

// stopsOf are those of a tool among obstacles.
func stopsOf(f *form, sigma float64, obstacles []Shape, start frame.Pose) stops {
	s := stops{apart: sigma, sigma: sigma, obstacles: obstacles, inside: make([]bool, len(obstacles)), free: true, reach: f.reach(), at: start, turn: start.Matrix(),
		planes: make([]plane, 0, 2*holdPlaces), held: make([]touch, 0, holdPlaces)}
	bare := f.look(0)
	triangles := make([][3]mgl64.Vec3, 0, len(bare.Triangles))
	for i, t := range bare.Triangles {
		if half := len(bare.Triangles) / 2; (f.Kind == "bowl" || f.Kind == "cap") && i >= half {
			break // its inside is its outside
		}
		triangles = append(triangles, [3]mgl64.Vec3{bare.Vertices[t[0]], bare.Vertices[t[1]], bare.Vertices[t[2]]})
	}
	if f.Kind == "ball" {
		s.round, triangles = f.Radius, make([][3]mgl64.Vec3, 1)
	}
	s.add(triangles)
	s.known = make([]float64, len(obstacles)*len(s.surface))
	for i := range s.known {
		s.known[i] = math.Inf(-1)
	}
	for o := range obstacles {
		s.bend = append(s.bend, bendOf(obstacles[o]))
		s.inside[o] = s.nearest(o, 0).gap < 0
		s.free = s.free && !s.inside[o]
	}
	return s
}

// add makes the tree of some triangles and returns its number.
func (s *stops) add(triangles [][3]mgl64.Vec3) int32 {
	n := int32(len(s.surface))
	p := part{corners: triangles[0]}
	inf := math.Inf(1)
	low, high := mgl64.Vec3{inf, inf, inf}, mgl64.Vec3{-inf, -inf, -inf}
	for _, t := range triangles {
		for _, x := range t {
			for k := range 3 {
				low[k], high[k] = min(low[k], x[k]), max(high[k], x[k])
			}
		}
	}
	p.center = low.Add(high).Mul(0.5)
	for _, t := range triangles {
		for _, x := range t {
			p.radius = max(p.radius, x.Sub(p.center).Len())
		}
	}
	s.surface = append(s.surface, p)
	if len(triangles) == 1 {
		return n
	}
	wide := high.Sub(low)
	axis := slices.Index(wide[:], slices.Max(wide[:]))
	slices.SortFunc(triangles, func(a, b [3]mgl64.Vec3) int {
		return cmp.Compare(a[0][axis]+a[1][axis]+a[2][axis], b[0][axis]+b[1][axis]+b[2][axis])
	})
	half := len(triangles) / 2
	first := s.add(triangles[:half])
	second := s.add(triangles[half:])
	s.surface[n].first, s.surface[n].second = first, second
	return n
}

// distance is how far a point is from an obstacle's surface, m, and the direction away from it; 0 where there is none.
func (s *stops) distance(o int, p mgl64.Vec3) (d float64, n mgl64.Vec3) {
	k, ok := s.obstacles[o].Closest(p)
	for axis := 0; !ok && axis < 2; axis++ { // in the middle of something round all points are as near
		q := p
		q[axis] += touching * s.sigma
		k, ok = s.obstacles[o].Closest(q)
	}
	if !ok {
		return math.Inf(1), n
	}
	e := p.Sub(k)
	if d = e.Len(); d > 0 {
		n = e.Mul(1 / d)
	}
	return d, n
}

// look says which pose is looked at next: no gap grows smaller by more than the way there.
func (s *stops) look(pose frame.Pose) {
	s.gone += s.way(s.at, pose)
	s.at, s.turn = pose, pose.Matrix()
}

// nearest is the point of the tool that is nearest to an obstacle where it is looked at, if any is nearer than a gap.
func (s *stops) nearest(o int, gap float64) touch {
	t := touch{obstacle: o, gap: gap}
	s.search(0, &t)
	return t
}

// gap is how far a point of the tool is from an obstacle, between skins, m, and the direction away from it.
func (s *stops) gap(o int, p mgl64.Vec3) (float64, mgl64.Vec3) {
	d, n := s.distance(o, s.turn.Mul3x1(p).Add(s.at.Position))
	return d - s.apart - s.round, n
}

// search looks for a nearer point in a part of the surface.
func (s *stops) search(n int32, best *touch) {
	of := s.known[best.obstacle*len(s.surface):]
	known := &of[n]
	if *known-s.gone >= best.gap-missed*s.sigma {
		return
	}
	p := &s.surface[n]
	d, along := s.gap(best.obstacle, p.center)
	if *known = max(*known, d-p.radius+s.gone); *known-s.gone >= best.gap-missed*s.sigma {
		return
	}
	if p.first == 0 {
		*known = max(*known, s.triangle(p.corners, nil, p.center, p.radius, d, along, best)+s.gone)
		return
	}
	first, second := p.first, p.second
	if of[second] < of[first] {
		first, second = second, first
	}
	s.search(first, best)
	s.search(second, best)
	*known = max(*known, min(of[first], of[second]))
}

// better takes a point if it is nearer, and returns its gap.
func (s *stops) better(x mgl64.Vec3, best *touch) float64 {
	d, n := s.gap(best.obstacle, x)
	if d < best.gap {
		best.point, best.normal, best.gap = x, n, d
	}
	return d
}

// triangle looks for a nearer point in a triangle, and returns a gap that all its points have at least. It knows the
// gaps of the corners, where they have been looked at, a ball about the triangle, and the gap and the direction in its
// middle. The distance d from a body of reach R (Federer: nearer than that each place has one closest point) is over
// its tangent plane, less way^2/(2(R-d)): so what is flat need not be divided.
func (s *stops) triangle(c [3]mgl64.Vec3, gaps *[3]float64, middle mgl64.Vec3, radius, gap float64, n mgl64.Vec3, best *touch) float64 {
	least := gap - radius
	if within := s.bend[best.obstacle] - gap - s.apart - s.round; within > 0 {
		n = s.turn.Transpose().Mul3x1(n)
		least = max(least, gap+min(n.Dot(c[0].Sub(middle)), n.Dot(c[1].Sub(middle)), n.Dot(c[2].Sub(middle)))-radius*radius/(2*within))
	}
	if least >= best.gap-missed*s.sigma {
		return least
	}
	if gaps == nil {
		gaps = &[3]float64{s.better(c[0], best), s.better(c[1], best), s.better(c[2], best)}
	}
	if radius*radius <= missed*s.sigma*s.sigma {
		return max(least, min(gaps[0], gaps[1], gaps[2])-missed/2*s.sigma)
	}
	points := [6]mgl64.Vec3{c[0], c[1], c[2]} // and the middles of the edges
	known := [6]float64{gaps[0], gaps[1], gaps[2]}
	for k := range 3 {
		points[3+k] = c[k].Add(c[(k+1)%3]).Mul(0.5)
		known[3+k] = s.better(points[3+k], best)
	}
	all := math.Inf(1)
	for _, k := range [4][3]int{{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}} {
		part := [3]mgl64.Vec3{points[k[0]], points[k[1]], points[k[2]]}
		gaps := [3]float64{known[k[0]], known[k[1]], known[k[2]]}
		middle, radius := around(part)
		d, n := s.gap(best.obstacle, middle)
		all = min(all, s.triangle(part, &gaps, middle, radius, d, n, best))
	}
	return max(least, all)
}

// around is a ball about a triangle.
func around(c [3]mgl64.Vec3) (middle mgl64.Vec3, radius float64) {
	middle = c[0].Add(c[1]).Add(c[2]).Mul(1. / 3)
	return middle, max(c[0].Sub(middle).Len(), c[1].Sub(middle).Len(), c[2].Sub(middle).Len())
}

// bendOf is the reach of an obstacle as a set, seen from outside, m: that of a convex body has no end.
func bendOf(s Shape) float64 {
	switch s := s.(type) {
	case *Posed:
		return bendOf(s.Shape)
	case *Plane, *Rectangle, *Brick, *Ball, *Cylinder:
		return math.Inf(1)
	case *Bowl:
		return s.Radius
	}
	return 0
}

// worst is the point of the tool that is nearest to any obstacle in a pose, of those that are nearer than the reach of
// grains.
func (s *stops) worst(pose frame.Pose) touch {
	s.look(pose)
	best := touch{gap: CutOff * s.sigma}
	for _, t := range s.held { // one of these, most often
		if d, n := s.gap(t.obstacle, t.point); d < best.gap && !s.inside[t.obstacle] {
			best = touch{t.point, t.obstacle, n, d}
		}
	}
	free := true
	for o := range s.obstacles {
		if s.inside[o] {
			if t := s.nearest(o, 0); t.gap < 0 {
				free = false
				continue
			}
			s.inside[o] = false
		}
		if t := s.nearest(o, best.gap); t.gap < best.gap {
			best = t
		}
	}
	s.free = free
	return best
}

// follow is the pose nearest to the next one that the obstacles allow. Planes through the nearest points are added
// until the motion that is closest to the wanted one, and on the right side of all of them, is free (cutting planes).
func (s *stops) follow(from, next frame.Pose) frame.Pose {
	if s.room -= s.way(from, next); s.room > 0 && s.free {
		return next
	}
	wanted := motion(from, next)
	s.planes = s.planes[:0]
	s.measure(from)
	for _, t := range s.held { // what held the tool before holds it again
		s.plane(from, t, -max(0, t.gap))
	}
	to, ok := next, true
	if len(s.held) > 0 {
		to, ok = s.nearestTo(from, next, wanted)
	}
	for ok {
		t := s.worst(to)
		if s.room = t.gap; t.gap >= -touching*s.sigma {
			s.keep(t)
			return to
		}
		if len(s.planes) == cap(s.planes) || t.normal == (mgl64.Vec3{}) {
			break
		}
		s.keep(t)
		s.plane(from, t, t.normal.Dot(to.Point(t.point).Sub(from.Point(t.point)))-t.gap)
		to, ok = s.nearestTo(from, next, wanted)
	}
	for range halvings { // where planes do not find it, a part of the way is free, or none
		to = between(from, to, 0.5)
		if t := s.worst(to); t.gap >= -touching*s.sigma {
			s.room = t.gap
			return to
		}
	}
	s.room = 0
	return from
}

// nearestTo is the pose after the motion that is closest to the wanted one to the next pose, and that all planes allow;
// none does where ok is false.
func (s *stops) nearestTo(from, next frame.Pose, wanted [6]float64) (to frame.Pose, ok bool) {
	d, ok := s.closest(wanted)
	if d == wanted {
		return next, ok
	}
	return moved(from, d), ok
}

// plane adds that a point goes so far along its normal at least.
func (s *stops) plane(from frame.Pose, t touch, least float64) {
	n, a := t.normal, from.Vector(t.point).Cross(t.normal).Mul(1/s.reach)
	s.planes = append(s.planes, plane{along: [6]float64{n[0], n[1], n[2], a[0], a[1], a[2]}, least: least})
}

// measure finds the gaps where the tool touched, and forgets where it does not any more.
func (s *stops) measure(pose frame.Pose) {
	n := 0
	for _, t := range s.held {
		d, normal := s.distance(t.obstacle, pose.Point(t.point))
		if t.gap, t.normal = d-s.apart-s.round, normal; t.gap < clings*s.sigma && normal != (mgl64.Vec3{}) {
			s.held[n] = t
			n++
		}
	}
	s.held = s.held[:n]
}

// closest is the motion that is closest to a wanted one, and that all planes allow, by the dual method of Goldfarb and
// Idnani (1983): the plane that a motion breaks most holds it from then on, and those that would have to pull let go.
// ok is false where no motion is on the right side of all planes.
func (s *stops) closest(wanted [6]float64) (motion [6]float64, ok bool) {
	d := wanted
	for k := 3; k < 6; k++ {
		d[k] *= s.reach
	}
	for i := range s.planes {
		s.planes[i].force = 0
	}
	hold := s.hold[:0]
	for range takes * len(s.planes) {
		next, most := -1, touching/4*s.sigma
		for i := range s.planes {
			if lacks := s.planes[i].least - dot6(&s.planes[i].along, &d); lacks > most {
				next, most = i, lacks
			}
		}
		if next < 0 {
			for k := 3; k < 6; k++ {
				d[k] /= s.reach
			}
			return d, true
		}
		if hold, ok = s.take(hold, next, &d); !ok {
			break
		}
	}
	return wanted, false
}

// take has one more plane hold a motion, beside those that do.
func (s *stops) take(hold []int, next int, d *[6]float64) (held []int, ok bool) {
	p := &s.planes[next]
	for {
		// Of the plane's direction, what those that hold give: share of each, and what is left over, by Gram and Schmidt.
		var base [6][6]float64 // orthonormal, of the same span
		var tri [6][6]float64  // their directions in it
		var share [6]float64
		left := p.along
		for j, i := range hold {
			base[j] = s.planes[i].along
			for k := range j {
				tri[k][j] = dot6(&base[k], &base[j])
				add6(&base[j], -tri[k][j], &base[k])
			}
			tri[j][j] = math.Sqrt(dot6(&base[j], &base[j]))
			for k := range base[j] {
				base[j][k] *= 1 / tri[j][j]
			}
			share[j] = dot6(&base[j], &left)
			add6(&left, -share[j], &base[j])
		}
		for j := len(hold) - 1; j >= 0; j-- {
			for k := j + 1; k < len(hold); k++ {
				share[j] -= tri[j][k] * share[k]
			}
			share[j] /= tri[j][j]
		}
		step, leaves := math.Inf(1), -1
		for j, i := range hold {
			if share[j] > 0 && s.planes[i].force < step*share[j] {
				step, leaves = s.planes[i].force/share[j], j
			}
		}
		along := dot6(&left, &left)
		independent := len(hold) < 6 && along > dependent*dependent*dot6(&p.along, &p.along)
		if independent {
			if whole := (p.least - dot6(&p.along, d)) / along; whole <= step {
				step, leaves = whole, -1
			}
			add6(d, step, &left)
		} else if leaves < 0 {
			return hold, false
		}
		for j, i := range hold {
			s.planes[i].force -= step * share[j]
		}
		p.force += step
		if leaves < 0 {
			return append(hold, next), true
		}
		s.planes[hold[leaves]].force = 0
		hold = slices.Delete(hold, leaves, leaves+1)
	}
}

func dot6(a, b *[6]float64) (sum float64) {
	for k, x := range a {
		sum += x * b[k]
	}
	return sum
}

func add6(a *[6]float64, s float64, b *[6]float64) {
	for k, x := range b {
		a[k] += s * x
	}
}

// keep remembers where the tool touches, for the hand.
func (s *stops) keep(t touch) {
	if t.gap > clings*s.sigma {
		return
	}
	for i := range s.held {
		if h := &s.held[i]; h.obstacle == t.obstacle && h.point.Sub(t.point).Len() < onePlace*s.sigma {
			*h = t
			return
		}
	}
	if len(s.held) < cap(s.held) {
		s.held = append(s.held, t)
	}
}

// fill adds the contacts of a tool that is held to the hand's model. They have no friction, and all
// together they are as stiff as the spring between hand and tool: no stiffer than what the device bears.
func (s *stops) fill(m *local.Model, pose frame.Pose, stiffness float64) {
	s.measure(pose)
	n := len(s.held)
	m.SetN(n)
	n = m.N
	clear(m.W)
	clear(m.Free)
	clear(m.R)
	clear(m.Mu)
	for i, t := range s.held[:n] {
		u := num.Across(t.normal)
		m.Frame[i] = [3]mgl64.Vec3{t.normal, u, t.normal.Cross(u)}
		m.Arm[i] = pose.Vector(t.point).Sub(t.normal.Mul(s.round))
		m.Free[3*i] = t.gap
		for k := 3 * i; k < 3*i+3; k++ {
			m.W[k*3*n+k] = float64(n) / stiffness
		}
	}
	m.FillRigid()
	m.Length = s.reach
}

// motion is the translation and the rotation vector from a pose to another.
func motion(from, to frame.Pose) (d [6]float64) {
	m := local.Model{Origin: from.Position, Rotation: from.Rotation}
	return m.Displacement(to.Position, to.Rotation)
}

// moved is a pose after a motion.
func moved(from frame.Pose, d [6]float64) frame.Pose {
	p := frame.Pose{Position: from.Position.Add(mgl64.Vec3(d[:3])), Rotation: from.Rotation}
	if turn := mgl64.Vec3(d[3:]); turn != (mgl64.Vec3{}) {
		p.Rotation = frame.Exp(turn).Mul(from.Rotation).Normalize()
	}
	return p
}
