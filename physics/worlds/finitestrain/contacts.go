package finitestrain

import (
	"cmp"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/frame"
	"hapco/physics/worlds/tissue/touch"
)

// contactSet is the contacts of the tool, of the bodies with each other and with themselves, in layers of
// package touch: no correction goes farther than touch says that nothing crosses.
type contactSet struct {
	set      *touch.Set
	nodes    [][]int32 // of the surfaces, in the mesh; none of one that moves with the tool
	motion   touch.Motion
	bindings []touch.Binding
	drop     []int32 // nodes of rows, to count them
	near     []touch.Near
}

// Shape is a tool's: all within a radius of a core, or a surface.
type Shape struct {
	Core      [2]mgl64.Vec3 // ends of a line in the tool's frame, m
	Round     float64       // radius, m; 0: a surface
	Points    []mgl64.Vec3  // of the surface, in the tool's frame, m
	Triangles [][3]int32
}

// reach is how far the tool is from its origin at most, m.
func (s *Shape) reach() (far float64) {
	if s.Round > 0 {
		far = max(s.Core[0].Len(), s.Core[1].Len()) + s.Round
	}
	for _, p := range s.Points {
		far = max(far, p.Len())
	}
	return far
}

// Skin is the surface of one of the bodies that a Live is made of.
type Skin struct {
	Triangles [][3]int32 // of mesh nodes, counter-clockwise seen from outside
	Friction  float64    // Coulomb's mu between it and the tool; NaN: LiveOptions.Friction
}

// Meeting says that two bodies meet.
type Meeting struct {
	A, B     int     // places of the skins
	Friction float64 // Coulomb's mu; NaN: LiveOptions.Friction
}

// prepareContacts makes the surfaces ready to be touched by the tool, where its nodes are met, by each other and by
// themselves. The error says what there is too much of.
func (l *Live) prepareContacts(met []int32, tool *Shape) error {
	c := &l.contacts
	may := make([]bool, len(l.body.Mesh.Nodes))
	for _, n := range met {
		may[n] = l.surfaces.firm[n] > 0 // a rigid body has no elements
	}
	l.surfaces.whose = make([]int32, len(l.body.Mesh.Nodes))
	var surfaces []*touch.Surface
	var pairs []touch.Pairing
	add := func(triangles [][3]int32) int {
		var nodes []int32
		for _, t := range triangles {
			nodes = append(nodes, t[:]...)
		}
		slices.Sort(nodes)
		nodes = slices.Compact(nodes)
		s := &touch.Surface{}
		for _, n := range nodes {
			s.Rest = append(s.Rest, l.body.Mesh.Nodes[n])
			s.X = append(s.X, mgl64.Vec3(l.X[3*n:3*n+3]))
		}
		for _, t := range triangles {
			for k, n := range t {
				at, _ := slices.BinarySearch(nodes, n)
				t[k] = int32(at)
			}
			s.Triangles = append(s.Triangles, t)
		}
		surfaces, c.nodes = append(surfaces, s), append(c.nodes, nodes)
		return len(surfaces) - 1
	}
	body, moves := make([]int, len(l.surfaces.skins)), make([]bool, len(l.surfaces.skins))
	for i, skin := range l.surfaces.skins {
		body[i] = -1
		if len(skin.Triangles) == 0 {
			continue
		}
		body[i] = add(skin.Triangles)
		for _, n := range c.nodes[body[i]] {
			l.surfaces.whose[n] = int32(i)
			moves[i] = moves[i] || l.k.Index[n] >= 0
		}
		if moves[i] {
			pairs = append(pairs, touch.Pairing{A: body[i], B: body[i]})
		}
	}
	for _, m := range l.surfaces.met {
		if body[m.A] >= 0 && body[m.B] >= 0 && (moves[m.A] || moves[m.B]) {
			pairs = append(pairs, touch.Pairing{A: body[m.A], B: body[m.B]})
		}
	}
	// of a body part of which alone is met, that is a surface of its own
	var meets []int
	for i, skin := range l.surfaces.skins {
		part := slices.DeleteFunc(slices.Clone(skin.Triangles), func(t [3]int32) bool { return !may[t[0]] || !may[t[1]] || !may[t[2]] })
		switch {
		case len(part) == 0 || tool == nil:
		case len(part) == len(skin.Triangles):
			meets = append(meets, body[i])
		default:
			meets = append(meets, add(part))
		}
	}
	moving, core := -1, touch.Tool{Pose: frame.Identity()}
	l.tool.lever = 1
	if tool != nil {
		l.tool.lever, core.Core, core.Round = tool.reach(), tool.Core, tool.Round
	}
	if tool != nil && tool.Round == 0 {
		s := &touch.Surface{Triangles: tool.Triangles, Tool: true}
		s.X, s.Rest = slices.Clone(tool.Points), tool.Points
		moving = len(surfaces)
		surfaces, c.nodes = append(surfaces, s), append(c.nodes, nil)
	}
	for _, i := range meets {
		pairs = append(pairs, touch.Pairing{A: i, B: moving})
	}
	var err error
	c.set, err = touch.NewSet(surfaces, pairs, core,
		touch.Options{Thickness: layerThick * l.Options.Reach})
	if err != nil {
		return err
	}
	c.motion.To = make([][]mgl64.Vec3, len(surfaces))
	for i, s := range surfaces {
		c.motion.To[i] = make([]mgl64.Vec3, len(s.X))
	}
	return nil
}

