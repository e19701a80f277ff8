package ui

import (
	"math"
	"slices"
	"strings"

	"github.com/inkyblackness/imgui-go/v4"

	"hapco/physics"
)

// Colours of the two that a page compares.
const (
	firstColor  = accentColor
	shadowColor = 0xf0854a
)

// palette colours curves and areas that name no colour.
var palette = [...]uint32{accentColor, 0x35c08d, 0xf0e442, 0xe69f00, 0xcc79a7, 0x56b4e9, 0xe8655a, 0xf0f2f6}

// plotPage is a page of plots: what a world says of it, with the memory of the curves.
type plotPage struct {
	title, about string
	base, key    int // keys of what is compared; -1: nothing is
	differ       int // number; -1
	series       *convergence
	plots        []*worldPlot
	pictures     []picture
	depth        *depthPlot  // nil: not on this page
	periods      *periodPlot // nil: not on this page
	sample       []float64
}

// worldPlot is a plot and where its channels come from.
type worldPlot struct {
	*plot
	channels         []channel
	named            []int // keys of the words that curves are called by, -1: none; nil: none is
	marked, cornered int   // numbers; -1
	cornerText       string
	cornerOf         *physics.Number
	comparing        bool // some curves are dashed
}

// channel is where a curve's values come from: a frame, and the haptic loop.
type channel func(f *physics.Frame, h *HapticsStatus) float64

// plotSize is room for all of the span at up to 120 samples a second.
const plotSize = 120 * historySpan

// newPages lays out the plots of a world. The force and the time of a step are on the first page of every world.
func newPages(info *physics.Info, keys []physics.Key) []*plotPage {
	described := info.Pages
	if len(described) == 0 {
		described = []physics.Page{{Name: "Overview", About: "Force and step time over the last seconds (C)."}}
	}
	var pages []*plotPage
	for i := range described {
		of := &described[i]
		p := &plotPage{title: of.Name, about: of.About, base: physics.Place(keys, of.Base), key: physics.Place(keys, of.Key), differ: info.Number(of.Differ)}
		if of.Series != nil {
			p.series = &convergence{title: of.Series.Title, about: of.Series.About}
			p.pictures = append(p.pictures, p.series)
		}
		if i == 0 {
			p.add(forcePlot())
		}
		for k := range of.Plots {
			p.add(newWorldPlot(&of.Plots[k], info, keys))
		}
		if i == 0 {
			p.add(timePlot(info))
		}
		pages = append(pages, p)
	}
	pages = append(pages, loopPage())
	deep := &depthPlot{}
	pages = append(pages, &plotPage{title: "Over depth", about: "Force over how deep the tool is, along the tool from where it last touched nothing.",
		base: -1, key: -1, differ: -1, depth: deep, pictures: []picture{deep}})
	return pages
}

func (p *plotPage) add(w *worldPlot) {
	p.plots, p.pictures = append(p.plots, w), append(p.pictures, w.plot)
	if n := len(w.channels); n > len(p.sample) {
		p.sample = make([]float64, n)
	}
}

// forcePlot is the force between hand and world.
func forcePlot() *worldPlot {
	along := func(axis int) channel {
		return func(f *physics.Frame, _ *HapticsStatus) float64 { return f.Force[axis] }
	}
	return ownPlot(plot{title: "Force", unit: force, top: 0.1,
		about: "Resultant of the forces on the stylus, world axes, and the norm of the force sent to the hand (after reducer and limit).",
		curves: []curve{
			{name: "norm", color: 0xf0f2f6, thick: 1.8}, {name: "x", color: 0xe8655a, thick: 1.2},
			{name: "y", color: 0x5fbf6a, thick: 1.2}, {name: "z", color: 0x5b9bf0, thick: 1.2}, {name: "sent", color: warnColor, thick: 1.2}}},
		func(f *physics.Frame, _ *HapticsStatus) float64 { return f.Force.Len() }, along(0), along(1), along(2),
		func(_ *physics.Frame, h *HapticsStatus) float64 { return h.Force.Len() })
}

