package ui

import (
	"cmp"
	"math"
	"strconv"

	"github.com/inkyblackness/imgui-go/v4"
)

// curve is one line of a plot.
type curve struct {
	name  string
	color uint32
	thick float32

	dashed   bool
	unlisted bool // not in the legend
	mate     int  // in the legend, another curve's colour beside this one's; 0: none
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
	mark    float64 // a dotted line; 0: none
	corner  string  // in the corner, where not the newest value
	single  bool    // mates are not there
	integer bool
	alone   bool    // earlier runs do not show
	back    float64 // from now to the right end, s
	total   bool    // the corner shows the sum of the channels
	span    float64 // that is shown, s
	key     int     // channel whose newest value stands in the corner

	markColor uint32 // 0: that of warnings
}

// lowest is where a logarithmic axis begins at the lowest, in the least value of its quantity: below it all is rounding.
const lowest = 1e-6

func (p *plot) text(v float64) string {
	if p.integer && v == math.Trunc(v) && math.Abs(v) < 1e6 {
		return strconv.Itoa(int(v))
	}
	if p.axis.log && v != 0 && p.unit == plain {
		return power(v, 1)
	}
	floor := pick(p.axis.log, lowest*p.unit.least(), 1e-3*p.unit.least())
	if p.unit != plain && math.Abs(v) < floor {
		v = 0 // rounding
	}
	return p.unit.text(v)
}

// zoom lets the wheel change how far back the plots reach.
func (p *plot) zoom(g *gui) {
	if w := g.wheel; w != 0 {
		g.span = min(max(g.span*math.Pow(0.8, w), leastSpan), historySpan)
		p.span = g.span
	}
}

// drag moves a plot that is held through what it remembers.
func (p *plot) drag(g *gui, wide float32, now float64) {
	if dx := imgui.CurrentIO().MouseDelta().X; dx != 0 && p.hist.count > 0 {
		g.back = min(max(g.back+float64(dx/wide)*p.span, 0), max(now+g.back-p.hist.time(0)-leastSpan, 0))
	}
}

// runs are the earlier ones with how much later they would be had they begun with the present one, s.
func (p *plot) runs(yield func(h *history, later float64) bool) {
	for i := len(p.hist.earlier) - 1; i >= 0 && !p.alone && !p.stacked; i-- {
		if h := p.hist.earlier[i]; !yield(h, p.hist.begun-h.begun) {
			return
		}
	}
}

// newest is the value in the corner; NaN while there is none.
func (p *plot) newest() float64 {
	if !p.total || p.hist.count == 0 {
		return p.hist.last(p.key)
	}
	return p.sum(p.hist.count - 1)
}

// sum is that of the channels in a sample.
func (p *plot) sum(i int) (sum float64) {
	for c := range p.curves {
		sum += p.hist.value(c, i)
	}
	return sum
}

// draw fills a rectangle at the cursor. now is the right end, s.
func (p *plot) draw(g *gui, size imgui.Vec2, now float64) {
	value, color := p.corner, inkColor
	if value == "" {
		value = "–"
		if v := p.newest(); !math.IsNaN(v) {
			value = p.text(v)
		}
		if !p.total {
			color = p.curves[p.key].color
		}
	}
	r := g.frame(size, heading{p.title, value, color}, p.curves, p.single)
	defer imgui.PopFont()
	if !r.ok {
		return
	}
	list, a, b := r.list, r.a, r.b
	if p.span, p.alone, p.back = g.span, g.alone, g.back; r.hovered {
		p.zoom(g)
	}
	if r.dragged {
		p.drag(g, b.X-a.X, now)
	}
	p.fitAxis(now)
	p.grid(g, &r)
	list.PushClipRectV(a, b, true)
	if p.stacked {
		p.areas(g, list, a, b, now)
	} else {
		for h, later := range p.runs {
			p.lines(g, list, a, b, h, 0.4, now-later)
		}
		p.lines(g, list, a, b, p.hist, 1, now)
	}
	if p.mark > 0 {
		dotted(g, list, a, b, b.Y-float32(p.axis.at(p.mark))*(b.Y-a.Y), cmp.Or(p.markColor, warnColor))
	}
	list.PopClipRect()
	if r.hovered {
		r.placeTip(g)
		p.readOut(g, list, a, b, now)
	}
}

