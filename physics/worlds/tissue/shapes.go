package tissue

import (
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
)

const (
	// shapePeriod is how often the shapes of large bodies are worked out whole: they are for the eye only.
	shapePeriod = 8 * time.Millisecond
	// smallSurface is the number of surface nodes of all bodies together up to which every snapshot has the shapes of
	// its own step.
	smallSurface = 2500
)

// shaping works out where all surface nodes are, for display, in the background: a step knows but the nodes around its
// contacts.
type shaping struct {
	background[shapeOrder, shapeResult]
	last   time.Time
	states []uint32 // of the shapes ordered last
	count  uint64   // orders
}

type shapeOrder struct {
	count  uint64
	bodies []bodyShape
}

type bodyShape struct {
	body          *body // for what does not change
	flexibility   flexibility
	configuration configuration
}

type shapeResult struct {
	count     uint64
	positions [][]mgl64.Vec3 // by body
}

// prepare is for worlds of more surface nodes than small.
func (d *shaping) prepare(w *World, small int) {
	n := 0
	for _, b := range w.bodies {
		n += len(b.rest)
	}
	if n <= small {
		return
	}
	d.init(func(o *shapeOrder) { o.bodies = make([]bodyShape, len(w.bodies)) }, func(r *shapeResult) {
		r.positions = make([][]mgl64.Vec3, len(w.bodies))
		for i, b := range w.bodies {
			r.positions[i] = make([]mgl64.Vec3, len(b.rest))
			b.fill(r.positions[i], &w.fillWork)
		}
	})
	d.states = make([]uint32, len(w.bodies))
}

// exchange puts the newest shapes into s and orders newer ones when the last are old. It is false where snapshots have
// to work out their shapes themselves. Physics goroutine.
func (d *shaping) exchange(w *World, s *Snapshot) bool {
	if d.orders == nil {
		return false
	}
	result, _ := d.results.Get()
	if len(s.Surfaces) != len(w.bodies) {
		s.Surfaces = make([]physics.Surface, len(w.bodies))
	}
	for i := range s.Surfaces {
		at := &s.Surfaces[i]
		if len(at.Vertices) == 0 || s.Memo != result.count {
			at.Vertices = append(at.Vertices[:0], result.positions[i]...)
		}
		at.Scalar = at.Scalar[:0]
	}
	s.Memo = result.count

	moved := false
	for i, b := range w.bodies {
		moved = moved || d.states[i] != b.deformed.state
	}
	now := time.Now()
	if !moved || now.Sub(d.last) < shapePeriod {
		return true
	}
	d.last = now
	d.count++
	order := d.orders.Back()
	order.count = d.count
	for i, b := range w.bodies {
		d.states[i] = b.deformed.state
		o := &order.bodies[i]
		o.body, o.flexibility = b, b.flexibility
		from := &b.deformed.now
		o.configuration.rotation, o.configuration.origin, o.configuration.load = from.rotation, from.origin, from.load
		o.configuration.nodes = append(o.configuration.nodes[:0], from.nodes...)
		o.configuration.rows = append(o.configuration.rows[:0], from.rows...)
		o.configuration.force = append(o.configuration.force[:0], from.force...)
	}
	d.post()
	return true
}

// shaper is the work, with its memory.
func shaper() func(*shapeOrder, *shapeResult) bool {
	var ws fillWork
	return func(order *shapeOrder, result *shapeResult) bool {
		result.count = order.count
		for i := range order.bodies {
			o := &order.bodies[i]
			o.body.fillConfiguration(result.positions[i], &o.configuration, &o.flexibility, &ws)
		}
		return true
	}
}
