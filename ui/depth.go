package ui

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/inkyblackness/imgui-go/v4"

	"hapco/physics"
)

// depthPlot shows the force over how deep the tool is. The depth counts along the tool from where it last touched
// nothing.
type depthPlot struct {
	origin      mgl64.Vec3 // where it last touched nothing, world, m
	dir         mgl64.Vec3 // of the tool then
	have        bool
	depth       []float64 // m
	norm, along []float64 // of the force, N
	x, y        axis
}

// depthMost is the number of samples that are kept: the latest ones.
const depthMost = 4000

func (d *depthPlot) clear() {
	d.depth, d.norm, d.along = d.depth[:0], d.norm[:0], d.along[:0]
}

// record adds a frame; needle is where the tool points.
func (d *depthPlot) record(f *physics.Frame, needle mgl64.Vec3) {
	at := f.Stylus.Position
	if !(f.Force.Len() > 0) || !d.have {
		d.origin, d.dir, d.have = at, needle, true
	}
	if len(d.depth) == depthMost { // the older half goes
		for _, values := range [...]*[]float64{&d.depth, &d.norm, &d.along} {
			*values = slices.Delete(*values, 0, depthMost/2)
		}
	}
	d.depth = append(d.depth, at.Sub(d.origin).Dot(d.dir))
	d.norm = append(d.norm, f.Force.Len())
	d.along = append(d.along, -f.Force.Dot(d.dir))
}

func (d *depthPlot) draw(g *gui, size imgui.Vec2, _ float64) {
	legend := []curve{{name: "norm", color: 0xf0f2f6, thick: 1.8}, {name: "along the tool", color: accentColor, thick: 1.2}}
	corner := "–"
	if n := len(d.norm); n > 0 {
		corner = force.text(d.norm[n-1])
	}
	r := g.frame(size, heading{"Force over depth", corner, inkColor}, legend, false)
	defer imgui.PopFont()
	if !r.ok {
		return
	}
	list, a, b := r.list, r.a, r.b
	deep, most := 1e-3, 0.1
	for i := range d.depth {
		deep, most = max(deep, d.depth[i]), max(most, d.norm[i])
	}
	d.x.fit(0, deep)
	d.y.fit(0, most)
	r.rules(g, &d.y, func(v float64, top bool) string {
		text := strconv.FormatFloat(roundDigits(v, 6), 'f', -1, 64)
		if top {
			text += " N"
		}
		return text
	})
	for v := d.x.lo; v <= d.x.hi+1e-9; v += d.x.step {
		text := strconv.FormatFloat(roundDigits(1e3*v, 6), 'f', -1, 64)
		if v+d.x.step > d.x.hi+1e-9 {
			text += " mm"
		}
		r.tick(g, a.X+float32(d.x.at(v))*(b.X-a.X), text, 0)
	}
	list.PushClipRectV(a, b, true)
	place := func(depth, f float64) imgui.Vec2 {
		return imgui.Vec2{X: a.X + float32((depth-d.x.lo)/(d.x.hi-d.x.lo))*(b.X-a.X), Y: b.Y - float32((f-d.y.lo)/(d.y.hi-d.y.lo))*(b.Y-a.Y)}
	}
	for c, values := range [...][]float64{d.along, d.norm} {
		k := &legend[1-c]
		var last imgui.Vec2
		for i, v := range values {
			p := place(d.depth[i], v)
			if i > 0 && math.Hypot(float64(p.X-last.X), float64(p.Y-last.Y)) < 1 && i < len(values)-1 {
				continue
			}
			if i > 0 {
				list.AddLineV(last, p, packed(k.color), g.px(k.thick))
			}
			last = p
		}
	}
	list.PopClipRect()
	if r.hovered {
		d.readOut(g, a, b)
	}
}

// readOut shows the sample nearest to the pointer in depth.
func (d *depthPlot) readOut(g *gui, a, b imgui.Vec2) {
	at := d.x.lo + float64((imgui.MousePos().X-a.X)/(b.X-a.X))*(d.x.hi-d.x.lo)
	best := -1
	for i := range d.depth {
		if best < 0 || math.Abs(d.depth[i]-at) < math.Abs(d.depth[best]-at) {
			best = i
		}
	}
	if best < 0 {
		g.hint("Force on the tool over how deep it is, along the tool from where it last touched nothing.")
		return
	}
	g.beginTip()
	imgui.Text("depth  " + length.text(d.depth[best]))
	imgui.Text("norm  " + force.text(d.norm[best]))
	g.colored(accentColor, "along the tool  "+force.text(d.along[best]))
	g.endTip()
}

// indentation is a scripted press of the tool into what lies before it.
type indentation struct {
	depth, speed float64 // m, m/s
	on           bool
	began        time.Time
	from, dir    mgl64.Vec3 // of the hand, world, m
	gap          float64    // to the surface, m
	most         float64    // largest force so far, N
}

