package render

import (
	"fmt"
	"unsafe"

	"github.com/go-gl/gl/v3.3-core/gl"
	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
)

// Renderer draws snapshots into the current OpenGL context. Every method is for
// the thread that the context is current on.
type Renderer struct {
	info   Info
	scene  scene
	bodies []*bodyBuffers

	surfaceProg, wireProg, backProg, groundProg, gridProg           program
	ribbonProg                                                      program
	arrowProg, pointProg, lineProg, ballProg, spriteProg, looseProg program
	shadowProg, blurProg, textProg                                  program
	loc                                                             locations

	frame, triad *frameBlock // on their own: cgo refuses memory that also holds Go pointers
	frameBuf     uint32
	triadBuf     uint32
	empty        uint32 // vertex array without attributes
	colorMap     uint32 // texture of ColorMap

	arrows, points, marks, lines batch
	axes, plate                  batch
	topArrows, topLines, ribbons batch
	balls                        batch
	clumps                       clumps
	shapes                       []*solid // rigid ones
	loose                        loose
	handle, cone                 solid
	shadow                       shadowMap
	text                         text

	ints  [4]int32 // for queries: cgo arguments that live on the stack would move to the heap
	mat   [16]float32
	aside target // see beginAside
}

type locations struct {
	surface, wire, ribbon             surfaceLocations
	ribbonModel                       int32
	surfModel, wireWire, wireLine     int32
	shadowModel, shadowBalls          int32
	gridLines                         int32
	arrowAlpha, pointAlpha, lineAlpha int32
	blurStep                          int32
	textSize, spritePixels            int32
}

// surfaceLocations are the uniforms that plain and wire surfaces share.
type surfaceLocations struct{ color, look, kind int32 }

// bodyBuffers is the GPU part of a body.
type bodyBuffers struct {
	verts    stream
	tris     uint32 // index buffer
	mottle   uint32
	corners  uint32 // vertex and place of each triangle corner, for the mesh
	texels   uint32 // verts as a buffer texture, likewise
	vao      uint32
	wireVAO  uint32
	triCount int32 // corners
}

// New prepares everything that does not depend on a scene. A context has to be
// current. The error names the OpenGL found where it is too old.
func New() (*Renderer, error) {
	info, err := load()
	if err != nil {
		return nil, err
	}
	r := &Renderer{info: info, frame: new(frameBlock), triad: new(frameBlock)}
	if err := r.programs(); err != nil {
		r.Close()
		return nil, err
	}
	gl.GenVertexArrays(1, &r.empty)
	gl.GenBuffers(1, &r.frameBuf)
	gl.GenBuffers(1, &r.triadBuf)
	r.colorMap = colorMapTexture()
	r.initBatches()
	r.scene.outlines.on = info.Software
	r.initShadow()
	return r, nil
}

// Info tells which OpenGL draws.
func (r *Renderer) Info() Info { return r.info }