// place says where nodes and tool are.
func (c *contactSet) place(x []float64, at frame.Pose) {
	for i, nodes := range c.nodes {
		to := c.set.Surfaces[i].X
		for k, n := range nodes {
			to[k] = mgl64.Vec3(x[3*n : 3*n+3])
		}
	}
	c.set.Place(at)
}

// collect finds the contacts of a step.
func (l *Live) collect() {
	c := &l.contacts
	c.place(l.X, l.tool.at)
	// A hand that presses does not come farther before the next step; one that comes down may, and finds its contacts.
	if c.set.Sight = l.Options.Reach; slices.ContainsFunc(l.constraints, func(r contactConstraint) bool { return !r.own && r.force != mgl64.Vec3{} }) {
		c.set.Sight = 0
	}
	if l.grip.wanted {
		c.set.Sight = max(c.set.Sight, l.grip.reach)
	}
	c.set.Collect(nearBy * l.Options.Reach)
	l.list()
}

// list makes the contacts rows, with what they bear.
func (l *Live) list() {
	c := &l.contacts
	l.tool.seen = l.tool.at
	l.constraints = l.constraints[:0]
	for i := range c.set.Contacts {
		r := contactConstraint{contact: i}
		if l.put(&r); !r.own || l.moves(&r.surfacePoint) {
			l.constraints = append(l.constraints, r)
		} else {
			c.set.Contacts[i].Force = mgl64.Vec3{}
		}
	}
	l.room()
}

// room leaves out the rows that are farthest and bear nothing, where there are more than there is room for.
func (l *Live) room() {
	c, most := &l.contacts, l.tangents.now.most
	for len(l.constraints) > 0 {
		if c.drop = l.moving(c.drop[:0]); len(c.drop) <= most && len(l.constraints) <= 3*l.Options.Contacts {
			return
		}
		far := 0
		for i := range l.constraints {
			r, f := &l.constraints[i], &l.constraints[far]
			if a, b := r.free(), f.free(); a && !b || a == b && r.gap > f.gap {
				far = i
			}
		}
		c.set.Contacts[l.constraints[far].contact].Force = mgl64.Vec3{}
		l.constraints = slices.Delete(l.constraints, far, far+1)
	}
}

// moving appends the nodes of the rows that move, ascending.
func (l *Live) moving(dst []int32) []int32 {
	for i := range l.constraints {
		for _, n := range l.constraints[i].nodes {
			if n >= 0 && l.k.Index[n] >= 0 {
				dst = append(dst, n)
			}
		}
	}
	slices.Sort(dst)
	return slices.Compact(dst)
}

// free tells that a row bears nothing and is not held.
func (r *contactConstraint) free() bool { return !r.held && r.force == mgl64.Vec3{} }

// put fills in a row as its contact is now; what it bears, it bears along the frame as it is.
func (l *Live) put(r *contactConstraint) {
	c := &l.contacts
	k := &c.set.Contacts[r.contact]
	r.key, r.frame, r.gap, r.thick = k.Key, k.Frame, k.Gap, k.Thick
	p, q, force := &k.P, &k.Q, k.R()
	onTool := func(p *touch.Point) bool { return p.Count == 0 || c.set.Surfaces[p.Surface].Tool }
	if r.turned = onTool(p); r.turned {
		p, q = q, p
		r.frame[0], r.frame[1], force[2] = r.frame[0].Mul(-1), r.frame[1].Mul(-1), -force[2]
	}
	r.base, r.creep, r.goes = r.frame, mgl64.Vec3{}, mgl64.Vec3{}
	r.surfacePoint = surfacePoint{nodes: [4]int32{-1, -1, -1, -1}}
	i := 0
	side := func(p *touch.Point, sign float64) {
		for m := range p.Count {
			r.nodes[i], r.share[i] = c.nodes[p.Surface][p.Node[m]], sign*p.Weight[m]
			i++
		}
	}
	side(p, 1)
	if r.own = !onTool(q); r.own {
		r.other = l.surfaces.whose[c.nodes[p.Surface][p.Node[0]]] != l.surfaces.whose[c.nodes[q.Surface][q.Node[0]]]
		side(q, -1)
	}
	r.from = r.of(l.X)
	r.held = k.Held
	r.hold, r.mu = l.frictionLaw(r)
	r.old = force
	r.obey(r.old[:]) // mu may be another one
	r.force = r.world(r.old[:])
	r.apart, r.gap = r.gap, r.gap-r.thick-k.Rest
	r.arm = r.of(l.X).Sub(l.tool.at.Position)
	r.firm = 0
	for i, n := range r.nodes {
		if n >= 0 {
			r.firm += math.Abs(r.share[i]) * layerShear * l.surfaces.firm[n]
		}
	}
	r.yield()
}

