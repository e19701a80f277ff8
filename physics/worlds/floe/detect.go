package floe

import "math"

// placed is a floe at some time: its outline in the world, and how it moves.
type placed struct {
	at      []Vec2 // vertices
	normals []Vec2 // of the edges, outward
	g, v    Vec2   // centroid and its velocity
	rate    float64
	radius  float64
	lo, hi  Vec2 // box round the vertices
}

// put places the outline of p.
func (s *placed) put(p *plate, g Vec2, angle float64) {
	s.g, s.radius = g, p.Radius
	sin, cos := math.Sincos(angle)
	s.at, s.normals = s.at[:0], s.normals[:0]
	s.lo, s.hi = Vec2{math.Inf(1), math.Inf(1)}, Vec2{math.Inf(-1), math.Inf(-1)}
	for i, a := range p.outline {
		x := Vec2{g[0] + cos*a[0] - sin*a[1], g[1] + sin*a[0] + cos*a[1]}
		n := p.normals[i]
		s.at = append(s.at, x)
		s.normals = append(s.normals, Vec2{cos*n[0] - sin*n[1], sin*n[0] + cos*n[1]})
		s.lo[0], s.lo[1] = min(s.lo[0], x[0]), min(s.lo[1], x[1])
		s.hi[0], s.hi[1] = max(s.hi[0], x[0]), max(s.hi[1], x[1])
	}
}

// velocity of the point x of the floe, m/s.
func (s *placed) velocity(x Vec2) Vec2 {
	return Vec2{s.v[0] - s.rate*(x[1]-s.g[1]), s.v[1] + s.rate*(x[0]-s.g[0])}
}

// near tells whether x is within d of the box.
func (s *placed) near(x Vec2, d float64) bool {
	return x[0] >= s.lo[0]-d && x[0] <= s.hi[0]+d && x[1] >= s.lo[1]-d && x[1] <= s.hi[1]+d
}

// discGap is the distance of the discs of two floes, below 0 where they overlap.
func discGap(a, b *placed) float64 { return length(b.g.Sub(a.g)) - a.radius - b.radius }

// discTime is how long the discs stay apart, at constant velocities, up to a distance of tol: (gap - tol) over the
// closing speed along the line of centres. Infinite where they do not close.
func discTime(a, b *placed, tol float64) float64 {
	line := b.g.Sub(a.g)
	closing := a.v.Sub(b.v).Dot(line) / length(line)
	if !(closing > 0) {
		return math.Inf(1)
	}
	return (discGap(a, b) - tol) / closing
}

// overlapTime is the bound for discs that overlap: (distance - tol) over the largest speed of a vertex of one floe
// relative to the other.
func overlapTime(a, b *placed, distance, tol float64) float64 {
	most := 0.0
	for _, s := range [2]*placed{a, b} {
		for _, x := range s.at {
			most = max(most, a.velocity(x).Sub(b.velocity(x)).Len())
		}
	}
	if most == 0 {
		return math.Inf(1)
	}
	return (distance - tol) / most
}

// distance is that of two outlines, 0 where they overlap.
func distance(a, b *placed) float64 {
	least := math.Inf(1)
	for _, s := range [2][2]*placed{{a, b}, {b, a}} {
		for _, p := range s[0].at {
			least = min(least, onOutline(s[1].at, p).Sub(p).Len())
		}
	}
	if overlap(a, b) {
		return 0
	}
	return least
}

// overlap tells whether two outlines share a point.
func overlap(a, b *placed) bool {
	if a.lo[0] > b.hi[0] || b.lo[0] > a.hi[0] || a.lo[1] > b.hi[1] || b.lo[1] > a.hi[1] {
		return false
	}
	for i, p := range a.at {
		q := a.at[(i+1)%len(a.at)]
		for j, r := range b.at {
			if segmentsMeet(p, q, r, b.at[(j+1)%len(b.at)]) {
				return true
			}
		}
	}
	return contains(a.at, b.at[0]) || contains(b.at, a.at[0])
}

// Contact is a place where two floes touch: they are at most the collision distance apart there.
type Contact struct {
	A, B   int     // the floes; the normal points from A to B
	Point  Vec2    // P, m: both impulses act here
	Normal Vec2    // N, unit
	Gap    float64 // distance along the normal, m; below 0 where a vertex is inside

	Impulse  float64 // along the normal on B in the last collision, N s
	Friction float64 // along the tangent T = (N_y, -N_x), on B, N s

	rest bool       // floes pressed each other here, and did not hit
	key  uint64     // floes and vertex: the same contact in the next step
	warm [2]float64 // impulses of the last step, N s
}

