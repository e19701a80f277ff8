package tissue

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/numerics/contact"
	"hapco/physics/numerics/flex"
	"hapco/physics/numerics/num"
)

// configuration of a body: the few things that every position follows from. A step settles it; where a surface node is,
// is worked out when something asks (body.locate), so that a step's cost follows its contacts and not the body's nodes.
type configuration struct {
	rotation mgl64.Mat3
	origin   mgl64.Vec3
	load     mgl64.Vec3 // own weight: acceleration over E, body frame, m/s^2/Pa
	nodes    []int32    // surface nodes that carry contact forces
	rows     []int32    // the same, by their place in the compliance
	force    []float64  // on them, over E, body frame, 3 a node, N/Pa
}

// deformed is the present configuration of a body and what is known of it.
type deformed struct {
	now, last configuration
	state     uint32       // number of the configuration
	seen      []uint32     // position and elastic hold for the present configuration where it equals state
	asked     []uint32     // and something asked for them where this does
	position  []mgl64.Vec3 // surface nodes, world, m
	elastic   []float64    // their displacements by contact forces, body frame, 3 a node, m
	bulge     float64      // no node's displacement in the present configuration is longer, m
	travel    float64      // no node has come farther in all, m; lowered where it turns out to be less
	allNodes  allNodes

	patch  flex.Patch // the compliance of the nodes around the contacts
	dense  []float64  // now.force over the patch's slots
	around []int32    // surface nodes that were asked for in the present configuration and in the one before
	wanted [2]int     // how many were asked for in the present configuration, and in the one before

	// A step follows some nodes into the configuration to come: its contacts' own, and those around them that are asked
	// for in every configuration. Their displacements are worked out together, which costs much less than one by one.
	watched   activeNodes
	followed  []int32
	rows      []int32   // of those, in the compliance
	slots     []int32   // and in the patch
	apart     []int32   // of the nodes of elasticOf those outside the patch,
	apartRows []int32   // in the compliance,
	far       []float64 // and their displacements
	push      []float64 // forces of a Newton iteration over the patch's slots
	batch     []float64 // displacements of followed nodes
	coming    []float64 // the same, 3 a surface node
	loaded    activeNodes
	one       [1]int32
	base      []float64 // displacements in the configuration before
	delta     []float64 // change of the forces
}

// patchRoom is how many nodes a patch has memory for before the first step: what is not touched of it takes none. More
// come only for a moment, and growing takes up to 36 ms.
const patchRoom = 512

func (c *deformed) allocate(nodes int) {
	c.seen, c.asked = make([]uint32, nodes), make([]uint32, nodes)
	c.position = make([]mgl64.Vec3, nodes)
	c.elastic, c.coming = make([]float64, 3*nodes), make([]float64, 3*nodes)
	for _, list := range []*[]int32{&c.around, &c.followed, &c.rows, &c.slots, &c.apart, &c.apartRows, &c.now.nodes, &c.now.rows, &c.last.nodes, &c.last.rows} {
		*list = make([]int32, 0, nodes)
	}
	for _, list := range []*[]float64{&c.batch, &c.far, &c.delta, &c.now.force, &c.last.force} {
		*list = make([]float64, 3*nodes)
	}
	c.base = make([]float64, 6*nodes)
	c.loaded, c.watched = newActiveNodes(nodes), newActiveNodes(nodes)
	c.allNodes.allocate(nodes)
	c.state = 1
}

// next begins a configuration: nothing is known of it.
func (c *deformed) next() {
	c.state++
	c.around = c.around[:0]
	c.wanted = [2]int{0, c.wanted[0]}
	if c.state == 0 { // wrapped around: old marks could match again
		clear(c.seen)
		clear(c.asked)
		c.state, c.allNodes.round = 1, 0
	}
}

// locate makes position[node] right for the present configuration.
func (b *body) locate(node int32) {
	c := &b.deformed
	if last := c.asked[node]; last != c.state {
		c.asked[node] = c.state
		c.wanted[0]++
		if last == c.state-1 {
			c.around = append(c.around, node)
		}
		b.find(node)
	}
}

// watch makes the step follow a node.
func (b *body) watch(node int32) {
	c := &b.deformed
	b.locate(node)
	if _, ok := c.watched.find(node); !ok {
		c.watched.add(node)
	}
}

