package ui

import (
	"math"

	"hapco/physics"

	"github.com/go-gl/mathgl/mgl64"
)

// What a solver leaves of a force that is not there, some 1e-14 N, would be drawn as an arrow as long as any other,
// with a scale of 1e13 m/N. The window therefore shows forces and lengths below the scene's noise as zero. What is
// recorded and what the hand feels stay as they are.
const (
	forceNoise  = 1e-6 // of the scene's force
	lengthNoise = 1e-8 // of the scene's size: a displacement is known better than a force
)

// noise is what counts as zero on screen.
type noise struct {
	force  float64 // N
	length float64 // m
}

// noiseOf takes as the scene's force what the device may send, or what flattens the softest body, E times the size
// squared, where that is less. Softest is E, Pa, maxForce what the device may send, N, size that of the scene, m.
func noiseOf(softest, maxForce, size float64) noise {
	scale := maxForce
	if softest > 0 {
		scale = min(scale, softest*size*size)
	}
	return noise{forceNoise * scale, lengthNoise * size}
}

func (n noise) zeroForce(f *mgl64.Vec3) {
	if f.Len() < n.force {
		*f = mgl64.Vec3{}
	}
}

func (n noise) length3(x *[3]float64) {
	for i := range x {
		if math.Abs(x[i]) < n.length {
			x[i] = 0
		}
	}
}

// quiet makes dst a copy of s without noise. It shares all slices with s but Contacts and Numbers, and reuses those of
// dst. A contact without force is an open one.
func (n noise) quiet(dst, s *physics.Frame, info *physics.Info) {
	contacts, numbers := append(dst.Contacts[:0], s.Contacts...), append(dst.Numbers[:0], s.Numbers...)
	*dst = *s
	dst.Contacts, dst.Numbers = contacts, numbers
	n.zeroForce(&dst.Force)
	before := s.Counts()
	for i := range contacts {
		c := &contacts[i]
		n.zeroForce((*mgl64.Vec3)(&c.Residual))
		n.length3(&c.X)
		for k := range c.R { // a component may be noise where the force is not
			if math.Abs(c.R[k]) < n.force {
				c.R[k] = 0
			}
		}
		if c.Force.Len() >= n.force {
			continue
		}
		c.Force, c.R = mgl64.Vec3{}, [3]float64{}
		c.Status = physics.Open
	}
	after := dst.Counts()
	for i := range min(len(numbers), len(info.Numbers)) {
		what := &info.Numbers[i]
		if what.Unit == "N" && math.Abs(numbers[i]) < n.force {
			numbers[i] = 0
		}
		for status, name := range [...]string{physics.Open: "open", physics.Stick: "sticking", physics.Slip: "sliding"} {
			if what.Name == name { // these count what was noise, too
				numbers[i] += float64(after[status] - before[status])
			}
		}
	}
}
