package render

import (
	"github.com/go-gl/gl/v3.3-core/gl"
	"github.com/go-gl/mathgl/mgl64"
)

// shadowPixels is the side of the shadow map. It is blurred and stretched, so few pixels do; the CPU has to draw them
// where there is no GPU.
const shadowPixels = 96

// shadowMap holds what the bodies' shadow on the ground looks like from above, and a second texture of the same size to
// blur through.
type shadowMap struct {
	fbo, tex [2]uint32
	age      int    // frames since the shadow was drawn; -1: never
	moved    bool   // something that casts it may have, since
	hidden   []bool // bodies, in the last frame
}

// due tells whether what casts the shadow may be another than when it was drawn.
func (m *shadowMap) due(sc *scene, opt *Options) bool {
	m.moved = m.moved || sc.moved || m.age < 0
	for i := range m.hidden {
		h := opt.body(i).Hidden
		m.moved = m.moved || m.hidden[i] != h
		m.hidden[i] = h
	}
	return m.moved
}

// shadowEvery is how many frames share a shadow where the CPU draws. It is so soft that nobody sees it lag.
const shadowEvery = 4

func (r *Renderer) initShadow() {
	m := &r.shadow
	m.age = -1
	var out int32
	gl.GetIntegerv(gl.DRAW_FRAMEBUFFER_BINDING, &out)
	for i := range m.fbo {
		m.fbo[i], m.tex[i] = r.own.framebuffer(), r.own.texture()
		Fill(m.tex[i], gl.R8, shadowPixels, shadowPixels, gl.RED, gl.UNSIGNED_BYTE, nil, gl.LINEAR)
		gl.BindFramebuffer(gl.FRAMEBUFFER, m.fbo[i])
		gl.FramebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, m.tex[i], 0)
	}
	gl.BindFramebuffer(gl.FRAMEBUFFER, uint32(out))
}

// drawShadow draws the bodies flattened onto the ground along the light, then blurs across and down; false where the one
// before serves.
func (r *Renderer) drawShadow(opt *Options) bool {
	m := &r.shadow
	if due := m.due(&r.scene, opt); r.info.Software && (!due || m.age >= 0 && m.age < shadowEvery-1) {
		m.age++
		return false
	}
	m.age, m.moved = 0, false
	gl.Viewport(0, 0, shadowPixels, shadowPixels)
	disable(gl.SCISSOR_TEST, gl.DEPTH_TEST, gl.CULL_FACE, gl.STENCIL_TEST)
	gl.ColorMask(true, true, true, true)
	gl.BindFramebuffer(gl.FRAMEBUFFER, m.fbo[0])
	gl.ClearColor(0, 0, 0, 0)
	gl.Clear(gl.COLOR_BUFFER_BIT)
	gl.Enable(gl.BLEND)
	gl.BlendEquation(gl.MAX) // several surfaces over one point shade it once
	gl.UseProgram(r.prog.shadow.id)
	gl.Uniform1f(r.prog.shadow.at[uBalls], 0)
	r.setModel(&r.prog.shadow, mgl64.Ident4())
	for i, b := range r.bodies {
		if !opt.body(i).Hidden {
			b.draw()
		}
	}
	r.drawMounts(opt)
	r.eachInstance(&r.prog.shadow, nil)
	r.setModel(&r.prog.shadow, mgl64.Ident4())
	gl.Uniform1f(r.prog.shadow.at[uBalls], 1)
	if r.balls.count > 0 {
		r.balls.drawRun(0, r.balls.count)
	}
	gl.BlendEquation(gl.FUNC_ADD)
	gl.Disable(gl.BLEND)

	gl.UseProgram(r.prog.blur.id)
	gl.ActiveTexture(gl.TEXTURE0)
	gl.BindVertexArray(r.empty)
	for i, step := range [2][2]float32{{1.0 / shadowPixels, 0}, {0, 1.0 / shadowPixels}} {
		gl.BindFramebuffer(gl.FRAMEBUFFER, m.fbo[1-i])
		gl.BindTexture(gl.TEXTURE_2D, m.tex[i])
		gl.Uniform2f(r.prog.blur.at[uStep], step[0], step[1])
		gl.DrawArrays(gl.TRIANGLES, 0, 3)
	}
	return true
}