// find is locate for what is of no interest to the next step.
func (b *body) find(node int32) {
	c := &b.deformed
	if c.seen[node] == c.state {
		return
	}
	if row := b.row(node); row >= 0 && b.flexibility.elastic() {
		u := c.elastic[3*node : 3*node+3]
		if c.one[0] = c.patch.Slot(row); c.one[0] >= 0 {
			c.patch.Displace(u, c.one[:], c.dense)
		} else {
			c.one[0] = row
			b.flexibility.compliance.DisplaceAt(u, c.one[:], c.now.rows, c.now.force)
		}
	}
	b.settle(node)
}

// at is where a surface node is, world, m.
func (b *body) at(node int32) mgl64.Vec3 {
	b.locate(node)
	return b.deformed.position[node]
}

// settle places a node whose elastic displacement is known.
func (b *body) settle(node int32) {
	c := &b.deformed
	u, x, r, o := b.displacement(node), &b.rest[node], &c.now.rotation, &c.now.origin
	a0, a1, a2 := u[0]+x[0], u[1]+x[1], u[2]+x[2]
	to := &c.position[node]
	to[0] = r[0]*a0 + r[3]*a1 + r[6]*a2 + o[0]
	to[1] = r[1]*a0 + r[4]*a1 + r[7]*a2 + o[1]
	to[2] = r[2]*a0 + r[5]*a1 + r[8]*a2 + o[2]
	c.seen[node] = c.state
}

// displacement of a located node, body frame, m.
func (b *body) displacement(node int32) mgl64.Vec3 {
	u := b.flexibility.sag(node, b.deformed.now.load)
	e := b.deformed.elastic[3*node:][:3]
	u[0] += e[0]
	u[1] += e[1]
	u[2] += e[2]
	return u
}

// locateAll does find for several nodes.
func (b *body) locateAll(nodes []int32) {
	for _, node := range nodes {
		b.find(node)
	}
}

// elasticOf is the displacements of nodes by contact forces, body frame, m, 3 a node, found at once and not remembered:
// for who looks at many that nobody else asks for.
func (b *body) elasticOf(nodes []int32) []float64 {
	c := &b.deformed
	c.batch = num.Grow(c.batch, 3*len(nodes))
	c.apart, c.apartRows = c.apart[:0], c.apartRows[:0]
	for i, node := range nodes {
		u, row := c.batch[3*i:3*i+3], b.row(node)
		if c.seen[node] != c.state && row >= 0 {
			if c.one[0] = c.patch.Slot(row); c.one[0] < 0 {
				c.apart, c.apartRows = append(c.apart, int32(i)), append(c.apartRows, row)
				continue
			}
			c.patch.Displace(u, c.one[:], c.dense)
			continue
		}
		copy(u, c.elastic[3*node:])
	}
	if len(c.apart) > 0 {
		c.far = num.Grow(c.far, 3*len(c.apart))
		b.flexibility.compliance.DisplaceAt(c.far, c.apartRows, c.now.rows, c.now.force)
		for k, i := range c.apart {
			copy(c.batch[3*i:3*i+3], c.far[3*k:])
		}
	}
	return c.batch
}

// follow begins to follow what is watched, and what was asked for in the present configuration and in the one before.
func (b *body) follow() {
	c := &b.deformed
	if !b.flexibility.elastic() {
		return
	}
	if c.allNodes.state != c.state { // else all are known at once, when they are asked for
		for _, node := range c.around {
			c.watched.add(node)
		}
	}
	c.followed, c.rows = c.followed[:0], c.rows[:0]
	for _, node := range c.watched.nodes {
		if row := b.row(node); row >= 0 {
			c.followed, c.rows = append(c.followed, node), append(c.rows, row)
			c.patch.Bring(row)
		}
	}
	for _, row := range c.now.rows {
		c.patch.Bring(row)
	}
	c.patch.Trim()
	b.press()
}

// press spreads the present configuration's forces over the patch as it is now.
func (b *body) press() {
	c := &b.deformed
	c.dense = c.patch.Spread(c.dense, c.now.rows, c.now.force)
}