// tangent is T: (T, N) is a direct frame.
func (c *Contact) tangent() Vec2 { return Vec2{c.Normal[1], -c.Normal[0]} }

// contacts appends the contacts of two floes that are within reach of each other.
//
// A vertex P makes one with the closest point Q of an edge, where no point of either outline near them is closer: PQ
// lies in the normal cone at P, and at Q. An edge that lies along another within xi counts as touching with both ends.
// The normal is that of the edge, or of an edge that PQ stands upon, or, of two corners, that along PQ.
func contacts(dst []Contact, a, b *placed, reach, xi float64) []Contact {
	first := len(dst)
	for side, both := range [2][2]*placed{{a, b}, {b, a}} {
		p, q := both[0], both[1]
		for k, x := range p.at {
			if !q.near(x, reach) {
				continue
			}
			for i, e := range q.at {
				n := q.normals[i]
				height := x.Sub(e).Dot(n)
				if height > reach || height < -min(reach, xi) {
					continue
				}
				f := q.at[(i+1)%len(q.at)]
				edge := f.Sub(e)
				along := x.Sub(e).Dot(edge) / edge.Dot(edge)
				normal, gap := n, height // of the contact, from q to p
				if along < 0 || along > 1 {
					if height < 0 {
						continue
					}
					corner, other := i, (i+len(q.at)-1)%len(q.at) // of q, and the other end of its other edge
					if along > 1 {
						corner, other = (i+1)%len(q.at), (i+2)%len(q.at)
					}
					c := q.at[corner]
					d := x.Sub(c)
					if gap = d.Len(); gap > reach || gap == 0 || d.Dot(q.at[other].Sub(c)) > 0 {
						continue // too far, or the corner's other edge is closer
					}
					normal = cornerNormal(d.Mul(1/gap), gap, p, k, q, corner)
				}
				if !inCone(p, k, normal, xi) {
					continue
				}
				c := Contact{Point: x, Normal: normal, Gap: gap, key: uint64(2*k + side)}
				if side == 0 {
					c.Normal = normal.Mul(-1)
				}
				dst = merge(dst, first, c, xi)
			}
		}
	}
	return dst
}

// inCone tells whether vertex k of p, with the other floe in direction -normal, is the closest of p there: its
// neighbours are not closer by more than xi.
func inCone(p *placed, k int, normal Vec2, xi float64) bool {
	n := len(p.at)
	x := p.at[k]
	return p.at[(k+1)%n].Sub(x).Dot(normal) >= -xi && p.at[(k+n-1)%n].Sub(x).Dot(normal) >= -xi
}

// cornerNormal is the normal of two corners whose line of centres is d: that of an edge next to either where d is the
// same but for round-off.
func cornerNormal(d Vec2, gap float64, p *placed, k int, q *placed, corner int) Vec2 {
	tol := along + alongRound*(p.g.Len()+q.g.Len()+p.radius+q.radius)/gap // rad; and of places, as far from the origin as they are
	n := len(q.at)
	for _, e := range [2]int{corner, (corner + n - 1) % n} {
		if m := q.normals[e]; math.Abs(cross(m, d)) <= tol && m.Dot(d) > 0 {
			return m
		}
	}
	n = len(p.at)
	for _, e := range [2]int{k, (k + n - 1) % n} {
		if m := p.normals[e]; math.Abs(cross(m, d)) <= tol && m.Dot(d) < 0 {
			return m.Mul(-1)
		}
	}
	return d
}

// merge appends a contact unless one with the same point and normal is there.
func merge(dst []Contact, first int, c Contact, xi float64) []Contact {
	for i := range dst[first:] {
		o := &dst[first+i]
		if o.Normal.Dot(c.Normal) > 1-sameNormal && math.Abs(o.Point.Sub(c.Point).Dot(c.tangent())) <= samePoint*xi {
			return dst
		}
	}
	return append(dst, c)
}

// moving is a floe on its way through one step: a straight line and a turn.
type moving struct {
	placed
	plate *plate
	from  Vec2 // centroid at the start of the step
	angle float64
}

