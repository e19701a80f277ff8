package tissue

import "hapco/physics/numerics/contact"

// StrainEnergy appends to dst, by body, the elastic energy that its contact forces have put into it: f u / 2 over the
// nodes that carry them, J. Energy of the body's own weight is not in it. Rigid bodies have none.
func (w *World) StrainEnergy(dst []float64) []float64 {
	for _, b := range w.bodies {
		e := 0.0
		if b.flexibility.elastic() {
			b.locateAll(b.deformed.now.nodes)
			e = b.workOf(&b.deformed.now).sum * b.young / 2
		}
		dst = append(dst, e)
	}
	return dst
}

// FrictionLoss is what friction took in the last step: minus the work of the tangential forces in the slip that they
// resist, J.
func (w *World) FrictionLoss() float64 { return w.loss }

// slipWork is that of the last increment.
func (w *World) slipWork() float64 {
	loss := 0.0
	for i, s := range w.status {
		// what a sticking contact is off its place by is not a slip of this step
		if s == contact.Slip {
			loss -= w.r[3*i+1]*w.x[3*i+1] + w.r[3*i+2]*w.x[3*i+2]
		}
	}
	return loss
}
