// Package local is what the hand feels between two steps of a simulation: contacts that a motion of the stylus opens
// and closes, a force field about a pose, or both. It is plain data and stands on nothing of ours: physics fills it,
// the haptic loop reads it.
package local

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/go-gl/mathgl/mgl64"
)

// Capacity is how many contacts a Model made by Make holds.
const Capacity = 128

// Field is a force that changes with the pose of the stylus: about the model's pose,
//
//	F = Force - K d
//
// with the force and the torque about Origin in F, and the motion d of Displacement. K should be positive semidefinite,
// as that of a spring is: the haptic loop uses only the force of a field whose K would throw the stylus off.
type Field struct {
	On    bool
	Force [6]float64  // on the stylus at the model's pose, world axes: N, then N m
	K     [36]float64 // row-major: N/m, N/rad, N, N m/rad
}

// Model is what physics hands to the haptic loop: the contact problem of one step, and how a rigid motion of the stylus
// shifts it. With it the hand feels its own rate though physics runs slower: for a stylus moved by d = (translation,
// rotation vector), world axes, the rotation about Origin,
//
//	x = W r + Free + J d
//
// holds the same laws as the problem at the pose itself. Components are ordered n, t1, t2 per contact; r is the force
// on the impactor. A Field adds its force.
//
// A model without contacts (N = 0) and field says that nothing is touched; publish it too, for silence means that
// physics has stalled.
type Model struct {
	N      int     // contacts, at most the capacity; of more, physics keeps those that carry most
	Extra  int     // contacts that are none of the N for want of room
	Lumped int     // of Extra: loaded, and felt together as the last of the N
	Length float64 // m, a length of the contact patch or tool; scales rotations against translations

	Origin   mgl64.Vec3 // stylus origin the model was found for, world, m
	Rotation mgl64.Quat // stylus orientation it was found for

	Sequence uint64        // of the physics step, increasing
	Tick     uint64        // of the haptic sample whose pose was used; 0: unknown
	Stamp    time.Duration // when it was found, since the simulation started
	Period   time.Duration // time from one physics step to the next, smoothed

	Field Field // beside the contacts

	// Slices: never append; SetN cuts them to size within their capacity.
	Free  []float64       // 3N, x_free at the model's pose, m
	W     []float64       // (3N)x(3N) row-major Delassus operator, m/N
	J     []float64       // (3N)x6 row-major: x_free shift for (translation, rotation), - and m
	Mu    []float64       // N, friction coefficients
	R     []float64       // 3N, the forces found, N
	Frame [][3]mgl64.Vec3 // N, unit n, t1, t2 in the world; of lumped contacts the mean direction, no longer than 1
	Arm   []mgl64.Vec3    // N, contact point minus Origin, world, m

	kept []int32 // of a larger model: see CopyTo
}

// Writer takes models for the hand: fill Back, then Publish. One goroutine writes. latest.Box[Model] is one.
type Writer interface {
	Back() *Model
	Publish()
}

// Make gives m room for capacity contacts (Capacity when 0). It fits latest.New: latest.New(func(m *local.Model) {
// local.Make(m, 0) }).
func Make(m *Model, capacity int) {
	if capacity <= 0 {
		capacity = Capacity
	}
	*m = Model{
		Rotation: mgl64.QuatIdent(),
		Free:     make([]float64, 0, 3*capacity),
		W:        make([]float64, 0, 9*capacity*capacity),
		J:        make([]float64, 0, 18*capacity),
		Mu:       make([]float64, 0, capacity),
		R:        make([]float64, 0, 3*capacity),
		Frame:    make([][3]mgl64.Vec3, 0, capacity),
		Arm:      make([]mgl64.Vec3, 0, capacity),
		kept:     make([]int32, 0, capacity),
	}
}

// Room tells how a model with so much capacity takes contacts, loaded of which carry a force: single ones each on their
// own, lumped loaded ones together as one more. The rest, which carries nothing, is left out.
func Room(contacts, loaded, capacity int) (single, lumped int) {
	if loaded > capacity && capacity > 0 {
		return capacity - 1, loaded - capacity + 1
	}
	return min(contacts, capacity), 0
}

// Capacity is how many contacts fit.
func (m *Model) Capacity() int { return cap(m.Mu) }

// SetN cuts the slices to n contacts, or to the capacity when n is more, and counts the rest in Extra. Their contents
// are old: overwrite all of them. It never allocates.
func (m *Model) SetN(n int) {
	m.Extra, m.Lumped = 0, 0
	if c := m.Capacity(); n > c {
		m.Extra = n - c
		n = c
	}
	m.N = n
	m.Free = m.Free[:3*n]
	m.W = m.W[:9*n*n]
	m.J = m.J[:18*n]
	m.Mu = m.Mu[:n]
	m.R = m.R[:3*n]
	m.Frame = m.Frame[:n]
	m.Arm = m.Arm[:n]
}