// timePlot is where a step spends its time.
func timePlot(info *physics.Info) *worldPlot {
	p := plot{title: "Step time", unit: duration, stacked: true, top: 1e-4, total: true,
		about: "Where a physics step spends its time."}
	colors := [...]uint32{0x56b4e9, 0x35c08d, 0xf0e442, 0xe69f00, 0xcc79a7, 0x5b9bf0, 0xe8655a, 0xf0f2f6}
	var of []channel
	for i, name := range info.Phases {
		p.curves = append(p.curves, curve{name: name, color: colors[i%len(colors)], thick: 1})
		of = append(of, func(f *physics.Frame, _ *HapticsStatus) float64 { return f.Mean.Phases[i].Seconds() })
	}
	if of == nil {
		p.curves = []curve{{name: "step", color: colors[0], thick: 1}}
		of = []channel{func(f *physics.Frame, _ *HapticsStatus) float64 { return f.Mean.Total.Seconds() }}
	}
	return ownPlot(p, of...)
}

// newWorldPlot is a plot that a world describes.
func newWorldPlot(of *physics.Plot, info *physics.Info, keys []physics.Key) *worldPlot {
	w := &worldPlot{marked: info.Number(of.Mark), cornered: info.Number(of.Corner), cornerText: of.CornerText,
		plot: &plot{title: of.Title, about: of.About, unit: quantityOf(of.Unit), hist: newHistory(len(of.Curves), plotSize), axis: axis{log: of.Log},
			integer: of.Integer, stacked: of.Stacked, total: of.Stacked, top: of.Top, key: of.Key}}
	if w.cornered >= 0 {
		w.cornerOf = &info.Numbers[w.cornered]
	}
	for i, c := range of.Curves {
		color, thick := c.Color, float32(1.5)
		if color == 0 {
			color = palette[i%len(palette)]
		}
		if c.Dashed {
			thick, w.comparing, w.markColor = 1.4, true, inkColor
		}
		w.curves = append(w.curves, curve{name: c.Name, color: color, thick: thick, dashed: c.Dashed, unlisted: c.Unlisted, mate: c.Mate})
		w.channels = append(w.channels, numberWhile(info.Number(c.Number), info.Number(c.While)))
		w.named = append(w.named, physics.Place(keys, c.NameOf))
	}
	return w
}

// record samples the plots of a page.
func (p *plotPage) record(f *physics.Frame, h *HapticsStatus) {
	for _, w := range p.plots {
		v := p.sample[:len(w.channels)]
		for i := range w.channels {
			v[i] = w.channels[i](f, h)
		}
		w.hist.add(f.When.Seconds(), v)
	}
}

// numberWhile is a number of a frame, while another is above zero; negative: there is none.
func numberWhile(number, while int) channel {
	return func(f *physics.Frame, _ *HapticsStatus) float64 {
		if number < 0 || while >= 0 && !(f.Numbers[while] > 0) {
			return math.NaN()
		}
		return f.Numbers[number]
	}
}

// again begins another run, see history.again; what shows no times begins anew.
func (p *plotPage) again() {
	for _, w := range p.plots {
		w.hist.again()
	}
	if p.depth != nil {
		p.depth.clear()
	}
	if p.periods != nil {
		p.periods.clear()
	}
}

// now is the time of the newest sample, s.
func (p *plotPage) now() float64 {
	if len(p.plots) == 0 {
		return 0
	}
	h := p.plots[0].hist
	if h.count == 0 {
		return 0
	}
	return h.time(h.count - 1)
}

