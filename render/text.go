package render

import (
	"fmt"
	"image"
	"image/draw"
	"unsafe"

	"github.com/go-gl/gl/v3.3-core/gl"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// fontPixels is the size of text in design pixels.
const fontPixels = 13.5

const firstRune, lastRune = ' ', '~'

// extraRunes are drawn besides printable ASCII.
var extraRunes = [...]rune{'µ', 'σ', 'ρ', '·', '–'}

// fontAtlas is text drawn once into a grey picture, and where each letter is.
type fontAtlas struct {
	pixels  *image.Alpha
	glyphs  [lastRune - firstRune + 1 + len(extraRunes)]glyph
	height  float32 // between lines, pixels
	whiteUV [2]float32
}

type glyph struct {
	x, y, w, h float32 // in the picture, pixels
	left, top  float32 // from the pen to the upper left corner, y down
	advance    float32
}

// newFontAtlas draws the letters at a size in pixels.
func newFontAtlas(pixels float64) (*fontAtlas, error) {
	parsed, err := opentype.Parse(goregular.TTF)
	if err != nil {
		return nil, fmt.Errorf("render: embedded font: %w", err)
	}
	face, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: pixels, DPI: 72, Hinting: font.HintingFull})
	if err != nil {
		return nil, fmt.Errorf("render: embedded font: %w", err)
	}
	defer face.Close()
	m := face.Metrics()
	a := &fontAtlas{height: float32(m.Height.Ceil())}

	cell := m.Height.Ceil() + 4
	const columns = 16
	rows := (len(a.glyphs)+columns-1)/columns + 1 // the last row holds the white texel
	a.pixels = image.NewAlpha(image.Rect(0, 0, columns*cell, rows*cell))
	for i := range a.glyphs {
		c := rune(firstRune + i)
		if c > lastRune {
			c = extraRunes[i-(lastRune-firstRune+1)]
		}
		x, y := i%columns*cell+2, i/columns*cell+2
		dot := fixed.P(x, y+m.Ascent.Ceil())
		r, mask, at, advance, ok := face.Glyph(dot, c)
		if !ok {
			continue
		}
		draw.Draw(a.pixels, r, mask, at, draw.Src)
		a.glyphs[i] = glyph{
			x: float32(r.Min.X), y: float32(r.Min.Y), w: float32(r.Dx()), h: float32(r.Dy()),
			left: float32(r.Min.X - x), top: float32(r.Min.Y - y), advance: float32(advance) / 64,
		}
	}
	size := a.pixels.Rect
	draw.Draw(a.pixels, image.Rect(0, size.Max.Y-4, 4, size.Max.Y), image.Opaque, image.Point{}, draw.Src)
	a.whiteUV = [2]float32{2 / float32(size.Dx()), 1 - 2/float32(size.Dy())}
	return a, nil
}

func (a *fontAtlas) glyph(c rune) *glyph {
	if c >= firstRune && c <= lastRune {
		return &a.glyphs[c-firstRune]
	}
	for i, e := range extraRunes {
		if e == c {
			return &a.glyphs[lastRune-firstRune+1+i]
		}
	}
	return &a.glyphs['?'-firstRune]
}

// textFloats a vertex: place 2, texture 2, colour 4. Rectangles of six vertices.
const textFloats = 8

// text is the GPU part of the overlay.
type text struct {
	vao, texture uint32
	data         stream
	font         *fontAtlas // the one in the texture
}

func (r *Renderer) initText() {
	t := &r.text
	t.texture, t.data.id = r.own.texture(), r.own.buffer()
	t.vao = r.own.vertexArray(t.data.id, 4, 4)
}

// drawText draws the overlay's rectangles and letters over everything.
func (r *Renderer) drawText(vp Viewport) {
	o := &r.scene.overlay
	if len(o.verts) == 0 {
		return
	}
	t := &r.text
	gl.ActiveTexture(gl.TEXTURE0)
	gl.BindTexture(gl.TEXTURE_2D, t.texture)
	if t.font != o.font {
		t.font = o.font
		p := o.font.pixels
		FillCoverage(t.texture, p.Rect.Dx(), p.Rect.Dy(), unsafe.Pointer(&p.Pix[0]), gl.LINEAR)
	}
	t.data.upload(o.verts)
	disable(gl.DEPTH_TEST, gl.CULL_FACE)
	gl.Enable(gl.BLEND)
	gl.UseProgram(r.prog.text.id)
	gl.Uniform2f(r.prog.text.at[uSize], float32(vp.Width), float32(vp.Height))
	gl.BindVertexArray(t.vao)
	gl.DrawArrays(gl.TRIANGLES, 0, int32(len(o.verts)/textFloats))
}
