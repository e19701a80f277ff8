package ui

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics/contact"
	"hapco/physics/tissue"
)

// What a solver leaves of a force that is not there, some 1e-14 N, would be drawn
// as an arrow as long as any other, with a scale of 1e13 m/N. The window therefore
// shows forces and lengths below the scene's noise as zero. What is recorded and
// what the hand feels stay as they are.
const (
	forceNoise  = 1e-6 // of the scene's force
	lengthNoise = 1e-8 // of the scene's size: a displacement is known better than a force
)

// noise is what counts as zero on screen.
type noise struct {
	force  float64 // N
	length float64 // m
}

// noiseOf takes as the scene's force what the device may send, or what flattens
// the softest body, E times the size squared, where that is less.
func noiseOf(p *tissue.Params, bodies []tissue.BodyInfo, size float64) noise {
	scale := p.MaxForce
	for i := range bodies {
		if e := p.Bodies[i].Young; !bodies[i].Rigid && e > 0 {
			scale = min(scale, e*size*size)
		}
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

// quiet makes dst a copy of s without noise. It shares all slices with s but
// Contacts, and reuses that of dst. A contact without force is an open one.
func (n noise) quiet(dst, s *tissue.Snapshot) {
	contacts := append(dst.Contacts[:0], s.Contacts...)
	*dst = *s
	dst.Contacts = contacts
	n.zeroForce(&dst.Force)
	n.zeroForce(&dst.Shadow.Force)
	n.zeroForce(&dst.Shadow.FirstForce)
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
		switch c.Status {
		case contact.Stick:
			dst.Stats.Stick--
			dst.Stats.Open++
		case contact.Slip:
			dst.Stats.Slip--
			dst.Stats.Open++
		}
		c.Status = contact.Open
	}
}