func (r *Renderer) programs() error {
	list := []struct {
		p          *program
		vert, frag string
		uniforms   []string
	}{
		{&r.surfaceProg, "surface.vert", "surface.frag", []string{"uModel", "uColor", "uLook", "uKind", "uMap"}},
		{&r.wireProg, "wire.vert", "surface.frag+WIRE", []string{"uVertices", "uColor", "uLook", "uKind", "uMap", "uWire", "uLines"}},
		{&r.ribbonProg, "ribbon.vert", "surface.frag+RIBBON", []string{"uModel", "uColor", "uLook", "uKind", "uMap"}},
		{&r.backProg, "background.vert", "background.frag", nil},
		{&r.groundProg, "ground.vert", "ground.frag", []string{"uMap"}},
		{&r.gridProg, "grid.vert", "grid.frag", []string{"uLines"}},
		{&r.arrowProg, "arrow.vert", "arrow.frag", []string{"uAlpha"}},
		{&r.pointProg, "point.vert", "point.frag", []string{"uAlpha"}},
		{&r.lineProg, "line.vert", "line.frag", []string{"uAlpha"}},
		{&r.ballProg, "ball.vert", "ball.frag", nil},
		{&r.spriteProg, "sprite.vert", "sprite.frag", []string{"uPixels"}},
		{&r.looseProg, "loose.vert", "loose.frag", nil},
		{&r.shadowProg, "shadow.vert", "shadow.frag", []string{"uModel", "uBalls"}},
		{&r.blurProg, "background.vert", "blur.frag", []string{"uMap", "uStep"}},
		{&r.textProg, "text.vert", "text.frag", []string{"uMap", "uSize"}},
	}
	for _, e := range list {
		p, err := newProgram(e.vert, e.frag, e.uniforms...)
		if err != nil {
			return err
		}
		*e.p = p
	}
	s, w, b := r.surfaceProg.loc, r.wireProg.loc, r.ribbonProg.loc
	r.loc = locations{
		surface: surfaceLocations{s["uColor"], s["uLook"], s["uKind"]},
		wire:    surfaceLocations{w["uColor"], w["uLook"], w["uKind"]},
		ribbon:  surfaceLocations{b["uColor"], b["uLook"], b["uKind"]}, ribbonModel: b["uModel"],
		shadowModel: r.shadowProg.loc["uModel"], shadowBalls: r.shadowProg.loc["uBalls"], spritePixels: r.spriteProg.loc["uPixels"],
		surfModel: s["uModel"], wireWire: w["uWire"], wireLine: w["uLines"],
		gridLines:  r.gridProg.loc["uLines"],
		arrowAlpha: r.arrowProg.loc["uAlpha"], pointAlpha: r.pointProg.loc["uAlpha"], lineAlpha: r.lineProg.loc["uAlpha"],
		blurStep: r.blurProg.loc["uStep"], textSize: r.textProg.loc["uSize"],
	}
	// Texture units never change: 0 for images, 1 for the mesh's vertices.
	gl.UseProgram(r.wireProg.id)
	gl.Uniform1i(w["uVertices"], 1)
	gl.UseProgram(0)
	return nil
}

func colorMapTexture() uint32 {
	var id uint32
	gl.GenTextures(1, &id)
	gl.BindTexture(gl.TEXTURE_2D, id)
	gl.PixelStorei(gl.UNPACK_ALIGNMENT, 1)
	gl.TexImage2D(gl.TEXTURE_2D, 0, gl.RGB8, int32(len(ColorMap)), 1, 0, gl.RGB, gl.UNSIGNED_BYTE, unsafe.Pointer(&ColorMap[0]))
	textureParams(gl.LINEAR)
	return id
}

func textureParams(filter int32) {
	gl.TexParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, filter)
	gl.TexParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, filter)
	gl.TexParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE)
	gl.TexParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE)
}

// SetScene announces the world of the frames to come. Its first frame decides where
// edges are sharp and how large the grid's cells are. The slices of info are kept, not
// copied.
func (r *Renderer) SetScene(info *physics.Info) error {
	for i := range info.Surfaces {
		b := &info.Surfaces[i]
		if len(b.Triangles) == 0 {
			return fmt.Errorf("render: body %q has no surface triangles: nothing of it could be drawn; extract the surface of its mesh first", b.Name)
		}
	}
	r.dropBodies()
	r.scene.reset(info)
	r.shadow.age = -1
	return nil
}

func (r *Renderer) dropBodies() {
	for _, b := range r.bodies {
		b.delete()
	}
	for _, m := range r.shapes {
		m.delete()
	}
	r.bodies, r.shapes = nil, nil
	r.handle.delete()
}

func (b *bodyBuffers) delete() {
	b.verts.delete()
	buffers := [...]uint32{b.tris, b.mottle, b.corners}
	gl.DeleteBuffers(int32(len(buffers)), &buffers[0])
	gl.DeleteTextures(1, &b.texels)
	arrays := [...]uint32{b.vao, b.wireVAO}
	gl.DeleteVertexArrays(int32(len(arrays)), &arrays[0])
}

