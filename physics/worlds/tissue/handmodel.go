package tissue

import (
	"cmp"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/local"
)

// handModel is the workspace of World.Model. Contacts are named by their places in the problem.
type handModel struct {
	mine   []int32 // that the stylus is part of
	others []int32 // that it is not
	lumped []int32 // of mine: loaded, and felt together as one; nil as a rule
}

// Model fills m with the contact problem of the last step, as the haptic loop needs it: that of the active set, which
// the contacts that the hand may close before the next step are part of. Contacts that the stylus is no part of keep
// their forces: they are folded into the free motion of the others. Of more contacts than m has room for those stay
// that carry most, then those with the smallest gaps; loaded ones that do not fit are felt together as one: see lump.
// So the resultant of m is the World's Force. Stamp, period and tick are the Runner's to add.
func (w *World) Model(m *local.Model) {
	h := &w.hand
	total := w.sortHand(m.Capacity())
	n := len(h.mine)
	if h.lumped != nil {
		n++
	}
	m.SetN(n)
	m.Extra, m.Lumped = total-len(h.mine), len(h.lumped)
	d := w.bodies[w.driven]
	m.Origin, m.Rotation, m.Sequence = d.pose.Position, d.pose.Rotation, w.last.step
	p, r := w.posed.read(), w.set.r
	full, bodies := 3*p.N, w.bodiesDelassus()
	for a, i := range h.mine {
		c := &w.contacts[w.set.kept[i]]
		// Where the stylus carries Q, x and r are those of the other body: turned axes make them the stylus's.
		sign, at := w.onStylus(c)
		m.Mu[a] = p.Mu[i]
		m.Frame[a] = [3]mgl64.Vec3{c.n.Mul(sign), c.t1.Mul(sign), c.t2.Mul(sign)}
		m.Arm[a] = d.pointOf(at).Sub(d.pose.Position)
		for k := range 3 {
			row := bodies[(3*int(i)+k)*full:][:full]
			out := m.W[(3*a+k)*3*n:][:3*n]
			for b, j := range h.mine {
				copy(out[3*b:3*b+3], row[3*j:3*j+3])
			}
			m.Free[3*a+k] = p.Q[3*int(i)+k] + w.held.shifts(w.set.kept[i], k) + pushed(row, h.others, r)
			m.R[3*a+k] = r[3*int(i)+k]
		}
	}
	if h.lumped != nil {
		w.lump(m)
		return
	}
	m.FillRigid()
}

// pushed is the displacement that the forces r of some contacts cause, along the axis that row of W belongs to.
func pushed(row []float64, contacts []int32, r []float64) (x float64) {
	for _, j := range contacts {
		x += row[3*j]*r[3*j] + row[3*j+1]*r[3*j+1] + row[3*j+2]*r[3*j+2]
	}
	return x
}

// felt lists the contacts of the problem that the stylus is part of, and counts those among them that carry a force.
func (w *World) felt() (mine []int32, loaded int) {
	h := &w.hand
	h.mine, h.others = h.mine[:0], h.others[:0]
	for k, i := range w.set.kept {
		if sign, _ := w.onStylus(&w.contacts[i]); sign == 0 {
			h.others = append(h.others, int32(k))
			continue
		}
		h.mine = append(h.mine, int32(k))
		if w.load(int32(k)) > 0 {
			loaded++
		}
	}
	return h.mine, loaded
}

// load is the square of a contact's force, N^2.
func (w *World) load(k int32) float64 {
	r := w.set.r[3*k : 3*k+3]
	return r[0]*r[0] + r[1]*r[1] + r[2]*r[2]
}

// sortHand picks the contacts of a model with room for so many, and counts those that there are.
func (w *World) sortHand(capacity int) (total int) {
	h := &w.hand
	all, loaded := w.felt()
	h.lumped = nil
	single, lumped := local.Room(len(all), loaded, capacity)
	if single == len(all) {
		return len(all)
	}
	slices.SortFunc(all, func(a, b int32) int {
		if c := cmp.Compare(w.load(b), w.load(a)); c != 0 {
			return c
		}
		return cmp.Compare(w.set.x[3*a], w.set.x[3*b])
	})
	if lumped > 0 {
		h.lumped = all[single:loaded]
	}
	h.mine = all[:single]
	slices.Sort(h.mine) // rows of W are read in order
	return len(all)
}

// lump makes the loaded contacts that m has no room for its last contact. Their forces keep their directions and
// proportions: each is s times its share, where s, the sum of their lengths, is the one unknown. What s moves is the
// mean of their points' displacements along their forces, weighted by these. The law is that of a frictionless contact
// which closes where that mean is now. So the hand feels their force and stiffness, and both end when the stylus
// leaves.
func (w *World) lump(m *local.Model) {
	lumped, bodies, r := w.hand.lumped, w.bodiesDelassus(), w.set.r
	n, full, last := 3*m.N, 3*w.posed.read().N, m.N-1
	d := w.bodies[w.driven]
	sum := 0.0
	for _, i := range lumped {
		sum += math.Sqrt(w.load(i))
	}
	var force, torque, arm mgl64.Vec3
	self := 0.0 // displacement of s by itself, m/N
	for _, i := range lumped {
		c := &w.contacts[w.set.kept[i]]
		share := r[3*i : 3*i+3]
		sign, at := w.onStylus(c)
		f := c.force(share).Mul(sign / sum)
		a := d.pointOf(at).Sub(d.pose.Position)
		force, torque = force.Add(f), torque.Add(a.Cross(f))
		arm = arm.Add(a.Mul(math.Sqrt(w.load(i)) / sum))
		for k := range 3 {
			self += share[k] * pushed(bodies[(3*int(i)+k)*full:], lumped, r) / (sum * sum)
		}
	}
	row := m.W[3*last*n:]
	clear(row) // of its three rows the tangential ones stay empty, and so do their columns
	row[3*last] = self
	free := -self * sum
	for a, i := range w.hand.mine {
		for k := range 3 {
			x := pushed(bodies[(3*int(i)+k)*full:], lumped, r) / sum
			row[3*a+k] = x
			copy(m.W[(3*a+k)*n+3*last:], []float64{x, 0, 0})
			free -= x * m.R[3*a+k]
		}
	}
	m.Mu[last] = 0
	copy(m.Free[3*last:], []float64{free, 0, 0})
	copy(m.R[3*last:], []float64{sum, 0, 0})
	m.Frame[last], m.Arm[last] = [3]mgl64.Vec3{force}, arm
	m.FillRigid()
	copy(m.J[18*last:], []float64{force[0], force[1], force[2], torque[0], torque[1], torque[2]})
}
