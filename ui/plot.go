package ui

import (
	"math"
	"strconv"

	"github.com/inkyblackness/imgui-go/v4"
)

// curve is one line of a plot.
type curve struct {
	name  string
	color uint32
	thick float32
}

// plot shows the channels of a history over the last seconds.
type plot struct {
	title   string
	about   string
	unit    quantity
	hist    *history
	curves  []curve
	axis    axis
	stacked bool    // areas one on another instead of lines
	floor   float64 // the axis always reaches from floor
	top     float64 // ... to at least top
	mark    float64 // a dashed line; 0: none
	integer bool
	total   bool // the corner shows the sum of the channels
	key     int  // channel whose newest value stands in the corner
}

func (p *plot) text(v float64) string {
	if p.integer && v == math.Trunc(v) && math.Abs(v) < 1e6 {
		return strconv.Itoa(int(v))
	}
	if p.axis.log && v != 0 {
		return power(v, 1)
	}
	return p.unit.text(v)
}

// newest is the value in the corner; NaN while there is none.
func (p *plot) newest() float64 {
	if !p.total {
		return p.hist.last(p.key)
	}
	sum := 0.0
	for c := range p.curves {
		sum += p.hist.last(c)
	}
	return sum
}

// draw fills a rectangle at the cursor. now is the right end, s.
func (p *plot) draw(g *gui, size imgui.Vec2, now float64) {
	imgui.InvisibleButton("##plot"+p.title, size)
	g.mark("plot " + p.title)
	hovered := imgui.IsItemHovered()
	lo, hi := imgui.ItemRectMin(), imgui.ItemRectMax()
	list := imgui.WindowDrawList()
	list.AddRectFilledV(lo, hi, packed(deepColor), g.px(4), imgui.DrawFlagsNone)

	// heading: title on the left, newest value on the right, curves below
	pad := g.px(8)
	imgui.PushFont(g.fonts.text)
	value := "–"
	if v := p.newest(); !math.IsNaN(v) {
		value = p.text(v)
	}
	vs := imgui.CalcTextSize(value, false, 0)
	list.AddText(imgui.Vec2{X: lo.X + pad, Y: lo.Y + g.px(5)}, packed(inkColor), p.title)
	color := packed(p.curves[p.key].color)
	if p.total {
		color = packed(inkColor)
	}
	list.AddText(imgui.Vec2{X: hi.X - pad - vs.X, Y: lo.Y + g.px(5)}, color, value)
	imgui.PopFont()
	imgui.PushFont(g.fonts.small)
	defer imgui.PopFont()
	line := imgui.TextLineHeight()
	x, y := lo.X+pad, lo.Y+g.px(7)+vs.Y
	for _, c := range p.curves {
		w := imgui.CalcTextSize(c.name, false, 0).X
		if x+w+g.px(12) > hi.X-pad+g.px(4) && x > lo.X+pad {
			x, y = lo.X+pad, y+line+g.px(1)
		}
		list.AddRectFilledV(imgui.Vec2{X: x, Y: y + line/2 - g.px(2)}, imgui.Vec2{X: x + g.px(9), Y: y + line/2 + g.px(2)}, packed(c.color), g.px(1), imgui.DrawFlagsNone)
		list.AddText(imgui.Vec2{X: x + g.px(12), Y: y}, packed(dimColor), c.name)
		x += w + g.px(20)
	}

	// frame of the curves
	a := imgui.Vec2{X: lo.X + g.px(52), Y: y + line + g.px(7)}
	b := imgui.Vec2{X: hi.X - pad, Y: hi.Y - g.px(6) - line}
	if b.X-a.X < g.px(40) || b.Y-a.Y < g.px(20) {
		return
	}
	first := p.hist.since(now - historySpan)
	p.fitAxis(first)
	p.grid(g, list, a, b, lo.X+g.px(4), line)
	list.PushClipRectV(a, b, true)
	if p.stacked {
		p.areas(g, list, a, b, first, now)
	} else {
		p.lines(g, list, a, b, first, now)
	}
	if p.mark > 0 {
		my := b.Y - float32(p.axis.at(p.mark))*(b.Y-a.Y)
		for dx := a.X; dx < b.X; dx += g.px(9) {
			list.AddLineV(imgui.Vec2{X: dx, Y: my}, imgui.Vec2{X: min(dx+g.px(5), b.X), Y: my}, packedA(warnColor, 0.8), g.px(1))
		}
	}
	list.PopClipRect()
	if hovered {
		// above the plot, whose curves it would cover, and inside the window
		half := g.px(185)
		x := min(max(imgui.MousePos().X, half), g.width-half)
		imgui.SetNextWindowPosV(imgui.Vec2{X: x, Y: lo.Y - g.px(6)}, imgui.ConditionAlways, imgui.Vec2{X: 0.5, Y: 1})
		p.readOut(g, list, a, b, now)
	}
}

