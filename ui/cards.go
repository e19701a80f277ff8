package ui

import "github.com/inkyblackness/imgui-go/v4"

// The windows inside the window: docks beside the scene, cards over it, dialogs over all.

// overlays are what lies beside and over the scene in a frame.
type overlays struct {
	docks        []dock
	cardX, cardY float32 // where the next card goes, pixels
	help         bool    // the keys are listed over everything
}

const dockFlags = imgui.WindowFlagsNoTitleBar | imgui.WindowFlagsNoResize | imgui.WindowFlagsNoMove |
	imgui.WindowFlagsNoCollapse | imgui.WindowFlagsNoSavedSettings | imgui.WindowFlagsNoBringToFrontOnFocus | imgui.WindowFlagsNoBackground

const cardFlags = imgui.WindowFlagsNoTitleBar | imgui.WindowFlagsNoResize | imgui.WindowFlagsNoMove | imgui.WindowFlagsNoCollapse |
	imgui.WindowFlagsNoSavedSettings | imgui.WindowFlagsNoScrollbar | imgui.WindowFlagsNoFocusOnAppearing |
	imgui.WindowFlagsNoNav | imgui.WindowFlagsAlwaysAutoResize

// seenThrough is a card that lets the mouse through.
const seenThrough = cardFlags | imgui.WindowFlagsNoInputs

func at(x, y float64) imgui.Vec2 { return imgui.Vec2{X: float32(x), Y: float32(y)} }

// dock is a part of the window that imgui fills; the shell paints its background.
type dock struct {
	x, y, w, h float32 // pixels, from the upper left corner
	color      uint32
}

// dock fills one, with so much room around the content, design pixels; 0: as the style has it.
func (g *gui) dock(name string, color uint32, pos, size, pad imgui.Vec2, content func()) {
	g.docks = append(g.docks, dock{pos.X, pos.Y, size.X, size.Y, color})
	if pad.X > 0 {
		imgui.PushStyleVarVec2(imgui.StyleVarWindowPadding, pad.Times(g.scale))
		defer imgui.PopStyleVar()
	}
	imgui.SetNextWindowPos(pos)
	imgui.SetNextWindowSize(size)
	imgui.PushStyleVarVec2(imgui.StyleVarWindowMinSize, imgui.Vec2{X: 1, Y: 1})
	flags := dockFlags
	if name != "panel" {
		flags |= imgui.WindowFlagsNoScrollbar | imgui.WindowFlagsNoScrollWithMouse
	}
	if imgui.BeginV(name, nil, flags) {
		content()
	}
	imgui.End()
	imgui.PopStyleVar()
}

// card is a window at the top of the scene, below the cards before it. Flags are cardFlags, and more.
func (g *gui) card(name string, alpha float32, flags imgui.WindowFlags, content func()) {
	high := g.cardAt(name, alpha, imgui.Vec2{X: g.cardX, Y: g.cardY}, imgui.Vec2{X: 0.5}, flags, content)
	g.cardY += high + g.px(8)
}

// cardAt is a window over the scene. It returns its height.
func (g *gui) cardAt(name string, alpha float32, at, pivot imgui.Vec2, flags imgui.WindowFlags, content func()) float32 {
	imgui.SetNextWindowPosV(at, imgui.ConditionAlways, pivot)
	imgui.SetNextWindowBgAlpha(alpha)
	imgui.PushStyleVarFloat(imgui.StyleVarWindowRounding, g.px(6))
	if imgui.BeginV(name, nil, flags) {
		content()
	}
	lo, size := imgui.WindowPos(), imgui.WindowSize()
	imgui.End()
	imgui.PopStyleVar()
	g.spot(name, lo, lo.Plus(size))
	return size.Y
}

// dialog is a card in the middle of the window, which has the keyboard.
func (g *gui) dialog(name string, wide float32, content func()) {
	imgui.SetNextWindowFocus()
	size := min(g.px(wide), float32(g.width)-g.px(24))
	g.centred(name, imgui.Vec2{X: size}, imgui.Vec2{X: g.px(18), Y: g.px(14)}, cardFlags, content)
}

// centred is a card in the middle of the window, as wide as its least size and as high as it takes, with so much room
// around the content.
func (g *gui) centred(name string, least, pad imgui.Vec2, flags imgui.WindowFlags, content func()) {
	w, h := float32(g.width), float32(g.height)
	imgui.SetNextWindowSizeConstraints(least, imgui.Vec2{X: least.X, Y: h - g.px(24)})
	imgui.PushStyleVarVec2(imgui.StyleVarWindowPadding, pad)
	g.cardAt(name, 1, imgui.Vec2{X: w / 2, Y: h / 2}, imgui.Vec2{X: 0.5, Y: 0.5}, flags, content)
	imgui.PopStyleVar()
}
