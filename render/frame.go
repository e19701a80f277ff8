package render

import (
	"math"
	"unsafe"

	"github.com/go-gl/gl/v3.3-core/gl"
	"github.com/go-gl/mathgl/mgl64"
)

// frameBlock is the uniform block Frame, as shaders/frame.glsl lays it out.
type frameBlock struct {
	viewProj                                                                               [16]float32
	eye, right, up, back, key, fill, screen, probe, ground, shadow, top, bottom, ink, clip [4]float32
}

func (f *frameBlock) upload(id uint32) {
	gl.BindBuffer(gl.UNIFORM_BUFFER, id)
	gl.BufferData(gl.UNIFORM_BUFFER, int(unsafe.Sizeof(*f)), unsafe.Pointer(f), gl.STREAM_DRAW)
}

func vec4(v mgl64.Vec3, w float64) [4]float32 {
	return [4]float32{float32(v[0]), float32(v[1]), float32(v[2]), float32(w)}
}

func (f *frameBlock) set(cam *Camera, sc *scene, opt *Options, vp Viewport) {
	for i, v := range cam.projection(vp.aspect()).Mul4(cam.viewMatrix()) {
		f.viewProj[i] = float32(v)
	}
	right, up, back := cam.Right(), cam.Up(), cam.Backward()
	f.eye = vec4(cam.Eye(), 1)
	f.right = vec4(right, 2*math.Tan(cam.Fov/2)/float64(vp.Height))
	f.up = vec4(up, 0)
	f.back = vec4(back, 0)
	// The key light hangs over the viewer's left shoulder, a little more from above than from the eye, so that relief
	// shows from every side.
	key := back.Mul(0.62).Sub(right.Mul(0.48)).Add(up.Mul(0.45)).Add(mgl64.Vec3{0, 0.35, 0})
	f.key = vec4(key.Normalize(), 0)
	f.fill = vec4(right.Mul(0.8).Add(back.Mul(0.6)).Sub(up.Mul(0.1)).Normalize(), 0)
	f.screen = [4]float32{float32(vp.Width), float32(vp.Height), float32(vp.scale()), 0}
	f.probe = vec4(sc.probe.at, sc.probe.radius)
	f.ground = [4]float32{float32(sc.ground.y), float32(sc.ground.cell), float32(sc.ground.radius), 0}
	if sc.ground.given != nil {
		f.ground[3] = 1
	}
	f.shadow = vec4(sc.ground.shadow, sc.ground.shadowHalf)
	f.shadow[1] = 0
	if opt.Shadow {
		f.shadow[1] = 1
	}
	f.top, f.bottom, f.ink = topColor, bottomColor, inkColor
	f.clip = vec4(opt.Clip.Vec3(), opt.Clip[3])
}

// Colours of the background's ends and of what is written over it, sRGB.
var (
	topColor    = rgba{0.235, 0.275, 0.325, 1}
	bottomColor = rgba{0.075, 0.085, 0.105, 1}
	inkColor    = rgba{0.86, 0.89, 0.93, 1}
)
