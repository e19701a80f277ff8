package render

import (
	"math"
	"slices"
	"unsafe"

	"github.com/go-gl/gl/v3.3-core/gl"
	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
	"hapco/physics/frame"
)

// What a frame shows besides surfaces: balls, rigid bodies, lines and arrows.

// balls are a frame's points as the instances of a batch: both are eight floats.
func balls(points []physics.Point) []float32 {
	if len(points) == 0 {
		return nil
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(&points[0])), pointFloats*len(points))
}

// The layout that balls relies on: this does not compile where it is another.
var _ [pointFloats * 4]byte = [unsafe.Sizeof(physics.Point{})]byte{}

func sRGB(c mgl64.Vec3) rgb { return rgb{float32(c[0]), float32(c[1]), float32(c[2])} }

// buildThings adds a frame's own lines and arrows.
func (sc *scene) buildThings(s *physics.Frame) {
	points := s.Points
	look, ok := grainKinds[s.Grains]
	if ok = ok && len(points) > 0 && len(points) <= mostGrains; ok {
		points = sc.things.neighbours.build(points, look.swell)
	}
	sc.things.grains = look.kind
	sc.things.balls, sc.things.instances = balls(points), s.Instances
	if inRange(s.Triangles, len(s.Vertices)) {
		sc.things.vertices, sc.things.triangles = s.Vertices, s.Triangles
	}
	for i := range s.Lines {
		if l := &s.Lines[i]; finite(l.A) && finite(l.B) {
			sc.glyphs.lines = appendLine(sc.glyphs.lines, l.A, l.B, 1.6, sRGB(l.Color), 1)
		}
	}
	for i := range s.Arrows {
		if a := &s.Arrows[i]; finite(a.At) && finite(a.Vector) {
			sc.glyphs.arrows = sc.addArrow(sc.glyphs.arrows, a.At, a.Vector, 0.008*sc.size, sRGB(a.Color), 1)
		}
	}
}

// inRange tells whether every corner of the triangles is one of n vertices.
func inRange(triangles [][3]uint32, n int) bool {
	most := uint32(0)
	for i := range triangles {
		t := &triangles[i]
		most = max(most, t[0], t[1], t[2])
	}
	return int(most) < n
}

// loose is the GPU part of a frame's own triangles.
type loose struct {
	elements
	verts, index uint32
}

func (r *Renderer) initLoose() {
	l := &r.loose
	l.verts, l.index = r.own.buffer(), r.own.buffer()
	l.vao = r.own.vertexArray(l.verts, 3, 3)
	gl.BindBuffer(gl.ELEMENT_ARRAY_BUFFER, l.index)
	gl.BindVertexArray(0)
}

func (l *loose) upload(v []physics.Vertex, t [][3]uint32) {
	l.count = int32(3 * len(t))
	if l.count == 0 {
		return
	}
	gl.BindVertexArray(l.vao) // the index buffer is part of it
	gl.BindBuffer(gl.ARRAY_BUFFER, l.verts)
	gl.BufferData(gl.ARRAY_BUFFER, len(v)*int(unsafe.Sizeof(v[0])), unsafe.Pointer(&v[0]), gl.STREAM_DRAW)
	gl.BufferData(gl.ELEMENT_ARRAY_BUFFER, len(t)*int(unsafe.Sizeof(t[0])), unsafe.Pointer(&t[0]), gl.STREAM_DRAW)
	gl.BindVertexArray(0)
}

// rigidShape is the GPU part of a shape.
type rigidShape struct {
	solid
	kind float32    // its place among physics.ShapeMaterials
	half [3]float32 // half its edges, in radii
}

// buildShapes makes the GPU part of the rigid shapes, once a scene.
func (r *Renderer) buildShapes() {
	for i := range r.scene.shapes {
		shape := &r.scene.shapes[i]
		f := newSurface(shape.Triangles, shape.Vertices)
		f.update(&physics.Surface{Vertices: shape.Vertices}, 0, 0)
		m := &rigidShape{solid: newSolid(&r.ofScene, f.verts, f.tri), kind: float32(max(0, slices.Index(physics.ShapeMaterials, shape.Material)))}
		reach := frame.Reach(shape.Vertices)
		lo, hi, _ := Bounds(&physics.Frame{Surfaces: []physics.Surface{{Vertices: shape.Vertices}}}, nil)
		places := make([]float32, 0, 3*len(f.node)) // of its vertices, in radii of it
		for _, n := range f.node {
			for a, x := range shape.Vertices[n].Sub(lo.Add(hi).Mul(0.5)) {
				places = append(places, float32(x/reach))
				m.half[a] = float32((hi[a] - lo[a]) / 2 / reach)
			}
		}
		gl.BindVertexArray(m.vao)
		buffer(&r.ofScene, gl.ARRAY_BUFFER, places)
		attribute(2, 3, 3, 0, 0)
		gl.BindVertexArray(0)
		r.shapes = append(r.shapes, m)
	}
}

// drawThings draws balls and rigid bodies. The surface program is in use before and after, with the identity as its
// model.
func (r *Renderer) drawThings(vp Viewport) {
	if len(r.scene.things.instances) > 0 {
		for _, plain := range [2]bool{true, false} {
			p := &r.prog.surface
			if !plain {
				p = &r.prog.solid
				gl.UseProgram(p.id)
			}
			r.eachInstance(p, func(i int, in *physics.Instance) bool {
				m := r.shapes[in.Shape]
				if (m.kind == 0) != plain {
					return false
				}
				l := newLook(&physics.SurfaceInfo{Rigid: true, Color: in.Color})
				if !plain {
					l.gloss, l.specular, l.metal, l.bleed = 20, 0.08, 0, 0.1
					_, own := math.Modf(float64(i+1) * math.Phi)
					gl.Uniform2f(p.at[uSolid], m.kind, float32(own))
					gl.Uniform3f(p.at[uHalf], m.half[0], m.half[1], m.half[2])
				}
				r.setLook(p, &l, 0, 1, 0)
				return true
			})
		}
		gl.UseProgram(r.prog.surface.id)
		r.setModel(&r.prog.surface, mgl64.Ident4())
	}
	if r.loose.count > 0 {
		gl.UseProgram(r.prog.loose.id)
		r.loose.draw()
		gl.UseProgram(r.prog.surface.id)
	}
	r.drawBalls(vp)
}

// eachInstance draws the rigid bodies with the program in use, p; before each, where it is given, prepares the rest and
// tells whether to draw it.
func (r *Renderer) eachInstance(p *program, before func(i int, in *physics.Instance) bool) {
	for i := range r.scene.things.instances {
		in := &r.scene.things.instances[i]
		if int(in.Shape) >= len(r.shapes) || in.Shape < 0 || before != nil && !before(i, in) {
			continue
		}
		r.setModel(p, poseMatrix(in.Pose))
		r.shapes[in.Shape].draw()
	}
}
