package servo

import (
	"math"

	"hapco/physics/local"
)

// A force field F = F0 - K delta acts on the stylus, which the motion delta has brought
// from the model's pose. Behind the coupling, whose compliance is C, that motion depends
// on the force: delta = d + C (F + J^T r), with the motion d that the hand alone would
// give it. So
//
//	delta = A (d + C F0) + A C J^T r,   A = (I + C K)^-1,
//
// and the contacts meet the compliance A C in place of C. Force and motion are those at
// the end of the tick: however stiff the field, the spring does not swing.

const (
	maxFieldStiffness = 1e9 // of K's entries that are believed
	leastPivot        = 0.5 // of I + C K; 1 or more where K is positive semidefinite
)

// couple prepares the field of a new model, or for a new coupling.
func (k *twin) couple(m *local.Model) {
	f := &m.Field
	k.field, k.shaky = f.On, false
	if !f.On {
		return
	}
	for _, x := range f.Force {
		k.field = k.field && math.Abs(x) <= maxContact
	}
	for _, x := range f.K {
		k.field = k.field && math.Abs(x) <= maxFieldStiffness
	}
	if !k.field {
		return
	}
	k.stiff = f.K
	c := [6]float64{k.ct, k.ct, k.ct, k.cr, k.cr, k.cr}
	var a [36]float64 // I + C K, then on its way to I
	for i := range 6 {
		for j := range 6 {
			a[6*i+j] = c[i] * f.K[6*i+j]
		}
		a[7*i]++
	}
	k.lead = identity6
	for i := range 6 {
		pivot := a[7*i]
		if !(pivot >= leastPivot) {
			k.shaky = true
			k.stiff, k.lead = [36]float64{}, identity6
			break
		}
		for j := range 6 {
			a[6*i+j] /= pivot
			k.lead[6*i+j] /= pivot
		}
		for l := range 6 {
			if s := a[6*l+i]; l != i {
				for j := range 6 {
					a[6*l+j] -= s * a[6*i+j]
					k.lead[6*l+j] -= s * k.lead[6*i+j]
				}
			}
		}
	}
	for i := range 6 {
		for j := range 6 {
			k.soft[6*i+j] = k.lead[6*i+j] * c[j]
		}
	}
}

var identity6 = [36]float64{0: 1, 7: 1, 14: 1, 21: 1, 28: 1, 35: 1}

// carry is the motion of the stylus without contacts, A (d + C F0) = A d + (A C) F0.
func (k *twin) carry(m *local.Model, d *[6]float64) (out [6]float64) {
	for i := range 6 {
		for j := range 6 {
			out[i] += k.lead[6*i+j]*d[j] + k.soft[6*i+j]*m.Field.Force[j]
		}
	}
	return out
}

// yield adds to give the motion s A C f that a force causes.
func (k *twin) yield(give, f *[6]float64, s float64) {
	for i := range 6 {
		sum := 0.0
		for j := range 6 {
			sum += k.soft[6*i+j] * f[j]
		}
		give[i] += s * sum
	}
}

// through is a A C b.
func (k *twin) through(a, b []float64) (sum float64) {
	for i := range 6 {
		row := 0.0
		for j := range 6 {
			row += k.soft[6*i+j] * b[j]
		}
		sum += a[i] * row
	}
	return sum
}

// addField adds the field's force to that of the contacts, which is in wrench; d is the
// motion of carry. The energy is that of a spring of the stiffness that the force meets.
func (k *twin) addField(m *local.Model, d, wrench *[6]float64) {
	delta := *d
	k.yield(&delta, wrench, 1)
	var f [6]float64
	for i := range 6 {
		f[i] = m.Field.Force[i]
		for j := range 6 {
			f[i] -= k.stiff[6*i+j] * delta[j]
		}
		wrench[i] += f[i]
	}
	square, meets := 0.0, 0.0
	for i := range 3 {
		square += f[i] * f[i]
		for j := range 3 {
			meets += f[i] * k.stiff[6*i+j] * f[j]
		}
	}
	if e := 0.5 * square * square / meets; meets > 0 && e <= maxStored {
		k.stored += e
	}
}