// row is a surface node's place in the compliance; -1 for one that cannot be touched, of which a step knows nothing.
func (b *body) row(node int32) int32 {
	if b.rows == nil {
		return node
	}
	return b.rows[node]
}

// adopt makes the present pose, weight and contact forces the body's configuration, and bounds how far that moves any
// node.
func (b *body) adopt() {
	c := &b.deformed
	old, now := &c.now, &c.last
	now.rotation, now.origin, now.load = b.rotation, b.pose.Position, b.load
	now.nodes, now.rows, now.force = now.nodes[:0], now.rows[:0], now.force[:0]
	c.loaded.reset()
	elastic := b.flexibility.elastic()
	if elastic {
		for i, node := range b.active.nodes {
			f := b.force[3*i : 3*i+3]
			if f[0] == 0 && f[1] == 0 && f[2] == 0 {
				continue // of an open contact
			}
			c.loaded.add(node)
			now.nodes = append(now.nodes, node)
			now.rows = append(now.rows, b.row(node))
			now.force = append(now.force, f...)
		}
	}
	if len(now.nodes) == 0 && len(old.nodes) == 0 && now.load == old.load && now.rotation == old.rotation && now.origin == old.origin {
		return
	}
	b.locateAll(now.nodes)
	b.locateAll(old.nodes)
	c.base = b.elasticAt(b.elasticAt(c.base[:0], now.nodes), old.nodes)

	c.now, c.last = c.last, c.now
	old, now = &c.last, &c.now
	c.next()
	if elastic {
		b.press()
		for _, node := range c.followed { // known from the last iteration
			copy(c.elastic[3*node:3*node+3], c.coming[3*node:3*node+3])
			b.settle(node)
		}
		b.locateAll(now.nodes)
		b.locateAll(old.nodes)
	}

	bend, moved := 0.0, 0.0
	if elastic {
		most, rest := b.flexibility.farthest(b.workOf(now), now.load)
		c.bulge = most + rest
		bend, moved = b.flexibility.farthest(b.workOfChange(), now.load.Sub(old.load))
	}
	turn := 0.0
	for i := range now.rotation {
		d := now.rotation[i] - old.rotation[i]
		turn += d * d
	}
	moved += now.origin.Sub(old.origin).Len() + math.Sqrt(turn)*(b.radius+c.bulge)
	b.drifted(moved, bend)
}

// elasticAt appends the displacements of located nodes.
func (b *body) elasticAt(dst []float64, nodes []int32) []float64 {
	for _, node := range nodes {
		dst = append(dst, b.deformed.elastic[3*node:3*node+3]...)
	}
	return dst
}

// drifted tells what relies on it that nodes have moved, none by more than d and its share of bend.
func (b *body) drifted(d, bend float64) {
	b.deformed.travel += d + bend
	b.facets.tree.Drift(d)
	b.facets.tree.Bend(bend)
}

// work is what forces over E do in the displacements u = C f that they cause.
type work struct {
	sum   float64 // f^T C f
	size  float64 // of its terms without their signs: what rounding is relative to
	force float64 // sum of the absolute values of the forces
}

func (w *work) add(force, u float64) {
	w.sum += force * u
	w.size += math.Abs(force * u)
	w.force += math.Abs(force)
}

// workOf a configuration's contact forces.
func (b *body) workOf(s *configuration) (w work) {
	for i, node := range s.nodes {
		for k := range 3 {
			w.add(s.force[3*i+k], b.deformed.elastic[3*int(node)+k])
		}
	}
	return w
}

// workOfChange is that of the difference between the present configuration and the last.
func (b *body) workOfChange() (w work) {
	c := &b.deformed
	c.delta = append(c.delta[:0], c.now.force...)
	base := c.base[3*len(c.now.nodes):]
	for i, node := range c.last.nodes {
		f := c.last.force[3*i : 3*i+3]
		if slot, ok := c.loaded.find(node); ok {
			for k := range 3 {
				c.delta[3*int(slot)+k] -= f[k]
			}
			continue
		}
		for k := range 3 {
			w.add(-f[k], c.elastic[3*int(node)+k]-base[3*i+k])
		}
	}
	for i, node := range c.now.nodes {
		for k := range 3 {
			w.add(c.delta[3*i+k], c.elastic[3*int(node)+k]-c.base[3*i+k])
		}
	}
	return w
}