// renewed says where the contacts are after what has moved, and what they bear there.
func (l *Live) renewed() {
	c := &l.contacts
	l.tool.seen = l.tool.at
	c.place(l.X, l.tool.at)
	c.set.Refresh()
	l.keepForces()
	for i := range l.constraints {
		l.put(&l.constraints[i])
		copy(l.problem.r[3*i:3*i+3], l.constraints[i].old[:])
	}
}

// keepForces lets the contacts bear what the rows do.
func (l *Live) keepForces() {
	for i := range l.constraints {
		r := &l.constraints[i]
		t2 := l.problem.r[3*i+2]
		if r.turned {
			t2 = -t2
		}
		l.contacts.set.Contacts[r.contact].Bear(l.problem.r[3*i], l.problem.r[3*i+1], t2)
	}
}

// across leaves out what of a way goes along the tool's core, where that is straight under a row.
func (c *contactSet) across(r *contactConstraint, way mgl64.Vec3) mgl64.Vec3 {
	core := &c.set.Tool.Core
	along := core[1].Sub(core[0])
	q := c.set.Contacts[r.contact].Q.Place.Sub(core[0]).Dot(along)
	if q <= 0 || q >= along.LenSqr() {
		return way
	}
	n := c.set.Tool.Pose.Vector(along).Normalize()
	return way.Sub(n.Mul(n.Dot(way)))
}

// bound is how far the way of the nodes to x, and of the tool by way, may be gone; what binds is listed.
func (l *Live) bound(x []float64, way six) (share float64) {
	c := &l.contacts
	c.motion.Way, c.motion.Turn = *way.part(0), way.part(1).Mul(1/l.tool.lever)
	return l.boundTo(x)
}

// boundTo is the same for a tool that goes as the motion says.
func (l *Live) boundTo(x []float64) (share float64) {
	c := &l.contacts
	for i, nodes := range c.nodes {
		to := c.motion.To[i]
		for k, n := range nodes {
			to[k] = mgl64.Vec3(x[3*n : 3*n+3])
		}
	}
	share, c.bindings = c.set.Bound(&c.motion, c.bindings[:0])
	l.report.Bound = math.Min(l.report.Bound, share)
	return share
}

// join lets what binds join the rows, of which those that were there start where the last solution was; false where all
// of it is among them.
func (l *Live) join() bool {
	n := l.contacts.set.Join(l.contacts.bindings, joinMost)
	if n == 0 {
		return false
	}
	l.report.Joined += n
	l.problem.solved = append(l.problem.solved[:0], l.constraints...)
	l.list()
	was := l.problem.solved
	for i := range l.constraints {
		r := &l.constraints[i]
		for len(was) > 0 && was[0].key < r.key {
			was = was[1:]
		}
		if len(was) > 0 && was[0].key == r.key && was[0].nodes == r.nodes {
			r.force, r.soft, r.creep, r.goes = was[0].force, was[0].soft, was[0].creep, was[0].goes
		}
	}
	return true
}

// within lets a patch that is relaxed, and the tool from a pose, go no farther than nothing crosses.
func (l *Live) within(at frame.Pose) {
	p, h, c := &l.patch, &l.tool, &l.contacts
	c.place(l.X, at)
	copy(l.correction.trial, l.X)
	for i, n := range p.nodes[:p.move] {
		copy(l.correction.trial[3*n:3*n+3], p.x[3*i:3*i+3])
	}
	share := l.bound(l.correction.trial, h.from(at))
	if share == 1 {
		return
	}
	share *= nearly
	for i, x := range p.old {
		p.x[i] = x + share*(p.x[i]-x)
	}
	h.at = c.motion.At(at, share)
	p.least = p.part.Forces(p.force, p.x)
	l.lawful(p.x, h.from(at))
}

// moves tells whether any node of a spot does.
func (l *Live) moves(s *surfacePoint) bool {
	for _, n := range s.nodes {
		if n >= 0 && l.k.Index[n] >= 0 {
			return true
		}
	}
	return false
}

// touches is the largest shear modulus of what the tool is near, Pa; other where it is near nothing.
func (l *Live) touches(other float64) float64 {
	most := 0.0
	for i := range l.constraints {
		if r := &l.constraints[i]; !r.own {
			for _, n := range r.nodes {
				if n >= 0 && l.surfaces.area[n] > 0 {
					most = math.Max(most, l.surfaces.firm[n]/l.surfaces.area[n])
				}
			}
		}
	}
	return cmp.Or(most, other)
}