// placeTip puts the tooltip above the plot, whose curves it would cover, and inside the window; where there is no room,
// in the upper corner that the pointer is not in.
func (r *area) placeTip(g *gui) {
	half, x := g.px(185), imgui.MousePos().X
	place, pivot := imgui.Vec2{X: min(max(x, half), float32(g.width)-half), Y: r.top - g.px(6)}, imgui.Vec2{X: 0.5, Y: 1}
	if r.top < g.px(190) {
		if place, pivot = (imgui.Vec2{X: r.a.X + g.px(8), Y: r.a.Y + g.px(8)}), (imgui.Vec2{}); x < (r.a.X+r.b.X)/2 {
			place.X, pivot.X = r.b.X-g.px(8), 1
		}
	}
	imgui.SetNextWindowPosV(place, imgui.ConditionAlways, pivot)
}

// tick is a vertical line at x with its text below, moved left by half its width, and into the plot. Text that
// would come nearer than a space to end is left out; the new end is returned.
func (r *area) tick(g *gui, x float32, text string, end float32) float32 {
	r.list.AddLineV(imgui.Vec2{X: x, Y: r.a.Y}, imgui.Vec2{X: x, Y: r.b.Y}, packed(0x2b313c), g.px(1))
	w := imgui.CalcTextSize(text, false, 0).X
	at := min(max(x-0.5*w, r.a.X-g.px(4)), r.b.X-w)
	if at < end+g.px(6) {
		return end
	}
	r.list.AddText(imgui.Vec2{X: at, Y: r.b.Y + g.px(3)}, packed(dimColor), text)
	return at + w
}

// fitAxis fits the axis to what is in sight.
func (p *plot) fitAxis(now float64) {
	first := p.hist.since(now - p.span)
	lo, hi := math.Inf(1), math.Inf(-1)
	for c := range p.curves {
		if p.single && p.curves[c].unlisted {
			continue
		}
		if l, h, ok := p.hist.extent(c, first, p.axis.log); ok {
			lo, hi = min(lo, l), max(hi, h)
		}
		for h, later := range p.runs {
			if l, h, ok := h.extent(c, h.since(now-p.span-later), p.axis.log); ok {
				lo, hi = min(lo, l), max(hi, h)
			}
		}
	}
	if p.stacked {
		for i := first; i < p.hist.count; i++ {
			if sum := p.sum(i); sum > hi && !math.IsInf(sum, 0) {
				hi = sum
			}
		}
	}
	if p.axis.log {
		if p.mark > 0 {
			lo, hi = min(lo, p.mark), max(hi, p.mark)
		}
		if lo > hi {
			lo, hi = 1e-4, 1 // nothing to show yet
			switch {
			case p.integer:
				lo, hi = 1, 100
			case p.unit == duration:
				lo, hi = 1e-5, 1e-3
			}
		}
		lo = max(lo, lowest*p.unit.least())
		hi = max(hi, lo)
	} else {
		lo, hi = min(lo, p.floor), max(hi, p.top)
		if short := p.unit.least() - (hi - lo); short > 0 && !p.integer {
			if hi += short; lo < 0 { // zero stays where it is
				lo, hi = lo-short/2, hi-short/2
			}
		}
	}
	p.axis.fit(lo, hi)
}

func (p *plot) grid(g *gui, r *area) {
	r.rules(g, &p.axis, p.label)
	every, end := niceStep(p.span/2), float32(0)
	for k := math.Floor((p.back + p.span*(1+1e-9)) / every); k*every >= p.back; k-- { // from the oldest on
		text := pick(k == 0, "now", "−"+strconv.FormatFloat(roundDigits(k*every, 3), 'f', -1, 64)+" s")
		end = r.tick(g, r.b.X-float32((k*every-p.back)/p.span)*(r.b.X-r.a.X), text, end)
	}
}

