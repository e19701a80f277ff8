package probing

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"hapco/physics"
	"hapco/physics/frame"
	"hapco/physics/local"
	"hapco/physics/numerics/num"
)

// The laws that hold in every world under any hand. Each is a function of the state that a
// step leaves, and speaks of the seam alone. A law that not all worlds can claim asks for what
// it needs: contacts in the frame, rigid bodies, an account of the energy.

// laws are looked at after every step.
var laws = []func(p *play){
	(*play).finiteReport, (*play).advances, (*play).finiteFrame, (*play).finiteModels, (*play).cone, (*play).nothingFar, (*play).solved,
}

// closeLaws are looked at less often: they cost more.
var closeLaws = []func(p *play){(*play).solid, (*play).floor, (*play).energy, (*play).momentum, (*play).kept, (*play).coulomb}

// What they allow.
const (
	// Rigid bodies may be in each other by this share of the smaller one's reach, and bodies in the floor.
	inEachOther = 0.05
	// Energy that nothing explains, of all that was moved.
	unexplained = 1e-2
	// What rounding makes of a force in a cone.
	coneRounding = 1e-6
)

// look judges the state after a step.
func (p *play) look(close bool) {
	for _, law := range laws {
		law(p)
	}
	if p.v.has(NoNumber) {
		p.done = true
		return
	}
	if !close {
		return
	}
	p.account = p.entries(false)
	for _, law := range closeLaws {
		law(p)
	}
	if p.steps%widely == 0 {
		p.finiteEntries()
	}
	p.done = p.done || p.v.has(NoNumber)
}

// entries are those of the account, by name.
func (p *play) entries(costly bool) map[string]any {
	a, ok := p.s.world.(physics.Accountant)
	if !ok {
		return nil
	}
	all := map[string]any{}
	for _, e := range a.Account(costly) {
		all[e.Name] = e.Value
	}
	return all
}

// number is that of the account; NaN: it has none.
func number(account map[string]any, name string) float64 {
	switch x := account[name].(type) {
	case float64:
		return x
	case int:
		return float64(x)
	}
	return math.NaN()
}

// law notes a breach where it does not hold; the text goes on after the tick.
func (p *play) law(holds bool, c Cause, format string, args ...any) {
	if !holds {
		p.v.breach(c, p.tick, fmt.Sprintf("tick %d", p.tick)+format, args...)
	}
}

func (p *play) noNumber(what string) {
	p.law(false, NoNumber, ", step %d: %s is no number", p.steps, what)
}

func (p *play) finiteReport() {
	r := &p.last
	if !num.FiniteVec(r.Force) || !num.FiniteVec(r.Torque) {
		p.noNumber("the force of the step")
	}
	if f := r.Force.Len(); f > p.v.Force {
		p.v.Force, p.v.strongest = f, p.tick
	}
}

// advances: a world says how much time it has advanced, and goes on.
func (p *play) advances() {
	r := &p.last
	dt := p.in.Dt
	if !(dt > 0) || math.IsInf(dt, 0) {
		dt = 0 // no time at all
	}
	p.law(r.Advanced >= 0 && r.Advanced <= dt*(1+1e-9), Slow, ": advances %g of %g s", r.Advanced, p.in.Dt)
	p.law(!p.passed || !(r.Advanced > p.own*(1+1e-9)), Slow,
		": advances %g s, more than a step of its own, %g s, after its deadline", r.Advanced, p.own)
	p.law(r.Stopped == nil, Lost, ": the world stands still: %v", r.Stopped)
}

