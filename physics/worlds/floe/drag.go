package floe

import "math"

// Flow is the air above, or the water below: uniform in space, and in time U(t) = Velocity + Swing sin(Rate t + Phase).
type Flow struct {
	Density  float64 // kg/m^3
	Drag     float64 // coefficient of the stress on the ice
	Velocity Vec2    // m/s
	Swing    Vec2    // m/s
	Rate     float64 // rad/s
	Phase    float64 // rad
}

// at is the velocity at time t, m/s.
func (f *Flow) at(t float64) Vec2 {
	if f.Swing == (Vec2{}) {
		return f.Velocity
	}
	return f.Velocity.Add(f.Swing.Mul(math.Sin(f.Rate*t + f.Phase)))
}

// Environment is what drives the floes.
type Environment struct {
	Air, Water Flow
	Coriolis   float64 // f, 1/s: acceleration -f k x v
	Body       Vec2    // an acceleration of all floes, m/s^2
}

// dunavant holds a rule of degree 5 on a triangle: two of the three weights of the corners, and the share of the area.
var dunavant = func() (d [7][3]float64) {
	s := math.Sqrt(15)
	d[0] = [3]float64{1. / 3, 1. / 3, 9. / 40}
	for k, sign := range [2]float64{-1, 1} {
		a := (6 + sign*s) / 21
		w := (155 + sign*s) / 1200
		for i, at := range [3][2]float64{{a, a}, {a, 1 - 2*a}, {1 - 2*a, a}} {
			d[1+3*k+i] = [3]float64{at[0], at[1], w}
		}
	}
	return d
}()

// Sea is the air and the water of scenes and benches: the values are those of the reference cases, as the reports give
// none.
func Sea(wind, current Vec2) Environment {
	return Environment{Air: Flow{Density: 1.3, Drag: 1.5e-3, Velocity: wind}, Water: Flow{Density: 1025, Drag: 5.5e-3, Velocity: current}, Coriolis: 1.4e-4}
}

// plate is an outline about its centroid, prepared for contacts and for the water's drag.
type plate struct {
	outline []Vec2 // about the centroid, counter-clockwise
	normals []Vec2 // of the edges, outward; edge i goes from vertex i to the next
	Section
	moments [3]float64   // second moments of area xx, xy, yy, m^4
	rule    [][3]float64 // places and areas of the rule of degree 5
}

func newPlate(outline []Vec2) plate {
	p := plate{outline: outline, Section: SectionOf(outline)}
	for i, a := range outline {
		p.normals = append(p.normals, turned(a.Sub(outline[(i+1)%len(outline)])).Normalize())
	}
	for _, t := range ears(outline) {
		a, b, c := outline[t[0]], outline[t[1]], outline[t[2]]
		area := cross(b.Sub(a), c.Sub(a)) / 2
		for _, d := range dunavant {
			x := c.Add(a.Sub(c).Mul(d[0])).Add(b.Sub(c).Mul(d[1]))
			w := area * d[2]
			p.rule = append(p.rule, [3]float64{x[0], x[1], w})
			p.moments[0] += w * x[0] * x[0]
			p.moments[1] += w * x[0] * x[1]
			p.moments[2] += w * x[1] * x[1]
		}
	}
	return p
}

// drag integrates |U - v(P)| (U - v(P)) and its moment about the centroid over the floe, in the frame of its outline:
// there the water passes the centroid with u, and the floe turns at rate. m^4/s^2 and m^5/s^2; times rho_w C_w they are
// the force and the torque of the water.
//
// U - v(P) = u - rate k x r vanishes at one point c, the centre of rotation relative to the water, and elsewhere
// is -rate k x (r - c). Far from c the stress is smooth, and a rule of degree 5 on triangles integrates it, or very far
// the first terms of a series. Near c the integral along rays from c, and then along the edges, is done in closed form.
func (p *plate) drag(u Vec2, rate float64) (force Vec2, torque float64) {
	speed, spin := length(u), math.Abs(rate)*p.Radius
	switch {
	case speed == 0 && spin == 0:
		return force, 0
	case spin <= 0.01*speed:
		return p.dragFar(u, rate, speed)
	case spin <= 0.5*speed:
		for _, q := range p.rule {
			x, y := u[0]+rate*q[1], u[1]-rate*q[0]
			s := math.Sqrt(x*x+y*y) * q[2]
			force[0] += s * x
			force[1] += s * y
			torque += s * (q[0]*y - q[1]*x)
		}
		return force, torque
	}
	// c solves u = rate k x c; with r = c + rho the stress is -rate |rate| |rho| k x rho.
	c := Vec2{u[1] / rate, -u[0] / rate}
	var first Vec2   // integral of |rho| k x rho
	var turn float64 // integral of |rho| rho.rho, the moment of it about c
	a := p.outline[len(p.outline)-1].Sub(c)
	for _, v := range p.outline {
		b := v.Sub(c)
		if h := cross(a, b); h != 0 {
			// x = foot + s along; the integrals of r = |x|, r s and r^3 over s.
			e := b.Sub(a)
			l := length(e)
			along := e.Mul(1 / l)
			s0, s1, r0, r1 := a.Dot(along), b.Dot(along), length(a), length(b)
			foot := a.Sub(along.Mul(s0))
			d2 := foot.Dot(foot)
			arc := d2 * math.Log(beyond(s1, r1, d2)/beyond(s0, r0, d2)) / 2
			one := (s1*r1-s0*r0)/2 + arc
			first = first.Add(turned(foot.Mul(one).Add(along.Mul((r1*r1*r1 - r0*r0*r0) / 3))).Mul(h / (4 * l)))
			turn += h / (5 * l) * ((s1*r1*r1*r1-s0*r0*r0*r0)/4 + 3*d2*one/4)
		}
		a = b
	}
	force = first.Mul(-rate * math.Abs(rate))
	return force, cross(c, force) - rate*math.Abs(rate)*turn
}

// beyond is s + r without cancellation, where r^2 = s^2 + d2.
func beyond(s, r, d2 float64) float64 {
	if s < 0 {
		return d2 / (r - s)
	}
	return s + r
}

// dragFar is drag where the floe hardly turns: to second order in the velocity d = -rate k x r that the turning adds,
// whose mean is 0. With e along u, t to its left, d_e = rate r.t and d_t = -rate r.e,
//
//	|u + d| (u + d) = (|u|^2 + 2 |u| d_e + d_e^2 + d_t^2/2) e + (|u| d_t + d_e d_t) t + ...
//
// and the moment takes the terms of first order. What is left out is below 1e-4 of the force times the radius.
func (p *plate) dragFar(u Vec2, rate, speed float64) (force Vec2, torque float64) {
	e := u.Mul(1 / speed)
	t := turned(e)
	quad := func(a, b Vec2) float64 {
		return p.moments[0]*a[0]*b[0] + p.moments[1]*(a[0]*b[1]+a[1]*b[0]) + p.moments[2]*a[1]*b[1]
	}
	ee, et, tt := quad(e, e), quad(e, t), quad(t, t)
	force = u.Mul(speed * p.Area).Add(e.Mul(rate * rate * (tt + ee/2))).Sub(t.Mul(rate * rate * et))
	return force, -speed * rate * (2*tt + ee)
}