func (m *moving) start(s *placed, p *plate, angle float64) {
	m.plate, m.from, m.angle = p, s.g, angle
	m.v, m.rate = s.v, s.rate
	m.at, m.normals = append(m.at[:0], s.at...), append(m.normals[:0], s.normals...)
	m.g, m.radius, m.lo, m.hi = s.g, s.radius, s.lo, s.hi
}

func (m *moving) to(t float64) {
	m.put(m.plate, m.from.Add(m.v.Mul(t)), m.angle+m.rate*t)
}

// timeOfImpact is how long, up to most, two floes stay apart on their way through a step of length most, or a time
// beyond enough; m and n are they, at its start. Floes farther than xi apart are stopped at xi/2, well within the
// collision distance; closer ones, which had their contacts solved, at xi/20, or at half their distance. They are
// advanced conservatively, as far as every vertex can go before it meets an edge: in the frame of the edge's floe the
// edge is at rest, and the vertex approaches it with a known speed and a bounded curvature.
func timeOfImpact(m, n *moving, xi, most, enough float64) float64 {
	closest := func(hit, left float64) (step, gap float64) {
		step, gap = math.Inf(1), math.Inf(1)
		approach(&m.placed, &n.placed, hit, most, left, &step, &gap)
		approach(&n.placed, &m.placed, hit, most, left, &step, &gap)
		return step, gap
	}
	step, gap := closest(xi/2, enough)
	if math.IsInf(gap, 1) {
		return most
	}
	hit := stopsAt * xi
	if gap <= xi {
		hit = min(xi/stopsNear, stopsAt*gap)
		step, gap = closest(hit, enough)
	}
	for t, tries := 0.0, 0; ; tries++ {
		// Whether they have met must not depend on enough, which others lower meanwhile.
		if gap <= met*hit || tries == mostAdvances {
			return t
		}
		if step >= enough-t {
			return most
		}
		t += step
		m.to(t)
		n.to(t)
		step, gap = closest(hit, enough-t)
	}
}

// length is that of a vector of metres or m/s: nothing overflows, so that it needs none of the care of math.Hypot,
// which is a tenth of a step.
func length(v Vec2) float64 { return math.Sqrt(v[0]*v[0] + v[1]*v[1]) }

// approach lowers step to the time that the vertices of p need at least to come within hit of an edge of q, and gap to
// their distance now. What is out of reach within left is left out; the step lasts most.
func approach(p, q *placed, hit, most, left float64, step, gap *float64) {
	// Velocity of p's point g + r in the frame of q: base + turn k x r.
	line := p.g.Sub(q.g)
	slip := p.v.Sub(q.v)
	base := slip.Sub(turned(line).Mul(q.rate))
	turn := p.rate - q.rate
	speed := length(slip) + math.Abs(p.rate)*p.radius
	// The point's acceleration there: -p.rate^2 r - 2 q.rate k x v - q.rate^2 (line + r).
	curve := p.rate*p.rate*p.radius + 2*math.Abs(q.rate)*speed
	if q.rate != 0 {
		curve += q.rate * q.rate * (length(line) + p.radius + speed*most)
	}
	reach := met*hit + (length(base)+math.Abs(turn)*p.radius)*left + curve*left*left/2
	for _, x := range p.at {
		if !q.near(x, reach) {
			continue
		}
		r := x.Sub(p.g)
		v := Vec2{base[0] - turn*r[1], base[1] + turn*r[0]}
		for i, e := range q.at {
			n := q.normals[i]
			ex := x.Sub(e)
			d := ex.Dot(n)
			if d <= 0 || d > reach {
				continue
			}
			f := q.at[(i+1)%len(q.at)]
			edge := f.Sub(e)
			if along := ex.Dot(edge); along < 0 {
				d = length(ex)
				n = ex.Mul(1 / d)
			} else if fx := x.Sub(f); fx.Dot(edge) > 0 {
				d = length(fx)
				n = fx.Mul(1 / d)
			}
			*gap = min(*gap, d)
			free := d - hit
			if free <= 0 {
				*step = 0
				continue
			}
			if w := -v.Dot(n); w > 0 || curve > 0 {
				*step = min(*step, 2*free/(w+math.Sqrt(w*w+2*curve*free)))
			}
		}
	}
}
