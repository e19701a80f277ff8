package render

import (
	"fmt"
	"unsafe"

	"github.com/go-gl/gl/v3.3-core/gl"

	"hapco/physics"
)

// Renderer draws snapshots into the current OpenGL context. Every method is for the thread that the context is current
// on.
type Renderer struct {
	info   glInfo
	scene  scene
	bodies []*bodyBuffers

	// prog is the shader programs, see programs.
	prog struct {
		surface, tissue, ghost, solid, wire, back, ground, grid program
		ribbon                                                  program
		arrow, point, line, ball, sprite, loose                 program
		shadow, blur, text                                      program
	}

	// uniforms of a frame, and of the triad in its corner; on their own: cgo refuses memory that also holds Go pointers.
	uniforms struct {
		frame, triad       *frameBlock
		frameBuf, triadBuf uint32
	}

	// glyphs are the scene's.
	glyphs struct {
		arrows, points, marks, lines batch
		axes, plate                  batch
		topArrows, topLines, ribbons batch
	}

	empty                uint32 // vertex array without attributes
	colorMap             uint32 // texture of colorMap
	balls                batch
	clumps               clumps
	shapes               []*rigidShape
	loose                loose
	handle, cone, mounts solid
	shadow               shadowMap
	backdrop             backdrop
	text                 text

	own, ofScene holdings // what lives as long as the renderer, and as a scene

	ints  [4]int32 // for queries: cgo arguments that live on the stack would move to the heap
	mat   [16]float32
	aside target // see beginAside
}

// bodyBuffers is the GPU part of a body.
type bodyBuffers struct {
	elements
	verts   stream
	texels  uint32 // verts as a buffer texture, for the mesh
	wireVAO uint32
	stale   bool // verts are not those of the surface
}

// New prepares everything that does not depend on a scene. A context has to be current. The error names the OpenGL
// found where it is too old.
func New() (*Renderer, error) {
	info, err := load()
	if err != nil {
		return nil, err
	}
	r := &Renderer{info: info}
	r.uniforms.frame, r.uniforms.triad = new(frameBlock), new(frameBlock)
	if err := r.link(); err != nil {
		r.Close()
		return nil, err
	}
	r.empty, r.uniforms.frameBuf, r.uniforms.triadBuf = r.own.array(), r.own.buffer(), r.own.buffer()
	r.colorMap = r.own.texture()
	Fill(r.colorMap, gl.RGB8, len(colorMap), 1, gl.RGB, gl.UNSIGNED_BYTE, unsafe.Pointer(&colorMap[0]), gl.LINEAR)
	matterTexture(&r.own)
	r.backdrop.fbo, r.backdrop.tex = r.own.framebuffer(), r.own.texture()
	r.cone = newSolid(&r.own, nil, coneTris())
	r.initBatches()
	r.initText()
	r.initLoose()
	r.scene.outlines.on = info.Software
	r.initShadow()
	return r, nil
}

// source is what a program is made of.
type source struct {
	to         *program
	vert, frag string
	uniforms   []uniform
}

// programs are all that there are.
func (r *Renderer) programs() []source {
	return []source{
		{&r.prog.surface, "surface.vert", "surface.frag", []uniform{uModel, uColor, uLook, uKind, uMap}},
		{&r.prog.tissue, "surface.vert", "surface.frag+TISSUE", []uniform{uModel, uColor, uLook, uKind, uTissue}},
		{&r.prog.ghost, "surface.vert", "surface.frag+GHOST", []uniform{uModel, uColor}},
		{&r.prog.wire, "wire.vert", "surface.frag+WIRE", []uniform{uVertices, uColor, uLook, uKind, uMap, uWire, uLines}},
		{&r.prog.solid, "surface.vert+SOLID", "surface.frag+SOLID", []uniform{uModel, uColor, uLook, uKind, uTissue,
			uSolid, uHalf}},
		{&r.prog.ribbon, "ribbon.vert", "surface.frag+RIBBON", []uniform{uModel, uColor, uLook, uKind, uMap}},
		{&r.prog.back, "background.vert", "background.frag", nil},
		{&r.prog.ground, "ground.vert", "ground.frag", []uniform{uMap}},
		{&r.prog.grid, "grid.vert", "grid.frag", []uniform{uLines}},
		{&r.prog.arrow, "arrow.vert", "arrow.frag", []uniform{uAlpha}},
		{&r.prog.point, "point.vert", "point.frag", []uniform{uAlpha}},
		{&r.prog.line, "line.vert", "line.frag", []uniform{uAlpha}},
		{&r.prog.ball, "ball.vert+GRAINS", "ball.frag+GRAINS", []uniform{uGrains, uTissue}},
		{&r.prog.sprite, "sprite.vert+GRAINS", "sprite.frag+GRAINS", []uniform{uPixels, uGrains, uTissue}},
		{&r.prog.loose, "loose.vert", "loose.frag", nil},
		{&r.prog.shadow, "shadow.vert", "shadow.frag", []uniform{uModel, uBalls}},
		{&r.prog.blur, "background.vert", "blur.frag", []uniform{uMap, uStep}},
		{&r.prog.text, "text.vert", "text.frag", []uniform{uMap, uSize}},
	}
}

func (r *Renderer) link() (err error) {
	for _, e := range r.programs() {
		if *e.to, err = newProgram(e.vert, e.frag, e.uniforms...); err != nil {
			return err
		}
	}
	// Texture units never change: 0 for images, 1 for the mesh's vertices, matterUnit.
	gl.UseProgram(r.prog.wire.id)
	gl.Uniform1i(r.prog.wire.at[uVertices], 1)
	for _, p := range [...]*program{&r.prog.tissue, &r.prog.solid, &r.prog.ball, &r.prog.sprite} {
		gl.UseProgram(p.id)
		gl.Uniform1i(p.at[uTissue], matterUnit)
	}
	gl.UseProgram(0)
	return nil
}

