package finitestrain

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/frame"
	"hapco/physics/worlds/tissue/touch"
)

// contactSet is the contacts of a tool that hangs on the hand, of the bodies with each other and with themselves, in layers of
// package touch: no correction goes farther than touch says that nothing crosses.
type contactSet struct {
	set      *touch.Set
	nodes    [][]int32 // of the surfaces, in the mesh; none of one that moves with the tool
	motion   touch.Motion
	bindings []touch.Binding
	drop     []int32 // nodes of rows, to count them
}

// Shape is a tool's: all within a radius of a core, or a surface.
type Shape struct {
	Core      [2]mgl64.Vec3 // ends of a line in the tool's frame, m
	Round     float64       // radius, m; 0: a surface
	Points    []mgl64.Vec3  // of the surface, in the tool's frame, m
	Triangles [][3]int32
}

// Meet makes the surfaces ready for a tool of a shape that hangs on the hand. The error says what there is too much of.
func (l *Live) Meet(tool *Shape) error {
	c := &l.contacts
	may := make([]bool, len(l.whose))
	for _, n := range l.nodes {
		may[n] = l.firm[n] > 0
	}
	for _, n := range l.facets.still {
		may[n] = true
	}
	var surfaces []*touch.Surface
	var pairs []touch.Pairing
	c.nodes = nil
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
			s.Firm = append(s.Firm, l.firm[n])
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
	body := make([]int, len(l.skins))
	for i, skin := range l.skins {
		body[i] = -1
		if len(skin.Triangles) == 0 {
			continue
		}
		body[i] = add(skin.Triangles)
		if len(l.itself[i].nodes) > 0 {
			pairs = append(pairs, touch.Pairing{A: body[i], B: body[i]})
		}
	}
	for i := range l.between {
		m := &l.between[i]
		if !slices.ContainsFunc(l.between[:i], func(o between) bool { return o.Nodes == m.Triangles && o.Triangles == m.Nodes }) {
			pairs = append(pairs, touch.Pairing{A: body[m.Nodes], B: body[m.Triangles]})
		}
	}
	// of a body part of which alone is met, that is a surface of its own
	var met []int
	for i, skin := range l.skins {
		part := slices.DeleteFunc(slices.Clone(skin.Triangles), func(t [3]int32) bool { return !may[t[0]] || !may[t[1]] || !may[t[2]] })
		switch {
		case len(part) == 0:
		case len(part) == len(skin.Triangles):
			met = append(met, body[i])
		default:
			met = append(met, add(part))
		}
	}
	moving := -1
	if tool.Round == 0 {
		s := &touch.Surface{Triangles: tool.Triangles, Tool: true}
		s.X, s.Rest = slices.Clone(tool.Points), tool.Points
		moving = len(surfaces)
		surfaces, c.nodes = append(surfaces, s), append(c.nodes, nil)
	}
	for _, i := range met {
		pairs = append(pairs, touch.Pairing{A: i, B: moving})
	}
	var err error
	c.set, err = touch.NewSet(surfaces, pairs, touch.Tool{Core: tool.Core, Round: tool.Round, Pose: frame.Identity()},
		touch.Options{Thickness: layerThick * l.Options.Reach, Layer: layerShear})
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
	c.place(l.X, l.hung.at)
	// A hand that presses does not come farther before the next step; one that comes down may, and finds its contacts.
	if c.set.Sight = l.Options.Reach; slices.ContainsFunc(l.rows, func(r liveRow) bool { return !r.own && r.force != mgl64.Vec3{} }) {
		c.set.Sight = 0
	}
	c.set.Collect(nearBy * l.Options.Reach)
	l.list()
}

// list makes the contacts rows, with what they bear.
func (l *Live) list() {
	c := &l.contacts
	l.hung.seen = l.hung.at
	l.rows = l.rows[:0]
	for i := range c.set.Contacts {
		r := liveRow{contact: i}
		if l.put(&r); !r.own || l.moves(&r.spot) {
			l.rows = append(l.rows, r)
		} else {
			c.set.Contacts[i].Force = mgl64.Vec3{}
		}
	}
	l.room()
}

// room leaves out the rows that are farthest and bear nothing, where there are more than there is room for.
func (l *Live) room() {
	c, most := &l.contacts, l.now.most
	for len(l.rows) > 0 {
		c.drop = c.drop[:0]
		for i := range l.rows {
			for _, n := range l.rows[i].nodes {
				if n >= 0 && l.k.Index[n] >= 0 {
					c.drop = append(c.drop, n)
				}
			}
		}
		slices.Sort(c.drop)
		if len(slices.Compact(c.drop)) <= most && len(l.rows) <= 3*l.Options.Contacts {
			return
		}
		far := 0
		for i := range l.rows {
			r, f := &l.rows[i], &l.rows[far]
			if a, b := r.free(), f.free(); a && !b || a == b && r.gap > f.gap {
				far = i
			}
		}
		c.set.Contacts[l.rows[far].contact].Force = mgl64.Vec3{}
		l.rows = slices.Delete(l.rows, far, far+1)
	}
}

