package solid

import "math"

// Prony is a relaxation function, g(t) = g_inf + sum g_i exp(-t/tau_i) with g_inf = 1 - sum g_i. The law that it goes
// with states the instantaneous response.
type Prony struct {
	G, Tau []float64 // -, s; one a term
	// All relaxes the whole stress; else the isochoric part alone, of a law that has one.
	All bool
}

// Infinity is g_inf.
func (p Prony) Infinity() float64 {
	g := 1.0
	for _, v := range p.G {
		g -= v
	}
	return g
}

// At is g(t).
func (p Prony) At(t float64) float64 {
	g := p.Infinity()
	for i, v := range p.G {
		g += v * math.Exp(-t/p.Tau[i])
	}
	return g
}

// Complex is the storage and the loss modulus at omega, rad/s, over the instantaneous modulus: g_inf + sum g_i
// x^2/(1+x^2) and sum g_i x/(1+x^2), x = omega tau_i.
func (p Prony) Complex(omega float64) (storage, loss float64) {
	storage = p.Infinity()
	for i, v := range p.G {
		x := omega * p.Tau[i]
		storage += v * x * x / (1 + x*x)
		loss += v * x / (1 + x*x)
	}
	return storage, loss
}

// step gives e_i = exp(-h/tau_i) and c_i = g_i (tau_i/h)(1-e_i).
func (p Prony) step(i int, h float64) (e, c float64) {
	r := h / p.Tau[i]
	return math.Exp(-r), p.G[i] * -math.Expm1(-r) / r
}

// Memory is what a point of a viscoelastic body remembers. Within a step of h seconds the stress that relaxes, S_iso,
// grows linearly [Simo 1987]:
//
//	H_i' = e_i H_i + c_i (S_iso' - S_iso)
//	S'   = S_vol' + g_inf S_iso' + sum H_i'
//
// so that S' = S_vol' + (g_inf + sum c_i) S_iso' + Q with Q known before the step: a hyperelastic law with a scaled
// isochoric part and a stress that stays.
type Memory struct {
	H    []Mat3 // of each term, Pa
	last Mat3   // S_iso, Pa
}

// Factor is g_inf + sum c_i for a step of h seconds.
func (p Prony) Factor(h float64) float64 {
	f := p.Infinity()
	for i := range p.G {
		_, c := p.step(i, h)
		f += c
	}
	return f
}

// Stays is Q of the coming step.
func (m *Memory) Stays(p Prony, h float64) (q Mat3) {
	if m.H == nil {
		m.H = make([]Mat3, len(p.G))
	}
	for i := range p.G {
		e, c := p.step(i, h)
		for k := range q {
			q[k] += e*m.H[i][k] - c*m.last[k]
		}
	}
	return q
}

// Take ends the step: s is S_iso at its end.
func (m *Memory) Take(p Prony, h float64, s *Mat3) {
	for i := range p.G {
		e, c := p.step(i, h)
		for k := range s {
			m.H[i][k] = e*m.H[i][k] + c*(s[k]-m.last[k])
		}
	}
	m.last = *s
}

// Split is the law of one step, scaled, and that of what relaxes alone.
func (p Prony) Split(law Law, h float64) (step, relaxing Law) {
	f := p.Factor(h)
	if p.All {
		return law.Scaled(f, f), law
	}
	return law.Scaled(f, 1), law.Scaled(1, 0)
}

// Second is S = F^-1 P of a law.
func Second(law Law, f *Mat3) Mat3 {
	var p Mat3
	return second(law, f, &p)
}

func second(law Law, f, p *Mat3) Mat3 {
	law.Stress(p, f)
	c := f.Cofactor()
	s := c.TMul(p) // F^-1 = cof^T / J
	return scaled(&s, 1/f.Det())
}

// Viscous gives a body of one law its memory.
type Viscous struct {
	Prony Prony
	law   Law
	body  *Body
	mem   []Memory
	grad  []Mat3
}

// NewViscous makes the body, whose blocks all have the law, viscoelastic.
func NewViscous(b *Body, law Law, p Prony) *Viscous {
	v := &Viscous{Prony: p, law: law, body: b}
	for _, blk := range b.blocks {
		blk.stays = make([]Mat3, len(blk.weight))
		v.mem = append(v.mem, make([]Memory, len(blk.weight))...)
	}
	return v
}

// Begin sets the body up for a step of h seconds: its energy, forces and tangent are then those of the step's end.
func (v *Viscous) Begin(h float64) {
	law, _ := v.Prony.Split(v.law, h)
	first := 0
	for _, blk := range v.body.blocks {
		blk.take(law)
		for q := range blk.stays {
			blk.stays[q] = v.mem[first+q].Stays(v.Prony, h)
		}
		first += len(blk.stays)
	}
}

// End takes the places at the end of the step.
func (v *Viscous) End(h float64, x []float64) {
	_, relaxing := v.Prony.Split(v.law, h)
	v.grad = v.body.Gradients(v.grad, x)
	for q := range v.mem {
		s := Second(relaxing, &v.grad[q])
		v.mem[q].Take(v.Prony, h, &s)
	}
}