// SetScene announces the world of the frames to come. Its first frame decides where edges are sharp and how large the
// grid's cells are. The slices of info are kept, not copied.
func (r *Renderer) SetScene(info *physics.Info) error {
	for i := range info.Surfaces {
		b := &info.Surfaces[i]
		if len(b.Triangles) == 0 {
			return fmt.Errorf("render: body %q has no surface triangles: nothing of it could be drawn; extract the surface of its mesh first", b.Name)
		}
	}
	r.ofScene.release()
	r.bodies, r.shapes = nil, nil
	r.scene.reset(info)
	r.shadow.age, r.shadow.hidden = -1, make([]bool, len(info.Surfaces))
	return nil
}

// Close frees what the renderer holds in the context.
func (r *Renderer) Close() {
	r.ofScene.release()
	for _, e := range r.programs() {
		gl.DeleteProgram(e.to.id)
		*e.to = program{}
	}
	r.own.release()
	r.aside.delete()
}

// buildBodies makes the GPU part of the surfaces that the first snapshot of a scene has just defined.
func (r *Renderer) buildBodies() {
	h := &r.ofScene
	for _, s := range r.scene.surfaces {
		b := &bodyBuffers{verts: stream{id: h.buffer()}, texels: h.texture()}
		b.verts.upload(s.verts)
		b.elements = elements{h.vertexArray(b.verts.id, 4, 4), int32(len(s.tri))}
		buffer(h, gl.ARRAY_BUFFER, s.matter)
		attribute(2, 4, 4, 0, 0)
		buffer(h, gl.ELEMENT_ARRAY_BUFFER, s.tri)
		b.wireVAO = h.vertexArray(buffer(h, gl.ARRAY_BUFFER, s.corner), 1, 3)
		gl.BindVertexArray(0)
		gl.BindTexture(gl.TEXTURE_BUFFER, b.texels)
		gl.TexBuffer(gl.TEXTURE_BUFFER, gl.RGBA32F, b.verts.id)
		r.bodies = append(r.bodies, b)
	}
	r.buildShapes()
	if len(r.scene.mounts.verts) > 0 {
		r.mounts = newSolid(h, r.scene.mounts.verts, r.scene.mounts.tris)
	}
	if len(r.scene.handle.verts) > 0 {
		r.handle = newSolid(h, r.scene.handle.verts, r.scene.handle.tris)
	}
}

// Draw fills vp of the framebuffer that is bound for drawing with a picture of s. Frames whose surfaces do not match
// SetScene's are ignored (the picture of a scene change).
func (r *Renderer) Draw(s *physics.Frame, cam *Camera, opt *Options, vp Viewport) {
	if vp.Width <= 0 || vp.Height <= 0 {
		return
	}
	fresh := r.scene.build(s, cam, opt, vp)
	if fresh {
		r.buildBodies()
	}
	gl.GetIntegerv(gl.DRAW_FRAMEBUFFER_BINDING, &r.ints[0])
	out := uint32(r.ints[0])

	r.upload(cam, opt, vp)
	shadow := opt.Shadow && opt.Ground && r.scene.ready && r.drawShadow(opt)
	r.drawBackdrop(s, cam, opt, vp, shadow)
	aside := r.beginAside(out, vp)
	if aside {
		r.backdrop.show(r.aside.fbo, 0, 0)
	} else {
		gl.BindFramebuffer(gl.FRAMEBUFFER, out)
		r.backdrop.show(out, int32(vp.X), int32(vp.Y))
		gl.Viewport(int32(vp.X), int32(vp.Y), int32(vp.Width), int32(vp.Height))
		gl.Enable(gl.SCISSOR_TEST)
		gl.Scissor(int32(vp.X), int32(vp.Y), int32(vp.Width), int32(vp.Height))
	}
	r.draw(cam, opt, vp, aside)
	if aside {
		r.endAside(out, vp)
	}
	r.drawText(vp)

	disable(gl.SCISSOR_TEST, gl.BLEND, gl.DEPTH_TEST, gl.CULL_FACE)
	gl.BindVertexArray(0)
	gl.UseProgram(0)
	gl.ActiveTexture(gl.TEXTURE0)
}

// upload sends this frame's data to the GPU.
func (r *Renderer) upload(cam *Camera, opt *Options, vp Viewport) {
	sc := &r.scene
	for i, b := range r.bodies {
		if b.stale = b.stale || sc.changed[i]; b.stale && !opt.body(i).Hidden {
			b.verts.upload(sc.surfaces[i].verts)
			b.stale = false
		}
	}
	r.glyphs.arrows.upload(sc.glyphs.arrows)
	r.glyphs.points.upload(sc.glyphs.points)
	r.glyphs.marks.upload(sc.glyphs.marks)
	r.glyphs.lines.upload(sc.glyphs.lines)
	r.glyphs.axes.upload(sc.glyphs.axes)
	r.glyphs.plate.upload(sc.glyphs.plate)
	r.glyphs.topArrows.upload(sc.glyphs.topArrows)
	r.glyphs.topLines.upload(sc.glyphs.topLines)
	r.balls.upload(sc.things.balls)
	r.clumps.sort(sc.things.balls, cam)
	r.loose.upload(sc.things.vertices, sc.things.triangles)
	r.glyphs.ribbons.upload(sc.outlines.data)
	r.cone.verts.upload(sc.cone.verts)
	r.uniforms.frame.set(cam, sc, opt, vp)
	r.uniforms.frame.upload(r.uniforms.frameBuf)
	gl.BindBufferBase(gl.UNIFORM_BUFFER, frameBinding, r.uniforms.frameBuf)
}
