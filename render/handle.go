package render

import (
	"math"

	"github.com/go-gl/gl/v3.3-core/gl"
	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
)

// handlePart is a stretch of the pen's profile of one material: lengths along the axis as parts of the pen's length,
// radii as parts of its largest radius.
type handlePart struct {
	look    look
	profile [][2]float64 // along the axis, radius
}

var (
	steel  = look{albedo: [3]float32{0.56, 0.58, 0.61}, gloss: 160, specular: 0.6, metal: 0.8}
	rubber = look{albedo: [3]float32{0.030, 0.033, 0.040}, gloss: 34, specular: 0.35}
	accent = look{albedo: [3]float32{0.02, 0.28, 0.42}, gloss: 90, specular: 0.5}
)

// handleParts is the pen from tip to end: a slim steel rod, a collar, the grip with a coloured ring, and a rounded end.
var handleParts = [...]handlePart{
	{steel, [][2]float64{{0, 0.30}, {0.26, 0.30}, {0.30, 0.46}, {0.315, 0.62}, {0.33, 0.66}, {0.345, 0.66}}},
	{accent, [][2]float64{{0.345, 0.74}, {0.35, 0.78}, {0.375, 0.80}, {0.38, 0.78}}},
	{rubber, [][2]float64{{0.38, 0.70}, {0.41, 0.84}, {0.48, 0.95}, {0.60, 1.0}, {0.75, 0.97}, {0.90, 0.88}, {0.955, 0.80}, {0.985, 0.58}, {1.0, 0.0}}},
}

const handleSides = 20

// buildHandle makes the pen for a rigid driven body small enough to be the tip of a tool: its axis starts on the far
// side of the body, up the stylus's own y.
func (sc *scene) buildHandle(s *physics.Frame) {
	axis := mgl64.Vec3{0, 1, 0}
	lo, hi := math.Inf(1), math.Inf(-1)
	var middle mgl64.Vec3
	n := 0
	for _, i := range sc.driven {
		if !sc.info[i].Rigid {
			return
		}
		for _, x := range s.Surfaces[i].Vertices {
			p := s.Stylus.InversePoint(x)
			lo, hi = min(lo, p.Dot(axis)), max(hi, p.Dot(axis))
			middle, n = middle.Add(p), n+1
		}
	}
	if n == 0 {
		return
	}
	middle = middle.Mul(1 / float64(n)) // from here on only across the axis
	middle = middle.Sub(axis.Mul(middle.Dot(axis)))
	u := perpendicular(axis)
	v := axis.Cross(u)
	wide := 0.0
	for _, i := range sc.driven {
		for _, x := range s.Surfaces[i].Vertices {
			d := s.Stylus.InversePoint(x).Sub(middle)
			wide = max(wide, math.Hypot(d.Dot(u), d.Dot(v)))
		}
	}
	if wide > 0.35*sc.size {
		return // a block or a plate, not a tool's tip
	}
	// The tip is taken for round; the pen leaves the body at its far end, as deep inside as the body is wide, which is
	// the middle of a ball.
	sc.probe.tipRadius = wide
	sc.probe.tip = middle.Add(axis.Mul(lo + min(wide, 0.5*(hi-lo))))
	base := middle.Add(axis.Mul(hi - min(wide, 0.5*(hi-lo))))
	length := max(1.15*sc.size, 6*wide)
	radius := min(max(0.9*wide, 0.030*sc.size), 0.05*length)
	sc.handle.grip = base.Add(axis.Mul(0.36 * length))

	for k := range handleParts {
		sc.handle.ends[k] = int32(len(sc.handle.tris))
		p := handleParts[k].profile
		for i, q := range p {
			// Slope of the profile at this ring, from its neighbours.
			a, b := p[max(i-1, 0)], p[min(i+1, len(p)-1)]
			du, dr := (b[0]-a[0])*length, (b[1]-a[1])*radius
			l := math.Hypot(du, dr)
			for j := range handleSides {
				sin, cos := math.Sincos(2 * math.Pi * float64(j) / handleSides)
				out := u.Mul(cos).Add(v.Mul(sin))
				x := base.Add(axis.Mul(q[0] * length)).Add(out.Mul(q[1] * radius))
				nrm := out.Mul(du / l).Sub(axis.Mul(dr / l))
				sc.handle.verts = appendVertex(sc.handle.verts, x, nrm)
				if i == 0 {
					continue
				}
				top := uint32(len(sc.handle.verts)/vertexFloats - 1)
				next := top + 1
				if j == handleSides-1 {
					next -= handleSides
				}
				// u, v, axis are right-handed: counter-clockwise from outside.
				sc.handle.tris = append(sc.handle.tris,
					top-handleSides, next-handleSides, next,
					top-handleSides, next, top)
			}
		}
	}
	sc.handle.ends[len(handleParts)] = int32(len(sc.handle.tris))
	for k := range handleParts {
		flat := sc.handle.tris[sc.handle.ends[k]:sc.handle.ends[k+1]]
		tris := make([][3]int32, len(flat)/3)
		for t := range tris {
			tris[t] = [3]int32{int32(flat[3*t]), int32(flat[3*t+1]), int32(flat[3*t+2])}
		}
		sc.outlines.parts[k] = newOutline(tris)
	}
}

// solid is a small mesh in the surfaces' vertex layout.
type solid struct {
	elements
	verts stream
}

// newSolid makes one; its vertices may be others later.
func newSolid(h *holdings, verts []float32, tris []uint32) solid {
	m := solid{verts: stream{id: h.buffer()}}
	m.verts.upload(verts)
	m.elements = elements{h.vertexArray(m.verts.id, 4, 4), int32(len(tris))}
	buffer(h, gl.ELEMENT_ARRAY_BUFFER, tris)
	gl.BindVertexArray(0)
	return m
}

// drawPart draws the triangles from index start to end.
func (m *solid) drawPart(start, end int32) {
	gl.BindVertexArray(m.vao)
	gl.DrawElementsWithOffset(gl.TRIANGLES, end-start, gl.UNSIGNED_INT, uintptr(4*start))
}
