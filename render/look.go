package render

import (
	"github.com/go-gl/mathgl/mgl64"

	"hapco/physics"
)

// look is how a body's material reflects light.
type look struct {
	albedo       [3]float32 // linear
	dark, bright [3]float32 // sRGB of mesh lines over and without the surface
	bleed        float32    // how far light wraps into the shade, 0..1
	gloss        float32    // exponent of the narrow highlight
	specular     float32    // its strength, 0..1
	metal        float32    // 1 tints reflections
	mottle       float32    // unevenness of the colour, 0..1
}

// newLook derives it from what physics says of the body.
func newLook(b *physics.SurfaceInfo) look {
	var l look
	c := b.Color
	if c == (mgl64.Vec3{}) {
		c = mgl64.Vec3{0.72, 0.72, 0.74} // no colour given: neutral grey
	}
	for i := range 3 {
		v := mgl64.Clamp(c[i], 0, 1)
		l.albedo[i] = float32(v * v) // as toLinear of frame.glsl
		l.dark[i] = float32(0.22 * v)
		l.bright[i] = float32(0.25 + 0.75*v)
	}
	switch {
	case b.Material == "aluminium" || b.Material == "steel":
		l.gloss, l.specular, l.metal = 90, 0.55, 0.75
	case b.Rigid:
		l.gloss, l.specular, l.metal = 140, 0.6, 0.35
	case b.Material == "rubber":
		l.gloss, l.specular, l.bleed = 18, 0.12, 0.1
	default: // tissue and the like: wet and uneven
		l.gloss, l.specular, l.bleed, l.mottle = 150, 0.36, 0.7, 0.5
	}
	return l
}

// rgb is an sRGB colour.
type rgb = [3]float32

// Colours of contacts, from Okabe and Ito's set for every kind of colour vision. Shapes differ too: open is a ring,
// stick a disc, slip a diamond.
var (
	openColor      = rgb{0.72, 0.74, 0.77}
	stickColor     = rgb{0.34, 0.71, 0.91}
	slipColor      = rgb{0.95, 0.62, 0.05}
	normalColor    = rgb{0.90, 0.92, 0.95}
	resultantColor = rgb{0.97, 0.92, 0.42}
	fixedColor     = rgb{0.16, 0.19, 0.24}
)

var axisColors = [3]rgb{{0.96, 0.38, 0.34}, {0.42, 0.78, 0.40}, {0.36, 0.60, 0.98}}

// ghostColor is that of the target's ghost and its spring.
var ghostColor = rgb{0.62, 0.80, 1.0}

// frameColors are those of a contact's n, t1 and t2.
var frameColors = [3]rgb{normalColor, {0.96, 0.55, 0.62}, {0.55, 0.85, 0.50}}

// StatusColors are the sRGB colours of contact points by physics.Status, for the panel's own legend.
var StatusColors = [3][3]float32{openColor, stickColor, slipColor}
