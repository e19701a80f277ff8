package render

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// overlay collects the flat things drawn over the scene.
type overlay struct {
	font  *fontAtlas
	size  float64 // pixels that font was made for
	verts []float32
	line  []byte // the text being put together
}

// rgba is an sRGB colour with opacity.
type rgba = [4]float32

func faded(c rgba, a float32) rgba { return rgba{c[0], c[1], c[2], a} }

func (o *overlay) quad(x0, y0, x1, y1, u0, v0, u1, v1 float32, top, bottom rgba) {
	corner := func(x, y, u, v float32, c *rgba) {
		o.verts = append(o.verts, x, y, u, v, c[0], c[1], c[2], c[3])
	}
	corner(x0, y0, u0, v0, &top)
	corner(x0, y1, u0, v1, &bottom)
	corner(x1, y1, u1, v1, &bottom)
	corner(x0, y0, u0, v0, &top)
	corner(x1, y1, u1, v1, &bottom)
	corner(x1, y0, u1, v0, &top)
}

// rect fills a rectangle with a colour that runs from top to bottom.
func (o *overlay) rect(x, y, w, h float64, top, bottom rgba) {
	u, v := o.font.whiteUV[0], o.font.whiteUV[1]
	o.quad(float32(x), float32(y), float32(x+w), float32(y+h), u, v, u, v, top, bottom)
}

// width is how far s reaches, pixels.
func (o *overlay) width(s []byte) float64 {
	w := float32(0)
	for i := 0; i < len(s); {
		c, n := utf8.DecodeRune(s[i:])
		w += o.font.glyph(c).advance
		i += n
	}
	return float64(w)
}

// text writes s with its upper left corner at (x, y).
func (o *overlay) text(x, y float64, s []byte, c rgba) {
	size := o.font.pixels.Rect
	iw, ih := 1/float32(size.Dx()), 1/float32(size.Dy())
	px, py := float32(math.Round(x)), float32(math.Round(y))
	for i := 0; i < len(s); {
		ch, n := utf8.DecodeRune(s[i:])
		g := o.font.glyph(ch)
		if g.w > 0 {
			x0, y0 := px+g.left, py+g.top
			o.quad(x0, y0, x0+g.w, y0+g.h, g.x*iw, g.y*ih, (g.x+g.w)*iw, (g.y+g.h)*ih, c, c)
		}
		px += g.advance
		i += n
	}
}

// buildOverlay writes what Options.Overlay asks for.
func (sc *scene) buildOverlay(cam *Camera, opt *Options, vp Viewport) {
	o := &sc.overlay
	o.verts = o.verts[:0]
	if !opt.Overlay {
		return
	}
	k := vp.scale()
	if o.font == nil || o.size != fontPixels*k {
		f, err := newFontAtlas(fontPixels * k)
		if err != nil {
			panic(err) // the font is part of the program; a test reads it
		}
		o.font, o.size = f, fontPixels*k
	}
	ink := inkColor
	soft := faded(ink, 0.72)
	if opt.Triad {
		for i, at := range triadLabels(cam, vp) {
			c := axisColors[i]
			o.line = append(o.line[:0], "XYZ"[i])
			o.text(at[0]-o.width(o.line)/2, at[1]-float64(o.font.height)/2, o.line, rgba{0.5*c[0] + 0.5*ink[0], 0.5*c[1] + 0.5*ink[1], 0.5*c[2] + 0.5*ink[2], 1})
		}
	}
	if !sc.ready {
		return
	}
	if sc.cone.shown {
		for i, name := range [...]string{"n", "t1", "t2"} {
			if x, y, _, ok := cam.project(sc.cone.ends[i], vp.Width, vp.Height); ok {
				c := frameColors[i]
				o.line = append(o.line[:0], name...)
				o.text(x-o.width(o.line)/2, y-float64(o.font.height)/2, o.line, rgba{c[0], c[1], c[2], 1})
			}
		}
	}
	sc.overlayScales(opt, vp, soft)
	if sc.field.shown {
		sc.overlayLegend(vp, ink, soft)
	}
}