// farthest bounds the displacement of any node by forces that do the work w, and by a load: rest, and of bend each its
// share in it. By Cauchy and Schwarz: with u = C f, |u_i|^2 <= lambda_max(C_ii) f^T C f.
func (f *flexibility) farthest(w work, load mgl64.Vec3) (bend, rest float64) {
	s := f.softest
	precision := 1e-15
	if f.compliance.InSingle() {
		precision = 1.2e-7
	}
	// Rounding leaves C positive, and its rows right, to that share of its greatest entry, which is no more than s^2.
	inexact := precision * s * w.force
	bend = s * math.Sqrt(max(0, w.sum)+1e-13*w.size+inexact*s*w.force) * (1 + 1e-9)
	rest = inexact * s
	for axis, most := range f.heaviest {
		rest += math.Abs(load[axis]) * most
	}
	return bend, rest * (1 + 1e-9)
}

// box bounds the body in the world, from its box at rest.
func (b *body) box() (lo, hi mgl64.Vec3) {
	r := &b.rotation
	centre := r.Mul3x1(b.low.Add(b.high).Mul(0.5)).Add(b.pose.Position)
	half := b.high.Sub(b.low).Mul(0.5)
	for k := range 3 {
		h := b.deformed.bulge
		for j := range 3 {
			h += math.Abs(r[3*j+k]) * half[j]
		}
		lo[k], hi[k] = centre[k]-h, centre[k]+h
	}
	return lo, hi
}

// fillWork is the workspace of fill.
type fillWork struct{ elastic, load, all, nodal []float64 }

// fill writes where all surface nodes are, world, m. It costs as much as the surface has nodes; where the compliance is
// that of a region, as much as the body has.
func (b *body) fill(dst []mgl64.Vec3, ws *fillWork) {
	c := &b.deformed
	b.fillConfiguration(dst, &c.now, &b.flexibility, ws)
	for i, seen := range c.seen {
		if seen == c.state {
			dst[i] = c.position[i]
		}
	}
}

// fillConfiguration is fill for any configuration and elasticity of the body. It reads nothing of the body that
// changes.
func (b *body) fillConfiguration(dst []mgl64.Vec3, s *configuration, f *flexibility, ws *fillWork) {
	if f.elastic() {
		ws.elastic = num.Grow(ws.elastic, 3*f.compliance.N)
		clear(ws.elastic)
		f.compliance.Displace(ws.elastic, s.rows, s.force)
	}
	known := b.rows != nil && b.solveAllNodes(s, f, ws)
	for i, x := range b.rest {
		y := f.sag(int32(i), s.load).Add(x)
		if row := b.row(int32(i)); row >= 0 && f.elastic() {
			y = y.Add(mgl64.Vec3(ws.elastic[3*row : 3*row+3]))
		} else if known {
			node := b.surface[i]
			y = y.Add(mgl64.Vec3(ws.all[3*node : 3*node+3]))
		}
		dst[i] = s.rotation.Mul3x1(y).Add(s.origin)
	}
}

// StrainEnergy appends to dst, by body, the elastic energy that its contact forces have put into it: f u / 2 over the
// nodes that carry them, J. Energy of the body's own weight is not in it. Rigid bodies have none.
func (w *World) StrainEnergy(dst []float64) []float64 {
	for _, b := range w.bodies {
		e := 0.0
		if b.flexibility.elastic() {
			b.locateAll(b.deformed.now.nodes)
			e = b.workOf(&b.deformed.now).sum * b.young / 2
		}
		dst = append(dst, e)
	}
	return dst
}

// FrictionLoss is what friction took in the last step: minus the work of the tangential forces in the slip that they
// resist, J.
func (w *World) FrictionLoss() float64 { return w.last.loss }

// slipWork is that of the last increment.
func (w *World) slipWork() float64 {
	loss := 0.0
	for i, s := range w.solving.status {
		// what a sticking contact is off its place by is not a slip of this step
		if s == contact.Slip {
			loss -= w.r[3*i+1]*w.x[3*i+1] + w.r[3*i+2]*w.x[3*i+2]
		}
	}
	return loss
}
