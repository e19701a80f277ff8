package render

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// Mode is how a body's surface is drawn.
type Mode uint8

// The modes, in the order that a menu shows. Colours of a field combine with any of them.
const (
	Shaded      Mode = iota // lit surface
	Edges                   // lit surface with its mesh drawn over it
	Wireframe               // mesh only
	Transparent             // see-through surface
)

// BodyView is how one body is shown. The zero value is visible and shaded.
type BodyView struct {
	Hidden bool
	Mode   Mode
	Field  bool // colour by the field that the frame holds
}

// Options say what Draw shows. DefaultOptions fills them; the caller may change any field between frames.
type Options struct {
	Bodies   []BodyView // by body index; bodies beyond its length use the zero BodyView
	Selected uint64     // ContactState.ID of the contact shown with its cone; 0: none

	// Clip cuts the bodies that the stylus does not drive: only points with Clip.xyz . p + Clip.w >= 0 are drawn, p in
	// world axes, m. Zero: nothing is cut.
	Clip mgl64.Vec4

	Display
}

// Display is the part of Options that is a matter of taste.
type Display struct {
	Ground  bool // grid with labelled cells
	Shadow  bool // soft shadow on the ground
	Triad   bool // axes in the lower left corner
	Overlay bool // text drawn by render: axis labels, grid and force scales, legend
	Fixed   bool // marks on nodes with Dirichlet conditions

	Handle bool // pen attached to a rigid driven body
	Ghost  bool // target pose of the stylus and the spring to it

	Points         bool    // contact points, coloured by status
	Normals        bool    // contact normals
	Forces         bool    // contact forces on the impactor
	Resultant      bool    // their resultant
	XRay           bool    // contacts show faintly through what covers them
	ForceScale     float64 // length of contact force arrows, m/N; 0: automatic
	ResultantScale float64 // length of the resultant arrow, m/N; 0: automatic

	FieldMax float64 // upper end of the field's colours, SI; 0: automatic
}

// DefaultOptions show everything except the mesh and the normals.
func DefaultOptions() Options {
	return Options{Display: Display{
		Ground: true, Shadow: true, Triad: true, Overlay: true, Fixed: true,
		Handle: true, Ghost: true,
		Points: true, Forces: true, Resultant: true, XRay: true,
	}}
}

// clips tells whether bodies are cut.
func (o *Options) clips() bool { return o.Clip != mgl64.Vec4{} }

// body gives the view of body i.
func (o *Options) body(i int) BodyView {
	if i < len(o.Bodies) {
		return o.Bodies[i]
	}
	return BodyView{}
}

// shows tells whether body i is shown in a mode.
func (o *Options) shows(i int, m Mode) bool { return !o.body(i).Hidden && o.body(i).Mode == m }

// Viewport is the part of the framebuffer that Draw fills.
type Viewport struct {
	X, Y          int     // lower left corner, framebuffer pixels, y up (as glViewport)
	Width, Height int     // framebuffer pixels
	Scale         float64 // framebuffer pixels per design pixel (content scale): widths of lines, points and text; 0 means 1
	// Resolution is how many pixels a side are drawn for each of the framebuffer, 0.1 to 1; 0 means 1. Less is faster
	// and coarser; text stays sharp.
	Resolution float64
}

func (v Viewport) scale() float64 {
	if v.Scale > 0 {
		return v.Scale
	}
	return 1
}

func (v Viewport) resolution() float64 {
	if v.Resolution > 0 {
		return min(max(v.Resolution, 0.1), 1)
	}
	return 1
}

// drawn is how many pixels are drawn for a length of so many framebuffer pixels.
func (v Viewport) drawn(pixels int) int32 {
	return max(1, int32(math.Round(float64(pixels)*v.resolution())))
}

func (v Viewport) aspect() float64 { return float64(v.Width) / float64(max(v.Height, 1)) }
