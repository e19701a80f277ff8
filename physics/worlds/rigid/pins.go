package rigid

import "math"

// pin is a joint of a problem, as sweeps see it: of its rows what they do to the two bodies, and its own block of W.
type pin struct {
	a, b   int32
	of     *jointConstraint
	ia, ib [6]xyz        // how the bodies turn by a unit impulse of each row
	inv    [6][6]float64 // of the block, without a row of friction
	along  float64       // the inverse of that row's entry
	norm   [6]float64    // root of a row's entry
	quick  float64       // how fast its ends move without impulses: the most |velocity| of a row over its norm
	r      []float64     // its impulses, 6
}

func at(v *[4]float64) xyz { return xyz{v[0], v[1], v[2]} }

// bilateral is how many rows come to rest.
func (j *pin) bilateral() int {
	if j.of.mu > 0 {
		return j.of.n - 1
	}
	return j.of.n
}

// yields is the entry of W between two rows.
func (j *pin) yields(r, s int, a, b *mover) float64 {
	x, y := &j.of.rows[r], &j.of.rows[s]
	return (a.inverse+b.inverse)*of(x.d).dot(of(y.d)) + of(x.a).dot(j.ia[s]) + of(x.b).dot(j.ib[s])
}

// velocity is the relative one of a row, with q.
func (j *pin) velocity(r int, a, b *mover) float64 {
	x := &j.of.rows[r]
	return of(x.d).dot(at(&a.v).minus(at(&b.v))) + of(x.a).dot(at(&a.w)) - of(x.b).dot(at(&b.w)) + j.of.q[r]
}

// apply adds an impulse f along a row.
func (j *pin) apply(r int, f float64, a, b *mover) {
	d := of(j.of.rows[r].d).times(f)
	a.add(d.times(a.inverse), j.ia[r].times(f))
	b.add(d.times(-b.inverse), j.ib[r].times(-f))
}

// add changes the velocities.
func (b *mover) add(v, w xyz) {
	b.v[0], b.v[1], b.v[2] = b.v[0]+v.x, b.v[1]+v.y, b.v[2]+v.z
	b.w[0], b.w[1], b.w[2] = b.w[0]+w.x, b.w[1]+w.y, b.w[2]+w.z
}

// take reads a joint of bodies a and b, which have their velocities without impulses.
func (j *pin) take(joint *jointConstraint, a, b *mover) {
	j.of, j.quick = joint, 0
	for r := range joint.n {
		x := &joint.rows[r]
		j.ia[r], j.ib[r] = a.turn(of(x.a)), b.turn(of(x.b))
		w := j.yields(r, r, a, b)
		j.norm[r] = math.Sqrt(w)
		if !(w > 0) {
			continue // a joint between bodies that nothing moves
		}
		speed := math.Abs(joint.q[r]) + math.Abs(of(x.d).dot(at(&a.v))) + math.Abs(of(x.a).dot(at(&a.w))) +
			math.Abs(of(x.d).dot(at(&b.v))) + math.Abs(of(x.b).dot(at(&b.w)))
		j.quick = max(j.quick, speed/j.norm[r])
	}
	n := j.bilateral()
	if n < joint.n {
		j.along = 1 / j.yields(n, n, a, b)
	}
	var m [6][12]float64
	for r := range n {
		for s := range n {
			m[r][s] = j.yields(r, s, a, b)
		}
		m[r][6+r] = 1
	}
	for c := range n { // positive definite: no exchange
		if !(m[c][c] > 0) {
			continue
		}
		f := 1 / m[c][c]
		for k := range m[c] {
			m[c][k] *= f
		}
		for r := range n {
			if f := m[r][c]; r != c {
				for k := range m[r] {
					m[r][k] -= f * m[c][k]
				}
			}
		}
	}
	for r := range n {
		copy(j.inv[r][:], m[r][6:])
	}
}

// bound keeps the friction of the last row in what the first two allow.
func (j *pin) bound(f float64) float64 {
	most := j.of.mu * math.Sqrt(j.r[0]*j.r[0]+j.r[1]*j.r[1])
	return max(-most, min(most, f))
}

// solve brings the joint's own rows to rest, and writes by how much it has changed its impulses to f, weighted, unless
// that is nil; it returns the square of that.
func (j *pin) solve(a, b *mover, f []float64) (size float64) {
	n := j.bilateral()
	var x [6]float64
	for r := range n {
		x[r] = j.velocity(r, a, b)
	}
	change := func(r int, d float64) {
		j.r[r] += d
		j.apply(r, d, a, b)
		d *= j.norm[r]
		size += d * d
		if f != nil {
			f[r] = d
		}
	}
	for r := range n {
		d := 0.0
		for s := range n {
			d -= j.inv[r][s] * x[s]
		}
		change(r, d)
	}
	if n < j.of.n {
		change(n, j.bound(j.r[n]-j.along*j.velocity(n, a, b))-j.r[n])
	}
	return size
}

// left is the largest relative velocity at the joint, as a share of its ends'.
func (j *pin) left(a, b *mover) (most float64) {
	for r := range j.bilateral() {
		if v := math.Abs(j.velocity(r, a, b)); v > 0 && j.norm[r] > 0 {
			most = max(most, v/(j.norm[r]*j.quick))
		}
	}
	return most
}

// pull solves each joint, in the same way.
func (s *sweeper) pull(write bool) (size float64) {
	for i := range s.pins {
		j := &s.pins[i]
		var f []float64
		if at := 3*len(s.spots) + 6*i; write {
			f = s.mix.F[at : at+6]
			clear(f) // a joint has up to six rows
		}
		size += j.solve(&s.bodies[j.a], &s.bodies[j.b], f)
	}
	return size
}

// pushPins adds all impulses of the joints.
func (s *sweeper) pushPins() {
	for i := range s.pins {
		j := &s.pins[i]
		for r, f := range j.r[:j.of.n] {
			j.apply(r, f, &s.bodies[j.a], &s.bodies[j.b])
		}
	}
}
