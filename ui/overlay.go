package ui

import (
	"math"
	"strconv"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/inkyblackness/imgui-go/v4"

	"hapco/physics"
)

// overlay draws over the scene: the force, the depth line, the contact that was clicked, what is loading, the help.
func (a *app) overlay() {
	l := &a.viewport.lens
	a.gui.cardX, a.gui.cardY = float32(l.x+l.w/2), float32(l.y)+a.gui.px(10)
	a.library.loadingCard()
	if a.scene.snap != nil {
		a.viewport.forceBar()
		a.viewport.drawDepthLine()
		a.viewport.drawSpring()
		a.viewport.drawBrush()
		a.haptic.recordingDot()
		if a.library.loading == nil {
			a.viewport.jobsCard()
		}
		if !a.library.demo.on {
			a.study.questionCard()
		}
		a.library.aboutCard()
		if !a.gui.help {
			a.viewport.inspector()
		}
	}
	if a.gui.help {
		a.gui.helpCard()
	}
}

// forceBar shows, in a band above the scene, the force in large figures and as a gauge, the contacts' statuses, and
// that the scene is drawn coarser than it could be.
func (vp *viewport) forceBar() {
	g := vp.gui
	list := imgui.BackgroundDrawList()
	left, width, high := float32(vp.lens.x), float32(vp.lens.w), float32(vp.lens.y)
	list.PushClipRectV(imgui.Vec2{X: left}, imgui.Vec2{X: left + width, Y: high}, false)
	defer list.PopClipRect()

	sent, limit := vp.scene.sent(), vp.scene.session.Servo().Params().MaxForce
	color := pick(limit > 0 && sent > 0.98*limit, warnColor, inkColor)
	imgui.PushFont(g.fonts.large)
	text := strconv.FormatFloat(sent, 'f', 2, 64) + " N"
	if sent > 0 && sent < 0.0995 {
		text = force.text(sent)
	}
	size := imgui.CalcTextSize(text, false, 0)
	room := imgui.CalcTextSize("00.0 mN", false, 0).X // digits must not shift the rest
	x := left + g.px(14)
	list.AddText(imgui.Vec2{X: x, Y: (high - size.Y) / 2}, packed(color), text)
	imgui.PopFont()
	x += max(room, size.X) + g.px(16)
	end := left + width - g.px(14)

	imgui.PushFont(g.fonts.small)
	defer imgui.PopFont()
	line := imgui.TextLineHeight()
	top, below := high/2-line-g.px(2), high/2+g.px(3)
	// below: the gauge, with what it ends at
	most := "max " + force.text(limit)
	mw := imgui.CalcTextSize(most, false, 0).X
	bar := min(end-mw-g.px(8), x+g.px(360))
	gy := below + (line-g.px(7))/2
	list.AddRectFilledV(imgui.Vec2{X: x, Y: gy}, imgui.Vec2{X: bar, Y: gy + g.px(7)}, packed(0x39414e), g.px(3.5), imgui.DrawFlagsNone)
	if t := float32(min(sent/max(limit, 1e-9), 1)); t > 0.01 {
		fill := pick(color == warnColor, warnColor, accentColor)
		list.AddRectFilledV(imgui.Vec2{X: x, Y: gy}, imgui.Vec2{X: x + max(t*(bar-x), g.px(7)), Y: gy + g.px(7)}, packed(fill), g.px(3.5), imgui.DrawFlagsNone)
	}
	if peak := float32(min(vp.scene.status.Peak/max(limit, 1e-9), 1)); peak > 0.01 { // a blow is over before it is seen
		px := x + peak*(bar-x)
		list.AddRectFilled(imgui.Vec2{X: px - g.px(1), Y: gy - g.px(2)}, imgui.Vec2{X: px + g.px(1), Y: gy + g.px(9)}, packed(inkColor))
	}
	list.AddText(imgui.Vec2{X: bar + g.px(8), Y: below}, packed(dimColor), most)
	if times := vp.scene.session.Common().Device.ForceScale; times > 0 && times != 1 { // what the number is of
		text := "in the hand; in the scene " + force.text(sent/times)
		list.AddText(imgui.Vec2{X: x, Y: top}, packed(inkColor), text)
		x += imgui.CalcTextSize(text, false, 0).X + g.px(16)
	}
	// above: statuses, and the resolution where there is room
	for i, n := range vp.scene.snap.Counts() {
		if !vp.scene.counts {
			break // what has no contacts
		}
		status := physics.Status(i)
		text := status.String() + " " + strconv.Itoa(n)
		list.AddCircleFilled(imgui.Vec2{X: x + g.px(5), Y: top + line/2}, g.px(4.5), packed(statusColor(status)))
		list.AddText(imgui.Vec2{X: x + g.px(14), Y: top}, packed(0xc9d0db), text)
		x += g.px(14) + imgui.CalcTextSize(text, false, 0).X + g.px(13)
	}
	if coarse := vp.fine.text(); coarse != "" {
		room := end - x
		if imgui.CalcTextSize(coarse, false, 0).X > room {
			coarse = strconv.Itoa(int(math.Round(100*vp.fine.part()))) + " %"
		}
		list.AddText(imgui.Vec2{X: end - imgui.CalcTextSize(coarse, false, 0).X, Y: top}, packed(warnColor), coarse)
	}
}

