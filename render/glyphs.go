package render

import (
	"math"

	"github.com/go-gl/gl/v3.3-core/gl"
	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
)

// Floats per instance. Arrow: tail 3, radius, shaft vector 3, -, colour 4. Point: place 3, radius in pixels, colour 3,
// shape. Line: ends 3+3, width in pixels, -, colour 4.
const (
	arrowFloats = 12
	pointFloats = 8
	lineFloats  = 12
)

// Shapes of points; point.frag knows the same numbers.
const (
	shapeRing    = 0
	shapeDisc    = 1
	shapeDiamond = 2
	shapeSquare  = 3
	shapeHalo    = 4
	shapePlate   = 5
)

// batch draws many instances of one small mesh in one call.
type batch struct {
	vao     uint32
	data    stream
	floats  int // per instance: attributes of four
	count   int32
	indices int32 // of the mesh; 0: a strip of four vertices without attributes
	first   uint32
}

// init makes one of so many floats an instance, of a mesh where there is one.
func (b *batch) init(h *holdings, floats int, mesh []float32, index []uint32) {
	b.floats, b.data.id = floats, h.buffer()
	if len(mesh) == 0 {
		b.vao = h.array()
	} else {
		b.vao = h.vertexArray(buffer(h, gl.ARRAY_BUFFER, mesh), 3, 2) // ring x, z, radius code; axial code, slope of the normal
		buffer(h, gl.ELEMENT_ARRAY_BUFFER, index)
		b.indices, b.first = int32(len(index)), 2
	}
	b.from(0)
	gl.BindVertexArray(0)
}

func (b *batch) upload(data []float32) {
	b.count = int32(len(data) / b.floats)
	b.data.upload(data)
}

// from makes instance i the first one to be drawn.
func (b *batch) from(i int32) {
	gl.BindVertexArray(b.vao)
	gl.BindBuffer(gl.ARRAY_BUFFER, b.data.id)
	for k := range b.floats / 4 {
		attribute(b.first+uint32(k), 4, b.floats, int(i)*b.floats+4*k, 1)
	}
}

func (b *batch) draw() {
	if b.count == 0 {
		return
	}
	gl.BindVertexArray(b.vao)
	if b.indices > 0 {
		gl.DrawElementsInstanced(gl.TRIANGLES, b.indices, gl.UNSIGNED_INT, nil, b.count)
	} else {
		gl.DrawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, b.count)
	}
}

// drawRun draws instances start to end of a batch without a mesh. OpenGL 3.3 cannot start at an instance, so the
// attributes move.
func (b *batch) drawRun(start, end int32) {
	b.from(start)
	gl.DrawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, end-start)
}

func (r *Renderer) initBatches() {
	mesh, index := arrowMesh(10)
	for _, b := range [...]*batch{&r.glyphs.arrows, &r.glyphs.axes, &r.glyphs.topArrows} {
		b.init(&r.own, arrowFloats, mesh, index)
	}
	for _, b := range [...]*batch{&r.glyphs.points, &r.balls, &r.glyphs.marks, &r.glyphs.plate} {
		b.init(&r.own, pointFloats, nil, nil)
	}
	for _, b := range [...]*batch{&r.glyphs.lines, &r.glyphs.topLines} {
		b.init(&r.own, lineFloats, nil, nil)
	}
	r.glyphs.ribbons.init(&r.own, ribbonFloats, nil, nil)
	r.clumps.vao = r.own.vertexArray(r.balls.data.id, 4, 4)
}

