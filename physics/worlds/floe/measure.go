package floe

import "cmp"

// Measure is what a floe weighs and where it lies, without a world around it.
type Measure struct {
	Area, Mass, Inertia float64 // m^2; kg; about the centroid, kg m^2
	Low, High           Vec2    // corners of its box in the world, m
}

// Measure of a floe. An error says what is wrong with it.
func (f *Floe) Measure() (Measure, error) {
	b, err := f.body()
	if err != nil {
		return Measure{}, err
	}
	return Measure{Area: b.Area, Mass: b.mass, Inertia: b.inertia, Low: b.lo, High: b.hi}, nil
}

// Nearness is how two floes lie to each other.
type Nearness struct {
	Overlap  bool
	Distance float64   // of the outlines, m
	Discs    float64   // distance of the discs around them, m; below 0 where they overlap
	Time     float64   // in which they cannot touch, by the discs where these are apart, s; +Inf: never
	Contacts []Contact // within the collision distance; A is the first
}

// Near tells how two floes lie to each other; collision is the distance at which they collide, m.
func Near(a, b *Floe, collision float64) (Nearness, error) {
	p, errA := a.body()
	q, errB := b.body()
	if err := cmp.Or(errA, errB); err != nil {
		return Nearness{}, err
	}
	n := Nearness{Overlap: overlap(&p.placed, &q.placed), Distance: distance(&p.placed, &q.placed), Discs: discGap(&p.placed, &q.placed)}
	if tol := collision / 20; n.Discs > 0 {
		n.Time = discTime(&p.placed, &q.placed, tol)
	} else {
		n.Time = overlapTime(&p.placed, &q.placed, n.Distance, tol)
	}
	n.Contacts = contacts(nil, &p.placed, &q.placed, collision, collision)
	for i := range n.Contacts {
		n.Contacts[i].A, n.Contacts[i].B = 0, 1
	}
	return n, nil
}

// Overlapping is New for floes that may overlap at the start.
func Overlapping(c Config) (*World, error) { return newWorld(c) }

// Begin lets floes that touch at the start collide. The first step does it otherwise.
func (w *World) Begin() { w.begin() }

// Collide lets floes collide once at given contacts, between floes by number, whatever is near what; it takes no time.
func (w *World) Collide(contacts []Contact) error {
	w.started = true
	w.contacts = w.contacts[:0]
	for _, c := range contacts {
		c.A, c.B = w.order[c.A], w.order[c.B]
		w.contacts = append(w.contacts, c)
	}
	w.group()
	for k := 0; k+1 < len(w.groups.first); k++ {
		if err := w.jobs.solvers[0].collide(w, w.groups.sorted[w.groups.first[k]:w.groups.first[k+1]]); err != nil {
			return err
		}
	}
	return nil
}

// Inward is the direction into a plate at a point of its outline: the mean of the inward normals of the edges there; 0
// elsewhere.
func (p *Plate) Inward(at Vec2) (sum Vec2) {
	for i, a := range p.outline {
		b := p.outline[(i+1)%len(p.outline)]
		if nearest(a, b, at).Sub(at).Len() <= onEdge*p.Radius {
			sum = sum.Add(turned(b.Sub(a)).Normalize())
		}
	}
	return sum
}
