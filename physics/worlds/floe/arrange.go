package floe

import (
	"cmp"
	"slices"
)

// arrange keeps the floes in an order by place, along Hilbert's curve, and what they are made of one after the other in
// memory: floes that may meet are mostly near each other there too. Nothing depends on the order in which they came.
func (w *World) arrange(all []body) {
	n := len(all)
	places := make([]Vec2, n)
	points, areas := 0, 0
	for i := range all {
		b := &all[i]
		places[i], points, areas = b.g, points+4*len(b.outline), areas+len(b.rule)
	}
	lo, hi := boundsOf(places)
	size := max(hi[0]-lo[0], hi[1]-lo[1])
	along := make([]uint64, n)
	for i := range all {
		if size > 0 {
			d := places[i].Sub(lo).Mul((1<<hilbertBits - 1) / size)
			along[i] = hilbert(uint64(d[0]), uint64(d[1]))
		}
	}
	w.number = make([]int, n)
	for i := range w.number {
		w.number[i] = i
	}
	slices.SortFunc(w.number, func(i, j int) int {
		return cmp.Or(cmp.Compare(along[i], along[j]), slices.Compare(places[i][:], places[j][:]),
			cmp.Compare(all[i].Area, all[j].Area), cmp.Compare(i, j))
	})
	w.bodies, w.order = make([]body, n), make([]int, n)
	vertices, rules := make([]Vec2, 0, points), make([][3]float64, 0, areas)
	for k, i := range w.number {
		w.bodies[k], w.order[i] = all[i], k
		b := &w.bodies[k]
		for _, s := range []*[]Vec2{&b.outline, &b.plate.normals, &b.at, &b.placed.normals} {
			first := len(vertices)
			vertices = append(vertices, *s...)
			*s = vertices[first:len(vertices):len(vertices)]
		}
		first := len(rules)
		rules = append(rules, b.rule...)
		b.rule = rules[first:len(rules):len(rules)]
	}
}

const hilbertBits = 20

// hilbert is how far along Hilbert's curve the cell (x, y) of a square of 2^hilbertBits by as many lies.
func hilbert(x, y uint64) (d uint64) {
	for s := uint64(1) << (hilbertBits - 1); s > 0; s >>= 1 {
		rx, ry := x/s&1, y/s&1
		d += s * s * (3*rx ^ ry)
		if ry == 0 { // the curve within this quarter is turned
			if rx == 1 {
				x, y = s-1-x&(s-1), s-1-y&(s-1)
			}
			x, y = y, x
		}
		x, y = x&(s-1), y&(s-1)
	}
	return d
}