// Close frees what the renderer holds in the context.
func (r *Renderer) Close() {
	r.dropBodies()
	for _, p := range [...]*program{&r.surfaceProg, &r.wireProg, &r.ribbonProg, &r.backProg, &r.groundProg, &r.gridProg, &r.arrowProg, &r.pointProg, &r.lineProg, &r.ballProg, &r.spriteProg, &r.looseProg, &r.shadowProg, &r.blurProg, &r.textProg} {
		gl.DeleteProgram(p.id)
		*p = program{}
	}
	gl.DeleteVertexArrays(1, &r.empty)
	gl.DeleteBuffers(1, &r.frameBuf)
	gl.DeleteBuffers(1, &r.triadBuf)
	gl.DeleteTextures(1, &r.colorMap)
	for _, b := range [...]*batch{&r.arrows, &r.points, &r.marks, &r.lines, &r.axes, &r.plate, &r.topArrows, &r.topLines, &r.ribbons, &r.balls} {
		b.delete()
	}
	r.cone.delete()
	r.loose.delete()
	r.clumps.delete()
	r.shadow.delete()
	r.text.delete()
	r.aside.delete()
}

// buildBodies makes the GPU part of the surfaces that the first snapshot of a
// scene has just defined.
func (r *Renderer) buildBodies() {
	for _, s := range r.scene.surfaces {
		b := &bodyBuffers{triCount: int32(len(s.tri))}
		gl.GenVertexArrays(1, &b.vao)
		gl.BindVertexArray(b.vao)
		b.verts.upload(s.verts)
		attribute(0, 4, vertexFloats, 0, 0)
		attribute(1, 4, vertexFloats, 4, 0)
		b.mottle = staticBuffer(gl.ARRAY_BUFFER, s.mottle)
		attribute(2, 1, 1, 0, 0)
		b.tris = staticBuffer(gl.ELEMENT_ARRAY_BUFFER, s.tri)

		gl.GenVertexArrays(1, &b.wireVAO)
		gl.BindVertexArray(b.wireVAO)
		b.corners = staticBuffer(gl.ARRAY_BUFFER, s.corner)
		attribute(0, 1, cornerFloats, 0, 0)
		attribute(1, 3, cornerFloats, 1, 0)
		gl.BindVertexArray(0)

		gl.GenTextures(1, &b.texels)
		gl.BindTexture(gl.TEXTURE_BUFFER, b.texels)
		gl.TexBuffer(gl.TEXTURE_BUFFER, gl.RGBA32F, b.verts.id)
		r.bodies = append(r.bodies, b)
	}
	r.buildShapes()
	if len(r.scene.handleVerts) > 0 {
		r.handle.upload(r.scene.handleVerts, r.scene.handleTris)
	}
}

// Draw fills vp of the framebuffer that is bound for drawing with a picture of
// s. Frames whose surfaces do not match SetScene's are ignored (the picture of
// a scene change).
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
	if opt.Shadow && opt.Ground && r.scene.ready {
		r.drawShadow()
	}
	aside := r.beginAside(out, vp)
	if !aside {
		gl.BindFramebuffer(gl.FRAMEBUFFER, out)
		gl.Viewport(int32(vp.X), int32(vp.Y), int32(vp.Width), int32(vp.Height))
		gl.Enable(gl.SCISSOR_TEST)
		gl.Scissor(int32(vp.X), int32(vp.Y), int32(vp.Width), int32(vp.Height))
	}
	r.draw(cam, opt, vp, aside)
	if aside {
		r.endAside(out, vp)
	}
	r.drawText(vp)

	gl.Disable(gl.SCISSOR_TEST)
	gl.Disable(gl.BLEND)
	gl.Disable(gl.DEPTH_TEST)
	gl.Disable(gl.CULL_FACE)
	gl.BindVertexArray(0)
	gl.UseProgram(0)
	gl.ActiveTexture(gl.TEXTURE0)
}

// upload sends this frame's data to the GPU.
func (r *Renderer) upload(cam *Camera, opt *Options, vp Viewport) {
	sc := &r.scene
	for i, b := range r.bodies {
		if !opt.body(i).Hidden {
			b.verts.upload(sc.surfaces[i].verts)
		}
	}
	r.arrows.upload(sc.arrows)
	r.points.upload(sc.points)
	r.marks.upload(sc.marks)
	r.lines.upload(sc.lines)
	r.axes.upload(sc.axes)
	r.plate.upload(sc.plate)
	r.topArrows.upload(sc.topArrows)
	r.topLines.upload(sc.topLines)
	r.balls.upload(sc.balls)
	r.clumps.sort(sc.balls, cam)
	r.loose.upload(sc.vertices, sc.triangles)
	r.ribbons.upload(sc.outlines.data)
	if len(sc.coneVerts) > 0 {
		r.cone.upload(sc.coneVerts, coneTris)
	}
	r.frame.set(cam, sc, opt, vp)
	r.frame.upload(r.frameBuf)
	gl.BindBufferBase(gl.UNIFORM_BUFFER, frameBinding, r.frameBuf)
}