// label writes a value at the axis; top tells the uppermost one.
func (p *plot) label(v float64, top bool) string {
	switch {
	case p.axis.log:
		x := math.Pow(10, v)
		switch {
		case p.integer && v >= 0 && v < 4:
			return strconv.Itoa(int(math.Round(x)))
		case p.unit != plain:
			u := p.unit.unitFor(x)
			return strconv.FormatFloat(roundDigits(x/u.scale, 2), 'g', -1, 64) + " " + u.name
		}
		return "1e" + strconv.Itoa(int(v))
	case p.integer:
		if v >= 1e4 {
			return power(v, 1)
		}
		return strconv.FormatFloat(roundDigits(v, 3), 'g', -1, 64)
	}
	u := p.unit.unitFor(max(math.Abs(p.axis.lo), math.Abs(p.axis.hi)))
	text := strconv.FormatFloat(roundDigits(v/u.scale, 6), 'f', -1, 64)
	if top && u.name != "" {
		text += " " + u.name
	}
	return text
}

// heading is what stands above a plot.
type heading struct {
	title, corner string
	color         uint32 // of the corner
}

// area is where the curves of a plot go.
type area struct {
	list             imgui.DrawList
	a, b             imgui.Vec2 // its corners
	top, left        float32    // of the plot with its heading; the axis writes from left on
	line             float32    // height of a line of text
	hovered, dragged bool
	ok               bool // it is not too small
}

// frame takes room for a plot at the cursor, and writes heading and legend. It leaves the small font pushed.
func (g *gui) frame(size imgui.Vec2, h heading, legend []curve, single bool) (r area) {
	imgui.InvisibleButton("##plot"+h.title, size)
	g.mark("plot " + h.title)
	lo, hi := imgui.ItemRectMin(), imgui.ItemRectMax()
	list := imgui.WindowDrawList()
	r = area{list: list, top: lo.Y, left: lo.X + g.px(4), hovered: imgui.IsItemHovered(), dragged: imgui.IsItemActive()}
	list.AddRectFilledV(lo, hi, packed(deepColor), g.px(4), imgui.DrawFlagsNone)
	pad := g.px(8)
	imgui.PushFont(g.fonts.text)
	cs := imgui.CalcTextSize(h.corner, false, 0)
	list.AddText(imgui.Vec2{X: lo.X + pad, Y: lo.Y + g.px(5)}, packed(inkColor), h.title)
	list.AddText(imgui.Vec2{X: hi.X - pad - cs.X, Y: lo.Y + g.px(5)}, packed(h.color), h.corner)
	imgui.PopFont()
	imgui.PushFont(g.fonts.small)
	line := imgui.TextLineHeight()
	x, y := lo.X+pad, lo.Y+g.px(7)+imgui.CalcTextSize(h.title, false, 0).Y*textSize/smallSize
	for i := range legend {
		c := &legend[i]
		if c.unlisted || c.name == "" {
			continue
		}
		swatches := pick[float32](c.mate > 0 && !single, 2, 1)
		room := hi.X - lo.X - 2*pad - g.px(12)*swatches
		name := clipped(c.name, room)
		w := imgui.CalcTextSize(name, false, 0).X
		if x+w+g.px(12)*swatches > hi.X-pad+g.px(4) && x > lo.X+pad {
			x, y = lo.X+pad, y+line+g.px(1)
		}
		swatch(g, list, x, y+line/2, c)
		if swatches > 1 {
			x += g.px(12)
			swatch(g, list, x, y+line/2, &legend[c.mate])
		}
		list.AddText(imgui.Vec2{X: x + g.px(12), Y: y}, packed(dimColor), name)
		x += w + g.px(20)
	}
	r.a = imgui.Vec2{X: lo.X + g.px(52), Y: y + line + g.px(7)}
	r.b = imgui.Vec2{X: hi.X - pad, Y: hi.Y - g.px(6) - line}
	r.line, r.ok = line, r.b.X-r.a.X >= g.px(40) && r.b.Y-r.a.Y >= g.px(20)
	return r
}

