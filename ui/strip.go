package ui

import "github.com/inkyblackness/imgui-go/v4"

// picture is what the strip is made of.
type picture interface {
	draw(g *gui, size imgui.Vec2, now float64)
}

// Sizes of plots that can be read, pixels at scale 1.
const (
	leastPlot     = 170.0 // wide
	leastPlotHigh = 104.0
)

// plotGrid lays count plots out, w wide, each at least least wide: in as few rows as that allows, and evenly.
func plotGrid(count int, w, gap, least float32) (columns, rows int) {
	columns = min(max(int((w+gap)/(least+gap)), 1), count)
	rows = (count + columns - 1) / columns
	return (count + rows - 1) / rows, rows
}

// stripGrid is plotGrid for the page on screen.
func (pl *plots) stripGrid(w float32) (columns, rows int) {
	g := pl.gui
	if len(pl.pictures()) == 1 {
		return 1, 1
	}
	return plotGrid(max(len(pl.pictures()), 3), w, g.px(6), g.px(leastPlot))
}

// stripHigh is the height of the plots under a scene w wide in a window h high.
func (pl *plots) high(w, h float32) float32 {
	g := pl.gui
	if pl.pictures(); pl.large != nil {
		return h - max(0.14*h, g.px(84))
	}
	if _, rows := pl.stripGrid(w - g.px(12)); rows > 1 {
		return min(g.px(tabHigh+20+float32(rows)*rowHigh), 0.42*h)
	}
	return min(g.px(stripHigh), 0.37*h)
}

// strip holds the plots of a page. Where they have no room they scroll.
func (pl *plots) strip() {
	g := pl.gui
	pl.tabs()
	pictures := pl.pictures()
	page := pl.current()
	page.name(pl.scene.snap, pl.scene.keys, pl.scene.values)
	gap := g.px(6)
	avail := imgui.ContentRegionAvail()
	columns, rows := pl.stripGrid(avail.X)
	size := imgui.Vec2{Y: (avail.Y - gap*float32(rows-1)) / float32(rows)}
	if least := g.px(leastPlotHigh); size.Y < least && rows > 1 {
		size.Y = least
		avail.X -= g.px(13) // the scroll bar
	}
	size.X = (avail.X - gap*float32(columns-1)) / float32(columns)
	pl.hold = pl.hold || g.back > 0
	now := page.now() - g.back
	imgui.PushStyleVarVec2(imgui.StyleVarItemSpacing, imgui.Vec2{X: gap, Y: gap})
	imgui.PushStyleVarVec2(imgui.StyleVarWindowPadding, imgui.Vec2{})
	imgui.BeginChildV("rows", imgui.Vec2{}, false, imgui.WindowFlagsNone)
	for i, p := range pictures {
		beside(i%columns, gap)
		p.draw(g, size, now)
		if imgui.IsItemHovered() && imgui.IsMouseDoubleClicked(0) {
			if pl.large == nil {
				pl.large = p
			} else {
				pl.large = nil
			}
		}
	}
	imgui.EndChild()
	imgui.PopStyleVarV(2)
}
