package render

import (
	"fmt"
	"image"
	"image/png"
	"io"
	"unsafe"

	"github.com/go-gl/gl/v3.3-core/gl"

	"hapco/physics"
)

// samples for each pixel where a GPU draws. On the CPU they cost three times the whole frame.
const samples = 4

// target is a framebuffer of our own.
type target struct {
	fbo, color, depth    uint32
	width, height, count int32
}

func (t *target) delete() {
	gl.DeleteFramebuffers(1, &t.fbo)
	gl.DeleteRenderbuffers(1, &t.color)
	gl.DeleteRenderbuffers(1, &t.depth)
	*t = target{}
}

// resize makes the framebuffer fit and leaves it bound. Count 0 is one sample.
func (t *target) resize(width, height, count int32) error {
	if t.fbo != 0 && t.width == width && t.height == height && t.count == count {
		gl.BindFramebuffer(gl.FRAMEBUFFER, t.fbo)
		return nil
	}
	t.delete()
	t.width, t.height, t.count = width, height, count
	gl.GenFramebuffers(1, &t.fbo)
	gl.GenRenderbuffers(1, &t.color)
	gl.GenRenderbuffers(1, &t.depth)
	gl.BindRenderbuffer(gl.RENDERBUFFER, t.color)
	gl.RenderbufferStorageMultisample(gl.RENDERBUFFER, count, gl.RGBA8, width, height)
	gl.BindRenderbuffer(gl.RENDERBUFFER, t.depth)
	gl.RenderbufferStorageMultisample(gl.RENDERBUFFER, count, gl.DEPTH_COMPONENT24, width, height)
	gl.BindFramebuffer(gl.FRAMEBUFFER, t.fbo)
	gl.FramebufferRenderbuffer(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.RENDERBUFFER, t.color)
	gl.FramebufferRenderbuffer(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.RENDERBUFFER, t.depth)
	if s := gl.CheckFramebufferStatus(gl.FRAMEBUFFER); s != gl.FRAMEBUFFER_COMPLETE {
		t.delete()
		return fmt.Errorf("render: no framebuffer of %dx%d pixels (status 0x%x): choose a smaller picture", width, height, s)
	}
	return nil
}

// beginAside redirects drawing into a framebuffer of our own where the picture is to be coarser than the output, or
// where several samples a pixel are cheap and the output has one. It reports whether it did.
func (r *Renderer) beginAside(out uint32, vp Viewport) bool {
	count := int32(0)
	if vp.resolution() == 1 { // a picture cannot be scaled and its samples merged in one go
		if r.info.Software {
			return false
		}
		gl.BindFramebuffer(gl.FRAMEBUFFER, out)
		gl.GetIntegerv(gl.SAMPLES, &r.ints[0])
		if r.ints[0] > 0 {
			return false
		}
		count = samples
	}
	w, h := vp.drawn(vp.Width), vp.drawn(vp.Height)
	if err := r.aside.resize(w, h, count); err != nil {
		return false // plain drawing still works
	}
	gl.Viewport(0, 0, w, h)
	gl.Disable(gl.SCISSOR_TEST)
	return true
}

// endAside brings the picture to the output.
func (r *Renderer) endAside(out uint32, vp Viewport) {
	gl.Disable(gl.SCISSOR_TEST)
	gl.BindFramebuffer(gl.READ_FRAMEBUFFER, r.aside.fbo)
	gl.BindFramebuffer(gl.DRAW_FRAMEBUFFER, out)
	w, h := int32(vp.Width), int32(vp.Height)
	x, y := int32(vp.X), int32(vp.Y)
	filter := uint32(gl.NEAREST)
	if vp.resolution() < 1 {
		filter = gl.LINEAR
	}
	gl.BlitFramebuffer(0, 0, r.aside.width, r.aside.height, x, y, x+w, y+h, gl.COLOR_BUFFER_BIT, filter)
	gl.BindFramebuffer(gl.FRAMEBUFFER, out)
	gl.Viewport(x, y, w, h)
}

// ReadPixels copies a rectangle of the framebuffer that is bound for reading: the window's picture with everything
// drawn so far when it is 0. x, y is the lower left corner, y up.
func ReadPixels(x, y, width, height int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, max(width, 0), max(height, 0)))
	if len(img.Pix) == 0 {
		return img
	}
	gl.PixelStorei(gl.PACK_ALIGNMENT, 1)
	gl.ReadPixels(int32(x), int32(y), int32(width), int32(height), gl.RGBA, gl.UNSIGNED_BYTE, unsafe.Pointer(&img.Pix[0]))
	// OpenGL's first row is the lowest.
	row := make([]byte, img.Stride)
	for a, b := 0, height-1; a < b; a, b = a+1, b-1 {
		top, bottom := img.Pix[a*img.Stride:(a+1)*img.Stride], img.Pix[b*img.Stride:(b+1)*img.Stride]
		copy(row, top)
		copy(top, bottom)
		copy(bottom, row)
	}
	for i := 3; i < len(img.Pix); i += 4 {
		img.Pix[i] = 255 // what blending left in alpha means nothing in a picture
	}
	return img
}

// Screenshot draws s off screen into a picture of width x height pixels. Scale is Viewport.Scale. It draws four times
// the pixels and averages them, so edges are smooth on any driver. Pick, Legend and ForceScales then speak of this
// picture until the next Draw.
func (r *Renderer) Screenshot(s *physics.Frame, cam *Camera, opt *Options, width, height int, scale float64) (*image.NRGBA, error) {
	if width <= 0 || height <= 0 {
		return nil, fmt.Errorf("render: a picture of %dx%d pixels: both sides have to be positive", width, height)
	}
	var limit, out int32
	gl.GetIntegerv(gl.MAX_RENDERBUFFER_SIZE, &limit)
	gl.GetIntegerv(gl.FRAMEBUFFER_BINDING, &out)
	if 2*max(width, height) > int(limit) {
		return nil, fmt.Errorf("render: a picture of %dx%d pixels is too large: this driver (%s) draws at most %d on a side", width, height, r.info.Renderer, limit/2)
	}
	if scale <= 0 {
		scale = 1
	}
	var t target
	defer gl.BindFramebuffer(gl.FRAMEBUFFER, uint32(out))
	if err := t.resize(int32(2*width), int32(2*height), 0); err != nil {
		return nil, err
	}
	defer t.delete()
	r.shadow.age = -1 // of this snapshot, not of an earlier frame
	r.Draw(s, cam, opt, Viewport{Width: 2 * width, Height: 2 * height, Scale: 2 * scale})
	return halve(ReadPixels(0, 0, 2*width, 2*height)), nil
}

// halve averages blocks of 2x2 pixels.
func halve(src *image.NRGBA) *image.NRGBA {
	w, h := src.Rect.Dx()/2, src.Rect.Dy()/2
	dst := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		a := src.Pix[2*y*src.Stride:][:8*w]
		b := src.Pix[(2*y+1)*src.Stride:][:8*w]
		d := dst.Pix[y*dst.Stride:][:4*w]
		for x := range w {
			for c := range 4 {
				i := 8*x + c
				d[4*x+c] = uint8((int(a[i]) + int(a[i+4]) + int(b[i]) + int(b[i+4]) + 2) / 4)
			}
		}
	}
	return dst
}

// WritePNG writes a picture.
func WritePNG(w io.Writer, img image.Image) error {
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(w, img); err != nil {
		return fmt.Errorf("render: write PNG: %w", err)
	}
	return nil
}
