package rigid

import (
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/cmd/hapco/internal/bench/output"
	"hapco/physics/measure/bench/thesis"
	"hapco/physics/worlds/rigid"
)

// The figures of the paper, redrawn: it prints curves without scales or parameters, so that only their course can be
// compared.

// drawn is how many points a curve has at most.
const drawn = 400

// curves runs each integrator at a step and draws a number over time. move makes a motion: its step, and the number
// after it; ok is false where it comes to an end.
func curves(y string, h, seconds float64, move func(m method, h float64) func() (x float64, ok bool)) thesis.Panel {
	p := thesis.Panel{Title: fmt.Sprintf("h = %g s", h), X: "t (s)", Y: y}
	n := int(math.Round(seconds / h))
	every := max(1, n/drawn)
	for i, m := range methods {
		s := thesis.Series{Name: m.String(), Style: thesis.Line, Look: i}
		next := move(m, h)
		for k := range n {
			x, ok := next()
			if !ok || math.IsNaN(x-x) {
				break
			}
			if (k+1)%every == 0 {
				s.X, s.Y = append(s.X, float64(k+1)*h), append(s.Y, x)
			}
		}
		if len(s.X) > 0 {
			p.Series = append(p.Series, s)
		}
	}
	return p
}

// figureFree is the freely spinning body at the paper's steps.
func figureFree() *thesis.Exhibit {
	e := &thesis.Exhibit{ID: "1", Kind: "figure", Title: "freely spinning body, 100 s: a point of it, and its energy"}
	of := func(number func(b *rigid.Rotor) float64) func(m method, h float64) func() (float64, bool) {
		return func(m method, h float64) func() (float64, bool) {
			b := freeTop()
			return func() (float64, bool) {
				b.Step(m.Algorithm, m.TorqueRule, h, noMoment{})
				return number(&b), true
			}
		}
	}
	place := of(func(b *rigid.Rotor) float64 { return b.R.Rotate(mgl64.Vec3{1, 0, 0})[0] })
	energy := of((*rigid.Rotor).Energy)
	e.Panels = []thesis.Panel{
		curves("x of a point (m)", 0.5, 100, place),
		curves("x of a point (m)", 0.01, 100, place),
		curves("energy (J)", 0.5, 100, energy),
	}
	return e
}

// charged is a body with charges above a charged wall at z = 0; each has the potential charge (E0 z + K/z).
type charged struct {
	rigid.Rotor
	x, v, next mgl64.Vec3
	t, h       float64
}

const (
	wallE0 = 2.0 // N
	wallK  = 0.8 // N m^2
)

var (
	chargeAt  = [3]mgl64.Vec3{{0.3, 0, -0.2}, {-0.2, 0.25, -0.1}, {-0.1, -0.25, 0.25}}
	chargeOf  = [3]float64{1, 0.7, 1.3}
	startTurn = mgl64.Vec3{0.2, -0.1, 0.3}
)

// force is that on the centre of mass, and moment that about it, at a place.
func (c *charged) force(x mgl64.Vec3, r mgl64.Quat) (force, moment mgl64.Vec3) {
	for i, at := range chargeAt {
		arm := r.Rotate(at)
		z := x[2] + arm[2]
		f := mgl64.Vec3{0, 0, chargeOf[i] * (wallK/(z*z) - wallE0)}
		force, moment = force.Add(f), moment.Add(arm.Cross(f))
	}
	return force, moment
}

// Moment at a time within the step: the centre goes evenly from x to next.
func (c *charged) Moment(t float64, r mgl64.Quat) mgl64.Vec3 {
	_, m := c.force(c.x.Add(c.next.Sub(c.x).Mul((t-c.t)/c.h)), r)
	return m
}

// figureSoftWall is the charged body above the wall: translation by central differences, rotation by each integrator.
func figureSoftWall() *thesis.Exhibit {
	e := &thesis.Exhibit{ID: "2", Kind: "figure", Title: "charged body above a charged wall: height of its centre; a curve ends where the body passes through the wall"}
	height := func(m method, h float64) func() (float64, bool) {
		c := &charged{x: mgl64.Vec3{0, 0, 1.6}, v: mgl64.Vec3{0.2, 0, 0}, h: h}
		c.next = c.x
		turn := mgl64.QuatRotate(startTurn.Len(), startTurn.Normalize())
		c.Rotor = rigid.NewRotor(mgl64.Diag3(mgl64.Vec3{0.08, 0.11, 0.15}), turn, mgl64.Vec3{0.5, 0.2, 1.5}, c)
		return func() (float64, bool) {
			f0, _ := c.force(c.x, c.R)
			c.next = c.x.Add(c.v.Mul(h)).Add(f0.Mul(h * h / 2))
			ok := c.Rotor.Step(m.Algorithm, m.TorqueRule, h, c)
			f1, _ := c.force(c.next, c.R)
			c.v = c.v.Add(f0.Add(f1).Mul(h / 2))
			c.x = c.next
			c.t += h
			return c.x[2], ok && c.x[2] > 0 && c.x[2] < 10
		}
	}
	e.Panels = []thesis.Panel{
		curves("height (m)", 0.5, 8, height),
		curves("height (m)", 0.1, 8, height),
		curves("height (m)", 0.01, 8, height),
	}
	return e
}