// free tells that a row bears nothing and is not held.
func (r *liveRow) free() bool { return !r.held && r.force == mgl64.Vec3{} }

// put fills in a row as its contact is now; what it bears, it bears along the frame as it is.
func (l *Live) put(r *liveRow) {
	c := &l.contacts
	k := &c.set.Contacts[r.contact]
	r.key, r.frame, r.gap, r.thick = k.Key, k.Frame, k.Gap, k.Thick
	p, q, force := &k.P, &k.Q, k.R()
	onTool := func(p *touch.Point) bool { return p.Count == 0 || c.set.Surfaces[p.Surface].Tool }
	if r.turned = onTool(p); r.turned {
		p, q = q, p
		r.frame[0], r.frame[1], force[2] = r.frame[0].Mul(-1), r.frame[1].Mul(-1), -force[2]
	}
	r.spot = spot{nodes: [4]int32{-1, -1, -1, -1}}
	i := 0
	side := func(p *touch.Point, sign float64) {
		for m := range p.Count {
			r.nodes[i], r.share[i] = c.nodes[p.Surface][p.Node[m]], sign*p.Weight[m]
			i++
		}
	}
	side(p, 1)
	if r.own = !onTool(q); r.own {
		r.other = l.whose[c.nodes[p.Surface][p.Node[0]]] != l.whose[c.nodes[q.Surface][q.Node[0]]]
		side(q, -1)
	}
	r.from = r.of(l.X)
	r.held = k.Held
	r.hold, r.mu = l.frictionLaw(r)
	r.old = force
	r.obey(r.old[:]) // mu may be another one
	r.force = r.world(r.old[:])
	r.gap -= r.thick
	r.arm = r.of(l.X).Sub(l.hung.at.Position)
	r.firm = 0
	for i, n := range r.nodes {
		if n >= 0 {
			r.firm += math.Abs(r.share[i]) * layerShear * l.firm[n]
		}
	}
	r.yield()
}

// yield is the secant compliance of a row's layer at what it bears.
func (r *liveRow) yield() {
	r.soft = r.thick / (r.firm + math.Max(0, r.force.Dot(r.frame[0])))
}

// renewed says where the contacts are after what has moved, and what they bear there.
func (l *Live) renewed() {
	c := &l.contacts
	l.hung.seen = l.hung.at
	c.place(l.X, l.hung.at)
	c.set.Refresh()
	l.keepForces()
	for i := range l.rows {
		l.put(&l.rows[i])
		copy(l.r[3*i:3*i+3], l.rows[i].old[:])
	}
}

// keepForces lets the contacts bear what the rows do.
func (l *Live) keepForces() {
	for i := range l.rows {
		r := &l.rows[i]
		t2 := l.r[3*i+2]
		if r.turned {
			t2 = -t2
		}
		l.contacts.set.Contacts[r.contact].Bear(l.r[3*i], l.r[3*i+1], t2)
	}
}

// across leaves out what of a way goes along the tool's core, where that is straight under a row.
func (c *contactSet) across(r *liveRow, way mgl64.Vec3) mgl64.Vec3 {
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
	c.motion.Way, c.motion.Turn = l.hung.parts(way)
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

// join lets what binds join the rows, which bear what they did before the correction; false where all of it is among them.
func (l *Live) join() bool {
	n := l.contacts.set.Join(l.contacts.bindings, joinMost)
	if n == 0 {
		return false
	}
	l.report.Joined += n
	l.hold()
	l.list()
	return true
}

// within lets a patch that is relaxed, and the tool from a pose, go no farther than nothing crosses.
func (l *Live) within(at frame.Pose) {
	p, h, c := &l.patch, &l.hung, &l.contacts
	c.place(l.X, at)
	copy(l.trial, l.X)
	for i, n := range p.nodes[:p.move] {
		copy(l.trial[3*n:3*n+3], p.x[3*i:3*i+3])
	}
	way := h.all(at, h.at)
	c.motion.Way, c.motion.Turn = mgl64.Vec3(way[:3]), mgl64.Vec3(way[3:])
	share := l.boundTo(l.trial)
	if share == 1 {
		h.at = c.motion.At(at, 1)
		return
	}
	share *= nearly
	for i, x := range p.old {
		p.x[i] = x + share*(p.x[i]-x)
	}
	h.at = c.motion.At(at, share)
	p.least = p.part.Forces(p.force, p.x)
	l.lawful(p.x, h.between(at, h.at))
}