// arrowMesh is an arrow of n sides whose proportions the vertex shader fills in. A vertex is the direction of its ring
// point, a radius code (0 axis, 1 shaft, 2 head), an axial code (0 tail, 1 neck, 2 tip), and the axial part of its
// normal: -1 faces back, 0 sideways, above 0 leans to the tip.
func arrowMesh(n int) (verts []float32, index []uint32) {
	ring := func(radius, axial, lean float32) uint32 {
		at := uint32(len(verts) / 5)
		for i := range n {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
			verts = append(verts, float32(cos), float32(sin), radius, axial, lean)
		}
		return at
	}
	const wide, point = 1, 2               // which ends of a strip have an extent
	strip := func(a, b uint32, ends int) { // a nearer the tail
		for i := range uint32(n) {
			j := (i + 1) % uint32(n)
			if ends&wide != 0 {
				index = append(index, a+i, b+j, a+j)
			}
			if ends&point != 0 {
				index = append(index, a+i, b+i, b+j)
			}
		}
	}
	strip(ring(0, 0, -1), ring(1, 0, -1), point)      // tail cap
	strip(ring(1, 0, 0), ring(1, 1, 0), wide|point)   // shaft
	strip(ring(1, 1, -1), ring(2, 1, -1), wide|point) // back of the head
	strip(ring(2, 1, 0.4), ring(0, 2, 0.4), wide)
	return verts, index
}

// addArrow leaves out arrows too short to have a direction.
func (sc *scene) addArrow(dst []float32, tail, shaft mgl64.Vec3, radius float64, c rgb, alpha float32) []float32 {
	if l := shaft.Len(); !(l > 1e-6*sc.size) || math.IsInf(l, 0) {
		return dst
	}
	return appendArrow(dst, tail, shaft, radius, c, alpha)
}

func appendArrow(dst []float32, tail, shaft mgl64.Vec3, radius float64, c rgb, alpha float32) []float32 {
	return append(dst,
		float32(tail[0]), float32(tail[1]), float32(tail[2]), float32(radius),
		float32(shaft[0]), float32(shaft[1]), float32(shaft[2]), 0,
		c[0], c[1], c[2], alpha)
}

// appendVertex adds one in the surfaces' layout, without field and cavity.
func appendVertex(dst []float32, p, n mgl64.Vec3) []float32 {
	return append(dst, float32(p[0]), float32(p[1]), float32(p[2]), 0, float32(n[0]), float32(n[1]), float32(n[2]), 0)
}

func appendPoint(dst []float32, p mgl64.Vec3, pixels float64, c rgb, shape float32) []float32 {
	return append(dst, float32(p[0]), float32(p[1]), float32(p[2]), float32(pixels), c[0], c[1], c[2], shape)
}

func appendLine(dst []float32, a, b mgl64.Vec3, pixels float64, c rgb, alpha float32) []float32 {
	return append(dst,
		float32(a[0]), float32(a[1]), float32(a[2]), float32(pixels),
		float32(b[0]), float32(b[1]), float32(b[2]), 0,
		c[0], c[1], c[2], alpha)
}

// addSpring draws a coil from a to b.
func (sc *scene) addSpring(a, b mgl64.Vec3, c rgb, alpha float32) {
	const turns, steps = 9, 14
	d := b.Sub(a)
	l := d.Len()
	if !(l > 0) {
		return
	}
	u := d.Mul(1 / l)
	v := perpendicular(u)
	w := u.Cross(v)
	coil := min(0.10*l, 0.035*sc.size)
	prev := a
	const n = turns * steps
	for i := 1; i <= n; i++ {
		t := float64(i) / n
		// Straight ends of a tenth, where the coil closes up.
		r := coil * min(1, 10*min(t, 1-t))
		sin, cos := math.Sincos(2 * math.Pi * turns * t)
		p := a.Add(u.Mul(l * t)).Add(v.Mul(r * cos)).Add(w.Mul(r * sin))
		sc.glyphs.lines = appendLine(sc.glyphs.lines, prev, p, 1.5, c, 0.85*alpha)
		prev = p
	}
}

// perpendicular is a unit vector at right angles to u.
func perpendicular(u mgl64.Vec3) mgl64.Vec3 {
	a := mgl64.Vec3{1, 0, 0}
	if math.Abs(u[0]) > 0.7 {
		a = mgl64.Vec3{0, 1, 0}
	}
	return u.Cross(a).Normalize()
}

