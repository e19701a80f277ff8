package render

import (
	"github.com/go-gl/gl/v3.3-core/gl"
	"github.com/go-gl/mathgl/mgl64"
)

// draw issues the frame's draw calls, nearest opaque things first: pixels that they cover then cost the background
// nothing.
func (r *Renderer) draw(cam *Camera, opt *Options, vp Viewport, aside bool) {
	sc := &r.scene
	disable(gl.FRAMEBUFFER_SRGB, gl.BLEND, gl.STENCIL_TEST)
	gl.PolygonMode(gl.FRONT_AND_BACK, gl.FILL)
	gl.ColorMask(true, true, true, true)
	gl.Enable(gl.DEPTH_TEST)
	gl.DepthFunc(gl.LEQUAL)
	gl.DepthMask(true)
	gl.Enable(gl.CULL_FACE)
	gl.CullFace(gl.BACK)
	gl.FrontFace(gl.CCW)
	blendOver()
	gl.ClearDepth(1)
	gl.DepthRange(0, 1)
	gl.Clear(gl.DEPTH_BUFFER_BIT)

	gl.ActiveTexture(gl.TEXTURE0)
	gl.BindTexture(gl.TEXTURE_2D, r.colorMap)
	for i := range r.bodies {
		if opt.shows(i, Shaded) {
			r.drawShaded(i, opt)
		}
	}
	gl.UseProgram(r.prog.surface.id)
	r.setModel(&r.prog.surface, mgl64.Ident4())
	r.setLook(&r.prog.surface, &mountLook, 0, 1, 0)
	r.drawMounts(opt)
	r.drawThings(vp)
	if sc.handle.shown {
		r.drawHandle(sc.handle.pose)
	}
	r.drawEdges(opt, vp)
	gl.Disable(gl.CULL_FACE)
	gl.DepthMask(false)
	if !r.backdrop.shown {
		r.drawBackground()
	}
	gl.Enable(gl.BLEND) // for the smooth rims of what follows
	r.drawOutlines(opt)
	gl.DepthMask(true)
	r.drawGlyphs(1)
	gl.DepthMask(false)
	if opt.Ground && sc.ready && !r.backdrop.shown {
		r.drawGround(cam)
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

// blendOver lets what is drawn cover what is there by its opacity.
func blendOver() {
	gl.BlendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA)
	gl.BlendEquation(gl.FUNC_ADD)
}

// drawBackground fills what nothing covers.
func (r *Renderer) drawBackground() {
	gl.UseProgram(r.prog.back.id)
	gl.BindVertexArray(r.empty)
	gl.DrawArrays(gl.TRIANGLES, 0, 3)
}

// setModel places what the program in use, p, draws.
func (r *Renderer) setModel(p *program, m mgl64.Mat4) {
	for i, v := range m {
		r.mat[i] = float32(v)
	}
	gl.UniformMatrix4fv(p.at[uModel], 1, false, &r.mat[0])
}

// fieldOf is 1 where body i shows the colours of the field.
func (r *Renderer) fieldOf(i int, opt *Options) float32 {
	if opt.body(i).Field && r.scene.field.on[i] {
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

// drawBody draws the triangles of a body. back is 1 for the inside of a transparent one.
func (r *Renderer) drawBody(i int, opt *Options, alpha, back float32) {
	b, l, field := r.bodies[i], &r.scene.looks[i], r.fieldOf(i, opt)
	p := &r.prog.surface
	if l.mottle > 0 && field == 0 {
		p = &r.prog.tissue
	}
	gl.UseProgram(p.id)
	r.setModel(p, mgl64.Ident4())
	r.setLook(p, l, field, alpha, back)
	r.beginCut(i, opt)
	b.draw()
	r.endCut()
}

func (r *Renderer) setLook(p *program, l *look, stress, alpha, back float32) {
	gl.Uniform4f(p.at[uColor], l.albedo[0], l.albedo[1], l.albedo[2], alpha)
	gl.Uniform4f(p.at[uLook], l.bleed, l.gloss, l.specular, l.metal)
	gl.Uniform3f(p.at[uKind], stress, back, l.mottle)
}

// drawEdges draws lit surfaces with their mesh.
func (r *Renderer) drawEdges(opt *Options, vp Viewport) {
	gl.UseProgram(r.prog.wire.id)
	for i, b := range r.bodies {
		if !opt.shows(i, Edges) {
			continue
		}
		l := &r.scene.looks[i]
		r.setLook(&r.prog.wire, l, r.fieldOf(i, opt), 1, 0)
		gl.Uniform4f(r.prog.wire.at[uLines], l.dark[0], l.dark[1], l.dark[2], 1)
		gl.Uniform4f(r.prog.wire.at[uWire], float32(vp.scale()*vp.resolution()), 0.5, 1, 0)
		r.beginCut(i, opt)
		r.drawWire(b)
		r.endCut()
	}
}

// drawWireframes draws bodies of which only the mesh shows: faint on the far side, full on the near one. Blending is
// on, depth writes are off.
func (r *Renderer) drawWireframes(opt *Options, vp Viewport) {
	gl.UseProgram(r.prog.wire.id)
	gl.BindTexture(gl.TEXTURE_2D, r.colorMap)
	gl.Enable(gl.CULL_FACE)
	for i, b := range r.bodies {
		if !opt.shows(i, Wireframe) {
			continue
		}
		l := &r.scene.looks[i]
		c, stress := l.bright, r.fieldOf(i, opt)
		gl.Uniform4f(r.prog.wire.at[uLines], c[0], c[1], c[2], 1)
		width := float32(1.15 * vp.scale() * vp.resolution())
		r.beginCut(i, opt)
		gl.CullFace(gl.FRONT)
		gl.Uniform4f(r.prog.wire.at[uWire], width, 0.22, 0, stress)
		r.drawWire(b)
		gl.CullFace(gl.BACK)
		gl.Uniform4f(r.prog.wire.at[uWire], width, 0.95, 0, stress)
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
	gl.DrawArrays(gl.TRIANGLES, 0, b.count)
}

// drawTransparent draws what can be seen through, farthest body first: the inside of each, then its nearest outside
// only. A depth pass before the latter keeps folds behind from showing through it twice.
func (r *Renderer) drawTransparent(opt *Options) {
	sc := &r.scene
	gl.BindTexture(gl.TEXTURE_2D, r.colorMap)
	gl.Enable(gl.CULL_FACE)
	for _, i := range sc.order.farFirst {
		if !opt.shows(i, Transparent) {
			continue
		}
		gl.CullFace(gl.FRONT)
		r.drawBody(i, opt, 0.34, 1)
		gl.CullFace(gl.BACK)
		gl.ColorMask(false, false, false, false)
		gl.DepthMask(true)
		r.beginCut(i, opt)
		r.bodies[i].draw()
		r.endCut()
		gl.DepthMask(false)
		gl.ColorMask(true, true, true, true)
		r.drawBody(i, opt, 0.34, 0)
	}
	if sc.ghost.opacity > 0 {
		// The driven body again, moved from its pose to the target's. Nothing hides it: it is where the hand is, most
		// often inside the tissue.
		gl.DepthFunc(gl.ALWAYS)
		c := ghostColor
		gl.UseProgram(r.prog.ghost.id)
		gl.Uniform4f(r.prog.ghost.at[uColor], c[0], c[1], c[2], float32(0.75*sc.ghost.opacity))
		r.setModel(&r.prog.ghost, sc.ghost.motion)
		for _, i := range sc.driven {
			if !opt.body(i).Hidden {
				r.bodies[i].draw()
			}
		}
		if sc.handle.shown {
			r.setModel(&r.prog.ghost, sc.ghost.motion.Mul4(sc.handle.pose))
			r.handle.draw()
		}
		gl.DepthFunc(gl.LEQUAL)
	}
	gl.Disable(gl.CULL_FACE)
}

// drawSelected draws the cone of the selected contact with what belongs to it, over everything: an instrument, not a
// thing of the scene.
func (r *Renderer) drawSelected() {
	sc := &r.scene
	if !sc.cone.shown {
		return
	}
	gl.DepthRange(0, 0.02) // nearer than all the rest, and right among themselves
	gl.Enable(gl.CULL_FACE)
	gl.UseProgram(r.prog.ghost.id)
	r.setModel(&r.prog.ghost, mgl64.Ident4())
	gl.Uniform4f(r.prog.ghost.at[uColor], sc.cone.color[0], sc.cone.color[1], sc.cone.color[2], 0.6)
	gl.CullFace(gl.FRONT)
	r.cone.draw()
	gl.CullFace(gl.BACK)
	gl.DepthMask(true)
	r.drawArrows(&r.glyphs.topArrows, 1)
	gl.DepthMask(false)
	r.drawLines(&r.glyphs.topLines, 1)
	gl.UseProgram(r.prog.ghost.id)
	gl.Enable(gl.CULL_FACE)
	r.cone.draw()
	gl.Disable(gl.CULL_FACE)
	gl.DepthRange(0, 1)
}

// drawHandle draws the pen with the surface program.
func (r *Renderer) drawHandle(pose mgl64.Mat4) {
	r.setModel(&r.prog.surface, pose)
	for i := range handleParts {
		r.setLook(&r.prog.surface, &handleParts[i].look, 0, 1, 0)
		r.handle.drawPart(r.scene.handle.ends[i], r.scene.handle.ends[i+1])
	}
	r.setModel(&r.prog.surface, mgl64.Ident4())
}

// drawGlyphs draws arrows, points, marks and lines, all at an opacity.
func (r *Renderer) drawGlyphs(alpha float32) {
	r.drawArrows(&r.glyphs.arrows, alpha)
	r.drawLines(&r.glyphs.lines, alpha)
	gl.UseProgram(r.prog.point.id)
	gl.Uniform1f(r.prog.point.at[uAlpha], alpha)
	if alpha == 1 {
		r.glyphs.marks.draw()
	}
	r.glyphs.points.draw()
}

func (r *Renderer) drawArrows(b *batch, alpha float32) {
	gl.UseProgram(r.prog.arrow.id)
	gl.Uniform1f(r.prog.arrow.at[uAlpha], alpha)
	gl.Enable(gl.CULL_FACE)
	b.draw()
	gl.Disable(gl.CULL_FACE)
}

func (r *Renderer) drawLines(b *batch, alpha float32) {
	gl.UseProgram(r.prog.line.id)
	gl.Uniform1f(r.prog.line.at[uAlpha], alpha)
	b.draw()
}