// FillRigid computes J from Frame and Arm for an impactor whose contact points move rigidly with the stylus in free
// motion, and Length from Arm: an axis e at arm a shifts by e.t + (a x e).w. The transpose of this J carries contact
// forces to the wrench on the stylus.
func (m *Model) FillRigid() {
	var length float64
	for i := range m.N {
		a := m.Arm[i]
		length = max(length, a.Len())
		for k := range 3 {
			e := m.Frame[i][k]
			t := a.Cross(e)
			copy(m.J[18*i+6*k:18*i+6*k+6], []float64{e[0], e[1], e[2], t[0], t[1], t[2]})
		}
	}
	m.Length = length
}

// Spring adds to the field's stiffness that of a spring, N/m, at an arm from the origin: with A its cross product,
// [k, -k A; A k, -A k A].
func (f *Field) Spring(k mgl64.Mat3, arm mgl64.Vec3) {
	cross := mgl64.Mat3FromCols(mgl64.Vec3{0, arm[2], -arm[1]}, mgl64.Vec3{-arm[2], 0, arm[0]}, mgl64.Vec3{arm[1], -arm[0], 0})
	right, low := k.Mul3(cross).Mul(-1), cross.Mul3(k)
	corner := low.Mul3(cross).Mul(-1)
	for r := range 3 {
		for c := range 3 {
			f.K[6*r+c] += k.At(r, c)
			f.K[6*r+3+c] += right.At(r, c)
			f.K[6*(3+r)+c] += low.At(r, c)
			f.K[6*(3+r)+3+c] += corner.At(r, c)
		}
	}
}

// Resultant is the wrench J^T r of the forces r (3N, in the contacts' frames) on the impactor, and of the field at the
// model's pose: force, world axes, N, and torque about Origin, N m.
func (m *Model) Resultant(r []float64) (force, torque mgl64.Vec3) {
	if m.Field.On {
		force, torque = mgl64.Vec3(m.Field.Force[:3]), mgl64.Vec3(m.Field.Force[3:])
	}
	for i, f := range r[:3*m.N] {
		j := m.J[6*i : 6*i+6]
		for k := range 3 {
			force[k] += j[k] * f
			torque[k] += j[3+k] * f
		}
	}
	return force, torque
}

// Strengthen makes all forces, and how they grow, so many times as large: the hand feels them so. The motions stay.
func (m *Model) Strengthen(times float64) {
	if times == 1 {
		return
	}
	for i := range m.W {
		m.W[i] /= times
	}
	for i := range m.R {
		m.R[i] *= times
	}
	for i := range m.Field.Force {
		m.Field.Force[i] *= times
	}
	for i := range m.Field.K {
		m.Field.K[i] *= times
	}
}

// Displacement is the small motion d that carries the model's pose to the given one: translation of the origin, m, and
// rotation vector, rad. Twice the vector part of the quaternion stands for the rotation vector: 1 % short at half a
// radian.
func (m *Model) Displacement(origin mgl64.Vec3, rotation mgl64.Quat) (d [6]float64) {
	for k := range 3 {
		d[k] = origin[k] - m.Origin[k]
	}
	q := rotation.Mul(m.Rotation.Conjugate())
	s := 2.0
	if q.W < 0 {
		s = -2
	}
	for k := range 3 {
		d[3+k] = s * q.V[k]
	}
	return d
}

// Shift writes to dst (3N) x_free for the stylus moved by d from the model's pose.
func (m *Model) Shift(dst []float64, d *[6]float64) {
	for i := range 3 * m.N {
		j := m.J[6*i : 6*i+6]
		dst[i] = m.Free[i] + j[0]*d[0] + j[1]*d[1] + j[2]*d[2] + j[3]*d[3] + j[4]*d[4] + j[5]*d[5]
	}
}

// CopyTo makes dst equal to m within dst's capacity. Of more contacts those stay that carry most, then those with the
// smallest gaps; loaded ones that do not fit are felt together as the last: see lump. So the resultant is the same. It
// allocates nothing.
func (m *Model) CopyTo(dst *Model) {
	loaded := 0
	for i := range m.N {
		if m.load(i) > 0 {
			loaded++
		}
	}
	single, lumped := Room(m.N, loaded, dst.Capacity())
	m.choose(dst, single)
	n := single
	if lumped > 0 {
		n++
	}
	dst.SetN(n)
	dst.Extra, dst.Lumped = m.Extra+m.N-single, m.Lumped+lumped
	dst.Length = m.Length
	dst.Origin, dst.Rotation = m.Origin, m.Rotation
	dst.Sequence, dst.Tick, dst.Stamp, dst.Period = m.Sequence, m.Tick, m.Stamp, m.Period
	dst.Field = m.Field
	for a, from := range dst.kept {
		i := int(from)
		copy(dst.Free[3*a:3*a+3], m.Free[3*i:])
		copy(dst.R[3*a:3*a+3], m.R[3*i:])
		copy(dst.J[18*a:18*a+18], m.J[18*i:])
		dst.Mu[a], dst.Frame[a], dst.Arm[a] = m.Mu[i], m.Frame[i], m.Arm[i]
		for k := range 3 {
			in, out := m.W[(3*i+k)*3*m.N:], dst.W[(3*a+k)*3*n:]
			for b, j := range dst.kept {
				copy(out[3*b:3*b+3], in[3*j:])
			}
		}
	}
	if lumped > 0 {
		m.lump(dst)
	}
}