// aboutFor is how long a scene says what to do with it.
const aboutFor = 10 * time.Second

// aboutCard says for the first seconds what the scene is for.
func (lib *library) aboutCard() {
	about := ""
	for _, s := range lib.opt.Scenes {
		if s.Name == lib.scene.name {
			about = s.About
		}
	}
	if about == "" || lib.gui.help || lib.opt.Script != nil || time.Since(lib.scene.met) > aboutFor {
		return
	}
	g := lib.gui
	// at the bottom, away from the tool, and above axes and scales where these leave no room beside them
	low := float32(lib.viewport.lens.y+lib.viewport.lens.h) - g.px(12)
	narrow := float32(lib.viewport.lens.w) < g.px(800)
	paper := float32(0.72)
	if narrow && lib.viewport.lens.h > 300*float64(lib.gui.scale) {
		low -= g.px(86)
	} else if narrow { // it hides them
		paper = 1
	}
	foot := imgui.Vec2{X: float32(lib.viewport.lens.x + lib.viewport.lens.w/2), Y: low}
	g.cardAt("about", paper, foot, imgui.Vec2{X: 0.5, Y: 1}, seenThrough, func() {
		imgui.PushTextWrapPosV(min(g.px(420), float32(lib.viewport.lens.w)-g.px(48)))
		g.write(g.fonts.bold, inkColor, "What to do")
		imgui.Text(about)
		if lib.scene.session.Pointer() != nil && !narrow {
			g.dim("Hold the left button to push, drag to slide, let go to lift. H shows all keys.")
		}
		imgui.PopTextWrapPos()
	})
}

// drawDepthLine shows how far the tip is from the surface that the needle points at.
func (vp *viewport) drawDepthLine() {
	if !vp.look.depthLine || vp.scene.session.Pointer() == nil || touching(vp.scene.snap) || vp.scene.snap.Held.On {
		return
	}
	needle := vp.scene.needle()
	tip := vp.scene.held().Add(needle.Mul(vp.scene.tool.reach))
	t := vp.cast(tip, needle).t
	if t > vp.scene.bounds.size {
		return
	}
	hit := tip.Add(needle.Mul(t))
	x0, y0, ok0 := vp.lens.project(tip)
	x1, y1, ok1 := vp.lens.project(hit)
	if !ok0 || !ok1 {
		return
	}
	g := vp.gui
	list := vp.overScene()
	defer list.PopClipRect()
	vp.dashes(list, x0, y0, x1, y1, packedA(0xffffff, 0.75), 1.4)
	list.AddCircleV(at(x1, y1), g.px(6), packedA(0x12151b, 0.6), 24, g.px(3.5))
	list.AddCircleV(at(x1, y1), g.px(6), packed(0xffffff), 24, g.px(1.6))
	g.tag(list, (x0+x1)/2, (y0+y1)/2, length.text(t))
}

// overScene draws over the scene and nowhere else, until its PopClipRect.
func (vp *viewport) overScene() imgui.DrawList {
	list := imgui.BackgroundDrawList()
	list.PushClipRectV(at(vp.lens.x, vp.lens.y), at(vp.lens.x+vp.lens.w, vp.lens.y+vp.lens.h), false)
	return list
}

// tag writes a word beside a place of the scene.
func (g *gui) tag(list imgui.DrawList, x, y float64, text string) {
	imgui.PushFont(g.fonts.small)
	defer imgui.PopFont()
	size := imgui.CalcTextSize(text, false, 0)
	tx, ty := float32(x)+g.px(12), float32(y)-size.Y/2
	list.AddRectFilledV(imgui.Vec2{X: tx - g.px(5), Y: ty - g.px(2)}, imgui.Vec2{X: tx + size.X + g.px(5), Y: ty + size.Y + g.px(2)}, packedA(0x12151b, 0.6), g.px(4), imgui.DrawFlagsNone)
	list.AddText(imgui.Vec2{X: tx, Y: ty}, packed(inkColor), text)
}

