package ui

import (
	"math"

	"github.com/inkyblackness/imgui-go/v4"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"

	"hapco/physics"
	"hapco/render"
)

// Sizes at scale 1, pixels.
const (
	textSize   = 17.0 // height of a line of text as imgui counts it; capitals are 11 high
	smallSize  = 14.5 // axes, units, footnotes
	largeSize  = 30.0 // the force
	panelWidth = 388.0
	panelLeast = 300.0 // narrower it could not be used
	foldedWide = 24.0  // where it is folded away
	stripHigh  = 198.0 // plots in one row, tabs included
	tabHigh    = 19.0  // tabs of the plots
	rowHigh    = 140.0 // plots where there are two rows
	statusHigh = 27.0
	hudHigh    = 50.0 // the force, above the scene: nothing in the scene is ever under it
)

// fontSet is one font in the sizes that the window uses, at one scale.
type fontSet struct {
	text, bold, small, large imgui.Font
}

// typeface makes fonts for scales as they come up. The atlas only grows: a window that moves between two screens needs
// two sets and then no more.
type typeface struct {
	sets   map[float64]fontSet
	ranges imgui.AllocatedGlyphRanges
}

func newTypeface() *typeface {
	var b imgui.GlyphRangesBuilder
	b.Add(0x20, 0x17f)    // Latin
	b.Add(0x370, 0x3ff)   // Greek
	b.Add(0x2010, 0x203a) // dashes, quotation marks, ellipsis
	b.Add(0x2070, 0x2094) // superscripts and subscripts, where the font has them
	b.Add(0x2190, 0x2195) // arrows
	b.Add(0x2200, 0x2265) // ∂ ∑ − √ ∞ ≈ ≤ ≥
	b.Add(0x25a0, 0x25cf) // shapes
	return &typeface{sets: map[float64]fontSet{}, ranges: b.Build()}
}

// at returns the fonts for a scale and whether the atlas has to be uploaded again. Call it between frames.
func (t *typeface) at(scale float64, atlas imgui.FontAtlas) (set fontSet, rebuilt bool) {
	if set, ok := t.sets[scale]; ok {
		return set, false
	}
	add := func(ttf []byte, size float64) imgui.Font {
		return atlas.AddFontFromMemoryTTFV(ttf, float32(math.Round(size*scale)), imgui.DefaultFontConfig, t.ranges.GlyphRanges)
	}
	set = fontSet{
		text:  add(goregular.TTF, textSize),
		bold:  add(gobold.TTF, textSize),
		small: add(goregular.TTF, smallSize),
		large: add(goregular.TTF, largeSize),
	}
	t.sets[scale] = set
	return set, true
}

func rgb(hex uint32) imgui.Vec4 { return rgba(hex, 1) }

func rgba(hex uint32, a float32) imgui.Vec4 {
	return imgui.Vec4{X: float32(hex>>16&0xff) / 255, Y: float32(hex>>8&0xff) / 255, Z: float32(hex&0xff) / 255, W: a}
}

func packed(hex uint32) imgui.PackedColor { return imgui.PackedColorFromVec4(rgb(hex)) }

func packedA(hex uint32, a float32) imgui.PackedColor {
	return imgui.PackedColorFromVec4(rgba(hex, a))
}

// The palette: one blue-grey family, one accent, and hues that people with impaired colour vision tell apart [Okabe,
// Ito 2008].
const (
	inkColor    uint32 = 0xe6e9ef // text
	dimColor    uint32 = 0x98a2b3 // symbols, axes, hints
	faintColor  uint32 = 0x5b6472
	panelColor  uint32 = 0x1b1f27
	frameColor  uint32 = 0x2a303b
	frameHover  uint32 = 0x343c4a
	frameActive uint32 = 0x3d4757
	lineColor   uint32 = 0x323946
	deepColor   uint32 = 0x14171d // behind plots and the status line
	accentColor uint32 = 0x56b4e9
	fillColor   uint32 = 0x2f6690 // of a slider
	fillHover   uint32 = 0x3979a8
	warnColor   uint32 = 0xe69f00
	badColor    uint32 = 0xf0705a
	goodColor   uint32 = 0x35c08d
)