// draw issues the frame's draw calls, nearest opaque things first: pixels that
// they cover then cost the background nothing.
func (r *Renderer) draw(cam *Camera, opt *Options, vp Viewport, aside bool) {
	sc := &r.scene
	gl.Disable(gl.FRAMEBUFFER_SRGB)
	gl.Disable(gl.BLEND)
	gl.Disable(gl.STENCIL_TEST)
	gl.PolygonMode(gl.FRONT_AND_BACK, gl.FILL)
	gl.ColorMask(true, true, true, true)
	gl.Enable(gl.DEPTH_TEST)
	gl.DepthFunc(gl.LEQUAL)
	gl.DepthMask(true)
	gl.Enable(gl.CULL_FACE)
	gl.CullFace(gl.BACK)
	gl.FrontFace(gl.CCW)
	gl.BlendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA)
	gl.BlendEquation(gl.FUNC_ADD)
	gl.ClearDepth(1)
	gl.DepthRange(0, 1)
	gl.Clear(gl.DEPTH_BUFFER_BIT)

	gl.UseProgram(r.surfaceProg.id)
	gl.ActiveTexture(gl.TEXTURE0)
	gl.BindTexture(gl.TEXTURE_2D, r.colorMap)
	r.setModel(mgl64.Ident4())
	for i := range r.bodies {
		if v := opt.body(i); !v.Hidden && v.Mode == Shaded {
			r.drawShaded(i, opt)
		}
	}
	r.drawThings(vp)
	if sc.showHandle {
		r.drawHandle(sc.handlePose, false)
	}
	r.drawEdges(opt, vp)
	gl.Disable(gl.CULL_FACE)
	gl.UseProgram(r.backProg.id)
	gl.BindVertexArray(r.empty)
	gl.DepthMask(false)
	gl.DrawArrays(gl.TRIANGLES, 0, 3)
	gl.Enable(gl.BLEND) // for the smooth rims of what follows
	r.drawOutlines(opt)
	gl.DepthMask(true)
	r.drawGlyphs(1)
	gl.DepthMask(false)
	if opt.Ground && sc.ready {
		r.drawGround(opt, cam)
	}
	r.drawWireframes(opt, vp)
	if opt.XRay {
		gl.DepthFunc(gl.GREATER)
		r.drawGlyphs(0.38)
		gl.DepthFunc(gl.LEQUAL)
	}
	r.drawTransparent(opt)
	r.drawSelected()
	if opt.Triad {
		r.drawTriad(vp, aside)
	}
	gl.DepthMask(true)
}

func (r *Renderer) setModel(m mgl64.Mat4) { r.setModelAt(r.loc.surfModel, m) }

func (r *Renderer) setModelAt(at int32, m mgl64.Mat4) {
	for i, v := range m {
		r.mat[i] = float32(v)
	}
	gl.UniformMatrix4fv(at, 1, false, &r.mat[0])
}

// fieldOf is 1 where body i shows the colours of the field.
func (r *Renderer) fieldOf(i int, opt *Options) float32 {
	if opt.body(i).Field && r.scene.hasField[i] {
		return 1
	}
	return 0
}

// cut tells whether the clipping plane cuts body i.
func (r *Renderer) cut(i int, opt *Options) bool { return opt.clips() && !r.scene.drivenIs[i] }

// beginCut starts drawing what the clipping plane cuts, if it cuts body i; endCut ends it.
func (r *Renderer) beginCut(i int, opt *Options) {
	if r.cut(i, opt) {
		gl.Enable(gl.CLIP_DISTANCE0)
	}
}

func (r *Renderer) endCut() { gl.Disable(gl.CLIP_DISTANCE0) }

// drawShaded draws a lit body; where it is cut, its inside shows.
func (r *Renderer) drawShaded(i int, opt *Options) {
	if r.cut(i, opt) {
		gl.CullFace(gl.FRONT)
		r.drawBody(i, opt, 1, 1)
		gl.CullFace(gl.BACK)
	}
	r.drawBody(i, opt, 1, 0)
}

