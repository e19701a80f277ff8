package ui

import "github.com/inkyblackness/imgui-go/v4"

// helpCard lists every binding, over everything, as large as the window allows. What does not fit scrolls, by wheel or
// keys.
func (g *gui) helpCard() {
	w, h := float32(g.width), float32(g.height)
	padX, padY, bar := g.px(20), g.px(14), imgui.CurrentStyle().ItemSpacing().X+g.px(11)
	keys := g.px(helpKeys)
	columns := 1 // as many as it takes to fit the usual window
	if w >= g.px(1.8*helpWide) {
		columns = 2
	}
	wide := min(g.px(helpWide)*float32(columns), w-g.px(24)-2*padX-bar)
	if each := wide / float32(columns); each < 2.2*keys { // a large text in a small window
		keys = each / 2.2
	}
	imgui.SetNextWindowPosV(imgui.Vec2{X: w / 2, Y: h / 2}, imgui.ConditionAlways, imgui.Vec2{X: 0.5, Y: 0.5})
	imgui.SetNextWindowSizeConstraints(imgui.Vec2{X: wide + 2*padX + bar, Y: g.px(80)}, imgui.Vec2{X: wide + 2*padX + bar, Y: h - g.px(24)})
	imgui.SetNextWindowBgAlpha(1)
	imgui.PushStyleVarFloat(imgui.StyleVarWindowRounding, g.px(6))
	imgui.PushStyleVarVec2(imgui.StyleVarWindowPadding, imgui.Vec2{X: padX, Y: padY})
	if imgui.BeginV("help", nil, cardFlags&^imgui.WindowFlagsNoScrollbar) {
		g.scrollHelp()
		imgui.PushTextWrapPosV(padX + wide)
		g.write(g.fonts.bold, inkColor, "Mouse and keys")
		imgui.SameLine()
		g.dim("  H or Esc closes this.")
		imgui.Spacing()
		if imgui.BeginTableV("bindings", columns, imgui.TableFlagsSizingStretchSame, imgui.Vec2{X: wide}, 0) {
			imgui.TableNextColumn()
			for i, b := range bindings {
				switch {
				case b.keys != "":
					helpLine(g, &b, keys)
				case columns > 1 && i > len(bindings)/3 && i < len(bindings)/2:
					imgui.TableNextColumn()
				default:
					imgui.Spacing()
					if columns == 1 { // it goes through all of them
						imgui.Separator()
					}
					imgui.Spacing()
				}
			}
			imgui.EndTable()
		}
		imgui.Spacing()
		g.dim("Panel: drag a value; Ctrl+click or double-click types one; right-click resets it.")
		g.mark("help/end")
		imgui.PopTextWrapPos()
	}
	lo, size := imgui.WindowPos(), imgui.WindowSize()
	imgui.End()
	imgui.PopStyleVarV(2)
	g.spot("help", lo, lo.Plus(size))
}

// helpLine is the line of one binding, with so much room for its keys.
func helpLine(g *gui, b *binding, keys float32) {
	x := imgui.CursorPosX()
	imgui.PushTextWrapPosV(x + keys - g.px(8))
	g.colored(accentColor, b.keys)
	imgui.PopTextWrapPos()
	imgui.SameLineV(keys, 0)
	imgui.PushTextWrapPosV(0)
	imgui.Text(b.does)
	imgui.PopTextWrapPos()
}

// Widths of the help and of its column of keys, pixels at scale 1.
const (
	helpWide = 620.0
	helpKeys = 192.0
)

// scrollHelp lets the keys scroll the help.
func (g *gui) scrollHelp() {
	step := imgui.TextLineHeight() * 3
	for _, k := range [...]struct {
		key int
		by  float32
	}{{keyUp, -step}, {keyDown, step}, {keyPageUp, -5 * step}, {keyPageDown, 5 * step}} {
		if imgui.IsKeyPressed(k.key) {
			imgui.SetScrollY(min(max(imgui.ScrollY()+k.by, 0), imgui.ScrollMaxY()))
		}
	}
}