// statusColor is the colour of a contact's status, the same as in the scene.
func statusColor(s physics.Status) uint32 {
	if int(s) >= len(render.StatusColors) {
		return dimColor
	}
	c := render.StatusColors[s]
	return uint32(c[0]*255+0.5)<<16 | uint32(c[1]*255+0.5)<<8 | uint32(c[2]*255+0.5)
}

// styleFor sets colours and, from scratch, sizes for a scale.
func styleFor(scale float64) {
	imgui.StyleColorsDark()
	s := imgui.CurrentStyle()
	k := float32(scale)
	px := func(v float32) float32 { return float32(math.Round(float64(v * k))) }
	v2 := func(x, y float32) imgui.Vec2 { return imgui.Vec2{X: px(x), Y: px(y)} }

	s.SetAntiAliasedLinesUseTex(false) // their pictures would need a filter, see setAtlas
	s.SetWindowPadding(v2(12, 10))
	s.SetFramePadding(v2(8, 2))
	s.SetItemSpacing(v2(7, 4))
	s.SetItemInnerSpacing(v2(7, 4))
	s.SetCellPadding(v2(5, 2))
	s.SetIndentSpacing(px(14))
	s.SetScrollbarSize(px(11))
	s.SetGrabMinSize(px(10))
	s.SetWindowRounding(0)
	s.SetChildRounding(px(4))
	s.SetFrameRounding(px(3))
	s.SetPopupRounding(px(5))
	s.SetScrollbarRounding(px(6))
	s.SetGrabRounding(px(3))
	s.SetTabRounding(px(3))
	s.SetWindowBorderSize(0)
	s.SetFrameBorderSize(0)
	s.SetPopupBorderSize(1)
	s.SetWindowMinSize(v2(20, 20))

	for id, c := range map[imgui.StyleColorID]imgui.Vec4{
		imgui.StyleColorText:                 rgb(inkColor),
		imgui.StyleColorTextDisabled:         rgb(dimColor),
		imgui.StyleColorWindowBg:             rgb(panelColor),
		imgui.StyleColorChildBg:              rgba(0, 0),
		imgui.StyleColorPopupBg:              rgba(0x232934, 0.98),
		imgui.StyleColorBorder:               rgb(0x424b5a),
		imgui.StyleColorFrameBg:              rgb(frameColor),
		imgui.StyleColorFrameBgHovered:       rgb(frameHover),
		imgui.StyleColorFrameBgActive:        rgb(frameActive),
		imgui.StyleColorScrollbarBg:          rgba(0, 0),
		imgui.StyleColorScrollbarGrab:        rgb(0x3a4250),
		imgui.StyleColorScrollbarGrabHovered: rgb(0x4a5465),
		imgui.StyleColorScrollbarGrabActive:  rgb(0x5a6679),
		imgui.StyleColorCheckMark:            rgb(accentColor),
		imgui.StyleColorSliderGrab:           rgb(accentColor),
		imgui.StyleColorButton:               rgb(0x333b48),
		imgui.StyleColorButtonHovered:        rgb(0x404b5c),
		imgui.StyleColorButtonActive:         rgb(fillColor),
		imgui.StyleColorHeader:               rgb(0x262c36),
		imgui.StyleColorHeaderHovered:        rgb(0x303845),
		imgui.StyleColorHeaderActive:         rgb(0x384251),
		imgui.StyleColorSeparator:            rgb(lineColor),
		imgui.StyleColorTableHeaderBg:        rgb(0x232934),
		imgui.StyleColorTableBorderStrong:    rgb(lineColor),
		imgui.StyleColorTableBorderLight:     rgb(0x272d37),
		imgui.StyleColorTableRowBgAlt:        rgba(0xffffff, 0.025),
		imgui.StyleColorTextSelectedBg:       rgb(fillColor),
		imgui.StyleColorPlotHistogram:        rgb(accentColor),
		imgui.StyleColorNavHighlight:         rgb(accentColor),
		imgui.StyleColorModalWindowDarkening: rgba(0x0b0d11, 0.6),
	} {
		s.SetColor(id, c)
	}
}