// drawBody draws the triangles of a body with the surface program. back is 1
// for the inside of a transparent one.
func (r *Renderer) drawBody(i int, opt *Options, alpha, back float32) {
	b := r.bodies[i]
	r.setLook(&r.loc.surface, &r.scene.looks[i], r.fieldOf(i, opt), alpha, back)
	gl.BindVertexArray(b.vao)
	r.beginCut(i, opt)
	gl.DrawElements(gl.TRIANGLES, b.triCount, gl.UNSIGNED_INT, nil)
	r.endCut()
}

func (r *Renderer) setLook(at *surfaceLocations, l *look, stress, alpha, back float32) {
	gl.Uniform4f(at.color, l.albedo[0], l.albedo[1], l.albedo[2], alpha)
	gl.Uniform4f(at.look, l.bleed, l.gloss, l.specular, l.metal)
	gl.Uniform4f(at.kind, stress, back, 0, l.mottle)
}

// drawEdges draws lit surfaces with their mesh.
func (r *Renderer) drawEdges(opt *Options, vp Viewport) {
	gl.UseProgram(r.wireProg.id)
	for i, b := range r.bodies {
		v := opt.body(i)
		if v.Hidden || v.Mode != Edges {
			continue
		}
		l := &r.scene.looks[i]
		r.setLook(&r.loc.wire, l, r.fieldOf(i, opt), 1, 0)
		gl.Uniform4f(r.loc.wireLine, l.dark[0], l.dark[1], l.dark[2], 1)
		gl.Uniform4f(r.loc.wireWire, float32(vp.scale()*vp.resolution()), 0.5, 1, 0)
		r.beginCut(i, opt)
		r.drawWire(b)
		r.endCut()
	}
}

// drawWireframes draws bodies of which only the mesh shows: faint on the far
// side, full on the near one. Blending is on, depth writes are off.
func (r *Renderer) drawWireframes(opt *Options, vp Viewport) {
	gl.UseProgram(r.wireProg.id)
	gl.BindTexture(gl.TEXTURE_2D, r.colorMap)
	gl.Enable(gl.CULL_FACE)
	for i, b := range r.bodies {
		v := opt.body(i)
		if v.Hidden || v.Mode != Wireframe {
			continue
		}
		l := &r.scene.looks[i]
		c, stress := l.bright, r.fieldOf(i, opt)
		if opt.Theme == Light {
			c = l.dark
		}
		gl.Uniform4f(r.loc.wireLine, c[0], c[1], c[2], 1)
		width := float32(1.15 * vp.scale() * vp.resolution())
		r.beginCut(i, opt)
		gl.CullFace(gl.FRONT)
		gl.Uniform4f(r.loc.wireWire, width, 0.22, 0, stress)
		r.drawWire(b)
		gl.CullFace(gl.BACK)
		gl.Uniform4f(r.loc.wireWire, width, 0.95, 0, stress)
		r.drawWire(b)
		r.endCut()
	}
	gl.Disable(gl.CULL_FACE)
}

func (r *Renderer) drawWire(b *bodyBuffers) {
	gl.ActiveTexture(gl.TEXTURE1)
	gl.BindTexture(gl.TEXTURE_BUFFER, b.texels)
	gl.ActiveTexture(gl.TEXTURE0)
	gl.BindVertexArray(b.wireVAO)
	gl.DrawArrays(gl.TRIANGLES, 0, b.triCount)
}