// finite tells whether a vector can be drawn.
func finite(v mgl64.Vec3) bool {
	s := v[0] + v[1] + v[2]
	return s-s == 0
}

// buildContacts makes points, arrows and, for the selected contact, its cone.
func (sc *scene) buildContacts(s *physics.Frame, cam *Camera, opt *Options, vp Viewport) {
	top := 0.0
	for i := range s.Contacts {
		if f := s.Contacts[i].Force.Len(); f > top && !math.IsInf(f, 0) {
			top = f
		}
	}
	scale := opt.ForceScale
	if !(scale > 0) {
		scale = sc.forces.contacts.fit(top, 0.42*sc.size)
	}

	// Sizes that can be seen and aimed at, but do not run together where contacts are dense, and do not fill the screen
	// when the eye comes near.
	perMetre := float64(vp.Height) / (2 * math.Tan(cam.Fov/2) * max(cam.Distance, 1e-9)) / vp.scale() // design pixels
	spacing := contactSpacing(s.Contacts)
	radius := min(0.0105*sc.size, 0.15*spacing, 5/perMetre)
	radius = max(radius, 1.1/perMetre)
	dot := mgl64.Clamp(min(0.017*sc.size, 0.36*spacing)*perMetre, 2.4, 6.5) * vp.scale()
	rest := float32(1) // of opacity: the others give way to the contact that is looked at
	for i := range s.Contacts {
		if s.Contacts[i].ID == opt.Selected {
			rest = 0.25
		}
	}

	var middle mgl64.Vec3
	weight := 0.0
	for i := range s.Contacts {
		c := &s.Contacts[i]
		if !finite(c.P) {
			continue
		}
		if x, y, depth, ok := cam.project(c.P, vp.Width, vp.Height); ok {
			sc.pick = append(sc.pick, picked{x, y, depth, c.ID})
		}
		color := statusColor(c.Status)
		if opt.Points {
			shape := float32(shapeRing)
			switch c.Status {
			case physics.Stick:
				shape = shapeDisc
			case physics.Slip:
				shape = shapeDiamond
			}
			if c.ID == opt.Selected {
				sc.glyphs.points = appendPoint(sc.glyphs.points, c.P, 2.1*dot, resultantColor, shapeHalo)
			}
			sc.glyphs.points = appendPoint(sc.glyphs.points, c.P, dot, color, shape)
		}
		if opt.Normals && finite(c.N) {
			sc.glyphs.arrows = sc.addArrow(sc.glyphs.arrows, c.P, c.N.Mul(0.16*sc.size), 0.45*radius, normalColor, 0.9)
		}
		f := c.Force.Len()
		if !finite(c.Force) || f == 0 {
			continue
		}
		middle, weight = middle.Add(c.P.Mul(f)), weight+f
		if opt.Forces {
			if c.ID == opt.Selected {
				sc.glyphs.topArrows = sc.addArrow(sc.glyphs.topArrows, c.P, c.Force.Mul(scale), radius, color, 1)
			} else {
				sc.glyphs.arrows = sc.addArrow(sc.glyphs.arrows, c.P, c.Force.Mul(scale), radius, color, rest)
			}
			sc.forces.metresPerN[0] = scale
		}
		if c.ID == opt.Selected {
			sc.buildCone(c, scale, perMetre)
		}
	}
	for i := range s.Contacts { // a selected contact without force still shows its cone
		if c := &s.Contacts[i]; c.ID == opt.Selected && !sc.cone.shown && finite(c.P) {
			sc.buildCone(c, scale, perMetre)
		}
	}

	if opt.Resultant && finite(s.Force) && s.Force.Len() > 0 {
		at := s.Stylus.Position
		if weight > 0 {
			at = middle.Mul(1 / weight)
		}
		k := opt.ResultantScale
		if !(k > 0) {
			k = sc.forces.resultant.fit(s.Force.Len(), roomFor(at, s.Force, 0.75*sc.size, cam, vp))
		}
		thick := max(min(0.016*sc.size, 8/perMetre), 2*radius)
		sc.glyphs.arrows = sc.addArrow(sc.glyphs.arrows, at, s.Force.Mul(k), thick, resultantColor, rest)
		sc.forces.metresPerN[1] = k
	}
}