// fitAxis fits the axis to what is in sight.
func (p *plot) fitAxis(first int) {
	lo, hi := math.Inf(1), math.Inf(-1)
	for c := range p.curves {
		if l, h, ok := p.hist.extent(c, first, p.axis.log); ok {
			lo, hi = min(lo, l), max(hi, h)
		}
	}
	if p.stacked {
		for i := first; i < p.hist.count; i++ {
			sum := 0.0
			for c := range p.curves {
				sum += p.hist.value(c, i)
			}
			if sum > hi && !math.IsInf(sum, 0) {
				hi = sum
			}
		}
	}
	if p.axis.log {
		if p.mark > 0 {
			lo, hi = min(lo, p.mark), max(hi, p.mark)
		}
		if lo > hi {
			lo, hi = 1e-4, 1
		}
		lo = max(lo, 1e-17)
		hi = max(hi, lo)
	} else {
		lo, hi = min(lo, p.floor), max(hi, p.top)
	}
	p.axis.fit(lo, hi)
}

func (p *plot) grid(g *gui, list imgui.DrawList, a, b imgui.Vec2, left, line float32) {
	n := int(math.Round((p.axis.hi - p.axis.lo) / p.axis.step))
	for i := 0; i <= n && i <= 12; i++ {
		v := p.axis.lo + float64(i)*p.axis.step
		y := b.Y - float32(i)/float32(max(n, 1))*(b.Y-a.Y)
		list.AddLineV(imgui.Vec2{X: a.X, Y: y}, imgui.Vec2{X: b.X, Y: y}, packed(0x2b313c), g.px(1))
		text := ""
		switch {
		case p.axis.log:
			text = "1e" + strconv.Itoa(int(v))
		case p.integer:
			text = strconv.FormatFloat(roundDigits(v, 3), 'g', -1, 64)
			if v >= 1e4 {
				text = power(v, 1)
			}
		default:
			u := p.unit.unitFor(max(math.Abs(p.axis.lo), math.Abs(p.axis.hi)))
			text = strconv.FormatFloat(roundDigits(v/u.scale, 6), 'f', -1, 64)
			if i == n && u.name != "" {
				text += " " + u.name
			}
		}
		w := imgui.CalcTextSize(text, false, 0).X
		list.AddText(imgui.Vec2{X: max(left, a.X-g.px(6)-w), Y: y - line/2}, packed(dimColor), text)
	}
	for s := 0.0; s <= historySpan; s += 5 {
		x := b.X - float32(s/historySpan)*(b.X-a.X)
		list.AddLineV(imgui.Vec2{X: x, Y: a.Y}, imgui.Vec2{X: x, Y: b.Y}, packed(0x2b313c), g.px(1))
		text, shift := "−"+strconv.Itoa(int(s))+" s", float32(0.5)
		if s == 0 {
			text, shift = "now", 1
		}
		w := imgui.CalcTextSize(text, false, 0).X
		list.AddText(imgui.Vec2{X: x - shift*w, Y: b.Y + g.px(3)}, packed(dimColor), text)
	}
}

// column maps a time to a horizontal place.
func column(a, b imgui.Vec2, t, now float64) float32 {
	return b.X - float32((now-t)/historySpan)*(b.X-a.X)
}

