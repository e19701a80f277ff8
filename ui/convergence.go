package ui

import (
	"math"
	"strconv"

	"hapco/physics"

	"github.com/inkyblackness/imgui-go/v4"
)

// convergence plots how the last solve went: the residual after each iteration, on a logarithmic scale, with the value
// at which the solver is content.
type convergence struct {
	title  string
	about  string
	curves [2]track
	axis   axis
	last   int  // iterations at the right end
	log    bool // iterations on a logarithmic scale, where two curves differ much in length
}

// track is one solver's curve.
type track struct {
	solver         string // "" where there is none
	color          uint32
	dashed         bool
	unit           quantity
	physics.Series // the frame's own
}

// name takes the curves of a frame: those of first, and of second where that is not "".
func (c *convergence) name(first, second string, f *physics.Frame) {
	c.curves = [2]track{{solver: first, color: firstColor}, {color: shadowColor, dashed: true}}
	if f == nil {
		return
	}
	for i := range min(len(f.Series), len(c.curves)) {
		c.curves[i].Series, c.curves[i].unit = f.Series[i], quantityOf(f.Series[i].Unit)
	}
	c.curves[1].solver = second
}

// fit chooses the axes.
func (c *convergence) fit() {
	lo, hi := math.Inf(1), math.Inf(-1)
	least, most := math.MaxInt, 0
	for i := range c.curves {
		t := &c.curves[i]
		if len(t.Values) == 0 {
			continue
		}
		least, most = min(least, len(t.Values)), max(most, len(t.Values))
		for _, v := range t.Values {
			if v > 0 && !math.IsInf(v, 0) {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
		if t.Goal > 0 {
			lo, hi = min(lo, t.Goal), max(hi, t.Goal)
		}
	}
	if lo > hi {
		lo, hi = 1e-4, 1
	}
	c.axis.log = true
	c.axis.fit(max(lo, 1e-17), max(hi, 1e-17))
	c.log = most > 0 && most > 8*least
	c.last = max(most, 2)
	if !c.log { // round, so that it does not flutter from step to step
		step := int(math.Ceil(niceStep(float64(c.last) / 4)))
		c.last = (c.last + step - 1) / step * step
	}
}

// place is where iteration k (from 1) lies between the ends, 0..1.
func (c *convergence) place(k float64) float64 {
	if c.log {
		return math.Log(k) / math.Log(float64(c.last))
	}
	return (k - 1) / float64(max(c.last-1, 1))
}

// ticks are the iterations that the axis names.
func (c *convergence) ticks() []int {
	if c.log {
		list := []int{1}
		for k := 10; k < c.last; k *= 10 {
			list = append(list, k)
		}
		return list
	}
	step := int(math.Ceil(niceStep(float64(c.last) / 4)))
	list := []int{1}
	for k := step; k <= c.last; k += step {
		if k > 1 {
			list = append(list, k)
		}
	}
	return list
}

// draw fills a rectangle at the cursor.
func (c *convergence) draw(g *gui, size imgui.Vec2, _ float64) {
	c.fit()
	corner := ""
	if n := len(c.curves[0].Values); n > 0 {
		corner = strconv.Itoa(n)
		if m := len(c.curves[1].Values); m > 0 {
			corner += " / " + strconv.Itoa(m)
		}
		corner += " it."
	}
	var legend []curve
	for i := range c.curves {
		if t := &c.curves[i]; t.solver != "" {
			name := pick(len(t.Values) > 0, t.Label, t.solver)
			legend = append(legend, curve{name: name, color: t.color, dashed: t.dashed})
		}
	}
	r := g.frame(size, heading{c.title, corner, inkColor}, legend, false)
	defer imgui.PopFont()
	if !r.ok {
		return
	}
	list, a, b := r.list, r.a, r.b
	r.rules(g, &c.axis, powerLabel)
	end := a.X - g.px(100)
	for _, k := range c.ticks() {
		end = r.tick(g, a.X+float32(c.place(float64(k)))*(b.X-a.X), strconv.Itoa(k), end)
	}
	list.PushClipRectV(a, b, true)
	for i := len(c.curves) - 1; i >= 0; i-- {
		c.line(g, list, a, b, &c.curves[i])
	}
	list.PopClipRect()
	if len(c.curves[0].Values) == 0 {
		text := "nothing to solve"
		list.AddText(imgui.Vec2{X: (a.X + b.X - imgui.CalcTextSize(text, false, 0).X) / 2, Y: (a.Y + b.Y - r.line) / 2}, packed(dimColor), text)
	}
	if r.hovered {
		r.placeTip(g)
		c.readOut(g, list, a, b)
	}
}

// powerLabel writes the powers of ten at a logarithmic axis.
func powerLabel(v float64, _ bool) string { return "1e" + strconv.Itoa(int(v)) }

// line draws one curve, at most a few segments a pixel, and its goal.
func (c *convergence) line(g *gui, list imgui.DrawList, a, b imgui.Vec2, t *track) {
	n := len(t.Values)
	if n == 0 {
		return
	}
	high := b.Y - a.Y
	at := func(k int) imgui.Vec2 {
		v := t.Values[k]
		if math.IsNaN(v) || math.IsInf(v, 0) {
			v = math.Pow(10, c.axis.hi)
		}
		return imgui.Vec2{X: a.X + float32(c.place(float64(k+1)))*(b.X-a.X), Y: b.Y - float32(c.axis.at(v))*high}
	}
	if t.Goal > 0 {
		dotted(g, list, a, b, b.Y-float32(c.axis.at(t.Goal))*high, t.color)
	}
	color, thick, dash := packed(t.color), g.px(1.6), float32(0)
	if t.dashed {
		dash = g.px(5)
	}
	last := at(0)
	if n <= 40 {
		list.AddCircleFilled(last, g.px(2), color)
	}
	for k := 1; k < n; k++ {
		p := at(k)
		if n <= 40 {
			list.AddCircleFilled(p, g.px(2), color)
		} else if p.X-last.X < 0.5 && k < n-1 && math.Abs(float64(p.Y-last.Y)) < 2 {
			continue
		}
		stroke(list, last, p, color, thick, dash, a.X)
		last = p
	}
	list.AddCircleFilled(last, g.px(2.5), color)
}

// readOut shows the values under the pointer.
func (c *convergence) readOut(g *gui, list imgui.DrawList, a, b imgui.Vec2) {
	x := imgui.MousePos().X
	k := 0
	if x >= a.X && x <= b.X {
		f := float64((x - a.X) / (b.X - a.X))
		if c.log {
			k = int(math.Round(math.Pow(float64(c.last), f)))
		} else {
			k = 1 + int(math.Round(f*float64(c.last-1)))
		}
	}
	g.beginTip()
	if k > 0 {
		at := a.X + float32(c.place(float64(k)))*(b.X-a.X)
		list.AddLineV(imgui.Vec2{X: at, Y: a.Y}, imgui.Vec2{X: at, Y: b.Y}, packedA(inkColor, 0.5), g.px(1))
		imgui.Text("Iteration " + strconv.Itoa(k))
	}
	for i := range c.curves {
		t := &c.curves[i]
		if t.solver == "" {
			continue
		}
		text := t.solver
		switch {
		case len(t.Values) == 0:
			text += ": records no iterations"
		case k > len(t.Values):
			text += ": ended after " + strconv.Itoa(len(t.Values))
		case k > 0:
			text += ": " + t.Label + " " + t.unit.text(t.Values[k-1])
		}
		if t.Goal > 0 && len(t.Values) > 0 {
			text += ", goal " + t.unit.text(t.Goal)
		}
		g.colored(t.color, text)
	}
	g.dim(c.about)
	g.endTip()
}
