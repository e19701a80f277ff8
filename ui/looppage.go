package ui

import (
	"math"
	"strconv"

	"github.com/inkyblackness/imgui-go/v4"

	"hapco/haptics"
	"hapco/physics"
)

// loopPage are the plots of the haptic loop, which every world has.
func loopPage() *plotPage {
	periods := &periodPlot{}
	p := &plotPage{title: "Haptics", about: "How punctual the haptic loop is, and what passes through it (C).",
		base: -1, key: -1, differ: -1, periods: periods, pictures: []picture{periods}}
	p.add(ownPlot(plot{title: "Hand", unit: force, top: 0.1,
		about:  "Norm of the force that the coupling wants, before reducer and limit, and of the force that is sent.",
		curves: []curve{{name: "wanted", color: dimColor, thick: 1.4}, {name: "sent", color: warnColor, thick: 1.6}}, key: 1},
		func(_ *physics.Frame, h *HapticsStatus) float64 { return h.Raw.Len() },
		func(_ *physics.Frame, h *HapticsStatus) float64 { return h.Force.Len() }))
	p.add(ownPlot(plot{title: "Energy", unit: energy, top: 1e-6,
		about:  "Energy that the loop has absorbed since contact began, at the device's port (passivity observer). Below 0 it has generated some.",
		curves: []curve{{name: "absorbed", color: 0x35c08d, thick: 1.5}}},
		func(_ *physics.Frame, h *HapticsStatus) float64 { return h.Last.Energy }))
	p.add(ownPlot(plot{title: "Wake-up, work", unit: duration, axis: axis{log: true},
		about:  "Longest delay between a tick's deadline and its begin, and longest time from there to the force, each of the last second.",
		curves: []curve{{name: "wake-up", color: accentColor, thick: 1.5}, {name: "work", color: 0xe69f00, thick: 1.5}}},
		func(_ *physics.Frame, h *HapticsStatus) float64 { return h.Late.Seconds() },
		func(_ *physics.Frame, h *HapticsStatus) float64 { return h.Work.Seconds() }))
	return p
}

// ownPlot is a plot that every world has, with a channel a curve.
func ownPlot(p plot, of ...channel) *worldPlot {
	p.hist = newHistory(len(of), plotSize)
	return &worldPlot{marked: -1, cornered: -1, plot: &p, channels: of}
}

// periodPlot is the histogram of the haptic loop's periods since the scene was opened, or since the plots were cleared.
type periodPlot struct {
	all, before haptics.Periods // since the scene was opened: now, and when the plots were cleared
	rate        float64         // Hz
}

func (p *periodPlot) record(all haptics.Periods, rate float64) { p.all, p.rate = all, rate }

func (p *periodPlot) clear() { p.before = p.all }

// counts are those of each bin, their sum, and the largest.
func (p *periodPlot) counts() (n haptics.Periods, sum, most uint64) {
	for i := range n {
		n[i] = p.all[i] - p.before[i]
		sum, most = sum+n[i], max(most, n[i])
	}
	return n, sum, most
}

// edge is where a bin begins, s.
func (p *periodPlot) edge(bin int) float64 {
	return float64(bin) / (haptics.PeriodBins * max(p.rate, 1))
}

// near is the share of the periods that are within a tenth of the wanted one.
func near(n *haptics.Periods, sum uint64) float64 {
	const tenth = haptics.PeriodBins / 10
	within := uint64(0)
	for i := haptics.PeriodBins - tenth; i < haptics.PeriodBins+tenth; i++ {
		within += n[i]
	}
	return float64(within) / float64(sum)
}

// data is the histogram for a file.
func (p *periodPlot) data() PlotData {
	n, _, _ := p.counts()
	k := CurveData{Name: "ticks", Color: accentColor}
	for i := range n {
		k.X, k.Y = append(k.X, p.edge(i)), append(k.Y, float64(n[i]))
	}
	return PlotData{Title: "Period", X: "period_from_s", Y: "ticks", Curves: []CurveData{k}}
}

const aboutPeriods = "How often the haptic loop's ticks were so far apart, since the scene was opened. The counts are on a logarithmic axis: a single late tick shows. The last bar holds all that took more than two periods."

func (p *periodPlot) draw(g *gui, size imgui.Vec2, _ float64) {
	n, sum, most := p.counts()
	corner := "–"
	if sum > 0 {
		corner = percent(near(&n, sum)) + " on time"
	}
	r := g.frame(size, heading{"Period", corner, inkColor}, []curve{{name: "ticks, log", color: accentColor}}, false)
	defer imgui.PopFont()
	if !r.ok {
		return
	}
	a, b := r.a, r.b
	y := axis{log: true}
	y.fit(1, max(float64(most), 100))
	r.rules(g, &y, powerLabel)
	wide := (b.X - a.X) / float32(len(n))
	for i, count := range n {
		if count == 0 {
			continue
		}
		color, x := pick(i == len(n)-1, warnColor, accentColor), a.X+float32(i)*wide
		high := max(float32(y.at(float64(count)))*(b.Y-a.Y), g.px(2)) // one tick shows, too
		r.list.AddRectFilled(imgui.Vec2{X: x, Y: b.Y - high}, imgui.Vec2{X: x + max(wide-g.px(1), 1), Y: b.Y}, packed(color))
	}
	for i := range 3 { // 0, one period, two
		text := strconv.FormatFloat(roundDigits(1e3*p.edge(i*haptics.PeriodBins), 3), 'f', -1, 64)
		if i == 2 {
			text += " ms"
		}
		r.tick(g, a.X+float32(i*haptics.PeriodBins)*wide, text, 0)
	}
	if r.hovered {
		p.readOut(g, &n, sum, int((imgui.MousePos().X-a.X)/wide))
	}
}

// readOut shows the bin under the pointer.
func (p *periodPlot) readOut(g *gui, n *haptics.Periods, sum uint64, bin int) {
	if bin < 0 || bin >= len(n) || sum == 0 {
		g.hint(aboutPeriods)
		return
	}
	g.beginTip()
	text := duration.text(p.edge(bin)) + " to " + duration.text(p.edge(bin+1))
	if bin == len(n)-1 {
		text = "longer than " + duration.text(p.edge(bin))
	}
	imgui.Text(text)
	g.colored(accentColor, strconv.FormatUint(n[bin], 10)+" ticks, "+percent(float64(n[bin])/math.Max(float64(sum), 1)))
	g.dim(aboutPeriods)
	g.endTip()
}