// drawTransparent draws what can be seen through, farthest body first: the
// inside of each, then its nearest outside only. A depth pass before the
// latter keeps folds behind from showing through it twice.
func (r *Renderer) drawTransparent(opt *Options) {
	sc := &r.scene
	gl.UseProgram(r.surfaceProg.id)
	gl.BindTexture(gl.TEXTURE_2D, r.colorMap)
	gl.Enable(gl.CULL_FACE)
	r.setModel(mgl64.Ident4())
	for _, i := range sc.farFirst {
		v := opt.body(i)
		if v.Hidden || v.Mode != Transparent {
			continue
		}
		gl.CullFace(gl.FRONT)
		r.drawBody(i, opt, 0.34, 1)
		gl.CullFace(gl.BACK)
		gl.ColorMask(false, false, false, false)
		gl.DepthMask(true)
		r.beginCut(i, opt)
		gl.DrawElements(gl.TRIANGLES, r.bodies[i].triCount, gl.UNSIGNED_INT, nil)
		r.endCut()
		gl.DepthMask(false)
		gl.ColorMask(true, true, true, true)
		r.drawBody(i, opt, 0.34, 0)
	}
	if sc.ghost > 0 {
		// The driven body again, moved from its pose to the target's. Nothing
		// hides it: it is where the hand is, most often inside the tissue.
		gl.DepthFunc(gl.ALWAYS)
		c := ghostColors[opt.Theme%2]
		gl.Uniform4f(r.loc.surface.color, c[0], c[1], c[2], float32(0.75*sc.ghost))
		gl.Uniform4f(r.loc.surface.kind, 0, 0, 1, 0)
		r.setModel(sc.ghostMotion)
		for _, i := range sc.driven {
			if !opt.body(i).Hidden {
				gl.BindVertexArray(r.bodies[i].vao)
				gl.DrawElements(gl.TRIANGLES, r.bodies[i].triCount, gl.UNSIGNED_INT, nil)
			}
		}
		if sc.showHandle {
			r.drawHandle(sc.ghostMotion.Mul4(sc.handlePose), true)
		}
		gl.DepthFunc(gl.LEQUAL)
	}
	gl.Disable(gl.CULL_FACE)
}

// drawSelected draws the cone of the selected contact with what belongs to it,
// over everything: an instrument, not a thing of the scene.
func (r *Renderer) drawSelected() {
	sc := &r.scene
	if !sc.showCone {
		return
	}
	gl.DepthRange(0, 0.02) // nearer than all the rest, and right among themselves
	gl.Enable(gl.CULL_FACE)
	gl.UseProgram(r.surfaceProg.id)
	r.setModel(mgl64.Ident4())
	gl.Uniform4f(r.loc.surface.color, sc.coneColor[0], sc.coneColor[1], sc.coneColor[2], 0.6)
	gl.Uniform4f(r.loc.surface.kind, 0, 0, 1, 0)
	gl.CullFace(gl.FRONT)
	r.cone.draw()
	gl.CullFace(gl.BACK)
	gl.DepthMask(true)
	r.drawArrows(&r.topArrows, 1)
	gl.DepthMask(false)
	r.drawLines(&r.topLines, 1)
	gl.UseProgram(r.surfaceProg.id)
	gl.Enable(gl.CULL_FACE)
	r.cone.draw()
	gl.Disable(gl.CULL_FACE)
	gl.DepthRange(0, 1)
}

// drawHandle draws the pen with the surface program, or its outline.
func (r *Renderer) drawHandle(pose mgl64.Mat4, ghost bool) {
	r.setModel(pose)
	if ghost {
		r.handle.draw()
	} else {
		for i := range handleParts {
			p := &handleParts[i]
			r.setLook(&r.loc.surface, &p.look, 0, 1, 0)
			r.handle.drawPart(r.scene.handleEnds[i], r.scene.handleEnds[i+1])
		}
	}
	r.setModel(mgl64.Ident4())
}

// drawGlyphs draws arrows, points, marks and lines, all at an opacity.
func (r *Renderer) drawGlyphs(alpha float32) {
	r.drawArrows(&r.arrows, alpha)
	r.drawLines(&r.lines, alpha)
	gl.UseProgram(r.pointProg.id)
	gl.Uniform1f(r.loc.pointAlpha, alpha)
	if alpha == 1 {
		r.marks.draw()
	}
	r.points.draw()
}

func (r *Renderer) drawArrows(b *batch, alpha float32) {
	gl.UseProgram(r.arrowProg.id)
	gl.Uniform1f(r.loc.arrowAlpha, alpha)
	gl.Enable(gl.CULL_FACE)
	b.draw()
	gl.Disable(gl.CULL_FACE)
}

func (r *Renderer) drawLines(b *batch, alpha float32) {
	gl.UseProgram(r.lineProg.id)
	gl.Uniform1f(r.loc.lineAlpha, alpha)
	b.draw()
}