func (p *play) finiteFrame() {
	f := &p.s.frame
	numbers := func(what string, x ...float64) {
		if !num.AllFinite(x...) {
			p.noNumber(what)
		}
	}
	vectors := func(what string, all ...vec) {
		if slices.ContainsFunc(all, func(x vec) bool { return !num.FiniteVec(x) }) {
			p.noNumber(what)
		}
	}
	pose := func(what string, at *frame.Pose) {
		vectors(what, at.Position, at.Rotation.V)
		numbers(what, at.Rotation.W)
	}
	for _, d := range []*physics.Driven{{Stylus: f.Stylus, Force: f.Force, Torque: f.Torque}, &f.Second} {
		pose("a stylus in the frame", &d.Stylus)
		vectors("a force in the frame", d.Force, d.Torque)
	}
	numbers("the frame's time", f.Time, f.Softest)
	for i := range f.Surfaces {
		vectors("a vertex of "+p.s.info.Surfaces[i].Name, f.Surfaces[i].Vertices...)
		numbers("a field", f.Surfaces[i].Scalar...)
	}
	for i := range f.Instances {
		pose("a body's pose", &f.Instances[i].Pose)
	}
	for i := range f.Points {
		b := &f.Points[i]
		vectors("a point", at32(b.Position), at32(b.Color), vec{float64(b.Radius), float64(b.Scalar)})
	}
	for i := range f.Vertices {
		vectors("a corner of an outline", at32(f.Vertices[i].Position))
	}
	for i := range f.Lines {
		vectors("a line", f.Lines[i].A, f.Lines[i].B)
	}
	for i := range f.Arrows {
		vectors("an arrow", f.Arrows[i].At, f.Arrows[i].Vector)
	}
	for i := range f.Contacts {
		c := &f.Contacts[i]
		vectors("a contact", c.P, c.Q, c.N, c.T1, c.T2, c.Force, c.R, c.X, c.Residual)
		numbers("a friction coefficient", c.Mu)
	}
	infinite := func(x float64) bool { return math.IsInf(x, 0) } // no number says that there is none
	for i, x := range f.Numbers {
		if infinite(x) {
			p.noNumber("the number " + p.s.info.Numbers[i].Name)
		}
	}
	for i := range f.Series {
		if slices.ContainsFunc(f.Series[i].Values, infinite) {
			p.noNumber("a curve of " + f.Series[i].Label)
		}
	}
}

func (p *play) finiteModels() {
	for k := range p.s.hands {
		m := &p.s.models[k]
		if !m.Finite() || !num.Finite(m.Length) {
			p.noNumber("the hand's model")
		}
		p.law(m.N <= local.Capacity && len(m.R) == 3*m.N && len(m.Mu) == m.N, NoNumber, ": a model of %d contacts", m.N)
	}
}

// finiteEntries looks at all that can be written down.
func (p *play) finiteEntries() {
	for name, x := range p.entries(true) {
		if !finiteValue(reflect.ValueOf(x)) {
			p.noNumber("the account's " + name)
		}
	}
	if s, ok := p.s.world.(physics.Sampler); ok {
		for _, e := range s.Sample() {
			if !finiteValue(reflect.ValueOf(e.Value)) {
				p.noNumber("the sample's " + e.Name)
			}
		}
	}
}

// finiteValue tells whether all numbers in a value of any shape are finite.
func finiteValue(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		return num.Finite(v.Float())
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if !finiteValue(v.Index(i)) {
				return false
			}
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			if !finiteValue(v.MapIndex(k)) {
				return false
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if !finiteValue(v.Field(i)) {
				return false
			}
		}
	case reflect.Interface, reflect.Pointer:
		return v.IsNil() || finiteValue(v.Elem())
	}
	return true
}

// cone: contacts push, but for what a grip holds, and their forces stay in the cones of their friction.
func (p *play) cone() {
	contacts, most := p.s.frame.Contacts, 0.0
	for i := range contacts {
		most = max(most, contacts[i].Force.Len()+contacts[i].Hold)
	}
	for i := range contacts {
		c := &contacts[i]
		n, t := c.R[0]+c.Hold, math.Hypot(c.R[1], c.R[2])
		if rounding := coneRounding*math.Hypot(n, t) + 1e-12*most; !(n >= -rounding) || !(t <= c.Mu*n+rounding) {
			p.law(false, Inadmissible, ": r_n %.3g, r_t %.3g N with friction %g", n, t, c.Mu)
		}
	}
}

// coulomb: the world's own account says that its contacts obey the friction that they have.
func (p *play) coulomb() {
	violation, _ := p.account["cone_violation"].(float64)
	off, _ := p.account["coulomb_error"].(float64)
	text := offConeBy(violation, 0, off)
	p.law(text == "", Inadmissible, ": %s", text)
}