// lines draws each curve with at most one segment a pixel column; between two
// columns the highest and lowest sample are kept, so that no spike is lost.
func (p *plot) lines(g *gui, list imgui.DrawList, a, b imgui.Vec2, first int, now float64) {
	high := b.Y - a.Y
	for c := len(p.curves) - 1; c >= 0; c-- {
		color := packed(p.curves[c].color)
		thick := g.px(p.curves[c].thick)
		var px, py float32
		have := false
		i := max(first-1, 0) // one before the left end, so that the line reaches it
		for i < p.hist.count {
			x := column(a, b, p.hist.time(i), now)
			lo, hi, end := math.Inf(1), math.Inf(-1), 0.0
			for ; i < p.hist.count && column(a, b, p.hist.time(i), now) < x+1; i++ {
				v := p.hist.value(c, i)
				if math.IsNaN(v) || p.axis.log && v <= 0 {
					continue
				}
				lo, hi, end = min(lo, v), max(hi, v), v
			}
			if lo > hi {
				have = false // a gap, as when nothing is in contact
				continue
			}
			ylo, yhi := b.Y-float32(p.axis.at(lo))*high, b.Y-float32(p.axis.at(hi))*high
			ye := b.Y - float32(p.axis.at(end))*high
			if have {
				list.AddLineV(imgui.Vec2{X: px, Y: py}, imgui.Vec2{X: x, Y: ye}, color, thick)
			}
			if ylo-yhi > g.px(2) {
				list.AddLineV(imgui.Vec2{X: x, Y: ylo}, imgui.Vec2{X: x, Y: yhi}, color, thick)
			}
			px, py, have = x, ye, true
		}
	}
}

// areas stacks the curves, two pixels a column.
func (p *plot) areas(g *gui, list imgui.DrawList, a, b imgui.Vec2, first int, now float64) {
	high := float64(b.Y - a.Y)
	wide := max(g.px(2), 2)
	i := max(first-1, 0)
	for i < p.hist.count {
		x := column(a, b, p.hist.time(i), now)
		at, most := i, -1.0
		for ; i < p.hist.count && column(a, b, p.hist.time(i), now) < x+wide; i++ {
			sum := 0.0
			for c := range p.curves {
				sum += p.hist.value(c, i)
			}
			if sum > most { // the slowest step of the column is the one to see
				at, most = i, sum
			}
		}
		right := x + wide
		if i < p.hist.count {
			right = column(a, b, p.hist.time(i), now)
		}
		base := 0.0
		for c := range p.curves {
			v := p.hist.value(c, at)
			y0, y1 := p.axis.at(base), p.axis.at(base+v)
			base += v
			if y1 > y0 {
				list.AddRectFilled(imgui.Vec2{X: x, Y: b.Y - float32(y1*high)}, imgui.Vec2{X: right, Y: b.Y - float32(y0*high)}, packed(p.curves[c].color))
			}
		}
	}
}

// readOut shows the values under the pointer.
func (p *plot) readOut(g *gui, list imgui.DrawList, a, b imgui.Vec2, now float64) {
	x := imgui.MousePos().X
	if x < a.X || x > b.X {
		g.hint(p.about)
		return
	}
	t := now - float64((b.X-x)/(b.X-a.X))*historySpan
	i := p.hist.nearest(t)
	if i < 0 || p.hist.time(i) < now-historySpan {
		g.hint(p.about)
		return
	}
	at := column(a, b, p.hist.time(i), now)
	list.AddLineV(imgui.Vec2{X: at, Y: a.Y}, imgui.Vec2{X: at, Y: b.Y}, packedA(inkColor, 0.5), g.px(1))
	g.beginTip()
	imgui.Text(p.title + ", " + digits(now-p.hist.time(i), 2) + " s ago")
	sum := 0.0
	for c := range p.curves {
		v := p.hist.value(c, i)
		sum += v
		text := "–"
		if !math.IsNaN(v) {
			text = p.text(v)
		}
		g.colored(p.curves[c].color, p.curves[c].name+"  "+text)
	}
	if p.stacked {
		imgui.Text("total  " + p.text(sum))
	}
	g.dim(p.about)
	g.endTip()
}
