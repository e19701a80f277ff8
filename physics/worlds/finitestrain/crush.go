package finitestrain

import (
	"math"

	"hapco/physics/files/mesh"
	"hapco/physics/numerics/fem/equilibrium"
)

// bears is the mean pressure, in shear moduli of the body, that tissue bears where the tool touches it: about two and a
// half times E. Presses through 60 % of an organ come to 6 to 10 where nothing limits them, a tool that is swept into
// nodes that are held to thousands.
const bears = 7

// prepareFirm finds for each node of the surface what its share of the surface bears.
func (l *Live) prepareFirm(m *mesh.Mesh) {
	l.area, l.firm = make([]float64, len(m.Nodes)), make([]float64, len(m.Nodes))
	for _, skin := range l.skins {
		for _, t := range skin.Triangles {
			a, b, c := m.Nodes[t[0]], m.Nodes[t[1]], m.Nodes[t[2]]
			for _, n := range t {
				l.area[n] += b.Sub(a).Cross(c.Sub(a)).Len() / 6
			}
		}
	}
	for i := range m.Blocks {
		l.firmOf(i)
	}
}

// firmOf takes over the law of a block.
func (l *Live) firmOf(block int) {
	shear := l.body.Shear(block)
	for _, n := range l.body.Mesh.Blocks[block].Nodes {
		l.firm[n] = shear * l.area[n]
	}
}

// supports is how stiff what holds the body is, where the tool meets it: in shear moduli times the root of a node's
// share of the surface. Where a support is rigid W says that next to nothing moves, and the force could be any.
const supports = 14

// givesWay is how far a support does so at most, in reaches: no state is shown in which it is more. Without this,
// triangles beside nodes that are held come through a tool that sinks into them, and it jams: 9 of 15 ways out of
// creases; see TestToolsAreDrawnOff. A support ten times as stiff keeps the tool out, too, but sweeps into the clamped
// end of organs met 10 N so, not 1.
const givesWay = 0.25

// supportOf is what the support gives way at a spot, m/N: nothing where no node is held.
func (l *Live) supportOf(s *spot) (soft float64) {
	for k, n := range s.nodes {
		if n >= 0 && l.k.Index[n] < 0 && l.firm[n] > 0 {
			soft += s.share[k] * math.Sqrt(l.area[n]) / (supports * l.firm[n])
		}
	}
	return soft
}

// rises is by how much more a tool may press on its way back, where it presses harder than tissue bears: in a wedge, or
// where friction has given way, the way out may do so for a moment. After each try that is given up it may by as much
// more: once no way at all was without.
const rises = 1.25

// crushed tells that the tool presses harder than the tissue under it bears, or deeper into a support, and harder than
// in the last equilibrium, on its way against what met it there: the way back is free.
func (l *Live) crushed(tool equilibrium.Obstacle) bool {
	pressed, borne, given := l.push()
	if !(l.Options.Bears > 0 && (pressed > l.Options.Bears*borne || given > givesWay*l.Options.Reach) && pressed > l.pressed) {
		return false
	}
	work := 0.0 // on the body
	for i := range l.goodRows {
		if r := &l.goodRows[i]; !r.own {
			work += r.force.Dot(tool.Moved(r.of(l.committed), 0, l.share))
		}
	}
	return work >= 0 || pressed > math.Pow(rises, float64(1+l.backs))*l.pressed
}

// hard tells that the tool presses with half of what tissue bears in the last equilibrium.
func (l *Live) hard() bool { return l.pressed > l.Options.Bears*l.borne/2 }

// push is how hard the tool presses, N, what a mean pressure of one shear modulus would be, and how far a support gives
// way, m.
func (l *Live) push() (pressed, borne, given float64) {
	for i := range l.rows {
		r := &l.rows[i]
		if r.own || !(r.force.Dot(r.frame[0]) > 0) {
			continue
		}
		pressed += r.force.Len()
		given = max(given, r.soft*r.force.Dot(r.frame[0]))
		for k, n := range r.nodes {
			if n >= 0 {
				borne += r.share[k] * l.firm[n]
			}
		}
	}
	return pressed, borne, given
}
