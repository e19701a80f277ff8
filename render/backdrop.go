package render

import (
	"github.com/go-gl/gl/v3.3-core/gl"

	"hapco/physics"
)

// backdrop keeps what lies behind everything, the background and the ground, in a picture, for as long as the camera
// stands still. Where the CPU draws, these two cost a half of a frame.
type backdrop struct {
	fbo, tex      uint32
	width, height int32
	of            backdropOf
	made, shown   bool // it is drawn; it serves in this frame
}

// backdropOf is what the picture depends on, but for the shadow.
type backdropOf struct {
	frame         frameBlock
	width, height int32
	ground        bool
}

// drawBackdrop draws the picture where it will serve: from the second frame on in which the camera is where it was, with
// the ground behind all that it does not hide. It is drawn anew with the shadow.
func (r *Renderer) drawBackdrop(s *physics.Frame, cam *Camera, opt *Options, vp Viewport, shadow bool) {
	b, sc := &r.backdrop, &r.scene
	of := backdropOf{*r.uniforms.frame, vp.drawn(vp.Width), vp.drawn(vp.Height), opt.Ground && sc.ready}
	of.frame.probe = [4]float32{}
	still := of == b.of
	b.of, b.made = of, b.made && still && !shadow
	b.shown = r.info.Software && still && (!of.ground || cam.Eye()[1] > sc.ground.y && sc.stands(s))
	if !b.shown || b.made {
		return
	}
	gl.BindFramebuffer(gl.FRAMEBUFFER, b.fbo)
	if b.width != of.width || b.height != of.height {
		b.width, b.height = of.width, of.height
		Fill(b.tex, gl.RGBA8, int(b.width), int(b.height), gl.BGRA, gl.UNSIGNED_INT_8_8_8_8_REV, nil, gl.NEAREST)
		gl.FramebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, b.tex, 0)
	}
	gl.Viewport(0, 0, b.width, b.height)
	disable(gl.SCISSOR_TEST, gl.DEPTH_TEST, gl.CULL_FACE, gl.STENCIL_TEST, gl.BLEND)
	gl.ColorMask(true, true, true, true)
	gl.PolygonMode(gl.FRONT_AND_BACK, gl.FILL)
	r.drawBackground()
	if of.ground {
		gl.Enable(gl.BLEND)
		blendOver()
		r.drawGround(cam)
		gl.Disable(gl.BLEND)
	}
	b.made = true
}

// show copies the picture, where it serves, to a place in the framebuffer out, which is bound.
func (b *backdrop) show(out uint32, x, y int32) {
	if !b.shown {
		return
	}
	gl.Disable(gl.SCISSOR_TEST)
	gl.BindFramebuffer(gl.READ_FRAMEBUFFER, b.fbo)
	gl.BlitFramebuffer(0, 0, b.width, b.height, x, y, x+b.width, y+b.height, gl.COLOR_BUFFER_BIT, gl.NEAREST)
	gl.BindFramebuffer(gl.READ_FRAMEBUFFER, out)
}

// stands tells that nothing reaches below the ground, but for what the eye does not see.
func (sc *scene) stands(s *physics.Frame) bool {
	lo, _, ok := Bounds(s, nil, sc.shapes...)
	return ok && lo[1] >= sc.ground.y-0.005*sc.size
}