// overlayScales says what a grid cell and the arrows are worth, lower right.
func (sc *scene) overlayScales(opt *Options, vp Viewport, soft rgba) {
	o, k := &sc.overlay, vp.scale()
	x, y := float64(vp.Width)-16*k, float64(vp.Height)-14*k
	row := func(what string, length float64) (width float64) {
		o.line = appendLength(append(o.line[:0], what...), length)
		y -= float64(o.font.height) + 3*k
		width = o.width(o.line)
		o.text(x-width, y, o.line, soft)
		return width
	}
	if opt.Ground && sc.ground.cell > 0 {
		row("grid ", sc.ground.cell)
	}
	for i, what := range [...]string{"contact forces 1 N = ", "resultant 1 N = "} {
		if sc.forces.metresPerN[i] > 0 {
			w := row(what, sc.forces.metresPerN[i])
			c := [...]rgb{stickColor, resultantColor}[i]
			o.rect(x-w-18*k, y+float64(o.font.height)/2-1.5*k, 12*k, 3*k, rgba{c[0], c[1], c[2], 1}, rgba{c[0], c[1], c[2], 1})
		}
	}
}

// overlayLegend draws the colours of the field, right of the middle.
func (sc *scene) overlayLegend(vp Viewport, ink, soft rgba) {
	o, k := &sc.overlay, vp.scale()
	l := &sc.field.legend
	w, h := 14*k, min(220*k, 0.4*float64(vp.Height))
	x, y := float64(vp.Width)-76*k, 52*k
	line := float64(o.font.height)

	o.line = append(o.line[:0], l.Title...)
	if l.Unit != "" {
		o.line = append(o.line, ", "...)
		o.line = append(o.line, l.Unit...)
	}
	o.text(float64(vp.Width)-16*k-o.width(o.line), y-line-8*k, o.line, ink)

	edge := faded(ink, 0.55)
	o.rect(x-k, y-k, w+2*k, h+2*k, edge, edge)
	const steps = 64
	for i := range steps {
		a, b := colorMap[255-i*255/steps], colorMap[255-(i+1)*255/steps]
		o.rect(x, y+h*float64(i)/steps, w, h/steps, mapColor(a), mapColor(b))
	}
	if !(l.Step > 0) {
		return
	}
	for i := int(math.Ceil(l.Min/l.Step - 1e-9)); float64(i)*l.Step <= l.Max*(1+1e-9); i++ {
		v := float64(i) * l.Step
		ty := y + h*(l.Max-v)/(l.Max-l.Min)
		o.rect(x+w, ty-0.5*k, 5*k, max(1, k), edge, edge)
		o.line = appendRound(o.line[:0], v)
		o.text(x+w+9*k, ty-line/2, o.line, soft)
	}
}

func mapColor(c [3]uint8) rgba {
	return rgba{float32(c[0]) / 255, float32(c[1]) / 255, float32(c[2]) / 255, 1}
}

// appendLength writes a length in the unit that suits it.
func appendLength(dst []byte, m float64) []byte {
	switch {
	case m >= 1:
		return append(appendRound(dst, m), " m"...)
	case m >= 1e-4:
		return append(appendRound(dst, m*1e3), " mm"...)
	}
	return append(appendRound(dst, m*1e6), " µm"...)
}

// appendRound writes v with at most three significant digits.
func appendRound(dst []byte, v float64) []byte {
	if v == 0 {
		return append(dst, '0')
	}
	if size := math.Abs(v); size < 1e-3 || size >= 1e7 { // digits would be zeros
		return strconv.AppendFloat(dst, v, 'g', 3, 64)
	}
	digits := max(0, 2-int(math.Floor(math.Log10(math.Abs(v)))))
	dst = strconv.AppendFloat(dst, v, 'f', digits, 64)
	if digits > 0 { // strip zeros that say nothing
		for dst[len(dst)-1] == '0' {
			dst = dst[:len(dst)-1]
		}
		if dst[len(dst)-1] == '.' {
			dst = dst[:len(dst)-1]
		}
	}
	return dst
}

// ForceScales are the lengths of the arrows of contact forces and of their resultant in the last Draw, m/N; 0 where
// none were drawn.
func (r *Renderer) ForceScales() (contacts, resultant float64) {
	return r.scene.forces.metresPerN[0], r.scene.forces.metresPerN[1]
}