// name puts the words of keys into the legends, and what belongs there into the corners.
func (p *plotPage) name(f *physics.Frame, keys []physics.Key, values []float64) {
	word := func(key int) string {
		if key < 0 {
			return ""
		}
		return keys[key].Word(values[key])
	}
	alone := p.key >= 0 && !(values[p.key] > 0)
	second := pick(alone, "", word(p.key))
	for _, w := range p.plots {
		for i, key := range w.named {
			if key >= 0 {
				w.curves[i].name = word(key)
				if w.curves[i].dashed {
					w.curves[i].name = second
				}
			}
		}
		w.single = w.comparing && alone
		w.mark, w.corner = 0, ""
		if f == nil {
			continue
		}
		if w.marked >= 0 && f.Numbers[w.marked] > 0 {
			w.mark = f.Numbers[w.marked]
		}
		if w.cornered >= 0 && !alone {
			w.corner = cornerText(numberText(w.cornerOf, f.Numbers[w.cornered]), w.cornerText)
		}
	}
	if p.series != nil {
		p.series.name(word(p.base), second, f)
	}
}

// cornerText puts words before a number where they end in a space, else after it.
func cornerText(number, words string) string {
	if strings.HasSuffix(words, " ") {
		return words + number
	}
	return number + words
}

// plots are the curves under the scene, page by page.
type plots struct {
	base
	viewport *viewport
	pages    []*plotPage
	page     int           // of pages
	shown    bool          //
	hold     bool          // they stay as they are
	of       string        // title of the scene that they are of
	large    picture       // that has all the room; nil: they share it
	plotted  HapticsStatus // the newest without noise
	indent   indentation
}

// adopt lays out the pages for the world of a scene. Opened once more, as after a recording of it was played, it is
// compared with the runs before.
func (pl *plots) adopt() {
	before := pl.pages
	pl.pages = newPages(pl.scene.info, pl.scene.keys)
	same := pl.scene.session.Title() == pl.of && len(before) == len(pl.pages)
	pl.of = pl.scene.session.Title()
	for i, p := range pl.pages {
		for k, w := range p.plots {
			if same && len(before[i].plots) == len(p.plots) && len(before[i].plots[k].hist.values) == len(w.hist.values) {
				old := before[i].plots[k].hist
				old.again()
				w.hist.earlier = old.earlier
			}
		}
	}
	pl.page = min(pl.page, len(pl.pages)-1)
	pl.hold, pl.indent.on = false, false
}

// meet shows what a scene compares, if it does.
func (pl *plots) meet() {
	for i, p := range pl.pages {
		if p.key >= 0 && pl.scene.values[p.key] > 0 {
			pl.page = i
		}
	}
}

// record samples the plots.
func (pl *plots) record(s *physics.Frame) {
	if pl.hold {
		return
	}
	pl.plotted = pl.scene.status
	pl.scene.noise.zeroForce(&pl.plotted.Force)
	for _, p := range pl.pages {
		p.record(s, &pl.plotted)
		if p.periods != nil {
			p.periods.record(pl.scene.session.Servo().Periods(), pl.scene.status.Target)
		}
		if p.depth != nil {
			p.depth.record(s, pl.scene.needle())
		}
	}
}

// again begins another run on all pages.
func (pl *plots) again() {
	for _, p := range pl.pages {
		p.again()
	}
}

// current is the page on screen; an empty one before there is a scene.
func (pl *plots) current() *plotPage {
	if pl.page < len(pl.pages) {
		return pl.pages[pl.page]
	}
	return &plotPage{base: -1, key: -1, differ: -1}
}

// compared goes to the page that compares what a key chooses, as it begins to; another choice begins the curves anew.
func (pl *plots) compared(key int, begins bool) {
	for n, p := range pl.pages {
		if p.key == key {
			p.again()
			for _, w := range p.plots { // what was before meant something else
				w.hist.earlier = nil
			}
			if begins {
				pl.page, pl.shown = n, true
			}
		}
	}
}

// turnPage goes to the next page of the plots, and shows them.
func (pl *plots) turnPage() {
	if pl.shown && len(pl.pages) > 0 {
		pl.page = (pl.page + 1) % len(pl.pages)
	}
	pl.shown = true
}

