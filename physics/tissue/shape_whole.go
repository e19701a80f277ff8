package tissue

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// Bodies that touch themselves or each other are looked at nearly everywhere:
// their surfaces are close over large parts, and what comes near next may be any
// of them. Where they are small, all their nodes are worked out in one product,
// which costs less than one by one. Then it is known how far the body has come,
// and not only a bound: boxes are tight, and what detection has found out of
// nodes that are not near stays true for many steps.

const (
	// wholeNodes is the number of surface nodes up to which that is done, and
	// wholeProducts the number of products, nodes times nodes with forces.
	wholeNodes    = 4096
	wholeProducts = 120_000
	// It is done for a tool that is deep in tissue, too: where one in wantedShare of
	// the body's nodes was asked for in the step before.
	wantedShare = 4
)

// whole is what is known of a small body as a whole.
type whole struct {
	round   uint64       // detection that last asked for all nodes
	state   uint32       // of the shape then
	travel  float64      // after it
	moved   float64      // how far any node had come since the one before, m; 0: not known
	before  []mgl64.Vec3 // where the nodes were, world, m
	elastic []float64    // workspace: displacements by contact forces, 3 a node, m
}

func (c *whole) allocate(nodes int) {
	if nodes <= wholeNodes {
		c.before, c.elastic = make([]mgl64.Vec3, nodes), make([]float64, 3*nodes)
	}
}

// locateWhole makes all nodes of small bodies current where a meeting looks at
// them nearly everywhere, and of small rigid ones, which takes next to nothing.
func (w *World) locateWhole(m *meeting) {
	a, b := w.bodies[m.a], w.bodies[m.b]
	everywhere := m.form == nil && (m.edges || m.backward >= 0 || m.a == m.b)
	soft := a.flexibility.elastic() && b.flexibility.elastic()
	for _, body := range [2]*body{a, b} {
		switch {
		case everywhere && (soft || !body.flexibility.elastic()),
			body.flexibility.elastic() && wantedShare*body.shape.wanted[1] > len(body.rest):
			body.locateWhole(w.round)
		}
	}
}

// locateWhole makes all nodes of a small body current, once a detection: before
// anything has relied on how far they have come.
func (b *body) locateWhole(round uint64) {
	c := &b.shape
	if c.whole.round == round || c.whole.before == nil || b.rows != nil || len(b.rest)*len(c.now.nodes) > wholeProducts {
		return
	}
	known := c.whole.round+1 == round // nothing was looked at in between
	c.whole.round, c.whole.moved = round, 0
	if known && c.whole.state == c.state {
		return
	}
	u := c.whole.elastic
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
		most = max(most, c.position[i].Sub(c.whole.before[i]).LenSqr())
		c.whole.before[i] = c.position[i]
	}
	if known {
		c.whole.moved = math.Sqrt(most)
		// The bounds since then are more than that, but for rounding of positions.
		if d := c.whole.travel + math.Sqrt(most)*(1+1e-9); d < c.travel {
			c.travel = d
		}
	}
	c.whole.state, c.whole.travel = c.state, c.travel
	b.facets.tree.Refit(c.position)
}

// maxSettling bounds how often a step is repeated because bodies have snapped.
const maxSettling = 3

// snapped tells whether two soft bodies, or two parts of one, have moved so far in
// this increment that what was too far away for a contact may be inside by now: a
// lobe that was held and springs back. The stylus cannot do that (see limit).
func (w *World) snapped() bool {
	w.round++
	far := false
	for _, i := range w.due {
		m := &w.meetings[i]
		w.locateWhole(m)
		a, b := w.bodies[m.a], w.bodies[m.b]
		if !a.flexibility.elastic() || !b.flexibility.elastic() || a.shape.whole.round != w.round || b.shape.whole.round != w.round {
			continue
		}
		far = far || a.shape.whole.moved+b.shape.whole.moved > w.params.DDCTolerance
	}
	return far
}