// The drawn spring between hand and tool, pixels at scale 1.
const (
	springLeast = 10.0 // shorter ones are not seen
	springCoils = 7
	springWide  = 5.0
)

// drawSpring shows the spring by which something is held, or else that between the hand and the tool while it bears a
// force: from the tool to where the hand is, with how long it is and what it bears.
func (vp *viewport) drawSpring() {
	if h := &vp.scene.snap.Held; h.On {
		vp.coil(h.At, h.To, 0, "holds  "+length.text(h.To.Sub(h.At).Len())+"   "+force.text(h.Force.Len()))
		return
	}
	p := vp.scene.session.Pointer()
	if p == nil || !vp.scene.touched() {
		return
	}
	hand, tool := p.Hand().Add(vp.scene.gripArm()), vp.scene.held()
	vp.coil(tool, hand, springLeast, "spring of the hand  "+length.text(hand.Sub(tool).Len())+"   "+force.text(vp.scene.sent()))
}

// coil draws a spring that is longer than so many pixels, and what it says at its end.
func (vp *viewport) coil(from, to mgl64.Vec3, least float64, text string) {
	g, scale := vp.gui, float64(vp.gui.scale)
	x0, y0, ok0 := vp.lens.project(from)
	x1, y1, ok1 := vp.lens.project(to)
	dx, dy := x1-x0, y1-y0
	long := math.Hypot(dx, dy)
	if !ok0 || !ok1 || long < least*scale {
		return
	}
	list := vp.overScene()
	defer list.PopClipRect()
	for _, pass := range [...]struct {
		color imgui.PackedColor
		thick float32
	}{{packedA(0x12151b, 0.55), 4}, {packedA(0xffffff, 0.9), 1.6}} { // dark below bright: seen on anything
		x, y := x0, y0
		for i := 1; i <= 2*springCoils+1 && long >= springLeast*scale; i++ {
			part, side := (float64(i)-0.5)/(2*springCoils), springWide*scale*float64(1-2*(i%2))
			if i > 2*springCoils {
				part, side = 1, 0
			}
			nx, ny := x0+part*dx-side*dy/long, y0+part*dy+side*dx/long
			list.AddLineV(at(x, y), at(nx, ny), pass.color, g.px(pass.thick))
			x, y = nx, ny
		}
		list.AddCircleV(at(x1, y1), g.px(6), pass.color, 24, g.px(pass.thick))
		if least == 0 {
			list.AddCircleFilled(at(x0, y0), g.px(pass.thick+1.5), pass.color)
		}
	}
	g.tag(list, x1, y1, text)
}

// dashes is a dashed line from one pixel to another.
func (vp *viewport) dashes(list imgui.DrawList, x0, y0, x1, y1 float64, color imgui.PackedColor, thick float32) {
	n := math.Hypot(x1-x0, y1-y0) / (6 * float64(vp.gui.scale))
	for i := 0.0; i < n && n < 800; i += 2 {
		s, e := i/n, min((i+1)/n, 1)
		list.AddLineV(at(x0+s*(x1-x0), y0+s*(y1-y0)), at(x0+e*(x1-x0), y0+e*(y1-y0)), color, vp.gui.px(thick))
	}
}

// selected is the contact that was clicked, or nil.
func (vp *viewport) selected() *physics.Contact {
	for i := range vp.scene.snap.Contacts {
		if c := &vp.scene.snap.Contacts[i]; c.ID == vp.view.Selected {
			return c
		}
	}
	return nil
}

// featureName says where a contact is: the stylus's node, with a word before its number, or what else touches.
func featureName(c *physics.Contact, word string) string {
	switch {
	case c.Node >= 0:
		return word + strconv.Itoa(int(c.Node))
	case c.Edges:
		return "edges"
	}
	return "tool"
}

// inspector shows the contact that was clicked.
func (vp *viewport) inspector() {
	if vp.view.Selected == 0 {
		return
	}
	g := vp.gui
	// the right side belongs to the legends
	corner := imgui.Vec2{X: float32(vp.lens.x) + g.px(14), Y: g.cardY}
	g.cardAt("inspector", 0.8, corner, imgui.Vec2{}, cardFlags, vp.inspected)
}