// pictures are the plots of the page on screen.
func (pl *plots) pictures() []picture {
	if all := pl.current().pictures; !slices.Contains(all, pl.large) {
		pl.large = nil
		return all
	}
	return []picture{pl.large}
}

// tabs choose the page, and say what it compares.
func (pl *plots) tabs() {
	g := pl.gui
	imgui.PushFont(g.fonts.small)
	imgui.PushStyleVarVec2(imgui.StyleVarFramePadding, imgui.Vec2{X: g.px(8), Y: 0})
	high := g.px(tabHigh)
	for i, p := range pl.pages {
		beside(i, g.px(4))
		w := imgui.CalcTextSize(p.title, false, 0).X + g.px(20)
		if g.toggle(p.title, "Page/"+p.title, p.about, i == pl.page, imgui.Vec2{X: w, Y: high}) {
			pl.page = i
		}
	}
	imgui.SameLineV(0, g.px(10))
	tab := func(name, mark, about string, on bool) bool {
		imgui.SameLineV(0, g.px(4))
		size := imgui.Vec2{X: imgui.CalcTextSize(name, false, 0).X + g.px(16), Y: high}
		return g.toggle(name+"##plots", mark, about, on, size)
	}
	if tab("Hold", "Hold", "Holds the plots as they are; the simulation goes on. The wheel over a plot shows less or more of the time, a drag goes back in it.", pl.hold) {
		pl.hold = !pl.hold
		g.back = 0
	}
	page := pl.current()
	if len(page.plots) > 0 {
		if tab("New run", "NewRun", "Begins another run: those before stay behind it, faint, as if they had begun together. So does every reset (Backspace), each round of a recording, and opening the scene again.", false) {
			pl.again()
		}
		if len(page.plots[0].hist.earlier) > 0 && tab("Runs", "Runs", "Shows the runs before this one.", !g.alone) {
			g.alone = !g.alone
		}
	}
	if pl.opt.Files.SavePlots != nil && tab("Save", "SavePlots", "Writes this page's plots to the working directory: a table (CSV), PNG and SVG.", false) {
		pl.savePlots()
	}
	imgui.PopStyleVar()
	if page.key >= 0 && pl.scene.snap != nil {
		imgui.SameLineV(0, g.px(16))
		pl.whoIsWho(page, high)
	}
	imgui.PopFont()
}

// whoIsWho is the line beside the tabs: what is compared, and how far it is apart.
func (pl *plots) whoIsWho(p *plotPage, high float32) {
	g := pl.gui
	list := imgui.WindowDrawList()
	pos := imgui.CursorScreenPos()
	end := pos.X + imgui.ContentRegionAvail().X
	imgui.Dummy(imgui.Vec2{X: g.px(1), Y: high}) // ends the line
	y := pos.Y + (high-imgui.TextLineHeight())/2
	x := pos.X
	put := func(color uint32, text string) {
		w := imgui.CalcTextSize(text, false, 0).X
		if x+w <= end {
			list.AddText(imgui.Vec2{X: x, Y: y}, packed(color), text)
		} else {
			end = x // what follows would stand where this should
		}
		x += w + g.px(16)
	}
	if p.base >= 0 {
		put(firstColor, pl.scene.keys[p.base].Word(pl.scene.values[p.base])+" —")
	}
	k := &pl.scene.keys[p.key]
	if !(pl.scene.values[p.key] > 0) {
		put(dimColor, "nothing to compare with: choose it under "+k.Label)
		return
	}
	put(shadowColor, k.Word(pl.scene.values[p.key])+" - - ("+strings.ToLower(k.Label)+")")
	if p.differ >= 0 {
		put(inkColor, "they differ by "+numberText(&pl.scene.info.Numbers[p.differ], pl.scene.snap.Numbers[p.differ]))
	}
}

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
