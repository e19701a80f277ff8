package render

import (
	"github.com/go-gl/gl/v3.3-core/gl"
	"github.com/go-gl/mathgl/mgl64"
)

// edge joins two triangles of a mesh: ka is the place in triangle ta where it starts, likewise kb in tb. tb is -1 on a
// border.
type edge struct {
	ta, ka, tb, kb int32
}

// pairEdges lists the edges of a triangle mesh, each once, in the order of their first triangle.
func pairEdges(tris [][3]int32) []edge {
	edges := make([]edge, 0, 3*len(tris)/2+1)
	at := make(map[[2]int32]int, 3*len(tris)/2)
	for t, tri := range tris {
		for k := range int32(3) {
			a, b := tri[k], tri[(k+1)%3]
			key := [2]int32{min(a, b), max(a, b)}
			if i, seen := at[key]; seen && edges[i].tb < 0 {
				edges[i].tb, edges[i].kb = int32(t), k
				continue
			}
			at[key] = len(edges) // a third triangle on an edge starts another
			edges = append(edges, edge{ta: int32(t), ka: k, tb: -1})
		}
	}
	return edges
}

// outline smooths the outlines of a mesh where multisampling is too dear: it finds the edges between triangles that
// face the eye and triangles that do not, and a ribbon one pixel wide along each of them, outward, carries the
// surface's own shading and fades out. Few edges are on the outline, so this costs next to nothing.
type outline struct {
	edges  []edge
	facing []bool
}

func newOutline(tris [][3]int32) outline {
	return outline{edges: pairEdges(tris), facing: make([]bool, len(tris))}
}

// ribbonFloats an instance: position, stress, normal and cavity of both ends, then the third corner of the triangle
// that faces the eye, and a spare.
const ribbonFloats = 2*vertexFloats + 4

// append adds the ribbons that an eye at the given point needs. verts and tri are in the surfaces' layout; eye is in
// the frame of verts.
func (o *outline) append(dst, verts []float32, tri []uint32, eye mgl64.Vec3) []float32 {
	ex, ey, ez := float32(eye[0]), float32(eye[1]), float32(eye[2])
	for t := range o.facing {
		a := verts[vertexFloats*tri[3*t]:][:3]
		b := verts[vertexFloats*tri[3*t+1]:][:3]
		c := verts[vertexFloats*tri[3*t+2]:][:3]
		ux, uy, uz := b[0]-a[0], b[1]-a[1], b[2]-a[2]
		wx, wy, wz := c[0]-a[0], c[1]-a[1], c[2]-a[2]
		o.facing[t] = (uy*wz-uz*wy)*(ex-a[0])+(uz*wx-ux*wz)*(ey-a[1])+(ux*wy-uy*wx)*(ez-a[2]) > 0
	}
	for i := range o.edges {
		e := &o.edges[i]
		t, k := e.ta, e.ka
		if e.tb < 0 || o.facing[t] == o.facing[e.tb] {
			continue
		}
		if !o.facing[t] {
			t, k = e.tb, e.kb
		}
		dst = append(dst, verts[vertexFloats*tri[3*t+k]:][:vertexFloats]...)
		dst = append(dst, verts[vertexFloats*tri[3*t+(k+1)%3]:][:vertexFloats]...)
		dst = append(dst, verts[vertexFloats*tri[3*t+(k+2)%3]:][:4]...)
	}
	return dst
}

// ribbons holds the outlines of a frame, one run for each body and pen part.
type ribbons struct {
	data  []float32
	runs  []int32 // start of each run in instances; one more at the end
	parts [len(handleParts)]outline
	on    bool // multisampling does not do the work
}

// buildOutlines collects the ribbons of what is drawn solid.
func (sc *scene) buildOutlines(cam *Camera, opt *Options) {
	o := &sc.outlines
	o.data, o.runs = o.data[:0], o.runs[:0]
	if !o.on {
		return
	}
	eye := cam.Eye()
	for i, f := range sc.surfaces {
		o.runs = append(o.runs, int32(len(o.data)/ribbonFloats))
		if opt.shows(i, Shaded) || opt.shows(i, Edges) {
			o.data = f.outline.append(o.data, f.verts, f.tri, eye)
		}
	}
	for k := range o.parts {
		o.runs = append(o.runs, int32(len(o.data)/ribbonFloats))
		if sc.handle.shown {
			tris := sc.handle.tris[sc.handle.ends[k]:sc.handle.ends[k+1]]
			o.data = o.parts[k].append(o.data, sc.handle.verts, tris, sc.handle.back.Mul4x1(eye.Vec4(1)).Vec3())
		}
	}
	o.runs = append(o.runs, int32(len(o.data)/ribbonFloats))
}

// drawOutlines draws them. Blending is on, depth writes are off.
func (r *Renderer) drawOutlines(opt *Options) {
	sc := &r.scene
	o := &sc.outlines
	if len(o.data) == 0 {
		return
	}
	gl.UseProgram(r.prog.ribbon.id)
	gl.BindTexture(gl.TEXTURE_2D, r.colorMap)
	r.setModel(&r.prog.ribbon, mgl64.Ident4())
	for i := range r.bodies {
		if r.cut(i, opt) {
			continue // of what is cut off, too
		}
		r.drawRibbons(&sc.looks[i], r.fieldOf(i, opt), i)
	}
	r.setModel(&r.prog.ribbon, sc.handle.pose)
	for k := range handleParts {
		r.drawRibbons(&handleParts[k].look, 0, len(r.bodies)+k)
	}
}

func (r *Renderer) drawRibbons(l *look, stress float32, run int) {
	start, end := r.scene.outlines.runs[run], r.scene.outlines.runs[run+1]
	if start == end {
		return
	}
	r.setLook(&r.prog.ribbon, l, stress, 1, 0)
	r.glyphs.ribbons.drawRun(start, end)
}
