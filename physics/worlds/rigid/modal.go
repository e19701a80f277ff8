package rigid

import "slices"

// Oscillator is one mode of vibration: mu (q” + 2 zeta omega q' + omega^2 q) = Q with mu = 1.
type Oscillator struct {
	Omega float64 // 1/s
	Zeta  float64 // damping ratio
}

// Oscillators integrates modal coordinates by central differences,
//
//	q_n+1 (1 + zeta omega h) = h^2 (Q_n - omega^2 q_n) + 2 q_n - (1 - zeta omega h) q_n-1,
//
// which is stable below omega h = 2.
type Oscillators struct {
	Q, Last []float64 // coordinates, now and a step ago, kg^1/2 m
	modes   []Oscillator
	h       float64
}

// NewOscillators makes modes at rest; h is the step, s.
func NewOscillators(modes []Oscillator, h float64) *Oscillators {
	return &Oscillators{Q: make([]float64, len(modes)), Last: make([]float64, len(modes)), modes: modes, h: h}
}

// Start puts the coordinates of Q, with no rates, at the beginning of a motion under the given loads: the coordinates
// before it are those that make the first step of second order.
func (o *Oscillators) Start(load []float64) {
	for i, m := range o.modes {
		o.Last[i] = o.Q[i] + o.h*o.h/2*(load[i]-m.Omega*m.Omega*o.Q[i])
	}
}

// Step advances by h under the loads at its beginning, N/kg^1/2.
func (o *Oscillators) Step(load []float64) {
	h := o.h
	for i, m := range o.modes {
		d := m.Zeta * m.Omega * h
		q := o.Q[i]
		o.Q[i] = (h*h*(load[i]-m.Omega*m.Omega*q) + 2*q - (1-d)*o.Last[i]) / (1 + d)
		o.Last[i] = q
	}
}

// kick adds an impulse to each mode, N s/kg^1/2: the rates jump, not the coordinates.
func (o *Oscillators) kick(impulse []float64) {
	for i := range o.Last {
		o.Last[i] -= o.h * impulse[i]
	}
}

// still tells whether nothing has set the modes in motion.
func (o *Oscillators) still() bool {
	return !slices.ContainsFunc(o.Q, func(q float64) bool { return q != 0 })
}

// energy of the modes, from the coordinates half a step apart, J.
func (o *Oscillators) energy() (e float64) {
	for i, m := range o.modes {
		v := (o.Q[i] - o.Last[i]) / o.h
		e += (v*v + m.Omega*m.Omega*o.Q[i]*o.Last[i]) / 2
	}
	return e
}