// nothingFar: a tool that is clear of everything and holds nothing is left in peace.
func (p *play) nothingFar() {
	if p.far <= relaxed || p.s.joined {
		return
	}
	for k, f := range [2]vec{p.s.frame.Force, p.s.frame.Second.Force} {
		p.law(!(f.Len() > leftForce), Hooked, ", tool %d clear of everything for %.0f ms: %.3g N", k, 1e3*p.far, f.Len())
	}
	loaded := func(c physics.Contact) bool { return c.Status != physics.Open }
	all := p.s.frame.Contacts
	p.law(len(p.s.solids.bodies) > 0 || !slices.ContainsFunc(all, loaded), Hooked,
		", clear of everything for %.0f ms: a loaded contact of %d", 1e3*p.far, len(all))
}

// judgeFelt: the force sent to a hand is finite, within the device's limit and its slew, and
// never dropped; and none far from everything.
func (p *play) judgeFelt(k int, now *Felt) {
	jump := p.v.Hand.take(k, now)
	switch {
	case now.Dropped != "":
		p.law(false, Jolted, ": hand %d: the force was dropped: %s", k, now.Dropped)
	case !num.FiniteVec(now.Force) || !num.FiniteVec(now.Torque):
		p.noNumber("the force sent to a hand")
	case !(jump <= now.Most*(1+1e-9)+1e-12):
		p.law(false, Jolted, ": hand %d: the force changes by %.3g N in a millisecond, more than %.3g", k, jump, now.Most)
	case now.Limit > 0 && !(now.Force.Len() <= now.Limit*(1+1e-9)):
		p.law(false, Force, ": hand %d: %.3g N, more than the device's %.3g", k, now.Force.Len(), now.Limit)
	case p.far > 2*relaxed && !p.s.joined && now.Force.Len() > leftForce:
		p.law(false, Hooked, ": hand %d, clear of everything for %.0f ms: %.3g N are sent", k, 1e3*p.far, now.Force.Len())
	}
}

// solved: a world that does not solve its contacts, as where it may sweep only once, says so.
func (p *play) solved() {
	s := p.s
	if i := s.info.Number("error"); i >= 0 && s.info.Numbers[i].Warn > 0 && !(s.frame.Numbers[i] < s.info.Numbers[i].Warn) {
		p.warned = p.tick
	}
}

// solid: rigid bodies stay out of each other.
func (p *play) solid() {
	s := p.s
	if p.tick < p.warned+warning {
		return
	}
	pairs, _ := p.account[physics.Apart].([][2]int)
	i, j, deep, share := s.solids.worst(s.info, &s.frame, pairs)
	p.v.Deepest = max(p.v.Deepest, share)
	p.law(!(share > inEachOther), Through,
		": bodies %d and %d (of those drawn, tools first) are %.3g mm in each other, %.2g of the smaller", i, j, 1e3*deep, share)
}

// floor: nothing rigid sinks into it.
func (p *play) floor() {
	s := p.s
	if s.info.Ground == nil || p.tick < p.warned+warning {
		return
	}
	for i := range s.solids.bodies {
		b := &s.solids.bodies[i]
		if deep := *s.info.Ground - b.box.low[1]; !b.tool && deep > inEachOther*s.solids.shapes[b.shape].reach {
			p.law(false, Through, ": body %d is %.3g mm in the floor", i, 1e3*deep)
		}
	}
}

// energy: all of it is explained by what the hand did, weight, and what moves the world.
func (p *play) energy() { p.balance(physics.EnergyUnexplained, physics.EnergyMoved, unexplained, "J") }

// momentum: all of it is explained by impulses.
func (p *play) momentum() { p.balance(physics.MomentumUnexplained, physics.MomentumMoved, 1e-9, "N s") }

// balance: of what was moved no more than a share is unexplained.
func (p *play) balance(unexplained, moved string, share float64, unit string) {
	left, all := number(p.account, unexplained), number(p.account, moved)
	p.law(!(left > share*all), Energy, ": %.3g %s come from nowhere, of %.3g %s moved", left, unit, all, unit)
}

// kept: what is in a container stays there, and nothing comes to a place that is no number.
func (p *play) kept() {
	p.law(!(number(p.account, physics.PutBack) > 0), NoNumber, ": all was put back to the start, since a motion was no number")
	escaped := number(p.account, physics.Escaped)
	p.law(!(escaped > 0), Through, ": %.0f have gone through walls", escaped)
}