// swatch is a curve's mark in the legend, 9 pixels wide.
func swatch(g *gui, list imgui.DrawList, x, y float32, c *curve) {
	if !c.dashed {
		list.AddRectFilledV(imgui.Vec2{X: x, Y: y - g.px(2)}, imgui.Vec2{X: x + g.px(9), Y: y + g.px(2)}, packed(c.color), g.px(1), imgui.DrawFlagsNone)
		return
	}
	for _, at := range [...]float32{0, 5.5} {
		list.AddRectFilled(imgui.Vec2{X: x + g.px(at), Y: y - g.px(1.5)}, imgui.Vec2{X: x + g.px(at+3.5), Y: y + g.px(1.5)}, packed(c.color))
	}
}

// rules are the horizontal lines of an axis with what label says of their values (exponents where it is logarithmic).
func (r *area) rules(g *gui, x *axis, label func(v float64, top bool) string) {
	list, a, b, line := r.list, r.a, r.b, r.line
	n := int(math.Round((x.hi - x.lo) / x.step))
	every := 1
	for float32(every)*(b.Y-a.Y)/float32(max(n, 1)) < 0.95*line && every < n {
		every++ // lines closer than the text is high
	}
	for i := 0; i <= n && i <= 12; i++ {
		y := b.Y - float32(i)/float32(max(n, 1))*(b.Y-a.Y)
		list.AddLineV(imgui.Vec2{X: a.X, Y: y}, imgui.Vec2{X: b.X, Y: y}, packed(0x2b313c), g.px(1))
		if (n-i)%every != 0 {
			continue
		}
		text := label(x.lo+float64(i)*x.step, i == n)
		w := imgui.CalcTextSize(text, false, 0).X
		list.AddText(imgui.Vec2{X: max(r.left, a.X-g.px(6)-w), Y: y - line/2}, packed(dimColor), text)
	}
}

// dotted is a horizontal line of dots at y.
func dotted(g *gui, list imgui.DrawList, a, b imgui.Vec2, y float32, color uint32) {
	for x := a.X; x < b.X; x += g.px(5) {
		list.AddLineV(imgui.Vec2{X: x, Y: y}, imgui.Vec2{X: min(x+g.px(2), b.X), Y: y}, packedA(color, 0.85), g.px(1.2))
	}
}

// stroke is a line from p to q, p.X <= q.X. Where dash is above zero it is drawn in every other interval of that width,
// counted from origin.
func stroke(list imgui.DrawList, p, q imgui.Vec2, color imgui.PackedColor, thick, dash, origin float32) {
	if !(dash > 0) {
		list.AddLineV(p, q, color, thick)
		return
	}
	interval := func(x float32) int { return int(math.Floor(float64((x - origin) / dash))) }
	for k, end := interval(p.X), interval(q.X); k <= end; k++ {
		if k&1 != 0 {
			continue
		}
		from := max(p.X, origin+float32(k)*dash)
		to := min(q.X, origin+float32(k+1)*dash)
		f, t := float32(0), float32(1)
		if q.X > p.X {
			f, t = (from-p.X)/(q.X-p.X), (to-p.X)/(q.X-p.X)
		}
		list.AddLineV(imgui.Vec2{X: p.X + f*(q.X-p.X), Y: p.Y + f*(q.Y-p.Y)}, imgui.Vec2{X: p.X + t*(q.X-p.X), Y: p.Y + t*(q.Y-p.Y)}, color, thick)
	}
}

// column maps a time to a horizontal place.
func (p *plot) column(a, b imgui.Vec2, t, now float64) float32 {
	return b.X - float32((now-t)/p.span)*(b.X-a.X)
}