// load is the size of a contact's force, N.
func (m *Model) load(i int) float64 { return mgl64.Vec3(m.R[3*i : 3*i+3]).Len() }

// gap is what is left between the points of a contact, m.
func (m *Model) gap(i int) float64 { return m.Free[3*i] + m.pushed(3*i, nil) }

// pushed is the displacement along an axis that the forces of all contacts cause but those kept, ascending, m.
func (m *Model) pushed(axis int, kept []int32) (x float64) {
	row := m.W[axis*3*m.N:][:3*m.N]
	for i, k := 0, 0; i < m.N; i++ {
		if k < len(kept) && int(kept[k]) == i {
			k++
			continue
		}
		x += row[3*i]*m.R[3*i] + row[3*i+1]*m.R[3*i+1] + row[3*i+2]*m.R[3*i+2]
	}
	return x
}

// choose lists the contacts, n of them, that dst has room for: those that carry most, then the smallest gaps.
func (m *Model) choose(dst *Model, n int) {
	dst.kept = dst.kept[:0]
	for i := range m.N {
		if len(dst.kept) < n {
			dst.kept = append(dst.kept, int32(i))
		}
	}
	if n == m.N {
		return
	}
	first := func(a, b int32) int {
		if c := cmp.Compare(m.load(int(b)), m.load(int(a))); c != 0 {
			return c
		}
		return cmp.Or(cmp.Compare(m.gap(int(a)), m.gap(int(b))), int(a-b))
	}
	slices.SortFunc(dst.kept, first)
	for i := int32(n); int(i) < m.N && n > 0; i++ {
		if at, _ := slices.BinarySearchFunc(dst.kept, i, first); at < n {
			copy(dst.kept[at+1:], dst.kept[at:n-1])
			dst.kept[at] = i
		}
	}
	slices.Sort(dst.kept)
}

// lump makes the loaded contacts that dst has no room for its last contact. Their forces keep their directions and
// proportions: each is s times its share, where s, the sum of their lengths, is the one unknown. What s moves is the
// mean of their points' displacements along their forces, weighted by these. The law is that of a frictionless contact
// which closes where that mean is now. So the hand feels their force and stiffness, and both end when the stylus leaves.
func (m *Model) lump(dst *Model) {
	n, last := 3*dst.N, dst.N-1
	sum := 0.0
	for i, k := 0, 0; i < m.N; i++ {
		if k < last && int(dst.kept[k]) == i {
			k++
		} else {
			sum += m.load(i)
		}
	}
	var force, arm mgl64.Vec3
	var j [6]float64
	self := 0.0 // displacement of s by itself, m/N
	for i, k := 0, 0; i < m.N; i++ {
		if k < last && int(dst.kept[k]) == i {
			k++
			continue
		}
		arm = arm.Add(m.Arm[i].Mul(m.load(i) / sum))
		for d := range 3 {
			share := m.R[3*i+d] / sum
			force = force.Add(m.Frame[i][d].Mul(share))
			for c := range j {
				j[c] += share * m.J[6*(3*i+d)+c]
			}
			self += share * m.pushed(3*i+d, dst.kept) / sum
		}
	}
	row := dst.W[3*last*n:]
	clear(row) // of its three rows the tangential ones stay empty, and so do their columns
	row[3*last] = self
	free := -self * sum
	for a, i := range dst.kept {
		for k := range 3 {
			x := m.pushed(3*int(i)+k, dst.kept) / sum
			row[3*a+k] = x
			copy(dst.W[(3*a+k)*n+3*last:], []float64{x, 0, 0})
			free -= x * dst.R[3*a+k]
		}
	}
	dst.Mu[last], dst.Frame[last], dst.Arm[last] = 0, [3]mgl64.Vec3{force}, arm
	copy(dst.Free[3*last:], []float64{free, 0, 0})
	copy(dst.R[3*last:], []float64{sum, 0, 0})
	clear(dst.J[18*last:])
	copy(dst.J[18*last:], j[:])
}

// Finite tells whether every number of the model is finite. The haptic loop trusts nothing, so physics need not call it
// in the loop.
func (m *Model) Finite() bool {
	var s float64
	for _, v := range [][]float64{m.Free, m.W, m.J, m.Mu, m.R, m.Origin[:], m.Rotation.V[:], m.Field.Force[:], m.Field.K[:]} {
		for _, x := range v {
			s += x - x // 0, or NaN for NaN and the infinities
		}
	}
	s += m.Rotation.W - m.Rotation.W
	return !math.IsNaN(s)
}
