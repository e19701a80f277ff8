// What only tests ask.

package floe

// Cracks are all that opened so far, oldest first. The slice is the world's.
func (w *World) Cracks() []crack { return w.breaking.cracks }

// Repaired says what was mended in the outline of floe i.
func (w *World) Repaired(i int) Repair { return w.bodies[w.order[i]].repair }

// Contacts appends those of now to dst, between floes by number.
func (w *World) Contacts(dst []Contact) []Contact {
	for _, c := range w.contacts {
		c.A, c.B = w.number[c.A], w.number[c.B]
		dst = append(dst, c)
	}
	return dst
}

// Triangles is their number.
func (p *Plate) Triangles() int { return len(p.mesh.triangles) }