// lines draws each curve of a run, with an opacity: now is the right end in the run's time. There is at most
// one segment a pixel column; between two columns the highest and lowest sample are kept, so that no spike is lost.
func (p *plot) lines(g *gui, list imgui.DrawList, a, b imgui.Vec2, h *history, opacity float32, now float64) {
	first := h.since(now - p.span)
	high := b.Y - a.Y
	for c := len(p.curves) - 1; c >= 0; c-- {
		color := packedA(p.curves[c].color, opacity)
		thick := g.px(p.curves[c].thick)
		if p.single && p.curves[c].unlisted {
			continue
		}
		// dashes belong to times, so that they move with the curve
		dash, origin := float32(0), float32(0)
		if p.curves[c].dashed {
			dash = g.px(5)
			period := 2 * float64(dash) / float64(b.X-a.X) * p.span
			origin = p.column(a, b, now-math.Mod(now, period), now) - 2*dash*float32(math.Ceil(float64(b.X-a.X)/float64(2*dash))+1)
		}
		var px, py float32
		have := false
		i := max(first-1, 0) // one before the left end, so that the line reaches it
		for i < h.count && h.time(i) < now+p.span/100 {
			x := p.column(a, b, h.time(i), now)
			lo, hi, end := math.Inf(1), math.Inf(-1), 0.0
			for ; i < h.count && p.column(a, b, h.time(i), now) < x+1; i++ {
				v := h.value(c, i)
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
				stroke(list, imgui.Vec2{X: px, Y: py}, imgui.Vec2{X: x, Y: ye}, color, thick, dash, origin)
			}
			if ylo-yhi > g.px(2) {
				stroke(list, imgui.Vec2{X: x, Y: ylo}, imgui.Vec2{X: x, Y: yhi}, color, thick, dash, origin)
			}
			px, py, have = x, ye, true
		}
	}
}

// areas stacks the curves, two pixels a column.
func (p *plot) areas(g *gui, list imgui.DrawList, a, b imgui.Vec2, now float64) {
	first := p.hist.since(now - p.span)
	high := float64(b.Y - a.Y)
	wide := max(g.px(2), 2)
	i := max(first-1, 0)
	for i < p.hist.count {
		x := p.column(a, b, p.hist.time(i), now)
		at, most := i, -1.0
		for ; i < p.hist.count && p.column(a, b, p.hist.time(i), now) < x+wide; i++ {
			if sum := p.sum(i); sum > most { // the slowest step of the column is the one to see
				at, most = i, sum
			}
		}
		right := x + wide
		if i < p.hist.count {
			right = p.column(a, b, p.hist.time(i), now)
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
	i := p.hist.nearest(now - float64((b.X-x)/(b.X-a.X))*p.span)
	if x < a.X || x > b.X || i < 0 || p.hist.time(i) < now-p.span {
		g.hint(p.about)
		return
	}
	at := p.column(a, b, p.hist.time(i), now)
	list.AddLineV(imgui.Vec2{X: at, Y: a.Y}, imgui.Vec2{X: at, Y: b.Y}, packedA(inkColor, 0.5), g.px(1))
	g.beginTip()
	imgui.Text(p.title + ", " + digits(now+p.back-p.hist.time(i), 2) + " s ago")
	sum := 0.0
	for c := range p.curves {
		if p.curves[c].name == "" || p.single && p.curves[c].unlisted {
			continue
		}
		v := p.hist.value(c, i)
		sum += v
		text := pick(math.IsNaN(v), "–", p.text(v))
		for h, later := range p.runs {
			if k := h.nearest(p.hist.time(i) - later); k >= 0 && math.Abs(h.time(k)+later-p.hist.time(i)) < 0.1 && !math.IsNaN(h.value(c, k)) {
				text += ", before " + p.text(h.value(c, k))
			}
		}
		g.colored(p.curves[c].color, p.curves[c].name+"  "+text)
	}
	if p.stacked {
		imgui.Text("total  " + p.text(sum))
	}
	g.dim(p.about)
	g.endTip()
}
