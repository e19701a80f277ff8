package tissue

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// Bodies that touch themselves or each other are looked at nearly everywhere: their surfaces are close over large
// parts, and what comes near next may be any of them. Where they are small, all their nodes are worked out in one
// product, which costs less than one by one. Then it is known how far the body has come, and not only a bound: boxes
// are tight, and what detection has found out of nodes that are not near stays true for many steps.

const (
	// allNodesMost is the number of surface nodes up to which that is done, and allProductsMost the number of products,
	// nodes times nodes with forces.
	allNodesMost    = 4096
	allProductsMost = 120_000
	// It is done for a tool that is deep in tissue, too: where one in wantedShare of the body's nodes was asked for in
	// the step before.
	wantedShare = 12
)

// allNodes is what is known of a small body all of whose nodes are worked out.
type allNodes struct {
	round   uint64       // detection that last asked for all nodes
	state   uint32       // of the configuration then
	travel  float64      // after it
	moved   float64      // how far any node had come since the one before, m; 0: not known
	before  []mgl64.Vec3 // where the nodes were, world, m
	elastic []float64    // workspace: displacements by contact forces, 3 a node, m
}

func (c *allNodes) allocate(nodes int) {
	if nodes <= allNodesMost {
		c.before, c.elastic = make([]mgl64.Vec3, nodes), make([]float64, 3*nodes)
	}
}

// locateAllNodes makes all nodes of small bodies current where a pair looks at them nearly everywhere, and of small
// rigid ones, which takes next to nothing.
func (w *World) locateAllNodes(m *bodyPair) {
	a, b := w.bodies[m.a], w.bodies[m.b]
	everywhere := m.rigid == nil && (m.edges || m.backward >= 0 || m.a == m.b)
	soft := a.flexibility.elastic() && b.flexibility.elastic()
	for _, body := range [2]*body{a, b} {
		switch {
		case everywhere && (soft || !body.flexibility.elastic()),
			body.flexibility.elastic() && wantedShare*body.deformed.wanted[1] > len(body.rest):
			body.locateAllNodes(w.round)
		}
	}
}

// locateAllNodes makes all nodes of a small body current, once a detection: before anything has relied on how far they
// have come.
func (b *body) locateAllNodes(round uint64) {
	c := &b.deformed
	if c.allNodes.round == round || c.allNodes.before == nil || b.rows != nil || len(b.rest)*len(c.now.nodes) > allProductsMost {
		return
	}
	known := c.allNodes.round+1 == round // nothing was looked at in between
	c.allNodes.round, c.allNodes.moved = round, 0
	if known && c.allNodes.state == c.state {
		return
	}
	u := c.allNodes.elastic
	clear(u)
	if b.flexibility.elastic() {
		b.flexibility.compliance.Displace(u, c.now.rows, c.now.force)
	}
	most := 0.0
	for i := range b.rest {
		if c.seen[i] != c.state {
			copy(c.elastic[3*i:3*i+3], u[3*i:3*i+3])
			b.settle(int32(i))
		}
		most = max(most, c.position[i].Sub(c.allNodes.before[i]).LenSqr())
		c.allNodes.before[i] = c.position[i]
	}
	if known {
		c.allNodes.moved = math.Sqrt(most)
		// The bounds since then are more than that, but for rounding of positions.
		if d := c.allNodes.travel + math.Sqrt(most)*(1+1e-9); d < c.travel {
			c.travel = d
		}
	}
	c.allNodes.state, c.allNodes.travel = c.state, c.travel
	b.facets.tree.Refit(c.position)
}

// maxSettling bounds how often a step is repeated because bodies have moved too far.
const maxSettling = 3

// movedTooFar tells whether two soft bodies, or two parts of one, have moved so far in this increment that what was too
// far away for a contact may be inside by now: a lobe that was held and springs back. The stylus cannot do that (see
// limit).
func (w *World) movedTooFar() bool {
	w.round++
	far := false
	for _, i := range w.due {
		m := &w.bodyPairs[i]
		w.locateAllNodes(m)
		a, b := w.bodies[m.a], w.bodies[m.b]
		if !a.flexibility.elastic() || !b.flexibility.elastic() || a.deformed.allNodes.round != w.round || b.deformed.allNodes.round != w.round {
			continue
		}
		far = far || a.deformed.allNodes.moved+b.deformed.allNodes.moved > w.params.DDCTolerance
	}
	return far
}
