package floe

import (
	"cmp"
	"math"
	"slices"

	"hapco/physics/numerics/num"
)

// crack is one that opened.
type crack struct {
	Time      float64 // s
	Floe      int     // the floe that kept its number
	Fragment  int     // the number of the new one
	At        Vec2    // where the tension was largest, m
	Direction Vec2    // of the crack
	Stress    float64 // Pa
}

// breaking is what has broken, and what it takes to find what breaks.
type breaking struct {
	cracks  []crack
	pressed []float64 // force on each floe, N
	loads   []load
	pushes  []PointForce // on the floe that is looked at
	sheets  int          // floes that have one
}

// load is a floe that a collision may break, its nominal stress, and whether it held as much lately.
type load struct {
	floe   int
	stress float64
	held   bool
}

// breakUp looks for floes that the contacts of this step break, and splits them. What loads a floe at rest is its
// impulse over the step, and what hits it over the duration of a contact.
func (w *World) breakUp(dt float64) {
	f := w.config.Fracture
	if f == nil || dt <= 0 {
		return
	}
	k := &w.breaking
	k.pressed = num.Grow(k.pressed, len(w.bodies))
	clear(k.pressed)
	for i := range w.contacts {
		c := &w.contacts[i]
		force := math.Hypot(c.Impulse, c.Friction) / w.lasts(c, dt)
		k.pressed[c.A] += force
		k.pressed[c.B] += force
	}
	k.loads = k.loads[:0]
	for i, force := range k.pressed {
		b := &w.bodies[i]
		b.held *= forgets
		if b.fixed || b.tool || b.unbroken || b.Area < 2*f.Smallest {
			continue
		}
		// The tension of a free bar of this width that is struck in its middle; a round floe has about the same by this.
		width := b.Area / (2 * b.Radius)
		if s := 1.5 * force * b.Radius / (b.thickness * width * width); s > f.Strength*suspect {
			k.loads = append(k.loads, load{i, s, s <= grown*b.held})
		}
	}
	slices.SortFunc(k.loads, func(a, b load) int {
		if a.held != b.held {
			if b.held {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.stress, a.stress), cmp.Compare(a.floe, b.floe))
	})
	looks, meshes := 0, 0
	for _, l := range k.loads {
		b := &w.bodies[l.floe]
		if b.sheet == nil {
			if f.Hurried > 0 && meshes == f.Hurried {
				continue // its turn comes in the next step
			}
			meshes++
			w.makeSheet(b)
		}
		if b.sheet == nil {
			continue
		}
		b.held = l.stress
		w.tryBreak(l.floe, dt)
		if looks++; looks == perStep {
			return
		}
	}
}

// makeSheet makes the mesh of a floe and its factors. They serve until it breaks.
func (w *World) makeSheet(b *body) {
	f := w.config.Fracture
	if w.breaking.sheets == mostSheets {
		w.breaking.sheets = 0
		for i := range w.bodies {
			w.bodies[i].sheet = nil
		}
	}
	ice := Elastic{Young: f.Young, Poisson: f.Poisson, Thickness: b.thickness, Density: b.density}
	p, err := NewPlate(b.outline, ice, cmp.Or(f.Triangles, 300), nil)
	if err != nil {
		b.unbroken = true // no mesh, no crack
		return
	}
	b.sheet = p
	w.breaking.sheets++
}

// lasts is for how long the impulses of a contact acted.
func (w *World) lasts(c *Contact, dt float64) float64 {
	if c.rest {
		return dt
	}
	return w.config.Fracture.Duration
}

// tryBreak loads floe i with the impulses on it, and splits it where it breaks. A floe whose mesh cannot be made stays
// whole.
func (w *World) tryBreak(i int, dt float64) {
	f, b := w.config.Fracture, &w.bodies[i]
	turn := rotation(b.angle)
	local := turn.Transpose()
	pushes := w.breaking.pushes[:0]
	for k := range w.contacts {
		c := &w.contacts[k]
		if c.A != i && c.B != i || c.Impulse == 0 && c.Friction == 0 {
			continue
		}
		p := c.Normal.Mul(c.Impulse).Add(c.tangent().Mul(c.Friction)).Mul(1 / w.lasts(c, dt))
		if c.A == i {
			p = p.Mul(-1)
		}
		at := onOutline(b.outline, local.Mul2x1(c.Point.Sub(b.g)))
		pushes = append(pushes, PointForce{at, local.Mul2x1(p)})
	}
	w.breaking.pushes = pushes
	if len(pushes) == 0 {
		return
	}
	away := *f
	away.Away = cmp.Or(away.Away, fromLoad*b.Radius)
	stress, at, crack, err := away.Critical(b.sheet, pushes)
	if err == nil && stress >= f.Strength {
		_ = w.split(i, b.point(at), turn.Mul2x1(crack), stress)
	}
}

// onOutline is the point of the outline closest to p.
func onOutline(outline []Vec2, p Vec2) Vec2 {
	best, least := p, math.Inf(1)
	for i, a := range outline {
		q := nearest(a, outline[(i+1)%len(outline)], p)
		if d := q.Sub(p).Len(); d < least {
			best, least = q, d
		}
	}
	return best
}

// split replaces floe i by two fragments, unless one would be too small, or, which the error says, none. They are moved
// apart by half the collision distance: else they would overlap by round-off. What that gives in angular momentum,
// their rates pay for; the energy that this takes is lost to the crack.
func (w *World) split(i int, point, direction Vec2, stress float64) error {
	b := &w.bodies[i]
	whole := Floe{Outline: b.outline, Thickness: b.thickness, Density: b.density,
		Position: b.g, Angle: b.angle, Velocity: b.v, Rate: b.rate}
	parts, err := whole.Split(point, direction)
	if err != nil {
		return err
	}
	var made [2]body
	for k := range parts {
		if made[k], err = parts[k].body(); err != nil || made[k].Area < w.config.Fracture.Smallest {
			return err
		}
	}
	// Left of the crack comes first.
	apart := turned(direction).Normalize().Mul(w.config.Collision / 2)
	total := made[0].mass + made[1].mass
	given := 0.0 // angular momentum
	for k, share := range [2]float64{made[1].mass / total, -made[0].mass / total} {
		m := &made[k]
		given += m.mass * cross(apart.Mul(share), m.v)
		m.put(&m.plate, m.g.Add(apart.Mul(share)), m.angle)
		m.accel = b.accel
	}
	slower := given / (made[0].inertia + made[1].inertia)
	for k := range made {
		m := &made[k]
		w.energy.Fracture += m.inertia * slower * (m.rate - slower/2)
		m.rate -= slower
	}
	if made[1].Area > made[0].Area {
		made[0], made[1] = made[1], made[0]
	}
	w.bodies[i] = made[0]
	w.bodies = append(w.bodies, made[1])
	number := len(w.number)
	w.number = append(w.number, number)
	w.order = append(w.order, len(w.bodies)-1)
	w.near.valid = false
	w.memory = slices.DeleteFunc(w.memory, func(r recalled) bool { // their contacts have other vertices
		return int(r.key>>44) == i || int(r.key>>24&(1<<20-1)) == i
	})
	w.report.Cracks++
	w.breaking.cracks = append(w.breaking.cracks, crack{w.time, w.number[i], number, point, direction.Normalize(), stress})
	return nil
}
