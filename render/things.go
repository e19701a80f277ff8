package render

import (
	"unsafe"

	"github.com/go-gl/gl/v3.3-core/gl"
	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
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
	sc.balls, sc.instances = balls(s.Points), s.Instances
	for i := range s.Lines {
		if l := &s.Lines[i]; finite(l.A) && finite(l.B) {
			sc.lines = appendLine(sc.lines, l.A, l.B, 1.6, sRGB(l.Color), 1)
		}
	}
	for i := range s.Arrows {
		if a := &s.Arrows[i]; finite(a.At) && finite(a.Vector) {
			sc.arrows = sc.addArrow(sc.arrows, a.At, a.Vector, 0.008*sc.size, sRGB(a.Color), 1)
		}
	}
}

// buildShapes makes the GPU part of the rigid shapes, once a scene.
func (r *Renderer) buildShapes() {
	for i := range r.scene.shapes {
		shape := &r.scene.shapes[i]
		f := newSurface(shape.Triangles, shape.Vertices)
		f.update(&physics.Surface{Vertices: shape.Vertices}, 0)
		m := new(solid)
		m.upload(f.verts, f.tri)
		r.shapes = append(r.shapes, m)
	}
}

// drawThings draws balls and rigid bodies. The surface program is in use before and
// after, with the identity as its model.
func (r *Renderer) drawThings() {
	for i := range r.scene.instances {
		in := &r.scene.instances[i]
		if int(in.Shape) >= len(r.shapes) || in.Shape < 0 {
			continue
		}
		l := newLook(&physics.SurfaceInfo{Rigid: true, Color: in.Color})
		r.setLook(&r.loc.surface, &l, 0, 1, 0)
		r.setModel(poseMatrix(in.Pose))
		r.shapes[in.Shape].draw()
	}
	if len(r.scene.instances) > 0 {
		r.setModel(mgl64.Ident4())
	}
	if r.balls.count > 0 {
		gl.UseProgram(r.ballProg.id)
		r.balls.draw()
		gl.UseProgram(r.surfaceProg.id)
	}
}