var (
	ctlIndentDepth = control{label: "Depth", about: "How deep the hand presses below the surface, along the tool. The tool itself stays behind by the stretch of the hand's spring.",
		unit: length, bounds: bounds{Min: 5e-4, Max: 0.05, Log: true, Floor: 1e-5, Ceil: 1}}
	ctlIndentSpeed = control{label: "Speed", about: "Of the hand, in and out.",
		unit: speed, bounds: bounds{Min: 5e-4, Max: 0.1, Log: true, Floor: 1e-5, Ceil: 1}}
)

// indentSection is the bench of a probe.
func (pl *plots) indentSection() {
	g, d := pl.gui, &pl.indent
	if pl.scene.session.Pointer() == nil || !g.section("Bench of a probe", false) {
		return
	}
	g.number(&ctlIndentDepth, &d.depth, indentDepth)
	g.number(&ctlIndentSpeed, &d.speed, indentSpeed)
	name := pick(d.on, "Stop", "Indent here")
	if g.button(name+"##Indent", "Presses the tool in along its own axis from where it is, lifts it again, and plots the force over the depth. Also: hapco indent.", -1) {
		if d.on {
			pl.endIndent("Stopped.")
		} else {
			pl.beginIndent()
		}
	}
}

const indentDepth, indentSpeed = 5e-3, 10e-3

func (pl *plots) beginIndent() {
	if pl.scene.snap == nil {
		return
	}
	d, p := &pl.indent, pl.scene.session.Pointer()
	needle := pl.scene.needle()
	gap := pl.viewport.cast(pl.scene.held().Add(needle.Mul(pl.scene.tool.reach)), needle).t
	if touching(pl.scene.snap) || gap > pl.scene.bounds.size {
		gap = 0
	}
	d.on, d.began, d.from, d.dir, d.gap, d.most = true, time.Now(), p.Hand(), needle, gap, 0
	p.SetClutch(false)
	for i, page := range pl.pages {
		if page.depth != nil {
			page.depth.clear()
			pl.page, pl.shown, pl.hold = i, true, false
		}
	}
}

// indentStep moves the hand: in, and out again.
func (pl *plots) indentStep() {
	d := &pl.indent
	if !d.on || pl.scene.snap == nil || pl.scene.paused {
		return
	}
	p := pl.scene.session.Pointer()
	if p == nil {
		d.on = false
		return
	}
	d.most = max(d.most, pl.scene.snap.Force.Len())
	total := d.gap + d.depth
	s := d.speed * time.Since(d.began).Seconds()
	p.SetHand(d.from.Add(d.dir.Mul(max(0, min(s, 2*total-s)))))
	if s > 2*total {
		pl.endIndent(fmt.Sprintf("Indented %s: at most %s. Save in the plots keeps it.", length.text(d.depth), force.text(d.most)))
	}
}

func (pl *plots) endIndent(said string) {
	pl.indent.on = false
	pl.viewport.takeHand()
	pl.say(said)
}

// PlotData is a plot's curves, for files.
type PlotData struct {
	Title, X, Y string // Y with its unit, SI
	Log         bool
	Curves      []CurveData
}

// CurveData is one curve. Values may be NaN.
type CurveData struct {
	Name  string
	Color uint32
	X, Y  []float64
}

// plotData are the plots of the page on screen, as far as it remembers.
func (pl *plots) plotData() (out []PlotData) {
	page := pl.current()
	for _, w := range page.plots {
		p := PlotData{Title: w.title, X: "time_s", Y: w.title + unitSuffix(w.unit), Log: w.axis.log}
		for c := range w.curves {
			k := CurveData{Name: w.curves[c].name, Color: w.curves[c].color}
			for i := range w.hist.count {
				k.X, k.Y = append(k.X, w.hist.time(i)), append(k.Y, w.hist.value(c, i))
			}
			p.Curves = append(p.Curves, k)
			for h, later := range w.runs {
				k := CurveData{Name: k.Name + " before", Color: k.Color}
				for i := range h.count {
					k.X, k.Y = append(k.X, h.time(i)+later), append(k.Y, h.value(c, i))
				}
				p.Curves = append(p.Curves, k)
			}
		}
		out = append(out, p)
	}
	if d := page.depth; d != nil {
		out = append(out, PlotData{Title: "Force over depth", X: "depth_m", Y: "force_N", Curves: []CurveData{
			{"norm", 0x333333, d.depth, d.norm}, {"along the tool", accentColor, d.depth, d.along}}})
	}
	if page.periods != nil {
		out = append(out, page.periods.data())
	}
	return out
}

func unitSuffix(q quantity) string {
	for _, u := range quantities[q].units {
		if u.scale == 1 && u.name != "" {
			return "_" + u.name
		}
	}
	return ""
}

// savePlots writes the page's plots to files.
func (pl *plots) savePlots() {
	if pl.opt.Files.SavePlots == nil || len(pl.pages) == 0 {
		return
	}
	said, err := pl.opt.Files.SavePlots(pl.current().title, pl.plotData())
	if err != nil {
		pl.warn(err.Error())
		return
	}
	pl.say("Saved " + said)
}
