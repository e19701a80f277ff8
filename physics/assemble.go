package physics

import "github.com/go-gl/mathgl/mgl64"

// link tells each body where the contacts hold on to it (2.48).
func (w *World) link() {
	for _, b := range w.bodies {
		b.links = b.links[:0]
		b.active.reset()
	}
	for i := range w.contacts {
		c := &w.contacts[i]
		p := &w.pairs[c.pair]
		a, b := w.bodies[p.impactor], w.bodies[p.obstacle]

		l := contactNodes{contact: int32(i), count: 1, sign: 1}
		l.node[0], l.weight[0] = c.node, 1
		l.slot[0] = a.active.add(c.node)
		a.links = append(a.links, l)

		l = contactNodes{contact: int32(i), sign: -1}
		for k, node := range b.facets.triangles[c.triangle] {
			if c.weights[k] != 0 {
				l.node[l.count], l.weight[l.count] = node, c.weights[k]
				l.slot[l.count] = b.active.add(node)
				l.count++
			}
		}
		b.links = append(b.links, l)
	}
}

// assembleFree fills q = x_free: where the contact points would be without
// contact forces, relative to each other, in the contact frames (2.61, 2.66).
func (w *World) assembleFree() {
	q := w.problem.Q
	for i := range w.contacts {
		c := &w.contacts[i]
		p := &w.pairs[c.pair]
		a, b := w.bodies[p.impactor], w.bodies[p.obstacle]
		d := a.free(c.node)
		t := b.facets.triangles[c.triangle]
		for k, node := range t {
			d = d.Sub(b.free(node).Mul(c.weights[k]))
		}
		q[3*i] = d.Dot(c.n)
		q[3*i+1] = d.Dot(c.t1) - c.offset[0]
		q[3*i+2] = d.Dot(c.t2) - c.offset[1]
		w.problem.Mu[i] = c.mu
	}
}

// assembleDelassus fills W = sum over bodies of H K^-1 H^T (2.62) from the
// compliance of the few nodes that contacts hold on to.
func (w *World) assembleDelassus() {
	clear(w.problem.W)
	for _, b := range w.bodies {
		if b.flexibility.elastic() && len(b.links) > 0 {
			w.addFlexibility(b)
		}
	}
	w.mirror()
}

// addFlexibility adds one body's share to the lower block triangle of W.
//
// For links e and f of the body, with nodes k, l, weights b and signs s:
//
//	W_ef += s_e s_f sum_kl b_k b_l F_e^T C_kl F_f / E
//
// where F is the contact frame seen from the body, R^T [n t1 t2]. The sum over
// k is taken first, for all active nodes at once.
func (w *World) addFlexibility(b *body) {
	n := 3 * w.problem.N
	m := 3 * len(b.active.nodes)
	w.rows = growFloats(w.rows, 3*m)
	w.frames = w.frames[:0]
	rt := b.rotation.Transpose()
	for i := range b.links {
		c := &w.contacts[b.links[i].contact]
		w.frames = append(w.frames, [3]mgl64.Vec3{rt.Mul3x1(c.n), rt.Mul3x1(c.t1), rt.Mul3x1(c.t2)})
	}
	full := 3 * b.flexibility.compliance.N
	flat := b.flexibility.compliance.C
	for e := range b.links {
		le := &b.links[e]
		rows := w.rows[:3*m]
		clear(rows)
		// rows = s_e / E * sum_k b_k F_e^T C[k, active]
		for k := range le.count {
			f := w.frames[e]
			s := le.sign * le.weight[k] / b.young
			base := 3 * int(le.node[k]) * full
			c0, c1, c2 := flat[base:base+full], flat[base+full:base+2*full], flat[base+2*full:base+3*full]
			for j, node := range b.active.nodes {
				col := 3 * int(node)
				x, y, z := c0[col:col+3], c1[col:col+3], c2[col:col+3]
				out := rows[9*j : 9*j+9]
				for d := range 3 {
					fx, fy, fz := s*f[d][0], s*f[d][1], s*f[d][2]
					out[3*d] += fx*x[0] + fy*y[0] + fz*z[0]
					out[3*d+1] += fx*x[1] + fy*y[1] + fz*z[1]
					out[3*d+2] += fx*x[2] + fy*y[2] + fz*z[2]
				}
			}
		}
		ie := 3 * int(le.contact)
		for f := range e + 1 {
			lf := &b.links[f]
			var g [9]float64
			for l := range lf.count {
				s := lf.sign * lf.weight[l]
				in := rows[9*int(lf.slot[l]):][:9]
				for d := range g {
					g[d] += s * in[d]
				}
			}
			frame := &w.frames[f]
			jf := 3 * int(lf.contact)
			for d := range 3 {
				out := w.problem.W[(ie+d)*n+jf:][:3]
				g0, g1, g2 := g[3*d], g[3*d+1], g[3*d+2]
				out[0] += g0*frame[0][0] + g1*frame[0][1] + g2*frame[0][2]
				out[1] += g0*frame[1][0] + g1*frame[1][1] + g2*frame[1][2]
				out[2] += g0*frame[2][0] + g1*frame[2][1] + g2*frame[2][2]
			}
		}
	}
}

// mirror copies the lower block triangle of W to the upper one, and makes the
// diagonal blocks symmetric to the last bit.
func (w *World) mirror() {
	n := 3 * w.problem.N
	a := w.problem.W
	for i := range n {
		for j := range i {
			a[j*n+i] = a[i*n+j]
		}
	}
}

// applyForces turns contact forces into nodal forces (2.57) and those into
// displacements, u = u_free + K^-1 H^T r / E. It returns the sum of the
// absolute changes, the measure of (2.59), in m.
func (w *World) applyForces() (change float64) {
	for _, b := range w.bodies {
		if !b.flexibility.elastic() {
			continue
		}
		b.force = growFloats(b.force, 3*len(b.active.nodes))
		clear(b.force)
		rt := b.rotation.Transpose()
		for i := range b.links {
			l := &b.links[i]
			c := &w.contacts[l.contact]
			r := w.r[3*l.contact : 3*l.contact+3]
			f := rt.Mul3x1(c.n.Mul(r[0]).Add(c.t1.Mul(r[1])).Add(c.t2.Mul(r[2])))
			for k := range l.count {
				s := l.sign * l.weight[k]
				at := b.force[3*l.slot[k]:][:3]
				at[0] += s * f[0]
				at[1] += s * f[1]
				at[2] += s * f[2]
			}
		}
		change += b.displace(w)
	}
	return change
}

// displace recomputes the body's elastic displacements from its nodal forces.
func (b *body) displace(w *World) (change float64) {
	if len(b.active.nodes) == 0 && b.resting {
		return 0
	}
	w.before = growFloats(w.before, len(b.u))
	copy(w.before, b.u)
	if b.uFree != nil {
		copy(b.u, b.uFree)
	} else {
		clear(b.u)
	}
	for i := range b.force {
		b.force[i] /= b.young
	}
	b.flexibility.compliance.Displace(b.u, b.active.nodes, b.force)
	for i, u := range b.u {
		d := u - w.before[i]
		if d < 0 {
			d = -d
		}
		change += d
	}
	b.resting = len(b.active.nodes) == 0
	b.updatePositions()
	return change
}

func growFloats(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n, n+n/2)
	}
	return s[:n]
}