// inspected is what the inspector says.
func (vp *viewport) inspected() {
	g, c := vp.gui, vp.selected()
	title := "Contact"
	if c != nil {
		title += " of " + featureName(c, "node ")
	}
	g.write(g.fonts.bold, inkColor, title)
	if c == nil {
		g.dim("not in contact now")
		g.dim("Esc closes this.")
		return
	}
	imgui.SameLine()
	g.colored(statusColor(c.Status), c.Status.String())
	tangential := math.Hypot(c.R[1], c.R[2])
	slip := math.Hypot(c.X[1], c.X[2])
	for _, row := range [...]struct{ name, value, about string }{
		{"r_n", force.text(c.R[0]), "Normal force on the stylus."},
		{"|r_t|", force.text(tangential) + "   (" + force.text(c.R[1]) + ", " + force.text(c.R[2]) + ")", "Tangential force: norm, and along t1 and t2."},
		{"x_n", length.text(c.X[0]), "Normal distance at the end of the step; below zero is interpenetration."},
		{"|x_t|", length.text(slip), "How far the contact slid in this step."},
		{"µ", digits(c.Mu, 3), "Friction coefficient of the pair."},
		{"residual", force.text(mgl64.Vec3(c.Residual).Len()), "How far this contact is from its law: |r − P_K(r − ρ û)| of the natural map, with ρ = 1 N/m, û = x + µ |x_t| n and P_K the projection on Coulomb's cone. 0 where the law holds."},
	} {
		g.dim(row.name)
		imgui.SameLineV(g.px(80), 0)
		imgui.Text(row.value)
		g.hint(row.about)
	}
	use, _ := coneUse(c)
	g.dim("cone")
	imgui.SameLineV(g.px(80), 0)
	pos := imgui.CursorScreenPos()
	imgui.Dummy(imgui.Vec2{X: g.px(190), Y: imgui.TextLineHeight()})
	g.hint("How much of the Coulomb cone the tangential force uses; at 100 % the contact slides.")
	list := imgui.WindowDrawList()
	y := pos.Y + imgui.TextLineHeight()/2 - g.px(4)
	wide := g.px(140)
	list.AddRectFilledV(imgui.Vec2{X: pos.X, Y: y}, imgui.Vec2{X: pos.X + wide, Y: y + g.px(8)}, packed(frameActive), g.px(4), imgui.DrawFlagsNone)
	if t := float32(min(use, 1)); t > 0.02 {
		list.AddRectFilledV(imgui.Vec2{X: pos.X, Y: y}, imgui.Vec2{X: pos.X + max(t*wide, g.px(8)), Y: y + g.px(8)}, packed(statusColor(c.Status)), g.px(4), imgui.DrawFlagsNone)
	}
	list.AddText(imgui.Vec2{X: pos.X + wide + g.px(8), Y: pos.Y}, packed(inkColor), coneText(c))
}

// loadingCard tells what is being opened.
func (lib *library) loadingCard() {
	if lib.loading == nil {
		return
	}
	g := lib.gui
	at := lib.loading.at.Load()
	if lib.scene.session == nil {
		lib.gui.cardY = float32(lib.viewport.lens.y + lib.viewport.lens.h/2)
	}
	lib.gui.card("loading", 0.92, seenThrough, func() {
		g.write(g.fonts.bold, inkColor, "Opening "+shortName(lib.loading.scene))
		g.progress(float32(min(max(at.fraction, 0), 1)), imgui.Vec2{X: g.px(300), Y: g.px(22)}, strconv.Itoa(int(100*at.fraction))+" %")
		g.dim(at.what)
	})
}

// jobsCard tells, at the top of the scene, what is being prepared in the background, how far it is, and what that means
// for the hand meanwhile.
func (vp *viewport) jobsCard() {
	if len(vp.scene.snap.Jobs) == 0 {
		return
	}
	vp.gui.card("preparing", 0.85, seenThrough, func() {
		for i := range vp.scene.snap.Jobs {
			if i > 0 {
				imgui.Spacing()
			}
			vp.job(&vp.scene.snap.Jobs[i])
		}
	})
}

// job is one job's part of the card.
func (vp *viewport) job(p *physics.Job) {
	g := vp.gui
	g.write(g.fonts.bold, inkColor, p.Title)
	if p.Failed {
		imgui.PushTextWrapPosV(g.px(420))
		g.colored(warnColor, p.What)
		imgui.PopTextWrapPos()
		return
	}
	if p.Fraction < 1 {
		g.progress(float32(max(p.Fraction, 0)), imgui.Vec2{X: g.px(360), Y: g.px(22)}, p.What+"  "+strconv.Itoa(int(100*p.Fraction))+" %")
	} else if p.What != "" {
		g.dim(p.What)
	}
	if p.Plan != "" {
		g.dim(p.Plan)
	}
	if p.Note != "" {
		g.colored(warnColor, p.Note)
	}
}