// pulse spins the book up about its middle axis, and disturbs it.
type pulse struct{}

// Moment in space: 20 N m about x for 2 s, then about y for 0.01 s.
func (pulse) Moment(t float64, _ mgl64.Quat) mgl64.Vec3 {
	switch {
	case t < 2:
		return mgl64.Vec3{20, 0, 0}
	case t < 2.01:
		return mgl64.Vec3{0, 20, 0}
	}
	return mgl64.Vec3{}
}

// figureBook is the book's angular velocity about its middle axis.
func figureBook(quick bool) *thesis.Exhibit {
	e := &thesis.Exhibit{ID: "3", Kind: "figure", Title: "book toss: angular velocity about the middle axis, spun up for 2 s, then disturbed for 0.01 s"}
	rate := func(m method, h float64) func() (float64, bool) {
		b := rigid.NewRotor(mgl64.Diag3(mgl64.Vec3{5, 10, 1}), mgl64.QuatIdent(), mgl64.Vec3{}, pulse{})
		return func() (float64, bool) {
			ok := b.Step(m.Algorithm, m.TorqueRule, h, pulse{})
			return b.W[0], ok
		}
	}
	e.Panels = []thesis.Panel{
		curves("W1 (1/s)", 0.01, 12, rate),
		curves("W1 (1/s)", output.Either(quick, 1e-3, 1e-4), 12, rate),
	}
	return e
}

// figureAccuracy is error, energy and work over the step.
func (r *Report) figureAccuracy() *thesis.Exhibit {
	e := &thesis.Exhibit{ID: "accuracy", Kind: "figure", Title: "free top, 10 s: error of the attitude and of the energy over the step, and error over cost"}
	e.Panels = []thesis.Panel{
		{Title: "attitude", X: "h (s)", Y: "angle off (rad)", LogX: true, LogY: true},
		{Title: "energy", X: "h (s)", Y: "largest change, relative", LogX: true, LogY: true},
		{Title: "work", X: "processor time (us)", Y: "angle off (rad)", LogX: true, LogY: true},
	}
	for i, m := range methods {
		series := [3]thesis.Series{}
		for k := range series {
			series[k] = thesis.Series{Name: m.String(), Style: thesis.Line, Look: i}
		}
		for _, x := range r.Errors {
			if x.Algorithm != m.String() {
				continue
			}
			for k, xy := range [3][2]float64{{x.Step, x.Attitude}, {x.Step, max(x.Energy, 1e-16)}, {math.Round(1e6 * x.Seconds), x.Attitude}} {
				series[k].X, series[k].Y = append(series[k].X, xy[0]), append(series[k].Y, xy[1])
			}
		}
		for k := range series {
			e.Panels[k].Series = append(e.Panels[k].Series, series[k])
		}
	}
	return e
}

// figureWalls is the time of a step over contacts.
func (r *Report) figureWalls() *thesis.Exhibit {
	p := thesis.Panel{Title: "walls of bricks", X: "contacts", Y: "processor time of a step (ms)", LogX: true, LogY: true}
	rest := thesis.Series{Name: fmt.Sprintf("at rest, exponent %.2f", r.Exponent), Style: thesis.Line}
	pushed := thesis.Series{Name: fmt.Sprintf("struck, exponent %.2f", r.PushedExponent), Style: thesis.Line, Look: 1}
	for _, w := range r.Walls {
		rest.X, rest.Y = append(rest.X, float64(w.Contacts)), append(rest.Y, w.Rest)
		pushed.X, pushed.Y = append(pushed.X, float64(w.Contacts)), append(pushed.Y, w.Pushed)
	}
	p.Series = []thesis.Series{rest, pushed}
	return &thesis.Exhibit{ID: "walls", Kind: "figure", Title: "time of a step over contacts", Panels: []thesis.Panel{p}}
}