// roomFor is how long an arrow from at may be, at most most, with its tip in sight, m. Where even a short one leaves
// the picture there is no use in shortening it.
func roomFor(at, direction mgl64.Vec3, most float64, cam *Camera, vp Viewport) float64 {
	margin := 8 * vp.scale()
	unit := direction.Normalize()
	for l := most; l > 0.15*most; l *= 0.85 {
		x, y, _, ok := cam.project(at.Add(unit.Mul(l)), vp.Width, vp.Height)
		if ok && x > margin && y > margin && x < float64(vp.Width)-margin && y < float64(vp.Height)-margin {
			return l
		}
	}
	return most
}

// contactSpacing is about how far apart contacts lie that cover a round patch.
func contactSpacing(c []physics.Contact) float64 {
	var middle mgl64.Vec3
	n := 0.0
	for i := range c {
		if finite(c[i].P) {
			middle, n = middle.Add(c[i].P), n+1
		}
	}
	if n < 2 {
		return math.Inf(1)
	}
	middle = middle.Mul(1 / n)
	sum := 0.0
	for i := range c {
		if d := c[i].P.Sub(middle); finite(d) {
			sum += d.Dot(d)
		}
	}
	// A uniform disc of radius R has a mean square distance of R^2/2 from its middle, and the area pi R^2 is shared by
	// n contacts.
	return math.Sqrt(2 * math.Pi * sum / n / n)
}

// coneSides is the number of flat sides that stand for a round cone.
const coneSides = 48

// coneTris index the vertices that buildCone makes: 0 apex ring, 1 rim.
func coneTris() (t []uint32) {
	for i := range uint32(coneSides) {
		j := (i + 1) % coneSides
		t = append(t, i, coneSides+j, coneSides+i) // side, seen from outside
	}
	return t
}

// buildCone shows Coulomb's cone of a contact, |r_t| <= mu r_n, with its apex at P and as tall as the normal force, so
// that the force arrow ends in its mouth: inside the rim when the contact sticks, on it when it slips.
func (sc *scene) buildCone(c *physics.Contact, scale, perMetre float64) {
	if !finite(c.N) || !finite(c.T1) || !finite(c.T2) || !(c.Mu >= 0) {
		return
	}
	h := c.R[0] * scale
	if !(h > 0.08*sc.size) {
		h = 0.08 * sc.size
	}
	r := c.Mu * h
	sc.cone.shown = true
	sc.cone.color = rgb{0.80, 0.88, 1.0}
	if c.Status == physics.Slip {
		sc.cone.color = rgb{1.0, 0.78, 0.40}
	}
	sc.cone.verts = sc.cone.verts[:0]
	top := c.P.Add(c.N.Mul(h))
	slope := mgl64.Vec2{h, -r}.Normalize() // outward and axial part of the side's normal
	for half := range 2 {
		for i := range coneSides {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / coneSides)
			out := c.T1.Mul(cos).Add(c.T2.Mul(sin))
			n := out.Mul(slope[0]).Add(c.N.Mul(slope[1]))
			p := c.P
			if half == 1 {
				p = top.Add(out.Mul(r))
			}
			sc.cone.verts = appendVertex(sc.cone.verts, p, n)
		}
	}
	// Rim, axis, tangents with arrow heads, and the tangential force in the mouth.
	rim := sc.cone.color
	var prev mgl64.Vec3
	for i := range coneSides + 1 {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / coneSides)
		p := top.Add(c.T1.Mul(r * cos)).Add(c.T2.Mul(r * sin))
		if i > 0 {
			sc.glyphs.topLines = appendLine(sc.glyphs.topLines, prev, p, 1.6, rim, 0.95)
		}
		prev = p
	}
	t := max(0.10*sc.size, 0.8*r)
	thin := min(0.006*sc.size, 2/perMetre)
	for i, v := range [3]mgl64.Vec3{c.N.Mul(max(0.12*sc.size, 1.2*h)), c.T1.Mul(t), c.T2.Mul(t)} {
		sc.glyphs.topArrows = sc.addArrow(sc.glyphs.topArrows, c.P, v, thin, frameColors[i], 1)
		sc.cone.ends[i] = c.P.Add(v.Mul(1.06))
	}
	if ft := c.T1.Mul(c.R[1]).Add(c.T2.Mul(c.R[2])); ft.Len() > 0 && c.R[0] > 0 {
		sc.glyphs.topLines = appendLine(sc.glyphs.topLines, top, top.Add(ft.Mul(h/c.R[0])), 2.2, statusColor(c.Status), 1)
	}
}