// drawGround draws the shadow and the grid. From below only the grid shows, faintly, so as not to hide the scene.
func (r *Renderer) drawGround(cam *Camera) {
	sc := &r.scene
	gl.BindVertexArray(r.empty)
	if cam.Eye()[1] > sc.ground.y {
		gl.UseProgram(r.prog.ground.id)
		gl.BindTexture(gl.TEXTURE_2D, r.shadow.tex[0])
		gl.DrawArrays(gl.TRIANGLE_STRIP, 0, 4)
	}
	if sc.ground.cell > 0 {
		n := 2*int32(sc.ground.radius/sc.ground.cell) + 1
		gl.UseProgram(r.prog.grid.id)
		gl.Uniform1f(r.prog.grid.at[uLines], float32(n))
		gl.DrawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, 2*n)
	}
}

// triadPixels is the side of the axes' corner in design pixels.
const triadPixels = 92

// drawTriad draws the axes in the lower left corner.
func (r *Renderer) drawTriad(vp Viewport, aside bool) {
	side := int32(triadPixels * vp.scale())
	x, y := int32(vp.X), int32(vp.Y)
	w, h, corner := int32(vp.Width), int32(vp.Height), side
	if aside {
		x, y = 0, 0
		w, h, corner = vp.drawn(vp.Width), vp.drawn(vp.Height), vp.drawn(int(side))
	}
	*r.uniforms.triad = *r.uniforms.frame
	r.uniforms.triad.screen[0], r.uniforms.triad.screen[1] = float32(side), float32(side)
	f := r.uniforms.frame
	const reach = 1.35 // half-width of the orthographic view, in axis lengths
	m := mgl64.Mat4{}
	for c := range 3 {
		m[4*c] = float64(f.right[c]) / reach
		m[4*c+1] = float64(f.up[c]) / reach
		m[4*c+2] = -float64(f.back[c])/reach*0.05 - 0 // near the front of the depth range
	}
	m[14], m[15] = -0.9, 1
	for i, v := range m {
		r.uniforms.triad.viewProj[i] = float32(v)
	}
	// The eye far away along the view makes the light parallel.
	for c := range 3 {
		r.uniforms.triad.eye[c] = 100 * f.back[c]
	}
	r.uniforms.triad.upload(r.uniforms.triadBuf)
	gl.BindBufferBase(gl.UNIFORM_BUFFER, frameBinding, r.uniforms.triadBuf)
	gl.Viewport(x, y, corner, corner)
	gl.DepthMask(true)
	gl.DepthFunc(gl.LEQUAL)
	gl.Enable(gl.SCISSOR_TEST)
	gl.Scissor(x, y, corner, corner)
	gl.Clear(gl.DEPTH_BUFFER_BIT) // the scene behind must not cut the axes
	gl.UseProgram(r.prog.point.id)
	gl.Uniform1f(r.prog.point.at[uAlpha], 1)
	gl.Disable(gl.DEPTH_TEST)
	r.glyphs.plate.draw()
	gl.Enable(gl.DEPTH_TEST)
	r.drawArrows(&r.glyphs.axes, 1)
	gl.BindBufferBase(gl.UNIFORM_BUFFER, frameBinding, r.uniforms.frameBuf)
	gl.Viewport(x, y, w, h)
	gl.Scissor(x, y, w, h)
}

// triadLabels are the pixels (origin upper left of the viewport) where the labels X, Y and Z of the corner axes belong,
// for a caller that draws its own.
func triadLabels(cam *Camera, vp Viewport) (at [3][2]float64) {
	side := triadPixels * vp.scale()
	right, up := cam.Right(), cam.Up()
	for i := range at {
		const reach = 1.18 / 1.35 / 2
		at[i] = [2]float64{side*0.5 + right[i]*reach*side, float64(vp.Height) - side*0.5 - up[i]*reach*side}
	}
	return at
}