// buildFixed marks the nodes that cannot move; on solid bodies only those that the eye could see.
func (sc *scene) buildFixed(cam *Camera, opt *Options, vp Viewport) {
	size := float32(2.6 * vp.scale())
	eye := cam.Eye()
	for b, f := range sc.surfaces {
		fixed := sc.info[b].Fixed
		v := opt.body(b)
		if v.Hidden || len(fixed) == 0 || sc.mounts.held[b] {
			continue
		}
		solid := v.Mode == Shaded || v.Mode == Edges
		for i, n := range f.node {
			if int(n) >= len(fixed) || !fixed[n] {
				continue
			}
			o := f.verts[vertexFloats*i:][:vertexFloats]
			if solid {
				facing := (eye[0]-float64(o[0]))*float64(o[4]) + (eye[1]-float64(o[1]))*float64(o[5]) + (eye[2]-float64(o[2]))*float64(o[6])
				if facing <= 0 {
					continue
				}
			} else if f.vertexOf[n] != int32(i) {
				continue // the node's other vertices lie in the same place
			}
			sc.glyphs.marks = append(sc.glyphs.marks, o[0], o[1], o[2], size, fixedColor[0], fixedColor[1], fixedColor[2], shapeSquare)
		}
	}
}

// buildAxes makes the three arrows of the corner triad, of length 1.
func (sc *scene) buildAxes(vp Viewport) {
	plate := rgb(bottomColor[:3]) // behind them, it keeps them readable over any body
	sc.glyphs.plate = appendPoint(sc.glyphs.plate, mgl64.Vec3{}, triadPixels*vp.scale()/2-2, plate, shapePlate)
	for i, c := range axisColors {
		var d mgl64.Vec3
		d[i] = 1
		sc.glyphs.axes = appendArrow(sc.glyphs.axes, mgl64.Vec3{}, d, 0.06, c, 1)
	}
}

// Pick finds the contact of the last Draw nearest to pixel (x, y) of its viewport (origin upper left), at most within
// pixels away; among contacts equally near on the screen, the one nearest to the eye. id is the ContactState.ID to put
// into Options.Selected.
func (r *Renderer) Pick(x, y, within float64) (id uint64, ok bool) {
	return r.scene.pickAt(x, y, within)
}

func (sc *scene) pickAt(x, y, within float64) (id uint64, ok bool) {
	best, bestDepth := within, math.Inf(1)
	for i := range sc.pick {
		p := &sc.pick[i]
		d := math.Hypot(p.x-x, p.y-y)
		if d < best-0.5 || d <= best+0.5 && d <= within && p.depth < bestDepth {
			best, bestDepth, id, ok = d, p.depth, p.id, true
		}
	}
	return id, ok
}
